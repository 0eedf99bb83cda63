/*
 * test/tools/json_echo.c - what we make of JSON, for programs that check it.
 *
 * For each line of standard input it prints one line: the canonical form, or
 * `error LINE:COLUMN MESSAGE`.
 */
#include "base/limits.h"
#include "json/reader.h"
#include "json/writer.h"

static tr_status make_canonical(struct tr_arena *arena, tr_str text,
                                struct tr_buf *out, struct tr_err *err)
{
    struct tr_json_writer w;
    const struct tr_json *root = NULL;
    TR_TRY(tr_json_read(arena, text, NULL, &root, err));
    tr_jw_init(&w, out);
    tr_jw_canonical(&w, root);
    return tr_jw_finish(&w, err);
}

static void answer(struct tr_arena *arena, tr_str text, struct tr_buf *out)
{
    struct tr_err err = {0};
    if (make_canonical(arena, text, out, &err) != TR_OK) {
        tr_buf_clear(out);
        tr_buf_putf(out, "error %u:%u %s", (unsigned)err.place.line,
                    (unsigned)err.place.column, err.msg);
    }
    tr_buf_putc(out, '\n');
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    struct tr_arena arena;
    struct tr_buf out;

    tr_arena_init(&arena, TR_MIB(64));
    tr_buf_init(&out, TR_MIB(16));
    for (;;) {
        ssize_t len = getline(&line, &room, stdin);
        if (len < 0)
            break;
        tr_str text = {line, (size_t)len - (line[len - 1] == '\n')};
        answer(&arena, text, &out);
        (void)fwrite(out.ptr, 1, out.len, stdout);
        (void)fflush(stdout);
        tr_buf_clear(&out);
        tr_arena_reset(&arena);
    }
    tr_buf_done(&out);
    tr_arena_done(&arena);
    free(line);
    return EXIT_SUCCESS;
}
