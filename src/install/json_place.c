#include "install/json_place.h"

#include "install/layout.h"
#include "json/reader.h"

static size_t skip_space(tr_str text, size_t i)
{
    while (i < text.len && tr_install_is_space(text.ptr[i]))
        i++;
    return i;
}

static size_t skip_string(tr_str text, size_t i)
{
    for (i++; i < text.len && text.ptr[i] != '"'; i++)
        i += text.ptr[i] == '\\';
    return i < text.len ? i + 1 : text.len;
}

static bool ends_scalar(char c)
{
    return tr_install_is_space(c) || c == ',' || c == '}' || c == ']';
}

static size_t skip_value(tr_str text, size_t i)
{
    size_t depth = 0;
    do {
        char c = text.ptr[i];
        if (c == '"') {
            i = skip_string(text, i);
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        i++;
        while (depth == 0 && c != '}' && c != ']' && i < text.len &&
               !ends_scalar(text.ptr[i]))
            i++;
    } while (depth > 0 && i < text.len);
    return i;
}

/* The text of a key, whose escapes may be anything. */
static tr_status read_name(struct tr_arena *arena, tr_str quoted, tr_str *out,
                           struct tr_err *err)
{
    const struct tr_json *name = NULL;
    *out = (tr_str){quoted.ptr + 1, quoted.len - 2};
    if (!out->len || !memchr(out->ptr, '\\', out->len))
        return TR_OK;
    TR_TRY(tr_json_read(arena, quoted, NULL, &name, err));
    *out = tr_json_text(name);
    return TR_OK;
}

static tr_status read_member(struct tr_arena *arena, tr_str text, size_t *at,
                             struct tr_install_member *out, struct tr_err *err)
{
    size_t key = *at;
    size_t key_end = skip_string(text, key);
    tr_str quoted = {text.ptr + key, key_end - key};
    TR_TRY(read_name(arena, quoted, &out->name, err));
    size_t colon = skip_space(text, key_end);
    out->key = key;
    out->value = skip_space(text, colon + 1);
    out->value_end = skip_value(text, out->value);
    out->comma = TR_INSTALL_NOWHERE;
    *at = skip_space(text, out->value_end);
    if (*at < text.len && text.ptr[*at] == ',') {
        out->comma = *at;
        *at = skip_space(text, *at + 1);
    }
    return TR_OK;
}

tr_status tr_install_json_object(struct tr_arena *arena,
                                 const struct tr_install_json *json,
                                 size_t from, struct tr_install_object *out,
                                 struct tr_err *err)
{
    tr_str text = json->bare;
    struct tr_install_object object = {.open = skip_space(text, from)};
    size_t at = skip_space(text, object.open + 1);
    while (at < text.len && text.ptr[at] == '"') {
        struct tr_install_member member;
        TR_TRY(read_member(arena, text, &at, &member, err));
        if (!tr_vec_push(arena, &object.members, member))
            return tr_fail(err, TR_E_NOMEM, "no memory to read an object");
    }
    object.close = at;
    *out = object;
    return TR_OK;
}

tr_status tr_install_json_member(const struct tr_install_json *json,
                                 const struct tr_install_object *object,
                                 tr_str name,
                                 const struct tr_install_member **out,
                                 struct tr_err *err)
{
    const struct tr_install_member *found = NULL;
    for (size_t i = 0; i < object->members.count; i++) {
        const struct tr_install_member *member = &object->members.items[i];
        if (!tr_str_eq(member->name, name))
            continue;
        if (found)
            return tr_fail_in(err, TR_E_CONFLICT, json->text, member->key,
                              "\"%.*s\" is there twice", TR_FMT(name));
        found = member;
    }
    *out = found;
    return TR_OK;
}
