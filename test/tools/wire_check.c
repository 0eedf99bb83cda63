/*
 * wire_check: are the messages on standard input MCP? A line each, with the
 * talk it belongs to and who sent it:
 *
 *     TALK > MESSAGE     a client
 *     TALK >> MESSAGE    a client of ours: must be valid as well
 *     TALK < MESSAGE     our server
 *     TALK <ID MESSAGE   our server, as an event that may be replayed
 *     TALK = REVISION    nobody: the talk has no initialize of its own
 *
 * Says what is wrong with which, and how many it has checked. Exits with 1 when
 * one is wrong, and with 77 when TRAILS_SUITES has no schemas.
 */
#include "support/wire.h"

static tr_status judge(struct wire *wire, tr_str line, size_t *checked,
                       struct tr_err *err)
{
    tr_str name;
    tr_str mark;
    tr_str text;
    if (!tr_str_cut(line, ' ', &name, &text) ||
        !tr_str_cut(text, ' ', &mark, &text))
        return tr_fail(err, TR_E_SYNTAX, "not a line of this tool");
    struct wire_talk *talk = wire_talk(wire, name);
    if (!talk)
        return tr_fail(err, TR_E_NOMEM, "too many talks");
    *checked += mark.ptr[0] == '<' || mark.len == 2;
    if (tr_str_eq(mark, TR_STR("<")))
        return wire_received(wire, talk, text, err);
    if (mark.ptr[0] == '<')
        return wire_event(wire, talk, tr_str_skip(mark, 1), text, err);
    if (tr_str_eq(mark, TR_STR(">")))
        return wire_sent(wire, talk, text, err);
    if (tr_str_eq(mark, TR_STR(">>")))
        return wire_asked(wire, talk, text, err);
    if (tr_str_eq(mark, TR_STR("=")))
        return wire_speaks(talk, text, err);
    return tr_fail(err, TR_E_SYNTAX, "'%.*s' is no mark", TR_FMT(mark));
}

int main(void)
{
    struct wire wire;
    char *line = NULL;
    size_t size = 0;
    size_t checked = 0;
    size_t wrong = 0;
    bool have = wire_open(&wire);
    for (;;) {
        struct tr_err err = {0};
        ssize_t len = getline(&line, &size, stdin);
        if (len <= 0)
            break;
        tr_str text = tr_str_trim((tr_str){line, (size_t)len});
        if (!have || !text.len)
            continue;
        if (judge(&wire, text, &checked, &err) == TR_OK)
            continue;
        wrong++;
        (void)printf("%s\n    %.*s\n", err.msg, TR_FMT(text));
    }
    free(line);
    wire_close(&wire);
    (void)printf("%zu checked, %zu wrong\n", checked, wrong);
    if (!have)
        return 77;
    return wrong ? 1 : 0;
}
