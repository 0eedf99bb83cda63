#include "rdf/serd_reader.h"

#include "base/text.h"
#include "rdf/iri.h"
#include "rdf/turtle_guard.h"

#include <serd/serd.h>

/* Whose text has been put together, one buffer each. */
enum part { SUBJECT, PREDICATE, OBJECT, DATATYPE, GRAPH, PARTS };

struct reader {
    struct tr_rdf_turtle_guard guard;
    const struct tr_rdf_sink *sink;
    struct tr_err *err;
    struct tr_arena arena; /* of the prefixes */
    struct tr_rdf_prefixes prefixes;
    struct tr_buf base;
    struct tr_buf texts[PARTS];
};

static tr_str text_of(const SerdNode *node)
{
    return (tr_str){(const char *)node->buf, node->n_bytes};
}

static bool fail(struct reader *reader, const char *why)
{
    tr_rdf_turtle_guard_fail(&reader->guard, TR_E_SYNTAX, why);
    return false;
}

/* Keeps a failure that something else has described in reader->err. */
static void keep_failure(struct reader *reader, tr_status status)
{
    if (reader->guard.status == TR_OK)
        reader->guard.status = status;
}

static bool check_buf(struct reader *reader, const struct tr_buf *buf)
{
    if (buf->failed)
        keep_failure(reader, tr_buf_check(buf, reader->err));
    return !buf->failed;
}

/* What others could not read is not taken, so that it is not written. */
static bool check_iri(struct reader *reader, tr_str iri)
{
    struct tr_err why = {0};
    return tr_rdf_iri_check(iri, &why) == TR_OK || fail(reader, why.msg);
}

/* An absolute IRI, which has its text in the node or in `buf`. */
static bool take_iri(struct reader *reader, const SerdNode *node,
                     struct tr_buf *buf, tr_str *out)
{
    tr_str iri = text_of(node);
    if (tr_rdf_iri_legal_len(iri) != iri.len || !tr_utf8_is_valid(iri))
        return fail(reader, "an escape in the IRI is not allowed there");
    if (tr_rdf_iri_scheme_len(iri) == 0) {
        if (!tr_rdf_iri_is_reference(iri))
            return fail(reader, "the IRI begins with what is no scheme");
        tr_buf_clear(buf);
        tr_rdf_iri_resolve(buf, tr_buf_str(&reader->base), iri);
        if (!check_buf(reader, buf))
            return false;
        iri = tr_buf_str(buf);
    }
    if (tr_rdf_iri_scheme_len(iri) == 0)
        return fail(reader, "the IRI is relative and there is no base");
    *out = iri;
    return check_iri(reader, iri);
}

static bool expand(struct reader *reader, tr_str curie, struct tr_buf *buf,
                   tr_str *out)
{
    tr_str name = {NULL, 0};
    tr_str local = {NULL, 0};
    tr_str iri;
    if (!tr_str_cut(curie, ':', &name, &local)) /* such as `a` or `true` */
        return fail(reader, "expected a prefixed name");
    if (!tr_rdf_prefixes_find(&reader->prefixes, name, &iri)) {
        char why[128];
        (void)snprintf(why, sizeof(why), "unknown prefix '%.*s'",
                       name.len < 80 ? (int)name.len : 0, name.ptr);
        return fail(reader, why);
    }
    tr_buf_clear(buf);
    tr_buf_put(buf, iri);
    tr_buf_put(buf, local);
    *out = tr_buf_str(buf);
    return check_buf(reader, buf) && check_iri(reader, *out);
}

static bool take_name(struct reader *reader, const SerdNode *node,
                      struct tr_buf *buf, tr_str *out)
{
    return node->type == SERD_CURIE ? expand(reader, text_of(node), buf, out)
                                    : take_iri(reader, node, buf, out);
}

/* Labels like b1, bb1, ... get one more b, as serd's own are b1, b2, ... */
static bool is_like_generated(tr_str label)
{
    size_t i = 0;
    while (i < label.len && label.ptr[i] == 'b')
        i++;
    size_t digits = i;
    while (digits < label.len && label.ptr[digits] >= '0' &&
           label.ptr[digits] <= '9')
        digits++;
    return i > 0 && digits > i && digits == label.len;
}

