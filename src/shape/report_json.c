#include "base/limits.h"
#include "rdf/iri.h"
#include "rdf/turtle_term.h"
#include "shape/report.h"

struct writing {
    const struct tr_validation *v;
    const struct tr_shapes *shapes;
    struct tr_json_writer *w;
    struct tr_buf text;
    struct tr_err *err;
};

/* Numbers and booleans as JSON has them; what it lacks as text. */
static void put_value(struct writing *j, const tr_term *term)
{
    enum tr_xsd_type type = tr_xsd_type_of(term->datatype);
    bool is_literal = term->kind == TR_TERM_LITERAL;
    int64_t number;
    if (is_literal && tr_xsd_is_integer(type) &&
        tr_str_to_i64(term->text, &number)) {
        tr_jw_i64(j->w, number);
    } else if (is_literal && type == TR_XSD_BOOLEAN &&
               tr_xsd_is_valid(type, term->text)) {
        tr_jw_bool(j->w, term->text.ptr[0] == 't' || term->text.ptr[0] == '1');
    } else if (term->kind == TR_TERM_BLANK) {
        tr_buf_clear(&j->text);
        tr_term_write(&j->text, term);
        tr_jw_string(j->w, tr_buf_str(&j->text));
    } else {
        tr_jw_string(j->w, term->text);
    }
}

static tr_status put_data(struct writing *j, const char *key, tr_id id)
{
    tr_term term;
    tr_jw_key(j->w, key);
    if (id == TR_ID_NONE) {
        tr_jw_null(j->w);
        return TR_OK;
    }
    TR_TRY(tr_validation_term(j->v, id, &term, j->err));
    put_value(j, &term);
    return TR_OK;
}

/* sh:name, or the end of the predicate's IRI, or the path. */
static tr_status put_field(struct writing *j, const struct tr_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    tr_term term;
    tr_jw_key(j->w, "field");
    if (result->predicate != TR_ID_NONE) {
        TR_TRY(tr_validation_term(j->v, result->predicate, &term, j->err));
        tr_jw_string(j->w, tr_iri_local_name(term.text));
    } else if (shape->name.len) {
        tr_jw_string(j->w, shape->name);
    } else if (!shape->path) {
        tr_jw_string(j->w, TR_STR(""));
    } else if (shape->path->kind == TR_PATH_PREDICATE) {
        term = j->shapes->terms[shape->path->predicate];
        tr_jw_string(j->w, tr_iri_local_name(term.text));
    } else {
        tr_buf_clear(&j->text);
        tr_path_write(&j->text, j->shapes, shape->path, NULL);
        tr_jw_string(j->w, tr_buf_str(&j->text));
    }
    return TR_OK;
}

static tr_status put_path(struct writing *j, const struct tr_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    if (result->predicate != TR_ID_NONE)
        return put_data(j, "path", result->predicate);
    tr_jw_key(j->w, "path");
    if (!shape->path) {
        tr_jw_null(j->w);
        return TR_OK;
    }
    tr_buf_clear(&j->text);
    if (shape->path->kind == TR_PATH_PREDICATE)
        tr_buf_put(&j->text, j->shapes->terms[shape->path->predicate].text);
    else
        tr_path_write(&j->text, j->shapes, shape->path, NULL);
    tr_jw_string(j->w, tr_buf_str(&j->text));
    return TR_OK;
}

static void put_message(struct writing *j, const struct tr_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    tr_jw_key(j->w, "message");
    if (shape->message_count) {
        tr_jw_string(j->w, j->shapes->terms[shape->messages[0]].text);
        return;
    }
    tr_buf_clear(&j->text);
    tr_explain(&j->text, j->shapes, result, NULL);
    tr_jw_string(j->w, tr_buf_str(&j->text));
}

static void put_names(struct writing *j, const struct tr_constraint *c)
{
    tr_jw_open(j->w, '[');
    for (size_t i = 0; i < c->term_count; i++)
        put_value(j, &j->shapes->terms[c->terms[i]]);
    for (size_t i = 0; i < c->shape_count; i++)
        put_value(j, &j->shapes->terms[j->shapes->shapes[c->shapes[i]].term]);
    tr_jw_close(j->w, ']');
}

