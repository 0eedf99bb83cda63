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
        count += tr_gate_histogram_total(&counts->methods[i]);
    }
    return count;
}

static uint64_t errors_of(const struct tr_mcp_access_log_counts *counts,
                          int code)
{
    uint64_t count = 0;
    for (size_t i = 0; i < TR_GATE_CODES; i++)
        if (counts->errors.items[i].code == code)
            count += counts->errors.items[i].count;
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

TEST(counts_of_loops_add_up)
{
    struct tr_mcp_access_log_counts sum = {0};
    struct tr_mcp_access_log_counts one = {
        .methods = {[3] = {.steps = {[2] = 7}, .micros = 11}}};
    tr_gate_codes_count(&one.errors, -32601, 5);
    tr_mcp_access_log_add(&sum, &one);
    tr_mcp_access_log_add(&sum, &one);
    CHECK_INT(sum.methods[3].steps[2], 14);
    CHECK_INT(sum.methods[3].micros, 22);
    CHECK_INT(errors_of(&sum, -32601), 10);
    CHECK_STR(tr_mcp_access_log_method(TR_MCP_ACCESS_LOG_METHODS - 1), "other");
}
