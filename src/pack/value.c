#include "pack/value.h"

#include "crypto/digest.h"
#include "pack/number.h"

static bool is_datatype(const tr_rdf_term *term, const char *iri, size_t len)
{
    return tr_str_eq(term->datatype, (tr_str){iri, len});
}

#define IS_DATATYPE(term, iri) is_datatype(term, iri, sizeof(iri) - 1)

/* The kind of a literal without a language, and its scalar. */
static enum tr_pack_kind kind_of(const tr_rdf_term *term, int64_t *scalar)
{
    if (IS_DATATYPE(term, TR_RDF_IRI_XSD_STRING))
        return TR_PACK_STRING;
    if (IS_DATATYPE(term, TR_RDF_IRI_XSD_INTEGER) &&
        tr_pack_integer_parse(term->text, scalar))
        return TR_PACK_INTEGER;
    if (IS_DATATYPE(term, TR_RDF_IRI_XSD_DATE_TIME) &&
        tr_pack_time_parse(term->text, scalar))
        return TR_PACK_TIME;
    if (!IS_DATATYPE(term, TR_RDF_IRI_XSD_BOOLEAN))
        return TR_PACK_TYPED;
    if (tr_str_eq(term->text, TR_STR("true")))
        return TR_PACK_TRUE;
    return tr_str_eq(term->text, TR_STR("false")) ? TR_PACK_FALSE
                                                  : TR_PACK_TYPED;
}

bool tr_pack_value_of(const tr_rdf_term *term, struct tr_pack_value *out)
{
    struct tr_pack_value value = {.text = term->text};
    switch (term->kind) {
    case TR_RDF_TERM_IRI:
        value.kind = TR_PACK_REFERENCE;
        value.text = (tr_str){NULL, 0};
        break;
    case TR_RDF_TERM_LITERAL:
        value.language = term->language;
        value.kind =
            term->language.len ? TR_PACK_LANG : kind_of(term, &value.scalar);
        break;
    case TR_RDF_TERM_NONE:
    case TR_RDF_TERM_BLANK:
        return false;
    }
    *out = value;
    return true;
}

static void put_number(struct tr_buf *out, uint64_t number)
{
    char bytes[TR_PACK_NUMBER_BYTES];
    size_t len = (size_t)(tr_pack_number_put(bytes, number) - bytes);
    tr_buf_put(out, (tr_str){bytes, len});
}

void tr_pack_value_put(struct tr_buf *out, const struct tr_pack_value *value)
{
    tr_buf_putc(out, (char)value->kind);
    switch (value->kind) {
    case TR_PACK_REFERENCE:
        put_number(out, value->number);
        break;
    case TR_PACK_FALSE:
    case TR_PACK_TRUE:
        break;
    case TR_PACK_INTEGER:
    case TR_PACK_TIME:
        put_number(out, tr_pack_zigzag(value->scalar));
        break;
    case TR_PACK_STRING:
        tr_buf_put(out, value->text);
        break;
    case TR_PACK_TYPED:
        put_number(out, value->number);
        tr_buf_put(out, value->text);
        break;
    case TR_PACK_LANG:
        put_number(out, value->language.len);
        tr_buf_put(out, value->language);
        tr_buf_put(out, value->text);
        break;
    case TR_PACK_LONG:
        put_number(out, value->len);
        tr_buf_put(out, value->text);
        put_number(out, value->number);
        break;
    }
}

void tr_pack_value_put_long(struct tr_buf *out, tr_str bytes, uint64_t row)
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    tr_crypto_sha256(bytes, digest);
    tr_pack_value_put(out, &(struct tr_pack_value){
                               .kind = TR_PACK_LONG,
                               .number = row,
                               .len = bytes.len,
                               .text = {(const char *)digest, sizeof(digest)},
                           });
}

/* What is left to read of a value; NULL once something is wrong. */
struct source {
    const char *at;
    const char *end;
};

static uint64_t take_number(struct source *from)
{
    uint64_t number = 0;
    if (from->at)
        from->at = tr_pack_number_get(from->at, from->end, &number);
    return number;
}

/* The number of something: 0 is nobody's. */
static uint64_t take_name(struct source *from)
{
    uint64_t number = take_number(from);
    if (number == 0 || number > TR_PACK_NUMBER_MAX)
        from->at = NULL;
    return number;
}

static tr_str take_bytes(struct source *from, uint64_t len)
{
    tr_str bytes = {from->at, (size_t)len};
    if (from->at && len > (size_t)(from->end - from->at))
        from->at = NULL;
    if (!from->at)
        return (tr_str){NULL, 0};
    from->at += len;
    return bytes;
}

