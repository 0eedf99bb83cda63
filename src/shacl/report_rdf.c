#include "base/limits.h"
#include "shacl/report.h"

/* The graph that is being filled, and text for labels. */
struct writing {
    const struct tr_shacl_validation *v;
    const struct tr_shacl_shapes *shapes;
    struct tr_rdf_memory_graph *out;
    struct tr_buf text; /* lives until it is used again */
    size_t nodes;       /* blank nodes made for paths and lists */
    struct tr_err *err;
};

static tr_status add(struct writing *w, tr_rdf_term subject,
                     const char *predicate, tr_rdf_term object)
{
    return tr_rdf_memory_graph_add_triple(w->out, subject, predicate, object,
                                          w->err);
}

static tr_rdf_term sh(const char *iri)
{
    return tr_rdf_term_iri(tr_str_from(iri));
}

/* Labels become "d_x" in the data and "s_x" in the shapes, so that no two
 * documents share one, nor the report with either. */
static tr_status rename_blank(struct writing *w, const char *start,
                              tr_rdf_term *term)
{
    if (term->kind != TR_RDF_TERM_BLANK)
        return TR_OK;
    tr_buf_clear(&w->text);
    tr_buf_put(&w->text, tr_str_from(start));
    tr_buf_put(&w->text, term->text);
    TR_TRY(tr_buf_check(&w->text, w->err));
    term->text = tr_buf_str(&w->text);
    return TR_OK;
}

static tr_status shape_term(struct writing *w, tr_shacl_term_no no,
                            tr_rdf_term *out)
{
    *out = w->shapes->terms[no];
    return rename_blank(w, "s_", out);
}

static tr_status data_term(struct writing *w, tr_rdf_id id, tr_rdf_term *out)
{
    TR_TRY(tr_shacl_validation_term(w->v, id, out, w->err));
    return rename_blank(w, "d_", out);
}

/* Labels fit into the caller's storage. */
enum { LABEL = 32 };

static tr_rdf_term new_node(struct writing *w, char label[LABEL])
{
    int len = snprintf(label, LABEL, "p%zu", w->nodes++);
    return tr_rdf_term_blank((tr_str){label, (size_t)len});
}

static tr_status add_path(struct writing *w, const struct tr_shacl_path *path,
                          tr_rdf_term subject, const char *predicate);

/* The members as an rdf:List, hung on `subject`. */
static tr_status add_list(struct writing *w, const struct tr_shacl_path *path,
                          tr_rdf_term subject, const char *predicate)
{
    char labels[2][LABEL];
    tr_rdf_term at = subject;
    for (size_t i = 0; i < path->count; i++) {
        tr_rdf_term next = new_node(w, labels[i % 2]);
        TR_TRY(add(w, at, predicate, next));
        TR_TRY(add_path(w, path->parts[i], next, TR_RDF_IRI_RDF_FIRST));
        at = next;
        predicate = TR_RDF_IRI_RDF_REST;
    }
    return add(w, at, predicate, sh(TR_RDF_IRI_RDF_NIL));
}

/* Writes a path as SHACL 2.3.1 has it. */
static tr_status add_path(struct writing *w, const struct tr_shacl_path *path,
                          tr_rdf_term subject, const char *predicate)
{
    static const char *const operators[] = {
        [TR_SHACL_PATH_INVERSE] = TR_RDF_NS_SH "inversePath",
        [TR_SHACL_PATH_ZERO_OR_MORE] = TR_RDF_NS_SH "zeroOrMorePath",
        [TR_SHACL_PATH_ONE_OR_MORE] = TR_RDF_NS_SH "oneOrMorePath",
        [TR_SHACL_PATH_ZERO_OR_ONE] = TR_RDF_NS_SH "zeroOrOnePath",
    };
    char label[LABEL];
    if (path->kind == TR_SHACL_PATH_PREDICATE)
        return add(w, subject, predicate, w->shapes->terms[path->predicate]);
    if (path->kind == TR_SHACL_PATH_SEQUENCE)
        return add_list(w, path, subject, predicate);
    tr_rdf_term node = new_node(w, label);
    TR_TRY(add(w, subject, predicate, node));
    if (path->kind == TR_SHACL_PATH_ALTERNATIVE)
        return add_list(w, path, node, TR_RDF_NS_SH "alternativePath");
    return add_path(w, path->parts[0], node, operators[path->kind]);
}

