#include "rows/quads.h"

#include "db/db.h"
#include "rows/statements.h"

/* What is asked, by the parts that a pattern has. */
enum plan { BY_S, BY_SP, BY_SPO, BY_PO, BY_O, BY_OP, BY_P, BY_NOTHING };

/*
 * How the rows of a plan are found: one way after the other, up to an END.
 *
 * SUBJECT  statements of one subject...
 * HUB      ... where it has too many, the index by value or reference
 * VALUES   the index of literals by one value
 * REFERS   the index of references
 * KEYS     all keys of a predicate that tell their value...
 * CUT      ... and the subjects of the others
 * ALL      the statements of every subject
 */
enum way { END, SUBJECT, HUB, VALUES, REFERS, KEYS, CUT, ALL };

static const unsigned char ways[][4] = {
    [BY_S] = {SUBJECT, END},
    [BY_SP] = {SUBJECT, END},
    [BY_SPO] = {SUBJECT, HUB, END},
    [BY_PO] = {VALUES, END},
    [BY_O] = {REFERS, END},
    [BY_OP] = {REFERS, END},
    [BY_P] = {KEYS, CUT, REFERS, END},
    [BY_NOTHING] = {ALL, END},
};

/* Only a text can be cut, by a byte that no text has. */
static const char cut_keys[] =
    "SELECT DISTINCT s FROM pos WHERE p = ?2 AND instr(k, x'fe')";

static const char *const queries[][ALL + 1] = {
    [BY_PO] = {[VALUES] = "SELECT s, g FROM pos WHERE p = ?2 AND k = ?3"},
    [BY_O] = {[REFERS] = "SELECT s, g, p, o FROM ops WHERE o = ?3"},
    [BY_OP] = {[REFERS] = "SELECT s, g, p, o FROM ops WHERE o = ?3 AND p = ?2"},
    [BY_P] = {[KEYS] = "SELECT s, g, k FROM pos WHERE p = ?2",
              [CUT] = cut_keys,
              [REFERS] = "SELECT s, g, p, o FROM ops WHERE p = ?2"},
    [BY_NOTHING] = {[ALL] = "SELECT s, body FROM node"},
};

static const char *const hub_queries[] = {
    "SELECT s, g FROM ops WHERE o = ?3 AND p = ?2 AND s = ?1",
    "SELECT s, g FROM pos WHERE p = ?2 AND k = ?3 AND s = ?1",
};

/* How far a cursor is: what its `own` words hold. */
struct reading {
    enum plan plan;
    size_t way;              /* of ways[plan] */
    struct tr_db_stmt *stmt; /* its rows */
    bool has_subject;        /* `said` is open */
    struct tr_rows_statements said;
    tr_status failed;
};

_Static_assert(sizeof(struct reading) <=
                   sizeof(((struct tr_rdf_cursor *)0)->own),
               "a cursor has no room for what is read");

static struct reading *reading_of(struct tr_rdf_cursor *cursor)
{
    return (struct reading *)(void *)cursor->own;
}

static const struct tr_rows_stored_graph *
inside(const struct tr_rdf_graph *graph)
{
    return (const void *)graph;
}

static enum plan choose(tr_rdf_ids pattern)
{
    bool has_p = pattern.p != TR_RDF_ID_ANY;
    bool has_o = pattern.o != TR_RDF_ID_ANY;
    if (pattern.s != TR_RDF_ID_ANY)
        return has_p && has_o ? BY_SPO : has_p ? BY_SP : BY_S;
    if (has_o && !tr_rows_id_is_literal(pattern.o))
        return has_p ? BY_OP : BY_O;
    if (has_o && has_p)
        return BY_PO;
    return has_p ? BY_P : BY_NOTHING;
}

static uint64_t wanted_number(tr_rdf_ids pattern)
{
    return pattern.p == TR_RDF_ID_ANY ? 0 : tr_rows_id_number(pattern.p);
}

/* Ways -------------------------------------------------------------------- */

/* By the parts that the query of a plan has. */
static tr_status bind(const struct tr_rows_stored_graph *stored,
                      struct tr_db_stmt *stmt, tr_rdf_ids pattern)
{
    tr_pack_key key;
    if (pattern.s != TR_RDF_ID_ANY)
        tr_db_bind_i64(stmt, 1, (int64_t)pattern.s);
    if (pattern.p != TR_RDF_ID_ANY)
        tr_db_bind_i64(stmt, 2, (int64_t)pattern.p);
    if (pattern.o == TR_RDF_ID_ANY)
        return TR_OK;
    if (!tr_rows_id_is_literal(pattern.o)) {
        tr_db_bind_i64(stmt, 3, (int64_t)pattern.o);
        return TR_OK;
    }
    TR_TRY(tr_rows_terms_key(stored->terms, pattern.o, &key, NULL));
    tr_db_bind_blob_copy(stmt, 3, tr_pack_key_str(&key));
    return TR_OK;
}

static enum way way_of(const struct reading *reading)
{
    return (enum way)ways[reading->plan][reading->way];
}

