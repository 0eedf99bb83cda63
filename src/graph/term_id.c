#include "graph/term_id.h"

#include "base/time.h"

#include <stdlib.h>

/* Added to an integer, so that payloads are positive and sort as their values,
 * also as the signed integers of SQL. */
#define HALF (INT64_C(1) << 57)

tr_str tr_graph_id_write_integer(int64_t value, char text[TR_GRAPH_ID_TEXT])
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, TR_GRAPH_ID_TEXT);
    tr_buf_put_i64(&buf, value);
    return tr_buf_str(&buf);
}

static bool encode_integer(tr_str text, tr_rdf_id *out)
{
    char canonical[TR_GRAPH_ID_TEXT];
    int64_t value;
    if (text.len >= sizeof(canonical) || !tr_str_to_i64(text, &value) ||
        value < -HALF || value >= HALF)
        return false;
    if (!tr_str_eq(text, tr_graph_id_write_integer(value, canonical)))
        return false;
    *out = tr_graph_id_make((uint64_t)(value + HALF), TR_GRAPH_TAG_INTEGER);
    return true;
}

static bool encode_boolean(tr_str text, tr_rdf_id *out)
{
    bool on = tr_str_eq(text, TR_STR("true"));
    if (!on && !tr_str_eq(text, TR_STR("false")))
        return false;
    *out = tr_graph_id_make(on, TR_GRAPH_TAG_BOOLEAN);
    return true;
}

static tr_str write_time(int64_t seconds, char text[TR_GRAPH_ID_TEXT])
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, TR_GRAPH_ID_TEXT);
    tr_time_write(&buf, (tr_time){.seconds = seconds});
    return tr_buf_str(&buf);
}

static bool encode_time(tr_str text, tr_rdf_id *out)
{
    char canonical[TR_GRAPH_ID_TEXT];
    tr_time time;
    if (tr_time_parse(text, &time, NULL) != TR_OK || time.nanos ||
        time.offset_min ||
        !tr_str_eq(text, write_time(time.seconds, canonical)))
        return false;
    *out = tr_graph_id_make((uint64_t)(time.seconds + HALF),
                            TR_GRAPH_TAG_DATETIME);
    return true;
}

bool tr_graph_id_encode(const tr_rdf_term *term, tr_rdf_id *out)
{
    if (term->kind != TR_RDF_TERM_LITERAL)
        return false;
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_INTEGER)))
        return encode_integer(term->text, out);
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_BOOLEAN)))
        return encode_boolean(term->text, out);
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_DATE_TIME)))
        return encode_time(term->text, out);
    return false;
}

tr_rdf_term tr_graph_id_decode(tr_rdf_id id, char text[TR_GRAPH_ID_TEXT])
{
    int64_t payload = (int64_t)(id >> TR_GRAPH_TAG_BITS);
    switch (tr_graph_id_tag(id)) {
    case TR_GRAPH_TAG_INTEGER:
        return tr_rdf_term_typed(
            tr_graph_id_write_integer(payload - HALF, text),
            TR_STR(TR_RDF_IRI_XSD_INTEGER));
    case TR_GRAPH_TAG_BOOLEAN:
        return tr_rdf_term_typed(payload ? TR_STR("true") : TR_STR("false"),
                                 TR_STR(TR_RDF_IRI_XSD_BOOLEAN));
    case TR_GRAPH_TAG_DATETIME:
        return tr_rdf_term_typed(write_time(payload - HALF, text),
                                 TR_STR(TR_RDF_IRI_XSD_DATE_TIME));
    default:
        return (tr_rdf_term){.kind = TR_RDF_TERM_NONE};
    }
}

size_t tr_graph_ids_sort(tr_rdf_id *ids, size_t count)
{
    size_t kept = 0;
    if (count)
        qsort(ids, count, sizeof(*ids), tr_rdf_id_compare);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    }
    return kept;
}
