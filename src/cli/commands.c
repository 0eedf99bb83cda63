#include "cli/clients.h"
#include "cli/command.h"

static const struct tr_cli_option json_option[] = {
    {.name = "json", .help = "Print JSON."},
};

static const struct tr_cli_option new_options[] = {
    {.name = "with",
     .argument = "WHAT",
     .help = "types: two types and a question about them; api: a tool that "
             "asks an API over HTTP.",
     .values = "types api"},
};

static const struct tr_cli_option serve_options[] = {
    {.name = "stdio", .help = "Speak over standard input and output."},
    {.name = "http",
     .argument = "ADDRESS",
     .help = "Listen on HOST:PORT; port 0 picks a free one."},
    {.name = "unix", .argument = "PATH", .help = "Listen on a Unix socket."},
    {.name = "transport",
     .argument = "NAME",
     .help = "stdio, or sse for HTTP; as other servers spell it.",
     .values = "stdio sse"},
    {.name = "port",
     .argument = "NUMBER",
     .help = "Listen on this port of 127.0.0.1."},
    {.name = "watch",
     .help = "Load the app again when one of its files changes; not in "
             "production."},
    {.name = "token-file",
     .argument = "FILE",
     .help = "What standard input brings as its credential; only you may read "
             "FILE."},
};

static const struct tr_cli_option doctor_options[] = {
    {.name = "json", .help = "Print JSON."},
    {.name = "strict", .help = "End with 1 when there are warnings."},
    {.name = "list", .help = "Say what is checked, and do nothing."},
};

static const struct tr_cli_option check_options[] = {
    {.name = "json", .help = "Print JSON."},
    {.name = "store", .help = "Look at all of the store, however large it is."},
};

static const struct tr_cli_option call_options[] = {
    {.name = "json",
     .argument = "ARGUMENTS",
     .help = "A JSON object; @FILE reads it from a file, - from the input."},
    {.name = "as",
     .argument = "NAME",
     .help = "Call as this caller; an empty name is nobody."},
    {.name = "scopes",
     .argument = "SCOPES",
     .help = "With these alone: runtime, builder, dev, with commas.",
     .values = "runtime builder dev"},
    {.name = "app", .argument = "FOLDER", .help = "The app; default: here."},
};

static const struct tr_cli_option capabilities_options[] = {
    {.name = "as",
     .argument = "VIEW",
     .help = "markdown, for people, is the default; the others are for "
             "programs.",
     .values = "markdown json jsonld context mcp openapi wot card card-ld"},
    {.name = "scopes",
     .argument = "SCOPES",
     .help = "As callers with these see it: runtime, builder, dev, with "
             "commas; default: all.",
     .values = "runtime builder dev"},
    {.name = "app", .argument = "FOLDER", .help = "The app; default: here."},
};

static const struct tr_cli_option mcp_test_options[] = {
    {.name = "messages", .help = "Show what is sent and what comes back."},
    TR_CLI_CLIENT_OPTIONS,
    {.name = "name",
     .argument = "NAME",
     .help = "Of the entry trails-NAME; default: the project's."},
};

static const struct tr_cli_option mcp_install_options[] = {
    TR_CLI_CLIENT_OPTIONS,
    {.name = "name",
     .argument = "NAME",
     .help = "The entry is trails-NAME; default: the project's name."},
    {.name = "token-file",
     .argument = "FILE",
     .help = "What the host brings as its credential; only you may read FILE."},
    {.name = "dry-run", .help = "Show what would change, and do nothing."},
};

static const struct tr_cli_option mcp_uninstall_options[] = {
    TR_CLI_CLIENT_OPTIONS,
    {.name = "name",
     .argument = "NAME",
     .help = "The entry trails-NAME, whichever app it serves."},
    {.name = "dry-run", .help = "Show what would change, and do nothing."},
};

static const struct tr_cli_option mcp_status_options[] = {
    TR_CLI_CLIENT_OPTIONS,
    {.name = "json", .help = "Print JSON."},
};

static const struct tr_cli_option convert_options[] = {
    {.name = "from",
     .argument = "FORMAT",
     .help = "The format of IN.",
     .values = "ntriples nquads turtle trig"},
    {.name = "to",
     .argument = "FORMAT",
     .help = "The format of OUT.",
     .values = "ntriples nquads turtle trig jsonld"},
    {.name = "base",
     .argument = "IRI",
     .help = "What relative IRIs are resolved against."},
};

