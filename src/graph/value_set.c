#include "graph/value_set.h"

#include "db/db.h"
#include "graph/bare.h"
#include "graph/overlay.h"
#include "graph/reader.h"
#include "rdf/term.h"

#include <stdlib.h>

/* Which there are --------------------------------------------------------- */

static int compare_defs(const void *a, const void *b)
{
    const struct tr_graph_value_def *x = a;
    const struct tr_graph_value_def *y = b;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The definition of a row; a new one when it has another number. */
static struct tr_graph_value_def *def_of(struct tr_graph_value_set *set,
                                         size_t room, int64_t number)
{
    size_t at = set->count;
    if (at && set->items[at - 1].number == number)
        return &set->items[at - 1];
    if (at == room)
        return NULL;
    set->items[set->count++].number = number;
    return &set->items[at];
}

static tr_status take_row(struct tr_graph_value_set *set, size_t room,
                          struct tr_db_stmt *stmt, struct tr_err *err)
{
    struct tr_graph_value_def *def =
        def_of(set, room, tr_db_column_i64(stmt, 0));
    if (!def || def->count == TR_LIMIT_INDEX_FIELDS)
        return tr_fail(err, TR_E_IO,
                       "the store is damaged: an index has more "
                       "fields than it can have");
    def->class = (tr_rdf_id)tr_db_column_i64(stmt, 1);
    def->predicates[def->count] = (tr_rdf_id)tr_db_column_i64(stmt, 2);
    def->descending[def->count++] = tr_db_column_i64(stmt, 3) != 0;
    return TR_OK;
}

static tr_status make_room(struct tr_graph_value_set *set, struct tr_db *db,
                           size_t *room, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "SELECT count(*) FROM value_index", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *room = (size_t)tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    if (*room == 0)
        return TR_OK;
    set->items = calloc(*room, sizeof(*set->items));
    return set->items ? TR_OK
                      : tr_fail(err, TR_E_NOMEM, "no memory for indexes");
}

static tr_status read_rows(struct tr_graph_value_set *set, struct tr_db *db,
                           struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    size_t room = 0;
    bool row;
    TR_TRY(make_room(set, db, &room, err));
    if (room == 0)
        return TR_OK;
    TR_TRY(tr_db_prepare(db,
                         "SELECT x, class, p, descending FROM value_index"
                         " JOIN value_part USING (x) ORDER BY x, n",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    while (row) {
        tr_status status = take_row(set, room, stmt, err);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
    }
    return TR_OK;
}

tr_status tr_graph_value_set_load(struct tr_graph_value_set *set,
                                  struct tr_db *db,
                                  struct tr_graph_terms *terms,
                                  struct tr_err *err)
{
    tr_rdf_term type = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_TYPE));
    tr_graph_value_set_free(set);
    TR_TRY(tr_graph_bare_read(set, db, err));
    TR_TRY(read_rows(set, db, err));
    if (set->count == 0)
        return TR_OK;
    qsort(set->items, set->count, sizeof(*set->items), compare_defs);
    return tr_graph_terms_find(terms, &type, &set->type, err);
}

void tr_graph_value_set_free(struct tr_graph_value_set *set)
{
    free(set->items);
    free(set->bare);
    *set = (struct tr_graph_value_set){0};
}

tr_status tr_graph_value_set_drop(struct tr_db *db, struct tr_err *err)
{
    static const char *const sql[] = {"DELETE FROM value_row",
                                      "DELETE FROM value_part",
                                      "DELETE FROM value_index"};
    for (size_t i = 0; i < TR_LEN(sql); i++)
        TR_TRY(tr_db_exec(db, sql[i], err));
    return tr_graph_epoch_raise(db, err);
}

const struct tr_graph_value_def *
tr_graph_value_set_of(const struct tr_graph_value_set *set, tr_rdf_id class,
                      size_t *count)
{
    size_t low = 0;
    size_t high = set->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (set->items[middle].class < class)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low; high < set->count && set->items[high].class == class;)
        high++;
    *count = high - low;
    return set->items + low;
}

