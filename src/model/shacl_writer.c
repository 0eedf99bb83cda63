#include "base/limits.h"
#include "fields/literal.h"
#include "model/shacl.h"
#include "model/value_term.h"

struct writing {
    struct tr_rdf_memory_graph *out;
    const struct tr_model_type_context *context;
    struct tr_buf text; /* lives until it is used again */
    size_t nodes;
    bool is_inside; /* an object */
    struct tr_err *err;
};

enum { LABEL = 32 };

static tr_status add(struct writing *w, tr_rdf_term subject,
                     const char *predicate, tr_rdf_term object)
{
    return tr_rdf_memory_graph_add_triple(w->out, subject, predicate, object,
                                          w->err);
}

static tr_rdf_term iri(const char *text)
{
    return tr_rdf_term_iri(tr_str_from(text));
}

static tr_status add_true(struct writing *w, tr_rdf_term subject,
                          const char *predicate)
{
    return add(
        w, subject, predicate,
        tr_rdf_term_typed(TR_STR("true"), TR_STR(TR_RDF_IRI_XSD_BOOLEAN)));
}

static tr_rdf_term new_node(struct writing *w, char label[LABEL])
{
    int len = snprintf(label, LABEL, "n%zu", w->nodes++);
    return tr_rdf_term_blank((tr_str){label, (size_t)len});
}

static tr_status add_number(struct writing *w, tr_rdf_term subject,
                            const char *predicate, int64_t number)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%lld", (long long)number);
    return add(w, subject, predicate,
               tr_rdf_term_typed((tr_str){text, (size_t)len},
                                 TR_STR(TR_RDF_IRI_XSD_INTEGER)));
}

static tr_status add_members(struct writing *w, const struct tr_field *field,
                             tr_rdf_term self);
static tr_status add_class(struct writing *w, const struct tr_field *field,
                           tr_rdf_term self);

static tr_status add_kind(struct writing *w, const struct tr_field *field,
                          tr_rdf_term self)
{
    tr_str datatype = tr_model_kind_datatype(field->kind);
    if (datatype.len)
        return add(w, self, TR_RDF_NS_SH "datatype", tr_rdf_term_iri(datatype));
    if (field->kind == TR_FIELD_OBJECT)
        return add_members(w, field, self);
    TR_TRY(add(w, self, TR_RDF_NS_SH "nodeKind", iri(TR_RDF_NS_SH "IRI")));
    return w->is_inside ? TR_OK : add_class(w, field, self);
}

static tr_status add_class(struct writing *w, const struct tr_field *field,
                           tr_rdf_term self)
{
    if (!field->target.len)
        return TR_OK;
    tr_buf_clear(&w->text);
    tr_model_type_iri_write(&w->text, w->context, field->target);
    TR_TRY(tr_buf_check(&w->text, w->err));
    return add(w, self, TR_RDF_NS_SH "class",
               tr_rdf_term_iri(tr_buf_str(&w->text)));
}

static tr_status add_counts(struct writing *w, const struct tr_field *field,
                            tr_rdf_term self)
{
    int64_t min = tr_field_min_count(field);
    int64_t max = field->many ? tr_field_max_count(field) : 1;
    if (min)
        TR_TRY(add_number(w, self, TR_RDF_NS_SH "minCount", min));
    if (max)
        TR_TRY(add_number(w, self, TR_RDF_NS_SH "maxCount", max));
    return TR_OK;
}

static tr_status add_lengths(struct writing *w, const struct tr_field *field,
                             tr_rdf_term self)
{
    if (field->min_length)
        TR_TRY(
            add_number(w, self, TR_RDF_NS_SH "minLength", field->min_length));
    if (field->max_length)
        TR_TRY(
            add_number(w, self, TR_RDF_NS_SH "maxLength", field->max_length));
    return TR_OK;
}

/* The datatypes of numbers are those of Turtle: 1.5 is a decimal, 1e3 is a
 * double. */
static const char *number_datatype(tr_str number)
{
    bool has_exponent = memchr(number.ptr, 'e', number.len) ||
                        memchr(number.ptr, 'E', number.len);
    bool has_point = memchr(number.ptr, '.', number.len) != NULL;
    return has_exponent ? TR_RDF_IRI_XSD_DOUBLE
           : has_point  ? TR_RDF_IRI_XSD_DECIMAL
                        : TR_RDF_IRI_XSD_INTEGER;
}

