#include "base/log.h"

#include "base/limits.h"
#include "base/test.h"
#include "base/text.h"
#include "base/time.h"
#include "json/reader.h"

#include <unistd.h>

/* One line, and a JSON object in it. */
static const struct tr_json *read_line(struct tr_arena *arena, tr_str line)
{
    struct tr_err err;
    const struct tr_json *tree = NULL;
    CHECK(line.len > 0 && line.ptr[line.len - 1] == '\n');
    line.len--;
    CHECK(memchr(line.ptr, '\n', line.len) == NULL);
    CHECK_OK(tr_json_read(arena, line, NULL, &tree, &err), &err);
    CHECK(tr_json_is(tree, TR_JSON_OBJECT));
    return tree;
}

static tr_str text_of(const struct tr_json *tree, const char *key)
{
    return tr_json_text(tr_json_find(tree, tr_str_from(key)));
}

struct line {
    char storage[TR_LIMIT_LOG_LINE];
    struct tr_buf buf;
    struct tr_arena arena;
    const struct tr_json *tree;
};

/* Formats into `size` bytes and reads that again. */
static void format(struct line *line, size_t size, const char *msg,
                   const struct tr_log_field *fields, size_t count)
{
    tr_buf_init_fixed(&line->buf, line->storage, size);
    tr_arena_init(&line->arena, TR_MIB(1));
    struct tr_log_head head = {TR_STR("2026-07-28T12:00:00Z"), TR_LOG_WARN,
                               msg};
    tr_log_format_at(&line->buf, &head, fields, count);
    line->tree = read_line(&line->arena, tr_buf_str(&line->buf));
}

TEST(log_line_has_time_level_message_and_fields_in_order)
{
    static const char *const keys[] = {"time", "level", "msg", "path", "size"};
    struct line line;
    const struct tr_log_field fields[] = {
        TR_LOG_TEXT("path", TR_STR("/a \"b\"")),
        TR_LOG_INT("size", INT64_MIN),
    };
    format(&line, sizeof(line.storage), "it\nworks", fields, TR_LEN(fields));
    CHECK_INT(line.tree->len, TR_LEN(keys));
    for (size_t i = 0; i < TR_LEN(keys); i++)
        CHECK_STR(tr_json_text(&line.tree->as.members[i].key), keys[i]);
    CHECK_STR(text_of(line.tree, "time"), "2026-07-28T12:00:00Z");
    CHECK_STR(text_of(line.tree, "level"), "warn");
    CHECK_STR(text_of(line.tree, "msg"), "it\nworks");
    CHECK_STR(text_of(line.tree, "path"), "/a \"b\"");
    CHECK_STR(text_of(line.tree, "size"), "-9223372036854775808");
    tr_arena_done(&line.arena);
}

TEST(log_line_without_fields_is_complete)
{
    struct line line;
    format(&line, sizeof(line.storage), "alone", NULL, 0);
    CHECK_INT(line.tree->len, 3);
    tr_arena_done(&line.arena);
}

TEST(log_marks_bytes_that_are_not_utf8)
{
    static const struct {
        tr_str text;
        const char *logged;
    } rows[] = {
        {TR_STR_INIT("\xFF"), "\xEF\xBF\xBD"},
        {TR_STR_INIT("caf\xC3"), "caf\xEF\xBF\xBD"},
        {TR_STR_INIT("\"\xED\xA0\x80 more"), "\"\xEF\xBF\xBD"},
        {TR_STR_INIT("fine \xC3\xA9"), "fine \xC3\xA9"},
        {TR_STR_INIT(""), ""},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct line line;
        format(&line, sizeof(line.storage), "m",
               &TR_LOG_TEXT("text", rows[i].text), 1);
        CHECK_STR(text_of(line.tree, "text"), rows[i].logged);
        tr_arena_done(&line.arena);
    }
}

TEST(log_writes_an_empty_text_as_text)
{
    struct line line;
    format(&line, sizeof(line.storage), "m",
           &TR_LOG_TEXT("text", ((tr_str){NULL, 0})), 1);
    CHECK(tr_json_is(tr_json_find(line.tree, TR_STR("text")), TR_JSON_STRING));
    tr_arena_done(&line.arena);
}

