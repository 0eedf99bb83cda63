#include "shacl/reader_inside.h"

static const char *parameter_of(const struct tr_shacl_constraint *constraint)
{
    return tr_shacl_component_info(constraint->component)->parameter;
}

static bool is_literal_of(const tr_rdf_term *term, const char *datatype)
{
    return term->kind == TR_RDF_TERM_LITERAL &&
           tr_str_eq(term->datatype, tr_str_from(datatype));
}

tr_status tr_shacl_read_count(struct tr_shacl_reader *r, tr_rdf_id value,
                              const char *parameter, uint64_t *out)
{
    tr_rdf_term term;
    int64_t number = -1;
    TR_TRY(tr_rdf_graph_get(r->graph, value, &term, r->err));
    if (term.kind != TR_RDF_TERM_LITERAL ||
        !tr_rdf_xsd_is_integer(tr_rdf_xsd_type_of(term.datatype)) ||
        !tr_str_to_i64(term.text, &number) || number < 0)
        return tr_shacl_fail(r, TR_E_INVALID,
                             "sh:%s must be an integer, not below 0",
                             parameter);
    *out = (uint64_t)number;
    return TR_OK;
}

/*
 * Only the lexical form "true" switches something on (SHACL, section 1.2, and
 * the W3C test uniqueLang-002): "1" is a boolean, and means nothing.
 */
tr_status tr_shacl_read_true(struct tr_shacl_reader *r, tr_rdf_id value,
                             const char *parameter, bool *out)
{
    tr_rdf_term term;
    *out = false;
    if (value == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(r->graph, value, &term, r->err));
    if (!is_literal_of(&term, TR_RDF_IRI_XSD_BOOLEAN) ||
        !tr_rdf_xsd_is_valid(TR_RDF_XSD_BOOLEAN, term.text))
        return tr_shacl_fail(r, TR_E_INVALID, "sh:%s must be true or false",
                             parameter);
    *out = tr_str_eq(term.text, TR_STR("true"));
    return TR_OK;
}

static tr_status read_iri(struct tr_shacl_reader *r, tr_rdf_id value,
                          struct tr_shacl_constraint *out)
{
    TR_TRY(tr_shacl_term(r, value, &out->term));
    const tr_rdf_term *term = &r->terms.items[out->term];
    if (term->kind != TR_RDF_TERM_IRI)
        return tr_shacl_fail(r, TR_E_INVALID, "sh:%s must be an IRI",
                             parameter_of(out));
    out->datatype = tr_rdf_xsd_type_of(term->text);
    return TR_OK;
}

static tr_status read_node_kind(struct tr_shacl_reader *r, tr_rdf_id value,
                                struct tr_shacl_constraint *out)
{
    static const struct {
        const char *iri;
        unsigned bits;
    } kinds[] = {
        {TR_SHACL_IRI("IRI"), TR_SHACL_NODE_IRI},
        {TR_SHACL_IRI("BlankNode"), TR_SHACL_NODE_BLANK},
        {TR_SHACL_IRI("Literal"), TR_SHACL_NODE_LITERAL},
        {TR_SHACL_IRI("BlankNodeOrIRI"),
         TR_SHACL_NODE_BLANK | TR_SHACL_NODE_IRI},
        {TR_SHACL_IRI("BlankNodeOrLiteral"),
         TR_SHACL_NODE_BLANK | TR_SHACL_NODE_LITERAL},
        {TR_SHACL_IRI("IRIOrLiteral"),
         TR_SHACL_NODE_IRI | TR_SHACL_NODE_LITERAL},
    };
    TR_TRY(tr_shacl_term(r, value, &out->term));
    const tr_rdf_term *term = &r->terms.items[out->term];
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        if (term->kind == TR_RDF_TERM_IRI &&
            tr_str_eq(term->text, tr_str_from(kinds[i].iri)))
            out->number = kinds[i].bits;
    }
    if (!out->number)
        return tr_shacl_fail(r, TR_E_INVALID,
                             "sh:nodeKind must be one of sh:IRI, sh:Literal, "
                             "sh:BlankNode and the pairs of them");
    return TR_OK;
}

