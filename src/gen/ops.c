/* Every operation, and every argument of each. The order of arguments is the
 * order in which a declaration has them. */
#include "fields/pattern.h"
#include "gen/fields.h"
#include "gen/inside.h"

#define WORD(word_)                                                            \
    {                                                                          \
        .kind = TR_JSON_STRING, .len = sizeof(word_) - 1, .as.text = (word_)   \
    }
#define WORDS(items_)                                                          \
    {                                                                          \
        .kind = TR_JSON_ARRAY, .len = TR_LEN(items_), .as.items = (items_)     \
    }

static const struct tr_json scope_items[] = {WORD("runtime"), WORD("builder"),
                                             WORD("dev")};
static const struct tr_json scopes = WORDS(scope_items);
static const struct tr_json tool_items[] = {WORD("create"), WORD("update"),
                                            WORD("delete"), WORD("find")};
static const struct tr_json tools = WORDS(tool_items);
static const struct tr_json id_items[] = {WORD("uuid"), WORD("content"),
                                          WORD("preserve")};
static const struct tr_json id_kinds = WORDS(id_items);
static const struct tr_json scaffold_items[] = {WORD("types"), WORD("api")};
static const struct tr_json scaffolds = WORDS(scaffold_items);

/* A field of the shape that callers see. */
#define NEEDED(n, d)                                                           \
    {                                                                          \
        .name = TR_STR_INIT(n), .description = TR_STR_INIT(d)                  \
    }
#define TEXT(n, d)                                                             \
    {                                                                          \
        .name = TR_STR_INIT(n), .optional = true,                              \
        .description = TR_STR_INIT(d)                                          \
    }
#define TEXTS(n, d)                                                            \
    {                                                                          \
        .name = TR_STR_INIT(n), .optional = true, .many = true,                \
        .description = TR_STR_INIT(d)                                          \
    }
#define CHOICE(n, words, d)                                                    \
    {                                                                          \
        .name = TR_STR_INIT(n), .optional = true, .one_of = &(words),          \
        .description = TR_STR_INIT(d)                                          \
    }
#define CHOICES(n, words, d)                                                   \
    {                                                                          \
        .name = TR_STR_INIT(n), .optional = true, .many = true,                \
        .one_of = &(words), .description = TR_STR_INIT(d)                      \
    }
#define TRUTH(n, d)                                                            \
    {                                                                          \
        .name = TR_STR_INIT(n), .kind = TR_FIELD_BOOLEAN, .optional = true,    \
        .description = TR_STR_INIT(d)                                          \
    }
#define JSON(n, d)                                                             \
    {                                                                          \
        .name = TR_STR_INIT(n), .kind = TR_FIELD_JSON, .optional = true,       \
        .description = TR_STR_INIT(d)                                          \
    }
#define FIELDS(n, d)                                                           \
    {                                                                          \
        .name = TR_STR_INIT(n), .kind = TR_FIELD_OBJECT, .optional = true,     \
        .list = false, .many = true, .object = &tr_gen_field_shape,            \
        .description = TR_STR_INIT(d)                                          \
    }

#define TITLE                                                                  \
    {                                                                          \
        TEXT("title", "For people."), TR_GEN_OPTION, NULL                      \
    }
#define DESCRIPTION                                                            \
    {                                                                          \
        TEXT("description", "For people and models."), TR_GEN_OPTION, NULL     \
    }
#define SCOPE                                                                  \
    {                                                                          \
        CHOICE("scope", scopes, "What callers must have."), TR_GEN_OPTION,     \
            NULL                                                               \
    }
#define POLICIES                                                               \
    {                                                                          \
        TEXTS("policy_required", "Policies that must allow it."),              \
            TR_GEN_OPTION, NULL                                                \
    }
#define BODY                                                                   \
    {                                                                          \
        TEXT("body", "What `run` does, as Lua; a stub without."), TR_GEN_BODY, \
            NULL                                                               \
    }
#define FILES                                                                  \
    {                                                                          \
        TEXT("file", "Where it is written; default: app.lua."),                \
            TR_GEN_NOTHING, NULL                                               \
    }
#define BEFORE                                                                 \
    {                                                                          \
        TEXT("before_sha256",                                                  \
             "Of the file as you know it: refused when it has "                \
             "changed."),                                                      \
            TR_GEN_NOTHING, NULL                                               \
    }
#define APPLY                                                                  \
    {                                                                          \
        TRUTH("apply", "Write it; else only what would change is told."),      \
            TR_GEN_NOTHING, NULL                                               \
    }

static const struct tr_gen_argument app_arguments[] = {
    {CHOICE("with", scaffolds,
            "types: two types and a question about them; api: a tool that "
            "asks an API over HTTP."),
     TR_GEN_NOTHING, NULL},
    APPLY,
};

