#include "server/ground.h"

#include "base/log.h"
#include "config/config.h"
#include "loop/loop.h"
#include "prov/log.h"

/* Once, until provenance can be written again. */
static void say_losing(void *data, const struct tr_err *err)
{
    (void)data;
    tr_log(TR_LOG_ERROR, "provenance of reads is being lost",
           TR_LOG_TEXT("error", tr_str_from(err->msg)));
}

struct tr_prov_keep tr_prov_keep_of(const struct tr_config *config)
{
    return (struct tr_prov_keep){.read_days = config->prov.read_days,
                                 .read_rows = config->prov.read_rows};
}

tr_status tr_own_ground_open(struct tr_own_ground *own, struct tr_store *store,
                             struct tr_loop *loop, struct tr_prov_keep keep,
                             struct tr_err *err)
{
    const struct tr_prov_log_opts log = {
        .loop = loop,
        .writer = tr_store_writer(store),
        .names = tr_store_prov(store),
        .keep = keep,
        .losing = say_losing,
    };
    *own = (struct tr_own_ground){.loop = loop};
    own->ground.store = store;
    own->ground.uuids = &own->uuids;
    own->ground.prov_key = tr_store_prov_key(store);
    own->ground.started_s = tr_loop_wall(loop).seconds;
    TR_TRY(tr_store_loop_reader(store, loop, &own->ground.reader, err));
    return tr_prov_log_create(&log, &own->ground.log, err);
}

static void log_closed(void *data)
{
    ((struct tr_own_ground *)data)->ground.log = NULL;
}

void tr_own_ground_close(struct tr_own_ground *own)
{
    if (own->ground.log) {
        tr_prov_log_close(own->ground.log, log_closed, own);
        tr_loop_run(own->loop);
    }
    tr_reader_free(own->ground.reader);
    own->ground.reader = NULL;
}
