/*
 * Any bytes as the query of a URI of instances: a page that is bounded and a
 * value of the field's kind, or a reason.
 */
#include "base/limits.h"
#include "base/text.h"
#include "fields/pattern.h"
#include "model/uri.h"
#include "model/value_term.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const struct tr_field fields[] = {
    {.name = TR_STR_INIT("text")},
    {.name = TR_STR_INIT("integer"), .kind = TR_FIELD_INTEGER},
    {.name = TR_STR_INIT("number"), .kind = TR_FIELD_NUMBER},
    {.name = TR_STR_INIT("boolean"), .kind = TR_FIELD_BOOLEAN},
    {.name = TR_STR_INIT("datetime"), .kind = TR_FIELD_DATETIME},
    {.name = TR_STR_INIT("ref"), .kind = TR_FIELD_REF, .any_type = true},
    {.name = TR_STR_INIT("many"), .many = true},
};

static void check_query(struct tr_arena *arena,
                        const struct tr_model_uri_query *query)
{
    tr_rdf_term term;
    must(query->limit <= TR_LIMIT_PAGE && query->offset <= TR_LIMIT_OFFSET);
    if (!query->field)
        return;
    must(!query->field->many);
    must(tr_utf8_is_valid(query->where));
    must(tr_model_value_to_term(query->field, &query->value, arena, &term,
                                NULL) == TR_OK);
    for (size_t i = 0; i < query->where.len; i++)
        must(query->where.ptr[i] && !strchr("\"\\\r\n", query->where.ptr[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tr_shape draft = {.fields = fields, .count = TR_LEN(fields)};
    tr_str text = {(const char *)data, size};
    struct tr_model_type type = {0};
    struct tr_model_uri_query query;
    struct tr_model_uri_refusal why;
    struct tr_field_patterns patterns = {0};
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(16));
    must(tr_shape_register(&arena, &patterns, &draft, &type.shape, &err) ==
         TR_OK);
    tr_status status =
        tr_model_uri_query_parse(&arena, &type, text, &query, &why, &err);
    if (status == TR_OK)
        check_query(&arena, &query);
    else
        must(status == TR_E_INVALID && why.reason && err.msg[0] &&
             why.field.len <= TR_LIMIT_NAME_BYTES);
    tr_field_patterns_done(&patterns);
    tr_arena_done(&arena);
    return 0;
}
