#include "shacl/reader_inside.h"

#include <stdarg.h>

tr_status tr_shacl_fail(struct tr_shacl_reader *r, tr_status status,
                        const char *format, ...)
{
    char what[200];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    if (r->at == TR_SHACL_TERM_NO_NONE)
        return tr_fail(r->err, status, "%s", what);

    /* The end of a long IRI says more than its start. */
    const tr_rdf_term *term = &r->terms.items[r->at];
    tr_str name = term->text;
    bool is_cut = name.len > 80;
    if (is_cut)
        name = tr_str_skip(name, name.len - 80);
    (void)tr_fail(r->err, status, "shape %s%s%.*s: %s",
                  term->kind == TR_RDF_TERM_BLANK ? "_:" : "",
                  is_cut ? "..." : "", TR_FMT(name), what);
    tr_err_set_at(r->err, "%.*s", TR_FMT(term->text));
    return status;
}

tr_status tr_shacl_fail_memory(struct tr_shacl_reader *r)
{
    return tr_fail(r->err, TR_E_NOMEM, "no memory for the shapes");
}

tr_status tr_shacl_intern(struct tr_shacl_reader *r, const tr_rdf_term *term,
                          tr_rdf_id id, tr_shacl_term_no *out)
{
    tr_str key;
    tr_rdf_term copy;
    tr_buf_clear(&r->text);
    tr_rdf_term_write(&r->text, term);
    TR_TRY(tr_buf_check(&r->text, r->err));
    uintptr_t known = (uintptr_t)tr_map_find(&r->numbers, tr_buf_str(&r->text));
    if (known) {
        *out = (tr_shacl_term_no)(known - 1);
        return TR_OK;
    }
    if (!tr_arena_copy(r->arena, tr_buf_str(&r->text), &key) ||
        !tr_rdf_term_copy(r->arena, term, &copy) ||
        !tr_vec_push(r->arena, &r->ids, id) ||
        !tr_vec_push(r->arena, &r->shape_of, 0) ||
        !tr_vec_push(r->arena, &r->terms, copy) ||
        !tr_map_set(&r->numbers, key, (void *)(uintptr_t)r->terms.count))
        return tr_shacl_fail_memory(r);
    *out = (tr_shacl_term_no)(r->terms.count - 1);
    return TR_OK;
}

tr_status tr_shacl_term(struct tr_shacl_reader *r, tr_rdf_id id,
                        tr_shacl_term_no *out)
{
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(r->graph, id, &term, r->err));
    return tr_shacl_intern(r, &term, id, out);
}

static tr_status fail_literal(struct tr_shacl_reader *r, tr_str text)
{
    return tr_shacl_fail(r, TR_E_INVALID, "the literal '%.*s' is no shape",
                         (int)(text.len < 64 ? text.len : 64), text.ptr);
}

tr_status tr_shacl_shape_at(struct tr_shacl_reader *r, tr_rdf_id id,
                            uint32_t *out)
{
    tr_shacl_term_no no = 0;
    TR_TRY(tr_shacl_term(r, id, &no));
    if (r->terms.items[no].kind == TR_RDF_TERM_LITERAL)
        return fail_literal(r, r->terms.items[no].text);
    if (!r->shape_of.items[no]) {
        struct tr_shacl_shape shape = {.term = no,
                                       .qualified = TR_SHACL_SHAPE_NONE};
        if (r->list.count == TR_LIMIT_SHAPES)
            return tr_shacl_fail(r, TR_E_LIMIT, "there are more than %d shapes",
                                 TR_LIMIT_SHAPES);
        if (!tr_vec_push(r->arena, &r->list, shape))
            return tr_shacl_fail_memory(r);
        r->shape_of.items[no] = (uint32_t)r->list.count;
    }
    *out = r->shape_of.items[no] - 1;
    return TR_OK;
}

tr_status tr_shacl_nodes_push(struct tr_shacl_reader *r,
                              struct tr_shacl_nodes *nodes, tr_rdf_id id)
{
    return tr_vec_push(r->arena, nodes, id) ? TR_OK : tr_shacl_fail_memory(r);
}

void tr_shacl_nodes_sort(struct tr_shacl_nodes *nodes)
{
    size_t kept = 0;
    if (nodes->count > 1)
        qsort(nodes->items, nodes->count, sizeof(tr_rdf_id), tr_rdf_id_compare);
    for (size_t i = 0; i < nodes->count; i++) {
        if (kept == 0 || nodes->items[i] != nodes->items[kept - 1])
            nodes->items[kept++] = nodes->items[i];
    }
    nodes->count = kept;
}

tr_status tr_shacl_values(struct tr_shacl_reader *r, tr_rdf_id subject,
                          const char *property, struct tr_shacl_nodes *out)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_id id = TR_RDF_ID_NONE;
    *out = (struct tr_shacl_nodes){0};
    TR_TRY(tr_rdf_graph_find_iri(r->graph, tr_str_from(property), &id, r->err));
    tr_rdf_graph_match(r->graph,
                       (tr_rdf_ids){subject, id, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                       &cursor);
    tr_status status = TR_OK;
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row))
        status = tr_shacl_nodes_push(r, out, row.o);
    tr_status closed =
        tr_rdf_cursor_close(&cursor, status == TR_OK ? r->err : NULL);
    tr_shacl_nodes_sort(out);
    return status != TR_OK ? status : closed;
}

static const char *local_name(const char *iri)
{
    const char *hash = strrchr(iri, '#');
    return hash ? hash + 1 : iri;
}

tr_status tr_shacl_value(struct tr_shacl_reader *r, tr_rdf_id subject,
                         const char *property, tr_rdf_id *out)
{
    struct tr_shacl_nodes values;
    TR_TRY(tr_shacl_values(r, subject, property, &values));
    if (values.count > 1)
        return tr_shacl_fail(r, TR_E_INVALID, "%s has %zu values, not one",
                             local_name(property), values.count);
    *out = values.count ? values.items[0] : TR_RDF_ID_NONE;
    return TR_OK;
}

/* SHACL, section 1.1: a node of a list has one rdf:first and one rdf:rest. */
tr_status tr_shacl_list(struct tr_shacl_reader *r, tr_rdf_id head,
                        const char *what, struct tr_shacl_nodes *out)
{
    tr_rdf_id nil = TR_RDF_ID_NONE;
    *out = (struct tr_shacl_nodes){0};
    TR_TRY(tr_rdf_graph_find_iri(r->graph, TR_STR(TR_RDF_IRI_RDF_NIL), &nil,
                                 r->err));
    while (head != nil) {
        tr_rdf_id first = TR_RDF_ID_NONE;
        tr_rdf_id rest = TR_RDF_ID_NONE;
        TR_TRY(tr_shacl_value(r, head, TR_RDF_IRI_RDF_FIRST, &first));
        TR_TRY(tr_shacl_value(r, head, TR_RDF_IRI_RDF_REST, &rest));
        if (first == TR_RDF_ID_NONE || rest == TR_RDF_ID_NONE)
            return tr_shacl_fail(r, TR_E_INVALID,
                                 "%s must be a list that ends in rdf:nil",
                                 what);
        if (out->count == TR_LIMIT_SHAPE_LIST)
            return tr_shacl_fail(r, TR_E_LIMIT,
                                 "the list of %s has no end, or more than %d "
                                 "members",
                                 what, TR_LIMIT_SHAPE_LIST);
        TR_TRY(tr_shacl_nodes_push(r, out, first));
        head = rest;
    }
    return TR_OK;
}
