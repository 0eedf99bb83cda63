/*
 * mcp/revision.h - the revisions of MCP we speak, and what each may carry.
 *
 * The revision is a property of a request. What differs between revisions is a
 * feature in the table, never an `if` on a date.
 */
#ifndef TR_MCP_REVISION_H
#define TR_MCP_REVISION_H

#include "base/str.h"

enum tr_mcp_revision {
    TR_MCP_2024_11_05,
    TR_MCP_2025_03_26,
    TR_MCP_2025_06_18,
    TR_MCP_2025_11_25,
    TR_MCP_2026_07_28,
    TR_MCP_REVISIONS
};

/* The newest revision that begins with `initialize`. */
#define TR_MCP_NEWEST_LEGACY TR_MCP_2025_11_25

enum tr_mcp_feature {
    TR_MCP_HAS_HINTS = 1u << 0,      /* Tool.annotations */
    TR_MCP_HAS_TITLE = 1u << 1,      /* titles, outputSchema, _meta on items */
    TR_MCP_HAS_ICONS = 1u << 2,      /* icons, websiteUrl */
    TR_MCP_HAS_STRUCTURED = 1u << 3, /* structuredContent, an object */
    TR_MCP_HAS_ANY_STRUCTURED = 1u << 4, /* structuredContent, any value */
    TR_MCP_HAS_LINKS = 1u << 5,          /* resource_link content */
    TR_MCP_HAS_AUDIO = 1u << 6,          /* audio content */
    TR_MCP_HAS_PROGRESS_TEXT = 1u << 7,  /* progress.message */
    TR_MCP_HAS_COMPLETIONS = 1u << 8,    /* the capability `completions` */
    TR_MCP_HAS_ELICITATION = 1u << 9,    /* elicitation/create */
    TR_MCP_HAS_BATCHES = 1u << 10,       /* arrays of messages */
    TR_MCP_HAS_RESULT_TYPE = 1u << 11,   /* resultType, caching, serverInfo */
    TR_MCP_HAS_SESSIONS = 1u << 12,      /* initialize, and what follows it */
    TR_MCP_HAS_PRIMING = 1u << 13,       /* an empty first event, for polling */
    TR_MCP_HAS_OWN_CODES = 1u << 14,     /* application codes above -32000 */
    TR_MCP_HAS_SCHEMA_DIALECT = 1u << 15, /* $schema must be said */
    TR_MCP_HAS_RICH_ASKS = 1u << 16, /* elicitation modes, sampling tools */
};

/* The name as it stands on the wire, such as "2025-11-25". */
tr_str tr_mcp_revision_name(enum tr_mcp_revision revision);

bool tr_mcp_revision_find(tr_str name, enum tr_mcp_revision *out);

bool tr_mcp_revision_has(enum tr_mcp_revision revision,
                         enum tr_mcp_feature feature);

/*
 * Whether this is the name of a stateless revision, known or of the future:
 * names are dates, and in order.
 */
bool tr_mcp_revision_is_modern_name(tr_str name);

#endif
