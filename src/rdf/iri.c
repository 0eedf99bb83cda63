#include "rdf/iri.h"

#include "base/ascii.h"
#include "base/text.h"

#include <arpa/inet.h>

/* RFC 3986, 3.1. */
size_t tr_rdf_iri_scheme_len(tr_str iri)
{
    if (iri.len == 0 || !tr_ascii_is_letter(iri.ptr[0]))
        return 0;
    for (size_t i = 1; i < iri.len; i++) {
        char c = iri.ptr[i];
        if (c == ':')
            return i + 1;
        if (!tr_ascii_is_letter(c) && !tr_ascii_is_digit(c) && c != '+' &&
            c != '-' && c != '.')
            return 0;
    }
    return 0;
}

/* What stands before the first of `stops` in *rest, which moves behind it. */
static tr_str take_until(tr_str *rest, const char *stops)
{
    size_t i = 0;
    while (i < rest->len && !(rest->ptr[i] && strchr(stops, rest->ptr[i])))
        i++;
    tr_str taken = {rest->ptr, i};
    *rest = tr_str_skip(*rest, i);
    return taken;
}

static bool take_char(tr_str *rest, char c)
{
    if (rest->len == 0 || rest->ptr[0] != c)
        return false;
    *rest = tr_str_skip(*rest, 1);
    return true;
}

void tr_rdf_iri_split(tr_str iri, struct tr_rdf_iri_parts *out)
{
    struct tr_rdf_iri_parts parts = {.has_authority = false};
    size_t scheme = tr_rdf_iri_scheme_len(iri);
    if (scheme)
        parts.scheme = (tr_str){iri.ptr, scheme - 1};
    tr_str rest = tr_str_skip(iri, scheme);
    if (tr_str_starts(rest, TR_STR("//"))) {
        rest = tr_str_skip(rest, 2);
        parts.has_authority = true;
        parts.authority = take_until(&rest, "/?#");
    }
    parts.path = take_until(&rest, "?#");
    parts.has_query = take_char(&rest, '?');
    if (parts.has_query)
        parts.query = take_until(&rest, "#");
    parts.has_fragment = take_char(&rest, '#');
    if (parts.has_fragment)
        parts.fragment = rest;
    *out = parts;
}

tr_str tr_rdf_iri_local_name(tr_str iri)
{
    static const char ends[] = {'#', '/', ':'};
    size_t at = iri.len;
    while (at && !memchr(ends, iri.ptr[at - 1], sizeof(ends)))
        at--;
    return tr_str_skip(iri, at);
}

/* What a byte is to an IRI: nothing special, not allowed (Turtle, production
 * IRIREF), or something that may be wrong where it stands. */
enum { ILLEGAL = 1, DOUBTFUL = 2, HASH = 4 };

