#include "json/build.h"
#include "query/aggregate.h"

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for groups");
}

static struct tr_json_member member(tr_str key, struct tr_json value)
{
    return (struct tr_json_member){tr_json_make_text(TR_JSON_STRING, key),
                                   value};
}

/* {field: value} of the measures of one kind; *out is left without any. */
static tr_status measures_json(struct tr_arena *arena,
                               const struct tr_query_aggregate *asked,
                               enum tr_query_measure_kind kind,
                               const struct tr_query_group *group,
                               struct tr_json *out, struct tr_err *err)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(arena, struct tr_json_member, asked->measure_count + 1);
    size_t count = 0;
    if (!members)
        return fail_memory(err);
    for (size_t i = 0; i < asked->measure_count; i++) {
        if (asked->measures[i].kind == kind)
            members[count++] =
                member(asked->measures[i].field, group->measures[i]);
    }
    if (count == 0)
        return TR_OK;
    return tr_json_make_object(arena, members, count, out) ? TR_OK
                                                           : fail_memory(err);
}

static tr_status group_json(struct tr_arena *arena,
                            const struct tr_query_aggregate *asked,
                            const struct tr_query_group *group,
                            struct tr_json *out, struct tr_err *err)
{
    struct tr_json_member members[2 + TR_QUERY_AVG + 1];
    char text[24];
    size_t count = 0;
    tr_str number;
    int len =
        snprintf(text, sizeof(text), "%llu", (unsigned long long)group->count);
    if (!tr_arena_copy(arena, (tr_str){text, (size_t)len}, &number))
        return fail_memory(err);
    if (asked->group.len)
        members[count++] = member(TR_STR("group"), group->value);
    members[count++] = member(TR_STR("count"), tr_json_make_integer(number));
    for (int kind = TR_QUERY_SUM; kind <= TR_QUERY_AVG; kind++) {
        struct tr_json values = {.kind = TR_JSON_NULL};
        TR_TRY(measures_json(arena, asked, (enum tr_query_measure_kind)kind,
                             group, &values, err));
        if (values.kind == TR_JSON_OBJECT)
            members[count++] =
                member(tr_query_measure_name((enum tr_query_measure_kind)kind),
                       values);
    }
    return tr_json_make_object(arena, members, count, out) ? TR_OK
                                                           : fail_memory(err);
}

tr_status tr_query_groups_json(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query_aggregate *aggregate,
                               const struct tr_query_groups *groups,
                               struct tr_json *out, struct tr_err *err)
{
    struct tr_json *items =
        TR_NEW_ARRAY(ctx->arena, struct tr_json, groups->count + 1);
    if (!items)
        return fail_memory(err);
    for (size_t i = 0; i < groups->count; i++)
        TR_TRY(group_json(ctx->arena, aggregate, &groups->items[i], &items[i],
                          err));
    return tr_json_make_array(ctx->arena, items, groups->count, out)
               ? TR_OK
               : fail_memory(err);
}
