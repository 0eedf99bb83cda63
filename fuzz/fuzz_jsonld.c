/*
 * Any bytes as JSON-LD: quads whose terms are those of RDF, or an error.
 */
#include "base/text.h"
#include "rdf/iri.h"
#include "rdf/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static tr_status check_quad(void *context, const tr_rdf_quad *quad,
                            struct tr_err *err)
{
    (void)context;
    (void)err;
    must(quad->subject.kind == TR_RDF_TERM_IRI ||
         quad->subject.kind == TR_RDF_TERM_BLANK);
    must(quad->predicate.kind == TR_RDF_TERM_IRI);
    must(tr_rdf_iri_check(quad->predicate.text, NULL) == TR_OK);
    must(quad->object.kind != TR_RDF_TERM_NONE);
    must(tr_utf8_is_valid(quad->object.text));
    if (quad->object.language.len)
        must(tr_rdf_language_is_valid(quad->object.language));
    return TR_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str text = {(const char *)data, size};
    struct tr_rdf_source source = tr_rdf_source_text(&text, TR_STR(""));
    const struct tr_rdf_sink sink = {.quad = check_quad};
    struct tr_err err = {0};
    tr_status status = tr_rdf_read(TR_RDF_JSONLD, &source, &sink, &err);
    must(status == TR_OK || (status == err.code && err.msg[0]));
    must(tr_utf8_is_valid(tr_str_from(err.msg)));
    return 0;
}
