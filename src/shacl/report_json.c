#include "base/limits.h"
#include "fields/error.h"
#include "rdf/iri.h"
#include "rdf/writer.h"
#include "rdf/xsd.h"
#include "shacl/report.h"

#include <math.h>

/* A double holds every decimal number that is not longer. */
enum { EXACT_DIGITS = 15 };

struct writing {
    const struct tr_shacl_validation *v;
    const struct tr_shacl_shapes *shapes;
    struct tr_json_writer *w;
    struct tr_buf text;
    struct tr_buf field; /* its name */
    size_t max_echo;     /* of a value */
    struct tr_err *err;
};

static void put_cut(struct tr_json_writer *w, tr_str text, size_t max)
{
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf cut;
    if (text.len <= max) {
        tr_jw_string(w, text);
        return;
    }
    tr_buf_init_fixed(&cut, storage, max);
    tr_field_message_put(&cut, text);
    tr_jw_string(w, tr_buf_str(&cut));
}

void tr_shacl_result_put_term(struct tr_json_writer *w, const tr_rdf_term *term,
                              size_t max_bytes)
{
    tr_rdf_xsd_value value = {0};
    int64_t number;
    if (term->kind != TR_RDF_TERM_LITERAL || !tr_rdf_xsd_parse(term, &value))
        put_cut(w, term->text, max_bytes);
    else if (tr_rdf_xsd_is_integer(value.type) &&
             tr_str_to_i64(term->text, &number))
        tr_jw_i64(w, number);
    else if (value.type == TR_RDF_XSD_BOOLEAN)
        tr_jw_bool(w, value.as.boolean);
    else if (value.type == TR_RDF_XSD_DOUBLE && isfinite(value.as.number))
        tr_jw_double(w, value.as.number);
    else if (value.type == TR_RDF_XSD_DECIMAL && term->text.len <= EXACT_DIGITS)
        tr_jw_double(w, tr_rdf_xsd_decimal_to_double(&value.as.decimal, false));
    else
        put_cut(w, term->text, max_bytes);
}

static void put_value(struct writing *j, const tr_rdf_term *term)
{
    if (term->kind != TR_RDF_TERM_BLANK) {
        tr_shacl_result_put_term(j->w, term, j->max_echo);
        return;
    }
    tr_buf_clear(&j->text);
    tr_rdf_term_write(&j->text, term);
    tr_jw_string(j->w, tr_buf_str(&j->text));
}

static tr_status put_data(struct writing *j, const char *key, tr_rdf_id id)
{
    tr_rdf_term term;
    tr_jw_key(j->w, key);
    if (id == TR_RDF_ID_NONE) {
        tr_jw_null(j->w);
        return TR_OK;
    }
    TR_TRY(tr_shacl_validation_term(j->v, id, &term, j->err));
    put_value(j, &term);
    return TR_OK;
}

/* What a text in JSON stands for. */
static tr_status put_kind(struct writing *j, const char *key, tr_rdf_id id)
{
    static const char *const names[] = {
        [TR_RDF_TERM_IRI] = "iri",
        [TR_RDF_TERM_BLANK] = "blank",
        [TR_RDF_TERM_LITERAL] = "literal",
    };
    tr_rdf_term term;
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_shacl_validation_term(j->v, id, &term, j->err));
    tr_jw_put_string(j->w, key, tr_str_from(names[term.kind]));
    return TR_OK;
}

/* sh:name, or the end of the predicate's IRI, or the path. */
static tr_status find_field(struct writing *j,
                            const struct tr_shacl_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    tr_rdf_term term;
    tr_buf_clear(&j->field);
    if (result->predicate != TR_RDF_ID_NONE) {
        TR_TRY(
            tr_shacl_validation_term(j->v, result->predicate, &term, j->err));
        tr_buf_put(&j->field, tr_rdf_iri_local_name(term.text));
    } else if (shape->name.len) {
        tr_buf_put(&j->field, shape->name);
    } else if (shape->path && shape->path->kind == TR_SHACL_PATH_PREDICATE) {
        term = j->shapes->terms[shape->path->predicate];
        tr_buf_put(&j->field, tr_rdf_iri_local_name(term.text));
    } else if (shape->path) {
        tr_shacl_path_write(&j->field, j->shapes, shape->path, NULL);
    }
    return tr_buf_check(&j->field, j->err);
}

