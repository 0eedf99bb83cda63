/*
 * The toml-test suite: one test for each file that its list for TOML 1.0.0
 * names. A valid file has its value beside it, as JSON with tagged scalars:
 * {"type": "integer", "value": "42"}.
 */
#include "base/limits.h"
#include "base/test.h"
#include "base/time.h"
#include "json/reader.h"
#include "toml/reader.h"

#include <math.h>

#define SUITE "toml/files-toml-1.0.0"

static bool same_string(const struct tr_json *got, tr_str want)
{
    return got->kind == TR_JSON_STRING && tr_str_eq(tr_json_text(got), want);
}

static bool same_integer(const struct tr_json *got, tr_str want)
{
    int64_t a;
    int64_t b;
    return (got->flags & TR_JSON_INTEGER) && tr_json_i64(got, &a) &&
           tr_str_to_i64(want, &b) && a == b;
}

static bool same_float(const struct tr_json *got, tr_str want)
{
    char text[64];
    double value = 0;
    (void)snprintf(text, sizeof(text), "%.*s", TR_FMT(want));
    double wanted = strtod(text, NULL);
    if (isnan(wanted))
        return got->kind == TR_JSON_NAN;
    if (isinf(wanted))
        return got->kind == TR_JSON_INF &&
               (tr_json_text(got).ptr[0] == '-') == (wanted < 0);
    return !(got->flags & TR_JSON_INTEGER) && tr_json_double(got, &value) &&
           value == wanted && !signbit(value) == !signbit(wanted);
}

static bool same_bool(const struct tr_json *got, tr_str want)
{
    bool value = false;
    return tr_json_bool(got, &value) &&
           tr_str_eq(want, value ? TR_STR("true") : TR_STR("false"));
}

/* A local time has no offset, so one is put behind to compare it. */
static bool time_of(tr_str text, const char *offset, tr_time *out)
{
    char whole[64];
    int len = snprintf(whole, sizeof(whole), "%.*s%s", TR_FMT(text), offset);
    return tr_time_parse((tr_str){whole, (size_t)len}, out, NULL) == TR_OK;
}

static bool same_moment(tr_str got, tr_str want, const char *offset)
{
    tr_time a;
    tr_time b;
    return time_of(got, offset, &a) && time_of(want, offset, &b) &&
           a.seconds == b.seconds && a.nanos == b.nanos &&
           a.offset_min == b.offset_min;
}

static bool same_datetime(const struct tr_json *got, tr_str want)
{
    return got->kind == TR_JSON_DATETIME &&
           same_moment(tr_json_text(got), want, "");
}

static bool same_local_datetime(const struct tr_json *got, tr_str want)
{
    return got->kind == TR_JSON_LOCAL_DATETIME &&
           same_moment(tr_json_text(got), want, "Z");
}

static bool same_local_date(const struct tr_json *got, tr_str want)
{
    return got->kind == TR_JSON_LOCAL_DATE &&
           tr_str_eq(tr_json_text(got), want);
}

static bool same_local_time(const struct tr_json *got, tr_str want)
{
    tr_str text = tr_json_text(got);
    tr_clock a;
    tr_clock b;
    return got->kind == TR_JSON_LOCAL_TIME && tr_clock_scan(&text, &a) &&
           tr_clock_scan(&want, &b) && a.hour == b.hour &&
           a.minute == b.minute && a.second == b.second && a.nanos == b.nanos;
}

static const struct tag {
    tr_str name;
    bool (*same)(const struct tr_json *got, tr_str want);
} tags[] = {
    {TR_STR_INIT("string"), same_string},
    {TR_STR_INIT("integer"), same_integer},
    {TR_STR_INIT("float"), same_float},
    {TR_STR_INIT("bool"), same_bool},
    {TR_STR_INIT("datetime"), same_datetime},
    {TR_STR_INIT("datetime-local"), same_local_datetime},
    {TR_STR_INIT("date-local"), same_local_date},
    {TR_STR_INIT("time-local"), same_local_time},
};

static bool same_scalar(const struct tr_json *got, tr_str type, tr_str want)
{
    for (size_t i = 0; i < TR_LEN(tags); i++) {
        if (tr_str_eq(tags[i].name, type))
            return tags[i].same(got, want);
    }
    return false;
}

static bool same(const struct tr_json *got, const struct tr_json *want);

