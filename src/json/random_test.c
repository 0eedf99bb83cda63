#include "base/limits.h"
#include "base/test.h"
#include "base/text.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"

#define DEEPEST   5
#define WIDEST    40
#define TEXT_MAX  TR_KIB(512)
#define ARENA_MAX TR_MIB(8)

static struct tr_json random_value(struct tr_arena *arena, unsigned depth);

static uint32_t random_code_point(void)
{
    static const uint32_t below[] = {0x20, 0x80, 0x800, 0x10000, 0x110000};
    uint32_t c = 0;
    do
        c = (uint32_t)tr_test_random_below(
            below[tr_test_random_below(TR_LEN(below))]);
    while (c >= 0xD800 && c < 0xE000);
    return c;
}

/* Half of them short and plain, so that keys come twice. */
static tr_str random_string(struct tr_arena *arena)
{
    bool plain = tr_test_random_below(2);
    size_t count = tr_test_random_below(plain ? 3 : 30);
    char *text = tr_arena_alloc(arena, count * 4);
    size_t len = 0;
    CHECK(text != NULL);
    for (size_t i = 0; i < count; i++) {
        uint32_t c = plain ? 'a' + (uint32_t)tr_test_random_below(3)
                           : random_code_point();
        len += tr_utf8_encode(c, text + len);
    }
    return (tr_str){text, len};
}

static struct tr_json random_number(struct tr_arena *arena)
{
    char text[64];
    unsigned long long digits = tr_test_random() >> tr_test_random_below(64);
    const char *sign = tr_test_random_below(2) ? "-" : "";
    bool integer = tr_test_random_below(2);
    int exponent = (int)tr_test_random_below(800) - 400;
    int len = integer ? snprintf(text, sizeof(text), "%s%llu", sign, digits)
                      : snprintf(text, sizeof(text), "%s%llu.%03lluE%d", sign,
                                 digits, digits % 1000, exponent);
    tr_str copy = {NULL, 0};
    CHECK(tr_arena_copy(arena, (tr_str){text, (size_t)len}, &copy));
    return integer ? tr_json_make_integer(copy)
                   : tr_json_make_text(TR_JSON_NUMBER, copy);
}

static size_t random_width(unsigned depth)
{
    if (depth >= DEEPEST)
        return 0;
    return tr_test_random_below(tr_test_random_below(4) ? 5 : WIDEST);
}

static struct tr_json random_array(struct tr_arena *arena, unsigned depth)
{
    struct tr_json items[WIDEST];
    struct tr_json array;
    size_t count = random_width(depth);
    for (size_t i = 0; i < count; i++)
        items[i] = random_value(arena, depth + 1);
    CHECK(tr_json_make_array(arena, items, count, &array));
    return array;
}

static struct tr_json random_object(struct tr_arena *arena, unsigned depth)
{
    struct tr_json_member members[WIDEST];
    struct tr_json object;
    size_t count = random_width(depth);
    for (size_t i = 0; i < count; i++) {
        members[i].key =
            tr_json_make_text(TR_JSON_STRING, random_string(arena));
        members[i].value = random_value(arena, depth + 1);
    }
    CHECK(tr_json_make_object(arena, members, count, &object));
    return object;
}

static struct tr_json random_value(struct tr_arena *arena, unsigned depth)
{
    switch (tr_test_random_below(depth < 2 ? 9 : 6) + (depth == 0 ? 3 : 0)) {
    case 0:
        return (struct tr_json){.kind = TR_JSON_NULL};
    case 1:
        return tr_json_make_bool(tr_test_random_below(2));
    case 2:
        return random_number(arena);
    case 3:
        return tr_json_make_text(TR_JSON_STRING, random_string(arena));
    case 4:
    case 6:
        return random_array(arena, depth);
    default:
        return random_object(arena, depth);
    }
}

struct bench {
    struct tr_arena arena;
    struct tr_buf first;
    struct tr_buf second;
    struct tr_err err;
};

static void start(struct bench *bench)
{
    tr_arena_init(&bench->arena, ARENA_MAX);
    tr_buf_init(&bench->first, TEXT_MAX);
    tr_buf_init(&bench->second, TEXT_MAX);
}

static void end(struct bench *bench)
{
    tr_buf_done(&bench->first);
    tr_buf_done(&bench->second);
    tr_arena_done(&bench->arena);
}

