/*
 * test/tools/shacl_check.c - validations, one after the other, for tests that
 * compare. Standard input has cases: a line with two numbers, then as many
 * bytes of shapes and of data, both N-Triples. For each case standard output
 * gets one line per result - focus node, value, component, shape, predicate of
 * a closed shape, severity, with tabs between - and then a line "conforms",
 * "violates" or "error: ...".
 */
#include "base/limits.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "shacl/report.h"
#include "shacl/shapes.h"

struct printing {
    const struct tr_shacl_validation *v;
    struct tr_buf text;
    size_t count;
};

static tr_status put_term(struct printing *p, tr_rdf_id id, struct tr_err *err)
{
    tr_rdf_term term;
    if (id == TR_RDF_ID_NONE) {
        tr_buf_putc(&p->text, '-');
        return TR_OK;
    }
    TR_TRY(tr_shacl_validation_term(p->v, id, &term, err));
    tr_rdf_term_write(&p->text, &term);
    return TR_OK;
}

static tr_status print_result(void *context,
                              const struct tr_shacl_result *result,
                              struct tr_err *err)
{
    struct printing *p = context;
    const struct tr_shacl_shapes *shapes = tr_shacl_validation_shapes(p->v);
    const struct tr_shacl_shape *shape = &shapes->shapes[result->shape];
    enum tr_shacl_component component =
        shape->constraints[result->constraint].component;
    p->count++;
    TR_TRY(put_term(p, result->focus, err));
    tr_buf_putc(&p->text, '\t');
    TR_TRY(put_term(p, result->value, err));
    tr_buf_putf(&p->text, "\t%s\t",
                tr_shacl_component_info(component)->component);
    tr_rdf_term_write(&p->text, &shapes->terms[shape->term]);
    tr_buf_putc(&p->text, '\t');
    TR_TRY(put_term(p, result->predicate, err));
    tr_buf_putc(&p->text, '\t');
    tr_rdf_term_write(&p->text, &shapes->terms[shape->severity]);
    tr_buf_putc(&p->text, '\n');
    return tr_buf_check(&p->text, err);
}

static tr_status load(tr_str text, struct tr_rdf_memory_graph **out,
                      struct tr_err *err)
{
    struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR(""));
    TR_TRY(tr_rdf_memory_graph_create(0, out, err));
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(*out);
    TR_TRY(tr_rdf_read(TR_RDF_NTRIPLES, &source, &sink, err));
    return tr_rdf_memory_graph_index(*out, err);
}

static tr_status validate(const struct tr_shacl_shapes *shapes,
                          const struct tr_rdf_memory_graph *data,
                          struct printing *p, struct tr_err *err)
{
    struct tr_shacl_validation *v = NULL;
    TR_TRY(tr_shacl_validation_create(shapes, tr_rdf_memory_graph_view(data),
                                      NULL, &v, err));
    p->v = v;
    tr_status status = tr_shacl_validation_run(v, print_result, p, err);
    tr_shacl_validation_free(v);
    return status;
}

static void check(tr_str shapes_text, tr_str data_text)
{
    struct tr_rdf_memory_graph *shapes_graph = NULL;
    struct tr_rdf_memory_graph *data = NULL;
    struct tr_shacl_shapes *shapes = NULL;
    struct tr_err err = {0};
    struct printing p = {0};
    tr_buf_init(&p.text, TR_MIB(256));
    tr_status status = load(shapes_text, &shapes_graph, &err);
    if (status == TR_OK)
        status = load(data_text, &data, &err);
    if (status == TR_OK)
        status = tr_shacl_shapes_read(tr_rdf_memory_graph_view(shapes_graph),
                                      &shapes, &err);
    if (status == TR_OK)
        status = validate(shapes, data, &p, &err);
    if (p.text.len)
        (void)fwrite(p.text.ptr, 1, p.text.len, stdout);
    if (status != TR_OK)
        (void)printf("error: %s\n", err.msg);
    else
        (void)puts(p.count ? "violates" : "conforms");
    tr_buf_done(&p.text);
    tr_shacl_shapes_free(shapes);
    tr_rdf_memory_graph_free(data);
    tr_rdf_memory_graph_free(shapes_graph);
}

int main(void)
{
    static char bytes[TR_MIB(16)];
    char line[64];
    while (fgets(line, sizeof(line), stdin)) {
        char *rest = NULL;
        size_t shapes_len = strtoul(line, &rest, 10);
        size_t data_len = strtoul(rest, NULL, 10);
        if (shapes_len > sizeof(bytes) ||
            data_len > sizeof(bytes) - shapes_len ||
            fread(bytes, 1, shapes_len + data_len, stdin) !=
                shapes_len + data_len)
            return 2;
        check((tr_str){bytes, shapes_len},
              (tr_str){bytes + shapes_len, data_len});
        (void)fflush(stdout);
    }
    return 0;
}