bool tr_graph_value_set_has(const struct tr_graph_value_set *set,
                            tr_rdf_id predicate)
{
    for (size_t i = 0; i < set->count; i++) {
        for (size_t k = 0; k < set->items[i].count; k++) {
            if (set->items[i].predicates[k] == predicate)
                return true;
        }
    }
    return set->count && predicate == set->type;
}

bool tr_graph_value_def_is(const struct tr_graph_value_def *a,
                           const struct tr_graph_value_def *b)
{
    bool same = a->class == b->class && a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->predicates[i] == b->predicates[i] &&
               a->descending[i] == b->descending[i];
    return same;
}

/* Keys -------------------------------------------------------------------- */

/* The part of one value. */
static tr_status put_value(const struct tr_graph_value_source *view,
                           tr_rdf_id id, bool descending, struct tr_key *out,
                           struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term = {0};
    if (!tr_graph_id_is_new(id) && tr_graph_id_is_inline(id))
        term = tr_graph_id_decode(id, text);
    else
        TR_TRY(tr_rdf_graph_get(view->graph, id, &term, err));
    if (term.kind != TR_RDF_TERM_LITERAL && view->real)
        TR_TRY(view->real(view->context, &id, err));
    tr_key_put(out, &term, id, descending);
    return TR_OK;
}

/* Of several values the least one counts, which is the last of a descending
 * part. `out` ends with the best part so far. */
static tr_status offer_value(const struct tr_graph_value_source *view,
                             tr_rdf_id id, bool descending, size_t from,
                             struct tr_key *out, struct tr_err *err)
{
    struct tr_key other = {0};
    if (out->len == from)
        return put_value(view, id, descending, out, err);
    TR_TRY(put_value(view, id, descending, &other, err));
    tr_str best = tr_str_skip(tr_key_str(out), from);
    int order = tr_str_cmp(tr_key_str(&other), best);
    if (descending ? order <= 0 : order >= 0)
        return TR_OK;
    memcpy(out->bytes + from, other.bytes, other.len);
    out->len = from + other.len;
    return TR_OK;
}

static tr_status put_part(const struct tr_graph_value_source *view,
                          tr_rdf_ids pattern, bool descending,
                          struct tr_key *out, struct tr_err *err)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    size_t from = out->len;
    tr_status status = TR_OK;
    tr_rdf_graph_match(view->graph, pattern, &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row))
        status = offer_value(view, row.o, descending, from, out, err);
    TR_TRY(tr_rdf_cursor_end(&cursor, status, err));
    if (out->len == from)
        tr_key_put(out, NULL, 0, descending);
    return TR_OK;
}

tr_status tr_graph_value_key_make(const struct tr_graph_value_source *view,
                                  const struct tr_graph_value_def *def,
                                  tr_rdf_id node, struct tr_key *out,
                                  struct tr_err *err)
{
    out->len = 0;
    for (size_t i = 0; i < def->count; i++) {
        tr_rdf_ids pattern = {node, def->predicates[i], TR_RDF_ID_ANY,
                              TR_RDF_ID_ANY};
        TR_TRY(put_part(view, pattern, def->descending[i], out, err));
    }
    return TR_OK;
}

/* Rows -------------------------------------------------------------------- */

tr_status tr_graph_value_rows_put(struct tr_graph_value_rows *rows,
                                  int64_t number, tr_rdf_id node,
                                  const struct tr_key *key, struct tr_err *err)
{
    struct tr_graph_value_row row = {.number = number, .node = node};
    if (!tr_arena_copy(rows->arena, tr_key_str(key), &row.key) ||
        !tr_vec_push(rows->arena, &rows->items, row))
        return tr_fail(err, TR_E_NOMEM, "no memory for the rows of an index");
    return TR_OK;
}

/* A node has its class in two graphs, and is there once. */
static bool has_row(const struct tr_graph_value_rows *rows, size_t from,
                    int64_t number)
{
    for (size_t i = from; i < rows->items.count; i++) {
        if (rows->items.items[i].number == number)
            return true;
    }
    return false;
}

/* What is being gathered of one node. */
struct gathering {
    struct tr_graph_value_rows *rows;
    const struct tr_graph_value_set *set;
    const struct tr_graph_value_source *view;
    tr_rdf_id node;
    tr_rdf_id as;
    size_t from;
};

