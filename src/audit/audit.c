#include "audit/audit.h"

#include "base/buf.h"
#include "base/limits.h"
#include "db/db.h"
#include "json/writer.h"
#include "respell/respell.h"
#include "values/build.h"

#define RESTORE TR_STR("restore a backup: trails restore")
#define START   TR_STR("start the server where it can write to its store")

struct auditing {
    struct tr_db *db;
    const struct tr_audit_opts *opts;
    const struct tr_audit_sink *sink;
    bool is_whole; /* all of it is looked at */
};

static tr_status tell(const struct auditing *a, struct tr_audit_finding finding,
                      struct tr_err *err)
{
    return a->sink->take(a->sink->context, &finding, err);
}

static tr_status fail(const struct auditing *a, const char *id, tr_str message,
                      struct tr_err *err)
{
    struct tr_audit_finding finding = {id, TR_AUDIT_FAIL, message, RESTORE};
    return tell(a, finding, err);
}

static tr_status warn(const struct auditing *a, const char *id, tr_str message,
                      struct tr_err *err)
{
    struct tr_audit_finding finding = {id, TR_AUDIT_WARN, message, START};
    return tell(a, finding, err);
}

/* A store that cannot be read is a finding; that we have no memory is none. */
static tr_status pass_on(tr_status status, const struct tr_err *why,
                         struct tr_err *err)
{
    return status == TR_E_NOMEM ? tr_fail(err, status, "%s", why->msg) : TR_OK;
}

/* The file ----------------------------------------------------------------- */

/* A check of SQLite; TR_E_IO says what it has found. */
static tr_status check_pages(struct tr_db *db, const char *sql,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    tr_status status = TR_OK;
    bool row = false;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    tr_str said = row ? tr_db_column_text(stmt, 0) : TR_STR("no answer");
    if (!tr_str_eq(said, TR_STR("ok")))
        status = tr_fail(err, TR_E_IO, "%.*s", TR_FMT(said));
    if (row)
        tr_db_stmt_reset(stmt);
    return status;
}

/*
 * One small table that most writes change is always looked at. All of the store
 * is when it is no larger than it may be, and the message says which it was.
 */
static tr_status check_file(struct auditing *a, bool *is_well,
                            struct tr_err *err)
{
    struct tr_err why = {0};
    uint64_t bytes = 0;
    struct tr_audit_finding finding = {
        .id = "store.integrity",
        .message = TR_STR("the counts of types can be read; all of a store of "
                          "this size is read by trails check --store")};
    tr_status status = tr_db_size(a->db, &bytes, &why);
    a->is_whole = !a->opts->max_bytes || bytes <= a->opts->max_bytes;
    if (a->is_whole)
        finding.message = TR_STR("the whole store can be read");
    if (status == TR_OK)
        status = check_pages(a->db, "PRAGMA quick_check(type_count)", &why);
    if (status == TR_OK && a->is_whole)
        status = check_pages(a->db, "PRAGMA quick_check(1)", &why);
    TR_TRY(pass_on(status, &why, err));
    *is_well = status == TR_OK;
    return *is_well ? tell(a, finding, err)
                    : fail(a, finding.id, tr_str_from(why.msg), err);
}

/* What it says ------------------------------------------------------------- */

