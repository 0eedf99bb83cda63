#include "server/published.h"

#include "base/limits.h"
#include "base/time.h"
#include "cap/snapshot.h"
#include "graph/store.h"
#include "json/reader.h"
#include "json/writer.h"
#include "project/view.h"
#include "prov/published.h"
#include "server/app.h"

/* Whether the author says its version: else this program does. */
static bool is_authors(const struct tr_cap *cap)
{
    return !cap->guard.type;
}

static tr_status write_content(const struct tr_cap *cap, struct tr_buf *out,
                               struct tr_err *err)
{
    struct tr_json_writer w;
    tr_buf_clear(out);
    tr_jw_init(&w, out);
    tr_project_put_descriptor(&w, cap);
    return tr_jw_finish(&w, err);
}

static bool is_same(const struct tr_json *left, const struct tr_json *right)
{
    const struct tr_json *const values[] = {left, right};
    struct tr_buf texts[TR_LEN(values)];
    for (size_t i = 0; i < TR_LEN(values); i++) {
        struct tr_json_writer w;
        tr_buf_init(&texts[i], TR_LIMIT_VIEW_BYTES);
        tr_jw_init(&w, &texts[i]);
        if (values[i])
            tr_jw_value(&w, values[i]);
    }
    bool same = tr_str_eq(tr_buf_str(&texts[0]), tr_buf_str(&texts[1]));
    tr_buf_done(&texts[0]);
    tr_buf_done(&texts[1]);
    return same;
}

/* The first field that is another; "" when neither says. */
static tr_str find_other(struct tr_arena *arena, tr_str before, tr_str now)
{
    const struct tr_json *left = NULL;
    const struct tr_json *right = NULL;
    if (tr_json_read(arena, before, NULL, &left, NULL) != TR_OK ||
        tr_json_read(arena, now, NULL, &right, NULL) != TR_OK)
        return TR_STR("");
    for (size_t i = 0; i < right->len; i++) {
        tr_str key = tr_json_text(&right->as.members[i].key);
        if (!is_same(tr_json_find(left, key), &right->as.members[i].value))
            return key;
    }
    return TR_STR("");
}

static tr_status refuse(const struct tr_cap *cap, tr_str before, tr_str now,
                        struct tr_err *err)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_LIMIT_VIEW_BYTES);
    tr_str field = find_other(&arena, before, now);
    (void)tr_fail(err, TR_E_CONFLICT,
                  "capability '%.*s': version %.*s was published with another "
                  "%.*s: give it a new version",
                  TR_FMT(cap->id), TR_FMT(cap->version),
                  TR_FMT(field.len ? field : TR_STR("content")));
    if (err && cap->guard.where.len)
        tr_err_prefix(err, "%.*s", TR_FMT(cap->guard.where));
    tr_arena_done(&arena);
    return TR_E_CONFLICT;
}

/* What is looked through: a store, for a snapshot. */
struct visit {
    struct tr_db *db;
    struct tr_arena arena; /* of one row */
    bool compares;         /* contents, and keeps them; else only times */
    bool keeps;
    int64_t now_s;
    size_t due; /* rows that are not as they have to be */
};

static bool is_deprecated(const struct tr_cap *cap)
{
    return cap->version_status == TR_CAP_VERSION_DEPRECATED;
}

/* Who advises for it again, and against it later, has done so later. */
static tr_status keep(struct visit *visit, const struct tr_cap *cap,
                      const struct tr_prov_published *before, tr_str content,
                      struct tr_err *err)
{
    struct tr_prov_published row = *before;
    int64_t known = 0;
    TR_TRY(tr_prov_deprecated_read(visit->db, cap->id, &known, err));
    int64_t since = !is_deprecated(cap) ? 0 : (known ? known : visit->now_s);
    bool is_kept = since == known;
    if (visit->compares) {
        row = (struct tr_prov_published){cap->version, content};
        is_kept = is_kept && tr_str_eq(before->content, content);
    }
    if (is_kept)
        return TR_OK;
    visit->due++;
    return visit->keeps
               ? tr_prov_published_write(visit->db, cap->id, &row, since, err)
               : TR_OK;
}

