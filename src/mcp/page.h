/*
 * mcp/page.h - lists in pages, in a stable order, with signed cursors.
 */
#ifndef TR_MCP_PAGE_H
#define TR_MCP_PAGE_H

#include "mcp/request.h"
#include "project/mcp_tool.h"

/* Items on one page. */
#define TR_MCP_PAGE_ITEMS 100

/* The lists; the numbers stand in cursors that clients keep. */
enum tr_mcp_list_kind {
    TR_MCP_LIST_TOOLS = 1,
    TR_MCP_LIST_RESOURCES = 2,
    TR_MCP_LIST_TEMPLATES = 3,
    TR_MCP_LIST_PROMPTS = 4,
};

struct tr_mcp_page_list {
    enum tr_mcp_list_kind kind;
    const char *member; /* of the result: "tools", ... */
    size_t count;       /* items in all */
    /* Writes item `i` of the snapshot. */
    void (*put)(struct tr_json_writer *w,
                const struct tr_cap_snapshot *snapshot, size_t i,
                struct tr_project_mcp_form form);
    /* Whether who has the scopes sees it. */
    bool (*shows)(const struct tr_cap_snapshot *snapshot, size_t i,
                  unsigned scopes);
};

/*
 * Answers a list request: the page that its cursor names, or the first, of what
 * the caller may see.
 */
void tr_mcp_page_reply(struct tr_mcp_request *request,
                       const struct tr_mcp_page_list *list);

#endif
