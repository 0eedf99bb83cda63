#include "json/fields.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"

struct params {
    tr_str name;
    int64_t limit;
    double ratio;
    bool open;
    const struct tr_json *object;
    const struct tr_json *array;
    const struct tr_json *any;
};

static const struct tr_json_field all_fields[] = {
    {"name", TR_FIELD_STR, offsetof(struct params, name), 0},
    {"limit", TR_FIELD_I64, offsetof(struct params, limit), 0},
    {"ratio", TR_FIELD_DOUBLE, offsetof(struct params, ratio), 0},
    {"open", TR_FIELD_BOOL, offsetof(struct params, open), 0},
    {"object", TR_FIELD_OBJECT, offsetof(struct params, object), 0},
    {"array", TR_FIELD_ARRAY, offsetof(struct params, array), 0},
    {"any", TR_FIELD_ANY, offsetof(struct params, any), 0},
};

struct filled {
    struct tr_arena arena;
    struct params params;
    struct tr_err err;
    tr_status status;
};

static void fill(struct filled *filled, const char *text,
                 struct tr_json_fields fields, const char *at)
{
    const struct tr_json *root = NULL;
    *filled = (struct filled){
        .params = {
            .name = TR_STR("before"), .limit = 77, .ratio = 7.5, .open = true}};
    tr_arena_init(&filled->arena, TR_MIB(1));
    CHECK_OK(tr_json_read(&filled->arena, tr_str_from(text), NULL, &root,
                          &filled->err),
             &filled->err);
    filled->status =
        tr_json_fill(root, fields, at, &filled->params, &filled->err);
}

static void end(struct filled *filled)
{
    tr_arena_done(&filled->arena);
}

static const struct tr_json_fields all = {all_fields, TR_LEN(all_fields), true};

TEST(json_fields_fill_members_of_every_type)
{
    struct filled filled;
    fill(&filled,
         "{\"name\":\"n\",\"limit\":-5,\"ratio\":2,\"open\":false,"
         "\"object\":{},\"array\":[1],\"any\":null}",
         all, "");
    CHECK_OK(filled.status, &filled.err);
    CHECK_STR(filled.params.name, "n");
    CHECK_INT(filled.params.limit, -5);
    CHECK(filled.params.ratio == 2);
    CHECK(!filled.params.open);
    CHECK(tr_json_is(filled.params.object, TR_JSON_OBJECT));
    CHECK(tr_json_is(filled.params.array, TR_JSON_ARRAY));
    CHECK(tr_json_is(filled.params.any, TR_JSON_NULL));
    end(&filled);
}

TEST(json_fields_that_are_absent_keep_their_defaults)
{
    struct filled filled;
    fill(&filled, "{}", all, "");
    CHECK_OK(filled.status, &filled.err);
    CHECK_STR(filled.params.name, "before");
    CHECK_INT(filled.params.limit, 77);
    CHECK(filled.params.ratio == 7.5);
    CHECK(filled.params.open);
    CHECK(filled.params.any == NULL);
    end(&filled);
}

TEST(json_fields_of_the_wrong_type_are_refused)
{
    static const struct {
        const char *text;
        const char *msg;
        const char *at;
    } rows[] = {
        {"{\"name\":1}", "'name' must be a string, not a number", "/p/name"},
        {"{\"name\":null}", "'name' must be a string, not null", "/p/name"},
        {"{\"limit\":\"1\"}", "'limit' must be an integer, not a string",
         "/p/limit"},
        {"{\"limit\":1.5}", "'limit' must be an integer, not a number",
         "/p/limit"},
        {"{\"limit\":9223372036854775808}", "'limit' is out of range",
         "/p/limit"},
        {"{\"ratio\":true}", "'ratio' must be a number, not a boolean",
         "/p/ratio"},
        {"{\"ratio\":1e999}", "'ratio' is out of range", "/p/ratio"},
        {"{\"open\":0}", "'open' must be a boolean, not a number", "/p/open"},
        {"{\"object\":[]}", "'object' must be an object, not an array",
         "/p/object"},
        {"{\"array\":{}}", "'array' must be an array, not an object",
         "/p/array"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct filled filled;
        fill(&filled, rows[i].text, all, "/p");
        CHECK_ROW(filled.status == TR_E_INVALID, rows[i].text);
        CHECK_STR(tr_str_from(filled.err.msg), rows[i].msg);
        CHECK_STR(tr_str_from(filled.err.at), rows[i].at);
        end(&filled);
    }
}

TEST(json_fields_are_filled_only_from_objects)
{
    static const char *const rows[] = {"null", "[]", "1", "\"name\""};
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct filled filled;
        fill(&filled, rows[i], all, "/params");
        CHECK_ROW(filled.status == TR_E_INVALID, rows[i]);
        CHECK_STR(tr_str_from(filled.err.msg), "expected an object");
        CHECK_STR(tr_str_from(filled.err.at), "/params");
        end(&filled);
    }
    CHECK_INT(tr_json_fill(NULL, all, "", NULL, NULL), TR_E_INVALID);
}

