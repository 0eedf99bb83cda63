#include "base/limits.h"
#include "graph/load_inside.h"
#include "rdf/quad_index.h"

/* Rows that are handed to the database at a time. */
#define CHUNK ((size_t)32768)

enum { RADIX_BITS = 11, RADIX = 1 << RADIX_BITS };

/* A term of the batch, to be put into the order of the store. */
struct ranked_term {
    tr_rdf_id id;
    uint32_t local;
};

/*
 * Quads are sorted by small numbers that stand in the order of the ids: one
 * count and one move of each row sorts them by one part.
 */
struct sorting {
    struct tr_graph_load *load;
    const struct tr_rdf_graph *graph;
    size_t bound;              /* of local ids, and of ranks */
    struct ranked_term *terms; /* by rank */
    struct ranked_term *spare; /* for sorting them */
    uint32_t *ranks;           /* by local id */
    uint32_t *starts;          /* for sorting rows; one more than `bound` */
    tr_rdf_row *rows;
    tr_rdf_row *other;
    size_t count;
    size_t room;
    int64_t *values; /* of one chunk */
};

/* Least significant digit first; digits that are all the same cost no move. */
static void sort_terms(struct sorting *s)
{
    for (unsigned shift = 0; shift < 64; shift += RADIX_BITS) {
        size_t starts[RADIX + 1] = {0};
        for (size_t i = 0; i < s->bound; i++)
            starts[(s->terms[i].id >> shift & (RADIX - 1)) + 1]++;
        if (starts[(s->terms[0].id >> shift & (RADIX - 1)) + 1] == s->bound)
            continue;
        for (size_t i = 1; i < RADIX; i++)
            starts[i] += starts[i - 1];
        for (size_t i = 0; i < s->bound; i++)
            s->spare[starts[s->terms[i].id >> shift & (RADIX - 1)]++] =
                s->terms[i];
        struct ranked_term *swap = s->terms;
        s->terms = s->spare;
        s->spare = swap;
    }
}

static void rank_terms(struct sorting *s)
{
    for (size_t i = 0; i < s->bound; i++)
        s->terms[i] =
            (struct ranked_term){tr_graph_load_id(s->load, i), (uint32_t)i};
    sort_terms(s);
    for (size_t i = 0; i < s->bound; i++)
        s->ranks[s->terms[i].local] = (uint32_t)i;
}

/* Stable: what was sorted before stays so among equals. */
static void sort_rows(struct sorting *s, enum tr_rdf_part part, size_t from,
                      size_t to)
{
    memset(s->starts, 0, (s->bound + 1) * sizeof(*s->starts));
    for (size_t i = from; i < to; i++)
        s->starts[s->rows[i].at[part] + 1]++;
    if (from == to || s->starts[s->rows[from].at[part] + 1] == to - from)
        return;
    for (size_t i = 1; i <= s->bound; i++)
        s->starts[i] += s->starts[i - 1];
    for (size_t i = from; i < to; i++)
        s->other[from + s->starts[s->rows[i].at[part]]++] = s->rows[i];
    memcpy(s->rows + from, s->other + from, (to - from) * sizeof(*s->rows));
}

static bool is_old(const struct sorting *s, tr_rdf_id id)
{
    return tr_graph_id_is_inline(id) || id < s->load->first_new;
}

/* A quad with a new term is new itself: only the others are looked up. */
static tr_status is_stored(const struct sorting *s, tr_rdf_ids quad, bool *out,
                           struct tr_err *err)
{
    *out = false;
    if (!is_old(s, quad.s) || !is_old(s, quad.p) || !is_old(s, quad.o) ||
        !is_old(s, quad.g))
        return TR_OK;
    return tr_rdf_graph_has(&s->load->stored.base, quad, out, err);
}

static tr_status take_row(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct sorting *s = context;
    const struct tr_graph_load *load = s->load;
    bool stored;
    tr_rdf_ids quad = {
        tr_graph_load_id(load, row.s), tr_graph_load_id(load, row.p),
        tr_graph_load_id(load, row.o), tr_graph_load_id(load, row.g)};
    TR_TRY(is_stored(s, quad, &stored, err));
    if (stored)
        return TR_OK;
    if (s->count == s->room)
        return tr_fail(err, TR_E_INTERNAL, "a batch grew while it was read");
    s->rows[s->count++] = (tr_rdf_row){
        {s->ranks[row.s], s->ranks[row.p], s->ranks[row.o], s->ranks[row.g]}};
    return TR_OK;
}

static tr_rdf_id id_of(const struct sorting *s, const tr_rdf_row *row,
                       enum tr_rdf_part part)
{
    return s->terms[row->at[part]].id;
}

/* Notes the subjects of new quads, in the order of their ids. */
static tr_status note_subjects(const struct sorting *s, struct tr_err *err)
{
    struct tr_graph_load *load = s->load;
    for (size_t i = 0; i < s->count; i++) {
        uint32_t rank = s->rows[i].at[TR_RDF_PART_S];
        const struct ranked_term *term = &s->terms[rank];
        struct tr_graph_load_subject subject = {term->id, term->local};
        if (i == 0 || rank != s->rows[i - 1].at[TR_RDF_PART_S])
            TR_TRY(tr_graph_load_note(load, &subject, err));
    }
    return TR_OK;
}

