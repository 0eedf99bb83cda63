#include "gen/quote.h"

#include "base/ascii.h"
#include "gen/scan.h"

void tr_gen_put_text(struct tr_buf *out, tr_str text)
{
    tr_buf_putc(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"' || c == '\\') {
            tr_buf_putc(out, '\\');
            tr_buf_putc(out, c);
        } else if (c == '\n') {
            tr_buf_put(out, TR_STR("\\n"));
        } else if ((unsigned char)c < 0x20 || c == 0x7f) {
            tr_buf_putf(out, "\\%03d", c);
        } else {
            tr_buf_putc(out, c);
        }
    }
    tr_buf_putc(out, '"');
}

static bool is_plain_key(tr_str name)
{
    if (!name.len || tr_ascii_is_digit(name.ptr[0]) || tr_gen_is_reserved(name))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (!tr_ascii_is_alnum(name.ptr[i]) && name.ptr[i] != '_')
            return false;
    }
    return true;
}

void tr_gen_put_key(struct tr_buf *out, tr_str name)
{
    if (is_plain_key(name)) {
        tr_buf_put(out, name);
    } else {
        tr_buf_putc(out, '[');
        tr_gen_put_text(out, name);
        tr_buf_putc(out, ']');
    }
    tr_buf_put(out, TR_STR(" ="));
}

void tr_gen_put_member(struct tr_buf *out, const char *table, tr_str name)
{
    tr_buf_put(out, tr_str_from(table));
    if (is_plain_key(name)) {
        tr_buf_putc(out, '.');
        tr_buf_put(out, name);
    } else {
        tr_buf_putc(out, '[');
        tr_gen_put_text(out, name);
        tr_buf_putc(out, ']');
    }
}

static void put_items(struct tr_buf *out, const struct tr_json *array)
{
    tr_buf_put(out, array->len ? TR_STR("{ ") : TR_STR("array {}"));
    for (size_t i = 0; i < array->len; i++) {
        tr_buf_put(out, i ? TR_STR(", ") : TR_STR(""));
        tr_gen_put_value(out, &array->as.items[i]);
    }
    tr_buf_put(out, array->len ? TR_STR(" }") : TR_STR(""));
}

static void put_members(struct tr_buf *out, const struct tr_json *object)
{
    tr_buf_put(out, object->len ? TR_STR("{ ") : TR_STR("{}"));
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        tr_buf_put(out, i ? TR_STR(", ") : TR_STR(""));
        tr_gen_put_key(out, tr_json_text(&member->key));
        tr_buf_putc(out, ' ');
        tr_gen_put_value(out, &member->value);
    }
    tr_buf_put(out, object->len ? TR_STR(" }") : TR_STR(""));
}

void tr_gen_put_value(struct tr_buf *out, const struct tr_json *value)
{
    bool truth;
    switch (value->kind) {
    case TR_JSON_ARRAY:
        put_items(out, value);
        break;
    case TR_JSON_OBJECT:
        put_members(out, value);
        break;
    case TR_JSON_STRING:
        tr_gen_put_text(out, tr_json_text(value));
        break;
    case TR_JSON_NUMBER:
        tr_buf_put(out, tr_json_text(value));
        break;
    default:
        tr_buf_put(out, !tr_json_bool(value, &truth) ? TR_STR("null")
                        : truth                      ? TR_STR("true")
                                                     : TR_STR("false"));
        break;
    }
}