static const struct tr_cli_option validate_options[] = {
    {.name = "shapes",
     .argument = "FILE...",
     .help = "The SHACL shapes.",
     .many = true},
    {.name = "data",
     .argument = "FILE...",
     .help = "The data to validate.",
     .many = true},
    {.name = "format",
     .argument = "FORMAT",
     .help = "The report as text, ttl or json; default: text.",
     .values = "text ttl json"},
    {.name = "limit",
     .argument = "NUMBER",
     .help = "Show at most so many results; default: 1000."},
    {.name = "app",
     .argument = "FOLDER",
     .help = "The app whose store is checked; default: here."},
};

static const struct tr_cli_option schema_options[] = {
    {.name = "shapes",
     .argument = "FILE...",
     .help = "The SHACL shapes.",
     .many = true},
    {.name = "type",
     .argument = "TYPE",
     .help = "The IRI of a shape or its target class, or the end of it."},
};

#define APP_OPTION                                                             \
    {                                                                          \
        .name = "app", .argument = "FOLDER", .help = "The app; default: here." \
    }

static const struct tr_cli_option app_option[] = {APP_OPTION};

static const struct tr_cli_option graph_options[] = {
    {.name = "svg", .help = "As SVG, for browsers and documents."},
    {.name = "dot", .help = "As DOT, for Graphviz."},
    {.name = "mermaid", .help = "As Mermaid, for Markdown; the default."},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "Write to this file; default: standard output."},
    APP_OPTION,
};

static const struct tr_cli_option gen_options[] = {
    {.name = "description",
     .argument = "TEXT",
     .help = "For people and models."},
    {.name = "input",
     .argument = "JSON",
     .help = "All that can be said, as an object; @FILE reads it from a file, "
             "- from the input."},
    {.name = "file",
     .argument = "PATH",
     .help = "Where it is written: app.lua or a file of lib; default: "
             "app.lua."},
    {.name = "with",
     .argument = "WHAT",
     .help = "Of gen app: types or api.",
     .values = "types api"},
    {.name = "before",
     .argument = "SHA256",
     .help = "Of the file as you know it: refused when it has changed."},
    {.name = "apply", .help = "Write it; else it is only shown."},
    {.name = "json", .help = "Print JSON."},
    APP_OPTION,
};

static const struct tr_cli_option app_edit_options[] = {
    {.name = "text",
     .argument = "FILE",
     .help = "Where the new text is; default: standard input."},
    {.name = "delete", .help = "The file goes."},
    {.name = "before",
     .argument = "SHA256",
     .help = "Of the file as you know it; needed with --apply, unless it is "
             "new."},
    {.name = "apply", .help = "Write it; else it is only shown."},
    {.name = "json", .help = "Print JSON."},
    APP_OPTION,
};

static const struct tr_cli_option app_source_options[] = {
    {.name = "json", .help = "Print JSON, with the texts of the named files."},
    APP_OPTION,
};

static const struct tr_cli_option import_options[] = {
    {.name = "graph",
     .argument = "IRI",
     .help = "Where statements without a graph go."},
    {.name = "format",
     .argument = "FORMAT",
     .help =
         "Of all files: nt, nq, ttl, trig or jsonld; with --type csv, json or "
         "ndjson.",
     .values = "nt nq ttl trig jsonld csv json ndjson"},
    {.name = "type",
     .argument = "TYPE",
     .help = "Rows of this type: each is a node, each column a field."},
    {.name = "map",
     .argument = "COLUMN=FIELD",
     .help = "What field a column is; COLUMN= leaves it out. Again for others.",
     .repeats = true},
    {.name = "separator",
     .argument = "CHARACTER",
     .help = "Between cells of CSV: , ; or tab; default: what the header has.",
     .values = ", ; tab"},
    {.name = "skip-bad",
     .help = "Import the good rows, and leave out the bad."},
    {.name = "replace",
     .help = "Rows of nodes that are there, by id or unique value, change "
             "them."},
    {.name = "delete-missing",
     .help =
         "With --replace: nodes of the type that no row names are deleted."},
    {.name = "dry-run", .help = "Check and count everything, and do nothing."},
    {.name = "skip-prov",
     .help = "Leave out statements of the provenance graph."},
    {.name = "as-written",
     .help = "Refuse values that would be written otherwise: 01 for 1."},
    APP_OPTION,
};

