/*
 * Which meta-capabilities there are: what each takes and gives, and who may.
 */
#include "base/limits.h"
#include "builtin/doctor.h"
#include "cap/registry.h"
#include "gen/gen.h"
#include "meta/inside.h"

#define PREFIX "trails.meta."

/* A description, and a word of one_of. */
#define SAYS(text) .description = TR_STR_INIT(text)
#define WORD(word)                                                             \
    {                                                                          \
        .kind = TR_JSON_STRING, .len = sizeof(word) - 1, .as.text = (word)     \
    }
#define LIST(words)                                                            \
    {                                                                          \
        .kind = TR_JSON_ARRAY, .len = TR_LEN(words), .as.items = (words)       \
    }
#define SHAPE(list)                                                            \
    {                                                                          \
        .fields = (list), .count = TR_LEN(list)                                \
    }

static const struct tr_json no = {.kind = TR_JSON_BOOL};
static const struct tr_json hundred = {.kind = TR_JSON_NUMBER,
                                       .flags = TR_JSON_INTEGER,
                                       .len = 3,
                                       .as.text = "100"};

static const struct tr_json scope_words[] = {WORD("builder"), WORD("dev"),
                                             WORD("runtime")};
static const struct tr_json scopes = LIST(scope_words);
static const struct tr_json env_words[] = {WORD("development"), WORD("test"),
                                           WORD("production")};
static const struct tr_json envs = LIST(env_words);
static const struct tr_json format_words[] = {
    WORD("csv"), WORD("json"), WORD("ndjson"), WORD("nt"),
    WORD("nq"),  WORD("ttl"),  WORD("trig"),   WORD("jsonld")};
static const struct tr_json formats = LIST(format_words);
static const struct tr_json health_words[] = {WORD("ok"), WORD("warn"),
                                              WORD("fail")};
static const struct tr_json healths = LIST(health_words);

static const struct tr_field ping_out[] = {
    {.name = TR_STR_INIT("pong"), .kind = TR_FIELD_BOOLEAN},
    {.name = TR_STR_INIT("version"), SAYS("Of trails.")},
    {.name = TR_STR_INIT("env"), .one_of = &envs},
    {.name = TR_STR_INIT("scopes"),
     .many = true,
     .optional = true,
     .one_of = &scopes,
     SAYS("Those of the caller that count here.")},
};

static const struct tr_field types_out[] = {
    {.name = TR_STR_INIT("types"),
     .kind = TR_FIELD_JSON,
     SAYS("Of each: name, iri, description, extends, how many fields and "
          "instances, and where it is declared.")},
};

static const struct tr_field describe_in[] = {
    {.name = TR_STR_INIT("type"),
     .max_length = TR_LIMIT_NAME_BYTES,
     SAYS("The name of a type, as schema.types tells it.")},
};
static const struct tr_field describe_out[] = {
    {.name = TR_STR_INIT("name")},
    {.name = TR_STR_INIT("iri")},
    {.name = TR_STR_INIT("description"), .optional = true},
    {.name = TR_STR_INIT("extends"), .optional = true},
    {.name = TR_STR_INIT("label"),
     .optional = true,
     SAYS("The field that names an instance.")},
    {.name = TR_STR_INIT("fields"),
     .kind = TR_FIELD_JSON,
     SAYS("Of each, by name: iri, datatype, required, many, constraints.")},
    {.name = TR_STR_INIT("unique"),
     .kind = TR_FIELD_JSON,
     .optional = true,
     SAYS("Fields that are unique together.")},
    {.name = TR_STR_INIT("tools"),
     .many = true,
     .optional = true,
     SAYS("Its ready-made tools.")},
    {.name = TR_STR_INIT("where"),
     .optional = true,
     SAYS("The file and the line that declare it.")},
};

static const struct tr_field validate_in[] = {
    {.name = TR_STR_INIT("limit"),
     .kind = TR_FIELD_INTEGER,
     .default_to = &hundred,
     .min_value = TR_STR_INIT("1"),
     .max_value = TR_STR_INIT("1000"),
     SAYS("How many results are told; all are counted.")},
};
static const struct tr_field validate_out[] = {
    {.name = TR_STR_INIT("conforms"), .kind = TR_FIELD_BOOLEAN},
    {.name = TR_STR_INIT("count"), .kind = TR_FIELD_INTEGER},
    {.name = TR_STR_INIT("results"),
     .kind = TR_FIELD_JSON,
     SAYS("Field errors: node, field, code, message, value, constraint.")},
    {.name = TR_STR_INIT("unique"),
     .optional = true,
     SAYS("The first value that is not unique and has to be.")},
};

