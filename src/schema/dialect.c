#include "json/reader.h"
#include "schema/compiler.h"
#include "schema/metaschema.h"
#include "schema/uri.h"

#define VOCABULARY "https://json-schema.org/draft/2020-12/vocab/"

static const struct {
    const char *uri;
    enum tr_schema_dialect dialect;
} dialects[] = {
    {"https://json-schema.org/draft/2020-12/schema", TR_SCHEMA_DIALECT_2020_12},
    {"http://json-schema.org/draft-07/schema", TR_SCHEMA_DIALECT_07},
    {"https://json-schema.org/draft-07/schema", TR_SCHEMA_DIALECT_07},
};

static const struct {
    const char *uri;
    unsigned bits;
} vocabularies[] = {
    {VOCABULARY "core", TR_SCHEMA_VOCAB_CORE},
    {VOCABULARY "applicator", TR_SCHEMA_VOCAB_APPLICATOR},
    {VOCABULARY "unevaluated", TR_SCHEMA_VOCAB_UNEVALUATED},
    {VOCABULARY "validation", TR_SCHEMA_VOCAB_VALIDATION},
    {VOCABULARY "format-assertion", TR_SCHEMA_VOCAB_FORMAT},
    {VOCABULARY "format-annotation", 0},
    {VOCABULARY "meta-data", 0},
    {VOCABULARY "content", 0},
};

tr_status tr_schema_find_document(struct tr_schema_compiler *c, tr_str uri,
                                  const struct tr_json **out)
{
    *out = NULL;
    for (size_t i = 0; i < c->opts->doc_count; i++) {
        if (tr_str_eq(c->opts->docs[i].uri, uri)) {
            *out = c->opts->docs[i].tree;
            return TR_OK;
        }
    }
    tr_str text;
    if (!tr_schema_metaschema_find(uri, &text))
        return TR_OK;
    return tr_json_read(c->arena, text, NULL, out, c->err);
}

static bool find_dialect(tr_str uri, enum tr_schema_dialect *out)
{
    for (size_t i = 0; i < TR_LEN(dialects); i++) {
        if (tr_str_eq(uri, tr_str_from(dialects[i].uri))) {
            *out = dialects[i].dialect;
            return true;
        }
    }
    return false;
}

static bool find_vocabulary(tr_str uri, unsigned *bits)
{
    for (size_t i = 0; i < TR_LEN(vocabularies); i++) {
        if (tr_str_eq(uri, tr_str_from(vocabularies[i].uri))) {
            *bits |= vocabularies[i].bits;
            return true;
        }
    }
    return false;
}

/* JSON Schema 2020-12, section 8.1.2 */
static tr_status read_vocabularies(struct tr_schema_compiler *c,
                                   const struct tr_json *list,
                                   struct tr_schema_resource *resource)
{
    unsigned bits = TR_SCHEMA_VOCAB_CORE;
    for (size_t i = 0; i < list->len; i++) {
        const struct tr_json_member *member = &list->as.members[i];
        tr_str uri = tr_json_text(&member->key);
        bool is_required = true;
        (void)tr_json_bool(&member->value, &is_required);
        if (!find_vocabulary(uri, &bits) && is_required)
            return tr_fail(c->err, TR_E_UNSUPPORTED,
                           "the vocabulary %.*s is not known", TR_FMT(uri));
    }
    resource->vocabularies = bits;
    return TR_OK;
}

/* A meta-schema of somebody's own: its vocabularies, and its own dialect. */
static tr_status read_metaschema(struct tr_schema_compiler *c, tr_str uri,
                                 struct tr_schema_resource *resource)
{
    const struct tr_json *tree = NULL;
    TR_TRY(tr_schema_find_document(c, uri, &tree));
    const struct tr_json *list = tr_json_find(tree, TR_STR("$vocabulary"));
    const struct tr_json *own = tr_json_find(tree, TR_STR("$schema"));
    tr_str base;
    if (!tree || tr_json_text(own).len == 0 ||
        !tr_schema_uri_resolve(c->arena, TR_STR(""), tr_json_text(own),
                               &base) ||
        !find_dialect(base, &resource->dialect))
        return tr_fail(c->err, TR_E_UNSUPPORTED,
                       "the dialect %.*s is not known", TR_FMT(uri));
    if (tr_json_is(list, TR_JSON_OBJECT))
        return read_vocabularies(c, list, resource);
    resource->vocabularies = ~0u;
    return TR_OK;
}

tr_status tr_schema_read_dialect(struct tr_schema_compiler *c,
                                 const struct tr_json *source,
                                 struct tr_schema_resource *resource)
{
    const struct tr_json *value = tr_json_find(source, TR_STR("$schema"));
    tr_str uri;
    if (!c->opts->assert_formats)
        resource->vocabularies &= ~(unsigned)TR_SCHEMA_VOCAB_FORMAT;
    if (!value)
        return TR_OK;
    if (value->kind != TR_JSON_STRING)
        return tr_fail(c->err, TR_E_INVALID, "$schema is a URI");
    if (!tr_schema_uri_resolve(c->arena, TR_STR(""), tr_json_text(value), &uri))
        return tr_schema_nomem(c);
    if (!find_dialect(uri, &resource->dialect))
        return read_metaschema(c, uri, resource);
    resource->vocabularies = ~0u;
    if (!c->opts->assert_formats)
        resource->vocabularies &= ~(unsigned)TR_SCHEMA_VOCAB_FORMAT;
    return TR_OK;
}
