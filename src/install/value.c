#include "install/value.h"

/* TOML wants DEL escaped, which JSON allows. */
void tr_install_value_string(struct tr_buf *out, tr_str text)
{
    size_t start = out->len;
    tr_buf_put_json(out, text);
    for (size_t i = start; i < out->len; i++) {
        if (out->ptr[i] != 0x7F)
            continue;
        char *more = tr_buf_room(out, 5);
        if (!more)
            return;
        memmove(out->ptr + i + 6, out->ptr + i + 1, out->len - i - 1);
        memcpy(out->ptr + i, "\\u007F", 6);
        out->len += 5;
    }
}

void tr_install_value_strings(struct tr_buf *out, const tr_str *texts,
                              size_t count, bool is_tight)
{
    tr_buf_putc(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            tr_buf_put(out, is_tight ? TR_STR(",") : TR_STR(", "));
        tr_install_value_string(out, texts[i]);
    }
    tr_buf_putc(out, ']');
}

bool tr_install_value_is(const struct tr_json *value, tr_str text)
{
    return tr_json_is(value, TR_JSON_STRING) &&
           tr_str_eq(tr_json_text(value), text);
}

bool tr_install_value_are(const struct tr_json *value, const tr_str *texts,
                          size_t count)
{
    if (!tr_json_is(value, TR_JSON_ARRAY) || value->len != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!tr_install_value_is(tr_json_at(value, i), texts[i]))
            return false;
    }
    return true;
}
