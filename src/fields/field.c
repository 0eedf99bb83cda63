#include "fields/field.h"

#include "base/nearest.h"

const struct tr_field *tr_shape_find(const struct tr_shape *shape, tr_str name)
{
    size_t low = 0;
    size_t high = shape->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct tr_field *field = &shape->fields[shape->sorted[middle]];
        int order = tr_str_cmp(name, field->name);
        if (order == 0)
            return field;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

tr_str tr_shape_nearest(const struct tr_shape *shape, tr_str name)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < shape->count; i++)
        tr_nearest_offer(&nearest, shape->fields[i].name);
    return nearest.best;
}
