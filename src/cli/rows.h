/*
 * cli/rows.h - rows of files into a store: what 'import --type' and 'seed'
 * share.
 */
#ifndef TR_CLI_ROWS_H
#define TR_CLI_ROWS_H

#include "cli/record.h"
#include "cli/store.h"
#include "table/table.h"

#define TR_CLI_ROWS_FILES 256

struct tr_cli_rows {
    const char *command;        /* for provenance */
    struct tr_cli_store *store; /* loaded */
    struct tr_table_file files[TR_CLI_ROWS_FILES];
    size_t file_count;
    const char *rdf[TR_CLI_ROWS_FILES]; /* RDF files; those of a seed alone */
    size_t rdf_count;
    struct tr_table_opts table; /* files and what comes from the store are
                                   filled in */
    bool is_dry;
    bool shows; /* draws a bar */

    struct tr_table *work;
    struct tr_graph_load *load;
    struct tr_cli_record record;
};

/* Opens a file, or standard input for "-", which is copied first. False when it
 * has said why not. */
TR_NODISCARD bool tr_cli_rows_add(struct tr_cli_rows *rows, const char *path,
                                  enum tr_table_format format,
                                  const struct tr_model_type *type);

/* Checks all, lands all, and says what has happened. Returns the exit code. */
int tr_cli_rows_run(struct tr_cli_rows *rows);
void tr_cli_rows_close(struct tr_cli_rows *rows);

/* The type of a name; NULL, and it has said so, when there is none. */
const struct tr_model_type *tr_cli_rows_type(const struct tr_model *model,
                                             tr_str name);

#endif
