#include "query/aggregate.h"

#include "base/limits.h"
#include "base/vec.h"
#include "fields/kind.h"
#include "json/build.h"
#include "keys/key.h"
#include "model/value_term.h"
#include "query/candidates.h"
#include "query/measure.h"
#include "query/refuse.h"

struct grouping {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query_aggregate *asked;
    struct tr_query query;
    struct tr_query_filter filter;
    struct tr_query_slot group;
    struct tr_query_measuring *measures;
    struct tr_query_groups *out;
    TR_VEC(struct tr_query_group) groups;
    TR_VEC(struct tr_values_spot) found; /* key: of its group */
    struct tr_err *err;
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for groups");
}

tr_str tr_query_measure_name(enum tr_query_measure_kind kind)
{
    static const tr_str names[] = {
        [TR_QUERY_SUM] = TR_STR_INIT("sum"),
        [TR_QUERY_MIN] = TR_STR_INIT("min"),
        [TR_QUERY_MAX] = TR_STR_INIT("max"),
        [TR_QUERY_AVG] = TR_STR_INIT("avg"),
    };
    return names[kind];
}

/* What is asked for -------------------------------------------------------- */

typedef bool takes_fn(const struct tr_field *field);

static bool is_grouped(const struct tr_field *field)
{
    return !field->many && tr_field_takes_values(field);
}

static bool is_number(const struct tr_field *field)
{
    return !field->many && !field->list &&
           (tr_field_has(field, TR_FIELD_IS_NUMBER) ||
            field->kind == TR_FIELD_DECIMAL);
}

static tr_status refuse_field(struct grouping *g, tr_str name, tr_str use,
                              takes_fn *takes)
{
    const struct tr_shape *shape = g->asked->type->shape;
    const struct tr_query_refusing to = {g->ctx->arena, g->query.errors};
    struct tr_json value = tr_json_make_text(TR_JSON_STRING, use);
    struct tr_field_error error = {
        .field = name, .code = TR_STR("not_for_this"), .value = value};
    struct tr_json names[TR_LIMIT_FIELDS];
    char says[64];
    size_t count = 0;
    if (!tr_shape_find(shape, name))
        return tr_query_refuse_unknown(&to, shape, TR_STR(""), name, &value,
                                       g->err);
    for (size_t i = 0; i < shape->count; i++) {
        if (takes(&shape->fields[i]))
            names[count++] =
                tr_json_make_text(TR_JSON_STRING, shape->fields[i].name);
    }
    if (!tr_json_make_array(g->ctx->arena, names, count, &error.constraint))
        return fail_memory(g->err);
    (void)snprintf(says, sizeof(says), "is nothing for %.*s; there are ",
                   TR_FMT(use));
    return tr_query_refuse(&to, &error, says, &error.constraint, g->err);
}

static tr_status find_slot(struct grouping *g, tr_str name, tr_str use,
                           takes_fn *takes, struct tr_query_slot *out)
{
    const struct tr_field *field = tr_shape_find(g->asked->type->shape, name);
    if (!field || !takes(field))
        return refuse_field(g, name, use, takes);
    return tr_query_slot_find(g->ctx, field, out, g->err);
}

static tr_status read_asked(struct grouping *g)
{
    const struct tr_query_aggregate *asked = g->asked;
    if (asked->measure_count > TR_LIMIT_QUERY_MEASURES)
        return tr_fail(g->err, TR_E_LIMIT, "at most %zu measures",
                       TR_LIMIT_QUERY_MEASURES);
    TR_TRY(tr_query_filter_compile(g->ctx, &g->query, &g->filter, g->err));
    g->measures = TR_NEW_ARRAY(g->ctx->arena, struct tr_query_measuring,
                               asked->measure_count + 1);
    if (!g->measures)
        return fail_memory(g->err);
    if (asked->group.len)
        TR_TRY(
            find_slot(g, asked->group, TR_STR("group"), is_grouped, &g->group));
    for (size_t i = 0; i < asked->measure_count; i++) {
        enum tr_query_measure_kind kind = asked->measures[i].kind;
        bool adds = kind == TR_QUERY_SUM || kind == TR_QUERY_AVG;
        g->measures[i].kind = kind;
        TR_TRY(find_slot(
            g, asked->measures[i].field, tr_query_measure_name(kind),
            adds ? is_number : tr_field_is_ordered, &g->measures[i].slot));
    }
    return tr_field_errors_verdict(g->query.errors, g->err);
}

/* Groups ------------------------------------------------------------------ */

/* The value that a node has in common with all of its group. */
static tr_status group_value(struct grouping *g, tr_rdf_id node,
                             struct tr_json *out)
{
    struct tr_query_key key;
    *out = (struct tr_json){.kind = TR_JSON_NULL};
    if (!g->group.field)
        return TR_OK;
    TR_TRY(tr_query_key_read(g->ctx, node, g->group, &key, g->err));
    return key.is_there ? tr_model_value_from_term(g->group.field, &key.term,
                                                   g->ctx->arena, out, g->err)
                        : TR_OK;
}

static tr_status add_group(struct grouping *g, tr_rdf_id node, uint64_t count)
{
    struct tr_query_group group = {.count = count};
    if (node != TR_RDF_ID_NONE)
        TR_TRY(group_value(g, node, &group.value));
    return tr_vec_push(g->ctx->arena, &g->groups, group) ? TR_OK
                                                         : fail_memory(g->err);
}

