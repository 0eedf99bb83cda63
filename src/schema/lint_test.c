#include "schema/lint.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "fields/json_schema.h"
#include "json/reader.h"

static const struct tr_json *json(struct tr_arena *arena, const char *text)
{
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(arena, tr_str_from(text), NULL, &tree, &err), &err);
    return tree;
}

#define OBJECT "{\"type\":\"object\","

static const struct {
    const char *schema;
    enum tr_schema_severity severity;
    const char *path;
    const char *says; /* NULL: nothing to find */
} schemas[] = {
    {"{\"type\":\"object\"}", 0, "", NULL},
    {OBJECT "\"additionalProperties\":false,\"properties\":{\"a.b-c_1\":{"
            "\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}",
     0, "", NULL},
    {OBJECT "\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":"
            "\"A\"}}}",
     0, "", NULL},
    {"{}", TR_SCHEMA_SEVERITY_ERROR, "", "has type object"},
    {"[]", TR_SCHEMA_SEVERITY_ERROR, "", "has type object"},
    {OBJECT "\"anyOf\":[{\"type\":\"object\"}]}", TR_SCHEMA_SEVERITY_WARNING,
     "/anyOf", "combinators at the root"},
    {OBJECT "\"properties\":{\"a\":{\"type\":[\"string\",\"null\"]}}}",
     TR_SCHEMA_SEVERITY_WARNING, "/properties/a", "a list of types"},
    {OBJECT "\"properties\":{\"a\":true}}", TR_SCHEMA_SEVERITY_WARNING,
     "/properties/a", "true and false"},
    {OBJECT "\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"null\"},false]}}}",
     TR_SCHEMA_SEVERITY_WARNING, "/properties/a/anyOf/1", "true and false"},
    {OBJECT "\"properties\":{\"a\":{\"items\":{\"$ref\":\"#\"}}}}",
     TR_SCHEMA_SEVERITY_WARNING, "/properties/a/items", "$ref"},
    {OBJECT "\"properties\":{\"a b\":{}}}", TR_SCHEMA_SEVERITY_WARNING,
     "/properties/a b", "property names"},
    {OBJECT "\"properties\":{\"a/b~\":{}}}", TR_SCHEMA_SEVERITY_WARNING,
     "/properties/a~1b~0", "property names"},
    {OBJECT "\"properties\":{\"a\":{\"type\":\"number\",\"x-mcp-header\":"
            "\"A\"}}}",
     TR_SCHEMA_SEVERITY_ERROR, "", "x-mcp-header on 'a' needs type"},
};

TEST(what_hosts_refuse_is_found_in_a_schema)
{
    for (size_t i = 0; i < TR_LEN(schemas); i++) {
        struct tr_arena arena;
        struct tr_schema_findings findings = {0};
        struct tr_err err = {0};
        tr_arena_init(&arena, TR_MIB(1));
        CHECK_OK(tr_schema_lint_schema(&arena, json(&arena, schemas[i].schema),
                                       &findings, &err),
                 &err);
        CHECK_ROW(findings.count == (schemas[i].says ? 1 : 0),
                  schemas[i].schema);
        if (findings.count) {
            CHECK(findings.items[0].severity == schemas[i].severity);
            CHECK_STR(findings.items[0].path, schemas[i].path);
            CHECK(!findings.items[0].is_name && findings.items[0].fix);
            CHECK_ROW(strstr(findings.items[0].message.ptr, schemas[i].says),
                      schemas[i].says);
        }
        tr_arena_done(&arena);
    }
}

TEST(what_hosts_refuse_is_found_in_a_name)
{
    static const struct {
        const char *name;
        size_t count;
        enum tr_schema_severity severity;
    } names[] = {
        {"search", 0, 0},
        {"a.b", 1, TR_SCHEMA_SEVERITY_WARNING},
        {"a b", 1, TR_SCHEMA_SEVERITY_ERROR},
        {"", 1, TR_SCHEMA_SEVERITY_ERROR},
        {"a2345678901234567890123456789012345678901", 1,
         TR_SCHEMA_SEVERITY_WARNING},
        {"a23456789012345678901234567890123456789012345678901234567890123456",
         1, TR_SCHEMA_SEVERITY_ERROR},
    };
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct tr_arena arena;
        struct tr_schema_findings findings = {0};
        struct tr_err err = {0};
        tr_arena_init(&arena, TR_MIB(1));
        CHECK_OK(tr_schema_lint_name(&arena, tr_str_from(names[i].name),
                                     &findings, &err),
                 &err);
        CHECK_ROW(findings.count == names[i].count, names[i].name);
        if (findings.count) {
            CHECK_ROW(findings.items[0].severity == names[i].severity,
                      names[i].name);
            CHECK_ROW(findings.items[0].is_name && findings.items[0].fix,
                      names[i].name);
        }
        tr_arena_done(&arena);
    }
}

