#include "base/text.h"
#include "rdf/iri.h"
#include "shacl/validator_inside.h"

tr_status tr_shacl_validation_look_up(struct tr_shacl_validation *v,
                                      tr_rdf_id id, const tr_rdf_term **out)
{
    if (v->last != id) {
        TR_TRY(tr_shacl_validation_term(v, id, &v->last_term, v->err));
        v->last = id;
    }
    *out = &v->last_term;
    return TR_OK;
}

static tr_status test_class(struct tr_shacl_validation *v,
                            const struct tr_shacl_constraint *c,
                            tr_rdf_id value, struct tr_shacl_verdict *out)
{
    return tr_shacl_validation_is_instance(v, value, c->term, &out->holds);
}

/* SHACL 4.1.2: also the lexical form has to be one of the datatype's. */
static tr_status test_datatype(struct tr_shacl_validation *v,
                               const struct tr_shacl_constraint *c,
                               tr_rdf_id value, struct tr_shacl_verdict *out)
{
    const tr_rdf_term *term;
    TR_TRY(tr_shacl_validation_look_up(v, value, &term));
    out->holds = term->kind == TR_RDF_TERM_LITERAL &&
                 tr_str_eq(term->datatype, v->shapes->terms[c->term].text) &&
                 (c->datatype == TR_RDF_XSD_UNKNOWN ||
                  c->datatype == TR_RDF_XSD_LANG_STRING ||
                  tr_rdf_xsd_is_valid(c->datatype, term->text));
    return TR_OK;
}

static tr_status test_node_kind(struct tr_shacl_validation *v,
                                const struct tr_shacl_constraint *c,
                                tr_rdf_id value, struct tr_shacl_verdict *out)
{
    const tr_rdf_term *term;
    TR_TRY(tr_shacl_validation_look_up(v, value, &term));
    unsigned bit = term->kind == TR_RDF_TERM_IRI     ? TR_SHACL_NODE_IRI
                   : term->kind == TR_RDF_TERM_BLANK ? TR_SHACL_NODE_BLANK
                                                     : TR_SHACL_NODE_LITERAL;
    out->holds = (c->number & bit) != 0;
    return TR_OK;
}

static tr_status test_in(struct tr_shacl_validation *v,
                         const struct tr_shacl_constraint *c, tr_rdf_id value,
                         struct tr_shacl_verdict *out)
{
    out->holds = false;
    for (size_t i = 0; i < c->term_count && !out->holds; i++)
        out->holds = v->ids[c->terms[i]] == value;
    return tr_shacl_validation_spend(v, c->term_count / 16);
}

/* SHACL 4.3: what SPARQL cannot compare does not conform. */
static tr_status test_range(struct tr_shacl_validation *v,
                            const struct tr_shacl_constraint *c,
                            tr_rdf_id value, struct tr_shacl_verdict *out)
{
    const tr_rdf_term *term;
    tr_rdf_xsd_value number;
    TR_TRY(tr_shacl_validation_look_up(v, value, &term));
    out->holds = false;
    if (term->kind != TR_RDF_TERM_LITERAL || !c->has_bound ||
        !tr_rdf_xsd_parse(term, &number))
        return TR_OK;
    enum tr_rdf_xsd_order order = tr_rdf_xsd_compare(&number, &c->bound);
    switch (c->component) {
    case TR_SHACL_MIN_INCLUSIVE:
        out->holds = order == TR_RDF_XSD_GREATER || order == TR_RDF_XSD_EQUAL;
        break;
    case TR_SHACL_MIN_EXCLUSIVE:
        out->holds = order == TR_RDF_XSD_GREATER;
        break;
    case TR_SHACL_MAX_INCLUSIVE:
        out->holds = order == TR_RDF_XSD_LESS || order == TR_RDF_XSD_EQUAL;
        break;
    default:
        out->holds = order == TR_RDF_XSD_LESS;
        break;
    }
    return TR_OK;
}

/* SHACL 4.4: of literals and IRIs; a blank node has no text. */
static tr_status test_length(struct tr_shacl_validation *v,
                             const struct tr_shacl_constraint *c,
                             tr_rdf_id value, struct tr_shacl_verdict *out)
{
    const tr_rdf_term *term;
    TR_TRY(tr_shacl_validation_look_up(v, value, &term));
    uint64_t length = tr_utf8_count(term->text);
    out->holds = term->kind != TR_RDF_TERM_BLANK &&
                 (c->component == TR_SHACL_MIN_LENGTH ? length >= c->number
                                                      : length <= c->number);
    return TR_OK;
}

