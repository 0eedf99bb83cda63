/*
 * cli/output_file.h - a file that a command writes, whole or not at all.
 */
#ifndef TR_CLI_OUTPUT_FILE_H
#define TR_CLI_OUTPUT_FILE_H

#include "rdf/writer.h"

typedef tr_status tr_cli_output_fn(void *context,
                                   const struct tr_rdf_output *output,
                                   struct tr_err *err);

/*
 * Has `write` write to the file, which appears under its name when it is
 * complete; "-" is standard output, which gets what there is.
 */
TR_NODISCARD tr_status tr_cli_output_file(const char *path,
                                          tr_cli_output_fn *write,
                                          void *context, struct tr_err *err);

#endif