static tr_status read_literal(struct tr_shacl_reader *r, tr_rdf_id value,
                              struct tr_shacl_constraint *out)
{
    TR_TRY(tr_shacl_term(r, value, &out->term));
    const tr_rdf_term *term = &r->terms.items[out->term];
    if (term->kind != TR_RDF_TERM_LITERAL)
        return tr_shacl_fail(r, TR_E_INVALID, "sh:%s must be a literal",
                             parameter_of(out));
    out->has_bound = tr_rdf_xsd_parse(term, &out->bound);
    return TR_OK;
}

static bool has_flag(tr_str flags, char flag)
{
    return flags.len && memchr(flags.ptr, flag, flags.len);
}

/* Flag q: every character stands for itself. */
static void put_quoted(struct tr_buf *out, tr_str source)
{
    static const char special[] = "\\^$.|?*+()[]{}-/";
    for (size_t i = 0; i < source.len; i++) {
        if (memchr(special, source.ptr[i], sizeof(special) - 1))
            tr_buf_putc(out, '\\');
        tr_buf_putc(out, source.ptr[i]);
    }
}

/* Flag x: white space goes, but in classes; '#' starts no comment here, as it
 * does in PCRE2 (XPath and XQuery Functions 2.0, 7.6.1.1). */
static void put_without_space(struct tr_buf *out, tr_str source)
{
    static const char spaces[] = {' ', '\t', '\r', '\n'};
    unsigned classes = 0;
    for (size_t i = 0; i < source.len; i++) {
        char c = source.ptr[i];
        if (!classes && memchr(spaces, c, sizeof(spaces)))
            continue;
        if (c == '[')
            classes++;
        else if (c == ']' && classes)
            classes--;
        tr_buf_putc(out, c);
        if (c == '\\' && i + 1 < source.len)
            tr_buf_putc(out, source.ptr[++i]);
    }
}

/* sh:pattern's flags are those of SPARQL's REGEX: i, s, m, x and q. */
static tr_status put_source(struct tr_shacl_reader *r, tr_str source,
                            tr_str flags)
{
    static const char known[] = {'i', 's', 'm', 'x', 'q'};
    struct tr_buf *out = &r->text;
    for (size_t i = 0; i < flags.len; i++) {
        if (!memchr(known, flags.ptr[i], sizeof(known)))
            return tr_shacl_fail(r, TR_E_INVALID,
                                 "sh:flags may have i, s, m, x and q only");
    }
    tr_buf_clear(out);
    if (has_flag(flags, 'q')) {
        put_quoted(out, source);
        return tr_buf_check(out, r->err);
    }
    if (has_flag(flags, 's'))
        tr_buf_put(out, TR_STR("(?s)"));
    if (has_flag(flags, 'm'))
        tr_buf_put(out, TR_STR("(?m)"));
    if (has_flag(flags, 'x'))
        put_without_space(out, source);
    else
        tr_buf_put(out, source);
    return tr_buf_check(out, r->err);
}

static tr_status read_flags(struct tr_shacl_reader *r, tr_rdf_id flags,
                            tr_str *out)
{
    tr_rdf_term term;
    if (flags == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(r->graph, flags, &term, r->err));
    if (!is_literal_of(&term, TR_RDF_IRI_XSD_STRING))
        return tr_shacl_fail(r, TR_E_INVALID, "sh:flags must be a string");
    return tr_arena_copy(r->arena, term.text, out) ? TR_OK
                                                   : tr_shacl_fail_memory(r);
}

tr_status tr_shacl_read_pattern(struct tr_shacl_reader *r, tr_rdf_id flags,
                                struct tr_shacl_constraint *out)
{
    tr_str source = r->terms.items[out->term].text;
    TR_TRY(read_flags(r, flags, &out->flags));
    TR_TRY(put_source(r, source, out->flags));
    unsigned options =
        out->flags.len && memchr(out->flags.ptr, 'i', out->flags.len)
            ? TR_FIELD_PATTERN_CASELESS
            : 0;
    struct tr_err err = {0};
    tr_status status =
        tr_field_pattern_compile(&r->shapes->patterns, tr_buf_str(&r->text),
                                 options, &out->pattern, &err);
    bool is_text =
        out->flags.len && memchr(out->flags.ptr, 'q', out->flags.len);
    if (status == TR_OK && !is_text)
        status = tr_field_pattern_check(source, true, &err);
    if (status == TR_OK)
        return TR_OK;
    return tr_shacl_fail(r, status, "sh:pattern: %s", err.msg);
}