static const struct {
    const char *schema;
    const char *says; /* NULL: it is allowed */
    size_t count;
} headers[] = {
    {"{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"A\"},"
     "\"b\":{\"properties\":{\"c/d\":{\"type\":\"integer\",\"x-mcp-header\":"
     "\"X-1\"}}}}}",
     NULL, 2},
    {"{\"properties\":{\"x-mcp-header\":{\"type\":\"string\"}}}", NULL, 0},
    {"{\"const\":{\"x-mcp-header\":1},\"enum\":[{\"x-mcp-header\":1}]}", NULL,
     0},
    {"{\"x-mcp-header\":\"A\",\"type\":\"string\"}", "properties leads to", 0},
    {"{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":1}}}",
     "is not a string", 0},
    {"{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"\"}}}",
     "is not a token", 0},
    {"{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"a b\"}}}",
     "is not a token", 0},
    {"{\"properties\":{\"a\":{\"type\":[\"string\"],\"x-mcp-header\":\"a\"}}}",
     "needs type", 0},
    {"{\"properties\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"R\"},"
     "\"b\":{\"type\":\"boolean\",\"x-mcp-header\":\"r\"}}}",
     "that another one has", 0},
    {"{\"properties\":{\"a\":{\"items\":{\"type\":\"string\","
     "\"x-mcp-header\":\"R\"}}}}",
     "properties leads to", 0},
    {"{\"anyOf\":[{\"properties\":{\"a\":{\"type\":\"string\","
     "\"x-mcp-header\":\"R\"}}}]}",
     "properties leads to", 0},
    {"{\"$defs\":{\"a\":{\"type\":\"string\",\"x-mcp-header\":\"R\"}}}",
     "properties leads to", 0},
};

TEST(header_parameters_keep_the_rules_of_the_transport)
{
    for (size_t i = 0; i < TR_LEN(headers); i++) {
        struct tr_arena arena;
        struct tr_field_header_params params;
        struct tr_err err = {0};
        tr_arena_init(&arena, TR_MIB(1));
        tr_status st = tr_field_header_params_find(
            &arena, json(&arena, headers[i].schema), &params, &err);
        CHECK_ROW(st == (headers[i].says ? TR_E_INVALID : TR_OK),
                  headers[i].schema);
        if (headers[i].says)
            CHECK_ROW(strstr(err.msg, headers[i].says) != NULL, err.msg);
        else
            CHECK_INT(params.count, headers[i].count);
        if (i == 0) {
            CHECK_STR(params.items[1].name, "X-1");
            CHECK_STR(params.items[1].pointer, "/b/c~1d");
        }
        tr_arena_done(&arena);
    }
}

TEST(findings_are_bounded)
{
    struct tr_arena arena;
    struct tr_schema_findings findings = {0};
    struct tr_err err = {0};
    static char text[8192];
    size_t len = (size_t)snprintf(text, sizeof(text),
                                  "{\"type\":\"object\",\"allOf\":[true");
    for (int i = 0; i < TR_LIMIT_FIELD_ERRORS + 10; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, ",true");
    (void)snprintf(text + len, sizeof(text) - len, "]}");
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(tr_schema_lint_schema(&arena, json(&arena, text), &findings, &err),
             &err);
    CHECK_INT(findings.count, TR_LIMIT_FIELD_ERRORS);
    tr_arena_done(&arena);
}

static tr_status lint_one(void *context, struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_schema_findings findings = {0};
    tr_arena_init(&arena, TR_MIB(1));
    tr_status st = tr_schema_lint_schema(&arena, context, &findings, err);
    if (st == TR_OK)
        st = tr_schema_lint_name(&arena, TR_STR("a.b"), &findings, err);
    tr_arena_done(&arena);
    return st;
}

TEST(linting_asks_for_a_description)
{
    struct tr_arena arena;
    struct tr_schema_findings findings = {0};
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(1));
    CHECK_OK(
        tr_schema_lint_description(&arena, TR_STR("Adds."), &findings, &err),
        &err);
    CHECK_INT(findings.count, 0);
    CHECK_OK(tr_schema_lint_description(&arena, TR_STR(""), &findings, &err),
             &err);
    CHECK_INT(findings.count, 1);
    CHECK_INT(findings.items[0].severity, TR_SCHEMA_SEVERITY_WARNING);
    CHECK(findings.items[0].is_name && findings.items[0].fix);
    tr_arena_done(&arena);
}

TEST(linting_survives_without_memory)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    const struct tr_json *schema =
        json(&arena, "{\"properties\":{\"a\":{\"type\":\"string\","
                     "\"x-mcp-header\":\"R\"},\"b\":true}}");
    tr_test_sweep(lint_one, (void *)(uintptr_t)schema);
    for (size_t max = 0; max < 1024; max += 16) {
        struct tr_arena small;
        struct tr_schema_findings findings = {0};
        tr_arena_init(&small, max);
        tr_status st = tr_schema_lint_schema(&small, schema, &findings, NULL);
        CHECK(st == TR_OK || st == TR_E_NOMEM);
        tr_arena_done(&small);
    }
    tr_arena_done(&arena);
}

TEST(a_finding_is_told_with_its_path)
{
    char storage[64];
    struct tr_buf text;
    const struct tr_schema_finding at_root = {.message = TR_STR("wrong")};
    const struct tr_schema_finding deeper = {.path = TR_STR("/a"),
                                             .message = TR_STR("worse")};
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    tr_schema_finding_put(&text, &at_root);
    tr_buf_put(&text, TR_STR("; "));
    tr_schema_finding_put(&text, &deeper);
    CHECK_STR(tr_buf_str(&text), "wrong; /a: worse");
}
