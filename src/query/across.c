/* Fields of other nodes: of those that a node refers to, and of those that
 * refer to it. */
#include "base/limits.h"
#include "base/vec.h"
#include "json/build.h"
#include "query/filter.h"

static tr_status refuse(const struct tr_query_crossing *c, const char *says,
                        const struct tr_json *names, struct tr_err *err)
{
    struct tr_field_error error = {.field = c->cond->name,
                                   .code = TR_STR("unknown_field"),
                                   .value = *c->value};
    if (names)
        error.constraint = *names;
    return tr_query_refuse(c->to, &error, says, names, err);
}

/* Goes over along a ref to the type that the field is of. */
static tr_status go(const struct tr_query_crossing *c,
                    const struct tr_field *ref, const struct tr_model_type *to,
                    const struct tr_shape **shape, struct tr_err *err)
{
    struct tr_query_cond *cond = c->cond;
    const struct tr_rdf_graph *graph = c->ctx->graph;
    cond->target = to;
    cond->is_target.g = TR_RDF_ID_ANY;
    *shape = to->shape;
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &cond->is_target.p, err));
    TR_TRY(
        tr_rdf_graph_find_iri(graph, to->shape->iri, &cond->is_target.o, err));
    return tr_query_slot_find(c->ctx, ref, &cond->across, err);
}

static bool may_reach(const struct tr_query_crossing *c,
                      const struct tr_model_type *type)
{
    return !c->query->is_callers ||
           tr_model_is_as_guarded(c->query->type, type);
}

static tr_status go_forward(const struct tr_query_crossing *c,
                            const struct tr_shape **shape, tr_str *name,
                            struct tr_err *err)
{
    tr_str first;
    if (!tr_str_cut(*name, '.', &first, name))
        return TR_OK;
    const struct tr_field *ref = tr_shape_find(*shape, first);
    if (!ref)
        return tr_query_refuse_unknown(c->to, *shape, TR_STR(""), first,
                                       c->value, err);
    const struct tr_model_type *target =
        ref->kind == TR_FIELD_REF && !ref->list
            ? tr_model_find(c->ctx->model, ref->target)
            : NULL;
    return target && may_reach(c, target)
               ? go(c, ref, target, shape, err)
               : refuse(c,
                        "is not a field: only a ref to a type leads to "
                        "fields of others",
                        NULL, err);
}

/* Those who refer --------------------------------------------------------- */

/* A ref of a type, and not of one above it, that may lead to the query's. */
static const struct tr_field *find_ref(const struct tr_query_crossing *c,
                                       const struct tr_model_type *type,
                                       tr_str name)
{
    const struct tr_field *ref = tr_shape_find(type->shape, name);
    const struct tr_model_type *own = c->query->type;
    if (!ref || ref->kind != TR_FIELD_REF || ref->list || !may_reach(c, type))
        return NULL;
    const struct tr_model_type *to = tr_model_find(c->ctx->model, ref->target);
    return ref->any_type || (to && (tr_model_type_is(own, to) ||
                                    tr_model_type_is(to, own)))
               ? ref
               : NULL;
}

static bool is_inherited(const struct tr_query_crossing *c,
                         const struct tr_model_type *type, tr_str name)
{
    return type->parent && find_ref(c, type->parent, name);
}

/* The one type that has a ref of this name; *several: there are others. */
static const struct tr_model_type *
find_referrer(const struct tr_query_crossing *c, tr_str name, bool *several)
{
    const struct tr_model *model = c->ctx->model;
    const struct tr_model_type *found = NULL;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        if (!find_ref(c, type, name) || is_inherited(c, type, name))
            continue;
        *several = found != NULL;
        found = type;
        if (*several)
            break;
    }
    return found;
}

/* "^owner", or where several types have that "^Ticket.owner". */
static bool name_ref(const struct tr_query_crossing *c,
                     const struct tr_model_type *type, tr_str ref,
                     struct tr_json *out)
{
    bool several = false;
    struct tr_buf text;
    size_t max = type->shape->name.len + ref.len + 2;
    char *room = tr_arena_alloc(c->ctx->arena, max);
    if (!room)
        return false;
    tr_buf_init_fixed(&text, room, max);
    tr_buf_putc(&text, '^');
    (void)find_referrer(c, ref, &several);
    if (several)
        tr_buf_putf(&text, "%.*s.", TR_FMT(type->name));
    tr_buf_put(&text, ref);
    *out = tr_json_make_text(TR_JSON_STRING, tr_buf_str(&text));
    return true;
}

/* All refs that lead here, or those of one name. */
static tr_status refuse_back(const struct tr_query_crossing *c, tr_str ref,
                             const char *says, struct tr_err *err)
{
    const struct tr_model *model = c->ctx->model;
    TR_VEC(struct tr_json) names = {0};
    struct tr_json list;
    bool kept = true;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        for (size_t k = 0; k < type->shape->count && kept; k++) {
            struct tr_json name = {.kind = TR_JSON_NULL};
            tr_str field = type->shape->fields[k].name;
            if (!find_ref(c, type, field) || is_inherited(c, type, field) ||
                (ref.len && !tr_str_eq(ref, field)))
                continue;
            kept = name_ref(c, type, field, &name) &&
                   tr_vec_push(c->ctx->arena, &names, name);
        }
    }
    if (!kept ||
        !tr_json_make_array(c->ctx->arena, names.items, names.count, &list))
        return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
    return refuse(c, says, &list, err);
}

/* "owner.size", "owner", "Ticket.owner.size": what follows the '^'. */
static tr_status go_back(const struct tr_query_crossing *c, tr_str text,
                         const struct tr_shape **shape, tr_str *name,
                         struct tr_err *err)
{
    bool several = false;
    tr_str first = text;
    tr_str rest = TR_STR("");
    tr_str second;
    tr_str last;
    (void)tr_str_cut(text, '.', &first, &rest);
    second = rest;
    last = TR_STR("");
    (void)tr_str_cut(rest, '.', &second, &last);
    const struct tr_model_type *type = tr_model_find(c->ctx->model, first);
    if (type && find_ref(c, type, second)) {
        first = second;
        rest = last;
    } else {
        type = find_referrer(c, first, &several);
    }
    if (several)
        return refuse_back(
            c, first, "is not a field: several types refer by that; say ", err);
    if (!type)
        return refuse_back(c, TR_STR(""),
                           "is not a field: nothing refers by that; there are ",
                           err);
    c->cond->is_back = true;
    *name = rest.len ? rest : first;
    return go(c, find_ref(c, type, first), type, shape, err);
}

tr_status tr_query_cross(const struct tr_query_crossing *crossing,
                         const struct tr_shape **shape, tr_str *name,
                         struct tr_err *err)
{
    if (tr_shape_find(*shape, *name))
        return TR_OK;
    return tr_str_starts(*name, TR_STR("^"))
               ? go_back(crossing, tr_str_skip(*name, 1), shape, name, err)
               : go_forward(crossing, shape, name, err);
}
