#include "base/ascii.h"
#include "base/text.h"
#include "fetch/inside.h"

/* RFC 9110, 5.6.2. */
static bool is_token(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (!tr_ascii_is_alnum(c) && (!c || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return text.len > 0;
}

/* No control characters but tabs: a line must not end before its end. */
static bool is_value(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7F)
            return false;
    }
    return true;
}

bool tr_fetch_header_is(tr_str text, tr_str lower)
{
    if (text.len != lower.len)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (tr_ascii_to_lower(text.ptr[i]) != lower.ptr[i])
            return false;
    }
    return true;
}

static bool is_one_of(tr_str name, const tr_str *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_fetch_header_is(name, list[i]))
            return true;
    }
    return false;
}

/* They say where a message ends, whom it is for, or are about one connection;
 * libcurl writes them. */
static bool is_ours(tr_str name)
{
    static const tr_str ours[] = {
        TR_STR_INIT("accept-encoding"),
        TR_STR_INIT("connection"),
        TR_STR_INIT("content-length"),
        TR_STR_INIT("expect"),
        TR_STR_INIT("host"),
        TR_STR_INIT("http2-settings"),
        TR_STR_INIT("keep-alive"),
        TR_STR_INIT("proxy-authorization"),
        TR_STR_INIT("proxy-connection"),
        TR_STR_INIT("te"),
        TR_STR_INIT("trailer"),
        TR_STR_INIT("upgrade"),
        TR_STR_INIT("transfer-encoding"),
    };
    return is_one_of(name, ours, TR_LEN(ours));
}

bool tr_fetch_header_is_of_body(tr_str name)
{
    static const tr_str of_body[] = {
        TR_STR_INIT("content-type"), TR_STR_INIT("content-encoding"),
        TR_STR_INIT("content-language"), TR_STR_INIT("content-location")};
    return is_one_of(name, of_body, TR_LEN(of_body));
}

bool tr_fetch_header_is_harmless(tr_str name)
{
    static const tr_str harmless[] = {
        TR_STR_INIT("accept"), TR_STR_INIT("accept-language"),
        TR_STR_INIT("content-type"), TR_STR_INIT("user-agent")};
    return is_one_of(name, harmless, TR_LEN(harmless));
}

tr_status tr_fetch_header_check(const struct tr_fetch_header *header,
                                struct tr_err *err)
{
    if (header->name.len > TR_LIMIT_NAME_BYTES || !is_token(header->name))
        return tr_fail(err, TR_E_INVALID,
                       "the name of a header has letters, digits and -");
    if (is_ours(header->name))
        return tr_fail(err, TR_E_INVALID, "the header '%.*s' is not yours",
                       TR_FMT(header->name));
    if (header->value.len > TR_LIMIT_FETCH_URL)
        return tr_fail(err, TR_E_LIMIT,
                       "the header '%.*s' is longer than %zu bytes",
                       TR_FMT(header->name), TR_LIMIT_FETCH_URL);
    if (!is_value(header->value))
        return tr_fail(err, TR_E_INVALID,
                       "the header '%.*s' has a control character",
                       TR_FMT(header->name));
    return TR_OK;
}

const char *tr_fetch_header_read(struct tr_arena *arena, tr_str line,
                                 struct tr_fetch_header *out)
{
    tr_str name;
    tr_str value;
    if (!tr_str_cut(line, ':', &name, &value) || !is_token(name))
        return "a header without a name";
    value = tr_str_trim(value);
    if (!is_value(value))
        return "a header with a control character";
    if (!tr_arena_copy(arena, name, &out->name) ||
        !tr_arena_copy(arena, value, &out->value))
        return "no memory for the headers";
    char *at = (char *)(uintptr_t)out->name.ptr;
    for (size_t i = 0; i < name.len; i++)
        at[i] = tr_ascii_to_lower(at[i]);
    tr_utf8_mend((char *)(uintptr_t)out->value.ptr, out->value.len);
    return NULL;
}