static const struct tr_json_field strict_fields[] = {
    {"name", TR_FIELD_STR, offsetof(struct params, name), TR_REQUIRED},
    {"limit", TR_FIELD_I64, offsetof(struct params, limit), TR_NULLABLE},
    {"any", TR_FIELD_ANY, offsetof(struct params, any),
     TR_REQUIRED | TR_NULLABLE},
};

static const struct tr_json_fields strict = {strict_fields,
                                             TR_LEN(strict_fields), false};

TEST(json_fields_that_are_required_must_be_there)
{
    static const struct {
        const char *text;
        const char *msg;
        const char *at;
    } rows[] = {
        {"{}", "'name' is missing", "/name"},
        {"{\"Name\":\"x\"}", "'name' is missing", "/name"},
        {"{\"name\":\"x\"}", "'any' is missing", "/any"},
        {"{\"name\":\"x\",\"any\":null}", "'any' is missing", "/any"},
        {"{\"name\":null,\"any\":1}", "'name' must be a string, not null",
         "/name"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct filled filled;
        fill(&filled, rows[i].text, strict, "");
        CHECK_ROW(filled.status == TR_E_INVALID, rows[i].text);
        CHECK_STR(tr_str_from(filled.err.msg), rows[i].msg);
        CHECK_STR(tr_str_from(filled.err.at), rows[i].at);
        end(&filled);
    }
}

TEST(json_fields_that_are_nullable_take_null_for_absent)
{
    struct filled filled;
    fill(&filled, "{\"name\":\"x\",\"limit\":null,\"any\":1}", strict, "");
    CHECK_OK(filled.status, &filled.err);
    CHECK_INT(filled.params.limit, 77);
    end(&filled);
}

TEST(json_fields_ignore_unknown_keys_when_they_are_open)
{
    struct filled filled;
    fill(&filled, "{\"name\":\"x\",\"other\":1,\"any\":1}", strict, "");
    CHECK_OK(filled.status, &filled.err);
    end(&filled);
}

TEST(json_fields_that_are_closed_refuse_unknown_keys)
{
    static const struct {
        const char *text;
        const char *msg;
        const char *at;
    } rows[] = {
        {"{\"limti\":1}", "unknown field 'limti', did you mean 'limit'?",
         "/p/limti"},
        {"{\"limit\":1,\"Name\":2}",
         "unknown field 'Name', did you mean 'name'?", "/p/Name"},
        {"{\"something\":1}", "unknown field 'something'", "/p/something"},
        {"{\"\":1}", "unknown field ''", "/p/"},
        {"{\"a/b~c\":1}", "unknown field 'a/b~c'", "/p/a~1b~0c"},
        {"{\"~1\":1}", "unknown field '~1'", "/p/~01"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct filled filled;
        fill(&filled, rows[i].text, all, "/p");
        CHECK_ROW(filled.status == TR_E_INVALID, rows[i].text);
        CHECK_STR(tr_str_from(filled.err.msg), rows[i].msg);
        CHECK_STR(tr_str_from(filled.err.at), rows[i].at);
        end(&filled);
    }
}

TEST(json_fields_escape_their_own_names_in_pointers)
{
    static const struct tr_json_field odd[] = {
        {"a/b~c", TR_FIELD_I64, offsetof(struct params, limit), TR_REQUIRED},
    };
    struct filled filled;
    fill(&filled, "{}", (struct tr_json_fields){odd, 1, true}, "/x");
    CHECK_INT(filled.status, TR_E_INVALID);
    CHECK_STR(tr_str_from(filled.err.at), "/x/a~1b~0c");
    end(&filled);
}

TEST(json_fields_cut_a_pointer_that_is_too_long)
{
    struct filled filled;
    char text[400];
    (void)snprintf(text, sizeof(text), "{\"%0300d\":1}", 0);
    fill(&filled, text, all, "/p");
    CHECK_INT(filled.status, TR_E_INVALID);
    CHECK_INT(strlen(filled.err.at), sizeof(filled.err.at) - 1);
    end(&filled);
}

TEST(json_fields_accept_that_nobody_wants_the_error)
{
    struct filled filled;
    const struct tr_json object = {.kind = TR_JSON_OBJECT};
    CHECK_INT(tr_json_fill(&object, strict, "", &filled.params, NULL),
              TR_E_INVALID);
}
