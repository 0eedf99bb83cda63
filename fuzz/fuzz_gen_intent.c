/*
 * Any bytes as the intent of a change of files: it is refused, or every path
 * of it is one that an app can have, and it is written as it was read.
 */
#include "base/limits.h"
#include "gen/intent.h"
#include "gen/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_same(const struct tr_gen_text *a, const struct tr_gen_text *b)
{
    must(a->is_there == b->is_there);
    must(!a->is_there || tr_str_eq(a->text, b->text));
}

static void write_and_read(const struct tr_gen_intent *intent)
{
    struct tr_gen_intent again = {0};
    struct tr_arena arena;
    struct tr_buf text;
    tr_arena_init(&arena, TR_MIB(16));
    tr_buf_init(&text, TR_MIB(16));
    must(tr_gen_intent_write(intent, &text, NULL) == TR_OK);
    must(tr_gen_intent_read(tr_buf_str(&text), &arena, &again, NULL) == TR_OK);
    must(again.count == intent->count);
    for (size_t i = 0; i < intent->count; i++) {
        const struct tr_gen_entry *entry = &intent->entries[i];
        must(!tr_gen_path_refuse_written(entry->path));
        must(tr_str_eq(entry->path, again.entries[i].path));
        check_same(&entry->before, &again.entries[i].before);
        check_same(&entry->after, &again.entries[i].after);
    }
    tr_buf_done(&text);
    tr_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str text = {(const char *)data, size};
    struct tr_gen_intent intent = {0};
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(64));
    if (tr_gen_intent_read(text, &arena, &intent, NULL) == TR_OK)
        write_and_read(&intent);
    tr_arena_done(&arena);
    return 0;
}
