#include "base/limits.h"
#include "fields/literal.h"
#include "model/shacl.h"
#include "model/value_term.h"

struct writing {
    struct tr_rdf_memory_graph *out;
    const struct tr_model_type_context *context;
    struct tr_buf text; /* lives until it is used again */
    size_t nodes;
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

static tr_status add_kind(struct writing *w, const struct tr_field *field,
                          tr_rdf_term self)
{
    tr_str datatype = tr_model_kind_datatype(field->kind);
    if (datatype.len)
        return add(w, self, TR_RDF_NS_SH "datatype", tr_rdf_term_iri(datatype));
    TR_TRY(add(w, self, TR_RDF_NS_SH "nodeKind", iri(TR_RDF_NS_SH "IRI")));
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
    int64_t max = field->many ? field->max_count : 1;
    if (min)
        TR_TRY(add_number(w, self, TR_RDF_NS_SH "minCount", min));
    if (max)
        TR_TRY(add_number(w, self, TR_RDF_NS_SH "maxCount", max));
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

static tr_status add_field(struct writing *w, const struct tr_field *field,
                           size_t index, tr_rdf_term type)
{
    char label[LABEL];
    char form[TR_FIELD_FORM_MAX];
    tr_rdf_term self = new_node(w, label);
    TR_TRY(add(w, type, TR_RDF_NS_SH "property", self));
    TR_TRY(add(w, self, TR_RDF_NS_SH "path", tr_rdf_term_iri(field->iri)));
    TR_TRY(add_text(w, self, TR_RDF_NS_SH "name", field->name));
    TR_TRY(add_text(w, self, TR_RDF_NS_SH "description", field->description));
    TR_TRY(add_number(w, self, TR_RDF_NS_SH "order", (int64_t)index));
    TR_TRY(add_kind(w, field, self));
    TR_TRY(add_counts(w, field, self));
    TR_TRY(add_text(w, self, TR_RDF_NS_SH "pattern",
                    field->pattern.len ? field->pattern
                                       : tr_field_form(field, form)));
    TR_TRY(add_bounds(w, field, self));
    TR_TRY(add_default(w, field, self));
    return add_choices(w, field, self);
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
    TR_TRY(
        add(w, tr_rdf_term_iri(shape->iri), TR_RDF_NS_SH "closed",
            tr_rdf_term_typed(TR_STR("true"), TR_STR(TR_RDF_IRI_XSD_BOOLEAN))));
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
        if (is_own(w, &shape->fields[i]))
            TR_TRY(add_field(w, &shape->fields[i], i, type));
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