static const struct tr_cli_option seed_options[] = {
    {.name = "dry-run", .help = "Check and count everything, and do nothing."},
    APP_OPTION,
};

static const struct tr_cli_option export_options[] = {
    {.name = "format",
     .argument = "FORMAT",
     .help = "nq, trig, ttl, nt or jsonld; default: nq. With --type csv, "
             "ndjson or\njsonld; default: csv.",
     .values = "nq trig ttl nt jsonld csv ndjson"},
    {.name = "type",
     .argument = "TYPE",
     .help = "Only nodes of this type: a row for each."},
    {.name = "graph", .argument = "IRI", .help = "Only this graph."},
    {.name = "prov",
     .help = "Who did what as well, as PROV-O in a graph of its own."},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "Write to this file; default: standard output."},
    APP_OPTION,
};

static const struct tr_cli_option stats_options[] = {
    {.name = "json", .help = "Print JSON."},
    APP_OPTION,
};

static const struct tr_cli_option explain_options[] = {
    {.name = "filter",
     .argument = "JSON",
     .help = "What is searched for, as ctx.kg:where takes it."},
    {.name = "order",
     .argument = "FIELD",
     .help = "Which come first; -FIELD for the greatest."},
    {.name = "json", .help = "Print JSON."},
    APP_OPTION,
};

static const struct tr_cli_option store_rename_options[] = {
    {.name = "from",
     .argument = "NAME",
     .help = "The name to replace, where the store has several."},
    {.name = "dry-run", .help = "Say what would be renamed, and do nothing."},
    APP_OPTION,
};

static const struct tr_cli_option prov_list_options[] = {
    {.name = "principal",
     .argument = "NAME",
     .help = "Of this caller; an empty name is nobody."},
    {.name = "capability",
     .argument = "NAME",
     .help = "Of what has this name: a capability, a resource, a command."},
    {.name = "since",
     .argument = "TIME",
     .help = "Since then, such as 2026-07-28T12:00:00Z."},
    {.name = "limit",
     .argument = "NUMBER",
     .help = "At most so many; default: 100."},
    {.name = "json", .help = "Print JSON."},
    APP_OPTION,
};

static const struct tr_cli_option token_create_options[] = {
    {.name = "scope",
     .argument = "SCOPES",
     .help = "What it may do: runtime, builder, dev, with commas.",
     .values = "runtime builder dev"},
    {.name = "name",
     .argument = "NAME",
     .help = "Who has it, for logs and provenance."},
    {.name = "expires",
     .argument = "WHEN",
     .help = "30d, 12h, or a time; default: never."},
    {.name = "calls-per-hour",
     .argument = "NUMBER",
     .help = "Calls that it may make in an hour."},
    {.name = "calls-per-day", .argument = "NUMBER", .help = "In a day."},
    {.name = "tokens-per-hour",
     .argument = "NUMBER",
     .help = "Tokens of models that it may spend in an hour."},
    {.name = "tokens-per-day", .argument = "NUMBER", .help = "In a day."},
    {.name = "usd-per-hour",
     .argument = "AMOUNT",
     .help = "Dollars that it may spend in an hour."},
    {.name = "usd-per-day", .argument = "AMOUNT", .help = "In a day."},
    {.name = "json", .help = "Print JSON."},
    APP_OPTION,
};

const struct tr_cli_option tr_cli_global_options[] = {
    {.name = "help", .letter = 'h', .help = "Show help and exit."},
    {.name = "version", .letter = 'V', .help = "Show the version and exit."},
};
const size_t tr_cli_global_option_count = TR_LEN(tr_cli_global_options);

