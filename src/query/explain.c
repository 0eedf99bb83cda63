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
    (void)tr_fail(err, TR_E_NOMEM, "no memory for an explanation");
    return TR_E_NOMEM;
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
    for (size_t i = 0; i < stretch->range.equal_count; i++) {
        if (cond == stretch->equal[i])
            return true;
    }
    return cond == stretch->cond;
}

/* "Ticket by state, -due"; of what is behind a ref "Agent by name, back along
 * owner". */
static void put_index(struct tr_buf *out, const struct tr_values_index *index)
{
    tr_buf_putf(out, "%.*s by", TR_FMT(index->type->name));
    for (size_t i = 0; i < index->declared->count; i++) {
        const struct tr_model_index_part *part = &index->declared->parts[i];
        tr_buf_putf(out, "%s %s%.*s", i ? "," : "", part->descending ? "-" : "",
                    TR_FMT(part->field->name));
    }
}

static void put_way(struct tr_buf *out, const struct tr_query_candidates *way)
{
    const struct tr_query_behind *behind = way->behind;
    const struct tr_query_stretch *stretch =
        behind ? &behind->candidates.stretch : &way->stretch;
    if (!behind && !stretch->index)
        return;
    tr_buf_putf(out, out->len ? "; " : "");
    if (stretch->index)
        put_index(out, stretch->index);
    if (!behind)
        return;
    if (!stretch->index)
        tr_buf_put(out, behind->cond->target->name);
    tr_buf_putf(out, ", %salong %.*s", behind->cond->is_back ? "" : "back ",
                TR_FMT(behind->cond->across.field->name));
}

/* What is known when the way has been chosen. */
struct way {
    struct tr_query_filter filter;
    struct tr_query_order order;
    struct tr_query_stretch along;
    const struct tr_query_candidates *candidates; /* NULL: `along` leads */
    bool leads;
};

/* Of alternatives that are united those of each: "Ticket by due; Ticket by
 * size". */
static tr_status name_indexes(struct telling *t, const struct way *way,
                              struct tr_json *out)
{
    const struct tr_query_candidates *candidates = way->candidates;
    char text[TR_LIMIT_DESCRIPTION_BYTES];
    struct tr_buf names;
    tr_buf_init_fixed(&names, text, sizeof(text));
    if (!candidates)
        put_index(&names, way->along.index);
    else if (!candidates->any)
        put_way(&names, candidates);
    for (size_t i = 0;
         candidates && candidates->any && i < candidates->any->count; i++)
        put_way(&names, &candidates->branches[i]);
    if (!names.len)
        return TR_OK;
    return keep_text(t->arena, tr_buf_str(&names), out) ? TR_OK
                                                        : fail_memory(t->err);
}

static tr_status declare(struct telling *t, const struct way *way,
                         const struct tr_query *query, struct tr_json *out)
{
    struct tr_query_missing missing =
        tr_query_missing_index(query, &way->filter, &way->order);
    tr_str text;
    if (!missing.field)
        return TR_OK;
    TR_TRY(tr_query_index_to_declare(t->arena, query, missing, &text, t->err));
    *out = tr_json_make_text(TR_JSON_STRING, text);
    return TR_OK;
}

static bool leads(const struct way *way, const struct tr_query_cond *cond)
{
    const struct tr_query_candidates *c = way->candidates;
    if (!c)
        return is_in_stretch(&way->along, cond);
    if (c->any)
        return cond == c->any;
    if (c->behind)
        return cond == c->behind->cond;
    return c->stretch.index ? is_in_stretch(&c->stretch, cond)
                            : tr_query_lead_leads(cond);
}

static tr_status sort_conds(struct telling *t, const struct way *way)
{
    const struct tr_query_cond *root = &way->filter.root;
    for (size_t i = 0; i < root->count; i++)
        TR_TRY(add_cond(t, &root->parts[i], leads(way, &root->parts[i])));
    return TR_OK;
}

static void put(struct tr_json_member *members, size_t *count, const char *key,
                struct tr_json value)
{
    if (value.kind != TR_JSON_NULL)
        members[(*count)++] = (struct tr_json_member){
            tr_json_make_text(TR_JSON_STRING, tr_str_from(key)), value};
}

static tr_status choose(const struct tr_graph_read_ctx *ctx,
                        const struct tr_query *query, struct way *way,
                        struct tr_err *err)
{
    struct tr_query_candidates *candidates =
        TR_NEW(ctx->arena, struct tr_query_candidates);
    if (!candidates)
        return fail_memory(err);
    *candidates = (struct tr_query_candidates){
        .ctx = ctx, .query = query, .filter = &way->filter};
    *way = (struct way){.leads = true};
    TR_TRY(tr_query_filter_compile(ctx, query, &way->filter, err));
    TR_TRY(tr_query_order_read(ctx, query, &way->order, err));
    if (way->order.slot.field)
        TR_TRY(tr_query_stretch_along(ctx, query, &way->filter, &way->order,
                                      &way->along, err));
    TR_TRY(tr_query_candidates_choose(candidates, err));
    bool is_short = way->along.range.equal_count || way->along.cond ||
                    (way->along.index && !candidates->leads);
    way->candidates = is_short ? NULL : candidates;
    way->leads = is_short || candidates->leads || candidates->stretch.index ||
                 candidates->any || candidates->behind;
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
    struct way way = {0};
    TR_TRY(choose(ctx, query, &way, err));
    TR_TRY(sort_conds(&t, &way));
    TR_TRY(name_indexes(&t, &way, &index));
    bool sorts = way.order.slot.field && !way.along.index;
    bool scans = !way.leads && (way.filter.root.count > 0 || sorts);
    if (scans || sorts)
        TR_TRY(declare(&t, &way, query, &missing));
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