/* Refuses what contradicts what the store has. */
static tr_status visit_one(struct visit *visit, const struct tr_cap *cap,
                           struct tr_buf *content, struct tr_err *err)
{
    struct tr_prov_published before;
    tr_str now = {NULL, 0};
    TR_TRY(tr_prov_published_read(visit->db, cap->id, &visit->arena, &before,
                                  err));
    if (visit->compares) {
        TR_TRY(write_content(cap, content, err));
        now = tr_buf_str(content);
        if (is_authors(cap) && tr_str_eq(before.version, cap->version) &&
            !tr_str_eq(before.content, now))
            return refuse(cap, before.content, now, err);
    }
    return visit->now_s ? keep(visit, cap, &before, now, err) : TR_OK;
}

static tr_status visit_all(struct visit *visit,
                           const struct tr_cap_snapshot *snapshot,
                           struct tr_err *err)
{
    size_t count = tr_cap_snapshot_counts(snapshot).caps;
    tr_status status = TR_OK;
    struct tr_buf content;
    tr_arena_init(&visit->arena, TR_LIMIT_VIEW_BYTES);
    tr_buf_init(&content, TR_LIMIT_VIEW_BYTES);
    visit->due = 0;
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        status =
            visit_one(visit, tr_cap_snapshot_cap(snapshot, i), &content, err);
        tr_arena_reset(&visit->arena);
    }
    tr_buf_done(&content);
    tr_arena_done(&visit->arena);
    return status;
}

static bool is_development(const struct tr_server_app *app)
{
    return app->config->project.env == TR_CONFIG_ENV_DEVELOPMENT;
}

/* Where only times are kept, most stores and most apps have none. */
static tr_status needs_look(const struct visit *visit,
                            const struct tr_cap_snapshot *snapshot, bool *out,
                            struct tr_err *err)
{
    *out = visit->compares;
    for (size_t i = 0; !*out && i < tr_cap_snapshot_counts(snapshot).caps; i++)
        *out = is_deprecated(tr_cap_snapshot_cap(snapshot, i));
    return *out ? TR_OK : tr_prov_deprecated_any(visit->db, out, err);
}

/* Looks first, since most starts change nothing and need not wait for who
 * writes; then once more, where nobody else does. */
static tr_status keep_all(struct visit *visit,
                          const struct tr_cap_snapshot *snapshot,
                          bool is_read_only, struct tr_err *err)
{
    bool looks = false;
    TR_TRY(tr_db_begin(visit->db, TR_DB_READ, err));
    TR_TRY(needs_look(visit, snapshot, &looks, err));
    if (looks)
        TR_TRY(visit_all(visit, snapshot, err));
    tr_db_rollback(visit->db);
    if (!looks || !visit->due || is_read_only)
        return TR_OK;
    visit->keeps = true;
    TR_TRY(tr_db_begin(visit->db, TR_DB_WRITE, err));
    TR_TRY(visit_all(visit, snapshot, err));
    return tr_db_commit(visit->db, err);
}

tr_status tr_server_published_note(struct tr_db *db,
                                   const struct tr_cap_snapshot *snapshot,
                                   struct tr_err *err)
{
    struct visit visit = {.db = db, .now_s = tr_time_now().seconds};
    return keep_all(&visit, snapshot, false, err);
}

tr_status tr_server_published_keep(const struct tr_server_app *app,
                                   const struct tr_cap_snapshot *snapshot,
                                   struct tr_graph_store *store,
                                   struct tr_err *err)
{
    bool is_read_only = tr_graph_store_is_read_only(store);
    const struct tr_db_opts opts = {.read_only = is_read_only};
    struct visit visit = {.compares = true, .now_s = tr_time_now().seconds};
    if (is_development(app))
        return TR_OK;
    TR_TRY(tr_db_open(tr_graph_store_path(store), &opts, &visit.db, err));
    tr_status status = keep_all(&visit, snapshot, is_read_only, err);
    tr_db_close(visit.db);
    return status;
}

tr_status tr_server_app_check_published(const struct tr_server_app *app,
                                        const struct tr_cap_snapshot *snapshot,
                                        struct tr_err *err)
{
    struct visit visit = {.compares = true};
    bool has_any = false;
    if (is_development(app))
        return TR_OK;
    TR_TRY(tr_server_app_peek(app, &visit.db, err));
    tr_status status = TR_OK;
    if (visit.db)
        status = tr_server_app_has_table(visit.db, TR_STR("published"),
                                         &has_any, err);
    if (status == TR_OK && has_any)
        status = visit_all(&visit, snapshot, err);
    tr_db_close(visit.db);
    return status;
}
