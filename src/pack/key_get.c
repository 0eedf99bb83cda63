#include "pack/key_inside.h"

/* What is left to read of a key. */
struct source {
    tr_str rest;
    bool is_broken;
};

static uint64_t take(struct source *from, size_t bytes)
{
    uint64_t number = 0;
    if (from->rest.len < bytes) {
        from->is_broken = true;
        return 0;
    }
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | (unsigned char)from->rest.ptr[i];
    from->rest = tr_str_skip(from->rest, bytes);
    return number;
}

static uint64_t take_number(struct source *from)
{
    uint64_t number = take(from, 8);
    if (number == 0 || number > TR_PACK_NUMBER_MAX)
        from->is_broken = true;
    return number;
}

/* A text that ends where the bytes do: whole, or cut. */
static tr_str as_text(struct source *from, tr_str bytes, size_t max,
                      bool *is_cut)
{
    const char *cut =
        bytes.len ? memchr(bytes.ptr, TR_PACK_KEY_CUT, bytes.len) : NULL;
    if (!cut) {
        if (bytes.len > max)
            from->is_broken = true;
        return bytes;
    }
    if (bytes.len != TR_PACK_KEY_CUT_LEN ||
        cut != bytes.ptr + TR_PACK_KEY_CUT_START)
        from->is_broken = true;
    *is_cut = true;
    return (tr_str){bytes.ptr, (size_t)(cut - bytes.ptr)};
}

static void take_text(struct source *from, struct tr_pack_key_value *out)
{
    out->value.text =
        as_text(from, from->rest, TR_PACK_KEY_TEXT_MAX, &out->is_cut);
    from->rest.len = 0;
}

static void take_typed(struct source *from, enum tr_rdf_xsd_type type,
                       struct tr_pack_key_value *out)
{
    out->value.kind = TR_PACK_TYPED;
    out->datatype = tr_rdf_xsd_iri(type);
    if (type == TR_RDF_XSD_UNKNOWN || from->rest.len == 0)
        from->is_broken = true;
    take_text(from, out);
}

static void take_boolean(struct source *from, struct tr_pack_key_value *out)
{
    uint64_t is_true = take(from, 1);
    if (is_true > 1)
        from->is_broken = true;
    if (from->rest.len)
        take_typed(from, TR_RDF_XSD_BOOLEAN, out);
    else
        out->value.kind = is_true ? TR_PACK_TRUE : TR_PACK_FALSE;
}

/* The inverse of tr_pack_key_double, for what a small integer can be. */
static int64_t small_integer(struct source *from, uint64_t sortable)
{
    uint64_t bits =
        sortable & TR_PACK_KEY_SIGN ? sortable ^ TR_PACK_KEY_SIGN : ~sortable;
    double number;
    memcpy(&number, &bits, sizeof(number));
    int64_t integer =
        fabs(number) < (double)TR_PACK_KEY_EXACT ? (int64_t)number : 0;
    if (tr_pack_key_double((double)integer) != sortable)
        from->is_broken = true;
    return integer;
}

static void take_number_type(struct source *from, uint64_t next,
                             struct tr_pack_key_value *out)
{
    uint64_t type = next - TR_PACK_KEY_NUMBER_TYPE + TR_RDF_XSD_DECIMAL;
    if (next < TR_PACK_KEY_NUMBER_TYPE || type > TR_RDF_XSD_FLOAT)
        type = TR_RDF_XSD_UNKNOWN;
    take_typed(from, (enum tr_rdf_xsd_type)type, out);
}

static void take_double(struct source *from, struct tr_pack_key_value *out)
{
    uint64_t sortable = take(from, 8);
    uint64_t next = take(from, 1);
    out->value.kind = TR_PACK_INTEGER;
    if (next == TR_PACK_KEY_SMALL_INTEGER) {
        out->value.scalar = small_integer(from, sortable);
        return;
    }
    if (next == TR_PACK_KEY_LARGE_INTEGER) {
        int64_t integer = (int64_t)(take(from, 8) ^ TR_PACK_KEY_SIGN);
        if (tr_pack_key_is_exact(integer) ||
            tr_pack_key_double((double)integer) != sortable)
            from->is_broken = true;
        out->value.scalar = integer;
        if (from->rest.len == 0)
            return;
        out->value.scalar = 0;
        next = take(from, 1);
    }
    take_number_type(from, next, out);
}

