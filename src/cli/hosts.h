/*
 * cli/hosts.h - what hosts are known to complain of in the tools that we list.
 */
#ifndef TR_CLI_HOSTS_H
#define TR_CLI_HOSTS_H

#include "server/gate.h"

struct tr_config;

#define TR_CLI_HOSTS_MAX 4

/* Writes one row for each kind of complaint to `out`, however many tools and
 * fields it is about, and returns how many rows that are. */
size_t tr_cli_hosts_complain(const struct tr_config *config,
                             const struct tr_cap_snapshot *snapshot,
                             struct tr_server_unsafe out[TR_CLI_HOSTS_MAX]);

#endif
