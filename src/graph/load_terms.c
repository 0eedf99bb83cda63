#include "base/limits.h"
#include "base/map.h"
#include "graph/load_inside.h"

#include <stdlib.h>

/* An IRI. */
struct entry {
    uint64_t head; /* bytes of the text, after what all of them share */
    tr_str text;
    uint32_t local;
};

struct numbering {
    struct tr_graph_load *load;
    const struct tr_rdf_graph *graph;
    tr_rdf_id bound;
    tr_rdf_id *map;
    struct tr_arena arena;
    struct tr_map datatypes; /* IRI to tr_rdf_id: these are in the store */
    struct entry *entries;
    size_t count;
    int64_t *new_ids;
    uint32_t *rank; /* by the batch's ids: of a new IRI, its entry's, from 1 */
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory to number terms");
}

/* A literal has no number, but its datatype has: it must be there first. */
static tr_status see_literal(struct numbering *n, const tr_rdf_term *term,
                             struct tr_err *err)
{
    struct tr_pack_value value;
    tr_rdf_term datatype = tr_rdf_term_iri(term->datatype);
    if (!tr_pack_value_of(term, &value) || value.kind != TR_PACK_TYPED ||
        tr_map_find(&n->datatypes, term->datatype))
        return TR_OK;
    tr_rdf_id *id = TR_NEW(&n->arena, tr_rdf_id);
    if (!id)
        return fail_memory(err);
    TR_TRY(tr_rows_terms_intern(n->load->terms, &datatype, id, err));
    return tr_map_set(&n->datatypes, term->datatype, id) ? TR_OK
                                                         : fail_memory(err);
}

/* In the batch's graph languages have ids too: these are passed over. */
static tr_status collect(struct numbering *n, struct tr_err *err)
{
    for (tr_rdf_id id = TR_RDF_ID_FIRST; id < n->bound; id++) {
        tr_rdf_term term;
        if (tr_rdf_graph_get(n->graph, id, &term, NULL) != TR_OK)
            continue;
        if (term.kind == TR_RDF_TERM_LITERAL)
            TR_TRY(see_literal(n, &term, err));
        else
            n->entries[n->count++] = (struct entry){0, term.text, (uint32_t)id};
    }
    return TR_OK;
}

static size_t common_len(tr_str a, tr_str b, size_t max)
{
    size_t len = 0;
    while (len < max && len < a.len && len < b.len && a.ptr[len] == b.ptr[len])
        len++;
    return len;
}

/* IRIs share their beginnings: the eight bytes behind decide most comparisons
 * without a look at the text. */
static void fill_heads(struct numbering *n)
{
    size_t common = n->count ? n->entries[0].text.len : 0;
    for (size_t i = 1; i < n->count; i++)
        common = common_len(n->entries[0].text, n->entries[i].text, common);
    for (size_t i = 0; i < n->count; i++)
        n->entries[i].head =
            tr_graph_load_head_of(tr_str_skip(n->entries[i].text, common));
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return tr_str_cmp(x->text, y->text);
}

static tr_status find_stored(struct numbering *n, tr_str iri, tr_rdf_id *out,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(n->load->db, "SELECT id FROM term WHERE key = ?1",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, iri);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (tr_rdf_id)tr_db_column_i64(stmt, 0) : TR_RDF_ID_NONE;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Into an empty store this load has put only datatypes so far. */
static tr_status find_numbered(struct numbering *n, tr_str iri, tr_rdf_id *out,
                               struct tr_err *err)
{
    if (n->load->had_terms || n->load->batches > 1)
        return find_stored(n, iri, out, err);
    const tr_rdf_id *datatype = tr_map_find(&n->datatypes, iri);
    *out = datatype ? *datatype : TR_RDF_ID_NONE;
    return TR_OK;
}

/* Gives new IRIs their ids in the order in which they were met (0014); keeps
 * their entries alone, in the order of texts, in which the index takes them. */
static tr_status number(struct numbering *n, struct tr_err *err)
{
    uint64_t next;
    uint32_t kept = 0;
    TR_TRY(tr_rows_terms_next(n->load->terms, &next, err));
    n->load->first_new = tr_rows_id_make(next, 0);
    for (size_t i = 0; i < n->count; i++) {
        const struct entry entry = n->entries[i];
        TR_TRY(find_numbered(n, entry.text, &n->map[entry.local], err));
        if (n->map[entry.local] != TR_RDF_ID_NONE)
            continue;
        n->entries[kept] = entry;
        n->rank[entry.local] = ++kept;
    }
    for (tr_rdf_id id = TR_RDF_ID_FIRST; id < n->bound; id++) {
        size_t at = n->rank[id] ? n->rank[id] - 1 : kept;
        if (at == kept)
            continue;
        n->map[id] = tr_rows_id_make(next++, TR_ROWS_TAG_IRI);
        n->new_ids[at] = (int64_t)n->map[id];
    }
    n->count = kept;
    return TR_OK;
}

static tr_str text_of(void *context, size_t row)
{
    return ((const struct numbering *)context)->entries[row].text;
}

static tr_status number_all(struct numbering *n, struct tr_err *err)
{
    TR_TRY(collect(n, err));
    fill_heads(n);
    qsort(n->entries, n->count, sizeof(*n->entries), compare);
    TR_TRY(number(n, err));
    struct tr_db_rows rows = {n->new_ids, 1, n->count, text_of, n};
    TR_TRY(tr_db_insert(n->load->db,
                        "INSERT OR FAIL INTO term (id, key)"
                        " SELECT c0, blob FROM tr_rows",
                        &rows, err));
    tr_rows_terms_forget(n->load->terms); /* its next number is outdated */
    return TR_OK;
}

static bool make_room(struct numbering *n)
{
    struct tr_buf *map = &n->load->map;
    size_t bytes = (size_t)n->bound * sizeof(tr_rdf_id);
    n->entries = calloc((size_t)n->bound, sizeof(*n->entries));
    n->new_ids = calloc((size_t)n->bound, sizeof(*n->new_ids));
    n->rank = calloc((size_t)n->bound, sizeof(*n->rank));
    char *room = tr_buf_room(map, bytes);
    if (!n->entries || !n->new_ids || !n->rank || !room)
        return false;
    memset(room, 0, bytes);
    map->len = bytes;
    n->map = (tr_rdf_id *)(void *)room;
    n->map[TR_RDF_ID_DEFAULT_GRAPH] = TR_RDF_ID_DEFAULT_GRAPH;
    return true;
}

tr_status tr_graph_load_terms(struct tr_graph_load *load, struct tr_err *err)
{
    struct numbering n = {.load = load,
                          .graph = tr_rdf_memory_graph_view(load->batch)};
    n.bound = tr_rdf_graph_bound(n.graph);
    tr_arena_init(&n.arena, TR_LIMIT_GRAPH_TABLE);
    tr_map_init(&n.datatypes, &n.arena);
    tr_status status = make_room(&n) ? number_all(&n, err) : fail_memory(err);
    free(n.new_ids);
    free(n.rank);
    free(n.entries);
    tr_arena_done(&n.arena);
    return status;
}