static tr_status add_bound(struct writing *w, const struct tr_field *field,
                           tr_rdf_term self, const char *predicate,
                           tr_str bound)
{
    if (!bound.len)
        return TR_OK;
    tr_str datatype = tr_field_has(field, TR_FIELD_IS_NUMBER)
                          ? tr_str_from(number_datatype(bound))
                          : tr_model_kind_datatype(field->kind);
    return add(w, self, predicate, tr_rdf_term_typed(bound, datatype));
}

static tr_status add_bounds(struct writing *w, const struct tr_field *field,
                            tr_rdf_term self)
{
    TR_TRY(add_bound(w, field, self, TR_RDF_NS_SH "minInclusive",
                     field->min_value));
    TR_TRY(add_bound(w, field, self, TR_RDF_NS_SH "maxInclusive",
                     field->max_value));
    TR_TRY(add_bound(w, field, self, TR_RDF_NS_SH "minExclusive",
                     field->min_exclusive));
    return add_bound(w, field, self, TR_RDF_NS_SH "maxExclusive",
                     field->max_exclusive);
}

/* A list that is being written: where the next cell is tied to. */
struct list {
    tr_rdf_term end;
    const char *predicate;
    char labels[2][LABEL];
    size_t count;
};

static tr_status add_to_list(struct writing *w, struct list *list,
                             tr_rdf_term item)
{
    tr_rdf_term cell = new_node(w, list->labels[list->count++ % 2]);
    TR_TRY(add(w, list->end, list->predicate, cell));
    list->end = cell;
    list->predicate = TR_RDF_IRI_RDF_REST;
    return add(w, cell, TR_RDF_IRI_RDF_FIRST, item);
}

static tr_status end_list(struct writing *w, const struct list *list)
{
    return add(w, list->end, list->predicate, iri(TR_RDF_IRI_RDF_NIL));
}

/* Choices are the terms that data with these values has. */
static tr_status add_choices(struct writing *w, const struct tr_field *field,
                             tr_rdf_term self)
{
    struct list list = {self, TR_RDF_NS_SH "in", {"", ""}, 0};
    tr_status status = TR_OK;
    struct tr_arena arena;
    tr_rdf_term term;
    if (!field->one_of)
        return TR_OK;
    tr_arena_init(&arena, TR_LIMIT_SNAPSHOT_BYTES);
    for (size_t i = 0; status == TR_OK && i < field->one_of->len; i++) {
        status = tr_model_value_to_term(field, &field->one_of->as.items[i],
                                        &arena, &term, w->err);
        if (status == TR_OK)
            status = add_to_list(w, &list, term);
    }
    tr_arena_done(&arena);
    return status == TR_OK ? end_list(w, &list) : status;
}

/* A list of values has no term that could stand for it. */
static tr_status add_default(struct writing *w, const struct tr_field *field,
                             tr_rdf_term self)
{
    struct tr_arena arena;
    tr_rdf_term term;
    if (!field->default_to || tr_field_is_array(field))
        return TR_OK;
    tr_arena_init(&arena, TR_LIMIT_SNAPSHOT_BYTES);
    tr_status status =
        tr_model_value_to_term(field, field->default_to, &arena, &term, w->err);
    if (status == TR_OK)
        status = add(w, self, TR_RDF_NS_SH "defaultValue", term);
    tr_arena_done(&arena);
    return status;
}

static tr_status add_text(struct writing *w, tr_rdf_term self,
                          const char *predicate, tr_str text)
{
    return text.len ? add(w, self, predicate, tr_rdf_term_string(text)) : TR_OK;
}

/* What is asked of each value of a field. */
static tr_status add_value(struct writing *w, const struct tr_field *field,
                           tr_rdf_term self)
{
    char form[TR_FIELD_PATTERN_MAX];
    TR_TRY(add_kind(w, field, self));
    TR_TRY(add_lengths(w, field, self));
    TR_TRY(add_text(w, self, TR_RDF_NS_SH "pattern",
                    field->pattern.len ? field->pattern
                                       : tr_field_own_pattern(field, form)));
    TR_TRY(add_bounds(w, field, self));
    TR_TRY(add_default(w, field, self));
    return add_choices(w, field, self);
}

