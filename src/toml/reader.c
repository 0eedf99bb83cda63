#include "toml/reader.h"

#include "base/limits.h"
#include "base/text.h"
#include "toml/freeze.h"
#include "toml/key.h"
#include "toml/value.h"

/* Whether TOML allows the byte at `i` somewhere: in text, or as blank. */
static bool is_allowed(tr_str text, size_t i)
{
    unsigned char c = (unsigned char)text.ptr[i];
    if (c == '\r')
        return i + 1 < text.len && text.ptr[i + 1] == '\n';
    return (c >= 0x20 && c != 0x7F) || c == '\t' || c == '\n';
}

/*
 * TOML 1.0.0, sections "Spec", "Comment" and "String", allow the same
 * characters everywhere, so the whole text is checked once, before it is read.
 */
static tr_status check_text(tr_str text, struct tr_err *err)
{
    if (text.len > TR_LIMIT_TOML_BYTES)
        return tr_fail_in(err, TR_E_LIMIT, text, TR_LIMIT_TOML_BYTES,
                          "the text is longer than %zu bytes",
                          TR_LIMIT_TOML_BYTES);
    size_t valid = tr_utf8_valid_len(text);
    if (valid < text.len)
        return tr_fail_in(err, TR_E_SYNTAX, text, valid,
                          "the text is not UTF-8");
    for (size_t i = 0; i < text.len; i++) {
        if (!is_allowed(text, i))
            return tr_fail_in(err, TR_E_SYNTAX, text, i,
                              "the control character U+%04X is not allowed",
                              (unsigned)text.ptr[i]);
    }
    return TR_OK;
}

static void skip_byte_order_mark(struct tr_toml_cursor *in)
{
    if (tr_str_starts(in->text, TR_STR("\xEF\xBB\xBF")))
        in->at = 3;
}

/* `[a.b]` or `[[a.b]]`; *current becomes the table that it opens. */
static tr_status read_header(struct tr_toml_cursor *in,
                             struct tr_toml_node *root,
                             struct tr_toml_node **current, struct tr_err *err)
{
    struct tr_toml_node *table = root;
    struct tr_toml_key last;

    in->at++;
    bool is_item = tr_toml_take(in, '[');
    tr_toml_skip_space(in);
    TR_TRY(tr_toml_read_key(in, tr_toml_enter_header, &table, &last, err));
    TR_TRY(is_item ? tr_toml_open_item(in, &table, &last, err)
                   : tr_toml_open_table(in, &table, &last, err));
    if (!tr_toml_take(in, ']'))
        return tr_toml_fail_here(in, err, "expected ']' after the name");
    if (is_item && !tr_toml_take(in, ']'))
        return tr_toml_fail_here(in, err, "expected ']]' after the name");
    *current = table;
    return TR_OK;
}

static tr_status read_expressions(struct tr_toml_cursor *in,
                                  struct tr_toml_node *root, struct tr_err *err)
{
    struct tr_toml_node *current = root;
    for (;;) {
        tr_toml_skip_blank(in);
        if (in->at == in->text.len)
            return TR_OK;
        if (tr_toml_peek(in) == '[')
            TR_TRY(read_header(in, root, &current, err));
        else
            TR_TRY(tr_toml_read_keyval(in, current, err));
        TR_TRY(tr_toml_end_line(in, err));
    }
}

static tr_status read_document(struct tr_toml_cursor *in,
                               const struct tr_json **out, struct tr_err *err)
{
    struct tr_toml_node *root = tr_toml_table_new(in, 1);
    if (!root)
        return tr_toml_fail_memory(err);
    skip_byte_order_mark(in);
    TR_TRY(read_expressions(in, root, err));

    struct tr_json *tree = TR_NEW(in->arena, struct tr_json);
    if (!tree || !tr_toml_freeze(in, root, tree))
        return tr_toml_fail_memory(err);
    *out = tree;
    return TR_OK;
}

tr_status tr_toml_read(struct tr_arena *arena, tr_str text,
                       const struct tr_json **out, struct tr_err *err)
{
    struct tr_arena scratch;
    TR_TRY(check_text(text, err));
    tr_arena_init(&scratch, arena->max);
    struct tr_toml_cursor in = {
        .text = text, .arena = arena, .scratch = &scratch};
    tr_status status = read_document(&in, out, err);
    tr_arena_done(&scratch);
    return status;
}
