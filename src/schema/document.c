#include "schema/document.h"

#include "schema/schema.h"

static tr_status compile(struct tr_arena *arena,
                         struct tr_field_patterns *patterns,
                         const struct tr_json *schema, const void **out,
                         struct tr_err *err)
{
    const struct tr_schema *made = NULL;
    TR_TRY(tr_schema_compile(arena, patterns, schema, NULL, &made, err));
    *out = made;
    return TR_OK;
}

static tr_status check(const void *compiled, tr_str name,
                       const struct tr_json *value, struct tr_arena *arena,
                       struct tr_field_errors *errors, struct tr_err *err)
{
    return tr_schema_check_part(compiled, name, value, arena, errors, err);
}

const struct tr_field_schema_ops tr_schema_document_ops = {compile, check};