/* Begins a property of a shape; the path is left to the caller. */
static tr_status begin_property(struct writing *w, const struct tr_field *field,
                                size_t index, tr_rdf_term type,
                                tr_rdf_term self)
{
    TR_TRY(add(w, type, TR_RDF_NS_SH "property", self));
    TR_TRY(add_text(w, self, TR_RDF_NS_SH "name", field->name));
    TR_TRY(add_text(w, self, TR_RDF_NS_SH "description", field->description));
    return add_number(w, self, TR_RDF_NS_SH "order", (int64_t)index);
}

/* sh:zeroOrMorePath rdf:rest: from the first cell of a list to all cells, and
 * to rdf:nil. */
static tr_rdf_term new_cells(struct writing *w, char label[LABEL],
                             tr_status *status)
{
    tr_rdf_term path = new_node(w, label);
    *status =
        add(w, path, TR_RDF_NS_SH "zeroOrMorePath", iri(TR_RDF_IRI_RDF_REST));
    return path;
}

static tr_status add_one_of(struct writing *w, tr_rdf_term cell,
                            const char *predicate)
{
    char label[LABEL];
    tr_rdf_term self = new_node(w, label);
    TR_TRY(add(w, cell, TR_RDF_NS_SH "property", self));
    TR_TRY(add(w, self, TR_RDF_NS_SH "path", iri(predicate)));
    TR_TRY(add_number(w, self, TR_RDF_NS_SH "minCount", 1));
    return add_number(w, self, TR_RDF_NS_SH "maxCount", 1);
}

/* A cell has one item and one rest, unless it is the end. */
static tr_status add_cell(struct writing *w, tr_rdf_term cells)
{
    char labels[3][LABEL];
    tr_rdf_term any = new_node(w, labels[0]);
    tr_rdf_term end = new_node(w, labels[1]);
    tr_rdf_term cell = new_node(w, labels[2]);
    struct list list = {any, TR_RDF_NS_SH "or", {"", ""}, 0};
    TR_TRY(add(w, cells, TR_RDF_NS_SH "node", any));
    TR_TRY(add_to_list(w, &list, end));
    TR_TRY(add_to_list(w, &list, cell));
    TR_TRY(end_list(w, &list));
    TR_TRY(add(w, end, TR_RDF_NS_SH "hasValue", iri(TR_RDF_IRI_RDF_NIL)));
    TR_TRY(add_one_of(w, cell, TR_RDF_IRI_RDF_FIRST));
    return add_one_of(w, cell, TR_RDF_IRI_RDF_REST);
}

/*
 * The list as it is made: from its head rdf:nil is reached, so that it ends,
 * and each cell has one way on, so that it does not branch. Items may repeat,
 * and SHACL counts values once: so its cells are counted.
 */
static tr_status add_list_shape(struct writing *w, const struct tr_field *field,
                                tr_rdf_term self)
{
    char labels[3][LABEL];
    tr_status status;
    tr_rdf_term list = new_node(w, labels[0]);
    tr_rdf_term cells = new_node(w, labels[1]);
    tr_rdf_term path = new_cells(w, labels[2], &status);
    TR_TRY(status);
    TR_TRY(add(w, self, TR_RDF_NS_SH "nodeKind",
               iri(TR_RDF_NS_SH "BlankNodeOrIRI")));
    TR_TRY(add(w, self, TR_RDF_NS_SH "node", list));
    TR_TRY(add(w, list, TR_RDF_NS_SH "property", cells));
    TR_TRY(add(w, cells, TR_RDF_NS_SH "path", path));
    TR_TRY(add(w, cells, TR_RDF_NS_SH "hasValue", iri(TR_RDF_IRI_RDF_NIL)));
    TR_TRY(add_number(w, cells, TR_RDF_NS_SH "minCount",
                      tr_field_min_count(field) + 1));
    TR_TRY(add_number(w, cells, TR_RDF_NS_SH "maxCount",
                      tr_field_max_count(field) + 1));
    return add_cell(w, cells);
}

/* A field of an object, and the way to it. */
struct way {
    const struct way *outer;
    const struct tr_field *field;
};