static bool take_blank(struct reader *reader, const SerdNode *node,
                       struct tr_buf *buf, tr_str *out)
{
    tr_str label = text_of(node);
    if (label.len == 0 || label.ptr[0] != TR_RDF_GUARD_LABEL) {
        *out = label; /* serd's own */
        return true;
    }
    label = tr_str_skip(label, 1);
    if (label.len == 0 || tr_rdf_label_len(label) != label.len)
        return fail(reader, "a blank node without a proper label");
    *out = label;
    if (!is_like_generated(label))
        return true;
    tr_buf_clear(buf);
    tr_buf_putc(buf, 'b');
    tr_buf_put(buf, label);
    *out = tr_buf_str(buf);
    return check_buf(reader, buf);
}

static bool take_resource(struct reader *reader, const SerdNode *node,
                          enum part part, tr_rdf_term *out)
{
    struct tr_buf *buf = &reader->texts[part];
    tr_str text;
    if (node->type == SERD_BLANK) {
        if (!take_blank(reader, node, buf, &text))
            return false;
        *out = tr_rdf_term_blank(text);
        return true;
    }
    if (!take_name(reader, node, buf, &text))
        return false;
    *out = tr_rdf_term_iri(text);
    return true;
}

static bool take_literal(struct reader *reader, const SerdNode *node,
                         const SerdNode *datatype, const SerdNode *language,
                         tr_rdf_term *out)
{
    tr_str text = text_of(node);
    tr_str type;
    if (!tr_utf8_is_valid(text))
        return fail(reader, "an escape that is no character");
    if (language && language->type != SERD_NOTHING) {
        tr_str tag = text_of(language);
        if (tag.len == 0 || tr_rdf_language_len(tag) != tag.len)
            return fail(reader, "the language tag is not complete");
        if (!tr_rdf_language_is_valid(tag))
            return fail(reader, TR_RDF_BAD_LANGUAGE);
        *out = tr_rdf_term_lang(text, tag);
    } else if (datatype && datatype->type != SERD_NOTHING) {
        if (!take_name(reader, datatype, &reader->texts[DATATYPE], &type))
            return false;
        if (tr_str_eq(type, TR_STR(TR_RDF_IRI_RDF_LANG_STRING)))
            return fail(reader, TR_RDF_NO_LANGUAGE);
        *out = tr_rdf_term_typed(text, type);
    } else {
        *out = tr_rdf_term_string(text);
    }
    return true;
}

static bool knows_prefix(void *context, tr_str prefix)
{
    const struct reader *reader = context;
    tr_str iri;
    return tr_rdf_prefixes_find(&reader->prefixes, prefix, &iri);
}

static SerdStatus status_of(const struct reader *reader)
{
    return reader->guard.status == TR_OK ? SERD_SUCCESS : SERD_ERR_BAD_SYNTAX;
}

static SerdStatus on_statement(void *context, SerdStatementFlags flags,
                               const SerdNode *graph, const SerdNode *subject,
                               const SerdNode *predicate,
                               const SerdNode *object, const SerdNode *datatype,
                               const SerdNode *language)
{
    struct reader *reader = context;
    tr_rdf_quad quad = {.graph = {.kind = TR_RDF_TERM_NONE}};
    (void)flags;
    /* serd goes on after some errors that it has reported. */
    if (reader->guard.status != TR_OK)
        return SERD_ERR_BAD_SYNTAX;
    bool done =
        take_resource(reader, subject, SUBJECT, &quad.subject) &&
        take_resource(reader, predicate, PREDICATE, &quad.predicate) &&
        (object->type == SERD_LITERAL
             ? take_literal(reader, object, datatype, language, &quad.object)
             : take_resource(reader, object, OBJECT, &quad.object));
    if (done && graph && graph->type != SERD_NOTHING)
        done = take_resource(reader, graph, GRAPH, &quad.graph);
    if (done && reader->sink->line)
        *reader->sink->line = reader->guard.line;
    if (done)
        keep_failure(reader, reader->sink->quad(reader->sink->context, &quad,
                                                reader->err));
    return status_of(reader);
}

