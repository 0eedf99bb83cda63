#include "base/limits.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "model/shacl.h"
#include "query/query.h"
#include "rdf/id_hash.h"

#include <assert.h>

/* A step as the predicates that it goes along: a field that several types have
 * may be several. */
struct tr_query_traverse_step {
    TR_VEC(tr_rdf_id) predicates;
    bool is_inverse;
    size_t min;
    size_t max;
};

/* Nodes, each once. */
struct nodes {
    TR_VEC(tr_rdf_id) list;
    struct tr_rdf_id_hash set;
};

struct traversal {
    const struct tr_graph_read_ctx *ctx;
    size_t work;
    size_t max_work;
    struct tr_err *err;
};

static void open_nodes(struct nodes *nodes)
{
    *nodes = (struct nodes){0};
    tr_rdf_id_hash_init(&nodes->set);
}

static void close_nodes(struct nodes *nodes)
{
    tr_rdf_id_hash_done(&nodes->set);
}

static tr_status add_node(struct traversal *t, struct nodes *nodes,
                          tr_rdf_id id)
{
    bool is_new;
    TR_TRY(tr_rdf_id_hash_add(&nodes->set, id, &is_new, t->err));
    if (is_new && !tr_vec_push(t->ctx->arena, &nodes->list, id))
        return tr_fail(t->err, TR_E_NOMEM, "no memory for a path");
    return TR_OK;
}

static tr_status count_work(struct traversal *t)
{
    if (++t->work > t->max_work)
        return tr_fail(t->err, TR_E_LIMIT,
                       "the path touches more than %zu statements",
                       t->max_work);
    return TR_OK;
}

static tr_status follow(struct traversal *t, tr_rdf_id from,
                        tr_rdf_id predicate, bool is_inverse, struct nodes *out)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    tr_rdf_ids pattern = {from, predicate, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    tr_status status = count_work(t);
    if (is_inverse)
        pattern = (tr_rdf_ids){TR_RDF_ID_ANY, predicate, from, TR_RDF_ID_ANY};
    tr_rdf_graph_match(t->ctx->graph, pattern, &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row)) {
        tr_rdf_id to = is_inverse ? row.s : row.o;
        status = count_work(t);
        if (status == TR_OK && !tr_rows_id_is_literal(to))
            status = add_node(t, out, to);
    }
    return tr_rdf_cursor_end(&cursor, status, t->err);
}

/* All that is one step away from some of `from`. */
static tr_status take_once(struct traversal *t,
                           const struct tr_query_traverse_step *step,
                           const struct nodes *from, struct nodes *out)
{
    for (size_t i = 0; i < from->list.count; i++) {
        for (size_t k = 0; k < step->predicates.count; k++)
            TR_TRY(follow(t, from->list.items[i], step->predicates.items[k],
                          step->is_inverse, out));
    }
    return TR_OK;
}

/*
 * From `min` repetitions on, nodes that are reached belong to the result. A
 * node that is in it already need not be expanded again: having been reached
 * sooner, it has led everywhere that it could lead now.
 */
static tr_status keep_level(struct traversal *t, const struct nodes *level,
                            struct nodes *kept, struct nodes *fresh)
{
    for (size_t i = 0; i < level->list.count; i++) {
        tr_rdf_id id = level->list.items[i];
        if (tr_rdf_id_hash_has(&kept->set, id))
            continue;
        TR_TRY(add_node(t, kept, id));
        TR_TRY(add_node(t, fresh, id));
    }
    return TR_OK;
}

/* One level of a repeated step: `front` becomes the nodes to go on from. */
static tr_status take_level(struct traversal *t,
                            const struct tr_query_traverse_step *step,
                            size_t depth, struct nodes *front,
                            struct nodes *kept)
{
    struct nodes level;
    struct nodes fresh;
    open_nodes(&level);
    open_nodes(&fresh);
    tr_status status = take_once(t, step, front, &level);
    if (status == TR_OK && depth >= step->min)
        status = keep_level(t, &level, kept, &fresh);
    struct nodes *next = depth >= step->min ? &fresh : &level;
    struct nodes *other = depth >= step->min ? &level : &fresh;
    close_nodes(front);
    close_nodes(other);
    *front = *next;
    return status;
}

/* All levels of one step: from `front` to what replaces it. */
static tr_status take_step(struct traversal *t,
                           const struct tr_query_traverse_step *step,
                           struct nodes *front)
{
    struct nodes kept;
    tr_status status = TR_OK;
    open_nodes(&kept);
    for (size_t i = 0; step->min == 0 && i < front->list.count; i++) {
        status = add_node(t, &kept, front->list.items[i]);
        if (status != TR_OK)
            break;
    }
    for (size_t depth = 1; status == TR_OK && depth <= step->max; depth++)
        status = take_level(t, step, depth, front, &kept);
    close_nodes(front);
    *front = kept;
    return status;
}

static tr_status add_predicate(const struct tr_graph_read_ctx *ctx, tr_str iri,
                               struct tr_query_traverse_step *out,
                               struct tr_err *err)
{
    tr_rdf_id id;
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, iri, &id, err));
    for (size_t i = 0; i < out->predicates.count; i++) {
        if (out->predicates.items[i] == id)
            return TR_OK;
    }
    return id == TR_RDF_ID_NONE || tr_vec_push(ctx->arena, &out->predicates, id)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a path");
}

