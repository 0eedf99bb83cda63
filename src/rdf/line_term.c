#include "rdf/line_term.h"

#include "base/ascii.h"
#include "base/scan.h"
#include "base/text.h"
#include "rdf/iri.h"

bool tr_rdf_line_fail(struct tr_rdf_line *line, const char *why)
{
    line->why = why;
    return false;
}

void tr_rdf_line_skip_space(struct tr_rdf_line *line)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
        line->at++;
}

/* UCHAR: \uXXXX or \UXXXXXXXX; the line stands at the backslash. */
static bool take_uchar(struct tr_rdf_line *line, uint32_t *out)
{
    const char *at = line->at + 1;
    int digits = at < line->end && *at == 'U' ? 8 : 4;
    uint32_t code = 0;
    char bytes[4];
    if (at >= line->end || (*at != 'u' && *at != 'U'))
        return tr_rdf_line_fail(line, "unknown escape");
    if (line->end - ++at < digits)
        return tr_rdf_line_fail(line, "incomplete escape");
    for (int i = 0; i < digits; i++) {
        int value = tr_ascii_hex_value(at[i]);
        if (value < 0)
            return tr_rdf_line_fail(line,
                                    "an escape has a character that is no "
                                    "hexadecimal digit");
        code = code << 4 | (uint32_t)value;
    }
    if (tr_utf8_encode(code, bytes) == 0)
        return tr_rdf_line_fail(line, "an escape that is no character");
    line->at = at + digits;
    *out = code;
    return true;
}

/* The one-letter escapes of strings; NUL when `c` is none. */
static char letter_escape(char c)
{
    switch (c) {
    case 't':
        return '\t';
    case 'b':
        return '\b';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 'f':
        return '\f';
    case '"':
    case '\'':
    case '\\':
        return c;
    default:
        return '\0';
    }
}

static bool take_escape(struct tr_rdf_line *line, bool in_string,
                        unsigned *seen)
{
    uint32_t code = 0;
    char bytes[4];
    const char *start = line->at;
    char letter = in_string && line->end - line->at > 1
                      ? letter_escape(line->at[1])
                      : '\0';
    if (letter) {
        line->at += 2;
        tr_buf_putc(line->decoded, letter);
        return true;
    }
    if (!take_uchar(line, &code))
        return false;
    tr_str text = {bytes, tr_utf8_encode(code, bytes)};
    if (!in_string && tr_rdf_iri_scan(text, seen) != text.len) {
        line->at = start;
        return tr_rdf_line_fail(line,
                                "this character is not allowed in an IRI");
    }
    tr_buf_put(line->decoded, text);
    return true;
}

static const char *scan_iri(const char *at, const char *end, unsigned *seen)
{
    return at + tr_rdf_iri_scan((tr_str){at, (size_t)(end - at)}, seen);
}

static const char *scan_string(const char *at, const char *end, unsigned *seen)
{
    (void)seen;
    const char *stop = tr_scan_plain(at, end);
    /* tr_scan_plain stops at control characters. Strings may have them, but for
     * line ends (N-Triples, production STRING_LITERAL_QUOTE). */
    while (stop < end && *stop != '"' && *stop != '\\' && *stop != '\n' &&
           *stop != '\r')
        stop = tr_scan_plain(stop + 1, end);
    return stop;
}

/* Text up to `close`, behind its opening mark; decodes when it must. Notes what
 * an IRI has (tr_rdf_iri_scan). */
static bool take_text(struct tr_rdf_line *line, char close, tr_str *out,
                      unsigned *seen)
{
    const char *(*scan)(const char *, const char *, unsigned *) =
        close == '"' ? scan_string : scan_iri;
    const char *start = line->at;
    size_t decoded = line->decoded->len;
    bool has_escape = false;
    for (;;) {
        const char *plain = line->at;
        line->at = scan(plain, line->end, seen);
        if (line->at == line->end)
            return tr_rdf_line_fail(line, close == '"'
                                              ? "the string does not end"
                                              : "the IRI does not end");
        bool is_escape = *line->at == '\\';
        if (has_escape || is_escape)
            tr_buf_put(line->decoded,
                       (tr_str){plain, (size_t)(line->at - plain)});
        if (*line->at == close)
            break;
        if (!is_escape)
            return tr_rdf_line_fail(
                line, close == '"' ? "a line ends inside a string"
                                   : "this character is not allowed in "
                                     "an IRI");
        has_escape = true;
        if (!take_escape(line, close == '"', seen))
            return false;
    }
    *out = (tr_str){start, (size_t)(line->at - start)};
    if (has_escape)
        *out = tr_str_skip(tr_buf_str(line->decoded), decoded);
    line->at++;
    return true;
}

