#include "base/limits.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/store.h"
#include "json/reader.h"
#include "json/writer.h"
#include "query/query.h"

/* A question, and what is wrong with it. */
struct explaining {
    const struct tr_cli_invocation *invocation;
    struct tr_query query;
    struct tr_field_errors errors;
    struct tr_json answer;
};

static tr_str option(const struct explaining *e, const char *name)
{
    const char *value = tr_cli_invocation_option(e->invocation, name);
    return tr_str_from(value ? value : "");
}

/* The values of a list, with commas; "nothing" when it is empty. */
static void put_list(struct tr_buf *out, const char *what,
                     const struct tr_json *list)
{
    tr_buf_putf(out, "%-8s ", what);
    for (size_t i = 0; i < list->len; i++)
        tr_buf_putf(out, "%s%.*s", i ? ", " : "",
                    TR_FMT(tr_json_text(&list->as.items[i])));
    tr_buf_putf(out, list->len ? "\n" : "nothing\n");
}

static void put_text(struct tr_buf *out, const struct explaining *e)
{
    const struct tr_json *answer = &e->answer;
    const struct tr_json *index = tr_json_find(answer, TR_STR("index"));
    const struct tr_json *missing = tr_json_find(answer, TR_STR("declare"));
    bool scans = false;
    bool sorts = false;
    (void)tr_json_bool(tr_json_find(answer, TR_STR("scans")), &scans);
    (void)tr_json_bool(tr_json_find(answer, TR_STR("sorts")), &sorts);
    put_list(out, "leads:", tr_json_find(answer, TR_STR("leads")));
    if (index)
        tr_buf_putf(out, "%-8s %.*s\n", "index:", TR_FMT(tr_json_text(index)));
    put_list(out, "checks:", tr_json_find(answer, TR_STR("checks")));
    if (scans)
        tr_buf_putf(out, "scan:    every %.*s is looked at, %zu at most\n",
                    TR_FMT(e->query.type->name), TR_LIMIT_QUERY_WORK);
    if (sorts)
        tr_buf_putf(out, "sort:    all matches, %zu at most\n",
                    TR_LIMIT_QUERY_SORTED);
    if (missing)
        tr_buf_putf(out, "declare: %.*s\n", TR_FMT(tr_json_text(missing)));
}

static int print(const struct explaining *e)
{
    struct tr_buf out;
    struct tr_json_writer w;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (tr_cli_invocation_option(e->invocation, "json")) {
        tr_jw_init_pretty(&w, &out);
        tr_jw_value(&w, &e->answer);
        tr_buf_putc(&out, '\n');
    } else {
        put_text(&out, e);
    }
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

static int report(const struct explaining *e, tr_status status,
                  const struct tr_err *err)
{
    if (status != TR_E_VALIDATION || e->errors.count == 0)
        return tr_cli_report_error(NULL, err);
    for (size_t i = 0; i < e->errors.count; i++) {
        struct tr_err one = {0};
        (void)tr_fail(&one, TR_E_VALIDATION, "%.*s",
                      TR_FMT(e->errors.items[i].message));
        (void)tr_cli_report_error(NULL, &one);
    }
    return TR_CLI_EXIT_FAILED;
}

static tr_status read_question(struct explaining *e,
                               const struct tr_model *model, struct tr_err *err)
{
    const char *name = e->invocation->arguments[0];
    tr_str filter = option(e, "filter");
    e->query.type = tr_model_find(model, tr_str_from(name));
    e->query.order = option(e, "order");
    e->query.errors = &e->errors;
    if (!e->query.type)
        return tr_fail(err, TR_E_NOT_FOUND, "there is no type '%s'", name);
    if (!filter.len)
        return TR_OK;
    tr_status status =
        tr_json_read(e->invocation->arena, filter, NULL, &e->query.filter, err);
    if (status != TR_OK)
        tr_err_prefix(err, "--filter");
    return status;
}

static int explain(struct explaining *e, struct tr_cli_store *store)
{
    struct tr_graph_reader *reader = NULL;
    struct tr_err err = {0};
    tr_status status = read_question(e, store->model, &err);
    if (status != TR_OK)
        return report(e, status, &err);
    if (!tr_cli_store_read(store, &reader))
        return TR_CLI_EXIT_FAILED;
    struct tr_graph_read_ctx ctx =
        tr_graph_read_ctx_of(reader, NULL, store->model, e->invocation->arena);
    status = tr_query_explain(&ctx, &e->query, &e->answer, &err);
    int exit_code = status == TR_OK ? print(e) : report(e, status, &err);
    tr_graph_reader_end(reader);
    tr_graph_reader_free(reader);
    return exit_code;
}

int tr_cli_run_explain(const struct tr_cli_invocation *invocation)
{
    struct explaining e = {.invocation = invocation};
    struct tr_cli_store store;
    int exit_code = TR_CLI_EXIT_FAILED;
    if (tr_cli_store_open(&store, invocation, TR_CLI_STORE_READ) &&
        tr_cli_store_load(&store))
        exit_code = explain(&e, &store);
    tr_cli_store_close(&store);
    return exit_code;
}
