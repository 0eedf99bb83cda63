#include "graph/uri.h"

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || (c && strchr("-._~", c));
}

static void put_escaped(struct tr_buf *out, tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (is_unreserved(text.ptr[i]))
            tr_buf_putc(out, text.ptr[i]);
        else
            tr_buf_putf(out, "%%%02X", (unsigned char)text.ptr[i]);
    }
}

/* Cuts "trails://project/Type/" off; false when that is not how it begins. */
static bool cut_home(const struct tr_type *type, const struct tr_model *model,
                     tr_str *iri)
{
    const tr_str parts[] = {TR_STR("trails://"), model->project, TR_STR("/"),
                            type->name, TR_STR("/")};
    tr_str rest = *iri;
    for (size_t i = 0; i < TR_LEN(parts); i++) {
        if (!tr_str_starts(rest, parts[i]))
            return false;
        rest = tr_str_skip(rest, parts[i].len);
    }
    if (!rest.len || memchr(rest.ptr, '/', rest.len))
        return false;
    *iri = rest;
    return true;
}

void tr_kg_uri_write(struct tr_buf *out, const struct tr_type *type, tr_str iri,
                     const struct tr_model *model)
{
    tr_buf_putf(out, "trails://kg/%.*s", TR_FMT(type->name));
    if (!iri.len)
        return;
    tr_buf_putc(out, '/');
    (void)cut_home(type, model, &iri);
    put_escaped(out, iri);
}