static tr_status add_way(struct writing *w, struct list *path,
                         const struct way *way)
{
    char label[LABEL];
    tr_status status;
    if (!way)
        return TR_OK;
    TR_TRY(add_way(w, path, way->outer));
    TR_TRY(add_to_list(w, path, tr_rdf_term_iri(way->field->iri)));
    if (!way->field->list)
        return TR_OK;
    tr_rdf_term cells = new_cells(w, label, &status);
    TR_TRY(status);
    TR_TRY(add_to_list(w, path, cells));
    return add_to_list(w, path, iri(TR_RDF_IRI_RDF_FIRST));
}

/* The items: ( field rdf:rest* rdf:first ). */
static tr_status add_items(struct writing *w, const struct tr_field *field,
                           size_t index, tr_rdf_term type)
{
    const struct way way = {NULL, field};
    char label[LABEL];
    tr_rdf_term self = new_node(w, label);
    struct list path = {self, TR_RDF_NS_SH "path", {"", ""}, 0};
    TR_TRY(begin_property(w, field, index, type, self));
    TR_TRY(add_way(w, &path, &way));
    TR_TRY(end_list(w, &path));
    return add_value(w, field, self);
}

static tr_status add_field(struct writing *w, const struct tr_field *field,
                           size_t index, tr_rdf_term type)
{
    char label[LABEL];
    tr_rdf_term self = new_node(w, label);
    TR_TRY(begin_property(w, field, index, type, self));
    TR_TRY(add(w, self, TR_RDF_NS_SH "path", tr_rdf_term_iri(field->iri)));
    if (!field->list) {
        TR_TRY(add_counts(w, field, self));
        return add_value(w, field, self);
    }
    if (tr_field_min_count(field))
        TR_TRY(add_number(w, self, TR_RDF_NS_SH "minCount", 1));
    TR_TRY(add_number(w, self, TR_RDF_NS_SH "maxCount", 1));
    TR_TRY(add_list_shape(w, field, self));
    return add_items(w, field, index, type);
}

/* The shape of what an object holds. It has no class, and is as closed as the
 * table says. */
static tr_status add_members(struct writing *w, const struct tr_field *field,
                             tr_rdf_term self)
{
    const struct tr_shape *object = field->object;
    bool was_inside = w->is_inside;
    char label[LABEL];
    tr_rdf_term node = new_node(w, label);
    TR_TRY(add(w, self, TR_RDF_NS_SH "nodeKind",
               iri(TR_RDF_NS_SH "BlankNodeOrIRI")));
    if (!object)
        return TR_OK;
    TR_TRY(add(w, self, TR_RDF_NS_SH "node", node));
    TR_TRY(add_text(w, node, TR_RDF_NS_SH "description", object->description));
    w->is_inside = true;
    for (size_t i = 0; i < object->count; i++)
        TR_TRY(add_field(w, &object->fields[i], i, node));
    w->is_inside = was_inside;
    return object->open ? TR_OK : add_true(w, node, TR_RDF_NS_SH "closed");
}

static void put_way(struct tr_buf *out, const struct way *way)
{
    if (way->outer) {
        put_way(out, way->outer);
        tr_buf_putc(out, '.');
    }
    tr_buf_put(out, way->field->name);
}

/*
 * What the refs in an object lead to is asked of the owner, so that what is
 * wrong there is told by its own name, address.keeper: of an object is only
 * told that it does not conform.
 */
static tr_status add_inner_refs(struct writing *w, const struct way *way,
                                size_t index, tr_rdf_term type)
{
    const struct tr_shape *object = way->field->object;
    char label[LABEL];
    for (size_t i = 0; object && i < object->count; i++) {
        const struct way inner = {way, &object->fields[i]};
        TR_TRY(add_inner_refs(w, &inner, index, type));
    }
    if (!way->outer || !way->field->target.len)
        return TR_OK;
    tr_rdf_term self = new_node(w, label);
    struct list path = {self, TR_RDF_NS_SH "path", {"", ""}, 0};
    TR_TRY(add(w, type, TR_RDF_NS_SH "property", self));
    TR_TRY(add_way(w, &path, way));
    TR_TRY(end_list(w, &path));
    tr_buf_clear(&w->text);
    put_way(&w->text, way);
    TR_TRY(tr_buf_check(&w->text, w->err));
    TR_TRY(add_text(w, self, TR_RDF_NS_SH "name", tr_buf_str(&w->text)));
    TR_TRY(add_number(w, self, TR_RDF_NS_SH "order", (int64_t)index));
    return add_class(w, way->field, self);
}

