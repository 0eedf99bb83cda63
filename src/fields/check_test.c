#include "fields/check.h"

#include "base/limits.h"
#include "base/test.h"
#include "fields/pattern.h"
#include "json/reader.h"
#include "json/writer.h"

/* A type as an app would declare it, and one field of each kind. */
struct fixture {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    const struct tr_shape *shape;
};

static const struct tr_json *json(struct tr_arena *arena, const char *text)
{
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(arena, tr_str_from(text), NULL, &tree, &err), &err);
    return tree;
}

static void set_up(struct fixture *f)
{
    struct tr_err err = {0};
    *f = (struct fixture){0};
    tr_arena_init(&f->arena, TR_MIB(16));
    const struct tr_field fields[] = {
        {.name = TR_STR("status"),
         .optional = true,
         .one_of = json(&f->arena, "[\"proposed\",\"accepted\",\"rejected\"]")},
        {.name = TR_STR("req_id"), .pattern = TR_STR("^REQ-\\d+$")},
        {.name = TR_STR("title"),
         .min_length = 3,
         .max_length = 5,
         .optional = true},
        {.name = TR_STR("priority"),
         .kind = TR_FIELD_INTEGER,
         .min_value = TR_STR("1"),
         .max_value = TR_STR("9007199254740993"),
         .optional = true},
        {.name = TR_STR("share"),
         .kind = TR_FIELD_NUMBER,
         .min_value = TR_STR("0.1"),
         .optional = true},
        {.name = TR_STR("tags"),
         .many = true,
         .max_count = 2,
         .max_length = 3,
         .optional = true},
        {.name = TR_STR("counts"),
         .kind = TR_FIELD_INTEGER,
         .many = true,
         .optional = true},
        {.name = TR_STR("done"),
         .kind = TR_FIELD_BOOLEAN,
         .default_to = json(&f->arena, "false")},
        {.name = TR_STR("due"), .kind = TR_FIELD_DATETIME, .optional = true},
        {.name = TR_STR("owner"),
         .kind = TR_FIELD_REF,
         .target = TR_STR("Person"),
         .optional = true},
        {.name = TR_STR("slow"),
         .pattern = TR_STR("^(a+)+$"),
         .optional = true},
    };
    const struct tr_shape draft = {.fields = fields, .count = TR_LEN(fields)};
    CHECK_OK(
        tr_shape_register(&f->arena, &f->patterns, &draft, &f->shape, &err),
        &err);
}

static void tear_down(struct fixture *f)
{
    tr_field_patterns_done(&f->patterns);
    tr_arena_done(&f->arena);
}

/* The result as text: the object, or the errors. */
static tr_str written(const struct tr_shape_checked *checked, tr_status st,
                      char *storage, size_t size)
{
    struct tr_err err = {0};
    struct tr_buf buf;
    struct tr_json_writer w;
    tr_buf_init_fixed(&buf, storage, size);
    tr_jw_init(&w, &buf);
    if (st == TR_OK) {
        CHECK(checked->errors.count == 0);
        tr_jw_value(&w, checked->value);
    } else {
        CHECK_INT(st, TR_E_VALIDATION);
        CHECK(checked->value == NULL);
        tr_field_errors_write(&w, &checked->errors);
    }
    CHECK_OK(tr_jw_finish(&w, &err), &err);
    return tr_buf_str(&buf);
}

static tr_str outcome(struct fixture *f, const char *text, char *storage,
                      size_t size)
{
    struct tr_shape_checked checked;
    struct tr_err err = {0};
    tr_status st = tr_shape_check(f->shape, json(&f->arena, text), &f->arena,
                                  &checked, &err);
    CHECK(st == TR_OK || strncmp(err.msg, "validation failed on ", 21) == 0);
    return written(&checked, st, storage, size);
}

#define ERROR(field, code, message, value, constraint)                         \
    "{\"field\":\"" field "\",\"code\":\"" code "\",\"message\":\"" message    \
    "\",\"value\":" value ",\"constraint\":" constraint "}"