static void open_subject(struct tr_rdf_cursor *cursor, tr_rdf_id s)
{
    struct reading *reading = reading_of(cursor);
    tr_rows_statements_open(&reading->said, inside(cursor->graph)->terms, s,
                            wanted_number(cursor->pattern));
    reading->said.is_packed_only = reading->plan == BY_SPO;
    reading->has_subject = true;
}

/* NULL where there is nothing to ask. */
static const char *query_of(const struct reading *reading, tr_rdf_ids pattern)
{
    enum way way = way_of(reading);
    if (way == END)
        return NULL;
    if (way == HUB)
        return reading->said.met_mark
                   ? hub_queries[tr_rows_id_is_literal(pattern.o)]
                   : NULL;
    return queries[reading->plan][way];
}

/* Opens the way that the reading stands on. */
static void open_way(struct tr_rdf_cursor *cursor)
{
    const struct tr_rows_stored_graph *stored = inside(cursor->graph);
    struct reading *reading = reading_of(cursor);
    if (way_of(reading) == SUBJECT) {
        open_subject(cursor, cursor->pattern.s);
        return;
    }
    const char *sql = query_of(reading, cursor->pattern);
    if (!sql)
        return;
    tr_rdf_ids pattern = cursor->pattern;
    if (reading->plan == BY_NOTHING) /* a literal alone is compared later */
        pattern.o = TR_RDF_ID_ANY;
    reading->failed = tr_db_prepare(stored->db, sql, &reading->stmt, NULL);
    if (reading->failed == TR_OK)
        reading->failed = bind(stored, reading->stmt, pattern);
}

static void match(const struct tr_rdf_graph *graph,
                  struct tr_rdf_cursor *cursor)
{
    struct reading *reading = reading_of(cursor);
    tr_rdf_ids pattern = cursor->pattern;
    reading->plan = choose(pattern);
    reading->way = 0;
    reading->stmt = NULL;
    reading->has_subject = false;
    reading->failed = TR_OK;
    (void)graph;
    if (pattern.s == TR_RDF_ID_NONE || pattern.p == TR_RDF_ID_NONE ||
        pattern.o == TR_RDF_ID_NONE || pattern.g == TR_RDF_ID_NONE)
        while (way_of(reading) != END)
            reading->way++;
    open_way(cursor);
}

static bool fits(tr_rdf_id wanted, tr_rdf_id found)
{
    return wanted == TR_RDF_ID_ANY || wanted == found;
}

static tr_status read_statement(const struct tr_rows_stored_graph *stored,
                                tr_rdf_id s, const tr_pack_statement *from,
                                tr_rdf_ids *out)
{
    out->s = s;
    out->p = tr_rows_id_make(from->p, TR_ROWS_TAG_IRI);
    out->g = tr_rows_id_of_graph(from->g);
    return tr_rows_terms_of_value(stored->terms, from->v, &out->o, NULL);
}

/* Whether a key has only a part of what the statement says. */
static tr_status is_cut(const struct tr_rows_stored_graph *stored,
                        tr_rdf_id literal, bool *out)
{
    struct tr_pack_key_value value;
    tr_pack_key key;
    *out = false;
    if (!tr_rows_id_is_literal(literal) || tr_rows_id_is_inline(literal))
        return TR_OK;
    TR_TRY(tr_rows_terms_key(stored->terms, literal, &key, NULL));
    TR_TRY(tr_pack_key_get(tr_pack_key_str(&key), &value, NULL));
    *out = value.is_cut;
    return TR_OK;
}

/* The next statement of the subject that is open. */
static bool next_said(struct tr_rdf_cursor *cursor, tr_rdf_ids *out)
{
    const struct tr_rows_stored_graph *stored = inside(cursor->graph);
    struct reading *reading = reading_of(cursor);
    tr_pack_statement one;
    while (reading->failed == TR_OK &&
           tr_rows_statements_next(&reading->said, &one)) {
        bool is_meant = true;
        reading->failed = read_statement(stored, reading->said.s, &one, out);
        if (reading->failed == TR_OK && way_of(reading) == CUT)
            reading->failed = is_cut(stored, out->o, &is_meant);
        if (is_meant && reading->failed == TR_OK)
            return true;
    }
    tr_status status = tr_rows_statements_close(&reading->said, NULL);
    reading->has_subject = false;
    if (reading->failed == TR_OK)
        reading->failed = status;
    return false;
}

/* The id of what a key says; `*is_meant` is false for a cut one. */
static tr_status read_key(const struct tr_rows_stored_graph *stored, tr_str key,
                          tr_rdf_id *out, bool *is_meant)
{
    struct tr_pack_key_value value;
    char text[TR_PACK_CANONICAL_TEXT];
    tr_rdf_term datatype = {.text = {0}};
    TR_TRY(tr_pack_key_get(key, &value, NULL));
    *is_meant = !value.is_cut;
    if (value.is_cut || tr_rows_id_of_value(&value.value, out))
        return TR_OK;
    datatype.text = value.datatype;
    if (value.value.kind == TR_PACK_TYPED && value.value.number)
        TR_TRY(tr_rows_terms_get(
            stored->terms, tr_rows_id_make(value.value.number, TR_ROWS_TAG_IRI),
            &datatype, NULL));
    tr_rdf_term term = tr_pack_value_term(&value.value, datatype.text, text);
    return tr_rows_terms_find(stored->terms, &term, out, NULL);
}

