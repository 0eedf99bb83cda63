/* How a query would be answered, as tr_query_where would. */
#include "base/limits.h"
#include "base/vec.h"
#include "json/build.h"
#include "query/candidates.h"

struct telling {
    struct tr_arena *arena;
    TR_VEC(struct tr_json) leads;
    TR_VEC(struct tr_json) checks;
    struct tr_err *err;
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for an explanation");
}

static bool keep_text(struct tr_arena *arena, tr_str text, struct tr_json *out)
{
    tr_str copy;
    if (!tr_arena_copy(arena, text, &copy))
        return false;
    *out = tr_json_make_text(TR_JSON_STRING, copy);
    return true;
}

/* "due below", "owner.name one_of", "any". */
static tr_status name_cond(struct telling *t, const struct tr_query_cond *cond,
                           struct tr_json *out)
{
    char text[TR_LIMIT_DESCRIPTION_BYTES];
    struct tr_buf name;
    tr_buf_init_fixed(&name, text, sizeof(text));
    tr_buf_put(&name, cond->name);
    for (int form = 0; form < TR_FIELD_FORMS; form++) {
        tr_str word = tr_field_form_name((enum tr_field_form)form);
        if (tr_query_cond_has(cond, (enum tr_field_form)form))
            tr_buf_putf(&name, " %.*s", TR_FMT(word));
    }
    return keep_text(t->arena, tr_buf_str(&name), out) ? TR_OK
                                                       : fail_memory(t->err);
}

static tr_status add_cond(struct telling *t, const struct tr_query_cond *cond,
                          bool is_lead)
{
    struct tr_json name = {.kind = TR_JSON_NULL};
    TR_TRY(name_cond(t, cond, &name));
    bool kept = is_lead ? tr_vec_push(t->arena, &t->leads, name)
                        : tr_vec_push(t->arena, &t->checks, name);
    return kept ? TR_OK : fail_memory(t->err);
}

/* Whether an index has answered a condition, at least in part. */
static bool is_in_stretch(const struct tr_query_stretch *stretch,
                          const struct tr_query_cond *cond)
{
    if (!stretch->index || cond->kind != TR_QUERY_COND_FIELD ||
        cond->across.field)
        return false;
    for (size_t i = 0; i < stretch->range.equal_count; i++) {
        const struct tr_field *field = stretch->index->declared->parts[i].field;
        if (tr_str_eq(field->name, cond->slot.field->name))
            return true;
    }
    return cond == stretch->cond;
}

static tr_status sort_conds(struct telling *t,
                            const struct tr_query_filter *filter,
                            const struct tr_query_stretch *stretch)
{
    for (size_t i = 0; i < filter->root.count; i++) {
        const struct tr_query_cond *cond = &filter->root.parts[i];
        bool leads = stretch->index ? is_in_stretch(stretch, cond)
                                    : tr_query_lead_leads(cond);
        TR_TRY(add_cond(t, cond, leads));
    }
    return TR_OK;
}

/* "Ticket by state, -due" */
static tr_status name_index(struct telling *t,
                            const struct tr_graph_value_index *index,
                            struct tr_json *out)
{
    char text[TR_LIMIT_DESCRIPTION_BYTES];
    struct tr_buf name;
    tr_buf_init_fixed(&name, text, sizeof(text));
    tr_buf_putf(&name, "%.*s by", TR_FMT(index->type->name));
    for (size_t i = 0; i < index->declared->count; i++) {
        const struct tr_model_index_part *part = &index->declared->parts[i];
        tr_buf_putf(&name, "%s %s%.*s", i ? "," : "",
                    part->descending ? "-" : "", TR_FMT(part->field->name));
    }
    return keep_text(t->arena, tr_buf_str(&name), out) ? TR_OK
                                                       : fail_memory(t->err);
}

static tr_status declare(struct telling *t,
                         const struct tr_query_filter *filter,
                         struct tr_query_order order, struct tr_json *out)
{
    tr_str text;
    order.slot.field = tr_query_missing_index(filter, &order);
    if (!order.slot.field)
        return TR_OK;
    const struct tr_graph_read_ctx ctx = {.arena = t->arena};
    TR_TRY(tr_query_index_to_declare(&ctx, &order, &text, t->err));
    *out = tr_json_make_text(TR_JSON_STRING, text);
    return TR_OK;
}

static void put(struct tr_json_member *members, size_t *count, const char *key,
                struct tr_json value)
{
    if (value.kind != TR_JSON_NULL)
        members[(*count)++] = (struct tr_json_member){
            tr_json_make_text(TR_JSON_STRING, tr_str_from(key)), value};
}

/* What is known when the way has been chosen. */
struct way {
    struct tr_query_filter filter;
    struct tr_query_order order;
    struct tr_query_stretch along;
    struct tr_query_stretch stretch;
    bool leads;
};

static tr_status choose(const struct tr_graph_read_ctx *ctx,
                        const struct tr_query *query, struct way *way,
                        struct tr_err *err)
{
    struct tr_query_candidates candidates = {
        .ctx = ctx, .query = query, .filter = &way->filter};
    *way = (struct way){.leads = true};
    TR_TRY(tr_query_filter_compile(ctx, query, &way->filter, err));
    TR_TRY(tr_query_order_read(ctx, query, &way->order, err));
    if (way->order.slot.field)
        TR_TRY(tr_query_stretch_along(ctx, query, &way->filter, &way->order,
                                      &way->along, err));
    TR_TRY(tr_query_candidates_choose(&candidates, err));
    bool is_short = way->along.range.equal_count || way->along.cond ||
                    (way->along.index && !candidates.leads);
    way->stretch = is_short ? way->along : candidates.stretch;
    way->leads = is_short || candidates.leads || candidates.stretch.index;
    return TR_OK;
}

tr_status tr_query_explain(const struct tr_graph_read_ctx *ctx,
                           const struct tr_query *query, struct tr_json *out,
                           struct tr_err *err)
{
    struct telling t = {.arena = ctx->arena, .err = err};
    struct tr_json leads;
    struct tr_json checks;
    struct tr_json index = {.kind = TR_JSON_NULL};
    struct tr_json missing = {.kind = TR_JSON_NULL};
    struct tr_json_member members[6];
    size_t count = 0;
    struct way way;
    TR_TRY(choose(ctx, query, &way, err));
    TR_TRY(sort_conds(&t, &way.filter, &way.stretch));
    if (way.stretch.index)
        TR_TRY(name_index(&t, way.stretch.index, &index));
    bool sorts = way.order.slot.field && !way.along.index;
    bool scans = !way.leads && (way.filter.root.count > 0 || sorts);
    if (scans || sorts)
        TR_TRY(declare(&t, &way.filter, way.order, &missing));
    if (!tr_json_make_array(t.arena, t.leads.items, t.leads.count, &leads) ||
        !tr_json_make_array(t.arena, t.checks.items, t.checks.count, &checks))
        return fail_memory(err);
    put(members, &count, "leads", leads);
    put(members, &count, "index", index);
    put(members, &count, "checks", checks);
    put(members, &count, "sorts", tr_json_make_bool(sorts));
    put(members, &count, "scans", tr_json_make_bool(scans));
    put(members, &count, "declare", missing);
    return tr_json_make_object(t.arena, members, count, out) ? TR_OK
                                                             : fail_memory(err);
}
