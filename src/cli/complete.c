#include "cli/complete.h"

#include "cap/snapshot.h"
#include "cli/report.h"
#include "model/model.h"
#include "server/app.h"

/* The line so far: which command it is, and what stands before the word that
 * is being typed. */
struct line {
    const char *const *typed;
    size_t count;
    tr_str current;
    size_t at; /* of the first word after the command */
    tr_str group;
    const struct tr_cli_command *command;
    struct tr_buf *out;
};

/* A title may have line ends and tabs, which mean something else here. */
static void put(struct line *line, tr_str word, tr_str meaning)
{
    tr_buf_put(line->out, word);
    tr_buf_putc(line->out, '\t');
    size_t start = line->out->len;
    tr_buf_put(line->out, meaning);
    tr_cli_report_put_line(line->out, start);
}

/* Each of the words that a table has with spaces between them. */
static void put_words(struct line *line, const char *words)
{
    tr_str rest = tr_str_from(words ? words : "");
    while (rest.len) {
        tr_str word = rest;
        if (!tr_str_cut(rest, ' ', &word, &rest))
            rest = TR_STR("");
        put(line, word, TR_STR(""));
    }
}

static void put_options(struct line *line, const struct tr_cli_option *options,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "--%s", options[i].name);
        put(line, tr_str_from(name), tr_str_from(options[i].help));
    }
}

/* Groups that begin with this command: each is offered once. */
static bool starts_group(size_t i, tr_str *group)
{
    tr_str second;
    tr_str rest;
    return tr_str_cut(tr_str_from(tr_cli_commands[i].name), ' ', group,
                      &second) &&
           (i == 0 ||
            !tr_cli_command_is_in(&tr_cli_commands[i - 1], *group, &rest));
}

/* The commands of the group, or the first words of all. */
static void put_commands(struct line *line, tr_str group)
{
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        const struct tr_cli_command *command = &tr_cli_commands[i];
        tr_str name = tr_str_from(command->name);
        tr_str first;
        tr_str rest;
        if (group.len && tr_cli_command_is_in(command, group, &rest))
            put(line, rest, tr_str_from(command->summary));
        else if (!group.len && starts_group(i, &first))
            put(line, first, TR_STR("a group of commands"));
        else if (!group.len && !memchr(name.ptr, ' ', name.len))
            put(line, name, tr_str_from(command->summary));
    }
}

/* Whether names of files stand for this argument: "FILE...", "[FOLDER]". */
static bool is_path(const char *argument)
{
    static const char *const paths[] = {"FILE", "FOLDER", "PATH", "IN OUT"};
    for (size_t i = 0; i < TR_LEN(paths); i++) {
        if (strstr(argument, paths[i]))
            return true;
    }
    return false;
}

static void put_files_if(struct line *line, const char *argument)
{
    if (is_path(argument))
        tr_buf_put(line->out, TR_STR(TR_CLI_FILES_LINE));
}

/* The option that the word before the current one is, if it takes a value. */
static const struct tr_cli_option *open_option(const struct line *line)
{
    if (line->count < line->at + 2)
        return NULL;
    tr_str word = tr_str_from(line->typed[line->count - 2]);
    for (size_t i = 0; i < line->command->option_count; i++) {
        const struct tr_cli_option *option = &line->command->options[i];
        if (option->argument && tr_str_starts(word, TR_STR("--")) &&
            tr_str_eq(tr_str_skip(word, 2), tr_str_from(option->name)))
            return option;
    }
    return NULL;
}

/* The folder of the app that the line names with --app, or this one. */
static const char *folder_of(const struct line *line)
{
    for (size_t i = line->at; i + 2 < line->count; i++) {
        if (strcmp(line->typed[i], "--app") == 0)
            return line->typed[i + 1];
    }
    return ".";
}

static void put_capabilities(struct line *line,
                             const struct tr_cap_snapshot *snapshot)
{
    for (size_t i = 0; i < tr_cap_snapshot_counts(snapshot).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        put(line, cap->id, cap->title);
    }
}

static void put_types(struct line *line, const struct tr_cap_snapshot *snapshot)
{
    const struct tr_model *model = tr_cap_snapshot_model(snapshot);
    for (size_t i = 0; i < model->count; i++)
        put(line, model->types[i]->name, TR_STR(""));
}

/* An app that does not load has no names to offer; `check` says why. */
static void put_names(struct line *line, enum tr_cli_takes takes)
{
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_server_app app;
    struct tr_err err;
    if (tr_server_app_open(&app, folder_of(line), &err) != TR_OK)
        return;
    if (tr_server_app_load(&app, &snapshot, &err) == TR_OK) {
        if (takes == TR_CLI_TAKES_TYPE)
            put_types(line, snapshot);
        else
            put_capabilities(line, snapshot);
        tr_cap_snapshot_unpin(snapshot);
    }
    tr_server_app_close(&app);
}

static void put_arguments(struct line *line)
{
    const struct tr_cli_command *command = line->command;
    size_t nth = line->count - line->at; /* at least 1: the current word */
    put_words(line, command->words);
    if (command->takes == TR_CLI_TAKES_CAPABILITY ||
        (command->takes == TR_CLI_TAKES_TYPE && nth <= 1))
        put_names(line, command->takes);
    else if (command->takes == TR_CLI_TAKES_COMMAND && nth <= 1)
        put_commands(line, TR_STR(""));
    else if (command->takes == TR_CLI_TAKES_COMMAND)
        put_commands(line, tr_str_from(line->typed[line->at]));
    else
        put_files_if(line, command->arguments);
}

static void put_next(struct line *line)
{
    if (!line->command && tr_str_starts(line->current, TR_STR("-"))) {
        put_options(line, tr_cli_global_options, tr_cli_global_option_count);
        return;
    }
    if (!line->command) {
        put_commands(line, line->group);
        return;
    }
    const struct tr_cli_option *open = open_option(line);
    if (open) {
        put_words(line, open->values);
        put_files_if(line, open->argument);
    } else if (tr_str_starts(line->current, TR_STR("-"))) {
        put_options(line, line->command->options, line->command->option_count);
        put_options(line, tr_cli_global_options, 1); /* --help */
    } else {
        put_arguments(line);
    }
}

/* A name of two words comes before a name of one, as when it is run. */
static void find_command(struct line *line)
{
    char both[128];
    if (line->count < 2)
        return;
    tr_str first = tr_str_from(line->typed[0]);
    if (line->count > 2) {
        (void)snprintf(both, sizeof(both), "%s %s", line->typed[0],
                       line->typed[1]);
        line->command = tr_cli_command_find(tr_str_from(both));
        line->at = 2;
    }
    if (!line->command) {
        line->command = tr_cli_command_find(first);
        line->at = 1;
    }
    if (!line->command)
        line->group = first;
}

void tr_cli_complete(const char *const *typed, size_t count, struct tr_buf *out)
{
    struct line line = {
        .typed = typed,
        .count = count,
        .current = tr_str_from(count ? typed[count - 1] : ""),
        .out = out,
    };
    find_command(&line);
    put_next(&line);
}