/* Of the tables that are compared, this one came last. */
static tr_status is_older(struct tr_db *db, bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    TR_TRY(tr_db_prepare(db, "SELECT 1 FROM sqlite_schema WHERE name = 'bare'",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (row)
        tr_db_stmt_reset(stmt);
    *out = !row;
    return TR_OK;
}

static tr_status tell_older(const struct auditing *a, struct tr_err *err)
{
    struct tr_audit_finding finding = {
        .id = "store.version",
        .health = TR_AUDIT_WARN,
        .message = TR_STR("the store is of an older version: what it says can "
                          "be compared when it was opened"),
        .fix = START};
    return tell(a, finding, err);
}

/* A store that was opened with this app, and could be written, was put right.
 */
static tr_status check_spelling(const struct auditing *a, struct tr_err *err)
{
    struct tr_err why = {0};
    bool due = true;
    tr_status status = tr_respell_is_due(a->db, a->opts->model, &due, &why);
    TR_TRY(pass_on(status, &why, err));
    if (status == TR_OK && !due)
        return TR_OK;
    return warn(a, "store.spelling",
                TR_STR("values of declared fields may be in several spellings: "
                       "filters may not find them all"),
                err);
}

/* As the spelling: built when the store was opened. */
static tr_status check_declared(const struct auditing *a, struct tr_err *err)
{
    struct tr_err why = {0};
    bool due = true;
    tr_status status = tr_values_is_due(a->db, a->opts->model, &due, &why);
    TR_TRY(pass_on(status, &why, err));
    if (status == TR_OK && !due)
        return TR_OK;
    return warn(a, "store.indexes",
                TR_STR("the store has other indexes than the app declares: "
                       "some queries scan"),
                err);
}

/* One line for each kind of fault. */
static tr_status tell_faults(const struct auditing *a,
                             const struct tr_audit_compared *found,
                             struct tr_err *err)
{
    const struct tr_audit_finding well = {
        .id = "store.indexes",
        .message = TR_STR("indexes and counts say what the nodes say")};
    char text[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf line;
    if (!(found->extra + found->missing + found->unknown + found->counted))
        return tell(a, well, err);
    tr_buf_init_fixed(&line, text, sizeof(text));
    if (found->extra + found->missing) {
        tr_buf_putf(&line,
                    "rows of indexes do not say what the nodes say: %llu too "
                    "many, %llu missing",
                    (unsigned long long)found->extra,
                    (unsigned long long)found->missing);
        TR_TRY(fail(a, "store.indexes", tr_buf_str(&line), err));
        tr_buf_clear(&line);
    }
    if (found->unknown) {
        tr_buf_putf(&line, "%llu statements have a term that is not there",
                    (unsigned long long)found->unknown);
        TR_TRY(fail(a, "store.terms", tr_buf_str(&line), err));
        tr_buf_clear(&line);
    }
    if (!found->counted)
        return TR_OK;
    tr_buf_putf(&line, "%llu types have another number of nodes than is kept",
                (unsigned long long)found->counted);
    return fail(a, "store.counts", tr_buf_str(&line), err);
}

static tr_status check_tables(const struct auditing *a, struct tr_err *err)
{
    struct tr_audit_compared found;
    struct tr_err why = {0};
    tr_status status = tr_audit_compare(a->db, &found, &why);
    TR_TRY(pass_on(status, &why, err));
    return status == TR_OK
               ? tell_faults(a, &found, err)
               : fail(a, "store.indexes", tr_str_from(why.msg), err);
}

tr_status tr_audit_store(struct tr_db *db, const struct tr_audit_opts *opts,
                         const struct tr_audit_sink *sink, struct tr_err *err)
{
    struct auditing a = {.db = db, .opts = opts, .sink = sink};
    bool is_well = false;
    bool older = false;
    TR_TRY(check_file(&a, &is_well, err));
    if (is_well)
        TR_TRY(is_older(db, &older, err));
    if (older)
        return tell_older(&a, err);
    if (opts->model) {
        TR_TRY(check_spelling(&a, err));
        TR_TRY(check_declared(&a, err));
    }
    return is_well && a.is_whole ? check_tables(&a, err) : TR_OK;
}

tr_str tr_audit_health_name(enum tr_audit_health health)
{
    static const tr_str names[] = {TR_STR_INIT("ok"), TR_STR_INIT("warn"),
                                   TR_STR_INIT("fail")};
    return names[health];
}

void tr_audit_finding_write(struct tr_json_writer *w,
                            const struct tr_audit_finding *finding)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "id", tr_str_from(finding->id));
    tr_jw_put_string(w, "status", tr_audit_health_name(finding->health));
    tr_jw_put_string(w, "message", finding->message);
    if (finding->fix.len)
        tr_jw_put_string(w, "fix", finding->fix);
    tr_jw_close(w, '}');
}