static tr_status refuse_field(const struct tr_graph_read_ctx *ctx, tr_str name,
                              struct tr_err *err)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < ctx->model->count; i++) {
        const struct tr_shape *shape = ctx->model->types[i]->shape;
        for (size_t k = 0; k < shape->count; k++)
            tr_nearest_offer(&nearest, shape->fields[k].name);
    }
    if (!nearest.best.len)
        return tr_fail(err, TR_E_VALIDATION, "no type has a field '%.*s'",
                       TR_FMT(name));
    return tr_fail(err, TR_E_VALIDATION,
                   "no type has a field '%.*s'; did you mean '%.*s'?",
                   TR_FMT(name), TR_FMT(nearest.best));
}

/* The types of the nodes on the way are not known yet: a name stands for the
 * predicates of all types that have such a field. */
static tr_status add_field(const struct tr_graph_read_ctx *ctx, tr_str name,
                           struct tr_query_traverse_step *out,
                           struct tr_err *err)
{
    bool found = false;
    for (size_t i = 0; i < ctx->model->count; i++) {
        const struct tr_field *field =
            tr_shape_find(ctx->model->types[i]->shape, name);
        if (field)
            TR_TRY(add_predicate(ctx, field->iri, out, err));
        found |= field != NULL;
    }
    return found ? TR_OK : refuse_field(ctx, name, err);
}

static tr_status add_path(const struct tr_graph_read_ctx *ctx, tr_str path,
                          struct tr_query_traverse_step *out,
                          struct tr_err *err)
{
    if (!memchr(path.ptr ? path.ptr : "", ':', path.len))
        return add_field(ctx, path, out, err);
    if (tr_model_type_iri_expand(ctx->arena, ctx->model->prefixes, &path,
                                 err) != TR_OK) {
        if (err && err->code == TR_E_INVALID)
            err->code = TR_E_VALIDATION;
        return err ? err->code : TR_E_VALIDATION;
    }
    return add_predicate(ctx, path, out, err);
}

static tr_status compile_step(const struct tr_graph_read_ctx *ctx,
                              const struct tr_query_step *step,
                              struct tr_query_traverse_step *out,
                              struct tr_err *err)
{
    struct tr_err local = {0};
    bool is_inverse = tr_str_starts(step->path, TR_STR("^"));
    *out = (struct tr_query_traverse_step){
        .is_inverse = is_inverse,
        .min = step->max ? step->min : 1,
        .max = step->max ? step->max : 1,
    };
    if (out->min > out->max)
        return tr_fail(err, TR_E_VALIDATION,
                       "a step cannot go at least %zu and at most %zu times",
                       out->min, out->max);
    return add_path(ctx, tr_str_skip(step->path, is_inverse), out,
                    err ? err : &local);
}

static tr_status compile_route(const struct tr_graph_read_ctx *ctx,
                               const struct tr_query_route *route,
                               struct tr_query_traverse_step **out,
                               struct tr_err *err)
{
    size_t depth = 0;
    if (route->count > TR_LIMIT_TRAVERSE_DEPTH)
        return tr_fail(err, TR_E_VALIDATION, "a path has at most %d steps",
                       TR_LIMIT_TRAVERSE_DEPTH);
    *out =
        TR_NEW_ARRAY(ctx->arena, struct tr_query_traverse_step, route->count);
    if (!*out)
        return tr_fail(err, TR_E_NOMEM, "no memory for a path");
    for (size_t i = 0; i < route->count; i++) {
        TR_TRY(compile_step(ctx, &route->steps[i], &(*out)[i], err));
        if ((*out)[i].max > TR_LIMIT_TRAVERSE_DEPTH ||
            (depth += (*out)[i].max) > TR_LIMIT_TRAVERSE_DEPTH)
            return tr_fail(err, TR_E_VALIDATION,
                           "a path has at most %d steps, repetitions counted",
                           TR_LIMIT_TRAVERSE_DEPTH);
    }
    return TR_OK;
}

static tr_status walk(struct traversal *t, tr_rdf_id from,
                      const struct tr_query_traverse_step *steps, size_t count,
                      struct nodes *front)
{
    if (from != TR_RDF_ID_NONE)
        TR_TRY(add_node(t, front, from));
    for (size_t i = 0; i < count; i++)
        TR_TRY(take_step(t, &steps[i], front));
    return TR_OK;
}

tr_status tr_query_traverse(const struct tr_graph_read_ctx *ctx, tr_rdf_id from,
                            const struct tr_query_route *route,
                            struct tr_query_page *out, bool *more,
                            struct tr_err *err)
{
    struct traversal t = {
        .ctx = ctx,
        .max_work = tr_query_work(route->max_work),
        .err = err,
    };
    size_t limit = tr_query_page_limit(route->limit);
    struct tr_query_traverse_step *steps = NULL;
    struct nodes front;
    TR_TRY(compile_route(ctx, route, &steps, err));
    assert(steps);
    open_nodes(&front);
    tr_status status = walk(&t, from, steps, route->count, &front);
    *more = front.list.count > limit;
    *out = (struct tr_query_page){
        .ids = front.list.items,
        .count = *more ? limit : front.list.count,
    };
    close_nodes(&front);
    return status;
}