static bool same_members(const struct tr_json *got, const struct tr_json *want)
{
    if (got->kind != TR_JSON_OBJECT || got->len != want->len)
        return false;
    for (size_t i = 0; i < want->len; i++) {
        const struct tr_json_member *member = &want->as.members[i];
        if (!same(tr_json_find(got, tr_json_text(&member->key)),
                  &member->value))
            return false;
    }
    return true;
}

static bool same_items(const struct tr_json *got, const struct tr_json *want)
{
    if (got->kind != TR_JSON_ARRAY || got->len != want->len)
        return false;
    for (size_t i = 0; i < want->len; i++) {
        if (!same(&got->as.items[i], &want->as.items[i]))
            return false;
    }
    return true;
}

/* `got` is what TOML gave, NULL when it gave nothing; `want` is tagged. */
static bool same(const struct tr_json *got, const struct tr_json *want)
{
    const struct tr_json *type = tr_json_find(want, TR_STR("type"));
    const struct tr_json *value = tr_json_find(want, TR_STR("value"));
    if (!got)
        return false;
    if (want->kind == TR_JSON_ARRAY)
        return same_items(got, want);
    if (tr_json_is(type, TR_JSON_STRING) && tr_json_is(value, TR_JSON_STRING))
        return same_scalar(got, tr_json_text(type), tr_json_text(value));
    return same_members(got, want);
}

static void path_of(const char *name, char *path, size_t size)
{
    if (!tr_test_suite(SUITE, path, size))
        fail();
    char *slash = strrchr(path, '/');
    size_t room = size - (size_t)(slash + 1 - path);
    (void)snprintf(slash + 1, room, "%s", name);
}

static void reads_valid(void **state)
{
    char path[512];
    struct tr_arena arena;
    const struct tr_json *got = NULL;
    const struct tr_json *want = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(16));
    path_of(*state, path, sizeof(path));
    tr_str toml = tr_test_read_file(path);
    (void)snprintf(strrchr(path, '.'), sizeof(".json"), ".json");
    tr_str json = tr_test_read_file(path);
    CHECK_OK(tr_toml_read(&arena, toml, &got, &err), &err);
    CHECK_OK(tr_json_read(&arena, json, NULL, &want, &err), &err);
    CHECK(same(got, want));
    tr_arena_done(&arena);
    free((void *)(uintptr_t)toml.ptr);
    free((void *)(uintptr_t)json.ptr);
}

static void refuses_invalid(void **state)
{
    char path[512];
    struct tr_arena arena;
    const struct tr_json *got = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(16));
    path_of(*state, path, sizeof(path));
    tr_str toml = tr_test_read_file(path);
    CHECK_INT(tr_toml_read(&arena, toml, &got, &err), TR_E_SYNTAX);
    CHECK(err.place.line > 0);
    CHECK(err.msg[0] != '\0');
    tr_arena_done(&arena);
    free((void *)(uintptr_t)toml.ptr);
}

static void suite_is_absent(void **state)
{
    (void)state;
    skip();
}

/* Tests and names live as long as the program: the list of tests has them. */
static void add_test(tr_str name)
{
    char *copy = calloc(1, name.len + 1);
    struct tr_test *test = calloc(1, sizeof(*test));
    if (!copy || !test)
        abort();
    memcpy(copy, name.ptr, name.len);
    *test = (struct tr_test){
        .name = copy,
        .run = tr_str_starts(name, TR_STR("valid/")) ? reads_valid
                                                     : refuses_invalid,
        .state = copy,
    };
    tr_test_add(test);
}

static bool ends_with(tr_str s, tr_str end)
{
    return s.len >= end.len && tr_str_eq(tr_str_skip(s, s.len - end.len), end);
}

__attribute__((constructor)) static void add_tests(void)
{
    static struct tr_test absent = {"toml_suite_is_absent", suite_is_absent,
                                    NULL, NULL};
    char path[512];
    if (!tr_test_suite(SUITE, path, sizeof(path))) {
        tr_test_add(&absent);
        return;
    }
    tr_str list = tr_test_read_file(path);
    tr_str rest = list;
    tr_str line;
    while (tr_str_cut(rest, '\n', &line, &rest)) {
        if (ends_with(line, TR_STR(".toml")))
            add_test(line);
    }
    free((void *)(uintptr_t)list.ptr);
}
