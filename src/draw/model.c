/*
 * The types of a model: what each adds to the one above, what it refers to.
 */
#include "base/limits.h"
#include "draw/draw.h"
#include "fields/kind.h"
#include "json/json.h"

struct drawing {
    struct tr_draw_picture *p;
    const struct tr_model *model;
    const struct tr_model_type *only; /* or NULL */
    size_t *boxes; /* of each type; TR_DRAW_NO_ROW: it is not drawn */
};

static size_t index_of(const struct drawing *d,
                       const struct tr_model_type *type)
{
    size_t i = 0;
    while (i < d->model->count && d->model->types[i] != type)
        i++;
    return i;
}

static size_t box_of(const struct drawing *d, const struct tr_model_type *type)
{
    size_t i = type ? index_of(d, type) : d->model->count;
    return i < d->model->count ? d->boxes[i] : TR_DRAW_NO_ROW;
}

static bool refers_in(const struct drawing *d, const struct tr_shape *shape,
                      const struct tr_model_type *to)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        if ((field->target.len &&
             tr_model_find(d->model, field->target) == to) ||
            (field->object && refers_in(d, field->object, to)))
            return true;
    }
    return false;
}

/* Whether it stands beside what the picture is about. */
static bool is_near(const struct drawing *d, const struct tr_model_type *type)
{
    return !d->only || type == d->only || tr_model_type_is(d->only, type) ||
           type->parent == d->only || refers_in(d, type->shape, d->only) ||
           refers_in(d, d->only->shape, type);
}

/* "open | closed | ..." */
static void put_choices(struct tr_buf *out, const struct tr_json *choices)
{
    for (size_t i = 0; i < choices->len; i++) {
        tr_buf_put(out, i ? TR_STR(" | ") : TR_STR(": "));
        tr_buf_put(out, tr_json_text(&choices->as.items[i]));
    }
}

/* "Person?", "text[]", "text: open | closed", "text unique" */
static void put_kind(struct tr_buf *out, const struct tr_field *field)
{
    tr_buf_put(out, field->target.len
                        ? field->target
                        : tr_str_from(tr_field_kind_name(field->kind)));
    if (field->any_type)
        tr_buf_put(out, TR_STR(" to any node"));
    if (tr_field_is_array(field))
        tr_buf_put(out, TR_STR("[]"));
    if (!tr_field_is_required(field))
        tr_buf_putc(out, '?');
    if (field->unique)
        tr_buf_put(out, TR_STR(" unique"));
    if (field->by.len)
        tr_buf_putf(out, " by %.*s", TR_FMT(field->by));
    if (field->one_of)
        put_choices(out, field->one_of);
}

static void draw_object(struct drawing *d, const struct tr_field *field,
                        size_t owner, size_t row, size_t depth);

static void draw_field(struct drawing *d, const struct tr_field *field,
                       size_t box, size_t depth)
{
    char text[512];
    struct tr_buf kind;
    tr_buf_init_fixed(&kind, text, sizeof(text));
    put_kind(&kind, field);
    size_t row = tr_draw_add_row(d->p, box, field->name, tr_buf_str(&kind));
    size_t to = box_of(d, tr_model_find(d->model, field->target));
    if (field->target.len && to != TR_DRAW_NO_ROW)
        tr_draw_add_edge(d->p,
                         (struct tr_draw_edge){.arrow = TR_DRAW_REFERS,
                                               .from = box,
                                               .row = row,
                                               .to = to,
                                               .many = tr_field_is_array(field),
                                               .label = field->name});
    if (field->object && depth)
        draw_object(d, field, box, row, depth - 1);
}

static void draw_object(struct drawing *d, const struct tr_field *field,
                        size_t owner, size_t row, size_t depth)
{
    const struct tr_shape *shape = field->object;
    size_t box = tr_draw_add_box(
        d->p, shape->name.len ? shape->name : field->name, TR_STR("object"));
    for (size_t i = 0; i < shape->count; i++)
        draw_field(d, &shape->fields[i], box, depth);
    tr_draw_add_edge(d->p,
                     (struct tr_draw_edge){.arrow = TR_DRAW_OWNS,
                                           .from = owner,
                                           .row = row,
                                           .to = box,
                                           .many = tr_field_is_array(field),
                                           .label = field->name});
}

/* What is inherited stands in the box of the type above. */
static void draw_type(struct drawing *d, const struct tr_model_type *type,
                      size_t box)
{
    const struct tr_shape *shape = type->shape;
    size_t above = box_of(d, type->parent);
    size_t first = above == TR_DRAW_NO_ROW ? 0 : type->parent->shape->count;
    for (size_t i = first; i < shape->count; i++)
        draw_field(d, &shape->fields[i], box, TR_LIMIT_OBJECT_DEPTH);
    if (above != TR_DRAW_NO_ROW)
        tr_draw_add_edge(d->p, (struct tr_draw_edge){.arrow = TR_DRAW_EXTENDS,
                                                     .from = box,
                                                     .row = TR_DRAW_NO_ROW,
                                                     .to = above});
}

static void draw_types(struct drawing *d)
{
    const struct tr_model *model = d->model;
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        d->boxes[i] = TR_DRAW_NO_ROW;
        if (!is_near(d, type) || d->p->no_memory)
            continue;
        d->boxes[i] = tr_draw_add_box(
            d->p, type->name, tr_str_from(type->is_private ? "private" : ""));
        if (d->p->no_memory)
            return;
        struct tr_draw_box *box = &d->p->boxes.items[d->boxes[i]];
        box->is_main = type == d->only;
        box->about =
            tr_draw_text(d->p, type->shape->description, TR_LIMIT_DRAWN_ABOUT);
    }
    for (size_t i = 0; i < model->count && !d->p->no_memory; i++) {
        if (d->boxes[i] != TR_DRAW_NO_ROW)
            draw_type(d, model->types[i], d->boxes[i]);
    }
}

tr_status tr_draw_model(struct tr_draw_picture *p, const struct tr_model *model,
                        const struct tr_model_type *only, struct tr_err *err)
{
    struct drawing d = {.p = p, .model = model, .only = only};
    d.boxes = TR_NEW_ARRAY(p->arena, size_t, model->count + 1);
    if (!d.boxes)
        return tr_fail(err, TR_E_NOMEM, "no memory for a picture");
    p->title = tr_draw_text(p, only ? only->name : model->project,
                            TR_LIMIT_DRAWN_ABOUT);
    if (!model->count)
        p->note = TR_STR("There are no types.");
    draw_types(&d);
    return tr_draw_finish(p, err);
}