/* What the parameter of the constraint is. */
static void put_constraint(struct writing *j, const struct tr_constraint *c)
{
    tr_jw_key(j->w, "constraint");
    switch (tr_component_info(c->component)->kind) {
    case TR_PARAMETER_COUNT:
    case TR_PARAMETER_QUALIFIED:
        tr_jw_i64(j->w, (int64_t)c->number);
        break;
    case TR_PARAMETER_TERMS:
    case TR_PARAMETER_LANGUAGES:
    case TR_PARAMETER_SHAPES:
    case TR_PARAMETER_SHAPE:
        put_names(j, c);
        break;
    case TR_PARAMETER_TRUE:
        tr_jw_bool(j->w, true);
        break;
    default:
        put_value(j, &j->shapes->terms[c->term]);
        break;
    }
}

static void put_text(struct writing *j, const char *key, tr_str text)
{
    tr_jw_key(j->w, key);
    tr_jw_string(j->w, text);
}

static tr_status put_result(struct writing *j, const struct tr_result *result)
{
    const struct tr_shacl_shape *shape = &j->shapes->shapes[result->shape];
    const struct tr_constraint *c = &shape->constraints[result->constraint];
    const struct tr_component_info *info = tr_component_info(c->component);
    char component[64];
    (void)snprintf(component, sizeof(component), "%sConstraintComponent",
                   info->component);
    tr_jw_open(j->w, '{');
    TR_TRY(put_data(j, "node", result->focus));
    TR_TRY(put_path(j, result));
    TR_TRY(put_field(j, result));
    put_text(j, "code",
             tr_str_from(result->hit_limit ? "pattern_limit" : info->code));
    put_message(j, result);
    TR_TRY(put_data(j, "value", result->value));
    put_constraint(j, c);
    put_text(j, "severity",
             tr_iri_local_name(j->shapes->terms[shape->severity].text));
    put_text(j, "component", tr_str_from(component));
    tr_jw_key(j->w, "shape");
    put_value(j, &j->shapes->terms[shape->term]);
    tr_jw_close(j->w, '}');
    return tr_buf_check(j->w->out, j->err);
}

static tr_status put_results(struct writing *j, const struct tr_report *report)
{
    for (size_t i = 0; i < report->results.count; i++)
        TR_TRY(put_result(j, &report->results.items[i]));
    return tr_buf_check(&j->text, j->err);
}

tr_status tr_result_write_json(const struct tr_result *result,
                               const struct tr_validation *v,
                               struct tr_json_writer *w, struct tr_err *err)
{
    struct writing j = {
        .v = v, .shapes = tr_validation_shapes(v), .w = w, .err = err};
    tr_buf_init(&j.text, TR_LIMIT_RDF_TERM);
    tr_status status = put_result(&j, result);
    if (status == TR_OK)
        status = tr_buf_check(&j.text, err);
    tr_buf_done(&j.text);
    return status;
}

tr_status tr_report_write_json(const struct tr_report *report,
                               const struct tr_validation *v,
                               struct tr_json_writer *w, struct tr_err *err)
{
    struct writing j = {
        .v = v, .shapes = tr_validation_shapes(v), .w = w, .err = err};
    tr_buf_init(&j.text, TR_LIMIT_RDF_TERM);
    tr_jw_open(w, '{');
    tr_jw_key(w, "conforms");
    tr_jw_bool(w, tr_report_conforms(report));
    tr_jw_key(w, "count");
    tr_jw_i64(w, (int64_t)report->count);
    tr_jw_key(w, "results");
    tr_jw_open(w, '[');
    tr_status status = put_results(&j, report);
    if (status == TR_OK) {
        tr_jw_close(w, ']');
        tr_jw_close(w, '}');
        status = tr_jw_finish(w, err);
    }
    tr_buf_done(&j.text);
    return status;
}