static tr_status add_result_path(struct writing *w,
                                 const struct tr_shacl_result *result,
                                 tr_rdf_term self)
{
    const struct tr_shacl_shape *shape = &w->shapes->shapes[result->shape];
    if (result->predicate != TR_RDF_ID_NONE) {
        tr_rdf_term predicate;
        TR_TRY(data_term(w, result->predicate, &predicate));
        return add(w, self, TR_RDF_NS_SH "resultPath", predicate);
    }
    return shape->path
               ? add_path(w, shape->path, self, TR_RDF_NS_SH "resultPath")
               : TR_OK;
}

/* SHACL 3.6.2.7: the shape's own messages, or else what explain.c says. */
static tr_status add_messages(struct writing *w,
                              const struct tr_shacl_result *result,
                              tr_rdf_term self)
{
    const struct tr_shacl_shape *shape = &w->shapes->shapes[result->shape];
    for (size_t i = 0; i < shape->message_count; i++)
        TR_TRY(add(w, self, TR_RDF_NS_SH "resultMessage",
                   w->shapes->terms[shape->messages[i]]));
    if (shape->message_count)
        return TR_OK;
    tr_buf_clear(&w->text);
    tr_shacl_explain(&w->text, w->shapes, result, NULL);
    TR_TRY(tr_buf_check(&w->text, w->err));
    return add(w, self, TR_RDF_NS_SH "resultMessage",
               tr_rdf_term_string(tr_buf_str(&w->text)));
}

static tr_status add_result(struct writing *w,
                            const struct tr_shacl_result *result,
                            tr_rdf_term self)
{
    const struct tr_shacl_shape *shape = &w->shapes->shapes[result->shape];
    char component[96];
    tr_rdf_term term;
    (void)snprintf(component, sizeof(component),
                   TR_RDF_NS_SH "%sConstraintComponent",
                   tr_shacl_component_info(
                       shape->constraints[result->constraint].component)
                       ->component);
    TR_TRY(
        add(w, self, TR_RDF_IRI_RDF_TYPE, sh(TR_RDF_NS_SH "ValidationResult")));
    TR_TRY(data_term(w, result->focus, &term));
    TR_TRY(add(w, self, TR_RDF_NS_SH "focusNode", term));
    TR_TRY(add_result_path(w, result, self));
    if (result->value != TR_RDF_ID_NONE) {
        TR_TRY(data_term(w, result->value, &term));
        TR_TRY(add(w, self, TR_RDF_NS_SH "value", term));
    }
    TR_TRY(add(w, self, TR_RDF_NS_SH "resultSeverity",
               w->shapes->terms[shape->severity]));
    TR_TRY(
        add(w, self, TR_RDF_NS_SH "sourceConstraintComponent", sh(component)));
    TR_TRY(shape_term(w, shape->term, &term));
    TR_TRY(add(w, self, TR_RDF_NS_SH "sourceShape", term));
    return add_messages(w, result, self);
}

static tr_status add_report(struct writing *w,
                            const struct tr_shacl_report *report)
{
    tr_rdf_term root = tr_rdf_term_blank(TR_STR("report"));
    tr_rdf_term conforms = tr_rdf_term_typed(
        tr_shacl_report_conforms(report) ? TR_STR("true") : TR_STR("false"),
        TR_STR(TR_RDF_IRI_XSD_BOOLEAN));
    TR_TRY(
        add(w, root, TR_RDF_IRI_RDF_TYPE, sh(TR_RDF_NS_SH "ValidationReport")));
    TR_TRY(add(w, root, TR_RDF_NS_SH "conforms", conforms));
    for (size_t i = 0; i < report->results.count; i++) {
        char label[LABEL];
        int len = snprintf(label, LABEL, "r%zu", i);
        tr_rdf_term self = tr_rdf_term_blank((tr_str){label, (size_t)len});
        TR_TRY(add(w, root, TR_RDF_NS_SH "result", self));
        TR_TRY(add_result(w, &report->results.items[i], self));
    }
    return TR_OK;
}

tr_status tr_shacl_report_to_graph(const struct tr_shacl_report *report,
                                   const struct tr_shacl_validation *v,
                                   struct tr_rdf_memory_graph *out,
                                   struct tr_err *err)
{
    struct writing w = {.v = v,
                        .shapes = tr_shacl_validation_shapes(v),
                        .out = out,
                        .err = err};
    tr_buf_init(&w.text, TR_LIMIT_RDF_TERM);
    tr_status status = add_report(&w, report);
    tr_buf_done(&w.text);
    return status;
}
