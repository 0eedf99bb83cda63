#include "gen/gen.h"

#include "base/test.h"
#include "gen/tree.h"
#include "support/folder.h"
#include "support/gen.h"

#include <sys/stat.h>
#include <unistd.h>

static const char app[] = "-- mine\nnode_type \"Person\" {\n"
                          "  fields = { name = text }, -- kept\n}\n";

static void open_app(struct folder *folder)
{
    folder_open(folder);
    folder_write(folder, "app.lua", app);
    CHECK(mkdir(folder_path(folder, "lib"), 0777) == 0);
    folder_write(folder, "lib/more.lua",
                 "capability 'there' { run = f }\nreturn {}\n");
}

/* Each generator that declares something, with a name for it. */
static const struct declarer {
    const char *op;
    const char *argument;
    const char *name;
    const char *begins; /* what it writes */
} declarers[] = {
    {"gen.node-type", "name", "Note", "node_type \"Note\" {\n"},
    {"gen.shape", "name", "Owned", "shape \"Owned\" {\n"},
    {"gen.capability", "id", "add_note", "capability \"add_note\" {\n"},
    {"gen.resource", "uri", "app://notes", "resource \"app://notes\" {\n"},
    {"gen.prompt", "name", "sum-up", "prompt \"sum-up\" {\n"},
    {"gen.policy", "name", "at_night", "policy \"at_night\" {\n"},
};

/* Runs one with more arguments, which begin with a comma. */
static void declare(struct gen_run *run, const struct folder *folder,
                    const struct declarer *row, const char *more)
{
    char json[2048];
    (void)snprintf(json, sizeof(json), "{\"%s\":\"%s\"%s}", row->argument,
                   row->name, more);
    gen_run(run, folder->path, row->op, json);
}

static void check_unchanged(const struct folder *folder)
{
    const char *text = gen_text(folder->path, "app.lua");
    CHECK(text && strcmp(text, app) == 0);
}

TEST(every_generator_is_in_the_table_of_these_tests)
{
    size_t count = 0;
    for (size_t i = 0; i < tr_gen_op_count; i++)
        count += tr_gen_ops[i].word != NULL;
    CHECK_INT(count, TR_LEN(declarers));
    CHECK(!tr_gen_find(TR_STR("gen.nothing")));
    CHECK(tr_gen_find(TR_STR("app.edit")));
}

