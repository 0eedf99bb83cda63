/*
 * A store is fitted to an app: what it says of the past is put right. At a
 * start with the declarations of last time that has been done, and nothing is
 * looked at.
 */
#include "server/fit.h"

#include "base/log.h"
#include "cap/snapshot.h"
#include "crypto/digest.h"
#include "graph/store.h"
#include "graph/upkeep.h"
#include "respell/respell.h"
#include "server/app.h"
#include "server/published.h"
#include "values/build.h"

static void add_deprecated(const struct tr_cap_snapshot *snapshot,
                           struct tr_crypto_siphash *sip)
{
    for (size_t i = 0; i < tr_cap_snapshot_counts(snapshot).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        if (cap->version_status != TR_CAP_VERSION_DEPRECATED)
            continue;
        tr_crypto_siphash_add(sip, TR_STR("\n"));
        tr_crypto_siphash_add(sip, cap->id);
    }
}

int64_t tr_server_fit_digest(const struct tr_model *model,
                             const struct tr_cap_snapshot *snapshot)
{
    static const struct tr_crypto_siphash_key key = {0, 0}; /* no secret */
    struct tr_crypto_siphash sip;
    unsigned char out[TR_CRYPTO_SIPHASH_BYTES];
    int64_t digest;
    tr_crypto_siphash_init(&sip, &key);
    tr_respell_digest(model, &sip);
    tr_crypto_siphash_add(&sip, TR_STR("\n"));
    tr_values_digest(model, &sip);
    if (snapshot)
        add_deprecated(snapshot, &sip);
    tr_crypto_siphash_done(&sip, out);
    memcpy(&digest, out, sizeof(digest));
    return digest ? digest : 1;
}

/* What is done, and told. ------------------------------------------------- */

struct fitting {
    struct tr_graph_store *store;
    const struct tr_cap_snapshot *snapshot;
    const struct tr_model *model;
    int64_t declared;
    struct tr_db *db;
};

static void spell(const struct fitting *fitting)
{
    struct tr_respell_done respelt;
    struct tr_err err = {0};
    tr_status status =
        tr_respell_store(fitting->db, fitting->model, &respelt, &err);
    if (respelt.values)
        tr_graph_store_raise_generation(fitting->store);
    if (status != TR_OK)
        tr_log(TR_LOG_WARN,
               "the values of the store cannot be put into their canonical "
               "form: some may not be found",
               TR_LOG_TEXT("error", tr_str_from(err.msg)));
    else if (respelt.values)
        tr_log(TR_LOG_INFO,
               "values of the store were put into their canonical form",
               TR_LOG_INT("values", (int64_t)respelt.values));
    if (respelt.clash[0])
        tr_log(TR_LOG_WARN, "values that must be unique are not",
               TR_LOG_TEXT("error", tr_str_from(respelt.clash)));
}

static void tell_rows(void *data, uint64_t rows)
{
    (void)data;
    tr_log(TR_LOG_INFO, "indexes are being built",
           TR_LOG_INT("rows", (int64_t)rows));
}

static void index_values(const struct fitting *fitting)
{
    struct tr_values_wanted asked = {.model = fitting->model,
                                     .told = tell_rows};
    struct tr_values_built indexed;
    struct tr_err err = {0};
    tr_status status = tr_values_sync(fitting->db, &asked, &indexed, &err);
    if (status != TR_OK) {
        tr_log(TR_LOG_WARN,
               "the indexes of the store cannot be built: some queries scan",
               TR_LOG_TEXT("error", tr_str_from(err.msg)));
        return;
    }
    if (indexed.built + indexed.dropped == 0)
        return;
    tr_graph_store_raise_generation(fitting->store);
    tr_log(TR_LOG_INFO, "the indexes of the store are as the app has them",
           TR_LOG_INT("built", (int64_t)indexed.built),
           TR_LOG_INT("dropped", (int64_t)indexed.dropped),
           TR_LOG_INT("rows", (int64_t)indexed.rows));
}

/* Another process may have fitted it to another app meanwhile: what is noted is
 * looked at once more, where nobody else writes. */
static tr_status note(const struct fitting *fitting, struct tr_err *err)
{
    bool is_spelling_due = false;
    bool is_index_due = false;
    TR_TRY(
        tr_respell_is_due(fitting->db, fitting->model, &is_spelling_due, err));
    TR_TRY(tr_values_is_due(fitting->db, fitting->model, &is_index_due, err));
    if (is_spelling_due || is_index_due)
        return TR_OK;
    TR_TRY(tr_graph_fit_note(fitting->db, fitting->declared, err));
    return tr_db_commit(fitting->db, err);
}

/* A store where that fails is looked through again at the next start. */
static void keep(const struct fitting *fitting)
{
    struct tr_err err = {0};
    tr_status status = tr_db_begin(fitting->db, TR_DB_WRITE, &err);
    if (status == TR_OK)
        status = note(fitting, &err);
    tr_db_rollback(fitting->db);
    if (status != TR_OK)
        tr_log(TR_LOG_DEBUG, "what the store was fitted to is not kept",
               TR_LOG_TEXT("error", tr_str_from(err.msg)));
}

/* Since when the app advises against what. */
static bool note_times(const struct fitting *fitting)
{
    struct tr_err err = {0};
    tr_status status =
        tr_server_published_note(fitting->db, fitting->snapshot, &err);
    tr_db_rollback(fitting->db);
    if (status != TR_OK)
        tr_log(TR_LOG_WARN,
               "since when capabilities are deprecated is not kept",
               TR_LOG_TEXT("error", tr_str_from(err.msg)));
    return status == TR_OK;
}

static bool fits(const struct fitting *fitting)
{
    bool out = false;
    tr_status status =
        tr_graph_fit_read(fitting->db, fitting->declared, &out, NULL);
    return status == TR_OK && out;
}

static void look_through(const struct fitting *fitting)
{
    tr_log(
        TR_LOG_DEBUG, "the store is looked through for the app",
        TR_LOG_TEXT("file", tr_str_from(tr_graph_store_path(fitting->store))));
    spell(fitting);
    index_values(fitting);
    if (note_times(fitting))
        keep(fitting);
}

void tr_server_app_fit(struct tr_graph_store *store,
                       const struct tr_cap_snapshot *snapshot)
{
    struct fitting fitting = {.store = store,
                              .snapshot = snapshot,
                              .model = tr_cap_snapshot_model(snapshot),
                              .declared = tr_server_fit_digest(
                                  tr_cap_snapshot_model(snapshot), snapshot)};
    struct tr_err err = {0};
    if (tr_graph_store_is_read_only(store))
        return; /* it stays as it is */
    if (tr_db_open(tr_graph_store_path(store), NULL, &fitting.db, &err) !=
        TR_OK) {
        tr_log(TR_LOG_WARN, "the store cannot be fitted to the app",
               TR_LOG_TEXT("error", tr_str_from(err.msg)));
        return;
    }
    if (!fits(&fitting))
        look_through(&fitting);
    tr_db_close(fitting.db);
}
