#include "query/filter.h"

#include "base/limits.h"
#include "base/text.h"
#include "fields/check.h"
#include "json/build.h"
#include "model/uri.h"
#include "model/value_term.h"
#include "query/named.h"

#define BIT(form) (1u << (form))
#define ANY       "any"

struct compiling {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query *query;
    size_t *left; /* steps across */
    struct tr_query_refusing to;
    size_t conditions; /* so far */
    struct tr_err *err;
};

/* One member of a filter. */
struct member {
    const struct tr_json_member *written;
    const char *form; /* of the value that is read now; NULL: it stands alone */
    struct tr_query_cond *cond;
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
}

/* "<field> <form> <says><detail>" */
static tr_status refuse(struct compiling *c, const struct member *m,
                        struct tr_field_error error, const char *says,
                        const struct tr_json *detail)
{
    char text[TR_LIMIT_MESSAGE_BYTES];
    error.field = m->cond->name;
    if (!m->form)
        return tr_query_refuse(&c->to, &error, says, detail, c->err);
    (void)snprintf(text, sizeof(text), "%s %s", m->form, says);
    return tr_query_refuse(&c->to, &error, text, detail, c->err);
}

/* Values ------------------------------------------------------------------ */

static tr_status refuse_value(struct compiling *c, const struct member *m,
                              const struct tr_json *value)
{
    /* The message begins with the field's name, which the error has already. */
    const struct tr_field *field = m->cond->slot.field;
    const char *says = c->err->msg + field->name.len + sizeof(": ") - 1;
    struct tr_field_error error = {
        .code = TR_STR("type"),
        .value = *value,
        .constraint = tr_json_make_text(
            TR_JSON_STRING, tr_str_from(tr_field_kind_name(field->kind))),
    };
    return refuse(c, m, error, says, NULL);
}

/* What a ref by key names. A key that nothing has is a mistake; an IRI that
 * nothing has is equal to nothing. */
static tr_status name_ref(struct compiling *c, const struct tr_field *ref,
                          struct tr_json *value)
{
    struct tr_query_named node;
    TR_TRY(tr_query_named_find_ref(c->ctx, ref, tr_json_text(value), &node,
                                   c->err));
    if (node.id != TR_RDF_ID_NONE && !node.is_several)
        *value = tr_json_make_text(TR_JSON_STRING, node.iri);
    else if (!tr_field_is_absolute_iri(tr_json_text(value)))
        return tr_fail(c->err, TR_E_VALIDATION,
                       "%.*s: names no %.*s by id or %.*s", TR_FMT(ref->name),
                       TR_FMT(ref->target), TR_FMT(ref->by));
    return TR_OK;
}

/* The node that a key, or the end of an id, names, where the type is known. */
static tr_status spell_out(struct compiling *c, const struct tr_field *field,
                           struct tr_json *value)
{
    const struct tr_model_type *type =
        tr_model_find(c->ctx->model, field->target);
    const struct tr_json *id = tr_json_find(value, TR_STR("id"));
    tr_str iris[2];
    if (tr_json_is(id, TR_JSON_STRING))
        *value = *id; /* a node stands for its id */
    if (value->kind == TR_JSON_STRING && field->by.len)
        return name_ref(c, field, value);
    tr_str text = tr_json_text(value);
    if (value->kind != TR_JSON_STRING || !type || !text.len ||
        memchr(text.ptr, ':', text.len))
        return TR_OK;
    if (!tr_model_kg_uri_iris(c->ctx->arena, type, text, c->ctx->model, iris))
        return fail_memory(c->err);
    *value = tr_json_make_text(TR_JSON_STRING, iris[0]);
    return TR_OK;
}

/* False, and refused, when it is no value of the field's kind. */
static tr_status read_value(struct compiling *c, const struct member *m,
                            const struct tr_json *written,
                            struct tr_query_value *out)
{
    const struct tr_field *field = m->cond->slot.field;
    struct tr_json value = *written;
    tr_status status = TR_OK;
    tr_rdf_term term;
    if (field->kind == TR_FIELD_REF)
        status = spell_out(c, field, &value);
    if (status == TR_OK)
        status =
            tr_model_value_to_term(field, &value, c->ctx->arena, &term, c->err);
    if (status == TR_E_VALIDATION)
        return refuse_value(c, m, written);
    TR_TRY(status);
    if (!tr_query_value_of(field, &term, out))
        return TR_OK; /* nothing is equal to it */
    return tr_rdf_graph_find(c->ctx->graph, &term, &out->id, c->err);
}

