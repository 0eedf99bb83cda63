#include "support/isomorphism.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/vec.h"

/*
 * Blank nodes get colours: numbers that depend on where they stand and on the
 * colours of their neighbours, refined until no more can be told apart. Where
 * several nodes share a colour, one is paired with each in turn. Terms are
 * compared by 64-bit hashes.
 */
enum { PARTS = 4, STEPS_MAX = 100000 };

#define NO_BLANK SIZE_MAX

struct row {
    uint64_t hash[PARTS]; /* of the term, unless it is blank */
    size_t blank[PARTS];  /* index of the colour, or NO_BLANK */
};

struct side {
    TR_VEC(struct row) rows;
    TR_VEC(tr_rdf_id) blanks; /* whose colour stands at the same index */
    uint64_t *colours;
    uint64_t *next;
    uint64_t *sorted; /* as many as rows or blanks, whichever is more */
    uint64_t seed;    /* the same on both sides */
};

struct search {
    struct tr_arena arena;
    struct side a;
    struct side b;
    size_t steps;
    struct tr_err *err;
};

static uint64_t hash_term(const tr_rdf_term *term, uint64_t seed)
{
    uint64_t hash =
        tr_hash_bytes(term->text, tr_hash_u64((uint64_t)term->kind, seed));
    hash = tr_hash_bytes(term->datatype, hash);
    return tr_hash_bytes(term->language, hash);
}

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory to compare graphs");
}

static bool find_blank(struct search *search, struct side *side, tr_rdf_id id,
                       size_t *out)
{
    for (size_t i = side->blanks.count; i-- > 0;) {
        if (side->blanks.items[i] == id) {
            *out = i;
            return true;
        }
    }
    *out = side->blanks.count;
    return tr_vec_push(&search->arena, &side->blanks, id);
}

static tr_status add_row(struct search *search, struct side *side,
                         const struct tr_rdf_graph *graph, tr_rdf_ids ids)
{
    const tr_rdf_id parts[PARTS] = {ids.s, ids.p, ids.o, ids.g};
    struct row row;
    for (int i = 0; i < PARTS; i++) {
        tr_rdf_term term = {.kind = TR_RDF_TERM_NONE};
        if (parts[i] != TR_RDF_ID_DEFAULT_GRAPH)
            TR_TRY(tr_rdf_graph_get(graph, parts[i], &term, search->err));
        row.blank[i] = NO_BLANK;
        row.hash[i] = hash_term(&term, side->seed);
        if (term.kind == TR_RDF_TERM_BLANK &&
            !find_blank(search, side, parts[i], &row.blank[i]))
            return fail_memory(search->err);
    }
    if (!tr_vec_push(&search->arena, &side->rows, row))
        return fail_memory(search->err);
    return TR_OK;
}

static tr_status collect(struct search *search, struct side *side,
                         const struct tr_rdf_graph *graph)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids ids;
    tr_status status = TR_OK;
    tr_rdf_graph_match(graph,
                       (tr_rdf_ids){TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                    TR_RDF_ID_ANY},
                       &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &ids))
        status = add_row(search, side, graph, ids);
    TR_TRY(tr_rdf_cursor_end(&cursor, status, search->err));

    size_t blanks = side->blanks.count;
    size_t most = blanks > side->rows.count ? blanks : side->rows.count;
    side->colours = TR_NEW_ARRAY(&search->arena, uint64_t, blanks + 1);
    side->next = TR_NEW_ARRAY(&search->arena, uint64_t, blanks + 1);
    side->sorted = TR_NEW_ARRAY(&search->arena, uint64_t, most + 1);
    if (!side->colours || !side->next || !side->sorted)
        return fail_memory(search->err);
    return TR_OK;
}

