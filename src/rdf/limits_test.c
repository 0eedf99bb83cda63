/*
 * What tr_rdf_read does with endless documents, little memory, and sources and
 * sinks that fail.
 */
#include "base/limits.h"

#include "base/test.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"

/* `before` once, then `again` for ever, up to `left` bytes. */
struct endless {
    tr_str before;
    tr_str again;
    size_t at;
    size_t left;
};

static tr_status read_endless(void *context, char *to, size_t size, size_t *got,
                              struct tr_err *err)
{
    struct endless *in = context;
    size_t i = 0;
    (void)err;
    for (; i < size && in->left; i++, in->left--) {
        if (in->before.len) {
            to[i] = in->before.ptr[0];
            in->before = tr_str_skip(in->before, 1);
        } else {
            to[i] = in->again.ptr[in->at++ % in->again.len];
        }
    }
    *got = i;
    return TR_OK;
}

static tr_status ignore(void *context, const tr_rdf_quad *quad,
                        struct tr_err *err)
{
    (void)context;
    (void)quad;
    (void)err;
    return TR_OK;
}

/* A gigabyte of each ends early, with a place, and in little memory. */
TEST(rdf_reader_bounds_brackets_and_terms)
{
    static const struct row {
        enum tr_rdf_format format;
        tr_str before;
        tr_str again;
    } rows[] = {
        {TR_RDF_TURTLE, TR_STR_INIT("<a:s> <a:p> "), TR_STR_INIT("[<a:p> ")},
        {TR_RDF_TURTLE, TR_STR_INIT("<a:s> <a:p> "), TR_STR_INIT("(")},
        {TR_RDF_TRIG, TR_STR_INIT("{ <a:s> <a:p> "), TR_STR_INIT("([a ")},
        {TR_RDF_TURTLE, TR_STR_INIT("<a:s> <a:p> '"), TR_STR_INIT("x")},
        {TR_RDF_TURTLE, TR_STR_INIT("<a:s> <a:p> '''"), TR_STR_INIT("''\n")},
        {TR_RDF_TURTLE, TR_STR_INIT("<a:"), TR_STR_INIT("x")},
        {TR_RDF_TURTLE, TR_STR_INIT("_:"), TR_STR_INIT("x")},
        {TR_RDF_TURTLE, TR_STR_INIT("<a:s> <a:p> "), TR_STR_INIT("1")},
        {TR_RDF_TURTLE, TR_STR_INIT("<a:s> <a:p> ''@"), TR_STR_INIT("x")},
        {TR_RDF_NTRIPLES, TR_STR_INIT("<a:s> <a:p> \""), TR_STR_INIT("x")},
        {TR_RDF_NQUADS, TR_STR_INIT("#"), TR_STR_INIT("x")},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct endless in = {rows[i].before, rows[i].again, 0, (size_t)1 << 30};
        struct tr_err err = {0};
        struct tr_rdf_sink sink = {.quad = ignore};
        struct tr_rdf_source source = {&in, read_endless, TR_STR("")};
        CHECK_ROW(tr_rdf_read(rows[i].format, &source, &sink, &err) ==
                      TR_E_LIMIT,
                  rows[i].again.ptr);
        CHECK_ROW(err.place.line > 0, rows[i].again.ptr);
        CHECK(in.left > (size_t)1 << 29);
    }
}

TEST(rdf_reader_reads_brackets_up_to_the_limit)
{
    struct tr_buf text;
    struct tr_err err = {0};
    struct tr_rdf_sink sink = {.quad = ignore};
    tr_buf_init(&text, TR_MIB(1));
    tr_buf_put(&text, TR_STR("<a:s> <a:p> "));
    for (int i = 0; i < TR_LIMIT_NESTING; i++)
        tr_buf_putc(&text, '(');
    for (int i = 0; i < TR_LIMIT_NESTING; i++)
        tr_buf_putc(&text, ')');
    tr_buf_putc(&text, '.');
    tr_str rest = tr_buf_str(&text);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    CHECK_OK(tr_rdf_read(TR_RDF_TURTLE, &source, &sink, &err), &err);
    tr_buf_done(&text);
}

