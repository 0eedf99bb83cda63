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
 * Has `write` write the file, which gets its name only when it is complete. "-"
 * is standard output, which may get a part of it.
 */
TR_NODISCARD tr_status tr_cli_output_file(const char *path,
                                          tr_cli_output_fn *write,
                                          void *context, struct tr_err *err);

#endif
