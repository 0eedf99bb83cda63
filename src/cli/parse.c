#include "cli/parse.h"

#include "base/limits.h"
#include "base/nearest.h"
#include "cli/report.h"

/* argv, and how far it was read. */
struct words {
    char *const *argv;
    int count;
    int at;
    const struct tr_cli_option *open; /* takes the words that follow; or NULL */
};

static enum tr_cli_parsed wrong_word(const char *what, tr_str word,
                                     tr_str nearest, const char *hyphens)
{
    if (nearest.len)
        (void)tr_cli_report_usage("unknown %s '%.*s', did you mean '%s%.*s'?",
                                  what, TR_FMT(word), hyphens, TR_FMT(nearest));
    else
        (void)tr_cli_report_usage("unknown %s '%.*s'; 'trails help' lists them",
                                  what, TR_FMT(word));
    return TR_CLI_PARSED_WRONG;
}

/* The name of a group is not yet a command. */
static enum tr_cli_parsed need_second_word(tr_str group)
{
    struct tr_buf words;
    tr_buf_init(&words, TR_LIMIT_CLI_OUTPUT);
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        tr_str second;
        if (tr_cli_command_is_in(&tr_cli_commands[i], group, &second))
            tr_buf_putf(&words, "%s%.*s", words.len ? ", " : "",
                        TR_FMT(second));
    }
    (void)tr_cli_report_usage("'%.*s' needs a second word: %.*s", TR_FMT(group),
                              (int)words.len, words.ptr ? words.ptr : "");
    tr_buf_done(&words);
    return TR_CLI_PARSED_WRONG;
}

enum tr_cli_parsed tr_cli_parse_unknown(tr_str typed)
{
    struct tr_nearest nearest;
    if (tr_cli_command_is_group(typed))
        return need_second_word(typed);
    tr_nearest_init(&nearest, typed);
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        tr_str name = tr_str_from(tr_cli_commands[i].name);
        tr_str second;
        tr_nearest_offer(&nearest, name);
        if (tr_str_cut(name, ' ', &name, &second))
            tr_nearest_offer(&nearest, name);
    }
    return wrong_word("command", typed, nearest.best, "");
}

static tr_str word_at(const struct words *words, int at)
{
    return at < words->count ? tr_str_from(words->argv[at]) : (tr_str){NULL, 0};
}

/* `trails token --help`: help on a group. */
static bool asks_for_group(const struct words *words, tr_str group)
{
    tr_str next = word_at(words, words->at + 1);
    return tr_cli_command_is_group(group) &&
           (tr_str_eq(next, TR_STR("--help")) || tr_str_eq(next, TR_STR("-h")));
}

/* A name of two words comes before a name of one. */
static const struct tr_cli_command *find_command(struct words *words,
                                                 enum tr_cli_parsed *parsed)
{
    tr_str first = word_at(words, words->at);
    tr_str second = word_at(words, words->at + 1);
    char both[128];
    bool has_second = second.len && second.ptr[0] != '-';

    (void)snprintf(both, sizeof(both), "%.*s %.*s", TR_FMT(first),
                   TR_FMT(second));
    const struct tr_cli_command *command =
        has_second ? tr_cli_command_find(tr_str_from(both)) : NULL;
    if (command) {
        words->at += 2;
        return command;
    }
    command = tr_cli_command_find(first);
    if (command)
        words->at++;
    else
        *parsed = tr_cli_parse_unknown(
            has_second && tr_cli_command_is_group(first) ? tr_str_from(both)
                                                         : first);
    return command;
}

static bool option_is(const struct tr_cli_option *option, tr_str name,
                      bool is_long)
{
    if (is_long)
        return tr_str_eq(tr_str_from(option->name), name);
    return option->letter && name.len == 1 && name.ptr[0] == option->letter;
}

static const struct tr_cli_option *
find_option(const struct tr_cli_option *options, size_t count, tr_str name,
            bool is_long)
{
    for (size_t i = 0; i < count; i++) {
        if (option_is(&options[i], name, is_long))
            return &options[i];
    }
    return NULL;
}

static enum tr_cli_parsed unknown_option(const struct tr_cli_command *command,
                                         tr_str typed, tr_str name)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; command && i < command->option_count; i++)
        tr_nearest_offer(&nearest, tr_str_from(command->options[i].name));
    for (size_t i = 0; i < tr_cli_global_option_count; i++)
        tr_nearest_offer(&nearest, tr_str_from(tr_cli_global_options[i].name));
    return wrong_word("option", typed, nearest.best, "--");
}

/* --help and --version are options of every command. */
static enum tr_cli_parsed read_global(tr_str typed, tr_str name, bool is_long,
                                      const struct tr_cli_command *command)
{
    const struct tr_cli_option *option = find_option(
        tr_cli_global_options, tr_cli_global_option_count, name, is_long);
    if (!option)
        return unknown_option(command, typed, name);
    return strcmp(option->name, "help") == 0 ? TR_CLI_PARSED_HELP
                                             : TR_CLI_PARSED_VERSION;
}

