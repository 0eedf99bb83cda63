/*
 * What shapes have refused of an import, as mistakes of its rows.
 */
#include "base/limits.h"
#include "shacl/report.h"
#include "table/inside.h"

#include <stdlib.h>

/* What shapes have refused, and of which rows. */
struct refused {
    const struct tr_shacl_validation *validation;
    const struct tr_shacl_report *report;
    struct tr_arena arena;
    struct tr_table_origin *origins;
    size_t count;
    tr_str names[TR_LIMIT_OBJECT_DEPTH + 2]; /* of fields, from outside in */
};

static tr_status name_result(struct refused *r,
                             const struct tr_shacl_result *result)
{
    struct tr_buf field;
    tr_rdf_term term;
    tr_buf_init(&field, TR_LIMIT_RDF_TERM);
    tr_status status =
        tr_shacl_result_write_words(result, r->validation, &field, NULL, NULL);
    if (status == TR_OK &&
        !tr_arena_copy(&r->arena, tr_buf_str(&field), &r->names[result->depth]))
        status = TR_E_NOMEM;
    tr_buf_done(&field);
    if (status != TR_OK || result->depth > 0)
        return status;
    TR_TRY(tr_shacl_validation_term(r->validation, result->focus, &term, NULL));
    return tr_arena_copy(&r->arena, term.text, &r->origins[r->count].iri)
               ? TR_OK
               : TR_E_NOMEM;
}

/* One that has no details, with the names of all fields on the way to it. */
static tr_status take_result(struct refused *r,
                             const struct tr_shacl_result *result)
{
    struct tr_table_origin *origin = &r->origins[r->count];
    struct tr_buf why;
    tr_buf_init(&why, TR_LIMIT_RDF_TERM);
    for (uint32_t i = 0; i < result->depth; i++)
        tr_buf_putf(&why, "%.*s.", TR_FMT(r->names[i]));
    tr_status status =
        tr_shacl_result_write_words(result, r->validation, NULL, &why, NULL);
    if (status == TR_OK &&
        !tr_arena_copy(&r->arena, tr_buf_str(&why), &origin->why))
        status = TR_E_NOMEM;
    tr_buf_done(&why);
    origin->field = r->names[0];
    if (status == TR_OK)
        r->origins[++r->count].iri = origin->iri; /* of more details */
    return status;
}

static tr_status take_results(struct refused *r)
{
    size_t count = r->report->results.count;
    r->origins = TR_NEW_ARRAY(&r->arena, struct tr_table_origin, count + 1);
    if (!r->origins)
        return TR_E_NOMEM;
    for (size_t i = 0; i < count; i++) {
        const struct tr_shacl_result *result = &r->report->results.items[i];
        TR_TRY(name_result(r, result));
        if (i + 1 == count || result[1].depth <= result->depth)
            TR_TRY(take_result(r, result));
    }
    return TR_OK;
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
static void tell_origins(struct refused *r, const struct tr_table *table)
{
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
    struct refused r = {.validation = tr_graph_load_validation(load),
                        .report = tr_graph_load_report(load)};
    if (!r.validation)
        return TR_OK;
    tr_arena_init(&r.arena, TR_LIMIT_CLI_REPORT);
    tr_status status = take_results(&r);
    if (status == TR_OK)
        status = tr_table_find(table, r.origins, r.count, err);
    else
        (void)tr_fail(err, status, "no memory to tell what was refused");
    if (status == TR_OK)
        tell_origins(&r, table);
    tr_arena_done(&r.arena);
    return status;
}
