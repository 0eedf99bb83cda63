#include "rdf/xsd_text.h"

#include "base/ascii.h"
#include "base/text.h"
#include "rdf/iri.h"

static bool is_normalized(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '\t' || c == '\n' || c == '\r')
            return false;
    }
    return true;
}

/* No space at the ends, none beside another. */
static bool is_token(tr_str text)
{
    bool after_space = true;
    for (size_t i = 0; i < text.len; i++) {
        bool is_space = text.ptr[i] == ' ';
        if (is_space && after_space)
            return false;
        after_space = is_space;
    }
    return is_normalized(text) && (text.len == 0 || !after_space);
}

/* [a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})* */
static bool is_language(tr_str text)
{
    size_t part = 0;
    if (text.len == 0 || tr_rdf_language_len(text) != text.len)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        part = text.ptr[i] == '-' ? 0 : part + 1;
        if (part > 8)
            return false;
    }
    return true;
}

/* The names of XML; PN_CHARS are its characters but for '.' and ':'. */
static bool is_name(tr_str text, bool with_start, bool with_colon)
{
    bool is_first = true;
    while (text.len) {
        uint32_t c = 0;
        size_t len = tr_utf8_decode(text, &c);
        bool is_start = tr_rdf_is_name_start(c) || (with_colon && c == ':');
        bool is_rest = is_start || tr_rdf_is_name_char(c) || c == '.';
        if (len == 0 || !(is_first && with_start ? is_start : is_rest))
            return false;
        is_first = false;
        text = tr_str_skip(text, len);
    }
    return !is_first;
}

static bool is_hex_binary(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (tr_ascii_hex_value(text.ptr[i]) < 0)
            return false;
    }
    return text.len % 2 == 0;
}

/* Groups of four, single spaces between characters, bits that are not used
 * are zero (XSD 1.1, 3.3.16.2). */
static bool is_base64_binary(tr_str text)
{
    size_t count = 0;
    size_t padding = 0;
    char last = 'A';
    if (!is_token(text))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == ' ')
            continue;
        count++;
        if (c == '=')
            padding++;
        else if (padding || !(tr_ascii_is_alnum(c) || c == '+' || c == '/'))
            return false;
        else
            last = c;
    }
    if (count % 4 || padding > 2)
        return false;
    return padding == 0 ||
           strchr(padding == 1 ? "AEIMQUYcgkosw048" : "AQgw", last) != NULL;
}

bool tr_rdf_xsd_text_is_valid(enum tr_rdf_xsd_type type, tr_str text)
{
    switch ((int)type) {
    case TR_RDF_XSD_NORMALIZED_STRING:
        return is_normalized(text);
    case TR_RDF_XSD_TOKEN:
        return is_token(text);
    case TR_RDF_XSD_LANGUAGE:
        return is_language(text);
    case TR_RDF_XSD_NMTOKEN:
        return is_name(text, false, true);
    case TR_RDF_XSD_NAME:
        return is_name(text, true, true);
    case TR_RDF_XSD_NCNAME:
        return is_name(text, true, false);
    case TR_RDF_XSD_HEX_BINARY:
        return is_hex_binary(text);
    case TR_RDF_XSD_BASE64_BINARY:
        return is_base64_binary(text);
    default: /* XSD 1.1, 3.3.17: any text is an anyURI */
        return true;
    }
}
