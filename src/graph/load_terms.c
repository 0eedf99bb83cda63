#include "base/limits.h"
#include "base/map.h"
#include "graph/load_inside.h"
#include "graph/term_key.h"

#include <assert.h>
#include <stdlib.h>

/* A term that needs a row, since its value does not fit into its id. */
struct entry {
    uint64_t head; /* bytes of the key, after what all keys of its tag share */
    const char *key;
    uint32_t len;
    uint32_t local;
};

struct numbering {
    struct tr_graph_load *load;
    const struct tr_rdf_graph *graph;
    tr_rdf_id bound;
    tr_rdf_id *map;
    struct tr_arena keys;
    struct tr_map datatypes; /* IRI to tr_rdf_id: these are in the store */
    struct entry *entries;
    size_t count;
    int64_t *new_ids;
    uint32_t *rank; /* by the batch's ids: of a new term, its entry's, from 1 */
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory to number terms");
}

/* The id of a datatype. Keys of literals hold it, so it must be there first. */
static tr_status find_datatype(struct numbering *n, tr_str iri, tr_rdf_id *out,
                               struct tr_err *err)
{
    const tr_rdf_id *found = tr_map_find(&n->datatypes, iri);
    tr_rdf_term term = tr_rdf_term_iri(iri);
    if (found) {
        *out = *found;
        return TR_OK;
    }
    tr_rdf_id *id = TR_NEW(&n->keys, tr_rdf_id);
    if (!id)
        return fail_memory(err);
    TR_TRY(tr_graph_terms_intern(n->load->terms, &term, id, err));
    if (!tr_map_set(&n->datatypes, iri, id))
        return fail_memory(err);
    *out = *id;
    return TR_OK;
}

static tr_status add_entry(struct numbering *n, tr_rdf_id local,
                           const tr_rdf_term *term, struct tr_err *err)
{
    tr_rdf_id datatype = TR_RDF_ID_NONE;
    tr_rdf_id *map = n->map;
    if (tr_graph_id_encode(term, &map[local]))
        return TR_OK;
    if (tr_graph_term_key_has_datatype(term))
        TR_TRY(find_datatype(n, term->datatype, &datatype, err));
    size_t len = tr_graph_term_key_len(term);
    char *key = tr_arena_alloc(&n->keys, len);
    if (!key || len > UINT32_MAX)
        return fail_memory(err);
    tr_graph_term_key_write(term, datatype, key);
    n->entries[n->count++] =
        (struct entry){0, key, (uint32_t)len, (uint32_t)local};
    return TR_OK;
}

/* In the batch's graph languages have ids too: these are passed over. */
static tr_status collect(struct numbering *n, struct tr_err *err)
{
    for (tr_rdf_id id = TR_RDF_ID_FIRST; id < n->bound; id++) {
        tr_rdf_term term;
        if (tr_rdf_graph_get(n->graph, id, &term, NULL) == TR_OK)
            TR_TRY(add_entry(n, id, &term, err));
    }
    return TR_OK;
}

static size_t common_len(const struct entry *a, const struct entry *b,
                         size_t max)
{
    size_t len = 0;
    while (len < max && len < a->len && len < b->len &&
           a->key[len] == b->key[len])
        len++;
    return len;
}

static uint64_t head_of(const struct entry *entry, size_t from)
{
    uint64_t head = 0;
    for (size_t i = from; i < from + sizeof(head); i++)
        head = head << 8 | (i < entry->len ? (unsigned char)entry->key[i] : 0);
    return head;
}

/* IRIs share their beginnings: the eight bytes behind decide most comparisons
 * without a look at the text. */
static void fill_heads(struct numbering *n)
{
    const struct entry *first[TR_GRAPH_TAG_INTEGER] = {NULL};
    size_t common[TR_GRAPH_TAG_INTEGER];
    for (size_t i = 0; i < n->count; i++) {
        const struct entry *entry = &n->entries[i];
        assert(entry->key);
        size_t tag = (size_t)entry->key[0];
        common[tag] = first[tag] ? common_len(first[tag], entry, common[tag])
                                 : entry->len;
        first[tag] = first[tag] ? first[tag] : entry;
    }
    for (size_t i = 0; i < n->count; i++)
        n->entries[i].head =
            head_of(&n->entries[i], common[(size_t)n->entries[i].key[0]]);
}

