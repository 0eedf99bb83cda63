#include "base/limits.h"
#include "rdf/iri.h"
#include "schema/compiler.h"
#include "schema/uri.h"

#include <assert.h>

/* The address of the source is the key; it stands in the node itself. */
static tr_str key_of(const struct tr_json *const *source)
{
    return (tr_str){(const char *)source, sizeof(*source)};
}

static tr_status index_into(struct tr_schema_compiler *c,
                            const struct tr_json *source,
                            struct tr_schema_resource *resource)
{
    struct tr_schema_node *ignored = NULL;
    return tr_schema_index(c, source, resource, &ignored);
}

static tr_status index_items(struct tr_schema_compiler *c,
                             const struct tr_json *array,
                             struct tr_schema_resource *resource)
{
    for (size_t i = 0; i < array->len; i++)
        TR_TRY(index_into(c, &array->as.items[i], resource));
    return TR_OK;
}

static tr_status index_members(struct tr_schema_compiler *c,
                               const struct tr_json *object, bool skip_arrays,
                               struct tr_schema_resource *resource)
{
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json *value = &object->as.members[i].value;
        if (!skip_arrays || value->kind != TR_JSON_ARRAY)
            TR_TRY(index_into(c, value, resource));
    }
    return TR_OK;
}

/* Skips values of a wrong kind: compiling the keyword refuses them. */
static tr_status index_keyword(struct tr_schema_compiler *c,
                               enum tr_schema_holds holds,
                               const struct tr_json *value,
                               struct tr_schema_resource *resource)
{
    bool is_array = value->kind == TR_JSON_ARRAY;
    bool is_object = value->kind == TR_JSON_OBJECT;
    if (holds == TR_SCHEMA_HOLDS_SCHEMA ||
        (holds == TR_SCHEMA_HOLDS_EITHER && !is_array))
        return index_into(c, value, resource);
    if (is_array &&
        (holds == TR_SCHEMA_HOLDS_ARRAY || holds == TR_SCHEMA_HOLDS_EITHER))
        return index_items(c, value, resource);
    if (is_object &&
        (holds == TR_SCHEMA_HOLDS_MAP || holds == TR_SCHEMA_HOLDS_MAP_MIX))
        return index_members(c, value, holds == TR_SCHEMA_HOLDS_MAP_MIX,
                             resource);
    return TR_OK;
}

static const struct tr_schema_keyword *
find_keyword(tr_str name, const struct tr_schema_resource *resource)
{
    for (size_t i = 0; i < tr_schema_keyword_count; i++) {
        const struct tr_schema_keyword *keyword = &tr_schema_keywords[i];
        if ((keyword->dialects & 1u << resource->dialect) &&
            tr_str_eq(name, tr_str_from(keyword->name)))
            return keyword;
    }
    return NULL;
}

static tr_status add_resource(struct tr_schema_compiler *c, tr_str uri,
                              const struct tr_json *source,
                              const struct tr_schema_resource *outer,
                              struct tr_schema_resource **out)
{
    struct tr_schema_resource *resource =
        TR_NEW(c->arena, struct tr_schema_resource);
    if (!resource)
        return tr_schema_nomem(c);
    resource->uri = uri;
    resource->root = source;
    resource->dialect = outer ? outer->dialect : c->opts->dialect;
    resource->vocabularies = outer ? outer->vocabularies : ~0u;
    tr_map_init(&resource->anchors, c->arena);
    tr_map_init(&resource->dynamic, c->arena);
    TR_TRY(tr_schema_read_dialect(c, source, resource));
    if (!tr_map_find(&c->resources, uri) &&
        !tr_map_set(&c->resources, uri, resource))
        return tr_schema_nomem(c);
    *out = resource;
    return TR_OK;
}

/* A string member, or the view that is NULL. */
static tr_str text_of(const struct tr_json *source, const char *key)
{
    const struct tr_json *value = tr_json_find(source, tr_str_from(key));
    return tr_json_is(value, TR_JSON_STRING) ? tr_json_text(value)
                                             : (tr_str){NULL, 0};
}

/* In draft-07 everything beside a $ref is as if it were not there. */
static bool hides_siblings(const struct tr_json *source,
                           const struct tr_schema_resource *resource)
{
    return resource->dialect == TR_SCHEMA_DIALECT_07 &&
           tr_json_find(source, TR_STR("$ref"));
}

/* `$id` opens a resource, unless it is only a fragment (draft-07). */
static tr_status enter_resource(struct tr_schema_compiler *c,
                                const struct tr_json *source,
                                struct tr_schema_resource **resource)
{
    tr_str id = text_of(source, "$id");
    tr_str uri;
    if (!id.ptr || id.len == 0 || id.ptr[0] == '#' ||
        hides_siblings(source, *resource))
        return TR_OK;
    if (!tr_schema_uri_resolve(c->arena, (*resource)->uri, id, &uri))
        return tr_schema_nomem(c);
    if (source == (*resource)->root && tr_str_eq(uri, (*resource)->uri))
        return TR_OK;
    return add_resource(c, uri, source, *resource, resource);
}