static const struct tr_gen_argument node_type_arguments[] = {
    {NEEDED("name", "Of the type, such as Note."), TR_GEN_NAME, NULL},
    DESCRIPTION,
    {TEXT("extends", "The type whose fields it has too."), TR_GEN_OPTION, NULL},
    {TEXT("iri", "Of its class."), TR_GEN_OPTION, NULL},
    {TEXT("label", "The text field that people know a node by."), TR_GEN_OPTION,
     NULL},
    {CHOICE("ids", id_kinds, "How a new node gets its IRI."), TR_GEN_OPTION,
     NULL},
    {TEXTS("ids_from", "With ids = content: the fields."), TR_GEN_OPTION, NULL},
    {FIELDS("fields", "What its nodes have."), TR_GEN_FIELDS, NULL},
    {JSON("unique", "Fields that together occur once: arrays of names."),
     TR_GEN_OPTION, NULL},
    {JSON("indexes", "Indexes of fields together: arrays of names."),
     TR_GEN_OPTION, NULL},
    {CHOICES("tools", tools, "Ready-made capabilities."), TR_GEN_OPTION, NULL},
    SCOPE,
    POLICIES,
    {TRUTH("private", "For handlers alone."), TR_GEN_OPTION, NULL},
    {TRUTH("open", "Nodes may have other predicates."), TR_GEN_OPTION, NULL},
    FILES,
    BEFORE,
    APPLY,
};

static const struct tr_gen_argument shape_arguments[] = {
    {NEEDED("name", "Of the shape."), TR_GEN_NAME, NULL},
    DESCRIPTION,
    {TEXT("target", "The type, or the IRI of a class, that it is for."),
     TR_GEN_OPTION, NULL},
    {TEXT("target_subjects_of", "Or: for all nodes with this predicate."),
     TR_GEN_OPTION, NULL},
    {TEXT("iri", "Its own, instead of one of the project's."), TR_GEN_OPTION,
     NULL},
    {FIELDS("fields", "What it asks for."), TR_GEN_FIELDS, NULL},
    FILES,
    BEFORE,
    APPLY,
};

static const struct tr_gen_argument capability_arguments[] = {
    {NEEDED("id", "Of the capability, such as add_note."), TR_GEN_NAME, NULL},
    TITLE,
    DESCRIPTION,
    {TEXT("version", "SemVer."), TR_GEN_OPTION, NULL},
    {FIELDS("input", "What it takes."), TR_GEN_FIELDS, NULL},
    {TEXT("input_type", "Or: the type or shape whose fields it takes."),
     TR_GEN_OPTION, "input"},
    {FIELDS("output", "What it gives."), TR_GEN_FIELDS, NULL},
    {TEXT("output_type", "Or: the type or shape that it gives."), TR_GEN_OPTION,
     "output"},
    SCOPE,
    POLICIES,
    {JSON("preconditions", "What must hold before it runs."), TR_GEN_OPTION,
     NULL},
    {TRUTH("idempotent", "A call that is repeated with its key happens once."),
     TR_GEN_OPTION, NULL},
    {TEXT("deprecates", "The id that it replaces."), TR_GEN_OPTION, NULL},
    {TEXTS("graph_writes", "Graphs that it changes: default, IRIs or *."),
     TR_GEN_EFFECT, NULL},
    {TEXTS("external_calls", "Beginnings of URLs that it fetches."),
     TR_GEN_EFFECT, NULL},
    BODY,
    FILES,
    BEFORE,
    APPLY,
};

static const struct tr_gen_argument resource_arguments[] = {
    {NEEDED("uri", "Of the resource; with {variables} it is a template."),
     TR_GEN_NAME, NULL},
    {TEXT("name", "What lists call it."), TR_GEN_OPTION, NULL},
    TITLE,
    DESCRIPTION,
    {TEXT("mime_type", "Of what it gives."), TR_GEN_OPTION, NULL},
    SCOPE,
    POLICIES,
    {TEXT("text", "What it gives."), TR_GEN_TEXT, NULL},
    BODY,
    FILES,
    BEFORE,
    APPLY,
};

static const struct tr_gen_argument prompt_arguments[] = {
    {NEEDED("name", "Of the prompt."), TR_GEN_NAME, NULL},
    TITLE,
    DESCRIPTION,
    {FIELDS("arguments", "What it asks for, of one value each."), TR_GEN_FIELDS,
     NULL},
    SCOPE,
    POLICIES,
    {TEXT("text", "What it says; {name} stands for an argument."), TR_GEN_TEXT,
     NULL},
    BODY,
    FILES,
    BEFORE,
    APPLY,
};

static const struct tr_gen_argument policy_arguments[] = {
    {NEEDED("name", "Of the policy."), TR_GEN_NAME, NULL},
    DESCRIPTION,
    BODY,
    FILES,
    BEFORE,
    APPLY,
};

