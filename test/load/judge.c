#include "json/reader.h"
#include "load/mcp.h"
#include "support/wire.h"

/* The answer to `initialize` comes before anything is said in the session. */
static void begin_session(struct load_conn *conn, struct wire *wire,
                          tr_str message)
{
    const struct tr_json *root = load_parse(conn->load, message);
    tr_str revision = load_text(root, "/result/protocolVersion");
    struct wire_talk *talk = wire_talk(wire, tr_str_from(conn->session));
    if (revision.len && (!talk || wire_speaks(talk, revision, NULL) != TR_OK))
        load_fail(conn->load, "no talk for a session");
}

static void judge(struct load_conn *conn, bool is_ours, tr_str event_id,
                  tr_str message)
{
    struct wire *wire = conn->load->judge_data;
    struct wire_talk *talk = wire_talk(wire, tr_str_from(conn->talk));
    struct tr_err err = {0};
    tr_status status = !talk ? tr_fail(&err, TR_E_NOMEM, "no memory for a talk")
                       : is_ours ? wire_sent(wire, talk, message, &err)
                       : event_id.len
                           ? wire_event(wire, talk, event_id, message, &err)
                           : wire_received(wire, talk, message, &err);
    if (status != TR_OK)
        load_fail(conn->load, "%s: %.*s", err.msg,
                  (int)(message.len < 300 ? message.len : 300), message.ptr);
    if (!is_ours && conn->session[0])
        begin_session(conn, wire, message);
}

bool load_judge_open(struct load *load)
{
    struct wire *wire = calloc(1, sizeof(*wire));
    load->judge_data = wire;
    if (!wire || !wire_open(wire))
        return false;
    load->judge = judge;
    return true;
}

void load_judge_close(struct load *load)
{
    if (load->judge_data)
        wire_close(load->judge_data);
    free(load->judge_data);
}
