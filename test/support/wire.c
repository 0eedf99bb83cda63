#include "support/wire.h"

#include "base/file.h"
#include "base/limits.h"
#include "json/reader.h"
#include "shape/schema.h"

bool wire_open(struct wire *wire, const char *revision)
{
    const char *suites = getenv("TRAILS_SUITES");
    struct tr_schema_doc doc = {.uri = TR_STR("mcp:schema")};
    struct tr_schema_opts opts = {.docs = &doc, .doc_count = 1};
    const struct tr_json *root = NULL;
    char path[512];
    tr_str text;

    *wire = (struct wire){0};
    tr_arena_init(&wire->arena, TR_MIB(64));
    (void)snprintf(path, sizeof(path), "%s/mcp-schema/%s.json",
                   suites ? suites : "../shared/suites", revision);
    return tr_file_read(&wire->arena, path, TR_MIB(4), &text, NULL) == TR_OK &&
           tr_json_read(&wire->arena, text, NULL, &doc.tree, NULL) == TR_OK &&
           tr_json_read(&wire->arena,
                        TR_STR("{\"$ref\":\"mcp:schema#/$defs/"
                               "JSONRPCMessage\"}"),
                        NULL, &root, NULL) == TR_OK &&
           tr_schema_compile(&wire->arena, &wire->patterns, root, &opts,
                             &wire->schema, NULL) == TR_OK;
}

void wire_close(struct wire *wire)
{
    tr_patterns_done(&wire->patterns);
    tr_arena_done(&wire->arena);
}

tr_status wire_check(struct wire *wire, tr_str message, struct tr_err *err)
{
    struct tr_field_errors errors = {0};
    const struct tr_json *tree = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(64));
    tr_status status = tr_json_read(&arena, message, NULL, &tree, err);
    if (status == TR_OK)
        status = tr_schema_check(wire->schema, tree, &arena, &errors, err);
    if (status == TR_E_VALIDATION && errors.items)
        (void)tr_fail(err, status, "%.*s", TR_FMT(errors.items[0].message));
    tr_arena_done(&arena);
    return status;
}