static tr_status put_path(struct writing *j,
                          const struct tr_shacl_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    if (result->predicate != TR_RDF_ID_NONE)
        return put_data(j, "path", result->predicate);
    tr_jw_key(j->w, "path");
    if (!shape->path) {
        tr_jw_null(j->w);
        return TR_OK;
    }
    tr_buf_clear(&j->text);
    if (shape->path->kind == TR_SHACL_PATH_PREDICATE)
        tr_buf_put(&j->text, j->shapes->terms[shape->path->predicate].text);
    else
        tr_shacl_path_write(&j->text, j->shapes, shape->path, NULL);
    tr_jw_string(j->w, tr_buf_str(&j->text));
    return TR_OK;
}

/* The same words as in fields/check.c: must be one of ['a','b',3]. */
static void name_choices(struct writing *j, const struct tr_shacl_constraint *c)
{
    tr_buf_put(&j->text, TR_STR("must be one of ["));
    for (size_t i = 0; i < c->term_count; i++) {
        const tr_rdf_term *term = &j->shapes->terms[c->terms[i]];
        enum tr_rdf_xsd_type type = tr_rdf_xsd_type_of(term->datatype);
        bool is_bare =
            term->kind == TR_RDF_TERM_LITERAL &&
            (type == TR_RDF_XSD_BOOLEAN || tr_rdf_xsd_is_numeric(type));
        const char *quote = is_bare ? "" : "'";
        tr_buf_putf(&j->text, "%s%s%.*s%s", i ? "," : "", quote,
                    TR_FMT(term->text), quote);
    }
    tr_buf_putc(&j->text, ']');
}

/* The message begins with the name of the field, as in every field error,
 * unless the author of the shape has written one. */
static tr_str say(struct writing *j, const struct tr_shacl_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    if (shape->message_count)
        return j->shapes->terms[shape->messages[0]].text;
    const struct tr_shacl_constraint *c =
        &shape->constraints[result->constraint];
    tr_buf_clear(&j->text);
    if (j->field.len) {
        tr_buf_put(&j->text, tr_buf_str(&j->field));
        tr_buf_putc(&j->text, ' ');
    }
    if (c->component == TR_SHACL_IN)
        name_choices(j, c);
    else
        tr_shacl_explain(&j->text, j->shapes, result, NULL);
    return tr_buf_str(&j->text);
}

static void put_message(struct writing *j, const struct tr_shacl_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    tr_str message = say(j, result);
    tr_jw_key(j->w, "message");
    put_cut(j->w, message,
            shape->message_count ? SIZE_MAX : TR_LIMIT_MESSAGE_BYTES);
}

static void put_names(struct writing *j, const struct tr_shacl_constraint *c)
{
    tr_jw_open(j->w, '[');
    for (size_t i = 0; i < c->term_count; i++)
        put_value(j, &j->shapes->terms[c->terms[i]]);
    for (size_t i = 0; i < c->shape_count; i++)
        put_value(j, &j->shapes->terms[j->shapes->shapes[c->shapes[i]].term]);
    tr_jw_close(j->w, ']');
}

/* The value of the constraint's parameter. */
static void put_constraint(struct writing *j,
                           const struct tr_shacl_constraint *c)
{
    tr_jw_key(j->w, "constraint");
    switch (tr_shacl_component_info(c->component)->kind) {
    case TR_SHACL_PARAMETER_COUNT:
    case TR_SHACL_PARAMETER_QUALIFIED:
        tr_jw_i64(j->w, (int64_t)c->number);
        break;
    case TR_SHACL_PARAMETER_TERMS:
    case TR_SHACL_PARAMETER_LANGUAGES:
    case TR_SHACL_PARAMETER_SHAPES:
    case TR_SHACL_PARAMETER_SHAPE:
        put_names(j, c);
        break;
    case TR_SHACL_PARAMETER_TRUE:
        tr_jw_bool(j->w, true);
        break;
    default:
        put_value(j, &j->shapes->terms[c->term]);
        break;
    }
}

static void put_text(struct writing *j, const char *key, tr_str text)
{
    tr_jw_put_string(j->w, key, text);
}

