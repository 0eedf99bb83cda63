/*
 * base/limits.h - every size that comes from outside has its maximum here.
 *
 * These are the defaults; where a setting can change one, the comment names it.
 */
#ifndef TR_BASE_LIMITS_H
#define TR_BASE_LIMITS_H

#include <stddef.h>

#define TR_KIB(n) ((size_t)(n)*1024)
#define TR_MIB(n) ((size_t)(n)*1024 * 1024)

/* Text of one JSON document. */
#define TR_LIMIT_JSON_BYTES TR_MIB(64)

/* Open arrays and objects at any one place of a JSON or TOML document. */
#define TR_LIMIT_NESTING 512

/* Values, keys included, in one JSON or TOML document. */
#define TR_LIMIT_JSON_NODES 8000000

/* Text of one TOML file. */
#define TR_LIMIT_TOML_BYTES TR_MIB(1)

/* One IRI or literal of an RDF document, and one line of N-Triples. */
#define TR_LIMIT_RDF_TERM TR_MIB(16)

/* Prefixes of one Turtle document, names and IRIs together. */
#define TR_LIMIT_RDF_PREFIX_BYTES TR_MIB(1)

/* Each table of a graph in memory: text, terms, quads in one order. */
#define TR_LIMIT_GRAPH_TABLE TR_MIB(4096)

/* One line of the log; a longer one is cut and says so. */
#define TR_LIMIT_LOG_LINE TR_KIB(8)

/* What a command prints from memory at once. */
#define TR_LIMIT_CLI_OUTPUT TR_MIB(16)

/* What a command keeps in memory, its files included. */
#define TR_LIMIT_CLI_MEMORY TR_MIB(64)

#endif