/* What a row of the way says; false when it only opens a subject. */
static bool read_row(struct tr_rdf_cursor *cursor, tr_rdf_ids *out)
{
    const struct tr_rows_stored_graph *stored = inside(cursor->graph);
    struct reading *reading = reading_of(cursor);
    struct tr_db_stmt *stmt = reading->stmt;
    bool is_meant = true;
    *out = cursor->pattern;
    out->s = (tr_rdf_id)tr_db_column_i64(stmt, 0);
    switch (way_of(reading)) {
    case CUT:
        open_subject(cursor, out->s);
        return false;
    case ALL:
        tr_rows_statements_open_body(&reading->said, stored->terms, out->s, 0,
                                     tr_db_column_blob(stmt, 1));
        reading->has_subject = true;
        return false;
    case KEYS:
        reading->failed =
            read_key(stored, tr_db_column_blob(stmt, 2), &out->o, &is_meant);
        break;
    case REFERS:
        out->p = (tr_rdf_id)tr_db_column_i64(stmt, 2);
        out->o = (tr_rdf_id)tr_db_column_i64(stmt, 3);
        break;
    default:
        break;
    }
    out->g = (tr_rdf_id)tr_db_column_i64(stmt, 1);
    return is_meant && reading->failed == TR_OK;
}

/* Goes on to the next row of the way, or to the next way. */
static bool step(struct tr_rdf_cursor *cursor)
{
    struct reading *reading = reading_of(cursor);
    bool row = false;
    if (reading->stmt)
        reading->failed = tr_db_stmt_step(reading->stmt, &row, NULL);
    if (row)
        return true;
    reading->stmt = NULL;
    if (reading->failed == TR_OK && way_of(reading) != END) {
        reading->way++;
        open_way(cursor);
    }
    return false;
}

/* Compares the parts of the pattern that the way did not. */
static bool next(struct tr_rdf_cursor *cursor, tr_rdf_ids *out)
{
    struct reading *reading = reading_of(cursor);
    while (reading->failed == TR_OK && way_of(reading) != END) {
        bool found = reading->has_subject
                         ? next_said(cursor, out)
                         : step(cursor) && read_row(cursor, out);
        if (found && fits(cursor->pattern.g, out->g) &&
            fits(cursor->pattern.o, out->o))
            return true;
    }
    return false;
}

static tr_status close_cursor(struct tr_rdf_cursor *cursor, struct tr_err *err)
{
    struct reading *reading = reading_of(cursor);
    tr_status status = TR_OK;
    if (reading->has_subject)
        status = tr_rows_statements_close(&reading->said, NULL);
    if (reading->stmt)
        tr_db_stmt_reset(reading->stmt);
    reading->stmt = NULL;
    reading->has_subject = false;
    if (reading->failed == TR_OK)
        reading->failed = status;
    if (reading->failed == TR_OK)
        return TR_OK;
    return tr_fail(err, reading->failed, "the store cannot be read");
}

static tr_status find(const struct tr_rdf_graph *graph, const tr_rdf_term *term,
                      tr_rdf_id *out, struct tr_err *err)
{
    return tr_rows_terms_find(inside(graph)->terms, term, out, err);
}

static tr_status get(const struct tr_rdf_graph *graph, tr_rdf_id id,
                     tr_rdf_term *out, struct tr_err *err)
{
    return tr_rows_terms_get(inside(graph)->terms, id, out, err);
}

/* None: ids are too sparse for an array. */
static tr_rdf_id bound(const struct tr_rdf_graph *graph)
{
    (void)graph;
    return 0;
}

/* A guess by the parts of the pattern, which is enough to choose a plan. */
static uint64_t estimate(const struct tr_rdf_graph *graph, tr_rdf_ids pattern)
{
    static const uint64_t rows[] = {
        [BY_S] = 20,      [BY_SP] = 4,
        [BY_SPO] = 1,     [BY_PO] = 100,
        [BY_O] = 1000,    [BY_OP] = 100,
        [BY_P] = 1000000, [BY_NOTHING] = 100000000,
    };
    (void)graph;
    return rows[choose(pattern)];
}

static const struct tr_rdf_graph_ops ops = {
    .bound = bound,
    .estimate = estimate,
    .find = find,
    .get = get,
    .match = match,
    .next = next,
    .close = close_cursor,
};

void tr_rows_stored_graph_init(struct tr_rows_stored_graph *graph,
                               struct tr_db *db, struct tr_rows_terms *terms)
{
    *graph = (struct tr_rows_stored_graph){{&ops}, db, terms};
}