static tr_status read_text(struct tr_shacl_reader *r, tr_rdf_id value,
                           struct tr_shacl_constraint *out)
{
    TR_TRY(tr_shacl_term(r, value, &out->term));
    if (!is_literal_of(&r->terms.items[out->term], TR_RDF_IRI_XSD_STRING))
        return tr_shacl_fail(r, TR_E_INVALID, "sh:%s must be a string",
                             parameter_of(out));
    return TR_OK;
}

static tr_status read_terms(struct tr_shacl_reader *r, tr_rdf_id value,
                            struct tr_shacl_constraint *out)
{
    struct tr_shacl_nodes members;
    char what[32];
    (void)snprintf(what, sizeof(what), "sh:%s", parameter_of(out));
    TR_TRY(tr_shacl_list(r, value, what, &members));
    tr_shacl_term_no *terms =
        TR_NEW_ARRAY(r->arena, tr_shacl_term_no, members.count);
    if (!terms)
        return tr_shacl_fail_memory(r);
    for (size_t i = 0; i < members.count; i++)
        TR_TRY(tr_shacl_term(r, members.items[i], &terms[i]));
    out->terms = terms;
    out->term_count = members.count;
    return TR_OK;
}

static tr_status read_languages(struct tr_shacl_reader *r, tr_rdf_id value,
                                struct tr_shacl_constraint *out)
{
    TR_TRY(read_terms(r, value, out));
    for (size_t i = 0; i < out->term_count; i++) {
        if (!is_literal_of(&r->terms.items[out->terms[i]],
                           TR_RDF_IRI_XSD_STRING))
            return tr_shacl_fail(r, TR_E_INVALID,
                                 "sh:languageIn must be a list of strings");
    }
    return TR_OK;
}

static tr_status read_shapes(struct tr_shacl_reader *r,
                             const struct tr_shacl_nodes *nodes,
                             struct tr_shacl_constraint *out)
{
    uint32_t *shapes = TR_NEW_ARRAY(r->arena, uint32_t, nodes->count);
    if (!shapes)
        return tr_shacl_fail_memory(r);
    for (size_t i = 0; i < nodes->count; i++)
        TR_TRY(tr_shacl_shape_at(r, nodes->items[i], &shapes[i]));
    out->shapes = shapes;
    out->shape_count = nodes->count;
    return TR_OK;
}

static tr_status read_shape_list(struct tr_shacl_reader *r, tr_rdf_id value,
                                 struct tr_shacl_constraint *out)
{
    struct tr_shacl_nodes members;
    char what[32];
    (void)snprintf(what, sizeof(what), "sh:%s", parameter_of(out));
    TR_TRY(tr_shacl_list(r, value, what, &members));
    return read_shapes(r, &members, out);
}

tr_status tr_shacl_read_parameter(struct tr_shacl_reader *r, tr_rdf_id value,
                                  struct tr_shacl_constraint *out)
{
    switch (tr_shacl_component_info(out->component)->kind) {
    case TR_SHACL_PARAMETER_COUNT:
        return tr_shacl_read_count(r, value, parameter_of(out), &out->number);
    case TR_SHACL_PARAMETER_IRI:
        return read_iri(r, value, out);
    case TR_SHACL_PARAMETER_NODE_KIND:
        return read_node_kind(r, value, out);
    case TR_SHACL_PARAMETER_LITERAL:
        return read_literal(r, value, out);
    case TR_SHACL_PARAMETER_PATTERN:
        return read_text(r, value, out);
    case TR_SHACL_PARAMETER_TERM:
        return tr_shacl_term(r, value, &out->term);
    case TR_SHACL_PARAMETER_TERMS:
        return read_terms(r, value, out);
    case TR_SHACL_PARAMETER_LANGUAGES:
        return read_languages(r, value, out);
    case TR_SHACL_PARAMETER_SHAPE:
        return read_shapes(r, &(struct tr_shacl_nodes){&value, 1, 1}, out);
    case TR_SHACL_PARAMETER_SHAPES:
        return read_shape_list(r, value, out);
    case TR_SHACL_PARAMETER_TRUE:
    case TR_SHACL_PARAMETER_QUALIFIED:
        break;
    }
    return TR_OK;
}