/* Whatever the size, every line is whole: what does not fit is left out. */
TEST(log_line_is_well_formed_at_every_size)
{
    for (size_t size = 200; size < 600; size++) {
        struct line line;
        char long_text[300];
        memset(long_text, 'x', sizeof(long_text));
        const struct tr_log_field fields[] = {
            TR_LOG_INT("first", 1),
            TR_LOG_TEXT("long", ((tr_str){long_text, sizeof(long_text)})),
            TR_LOG_TEXT("odd", TR_STR("\x01\xFF")),
            TR_LOG_INT("last", 2),
        };
        format(&line, size, "m", fields, TR_LEN(fields));
        CHECK(tr_json_find(line.tree, TR_STR("first")) != NULL);
        CHECK(line.buf.failed == TR_OK);
        tr_arena_done(&line.arena);
    }
}

TEST(log_line_that_lacks_fields_says_so)
{
    struct line line;
    static char long_text[TR_LIMIT_LOG_LINE];
    memset(long_text, 'x', sizeof(long_text));
    const struct tr_log_field fields[] = {
        TR_LOG_TEXT("long", ((tr_str){long_text, sizeof(long_text)})),
        TR_LOG_INT("last", 2),
    };
    format(&line, sizeof(line.storage), "m", fields, TR_LEN(fields));
    CHECK(tr_json_find(line.tree, TR_STR("long")) == NULL);
    CHECK_STR(text_of(line.tree, "last"), "2");
    bool cut = false;
    CHECK(tr_json_bool(tr_json_find(line.tree, TR_STR("cut")), &cut) && cut);
    tr_arena_done(&line.arena);
}

TEST(log_line_with_all_its_fields_does_not_say_that_it_was_cut)
{
    struct line line;
    format(&line, sizeof(line.storage), "m", &TR_LOG_INT("a", 1), 1);
    CHECK(tr_json_find(line.tree, TR_STR("cut")) == NULL);
    tr_arena_done(&line.arena);
}

TEST(log_message_that_is_too_long_leaves_a_well_formed_line)
{
    struct line line;
    static char msg[2 * TR_LIMIT_LOG_LINE];
    memset(msg, 'm', sizeof(msg) - 1);
    format(&line, sizeof(line.storage), msg, &TR_LOG_INT("a", 1), 1);
    CHECK_STR(text_of(line.tree, "level"), "warn");
    CHECK_STR(text_of(line.tree, "a"), "1");
    bool cut = false;
    CHECK(tr_json_bool(tr_json_find(line.tree, TR_STR("cut")), &cut) && cut);
    tr_arena_done(&line.arena);
}

/* What tr_log_write puts on standard error. */
static size_t catch_log(char *out, size_t size, enum tr_log_level threshold,
                        enum tr_log_level level)
{
    FILE *caught = tmpfile();
    int saved = dup(STDERR_FILENO);
    CHECK(caught != NULL && saved >= 0);
    CHECK(dup2(fileno(caught), STDERR_FILENO) >= 0);
    tr_log_set_level(threshold);
    tr_log(level, "caught", TR_LOG_INT("n", 5), TR_LOG_INT("m", 6));
    tr_log_set_level(TR_LOG_INFO);
    (void)dup2(saved, STDERR_FILENO);
    (void)close(saved);
    rewind(caught);
    size_t len = fread(out, 1, size, caught);
    (void)fclose(caught);
    return len;
}

TEST(log_writes_one_whole_line)
{
    char out[1024];
    tr_time time;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    size_t len = catch_log(out, sizeof(out), TR_LOG_INFO, TR_LOG_ERROR);
    const struct tr_json *tree = read_line(&arena, (tr_str){out, len});
    CHECK_INT(tr_time_parse(text_of(tree, "time"), &time, NULL), TR_OK);
    CHECK_STR(text_of(tree, "level"), "error");
    CHECK_STR(text_of(tree, "msg"), "caught");
    CHECK_STR(text_of(tree, "n"), "5");
    CHECK_STR(text_of(tree, "m"), "6");
    tr_arena_done(&arena);
}

