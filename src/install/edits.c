#include "install/edits.h"

#include <assert.h>

void tr_install_edits_add(struct tr_install_edits *edits, size_t start,
                          size_t end, tr_str text)
{
    size_t at = edits->count;
    assert(start <= end && at < TR_LEN(edits->items));
    for (; at > 0 && edits->items[at - 1].start > start; at--)
        edits->items[at] = edits->items[at - 1];
    edits->items[at] = (struct tr_install_edit){start, end, text};
    edits->count++;
}

static char *put(char *to, tr_str piece)
{
    if (piece.len)
        memcpy(to, piece.ptr, piece.len);
    return to + piece.len;
}

tr_status tr_install_edits_apply(const struct tr_install_edits *edits,
                                 struct tr_arena *arena, tr_str text,
                                 tr_str *out, struct tr_err *err)
{
    size_t len = text.len;
    for (size_t i = 0; i < edits->count; i++) {
        const struct tr_install_edit *edit = &edits->items[i];
        len = len - (edit->end - edit->start) + edit->text.len;
    }
    char *made = tr_arena_alloc(arena, len);
    if (!made)
        return tr_fail(err, TR_E_NOMEM, "no memory to change a text");
    char *to = made;
    size_t at = 0;
    for (size_t i = 0; i < edits->count; i++) {
        const struct tr_install_edit *edit = &edits->items[i];
        to = put(to, (tr_str){text.ptr + at, edit->start - at});
        to = put(to, edit->text);
        at = edit->end;
    }
    (void)put(to, tr_str_skip(text, at));
    *out = (tr_str){made, len};
    return TR_OK;
}