static tr_status add_class(void *context, tr_rdf_ids quad, struct tr_err *err)
{
    const struct gathering *g = context;
    struct tr_key key;
    size_t count;
    const struct tr_graph_value_def *defs =
        tr_graph_value_set_of(g->set, quad.o, &count);
    for (size_t i = 0; i < count; i++) {
        if (has_row(g->rows, g->from, defs[i].number))
            continue;
        TR_TRY(tr_graph_value_key_make(g->view, &defs[i], g->node, &key, err));
        TR_TRY(
            tr_graph_value_rows_put(g->rows, defs[i].number, g->as, &key, err));
    }
    return TR_OK;
}

tr_status tr_graph_value_rows_add(struct tr_graph_value_rows *rows,
                                  const struct tr_graph_value_set *set,
                                  const struct tr_graph_value_source *view,
                                  tr_rdf_id node, tr_rdf_id as,
                                  struct tr_err *err)
{
    struct gathering g = {rows, set, view, node, as, rows->items.count};
    tr_rdf_ids pattern = {node, set->type, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    return tr_rdf_graph_each(view->graph, pattern, add_class, &g, err);
}

static int compare_rows(const void *a, const void *b)
{
    const struct tr_graph_value_row *x = a;
    const struct tr_graph_value_row *y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    int order = tr_str_cmp(x->key, y->key);
    if (order != 0)
        return order;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_rows(struct tr_graph_value_rows *rows)
{
    if (rows->items.count)
        qsort(rows->items.items, rows->items.count,
              sizeof(struct tr_graph_value_row), compare_rows);
}

void tr_graph_value_rows_differ(struct tr_graph_value_rows *a,
                                struct tr_graph_value_rows *b)
{
    size_t i = 0;
    size_t k = 0;
    size_t kept_a = 0;
    size_t kept_b = 0;
    sort_rows(a);
    sort_rows(b);
    while (i < a->items.count || k < b->items.count) {
        int order = i == a->items.count ? 1
                    : k == b->items.count
                        ? -1
                        : compare_rows(&a->items.items[i], &b->items.items[k]);
        if (order < 0)
            a->items.items[kept_a++] = a->items.items[i];
        else if (order > 0)
            b->items.items[kept_b++] = b->items.items[k];
        i += order <= 0;
        k += order >= 0;
    }
    a->items.count = kept_a;
    b->items.count = kept_b;
}

/* What tr_db_insert shows of them. */
static tr_str blob_of(void *context, size_t row)
{
    const struct tr_graph_value_rows *rows = context;
    return rows->items.items[row].key;
}

tr_status tr_graph_value_rows_insert(struct tr_graph_value_rows *rows,
                                     struct tr_db *db, struct tr_err *err)
{
    size_t count = rows->items.count;
    if (count == 0)
        return TR_OK;
    int64_t *values = TR_NEW_ARRAY(rows->arena, int64_t, 2 * count);
    if (!values)
        return tr_fail(err, TR_E_NOMEM, "no memory for the rows of an index");
    sort_rows(rows);
    for (size_t i = 0; i < count; i++) {
        values[2 * i] = rows->items.items[i].number;
        values[2 * i + 1] = (int64_t)rows->items.items[i].node;
    }
    struct tr_db_rows all = {values, 2, count, blob_of, rows};
    return tr_db_insert(db,
                        "INSERT OR IGNORE INTO value_row (x, k, s)"
                        " SELECT c0, blob, c1 FROM tr_rows",
                        &all, err);
}

tr_status tr_graph_value_rows_delete(const struct tr_graph_value_rows *rows,
                                     struct tr_db *db, struct tr_err *err)
{
    for (size_t i = 0; i < rows->items.count; i++) {
        const struct tr_graph_value_row *row = &rows->items.items[i];
        struct tr_db_stmt *stmt;
        TR_TRY(tr_db_prepare(
            db, "DELETE FROM value_row WHERE x = ?1 AND k = ?2 AND s = ?3",
            &stmt, err));
        tr_db_bind_i64(stmt, 1, row->number);
        tr_db_bind_blob(stmt, 2, row->key);
        tr_db_bind_i64(stmt, 3, (int64_t)row->node);
        TR_TRY(tr_db_stmt_run(stmt, err));
    }
    return TR_OK;
}