static void take_time(struct source *from, struct tr_pack_key_value *out)
{
    int64_t seconds = (int64_t)(take(from, 8) ^ TR_PACK_KEY_SIGN);
    uint64_t next = take(from, 1);
    if (next == TR_PACK_KEY_CANONICAL_TIME) {
        out->value.kind = TR_PACK_TIME;
        out->value.scalar = seconds;
        if (seconds < TR_PACK_TIME_MIN || seconds > TR_PACK_TIME_MAX)
            from->is_broken = true;
        return;
    }
    if (next != TR_PACK_KEY_OTHER_TIME || take(from, 4) > 999999999)
        from->is_broken = true;
    take_typed(from, tr_pack_key_time_type(take(from, 1)), out);
}

/*
 * Where the text before a language ends. A cut text has its FE in a place where
 * a cut language cannot have one; without that, a cut language has it in its
 * own place before the end, and any other language has no NUL.
 */
static size_t language_text_len(tr_str rest)
{
    const char *cut =
        rest.len ? memchr(rest.ptr, TR_PACK_KEY_CUT, rest.len) : NULL;
    if (cut && cut == rest.ptr + TR_PACK_KEY_CUT_START)
        return TR_PACK_KEY_CUT_LEN;
    if (cut)
        return rest.len > TR_PACK_KEY_CUT_LEN
                   ? rest.len - TR_PACK_KEY_CUT_LEN - 1
                   : rest.len;
    const char *nul = rest.len ? memrchr(rest.ptr, 0, rest.len) : NULL;
    return nul ? (size_t)(nul - rest.ptr) : rest.len;
}

static void take_language(struct source *from, struct tr_pack_key_value *out)
{
    tr_str rest = from->rest;
    size_t len = language_text_len(rest);
    out->value.kind = TR_PACK_LANG;
    from->rest.len = 0;
    if (len + 1 >= rest.len || rest.ptr[len] != 0) {
        from->is_broken = true;
        return;
    }
    out->value.text = as_text(from, (tr_str){rest.ptr, len},
                              TR_PACK_KEY_TEXT_MAX, &out->is_cut);
    out->value.language = as_text(from, tr_str_skip(rest, len + 1),
                                  TR_PACK_KEY_LANGUAGE_MAX, &out->is_cut);
}

static void take_key(struct source *from, struct tr_pack_key_value *out)
{
    switch (take(from, 1)) {
    case TR_PACK_KEY_BOOLEAN:
        take_boolean(from, out);
        break;
    case TR_PACK_KEY_NUMBER:
        take_double(from, out);
        break;
    case TR_PACK_KEY_TIME:
        take_time(from, out);
        break;
    case TR_PACK_KEY_TEXT:
        out->value.kind = TR_PACK_STRING;
        take_text(from, out);
        break;
    case TR_PACK_KEY_LANGUAGE:
        take_language(from, out);
        break;
    case TR_PACK_KEY_OTHER:
        out->value.kind = TR_PACK_TYPED;
        out->value.number = take_number(from);
        take_text(from, out);
        break;
    case TR_PACK_KEY_REFERENCE:
        out->value.kind = TR_PACK_REFERENCE;
        out->value.number = take_number(from);
        break;
    default:
        from->is_broken = true;
    }
}

tr_status tr_pack_key_get(tr_str key, struct tr_pack_key_value *out,
                          struct tr_err *err)
{
    struct tr_pack_key_value value = {0};
    struct source from = {key, false};
    take_key(&from, &value);
    if (from.is_broken || from.rest.len)
        return tr_fail(err, TR_E_IO,
                       "the store is damaged: a key of %zu bytes is none",
                       key.len);
    *out = value;
    return TR_OK;
}