/* clang-format off */
static const unsigned char byte_kinds[256] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 0, 1, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /*  !"#$%&'()*+,-./ */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, /* 0123456789:;<=>? */
    2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* @ABCDEFGHIJKLMNO */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 0, /* PQRSTUVWXYZ[\\]^_ */
    1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* `abcdefghijklmno */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 2, /* pqrstuvwxyz{|}~ */
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
};
/* clang-format on */

size_t tr_rdf_iri_scan(tr_str iri, unsigned *seen)
{
    size_t i = 0;
    unsigned all = *seen;
    for (; i < iri.len; i++) {
        unsigned kind = byte_kinds[(unsigned char)iri.ptr[i]];
        if (kind == ILLEGAL)
            break;
        all |= kind;
    }
    *seen = all;
    return i;
}

size_t tr_rdf_iri_legal_len(tr_str iri)
{
    unsigned ignored = 0;
    return tr_rdf_iri_scan(iri, &ignored);
}

/* Cuts the last segment, and the slash before it, from the path that begins at
 * `start` of `out`. */
static void drop_segment(struct tr_buf *out, size_t start)
{
    while (out->len > start && out->ptr[out->len - 1] != '/')
        out->len--;
    if (out->len > start)
        out->len--;
}

/* RFC 3986, 5.2.4: appends `path` without its dot segments. */
static void put_without_dots(struct tr_buf *out, tr_str path)
{
    size_t start = out->len;
    while (path.len && out->failed == TR_OK) {
        if (tr_str_starts(path, TR_STR("../"))) {
            path = tr_str_skip(path, 3);
        } else if (tr_str_starts(path, TR_STR("./")) ||
                   tr_str_starts(path, TR_STR("/./"))) {
            path = tr_str_skip(path, 2);
        } else if (tr_str_eq(path, TR_STR("/."))) {
            path.len = 1;
        } else if (tr_str_starts(path, TR_STR("/../"))) {
            path = tr_str_skip(path, 3);
            drop_segment(out, start);
        } else if (tr_str_eq(path, TR_STR("/.."))) {
            path.len = 1;
            drop_segment(out, start);
        } else if (tr_str_eq(path, TR_STR(".")) ||
                   tr_str_eq(path, TR_STR(".."))) {
            path.len = 0;
        } else {
            tr_str rest = tr_str_skip(path, 1);
            size_t segment = 1 + take_until(&rest, "/").len;
            tr_buf_put(out, (tr_str){path.ptr, segment});
            path = tr_str_skip(path, segment);
        }
    }
}

/* RFC 3986, 5.2.3: merges the paths, then appends that without dot segments. */
static void put_merged(struct tr_buf *out, const struct tr_rdf_iri_parts *base,
                       tr_str path)
{
    struct tr_buf merged;
    size_t keep = base->path.len;
    while (keep && base->path.ptr[keep - 1] != '/')
        keep--;
    tr_buf_init(&merged, out->max);
    if (base->has_authority && base->path.len == 0)
        tr_buf_putc(&merged, '/');
    tr_buf_put(&merged, (tr_str){base->path.ptr, keep});
    tr_buf_put(&merged, path);
    if (merged.failed) {
        out->failed = merged.failed;
        out->cap = out->len; /* nothing more may follow */
    } else if (merged.ptr) {
        put_without_dots(out, tr_buf_str(&merged));
    }
    tr_buf_done(&merged);
}

static void put_optional(struct tr_buf *out, bool is_there, const char *mark,
                         tr_str part)
{
    if (is_there) {
        tr_buf_put(out, tr_str_from(mark));
        tr_buf_put(out, part);
    }
}

/* RFC 3986, 5.2.2, for a reference without a scheme. */
static void put_resolved(struct tr_buf *out,
                         const struct tr_rdf_iri_parts *base,
                         const struct tr_rdf_iri_parts *ref)
{
    bool from_ref = ref->has_authority;
    tr_buf_put(out, base->scheme);
    if (base->scheme.len)
        tr_buf_putc(out, ':');
    put_optional(out, from_ref || base->has_authority, "//",
                 from_ref ? ref->authority : base->authority);
    if (from_ref || (ref->path.len && ref->path.ptr[0] == '/'))
        put_without_dots(out, ref->path);
    else if (ref->path.len)
        put_merged(out, base, ref->path);
    else
        tr_buf_put(out, base->path);
    if (from_ref || ref->path.len || ref->has_query)
        put_optional(out, ref->has_query, "?", ref->query);
    else
        put_optional(out, base->has_query, "?", base->query);
    put_optional(out, ref->has_fragment, "#", ref->fragment);
}

void tr_rdf_iri_resolve(struct tr_buf *out, tr_str base, tr_str reference)
{
    struct tr_rdf_iri_parts base_parts;
    struct tr_rdf_iri_parts ref_parts;
    if (base.len == 0 || tr_rdf_iri_scheme_len(reference)) {
        tr_buf_put(out, reference);
        return;
    }
    tr_rdf_iri_split(base, &base_parts);
    tr_rdf_iri_split(reference, &ref_parts);
    put_resolved(out, &base_parts, &ref_parts);
}

/* RFC 3987, 2.2: ucschar, and iprivate in a query. */
static bool is_ucschar(uint32_t c, bool in_query)
{
    if (c >= 0xE000 && c <= 0xF8FF)
        return in_query;
    if (c >= 0xF0000)
        return in_query && (c & 0xFFFF) <= 0xFFFD;
    if (c < 0x10000)
        return (c >= 0xA0 && c <= 0xD7FF) || (c >= 0xF900 && c <= 0xFDCF) ||
               (c >= 0xFDF0 && c <= 0xFFEF);
    return (c & 0xFFFF) <= 0xFFFD && (c < 0xE0000 || c >= 0xE1000);
}

/* What is wrong with a part, or NULL. `extra` are the characters it may have
 * beside those that all parts may have. */
static const char *part_fault(tr_str part, const char *extra, bool in_query)
{
    static const char common[] = "-._~!$&'()*+,;=";
    for (size_t i = 0; i < part.len;) {
        char c = part.ptr[i];
        uint32_t code_point = 0;
        if (c == '%') {
            if (!tr_percent_is_encoded(part, i))
                return "'%' without two hexadecimal digits";
            i += 3;
        } else if ((unsigned char)c >= 0x80) {
            size_t len = tr_utf8_decode(tr_str_skip(part, i), &code_point);
            if (len == 0 || !is_ucschar(code_point, in_query))
                return "bad character";
            i += len;
        } else if (tr_ascii_is_alnum(c) ||
                   (c && (strchr(common, c) || strchr(extra, c)))) {
            i++;
        } else {
            return "bad character";
        }
    }
    return NULL;
}

static bool is_ipv6(tr_str text)
{
    char address[INET6_ADDRSTRLEN];
    struct in6_addr parsed;
    if (text.len >= sizeof(address) || memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(address, text.ptr, text.len);
    address[text.len] = '\0';
    return inet_pton(AF_INET6, address, &parsed) == 1;
}

/* RFC 3986, 3.2.2: IPvFuture, such as v1.a:b. */
static bool is_ip_future(tr_str text)
{
    size_t at = 1;
    if (text.len == 0 || (text.ptr[0] != 'v' && text.ptr[0] != 'V'))
        return false;
    while (at < text.len && tr_ascii_hex_value(text.ptr[at]) >= 0)
        at++;
    tr_str rest = tr_str_skip(text, at + 1);
    return at > 1 && at < text.len && text.ptr[at] == '.' && rest.len &&
           !memchr(rest.ptr, '%', rest.len) && !part_fault(rest, ":", false);
}

/* Takes the host from *rest: a name, or an address in brackets. */
static const char *host_fault(tr_str *rest)
{
    if (rest->len == 0 || rest->ptr[0] != '[')
        return part_fault(take_until(rest, ":"), "", false);
    *rest = tr_str_skip(*rest, 1);
    tr_str address = take_until(rest, "]");
    if (!take_char(rest, ']'))
        return "a bracket that is not closed";
    return is_ipv6(address) || is_ip_future(address)
               ? NULL
               : "what is no address in brackets";
}

/* RFC 3986, 3.2: userinfo@host:port. */
static const char *authority_fault(tr_str rest)
{
    tr_str user = rest;
    tr_str before = take_until(&user, "@");
    const char *why = NULL;
    if (take_char(&user, '@')) {
        why = part_fault(before, ":", false);
        rest = user;
    }
    if (!why)
        why = host_fault(&rest);
    if (why || rest.len == 0)
        return why;
    if (!take_char(&rest, ':'))
        return "something behind the brackets";
    for (size_t i = 0; i < rest.len; i++) {
        if (!tr_ascii_is_digit(rest.ptr[i]))
            return "a port that is no number";
    }
    return NULL;
}

static tr_status fail_iri(struct tr_err *err, tr_str iri, const char *why,
                          const char *where)
{
    return tr_fail(err, TR_E_INVALID, "'%.*s' is not an absolute IRI: %s%s",
                   iri.len < 100 ? (int)iri.len : 0, iri.ptr, why, where);
}

/* Nearly all IRIs are http://name/path#name, with nothing doubtful in them, and
 * no second colon or '#'. */
static bool is_plain(tr_str iri, size_t scheme, unsigned seen)
{
    tr_str rest = tr_str_skip(iri, scheme);
    if ((seen & DOUBTFUL) || scheme == 0 || rest.len < 3 ||
        rest.ptr[0] != '/' || rest.ptr[1] != '/' || rest.ptr[2] == '/' ||
        memchr(rest.ptr, ':', rest.len))
        return false;
    if (!(seen & HASH))
        return true;
    const char *hash = memchr(rest.ptr, '#', rest.len);
    const char *end = rest.ptr + rest.len;
    return !hash || !memchr(hash + 1, '#', (size_t)(end - hash) - 1);
}

tr_status tr_rdf_iri_check_scanned(tr_str iri, unsigned seen,
                                   struct tr_err *err)
{
    struct tr_rdf_iri_parts parts;
    size_t scheme = tr_rdf_iri_scheme_len(iri);
    if (is_plain(iri, scheme, seen))
        return TR_OK;
    tr_rdf_iri_split(iri, &parts);
    if (scheme == 0)
        return fail_iri(err, iri, "it has no scheme", "");
    const struct {
        const char *fault;
        const char *where;
    } checks[] = {
        {authority_fault(parts.authority), " in the authority"},
        {part_fault(parts.path, ":@/", false), " in the path"},
        {!parts.has_authority && tr_str_starts(parts.path, TR_STR("//"))
             ? "the path starts with two slashes"
             : NULL,
         ""},
        {part_fault(parts.query, ":@/?", true), " in the query"},
        {part_fault(parts.fragment, ":@/?", false), " in the fragment"},
    };
    for (size_t i = 0; i < TR_LEN(checks); i++) {
        if (checks[i].fault)
            return fail_iri(err, iri, checks[i].fault, checks[i].where);
    }
    return TR_OK;
}

tr_status tr_rdf_iri_check(tr_str iri, struct tr_err *err)
{
    unsigned seen = 0;
    if (tr_rdf_iri_scan(iri, &seen) < iri.len)
        seen |= DOUBTFUL;
    return tr_rdf_iri_check_scanned(iri, seen, err);
}

bool tr_rdf_iri_is_reference(tr_str reference)
{
    tr_str rest = reference;
    tr_str first = take_until(&rest, "/?#");
    return first.len == 0 || !memchr(first.ptr, ':', first.len);
}