/* Whether this shape has the property of the field; else its parent's has. */
static bool is_own(const struct writing *w, const struct tr_field *field)
{
    const struct tr_shape *own = w->context->own;
    for (size_t i = 0; own && i < own->count; i++) {
        if (tr_str_eq(own->fields[i].name, field->name))
            return true;
    }
    return !own;
}

static bool has_predicate(const struct tr_shape *shape, tr_str predicate)
{
    for (size_t i = 0; i < shape->count; i++) {
        if (tr_str_eq(shape->fields[i].iri, predicate))
            return true;
    }
    return false;
}

/* sh:ignoredProperties: what a closed type lets pass beside its own fields. */
static tr_status add_ignored(struct writing *w, const struct tr_shape *shape)
{
    struct list list = {tr_rdf_term_iri(shape->iri),
                        TR_RDF_NS_SH "ignoredProperties",
                        {"", ""},
                        0};
    TR_TRY(add_to_list(w, &list, iri(TR_RDF_IRI_RDF_TYPE)));
    for (size_t i = 0; i < shape->count; i++) {
        if (!is_own(w, &shape->fields[i]))
            TR_TRY(
                add_to_list(w, &list, tr_rdf_term_iri(shape->fields[i].iri)));
    }
    for (size_t i = 0; i < w->context->subtype_count; i++) {
        const struct tr_shape *subtype = w->context->subtypes[i];
        for (size_t k = 0; k < subtype->count; k++) {
            tr_str predicate = subtype->fields[k].iri;
            if (!has_predicate(shape, predicate))
                TR_TRY(add_to_list(w, &list, tr_rdf_term_iri(predicate)));
        }
    }
    return end_list(w, &list);
}

/* Unknown fields are refused, so the shape is closed but for rdf:type and the
 * fields of subtypes. */
static tr_status add_closed(struct writing *w, const struct tr_shape *shape)
{
    TR_TRY(add_true(w, tr_rdf_term_iri(shape->iri), TR_RDF_NS_SH "closed"));
    return add_ignored(w, shape);
}

/* SHACL 2.1.3: a class is its own target, anything else names one. */
static tr_status add_target(struct writing *w, tr_rdf_term shape)
{
    const struct tr_model_type_context *context = w->context;
    if (context->target_class.len)
        return add(w, shape, TR_RDF_NS_SH "targetClass",
                   tr_rdf_term_iri(context->target_class));
    if (context->target_subjects_of.len)
        return add(w, shape, TR_RDF_NS_SH "targetSubjectsOf",
                   tr_rdf_term_iri(context->target_subjects_of));
    if (context->is_bare)
        return TR_OK;
    TR_TRY(add(w, shape, TR_RDF_IRI_RDF_TYPE, iri(TR_RDF_NS_RDFS "Class")));
    if (!context->parent)
        return TR_OK;
    tr_rdf_term parent = tr_rdf_term_iri(context->parent->iri);
    TR_TRY(add(w, shape, TR_RDF_NS_RDFS "subClassOf", parent));
    return add(w, shape, TR_RDF_NS_SH "class", parent);
}

static tr_status add_type(struct writing *w, const struct tr_shape *shape)
{
    tr_rdf_term type = tr_rdf_term_iri(shape->iri);
    TR_TRY(add(w, type, TR_RDF_IRI_RDF_TYPE, iri(TR_RDF_NS_SH "NodeShape")));
    TR_TRY(add_target(w, type));
    TR_TRY(add_text(w, type, TR_RDF_NS_SH "description", shape->description));
    for (size_t i = 0; i < shape->count; i++) {
        const struct way way = {NULL, &shape->fields[i]};
        if (!is_own(w, &shape->fields[i]))
            continue;
        TR_TRY(add_field(w, &shape->fields[i], i, type));
        TR_TRY(add_inner_refs(w, &way, i, type));
    }
    return shape->open ? TR_OK : add_closed(w, shape);
}

tr_status tr_model_shape_to_graph(const struct tr_shape *shape,
                                  const struct tr_model_type_context *context,
                                  struct tr_rdf_memory_graph *out,
                                  struct tr_err *err)
{
    struct writing w = {.out = out, .context = context, .err = err};
    tr_buf_init(&w.text, TR_LIMIT_URI_BYTES);
    tr_rdf_memory_graph_next_document(out);
    tr_status status = add_type(&w, shape);
    tr_buf_done(&w.text);
    return status;
}
