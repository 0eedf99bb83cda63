#include "shape/shacl_writer.h"

#include "base/limits.h"
#include "rdf/xsd_number.h"

struct writing {
    struct tr_memory_graph *out;
    const struct tr_type_place *place;
    struct tr_buf text; /* lives until it is used again */
    size_t nodes;
    struct tr_err *err;
};

enum { LABEL = 32 };

static tr_status add(struct writing *w, tr_term subject, const char *predicate,
                     tr_term object)
{
    return tr_memory_graph_add_triple(w->out, subject, predicate, object,
                                      w->err);
}

static tr_term iri(const char *text)
{
    return tr_term_iri(tr_str_from(text));
}

static tr_term new_node(struct writing *w, char label[LABEL])
{
    int len = snprintf(label, LABEL, "n%zu", w->nodes++);
    return tr_term_blank((tr_str){label, (size_t)len});
}

static tr_status add_number(struct writing *w, tr_term subject,
                            const char *predicate, int64_t number)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%lld", (long long)number);
    return add(
        w, subject, predicate,
        tr_term_typed((tr_str){text, (size_t)len}, TR_STR(TR_IRI_XSD_INTEGER)));
}

static const char *datatype_of(enum tr_field_kind kind)
{
    static const char *const datatypes[] = {
        [TR_KIND_TEXT] = TR_IRI_XSD_STRING,
        [TR_KIND_INTEGER] = TR_IRI_XSD_INTEGER,
        [TR_KIND_NUMBER] = TR_IRI_XSD_DOUBLE,
        [TR_KIND_BOOLEAN] = TR_IRI_XSD_BOOLEAN,
        [TR_KIND_DATETIME] = TR_IRI_XSD_DATE_TIME,
        [TR_KIND_REF] = NULL,
    };
    return datatypes[kind];
}

static tr_status add_kind(struct writing *w, const struct tr_field *field,
                          tr_term self)
{
    const char *datatype = datatype_of(field->kind);
    if (datatype)
        return add(w, self, TR_NS_SH "datatype", iri(datatype));
    TR_TRY(add(w, self, TR_NS_SH "nodeKind", iri(TR_NS_SH "IRI")));
    if (!field->target.len)
        return TR_OK;
    tr_buf_clear(&w->text);
    tr_type_iri_write(&w->text, w->place, field->target);
    TR_TRY(tr_buf_check(&w->text, w->err));
    return add(w, self, TR_NS_SH "class", tr_term_iri(tr_buf_str(&w->text)));
}

static tr_status add_counts(struct writing *w, const struct tr_field *field,
                            tr_term self)
{
    int64_t min = tr_field_min_count(field);
    int64_t max = field->many ? field->max_count : 1;
    if (min)
        TR_TRY(add_number(w, self, TR_NS_SH "minCount", min));
    if (max)
        TR_TRY(add_number(w, self, TR_NS_SH "maxCount", max));
    if (field->min_length)
        TR_TRY(add_number(w, self, TR_NS_SH "minLength", field->min_length));
    if (field->max_length)
        TR_TRY(add_number(w, self, TR_NS_SH "maxLength", field->max_length));
    return TR_OK;
}

/* 1.5 is a decimal, 1e3 only a double. */
static tr_status add_bound(struct writing *w, tr_term self,
                           const char *predicate, tr_str number)
{
    if (!number.len)
        return TR_OK;
    bool has_exponent = memchr(number.ptr, 'e', number.len) ||
                        memchr(number.ptr, 'E', number.len);
    bool has_point = memchr(number.ptr, '.', number.len) != NULL;
    const char *datatype = has_exponent ? TR_IRI_XSD_DOUBLE
                           : has_point  ? TR_IRI_XSD_DECIMAL
                                        : TR_IRI_XSD_INTEGER;
    return add(w, self, predicate,
               tr_term_typed(number, tr_str_from(datatype)));
}

/* A choice as the literal that the data would have. */
static tr_status add_choice(struct writing *w, enum tr_field_kind kind,
                            const struct tr_json *value, tr_term cell)
{
    double number = 0;
    tr_str text = tr_json_text(value);
    if (kind == TR_KIND_NUMBER && tr_json_double(value, &number)) {
        tr_buf_clear(&w->text);
        tr_xsd_float_write(&w->text, number, false);
        TR_TRY(tr_buf_check(&w->text, w->err));
        text = tr_buf_str(&w->text);
    }
    return add(w, cell, TR_IRI_RDF_FIRST,
               tr_term_typed(text, tr_str_from(datatype_of(kind))));
}

