#include "rdf/jsonld_reader.h"

#include "base/limits.h"
#include "json/reader.h"
#include "json/writer.h"
#include "rdf/iri.h"
#include "rdf/xsd.h"

enum { CHUNK = 65536 };

struct reading {
    const struct tr_rdf_sink *sink;
    struct tr_arena arena;
    uint64_t made; /* blank nodes without a label */
    struct tr_err *err;
};

/* Where a node object stands: what its statements are in. */
struct scope {
    tr_rdf_term graph;
};

static tr_status refuse(const struct reading *r, const char *why, tr_str what)
{
    return tr_fail(r->err, TR_E_SYNTAX, "%s%.*s", why, TR_FMT(what));
}

static tr_status no_memory(const struct reading *r)
{
    return tr_fail(r->err, TR_E_NOMEM, "no memory for a JSON-LD document");
}

/* Labels of the document begin with one letter, ours with another. */
static tr_status make_blank(struct reading *r, char first, tr_str label,
                            tr_rdf_term *out)
{
    char *text = tr_arena_alloc(&r->arena, label.len + 1);
    if (!text)
        return no_memory(r);
    text[0] = first;
    memcpy(text + 1, label.ptr, label.len);
    *out = tr_rdf_term_blank((tr_str){text, label.len + 1});
    return TR_OK;
}

static tr_status draw_blank(struct reading *r, tr_rdf_term *out)
{
    char room[32];
    int len = snprintf(room, sizeof(room), "%llu", (unsigned long long)r->made);
    r->made++;
    return make_blank(r, 'n', (tr_str){room, (size_t)len}, out);
}

static tr_status read_iri(struct reading *r, tr_str text, tr_rdf_term *out)
{
    struct tr_err why = {0};
    if (tr_rdf_iri_check(text, &why) != TR_OK)
        return tr_fail(r->err, TR_E_SYNTAX, "%s", why.msg);
    *out = tr_rdf_term_iri(text);
    return TR_OK;
}

/* An IRI, or "_:" and a label. */
static tr_status read_name(struct reading *r, const struct tr_json *value,
                           tr_rdf_term *out)
{
    tr_str text = tr_json_text(value);
    if (!tr_json_is(value, TR_JSON_STRING))
        return refuse(r, "an @id or @type must be a text", TR_STR(""));
    if (!tr_str_starts(text, TR_STR("_:")))
        return read_iri(r, text, out);
    tr_str label = tr_str_skip(text, 2);
    return label.len && tr_rdf_label_len(label) == label.len
               ? make_blank(r, 'b', label, out)
               : refuse(r, "it is no label of a blank node: ", label);
}

static tr_status put(const struct reading *r, const struct scope *scope,
                     const tr_rdf_term *s, tr_str p, const tr_rdf_term *o)
{
    const tr_rdf_quad quad = {.subject = *s,
                              .predicate = tr_rdf_term_iri(p),
                              .object = *o,
                              .graph = scope->graph};
    return r->sink->quad(r->sink->context, &quad, r->err);
}

static tr_status copy_buf(struct reading *r, struct tr_buf *buf, tr_str *out)
{
    bool made = tr_buf_check(buf, NULL) == TR_OK &&
                tr_arena_copy(&r->arena, tr_buf_str(buf), out);
    tr_buf_done(buf);
    return made ? TR_OK : no_memory(r);
}

/* JSON-LD 1.1 API, 8.2.2: integers are xsd:integer, other numbers doubles. */
static tr_status read_number(struct reading *r, const struct tr_json *value,
                             tr_rdf_term *out)
{
    struct tr_buf text;
    double number = 0;
    if (value->flags & TR_JSON_INTEGER) {
        *out = tr_rdf_term_typed(tr_json_text(value),
                                 TR_STR(TR_RDF_IRI_XSD_INTEGER));
        return TR_OK;
    }
    if (!tr_json_double(value, &number))
        return refuse(r, "no double holds the number ", tr_json_text(value));
    *out = tr_rdf_term_typed(TR_STR(""), TR_STR(TR_RDF_IRI_XSD_DOUBLE));
    tr_buf_init(&text, TR_KIB(1));
    tr_rdf_xsd_float_write(&text, number, false);
    return copy_buf(r, &text, &out->text);
}

