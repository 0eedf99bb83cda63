/*
 * cli/run_import_rows.c - import --type: rows of files as nodes of a type.
 */
#include "base/limits.h"
#include "cli/import_rows.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/rows.h"

/* What goes with rows alone. */
static const char *const own_options[] = {
    "map", "separator", "skip-bad", "replace", "delete-missing", "dry-run"};

/* What goes with statements alone. */
static const char *const other_options[] = {"graph", "skip-prov", "as-written"};

static int refuse_options(const struct tr_cli_invocation *invocation,
                          const char *const *names, size_t count,
                          const char *why)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_cli_invocation_option(invocation, names[i]))
            return tr_cli_report_usage("--%s %s", names[i], why);
    }
    return TR_CLI_EXIT_OK;
}

int tr_cli_import_rows_check(const struct tr_cli_invocation *invocation)
{
    return tr_cli_invocation_option(invocation, "type")
               ? refuse_options(invocation, other_options,
                                TR_LEN(other_options),
                                "is for statements: not with --type")
               : refuse_options(invocation, own_options, TR_LEN(own_options),
                                "is for rows: it needs --type");
}

static bool read_separator(const char *text, char *out)
{
    bool is_tab = strcmp(text, "tab") == 0 || strcmp(text, "\t") == 0 ||
                  strcmp(text, "\\t") == 0;
    *out = is_tab ? '\t' : text[0];
    return is_tab || ((text[0] == ',' || text[0] == ';') && text[1] == '\0');
}

static int read_map(const struct tr_cli_invocation *invocation,
                    struct tr_table_opts *out)
{
    struct tr_table_mapping *map =
        TR_NEW_ARRAY(invocation->arena, struct tr_table_mapping,
                     invocation->given_count + 1);
    const char *given;
    size_t at = 0;
    if (!map)
        return TR_CLI_EXIT_FAILED;
    while ((given = tr_cli_invocation_next(invocation, "map", &at))) {
        struct tr_table_mapping *one = &map[out->map_count++];
        /* A column's name may have a '=', a field's has none. */
        const char *equals = strrchr(given, '=');
        if (!equals || equals == given)
            return tr_cli_report_usage(
                "--map: '%s' is not COLUMN=FIELD, nor COLUMN=", given);
        one->column = (tr_str){given, (size_t)(equals - given)};
        one->field = tr_str_from(equals + 1);
    }
    out->map = map;
    return TR_CLI_EXIT_OK;
}

static int read_options(const struct tr_cli_invocation *invocation,
                        struct tr_cli_rows *rows)
{
    const char *separator = tr_cli_invocation_option(invocation, "separator");
    struct tr_table_opts *table = &rows->table;
    table->skip_bad = tr_cli_invocation_option(invocation, "skip-bad") != NULL;
    table->replace = tr_cli_invocation_option(invocation, "replace") != NULL;
    table->delete_missing =
        tr_cli_invocation_option(invocation, "delete-missing") != NULL;
    rows->is_dry = tr_cli_invocation_option(invocation, "dry-run") != NULL;
    if (separator && !read_separator(separator, &table->separator))
        return tr_cli_report_usage("--separator is , ; or tab, not '%s'",
                                   separator);
    if (table->delete_missing && !table->replace)
        return tr_cli_report_usage("--delete-missing needs --replace");
    if (table->delete_missing && table->skip_bad)
        return tr_cli_report_usage(
            "--delete-missing and --skip-bad do not go together: what a bad "
            "row names would be deleted");
    return read_map(invocation, table);
}

/* A field that --map names has to be one of the type, or below it. */
static int check_map(const struct tr_cli_rows *rows,
                     const struct tr_model_type *type)
{
    for (size_t i = 0; i < rows->table.map_count; i++) {
        tr_str near = {"", 0};
        tr_str name = rows->table.map[i].field;
        if (name.len && !tr_table_knows(rows->store->model, type, name, &near))
            return tr_cli_report_usage(
                "--map: %.*s has no field '%.*s'%s%.*s%s", TR_FMT(type->name),
                TR_FMT(name), near.len ? ": did you mean '" : "", TR_FMT(near),
                near.len ? "'?" : "");
    }
    return TR_CLI_EXIT_OK;
}

static int add_files(const struct tr_cli_invocation *invocation,
                     struct tr_cli_rows *rows, const struct tr_model_type *type)
{
    const char *given = tr_cli_invocation_option(invocation, "format");
    for (size_t i = 0; i < invocation->argument_count; i++) {
        const char *path = invocation->arguments[i];
        enum tr_table_format format;
        if (given ? !tr_table_format_find(tr_str_from(given), &format)
                  : !tr_table_format_of_file(tr_str_from(path), &format))
            return given ? tr_cli_report_usage(
                               "unknown format '%s' of rows: csv, json or "
                               "ndjson",
                               given)
                         : tr_cli_report_usage(
                               "%s: its name does not tell the format: csv, "
                               "json or ndjson; --format says it",
                               path);
        if (!tr_cli_rows_add(rows, path, format, type))
            return TR_CLI_EXIT_FAILED;
    }
    return TR_CLI_EXIT_OK;
}

static int run(const struct tr_cli_invocation *invocation,
               struct tr_cli_rows *rows)
{
    if (!tr_cli_store_load(rows->store))
        return TR_CLI_EXIT_FAILED;
    const struct tr_model_type *type = tr_cli_rows_type(
        rows->store->model,
        tr_str_from(tr_cli_invocation_option(invocation, "type")));
    if (!type)
        return TR_CLI_EXIT_USAGE;
    int exit_code = check_map(rows, type);
    if (exit_code == TR_CLI_EXIT_OK)
        exit_code = add_files(invocation, rows, type);
    return exit_code == TR_CLI_EXIT_OK ? tr_cli_rows_run(rows) : exit_code;
}

int tr_cli_import_rows(const struct tr_cli_invocation *invocation)
{
    struct tr_cli_store store;
    struct tr_cli_rows *rows = TR_NEW(invocation->arena, struct tr_cli_rows);
    struct tr_err err;
    if (!rows) {
        (void)tr_fail(&err, TR_E_NOMEM, "no memory for an import");
        return tr_cli_report_error(NULL, &err);
    }
    rows->command = "import";
    rows->store = &store;
    rows->shows = tr_cli_progress_is_wanted();
    int exit_code = read_options(invocation, rows);
    if (exit_code != TR_CLI_EXIT_OK)
        return exit_code;
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_MADE))
        return TR_CLI_EXIT_FAILED;
    exit_code = run(invocation, rows);
    tr_cli_rows_close(rows);
    tr_cli_store_close(&store);
    return exit_code;
}