static const struct tr_gen_argument edit_arguments[] = {
    {NEEDED("path", "Of the file, from the app's folder: lib/money.lua."),
     TR_GEN_NOTHING, NULL},
    {TEXT("text", "All that is in it afterwards."), TR_GEN_NOTHING, NULL},
    {TRUTH("delete", "Instead of a text: the file goes."), TR_GEN_NOTHING,
     NULL},
    {TEXT("before_sha256",
          "Of the file as you know it; needed to apply to one that is there."),
     TR_GEN_NOTHING, NULL},
    APPLY,
};

static const struct tr_gen_argument source_arguments[] = {
    {TEXTS("paths", "The files whose texts are wanted, too."), TR_GEN_NOTHING,
     NULL},
    {TRUTH("texts", "All texts are wanted, too."), TR_GEN_NOTHING, NULL},
};

#define GENERATOR(name_, title_, word_, arguments_, description_)              \
    {                                                                          \
        .name = "gen." name_, .title = (title_),                               \
        .description = description_                                            \
            " Gives what changes as file diffs; writes with `apply` alone.",   \
        .writes = true, .word = (word_), .arguments = (arguments_),            \
        .argument_count = TR_LEN(arguments_), .run = tr_gen_run_declare        \
    }

const struct tr_gen_op tr_gen_ops[] = {
    {
        .name = "gen.app",
        .title = "Begin an app",
        .description = "Makes a small app that works, in a folder without one. "
                       "Gives what changes as file diffs; writes with `apply` "
                       "alone.",
        .writes = true,
        .arguments = app_arguments,
        .argument_count = TR_LEN(app_arguments),
        .run = tr_gen_run_app,
    },
    GENERATOR("node-type", "Add a type", "node_type", node_type_arguments,
              "Declares a type of node."),
    GENERATOR("shape", "Add a shape", "shape", shape_arguments,
              "Declares constraints on nodes, or what a capability takes."),
    GENERATOR("capability", "Add a capability", "capability",
              capability_arguments, "Declares a tool."),
    GENERATOR("resource", "Add a resource", "resource", resource_arguments,
              "Declares a resource, or a template of resources."),
    GENERATOR("prompt", "Add a prompt", "prompt", prompt_arguments,
              "Declares a prompt."),
    GENERATOR("policy", "Add a policy", "policy", policy_arguments,
              "Declares a policy, which denies until it is written."),
    {
        .name = "app.source",
        .title = "List the app's files",
        .description = "The files of the app, with their hashes, and their "
                       "texts where they are wanted.",
        .arguments = source_arguments,
        .argument_count = TR_LEN(source_arguments),
        .run = tr_gen_run_source,
    },
    {
        .name = "app.edit",
        .title = "Replace a file of the app",
        .description = "Gives one file of the app a new text, or takes it "
                       "away. Gives what changes as a file diff; writes with "
                       "`apply` alone.",
        .writes = true,
        .arguments = edit_arguments,
        .argument_count = TR_LEN(edit_arguments),
        .run = tr_gen_run_edit,
    },
};
const size_t tr_gen_op_count = TR_LEN(tr_gen_ops);

const struct tr_gen_op *tr_gen_find(tr_str name)
{
    for (size_t i = 0; i < tr_gen_op_count; i++) {
        if (tr_str_eq(name, tr_str_from(tr_gen_ops[i].name)))
            return &tr_gen_ops[i];
    }
    return NULL;
}

/* The first argument that has a role. */
static const char *find_role(const struct tr_gen_op *op, enum tr_gen_role role)
{
    for (size_t i = 0; i < op->argument_count; i++) {
        if (op->arguments[i].role == role)
            return op->arguments[i].field.name.ptr;
    }
    return NULL;
}

const char *tr_gen_name_argument(const struct tr_gen_op *op)
{
    return find_role(op, TR_GEN_NAME);
}

const char *tr_gen_fields_argument(const struct tr_gen_op *op)
{
    return find_role(op, TR_GEN_FIELDS);
}

tr_status tr_gen_input(const struct tr_gen_op *op, struct tr_arena *arena,
                       struct tr_field_patterns *patterns,
                       const struct tr_shape **out, struct tr_err *err)
{
    const struct tr_shape *row = NULL;
    struct tr_field *fields =
        TR_NEW_ARRAY(arena, struct tr_field, op->argument_count);
    if (!fields)
        return tr_fail(err, TR_E_NOMEM, "no memory for a generator");
    TR_TRY(tr_gen_field_shape_make(arena, &row, err));
    for (size_t i = 0; i < op->argument_count; i++) {
        fields[i] = op->arguments[i].field;
        if (fields[i].object)
            fields[i].object = row;
    }
    const struct tr_shape draft = {.fields = fields,
                                   .count = op->argument_count};
    return tr_shape_register(arena, patterns, &draft, out, err);
}