static tr_str take_rest(struct source *from)
{
    return from->at ? take_bytes(from, (uint64_t)(from->end - from->at))
                    : (tr_str){NULL, 0};
}

static void take_lang(struct source *from, struct tr_pack_value *out)
{
    uint64_t len = take_number(from);
    if (len == 0)
        from->at = NULL;
    out->language = take_bytes(from, len);
    out->text = take_rest(from);
}

static void take_long(struct source *from, struct tr_pack_value *out)
{
    out->len = take_number(from);
    if (out->len <= TR_PACK_VALUE_MAX)
        from->at = NULL;
    out->text = take_bytes(from, TR_CRYPTO_SHA256_BYTES);
    out->number = take_name(from);
}

static void take_value(struct source *from, struct tr_pack_value *out)
{
    switch (out->kind) {
    case TR_PACK_REFERENCE:
        out->number = take_name(from);
        break;
    case TR_PACK_FALSE:
    case TR_PACK_TRUE:
        break;
    case TR_PACK_INTEGER:
        out->scalar = tr_pack_unzigzag(take_number(from));
        break;
    case TR_PACK_TIME:
        out->scalar = tr_pack_unzigzag(take_number(from));
        if (out->scalar < TR_PACK_TIME_MIN || out->scalar > TR_PACK_TIME_MAX)
            from->at = NULL;
        break;
    case TR_PACK_STRING:
        out->text = take_rest(from);
        break;
    case TR_PACK_TYPED:
        out->number = take_name(from);
        out->text = take_rest(from);
        break;
    case TR_PACK_LANG:
        take_lang(from, out);
        break;
    case TR_PACK_LONG:
        take_long(from, out);
        break;
    default:
        from->at = NULL;
    }
}

tr_status tr_pack_value_get(tr_str bytes, struct tr_pack_value *out,
                            struct tr_err *err)
{
    struct tr_pack_value value = {0};
    if (!bytes.len)
        return tr_fail(err, TR_E_IO, "the store is damaged: an empty value");
    struct source from = {bytes.ptr + 1, bytes.ptr + bytes.len};
    value.kind = (enum tr_pack_kind)(unsigned char)bytes.ptr[0];
    take_value(&from, &value);
    if (from.at != from.end)
        return tr_fail(err, TR_E_IO,
                       "the store is damaged: a value of kind %d and %zu bytes "
                       "is none",
                       (int)value.kind, bytes.len);
    *out = value;
    return TR_OK;
}

tr_rdf_term tr_pack_value_term(const struct tr_pack_value *value, tr_str iri,
                               char text[TR_PACK_CANONICAL_TEXT])
{
    switch (value->kind) {
    case TR_PACK_REFERENCE:
        return tr_rdf_term_iri(iri);
    case TR_PACK_FALSE:
        return tr_rdf_term_typed(TR_STR("false"),
                                 TR_STR(TR_RDF_IRI_XSD_BOOLEAN));
    case TR_PACK_TRUE:
        return tr_rdf_term_typed(TR_STR("true"),
                                 TR_STR(TR_RDF_IRI_XSD_BOOLEAN));
    case TR_PACK_INTEGER:
        return tr_rdf_term_typed(tr_pack_integer_write(value->scalar, text),
                                 TR_STR(TR_RDF_IRI_XSD_INTEGER));
    case TR_PACK_TIME:
        return tr_rdf_term_typed(tr_pack_time_write(value->scalar, text),
                                 TR_STR(TR_RDF_IRI_XSD_DATE_TIME));
    case TR_PACK_STRING:
        return tr_rdf_term_string(value->text);
    case TR_PACK_TYPED:
        return tr_rdf_term_typed(value->text, iri);
    case TR_PACK_LANG:
        return tr_rdf_term_lang(value->text, value->language);
    case TR_PACK_LONG:
        break;
    }
    return (tr_rdf_term){.kind = TR_RDF_TERM_NONE};
}

tr_str tr_pack_value_identity(tr_str bytes)
{
    uint64_t len;
    if (bytes.len == 0 || bytes.ptr[0] != TR_PACK_LONG)
        return bytes;
    const char *digest =
        tr_pack_number_get(bytes.ptr + 1, bytes.ptr + bytes.len, &len);
    if (!digest)
        return bytes;
    size_t known = (size_t)(digest - bytes.ptr) + TR_CRYPTO_SHA256_BYTES;
    return (tr_str){bytes.ptr, known < bytes.len ? known : bytes.len};
}

int tr_pack_value_cmp(tr_str a, tr_str b)
{
    return tr_str_cmp(tr_pack_value_identity(a), tr_pack_value_identity(b));
}
