#include "model/model.h"
#include "model/value_term.h"
#include "rdf/iri.h"

tr_status tr_model_untyped_iri(const struct tr_model *model, tr_str text,
                               struct tr_arena *arena, tr_str *out,
                               struct tr_err *err)
{
    tr_str prefix;
    tr_str rest;
    tr_str start;
    *out = text;
    if (model->prefixes && tr_str_cut(text, ':', &prefix, &rest) &&
        tr_rdf_prefixes_find(model->prefixes, prefix, &start))
        TR_TRY(tr_rdf_prefixes_expand(model->prefixes, arena, text, out, err));
    tr_status status = tr_rdf_iri_check(*out, err);
    if (status != TR_OK)
        tr_err_prefix(err, "'%.*s'", TR_FMT(text));
    return status;
}

static tr_status fail_value(struct tr_err *err)
{
    return tr_fail(err, TR_E_INVALID,
                   "a value must be a text, a number, a boolean, "
                   "{id = IRI}, {value =, type = IRI} or "
                   "{value =, language =}");
}

static tr_status read_object(const struct tr_model *model,
                             const struct tr_json *value,
                             struct tr_arena *arena, tr_rdf_term *out,
                             struct tr_err *err)
{
    const struct tr_json *id = tr_json_find(value, TR_STR("id"));
    const struct tr_json *text = tr_json_find(value, TR_STR("value"));
    const struct tr_json *type = tr_json_find(value, TR_STR("type"));
    const struct tr_json *language = tr_json_find(value, TR_STR("language"));
    tr_str iri;
    if (tr_json_is(id, TR_JSON_STRING)) {
        TR_TRY(tr_model_untyped_iri(model, tr_json_text(id), arena, &iri, err));
        *out = tr_rdf_term_iri(iri);
        return TR_OK;
    }
    if (!tr_json_is(text, TR_JSON_STRING))
        return fail_value(err);
    if (tr_json_is(language, TR_JSON_STRING)) {
        *out = tr_rdf_term_lang(tr_json_text(text), tr_json_text(language));
        if (tr_rdf_language_is_valid(out->language))
            return TR_OK;
        return tr_fail(err, TR_E_INVALID, "'%.*s' is no language tag",
                       TR_FMT(out->language));
    }
    if (!tr_json_is(type, TR_JSON_STRING))
        return fail_value(err);
    TR_TRY(tr_model_untyped_iri(model, tr_json_text(type), arena, &iri, err));
    if (tr_str_eq(iri, TR_STR(TR_RDF_IRI_RDF_LANG_STRING)))
        return tr_fail(err, TR_E_INVALID, TR_RDF_NO_LANGUAGE);
    *out = tr_rdf_term_typed(tr_json_text(text), iri);
    return TR_OK;
}

/* Plain values have the kind that a field would have. */
tr_status tr_model_untyped_term(const struct tr_model *model,
                                const struct tr_json *value,
                                struct tr_arena *arena, tr_rdf_term *out,
                                struct tr_err *err)
{
    struct tr_field field = {.name = TR_STR("value")};
    switch (value->kind) {
    case TR_JSON_STRING:
        field.kind = TR_FIELD_TEXT;
        break;
    case TR_JSON_NUMBER:
        field.kind =
            value->flags & TR_JSON_INTEGER ? TR_FIELD_INTEGER : TR_FIELD_NUMBER;
        break;
    case TR_JSON_BOOL:
        field.kind = TR_FIELD_BOOLEAN;
        break;
    case TR_JSON_OBJECT:
        return read_object(model, value, arena, out, err);
    default:
        return fail_value(err);
    }
    return tr_model_value_to_term(&field, value, arena, out, err);
}
