#include "base/limits.h"
#include "base/test.h"
#include "config/config.h"
#include "json/reader.h"

static const struct tr_json *json(struct tr_arena *arena, tr_str text)
{
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(arena, text, NULL, &tree, &err), &err);
    return tree;
}

static const struct {
    const char *icons;
    const char *says; /* NULL: it is fine */
    const char *at;
} rows[] = {
    {"[]", NULL, NULL},
    {"[{\"src\":\"https://a.example/i.png?x=1#y\"}]", NULL, NULL},
    {"[{\"src\":\"data:image/svg+xml;base64,PHN2Zy8+\",\"theme\":\"dark\","
     "\"sizes\":[\"any\",\"48x48\"],\"mimeType\":\"image/svg+xml\"}]",
     NULL, NULL},
    {"{}", "icons is a list of at most 16", NULL},
    {"[1]", "icon 1: must be a table with src", NULL},
    {"[{\"src\":\"https://a\"},{}]", "icon 2: has no src", NULL},
    {"[{\"theme\":\"dark\"}]", "icon 1: has no src", "theme"},
    {"[{\"src\":\"https://a\",\"mime_type\":\"image/png\"}]",
     "icon 1: may only have src, mimeType, sizes and theme", "mime_type"},
    {"[{\"src\":\"https://a\",\"theme\":\"black\"}]",
     "icon 1: theme must be light or dark", "theme"},
    {"[{\"src\":\"https://a\",\"theme\":1}]",
     "icon 1: theme must be light or dark", "theme"},
};

TEST(icons_are_told_from_the_rest)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_json *at;
        struct tr_err err = {0};
        tr_status status = tr_config_icons_check(
            json(&arena, tr_str_from(rows[i].icons)), &at, &err);
        CHECK_ROW(status == (rows[i].says ? TR_E_INVALID : TR_OK),
                  rows[i].icons);
        if (!rows[i].says)
            continue;
        CHECK_STR(tr_str_from(err.msg), rows[i].says);
        CHECK_STR(tr_json_text(at), rows[i].at ? rows[i].at : "");
    }
    tr_arena_done(&arena);
}

/* Checks one member of an otherwise good icon. */
static bool is_taken(struct tr_arena *arena, const char *key, const char *value)
{
    const struct tr_json *at;
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(64));
    tr_buf_putf(&text, "[{%s\"%s\":%s}]",
                strcmp(key, "src") == 0 ? "" : "\"src\":\"https://a\",", key,
                value);
    tr_status status =
        tr_config_icons_check(json(arena, tr_buf_str(&text)), &at, NULL);
    tr_buf_done(&text);
    return status == TR_OK;
}

TEST(icons_have_no_member_that_is_wrong)
{
    static const struct {
        const char *key;
        const char *values[12];
    } wrong[] = {
        {"src",
         {"1", "\"\"", "\"http://a\"", "\"https://\"", "\"https://a b\"",
          "\"https://a\\u0000\"", "\"file:///x\"", "\"javascript:1\"",
          "\"data:text/html;base64,AA==\"", "\"data:image/png,x\"",
          "\"data:image/png;base64,\""}},
        {"src",
         {"\"data:image/png;base64,<>\"", "\"data:image/;base64,AA\"",
          "\"https://a\\\"\"", "\"https://\\u00e4\"", "null", "[]"}},
        {"mimeType",
         {"1", "\"\"", "\"text/html\"", "\"image/\"", "\"image/a b\"",
          "\"image/a\\u0000\""}},
        {"sizes",
         {"\"48x48\"", "[48]", "[\"48\"]", "[\"x\"]", "[\"0x1\"]", "[\"1x\"]",
          "[\"-1x1\"]", "[\"any\",\"\"]"}},
    };
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(wrong); i++) {
        for (size_t k = 0; wrong[i].values[k]; k++)
            CHECK_ROW(!is_taken(&arena, wrong[i].key, wrong[i].values[k]),
                      wrong[i].values[k]);
    }
    CHECK(is_taken(&arena, "mimeType", "\"image/png\""));
    CHECK(is_taken(&arena, "sizes", "[\"16x16\"]"));
    tr_arena_done(&arena);
}

/* Writes `count` times `item` between the two, with commas. */
static const struct tr_json *repeat(struct tr_arena *arena, const char *before,
                                    const char *item, size_t count,
                                    const char *after)
{
    struct tr_buf text;
    tr_str copy;
    tr_buf_init(&text, TR_MIB(1));
    tr_buf_put(&text, tr_str_from(before));
    for (size_t i = 0; i < count; i++)
        tr_buf_putf(&text, "%s%s", i && item[1] ? "," : "", item);
    tr_buf_put(&text, tr_str_from(after));
    CHECK(tr_arena_copy(arena, tr_buf_str(&text), &copy));
    tr_buf_done(&text);
    return json(arena, copy);
}

TEST(icons_have_a_maximum_in_number_length_and_sizes)
{
    static const struct {
        const char *before;
        const char *item;
        size_t most;
        const char *after;
    } limits[] = {
        {"[", "{\"src\":\"https://a\"}", TR_LIMIT_ICONS, "]"},
        {"[{\"src\":\"https://", "a", TR_LIMIT_ICON_BYTES - 8, "\"}]"},
        {"[{\"src\":\"https://a\",\"sizes\":[", "\"any\"", TR_LIMIT_ICON_SIZES,
         "]}]"},
    };
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(4));
    for (size_t i = 0; i < TR_LEN(limits); i++) {
        const struct tr_json *at;
        struct tr_err err = {0};
        CHECK_OK(tr_config_icons_check(repeat(&arena, limits[i].before,
                                              limits[i].item, limits[i].most,
                                              limits[i].after),
                                       &at, &err),
                 &err);
        CHECK_INT(tr_config_icons_check(
                      repeat(&arena, limits[i].before, limits[i].item,
                             limits[i].most + 1, limits[i].after),
                      &at, &err),
                  TR_E_INVALID);
    }
    tr_arena_done(&arena);
}
