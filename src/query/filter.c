#include "query/filter.h"

#include "fields/check.h"
#include "json/build.h"
#include "model/value_term.h"
#include "query/named.h"

struct compiling {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_shape *shape;
    struct tr_field_errors *errors;
    struct tr_query_filter *out;
    struct tr_err *err;
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
}

static tr_status known_fields(struct compiling *c, struct tr_json *out)
{
    struct tr_json *names =
        TR_NEW_ARRAY(c->ctx->arena, struct tr_json, c->shape->count);
    if (!names)
        return fail_memory(c->err);
    for (size_t i = 0; i < c->shape->count; i++)
        names[i] = tr_json_make_text(TR_JSON_STRING, c->shape->fields[i].name);
    return tr_json_make_array(c->ctx->arena, names, c->shape->count, out)
               ? TR_OK
               : fail_memory(c->err);
}

static tr_status refuse_unknown(struct compiling *c,
                                const struct tr_json_member *member)
{
    struct tr_field_error error = {
        .field = tr_json_text(&member->key),
        .code = TR_STR("unknown_field"),
        .value = member->value,
    };
    TR_TRY(known_fields(c, &error.constraint));
    tr_str nearest = tr_shape_nearest(c->shape, error.field);
    struct tr_json best = tr_json_make_text(TR_JSON_STRING, nearest);
    bool added =
        tr_field_errors_say(c->ctx->arena, c->errors, &error,
                            nearest.len ? "is not a field; did you mean "
                                        : "is not a field; there are ",
                            nearest.len ? &best : &error.constraint);
    return added ? TR_OK : fail_memory(c->err);
}

static tr_status refuse_value(struct compiling *c, const struct tr_field *field,
                              const struct tr_json *value)
{
    /* The message begins with the field's name, which the error has already. */
    const char *says = c->err->msg + field->name.len + sizeof(": ") - 1;
    struct tr_field_error error = {
        .field = field->name,
        .code = TR_STR("type"),
        .value = *value,
        .constraint = tr_json_make_text(
            TR_JSON_STRING, tr_str_from(tr_field_kind_name(field->kind))),
    };
    return tr_field_errors_say(c->ctx->arena, c->errors, &error, says, NULL)
               ? TR_OK
               : fail_memory(c->err);
}

static tr_status add_pair(struct compiling *c, const tr_rdf_term *predicate,
                          const tr_rdf_term *value)
{
    struct tr_query_pair *pair = &c->out->pairs[c->out->count++];
    const struct tr_rdf_graph *graph = c->ctx->graph;
    TR_TRY(tr_rdf_graph_find(graph, predicate, &pair->p, c->err));
    TR_TRY(tr_rdf_graph_find(graph, value, &pair->o, c->err));
    c->out->is_empty |= pair->p == TR_RDF_ID_NONE || pair->o == TR_RDF_ID_NONE;
    return TR_OK;
}

/* What a ref by key names. A key that nothing has is a mistake; an IRI that
 * nothing has is equal to nothing. */
static tr_status name_ref(struct compiling *c, const struct tr_field *ref,
                          struct tr_json *value)
{
    struct tr_query_named node;
    if (value->kind != TR_JSON_STRING)
        return TR_OK;
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

static tr_status to_term(struct compiling *c, const struct tr_field *field,
                         const struct tr_json *value, tr_rdf_term *out)
{
    struct tr_json given = *value;
    if (field->by.len)
        TR_TRY(name_ref(c, field, &given));
    return tr_model_value_to_term(field, &given, c->ctx->arena, out, c->err);
}

static tr_status compile_member(struct compiling *c,
                                const struct tr_json_member *member)
{
    const struct tr_field *field =
        tr_shape_find(c->shape, tr_json_text(&member->key));
    tr_rdf_term value;
    if (!field)
        return refuse_unknown(c, member);
    tr_status status = to_term(c, field, &member->value, &value);
    if (status == TR_E_VALIDATION)
        return refuse_value(c, field, &member->value);
    TR_TRY(status);
    tr_rdf_term predicate = tr_rdf_term_iri(field->iri);
    return add_pair(c, &predicate, &value);
}

tr_status tr_query_filter_compile(const struct tr_graph_read_ctx *ctx,
                                  const struct tr_query *query,
                                  struct tr_query_filter *out,
                                  struct tr_err *err)
{
    const struct tr_json *filter = query->filter;
    size_t count = filter ? filter->len : 0;
    struct tr_field_errors own = {0};
    struct tr_err local = {0};
    struct compiling c = {
        .ctx = ctx,
        .shape = query->type->shape,
        .errors = query->errors ? query->errors : &own,
        .out = out,
        .err = err ? err : &local,
    };
    tr_rdf_term class = tr_rdf_term_iri(c.shape->iri);
    tr_rdf_term type = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_TYPE));
    if (filter && filter->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_VALIDATION, "a filter is an object of fields");
    *out = (struct tr_query_filter){
        .pairs = TR_NEW_ARRAY(ctx->arena, struct tr_query_pair, count + 1)};
    if (!out->pairs)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++)
        TR_TRY(compile_member(&c, &filter->as.members[i]));
    TR_TRY(tr_field_errors_verdict(c.errors, err));
    return add_pair(&c, &type, &class);
}
