/*
 * Any bytes as N-Quads and as N-Triples: quads that keep their promises and
 * survive TriG, or an error with a place.
 */
#include "rdf_roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str text = {(const char *)data, size};
    check_document(TR_RDF_NQUADS, text, TR_RDF_TRIG);
    check_document(TR_RDF_NTRIPLES, text, TR_RDF_NQUADS);
    return 0;
}