static tr_status test_pattern(struct tr_shacl_validation *v,
                              const struct tr_shacl_constraint *c,
                              tr_rdf_id value, struct tr_shacl_verdict *out)
{
    const tr_rdf_term *term;
    struct tr_err why = {0};
    TR_TRY(tr_shacl_validation_look_up(v, value, &term));
    if (term->kind == TR_RDF_TERM_BLANK) {
        out->holds = false;
        return TR_OK;
    }
    tr_arena_reset(&v->scratch);
    tr_status status = tr_field_pattern_match(c->pattern, term->text,
                                              &v->scratch, &out->holds, &why);
    if (status == TR_OK)
        return tr_shacl_validation_spend(v, 1);
    if (status == TR_E_NOMEM)
        return tr_fail(v->err, status, "%s", why.msg);

    /* What could not be decided does not conform. */
    out->holds = false;
    out->hit_limit = status == TR_E_LIMIT;
    return tr_shacl_validation_spend(v, 1000);
}

/* RFC 4647, 3.3.1: basic filtering, as SPARQL's langMatches does it. */
static bool language_matches(tr_str tag, tr_str range)
{
    if (tr_str_eq(range, TR_STR("*")))
        return tag.len > 0;
    if (tag.len < range.len || range.len == 0 ||
        (tag.len > range.len && tag.ptr[range.len] != '-'))
        return false;
    return tr_rdf_language_eq((tr_str){tag.ptr, range.len}, range);
}

static tr_status test_language(struct tr_shacl_validation *v,
                               const struct tr_shacl_constraint *c,
                               tr_rdf_id value, struct tr_shacl_verdict *out)
{
    const tr_rdf_term *term;
    TR_TRY(tr_shacl_validation_look_up(v, value, &term));
    out->holds = false;
    for (size_t i = 0; i < c->term_count && !out->holds; i++)
        out->holds = term->kind == TR_RDF_TERM_LITERAL &&
                     language_matches(term->language,
                                      v->shapes->terms[c->terms[i]].text);
    return TR_OK;
}

/* Whether the verdict is certain, whatever the shapes that are left say. */
static bool is_decided(enum tr_shacl_component component, bool conforms,
                       size_t met)
{
    switch (component) {
    case TR_SHACL_AND:
        return !conforms;
    case TR_SHACL_OR:
        return conforms;
    default:
        return met > 1;
    }
}

/* SHACL 4.6 and 4.7.1: how many of the shapes have to be conformed to. */
static tr_status test_shapes(struct tr_shacl_validation *v,
                             const struct tr_shacl_constraint *c,
                             tr_rdf_id value, struct tr_shacl_verdict *out)
{
    size_t met = 0;
    bool is_enough = false;
    for (size_t i = 0; i < c->shape_count && !is_enough; i++) {
        bool conforms = false;
        TR_TRY(tr_shacl_conforms(v, c->shapes[i], value, &conforms));
        met += conforms;
        is_enough = is_decided(c->component, conforms, met);
    }
    switch (c->component) {
    case TR_SHACL_NOT:
        out->holds = met == 0;
        break;
    case TR_SHACL_OR:
        out->holds = met > 0;
        break;
    case TR_SHACL_XONE:
        out->holds = met == 1;
        break;
    default: /* and, node */
        out->holds = met == c->shape_count;
        break;
    }
    return TR_OK;
}

tr_shacl_value_test *tr_shacl_value_test_of(enum tr_shacl_component component)
{
    static tr_shacl_value_test *const tests[TR_SHACL_COMPONENTS] = {
        [TR_SHACL_CLASS] = test_class,
        [TR_SHACL_DATATYPE] = test_datatype,
        [TR_SHACL_NODE_KIND] = test_node_kind,
        [TR_SHACL_IN] = test_in,
        [TR_SHACL_PATTERN] = test_pattern,
        [TR_SHACL_MIN_LENGTH] = test_length,
        [TR_SHACL_MAX_LENGTH] = test_length,
        [TR_SHACL_MIN_INCLUSIVE] = test_range,
        [TR_SHACL_MIN_EXCLUSIVE] = test_range,
        [TR_SHACL_MAX_INCLUSIVE] = test_range,
        [TR_SHACL_MAX_EXCLUSIVE] = test_range,
        [TR_SHACL_LANGUAGE_IN] = test_language,
        [TR_SHACL_NOT] = test_shapes,
        [TR_SHACL_AND] = test_shapes,
        [TR_SHACL_OR] = test_shapes,
        [TR_SHACL_XONE] = test_shapes,
        [TR_SHACL_NODE] = test_shapes,
    };
    return tests[component];
}