static const char *const rows[][2] = {
    /* What fits, with the default filled in. */
    {"{\"req_id\":\"REQ-1\",\"done\":true}",
     "{\"req_id\":\"REQ-1\",\"done\":true}"},
    {"{\"req_id\":\"REQ-1\"}", "{\"req_id\":\"REQ-1\",\"done\":false}"},
    {"{\"req_id\":\"REQ-1\",\"priority\":1.0,\"done\":true}",
     "{\"req_id\":\"REQ-1\",\"priority\":1,\"done\":true}"},
    {"{\"req_id\":\"REQ-1\",\"counts\":[1e2,2,3.0],\"done\":true}",
     "{\"req_id\":\"REQ-1\",\"counts\":[100,2,3],\"done\":true}"},
    {"{\"req_id\":\"REQ-1\",\"counts\":[1e30],\"done\":true}",
     "{\"req_id\":\"REQ-1\",\"counts\":[1e30],\"done\":true}"},
    {"{\"req_id\":\"REQ-1\",\"priority\":9007199254740993,\"done\":true}",
     "{\"req_id\":\"REQ-1\",\"priority\":9007199254740993,\"done\":true}"},
    {"{\"req_id\":\"REQ-1\",\"title\":\"\xC3\xA9\xC3\xA9\xC3\xA9\","
     "\"done\":true,\"due\":\"2026-07-28T12:00:00.5+02:00\","
     "\"owner\":\"trails://app/Person/1\",\"tags\":[]}",
     "{\"req_id\":\"REQ-1\",\"title\":\"\xC3\xA9\xC3\xA9\xC3\xA9\","
     "\"done\":true,\"due\":\"2026-07-28T12:00:00.5+02:00\","
     "\"owner\":\"trails://app/Person/1\",\"tags\":[]}"},

    /* Every violation is found, not only the first. */
    {"{\"status\":\"draft\",\"req_id\":\"R1\"}",
     "[" ERROR(
         "status", "one_of",
         "status must be one of ['proposed','accepted','rejected']",
         "\"draft\"",
         "[\"proposed\",\"accepted\",\"rejected\"]") "," ERROR("req_id",
                                                               "pattern",
                                                               "req_id must "
                                                               "match "
                                                               "^REQ-\\\\d+$",
                                                               "\"R1\"",
                                                               "\"^REQ-\\\\d+$"
                                                               "\"") "]"},

    {"{}",
     "[" ERROR("req_id", "required", "req_id is required", "null", "true") "]"},
    {"{\"req_id\":7}",
     "[" ERROR("req_id", "type", "req_id must be text", "7", "\"text\"") "]"},
    {"{\"req_id\":null}", "[" ERROR("req_id", "type", "req_id must be text",
                                    "null", "\"text\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"title\":\"ab\"}",
     "[" ERROR("title", "min_length", "title must have at least 3 characters",
               "\"ab\"", "3") "]"},
    {"{\"req_id\":\"REQ-1\",\"title\":\"abcdef\"}",
     "[" ERROR("title", "max_length", "title must have at most 5 characters",
               "\"abcdef\"", "5") "]"},
    {"{\"req_id\":\"REQ-1\",\"priority\":1.5}",
     "[" ERROR("priority", "type", "priority must be an integer", "1.5",
               "\"integer\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"priority\":0}",
     "[" ERROR("priority", "min_value", "priority must be at least 1", "0",
               "1") "]"},
    {"{\"req_id\":\"REQ-1\",\"priority\":9007199254740994}",
     "[" ERROR("priority", "max_value",
               "priority must be at most 9007199254740993", "9007199254740994",
               "9007199254740993") "]"},
    {"{\"req_id\":\"REQ-1\",\"share\":\"1\"}",
     "[" ERROR("share", "type", "share must be a number", "\"1\"",
               "\"number\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"share\":0.09999999999999999999}",
     "[" ERROR("share", "min_value", "share must be at least 0.1",
               "0.09999999999999999999", "0.1") "]"},
    {"{\"req_id\":\"REQ-1\",\"done\":1}",
     "[" ERROR("done", "type", "done must be true or false", "1",
               "\"boolean\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"due\":\"2026-07-28\"}",
     "[" ERROR("due", "type", "due must be an RFC 3339 date and time",
               "\"2026-07-28\"", "\"datetime\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"owner\":\"Ann\"}",
     "[" ERROR("owner", "node_kind", "owner must be an IRI", "\"Ann\"",
               "\"iri\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"tags\":\"a\"}",
     "[" ERROR("tags", "type", "tags must be an array", "\"a\"",
               "\"array\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"tags\":[\"a\",\"abcd\",3]}",
     "[" ERROR("tags", "max_count", "tags must have at most 2 values",
               "[\"a\",\"abcd\",3]",
               "2") "," ERROR("tags", "max_length",
                              "tags must have at most 3 characters", "\"abcd\"",
                              "3") "," ERROR("tags", "type",
                                             "tags must be text", "3",
                                             "\"text\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"slow\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"}",
     "[" ERROR("slow", "pattern_limit",
               "slow takes too much work to match ^(a+)+$",
               "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\"", "\"^(a+)+$\"") "]"},
    {"{\"req_id\":\"REQ-1\",\"colour\":1,\"statu\":2}",
     "[" ERROR("colour", "unknown_field", "colour is not a field", "1",
               "null") "," ERROR("statu", "unknown_field",
                                 "statu is not a field; did you mean status",
                                 "2", "null") "]"},
    {"[1]", "[" ERROR("arguments", "type", "arguments must be an object", "[1]",
                      "\"object\"") "]"},
};

TEST(objects_are_checked_with_all_that_is_wrong_in_order)
{
    struct fixture f;
    static char text[8192];
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_STR(outcome(&f, rows[i][0], text, sizeof(text)), rows[i][1]);
    tear_down(&f);
}

TEST(a_change_may_leave_out_all_but_its_key_and_null_takes_away)
{
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("id")},
        {.name = TR_STR_INIT("a")},
        {.name = TR_STR_INIT("b"), .optional = true},
    };
    static const struct tr_shape draft = {
        .fields = fields, .count = 3, .patch_key = TR_STR_INIT("id")};
    static const char *const changes[][2] = {
        {"{\"id\":\"x\"}", "{\"id\":\"x\"}"},
        {"{\"id\":\"x\",\"b\":null}", "{\"id\":\"x\",\"b\":null}"},
        {"{\"b\":null}",
         "[" ERROR("id", "required", "id is required", "null", "true") "]"},
        {"{\"id\":null,\"a\":null}",
         "[" ERROR("id", "required", "id is required", "null",
                   "true") "," ERROR("a", "required", "a is required", "null",
                                     "true") "]"},
    };
    static char text[1024];
    struct fixture f;
    struct tr_err err = {0};
    set_up(&f);
    CHECK_OK(tr_shape_register(&f.arena, &f.patterns, &draft, &f.shape, &err),
             &err);
    for (size_t i = 0; i < TR_LEN(changes); i++)
        CHECK_STR(outcome(&f, changes[i][0], text, sizeof(text)),
                  changes[i][1]);
    struct tr_shape keyless = draft;
    keyless.patch_key = TR_STR("key");
    CHECK_INT(
        tr_shape_register(&f.arena, &f.patterns, &keyless, &f.shape, &err),
        TR_E_INVALID);
    tear_down(&f);
}

/* Only the first level: what stands in a list is a value. */
TEST(what_callers_send_as_null_is_absent_and_refs_may_be_names)
{
    static const struct tr_json seven = {.kind = TR_JSON_NUMBER,
                                         .flags = TR_JSON_INTEGER,
                                         .len = 1,
                                         .as.text = "7"};
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("a")},
        {.name = TR_STR_INIT("b"),
         .kind = TR_FIELD_INTEGER,
         .default_to = &seven},
        {.name = TR_STR_INIT("c"), .many = true, .optional = true},
        {.name = TR_STR_INIT("d"),
         .kind = TR_FIELD_REF,
         .target = TR_STR_INIT("T"),
         .optional = true},
        {.name = TR_STR_INIT("e"),
         .kind = TR_FIELD_REF,
         .any_type = true,
         .optional = true},
    };
    static const struct tr_shape draft = {.fields = fields, .count = 5};
    static const struct {
        const char *given;
        const char *expected;
        bool has_names;
    } sent[] = {
        {"{\"a\":\"x\",\"b\":null,\"c\":null,\"d\":null,\"f\":null}",
         "{\"a\":\"x\",\"b\":7}", false},
        {"{\"a\":\"x\",\"b\":1.0,\"c\":null}", "{\"a\":\"x\",\"b\":1}", false},
        {"{\"a\":null}",
         "[" ERROR("a", "required", "a is required", "null", "true") "]",
         false},
        {"{\"a\":\"x\",\"c\":[null]}",
         "[" ERROR("c", "type", "c must be text", "null", "\"text\"") "]",
         false},
        {"{\"a\":\"x\",\"b\":1,\"d\":\"N\"}",
         "{\"a\":\"x\",\"b\":1,\"d\":\"N\"}", true},
        {"{\"a\":\"x\",\"b\":1,\"d\":\"n:1\"}",
         "{\"a\":\"x\",\"b\":1,\"d\":\"n:1\"}", false},
        {"{\"a\":\"x\",\"d\":\"\"}",
         "[" ERROR("d", "node_kind", "d must be an IRI", "\"\"", "\"iri\"") "]",
         false},
        {"{\"a\":\"x\",\"e\":\"N\"}",
         "[" ERROR("e", "node_kind", "e must be an IRI", "\"N\"",
                   "\"iri\"") "]",
         false},
    };
    struct fixture f;
    struct tr_err err = {0};
    set_up(&f);
    CHECK_OK(tr_shape_register(&f.arena, &f.patterns, &draft, &f.shape, &err),
             &err);
    for (size_t i = 0; i < TR_LEN(sent); i++) {
        static char text[1024];
        struct tr_shape_checked checked;
        tr_status st = tr_shape_check_input(
            f.shape, json(&f.arena, sent[i].given), &f.arena, &checked, &err);
        CHECK_STR(written(&checked, st, text, sizeof(text)), sent[i].expected);
        CHECK_INT(checked.has_names, sent[i].has_names);
    }
    tear_down(&f);
}

TEST(an_absent_object_is_an_empty_one)
{
    struct fixture f;
    struct tr_shape_checked checked;
    struct tr_err err = {0};
    set_up(&f);
    CHECK_INT(tr_shape_check(f.shape, NULL, &f.arena, &checked, &err),
              TR_E_VALIDATION);
    CHECK_STR(tr_str_from(err.msg), "validation failed on 1 field(s)");
    static const struct tr_shape no_fields = {0};
    CHECK_OK(tr_shape_check(&no_fields, NULL, &f.arena, &checked, &err), &err);
    CHECK(checked.value->kind == TR_JSON_OBJECT && checked.value->len == 0);
    tear_down(&f);
}

TEST(what_is_valid_is_not_copied)
{
    struct fixture f;
    struct tr_shape_checked checked;
    struct tr_err err = {0};
    set_up(&f);
    const struct tr_json *object =
        json(&f.arena, "{\"req_id\":\"REQ-1\",\"done\":true}");
    CHECK_OK(tr_shape_check(f.shape, object, &f.arena, &checked, &err), &err);
    CHECK(checked.value == object);
    tear_down(&f);
}

TEST(several_errors_of_one_field_count_once)
{
    struct fixture f;
    struct tr_shape_checked checked;
    struct tr_err err = {0};
    set_up(&f);
    CHECK_INT(
        tr_shape_check(f.shape,
                       json(&f.arena, "{\"tags\":[1,2,3],\"req_id\":\"x\"}"),
                       &f.arena, &checked, &err),
        TR_E_VALIDATION);
    CHECK_INT(checked.errors.count, 5);
    CHECK_STR(tr_str_from(err.msg), "validation failed on 2 field(s)");
    tear_down(&f);
}

TEST(an_open_shape_lets_unknown_fields_pass)
{
    struct fixture f;
    struct tr_shape_checked checked;
    struct tr_err err = {0};
    set_up(&f);
    struct tr_shape open = *f.shape;
    open.open = true;
    CHECK_OK(tr_shape_check(&open,
                            json(&f.arena, "{\"req_id\":\"REQ-1\",\"x\":1}"),
                            &f.arena, &checked, &err),
             &err);
    tear_down(&f);
}

TEST(a_required_list_has_at_least_one_value)
{
    static const struct tr_field field = {.name = TR_STR_INIT("tags"),
                                          .many = true};
    struct tr_arena arena;
    struct tr_field_errors errors = {0};
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_INT(tr_field_check(&field, json(&arena, "[]"), &arena, &errors, &err),
              TR_E_VALIDATION);
    CHECK_STR(errors.items[0].code, "min_count");
    CHECK_STR(errors.items[0].message, "tags must have at least 1 value");
    tr_arena_done(&arena);
}

TEST(the_number_of_errors_is_bounded)
{
    struct fixture f;
    struct tr_shape_checked checked;
    struct tr_err err = {0};
    static char text[TR_LIMIT_FIELD_ERRORS * 8];
    size_t len = 0;
    set_up(&f);
    len += (size_t)snprintf(text, sizeof(text), "{\"counts\":[");
    for (size_t i = 0; i < TR_LIMIT_FIELD_ERRORS + 20; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\"x\"",
                                i ? "," : "");
    (void)snprintf(text + len, sizeof(text) - len, "]}");
    CHECK_INT(
        tr_shape_check(f.shape, json(&f.arena, text), &f.arena, &checked, &err),
        TR_E_VALIDATION);
    CHECK_INT(checked.errors.count, TR_LIMIT_FIELD_ERRORS);
    CHECK(checked.errors.more);
    tear_down(&f);
}

TEST(echoed_values_and_messages_are_cut_at_code_points)
{
    struct tr_arena arena;
    struct tr_field_errors errors = {0};
    struct tr_err err = {0};
    static char text[2048];
    struct tr_field field = {.name = TR_STR("f"), .kind = TR_FIELD_INTEGER};
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < 500; i++)
        memcpy(text + 1 + 2 * i, "\xC3\xA9", 2);
    text[0] = '"';
    text[1001] = '"';
    CHECK_INT(tr_field_check(&field, json(&arena, text), &arena, &errors, &err),
              TR_E_VALIDATION);
    tr_str echo = tr_json_text(&errors.items[0].value);
    CHECK(echo.len <= TR_LIMIT_ECHO_BYTES + 8);
    CHECK_STR(tr_str_skip(echo, echo.len - 3), "...");
    CHECK_STR(((tr_str){echo.ptr + echo.len - 5, 2}), "\xC3\xA9");

    memset(text, '0', 1000);
    text[0] = '[';
    for (size_t i = 2; i < 1000; i += 2)
        text[i] = ',';
    text[998] = ']';
    text[999] = '\0';
    CHECK_INT(tr_field_check(&field, json(&arena, text), &arena, &errors, &err),
              TR_E_VALIDATION);
    CHECK_STR(tr_json_text(&errors.items[1].value), "(an array of 499 items)");
    tr_arena_done(&arena);
}

TEST(a_long_list_of_choices_is_cut_in_the_message)
{
    struct tr_arena arena;
    struct tr_field_errors errors = {0};
    struct tr_err err = {0};
    static char text[4096];
    size_t len = (size_t)snprintf(text, sizeof(text), "[0");
    tr_arena_init(&arena, TR_MIB(1));
    for (int i = 1; i < 500; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, ",%d", i);
    (void)snprintf(text + len, sizeof(text) - len, "]");
    struct tr_field field = {.name = TR_STR("f"),
                             .kind = TR_FIELD_INTEGER,
                             .one_of = json(&arena, text)};
    CHECK_INT(tr_field_check(&field, json(&arena, "-1"), &arena, &errors, &err),
              TR_E_VALIDATION);
    tr_str message = errors.items[0].message;
    CHECK(message.len <= TR_LIMIT_MESSAGE_BYTES);
    CHECK_STR(tr_str_skip(message, message.len - 3), "...");
    tr_arena_done(&arena);
}

TEST(absolute_iris_are_told_from_the_rest)
{
    static const char *const yes[] = {
        "a:b", "http://x", "trails://a/b/1", "urn:x", "a+b-c.1:\xC3\xA9", "a:"};
    static const char *const no[] = {"",      "a",     ":b",    "1a:b",
                                     "a b:c", "a:b c", "a:<b>", "a:{b}",
                                     "a:%zz", "a:[",   "a:\x7F"};
    for (size_t i = 0; i < TR_LEN(yes); i++)
        CHECK_ROW(tr_field_is_absolute_iri(tr_str_from(yes[i])), yes[i]);
    for (size_t i = 0; i < TR_LEN(no); i++)
        CHECK_ROW(!tr_field_is_absolute_iri(tr_str_from(no[i])), no[i]);
}

static tr_status check_one(void *context, struct tr_err *err)
{
    struct fixture *f = context;
    struct tr_arena arena;
    struct tr_shape_checked checked;
    static const char *const texts[] = {
        "{\"req_id\":\"REQ-1\",\"priority\":1.0,\"counts\":[2.0]}",
        "{\"req_id\":\"R\",\"tags\":[\"long enough\",\"x\",\"y\"],\"z\":1}"};
    tr_arena_init(&arena, TR_MIB(1));
    tr_status st = TR_OK;
    for (size_t i = 0; i < TR_LEN(texts) && st != TR_E_NOMEM; i++) {
        const struct tr_json *object = NULL;
        st = tr_json_read(&arena, tr_str_from(texts[i]), NULL, &object, err);
        if (st == TR_OK)
            st = tr_shape_check(f->shape, object, &arena, &checked, err);
    }
    tr_arena_done(&arena);
    return st == TR_E_VALIDATION ? TR_OK : st;
}

TEST(checking_survives_without_memory)
{
    struct fixture f;
    set_up(&f);
    tr_test_sweep(check_one, &f);
    const struct tr_json *good =
        json(&f.arena, "{\"req_id\":\"REQ-1\",\"counts\":[2.0]}");
    const struct tr_json *bad = json(&f.arena, "{\"req_id\":1,\"x\":[1]}");
    for (size_t max = 0; max < 4096; max += 16) {
        struct tr_arena arena;
        struct tr_shape_checked checked;
        struct tr_err err = {0};
        tr_arena_init(&arena, max);
        tr_status st = tr_shape_check(f.shape, good, &arena, &checked, &err);
        CHECK(st == TR_OK || st == TR_E_NOMEM);
        st = tr_shape_check(f.shape, bad, &arena, &checked, &err);
        CHECK(st == TR_E_VALIDATION || st == TR_E_NOMEM);
        tr_arena_done(&arena);
    }
    tear_down(&f);
}

/* The graph has each value once; what a handler is given is a list. */
TEST(what_is_repeated_counts_once_where_it_goes_into_the_graph)
{
    static const struct {
        const char *value;
        bool fits;
    } repeated[] = {
        {"[1,2]", true},       {"[1,1]", false}, {"[1,1.0,1e0]", false},
        {"[1,1,1,2,2]", true}, {"[1]", false},
    };
    struct tr_field field = {.name = TR_STR("n"),
                             .kind = TR_FIELD_INTEGER,
                             .many = true,
                             .min_count = 2};
    for (size_t i = 0; i < TR_LEN(repeated); i++) {
        struct tr_field_errors errors = {0};
        struct tr_arena arena;
        struct tr_err err = {0};
        tr_arena_init(&arena, TR_MIB(1));
        const struct tr_json *value = json(&arena, repeated[i].value);
        field.iri = TR_STR("trails://a/T#n");
        tr_status st = tr_field_check(&field, value, &arena, &errors, &err);
        CHECK_ROW(st == (repeated[i].fits ? TR_OK : TR_E_VALIDATION),
                  repeated[i].value);
        if (!repeated[i].fits)
            CHECK_STR(errors.items[0].code, "min_count");
        field.iri = TR_STR("");
        errors = (struct tr_field_errors){0};
        st = tr_field_check(&field, value, &arena, &errors, &err);
        CHECK_ROW((st == TR_OK) == (value->len >= 2), repeated[i].value);
        tr_arena_done(&arena);
    }
}