TEST(a_generator_says_what_would_change_and_changes_nothing)
{
    for (size_t i = 0; i < TR_LEN(declarers); i++) {
        struct folder folder;
        struct gen_run run;
        char hash[65];
        open_app(&folder);
        declare(&run, &folder, &declarers[i], "");
        CHECK_OK(run.status, &run.err);
        CHECK_INT(run.call.diff_count, 1);
        const struct tr_gen_diff *diff = &run.call.diffs[0];
        CHECK_STR(diff->path, "app.lua");
        CHECK(diff->change == TR_GEN_MODIFY && !run.call.applied);
        tr_gen_hash(TR_STR(app), hash);
        CHECK(strcmp(hash, diff->before_sha256) == 0);
        tr_gen_hash(diff->after, hash);
        CHECK(strcmp(hash, diff->after_sha256) == 0);
        CHECK(tr_str_starts(diff->after, TR_STR(app)));
        CHECK_ROW(tr_str_starts(tr_str_skip(diff->after, sizeof(app)),
                                tr_str_from(declarers[i].begins)),
                  diff->after.ptr);
        CHECK(tr_str_starts(diff->unified_diff,
                            TR_STR("--- a/app.lua\n+++ b/app.lua\n@@ ")));
        check_unchanged(&folder);
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(what_is_applied_is_what_was_shown)
{
    for (size_t i = 0; i < TR_LEN(declarers); i++) {
        struct folder folder;
        struct gen_run shown;
        struct gen_run run;
        open_app(&folder);
        declare(&shown, &folder, &declarers[i], "");
        declare(&run, &folder, &declarers[i], ",\"apply\":true");
        CHECK_OK(run.status, &run.err);
        CHECK(run.call.applied);
        CHECK(tr_str_eq(run.call.diffs[0].unified_diff,
                        shown.call.diffs[0].unified_diff));
        CHECK_STR(shown.call.diffs[0].after, gen_text(folder.path, "app.lua"));
        gen_done(&run);
        gen_done(&shown);
        folder_close(&folder);
    }
}

TEST(a_name_that_is_taken_is_a_field_error)
{
    for (size_t i = 0; i < TR_LEN(declarers); i++) {
        struct folder folder;
        struct gen_run run;
        open_app(&folder);
        declare(&run, &folder, &declarers[i], ",\"apply\":true");
        gen_done(&run);
        declare(&run, &folder, &declarers[i], ",\"apply\":true");
        CHECK(run.status == TR_E_VALIDATION);
        CHECK_STR(run.call.errors.items[0].field, declarers[i].argument);
        CHECK_STR(run.call.errors.items[0].code, "taken");
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(names_are_taken_by_other_files_and_by_types_for_shapes)
{
    static const struct {
        struct declarer row;
        const char *says;
    } rows[] = {
        {{"gen.capability", "id", "there", ""},
         "lib/more.lua has a capability"},
        {{"gen.shape", "name", "Person", ""}, "app.lua has a node_type"},
        {{"gen.node-type", "name", "Person", ""}, "app.lua has a node_type"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct folder folder;
        struct gen_run run;
        open_app(&folder);
        declare(&run, &folder, &rows[i].row, "");
        CHECK(run.status == TR_E_VALIDATION);
        CHECK_ROW(strstr(gen_message(&run), rows[i].says), gen_message(&run));
        gen_done(&run);
        folder_close(&folder);
    }
}

/* Paths that lead out, or to what is no Lua of the app. */
static const char *const bad_files[] = {
    "../app.lua",   "/etc/app.lua",  "lib/../../x.lua",  "App.lua",
    "lib/More.lua", "LIB/more.lua",  "lib\\u0000/x.lua", ".hidden.lua",
    "shapes/x.ttl", "trails.toml",   "lib/none.lua",     "data/x.lua",
    "lib/link.lua", "lib/out/x.lua", "lib//more.lua",    "",
};

TEST(a_file_that_is_not_of_the_app_is_refused_by_every_generator)
{
    struct folder folder;
    struct folder outside;
    open_app(&folder);
    folder_open(&outside);
    folder_write(&outside, "x.lua", "-- outside\n");
    CHECK(symlink(folder_path(&outside, "x.lua"),
                  folder_path(&folder, "lib/link.lua")) == 0);
    CHECK(symlink(outside.path, folder_path(&folder, "lib/out")) == 0);
    for (size_t i = 0; i < TR_LEN(declarers) * (TR_LEN(bad_files) - 1); i++) {
        struct gen_run run;
        char more[256];
        const char *file = bad_files[i / TR_LEN(declarers)];
        (void)snprintf(more, sizeof(more), ",\"file\":\"%s\",\"apply\":true",
                       file);
        declare(&run, &folder, &declarers[i % TR_LEN(declarers)], more);
        CHECK_ROW(run.status == TR_E_VALIDATION, file);
        CHECK_STR(run.call.errors.items[0].field, "file");
        check_unchanged(&folder);
        gen_done(&run);
    }
    CHECK(strcmp(gen_text(outside.path, "x.lua"), "-- outside\n") == 0);
    folder_close(&folder);
    folder_close(&outside);
}

TEST(a_hash_that_is_not_the_files_is_a_conflict)
{
    for (size_t i = 0; i < TR_LEN(declarers); i++) {
        struct folder folder;
        struct gen_run run;
        char more[256];
        char hash[65];
        open_app(&folder);
        tr_gen_hash(TR_STR("another"), hash);
        (void)snprintf(more, sizeof(more),
                       ",\"apply\":true,\"before_sha256\":\"%s\"", hash);
        declare(&run, &folder, &declarers[i], more);
        CHECK(run.status == TR_E_CONFLICT);
        check_unchanged(&folder);
        gen_done(&run);
        tr_gen_hash(TR_STR(app), hash);
        (void)snprintf(more, sizeof(more),
                       ",\"apply\":true,\"before_sha256\":\"%s\"", hash);
        declare(&run, &folder, &declarers[i], more);
        CHECK_OK(run.status, &run.err);
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(a_declaration_goes_into_the_file_that_is_named)
{
    struct folder folder;
    struct gen_run run;
    open_app(&folder);
    declare(&run, &folder, &declarers[2],
            ",\"file\":\"lib/more.lua\",\"apply\":true");
    CHECK_OK(run.status, &run.err);
    CHECK(strstr(gen_text(folder.path, "lib/more.lua"),
                 "capability 'there' { run = f }\n\ncapability \"add_note\""));
    CHECK(strstr(gen_text(folder.path, "lib/more.lua"), "}\n\nreturn {}\n"));
    check_unchanged(&folder);
    gen_done(&run);
    folder_close(&folder);
}

TEST(what_registration_would_refuse_is_a_field_error)
{
    static const struct {
        const char *op;
        const char *arguments;
        const char *field;
        const char *says;
    } rows[] = {
        {"gen.capability", "{\"id\":\"no spaces\"}", "id", "an id is"},
        {"gen.capability", "{\"id\":\"trails.meta.x\"}", "id", "reserved"},
        {"gen.capability", "{\"id\":\"a\",\"version\":\"1\"}", "id", "SemVer"},
        {"gen.capability", "{\"id\":\"a\",\"graph_writes\":[\"no graph\"]}",
         "id", "graph_writes"},
        {"gen.node-type", "{\"name\":\"1\"}", "name", "is refused"},
        {"gen.node-type", "{\"name\":\"types\"}", "name", "types"},
        {"gen.shape", "{\"name\":\"a b\"}", "name", "is refused"},
        {"gen.shape",
         "{\"name\":\"A\",\"target\":\"B\","
         "\"target_subjects_of\":\"c:d\"}",
         "name", "not both"},
        {"gen.resource", "{\"uri\":\"nothing\"}", "uri", "is refused"},
        {"gen.resource", "{\"uri\":\"a:{\"}", "uri", "is refused"},
        {"gen.prompt", "{\"name\":\"\"}", "name", "is refused"},
        {"gen.prompt",
         "{\"name\":\"p\",\"arguments\":[{\"name\":\"x\",\"many\":true}]}",
         "name", "is refused"},
        {"gen.policy", "{\"name\":\"a b\"}", "name", "is refused"},
        {"gen.capability", "{\"id\":\"a\",\"input\":[],\"input_type\":\"B\"}",
         "input_type", "beside input"},
        {"gen.capability", "{\"id\":\"a\",\"output\":[],\"output_type\":\"B\"}",
         "output_type", "beside output"},
        {"gen.prompt", "{\"name\":\"a\",\"text\":\"\",\"body\":\"\"}", "body",
         "beside text"},
        {"gen.policy", "{\"name\":\"a\",\"body\":\"return true end\"}", "body",
         "line 1"},
        {"gen.policy", "{\"name\":\"a\",\"body\":\"\\n--[[\"}", "body",
         "line 2"},
        {"gen.policy", "{\"name\":\"a\",\"body\":\"return 'x\"}", "body",
         "does not end"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct folder folder;
        struct gen_run run;
        open_app(&folder);
        gen_run(&run, folder.path, rows[i].op, rows[i].arguments);
        CHECK_ROW(run.status == TR_E_VALIDATION, rows[i].arguments);
        CHECK_STR(run.call.errors.items[0].field, rows[i].field);
        CHECK_ROW(strstr(gen_message(&run), rows[i].says), gen_message(&run));
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(what_is_wrong_with_a_field_is_told_of_that_field)
{
    static const struct {
        const char *fields;
        const char *field;
        const char *says;
    } rows[] = {
        {"[{\"name\":\"a\"},{\"name\":\"a\"}]", "fields", "a"},
        {"[{\"name\":\"a b\"}]", "fields[0].name", "match"},
        {"[{\"name\":\"a\",\"kind\":\"txt\"}]", "fields[0].kind", "one of"},
        {"[{\"name\":\"a\",\"optionl\":true}]", "fields[0].optionl",
         "optional"},
        {"[{\"name\":\"a\"},{\"name\":\"b\",\"min_value\":1}]", "fields[1]",
         "min_value"},
        {"[{\"name\":\"a\",\"min_length\":3,\"max_length\":2}]", "fields[0]",
         "min_length (3)"},
        {"[{\"name\":\"a\",\"one_of\":[]}]", "fields[0]", "one_of"},
        {"[{\"name\":\"a\",\"one_of\":\"x\"}]", "fields[0]", "one_of"},
        {"[{\"name\":\"a\",\"pattern\":\"(\"}]", "fields[0]", "(a)"},
        {"[{\"name\":\"a\",\"kind\":\"integer\",\"default\":\"x\"}]",
         "fields[0]", "default"},
        {"[{\"name\":\"a\",\"kind\":\"integer\",\"min_value\":true}]",
         "fields[0]", "a bound"},
        {"[{\"name\":\"a\",\"kind\":\"decimal\",\"digits\":3}]", "fields[0]",
         "digits"},
        {"[{\"name\":\"a\",\"kind\":\"decimal\",\"scale\":0}]", "fields[0]",
         "scale"},
        {"[{\"name\":\"a\",\"kind\":\"json\",\"schema\":1}]", "fields[0]",
         "schema"},
        {"[{\"name\":\"a\",\"type\":\"B\"}]", "fields[0]", "`type`"},
        {"[{\"name\":\"a\",\"fields\":[]}]", "fields[0]", "`fields`"},
        {"[{\"name\":\"a\",\"kind\":\"object\"}]", "fields[0]", "has a name"},
        {"[{\"name\":\"a\",\"kind\":\"object\",\"type\":\"B\"}]", "fields[0]",
         "has `fields`"},
        {"[{\"name\":\"a\",\"kind\":\"object\",\"type\":\"B\",\"fields\":[1]}]",
         "fields[0].fields[0]", "an object"},
        {"[{\"name\":\"a\",\"kind\":\"object\",\"type\":\"B\",\"fields\":"
         "[{\"name\":\"c\",\"kind\":\"no\"}]}]",
         "fields[0].fields[0]", "one of"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct folder folder;
        struct gen_run run;
        char json[1024];
        open_app(&folder);
        (void)snprintf(json, sizeof(json), "{\"name\":\"N\",\"fields\":%s}",
                       rows[i].fields);
        gen_run(&run, folder.path, "gen.node-type", json);
        CHECK_ROW(run.status == TR_E_VALIDATION, rows[i].fields);
        CHECK_STR(run.call.errors.items[0].field, rows[i].field);
        CHECK_ROW(strstr(gen_message(&run), rows[i].says), gen_message(&run));
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(objects_are_in_each_other_as_deep_as_an_app_has_them)
{
    struct folder folder;
    for (int depth = 3; depth < 5; depth++) {
        struct gen_run run;
        struct tr_buf json;
        tr_buf_init(&json, TR_KIB(4));
        open_app(&folder);
        tr_buf_put(&json, TR_STR("{\"name\":\"N\",\"fields\":["));
        for (int i = 0; i < depth; i++)
            tr_buf_put(&json, TR_STR("{\"name\":\"o\",\"kind\":\"object\","
                                     "\"type\":\"O\",\"fields\":["));
        tr_buf_put(&json, TR_STR("{\"name\":\"x\"}"));
        for (int i = 0; i < depth; i++)
            tr_buf_put(&json, TR_STR("]}"));
        tr_buf_put(&json, TR_STR("]}"));
        tr_buf_putc(&json, '\0');
        gen_run(&run, folder.path, "gen.node-type", json.ptr);
        if (depth == 3)
            CHECK_OK(run.status, &run.err);
        else
            CHECK(strstr(gen_message(&run), "3 deep"));
        gen_done(&run);
        tr_buf_done(&json);
        folder_close(&folder);
    }
}

TEST(a_local_that_hides_what_is_needed_is_refused)
{
    static const struct {
        const char *before;
        bool is_refused;
    } rows[] = {
        {"local text = 1\n", true},
        {"local function node_type() end\n", true},
        {"local a, date <const> = 1, 2\n", false},
        {"local name = 1\n", false},
        {"do local text = 1 end\n", false},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct folder folder;
        struct gen_run run;
        folder_open(&folder);
        folder_write(&folder, "app.lua", rows[i].before);
        gen_run(&run, folder.path, "gen.node-type",
                "{\"name\":\"N\",\"fields\":[{\"name\":\"name\"}]}");
        CHECK_ROW((run.status == TR_E_VALIDATION) == rows[i].is_refused,
                  rows[i].before);
        if (rows[i].is_refused)
            CHECK_ROW(strstr(gen_message(&run), "line 1, which hides"),
                      gen_message(&run));
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(an_app_that_cannot_be_read_as_lua_is_told_with_its_line)
{
    struct folder folder;
    struct gen_run run;
    folder_open(&folder);
    folder_write(&folder, "app.lua", "x = 1\nf(\n");
    gen_run(&run, folder.path, "gen.policy", "{\"name\":\"p\"}");
    CHECK(run.status == TR_E_INVALID);
    CHECK(strstr(run.err.msg, "app.lua:2"));
    gen_done(&run);
    folder_close(&folder);
}

/* What an app says that is asked whether it loads. */
struct asked {
    bool loads_now;
    bool loads_then;
    size_t times;
};

static tr_status loads(void *context, const struct tr_gen_file *files,
                       size_t count, struct tr_err *err)
{
    struct asked *asked = context;
    asked->times++;
    CHECK(!count || tr_str_eq(files[0].path, TR_STR("app.lua")));
    CHECK(!count || tr_str_starts(files[0].text, TR_STR(app)));
    if (count ? asked->loads_then : asked->loads_now)
        return TR_OK;
    return tr_fail(err, TR_E_INVALID, "app.lua:9: it breaks");
}

TEST(what_would_keep_the_app_from_loading_is_refused)
{
    static const struct {
        struct asked asked;
        tr_status status;
    } rows[] = {
        {{true, true, 0}, TR_OK},
        {{true, false, 0}, TR_E_VALIDATION},
        {{false, false, 0}, TR_OK}, /* it is broken already */
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct folder folder;
        struct gen_run run;
        struct asked asked = rows[i].asked;
        open_app(&folder);
        gen_run(&run, folder.path, "gen.policy", "{\"name\":\"p\"}");
        run.call.diff_count = 0;
        run.project.loads = loads;
        run.project.context = &asked;
        run.call.project = &run.project;
        CHECK(tr_gen_run(&run.call, &run.err) == rows[i].status);
        CHECK(asked.times > 0);
        if (rows[i].status != TR_OK)
            CHECK(strstr(gen_message(&run), "app.lua:9: it breaks"));
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(a_new_app_is_that_of_the_scaffold_with_its_name)
{
    struct folder folder;
    struct gen_run run;
    folder_open(&folder);
    gen_run(&run, folder.path, "gen.app", "{}");
    CHECK_OK(run.status, &run.err);
    CHECK(run.call.diff_count > 3 && !run.call.applied);
    CHECK(!gen_text(folder.path, "app.lua"));
    gen_done(&run);
    gen_run(&run, folder.path, "gen.app", "{\"apply\":true}");
    CHECK_OK(run.status, &run.err);
    CHECK(strstr(gen_text(folder.path, "trails.toml"), "name = \"local\""));
    gen_done(&run);
    gen_run(&run, folder.path, "gen.app", "{\"apply\":true}");
    CHECK(run.status == TR_E_CONFLICT);
    CHECK(strstr(run.err.msg, "is there already"));
    gen_done(&run);
    folder_close(&folder);
}

TEST(a_new_app_makes_its_folder_when_it_is_applied)
{
    struct folder folder;
    struct gen_run run;
    folder_open(&folder);
    const char *path = folder_path(&folder, "new");
    gen_run(&run, path, "gen.app", "{}");
    CHECK_OK(run.status, &run.err);
    CHECK(access(path, F_OK) != 0);
    gen_done(&run);
    gen_run(&run, path, "gen.policy", "{\"name\":\"p\"}");
    CHECK(run.status == TR_E_NOT_FOUND);
    gen_done(&run);
    gen_run(&run, path, "gen.app", "{\"apply\":true,\"with\":\"api\"}");
    CHECK_OK(run.status, &run.err);
    CHECK(strstr(gen_text(path, "app.lua"), "weather"));
    gen_done(&run);
    folder_close(&folder);
}

TEST(an_edit_needs_the_hash_of_what_it_replaces)
{
    struct folder folder;
    struct gen_run run;
    char json[512];
    char hash[65];
    open_app(&folder);
    tr_gen_hash(TR_STR(app), hash);
    gen_run(&run, folder.path, "app.edit",
            "{\"path\":\"app.lua\",\"text\":\"x = 1\\n\",\"apply\":true}");
    CHECK(run.status == TR_E_VALIDATION);
    CHECK_STR(run.call.errors.items[0].field, "before_sha256");
    CHECK(strstr(gen_message(&run), hash));
    gen_done(&run);
    check_unchanged(&folder);
    gen_run(&run, folder.path, "app.edit",
            "{\"path\":\"app.lua\",\"text\":\"x = 1\\n\"}");
    CHECK_OK(run.status, &run.err);
    gen_done(&run);
    check_unchanged(&folder);
    (void)snprintf(json, sizeof(json),
                   "{\"path\":\"app.lua\",\"text\":\"x = 1\\n\",\"apply\":true,"
                   "\"before_sha256\":\"%s\"}",
                   hash);
    gen_run(&run, folder.path, "app.edit", json);
    CHECK_OK(run.status, &run.err);
    gen_done(&run);
    CHECK(strcmp(gen_text(folder.path, "app.lua"), "x = 1\n") == 0);
    gen_run(&run, folder.path, "app.edit", json);
    CHECK(run.status == TR_E_CONFLICT);
    gen_done(&run);
    folder_close(&folder);
}

TEST(an_edit_makes_and_removes_files)
{
    struct folder folder;
    struct gen_run run;
    char json[512];
    char hash[65];
    open_app(&folder);
    gen_run(&run, folder.path, "app.edit",
            "{\"path\":\"lib/a/b.lua\",\"text\":\"\",\"apply\":true}");
    CHECK_OK(run.status, &run.err);
    CHECK(run.call.diffs[0].change == TR_GEN_CREATE);
    gen_done(&run);
    tr_gen_hash(TR_STR(""), hash);
    (void)snprintf(json, sizeof(json),
                   "{\"path\":\"lib/a/b.lua\",\"delete\":true,\"apply\":true,"
                   "\"before_sha256\":\"%s\"}",
                   hash);
    gen_run(&run, folder.path, "app.edit", json);
    CHECK_OK(run.status, &run.err);
    CHECK(run.call.diffs[0].change == TR_GEN_DELETE);
    gen_done(&run);
    CHECK(!gen_text(folder.path, "lib/a/b.lua"));
    gen_run(&run, folder.path, "app.edit", json);
    CHECK_STR(run.call.errors.items[0].code, "not_found");
    gen_done(&run);
    folder_close(&folder);
}

TEST(an_edit_that_says_too_much_or_too_little_is_refused)
{
    static const struct {
        const char *arguments;
        const char *field;
    } rows[] = {
        {"{\"path\":\"app.lua\"}", "text"},
        {"{\"path\":\"app.lua\",\"text\":\"\",\"delete\":true}", "text"},
        {"{\"path\":\"../x.lua\",\"text\":\"\"}", "path"},
        {"{\"path\":\"app.lua\\u0000\",\"text\":\"\"}", "path"},
        {"{\"path\":\"data/trails.db\",\"text\":\"\"}", "path"},
        {"{\"path\":\"lib/MORE.lua\",\"text\":\"\"}", "path"},
        {"{\"path\":\"trails.toml\",\"text\":\"[secrets]\\nA = 'x'\"}", "text"},
        {"{\"path\":\"trails.toml\",\"text\":\"[secrets\\nA = 'x'\"}", "text"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct folder folder;
        struct gen_run run;
        open_app(&folder);
        gen_run(&run, folder.path, "app.edit", rows[i].arguments);
        CHECK_ROW(run.status == TR_E_VALIDATION, rows[i].arguments);
        CHECK_STR(run.call.errors.items[0].field, rows[i].field);
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(secrets_are_neither_shown_nor_edited)
{
    static const char *const texts[] = {"[secrets]\nKEY = 'hush'\n",
                                        "[secrets\nKEY = 'hush'\n"};
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        struct folder folder;
        struct gen_run run;
        open_app(&folder);
        folder_write(&folder, "trails.toml", texts[i]);
        gen_run(&run, folder.path, "app.edit",
                "{\"path\":\"trails.toml\",\"text\":\"\"}");
        CHECK(run.status == TR_E_VALIDATION);
        CHECK_STR(run.call.errors.items[0].code, "secret");
        gen_done(&run);
        gen_run(&run, folder.path, "app.source", "{\"texts\":true}");
        CHECK_OK(run.status, &run.err);
        CHECK_INT(run.call.file_count, 3);
        CHECK_STR(run.call.files[2].path, "trails.toml");
        CHECK(!run.call.files[2].text.ptr);
        CHECK_STR(run.call.files[0].text, app);
        gen_done(&run);
        folder_close(&folder);
    }
}

TEST(the_files_of_an_app_are_listed_and_no_others)
{
    struct folder folder;
    struct gen_run run;
    char hash[65];
    open_app(&folder);
    folder_write(&folder, "other.txt", "");
    folder_write(&folder, ".env", "");
    CHECK(mkdir(folder_path(&folder, "data"), 0777) == 0);
    folder_write(&folder, "data/x.lua", "");
    CHECK(symlink("app.lua", folder_path(&folder, "lib/l.lua")) == 0);
    gen_run(&run, folder.path, "app.source", "{\"paths\":[\"app.lua\"]}");
    CHECK_OK(run.status, &run.err);
    CHECK_INT(run.call.file_count, 2);
    CHECK_STR(run.call.files[0].path, "app.lua");
    CHECK_STR(run.call.files[0].text, app);
    CHECK_INT(run.call.files[0].bytes, sizeof(app) - 1);
    tr_gen_hash(TR_STR(app), hash);
    CHECK(strcmp(run.call.files[0].sha256, hash) == 0);
    CHECK_STR(run.call.files[1].path, "lib/more.lua");
    CHECK(!run.call.files[1].text.ptr);
    gen_done(&run);
    gen_run(&run, folder.path, "app.source", "{\"paths\":[\"lib/none.lua\"]}");
    CHECK_STR(run.call.errors.items[0].code, "not_found");
    gen_done(&run);
    gen_run(&run, folder.path, "app.source", "{\"paths\":[\"../x\"]}");
    CHECK_STR(run.call.errors.items[0].code, "path");
    gen_done(&run);
    folder_close(&folder);
}

TEST(a_file_that_is_no_utf_8_is_left_alone)
{
    struct folder folder;
    struct gen_run run;
    folder_open(&folder);
    folder_write(&folder, "app.lua", "-- \xff\n");
    gen_run(&run, folder.path, "gen.policy", "{\"name\":\"p\"}");
    CHECK(run.status == TR_E_INVALID);
    CHECK(strstr(run.err.msg, "app.lua is not UTF-8"));
    gen_done(&run);
    gen_run(&run, folder.path, "app.source", "{\"texts\":true}");
    CHECK_OK(run.status, &run.err);
    CHECK(!run.call.files[0].text.ptr);
    gen_done(&run);
    folder_close(&folder);
}

TEST(what_comes_of_it_is_written_as_json)
{
    struct folder folder;
    struct gen_run run;
    struct tr_buf out;
    struct tr_json_writer w;
    struct tr_err err;
    folder_open(&folder);
    gen_run(&run, folder.path, "app.edit",
            "{\"path\":\"lib/a.lua\",\"text\":\"x\\n\"}");
    tr_buf_init(&out, TR_KIB(4));
    tr_jw_init(&w, &out);
    tr_gen_write(&w, &run.call);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
    CHECK_STR(tr_buf_str(&out),
              "{\"applied\":false,\"files\":[{\"path\":\"lib/a.lua\","
              "\"op\":\"create\",\"before_sha256\":null,\"after\":\"x\\n\","
              "\"unified_diff\":\"--- /dev/null\\n+++ b/lib/a.lua\\n"
              "@@ -0,0 +1 @@\\n+x\\n\"}]}");
    tr_buf_done(&out);
    gen_done(&run);
    folder_close(&folder);
}

static tr_status generate(void *context, struct tr_err *err)
{
    const struct folder *folder = context;
    struct gen_run run;
    gen_run(&run, folder->path, "gen.node-type",
            "{\"name\":\"N\",\"description\":\"x\",\"fields\":[{\"name\":"
            "\"a\",\"kind\":\"object\",\"type\":\"O\",\"fields\":[{\"name\":"
            "\"b\",\"one_of\":[\"c\"]}]}]}");
    *err = run.err;
    gen_done(&run);
    return run.status;
}

static tr_status list(void *context, struct tr_err *err)
{
    const struct folder *folder = context;
    struct gen_run run;
    gen_run(&run, folder->path, "app.source", "{\"texts\":true}");
    *err = run.err;
    gen_done(&run);
    return run.status;
}

TEST(generating_and_listing_survive_every_failing_allocation)
{
    struct folder folder;
    open_app(&folder);
    tr_test_sweep(generate, &folder);
    tr_test_sweep(list, &folder);
    folder_close(&folder);
}
