/*
 * Any bytes as JSON, and that as a filter: conditions within their bounds, or
 * what is wrong with which field.
 */
#include "base/limits.h"
#include "json/reader.h"
#include "model/builder.h"
#include "query/filter.h"
#include "rdf/memory_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OPTIONAL(word, ...)                                                    \
    {                                                                          \
        .name = TR_STR_INIT(word), .optional = true, __VA_ARGS__               \
    }

static const struct tr_field fields[] = {
    OPTIONAL("text", .kind = TR_FIELD_TEXT),
    OPTIONAL("integer", .kind = TR_FIELD_INTEGER),
    OPTIONAL("number", .kind = TR_FIELD_NUMBER),
    OPTIONAL("boolean", .kind = TR_FIELD_BOOLEAN),
    OPTIONAL("datetime", .kind = TR_FIELD_DATETIME),
    OPTIONAL("date", .kind = TR_FIELD_DATE),
    OPTIONAL("duration", .kind = TR_FIELD_DURATION),
    OPTIONAL("decimal", .kind = TR_FIELD_DECIMAL),
    OPTIONAL("ref", .kind = TR_FIELD_REF, .target = TR_STR_INIT("T")),
    OPTIONAL("many", .many = true),
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static size_t count(const struct tr_query_cond *cond)
{
    size_t conditions = cond->count;
    must(cond->choice_count <= TR_LIMIT_FILTER_ONE_OF);
    for (size_t i = 0; i < cond->count; i++)
        conditions += count(&cond->parts[i]);
    return conditions;
}

static void compile(const struct tr_model *model, struct tr_arena *arena,
                    const struct tr_json *filter)
{
    struct tr_rdf_memory_graph *graph = NULL;
    struct tr_field_errors errors = {0};
    struct tr_query_filter out;
    struct tr_err err = {0};
    must(tr_rdf_memory_graph_create(TR_MIB(1), &graph, &err) == TR_OK);
    const struct tr_graph_read_ctx ctx = {.graph =
                                              tr_rdf_memory_graph_view(graph),
                                          .model = model,
                                          .arena = arena};
    const struct tr_query query = {.type = tr_model_find(model, TR_STR("T")),
                                   .filter = filter,
                                   .errors = &errors};
    tr_status status = tr_query_filter_compile(&ctx, &query, &out, &err);
    must(status == TR_OK || err.msg[0]);
    must(status != TR_OK || errors.count == 0);
    /* An alternative counts as one, beside its conditions. */
    must(status != TR_OK || count(&out.root) <= 2 * TR_LIMIT_FILTER_CONDITIONS);
    for (size_t i = 0; i < errors.count; i++)
        must(errors.items[i].message.len && errors.items[i].code.len);
    tr_rdf_memory_graph_free(graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tr_model_type_draft draft = {
        .shape = {
            .name = TR_STR("T"), .fields = fields, .count = TR_LEN(fields)}};
    tr_str text = {(const char *)data, size};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    const struct tr_json *root = NULL;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(64));
    must(tr_model_builder_create(TR_STR("fuzz"), &builder, &err) == TR_OK);
    must(tr_model_builder_add_type(builder, &draft, &err) == TR_OK);
    must(tr_model_build(builder, &model, &err) == TR_OK);
    tr_model_builder_free(builder);
    if (size < TR_KIB(64) &&
        tr_json_read(&arena, text, NULL, &root, &err) == TR_OK)
        compile(model, &arena, root);
    tr_model_free(model);
    tr_arena_done(&arena);
    return 0;
}
