/*
 * project/lists.h - which lists of MCP another snapshot has changed, and for
 * whom: a list has what its caller's scopes show.
 */
#ifndef TR_PROJECT_LISTS_H
#define TR_PROJECT_LISTS_H

#include "base/err.h"

struct tr_cap_snapshot;

enum tr_project_list {
    TR_PROJECT_LIST_TOOLS,
    TR_PROJECT_LIST_RESOURCES, /* and templates */
    TR_PROJECT_LIST_PROMPTS,
};
#define TR_PROJECT_LISTS 3

/*
 * For each list, who gets another one from `after` than from `before`, in the
 * newest revision: bit n is whoever has the set of scopes n. `plain` is
 * [mcp] annotations = false. Fails without memory, and for what is too large to
 * be listed.
 */
TR_NODISCARD tr_status tr_project_lists_compare(
    const struct tr_cap_snapshot *before, const struct tr_cap_snapshot *after,
    bool plain, uint32_t changed[TR_PROJECT_LISTS], struct tr_err *err);

#endif
