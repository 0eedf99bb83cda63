#include "base/limits.h"
#include "graph/owner.h"
#include "graph/reader.h"
#include "graph/term_key.h"
#include "graph/value_set.h"
#include "prov/idempotency_store.h"

/* Two terms that become one: what has the id `old` gets `new`. */
struct join {
    int64_t old;
    int64_t new;
};

struct rename {
    struct tr_db *db;
    const struct tr_graph_renaming *asked;
    struct tr_graph_span from;
    struct tr_graph_span to;
    bool is_done;        /* it has the name already */
    struct tr_buf joins; /* struct join, of IRIs */
    struct tr_graph_renamed counts;
};

/* The first bytes of keys are replaced: those from ?1 on, before ?2, begin with
 * ?3 instead. All three are as long as what they replace, or replace it. */
struct prefix {
    tr_str low;
    tr_str high;
    tr_str to;
};

static tr_status replace_prefix(struct rename *r, const char *sql,
                                const struct prefix *prefix, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(r->db, sql, &stmt, err));
    tr_db_bind_blob(stmt, 1, prefix->low);
    tr_db_bind_blob(stmt, 2, prefix->high);
    tr_db_bind_blob(stmt, 3, prefix->to);
    return tr_db_stmt_run(stmt, err);
}

/* SQLite joins blobs to a text, byte by byte. */
#define NEW_KEY "CAST(?3 || substr(old.key, 1 + length(?1)) AS BLOB)"

static const char find_joins[] =
    "INSERT INTO temp.joined SELECT old.id, new.id FROM term AS old"
    " JOIN term AS new ON new.key = " NEW_KEY
    " WHERE old.key >= ?1 AND old.key < ?2";

/* What is joined keeps its row: activities may name it. */
static const char replace_keys[] =
    "UPDATE term AS old SET key = " NEW_KEY " WHERE key >= ?1 AND key < ?2"
    " AND id NOT IN (SELECT old FROM temp.joined)";

/* Before anything is written --------------------------------------------- */

static tr_status choose_from(struct rename *r, struct tr_err *err)
{
    tr_str from = r->asked->from;
    tr_str to = r->asked->to;
    struct tr_graph_owner owner;
    TR_TRY(tr_graph_owner_read(r->db, &owner, err));
    tr_str name = tr_str_from(owner.name);
    if (from.len && owner.is_remembered && !tr_str_eq(name, from) &&
        !tr_str_eq(name, to))
        return tr_fail(err, TR_E_CONFLICT,
                       "the store is of project '%s', not of '%.*s'",
                       owner.name, TR_FMT(from));
    if (!from.len && owner.other[0])
        return tr_fail(err, TR_E_CONFLICT,
                       "the store has IRIs of '%s' and of '%s': say which to "
                       "rename",
                       owner.name, owner.other);
    if (!from.len)
        from = name;
    r->is_done =
        owner.is_remembered && tr_str_eq(name, to) && tr_str_eq(from, to);
    if (!tr_str_eq(from, to))
        (void)snprintf(r->counts.from, sizeof(r->counts.from), "%.*s",
                       TR_FMT(from));
    return TR_OK;
}