static tr_status add_choices(struct writing *w, const struct tr_field *field,
                             tr_term self)
{
    const struct tr_json *list = field->one_of;
    const char *predicate = TR_NS_SH "in";
    char labels[2][LABEL];
    if (!list)
        return TR_OK;
    for (size_t i = 0; i < list->len; i++) {
        tr_term cell = new_node(w, labels[i % 2]);
        TR_TRY(add(w, self, predicate, cell));
        TR_TRY(add_choice(w, field->kind, &list->as.items[i], cell));
        self = cell;
        predicate = TR_IRI_RDF_REST;
    }
    return add(w, self, predicate, iri(TR_IRI_RDF_NIL));
}

static tr_status add_text(struct writing *w, tr_term self,
                          const char *predicate, tr_str text)
{
    return text.len ? add(w, self, predicate, tr_term_string(text)) : TR_OK;
}

static tr_status add_field(struct writing *w, const struct tr_field *field,
                           size_t place, tr_term type)
{
    char label[LABEL];
    tr_term self = new_node(w, label);
    TR_TRY(add(w, type, TR_NS_SH "property", self));
    TR_TRY(add(w, self, TR_NS_SH "path", tr_term_iri(field->iri)));
    TR_TRY(add_text(w, self, TR_NS_SH "name", field->name));
    TR_TRY(add_text(w, self, TR_NS_SH "description", field->description));
    TR_TRY(add_number(w, self, TR_NS_SH "order", (int64_t)place));
    TR_TRY(add_kind(w, field, self));
    TR_TRY(add_counts(w, field, self));
    TR_TRY(add_text(w, self, TR_NS_SH "pattern", field->pattern));
    TR_TRY(add_bound(w, self, TR_NS_SH "minInclusive", field->min_value));
    TR_TRY(add_bound(w, self, TR_NS_SH "maxInclusive", field->max_value));
    TR_TRY(add_bound(w, self, TR_NS_SH "minExclusive", field->min_exclusive));
    TR_TRY(add_bound(w, self, TR_NS_SH "maxExclusive", field->max_exclusive));
    return add_choices(w, field, self);
}

/* Closed but for its type (contract: unknown fields are refused). */
static tr_status add_closed(struct writing *w, tr_term type)
{
    char label[LABEL];
    tr_term list = new_node(w, label);
    TR_TRY(add(w, type, TR_NS_SH "closed",
               tr_term_typed(TR_STR("true"), TR_STR(TR_IRI_XSD_BOOLEAN))));
    TR_TRY(add(w, type, TR_NS_SH "ignoredProperties", list));
    TR_TRY(add(w, list, TR_IRI_RDF_FIRST, iri(TR_IRI_RDF_TYPE)));
    return add(w, list, TR_IRI_RDF_REST, iri(TR_IRI_RDF_NIL));
}

static tr_status add_type(struct writing *w, const struct tr_shape *shape)
{
    tr_term type = tr_term_iri(shape->iri);
    TR_TRY(add(w, type, TR_IRI_RDF_TYPE, iri(TR_NS_RDFS "Class")));
    TR_TRY(add(w, type, TR_IRI_RDF_TYPE, iri(TR_NS_SH "NodeShape")));
    TR_TRY(add_text(w, type, TR_NS_SH "description", shape->description));
    if (w->place->parent)
        TR_TRY(add(w, type, TR_NS_RDFS "subClassOf",
                   tr_term_iri(w->place->parent->iri)));
    for (size_t i = 0; i < shape->count; i++)
        TR_TRY(add_field(w, &shape->fields[i], i, type));
    return shape->open ? TR_OK : add_closed(w, type);
}

tr_status tr_shape_to_graph(const struct tr_shape *shape,
                            const struct tr_type_place *place,
                            struct tr_memory_graph *out, struct tr_err *err)
{
    struct writing w = {.out = out, .place = place, .err = err};
    tr_buf_init(&w.text, TR_LIMIT_URI_BYTES);
    tr_memory_graph_next_document(out);
    tr_status status = add_type(&w, shape);
    tr_buf_done(&w.text);
    return status;
}
