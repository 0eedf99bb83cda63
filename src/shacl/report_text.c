#include "rdf/writer.h"
#include "shacl/report.h"

struct writing {
    const struct tr_shacl_validation *v;
    const struct tr_shacl_shapes *shapes;
    const struct tr_rdf_prefixes *prefixes;
    struct tr_buf *out;
    struct tr_err *err;
};

static tr_status put_data(struct writing *w, tr_rdf_id id)
{
    tr_rdf_term term;
    TR_TRY(tr_shacl_validation_term(w->v, id, &term, w->err));
    tr_rdf_turtle_write_term(w->out, w->prefixes, &term);
    return TR_OK;
}

static tr_status put_path(struct writing *w,
                          const struct tr_shacl_result *result)
{
    const struct tr_shacl_shape *shape = &w->shapes->shapes[result->shape];
    if (result->predicate != TR_RDF_ID_NONE)
        return put_data(w, result->predicate);
    if (shape->path)
        tr_shacl_path_write(w->out, w->shapes, shape->path, w->prefixes);
    else
        tr_buf_put(w->out, TR_STR("the node"));
    return TR_OK;
}

/* The shape's words come first, then what is allowed. */
static void put_messages(struct writing *w,
                         const struct tr_shacl_result *result, bool has_details)
{
    const struct tr_shacl_shape *shape = &w->shapes->shapes[result->shape];
    for (size_t i = 0; i < shape->message_count; i++) {
        tr_str text = w->shapes->terms[shape->messages[i]].text;
        tr_buf_putf(w->out, "%.*s%s", TR_FMT(text),
                    i + 1 < shape->message_count ? "; " : " (");
    }
    if (has_details)
        tr_buf_put(w->out, TR_STR("does not fit:"));
    else
        tr_shacl_explain(w->out, w->shapes, result, w->prefixes);
    if (shape->message_count)
        tr_buf_putc(w->out, ')');
}

static void put_severity(struct writing *w,
                         const struct tr_shacl_result *result)
{
    const tr_rdf_term *severity =
        &w->shapes->terms[w->shapes->shapes[result->shape].severity];
    if (tr_str_eq(severity->text, TR_STR(TR_RDF_NS_SH "Violation")))
        return;
    tr_buf_put(w->out, TR_STR(" ["));
    tr_rdf_turtle_write_term(w->out, w->prefixes, severity);
    tr_buf_putc(w->out, ']');
}

/* Messages and patterns are text from outside: it must not break the line, nor
 * send control characters to a terminal. */
static void blank_controls(struct tr_buf *out, size_t from)
{
    for (size_t i = from; i < out->len; i++) {
        if ((unsigned char)out->ptr[i] < 0x20 || out->ptr[i] == 0x7F)
            out->ptr[i] = ' ';
    }
}

static tr_status put_result(struct writing *w,
                            const struct tr_shacl_result *result,
                            bool has_details)
{
    size_t start = w->out->len;
    tr_buf_putf(w->out, "%*s", 2 + 2 * (int)result->depth, "");
    TR_TRY(put_path(w, result));
    if (result->value != TR_RDF_ID_NONE && result->value != result->focus) {
        tr_buf_putc(w->out, ' ');
        TR_TRY(put_data(w, result->value));
    }
    tr_buf_put(w->out, TR_STR(": "));
    put_messages(w, result, has_details);
    put_severity(w, result);
    blank_controls(w->out, start);
    tr_buf_putc(w->out, '\n');
    return TR_OK;
}

static void put_summary(struct writing *w, const struct tr_shacl_report *report)
{
    size_t shown = 0;
    for (size_t i = 0; i < report->results.count; i++)
        shown += report->results.items[i].depth == 0;
    if (tr_shacl_report_conforms(report))
        tr_buf_put(w->out, TR_STR("The data conforms.\n"));
    else
        tr_buf_putf(w->out, "%zu result%s", report->count,
                    report->count == 1 ? "" : "s");
    if (report->count > shown)
        tr_buf_putf(w->out, ", of which %zu are shown", shown);
    if (report->count)
        tr_buf_put(w->out, TR_STR(": the data does not conform.\n"));
}

static tr_status put_results(struct writing *w,
                             const struct tr_shacl_report *report)
{
    tr_rdf_id focus = TR_RDF_ID_NONE;
    size_t count = report->results.count;
    for (size_t i = 0; i < count; i++) {
        const struct tr_shacl_result *result = &report->results.items[i];
        bool has_details = i + 1 < count && result[1].depth > result->depth;
        if (result->depth == 0 && result->focus != focus) {
            TR_TRY(put_data(w, result->focus));
            tr_buf_putc(w->out, '\n');
            focus = result->focus;
        }
        TR_TRY(put_result(w, result, has_details));
        TR_TRY(tr_buf_check(w->out, w->err));
    }
    if (report->results.count)
        tr_buf_putc(w->out, '\n');
    put_summary(w, report);
    return tr_buf_check(w->out, w->err);
}

tr_status tr_shacl_report_write_text(const struct tr_shacl_report *report,
                                     const struct tr_shacl_validation *v,
                                     const struct tr_rdf_prefixes *prefixes,
                                     struct tr_buf *out, struct tr_err *err)
{
    struct tr_rdf_prefixes known;
    struct writing w = {.v = v,
                        .shapes = tr_shacl_validation_shapes(v),
                        .prefixes = &known,
                        .out = out,
                        .err = err};
    tr_rdf_prefixes_init(&known, report->arena);
    TR_TRY(tr_rdf_turtle_known_prefixes(prefixes, &known, err));
    return put_results(&w, report);
}
