#include "graph/owner.h"

#include "base/ascii.h"
#include "base/reserved.h"
#include "graph/store.h"
#include "graph/term_id.h"

#include <unistd.h>

/* Keys of IRIs are their tag and their text (graph/term_key.h). */
#define START  "\1trails://"
#define BEHIND "\1trails:/0" /* behind all that begin so */

void tr_graph_span_of(tr_str name, struct tr_graph_span *out)
{
    _Static_assert(TR_GRAPH_TAG_IRI == 1, "what START begins with");
    int len = snprintf(out->low, sizeof(out->low), START "%.*s/", TR_FMT(name));
    memcpy(out->high, out->low, sizeof(out->high));
    out->len = (size_t)len;
    out->high[out->len - 1] = '/' + 1;
}

/* What is remembered ------------------------------------------------------ */

static tr_status has_table(struct tr_db *db, bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(
        db, "SELECT 1 FROM sqlite_master WHERE name = 'project' LIMIT 1", &stmt,
        err));
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

static void copy_name(tr_str name, char out[TR_GRAPH_NAME_BYTES])
{
    (void)snprintf(out, TR_GRAPH_NAME_BYTES, "%.*s", TR_FMT(name));
}

static tr_status read_remembered(struct tr_db *db, struct tr_graph_owner *out,
                                 struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(has_table(db, &out->is_remembered, err));
    if (!out->is_remembered)
        return TR_OK;
    TR_TRY(tr_db_prepare(db, "SELECT name FROM project", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &out->is_remembered, err));
    if (!out->is_remembered)
        return TR_OK;
    copy_name(tr_db_column_text(stmt, 0), out->name);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_graph_owner_remember(struct tr_db *db, tr_str name,
                                  struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db, "INSERT OR REPLACE INTO project VALUES (1, ?1)",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, name);
    return tr_db_stmt_run(stmt, err);
}

/* What its IRIs say ------------------------------------------------------- */

static bool is_name(tr_str text)
{
    bool fits = text.len > 0 && text.len < TR_GRAPH_NAME_BYTES &&
                text.ptr[0] != '-' && !tr_reserved_uri(text);
    for (size_t i = 0; fits && i < text.len; i++)
        fits = tr_ascii_is_lower(text.ptr[i]) ||
               tr_ascii_is_digit(text.ptr[i]) || text.ptr[i] == '-';
    return fits;
}

/* Others may only be mentioned, or be what a deleted node has left. */
static tr_status has_nodes(struct tr_db *db, tr_str name, bool *out,
                           struct tr_err *err)
{
    struct tr_graph_span span = {0};
    struct tr_db_stmt *stmt;
    bool row;
    tr_graph_span_of(name, &span);
    TR_TRY(tr_db_prepare(
        db,
        "SELECT EXISTS (SELECT 1 FROM term JOIN node ON s = id"
        " WHERE key >= ?1 AND key < ?2)"
        " OR EXISTS (SELECT 1 FROM term JOIN type_count ON type = id"
        " WHERE count > 0 AND key >= ?1 AND key < ?2)",
        &stmt, err));
    tr_db_bind_blob(stmt, 1, (tr_str){span.low, span.len});
    tr_db_bind_blob(stmt, 2, (tr_str){span.high, span.len});
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = tr_db_column_i64(stmt, 0) != 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status note_name(struct tr_db *db, tr_str name,
                           struct tr_graph_owner *out, struct tr_err *err)
{
    bool counts = is_name(name);
    if (counts)
        TR_TRY(has_nodes(db, name, &counts, err));
    if (counts)
        copy_name(name, out->name[0] ? out->other : out->name);
    return TR_OK;
}

/* Reads the first name at or behind `from`, and moves that behind all IRIs of
 * the name: there are few names, and each costs one look into the index. */
static tr_status read_next(struct tr_db *db, struct tr_buf *from,
                           struct tr_buf *name, bool *found, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(db,
                         "SELECT key FROM term WHERE key >= ?1 AND key < ?2"
                         " ORDER BY key LIMIT 1",
                         &stmt, err));
    tr_db_bind_blob(stmt, 1, tr_buf_str(from));
    tr_db_bind_blob(stmt, 2, TR_STR(BEHIND));
    TR_TRY(tr_db_stmt_step(stmt, found, err));
    if (!*found)
        return TR_OK;
    tr_str rest = tr_str_skip(tr_db_column_blob(stmt, 0), sizeof(START) - 1);
    tr_str text = rest;
    tr_str path;
    bool has_path = tr_str_cut(rest, '/', &text, &path);
    tr_buf_clear(name);
    tr_buf_clear(from);
    tr_buf_put(from, TR_STR(START));
    tr_buf_put(from, text);
    tr_buf_putc(from, has_path ? '/' + 1 : '\0');
    if (has_path)
        tr_buf_put(name, text);
    tr_db_stmt_reset(stmt);
    TR_TRY(tr_buf_check(name, err));
    return tr_buf_check(from, err);
}