static enum tr_cli_parsed read_value(struct words *words, tr_str typed,
                                     const struct tr_cli_option *option,
                                     const char *attached, const char **out)
{
    if (!option->argument && attached) {
        (void)tr_cli_report_usage("option '%.*s' takes no value",
                                  TR_FMT(typed));
        return TR_CLI_PARSED_WRONG;
    }
    if (!option->argument) {
        *out = "";
        return TR_CLI_PARSED_COMMAND;
    }
    if (!attached && words->at == words->count) {
        (void)tr_cli_report_usage("option '%.*s' needs a value: %s",
                                  TR_FMT(typed), option->argument);
        return TR_CLI_PARSED_WRONG;
    }
    *out = attached ? attached : words->argv[words->at++];
    return TR_CLI_PARSED_COMMAND;
}

static enum tr_cli_parsed add_given(struct tr_cli_invocation *out,
                                    const struct tr_cli_option *option,
                                    const char *value)
{
    if (out->given_count == TR_CLI_ARGUMENTS_MAX) {
        (void)tr_cli_report_usage("more than %d values of '--%s'",
                                  TR_CLI_ARGUMENTS_MAX, option->name);
        return TR_CLI_PARSED_WRONG;
    }
    out->given[out->given_count++] = (struct tr_cli_given){option, value};
    return TR_CLI_PARSED_COMMAND;
}

static enum tr_cli_parsed read_option(struct words *words,
                                      struct tr_cli_invocation *out)
{
    const struct tr_cli_command *command = out->command;
    tr_str typed = tr_str_from(words->argv[words->at++]);
    bool is_long = typed.len > 2 && typed.ptr[1] == '-';
    tr_str name = tr_str_skip(typed, is_long ? 2 : 1);
    tr_str value;
    const char *attached = NULL;

    if (is_long && tr_str_cut(name, '=', &name, &value)) {
        attached = value.ptr;
        typed.len -= value.len + 1;
    }
    const struct tr_cli_option *option =
        command ? find_option(command->options, command->option_count, name,
                              is_long)
                : NULL;
    if (!option)
        return read_global(typed, name, is_long, command);
    const char **value_of = &out->options[option - command->options];
    enum tr_cli_parsed parsed =
        read_value(words, typed, option, attached, value_of);
    if (parsed != TR_CLI_PARSED_COMMAND || (!option->many && !option->repeats))
        return parsed;
    if (option->many)
        words->open = option;
    return add_given(out, option, *value_of);
}

static enum tr_cli_parsed check_count(const struct tr_cli_invocation *out)
{
    const struct tr_cli_command *command = out->command;
    if (out->argument_count >= command->min_arguments &&
        out->argument_count <= command->max_arguments)
        return TR_CLI_PARSED_COMMAND;
    if (out->argument_count > command->max_arguments)
        (void)tr_cli_report_usage(
            "unexpected argument '%s'; see 'trails help %s'",
            out->arguments[command->max_arguments], command->name);
    else
        (void)tr_cli_report_usage("'%s' needs %s", command->name,
                                  command->arguments);
    return TR_CLI_PARSED_WRONG;
}

static enum tr_cli_parsed read_argument(struct words *words,
                                        struct tr_cli_invocation *out)
{
    const char *word = words->argv[words->at++];
    if (words->open)
        return add_given(out, words->open, word);
    if (out->argument_count == TR_CLI_ARGUMENTS_MAX) {
        (void)tr_cli_report_usage("more than %d arguments",
                                  TR_CLI_ARGUMENTS_MAX);
        return TR_CLI_PARSED_WRONG;
    }
    out->arguments[out->argument_count++] = word;
    return TR_CLI_PARSED_COMMAND;
}

static enum tr_cli_parsed read_words(struct words *words,
                                     struct tr_cli_invocation *out)
{
    bool only_arguments = false;
    enum tr_cli_parsed parsed = TR_CLI_PARSED_COMMAND;
    while (parsed == TR_CLI_PARSED_COMMAND && words->at < words->count) {
        const char *word = words->argv[words->at];
        if (!only_arguments && strcmp(word, "--") == 0) {
            only_arguments = true;
            words->open = NULL;
            words->at++;
        } else if (!only_arguments && word[0] == '-' && word[1]) {
            words->open = NULL;
            parsed = read_option(words, out);
        } else {
            parsed = read_argument(words, out);
        }
    }
    return parsed == TR_CLI_PARSED_COMMAND ? check_count(out) : parsed;
}

enum tr_cli_parsed tr_cli_parse(int argc, char *const *argv,
                                struct tr_cli_invocation *out)
{
    struct words words = {argv, argc, 1, NULL};
    enum tr_cli_parsed parsed = TR_CLI_PARSED_COMMAND;

    if (argc < 2)
        return TR_CLI_PARSED_HELP;
    if (argv[1][0] == '-' && argv[1][1])
        return read_option(&words, out);
    if (asks_for_group(&words, word_at(&words, 1))) {
        out->group = word_at(&words, 1);
        return TR_CLI_PARSED_HELP;
    }
    out->command = find_command(&words, &parsed);
    return out->command ? read_words(&words, out) : parsed;
}

const char *tr_cli_invocation_option(const struct tr_cli_invocation *invocation,
                                     const char *name)
{
    const struct tr_cli_command *command = invocation->command;
    for (size_t i = 0; i < command->option_count; i++) {
        if (strcmp(command->options[i].name, name) == 0)
            return invocation->options[i];
    }
    return NULL;
}

const char *tr_cli_invocation_next(const struct tr_cli_invocation *invocation,
                                   const char *name, size_t *at)
{
    while (*at < invocation->given_count) {
        const struct tr_cli_given *given = &invocation->given[(*at)++];
        if (strcmp(given->option->name, name) == 0)
            return given->value;
    }
    return NULL;
}
