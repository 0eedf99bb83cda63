#include "base/vec.h"
#include "db/db.h"
#include "rows/storing.h"

#include <stdlib.h>

static tr_status no_memory(struct tr_rows_storing *storing)
{
    return tr_fail(storing->err, TR_E_NOMEM, "no memory for statements");
}

/* Rows of indexes --------------------------------------------------------- */

static tr_status delete_pos(struct tr_rows_storing *storing, tr_rdf_ids quad,
                            tr_str key)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(storing->db,
                         "DELETE FROM pos WHERE p = ?1 AND k = ?2 AND s = ?3"
                         " AND g = ?4",
                         &stmt, storing->err));
    tr_db_bind_i64(stmt, 1, (int64_t)quad.p);
    tr_db_bind_blob(stmt, 2, key);
    tr_db_bind_i64(stmt, 3, (int64_t)quad.s);
    tr_db_bind_i64(stmt, 4, (int64_t)quad.g);
    return tr_db_stmt_run(stmt, storing->err);
}

static tr_status delete_ops(struct tr_rows_storing *storing, tr_rdf_ids quad)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(storing->db,
                         "DELETE FROM ops WHERE o = ?1 AND p = ?2 AND s = ?3"
                         " AND g = ?4",
                         &stmt, storing->err));
    tr_db_bind_i64(stmt, 1, (int64_t)quad.o);
    tr_db_bind_i64(stmt, 2, (int64_t)quad.p);
    tr_db_bind_i64(stmt, 3, (int64_t)quad.s);
    tr_db_bind_i64(stmt, 4, (int64_t)quad.g);
    return tr_db_stmt_run(stmt, storing->err);
}

static tr_status index_literal(struct tr_rows_storing *storing,
                               const struct tr_rows_change *change,
                               const tr_pack_key *key)
{
    tr_rdf_ids quad = change->quad;
    struct tr_rows_index_row row = {
        .at = {(int64_t)quad.p, (int64_t)quad.s, (int64_t)quad.g, 0}};
    if (!change->is_added)
        return delete_pos(storing, quad, tr_pack_key_str(key));
    return tr_arena_copy(storing->arena, tr_pack_key_str(key), &row.key) &&
                   tr_vec_push(storing->arena, &storing->pos, row)
               ? TR_OK
               : no_memory(storing);
}

static tr_status index_reference(struct tr_rows_storing *storing,
                                 const struct tr_rows_change *change)
{
    tr_rdf_ids quad = change->quad;
    struct tr_rows_index_row row = {.at = {(int64_t)quad.o, (int64_t)quad.p,
                                           (int64_t)quad.s, (int64_t)quad.g}};
    if (!change->is_added)
        return delete_ops(storing, quad);
    return tr_vec_push(storing->arena, &storing->ops, row) ? TR_OK
                                                           : no_memory(storing);
}

/* Changes in ids ---------------------------------------------------------- */

/* One change, and the key that its value has in the index. */
struct keyed {
    tr_pack_change change; /* first: they are sorted as changes are */
    const struct tr_rows_change *from;
    tr_pack_key key;
};

static tr_status copy_value(struct tr_rows_storing *storing, tr_str value,
                            tr_str *out)
{
    return tr_arena_copy(&storing->scratch, value, out) ? TR_OK
                                                        : no_memory(storing);
}

/* A long value that is added gets its row now. */
static tr_status add_text(struct tr_rows_storing *storing, tr_rdf_id id,
                          tr_str *out)
{
    char room[TR_PACK_LONG_MAX];
    struct tr_buf value;
    tr_str whole;
    tr_buf_init_fixed(&value, room, sizeof(room));
    TR_TRY(tr_rows_terms_whole(storing->terms, id, &whole, storing->err));
    TR_TRY(tr_rows_storing_text(storing, whole, &value));
    return copy_value(storing, tr_buf_str(&value), out);
}

static tr_status make_change(struct tr_rows_storing *storing,
                             const struct tr_rows_change *from,
                             struct keyed *out)
{
    char room[TR_PACK_LONG_MAX];
    tr_rdf_ids quad = from->quad;
    tr_pack_statement *one = &out->change.statement;
    out->from = from;
    out->change.is_added = from->is_added;
    one->p = tr_rows_id_number(quad.p);
    one->g = tr_rows_id_number(quad.g);
    TR_TRY(tr_rows_terms_value(storing->terms, quad.o, room, &one->v,
                               storing->err));
    if (tr_rows_id_is_literal(quad.o))
        TR_TRY(
            tr_rows_terms_key(storing->terms, quad.o, &out->key, storing->err));
    if (from->is_added && one->v.ptr[0] == TR_PACK_LONG)
        return add_text(storing, quad.o, &one->v);
    return copy_value(storing, one->v, &one->v);
}