/* Measures the nodes from `first` on, and closes their group. */
static tr_status measure_group(struct grouping *g, size_t first, size_t count)
{
    struct tr_query_group *group;
    size_t measures = g->asked->measure_count;
    tr_rdf_id node = count ? g->found.items[first].node : TR_RDF_ID_NONE;
    TR_TRY(add_group(g, node, count));
    group = &g->groups.items[g->groups.count - 1];
    group->measures = TR_NEW_ARRAY(g->ctx->arena, struct tr_json, measures + 1);
    if (!group->measures)
        return fail_memory(g->err);
    for (size_t i = 0; i < measures; i++) {
        struct tr_query_measuring *m = &g->measures[i];
        tr_query_measure_begin(m);
        for (size_t k = first; k < first + count; k++)
            TR_TRY(tr_query_measure_node(g->ctx, m, g->found.items[k].node,
                                         g->err));
        TR_TRY(tr_query_measure_end(g->ctx, m, &group->measures[i], g->err));
    }
    return TR_OK;
}

static int by_key(const void *a, const void *b)
{
    const struct tr_values_spot *x = a;
    const struct tr_values_spot *y = b;
    int order = tr_str_cmp(x->key, y->key);
    return order ? order : tr_rdf_id_compare(&x->node, &y->node);
}

static tr_status make_groups(struct grouping *g)
{
    size_t count = g->found.count;
    size_t first = 0;
    if (count)
        qsort(g->found.items, count, sizeof(struct tr_values_spot), by_key);
    if (!g->group.field)
        return measure_group(g, 0, count);
    while (first < count) {
        size_t end = first + 1;
        while (end < count &&
               tr_str_eq(g->found.items[end].key, g->found.items[first].key))
            end++;
        g->out->more = g->groups.count == TR_LIMIT_QUERY_GROUPS;
        if (g->out->more)
            return TR_OK;
        TR_TRY(measure_group(g, first, end - first));
        first = end;
    }
    return TR_OK;
}

/* Ways ----------------------------------------------------------------------
 */

static tr_status keep_match(void *context, tr_rdf_id node, bool *stop,
                            struct tr_err *err)
{
    struct grouping *g = context;
    struct tr_values_spot entry = {.node = node};
    struct tr_query_key key;
    (void)stop;
    if (g->group.field) {
        TR_TRY(tr_query_key_read(g->ctx, node, g->group, &key, err));
        if (!tr_arena_copy(g->ctx->arena, tr_key_str(&key.key), &entry.key))
            return fail_memory(err);
    }
    return tr_vec_push(g->ctx->arena, &g->found, entry) ? TR_OK
                                                        : fail_memory(err);
}

static tr_status look_at_all(struct grouping *g)
{
    size_t work = tr_query_work(g->asked->max_work);
    struct tr_query_candidates candidates = {
        .ctx = g->ctx, .query = &g->query, .filter = &g->filter};
    TR_TRY(tr_query_candidates_choose(&candidates, g->err));
    TR_TRY(tr_query_candidates_each(&candidates, work, keep_match, g, g->err));
    g->out->looked = candidates.looked;
    if (candidates.is_cut)
        return tr_fail(g->err, TR_E_LIMIT,
                       "more than %zu candidates: narrow the filter", work);
    return make_groups(g);
}

static tr_status take_group(void *context, const struct tr_values_group *group,
                            bool *stop, struct tr_err *err)
{
    struct grouping *g = context;
    (void)err;
    *stop = g->out->more = g->groups.count == TR_LIMIT_QUERY_GROUPS;
    return *stop ? TR_OK : add_group(g, group->node, group->count);
}

/* An index by the group's field that has no other instances. */
static tr_status find_index(struct grouping *g,
                            const struct tr_values_index **out)
{
    struct tr_values_indexes all;
    *out = NULL;
    if (!g->group.field || g->filter.root.count || g->asked->measure_count)
        return TR_OK;
    TR_TRY(tr_values_indexes_find(g->ctx, g->asked->type, &all, g->err));
    const struct tr_values_index *items = all.items;
    for (size_t i = 0; i < all.count && !*out; i++) {
        const struct tr_model_index *index = items[i].declared;
        if (tr_str_eq(items[i].type->name, g->asked->type->name) &&
            tr_str_eq(index->parts[0].field->name, g->group.field->name) &&
            !index->parts[0].descending)
            *out = &items[i];
    }
    return TR_OK;
}

/* One group, of which only the number is asked. */
static tr_status count_all(struct grouping *g, bool *done)
{
    struct tr_query_count count;
    *done = false;
    if (g->group.field || g->asked->measure_count || g->filter.root.count)
        return TR_OK;
    TR_TRY(tr_query_where_count(g->ctx, &g->query, &count, g->err));
    *done = !count.at_least;
    return *done ? add_group(g, TR_RDF_ID_NONE, count.count) : TR_OK;
}

static tr_status run(struct grouping *g)
{
    const struct tr_values_index *index;
    bool done;
    TR_TRY(read_asked(g));
    TR_TRY(count_all(g, &done));
    if (done)
        return TR_OK;
    TR_TRY(find_index(g, &index));
    return index ? tr_values_groups(g->ctx, index, take_group, g, g->err)
                 : look_at_all(g);
}

tr_status tr_query_aggregate(const struct tr_graph_read_ctx *ctx,
                             const struct tr_query_aggregate *aggregate,
                             struct tr_query_groups *out, struct tr_err *err)
{
    struct tr_field_errors own = {0};
    struct grouping g = {
        .ctx = ctx,
        .asked = aggregate,
        .query = {.type = aggregate->type,
                  .filter = aggregate->filter,
                  .max_work = aggregate->max_work,
                  .errors = aggregate->errors ? aggregate->errors : &own},
        .out = out,
        .err = err,
    };
    *out = (struct tr_query_groups){0};
    TR_TRY(run(&g));
    out->items = g.groups.items;
    out->count = g.groups.count;
    return TR_OK;
}