static tr_status read_scalar(struct reading *r, const struct tr_json *value,
                             tr_rdf_term *out)
{
    bool yes = false;
    if (tr_json_is(value, TR_JSON_STRING)) {
        *out = tr_rdf_term_string(tr_json_text(value));
        return TR_OK;
    }
    if (tr_json_is(value, TR_JSON_NUMBER))
        return read_number(r, value, out);
    if (!tr_json_bool(value, &yes))
        return refuse(r, "a value cannot be ",
                      tr_str_from(tr_json_kind_name(value->kind)));
    *out = tr_rdf_term_typed(yes ? TR_STR("true") : TR_STR("false"),
                             TR_STR(TR_RDF_IRI_XSD_BOOLEAN));
    return TR_OK;
}

/* A document in a literal has its canonical form. */
static tr_status read_document(struct reading *r, const struct tr_json *value,
                               tr_rdf_term *out)
{
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_RDF_TERM);
    tr_jw_init(&w, &text);
    tr_jw_canonical(&w, value);
    *out = tr_rdf_term_typed(TR_STR(""), TR_STR(TR_RDF_IRI_RDF_JSON));
    return copy_buf(r, &text, &out->text);
}

static tr_status read_typed(struct reading *r, const struct tr_json *value,
                            const struct tr_json *type, tr_rdf_term *out)
{
    tr_rdf_term datatype = {0};
    if (tr_str_eq(tr_json_text(type), TR_STR("@json")))
        return read_document(r, value, out);
    if (!tr_json_is(type, TR_JSON_STRING))
        return refuse(r, "the @type of a value must be an IRI", TR_STR(""));
    TR_TRY(read_iri(r, tr_json_text(type), &datatype));
    if (tr_str_eq(datatype.text, TR_STR(TR_RDF_IRI_RDF_LANG_STRING)))
        return refuse(r, TR_RDF_NO_LANGUAGE, TR_STR(""));
    TR_TRY(read_scalar(r, value, out));
    out->datatype = datatype.text;
    return TR_OK;
}

static bool is_known(tr_str key, const char *const *known, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_str_eq(key, tr_str_from(known[i])))
            return true;
    }
    return false;
}

static tr_status check_keys(const struct reading *r,
                            const struct tr_json *object,
                            const char *const *known, size_t count)
{
    for (size_t i = 0; i < object->len; i++) {
        tr_str key = tr_json_text(&object->as.members[i].key);
        if (!is_known(key, known, count))
            return refuse(r, "unexpected beside a value: ", key);
    }
    return TR_OK;
}

/* {"@value", "@type" or "@language"} */
static tr_status read_literal(struct reading *r, const struct tr_json *object,
                              tr_rdf_term *out)
{
    static const char *const keys[] = {"@value", "@type", "@language"};
    const struct tr_json *value = tr_json_find(object, TR_STR("@value"));
    const struct tr_json *type = tr_json_find(object, TR_STR("@type"));
    const struct tr_json *language = tr_json_find(object, TR_STR("@language"));
    TR_TRY(check_keys(r, object, keys, TR_LEN(keys)));
    if (type && language)
        return refuse(r, "a value has a @type or a @language", TR_STR(""));
    if (type)
        return read_typed(r, value, type, out);
    if (!language)
        return read_scalar(r, value, out);
    if (!tr_json_is(value, TR_JSON_STRING) ||
        !tr_rdf_language_is_valid(tr_json_text(language)))
        return refuse(r, TR_RDF_BAD_LANGUAGE, TR_STR(""));
    *out = tr_rdf_term_lang(tr_json_text(value), tr_json_text(language));
    return TR_OK;
}

