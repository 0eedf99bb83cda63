#include "rows/term_id.h"

/* Added to a number, so that payloads are positive. */
#define HALF (INT64_C(1) << 57)

static bool code(int64_t scalar, enum tr_rows_term_tag tag, tr_rdf_id *out)
{
    if (scalar < -HALF || scalar >= HALF)
        return false;
    *out = tr_rows_id_make((uint64_t)(scalar + HALF), tag);
    return true;
}

bool tr_rows_id_of_value(const struct tr_pack_value *value, tr_rdf_id *out)
{
    switch (value->kind) {
    case TR_PACK_REFERENCE:
        *out = tr_rows_id_make(value->number, TR_ROWS_TAG_IRI);
        return true;
    case TR_PACK_FALSE:
    case TR_PACK_TRUE:
        *out =
            tr_rows_id_make(value->kind == TR_PACK_TRUE, TR_ROWS_TAG_BOOLEAN);
        return true;
    case TR_PACK_INTEGER:
        return code(value->scalar, TR_ROWS_TAG_INTEGER, out);
    case TR_PACK_TIME:
        return code(value->scalar, TR_ROWS_TAG_DATETIME, out);
    default:
        return false;
    }
}

bool tr_rows_id_value(tr_rdf_id id, struct tr_pack_value *out)
{
    uint64_t payload = tr_rows_id_number(id);
    *out = (struct tr_pack_value){0};
    switch (tr_rows_id_tag(id)) {
    case TR_ROWS_TAG_IRI:
        out->kind = TR_PACK_REFERENCE;
        out->number = payload;
        return payload > 0;
    case TR_ROWS_TAG_BOOLEAN:
        out->kind = payload ? TR_PACK_TRUE : TR_PACK_FALSE;
        return true;
    case TR_ROWS_TAG_INTEGER:
    case TR_ROWS_TAG_DATETIME:
        out->kind = tr_rows_id_tag(id) == TR_ROWS_TAG_INTEGER ? TR_PACK_INTEGER
                                                              : TR_PACK_TIME;
        out->scalar = (int64_t)payload - HALF;
        return true;
    default:
        return false;
    }
}

tr_rdf_term tr_rows_id_decode(tr_rdf_id id, char text[TR_ROWS_ID_TEXT])
{
    struct tr_pack_value value;
    if (!tr_rows_id_is_inline(id) || !tr_rows_id_value(id, &value))
        return (tr_rdf_term){.kind = TR_RDF_TERM_NONE};
    return tr_pack_value_term(&value, TR_STR(""), text);
}
