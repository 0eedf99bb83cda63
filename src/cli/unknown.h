/*
 * cli/unknown.h - a capability that the command line names, and that is not
 * there.
 */
#ifndef TR_CLI_UNKNOWN_H
#define TR_CLI_UNKNOWN_H

#include "base/str.h"

struct tr_cap_snapshot;

/* Says so, and which one of those that these scopes see may have been meant.
 * Returns TR_CLI_EXIT_USAGE. */
int tr_cli_unknown_report(const struct tr_cap_snapshot *snapshot, tr_str name,
                          unsigned scopes);

#endif