static bool take_iri_text(struct tr_rdf_line *line, tr_str *out)
{
    const char *start = line->at;
    if (line->at == line->end || *line->at != '<')
        return tr_rdf_line_fail(line, "expected an IRI in angle brackets");
    if (line->end - start > 1 && start[1] == '<')
        return tr_rdf_line_fail(line, TR_RDF_NO_STAR);
    line->at++;
    unsigned seen = 0;
    if (!take_text(line, '>', out, &seen))
        return false;
    if (tr_rdf_iri_check_scanned(*out, seen, line->fault) == TR_OK)
        return true;
    line->at = start;
    return tr_rdf_line_fail(line, tr_rdf_iri_scheme_len(*out)
                                      ? line->fault->msg
                                      : "the IRI is relative; this syntax "
                                        "wants absolute ones");
}

bool tr_rdf_line_iri(struct tr_rdf_line *line, tr_rdf_term *out)
{
    tr_str iri;
    if (!take_iri_text(line, &iri))
        return false;
    *out = tr_rdf_term_iri(iri);
    return true;
}

bool tr_rdf_line_resource(struct tr_rdf_line *line, tr_rdf_term *out)
{
    if (line->end - line->at < 2 || line->at[0] != '_' || line->at[1] != ':') {
        if (line->at < line->end && *line->at == '<')
            return tr_rdf_line_iri(line, out);
        return tr_rdf_line_fail(line, "expected an IRI or a blank node");
    }
    tr_str rest = {line->at + 2, (size_t)(line->end - line->at) - 2};
    size_t len = tr_rdf_label_len(rest);
    if (len == 0)
        return tr_rdf_line_fail(line, "a blank node without a proper label");
    *out = tr_rdf_term_blank((tr_str){rest.ptr, len});
    line->at = rest.ptr + len;
    return true;
}

static bool take_language(struct tr_rdf_line *line, tr_str text,
                          tr_rdf_term *out)
{
    line->at++;
    tr_str rest = {line->at, (size_t)(line->end - line->at)};
    size_t len = tr_rdf_language_len(rest);
    if (len == 0)
        return tr_rdf_line_fail(line, "expected a language tag");
    if (!tr_rdf_language_is_valid((tr_str){rest.ptr, len}))
        return tr_rdf_line_fail(line, TR_RDF_BAD_LANGUAGE);
    *out = tr_rdf_term_lang(text, (tr_str){rest.ptr, len});
    line->at += len;
    return true;
}

static bool take_datatype(struct tr_rdf_line *line, tr_str text,
                          tr_rdf_term *out)
{
    tr_str datatype;
    if (line->end - line->at < 2 || line->at[1] != '^')
        return tr_rdf_line_fail(line, "expected '^^'");
    line->at += 2;
    tr_rdf_line_skip_space(line);
    const char *start = line->at;
    if (!take_iri_text(line, &datatype))
        return false;
    if (tr_str_eq(datatype, TR_STR(TR_RDF_IRI_RDF_LANG_STRING))) {
        line->at = start;
        return tr_rdf_line_fail(line, TR_RDF_NO_LANGUAGE);
    }
    *out = tr_rdf_term_typed(text, datatype);
    return true;
}

bool tr_rdf_line_object(struct tr_rdf_line *line, tr_rdf_term *out)
{
    tr_str text;
    if (line->at == line->end || *line->at != '"') {
        if (line->at < line->end && (*line->at == '<' || *line->at == '_'))
            return tr_rdf_line_resource(line, out);
        return tr_rdf_line_fail(line,
                                "expected an IRI, a blank node or a string");
    }
    line->at++;
    unsigned ignored = 0;
    if (!take_text(line, '"', &text, &ignored))
        return false;
    tr_rdf_line_skip_space(line);
    if (line->at < line->end && *line->at == '@')
        return take_language(line, text, out);
    if (line->at < line->end && *line->at == '^')
        return take_datatype(line, text, out);
    *out = tr_rdf_term_string(text);
    return true;
}
