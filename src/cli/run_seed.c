/*
 * cli/run_seed.c - seed: the files of an app's folder 'seeds', again and again.
 */
#include "base/ascii.h"
#include "base/limits.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/rows.h"

#include <dirent.h>
#include <stdlib.h>

struct seeds {
    struct tr_cli_rows rows;
    struct tr_cli_store store;
    struct tr_arena *arena;
    char folder[TR_LIMIT_PATH_BYTES];
    TR_VEC(const char *) names;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_read(const char *name)
{
    enum tr_table_format table;
    enum tr_rdf_format rdf;
    tr_str path = tr_str_from(name);
    return name[0] != '.' && (tr_table_format_of_file(path, &table) ||
                              tr_rdf_format_of_file(path, &rdf));
}

/* Each file is one that is read, or nobody knows why nothing came of it. */
static bool list_files(struct seeds *seeds)
{
    DIR *folder = opendir(seeds->folder);
    const struct dirent *entry;
    bool fits = folder != NULL;
    if (!folder) {
        (void)tr_cli_report_usage("there is no folder %s", seeds->folder);
        return false;
    }
    while (fits && (entry = readdir(folder))) {
        tr_str copy;
        if (entry->d_name[0] == '.')
            continue;
        if (!is_read(entry->d_name))
            tr_cli_report_warning("%s/%s is passed by: its name does not tell "
                                  "a format that is read",
                                  seeds->folder, entry->d_name);
        else
            fits = tr_arena_copy(seeds->arena, tr_str_from(entry->d_name),
                                 &copy) &&
                   tr_vec_push(seeds->arena, &seeds->names, copy.ptr);
    }
    (void)closedir(folder);
    if (fits && seeds->names.count)
        qsort(seeds->names.items, seeds->names.count,
              sizeof(*seeds->names.items), compare_names);
    if (!fits)
        (void)tr_cli_report_usage("%s has too many files", seeds->folder);
    return fits;
}

/* "10-Account.csv" has rows of Account. */
static tr_str type_of(const char *name)
{
    tr_str rest = tr_str_from(name);
    tr_str type = rest;
    tr_str ending;
    size_t digits = 0;
    while (digits < rest.len && tr_ascii_is_digit(rest.ptr[digits]))
        digits++;
    if (digits && digits < rest.len &&
        (rest.ptr[digits] == '-' || rest.ptr[digits] == '_'))
        rest = tr_str_skip(rest, digits + 1);
    return tr_str_cut(rest, '.', &type, &ending) ? type : rest;
}

static bool add_file(struct seeds *seeds, const char *name)
{
    struct tr_cli_rows *rows = &seeds->rows;
    enum tr_table_format format;
    char path[TR_LIMIT_PATH_BYTES * 2];
    tr_str copy;
    (void)snprintf(path, sizeof(path), "%s/%s", seeds->folder, name);
    if (!tr_arena_copy(seeds->arena, tr_str_from(path), &copy)) {
        (void)tr_cli_report_usage("%s has too many files", seeds->folder);
        return false;
    }
    if (!tr_table_format_of_file(copy, &format)) {
        if (rows->rdf_count == TR_LEN(rows->rdf)) {
            (void)tr_cli_report_usage("more than %d files", TR_CLI_ROWS_FILES);
            return false;
        }
        rows->rdf[rows->rdf_count++] = copy.ptr;
        return true;
    }
    const struct tr_model_type *type =
        tr_cli_rows_type(seeds->store.model, type_of(name));
    if (!type) {
        (void)fprintf(stderr,
                      "%s: its name must be that of a type, perhaps behind a "
                      "number: 10-Account.csv\n",
                      copy.ptr);
        return false;
    }
    return tr_cli_rows_add(rows, copy.ptr, format, type);
}

static int run(struct seeds *seeds, const struct tr_cli_invocation *invocation)
{
    if (!tr_cli_store_load(&seeds->store))
        return TR_CLI_EXIT_FAILED;
    (void)snprintf(seeds->folder, sizeof(seeds->folder), "%.*s/seeds",
                   (int)sizeof(seeds->folder) - 8, seeds->store.app.folder);
    seeds->rows.is_dry =
        tr_cli_invocation_option(invocation, "dry-run") != NULL;
    seeds->rows.table.replace = true;
    seeds->rows.table.needs_name = true;
    if (!list_files(seeds))
        return TR_CLI_EXIT_FAILED;
    for (size_t i = 0; i < seeds->names.count; i++) {
        if (!add_file(seeds, seeds->names.items[i]))
            return TR_CLI_EXIT_FAILED;
    }
    return tr_cli_rows_run(&seeds->rows);
}

int tr_cli_run_seed(const struct tr_cli_invocation *invocation)
{
    struct seeds *seeds = TR_NEW(invocation->arena, struct seeds);
    struct tr_err err;
    if (!seeds) {
        (void)tr_fail(&err, TR_E_NOMEM, "no memory for the files of a folder");
        return tr_cli_report_error(NULL, &err);
    }
    seeds->arena = invocation->arena;
    seeds->rows.command = "seed";
    seeds->rows.store = &seeds->store;
    seeds->rows.shows = tr_cli_progress_is_wanted();
    if (!tr_cli_store_open(&seeds->store, invocation, TR_CLI_STORE_MADE))
        return TR_CLI_EXIT_FAILED;
    int exit_code = run(seeds, invocation);
    tr_cli_rows_close(&seeds->rows);
    tr_cli_store_close(&seeds->store);
    return exit_code;
}