/* {field, code, message, value, constraint}. */
static tr_status put_field_error(struct writing *j,
                                 const struct tr_shacl_result *result)
{
    const struct tr_shacl_constraint *c =
        &j->shapes->shapes[result->shape].constraints[result->constraint];
    const char *code = tr_shacl_component_info(c->component)->code;
    TR_TRY(find_field(j, result));
    put_text(j, "field", tr_buf_str(&j->field));
    put_text(j, "code",
             tr_str_from(result->hit_limit ? "pattern_limit" : code));
    put_message(j, result);
    TR_TRY(put_data(j, "value", result->value));
    put_constraint(j, c);
    return TR_OK;
}

static tr_status put_result(struct writing *j,
                            const struct tr_shacl_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    const struct tr_shacl_constraint *c =
        &shape->constraints[result->constraint];
    char component[64];
    (void)snprintf(component, sizeof(component), "%sConstraintComponent",
                   tr_shacl_component_info(c->component)->component);
    tr_jw_open(j->w, '{');
    TR_TRY(put_data(j, "node", result->focus));
    TR_TRY(put_kind(j, "node_kind", result->focus));
    TR_TRY(put_path(j, result));
    TR_TRY(put_field_error(j, result));
    TR_TRY(put_kind(j, "value_kind", result->value));
    put_text(j, "severity",
             tr_rdf_iri_local_name(j->shapes->terms[shape->severity].text));
    put_text(j, "component", tr_str_from(component));
    tr_jw_key(j->w, "shape");
    put_value(j, &j->shapes->terms[shape->term]);
    tr_jw_close(j->w, '}');
    return tr_buf_check(j->w->out, j->err);
}

static tr_status put_results(struct writing *j,
                             const struct tr_shacl_report *report)
{
    for (size_t i = 0; i < report->results.count; i++)
        TR_TRY(put_result(j, &report->results.items[i]));
    return tr_buf_check(&j->text, j->err);
}

static void begin(struct writing *j, const struct tr_shacl_validation *v,
                  struct tr_json_writer *w, struct tr_err *err)
{
    *j = (struct writing){.v = v,
                          .shapes = tr_shacl_validation_shapes(v),
                          .w = w,
                          .max_echo = SIZE_MAX,
                          .err = err};
    tr_buf_init(&j->text, TR_LIMIT_RDF_TERM);
    tr_buf_init(&j->field, TR_LIMIT_RDF_TERM);
}

static void end(struct writing *j)
{
    tr_buf_done(&j->text);
    tr_buf_done(&j->field);
}

tr_status tr_shacl_result_write_words(const struct tr_shacl_result *result,
                                      const struct tr_shacl_validation *v,
                                      struct tr_buf *field,
                                      struct tr_buf *message,
                                      struct tr_err *err)
{
    struct writing j;
    begin(&j, v, NULL, err);
    tr_status status = find_field(&j, result);
    if (status == TR_OK && field)
        tr_buf_put(field, tr_buf_str(&j.field));
    tr_str words = status == TR_OK ? say(&j, result) : TR_STR("");
    if (status == TR_OK && message && words.ptr)
        tr_buf_put(message, words);
    if (status == TR_OK)
        status = tr_buf_check(&j.text, err);
    end(&j);
    return status;
}

tr_status
tr_shacl_result_write_field_error(const struct tr_shacl_result *result,
                                  const struct tr_shacl_validation *v,
                                  struct tr_json_writer *w, struct tr_err *err)
{
    struct writing j;
    begin(&j, v, w, err);
    j.max_echo = TR_LIMIT_ECHO_BYTES;
    tr_jw_open(w, '{');
    tr_status status = put_field_error(&j, result);
    if (status == TR_OK)
        status = put_data(&j, "node", result->focus);
    tr_jw_close(w, '}');
    if (status == TR_OK)
        status = tr_buf_check(&j.text, err);
    end(&j);
    return status;
}

tr_status tr_shacl_report_write_json(const struct tr_shacl_report *report,
                                     const struct tr_shacl_validation *v,
                                     struct tr_json_writer *w,
                                     struct tr_err *err)
{
    struct writing j;
    begin(&j, v, w, err);
    tr_jw_open(w, '{');
    tr_jw_put_bool(w, "conforms", tr_shacl_report_conforms(report));
    tr_jw_put_i64(w, "count", (int64_t)report->count);
    tr_jw_key(w, "results");
    tr_jw_open(w, '[');
    tr_status status = put_results(&j, report);
    if (status == TR_OK) {
        tr_jw_close(w, ']');
        tr_jw_close(w, '}');
        status = tr_jw_finish(w, err);
    }
    end(&j);
    return status;
}