static int compare(const void *a, const void *b)
{
    const struct entry *x = a;
    const struct entry *y = b;
    if (x->key[0] != y->key[0])
        return x->key[0] < y->key[0] ? -1 : 1;
    if (x->head != y->head)
        return x->head < y->head ? -1 : 1;
    return tr_str_cmp((tr_str){x->key, x->len}, (tr_str){y->key, y->len});
}

static tr_status find_stored(struct numbering *n, const struct entry *entry,
                             tr_rdf_id *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(n->load->db, "SELECT id FROM term WHERE key = ?1",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, (tr_str){entry->key, entry->len});
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (tr_rdf_id)tr_db_column_i64(stmt, 0) : TR_RDF_ID_NONE;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Into an empty store this load has put only datatypes so far. */
static tr_status find_numbered(struct numbering *n, const struct entry *entry,
                               tr_rdf_id *out, struct tr_err *err)
{
    const tr_rdf_id *datatype = NULL;
    if (n->load->had_terms || n->load->batches > 1)
        return find_stored(n, entry, out, err);
    if (entry->key[0] == TR_GRAPH_TAG_IRI)
        datatype = tr_map_find(&n->datatypes,
                               (tr_str){entry->key + 1, entry->len - 1});
    *out = datatype ? *datatype : TR_RDF_ID_NONE;
    return TR_OK;
}

/* Gives new terms their ids in the order in which they were met (0014); keeps
 * their entries alone, in the order of keys, in which the index takes them. */
static tr_status number(struct numbering *n, struct tr_err *err)
{
    uint64_t next;
    uint32_t kept = 0;
    TR_TRY(tr_graph_terms_next(n->load->terms, &next, err));
    n->load->first_new = tr_graph_id_make(next, 0);
    for (size_t i = 0; i < n->count; i++) {
        const struct entry entry = n->entries[i];
        TR_TRY(find_numbered(n, &entry, &n->map[entry.local], err));
        if (n->map[entry.local] != TR_RDF_ID_NONE)
            continue;
        n->entries[kept] = entry;
        n->rank[entry.local] = ++kept;
    }
    for (tr_rdf_id id = TR_RDF_ID_FIRST; id < n->bound; id++) {
        size_t at = n->rank[id] ? n->rank[id] - 1 : kept;
        if (at == kept)
            continue;
        n->map[id] = tr_graph_id_make(
            next++, (enum tr_graph_term_tag)n->entries[at].key[0]);
        n->new_ids[at] = (int64_t)n->map[id];
    }
    n->count = kept;
    return TR_OK;
}

static tr_str key_of(void *context, size_t row)
{
    const struct numbering *n = context;
    return (tr_str){n->entries[row].key, n->entries[row].len};
}

static tr_status number_all(struct numbering *n, struct tr_err *err)
{
    TR_TRY(collect(n, err));
    fill_heads(n);
    qsort(n->entries, n->count, sizeof(*n->entries), compare);
    TR_TRY(number(n, err));
    struct tr_db_rows rows = {n->new_ids, 1, n->count, key_of, n};
    TR_TRY(tr_db_insert(n->load->db,
                        "INSERT OR FAIL INTO term (id, key)"
                        " SELECT c0, blob FROM tr_rows",
                        &rows, err));
    tr_graph_terms_forget(n->load->terms); /* its next number is outdated */
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
    tr_arena_init(&n.keys, TR_LIMIT_GRAPH_TABLE);
    tr_map_init(&n.datatypes, &n.keys);
    tr_status status = make_room(&n) ? number_all(&n, err) : fail_memory(err);
    free(n.new_ids);
    free(n.rank);
    free(n.entries);
    tr_arena_done(&n.keys);
    return status;
}
