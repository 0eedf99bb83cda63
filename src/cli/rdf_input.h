/*
 * cli/rdf_input.h - RDF files of a command line, as one graph in memory.
 */
#ifndef TR_CLI_RDF_INPUT_H
#define TR_CLI_RDF_INPUT_H

#include "cli/command.h"
#include "rdf/iri.h"
#include "rdf/memory_graph.h"

/*
 * Reads the files that an option gives. `prefixes` gets those that the files
 * declare. On failure a line on standard error has said why, with the place.
 * *out is owned by the caller.
 */
TR_NODISCARD bool
tr_cli_rdf_input_read(const struct tr_cli_invocation *invocation,
                      const char *option, struct tr_rdf_prefixes *prefixes,
                      struct tr_rdf_memory_graph **out);

/* Warns of terms in shapes that have SHACL's namespace and are none of it. */
void tr_cli_rdf_input_warn(const struct tr_rdf_memory_graph *shapes);

#endif
