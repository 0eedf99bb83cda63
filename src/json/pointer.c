#include "base/buf.h"
#include "json/json.h"

/* Compares a key with a reference token, in which ~0 is ~ and ~1 is /. */
static bool token_is(tr_str token, tr_str key)
{
    size_t k = 0;
    for (size_t t = 0; t < token.len; t++, k++) {
        char c = token.ptr[t];
        if (c == '~') {
            if (++t == token.len ||
                (token.ptr[t] != '0' && token.ptr[t] != '1'))
                return false;
            c = token.ptr[t] == '0' ? '~' : '/';
        }
        if (k == key.len || key.ptr[k] != c)
            return false;
    }
    return k == key.len;
}

static const struct tr_json *member_at(const struct tr_json *object,
                                       tr_str token)
{
    if (token.len == 0 || !memchr(token.ptr, '~', token.len))
        return tr_json_find(object, token);
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        if (token_is(token, tr_json_text(&member->key)))
            return &member->value;
    }
    return NULL;
}

/* RFC 6901, section 4: no leading zeros, no sign. */
static const struct tr_json *item_at(const struct tr_json *array, tr_str token)
{
    int64_t index;
    bool zero_led = token.len > 1 && token.ptr[0] == '0';
    if (zero_led || !tr_str_to_i64(token, &index) || index < 0 ||
        token.ptr[0] == '-')
        return NULL;
    return tr_json_at(array, (size_t)index);
}

const struct tr_json *tr_json_pointer(const struct tr_json *root,
                                      tr_str pointer)
{
    const struct tr_json *value = root;
    while (value && pointer.len) {
        if (pointer.ptr[0] != '/')
            return NULL;
        tr_str token = tr_str_skip(pointer, 1);
        tr_str rest = {NULL, 0};
        tr_str before;
        tr_str after;
        if (tr_str_cut(token, '/', &before, &after)) {
            token = before;
            rest = (tr_str){after.ptr - 1, after.len + 1};
        }
        value = value->kind == TR_JSON_OBJECT  ? member_at(value, token)
                : value->kind == TR_JSON_ARRAY ? item_at(value, token)
                                               : NULL;
        pointer = rest;
    }
    return value;
}

/* RFC 6901: ~ is ~0 and / is ~1. */
void tr_json_pointer_put(struct tr_buf *pointer, tr_str name)
{
    tr_buf_putc(pointer, '/');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '~' || c == '/')
            tr_buf_put(pointer, c == '~' ? TR_STR("~0") : TR_STR("~1"));
        else
            tr_buf_putc(pointer, c);
    }
}
