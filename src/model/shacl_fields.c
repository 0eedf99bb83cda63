#include "base/limits.h"
#include "fields/field.h"
#include "model/shacl.h"
#include "model/shacl_values.h"
#include "rdf/iri.h"

static bool is_type(const struct tr_shacl_shapes *shapes, tr_shacl_term_no no,
                    tr_str type, bool whole)
{
    const tr_rdf_term *term = &shapes->terms[no];
    return term->kind == TR_RDF_TERM_IRI &&
           tr_str_eq(whole ? term->text : tr_rdf_iri_local_name(term->text),
                     type);
}

static bool has_type(const struct tr_shacl_shapes *shapes,
                     const struct tr_shacl_shape *shape, tr_str type,
                     bool whole)
{
    bool found = is_type(shapes, shape->term, type, whole);
    for (size_t i = 0; i < shape->target_count && !found; i++)
        found = shape->targets[i].kind == TR_SHACL_TARGET_CLASS &&
                is_type(shapes, shape->targets[i].term, type, whole);
    return found && !shape->path;
}

tr_status tr_model_find_shacl_type(const struct tr_shacl_shapes *shapes,
                                   tr_str type, size_t *out, struct tr_err *err)
{
    size_t found = 0;
    for (int whole = 1; whole >= 0 && !found; whole--) {
        for (size_t i = 0; i < shapes->count; i++) {
            if (!has_type(shapes, &shapes->shapes[i], type, whole))
                continue;
            *out = i;
            found++;
        }
    }
    if (found == 1)
        return TR_OK;
    if (found)
        return tr_fail(err, TR_E_CONFLICT, "%zu shapes are called '%.*s'",
                       found, TR_FMT(type));
    return tr_fail(err, TR_E_NOT_FOUND, "no shape is called '%.*s'",
                   TR_FMT(type));
}

const struct tr_shacl_constraint *
tr_model_find_constraint(const struct tr_shacl_shape *shape,
                         enum tr_shacl_component component)
{
    for (size_t i = 0; i < shape->constraint_count; i++) {
        if (shape->constraints[i].component == component)
            return &shape->constraints[i];
    }
    return NULL;
}

static bool kind_of_datatype(enum tr_rdf_xsd_type type, enum tr_field_kind *out)
{
    static const struct {
        enum tr_rdf_xsd_type type;
        enum tr_field_kind kind;
    } kinds[] = {
        {TR_RDF_XSD_STRING, TR_FIELD_TEXT},
        {TR_RDF_XSD_BOOLEAN, TR_FIELD_BOOLEAN},
        {TR_RDF_XSD_DATE_TIME, TR_FIELD_DATETIME},
        {TR_RDF_XSD_DATE_TIME_STAMP, TR_FIELD_DATETIME},
        {TR_RDF_XSD_DATE, TR_FIELD_DATE},
        {TR_RDF_XSD_TIME, TR_FIELD_TIME},
        {TR_RDF_XSD_DAY_TIME_DURATION, TR_FIELD_DURATION},
        {TR_RDF_XSD_ANY_URI, TR_FIELD_URI},
    };
    *out = tr_rdf_xsd_is_integer(type) ? TR_FIELD_INTEGER : TR_FIELD_NUMBER;
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        if (kinds[i].type != type)
            continue;
        *out = kinds[i].kind;
        return true;
    }
    return tr_rdf_xsd_is_numeric(type);
}

static bool kind_of(const struct tr_shacl_shape *shape, enum tr_field_kind *out)
{
    const struct tr_shacl_constraint *datatype =
        tr_model_find_constraint(shape, TR_SHACL_DATATYPE);
    const struct tr_shacl_constraint *node_kind =
        tr_model_find_constraint(shape, TR_SHACL_NODE_KIND);
    if (datatype)
        return kind_of_datatype(datatype->datatype, out);
    *out = TR_FIELD_REF;
    return tr_model_find_constraint(shape, TR_SHACL_CLASS) ||
           (node_kind && node_kind->number == TR_SHACL_NODE_IRI);
}

static int64_t number_of(const struct tr_shacl_shape *shape,
                         enum tr_shacl_component component)
{
    const struct tr_shacl_constraint *c =
        tr_model_find_constraint(shape, component);
    return c ? (int64_t)c->number : 0;
}

