#include "builtin/doctor.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "db/db.h"
#include "graph/upkeep.h"
#include "query/scans.h"
#include "respell/respell.h"
#include "schema/lint.h"
#include "values/build.h"
#include "values/index.h"

#define NAMES   "mcp.names"
#define SCHEMAS "mcp.schemas"

enum health { WELL, WARN, FAIL };

struct check {
    const char *id; /* "store.integrity", ... */
    enum health health;
    tr_str message;
    tr_str fix; /* what to do about it, or empty */
};

struct checkup {
    TR_VEC(struct check) checks;
    enum health health; /* the worst of them */
};

struct examining {
    const struct tr_cap_snapshot *snapshot;
    const struct tr_model *model; /* as the caller sees it */
    struct tr_db *db;
    struct tr_arena *arena;
    struct checkup *out;
    unsigned scopes; /* of who asks: tools that it cannot see are left out */
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a check");
}

static tr_status report(struct examining *e, struct check check,
                        struct tr_err *err)
{
    if (check.health > e->out->health)
        e->out->health = check.health;
    if (!tr_arena_copy(e->arena, check.message, &check.message) ||
        !tr_arena_copy(e->arena, check.fix, &check.fix) ||
        !tr_vec_push(e->arena, &e->out->checks, check))
        return fail_memory(err);
    return TR_OK;
}

/* Holds whenever there is a snapshot, which a broken configuration prevents. */
static tr_status check_config(struct examining *e, struct tr_err *err)
{
    return report(e,
                  (struct check){.id = "config.parse",
                                 .message = TR_STR("trails.toml and the "
                                                   "environment are in "
                                                   "force")},
                  err);
}

static tr_status check_shapes(struct examining *e, struct tr_err *err)
{
    const struct tr_model *model = e->model;
    char text[96];
    int len = snprintf(text, sizeof(text),
                       "%zu node types and %zu shapes are in force",
                       model->count, model->shapes->count);
    return report(
        e, (struct check){.id = "shapes.valid", .message = {text, (size_t)len}},
        err);
}

/* Whether a check of SQLite finds nothing; otherwise `why` says what. */
static bool is_sound(struct tr_db *db, const char *sql, struct tr_err *why)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    if (tr_db_prepare(db, sql, &stmt, why) != TR_OK ||
        tr_db_stmt_step(stmt, &row, why) != TR_OK)
        return false;
    tr_str said = row ? tr_db_column_text(stmt, 0) : TR_STR("no answer");
    bool is_ok = tr_str_eq(said, TR_STR("ok"));
    if (!is_ok) {
        tr_status ignored = tr_fail(why, TR_E_IO, "%.*s", TR_FMT(said));
        (void)ignored;
    }
    if (row)
        tr_db_stmt_reset(stmt);
    return is_ok;
}

/*
 * One small table that most writes change is always looked at. All of the store
 * is when that takes milliseconds, and the message says which it was.
 */
static tr_status check_store(struct examining *e, struct tr_err *err)
{
    uint64_t bytes = 0;
    struct tr_err why = {0};
    struct check check = {.id = "store.integrity"};
    bool is_sound_now = tr_db_size(e->db, &bytes, &why) == TR_OK;
    bool is_small = bytes <= TR_LIMIT_DOCTOR_BYTES;
    check.message = is_small
                        ? TR_STR("the whole store can be read")
                        : TR_STR("the counts of types can be read; all of a "
                                 "store of this size is read by trails "
                                 "backup");
    is_sound_now =
        is_sound_now &&
        is_sound(e->db, "PRAGMA quick_check(type_count)", &why) &&
        (!is_small || is_sound(e->db, "PRAGMA quick_check(1)", &why));
    if (!is_sound_now) {
        check.health = FAIL;
        check.message = tr_str_from(why.msg);
        check.fix = TR_STR("restore a backup: trails restore");
    }
    return report(e, check, err);
}

/* Said only when something is wrong: a store that was opened with this app, and
 * could be written, was put right. One without the table cannot be written. */
static tr_status check_spelling(struct examining *e, struct tr_err *err)
{
    const struct tr_model *model = tr_cap_snapshot_model(e->snapshot);
    bool due = true;
    if (tr_graph_respell_is_due(e->db, model, &due, NULL) == TR_OK && !due)
        return TR_OK;
    return report(
        e,
        (struct check){.id = "store.spelling",
                       .health = WARN,
                       .message = TR_STR("values of declared fields may be in "
                                         "several spellings: filters may not "
                                         "find them all"),
                       .fix = TR_STR("start the server where it can write to "
                                     "its store")},
        err);
}

/* As the spelling: built when the store was opened. A small store is compared
 * with its quads. */
static tr_status check_indexes(struct examining *e, struct tr_err *err)
{
    const struct tr_model *model = tr_cap_snapshot_model(e->snapshot);
    struct tr_graph_value_checked found = {0};
    struct check check = {.id = "store.indexes"};
    uint64_t bytes = 0;
    bool due = true;
    if (tr_graph_value_is_due(e->db, model, &due, NULL) != TR_OK || due) {
        check.health = WARN;
        check.message = TR_STR("the store has other indexes than the app "
                               "declares: some queries scan");
        check.fix = TR_STR("start the server where it can write to its store");
        return report(e, check, err);
    }
    TR_TRY(tr_db_size(e->db, &bytes, err));
    if (bytes <= TR_LIMIT_DOCTOR_BYTES)
        TR_TRY(tr_graph_value_check(e->db, &found, err));
    if (found.extra + found.missing == 0)
        return TR_OK;
    check.health = FAIL;
    check.message = TR_STR("rows of indexes do not say what the nodes say");
    check.fix = TR_STR("restore a backup: trails restore");
    return report(e, check, err);
}