static tr_status read_node(struct reading *r, const struct scope *scope,
                           const struct tr_json *object, tr_rdf_term *out);
static tr_status read_object(struct reading *r, const struct scope *scope,
                             const struct tr_json *value, tr_rdf_term *out);

/* An RDF list: a blank node for each item. */
static tr_status read_list(struct reading *r, const struct scope *scope,
                           const struct tr_json *items, tr_rdf_term *out)
{
    tr_rdf_term rest = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_NIL));
    if (!tr_json_is(items, TR_JSON_ARRAY))
        return refuse(r, "a @list must be an array", TR_STR(""));
    for (size_t i = items->len; i > 0; i--) {
        tr_rdf_term cell;
        tr_rdf_term first;
        TR_TRY(draw_blank(r, &cell));
        TR_TRY(read_object(r, scope, &items->as.items[i - 1], &first));
        TR_TRY(put(r, scope, &cell, TR_STR(TR_RDF_IRI_RDF_FIRST), &first));
        TR_TRY(put(r, scope, &cell, TR_STR(TR_RDF_IRI_RDF_REST), &rest));
        rest = cell;
    }
    *out = rest;
    return TR_OK;
}

static tr_status read_object(struct reading *r, const struct scope *scope,
                             const struct tr_json *value, tr_rdf_term *out)
{
    static const char *const list_keys[] = {"@list"};
    const struct tr_json *list = tr_json_find(value, TR_STR("@list"));
    if (!tr_json_is(value, TR_JSON_OBJECT))
        return read_scalar(r, value, out);
    if (tr_json_find(value, TR_STR("@value")))
        return read_literal(r, value, out);
    if (!list)
        return read_node(r, scope, value, out);
    TR_TRY(check_keys(r, value, list_keys, TR_LEN(list_keys)));
    return read_list(r, scope, list, out);
}

static tr_status read_types(struct reading *r, const struct scope *scope,
                            const tr_rdf_term *subject,
                            const struct tr_json *types)
{
    bool is_array = tr_json_is(types, TR_JSON_ARRAY);
    size_t count = is_array ? types->len : 1;
    for (size_t i = 0; i < count; i++) {
        tr_rdf_term type;
        TR_TRY(read_name(r, is_array ? &types->as.items[i] : types, &type));
        TR_TRY(put(r, scope, subject, TR_STR(TR_RDF_IRI_RDF_TYPE), &type));
    }
    return TR_OK;
}

static tr_status read_values(struct reading *r, const struct scope *scope,
                             const tr_rdf_term *subject,
                             const struct tr_json_member *member)
{
    const struct tr_json *value = &member->value;
    bool is_array = tr_json_is(value, TR_JSON_ARRAY);
    size_t count = is_array ? value->len : 1;
    tr_rdf_term predicate;
    TR_TRY(read_iri(r, tr_json_text(&member->key), &predicate));
    for (size_t i = 0; i < count; i++) {
        tr_rdf_term object;
        TR_TRY(read_object(r, scope, is_array ? &value->as.items[i] : value,
                           &object));
        TR_TRY(put(r, scope, subject, predicate.text, &object));
    }
    return TR_OK;
}

static tr_status read_nodes(struct reading *r, const struct scope *scope,
                            const struct tr_json *nodes)
{
    bool is_array = tr_json_is(nodes, TR_JSON_ARRAY);
    size_t count = is_array ? nodes->len : 1;
    for (size_t i = 0; i < count; i++) {
        const struct tr_json *node = is_array ? &nodes->as.items[i] : nodes;
        tr_rdf_term term;
        if (!tr_json_is(node, TR_JSON_OBJECT))
            return refuse(r, "expected a node: an object", TR_STR(""));
        TR_TRY(read_node(r, scope, node, &term));
    }
    return TR_OK;
}