const struct tr_cli_command tr_cli_commands[] = {
    {
        .name = "new",
        .arguments = "FOLDER",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Make a small app that works.",
        .detail = "Writes app.lua, trails.toml, a seed and a README.md into "
                  "FOLDER, which must not exist or be empty.\nThe project is "
                  "named after it, once and for all: its name is in every IRI.",
        .options = new_options,
        .option_count = TR_LEN(new_options),
        .run = tr_cli_run_new,
    },
    {
        .name = "gen",
        .arguments = "KIND [NAME [FIELD...]]",
        .min_arguments = 1,
        .max_arguments = TR_CLI_ARGUMENTS_MAX,
        .summary = "Write a declaration into an app, or show it.",
        .detail = "KIND is app (NAME is then its folder), node-type, shape, "
                  "capability, resource,\nprompt or policy. FIELD is a name, "
                  "or NAME:KIND, and options: due:date:optional,\n"
                  "owner:ref=Person, tags:text:many. Without --apply nothing "
                  "is written: what would\nchange is shown as a diff.",
        .options = gen_options,
        .option_count = TR_LEN(gen_options),
        .words = "app node-type shape capability resource prompt policy",
        .run = tr_cli_run_gen,
    },
    {
        .name = "app source",
        .arguments = "[PATH...]",
        .max_arguments = TR_CLI_ARGUMENTS_MAX,
        .summary = "List the files of an app, with their hashes.",
        .options = app_source_options,
        .option_count = TR_LEN(app_source_options),
        .run = tr_cli_run_app_source,
    },
    {
        .name = "app edit",
        .arguments = "PATH",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Give a file of an app a new text, or show what changes.",
        .detail = "PATH starts in the app's folder. A file that is there is "
                  "replaced only by who says\nwhich text it replaces, with "
                  "--before.",
        .options = app_edit_options,
        .option_count = TR_LEN(app_edit_options),
        .run = tr_cli_run_app_edit,
    },
    {
        .name = "serve",
        .alias = "server",
        .arguments = "[FOLDER]",
        .max_arguments = 1,
        .summary = "Serve an app to MCP clients.",
        .detail = "Without an option: over standard input and output when "
                  "that is a pipe, else over\nHTTP, where trails.toml says. "
                  "Prints one line when it listens. SIGHUP loads the app\n"
                  "again; SIGTERM and SIGINT end it.",
        .options = serve_options,
        .option_count = TR_LEN(serve_options),
        .run = tr_cli_run_serve,
    },
    {
        .name = "check",
        .arguments = "[FOLDER]",
        .max_arguments = 1,
        .summary = "Say whether an app loads, and what it offers.",
        .detail = "A store that it has is looked at, too, and not changed: "
                  "what is kept beside its\nstatements, indexes and counts, "
                  "must say what they say. Exits with 1 when it does not.",
        .options = check_options,
        .option_count = TR_LEN(check_options),
        .run = tr_cli_run_check,
    },
    {
        .name = "doctor",
        .arguments = "[FOLDER]",
        .max_arguments = 1,
        .summary = "Say whether an app and its store are well.",
        .detail = "A line for each check, and what to do where something is "
                  "wrong; a server may run\nmeanwhile. Ends with 0, with 2 "
                  "when a check fails, and with --strict with 1 when\nthere "
                  "are warnings.",
        .options = doctor_options,
        .option_count = TR_LEN(doctor_options),
        .run = tr_cli_run_doctor,
    },
    {
        .name = "footprint",
        .arguments = "[FOLDER]",
        .max_arguments = 1,
        .summary = "Say what the lists of an app cost a model.",
        .detail = "Bytes of tools, resources, templates and prompts as each "
                  "authority is sent them in\neach revision, and about how "
                  "many tokens that is: one for four bytes.",
        .options = json_option,
        .option_count = TR_LEN(json_option),
        .run = tr_cli_run_footprint,
    },
    {
        .name = "call",
        .arguments = "NAME",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Run a capability of an app and print its result.",
        .detail = "Runs it in this process, without a server. Progress and "
                  "log messages go to\nstandard error; what the capability "
                  "asks its client is asked at the terminal. Without\n--as it "
                  "is you who calls, and all is allowed; with it, what the "
                  "scope runtime allows.",
        .options = call_options,
        .option_count = TR_LEN(call_options),
        .takes = TR_CLI_TAKES_CAPABILITY,
        .run = tr_cli_run_call,
    },
    {
        .name = "capabilities",
        .arguments = "[ID]",
        .max_arguments = 1,
        .summary = "Print what an app offers, in any of its views.",
        .detail = "Of one capability or of all, as a server has it for "
                  "clients: the manifest (json,\njsonld and its context), "
                  "tools of MCP, OpenAPI, Thing Descriptions of the server\n"
                  "(wot) and of the app (card; card-ld has terms of other "
                  "vocabularies, too).",
        .options = capabilities_options,
        .option_count = TR_LEN(capabilities_options),
        .takes = TR_CLI_TAKES_CAPABILITY,
        .run = tr_cli_run_capabilities,
    },
    {
        .name = "mcp install",
        .arguments = "[FOLDER]",
        .max_arguments = 1,
        .summary = "Put an app into the file in which a host has its servers.",
        .detail = "The entry is trails- and the project's name; all else in "
                  "the file stays byte for\nbyte, and FILE.before-trails says "
                  "what was there. Again, it changes nothing, or the\npath of "
                  "this program, where that is another one now.",
        .options = mcp_install_options,
        .option_count = TR_LEN(mcp_install_options),
        .run = tr_cli_run_mcp_install,
    },
    {
        .name = "mcp status",
        .summary = "Say in which hosts apps are installed.",
        .detail = "In your own files, and those of the project in this folder, "
                  "of all hosts or of those\nthat are named. Exits with 1 when "
                  "a file cannot be read, or what it starts is not\nthere.",
        .arguments = "",
        .options = mcp_status_options,
        .option_count = TR_LEN(mcp_status_options),
        .run = tr_cli_run_mcp_status,
    },
    {
        .name = "mcp test",
        .arguments = "[FOLDER]",
        .max_arguments = 1,
        .summary = "Connect to an app as a client would, and report.",
        .detail = "With a host: what is installed there is started as that "
                  "host would start it.",
        .options = mcp_test_options,
        .option_count = TR_LEN(mcp_test_options),
        .run = tr_cli_run_mcp_test,
    },
    {
        .name = "mcp uninstall",
        .arguments = "[FOLDER]",
        .max_arguments = 1,
        .summary = "Take an app out of the file of a host.",
        .detail = "When nobody else has changed the file since, it is what it "
                  "was before, byte for byte.",
        .options = mcp_uninstall_options,
        .option_count = TR_LEN(mcp_uninstall_options),
        .run = tr_cli_run_mcp_uninstall,
    },
    {
        .name = "config check",
        .arguments = "FILE",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Check a configuration file and print what is in effect.",
        .detail = "Reads FILE (- is standard input) as trails.toml would be "
                  "read, and prints\nevery setting with its value and where "
                  "that came from: the file, a variable\nof the environment, "
                  "or the default. All mistakes are told, not the first alone.",
        .options = json_option,
        .option_count = TR_LEN(json_option),
        .run = tr_cli_run_config_check,
    },
    {
        .name = "config list",
        .arguments = "[FOLDER]",
        .max_arguments = 1,
        .summary = "List every setting: what is in effect, and its meaning.",
        .detail = "Of the app in FOLDER, or here: each value, where it is "
                  "from, what it may be, and\nthe default.",
        .options = json_option,
        .option_count = TR_LEN(json_option),
        .run = tr_cli_run_config_list,
    },
    {
        .name = "graph",
        .arguments = "[TYPE [ID]]",
        .max_arguments = 2,
        .summary = "Draw an app's types, or a node and its neighbours.",
        .detail = "Without arguments all types, their fields and what they "
                  "refer to; with TYPE what\nstands beside that one. With "
                  "TYPE and the id of a node, its end or an IRI alone: the\n"
                  "node, what it refers to, and what refers to it.",
        .options = graph_options,
        .option_count = TR_LEN(graph_options),
        .takes = TR_CLI_TAKES_TYPE,
        .run = tr_cli_run_graph,
    },
    {
        .name = "import",
        .arguments = "FILE...",
        .min_arguments = 1,
        .max_arguments = TR_CLI_ARGUMENTS_MAX,
        .summary = "Add statements of RDF files, or rows, to the store of an "
                   "app.",
        .detail = "All of them in one transaction, or none: the new state is "
                  "validated against what\nthe app declares, and refused for "
                  "what was not wrong before. The ending of a name\ntells its "
                  "format, as for 'trails convert'; - is standard input, and "
                  "needs --format.\nA server that runs goes on, and tells "
                  "its clients.\n\nWith --type the files are rows: CSV with "
                  "a header, a JSON array, or NDJSON. All\nthat is wrong with "
                  "them is told, with line and column, before anything lands.",
        .options = import_options,
        .option_count = TR_LEN(import_options),
        .run = tr_cli_run_import,
    },
    {
        .name = "seed",
        .arguments = "",
        .summary = "Load the files in the app's folder 'seeds', again and "
                   "again.",
        .detail = "In the order of their names, in one transaction: "
                  "10-Account.csv has rows of the type\nAccount, as 'trails "
                  "import --type Account --replace' reads them; RDF files say "
                  "it\nthemselves. A second time nothing changes.",
        .options = seed_options,
        .option_count = TR_LEN(seed_options),
        .run = tr_cli_run_seed,
    },
    {
        .name = "export",
        .arguments = "",
        .summary = "Write the statements of an app's store.",
        .detail = "In a stable order; to nq and nt however many there are. "
                  "Blank nodes that were\nimported are blank nodes again.",
        .options = export_options,
        .option_count = TR_LEN(export_options),
        .run = tr_cli_run_export,
    },
    {
        .name = "backup",
        .arguments = "FILE",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Copy an app's store to a new file, while it is in use.",
        .options = app_option,
        .option_count = TR_LEN(app_option),
        .run = tr_cli_run_backup,
    },
    {
        .name = "restore",
        .arguments = "FILE",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Replace all that is in an app's store by a backup.",
        .detail = "FILE is checked first, and not changed. A server that runs "
                  "goes on with what was\nrestored, unless that is another "
                  "project's.",
        .options = app_option,
        .option_count = TR_LEN(app_option),
        .run = tr_cli_run_restore,
    },
    {
        .name = "stats",
        .arguments = "",
        .summary = "Count what is in an app's store.",
        .options = stats_options,
        .option_count = TR_LEN(stats_options),
        .run = tr_cli_run_stats,
    },
    {
        .name = "explain",
        .arguments = "TYPE",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Say how a query of a type would be answered.",
        .detail = "What leads to the nodes, what each of them is asked, and "
                  "which index to declare\nwhere all of a type would be looked "
                  "at, or sorted.",
        .options = explain_options,
        .option_count = TR_LEN(explain_options),
        .run = tr_cli_run_explain,
    },
    {
        .name = "compact",
        .arguments = "",
        .summary = "Remove what nothing in an app's store uses any more.",
        .detail = "What was deleted is in none of its files afterwards. Works "
                  "beside a server; waits\nup to 10 seconds for whoever "
                  "writes.",
        .options = app_option,
        .option_count = TR_LEN(app_option),
        .run = tr_cli_run_compact,
    },
    {
        .name = "store rename",
        .arguments = "NAME",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Give the project that a store belongs to another name.",
        .detail = "Replaces trails://OLD/ by trails://NAME/ in every IRI of "
                  "the store and in the results\nthat are kept for repeated "
                  "calls, in one transaction. A server that runs ends: it\n"
                  "serves the old name. Name in [project] of trails.toml is "
                  "yours to change.",
        .options = store_rename_options,
        .option_count = TR_LEN(store_rename_options),
        .run = tr_cli_run_store_rename,
    },
    {
        .name = "prov list",
        .arguments = "",
        .summary = "List who did what in an app, the newest first.",
        .detail = "A line for each activity: its id, when it began, how it "
                  "ended, what ran, and for whom.",
        .options = prov_list_options,
        .option_count = TR_LEN(prov_list_options),
        .run = tr_cli_run_prov_list,
    },
    {
        .name = "prov show",
        .arguments = "ID",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Show all that is known of one activity.",
        .detail = "ID is the one that 'trails prov list' shows, or the IRI "
                  "that a result has as\ndev.trails/provenance.",
        .options = stats_options,
        .option_count = TR_LEN(stats_options),
        .run = tr_cli_run_prov_show,
    },
    {
        .name = "token create",
        .arguments = "",
        .summary = "Make a token for a client, and show it once.",
        .detail = "Prints the token, of which the store keeps a hash. It is "
                  "good from the next request on,\nalso for a server that "
                  "runs. What it may do is what --scope and the server's\n"
                  "TRAILS_MCP_SCOPES have in common.",
        .options = token_create_options,
        .option_count = TR_LEN(token_create_options),
        .run = tr_cli_run_token_create,
    },
    {
        .name = "token list",
        .arguments = "",
        .summary = "List the tokens of an app: all but their secrets.",
        .options = stats_options,
        .option_count = TR_LEN(stats_options),
        .run = tr_cli_run_token_list,
    },
    {
        .name = "token revoke",
        .arguments = "ID",
        .min_arguments = 1,
        .max_arguments = 1,
        .summary = "Refuse a token from the next request on.",
        .options = app_option,
        .option_count = TR_LEN(app_option),
        .run = tr_cli_run_token_revoke,
    },
    {
        .name = "key rotate",
        .arguments = "",
        .summary = "Seal with a new key from now on.",
        .detail = "The key in data/keys seals cursors, sessions and the state "
                  "of questions. A server that\nruns reads the new one on "
                  "SIGHUP. What the old one has sealed is accepted for 24\n"
                  "hours; what the one before it has sealed is refused at "
                  "once: rotate twice when a\nkey has leaked.",
        .options = app_option,
        .option_count = TR_LEN(app_option),
        .run = tr_cli_run_key_rotate,
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
        .run = tr_cli_run_convert,
    },
    {
        .name = "validate",
        .arguments = "",
        .summary = "Check a store or RDF files against SHACL shapes.",
        .detail = "Prints where the data does not conform, and what is allowed "
                  "there. Without --data\nit is the store of an app, and "
                  "without --shapes what the app declares. The ending of\na "
                  "name tells its format, as for 'trails convert'. Exits with "
                  "0 when the data\nconforms, 1 when it does not, and 2 when "
                  "that cannot be said.",
        .options = validate_options,
        .option_count = TR_LEN(validate_options),
        .run = tr_cli_run_validate,
    },
    {
        .name = "schema",
        .arguments = "",
        .summary = "Print the JSON Schema of a SHACL shape.",
        .detail = "What a shape says of the values of plain properties becomes "
                  "draft-07; what JSON\nSchema cannot say in one line is left "
                  "out.",
        .options = schema_options,
        .option_count = TR_LEN(schema_options),
        .run = tr_cli_run_schema,
    },
    {
        .name = "completion",
        .arguments = "SHELL",
        .min_arguments = 1,
        .max_arguments = TR_CLI_ARGUMENTS_MAX, /* of `words`, for the scripts */
        .summary = "Print a completion script for bash, zsh or fish.",
        .detail = "bash:  trails completion bash > "
                  "~/.local/share/bash-completion/completions/trails\n"
                  "zsh:   trails completion zsh > \"${fpath[1]}/_trails\"\n"
                  "fish:  trails completion fish > "
                  "~/.config/fish/completions/trails.fish",
        .words = "bash zsh fish",
        .run = tr_cli_run_completion,
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
        .takes = TR_CLI_TAKES_COMMAND,
        .run = tr_cli_run_help,
    },
};
const size_t tr_cli_command_count = TR_LEN(tr_cli_commands);

const struct tr_cli_command *tr_cli_command_find(tr_str name)
{
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        if (tr_str_eq(tr_str_from(tr_cli_commands[i].name), name) ||
            (tr_cli_commands[i].alias &&
             tr_str_eq(tr_str_from(tr_cli_commands[i].alias), name)))
            return &tr_cli_commands[i];
    }
    return NULL;
}

bool tr_cli_command_is_in(const struct tr_cli_command *command, tr_str group,
                          tr_str *rest)
{
    tr_str first;
    return tr_str_cut(tr_str_from(command->name), ' ', &first, rest) &&
           tr_str_eq(first, group);
}

bool tr_cli_command_is_group(tr_str word)
{
    tr_str rest;
    for (size_t i = 0; i < tr_cli_command_count; i++) {
        if (tr_cli_command_is_in(&tr_cli_commands[i], word, &rest))
            return true;
    }
    return false;
}
