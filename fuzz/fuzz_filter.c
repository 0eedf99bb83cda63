/*
 * Any bytes as JSON: a filter, an order, or fields to aggregate, of a store
 * that has some nodes. It is answered within its bounds, or refused with what
 * is wrong with which field.
 */
#include "base/limits.h"
#include "json/reader.h"
#include "query/aggregate.h"
#include "support/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check(tr_status status, const struct tr_field_errors *errors)
{
    must(status == TR_OK || status == TR_E_LIMIT || status == TR_E_NOT_FOUND ||
         status == TR_E_INVALID || status == TR_E_VALIDATION);
    for (size_t i = 0; i < errors->count; i++)
        must(errors->items[i].message.len && errors->items[i].code.len);
}

static void ask(struct tr_graph_read_ctx *ctx, struct tr_query *query)
{
    struct tr_field_errors errors = {0};
    struct tr_query_aggregate aggregate = {.type = query->type,
                                           .filter = query->filter,
                                           .group = query->order,
                                           .errors = &errors};
    struct tr_query_groups groups;
    struct tr_query_page page;
    struct tr_json out;
    struct tr_err err = {0};
    query->errors = &errors;
    check(tr_query_where(ctx, query, &page, &err), &errors);
    errors.count = 0;
    check(tr_query_explain(ctx, query, &out, &err), &errors);
    errors.count = 0;
    check(tr_query_aggregate(ctx, &aggregate, &groups, &err), &errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char nodes[] =
        "w:p a w:Person ; person:name 'P' ."
        "w:a a w:Thing, w:Task ; w:title 'a' ; w:size 1 ; w:owner w:p ;"
        " w:tag 'x', 'y' ; w:due '2026-01-01T00:00:00+01:00'^^xsd:dateTime ."
        "w:b a w:Thing, w:Task ; w:done true ; w:needs w:a .";
    tr_str text = {(const char *)data, size};
    struct world world;
    const struct tr_json *root = NULL;
    struct tr_err err = {0};
    world_open(&world);
    world_add(&world, nodes);
    world_land(&world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&world);
    struct tr_query query = {.type = world_type(&world, "Task")};
    if (size < TR_KIB(64) &&
        tr_json_read(&world.arena, text, NULL, &root, &err) == TR_OK) {
        query.filter = root;
        query.order = tr_json_text(tr_json_find(root, TR_STR("order")));
        query.after = tr_json_text(tr_json_find(root, TR_STR("after")));
        ask(&ctx, &query);
        query.filter = tr_json_find(root, TR_STR("filter"));
        ask(&ctx, &query);
    }
    world_close(&world);
    return 0;
}