/* What a node has besides its id. */
static tr_status read_member(struct reading *r, const struct scope *scope,
                             const tr_rdf_term *subject,
                             const struct tr_json_member *member)
{
    tr_str key = tr_json_text(&member->key);
    const struct scope inside = {*subject};
    if (tr_str_eq(key, TR_STR("@type")))
        return read_types(r, scope, subject, &member->value);
    if (tr_str_eq(key, TR_STR("@graph")))
        return read_nodes(r, &inside, &member->value);
    if (tr_str_eq(key, TR_STR("@included")))
        return read_nodes(r, scope, &member->value);
    if (tr_str_eq(key, TR_STR("@context")))
        return refuse(r,
                      "a @context is not read, and none is fetched: expand the "
                      "document first",
                      TR_STR(""));
    if (key.len && key.ptr[0] == '@')
        return refuse(r, "not read here: ", key);
    return read_values(r, scope, subject, member);
}

/* Only a graph, of no name: the default one. */
static bool is_top_graph(const struct tr_json *object)
{
    return object->len == 1 && tr_json_find(object, TR_STR("@graph"));
}

static tr_status read_node(struct reading *r, const struct scope *scope,
                           const struct tr_json *object, tr_rdf_term *out)
{
    const struct tr_json *id = tr_json_find(object, TR_STR("@id"));
    TR_TRY(id ? read_name(r, id, out) : draw_blank(r, out));
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        tr_status status = TR_OK;
        if (!tr_str_eq(tr_json_text(&member->key), TR_STR("@id")))
            status = read_member(r, scope, out, member);
        if (status == TR_E_SYNTAX && r->err && !r->err->at[0] && id)
            tr_err_set_at(r->err, "%.*s", TR_FMT(tr_json_text(id)));
        TR_TRY(status);
    }
    return TR_OK;
}

static tr_status read_all(const struct tr_rdf_source *source,
                          struct tr_buf *text, struct tr_err *err)
{
    size_t got = 1;
    while (got > 0) {
        char *to = tr_buf_room(text, CHUNK);
        if (!to)
            return text->failed == TR_E_LIMIT
                       ? tr_fail(err, TR_E_LIMIT,
                                 "a JSON-LD document has at most %zu bytes",
                                 TR_LIMIT_JSON_BYTES)
                       : tr_buf_check(text, err);
        TR_TRY(source->read(source->context, to, CHUNK, &got, err));
        text->len += got;
    }
    return TR_OK;
}

static tr_status read_document_text(struct reading *r,
                                    const struct tr_rdf_source *source,
                                    struct tr_buf *text)
{
    const struct tr_json *document = NULL;
    const struct scope top = {{0}};
    TR_TRY(read_all(source, text, r->err));
    TR_TRY(tr_json_read(&r->arena, tr_buf_str(text), NULL, &document, r->err));
    if (tr_json_is(document, TR_JSON_OBJECT) && is_top_graph(document))
        document = tr_json_find(document, TR_STR("@graph"));
    return read_nodes(r, &top, document);
}

tr_status tr_rdf_jsonld_read(const struct tr_rdf_source *source,
                             const struct tr_rdf_sink *sink, struct tr_err *err)
{
    struct tr_err own = {0};
    struct reading r = {.sink = sink, .err = err ? err : &own};
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_JSON_BYTES + CHUNK);
    tr_arena_init(&r.arena, TR_LIMIT_CLI_REPORT);
    r.err->at[0] = '\0';
    tr_status status = read_document_text(&r, source, &text);
    if (status == TR_E_SYNTAX && r.err->at[0] && !r.err->place.line) {
        char at[sizeof(r.err->at)];
        memcpy(at, r.err->at, sizeof(at));
        tr_err_prefix(r.err, "of '%s'", at);
    }
    tr_arena_done(&r.arena);
    tr_buf_done(&text);
    return status;
}