static void write_to(struct tr_buf *buf, const struct tr_json *value,
                     bool canonical)
{
    struct tr_json_writer w;
    struct tr_err err = {0};
    tr_buf_clear(buf);
    tr_jw_init(&w, buf);
    if (canonical)
        tr_jw_canonical(&w, value);
    else
        tr_jw_value(&w, value);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
}

/* Written, read and written again it must be the same text. */
static void check_stable(struct bench *bench, const struct tr_json *value,
                         bool canonical)
{
    const struct tr_json *back = NULL;
    write_to(&bench->first, value, canonical);
    CHECK_OK(tr_json_read(&bench->arena, tr_buf_str(&bench->first), NULL, &back,
                          &bench->err),
             &bench->err);
    write_to(&bench->second, back, canonical);
    CHECK(tr_str_eq(tr_buf_str(&bench->first), tr_buf_str(&bench->second)));
}

TEST(json_random_documents_survive_writing_and_reading)
{
    struct bench bench;
    size_t count = tr_test_scaled(20000);
    start(&bench);
    for (size_t i = 0; i < count; i++) {
        struct tr_json value = random_value(&bench.arena, 0);
        check_stable(&bench, &value, false);
        tr_arena_reset(&bench.arena);
    }
    end(&bench);
}

TEST(json_random_documents_have_one_canonical_form)
{
    struct bench bench;
    size_t count = tr_test_scaled(20000);
    start(&bench);
    for (size_t i = 0; i < count; i++) {
        struct tr_json value = random_value(&bench.arena, 0);
        check_stable(&bench, &value, true);
        tr_arena_reset(&bench.arena);
    }
    end(&bench);
}

TEST(json_random_documents_survive_being_written_for_people)
{
    struct bench bench;
    size_t count = tr_test_scaled(5000);
    start(&bench);
    for (size_t i = 0; i < count; i++) {
        struct tr_json_writer w;
        const struct tr_json *back = NULL;
        struct tr_json value = random_value(&bench.arena, 0);
        tr_buf_clear(&bench.first);
        tr_jw_init_pretty(&w, &bench.first);
        tr_jw_value(&w, &value);
        CHECK_OK(tr_jw_finish(&w, &bench.err), &bench.err);
        CHECK_OK(tr_json_read(&bench.arena, tr_buf_str(&bench.first), NULL,
                              &back, &bench.err),
                 &bench.err);
        write_to(&bench.second, back, false);
        write_to(&bench.first, &value, false);
        CHECK(tr_str_eq(tr_buf_str(&bench.first), tr_buf_str(&bench.second)));
        tr_arena_reset(&bench.arena);
    }
    end(&bench);
}

/* A copy in memory of its own size, with a few bytes changed or cut off. */
static tr_str mutate(tr_str text)
{
    static const char likely[] = "[]{}\",:\\u0123456789eE+-. \n\x80\xFF\0tfn";
    size_t len = text.len;
    if (tr_test_random_below(3) == 0)
        len = tr_test_random_below(len + 1);
    char *copy = calloc(1, len ? len : 1);
    if (!copy)
        abort();
    memcpy(copy, text.ptr, len);
    for (size_t n = tr_test_random_below(4); len && n > 0; n--)
        copy[tr_test_random_below(len)] =
            likely[tr_test_random_below(sizeof(likely))];
    return (tr_str){copy, len};
}

static void check_mutant(struct bench *bench, tr_str text)
{
    const struct tr_json *tree = NULL;
    tr_status status =
        tr_json_read(&bench->arena, text, NULL, &tree, &bench->err);
    if (status == TR_OK) {
        check_stable(bench, tree, tr_test_random_below(2));
        return;
    }
    CHECK_INT(status, TR_E_SYNTAX);
    CHECK(bench->err.msg[0] != '\0');
    CHECK(bench->err.place.line > 0 && bench->err.place.column > 0);
    CHECK(bench->err.place.offset <= text.len);
}

TEST(json_mutated_documents_are_read_or_refused)
{
    struct bench bench;
    size_t count = tr_test_scaled(100000);
    start(&bench);
    for (size_t i = 0; i < count; i++) {
        struct tr_json value = random_value(&bench.arena, 1);
        write_to(&bench.first, &value, false);
        tr_str text = mutate(tr_buf_str(&bench.first));
        check_mutant(&bench, text);
        free((void *)(uintptr_t)text.ptr);
        tr_arena_reset(&bench.arena);
    }
    end(&bench);
}