static tr_status write_index(struct tr_rows_storing *storing,
                             const struct keyed *keyed)
{
    return tr_rows_id_is_literal(keyed->from->quad.o)
               ? index_literal(storing, keyed->from, &keyed->key)
               : index_reference(storing, keyed->from);
}

static tr_status store_keyed(struct tr_rows_storing *storing,
                             struct keyed *keyed, size_t count, tr_rdf_id s,
                             const struct tr_rows_head *head)
{
    tr_pack_change *changes =
        TR_NEW_ARRAY(&storing->scratch, tr_pack_change, count + 1);
    if (!changes)
        return no_memory(storing);
    qsort(keyed, count, sizeof(*keyed), tr_pack_statement_cmp);
    for (size_t i = 0; i < count; i++)
        changes[i] = keyed[i].change;
    TR_TRY(tr_rows_storing_body(storing, changes, count, s, head));
    for (size_t i = 0; i < count; i++)
        if (changes[i].done != TR_PACK_SAME)
            TR_TRY(write_index(storing, &keyed[i]));
    return TR_OK;
}

static tr_status store_subject(struct tr_rows_storing *storing,
                               const struct tr_rows_change *changes,
                               size_t count, tr_rdf_id s,
                               const struct tr_rows_head *head)
{
    struct keyed *keyed =
        TR_NEW_ARRAY(&storing->scratch, struct keyed, count + 1);
    if (!keyed)
        return no_memory(storing);
    for (size_t i = 0; i < count; i++)
        TR_TRY(make_change(storing, &changes[i], &keyed[i]));
    return store_keyed(storing, keyed, count, s, head);
}

tr_status tr_rows_storing_subject(struct tr_rows_storing *storing,
                                  const struct tr_rows_change *changes,
                                  size_t count, tr_rdf_id s,
                                  const struct tr_rows_head *head)
{
    tr_status status = store_subject(storing, changes, count, s, head);
    tr_arena_reset(&storing->scratch);
    return status;
}

/* What was gathered ------------------------------------------------------- */

static int compare_pos(const void *a, const void *b)
{
    const struct tr_rows_index_row *x = a;
    const struct tr_rows_index_row *y = b;
    if (x->at[0] != y->at[0])
        return x->at[0] < y->at[0] ? -1 : 1;
    int order = tr_str_cmp(x->key, y->key);
    for (size_t i = 1; order == 0 && i < TR_LEN(x->at); i++)
        order = (x->at[i] > y->at[i]) - (x->at[i] < y->at[i]);
    return order;
}

static tr_str key_of(void *context, size_t row)
{
    const struct tr_rows_index_rows *rows = context;
    return rows->items[row].key;
}

/* Most of an insert is finding its page: of sorted rows, the next one goes to
 * the page of the last. References have no key: they sort by their numbers. */
static tr_status insert_rows(struct tr_rows_storing *storing, const char *sql,
                             struct tr_rows_index_rows *rows)
{
    if (rows->count == 0)
        return TR_OK;
    int64_t(*values)[TR_DB_COLUMNS] =
        tr_arena_alloc(&storing->scratch, rows->count * sizeof(*values));
    if (!values)
        return no_memory(storing);
    qsort(rows->items, rows->count, sizeof(*rows->items), compare_pos);
    for (size_t i = 0; i < rows->count; i++)
        memcpy(values[i], rows->items[i].at, sizeof(values[i]));
    struct tr_db_rows all = {.values = values[0],
                             .columns = TR_DB_COLUMNS,
                             .count = rows->count,
                             .blob = key_of,
                             .context = rows};
    tr_status status = tr_db_insert(storing->db, sql, &all, storing->err);
    rows->items = NULL;
    rows->count = rows->cap = 0;
    tr_arena_reset(&storing->scratch);
    return status;
}

static tr_status write_count(struct tr_rows_storing *storing)
{
    struct tr_db_stmt *stmt;
    if (storing->quads == 0)
        return TR_OK;
    TR_TRY(tr_db_prepare(storing->db,
                         "INSERT INTO meta VALUES (3, ?1) ON CONFLICT"
                         " DO UPDATE SET value = value + ?1",
                         &stmt, storing->err));
    tr_db_bind_i64(stmt, 1, storing->quads);
    storing->quads = 0;
    return tr_db_stmt_run(stmt, storing->err);
}

tr_status tr_rows_storing_finish(struct tr_rows_storing *storing)
{
    TR_TRY(insert_rows(storing,
                       "INSERT OR FAIL INTO pos (p, k, s, g)"
                       " SELECT c0, blob, c1, c2 FROM tr_rows",
                       &storing->pos));
    TR_TRY(insert_rows(storing,
                       "INSERT OR FAIL INTO ops (o, p, s, g)"
                       " SELECT c0, c1, c2, c3 FROM tr_rows",
                       &storing->ops));
    return write_count(storing);
}
