#include "mcp/revision.h"

#include "base/test.h"

TEST(revision_names_are_found_and_given_back)
{
    for (int i = 0; i < TR_MCP_REVISIONS; i++) {
        enum tr_mcp_revision found;
        tr_str name = tr_mcp_revision_name((enum tr_mcp_revision)i);
        CHECK(tr_mcp_revision_find(name, &found));
        CHECK_INT(found, i);
    }
}

TEST(revision_that_nobody_published_is_not_found)
{
    enum tr_mcp_revision found;
    CHECK(!tr_mcp_revision_find(TR_STR("2025-01-01"), &found));
    CHECK(!tr_mcp_revision_find(TR_STR(""), &found));
    CHECK(!tr_mcp_revision_find(TR_STR("2025-11-25 "), &found));
}

/* What the table of the contract says, column by column. */
TEST(revision_features_grow_as_the_specification_did)
{
    CHECK(!tr_mcp_revision_has(TR_MCP_2024_11_05, TR_MCP_HAS_HINTS));
    CHECK(tr_mcp_revision_has(TR_MCP_2025_03_26, TR_MCP_HAS_HINTS));
    CHECK(!tr_mcp_revision_has(TR_MCP_2025_03_26, TR_MCP_HAS_TITLE));
    CHECK(tr_mcp_revision_has(TR_MCP_2025_06_18, TR_MCP_HAS_TITLE));
    CHECK(!tr_mcp_revision_has(TR_MCP_2025_06_18, TR_MCP_HAS_ICONS));
    CHECK(tr_mcp_revision_has(TR_MCP_2025_11_25, TR_MCP_HAS_ICONS));
    CHECK(!tr_mcp_revision_has(TR_MCP_2025_11_25, TR_MCP_HAS_RESULT_TYPE));
    CHECK(tr_mcp_revision_has(TR_MCP_2026_07_28, TR_MCP_HAS_RESULT_TYPE));
    CHECK(!tr_mcp_revision_has(TR_MCP_2025_03_26, TR_MCP_HAS_ELICITATION));
    CHECK(tr_mcp_revision_has(TR_MCP_2025_06_18, TR_MCP_HAS_ELICITATION));
    CHECK(!tr_mcp_revision_has(TR_MCP_2025_06_18, TR_MCP_HAS_RICH_ASKS));
    CHECK(tr_mcp_revision_has(TR_MCP_2025_11_25, TR_MCP_HAS_RICH_ASKS));
    CHECK(tr_mcp_revision_has(TR_MCP_2025_03_26, TR_MCP_HAS_BATCHES));
    CHECK(!tr_mcp_revision_has(TR_MCP_2025_06_18, TR_MCP_HAS_BATCHES));
}

TEST(revision_only_the_newest_has_no_sessions)
{
    for (int i = 0; i < TR_MCP_REVISIONS; i++)
        CHECK_INT(
            tr_mcp_revision_has((enum tr_mcp_revision)i, TR_MCP_HAS_SESSIONS),
            i != TR_MCP_2026_07_28);
}

TEST(revision_names_of_the_future_count_as_stateless)
{
    CHECK(tr_mcp_revision_is_modern_name(TR_STR("2026-07-28")));
    CHECK(tr_mcp_revision_is_modern_name(TR_STR("2027-01-01")));
    CHECK(tr_mcp_revision_is_modern_name(TR_STR("v999.0.0")));
    CHECK(!tr_mcp_revision_is_modern_name(TR_STR("2025-11-25")));
    CHECK(!tr_mcp_revision_is_modern_name(TR_STR("")));
}
