#include "install/plan.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"

#define NAMES 3

static const struct tr_install_form json = {
    .servers = TR_STR_INIT("mcpServers"), .host = "Cursor", .has_type = true};
static const struct tr_install_form toml = {
    .servers = TR_STR_INIT("mcp_servers"), .host = "Codex", .is_toml = true};

static const tr_str names[NAMES] = {
    TR_STR_INIT("trails-a"), TR_STR_INIT("trails-b"), TR_STR_INIT("trails-c")};
static const tr_str args[] = {TR_STR_INIT("serve"), TR_STR_INIT("/apps/a")};

/* A file and the copy beside it. */
struct world {
    struct tr_arena arena;
    struct tr_err err;
    struct tr_install_state now;
    bool changed;
};

static void start(struct world *w, const struct tr_install_form *form,
                  const char *text)
{
    *w = (struct world){
        .now = {.form = form,
                .file = {text != NULL, tr_str_from(text ? text : "")},
                .copy = {false, TR_STR("")}}};
    tr_arena_init(&w->arena, TR_MIB(64));
}

static void end(struct world *w)
{
    tr_arena_done(&w->arena);
}

static void apply(struct world *w, const struct tr_install_plan *plan)
{
    w->changed = plan->changes;
    if (plan->copy == TR_INSTALL_COPY_MADE)
        w->now.copy = w->now.file;
    if (plan->copy == TR_INSTALL_COPY_GOES)
        w->now.copy = (struct tr_install_text){false, TR_STR("")};
    w->now.file = plan->file;
}

static void put(struct world *w, tr_str name)
{
    struct tr_install_entry entry = {name, TR_STR("/bin/trails"), args, 2};
    struct tr_install_plan plan;
    CHECK_OK(tr_install_plan_put(&w->arena, &w->now, &entry, &plan, &w->err),
             &w->err);
    apply(w, &plan);
}

static void take_out(struct world *w, tr_str name)
{
    struct tr_install_plan plan;
    CHECK_OK(tr_install_plan_remove(&w->arena, &w->now, name, &plan, &w->err),
             &w->err);
    apply(w, &plan);
}

static const char *const json_texts[] = {
    NULL,
    "",
    " \n\t",
    "{}",
    "{ }",
    "{\n}\n",
    "{\n\n\n}",
    "\xEF\xBB\xBF{}\r\n",
    "{\"mcpServers\":{}}",
    "{\"mcpServers\": {  }, \"a\": 1}",
    "{\n  \"mcpServers\": {\n  },\n}\n",
    "{\n  \"a\": {} // b\n  // c\n}",
    "{\n\t\"mcpServers\": {\n\t\t\"x\": 1 }\n}",
    "// nothing\n",
    "/* no */{\"mcpServers\":/* x */{/* y */}/* z */,}",
    "{\n  \"mcpServers\": {\n    \"trails-z\": {\"url\": \"http://z\"}\n  }\n}",
};

static const char *const toml_texts[] = {
    NULL,
    "",
    "\n\n\n",
    "a = 1",
    "a = 1\n\n\n",
    "a = 1\r\n",
    "# x",
    "[mcp_servers]\n",
    "[mcp_servers.x]\ncommand = 'y'\n\n\n",
};

static bool is_equal(const struct tr_install_text *text, const char *expected)
{
    return text->is_there == (expected != NULL) &&
           tr_str_eq(text->text, tr_str_from(expected ? expected : ""));
}

/* Entries come and go in any order; when the last one goes, all is as it was.
 */
static void check_round(const struct tr_install_form *form, const char *text)
{
    bool is_in[NAMES] = {false};
    struct world w;
    start(&w, form, text);
    for (uint64_t turns = 1 + tr_test_random_below(8); turns > 0; turns--) {
        size_t i = (size_t)tr_test_random_below(NAMES);
        bool puts = tr_test_random_below(3) > 0;
        if (puts)
            put(&w, names[i]);
        else
            take_out(&w, names[i]);
        CHECK_INT(w.changed, puts != is_in[i]);
        is_in[i] = puts;
    }
    for (size_t i = 0; i < NAMES; i++)
        take_out(&w, names[i]);
    if (!is_equal(&w.now.file, text))
        (void)fprintf(stderr, "%s:\n%.*s\n", text ? text : "no file",
                      TR_FMT(w.now.file.text));
    CHECK_ROW(is_equal(&w.now.file, text), text ? text : "no file");
    CHECK_ROW(!w.now.copy.is_there, text ? text : "no file");
    end(&w);
}

TEST(plan_gives_back_what_was_there_when_the_last_entry_goes)
{
    for (size_t turns = tr_test_scaled(400); turns > 0; turns--) {
        for (size_t i = 0; i < TR_LEN(json_texts); i++)
            check_round(&json, json_texts[i]);
        for (size_t i = 0; i < TR_LEN(toml_texts); i++)
            check_round(&toml, toml_texts[i]);
    }
}

TEST(plan_keeps_the_copy_of_the_file_without_entries_of_ours)
{
    struct world w;
    start(&w, &json, "{\"a\": 1}");
    put(&w, names[0]);
    CHECK(w.now.copy.is_there);
    CHECK_STR(w.now.copy.text, "{\"a\": 1}");
    put(&w, names[1]);
    put(&w, names[1]);
    CHECK(!w.changed);
    CHECK_STR(w.now.copy.text, "{\"a\": 1}");
    end(&w);
}