static tr_status read_choices(struct compiling *c, struct member *m,
                              const struct tr_json *values, size_t count)
{
    struct tr_query_cond *cond = m->cond;
    cond->choices =
        TR_NEW_ARRAY(c->ctx->arena, struct tr_query_value, count ? count : 1);
    if (!cond->choices)
        return fail_memory(c->err);
    cond->choice_count = count;
    cond->forms |= BIT(TR_FIELD_FORM_ONE_OF);
    for (size_t i = 0; i < count; i++)
        TR_TRY(read_value(c, m, &values[i], &cond->choices[i]));
    return TR_OK;
}

/* Forms ------------------------------------------------------------------- */

static tr_status refuse_kind(struct compiling *c, const struct member *m,
                             const struct tr_json *value, const char *kind)
{
    char says[64];
    const struct tr_field_error error = {
        .code = TR_STR("type"),
        .value = *value,
        .constraint = tr_json_make_text(TR_JSON_STRING, tr_str_from(kind))};
    (void)snprintf(says, sizeof(says), "must be %s", kind);
    return refuse(c, m, error, says, NULL);
}

static tr_status read_one_of(struct compiling *c, struct member *m,
                             const struct tr_json *value)
{
    if (value->kind != TR_JSON_ARRAY)
        return refuse_kind(c, m, value, "an array of values");
    if (value->len > TR_LIMIT_FILTER_ONE_OF) {
        const struct tr_field_error error = {.code = TR_STR("max_count"),
                                             .value = *value};
        return refuse(c, m, error, "must have at most 100 values", NULL);
    }
    return read_choices(c, m, value->as.items, value->len);
}

static tr_status read_presence(struct compiling *c, struct member *m,
                               const struct tr_json *value, bool is_present)
{
    bool on;
    if (!tr_json_bool(value, &on))
        return refuse_kind(c, m, value, "true or false");
    m->cond->forms |=
        BIT(on == is_present ? TR_FIELD_FORM_PRESENT : TR_FIELD_FORM_ABSENT);
    return TR_OK;
}

static tr_status read_prefix(struct compiling *c, struct member *m,
                             const struct tr_json *value)
{
    if (value->kind != TR_JSON_STRING)
        return refuse_kind(c, m, value, "text");
    m->cond->prefix = tr_json_text(value);
    m->cond->forms |= BIT(TR_FIELD_FORM_PREFIX);
    return TR_OK;
}

static tr_status read_forms(struct compiling *c, struct member *m,
                            const struct tr_json *value, unsigned allowed);

static bool is_object_of_forms(const struct tr_query_cond *cond,
                               const struct tr_json *value)
{
    return value->kind == TR_JSON_OBJECT &&
           !(cond->slot.field->kind == TR_FIELD_REF &&
             tr_json_find(value, TR_STR("id")));
}

static tr_status read_has(struct compiling *c, struct member *m,
                          const struct tr_json *value)
{
    if (!is_object_of_forms(m->cond, value))
        return read_choices(c, m, value, 1);
    m->form = NULL;
    return read_forms(c, m, value, tr_field_value_forms(m->cond->slot.field));
}

static tr_status read_form(struct compiling *c, struct member *m,
                           enum tr_field_form form, const struct tr_json *value)
{
    switch (form) {
    case TR_FIELD_FORM_ONE_OF:
        return read_one_of(c, m, value);
    case TR_FIELD_FORM_PREFIX:
        return read_prefix(c, m, value);
    case TR_FIELD_FORM_HAS:
        return read_has(c, m, value);
    case TR_FIELD_FORM_PRESENT:
    case TR_FIELD_FORM_ABSENT:
        return read_presence(c, m, value, form == TR_FIELD_FORM_PRESENT);
    default:
        m->cond->forms |= BIT(form);
        return read_value(c, m, value, &m->cond->bounds[form]);
    }
}

static tr_status refuse_form(struct compiling *c, const struct member *m,
                             tr_str name, const struct tr_json *value,
                             unsigned allowed)
{
    char says[TR_LIMIT_NAME_BYTES + 64];
    struct tr_field_error error = {.code = TR_STR("unknown_form"),
                                   .value = *value};
    TR_TRY(
        tr_query_form_names(c->ctx->arena, allowed, &error.constraint, c->err));
    if (name.len > TR_LIMIT_NAME_BYTES)
        name.len = tr_utf8_valid_len((tr_str){name.ptr, TR_LIMIT_NAME_BYTES});
    (void)snprintf(says, sizeof(says), "%s'%.*s'; there are ",
                   name.len ? "has no form " : "needs a form, not ",
                   TR_FMT(name));
    return refuse(c, m, error, says, &error.constraint);
}

