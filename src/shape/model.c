#include "shape/model.h"

#include "shape/model_inside.h"

static struct tr_model_whole *whole_of(const struct tr_model *model)
{
    return (struct tr_model_whole *)(uintptr_t)model;
}

void tr_model_free(const struct tr_model *model)
{
    struct tr_model_whole *whole = whole_of(model);
    if (!whole)
        return;
    tr_shapes_free(whole->shapes);
    tr_memory_graph_free(whole->graph);
    tr_patterns_done(&whole->patterns);
    tr_arena_done(&whole->arena);
    free(whole);
}

const struct tr_type *tr_model_find(const struct tr_model *model, tr_str name)
{
    return tr_map_find(&whole_of(model)->by_name, name);
}

const struct tr_type *tr_model_find_iri(const struct tr_model *model,
                                        tr_str iri)
{
    return tr_map_find(&whole_of(model)->by_iri, iri);
}

const struct tr_shape *tr_model_find_shape(const struct tr_model *model,
                                           tr_str name)
{
    return tr_map_find(&whole_of(model)->by_shape, name);
}

bool tr_type_is(const struct tr_type *type, const struct tr_type *ancestor)
{
    while (type && type != ancestor)
        type = type->parent;
    return type != NULL;
}
