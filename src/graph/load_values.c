#include "base/limits.h"
#include "graph/load_inside.h"

#include <stdlib.h>

/* The number of a datatype, which load_terms.c has seen to. */
tr_status tr_graph_load_value(struct tr_graph_load *load,
                              const tr_rdf_term *term,
                              struct tr_pack_value *out, struct tr_err *err)
{
    tr_rdf_term datatype = tr_rdf_term_iri(term->datatype);
    tr_rdf_id id;
    if (!tr_pack_value_of(term, out))
        return tr_fail(err, TR_E_INTERNAL, "a term of an import is none");
    if (out->kind != TR_PACK_TYPED)
        return TR_OK;
    TR_TRY(tr_rows_terms_intern(load->terms, &datatype, &id, err));
    out->number = tr_rows_id_number(id);
    return TR_OK;
}

static int compare(const void *a, const void *b)
{
    const struct tr_graph_load_key *x = a;
    const struct tr_graph_load_key *y = b;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return tr_str_cmp((tr_str){x->key, x->len}, (tr_str){y->key, y->len});
}

static tr_status add_key(struct tr_graph_load *load,
                         struct tr_graph_load_keys *keys, tr_rdf_id local,
                         const tr_rdf_term *term, struct tr_err *err)
{
    struct tr_pack_value value;
    tr_pack_key key;
    tr_str copy;
    TR_TRY(tr_graph_load_value(load, term, &value, err));
    tr_pack_key_make(&value, tr_rdf_xsd_type_of(term->datatype), &key);
    if (!tr_arena_copy(&keys->arena, tr_pack_key_str(&key), &copy))
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    keys->items[keys->count++] =
        (struct tr_graph_load_key){tr_graph_load_head_of(copy), copy.ptr,
                                   (uint32_t)copy.len, (uint32_t)local};
    return TR_OK;
}

tr_status tr_graph_load_keys_make(struct tr_graph_load *load,
                                  struct tr_graph_load_keys *keys,
                                  struct tr_err *err)
{
    const struct tr_rdf_graph *graph = tr_rdf_memory_graph_view(load->batch);
    tr_rdf_id bound = tr_rdf_graph_bound(graph);
    *keys = (struct tr_graph_load_keys){0};
    tr_arena_init(&keys->arena, TR_LIMIT_GRAPH_TABLE);
    keys->items = calloc((size_t)bound, sizeof(*keys->items));
    if (!keys->items)
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    for (tr_rdf_id id = TR_RDF_ID_FIRST; id < bound; id++) {
        tr_rdf_term term;
        if (tr_rdf_graph_get(graph, id, &term, NULL) == TR_OK &&
            term.kind == TR_RDF_TERM_LITERAL)
            TR_TRY(add_key(load, keys, id, &term, err));
    }
    qsort(keys->items, keys->count, sizeof(*keys->items), compare);
    return TR_OK;
}

void tr_graph_load_keys_done(struct tr_graph_load_keys *keys)
{
    tr_arena_done(&keys->arena);
    free(keys->items);
}