static bool find_form(tr_str name, unsigned allowed, enum tr_field_form *out)
{
    for (int form = 0; form < TR_FIELD_FORMS; form++) {
        *out = (enum tr_field_form)form;
        if (allowed & BIT(form) && tr_str_eq(tr_field_form_name(*out), name))
            return true;
    }
    return false;
}

static tr_status read_forms(struct compiling *c, struct member *m,
                            const struct tr_json *value, unsigned allowed)
{
    if (value->len == 0)
        return refuse_form(c, m, TR_STR(""), value, allowed);
    for (size_t i = 0; i < value->len; i++) {
        const struct tr_json_member *one = &value->as.members[i];
        tr_str name = tr_json_text(&one->key);
        enum tr_field_form form;
        if (!find_form(name, allowed, &form)) {
            TR_TRY(refuse_form(c, m, name, &one->value, allowed));
            continue;
        }
        m->form = tr_field_form_name(form).ptr;
        TR_TRY(read_form(c, m, form, &one->value));
        m->form = NULL;
    }
    return TR_OK;
}

/* Members ----------------------------------------------------------------- */

tr_status tr_query_slot_find(const struct tr_graph_read_ctx *ctx,
                             const struct tr_field *field,
                             struct tr_query_slot *out, struct tr_err *err)
{
    out->field = field;
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, field->iri, &out->p, err));
    out->is_bare = field->kind != TR_FIELD_REF && ctx->values &&
                   tr_graph_value_set_is_bare(ctx->values, out->p);
    return TR_OK;
}

/* Of "^owner" alone only whether anybody refers can be asked. */
static unsigned forms_of(const struct tr_query_cond *cond)
{
    return cond->is_back && cond->across.field == cond->slot.field
               ? BIT(TR_FIELD_FORM_PRESENT) | BIT(TR_FIELD_FORM_ABSENT)
               : tr_field_forms(cond->slot.field);
}

static tr_status read_condition(struct compiling *c, struct member *m)
{
    const struct tr_json *value = &m->written->value;
    unsigned forms = forms_of(m->cond);
    if (is_object_of_forms(m->cond, value))
        return read_forms(c, m, value, forms);
    if (!tr_field_takes_values(m->cond->slot.field) ||
        !(forms & ~(BIT(TR_FIELD_FORM_PRESENT) | BIT(TR_FIELD_FORM_ABSENT))))
        return refuse_form(c, m, TR_STR(""), value, forms);
    return read_choices(c, m, value, 1);
}

static tr_status compile_field(struct compiling *c,
                               const struct tr_shape *shape, struct member *m)
{
    size_t refused = c->to.errors->count;
    const struct tr_shape *own = shape;
    tr_str name = tr_json_text(&m->written->key);
    m->cond->kind = TR_QUERY_COND_FIELD;
    m->cond->name = name;
    m->cond->left = c->left;
    const struct tr_query_crossing crossing = {c->ctx, &c->to, c->query,
                                               &m->written->value, m->cond};
    TR_TRY(tr_query_cross(&crossing, &shape, &name, c->err));
    if (c->to.errors->count > refused)
        return TR_OK;
    const struct tr_field *field = tr_shape_find(shape, name);
    tr_str before = m->cond->name;
    before.len -= shape == own ? before.len : name.len;
    if (!field)
        return tr_query_refuse_unknown(&c->to, shape, before, name,
                                       &m->written->value, c->err);
    TR_TRY(tr_query_slot_find(c->ctx, field, &m->cond->slot, c->err));
    return read_condition(c, m);
}

static tr_status compile_all(struct compiling *c, const struct tr_shape *shape,
                             const struct tr_json *filter, size_t depth,
                             struct tr_query_cond *out);

static tr_status compile_any(struct compiling *c, const struct tr_shape *shape,
                             const struct tr_json *list, size_t depth,
                             struct tr_query_cond *out)
{
    const struct tr_field_error error = {
        .field = TR_STR(ANY), .code = TR_STR("type"), .value = *list};
    *out =
        (struct tr_query_cond){.kind = TR_QUERY_COND_ANY, .name = TR_STR(ANY)};
    if (list->kind != TR_JSON_ARRAY || list->len == 0)
        return tr_query_refuse(&c->to, &error, "must be an array of filters",
                               NULL, c->err);
    if (depth == TR_LIMIT_FILTER_DEPTH)
        return tr_query_refuse(&c->to, &error, "stands too deep in another any",
                               NULL, c->err);
    if (list->len > TR_LIMIT_FILTER_CONDITIONS)
        return tr_fail(c->err, TR_E_LIMIT,
                       "the filter has too many conditions");
    out->parts = TR_NEW_ARRAY(c->ctx->arena, struct tr_query_cond, list->len);
    if (!out->parts)
        return fail_memory(c->err);
    for (size_t i = 0; i < list->len; i++) {
        if (list->as.items[i].kind != TR_JSON_OBJECT)
            return tr_query_refuse(&c->to, &error,
                                   "must be an array of filters", NULL, c->err);
        TR_TRY(compile_all(c, shape, &list->as.items[i], depth + 1,
                           &out->parts[out->count++]));
    }
    return TR_OK;
}