static tr_status add_anchor(struct tr_schema_compiler *c, struct tr_map *map,
                            tr_str name, struct tr_schema_node *node)
{
    if (name.len == 0)
        return TR_OK;
    return tr_map_set(map, name, node) ? TR_OK : tr_schema_nomem(c);
}

static tr_status add_anchors(struct tr_schema_compiler *c,
                             struct tr_schema_node *node)
{
    struct tr_schema_resource *resource = node->resource;
    if (resource->dialect == TR_SCHEMA_DIALECT_07) {
        tr_str id = text_of(node->source, "$id");
        bool is_anchor = id.len > 1 && id.ptr[0] == '#' &&
                         !hides_siblings(node->source, resource);
        return is_anchor
                   ? add_anchor(c, &resource->anchors, tr_str_skip(id, 1), node)
                   : TR_OK;
    }
    tr_str dynamic = text_of(node->source, "$dynamicAnchor");
    TR_TRY(add_anchor(c, &resource->anchors, text_of(node->source, "$anchor"),
                      node));
    TR_TRY(add_anchor(c, &resource->anchors, dynamic, node));
    return add_anchor(c, &resource->dynamic, dynamic, node);
}

tr_status tr_schema_index(struct tr_schema_compiler *c,
                          const struct tr_json *source,
                          struct tr_schema_resource *resource,
                          struct tr_schema_node **out)
{
    *out = tr_map_find(&c->nodes, key_of(&source));
    if (*out)
        return TR_OK;
    if (c->nodes.count >= TR_LIMIT_SCHEMA_NODES)
        return tr_fail(c->err, TR_E_LIMIT, "a schema has at most %d parts",
                       TR_LIMIT_SCHEMA_NODES);
    struct tr_schema_node *node = TR_NEW(c->arena, struct tr_schema_node);
    if (!node)
        return tr_schema_nomem(c);
    if (source->kind == TR_JSON_OBJECT)
        TR_TRY(enter_resource(c, source, &resource));
    assert(resource && "every schema is in a resource");
    node->source = source;
    node->resource = resource;
    if (!tr_map_set(&c->nodes, key_of(&node->source), node))
        return tr_schema_nomem(c);
    *out = node;
    if (source->kind != TR_JSON_OBJECT)
        return TR_OK;
    TR_TRY(add_anchors(c, node));
    for (size_t i = 0; i < source->len; i++) {
        const struct tr_json_member *member = &source->as.members[i];
        const struct tr_schema_keyword *keyword =
            find_keyword(tr_json_text(&member->key), resource);
        if (keyword)
            TR_TRY(index_keyword(c, keyword->holds, &member->value, resource));
    }
    return TR_OK;
}

tr_status tr_schema_add_document(struct tr_schema_compiler *c, tr_str uri,
                                 const struct tr_json *tree,
                                 struct tr_schema_node **out)
{
    struct tr_schema_resource *resource = NULL;
    TR_TRY(add_resource(c, uri, tree, NULL, &resource));
    assert(resource && "what succeeds has a result");
    TR_TRY(tr_schema_index(c, tree, resource, out));
    assert(*out && "what succeeds has a result");
    /* The `$id` of the document may have opened another resource. */
    return tr_map_set(&c->resources, uri, (*out)->resource)
               ? TR_OK
               : tr_schema_nomem(c);
}

/* The resource of a URI; documents are indexed when they are first named. */
static tr_status find_resource(struct tr_schema_compiler *c, tr_str uri,
                               struct tr_schema_resource **out)
{
    const struct tr_json *tree = NULL;
    struct tr_schema_node *node = NULL;
    *out = tr_map_find(&c->resources, uri);
    if (*out)
        return TR_OK;
    TR_TRY(tr_schema_find_document(c, uri, &tree));
    if (tree) {
        TR_TRY(tr_schema_add_document(c, uri, tree, &node));
        assert(node && "what succeeds has a result");
        *out = node->resource;
    }
    return TR_OK;
}

tr_status tr_schema_resolve(struct tr_schema_compiler *c,
                            const struct tr_schema_node *node, tr_str reference,
                            struct tr_schema_node **out, tr_str *anchor)
{
    struct tr_schema_resource *resource = NULL;
    struct tr_rdf_iri_parts parts;
    tr_str uri;
    tr_str fragment;
    *anchor = TR_STR("");
    tr_rdf_iri_split(reference, &parts);
    if (!tr_schema_uri_resolve(c->arena, node->resource->uri, reference,
                               &uri) ||
        !tr_schema_uri_decode(c->arena, parts.fragment, &fragment))
        return tr_schema_nomem(c);
    TR_TRY(find_resource(c, uri, &resource));
    if (!resource)
        return tr_schema_fail(c, node,
                              "%.*s is not known here, and never fetched",
                              TR_FMT(reference));
    const struct tr_json *found = resource->root;
    if (fragment.len && fragment.ptr[0] != '/') {
        *out = tr_map_find(&resource->anchors, fragment);
        *anchor = fragment;
        found = *out ? (*out)->source : NULL;
    } else if (fragment.len) {
        found = tr_json_pointer(resource->root, fragment);
    }
    if (!found)
        return tr_schema_fail(c, node, "%.*s leads nowhere", TR_FMT(reference));
    return tr_schema_index(c, found, resource, out);
}
