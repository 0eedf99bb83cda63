#include "rdf/term.h"

#include "base/scan.h"

bool tr_rdf_term_eq(const tr_rdf_term *a, const tr_rdf_term *b)
{
    return a->kind == b->kind && tr_str_eq(a->text, b->text) &&
           tr_str_eq(a->datatype, b->datatype) &&
           tr_str_eq(a->language, b->language);
}

int tr_rdf_term_cmp(const tr_rdf_term *a, const tr_rdf_term *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int order = tr_str_cmp(a->text, b->text);
    if (order == 0)
        order = tr_str_cmp(a->datatype, b->datatype);
    return order ? order : tr_str_cmp(a->language, b->language);
}

bool tr_rdf_term_copy(struct tr_arena *arena, const tr_rdf_term *term,
                      tr_rdf_term *out)
{
    out->kind = term->kind;
    return tr_arena_copy(arena, term->text, &out->text) &&
           tr_arena_copy(arena, term->datatype, &out->datatype) &&
           tr_arena_copy(arena, term->language, &out->language);
}

bool tr_rdf_quad_copy(struct tr_arena *arena, const tr_rdf_quad *quad,
                      tr_rdf_quad *out)
{
    return tr_rdf_term_copy(arena, &quad->subject, &out->subject) &&
           tr_rdf_term_copy(arena, &quad->predicate, &out->predicate) &&
           tr_rdf_term_copy(arena, &quad->object, &out->object) &&
           tr_rdf_term_copy(arena, &quad->graph, &out->graph);
}

/* N-Triples wants line ends, quotes and the backslash escaped; the other
 * control characters are too, so that a line stays readable. */
static void write_special(struct tr_buf *out, char c)
{
    static const char names[] = "\"\"\\\\\nn\rr\tt\bb\ff";
    for (const char *name = names; *name; name += 2) {
        if (*name == c) {
            tr_buf_putc(out, '\\');
            tr_buf_putc(out, name[1]);
            return;
        }
    }
    tr_buf_putf(out, "\\u%04X", (unsigned)(unsigned char)c);
}

/* What an N-Triples string holds between its quotes. */
static void write_escaped(struct tr_buf *out, tr_str text)
{
    const char *at = text.ptr;
    const char *end = text.ptr + text.len;
    while (text.len && at < end) {
        const char *special = tr_scan_plain(at, end);
        tr_buf_put(out, (tr_str){at, (size_t)(special - at)});
        if (special < end)
            write_special(out, *special++);
        at = special;
    }
}

static void write_iri(struct tr_buf *out, tr_str iri)
{
    tr_buf_putc(out, '<');
    tr_buf_put(out, iri);
    tr_buf_putc(out, '>');
}

bool tr_rdf_literal_write_start(struct tr_buf *out, const tr_rdf_term *literal)
{
    tr_buf_putc(out, '"');
    write_escaped(out, literal->text);
    tr_buf_putc(out, '"');
    if (literal->language.len) {
        tr_buf_putc(out, '@');
        tr_buf_put(out, literal->language);
        return false;
    }
    if (tr_str_eq(literal->datatype, TR_STR(TR_RDF_IRI_XSD_STRING)))
        return false;
    tr_buf_put(out, TR_STR("^^"));
    return true;
}

void tr_rdf_term_write(struct tr_buf *out, const tr_rdf_term *term)
{
    switch (term->kind) {
    case TR_RDF_TERM_NONE:
        break;
    case TR_RDF_TERM_IRI:
        write_iri(out, term->text);
        break;
    case TR_RDF_TERM_BLANK:
        tr_buf_put(out, TR_STR("_:"));
        tr_buf_put(out, term->text);
        break;
    case TR_RDF_TERM_LITERAL:
        if (tr_rdf_literal_write_start(out, term))
            write_iri(out, term->datatype);
        break;
    }
}
