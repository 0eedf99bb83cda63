/*
 * What shapes have refused in the end of an import, as what is to be looked for
 * in its rows.
 */
#include "base/limits.h"
#include "base/vec.h"
#include "shacl/report.h"
#include "table/inside.h"

#include <stdlib.h>

struct refused {
    struct tr_arena arena; /* of all of it */
    TR_VEC(struct tr_table_origin) origins;
};

struct reading {
    const struct tr_graph_load *load;
    const struct tr_shacl_validation *validation;
    struct refused *out;
    struct tr_table_origin origin;           /* of the result at hand */
    tr_str part;                             /* of its node; or "" */
    tr_str names[TR_LIMIT_OBJECT_DEPTH + 2]; /* of fields, from outside in */
    tr_str field;                            /* whose value it is about; "" */
    struct tr_err *err;
};

static tr_status fail_memory(struct reading *r)
{
    return tr_fail(r->err, TR_E_NOMEM, "no memory for what is refused");
}

static tr_status keep(struct reading *r, const struct tr_buf *text, tr_str *out)
{
    return text->failed == TR_OK &&
                   tr_arena_copy(&r->out->arena, tr_buf_str(text), out)
               ? TR_OK
               : fail_memory(r);
}

/* The node that it is about, and the part of it: "at.door" of <...#at.door>. */
static tr_status name_node(struct reading *r, tr_rdf_id node)
{
    tr_str *iri = &r->origin.iri;
    tr_rdf_term term;
    TR_TRY(tr_graph_load_owner(r->load, node, &r->out->arena, iri, r->err));
    TR_TRY(tr_shacl_validation_term(r->validation, node, &term, r->err));
    r->part = TR_STR("");
    if (term.text.len > iri->len && tr_str_starts(term.text, *iri) &&
        !tr_arena_copy(&r->out->arena, tr_str_skip(term.text, iri->len + 1),
                       &r->part))
        return fail_memory(r);
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
    return status == TR_OK && result->depth == 0 ? name_node(r, result->focus)
                                                 : status;
}

/* With the names of all fields on the way to it. */
static tr_status put_origin(struct reading *r,
                            const struct tr_shacl_result *result)
{
    struct tr_buf why;
    tr_buf_init(&why, TR_LIMIT_RDF_TERM);
    if (r->part.len)
        tr_buf_putf(&why, "%.*s.", TR_FMT(r->part));
    for (uint32_t i = 0; i < result->depth; i++)
        tr_buf_putf(&why, "%.*s.", TR_FMT(r->names[i]));
    if (r->field.len)
        tr_buf_putf(&why, "%.*s ", TR_FMT(r->field));
    tr_status status =
        tr_shacl_result_write_words(result, r->validation, NULL, &why, r->err);
    if (status == TR_OK)
        status = keep(r, &why, &r->origin.why);
    tr_buf_done(&why);
    r->origin.field = r->names[0];
    if (r->part.len || r->field.len)
        r->origin.field = r->part.len ? r->part : r->field;
    if (status == TR_OK &&
        !tr_vec_push(&r->out->arena, &r->out->origins, r->origin))
        status = fail_memory(r);
    return status;
}

/* A value is refused in all nodes that have it by this predicate. */
static tr_status put_holders(struct reading *r,
                             const struct tr_shacl_result *result,
                             const tr_rdf_term *predicate)
{
    const struct tr_rdf_graph *graph = tr_shacl_validation_graph(r->validation);
    tr_rdf_ids pattern = {
        .s = TR_RDF_ID_ANY, .o = result->focus, .g = TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    tr_str space;
    TR_TRY(tr_rdf_graph_find(graph, predicate, &pattern.p, r->err));
    if (pattern.p == TR_RDF_ID_NONE)
        return TR_OK;
    if (!tr_str_cut(predicate->text, '#', &space, &r->field))
        r->field = predicate->text;
    tr_rdf_graph_match(graph, pattern, &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        status = name_node(r, row.s);
        if (status == TR_OK)
            status = put_origin(r, result);
    }
    r->field = TR_STR("");
    return tr_rdf_cursor_end(&cursor, status, r->err);
}

/* By what its shape looks at. */
static tr_status put_value(struct reading *r,
                           const struct tr_shacl_result *result)
{
    const struct tr_shacl_shapes *shapes =
        tr_shacl_validation_shapes(r->validation);
    const struct tr_shacl_shape *shape = &shapes->shapes[result->shape];
    for (size_t i = 0; i < shape->target_count; i++) {
        const struct tr_shacl_target *target = &shape->targets[i];
        if (target->kind == TR_SHACL_TARGET_OBJECTS_OF)
            TR_TRY(put_holders(r, result, &shapes->terms[target->term]));
    }
    return TR_OK;
}

static tr_status take_result(struct reading *r,
                             const struct tr_shacl_result *result)
{
    size_t before = r->out->origins.count;
    tr_rdf_term focus;
    TR_TRY(
        tr_shacl_validation_term(r->validation, result->focus, &focus, r->err));
    if (focus.kind == TR_RDF_TERM_LITERAL && result->depth == 0)
        TR_TRY(put_value(r, result));
    return r->out->origins.count > before ? TR_OK : put_origin(r, result);
}

/* One for each result without details, as far as they were kept, and of a value
 * for each node that has it; none when it was not a shape that failed. */
static tr_status read_all(const struct tr_graph_load *load, struct refused *out,
                          struct tr_err *err)
{
    const struct tr_shacl_report *report = tr_graph_load_report(load);
    size_t count = report->results.count;
    struct reading r = {.load = load,
                        .validation = tr_graph_load_validation(load),
                        .out = out,
                        .err = err};
    for (size_t i = 0; i < count && r.validation; i++) {
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
    *out = (struct refused){.origins = {0}};
    tr_arena_init(&out->arena, TR_LIMIT_CLI_REPORT);
    TR_TRY(read_all(load, out, err));
    return out->origins.count ? tr_table_find(table, out->origins.items,
                                              out->origins.count, err)
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
static void tell_origins(struct refused *refused, const struct tr_table *table)
{
    struct tr_table_origin *items = refused->origins.items;
    size_t count = refused->origins.count;
    if (count)
        qsort(items, count, sizeof(*items), compare_origins);
    for (size_t i = 0; i < count; i++) {
        const struct tr_table_origin *one = &items[i];
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
        status = tr_table_leave_out_rows(table, refused.origins.items,
                                         refused.origins.count, more, err);
    tr_arena_done(&refused.arena);
    return status;
}