/* The length of the longest IRI that has at most `limit` bytes. */
static tr_status read_longest(struct rename *r, size_t limit, size_t *out,
                              struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(r->db,
                         "SELECT max(length(key)) - 1 FROM term"
                         " WHERE key >= ?1 AND key < ?2 AND length(key) <= ?3",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, (tr_str){r->from.low, r->from.len});
    tr_db_bind_blob(stmt, 2, (tr_str){r->from.high, r->from.len});
    tr_db_bind_i64(stmt, 3, (int64_t)limit + 1);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = (size_t)tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* What callers can name now they must be able to name then. */
static tr_status check_lengths(struct rename *r, struct tr_err *err)
{
    static const size_t limits[] = {TR_LIMIT_URI_BYTES, TR_LIMIT_RDF_TERM};
    for (size_t i = 0; i < TR_LEN(limits); i++) {
        size_t longest;
        TR_TRY(read_longest(r, limits[i], &longest, err));
        if (longest + r->to.len > limits[i] + r->from.len)
            return tr_fail(err, TR_E_LIMIT,
                           "an IRI of %zu bytes would get more than %zu: "
                           "choose a shorter name",
                           longest, limits[i]);
    }
    return TR_OK;
}

/* Nobody has said what their values would be. */
static tr_status check_nodes(struct rename *r, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(
        r->db,
        "SELECT substr(key, 2) FROM temp.joined JOIN term ON id = new"
        " WHERE EXISTS (SELECT 1 FROM node WHERE s = old)"
        " AND EXISTS (SELECT 1 FROM node WHERE s = new) LIMIT 1",
        &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    tr_str iri = tr_db_column_blob(stmt, 0);
    (void)tr_fail(err, TR_E_CONFLICT, "two nodes would both be <%.*s>",
                  TR_FMT(iri));
    tr_db_stmt_reset(stmt);
    return TR_E_CONFLICT;
}

/* Terms ------------------------------------------------------------------- */

static tr_status collect_joins(struct rename *r, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = true;
    TR_TRY(
        tr_db_prepare(r->db, "SELECT old, new FROM temp.joined", &stmt, err));
    for (;;) {
        TR_TRY(tr_db_stmt_step(stmt, &row, err));
        if (!row)
            return TR_OK;
        struct join join = {tr_db_column_i64(stmt, 0),
                            tr_db_column_i64(stmt, 1)};
        tr_buf_put(&r->joins, (tr_str){(const char *)&join, sizeof(join)});
        if (r->joins.failed) {
            tr_db_stmt_reset(stmt);
            return tr_buf_check(&r->joins, err);
        }
    }
}

/* The keys of literals have the ids of their datatypes. */
static tr_status rename_datatype(struct rename *r, const struct join *join,
                                 struct tr_err *err)
{
    char keys[3][1 + TR_GRAPH_KEY_ID_BYTES];
    const int64_t ids[] = {join->old, join->old + 1, join->new};
    for (size_t i = 0; i < TR_LEN(ids); i++) {
        tr_rdf_term none = tr_rdf_term_typed(TR_STR(""), TR_STR("x"));
        tr_graph_term_key_write(&none, (tr_rdf_id)ids[i], keys[i]);
    }
    const struct prefix prefix = {{keys[0], sizeof(keys[0])},
                                  {keys[1], sizeof(keys[1])},
                                  {keys[2], sizeof(keys[2])}};
    TR_TRY(replace_prefix(r, find_joins, &prefix, err));
    return replace_prefix(r, replace_keys, &prefix, err);
}

static tr_status rename_terms(struct rename *r, struct tr_err *err)
{
    const struct prefix prefix = {{r->from.low, r->from.len},
                                  {r->from.high, r->from.len},
                                  {r->to.low, r->to.len}};
    TR_TRY(tr_db_exec(r->db,
                      "CREATE TEMP TABLE joined"
                      " (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)",
                      err));
    TR_TRY(replace_prefix(r, find_joins, &prefix, err));
    TR_TRY(check_nodes(r, err));
    TR_TRY(collect_joins(r, err));
    TR_TRY(replace_prefix(r, replace_keys, &prefix, err));
    size_t count = r->joins.len / sizeof(struct join);
    const struct join *joins = (const void *)r->joins.ptr;
    r->counts.iris = (uint64_t)tr_db_changes(r->db) + count;
    r->counts.joined = count;
    for (size_t i = 0; i < count; i++)
        TR_TRY(rename_datatype(r, &joins[i], err));
    return TR_OK;
}

/* What has ids ------------------------------------------------------------ */

/* A row that becomes the same as another replaces it. */
#define JOIN(table, column)                                                    \
    "UPDATE OR REPLACE " table " SET " column                                  \
    " = (SELECT new FROM temp.joined WHERE old = " column ") WHERE " column    \
    " IN (SELECT old FROM temp.joined)"
#define JOIN_QUADS(table)                                                      \
    JOIN(table, "s"), JOIN(table, "p"), JOIN(table, "o"), JOIN(table, "g")

/* Rows of the feed stay: who reads them has the old name, and is not served. */
static const char *const join_steps[] = {
    JOIN_QUADS("spo"),
    JOIN_QUADS("pos"),
    JOIN_QUADS("ops"),
    JOIN("node", "s"),
    JOIN("node", "type"),
    JOIN("search", "rowid"),
    "INSERT OR REPLACE INTO type_count SELECT new, (SELECT count(DISTINCT s)"
    " FROM ops WHERE o = new AND p = (SELECT id FROM term WHERE key ="
    " CAST(char(1) || '" TR_RDF_IRI_RDF_TYPE "' AS BLOB)))"
    " FROM temp.joined WHERE old IN (SELECT type FROM type_count)",
    "DELETE FROM type_count WHERE type IN (SELECT old FROM temp.joined)",
};

/* What has texts ---------------------------------------------------------- */

/* An app may number by node. Of two counters the higher one counts. */
static const char *const text_steps[] = {
    "UPDATE OR REPLACE spelt"
    " SET predicate = ?2 || substr(predicate, 1 + length(?1))"
    " WHERE substr(predicate, 1, length(?1)) = ?1",
    "INSERT INTO counter"
    " SELECT ?2 || substr(name, 1 + length(?1)), value FROM counter"
    " WHERE substr(name, 1, length(?1)) = ?1"
    " ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
    "DELETE FROM counter WHERE instr(name, ?1) = 1 AND ?2 <> ''",
};

static tr_status rename_texts(struct rename *r, struct tr_err *err)
{
    tr_str from = {r->from.low + 1, r->from.len - 1};
    tr_str to = {r->to.low + 1, r->to.len - 1};
    for (size_t i = 0; i < TR_LEN(text_steps); i++) {
        struct tr_db_stmt *stmt;
        TR_TRY(tr_db_prepare(r->db, text_steps[i], &stmt, err));
        tr_db_bind_text(stmt, 1, from);
        tr_db_bind_text(stmt, 2, to);
        TR_TRY(tr_db_stmt_run(stmt, err));
    }
    return tr_prov_idempotency_replace(r->db, from, to, &r->counts.results,
                                       err);
}

static tr_status rewrite(struct rename *r, struct tr_err *err)
{
    tr_graph_span_of(tr_str_from(r->counts.from), &r->from);
    tr_graph_span_of(r->asked->to, &r->to);
    TR_TRY(check_lengths(r, err));
    TR_TRY(rename_terms(r, err));
    if (r->counts.joined) /* rows of predicates become one another's */
        TR_TRY(tr_graph_bare_fill(r->db, err));
    for (size_t i = 0; r->counts.joined && i < TR_LEN(join_steps); i++)
        TR_TRY(tr_db_exec(r->db, join_steps[i], err));
    if (r->counts.joined) /* keys have the ids of what they refer to */
        TR_TRY(tr_graph_value_set_drop(r->db, err));
    return rename_texts(r, err);
}

static tr_status run(struct rename *r, struct tr_err *err)
{
    const struct tr_graph_renaming *asked = r->asked;
    TR_TRY(tr_db_begin(r->db, TR_DB_WRITE, err));
    TR_TRY(choose_from(r, err));
    if (r->is_done)
        return TR_OK;
    if (r->counts.from[0])
        TR_TRY(rewrite(r, err));
    TR_TRY(tr_graph_owner_remember(r->db, asked->to, err));
    TR_TRY(tr_graph_epoch_raise(r->db, err));
    if (asked->is_dry)
        return TR_OK;
    if (asked->landed)
        TR_TRY(asked->landed(asked->data, r->db, r->counts.from, err));
    return tr_db_commit(r->db, err);
}

tr_status tr_graph_rename(const char *path,
                          const struct tr_graph_renaming *renaming,
                          struct tr_graph_renamed *out, struct tr_err *err)
{
    struct rename r = {.asked = renaming};
    TR_TRY(tr_db_open(path, NULL, &r.db, err));
    tr_buf_init(&r.joins, TR_LIMIT_GRAPH_TABLE);
    tr_status status = run(&r, err);
    tr_buf_done(&r.joins);
    tr_db_close(r.db);
    if (status == TR_OK)
        *out = r.counts;
    return status;
}
