#include "fields/pattern_names.h"

/* Unicode, PropertyValueAliases, gc */
static const struct {
    const char *name;
    const char *code;
} categories[] = {
    {"Letter", "L"},
    {"Cased_Letter", "L&"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"digit", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Connector_Punctuation", "Pc"},
    {"Dash_Punctuation", "Pd"},
    {"Open_Punctuation", "Ps"},
    {"Close_Punctuation", "Pe"},
    {"Initial_Punctuation", "Pi"},
    {"Final_Punctuation", "Pf"},
    {"Other_Punctuation", "Po"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Modifier_Symbol", "Sk"},
    {"Other_Symbol", "So"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Line_Separator", "Zl"},
    {"Paragraph_Separator", "Zp"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"cntrl", "Cc"},
    {"Format", "Cf"},
    {"Surrogate", "Cs"},
    {"Private_Use", "Co"},
    {"Unassigned", "Cn"},
};

/* ECMA-262, table 69, as far as PCRE2 has them, and `LC`, which it calls L&. */
static const char *const others[] = {
    "Any",       "ASCII", "Alphabetic",  "Alpha", "Lowercase", "Lower", "Upper",
    "Uppercase", "Emoji", "White_Space", "space", "Math",      "LC",
};

/* A name without the property that a category is a value of; `property` is
 * another one, or "". */
static tr_str value_of(tr_str name, tr_str *property)
{
    tr_str value;
    if (!tr_str_cut(name, '=', property, &value)) {
        *property = TR_STR("");
        return name;
    }
    if (tr_str_eq(*property, TR_STR("General_Category")) ||
        tr_str_eq(*property, TR_STR("gc")))
        *property = TR_STR("");
    return value;
}

bool tr_field_pattern_is_name(tr_str name)
{
    static const char *const scripts[] = {"Script", "sc", "Script_Extensions",
                                          "scx"};
    tr_str property;
    tr_str value = value_of(name, &property);
    for (size_t i = 0; property.len && i < TR_LEN(scripts); i++) {
        if (tr_str_eq(property, tr_str_from(scripts[i])))
            return true; /* PCRE2 knows which there are */
    }
    for (size_t i = 0; !property.len && i < TR_LEN(categories); i++) {
        if (tr_str_eq(value, tr_str_from(categories[i].name)) ||
            tr_str_eq(value, tr_str_from(categories[i].code)))
            return !tr_str_eq(value, TR_STR("L&"));
    }
    for (size_t i = 0; !property.len && i < TR_LEN(others); i++) {
        if (tr_str_eq(name, tr_str_from(others[i])))
            return true;
    }
    return false;
}

static tr_str code_of(tr_str name)
{
    tr_str property;
    tr_str value = value_of(name, &property);
    if (!property.len)
        name = value;
    if (tr_str_eq(name, TR_STR("LC")))
        return TR_STR("L&");
    for (size_t i = 0; i < TR_LEN(categories); i++) {
        if (tr_str_eq(name, tr_str_from(categories[i].name)))
            return tr_str_from(categories[i].code);
    }
    return name;
}

/* The length of \p{...} or \P{...} at the front; 0 when it is not there. */
static size_t property_len(tr_str rest)
{
    if (rest.len < 4 || (rest.ptr[1] != 'p' && rest.ptr[1] != 'P') ||
        rest.ptr[2] != '{')
        return 0;
    const char *end = memchr(rest.ptr, '}', rest.len);
    return end ? (size_t)(end - rest.ptr) + 1 : 0;
}

void tr_field_pattern_put_names(struct tr_buf *out, tr_str source)
{
    size_t at = 0;
    while (at < source.len) {
        tr_str rest = tr_str_skip(source, at);
        size_t len = rest.ptr[0] == '\\' ? property_len(rest) : 0;
        if (len) {
            tr_buf_put(out, (tr_str){rest.ptr, 3});
            tr_buf_put(out, code_of((tr_str){rest.ptr + 3, len - 4}));
            tr_buf_putc(out, '}');
        } else {
            /* An escape is two characters, so that \\p is not taken for \p. */
            len = rest.ptr[0] == '\\' && rest.len > 1 ? 2 : 1;
            tr_buf_put(out, (tr_str){rest.ptr, len});
        }
        at += len;
    }
}
