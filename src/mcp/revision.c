#include "mcp/revision.h"

#define SINCE_2025_03                                                          \
    (TR_MCP_HAS_HINTS | TR_MCP_HAS_AUDIO | TR_MCP_HAS_PROGRESS_TEXT |          \
     TR_MCP_HAS_COMPLETIONS)
#define SINCE_2025_06                                                          \
    (SINCE_2025_03 | TR_MCP_HAS_TITLE | TR_MCP_HAS_LINKS |                     \
     TR_MCP_HAS_STRUCTURED)
#define SINCE_2025_11                                                          \
    (SINCE_2025_06 | TR_MCP_HAS_ICONS | TR_MCP_HAS_SCHEMA_DIALECT |            \
     TR_MCP_HAS_RICH_ASKS)

static const struct {
    tr_str name;
    unsigned features;
} revisions[TR_MCP_REVISIONS] = {
    [TR_MCP_2024_11_05] = {TR_STR_INIT("2024-11-05"), TR_MCP_HAS_SESSIONS},
    [TR_MCP_2025_03_26] = {TR_STR_INIT("2025-03-26"), SINCE_2025_03 |
                                                          TR_MCP_HAS_SESSIONS |
                                                          TR_MCP_HAS_BATCHES},
    [TR_MCP_2025_06_18] = {TR_STR_INIT("2025-06-18"),
                           SINCE_2025_06 | TR_MCP_HAS_SESSIONS |
                               TR_MCP_HAS_ELICITATION},
    [TR_MCP_2025_11_25] = {TR_STR_INIT("2025-11-25"),
                           SINCE_2025_11 | TR_MCP_HAS_SESSIONS |
                               TR_MCP_HAS_ELICITATION | TR_MCP_HAS_PRIMING},
    [TR_MCP_2026_07_28] = {TR_STR_INIT("2026-07-28"),
                           SINCE_2025_11 | TR_MCP_HAS_ELICITATION |
                               TR_MCP_HAS_ANY_STRUCTURED |
                               TR_MCP_HAS_RESULT_TYPE | TR_MCP_HAS_OWN_CODES},
};

tr_str tr_mcp_revision_name(enum tr_mcp_revision revision)
{
    return revisions[revision].name;
}

bool tr_mcp_revision_find(tr_str name, enum tr_mcp_revision *out)
{
    for (size_t i = 0; i < TR_MCP_REVISIONS; i++) {
        if (tr_str_eq(revisions[i].name, name)) {
            *out = (enum tr_mcp_revision)i;
            return true;
        }
    }
    return false;
}

bool tr_mcp_revision_has(enum tr_mcp_revision revision,
                         enum tr_mcp_feature feature)
{
    return revisions[revision].features & (unsigned)feature;
}

bool tr_mcp_revision_is_modern_name(tr_str name)
{
    return tr_str_cmp(name, revisions[TR_MCP_2026_07_28].name) >= 0;
}
