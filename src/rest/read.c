#include "rest/read.h"

#include "base/limits.h"
#include "base/text.h"

static bool is_text(tr_str decoded)
{
    for (size_t i = 0; i < decoded.len; i++) {
        unsigned char c = (unsigned char)decoded.ptr[i];
        if (c < ' ' || c == 0x7F)
            return false;
    }
    return tr_utf8_is_valid(decoded);
}

tr_status tr_rest_read_segment(struct tr_arena *arena, tr_str segment,
                               tr_str *out, struct tr_err *err)
{
    char *room = tr_arena_alloc(arena, segment.len + 1);
    if (!room)
        return tr_fail(err, TR_E_NOMEM, "no memory for a path");
    return tr_percent_decode(segment, room, out) && is_text(*out)
               ? TR_OK
               : tr_fail(err, TR_E_SYNTAX,
                         "the path has bytes that are no text");
}

/* What may stand in quotes: printable ASCII, and two escapes. */
static bool unquote(tr_str text, char *room, tr_str *out)
{
    size_t len = 0;
    if (text.len < 2 || text.ptr[text.len - 1] != '"')
        return false;
    for (size_t i = 1; i + 1 < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\\') {
            c = text.ptr[++i];
            if (i + 1 == text.len || (c != '"' && c != '\\'))
                return false;
        } else if (c == '"' || c < ' ' || c > '~') {
            return false;
        }
        room[len++] = c;
    }
    *out = (tr_str){room, len};
    return true;
}

tr_status tr_rest_read_key(struct tr_arena *arena, tr_str value, tr_str *out,
                           struct tr_err *err)
{
    static const char wrong[] =
        "Idempotency-Key must be a text, in quotes or not";
    *out = value;
    if (!value.len || value.ptr[0] != '"')
        return is_text(value) ? TR_OK : tr_fail(err, TR_E_SYNTAX, "%s", wrong);
    char *room = tr_arena_alloc(arena, value.len);
    if (!room)
        return tr_fail(err, TR_E_NOMEM, "no memory for a key");
    return unquote(value, room, out) ? TR_OK
                                     : tr_fail(err, TR_E_SYNTAX, "%s", wrong);
}

tr_status tr_rest_read_uri(struct tr_arena *arena,
                           const struct tr_rest_target *target, tr_str *out,
                           struct tr_err *err)
{
    const tr_str parts[] = {target->start, target->path,
                            target->query.len ? TR_STR("?") : TR_STR(""),
                            target->query};
    size_t len = 0;
    for (size_t i = 0; i < TR_LEN(parts); i++)
        len += parts[i].len;
    if (len > TR_LIMIT_URI_BYTES)
        return tr_fail(err, TR_E_INVALID, "the path and query are too long");
    char *at = tr_arena_alloc(arena, len + 1);
    if (!at)
        return tr_fail(err, TR_E_NOMEM, "no memory for a URI");
    *out = (tr_str){at, len};
    for (size_t i = 0; i < TR_LEN(parts); i++) {
        if (parts[i].len)
            memcpy(at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    return TR_OK;
}
