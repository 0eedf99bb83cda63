/*
 * Any bytes as the Accept lines of a request: what is chosen is one of the
 * offers, and it matters neither on how many lines a list stands nor what it
 * has beside that is none of ours.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "rest/accept.h"

#define LINES 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

struct lines {
    struct tr_buf bytes;
    struct tr_http_span spans[LINES];
    struct tr_http_request http;
};

static void add(struct lines *lines, tr_str value)
{
    size_t at = lines->bytes.len;
    must(lines->http.header_count < LINES);
    tr_buf_put(&lines->bytes, TR_STR("Accept"));
    tr_buf_put(&lines->bytes, value);
    lines->spans[lines->http.header_count++] = (struct tr_http_span){
        (uint32_t)at, 6, (uint32_t)at + 6, (uint32_t)value.len};
}

/* The offer, or that none is wanted. */
static size_t choose(struct lines *lines)
{
    static const tr_str types[] = {
        TR_STR_INIT("application/ld+json"),
        TR_STR_INIT("application/json"),
        TR_STR_INIT("text/markdown; charset=utf-8"),
    };
    const struct tr_rest_offers offers = {types, TR_LEN(types)};
    size_t out = TR_LEN(types) + 1;
    must(lines->bytes.failed == TR_OK);
    lines->http.bytes = lines->bytes.ptr;
    lines->http.spans = lines->spans;
    if (!tr_rest_accept_choose(&lines->http, offers, &out))
        return TR_LEN(types);
    must(out < TR_LEN(types));
    return out;
}

static void init(struct lines *lines)
{
    *lines = (struct lines){0};
    tr_buf_init(&lines->bytes, TR_MIB(1));
}

static void put_member(struct tr_buf *all, tr_str line)
{
    if (all->len)
        tr_buf_putc(all, ',');
    tr_buf_put(all, line);
}

/* Lines of the input, or with `joins` one of them all; then this one. */
static size_t choose_with(tr_str text, bool joins, const char *last)
{
    struct lines lines;
    struct tr_buf all;
    tr_str line;
    init(&lines);
    tr_buf_init(&all, TR_MIB(1));
    for (size_t i = 0; i + 1 < LINES && text.len; i++) {
        if (!tr_str_cut(text, '\n', &line, &text)) {
            line = text;
            text = TR_STR("");
        }
        line = tr_str_trim(line);
        if (!joins)
            add(&lines, line);
        else if (line.len)
            put_member(&all, line);
    }
    if (joins)
        add(&lines, tr_buf_str(&all));
    if (last)
        add(&lines, tr_str_from(last));
    size_t chosen = choose(&lines);
    tr_buf_done(&all);
    tr_buf_done(&lines.bytes);
    return chosen;
}

/* Whether a line has something; else there is no Accept. */
static bool has_any(tr_str text)
{
    tr_str line;
    for (size_t i = 0; i + 1 < LINES && text.len; i++) {
        if (!tr_str_cut(text, '\n', &line, &text)) {
            line = text;
            text = TR_STR("");
        }
        if (tr_str_trim(line).len)
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str text = {(const char *)data, size};
    size_t chosen = choose_with(text, false, NULL);
    must(choose_with(text, false, "") == chosen);
    must(has_any(text) || chosen == 0);
    must(choose_with(text, false, "image/png") == (has_any(text) ? chosen : 3));
    if (!size || !memchr(data, '"', size))
        must(choose_with(text, true, NULL) == chosen);
    return 0;
}
