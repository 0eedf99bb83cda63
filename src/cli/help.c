#include "cli/help.h"

#include "base/compiler.h"
#include "base/limits.h"

#define COLUMN 26

static void put_row(struct tr_buf *out, const char *left, const char *right)
{
    tr_buf_putf(out, "  %-*s %s\n", COLUMN, left, right);
}

static void put_heading(struct tr_buf *out, struct tr_cli_look look,
                        const char *text)
{
    tr_buf_putf(out, "\n%s%s%s\n", look.bold, text, look.plain);
}

static void put_options(struct tr_buf *out, const struct tr_cli_option *options,
                        size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct tr_cli_option *option = &options[i];
        char left[64];
        char letter[8] = "";
        if (option->letter)
            (void)snprintf(letter, sizeof(letter), "-%c, ", option->letter);
        (void)snprintf(left, sizeof(left), "%s--%s%s%s", letter, option->name,
                       option->argument ? " " : "",
                       option->argument ? option->argument : "");
        put_row(out, left, option->help);
    }
}

static void put_command(const struct tr_cli_command *command,
                        struct tr_cli_look look, struct tr_buf *out)
{
    tr_buf_putf(
        out, "%sUsage:%s trails %s%s%s%s\n\n%s\n", look.bold, look.plain,
        command->name, command->option_count ? " [OPTION...]" : "",
        command->arguments[0] ? " " : "", command->arguments, command->summary);
    if (command->detail)
        tr_buf_putf(out, "\n%s\n", command->detail);
    put_heading(out, look, "Options:");
    put_options(out, command->options, command->option_count);
    put_options(out, tr_cli_global_options, 1); /* --help */
}

/* The rows of a group, or of all commands when `group` is empty. */
static void put_commands(struct tr_buf *out, struct tr_cli_look look,
                         tr_str group)
{
    put_heading(out, look, "Commands:");
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        const struct tr_cli_command *command = &tr_cli_commands[i];
        char left[64];
        tr_str rest;
        if (group.len && !tr_cli_command_is_in(command, group, &rest))
            continue;
        (void)snprintf(left, sizeof(left), "%s %s", command->name,
                       command->arguments);
        put_row(out, left, command->summary);
    }
}

static void put_more(struct tr_buf *out, tr_str group)
{
    tr_buf_putf(out, "\n'trails help %.*s%sCOMMAND' tells more.\n",
                TR_FMT(group), group.len ? " " : "");
}

static void put_group(struct tr_cli_look look, tr_str group, struct tr_buf *out)
{
    tr_buf_putf(out, "%sUsage:%s trails %.*s COMMAND [ARGUMENT...]\n",
                look.bold, look.plain, TR_FMT(group));
    put_commands(out, look, group);
    put_more(out, group);
}

static void put_all(struct tr_cli_look look, struct tr_buf *out)
{
    tr_buf_putf(out,
                "trails " TR_VERSION " - a typed knowledge graph, records and "
                "functions, served to agents\n\n"
                "%sUsage:%s trails COMMAND [ARGUMENT...]\n",
                look.bold, look.plain);
    put_commands(out, look, TR_STR(""));
    put_heading(out, look, "Options:");
    put_options(out, tr_cli_global_options, tr_cli_global_option_count);
    put_more(out, TR_STR(""));
}

int tr_cli_help_show(const struct tr_cli_command *command, tr_str group)
{
    struct tr_cli_look look = tr_cli_look_of(stdout);
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (command)
        put_command(command, look, &out);
    else if (group.len)
        put_group(look, group, &out);
    else
        put_all(look, &out);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}