static const struct tr_field import_in[] = {
    {.name = TR_STR_INIT("type"),
     .optional = true,
     .max_length = TR_LIMIT_NAME_BYTES,
     SAYS("The type that rows are nodes of.")},
    {.name = TR_STR_INIT("rows"),
     .kind = TR_FIELD_JSON,
     .optional = true,
     SAYS("An array of objects, by the names of fields; `id` names a node.")},
    {.name = TR_STR_INIT("text"),
     .optional = true,
     SAYS("Instead of rows: a document, of at most 1 MiB.")},
    {.name = TR_STR_INIT("format"),
     .optional = true,
     .one_of = &formats,
     SAYS("What `text` is: rows as csv, json or ndjson, all else RDF.")},
    {.name = TR_STR_INIT("graph"),
     .kind = TR_FIELD_URI,
     .optional = true,
     SAYS("The graph of RDF that names none.")},
    {.name = TR_STR_INIT("replace"),
     .kind = TR_FIELD_BOOLEAN,
     .default_to = &no,
     SAYS("Nodes that are there get what their row says.")},
    {.name = TR_STR_INIT("skip_bad"),
     .kind = TR_FIELD_BOOLEAN,
     .default_to = &no,
     SAYS("Rows that are wrong are left out, and the others land.")},
    {.name = TR_STR_INIT("dry_run"),
     .kind = TR_FIELD_BOOLEAN,
     .default_to = &no,
     SAYS("All is checked, and nothing is written.")},
};
static const struct tr_field import_out[] = {
    {.name = TR_STR_INIT("rows"), .kind = TR_FIELD_INTEGER, .optional = true},
    {.name = TR_STR_INIT("created"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("changed"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("same"), .kind = TR_FIELD_INTEGER, .optional = true},
    {.name = TR_STR_INIT("bad"),
     .kind = TR_FIELD_INTEGER,
     .optional = true,
     SAYS("Rows that were left out.")},
    {.name = TR_STR_INIT("mistakes"),
     .kind = TR_FIELD_JSON,
     .optional = true,
     SAYS("What is wrong with them.")},
    {.name = TR_STR_INIT("left_out"),
     .kind = TR_FIELD_INTEGER,
     .optional = true,
     SAYS("Mistakes that are not told.")},
    {.name = TR_STR_INIT("statements"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("added"), .kind = TR_FIELD_INTEGER, .optional = true},
    {.name = TR_STR_INIT("nodes"), .kind = TR_FIELD_INTEGER, .optional = true},
    {.name = TR_STR_INIT("filled"),
     .kind = TR_FIELD_INTEGER,
     .optional = true,
     SAYS("Defaults that new nodes got.")},
    {.name = TR_STR_INIT("respelt"),
     .kind = TR_FIELD_INTEGER,
     .optional = true,
     SAYS("Values that are stored in their canonical form.")},
    {.name = TR_STR_INIT("dry_run"), .kind = TR_FIELD_BOOLEAN},
};

static const struct tr_field doctor_out[] = {
    {.name = TR_STR_INIT("status"), .one_of = &healths},
    {.name = TR_STR_INIT("checks"),
     .kind = TR_FIELD_JSON,
     SAYS("Of each: id, status, message, and what to do.")},
};

static const struct tr_field check_in[] = {
    {.name = TR_STR_INIT("path"),
     .optional = true,
     .max_length = 240,
     SAYS("Of a file of the app; app.lua.")},
    {.name = TR_STR_INIT("text"),
     .optional = true,
     SAYS("What would be in it.")},
    {.name = TR_STR_INIT("files"),
     .kind = TR_FIELD_JSON,
     .optional = true,
     SAYS("Several at once: an array of {path, text}.")},
};
static const struct tr_field check_out[] = {
    {.name = TR_STR_INIT("ok"),
     .kind = TR_FIELD_BOOLEAN,
     SAYS("Whether the app loads.")},
    {.name = TR_STR_INIT("findings"),
     .kind = TR_FIELD_JSON,
     SAYS("Of each: severity, file, line, message.")},
    {.name = TR_STR_INIT("types"), .kind = TR_FIELD_INTEGER, .optional = true},
    {.name = TR_STR_INIT("capabilities"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("resources"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("resource_templates"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
    {.name = TR_STR_INIT("prompts"),
     .kind = TR_FIELD_INTEGER,
     .optional = true},
};
static const struct tr_field reload_out[] = {
    {.name = TR_STR_INIT("ok"),
     .kind = TR_FIELD_BOOLEAN,
     SAYS("Whether the app was loaded again; else the old one goes on.")},
    {.name = TR_STR_INIT("findings"),
     .kind = TR_FIELD_JSON,
     SAYS("As app.check has them.")},
};

/* What the rows of gen/gen.h give. */
static const struct tr_field gen_out[] = {
    {.name = TR_STR_INIT("applied"),
     .kind = TR_FIELD_BOOLEAN,
     SAYS("Whether the files were changed.")},
    {.name = TR_STR_INIT("files"),
     .kind = TR_FIELD_JSON,
     SAYS("Of each: path, op, before_sha256, after, unified_diff.")},
};
static const struct tr_field source_out[] = {
    {.name = TR_STR_INIT("files"),
     .kind = TR_FIELD_JSON,
     SAYS("Of each: path, bytes, sha256, and text where it was asked for.")},
};

/* One that is done at once has `now`, or a handler of its own; the others have
 * `work`. */
static const struct op {
    const char *id; /* behind trails.meta. */
    const char *title;
    const char *description;
    enum tr_scope scope;
    bool writes; /* to the graph */
    bool acts;   /* on the server; all others only read */
    struct tr_shape in;
    struct tr_shape out;
    struct tr_builtin now;
    tr_cap_handler_fn *run;
    struct tr_meta_work work;
} ops[] = {
    {
        .id = "ping",
        .title = "Ping",
        .description = "Says which trails this is, in which environment, and "
                       "which scopes the caller has.",
        .scope = TR_SCOPE_RUNTIME,
        .out = SHAPE(ping_out),
        .now = {.write = tr_meta_ping, .gives_data = true},
    },
    {
        .id = "schema.types",
        .title = "List types",
        .description = "Lists the node types of the app.",
        .scope = TR_SCOPE_BUILDER,
        .out = SHAPE(types_out),
        .now = {.write = tr_meta_schema_types, .gives_data = true},
    },
    {
        .id = "schema.describe",
        .title = "Describe a type",
        .description = "Says what one node type is: its fields with their "
                       "constraints, its tools, where it is declared.",
        .scope = TR_SCOPE_BUILDER,
        .in = SHAPE(describe_in),
        .out = SHAPE(describe_out),
        .now = {.write = tr_meta_schema_describe, .gives_data = true},
    },
    {
        .id = "data.validate",
        .title = "Validate the data",
        .description = "Checks all that is stored against the shapes of the "
                       "app, and reports what does not conform.",
        .scope = TR_SCOPE_BUILDER,
        .in = SHAPE(validate_in),
        .out = SHAPE(validate_out),
        .work = {.run = tr_meta_data_validate},
    },
    {
        .id = "data.import",
        .title = "Import data",
        .description = "Imports rows as nodes of a type, or RDF. All of it is "
                       "validated; all of it lands, or nothing does and every "
                       "mistake is told.",
        .scope = TR_SCOPE_BUILDER,
        .writes = true,
        .in = SHAPE(import_in),
        .out = SHAPE(import_out),
        .work = {.run = tr_meta_data_import},
    },
    {
        .id = "doctor.run",
        .title = "Examine the app",
        .description = "Checks whether the app and its store are well, and "
                       "says what to do where they are not; what "
                       "trails://doctor shows.",
        .scope = TR_SCOPE_BUILDER,
        .out = SHAPE(doctor_out),
        .now = {.write = tr_builtin_render_doctor, .gives_data = true},
    },
    {
        .id = "app.check",
        .title = "Check the app",
        .description = "Says whether the app would load with other texts in "
                       "place of its files, and if not, what is wrong and "
                       "where. Nothing is changed; without texts it checks the "
                       "files as they are.",
        .scope = TR_SCOPE_DEV,
        .in = SHAPE(check_in),
        .out = SHAPE(check_out),
        .work = {.run = tr_meta_app_check},
    },
    {
        .id = "app.reload",
        .title = "Reload the app",
        .description = "Has the server load the app again from its files. One "
                       "that does not load changes nothing: the old one goes "
                       "on, and the findings say what is wrong.",
        .scope = TR_SCOPE_DEV,
        .acts = true,
        .out = SHAPE(reload_out),
        .run = tr_meta_app_reload,
    },
};

static tr_status register_shape(struct tr_cap_builder *builder,
                                const struct tr_shape *draft,
                                const struct tr_shape **out, struct tr_err *err)
{
    *out = NULL;
    return draft->count ? tr_shape_register(tr_cap_registry_arena(builder),
                                            tr_cap_registry_patterns(builder),
                                            draft, out, err)
                        : TR_OK;
}

static tr_status add(struct tr_cap_builder *builder, const struct op *op,
                     struct tr_err *err)
{
    static const tr_str anything[] = {TR_STR_INIT("*")};
    char id[TR_LIMIT_NAME_BYTES + 1];
    int len = snprintf(id, sizeof(id), PREFIX "%s", op->id);
    struct tr_cap cap = {
        .id = {id, (size_t)len},
        .version = TR_STR("1.0.0"),
        .title = tr_str_from(op->title),
        .description = tr_str_from(op->description),
        .side_effects = {.is_said = true,
                         .graph_writes = {anything, op->writes ? 1 : 0}},
        .idempotent = !op->writes && !op->acts,
        .read_only = op->acts ? TR_CAP_HINT_NO : TR_CAP_HINT_DERIVED,
        .destructive = op->acts ? TR_CAP_HINT_NO : TR_CAP_HINT_DERIVED,
        .guard = {.scope = op->scope},
        .handler = {tr_builtin_run, &op->now},
    };
    if (op->run)
        cap.handler = (struct tr_cap_handler){.run = op->run};
    else if (op->work.run)
        cap.handler = (struct tr_cap_handler){tr_meta_job_run, &op->work};
    TR_TRY(register_shape(builder, &op->in, &cap.input_shape, err));
    TR_TRY(register_shape(builder, &op->out, &cap.output_shape, err));
    return tr_cap_registry_add_meta(builder, &cap, err);
}

/* A row of gen/gen.h; whether it replaces what somebody else wrote is said. */
static tr_status add_gen(struct tr_cap_builder *builder,
                         const struct tr_gen_op *op, struct tr_err *err)
{
    static const struct tr_shape changes = SHAPE(gen_out);
    static const struct tr_shape source = SHAPE(source_out);
    char id[TR_LIMIT_NAME_BYTES + 1];
    int len = snprintf(id, sizeof(id), PREFIX "%s", op->name);
    struct tr_meta_work *work =
        TR_NEW(tr_cap_registry_arena(builder), struct tr_meta_work);
    if (!work)
        return tr_fail(err, TR_E_NOMEM, "no memory for a handler");
    *work = (struct tr_meta_work){tr_meta_gen, op};
    struct tr_cap cap = {
        .id = {id, (size_t)len},
        .version = TR_STR("1.0.0"),
        .title = tr_str_from(op->title),
        .description = tr_str_from(op->description),
        .side_effects = {.is_said = true},
        .idempotent = !op->writes,
        .read_only = op->writes ? TR_CAP_HINT_NO : TR_CAP_HINT_DERIVED,
        .destructive = !op->writes ? TR_CAP_HINT_DERIVED
                       : op->word  ? TR_CAP_HINT_NO
                                   : TR_CAP_HINT_YES,
        .guard = {.scope = TR_SCOPE_DEV},
        .handler = {tr_meta_job_run, work},
    };
    TR_TRY(tr_gen_input(op, tr_cap_registry_arena(builder),
                        tr_cap_registry_patterns(builder), &cap.input_shape,
                        err));
    TR_TRY(register_shape(builder, op->writes ? &changes : &source,
                          &cap.output_shape, err));
    return tr_cap_registry_add_meta(builder, &cap, err);
}

tr_status tr_meta_add(struct tr_cap_builder *builder, struct tr_err *err)
{
    for (size_t i = 0; i < TR_LEN(ops); i++)
        TR_TRY(add(builder, &ops[i], err));
    for (size_t i = 0; i < tr_gen_op_count; i++)
        TR_TRY(add_gen(builder, &tr_gen_ops[i], err));
    return TR_OK;
}
