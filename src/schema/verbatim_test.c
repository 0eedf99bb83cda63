#include "schema/verbatim.h"

#include "base/limits.h"
#include "base/test.h"
#include "fields/pattern.h"
#include "json/reader.h"

struct fixture {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    struct tr_err err;
};

static void set_up(struct fixture *f)
{
    *f = (struct fixture){0};
    tr_arena_init(&f->arena, TR_MIB(16));
}

static void tear_down(struct fixture *f)
{
    tr_field_patterns_done(&f->patterns);
    tr_arena_done(&f->arena);
}

#define SCHEMA                                                                 \
    "{ \"type\" : \"object\",\r\n\t\"$defs\": {\"p\": {\"type\": "             \
    "\"string\", \"title\": \"a  \\\" { \\n \\\\\" , \"maxLength\": 1e1}},\n"  \
    "  \"properties\": {\"name\": {\"$ref\": \"#/$defs/p\"}} }\n"
#define ON_ONE_LINE                                                            \
    "{\"type\":\"object\",\"$defs\":{\"p\":{\"type\":\"string\","              \
    "\"title\":\"a  \\\" { \\n \\\\\",\"maxLength\":1e1}},"                    \
    "\"properties\":{\"name\":{\"$ref\":\"#/$defs/p\"}}}"

/* Texts and numbers are as the author spelt them. */
TEST(a_schema_is_kept_on_one_line_and_checks)
{
    struct fixture f;
    const struct tr_schema_verbatim *verbatim = NULL;
    const struct tr_json *args = NULL;
    struct tr_field_errors errors = {0};
    char text[] = SCHEMA;
    set_up(&f);
    CHECK_OK(tr_schema_verbatim_register(&f.arena, &f.patterns,
                                         tr_str_from(text), &verbatim, &f.err),
             &f.err);
    memset(text, 'x', sizeof(text) - 1);
    CHECK_STR(tr_schema_verbatim_text(verbatim), ON_ONE_LINE);
    CHECK(tr_json_find(tr_schema_verbatim_tree(verbatim), TR_STR("$defs")));
    CHECK_OK(
        tr_schema_verbatim_check(verbatim, NULL, &f.arena, &errors, &f.err),
        &f.err);
    CHECK_OK(
        tr_json_read(&f.arena, TR_STR("{\"name\":1}"), NULL, &args, &f.err),
        &f.err);
    CHECK_INT(
        tr_schema_verbatim_check(verbatim, args, &f.arena, &errors, &f.err),
        TR_E_VALIDATION);
    CHECK_STR(errors.items[0].field, "name");
    tear_down(&f);
}

TEST(schemas_that_no_tool_can_have_are_refused)
{
    static const struct {
        const char *text;
        tr_status status;
    } rows[] = {
        {"{", TR_E_SYNTAX},
        {"true", TR_E_INVALID},
        {"{}", TR_E_INVALID},
        {"{\"type\":\"string\"}", TR_E_INVALID},
        {"{\"type\":[\"object\"]}", TR_E_INVALID},
        {"{\"type\":\"object\",\"$ref\":\"http://x\"}", TR_E_INVALID},
        {"{\"type\":\"object\",\"$schema\":\"http://x\"}", TR_E_UNSUPPORTED},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct fixture f;
        const struct tr_schema_verbatim *verbatim = NULL;
        set_up(&f);
        CHECK_ROW(tr_schema_verbatim_register(
                      &f.arena, &f.patterns, tr_str_from(rows[i].text),
                      &verbatim, &f.err) == rows[i].status,
                  rows[i].text);
        CHECK(verbatim == NULL);
        tear_down(&f);
    }
}

TEST(a_schema_has_a_maximum_length)
{
    struct fixture f;
    const struct tr_schema_verbatim *verbatim = NULL;
    char *text = calloc(1, TR_LIMIT_SCHEMA_BYTES + 1);
    if (!text)
        abort();
    int len = snprintf(text, TR_LIMIT_SCHEMA_BYTES, "{\"type\":\"object\"}");
    memset(text + len, ' ', TR_LIMIT_SCHEMA_BYTES + 1 - (size_t)len);
    set_up(&f);
    CHECK_OK(tr_schema_verbatim_register(&f.arena, &f.patterns,
                                         (tr_str){text, TR_LIMIT_SCHEMA_BYTES},
                                         &verbatim, &f.err),
             &f.err);
    CHECK_INT(tr_schema_verbatim_register(
                  &f.arena, &f.patterns,
                  (tr_str){text, TR_LIMIT_SCHEMA_BYTES + 1}, &verbatim, &f.err),
              TR_E_LIMIT);
    tear_down(&f);
    free(text);
}

static tr_status register_one(void *context, struct tr_err *err)
{
    struct fixture f;
    const struct tr_schema_verbatim *verbatim = NULL;
    (void)context;
    set_up(&f);
    tr_status st = tr_schema_verbatim_register(&f.arena, &f.patterns,
                                               TR_STR(SCHEMA), &verbatim, err);
    tear_down(&f);
    return st;
}

TEST(registering_a_schema_survives_without_memory)
{
    tr_test_sweep(register_one, NULL);
}