static tr_str text_of(const struct tr_shacl_shapes *shapes,
                      const struct tr_shacl_shape *shape,
                      enum tr_shacl_component component)
{
    const struct tr_shacl_constraint *c =
        tr_model_find_constraint(shape, component);
    return c ? shapes->terms[c->term].text : TR_STR("");
}

static void read_counts(const struct tr_shacl_shape *shape,
                        struct tr_field *field)
{
    int64_t min = number_of(shape, TR_SHACL_MIN_COUNT);
    int64_t max = number_of(shape, TR_SHACL_MAX_COUNT);
    field->many = max != 1;
    field->optional = min == 0;
    field->min_count = field->many && min > 1 ? min : 0;
    field->max_count = field->many ? max : 0;
}

static void read_limits(const struct tr_shacl_shapes *shapes,
                        const struct tr_shacl_shape *shape,
                        struct tr_field *field)
{
    const struct tr_shacl_constraint *pattern =
        tr_model_find_constraint(shape, TR_SHACL_PATTERN);
    if (field->kind == TR_FIELD_TEXT) {
        field->min_length = number_of(shape, TR_SHACL_MIN_LENGTH);
        field->max_length = number_of(shape, TR_SHACL_MAX_LENGTH);
        if (pattern && !pattern->flags.len)
            field->pattern = shapes->terms[pattern->term].text;
    }
    if (field->kind == TR_FIELD_REF) {
        field->target =
            tr_rdf_iri_local_name(text_of(shapes, shape, TR_SHACL_CLASS));
        field->any_type = field->target.len == 0;
    }
}

/* Whether there may be a value: a table cannot express a maximum of 0. */
static bool has_room(const struct tr_shacl_shape *shape)
{
    const struct tr_shacl_constraint *max =
        tr_model_find_constraint(shape, TR_SHACL_MAX_COUNT);
    return !max || max->number > 0;
}

/* Fills in kind, IRI and name; false when no field can express the shape. */
static bool start_field(const struct tr_shacl_shapes *shapes,
                        const struct tr_shacl_shape *shape,
                        struct tr_field *field)
{
    if (shape->deactivated || shape->path->kind != TR_SHACL_PATH_PREDICATE ||
        !has_room(shape) || !kind_of(shape, &field->kind))
        return false;
    field->iri = shapes->terms[shape->path->predicate].text;
    field->name = tr_field_name_is_valid(shape->name)
                      ? shape->name
                      : tr_rdf_iri_local_name(field->iri);
    field->description = shape->description;
    return tr_field_name_is_valid(field->name);
}

static tr_status read_fields(const struct tr_shacl_shapes *shapes,
                             const struct tr_shacl_shape *shape,
                             struct tr_arena *arena, struct tr_shape *out,
                             struct tr_err *err)
{
    struct tr_field *fields =
        TR_NEW_ARRAY(arena, struct tr_field, shape->constraint_count);
    if (!fields)
        return tr_fail(err, TR_E_NOMEM, "no memory for the fields");
    for (size_t i = 0; i < shape->constraint_count; i++) {
        const struct tr_shacl_constraint *c = &shape->constraints[i];
        if (c->component != TR_SHACL_PROPERTY)
            continue;
        const struct tr_shacl_shape *property = &shapes->shapes[c->shapes[0]];
        struct tr_field *field = &fields[out->count];
        *field = (struct tr_field){0};
        if (!start_field(shapes, property, field))
            continue;
        read_counts(property, field);
        read_limits(shapes, property, field);
        TR_TRY(tr_model_read_bounds(property, arena, field, err));
        TR_TRY(tr_model_read_choices(shapes, property, arena, field, err));
        TR_TRY(tr_model_read_default(shapes, property, arena, field, err));
        out->count++;
    }
    out->fields = fields;
    return TR_OK;
}

tr_status tr_model_shape_of_shacl(const struct tr_shacl_shapes *shapes,
                                  size_t index, struct tr_arena *arena,
                                  struct tr_field_patterns *patterns,
                                  const struct tr_shape **out,
                                  struct tr_err *err)
{
    const struct tr_shacl_shape *shape = &shapes->shapes[index];
    struct tr_shape draft = {
        .iri = shapes->terms[shape->term].text,
        .description = shape->description,
        .open = !tr_model_find_constraint(shape, TR_SHACL_CLOSED),
    };
    TR_TRY(read_fields(shapes, shape, arena, &draft, err));
    return tr_shape_register(arena, patterns, &draft, out, err);
}
