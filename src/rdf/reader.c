#include "rdf/reader.h"

#include "rdf/jsonld_reader.h"
#include "rdf/line_reader.h"
#include "rdf/serd_reader.h"

tr_status tr_rdf_read(enum tr_rdf_format format,
                      const struct tr_rdf_source *source,
                      const struct tr_rdf_sink *sink, struct tr_err *err)
{
    switch (format) {
    case TR_RDF_NTRIPLES:
        return tr_rdf_line_read(false, source, sink, err);
    case TR_RDF_NQUADS:
        return tr_rdf_line_read(true, source, sink, err);
    case TR_RDF_TURTLE:
        return tr_rdf_serd_read(false, source, sink, err);
    case TR_RDF_TRIG:
        return tr_rdf_serd_read(true, source, sink, err);
    case TR_RDF_JSONLD:
        return tr_rdf_jsonld_read(source, sink, err);
    case TR_RDF_FORMATS:
        break;
    }
    return tr_fail(err, TR_E_UNSUPPORTED, "this format is only written");
}
