/*
 * fuzz/judge.h - whatever was sent, what we answer is MCP: by the JSON Schema
 * of its revision, where TRAILS_SUITES has them. Compiled schemas are kept from
 * one input to the next.
 */
#ifndef TR_FUZZ_JUDGE_H
#define TR_FUZZ_JUDGE_H

#include "base/buf.h"
#include "json/reader.h"
#include "mcp/message.h"
#include "support/wire.h"

/*
 * The ids of this input, a line each. A client that uses one twice cannot tell
 * its answers apart, and nor can we: then nothing more is judged.
 */
struct judge_ids {
    struct tr_buf lines;
    bool is_unclear;
};

static inline struct judge_ids *judge_ids(void)
{
    static struct judge_ids ids;
    return &ids;
}

/* Forgets the last input; NULL when there are no schemas. */
static inline struct wire *judge_open(void)
{
    static struct wire wire;
    struct judge_ids *ids = judge_ids();
    tr_buf_done(&ids->lines);
    tr_buf_init(&ids->lines, (size_t)1 << 20);
    tr_buf_putc(&ids->lines, '\n');
    ids->is_unclear = false;
    static bool is_tried;
    static bool has_schemas;
    if (!is_tried)
        has_schemas = wire_open(&wire);
    is_tried = true;
    wire_forget(&wire);
    return has_schemas ? &wire : NULL;
}

static inline void judge_note_id(const struct tr_json *item)
{
    struct judge_ids *ids = judge_ids();
    struct tr_mcp_message message;
    char line[128];
    if (tr_mcp_message_parse(item, &message, NULL) != TR_OK ||
        message.kind != TR_MCP_MESSAGE_REQUEST)
        return;
    tr_str id = tr_json_text(message.id);
    int len = snprintf(line, sizeof(line), "\n%d%.*s\n", (int)message.id->kind,
                       TR_FMT(id));
    if (id.len > 100 || !ids->lines.ptr ||
        memmem(ids->lines.ptr, ids->lines.len, line, (size_t)len))
        ids->is_unclear = true;
    tr_buf_put(&ids->lines, (tr_str){line + 1, (size_t)len - 1});
}

static inline void judge_note_ids(tr_str message)
{
    const struct tr_json *tree = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, (size_t)64 << 20);
    if (tr_json_read(&arena, message, NULL, &tree, NULL) == TR_OK) {
        judge_note_id(tree);
        for (size_t i = 0; tree->kind == TR_JSON_ARRAY && i < tree->len; i++)
            judge_note_id(&tree->as.items[i]);
    }
    tr_arena_done(&arena);
}

/* A client may send anything, and more than is read here. */
static inline void judge_sent(struct wire *wire, tr_str message)
{
    if (!wire)
        return;
    judge_note_ids(message);
    tr_status status =
        wire_sent(wire, wire_talk(wire, TR_STR("fuzz")), message, NULL);
    (void)status;
}

/* Says the revision where no `initialize` was sent. */
static inline void judge_speaks(struct wire *wire, const char *revision)
{
    if (wire && wire_speaks(wire_talk(wire, TR_STR("fuzz")),
                            tr_str_from(revision), NULL) != TR_OK)
        abort();
}

/* `data` is the struct wire, or NULL. */
static inline void judge_saw(void *data, tr_str event_id, tr_str message)
{
    struct wire *wire = data;
    struct tr_err err = {0};
    if (!wire || judge_ids()->is_unclear)
        return;
    struct wire_talk *talk = wire_talk(wire, TR_STR("fuzz"));
    tr_status status = event_id.len
                           ? wire_event(wire, talk, event_id, message, &err)
                           : wire_received(wire, talk, message, &err);
    if (status == TR_OK)
        return;
    (void)fprintf(stderr, "%s: %.*s\n", err.msg, TR_FMT(message));
    abort();
}

#endif
