/*
 * Any bytes as Turtle and as TriG, through the guard and serd: quads that keep
 * their promises, or an error with a place.
 */
#include "rdf_roundtrip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str text = {(const char *)data, size};
    check_document(TR_RDF_TURTLE, text, TR_RDF_NTRIPLES);
    check_document(TR_RDF_TRIG, text, TR_RDF_TRIG);
    return 0;
}
