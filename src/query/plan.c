#include "query/plan.h"

#include "base/limits.h"
#include "json/build.h"
#include "query/lead.h"
#include "query/refuse.h"
#include "query/scans.h"

/* Nodes that are looked at: fewer are no matter. */
#define SLOW 1000

#define BIT(form) (1u << (form))
#define BETWEEN                                                                \
    (BIT(TR_FIELD_FORM_MIN) | BIT(TR_FIELD_FORM_MAX) |                         \
     BIT(TR_FIELD_FORM_ABOVE) | BIT(TR_FIELD_FORM_BELOW))

/* Orders ------------------------------------------------------------------ */

static tr_status refuse_order(const struct tr_graph_read_ctx *ctx,
                              const struct tr_query *query, tr_str name,
                              struct tr_field_errors *errors,
                              struct tr_err *err)
{
    const struct tr_shape *shape = query->type->shape;
    const struct tr_query_refusing to = {ctx->arena, errors};
    struct tr_json value = tr_json_make_text(TR_JSON_STRING, query->order);
    struct tr_json names[TR_LIMIT_FIELDS];
    struct tr_field_error error = {
        .field = name, .code = TR_STR("no_order"), .value = value};
    size_t count = 0;
    if (!tr_shape_find(shape, name))
        return tr_query_refuse_unknown(&to, shape, TR_STR(""), name, &value,
                                       err);
    for (size_t i = 0; i < shape->count; i++) {
        if (tr_field_is_ordered(&shape->fields[i]))
            names[count++] =
                tr_json_make_text(TR_JSON_STRING, shape->fields[i].name);
    }
    if (!tr_json_make_array(ctx->arena, names, count, &error.constraint))
        return tr_fail(err, TR_E_NOMEM, "no memory for an order");
    return tr_query_refuse(&to, &error, "has no order; there are ",
                           &error.constraint, err);
}

tr_status tr_query_order_read(const struct tr_graph_read_ctx *ctx,
                              const struct tr_query *query,
                              struct tr_query_order *out, struct tr_err *err)
{
    struct tr_field_errors own = {0};
    struct tr_field_errors *errors = query->errors ? query->errors : &own;
    tr_str name = query->order;
    *out = (struct tr_query_order){0};
    if (!name.len)
        return TR_OK;
    out->descending = name.ptr[0] == '-';
    name = tr_str_skip(name, out->descending);
    const struct tr_field *field = tr_shape_find(query->type->shape, name);
    if (field && tr_field_is_ordered(field))
        return tr_query_slot_find(ctx, field, &out->slot, err);
    TR_TRY(refuse_order(ctx, query, name, errors, err));
    return tr_field_errors_verdict(errors, err);
}

tr_status tr_query_index_to_declare(struct tr_arena *arena,
                                    const struct tr_query *query,
                                    struct tr_query_missing missing,
                                    tr_str *out, struct tr_err *err)
{
    char text[2 * TR_LIMIT_NAME_BYTES + 64];
    bool is_own = missing.type == query->type;
    tr_str type = is_own ? TR_STR("") : missing.type->name;
    (void)snprintf(text, sizeof(text), "index = true for the field %.*s%s%.*s",
                   TR_FMT(missing.field->name), is_own ? "" : " of ",
                   TR_FMT(type));
    return tr_arena_copy(arena, tr_str_from(text), out)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a query");
}

static bool has_index(const struct tr_model_type *type,
                      const struct tr_field *field)
{
    for (; type; type = type->parent) {
        for (size_t i = 0; i < type->index_count; i++) {
            if (tr_str_eq(type->indexes[i].parts[0].field->name, field->name))
                return true;
        }
    }
    return false;
}

/* Of a condition that nothing leads to. */
static struct tr_query_missing missing_of(const struct tr_query *query,
                                          const struct tr_query_cond *cond)
{
    struct tr_query_missing missing = {
        .type = cond->across.field ? cond->target : query->type};
    if (cond->kind == TR_QUERY_COND_FIELD) {
        const struct tr_field *field = cond->slot.field;
        if (!tr_query_lead_leads(cond) && tr_field_is_ordered(field) &&
            !has_index(missing.type, field))
            missing.field = field;
        return missing;
    }
    for (size_t i = 0; i < cond->count && !missing.field; i++)
        missing = missing_of(query, &cond->parts[i]);
    return missing;
}