static tr_status find_names(struct tr_db *db, struct tr_graph_owner *out,
                            struct tr_err *err)
{
    struct tr_buf from;
    struct tr_buf name;
    bool found = true;
    tr_buf_init(&from, TR_LIMIT_RDF_TERM + TR_KIB(4));
    tr_buf_init(&name, TR_LIMIT_RDF_TERM + TR_KIB(4));
    tr_buf_put(&from, TR_STR(START));
    tr_status status = tr_buf_check(&from, err);
    while (status == TR_OK && found && !out->other[0]) {
        status = read_next(db, &from, &name, &found, err);
        if (status == TR_OK && found)
            status = note_name(db, tr_buf_str(&name), out, err);
    }
    tr_buf_done(&from);
    tr_buf_done(&name);
    return status;
}

tr_status tr_graph_owner_read(struct tr_db *db, struct tr_graph_owner *out,
                              struct tr_err *err)
{
    int64_t version = 0;
    *out = (struct tr_graph_owner){0};
    TR_TRY(tr_db_version(db, &version, err));
    TR_TRY(read_remembered(db, out, err));
    return version == 0 || out->is_remembered ? TR_OK
                                              : find_names(db, out, err);
}

tr_status tr_graph_owner_peek(const char *folder, struct tr_graph_owner *out,
                              struct tr_err *err)
{
    char path[TR_LIMIT_PATH_BYTES + 16];
    struct tr_db_opts opts = {.read_only = tr_graph_store_is_closed(folder)};
    struct tr_db *db = NULL;
    *out = (struct tr_graph_owner){0};
    (void)snprintf(path, sizeof(path), "%s/graph.db", folder);
    if (access(path, F_OK) != 0)
        return TR_OK;
    TR_TRY(tr_db_open(path, &opts, &db, err));
    tr_status status = tr_graph_owner_read(db, out, err);
    tr_db_close(db);
    return status;
}

/* Claiming ---------------------------------------------------------------- */

bool tr_graph_owner_is_other(const struct tr_graph_owner *owner, tr_str name)
{
    return owner->other[0] ||
           (owner->name[0] && !tr_str_eq(tr_str_from(owner->name), name));
}

tr_status tr_graph_owner_check(struct tr_db *db, const char *name,
                               struct tr_err *err)
{
    struct tr_graph_owner owner;
    if (!name[0])
        return TR_OK;
    TR_TRY(tr_graph_owner_read(db, &owner, err));
    return tr_graph_owner_is_other(&owner, tr_str_from(name))
               ? tr_fail(err, TR_E_UNAVAILABLE,
                         "the store is of project '%s' now, not of '%s'",
                         owner.name, name)
               : TR_OK;
}

static tr_status claim(struct tr_db *db, tr_str name, bool is_read_only,
                       struct tr_graph_owner *out, struct tr_err *err)
{
    TR_TRY(tr_db_begin(db, is_read_only ? TR_DB_READ : TR_DB_WRITE, err));
    TR_TRY(tr_graph_owner_read(db, out, err));
    if (tr_graph_owner_is_other(out, name))
        return tr_fail(err, TR_E_CONFLICT, "the store is of project '%s'",
                       out->name);
    if (out->is_remembered || is_read_only)
        return TR_OK;
    copy_name(name, out->name);
    TR_TRY(tr_graph_owner_remember(db, name, err));
    return tr_db_commit(db, err);
}

tr_status tr_graph_owner_claim(struct tr_db *db, tr_str name, bool is_read_only,
                               struct tr_graph_owner *out, struct tr_err *err)
{
    *out = (struct tr_graph_owner){0};
    TR_TRY(read_remembered(db, out, err));
    if (out->is_remembered && !tr_graph_owner_is_other(out, name))
        return TR_OK; /* as nearly always: nobody has to wait for the lock */
    tr_status status = claim(db, name, is_read_only, out, err);
    tr_db_rollback(db);
    return status;
}