TEST(plan_makes_no_copy_of_a_file_that_was_not_there)
{
    struct world w;
    start(&w, &json, NULL);
    put(&w, names[0]);
    put(&w, names[1]);
    CHECK(!w.now.copy.is_there);
    take_out(&w, names[0]);
    CHECK(w.now.file.is_there);
    CHECK(!w.now.copy.is_there);
    end(&w);
}

/* Puts `what` in the place of the first "1" of the file. */
static void edit_by_hand(struct world *w, const char *what)
{
    struct tr_buf out;
    tr_str before;
    tr_str after;
    CHECK(tr_str_cut(w->now.file.text, '1', &before, &after));
    tr_buf_init(&out, TR_KIB(64));
    tr_buf_putf(&out, "%.*s%s%.*s", TR_FMT(before), what, TR_FMT(after));
    CHECK(tr_arena_copy(&w->arena, tr_buf_str(&out), &w->now.file.text));
    tr_buf_done(&out);
}

TEST(plan_makes_the_copy_anew_when_somebody_else_has_changed_the_file)
{
    struct world w;
    tr_str edited;
    start(&w, &json, "{\"a\": 1}");
    put(&w, names[0]);
    edit_by_hand(&w, "2");
    edited = w.now.file.text;
    put(&w, names[1]);
    CHECK(tr_str_eq(w.now.copy.text, edited));
    take_out(&w, names[1]);
    CHECK(tr_str_eq(w.now.file.text, edited));
    take_out(&w, names[0]);
    CHECK_STR(w.now.file.text, "{\"a\": 2, \"mcpServers\": {}}");
    end(&w);
}

TEST(plan_takes_only_the_entry_out_of_a_file_that_was_changed)
{
    struct world w;
    start(&w, &json, "{\n  \"a\": 1\n}\n");
    put(&w, names[0]);
    edit_by_hand(&w, "2, // two");
    tr_str edited = w.now.file.text;
    take_out(&w, names[0]);
    CHECK_STR(w.now.file.text,
              "{\n  \"a\": 2, // two,\n  \"mcpServers\": {}\n}\n");
    CHECK(tr_str_eq(w.now.copy.text, edited));
    end(&w);
}

TEST(plan_leaves_an_entry_that_was_there_before_the_copy_was_made)
{
    static const char text[] =
        "{\n  \"mcpServers\": {\n    \"trails-a\": {\"url\": \"1\"}\n  }\n}";
    struct world w;
    start(&w, &json, text);
    put(&w, names[1]);
    CHECK_STR(w.now.copy.text, text);
    take_out(&w, names[0]);
    CHECK(memmem(w.now.file.text.ptr, w.now.file.text.len, "trails-b", 8) !=
          NULL);
    CHECK(!memmem(w.now.file.text.ptr, w.now.file.text.len, "trails-a", 8));
    end(&w);
}

TEST(plan_forgets_the_copy_of_a_file_that_is_no_more)
{
    struct world w;
    start(&w, &json, "{\"a\": 1}");
    put(&w, names[0]);
    w.now.file = (struct tr_install_text){false, TR_STR("")};
    put(&w, names[0]);
    CHECK(!w.now.copy.is_there);
    take_out(&w, names[0]);
    CHECK(!w.now.file.is_there);
    end(&w);
}

TEST(plan_does_not_mind_a_copy_that_cannot_be_read)
{
    struct world w;
    start(&w, &json, "{\"a\": 1}");
    w.now.copy = (struct tr_install_text){true, TR_STR("{")};
    put(&w, names[0]);
    CHECK_STR(w.now.copy.text, "{\"a\": 1}");
    w.now.copy = (struct tr_install_text){true, TR_STR("{")};
    take_out(&w, names[0]);
    CHECK_STR(w.now.file.text, "{\"a\": 1, \"mcpServers\": {}}");
    end(&w);
}

TEST(plan_refuses_a_file_that_cannot_be_read)
{
    struct tr_install_entry entry = {names[0], TR_STR("x"), args, 2};
    struct tr_install_plan plan;
    struct world w;
    start(&w, &json, "{");
    CHECK_INT(tr_install_plan_put(&w.arena, &w.now, &entry, &plan, &w.err),
              TR_E_SYNTAX);
    CHECK_INT(w.err.place.column, 2);
    CHECK_INT(tr_install_plan_remove(&w.arena, &w.now, names[0], &plan, &w.err),
              TR_E_SYNTAX);
    end(&w);
}

static tr_status put_both_and_take_one(void *context, struct tr_err *err)
{
    struct tr_install_state now = {
        &json, {true, TR_STR("{}")}, {false, TR_STR("")}};
    struct tr_install_plan plan = {.changes = false};
    struct tr_arena arena;
    tr_status status = TR_OK;
    (void)context;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < 2 && status == TR_OK; i++) {
        struct tr_install_entry entry = {names[i], TR_STR("x"), args, 2};
        status = tr_install_plan_put(&arena, &now, &entry, &plan, err);
        if (plan.copy == TR_INSTALL_COPY_MADE)
            now.copy = now.file;
        now.file = plan.file;
    }
    if (status == TR_OK)
        status = tr_install_plan_remove(&arena, &now, names[0], &plan, err);
    tr_arena_done(&arena);
    return status;
}

TEST(plan_tells_when_there_is_no_memory)
{
    tr_test_sweep(put_both_and_take_one, NULL);
}