struct tr_query_missing
tr_query_missing_index(const struct tr_query *query,
                       const struct tr_query_filter *filter,
                       const struct tr_query_order *order)
{
    struct tr_query_missing missing = {query->type, NULL};
    if (order && order->slot.field)
        missing.field = order->slot.field;
    for (size_t i = 0; i < filter->root.count && !missing.field; i++) {
        const struct tr_query_cond *cond = &filter->root.parts[i];
        if (cond->kind == TR_QUERY_COND_FIELD && !cond->across.field)
            missing = missing_of(query, cond);
    }
    return missing.field ? missing : missing_of(query, &filter->root);
}

void tr_query_note_slow(const struct tr_graph_read_ctx *ctx,
                        struct tr_query_missing missing, size_t looked)
{
    if (ctx->scans && missing.field && looked >= SLOW)
        tr_query_scans_note(ctx->scans, missing.type->name, missing.field->name,
                            looked);
}

/* Indexes ----------------------------------------------------------------- */

struct choosing {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query *query;
    const struct tr_query_filter *filter;
    struct tr_query_stretch *best;
    struct tr_err *err;
};

/* The condition on a field of the node itself, of the forms in `forms`. */
static const struct tr_query_cond *find_cond(const struct choosing *c,
                                             const struct tr_field *field,
                                             unsigned forms)
{
    const struct tr_query_cond *root = &c->filter->root;
    for (size_t i = 0; i < root->count; i++) {
        const struct tr_query_cond *cond = &root->parts[i];
        if (cond->kind == TR_QUERY_COND_FIELD && !cond->across.field &&
            tr_str_eq(cond->slot.field->name, field->name) &&
            cond->forms & forms)
            return cond;
    }
    return NULL;
}

static const struct tr_query_cond *find_equal(const struct choosing *c,
                                              const struct tr_field *field)
{
    const struct tr_query_cond *cond =
        find_cond(c, field, BIT(TR_FIELD_FORM_ONE_OF));
    return cond && cond->choice_count == 1 ? cond : NULL;
}

/* How many of the first fields of an index are asked to be equal. */
static size_t count_equal(const struct choosing *c,
                          const struct tr_model_index *index)
{
    size_t count = 0;
    while (count < index->count && find_equal(c, index->parts[count].field))
        count++;
    return count;
}

/* Whether what is equal is walked as well without this index. */
static bool are_pairs(const struct choosing *c,
                      const struct tr_model_index *index, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!tr_query_cond_is_pair(find_equal(c, index->parts[i].field)))
            return false;
    }
    return true;
}

static void set_range(const struct tr_query_cond *cond,
                      struct tr_values_range *range)
{
    bool has_min = tr_query_cond_has(cond, TR_FIELD_FORM_MIN);
    bool has_max = tr_query_cond_has(cond, TR_FIELD_FORM_MAX);
    if (cond->forms & BETWEEN) {
        range->want = TR_VALUES_BETWEEN;
        range->is_above =
            !has_min && tr_query_cond_has(cond, TR_FIELD_FORM_ABOVE);
        range->is_below =
            !has_max && tr_query_cond_has(cond, TR_FIELD_FORM_BELOW);
        if (has_min || range->is_above)
            range->low =
                &cond->bounds[has_min ? TR_FIELD_FORM_MIN : TR_FIELD_FORM_ABOVE]
                     .xsd.term;
        if (has_max || range->is_below)
            range->high =
                &cond->bounds[has_max ? TR_FIELD_FORM_MAX : TR_FIELD_FORM_BELOW]
                     .xsd.term;
    } else if (tr_query_cond_has(cond, TR_FIELD_FORM_PREFIX)) {
        range->want = TR_VALUES_PREFIX;
        range->prefix = cond->prefix;
        range->is_uri = cond->slot.field->kind == TR_FIELD_URI;
    } else if (tr_query_cond_has(cond, TR_FIELD_FORM_ABSENT)) {
        range->want = TR_VALUES_ABSENT;
    } else if (tr_query_cond_has(cond, TR_FIELD_FORM_PRESENT)) {
        range->want = TR_VALUES_PRESENT;
    }
}

/* Whether a range of an index has all that some forms ask for. */
static bool is_one_range(unsigned forms)
{
    unsigned low = forms & (BIT(TR_FIELD_FORM_MIN) | BIT(TR_FIELD_FORM_ABOVE));
    unsigned high = forms & (BIT(TR_FIELD_FORM_MAX) | BIT(TR_FIELD_FORM_BELOW));
    if (forms & ~(unsigned)(BETWEEN))
        return (forms & (forms - 1)) == 0 && forms != BIT(TR_FIELD_FORM_ONE_OF);
    return (low & (low - 1)) == 0 && (high & (high - 1)) == 0;
}

