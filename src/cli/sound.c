#include "cli/sound.h"

#include "base/limits.h"
#include "db/db.h"
#include "graph/store.h"

#include <unistd.h>

struct looking {
    const struct tr_cli_sound_asked *asked;
    struct tr_cli_sound *out;
};

static tr_status take(void *context, const struct tr_audit_finding *finding,
                      struct tr_err *err)
{
    struct looking *look = context;
    struct tr_arena *arena = look->asked->arena;
    struct tr_audit_finding own = *finding;
    if (!tr_arena_copy(arena, finding->message, &own.message) ||
        !tr_arena_copy(arena, finding->fix, &own.fix) ||
        !tr_vec_push(arena, &look->out->items, own))
        return tr_fail(err, TR_E_NOMEM, "no memory for a check of the store");
    look->out->has_failed |= finding->health == TR_AUDIT_FAIL;
    return TR_OK;
}

/* What says why a store cannot be looked at is a finding of its own. */
static tr_status take_failure(struct looking *look, const char *id,
                              const struct tr_err *why, struct tr_err *err)
{
    struct tr_audit_finding finding = {
        .id = id, .health = TR_AUDIT_FAIL, .message = tr_str_from(why->msg)};
    return take(look, &finding, err);
}

static tr_status look_inside(struct looking *look, struct tr_db *db,
                             struct tr_err *err)
{
    const struct tr_audit_sink sink = {take, look};
    const struct tr_audit_opts opts = {
        .max_bytes = look->asked->is_whole ? 0 : TR_LIMIT_CHECK_BYTES};
    TR_TRY(tr_db_begin(db, TR_DB_READ, err));
    tr_status status = tr_audit_store(db, &opts, &sink, err);
    tr_db_rollback(db);
    return status;
}

/* One of a newer version has to be left alone: what it keeps is not known. An
 * older one can be looked at, and is not brought up to date for that. */
tr_status tr_cli_sound_refuse_newer(const char *folder, struct tr_err *err)
{
    const struct tr_graph_store_opts opts = {.folder = folder,
                                             .db.read_only = true};
    struct tr_graph_store *store = NULL;
    tr_status status = tr_graph_store_open(&opts, &store, err);
    tr_graph_store_close(store);
    return status == TR_E_UNSUPPORTED ? status : TR_OK;
}

static tr_status look_at(struct looking *look, const char *folder,
                         const char *path, struct tr_err *err)
{
    const struct tr_db_opts opts = {.read_only =
                                        tr_graph_store_is_closed(folder)};
    struct tr_db *db = NULL;
    struct tr_err why = {0};
    if (tr_cli_sound_refuse_newer(folder, &why) != TR_OK)
        return take_failure(look, "store.version", &why, err);
    tr_status status = tr_db_open(path, &opts, &db, &why);
    if (status == TR_OK)
        status = look_inside(look, db, &why);
    tr_db_close(db);
    return status == TR_OK ? TR_OK
                           : take_failure(look, "store.integrity", &why, err);
}

tr_status tr_cli_sound_find(const struct tr_cli_sound_asked *asked,
                            struct tr_cli_sound *out, struct tr_err *err)
{
    struct looking look = {asked, out};
    char folder[TR_LIMIT_PATH_BYTES];
    char path[TR_LIMIT_PATH_BYTES + 16];
    *out = (struct tr_cli_sound){0};
    TR_TRY(tr_server_app_store(asked->app, folder, sizeof(folder), err));
    (void)snprintf(path, sizeof(path), "%s/graph.db", folder);
    return access(path, F_OK) == 0 ? look_at(&look, folder, path, err) : TR_OK;
}
