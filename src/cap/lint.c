#include "schema/lint.h"

#include "base/limits.h"
#include "cap/inside.h"
#include "fields/json_schema.h"
#include "json/reader.h"
#include "json/writer.h"
#include "schema/verbatim.h"

/* The schema that clients see, as a tree in `arena`. */
static tr_status schema_of(const struct tr_shape *shape, struct tr_arena *arena,
                           const struct tr_json **out, struct tr_err *err)
{
    struct tr_json_writer w;
    struct tr_buf text;
    tr_str copy;
    tr_buf_init(&text, TR_LIMIT_SCHEMA_BYTES);
    tr_jw_init(&w, &text);
    tr_shape_write_json_schema(&w, shape, TR_SHAPE_WITH_DIALECT);
    tr_status status = tr_jw_finish(&w, err);
    if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), &copy))
        status = tr_cap_builder_nomem(err);
    tr_buf_done(&text);
    TR_TRY(status);
    return tr_json_read(arena, copy, NULL, out, err);
}

/* A field of a type keeps its name; then the argument that has the same is not
 * there, and its author ought to know. */
static tr_status lint_lack(struct tr_arena *arena, tr_str name,
                           struct tr_schema_findings *out, struct tr_err *err)
{
    struct tr_schema_finding finding = {
        .is_name = true,
        .fix = "call the field otherwise if callers need the argument"};
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_MESSAGE_BYTES);
    tr_buf_putf(&text,
                "it goes without the argument '%.*s', since its type has a "
                "field of that name",
                TR_FMT(name));
    bool kept = tr_buf_check(&text, NULL) == TR_OK &&
                tr_arena_copy(arena, tr_buf_str(&text), &finding.message) &&
                tr_vec_push(arena, out, finding);
    tr_buf_done(&text);
    return kept ? TR_OK : tr_cap_builder_nomem(err);
}

static tr_status lint_lacks(struct tr_arena *arena, const struct tr_cap *cap,
                            struct tr_schema_findings *out, struct tr_err *err)
{
    for (size_t i = 0; i < cap->lacks.count; i++)
        TR_TRY(lint_lack(arena, cap->lacks.items[i], out, err));
    return TR_OK;
}

/* Findings outlive the scratch that schemas are read into. */
static tr_status lint(struct tr_arena *arena, struct tr_arena *scratch,
                      const struct tr_cap *cap, struct tr_schema_findings *out,
                      struct tr_err *err)
{
    const struct tr_json *schema = NULL;
    TR_TRY(tr_schema_lint_name(arena, cap->name, out, err));
    TR_TRY(tr_schema_lint_description(arena, cap->description, out, err));
    TR_TRY(lint_lacks(arena, cap, out, err));
    if (cap->input_schema)
        schema = tr_schema_verbatim_tree(cap->input_schema);
    else if (cap->input_shape)
        TR_TRY(schema_of(cap->input_shape, scratch, &schema, err));
    return schema ? tr_schema_lint_schema(arena, schema, out, err) : TR_OK;
}

tr_status tr_cap_builder_lint(struct tr_cap_snapshot *snapshot,
                              struct tr_cap *cap, struct tr_err *err)
{
    struct tr_schema_findings findings = {0};
    struct tr_arena scratch;
    tr_arena_init(&scratch, 16 * TR_LIMIT_SCHEMA_BYTES);
    tr_status status = lint(&snapshot->arena, &scratch, cap, &findings, err);
    tr_arena_done(&scratch);
    cap->findings = findings.items;
    cap->finding_count = findings.count;
    return status;
}
