/*
 * Any JSON as a schema for any JSON: a verdict or an error, within bounds, and
 * the same one again. The input is the schema, a NUL, and the value.
 */
#include "base/limits.h"
#include "base/text.h"
#include "fields/json_schema.h"
#include "fields/pattern.h"
#include "json/reader.h"
#include "schema/lint.h"
#include "schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_errors(const struct tr_field_errors *errors)
{
    must(errors->count <= TR_LIMIT_FIELD_ERRORS);
    for (size_t i = 0; i < errors->count; i++) {
        const struct tr_field_error *error = &errors->items[i];
        must(error->field.len > 0 && error->code.len > 0);
        must(error->message.len <= TR_LIMIT_MESSAGE_BYTES);
        must(tr_utf8_is_valid(error->message));
        must(tr_utf8_is_valid(error->field));
    }
}

static void check_value(const struct tr_schema *schema,
                        const struct tr_json *value)
{
    tr_status results[2];
    for (size_t i = 0; i < 2; i++) {
        struct tr_arena arena;
        struct tr_field_errors errors = {0};
        struct tr_err err = {0};
        tr_arena_init(&arena, TR_MIB(64));
        results[i] = tr_schema_check(schema, value, &arena, &errors, &err);
        must(results[i] == TR_OK || results[i] == TR_E_VALIDATION ||
             results[i] == TR_E_LIMIT || results[i] == TR_E_NOMEM);
        must((results[i] == TR_E_VALIDATION) == (errors.count > 0) ||
             results[i] == TR_E_LIMIT || results[i] == TR_E_NOMEM);
        check_errors(&errors);
        tr_arena_done(&arena);
    }
    must(results[0] == results[1]);
}

static void lint(struct tr_arena *arena, const struct tr_json *schema)
{
    struct tr_schema_findings findings = {0};
    struct tr_field_header_params params;
    must(tr_schema_lint_schema(arena, schema, &findings, NULL) == TR_OK);
    must(findings.count <= TR_LIMIT_FIELD_ERRORS);
    (void)!tr_field_header_params_find(arena, schema, &params, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tr_arena arena;
    struct tr_field_patterns patterns = {0};
    struct tr_err err = {0};
    tr_str schema_text;
    tr_str value_text;
    const struct tr_json *tree = NULL;
    const struct tr_json *value = NULL;
    const struct tr_schema *schema = NULL;
    const struct tr_schema_opts opts = {.assert_formats = size % 2 == 0};

    tr_arena_init(&arena, TR_MIB(64));
    if (tr_str_cut((tr_str){(const char *)data, size}, '\0', &schema_text,
                   &value_text) &&
        tr_json_read(&arena, schema_text, NULL, &tree, &err) == TR_OK &&
        tr_json_read(&arena, value_text, NULL, &value, &err) == TR_OK) {
        lint(&arena, tree);
        tr_status st =
            tr_schema_compile(&arena, &patterns, tree, &opts, &schema, &err);
        must(st == TR_OK || (st == err.code && err.msg[0]));
        if (st == TR_OK)
            check_value(schema, value);
    }
    tr_field_patterns_done(&patterns);
    tr_arena_done(&arena);
    return 0;
}
