#include "cli/completion.h"

#include "cli/command.h"

/*
 * The scripts hold tables, not logic: for each command line typed so far, the
 * words that may come next. What is not in a table is a file.
 */

/* The first word of each command, each once. */
static void put_first_words(struct tr_buf *out)
{
    tr_str last = {NULL, 0};
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        tr_str name = tr_str_from(tr_cli_commands[i].name);
        tr_str first = name;
        tr_str second;
        (void)tr_str_cut(name, ' ', &first, &second);
        if (!tr_str_eq(first, last))
            tr_buf_putf(out, "%s%.*s", last.len ? " " : "", TR_FMT(first));
        last = first;
    }
}

/* The second words of commands that start with `first`. */
static void put_second_words(struct tr_buf *out, tr_str first)
{
    const char *before = "";
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        tr_str word;
        tr_str second;
        if (tr_str_cut(tr_str_from(tr_cli_commands[i].name), ' ', &word,
                       &second) &&
            tr_str_eq(word, first)) {
            tr_buf_putf(out, "%s%.*s", before, TR_FMT(second));
            before = " ";
        }
    }
}

static void put_options(struct tr_buf *out,
                        const struct tr_cli_command *command)
{
    for (size_t i = 0; i < command->option_count; i++)
        tr_buf_putf(out, "--%s ", command->options[i].name);
    tr_buf_put(out, TR_STR("--help"));
}

static void put_arguments(struct tr_buf *out,
                          const struct tr_cli_command *command)
{
    for (size_t i = 0; command->words && command->words[i]; i++)
        tr_buf_putf(out, " %s", command->words[i]);
}

static bool starts_group(size_t i, tr_str *group)
{
    tr_str second;
    tr_str before;
    if (!tr_str_cut(tr_str_from(tr_cli_commands[i].name), ' ', group, &second))
        return false;
    return i == 0 ||
           !tr_str_cut(tr_str_from(tr_cli_commands[i - 1].name), ' ', &before,
                       &second) ||
           !tr_str_eq(before, *group);
}

/* bash and zsh: a case per command line typed so far. */
static void put_cases(struct tr_buf *out)
{
    tr_buf_put(out, TR_STR("    '') next='"));
    put_first_words(out);
    for (size_t i = 0; i < tr_cli_global_option_count; i++)
        tr_buf_putf(out, " --%s", tr_cli_global_options[i].name);
    tr_buf_put(out, TR_STR("' ;;\n"));
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        tr_str group;
        if (starts_group(i, &group)) {
            tr_buf_putf(out, "    '%.*s') next='", TR_FMT(group));
            put_second_words(out, group);
            tr_buf_put(out, TR_STR("' ;;\n"));
        }
        tr_buf_putf(out, "    '%s') next='", tr_cli_commands[i].name);
        put_options(out, &tr_cli_commands[i]);
        put_arguments(out, &tr_cli_commands[i]);
        tr_buf_put(out, TR_STR("' ;;\n"));
    }
}

/* The command is the words in front that are no options, at most two. */
static void write_bash(struct tr_buf *out)
{
    tr_buf_put(out,
               TR_STR("# bash completion for trails\n"
                      "_trails() {\n"
                      "    local next='' typed='' word i\n"
                      "    for ((i = 1; i < COMP_CWORD && i < 3; i++)); do\n"
                      "        word=${COMP_WORDS[i]}\n"
                      "        [[ $word == -* ]] || "
                      "typed=\"${typed:+$typed }$word\"\n"
                      "    done\n"
                      "    case $typed in\n"));
    put_cases(out);
    tr_buf_put(
        out, TR_STR("    esac\n"
                    "    COMPREPLY=($(compgen -W \"$next\" -- "
                    "\"${COMP_WORDS[COMP_CWORD]}\"))\n"
                    "}\n"
                    "complete -o bashdefault -o default -F _trails trails\n"));
}

static void write_zsh(struct tr_buf *out)
{
    tr_buf_put(out, TR_STR("#compdef trails\n"
                           "_trails() {\n"
                           "    local next='' typed='' word i\n"
                           "    for ((i = 2; i < CURRENT && i < 4; i++)); do\n"
                           "        word=${words[i]}\n"
                           "        [[ $word == -* ]] || "
                           "typed=\"${typed:+$typed }$word\"\n"
                           "    done\n"
                           "    case $typed in\n"));
    put_cases(out);
    tr_buf_put(out, TR_STR("    esac\n"
                           "    compadd -- ${=next}\n"
                           "    [[ -n $typed ]] && _files\n"
                           "}\n"
                           "compdef _trails trails\n"));
}

/* fish quotes with '...' and has \' inside. */
static void put_fish_text(struct tr_buf *out, const char *text)
{
    tr_buf_putc(out, '\'');
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            tr_buf_putc(out, '\\');
        tr_buf_putc(out, *text);
    }
    tr_buf_putc(out, '\'');
}

static void put_fish_options(struct tr_buf *out,
                             const struct tr_cli_command *command)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const struct tr_cli_option *option = &command->options[i];
        tr_buf_putf(out, "complete -c trails -n '__trails_is %s' -l %s%s -d ",
                    command->name, option->name, option->argument ? " -r" : "");
        put_fish_text(out, option->help);
        tr_buf_putc(out, '\n');
    }
    for (size_t i = 0; command->words && command->words[i]; i++)
        tr_buf_putf(out, "complete -c trails -f -n '__trails_is %s' -a %s\n",
                    command->name, command->words[i]);
}

static void put_fish_command(struct tr_buf *out, size_t i)
{
    const struct tr_cli_command *command = &tr_cli_commands[i];
    tr_str next = tr_str_from(command->name);
    tr_str typed = TR_STR("");
    tr_str group;
    (void)tr_str_cut(next, ' ', &typed, &next);
    if (starts_group(i, &group))
        tr_buf_putf(out, "complete -c trails -f -n '__trails_is' -a %.*s\n",
                    TR_FMT(group));
    tr_buf_putf(out, "complete -c trails -f -n '__trails_is %.*s' -a %.*s -d ",
                TR_FMT(typed), TR_FMT(next));
    put_fish_text(out, command->summary);
    tr_buf_putc(out, '\n');
    put_fish_options(out, command);
}

static void write_fish(struct tr_buf *out)
{
    tr_buf_put(out,
               TR_STR("# fish completion for trails\n"
                      "function __trails_is\n"
                      "    set -l typed (commandline -opc)[2..-1]\n"
                      "    set typed (string match -v -- '-*' $typed)[1..2]\n"
                      "    test \"$typed\" = \"$argv\"\n"
                      "end\n"));
    for (size_t i = 0; i < tr_cli_command_count; i++)
        put_fish_command(out, i);
    for (size_t i = 0; i < tr_cli_global_option_count; i++) {
        tr_buf_putf(out, "complete -c trails -l %s -d ",
                    tr_cli_global_options[i].name);
        put_fish_text(out, tr_cli_global_options[i].help);
        tr_buf_putc(out, '\n');
    }
}

bool tr_cli_completion_write(tr_str shell, struct tr_buf *out)
{
    static const struct {
        tr_str name;
        void (*write)(struct tr_buf *out);
    } shells[] = {
        {TR_STR_INIT("bash"), write_bash},
        {TR_STR_INIT("zsh"), write_zsh},
        {TR_STR_INIT("fish"), write_fish},
    };
    for (size_t i = 0; i < TR_LEN(shells); i++) {
        if (tr_str_eq(shells[i].name, shell)) {
            shells[i].write(out);
            return true;
        }
    }
    return false;
}