static tr_status compile_all(struct compiling *c, const struct tr_shape *shape,
                             const struct tr_json *filter, size_t depth,
                             struct tr_query_cond *out)
{
    size_t count = filter ? filter->len : 0;
    *out = (struct tr_query_cond){.kind = TR_QUERY_COND_ALL};
    c->conditions += count;
    if (c->conditions > TR_LIMIT_FILTER_CONDITIONS)
        return tr_fail(c->err, TR_E_LIMIT,
                       "the filter has more than %zu conditions",
                       TR_LIMIT_FILTER_CONDITIONS);
    out->parts =
        TR_NEW_ARRAY(c->ctx->arena, struct tr_query_cond, count ? count : 1);
    if (!out->parts)
        return fail_memory(c->err);
    for (size_t i = 0; i < count; i++) {
        struct member m = {.written = &filter->as.members[i],
                           .cond = &out->parts[out->count++]};
        tr_str name = tr_json_text(&m.written->key);
        *m.cond = (struct tr_query_cond){0};
        TR_TRY(tr_str_eq(name, TR_STR(ANY)) && !tr_shape_find(shape, name)
                   ? compile_any(c, shape, &m.written->value, depth, m.cond)
                   : compile_field(c, shape, &m));
    }
    return TR_OK;
}

/* The conditions of both filters, side by side. */
static tr_status compile_both(struct compiling *c, const struct tr_query *query,
                              struct tr_query_cond *out)
{
    const struct tr_json *const filters[] = {query->filter, query->also};
    struct tr_query_cond each[TR_LEN(filters)];
    size_t count = 0;
    for (size_t i = 0; i < TR_LEN(filters); i++) {
        if (filters[i] && filters[i]->kind != TR_JSON_OBJECT)
            return tr_fail(c->err, TR_E_VALIDATION,
                           "a filter is an object of fields");
        TR_TRY(compile_all(c, query->type->shape, filters[i], 0, &each[i]));
        count += each[i].count;
    }
    *out = each[0];
    if (each[1].count == 0)
        return TR_OK;
    out->parts = TR_NEW_ARRAY(c->ctx->arena, struct tr_query_cond, count);
    if (!out->parts)
        return fail_memory(c->err);
    out->count = 0;
    for (size_t i = 0; i < TR_LEN(filters); i++) {
        for (size_t k = 0; k < each[i].count; k++)
            out->parts[out->count++] = each[i].parts[k];
    }
    return TR_OK;
}

bool tr_query_cond_is_pair(const struct tr_query_cond *cond)
{
    return cond->kind == TR_QUERY_COND_FIELD && !cond->across.field &&
           cond->forms == BIT(TR_FIELD_FORM_ONE_OF) &&
           cond->choice_count == 1 && !cond->slot.is_bare &&
           tr_query_value_has_one_id(cond->slot.field);
}

tr_status tr_query_filter_compile(const struct tr_graph_read_ctx *ctx,
                                  const struct tr_query *query,
                                  struct tr_query_filter *out,
                                  struct tr_err *err)
{
    struct tr_field_errors own = {0};
    struct tr_err local = {0};
    struct compiling c = {
        .ctx = ctx,
        .query = query,
        .left = TR_NEW(ctx->arena, size_t),
        .to = {ctx->arena, query->errors ? query->errors : &own},
        .err = err ? err : &local,
    };
    const struct tr_shape *shape = query->type->shape;
    *out = (struct tr_query_filter){0};
    if (!c.left)
        return fail_memory(err);
    *c.left = TR_LIMIT_QUERY_WORK;
    TR_TRY(compile_both(&c, query, &out->root));
    TR_TRY(tr_field_errors_verdict(c.to.errors, err));
    TR_TRY(tr_rdf_graph_find_iri(ctx->graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &out->type.p, err));
    return tr_rdf_graph_find_iri(ctx->graph, shape->iri, &out->class, err);
}
