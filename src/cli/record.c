#include "cli/record.h"

#include "access/authority.h"
#include "base/time.h"
#include "db/db.h"
#include "graph/store.h"
#include "prov/writer.h"

#include <pwd.h>
#include <unistd.h>

tr_str tr_cli_user(char room[TR_CLI_USER_BYTES])
{
    char text[4096];
    struct passwd entry;
    struct passwd *found = NULL;
    unsigned long uid = (unsigned long)getuid();
    if (getpwuid_r(getuid(), &entry, text, sizeof(text), &found) == 0 && found)
        (void)snprintf(room, TR_CLI_USER_BYTES, TR_ACCESS_LOCAL "%s",
                       found->pw_name);
    else
        (void)snprintf(room, TR_CLI_USER_BYTES, TR_ACCESS_LOCAL "%lu", uid);
    return tr_str_from(room);
}

tr_status tr_cli_record_begin(struct tr_cli_record *out, const char *command,
                              struct tr_err *err)
{
    struct tr_crypto_uuid_maker uuids = {0};
    tr_time now = tr_time_now();
    *out = (struct tr_cli_record){.started_ns = tr_time_ticks_ns()};
    out->activity = (struct tr_prov_activity){
        .kind = TR_PROV_ACTIVITY_COMMAND,
        .name = tr_str_from(command),
        .principal = tr_cli_user(out->user),
        .started_us = now.seconds * 1000000 + now.nanos / 1000,
        .wrote = true,
    };
    return tr_crypto_uuid_maker_next(&uuids, out->activity.started_us,
                                     out->activity.id, err);
}

tr_status tr_cli_record_write(struct tr_cli_record *record, struct tr_db *db,
                              struct tr_err *err)
{
    struct tr_prov_writer *writer = NULL;
    TR_TRY(tr_prov_writer_create(&writer, err));
    record->activity.took_us = (tr_time_ticks_ns() - record->started_ns) / 1000;
    tr_status status = tr_prov_write(writer, db, &record->activity, err);
    tr_prov_writer_free(writer);
    return status;
}

tr_status tr_cli_record_add(struct tr_cli_record *record,
                            const struct tr_graph_store *store,
                            struct tr_err *err)
{
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(tr_graph_store_path(store), NULL, &db, err));
    tr_status status = tr_db_begin(db, TR_DB_WRITE, err);
    if (status == TR_OK)
        status = tr_cli_record_write(record, db, err);
    if (status == TR_OK)
        status = tr_db_commit(db, err);
    tr_db_close(db);
    return status;
}
