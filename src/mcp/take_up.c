#include "mcp/take_up.h"

#include "loop/loop.h"
#include "mcp/client.h"
#include "mcp/inside.h"
#include "mcp/session.h"
#include "mcp/session_id.h"
#include "runtime/env.h"

#define MICROS 1000000

/* The end of a session, on its way to the store. */
struct ending {
    struct tr_db_write write;
    struct tr_mcp *mcp;
    struct tr_mcp_wire *wire; /* owned; NULL once the client has gone */
    struct tr_access_ended session;
    int64_t now_s;
    size_t len;
    char id[];
};

static tr_status read_id(struct tr_mcp *mcp, tr_str id,
                         const struct tr_access_authority *who,
                         struct tr_mcp_session_id *out)
{
    int64_t now_s = tr_loop_wall(mcp->opts.loop).seconds;
    return tr_mcp_session_id_read(mcp->opts.keys, now_s, id, who, out, NULL);
}

/* Where nobody remembers what was ended, nothing is taken up. */
static bool can_remember(const struct tr_mcp *mcp)
{
    const struct tr_call_env *env = mcp->opts.env;
    return env && env->store && !tr_graph_store_is_read_only(env->store);
}

static tr_status check_not_ended(struct tr_mcp *mcp,
                                 const struct tr_access_ended *session)
{
    struct tr_graph_reader *reader = mcp->opts.env->reader;
    bool has_ended = false;
    TR_TRY(tr_graph_reader_begin(reader, NULL));
    tr_status status =
        tr_access_ended_find(reader->db, session, &has_ended, NULL);
    tr_graph_reader_end(reader);
    return status == TR_OK && has_ended ? TR_E_INVALID : status;
}

/*
 * What the client has kept of before must not be taken for what is sent from
 * now on: ids of events, and ids of questions that it may still answer. The
 * numbers go on from the time, which no earlier count has reached.
 */
static void skip_old_numbers(struct tr_mcp_session *session)
{
    struct tr_mcp *mcp = session->mcp;
    tr_time now = tr_loop_wall(mcp->opts.loop);
    uint64_t number =
        (uint64_t)now.seconds * MICROS + (uint64_t)now.nanos / 1000;
    session->old_channels = session->channel_count = number;
    if (mcp->next_ask < number)
        mcp->next_ask = number;
}

/* Somebody has come back to it: it is a session in use from the start. */
static bool restore(struct tr_mcp_session *session, tr_str id,
                    const struct tr_mcp_session_id *told)
{
    session->revision = told->revision;
    if (!tr_mcp_client_of_bits(&session->arena, told->client,
                               &session->client.capabilities) ||
        !tr_mcp_session_rename(session, id))
        return false;
    skip_old_numbers(session);
    session->is_initialized = true;
    session->lists_are_due = true;
    tr_mcp_caller_use(session);
    return true;
}

tr_status tr_mcp_take_up(struct tr_mcp *mcp, tr_str id,
                         const struct tr_access_authority *who,
                         struct tr_mcp_session **out)
{
    struct tr_mcp_session_id told;
    if (mcp->is_stopped)
        return TR_E_UNAVAILABLE;
    if (!can_remember(mcp))
        return TR_E_INVALID;
    TR_TRY(read_id(mcp, id, who, &told));
    TR_TRY(check_not_ended(mcp, &told.session));
    struct tr_mcp_session *session = tr_mcp_session_create(mcp, who);
    if (!session)
        return TR_E_LIMIT;
    if (!restore(session, id, &told)) {
        tr_mcp_session_free(session);
        return TR_E_NOMEM;
    }
    *out = session;
    return TR_OK;
}

/* On the writer's thread. */
static tr_status write_end(struct tr_db_write *write, struct tr_db *db,
                           struct tr_err *err)
{
    const struct ending *ending = write->data;
    return tr_access_ended_put(db, &ending->session, ending->now_s, err);
}

/* The session may have ended otherwise meanwhile. */
static void end_written(struct tr_db_write *write)
{
    struct ending *ending = write->data;
    struct tr_mcp *mcp = ending->mcp;
    bool is_written = write->status == TR_OK;
    struct tr_mcp_session *session =
        is_written ? tr_mcp_session_find(mcp, (tr_str){ending->id, ending->len})
                   : NULL;
    if (session)
        tr_mcp_session_free(session);
    if (ending->wire)
        tr_mcp_wire_end(&ending->wire, is_written ? 200 : 503);
    mcp->endings--;
    free(ending);
    tr_loop_release(mcp->opts.loop);
}

static void wire_gone(void *owner)
{
    struct ending *ending = owner;
    tr_mcp_wire_drop(&ending->wire);
}

static struct ending *new_ending(struct tr_mcp_session *session,
                                 const struct tr_access_ended *what)
{
    struct tr_mcp *mcp = session->mcp;
    struct ending *ending = calloc(1, sizeof(*ending) + session->id.len);
    if (!ending)
        return NULL;
    ending->write.run = write_end;
    ending->write.done = end_written;
    ending->write.data = ending;
    ending->write.loop = mcp->opts.loop;
    ending->mcp = mcp;
    ending->session = *what;
    ending->now_s = tr_loop_wall(mcp->opts.loop).seconds;
    ending->len = session->id.len;
    memcpy(ending->id, session->id.ptr, session->id.len);
    return ending;
}

static tr_status submit(struct tr_mcp_session *session,
                        const struct tr_access_ended *what,
                        struct tr_mcp_wire **wire)
{
    struct tr_mcp *mcp = session->mcp;
    struct ending *ending = new_ending(session, what);
    if (!ending)
        return TR_E_NOMEM;
    tr_status status =
        tr_db_writer_submit(tr_graph_store_writer(mcp->opts.env->store),
                            &ending->write, &ending->write.err);
    if (status != TR_OK) {
        free(ending);
        return status;
    }
    tr_loop_hold(mcp->opts.loop); /* `done` comes in a later turn of it */
    mcp->endings++;
    ending->wire = *wire;
    ending->wire->sink.gone = wire_gone;
    ending->wire->sink.owner = ending;
    *wire = NULL;
    return TR_OK;
}

void tr_mcp_take_up_end(struct tr_mcp_session *session,
                        struct tr_mcp_wire **wire)
{
    struct tr_mcp_session_id told;
    tr_status status =
        can_remember(session->mcp)
            ? read_id(session->mcp, session->id, &session->owner, &told)
            : TR_E_INVALID;
    if (status == TR_OK)
        status = submit(session, &told.session, wire);
    if (status == TR_E_INVALID) { /* it cannot be taken up again anyway */
        tr_mcp_session_free(session);
        tr_mcp_wire_end(wire, 200);
    } else if (status != TR_OK) {
        tr_mcp_wire_end(wire, 503);
    }
}