TEST(rdf_reader_bounds_prefixes)
{
    struct tr_buf text;
    struct tr_rdf_sink sink = {.quad = ignore};
    tr_buf_init(&text, TR_MIB(8));
    for (int i = 0; i < 100000; i++)
        tr_buf_putf(&text, "@prefix p%d: <a:%d> .\n", i, i);
    tr_str rest = tr_buf_str(&text);
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    CHECK_INT(tr_rdf_read(TR_RDF_TURTLE, &source, &sink, NULL), TR_E_NOMEM);
    tr_buf_done(&text);
}

/* A line that arrives in many pieces, and is longer than any of them. */
TEST(rdf_reader_joins_what_arrives_in_pieces)
{
    static const enum tr_rdf_format formats[] = {TR_RDF_NTRIPLES,
                                                 TR_RDF_TURTLE};
    for (size_t i = 0; i < TR_LEN(formats); i++) {
        struct endless in = {TR_STR("<a:s> <a:p> \""), TR_STR("\xE2\x82\xAC"),
                             0, 300013};
        struct tr_err err = {0};
        struct tr_rdf_sink sink = {.quad = ignore};
        struct tr_rdf_source source = {&in, read_endless, TR_STR("")};
        CHECK_INT(tr_rdf_read(formats[i], &source, &sink, &err), TR_E_SYNTAX);
        CHECK_INT(err.place.column, 100014);
    }
}

static tr_status refuse_quad(void *context, const tr_rdf_quad *quad,
                             struct tr_err *err)
{
    int *calls = context;
    (void)quad;
    ++*calls;
    return tr_fail(err, TR_E_CONFLICT, "not today");
}

static tr_status refuse_read(void *context, char *to, size_t size, size_t *got,
                             struct tr_err *err)
{
    (void)context;
    (void)to;
    (void)size;
    (void)got;
    return tr_fail(err, TR_E_IO, "no disk");
}

TEST(rdf_reader_passes_on_what_source_and_sink_say)
{
    for (int format = 0; format < TR_RDF_JSONLD; format++) {
        int calls = 0;
        tr_str text = TR_STR("<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:o> .\n");
        struct tr_err err = {0};
        struct tr_rdf_sink sink = {.context = &calls, .quad = refuse_quad};
        struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR(""));
        CHECK_INT(tr_rdf_read((enum tr_rdf_format)format, &source, &sink, &err),
                  TR_E_CONFLICT);
        CHECK_INT(calls, 1);
        CHECK(strcmp(err.msg, "not today") == 0);
        source.read = refuse_read;
        CHECK_INT(tr_rdf_read((enum tr_rdf_format)format, &source, &sink, &err),
                  TR_E_IO);
        CHECK(strcmp(err.msg, "no disk") == 0);
    }
}

static tr_status read_hungry(void *context, struct tr_err *err)
{
    const enum tr_rdf_format *format = context;
    struct tr_rdf_memory_graph *graph = NULL;
    tr_str text = *format == TR_RDF_TURTLE
                      ? TR_STR("@base <b/> . @prefix p: <p#> . <s> p:p _:b1, "
                               "'x'^^p:t, (1 2.5), [p:q 'y'@en] .")
                      : TR_STR("<a:s> <a:\\u0070> \"\\n\"^^<a:t> <a:g> .\n");
    struct tr_rdf_source source =
        tr_rdf_source_text(&text, TR_STR("http://e/"));
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, err));
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    tr_status status = tr_rdf_read(*format, &source, &sink, err);
    tr_rdf_memory_graph_free(graph);
    return status;
}

TEST(rdf_reader_reports_every_failed_allocation)
{
    enum tr_rdf_format turtle = TR_RDF_TURTLE;
    enum tr_rdf_format nquads = TR_RDF_NQUADS;
    tr_test_sweep(read_hungry, &turtle);
    tr_test_sweep(read_hungry, &nquads);
}
