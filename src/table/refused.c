/*
 * What shapes have refused in the end of an import, as what is to be looked for
 * in its rows.
 */
#include "base/limits.h"
#include "shacl/report.h"
#include "table/inside.h"

#include <stdlib.h>

struct refused {
    struct tr_arena arena; /* of all texts */
    struct tr_table_origin *origins;
    size_t count;
};

struct reading {
    const struct tr_graph_load *load;
    const struct tr_shacl_validation *validation;
    struct refused *out;
    tr_str part;                             /* of the node; or "" */
    tr_str names[TR_LIMIT_OBJECT_DEPTH + 2]; /* of fields, from outside in */
    struct tr_err *err;
};

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

/* One for each result without details, as far as they were kept; none when it
 * was not a shape that failed. */
static tr_status read_all(const struct tr_graph_load *load, struct refused *out,
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

/* The rows of all of them. */
static tr_status find(struct tr_table *table, const struct tr_graph_load *load,
                      struct refused *out, struct tr_err *err)
{
    *out = (struct refused){.origins = NULL};
    tr_arena_init(&out->arena, TR_LIMIT_CLI_REPORT);
    TR_TRY(read_all(load, out, err));
    return out->count ? tr_table_find(table, out->origins, out->count, err)
                      : TR_OK;
}

/* What came from no row is told first. */
static int compare_origins(const void *a, const void *b)
{
    const struct tr_table_origin *x = a;
    const struct tr_table_origin *y = b;
    if (!x->path != !y->path)
        return x->path ? 1 : -1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->place.offset > y->place.offset) -
           (x->place.offset < y->place.offset);
}

/* What came from no row is told by the IRI of its node. */
static void tell_origins(const struct refused *r, const struct tr_table *table)
{
    if (r->count)
        qsort(r->origins, r->count, sizeof(*r->origins), compare_origins);
    for (size_t i = 0; i < r->count; i++) {
        const struct tr_table_origin *one = &r->origins[i];
        table->opts.told(table->opts.data, one->path ? one->path : one->iri.ptr,
                         one->place, one->why);
    }
}

tr_status tr_table_tell_refused(struct tr_table *table,
                                const struct tr_graph_load *load,
                                struct tr_err *err)
{
    struct refused refused;
    tr_status status = find(table, load, &refused, err);
    if (status == TR_OK)
        tell_origins(&refused, table);
    tr_arena_done(&refused.arena);
    return status;
}

tr_status tr_table_leave_out(struct tr_table *table,
                             const struct tr_graph_load *load, bool *more,
                             struct tr_err *err)
{
    struct refused refused;
    *more = false;
    tr_status status = find(table, load, &refused, err);
    if (status == TR_OK)
        status = tr_table_leave_out_rows(table, refused.origins, refused.count,
                                         more, err);
    tr_arena_done(&refused.arena);
    return status;
}
