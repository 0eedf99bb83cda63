#include "audit/stats.h"
#include "base/limits.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/store.h"
#include "json/writer.h"

static void put_number(struct tr_json_writer *w, const char *key,
                       uint64_t number)
{
    tr_jw_put_i64(w, key, (int64_t)number);
}

static void put_list(struct tr_json_writer *w, const char *key,
                     const char *name, const struct tr_audit_stat *items,
                     size_t count)
{
    tr_jw_key(w, key);
    tr_jw_open(w, '[');
    for (size_t i = 0; i < count; i++) {
        tr_jw_open(w, '{');
        tr_jw_key(w, "iri");
        if (items[i].iri.len)
            tr_jw_string(w, items[i].iri);
        else
            tr_jw_null(w);
        put_number(w, name, items[i].count);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, ']');
}

static void put_json(struct tr_buf *out, const struct tr_audit_stats *stats)
{
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '{');
    put_number(&w, "quads", stats->quads);
    put_number(&w, "terms", stats->terms);
    put_number(&w, "nodes", stats->nodes);
    put_list(&w, "types", "nodes", stats->types.items, stats->types.count);
    put_list(&w, "graphs", "quads", stats->graphs.items, stats->graphs.count);
    put_number(&w, "activities", stats->activities);
    put_number(&w, "changes", stats->changes);
    put_number(&w, "last_change", stats->last_change);
    put_number(&w, "bytes", stats->bytes);
    tr_jw_close(&w, '}');
    tr_buf_putc(out, '\n');
}

static void put_line(struct tr_buf *out, uint64_t number, const char *what)
{
    tr_buf_putf(out, "%12llu %s\n", (unsigned long long)number, what);
}

static void put_items(struct tr_buf *out, const char *what,
                      const struct tr_audit_stat *items, size_t count)
{
    if (count)
        tr_buf_putf(out, "\n%s\n", what);
    for (size_t i = 0; i < count; i++) {
        size_t start = out->len;
        tr_buf_putf(out, "%12llu ", (unsigned long long)items[i].count);
        tr_buf_put(out,
                   items[i].iri.len ? items[i].iri : TR_STR("(default graph)"));
        tr_cli_report_put_line(out, start);
    }
}

static void put_text(struct tr_buf *out, const struct tr_audit_stats *stats)
{
    put_line(out, stats->quads, "quads");
    put_line(out, stats->terms, "terms");
    put_line(out, stats->nodes, "nodes");
    put_line(out, stats->activities, "activities");
    put_line(out, stats->changes, "changes in the feed");
    put_line(out, stats->bytes, "bytes");
    put_items(out, "Nodes of each type:", stats->types.items,
              stats->types.count);
    put_items(out, "Quads of each graph:", stats->graphs.items,
              stats->graphs.count);
}

static int print(const struct tr_audit_stats *stats, bool as_json)
{
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (as_json)
        put_json(&out, stats);
    else
        put_text(&out, stats);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

int tr_cli_run_stats(const struct tr_cli_invocation *invocation)
{
    bool as_json = tr_cli_invocation_option(invocation, "json") != NULL;
    struct tr_graph_reader *reader = NULL;
    struct tr_cli_store store;
    struct tr_audit_stats stats;
    struct tr_err err = {0};
    int exit_code = TR_CLI_EXIT_FAILED;
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_READ))
        return exit_code;
    if (tr_cli_store_read(&store, &reader)) {
        tr_status status =
            tr_audit_stats_read(reader, invocation->arena, &stats, &err);
        exit_code = status == TR_OK ? print(&stats, as_json)
                                    : tr_cli_report_error(NULL, &err);
        tr_graph_reader_end(reader);
        tr_graph_reader_free(reader);
    }
    tr_cli_store_close(&store);
    return exit_code;
}