TEST(log_drops_lines_below_its_level)
{
    for (int threshold = TR_LOG_DEBUG; threshold <= TR_LOG_OFF; threshold++) {
        for (int level = TR_LOG_DEBUG; level < TR_LOG_OFF; level++) {
            char out[1024];
            size_t len =
                catch_log(out, sizeof(out), (enum tr_log_level)threshold,
                          (enum tr_log_level)level);
            CHECK((len > 0) == (level >= threshold));
        }
    }
}

TEST(log_levels_have_the_names_of_the_settings)
{
    static const char *const names[] = {"debug", "info", "warn", "error",
                                        "off"};
    for (size_t i = 0; i < TR_LEN(names); i++)
        CHECK_STR(tr_str_from(tr_log_level_names[i]), names[i]);
    CHECK(tr_log_level_names[TR_LEN(names)] == NULL);
}

static tr_str people_line(struct tr_buf *buf, const char *msg,
                          const struct tr_log_field *fields, size_t count)
{
    struct tr_log_head head = {TR_STR("2026-07-28T12:00:00.042Z"), TR_LOG_INFO,
                               msg};
    tr_log_set_form(TR_LOG_FORM_TEXT);
    tr_log_format_at(buf, &head, fields, count);
    tr_log_set_form(TR_LOG_FORM_JSON);
    return tr_buf_str(buf);
}

TEST(log_line_for_people_has_time_level_message_and_fields)
{
    char room[500];
    struct tr_buf buf;
    const struct tr_log_field fields[] = {
        TR_LOG_TEXT("name", TR_STR("search")),
        TR_LOG_TEXT("text", TR_STR("two words")),
        TR_LOG_TEXT("none", TR_STR("")),
        TR_LOG_TEXT("pair", TR_STR("a=b")),
        TR_LOG_INT("micros", 312),
    };
    tr_buf_init_fixed(&buf, room, sizeof(room));
    CHECK_STR(people_line(&buf, "request", fields, TR_LEN(fields)),
              "12:00:00.042Z info  request name=search text=\"two words\" "
              "none=\"\" pair=\"a=b\" micros=312\n");
}

TEST(log_line_for_people_leaves_nothing_that_a_terminal_obeys)
{
    /* The last two turn the direction of a text, and are ended again. */
    static const char *const hostile[] = {
        "\033[2J",
        "a\nb",
        "\x7f",
        "\xc2\x9b[31m",
        "\xff",
        "\r12:00:00.042Z error",
        "\xe2\x80\xaeturned\xe2\x80\xac",
        "\xe2\x81\xa6turned\xe2\x81\xa9",
    };
    for (size_t i = 0; i < TR_LEN(hostile); i++) {
        char room[500];
        struct tr_buf buf;
        tr_buf_init_fixed(&buf, room, sizeof(room));
        tr_str line = people_line(
            &buf, "m", &TR_LOG_TEXT("text", tr_str_from(hostile[i])), 1);
        CHECK(tr_utf8_is_valid(line) && line.ptr[line.len - 1] == '\n');
        for (size_t at = 0; at + 1 < line.len; at++)
            CHECK_INT(tr_utf8_control(tr_str_skip(line, at)), 0);
    }
}

TEST(log_line_for_people_is_whole_at_every_size)
{
    char long_text[300];
    memset(long_text, 'x', sizeof(long_text));
    const struct tr_log_field fields[] = {
        TR_LOG_INT("first", 1),
        TR_LOG_TEXT("long", ((tr_str){long_text, sizeof(long_text)})),
        TR_LOG_INT("last", 2),
    };
    for (size_t size = 100; size < 500; size++) {
        char room[500];
        struct tr_buf buf;
        tr_buf_init_fixed(&buf, room, size);
        tr_str line = people_line(&buf, "m", fields, TR_LEN(fields));
        bool is_cut = !memmem(line.ptr, line.len, long_text, 300) ||
                      !memmem(line.ptr, line.len, " last=2", 7);
        CHECK(buf.failed == TR_OK && line.ptr[line.len - 1] == '\n');
        CHECK((memmem(line.ptr, line.len, "(cut)", 5) != NULL) == is_cut);
    }
}
