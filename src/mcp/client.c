#include "mcp/client.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "json/build.h"
#include "json/writer.h"

#define PARTS_MAX 4

/* What we ask clients for, and what of it they can name. */
static const struct {
    const char *name;
    const char *parts[PARTS_MAX];
} known[] = {
    {"roots", {"listChanged"}},
    {"sampling", {"tools", "context"}},
    {"elicitation", {"form", "url"}},
};

static bool keep_text(struct tr_arena *arena, const struct tr_json *info,
                      const char *name, tr_str *out)
{
    tr_str text = tr_json_text(tr_json_find(info, tr_str_from(name)));
    if (text.len > TR_LIMIT_CLIENT_NAME)
        text.len = tr_utf8_valid_len((tr_str){text.ptr, TR_LIMIT_CLIENT_NAME});
    return tr_arena_copy(arena, text, out);
}

static bool is_short(const struct tr_json *value)
{
    char storage[TR_LIMIT_CLIENT_CAPABILITIES];
    struct tr_buf text;
    struct tr_json_writer w;
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    tr_jw_init(&w, &text);
    tr_jw_value(&w, value);
    return text.failed == TR_OK;
}

/* That it is there is what counts: of an object, only that it is one. */
static struct tr_json mark_of(const struct tr_json *value)
{
    if (value->kind == TR_JSON_OBJECT)
        return (struct tr_json){.kind = TR_JSON_OBJECT};
    return tr_json_make_bool(value->kind != TR_JSON_BOOL ||
                             (value->flags & TR_JSON_TRUE));
}

static bool keep_parts(struct tr_arena *arena, const struct tr_json *from,
                       const char *const names[PARTS_MAX], struct tr_json *out)
{
    struct tr_json_member members[PARTS_MAX];
    size_t count = 0;
    *out = mark_of(from);
    for (size_t i = 0; i < PARTS_MAX && names[i]; i++) {
        tr_str name = tr_str_from(names[i]);
        const struct tr_json *part = tr_json_find(from, name);
        if (part)
            members[count++] = (struct tr_json_member){
                tr_json_make_text(TR_JSON_STRING, name), mark_of(part)};
    }
    return !count || tr_json_make_object(arena, members, count, out);
}

static bool keep_known(struct tr_arena *arena, const struct tr_json *from,
                       const struct tr_json **out)
{
    struct tr_json_member members[TR_LEN(known)];
    struct tr_json *kept = TR_NEW(arena, struct tr_json);
    size_t count = 0;
    *out = kept;
    for (size_t i = 0; i < TR_LEN(known); i++) {
        tr_str name = tr_str_from(known[i].name);
        const struct tr_json *value = tr_json_find(from, name);
        if (!value)
            continue;
        members[count].key = tr_json_make_text(TR_JSON_STRING, name);
        if (!keep_parts(arena, value, known[i].parts, &members[count++].value))
            return false;
    }
    return kept && tr_json_make_object(arena, members, count, kept);
}

bool tr_mcp_client_keep(struct tr_arena *arena, const struct tr_json *info,
                        const struct tr_json *capabilities,
                        struct tr_call_client *out)
{
    *out = (struct tr_call_client){0};
    if (!keep_text(arena, info, "name", &out->name) ||
        !keep_text(arena, info, "version", &out->version))
        return false;
    if (!capabilities)
        return true;
    return is_short(capabilities)
               ? tr_json_copy(arena, capabilities, &out->capabilities)
               : keep_known(arena, capabilities, &out->capabilities);
}

/* A capability has a bit, then each of its parts. Ids that were given out have
 * them: add new ones at the end. */
unsigned tr_mcp_client_bits(const struct tr_json *capabilities)
{
    unsigned bits = 0;
    unsigned at = 0;
    for (size_t i = 0; i < TR_LEN(known); i++) {
        const struct tr_json *value =
            tr_json_find(capabilities, tr_str_from(known[i].name));
        bits |= (value ? 1U : 0U) << at++;
        for (size_t j = 0; j < PARTS_MAX && known[i].parts[j]; j++) {
            tr_str part = tr_str_from(known[i].parts[j]);
            bits |= (tr_json_find(value, part) ? 1U : 0U) << at++;
        }
    }
    return bits;
}

static struct tr_json_member empty_member(const char *name)
{
    return (struct tr_json_member){
        tr_json_make_text(TR_JSON_STRING, tr_str_from(name)),
        {.kind = TR_JSON_OBJECT}};
}

bool tr_mcp_client_of_bits(struct tr_arena *arena, unsigned bits,
                           const struct tr_json **out)
{
    struct tr_json_member members[TR_LEN(known)];
    struct tr_json *made = TR_NEW(arena, struct tr_json);
    size_t count = 0;
    *out = made;
    for (size_t i = 0; i < TR_LEN(known); i++) {
        struct tr_json_member parts[PARTS_MAX];
        size_t part_count = 0;
        bool has_it = bits & 1;
        bits >>= 1;
        for (size_t j = 0; j < PARTS_MAX && known[i].parts[j]; j++) {
            if (bits & 1)
                parts[part_count++] = empty_member(known[i].parts[j]);
            bits >>= 1;
        }
        if (!has_it)
            continue;
        members[count] = empty_member(known[i].name);
        if (part_count && !tr_json_make_object(arena, parts, part_count,
                                               &members[count].value))
            return false;
        count++;
    }
    return made && tr_json_make_object(arena, members, count, made);
}
