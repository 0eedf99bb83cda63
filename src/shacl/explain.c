#include "rdf/writer.h"
#include "rdf/xsd.h"
#include "shacl/report.h"

/* How many of a list are named. */
enum { NAMED = 12 };

struct explaining {
    struct tr_buf *out;
    const struct tr_shacl_shapes *shapes;
    const struct tr_rdf_prefixes *prefixes; /* or NULL */
};

static void put_term(const struct explaining *e, tr_shacl_term_no no)
{
    const tr_rdf_term *term = &e->shapes->terms[no];
    enum tr_rdf_xsd_type type = tr_rdf_xsd_type_of(term->datatype);
    if (e->prefixes)
        tr_rdf_turtle_write_term(e->out, e->prefixes, term);
    else if (term->kind == TR_RDF_TERM_LITERAL &&
             (tr_rdf_xsd_is_numeric(type) || type == TR_RDF_XSD_BOOLEAN))
        tr_buf_put(e->out, term->text);
    else
        tr_rdf_term_write(e->out, term);
}

static void put_terms(const struct explaining *e, const char *words,
                      const struct tr_shacl_constraint *c)
{
    tr_buf_put(e->out, tr_str_from(words));
    for (size_t i = 0; i < c->term_count && i < NAMED; i++) {
        tr_buf_put(e->out, tr_str_from(i ? ", " : " "));
        put_term(e, c->terms[i]);
    }
    if (c->term_count > NAMED)
        tr_buf_putf(e->out, " and %zu more", c->term_count - NAMED);
}

static void put_shapes(const struct explaining *e, const char *words,
                       const struct tr_shacl_constraint *c)
{
    tr_buf_put(e->out, tr_str_from(words));
    for (size_t i = 0; i < c->shape_count && i < NAMED; i++) {
        tr_buf_put(e->out, tr_str_from(i ? ", " : " "));
        put_term(e, e->shapes->shapes[c->shapes[i]].term);
    }
}

static void put_pattern(const struct explaining *e,
                        const struct tr_shacl_constraint *c, bool hit_limit)
{
    tr_buf_put(e->out, hit_limit ? TR_STR("takes too much work to match ")
                                 : TR_STR("must match "));
    tr_buf_put(e->out, e->shapes->terms[c->term].text);
    if (c->flags.len)
        tr_buf_putf(e->out, " (flags %.*s)", TR_FMT(c->flags));
}

static void put_count(const struct explaining *e,
                      const struct tr_shacl_constraint *c, const char *words,
                      const char *unit)
{
    tr_buf_putf(e->out, "%s %llu %s%s", words, (unsigned long long)c->number,
                unit, c->number == 1 ? "" : "s");
}

static void put_with_term(const struct explaining *e, const char *words,
                          tr_shacl_term_no no)
{
    tr_buf_putf(e->out, "%s ", words);
    put_term(e, no);
}

static void explain_value(const struct explaining *e,
                          const struct tr_shacl_constraint *c, bool hit_limit)
{
    static const char *const words[TR_SHACL_COMPONENTS] = {
        [TR_SHACL_CLASS] = "must be an instance of",
        [TR_SHACL_DATATYPE] = "must be a literal of",
        [TR_SHACL_NODE_KIND] = "must be of kind",
        [TR_SHACL_MIN_INCLUSIVE] = "must be at least",
        [TR_SHACL_MIN_EXCLUSIVE] = "must be more than",
        [TR_SHACL_MAX_INCLUSIVE] = "must be at most",
        [TR_SHACL_MAX_EXCLUSIVE] = "must be less than",
        [TR_SHACL_EQUALS] = "must have the same values as",
        [TR_SHACL_DISJOINT] = "must not be a value of",
        [TR_SHACL_LESS_THAN] = "must be less than every value of",
        [TR_SHACL_LESS_THAN_OR_EQUALS] = "must be at most every value of",
        [TR_SHACL_HAS_VALUE] = "must have the value",
    };
    if (c->component == TR_SHACL_PATTERN)
        put_pattern(e, c, hit_limit);
    else if (words[c->component])
        put_with_term(e, words[c->component], c->term);
}

static void explain_shapes(const struct explaining *e,
                           const struct tr_shacl_constraint *c)
{
    static const char *const words[TR_SHACL_COMPONENTS] = {
        [TR_SHACL_NOT] = "must not conform to",
        [TR_SHACL_AND] = "must conform to all of",
        [TR_SHACL_OR] = "must conform to one of",
        [TR_SHACL_XONE] = "must conform to exactly one of",
        [TR_SHACL_NODE] = "must conform to",
        [TR_SHACL_QUALIFIED_MIN] = " that conform to",
        [TR_SHACL_QUALIFIED_MAX] = " that conform to",
    };
    if (words[c->component])
        put_shapes(e, words[c->component], c);
}

void tr_shacl_explain(struct tr_buf *out, const struct tr_shacl_shapes *shapes,
                      const struct tr_shacl_result *result,
                      const struct tr_rdf_prefixes *prefixes)
{
    const struct explaining e = {out, shapes, prefixes};
    const struct tr_shacl_constraint *c =
        &shapes->shapes[result->shape].constraints[result->constraint];
    switch (c->component) {
    case TR_SHACL_MIN_COUNT:
    case TR_SHACL_QUALIFIED_MIN:
        put_count(&e, c, "must have at least", "value");
        break;
    case TR_SHACL_MAX_COUNT:
    case TR_SHACL_QUALIFIED_MAX:
        put_count(&e, c, "must have at most", "value");
        break;
    case TR_SHACL_MIN_LENGTH:
        put_count(&e, c, "must have at least", "character");
        break;
    case TR_SHACL_MAX_LENGTH:
        put_count(&e, c, "must have at most", "character");
        break;
    case TR_SHACL_IN:
        put_terms(&e, "must be one of", c);
        break;
    case TR_SHACL_LANGUAGE_IN:
        put_terms(&e, "must be in one of the languages", c);
        break;
    case TR_SHACL_UNIQUE_LANG:
        tr_buf_put(out, TR_STR("may have one value in each language"));
        break;
    case TR_SHACL_CLOSED:
        tr_buf_put(out, TR_STR("is not a property that this shape knows"));
        break;
    default:
        explain_value(&e, c, result->hit_limit);
        break;
    }
    explain_shapes(&e, c);
}
