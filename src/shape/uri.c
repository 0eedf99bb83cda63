#include "shape/uri.h"

/* Cuts what stands before the first of `ends`, which stays in the rest. */
static tr_str take_until(tr_str *rest, const char *ends)
{
    size_t len = 0;
    while (len < rest->len && !strchr(ends, rest->ptr[len]))
        len++;
    tr_str part = {rest->ptr, len};
    *rest = tr_str_skip(*rest, len);
    return part;
}

static bool is_scheme(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
        if (!letter && (i == 0 || !other))
            return false;
    }
    return text.len > 0;
}

/* RFC 3986, appendix B */
tr_uri tr_uri_split(tr_str text)
{
    tr_uri out = {0};
    tr_str rest = text.ptr ? text : TR_STR("");
    tr_str scheme = take_until(&rest, ":/?#");
    if (rest.len && rest.ptr[0] == ':' && is_scheme(scheme)) {
        out.scheme = scheme;
        rest = tr_str_skip(rest, 1);
    } else {
        rest = text.ptr ? text : TR_STR("");
    }
    if (tr_str_starts(rest, TR_STR("//"))) {
        rest = tr_str_skip(rest, 2);
        out.authority = take_until(&rest, "/?#");
    }
    out.path = take_until(&rest, "?#");
    if (rest.len && rest.ptr[0] == '?') {
        rest = tr_str_skip(rest, 1);
        out.query = take_until(&rest, "#");
    }
    if (rest.len)
        out.fragment = tr_str_skip(rest, 1);
    return out;
}

/* Where the last '/' before `len` stands, 0 when there is none. */
static size_t last_slash(const char *text, size_t len)
{
    while (len > 0 && text[len - 1] != '/')
        len--;
    return len ? len - 1 : 0;
}

/* Section 5.2.4, in place; returns the new length. */
static size_t remove_dots(char *path, size_t len)
{
    size_t out = 0;
    size_t at = 0;
    while (at < len) {
        size_t end = at + 1;
        while (end < len && path[end] != '/')
            end++;
        bool is_last = end == len;
        tr_str segment = {path + at, end - at};
        if (tr_str_eq(segment, TR_STR("/."))) {
            if (is_last)
                path[out++] = '/';
        } else if (tr_str_eq(segment, TR_STR("/.."))) {
            out = last_slash(path, out);
            if (is_last)
                path[out++] = '/';
        } else {
            memmove(path + out, segment.ptr, segment.len);
            out += segment.len;
        }
        at = end;
    }
    return out;
}

static void append(char *text, size_t *len, tr_str part)
{
    if (!part.ptr)
        return;
    memcpy(text + *len, part.ptr, part.len);
    *len += part.len;
}

/* Section 5.2.3: the base's path up to its last '/', then the reference. */
static size_t merge(char *out, const tr_uri *base, tr_str path)
{
    tr_str folder = base->path;
    size_t len = 0;
    while (folder.len > 0 && folder.ptr[folder.len - 1] != '/')
        folder.len--;
    if (base->authority.ptr && base->path.len == 0)
        folder = TR_STR("/");
    append(out, &len, folder);
    append(out, &len, path);
    return len;
}

/* Section 5.2.2: what comes from the base and what from the reference. */
static tr_uri transform(const tr_uri *base, const tr_uri *ref, char *path)
{
    tr_uri out = *ref;
    bool is_whole = ref->scheme.ptr || ref->authority.ptr;
    if (!ref->scheme.ptr)
        out.scheme = base->scheme;
    if (!is_whole)
        out.authority = base->authority;
    if (!is_whole && ref->path.len == 0) {
        out.path = base->path;
        if (!ref->query.ptr)
            out.query = base->query;
        return out;
    }
    bool is_relative =
        !is_whole && (ref->path.len == 0 || ref->path.ptr[0] != '/');
    size_t len = 0;
    if (is_relative)
        len = merge(path, base, ref->path);
    else
        append(path, &len, ref->path);
    if (len && path[0] == '/')
        len = remove_dots(path, len);
    out.path = (tr_str){path, len};
    return out;
}

bool tr_uri_resolve(struct tr_arena *arena, tr_str base, tr_str reference,
                    tr_str *out)
{
    tr_uri from = tr_uri_split(base);
    tr_uri ref = tr_uri_split(reference);
    size_t max = base.len + reference.len + 8;
    char *path = tr_arena_alloc(arena, max);
    char *text = tr_arena_alloc(arena, max);
    if (!path || !text)
        return false;
    tr_uri uri = transform(&from, &ref, path);
    size_t len = 0;
    append(text, &len, uri.scheme);
    append(text, &len, uri.scheme.ptr ? TR_STR(":") : TR_STR(""));
    append(text, &len, uri.authority.ptr ? TR_STR("//") : TR_STR(""));
    append(text, &len, uri.authority);
    append(text, &len, uri.path);
    append(text, &len, uri.query.ptr ? TR_STR("?") : TR_STR(""));
    append(text, &len, uri.query);
    *out = (tr_str){text, len};
    return true;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool tr_uri_decode(struct tr_arena *arena, tr_str text, tr_str *out)
{
    char *decoded = tr_arena_alloc(arena, text.len + 1);
    size_t len = 0;
    if (!decoded)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool has_two = text.ptr[i] == '%' && i + 2 < text.len;
        int high = has_two ? hex_value(text.ptr[i + 1]) : -1;
        int low = has_two ? hex_value(text.ptr[i + 2]) : -1;
        decoded[len++] =
            high < 0 || low < 0 ? text.ptr[i] : (char)(high * 16 + low);
        if (high >= 0 && low >= 0)
            i += 2;
    }
    *out = (tr_str){decoded, len};
    return true;
}
