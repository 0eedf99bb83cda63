/*
 * rdf/vocabulary.h - IRIs that the code knows by name, as string literals.
 *
 * Use them as TR_STR(TR_RDF_TYPE) or TR_STR_INIT(TR_RDF_TYPE).
 */
#ifndef TR_RDF_VOCABULARY_H
#define TR_RDF_VOCABULARY_H

#define TR_NS_RDF  "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
#define TR_NS_RDFS "http://www.w3.org/2000/01/rdf-schema#"
#define TR_NS_XSD  "http://www.w3.org/2001/XMLSchema#"
#define TR_NS_SH   "http://www.w3.org/ns/shacl#"

#define TR_IRI_RDF_TYPE        TR_NS_RDF "type"
#define TR_IRI_RDF_FIRST       TR_NS_RDF "first"
#define TR_IRI_RDF_REST        TR_NS_RDF "rest"
#define TR_IRI_RDF_NIL         TR_NS_RDF "nil"
#define TR_IRI_RDF_LANG_STRING TR_NS_RDF "langString"

#define TR_IRI_XSD_STRING    TR_NS_XSD "string"
#define TR_IRI_XSD_BOOLEAN   TR_NS_XSD "boolean"
#define TR_IRI_XSD_INTEGER   TR_NS_XSD "integer"
#define TR_IRI_XSD_DECIMAL   TR_NS_XSD "decimal"
#define TR_IRI_XSD_DOUBLE    TR_NS_XSD "double"
#define TR_IRI_XSD_DATE_TIME TR_NS_XSD "dateTime"

#endif
