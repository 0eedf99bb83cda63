#include "mcp/access_log.h"

#include "base/test.h"
#include "mcp/inside.h"
#include "support/sample.h"

static uint64_t count_of(const struct tr_mcp_access_log_counts *counts,
                         const char *method)
{
    uint64_t count = 0;
    for (size_t i = 0; i < TR_MCP_ACCESS_LOG_METHODS; i++) {
        if (!tr_str_eq(tr_mcp_access_log_method(i), tr_str_from(method)))
            continue;
        for (size_t step = 0; step < TR_MCP_ACCESS_LOG_STEPS; step++)
            count += counts->steps[i][step];
    }
    return count;
}

static uint64_t errors_of(const struct tr_mcp_access_log_counts *counts,
                          int code)
{
    uint64_t count = 0;
    for (size_t i = 0; i < TR_MCP_ACCESS_LOG_CODES; i++)
        count += counts->errors[i].code == code ? counts->errors[i].count : 0;
    return count;
}

TEST(messages_are_counted_by_method_and_errors_by_code)
{
    struct sample sample;
    sample_open(&sample);
    const struct tr_mcp_access_log_counts *counts = &sample.mcp->counts;
    static const char *const messages[] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
        "list\",\"params\":{" SAMPLE_META "}}",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/"
        "list\",\"params\":{" SAMPLE_META "}}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"none\",\"params\":"
        "{" SAMPLE_META "}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}",
        "not json",
    };
    for (size_t i = 0; i < TR_LEN(messages); i++)
        (void)sample_send(&sample, tr_str_from(messages[i]));
    CHECK_INT(count_of(counts, "tools/list"), 2);
    CHECK_INT(count_of(counts, "notifications/cancelled"), 1);
    CHECK_INT(count_of(counts, "other"), 2);
    CHECK_INT(errors_of(counts, -32601), 1);
    CHECK_INT(errors_of(counts, -32700), 1);
    sample_close(&sample);
}

TEST(counts_of_loops_add_up_whatever_their_codes)
{
    struct tr_mcp_access_log_counts sum = {0};
    struct tr_mcp_access_log_counts one = {0};
    for (int i = 0; i < TR_MCP_ACCESS_LOG_CODES - 1; i++)
        one.errors[i] = (struct tr_mcp_access_log_code){-1000 - i, 1};
    one.errors[TR_MCP_ACCESS_LOG_CODES - 1].count = 5; /* others */
    one.steps[3][2] = 7;
    one.micros[3] = 11;
    tr_mcp_access_log_add(&sum, &one);
    tr_mcp_access_log_add(&sum, &one);
    struct tr_mcp_access_log_counts more = {.errors = {{-1, 4}, {-1000, 2}}};
    tr_mcp_access_log_add(&sum, &more);
    CHECK_INT(sum.steps[3][2], 14);
    CHECK_INT(sum.micros[3], 22);
    CHECK_INT(errors_of(&sum, -1000), 4);
    CHECK_INT(errors_of(&sum, -1001), 2);
    CHECK_INT(errors_of(&sum, -1), 0); /* all entries are in use */
    CHECK_INT(sum.errors[TR_MCP_ACCESS_LOG_CODES - 1].count, 14);
}

TEST(steps_only_grow)
{
    for (size_t i = 1; i < TR_MCP_ACCESS_LOG_STEPS - 1; i++)
        CHECK(tr_mcp_access_log_bounds[i] > tr_mcp_access_log_bounds[i - 1]);
    CHECK_STR(tr_mcp_access_log_method(TR_MCP_ACCESS_LOG_METHODS - 1), "other");
}
