#include "cli/command.h"

static const struct tr_option json_option[] = {
    {.name = "json", .help = "Print JSON."},
};

static const struct tr_option convert_options[] = {
    {.name = "from", .argument = "FORMAT", .help = "The format of IN."},
    {.name = "to", .argument = "FORMAT", .help = "The format of OUT."},
    {.name = "base",
     .argument = "IRI",
     .help = "What relative IRIs are resolved against."},
};

static const char *const shells[] = {"bash", "zsh", "fish", NULL};

const struct tr_option tr_global_options[] = {
    {.name = "help", .letter = 'h', .help = "Show help and exit."},
    {.name = "version", .help = "Show the version and exit."},
};
const size_t tr_global_option_count = TR_LEN(tr_global_options);

const struct tr_command tr_commands[] = {
    {
        .name = "config check",
        .arguments = "FILE",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Check a configuration file and print what is in effect.",
        .detail = "Reads FILE (- is standard input) as trails.toml would be "
                  "read, and prints\nevery setting with its value and where "
                  "that came from: the file, a variable\nof the environment, "
                  "or the default.",
        .options = json_option,
        .option_count = TR_LEN(json_option),
        .run = tr_run_config_check,
    },
    {
        .name = "config list",
        .arguments = "",
        .summary = "List every setting: default, values and meaning.",
        .options = json_option,
        .option_count = TR_LEN(json_option),
        .run = tr_run_config_list,
    },
    {
        .name = "convert",
        .arguments = "IN OUT",
        .min_arguments = 2,
        .max_arguments = 2,
        .summary = "Convert RDF from one syntax to another.",
        .detail = "The ending of a name tells its format: .nt, .nq, .ttl, "
                  ".trig or .jsonld (only\nwritten). A name of - is standard "
                  "input or output, and then FORMAT is needed:\nntriples, "
                  "nquads, turtle, trig or jsonld. To ntriples and nquads, "
                  "statements\nare passed on as they are read, however many "
                  "there are.",
        .options = convert_options,
        .option_count = TR_LEN(convert_options),
        .run = tr_run_convert,
    },
    {
        .name = "completion",
        .arguments = "SHELL",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Print a completion script for bash, zsh or fish.",
        .detail = "bash:  trails completion bash > "
                  "~/.local/share/bash-completion/completions/trails\n"
                  "zsh:   trails completion zsh > \"${fpath[1]}/_trails\"\n"
                  "fish:  trails completion fish > "
                  "~/.config/fish/completions/trails.fish",
        .words = shells,
        .run = tr_run_completion,
    },
    {
        .name = "help",
        .arguments = "[COMMAND]",
        .max_arguments = 2,
        .summary = "Show help, for everything or for one command.",
        .detail = "With --json, prints every command and option for programs "
                  "to read.",
        .options = json_option,
        .option_count = TR_LEN(json_option),
        .run = tr_run_help,
    },
};
const size_t tr_command_count = TR_LEN(tr_commands);

const struct tr_command *tr_command_find(tr_str name)
{
    for (size_t i = 0; i < tr_command_count; i++) {
        if (tr_str_eq(tr_str_from(tr_commands[i].name), name))
            return &tr_commands[i];
    }
    return NULL;
}