/* A row with colours for its blank nodes; `seen_from` marks one of them. */
static uint64_t hash_row(const struct side *side, const struct row *row,
                         int seen_from)
{
    uint64_t hash = tr_hash_u64((uint64_t)seen_from, side->seed);
    for (int i = 0; i < PARTS; i++) {
        bool is_blank = row->blank[i] != NO_BLANK;
        uint64_t part = is_blank ? side->colours[row->blank[i]] : row->hash[i];
        hash = tr_hash_u64(part, tr_hash_u64(is_blank, hash));
    }
    return hash;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t sort_colours(struct side *side)
{
    size_t count = side->blanks.count;
    size_t distinct = count ? 1 : 0;
    memcpy(side->sorted, side->colours, count * sizeof(uint64_t));
    qsort(side->sorted, count, sizeof(uint64_t), compare);
    for (size_t i = 1; i < count; i++)
        distinct += side->sorted[i] != side->sorted[i - 1];
    return distinct;
}

static void refine_once(struct side *side)
{
    size_t count = side->blanks.count;
    for (size_t i = 0; i < count; i++)
        side->next[i] = tr_hash_u64(side->colours[i], side->seed);
    for (size_t r = 0; r < side->rows.count; r++) {
        const struct row *row = &side->rows.items[r];
        for (int i = 0; i < PARTS; i++) {
            if (row->blank[i] != NO_BLANK)
                side->next[row->blank[i]] += hash_row(side, row, i);
        }
    }
    memcpy(side->colours, side->next, count * sizeof(uint64_t));
}

static void sort_rows(struct side *side)
{
    for (size_t i = 0; i < side->rows.count; i++)
        side->sorted[i] = hash_row(side, &side->rows.items[i], 0);
    qsort(side->sorted, side->rows.count, sizeof(uint64_t), compare);
}

/* Both sides are refined in step, so that equal nodes get equal colours. */
static bool refine(struct search *search, size_t *distinct)
{
    size_t before = 0;
    size_t count = search->a.blanks.count;
    for (;;) {
        size_t now = sort_colours(&search->a);
        if (now != sort_colours(&search->b) ||
            memcmp(search->a.sorted, search->b.sorted,
                   count * sizeof(uint64_t)) != 0)
            return false;
        *distinct = now;
        if (now == before)
            return true;
        before = now;
        refine_once(&search->a);
        refine_once(&search->b);
    }
}

static bool rows_are_equal(struct search *search)
{
    sort_rows(&search->a);
    sort_rows(&search->b);
    return memcmp(search->a.sorted, search->b.sorted,
                  search->a.rows.count * sizeof(uint64_t)) == 0;
}

/* A node of `a` whose colour another has too. */
static size_t find_tie(const struct side *a)
{
    for (size_t i = 0; i < a->blanks.count; i++) {
        for (size_t j = i + 1; j < a->blanks.count; j++) {
            if (a->colours[i] == a->colours[j])
                return i;
        }
    }
    return 0;
}

static tr_status match(struct search *search, bool *out);

/* Pairs node `tie` of `a` with each of `b` that has its colour. */
static tr_status try_pairs(struct search *search, size_t tie, bool *out)
{
    size_t size = search->a.blanks.count * sizeof(uint64_t);
    uint64_t *a = tr_arena_alloc(&search->arena, size);
    uint64_t *b = tr_arena_alloc(&search->arena, size);
    if (!a || !b)
        return fail_memory(search->err);
    memcpy(a, search->a.colours, size);
    memcpy(b, search->b.colours, size);
    *out = false;
    for (size_t i = 0; !*out && i < search->b.blanks.count; i++) {
        if (b[i] != a[tie])
            continue;
        memcpy(search->a.colours, a, size);
        memcpy(search->b.colours, b, size);
        search->a.colours[tie] = search->b.colours[i] =
            tr_hash_u64(a[tie], ~search->a.seed);
        TR_TRY(match(search, out));
    }
    return TR_OK;
}

static tr_status match(struct search *search, bool *out)
{
    size_t distinct = 0;
    if (++search->steps > STEPS_MAX)
        return tr_fail(search->err, TR_E_LIMIT,
                       "too many blank nodes that look alike");
    *out = false;
    if (!refine(search, &distinct) || !rows_are_equal(search))
        return TR_OK;
    *out = distinct == search->a.blanks.count;
    return *out ? TR_OK : try_pairs(search, find_tie(&search->a), out);
}

static tr_status compare_graphs(struct search *search,
                                const struct tr_rdf_graph *a,
                                const struct tr_rdf_graph *b, bool *out)
{
    TR_TRY(collect(search, &search->a, a));
    TR_TRY(collect(search, &search->b, b));
    if (search->a.rows.count != search->b.rows.count ||
        search->a.blanks.count != search->b.blanks.count) {
        *out = false;
        return TR_OK;
    }
    return match(search, out);
}

tr_status graph_isomorphic(const struct tr_rdf_graph *a,
                           const struct tr_rdf_graph *b, bool *out,
                           struct tr_err *err)
{
    struct search search = {.err = err};
    bool same = false;
    search.a.seed = search.b.seed = tr_hash_seed(&search);
    tr_arena_init(&search.arena, TR_MIB(256));
    tr_status status = compare_graphs(&search, a, b, &same);
    tr_arena_done(&search.arena);
    if (status == TR_OK)
        *out = same;
    return status;
}