static tr_status report_finding(struct examining *e, const struct tr_cap *cap,
                                const struct tr_schema_finding *finding,
                                struct tr_err *err)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf message;
    tr_buf_init_fixed(&message, text, sizeof(text));
    tr_buf_putf(&message, "%.*s: ", TR_FMT(cap->id));
    tr_schema_finding_put(&message, finding);
    return report(e,
                  (struct check){.id = finding->is_name ? NAMES : SCHEMAS,
                                 .health = WARN,
                                 .message = tr_buf_str(&message),
                                 .fix = tr_str_from(finding->fix)},
                  err);
}

static tr_status report_good(struct examining *e, const char *id,
                             const char *message, struct tr_err *err)
{
    return report(e, (struct check){.id = id, .message = tr_str_from(message)},
                  err);
}

/* Reports what some clients are known to refuse, as it was found when the app
 * was registered. */
static tr_status check_tools(struct examining *e, struct tr_err *err)
{
    size_t count = tr_cap_snapshot_counts(e->snapshot).caps;
    size_t found[2] = {0}; /* in names, in schemas */
    for (size_t i = 0; i < count; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(e->snapshot, i);
        if (!tr_cap_guard_is_shown(&cap->guard, e->scopes))
            continue;
        for (size_t k = 0; k < cap->finding_count; k++) {
            TR_TRY(report_finding(e, cap, &cap->findings[k], err));
            found[cap->findings[k].is_name ? 0 : 1]++;
        }
    }
    if (!found[0])
        TR_TRY(report_good(e, NAMES, "hosts take the names of all tools", err));
    if (!found[1])
        TR_TRY(report_good(e, SCHEMAS, "hosts take the schemas of all tools",
                           err));
    return TR_OK;
}

/* "filters": a field without an index that queries had to do without. */
static tr_status report_scan(struct examining *e,
                             const struct tr_query_scan *scan,
                             struct tr_err *err)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    char fix[TR_LIMIT_MESSAGE_BYTES];
    tr_str message;
    tr_str how;
    (void)snprintf(text, sizeof(text),
                   "%llu queries by %s.%s have looked at %llu nodes",
                   (unsigned long long)scan->times, scan->type, scan->field,
                   (unsigned long long)scan->looked);
    (void)snprintf(fix, sizeof(fix),
                   "declare index = true for the field %s of %s", scan->field,
                   scan->type);
    if (!tr_arena_copy(e->arena, tr_str_from(text), &message) ||
        !tr_arena_copy(e->arena, tr_str_from(fix), &how))
        return tr_fail(err, TR_E_NOMEM, "no memory for a checkup");
    return report(e,
                  (struct check){.id = "queries.slow",
                                 .health = WARN,
                                 .message = message,
                                 .fix = how},
                  err);
}

/* Of types and fields that the caller sees. */
static tr_status check_scans(struct examining *e, struct tr_query_scans *scans,
                             struct tr_err *err)
{
    struct tr_query_scan found[TR_LIMIT_QUERY_SCANS];
    size_t count = scans ? tr_query_scans_read(scans, found) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct tr_model_type *type =
            tr_model_find(e->model, tr_str_from(found[i].type));
        if (type && tr_shape_find(type->shape, tr_str_from(found[i].field)))
            TR_TRY(report_scan(e, &found[i], err));
    }
    return TR_OK;
}

static tr_status examine(const struct tr_builtin_reply *reply,
                         const struct tr_graph_read_ctx *ctx,
                         struct checkup *out, struct tr_err *err)
{
    struct examining e = {
        reply->call->snapshot, reply->model, ctx->db,
        reply->call->arena,    out,          tr_call_scopes(reply->call)};
    *out = (struct checkup){0};
    TR_TRY(check_config(&e, err));
    TR_TRY(check_shapes(&e, err));
    TR_TRY(check_store(&e, err));
    TR_TRY(check_spelling(&e, err));
    TR_TRY(check_indexes(&e, err));
    TR_TRY(check_scans(&e, ctx->scans, err));
    return check_tools(&e, err);
}

static tr_str name_of(enum health health)
{
    static const tr_str names[] = {TR_STR_INIT("ok"), TR_STR_INIT("warn"),
                                   TR_STR_INIT("fail")};
    return names[health];
}

/* {"status", "checks": [{"id", "status", "message", "fix"}]} */
static void write_checkup(struct tr_json_writer *w,
                          const struct checkup *checkup)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "status", name_of(checkup->health));
    tr_jw_key(w, "checks");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < checkup->checks.count; i++) {
        const struct check *check = &checkup->checks.items[i];
        tr_jw_open(w, '{');
        tr_jw_put_string(w, "id", tr_str_from(check->id));
        tr_jw_put_string(w, "status", name_of(check->health));
        tr_jw_put_string(w, "message", check->message);
        if (check->fix.len)
            tr_jw_put_string(w, "fix", check->fix);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
}

tr_status tr_builtin_render_doctor(struct tr_builtin_reply *reply,
                                   struct tr_err *err)
{
    struct checkup checkup = {0};
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    tr_status status = examine(reply, &ctx, &checkup, err);
    tr_graph_kg_leave(kg);
    TR_TRY(status);
    write_checkup(&reply->writer, &checkup);
    return tr_jw_finish(&reply->writer, err);
}