static tr_status take(struct choosing *c, const struct tr_values_index *index,
                      size_t equal, const struct tr_query_cond *cond)
{
    const tr_rdf_term **terms =
        TR_NEW_ARRAY(c->ctx->arena, const tr_rdf_term *, equal + 1);
    if (!terms)
        return tr_fail(c->err, TR_E_NOMEM, "no memory for a query");
    *c->best = (struct tr_query_stretch){
        .index = index,
        .range = {.equal = terms, .equal_count = equal},
        .cond = cond,
        .is_exact_type = tr_str_eq(index->type->name, c->query->type->name),
    };
    for (size_t i = 0; i < equal; i++) {
        c->best->equal[i] = find_equal(c, index->declared->parts[i].field);
        terms[i] = &c->best->equal[i]->choices[0].xsd.term;
    }
    if (cond)
        set_range(cond, &c->best->range);
    c->best->has_all = cond && is_one_range(cond->forms);
    return TR_OK;
}

static tr_status find_indexes(struct choosing *c, struct tr_values_indexes *out)
{
    *c->best = (struct tr_query_stretch){0};
    *out = (struct tr_values_indexes){0};
    return tr_values_indexes_find(c->ctx, c->query->type, out, c->err);
}

tr_status tr_query_stretch_along(const struct tr_graph_read_ctx *ctx,
                                 const struct tr_query *query,
                                 const struct tr_query_filter *filter,
                                 const struct tr_query_order *order,
                                 struct tr_query_stretch *out,
                                 struct tr_err *err)
{
    struct choosing c = {ctx, query, filter, out, err};
    const struct tr_field *field = order->slot.field;
    struct tr_values_indexes all;
    TR_TRY(find_indexes(&c, &all));
    for (size_t i = 0; i < all.count; i++) {
        const struct tr_model_index *index = all.items[i].declared;
        size_t last = index->count - 1;
        if (!tr_str_eq(index->parts[last].field->name, field->name) ||
            count_equal(&c, index) < last ||
            (out->index && last <= out->range.equal_count))
            continue;
        TR_TRY(take(&c, &all.items[i], last, find_cond(&c, field, ~0u)));
        out->range.backward =
            order->descending != index->parts[last].descending;
    }
    return TR_OK;
}

tr_status tr_query_stretch_within(const struct tr_graph_read_ctx *ctx,
                                  const struct tr_query *query,
                                  const struct tr_query_filter *filter,
                                  struct tr_query_stretch *out,
                                  struct tr_err *err)
{
    struct choosing c = {ctx, query, filter, out, err};
    struct tr_values_indexes all;
    size_t most = 0;
    *out = (struct tr_query_stretch){0};
    if (filter->root.count == 0)
        return TR_OK;
    TR_TRY(find_indexes(&c, &all));
    for (size_t i = 0; i < all.count; i++) {
        const struct tr_model_index *index = all.items[i].declared;
        const struct tr_query_cond *cond = NULL;
        size_t equal = count_equal(&c, index);
        if (equal < index->count)
            cond = find_cond(&c, index->parts[equal].field,
                             ~BIT(TR_FIELD_FORM_ONE_OF));
        size_t parts = equal + (cond != NULL);
        if (parts <= most || (!cond && are_pairs(&c, index, equal)))
            continue;
        TR_TRY(take(&c, &all.items[i], equal, cond));
        most = parts;
    }
    return TR_OK;
}

/* Whether all that have been found fit a condition. */
static bool has_answered(const struct tr_query_stretch *stretch,
                         const struct tr_query_cond *cond)
{
    for (size_t i = 0; i < stretch->range.equal_count; i++) {
        if (cond == stretch->equal[i])
            return cond->forms == BIT(TR_FIELD_FORM_ONE_OF);
    }
    return cond == stretch->cond && stretch->has_all;
}

tr_status tr_query_stretch_fits(const struct tr_graph_read_ctx *ctx,
                                const struct tr_query_filter *filter,
                                const struct tr_query_stretch *stretch,
                                tr_rdf_id node, bool *out, struct tr_err *err)
{
    tr_rdf_ids row = {node, filter->type.p, filter->class, TR_RDF_ID_ANY};
    *out = stretch->is_exact_type;
    if (!*out && row.o != TR_RDF_ID_NONE)
        TR_TRY(tr_rdf_graph_has(ctx->graph, row, out, err));
    for (size_t i = 0; i < filter->root.count && *out; i++) {
        const struct tr_query_cond *cond = &filter->root.parts[i];
        if (!has_answered(stretch, cond))
            TR_TRY(tr_query_cond_holds(ctx, cond, node, out, err));
    }
    return TR_OK;
}
