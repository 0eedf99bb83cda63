#include "rest/accept.h"

#include "base/test.h"

/* A request with these Accept lines; an empty one is not there. */
struct lines {
    char bytes[512];
    struct tr_http_span spans[2];
    struct tr_http_request http;
};

static void add(struct lines *lines, const char *value)
{
    size_t at = lines->http.header_count * 256;
    size_t len = strlen(value);
    memcpy(lines->bytes + at, "accept", 6);
    memcpy(lines->bytes + at + 6, value, len);
    lines->spans[lines->http.header_count++] =
        (struct tr_http_span){(uint32_t)at, 6, (uint32_t)at + 6, (uint32_t)len};
}

static const char *choose(const char *first, const char *second)
{
    static const tr_str types[] = {
        TR_STR_INIT("application/json"),
        TR_STR_INIT("application/ld+json"),
        TR_STR_INIT("text/markdown; charset=utf-8"),
    };
    static const char *const names[] = {"json", "ld", "markdown"};
    const struct tr_rest_offers offers = {types, TR_LEN(types)};
    struct lines lines = {0};
    size_t found = 0;
    if (first)
        add(&lines, first);
    if (second)
        add(&lines, second);
    lines.http.bytes = lines.bytes;
    lines.http.spans = lines.spans;
    return tr_rest_accept_choose(&lines.http, offers, &found) ? names[found]
                                                              : "none";
}

TEST(the_closest_range_has_the_word)
{
    static const struct {
        const char *first;
        const char *second;
        const char *chosen;
    } rows[] = {
        {NULL, NULL, "json"},
        {"", NULL, "json"},
        {"*/*", NULL, "json"},
        {"application/json", NULL, "json"},
        {"APPLICATION/LD+JSON", NULL, "ld"},
        {"application/ld+json;profile=\"a,b;q=0\"", NULL, "ld"},
        {"text/markdown;charset=utf-8", NULL, "markdown"},
        {"text/*", NULL, "markdown"},
        {"application/*", NULL, "json"},
        {"text/html, application/xhtml+xml, */*;q=0.8", NULL, "json"},
        {"image/png", NULL, "none"},
        {"application", NULL, "none"},
        {"app/*, applicatio/*", NULL, "none"},
        {"*", NULL, "none"},
        /* Weights. */
        {"application/json;q=0.5, text/markdown;q=0.9", NULL, "markdown"},
        {"application/json;q=0.5,text/markdown ; Q=0.51", NULL, "markdown"},
        {"application/json;q=0, */*", NULL, "ld"},
        {"*/*;q=0", NULL, "none"},
        {"*/*;q=0.0", NULL, "none"},
        {"application/json;q=0.001", NULL, "json"},
        {"text/*;q=0.1, text/markdown;q=0.9, */*;q=0.5", NULL, "markdown"},
        /* The same weight: what was named, then what we prefer. */
        {"application/ld+json, */*", NULL, "ld"},
        {"text/markdown, application/json", NULL, "json"},
        {"application/json;q=0.2, application/json;q=0.9,"
         " text/markdown;q=0.5",
         NULL, "json"},
        /* On several lines it is one list. */
        {"application/json;q=0.1", "text/markdown", "markdown"},
        {"image/png", "application/ld+json", "ld"},
        {"", "application/ld+json", "ld"},
        /* What cannot be read counts for nothing. */
        {"application/json;q=2, text/markdown;q=0.1", NULL, "markdown"},
        {"application/json;q=1.001", NULL, "none"},
        {"application/json;q=0.1234", NULL, "none"},
        {"application/json;q=.5", NULL, "none"},
        {"application/json;q=", NULL, "none"},
        {"application/json;q=-0", NULL, "none"},
        {"application/json;q=0,5", NULL, "none"},
        {"application/json;q=\"1\"", NULL, "none"},
        {",,,;;;,\"", NULL, "none"},
        {"application/ld+json;a=\"\\", NULL, "ld"},
        {" , text/markdown ,", NULL, "markdown"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(
            strcmp(choose(rows[i].first, rows[i].second), rows[i].chosen) == 0,
            rows[i].first ? rows[i].first : "(none)");
}
