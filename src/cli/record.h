/*
 * cli/record.h - what a command that writes leaves in provenance: an activity
 * that names the user of this machine.
 */
#ifndef TR_CLI_RECORD_H
#define TR_CLI_RECORD_H

#include "prov/activity.h"

struct tr_db;
struct tr_graph_store;

/* "local:" and a login name, or a number where there is none. */
#define TR_CLI_USER_BYTES 256
tr_str tr_cli_user(char room[TR_CLI_USER_BYTES]);

struct tr_cli_record {
    struct tr_prov_activity activity; /* the command may fill in nodes */
    uint64_t started_ns;
    char user[TR_CLI_USER_BYTES];
};

/* Begins it; `command` is a literal such as "token create". */
TR_NODISCARD tr_status tr_cli_record_begin(struct tr_cli_record *out,
                                           const char *command,
                                           struct tr_err *err);

/* Writes it, in the transaction of what the command has written. */
TR_NODISCARD tr_status tr_cli_record_write(struct tr_cli_record *record,
                                           struct tr_db *db,
                                           struct tr_err *err);

/* The same in a transaction of its own, for what replaces the whole store. */
TR_NODISCARD tr_status tr_cli_record_add(struct tr_cli_record *record,
                                         const struct tr_graph_store *store,
                                         struct tr_err *err);

#endif
