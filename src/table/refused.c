#include "table/refused.h"

#include "base/limits.h"

struct reading {
    const struct tr_graph_load *load;
    const struct tr_shacl_validation *validation;
    struct tr_table_refused *out;
    tr_str part;                             /* of the node; or "" */
    tr_str names[TR_LIMIT_OBJECT_DEPTH + 2]; /* of fields, from outside in */
    struct tr_err *err;
};

void tr_table_refused_init(struct tr_table_refused *refused)
{
    *refused = (struct tr_table_refused){0};
    tr_arena_init(&refused->arena, TR_LIMIT_CLI_REPORT);
}

void tr_table_refused_done(struct tr_table_refused *refused)
{
    tr_arena_done(&refused->arena);
}

static tr_status keep(struct reading *r, const struct tr_buf *text, tr_str *out)
{
    return text->failed == TR_OK &&
                   tr_arena_copy(&r->out->arena, tr_buf_str(text), out)
               ? TR_OK
               : tr_fail(r->err, TR_E_NOMEM, "no memory for what is refused");
}

/* The node that it is about, and the part of it: "at.door" of <...#at.door>. */
static tr_status name_node(struct reading *r,
                           const struct tr_shacl_result *result)
{
    struct tr_table_origin *origin = &r->out->origins[r->out->count];
    tr_rdf_term term;
    TR_TRY(tr_graph_load_owner(r->load, result->focus, &r->out->arena,
                               &origin->iri, r->err));
    TR_TRY(
        tr_shacl_validation_term(r->validation, result->focus, &term, r->err));
    r->part = TR_STR("");
    if (term.text.len > origin->iri.len &&
        tr_str_starts(term.text, origin->iri) &&
        !tr_arena_copy(&r->out->arena,
                       tr_str_skip(term.text, origin->iri.len + 1), &r->part))
        return tr_fail(r->err, TR_E_NOMEM, "no memory for what is refused");
    return TR_OK;
}

static tr_status name_result(struct reading *r,
                             const struct tr_shacl_result *result)
{
    struct tr_buf field;
    tr_buf_init(&field, TR_LIMIT_RDF_TERM);
    tr_status status = tr_shacl_result_write_words(result, r->validation,
                                                   &field, NULL, r->err);
    if (status == TR_OK)
        status = keep(r, &field, &r->names[result->depth]);
    tr_buf_done(&field);
    return status == TR_OK && result->depth == 0 ? name_node(r, result)
                                                 : status;
}

/* One that has no details, with the names of all fields on the way to it. */
static tr_status take_result(struct reading *r,
                             const struct tr_shacl_result *result)
{
    struct tr_table_origin *origin = &r->out->origins[r->out->count];
    struct tr_buf why;
    tr_buf_init(&why, TR_LIMIT_RDF_TERM);
    if (r->part.len)
        tr_buf_putf(&why, "%.*s.", TR_FMT(r->part));
    for (uint32_t i = 0; i < result->depth; i++)
        tr_buf_putf(&why, "%.*s.", TR_FMT(r->names[i]));
    tr_status status =
        tr_shacl_result_write_words(result, r->validation, NULL, &why, r->err);
    if (status == TR_OK)
        status = keep(r, &why, &origin->why);
    tr_buf_done(&why);
    origin->field = r->part.len ? r->part : r->names[0];
    if (status == TR_OK)
        r->out->origins[++r->out->count].iri = origin->iri; /* more details */
    return status;
}

tr_status tr_table_refused_read(const struct tr_graph_load *load,
                                struct tr_table_refused *out,
                                struct tr_err *err)
{
    const struct tr_shacl_report *report = tr_graph_load_report(load);
    size_t count = report->results.count;
    struct reading r = {.load = load,
                        .validation = tr_graph_load_validation(load),
                        .out = out,
                        .err = err};
    if (!r.validation)
        return TR_OK;
    out->origins = TR_NEW_ARRAY(&out->arena, struct tr_table_origin, count + 1);
    if (!out->origins)
        return tr_fail(err, TR_E_NOMEM, "no memory for what is refused");
    for (size_t i = 0; i < count; i++) {
        const struct tr_shacl_result *result = &report->results.items[i];
        TR_TRY(name_result(&r, result));
        if (i + 1 == count || result[1].depth <= result->depth)
            TR_TRY(take_result(&r, result));
    }
    return TR_OK;
}