/* Notes the classes that got a node; `rows` up to `count` are by object. */
static tr_status note_classes(const struct sorting *s, size_t count,
                              struct tr_err *err)
{
    tr_rdf_id type;
    tr_rdf_id last = TR_RDF_ID_NONE;
    TR_TRY(tr_rdf_graph_find_iri(s->graph, TR_STR(TR_RDF_IRI_RDF_TYPE), &type,
                                 err));
    for (size_t i = 0; type != TR_RDF_ID_NONE && i < count; i++) {
        const tr_rdf_row *row = &s->rows[i];
        tr_rdf_id class = id_of(s, row, TR_RDF_PART_O);
        if (row->at[TR_RDF_PART_P] != s->ranks[type] || class == last)
            continue;
        last = class;
        TR_TRY(
            tr_graph_load_push(&s->load->classes, &class, sizeof(class), err));
    }
    return TR_OK;
}

static tr_status insert_rows(const struct sorting *s, const char *sql,
                             size_t from, size_t to, struct tr_err *err)
{
    while (from < to) {
        struct tr_db_rows rows = {.values = s->values, .columns = TR_RDF_PARTS};
        for (; from < to && rows.count < CHUNK; from++, rows.count++) {
            for (size_t part = 0; part < TR_RDF_PARTS; part++)
                s->values[rows.count * TR_RDF_PARTS + part] =
                    (int64_t)id_of(s, &s->rows[from], (enum tr_rdf_part)part);
        }
        TR_TRY(tr_db_insert(s->load->db, sql, &rows, err));
    }
    return TR_OK;
}

/* Moves rows whose object is a resource to the front, literals behind them,
 * both in their order, without those of bare predicates; `*end` is behind all.
 * Returns how many resources there are. */
static size_t split(struct sorting *s, size_t *end)
{
    size_t resources = 0;
    size_t literals = 0;
    for (size_t i = 0; i < s->count; i++) {
        tr_rdf_id predicate = id_of(s, &s->rows[i], TR_RDF_PART_P);
        if (!tr_graph_id_is_literal(id_of(s, &s->rows[i], TR_RDF_PART_O)))
            s->rows[resources++] = s->rows[i];
        else if (!tr_graph_value_set_is_bare(&s->load->values, predicate))
            s->other[literals++] = s->rows[i];
    }
    memcpy(s->rows + resources, s->other, literals * sizeof(*s->rows));
    *end = resources + literals;
    return resources;
}

static tr_status insert_all(struct sorting *s, struct tr_err *err)
{
    static const enum tr_rdf_part spo[] = {TR_RDF_PART_G, TR_RDF_PART_O,
                                           TR_RDF_PART_P, TR_RDF_PART_S};
    for (size_t i = 0; i < TR_LEN(spo); i++)
        sort_rows(s, spo[i], 0, s->count);
    TR_TRY(note_subjects(s, err));
    TR_TRY(tr_graph_load_drop_values(s->load, err));
    TR_TRY(insert_rows(s,
                       "INSERT OR FAIL INTO spo (s, p, o, g)"
                       " SELECT c0, c1, c2, c3 FROM tr_rows",
                       0, s->count, err));
    size_t end = 0;
    size_t resources = split(s, &end);
    sort_rows(s, TR_RDF_PART_P, 0, resources);
    sort_rows(s, TR_RDF_PART_O, 0, resources);
    TR_TRY(note_classes(s, resources, err));
    TR_TRY(insert_rows(s,
                       "INSERT OR FAIL INTO ops (s, p, o, g)"
                       " SELECT c0, c1, c2, c3 FROM tr_rows",
                       0, resources, err));
    sort_rows(s, TR_RDF_PART_O, resources, end);
    sort_rows(s, TR_RDF_PART_P, resources, end);
    return insert_rows(s,
                       "INSERT OR FAIL INTO pos (s, p, o, g)"
                       " SELECT c0, c1, c2, c3 FROM tr_rows",
                       resources, end, err);
}

static bool make_room(struct sorting *s)
{
    s->bound = (size_t)tr_rdf_graph_bound(s->graph);
    s->room = tr_rdf_memory_graph_count(s->load->batch);
    s->terms = calloc(s->bound, sizeof(*s->terms));
    s->spare = calloc(s->bound, sizeof(*s->spare));
    s->ranks = calloc(s->bound, sizeof(*s->ranks));
    s->starts = calloc(s->bound + 1, sizeof(*s->starts));
    s->rows = calloc(s->room + 1, sizeof(*s->rows));
    s->other = calloc(s->room + 1, sizeof(*s->other));
    s->values = calloc(CHUNK * TR_RDF_PARTS, sizeof(*s->values));
    return s->terms && s->spare && s->ranks && s->starts && s->rows &&
           s->other && s->values;
}

tr_status tr_graph_load_quads(struct tr_graph_load *load, struct tr_err *err)
{
    static const tr_rdf_ids all = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                   TR_RDF_ID_ANY};
    struct sorting s = {.load = load,
                        .graph = tr_rdf_memory_graph_view(load->batch)};
    tr_status status =
        make_room(&s) ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory to sort");
    if (status == TR_OK) {
        rank_terms(&s);
        status = tr_rdf_graph_each(s.graph, all, take_row, &s, err);
    }
    if (status == TR_OK)
        status = insert_all(&s, err);
    load->counts.added += s.count;
    free(s.terms);
    free(s.spare);
    free(s.ranks);
    free(s.starts);
    free(s.rows);
    free(s.other);
    free(s.values);
    return status;
}