static SerdStatus on_base(void *context, const SerdNode *node)
{
    struct reader *reader = context;
    struct tr_buf *buf = &reader->texts[SUBJECT];
    tr_str iri;
    if (take_iri(reader, node, buf, &iri)) {
        if (iri.ptr != buf->ptr) {
            tr_buf_clear(buf);
            tr_buf_put(buf, iri);
        }
        tr_buf_clear(&reader->base);
        tr_buf_put(&reader->base, tr_buf_str(buf));
        (void)(check_buf(reader, buf) && check_buf(reader, &reader->base));
    }
    return status_of(reader);
}

static SerdStatus on_prefix(void *context, const SerdNode *name,
                            const SerdNode *node)
{
    struct reader *reader = context;
    const struct tr_rdf_sink *sink = reader->sink;
    tr_str iri;
    if (!take_iri(reader, node, &reader->texts[SUBJECT], &iri))
        return status_of(reader);
    keep_failure(reader, tr_rdf_prefixes_set(&reader->prefixes, text_of(name),
                                             iri, reader->err));
    if (sink->prefix && reader->guard.status == TR_OK)
        keep_failure(reader, sink->prefix(sink->context, text_of(name), iri,
                                          reader->err));
    return status_of(reader);
}

/* The format comes from serd, so no compiler can check it. The call is made
 * through a pointer, for which compilers do not ask for a literal. */
typedef int format_fn(char *to, size_t size, const char *format, va_list args);
static format_fn *const format_unchecked = vsnprintf;

/* serd's words, without its line end and without bytes that are no text. */
static void put_message(char *to, size_t size, const SerdError *error)
{
    (void)format_unchecked(to, size, error->fmt, *error->args);
    size_t len = strlen(to);
    while (len && to[len - 1] == '\n')
        to[--len] = '\0';
    for (size_t i = 0; i < len; i++) {
        if (to[i] < 0x20 || to[i] == 0x7F)
            to[i] = '?';
    }
}

static SerdStatus on_error(void *context, const SerdError *error)
{
    struct reader *reader = context;
    char message[160];
    if (reader->guard.status != TR_OK)
        return SERD_SUCCESS;
    put_message(message, sizeof(message), error);
    (void)fail(reader, message);
    return SERD_SUCCESS;
}

static tr_status run(struct reader *reader, bool graphs)
{
    SerdReader *serd =
        serd_reader_new(graphs ? SERD_TRIG : SERD_TURTLE, reader, NULL, on_base,
                        on_prefix, on_statement, NULL);
    if (!serd)
        return tr_fail(reader->err, TR_E_NOMEM, "no memory to read RDF");
    serd_reader_set_strict(serd, true);
    serd_reader_set_error_sink(serd, on_error, reader);
    SerdStatus status = serd_reader_read_source(
        serd, tr_rdf_turtle_guard_read, tr_rdf_turtle_guard_failed,
        &reader->guard, (const uint8_t *)"", 1);
    serd_reader_free(serd);
    if (status > SERD_FAILURE)
        (void)fail(reader, "this is not a statement");
    return reader->guard.status;
}

tr_status tr_rdf_serd_read(bool graphs, const struct tr_rdf_source *source,
                           const struct tr_rdf_sink *sink, struct tr_err *err)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return tr_fail(err, TR_E_NOMEM, "no memory to read RDF");
    reader->sink = sink;
    reader->err = err;
    tr_rdf_turtle_guard_init(&reader->guard, graphs, source, err);
    reader->guard.knows_prefix = knows_prefix;
    reader->guard.context = reader;
    tr_arena_init(&reader->arena, TR_LIMIT_RDF_PREFIX_BYTES);
    tr_rdf_prefixes_init(&reader->prefixes, &reader->arena);
    tr_buf_init(&reader->base, TR_LIMIT_RDF_TERM);
    for (int part = 0; part < PARTS; part++)
        tr_buf_init(&reader->texts[part], 2 * TR_LIMIT_RDF_TERM);
    tr_buf_put(&reader->base, source->base);

    tr_status status = tr_buf_check(&reader->base, err);
    if (status == TR_OK)
        status = run(reader, graphs);
    for (int part = 0; part < PARTS; part++)
        tr_buf_done(&reader->texts[part]);
    tr_buf_done(&reader->base);
    tr_arena_done(&reader->arena);
    free(reader);
    return status;
}
