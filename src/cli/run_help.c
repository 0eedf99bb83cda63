#include "base/compiler.h"
#include "base/limits.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "json/writer.h"

static void put_text_or_null(struct tr_json_writer *w, const char *key,
                             const char *text)
{
    tr_jw_key(w, key);
    if (text && *text)
        tr_jw_string(w, tr_str_from(text));
    else
        tr_jw_null(w);
}

static void put_options(struct tr_json_writer *w,
                        const struct tr_cli_option *options, size_t count)
{
    tr_jw_key(w, "options");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < count; i++) {
        char name[64];
        char letter[] = {'-', options[i].letter, '\0'};
        (void)snprintf(name, sizeof(name), "--%s", options[i].name);
        tr_jw_open(w, '{');
        put_text_or_null(w, "name", name);
        put_text_or_null(w, "short", options[i].letter ? letter : NULL);
        put_text_or_null(w, "argument", options[i].argument);
        put_text_or_null(w, "help", options[i].help);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, ']');
}

/* The tables as JSON, for scripts that check the man page and completion. */
static void put_tables(struct tr_buf *out)
{
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_put_string(&w, "version", TR_STR(TR_VERSION));
    tr_jw_key(&w, "commands");
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        tr_jw_open(&w, '{');
        put_text_or_null(&w, "name", tr_cli_commands[i].name);
        put_text_or_null(&w, "summary", tr_cli_commands[i].summary);
        put_text_or_null(&w, "arguments", tr_cli_commands[i].arguments);
        put_options(&w, tr_cli_commands[i].options,
                    tr_cli_commands[i].option_count);
        tr_jw_close(&w, '}');
    }
    tr_jw_close(&w, ']');
    put_options(&w, tr_cli_global_options, tr_cli_global_option_count);
    tr_jw_close(&w, '}');
    tr_buf_putc(out, '\n');
}

static int show_tables(void)
{
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    put_tables(&out);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

int tr_cli_run_help(const struct tr_cli_invocation *invocation)
{
    const char *const *words = invocation->arguments;
    size_t count = invocation->argument_count;
    char name[128] = "";

    (void)snprintf(name, sizeof(name), "%s%s%s", count > 0 ? words[0] : "",
                   count > 1 ? " " : "", count > 1 ? words[1] : "");
    tr_str typed = tr_str_from(name);
    const struct tr_cli_command *command = tr_cli_command_find(typed);
    if (typed.len && !command && !tr_cli_command_is_group(typed)) {
        (void)tr_cli_parse_unknown(typed);
        return TR_CLI_EXIT_USAGE;
    }
    return tr_cli_invocation_option(invocation, "json")
               ? show_tables()
               : tr_cli_help_show(command, typed);
}
