#include "gen/apply.h"

#include "base/test.h"
#include "gen/intent.h"
#include "support/folder.h"
#include "support/gen.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* An app of three files. */
static void open_app(struct folder *folder)
{
    folder_open(folder);
    folder_write(folder, "app.lua", "-- one\n");
    CHECK(mkdir(folder_path(folder, "shapes"), 0777) == 0);
    folder_write(folder, "shapes/old.ttl", "# old\n");
}

TR_PRINTF(3, 4)
static void edit(struct gen_run *run, const struct folder *folder,
                 const char *format, ...)
{
    char json[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(json, sizeof(json), format, arguments);
    va_end(arguments);
    gen_run(run, folder->path, "app.edit", json);
}

/* Replaces app.lua, adds lib/new.lua and removes shapes/old.ttl. */
static tr_status change_all(const struct folder *folder, struct tr_err *err)
{
    struct tr_gen_tree tree = {.fd = -1};
    struct tr_gen_diff diffs[] = {
        {.path = TR_STR("app.lua"),
         .change = TR_GEN_MODIFY,
         .after = TR_STR("-- two\n")},
        {.path = TR_STR("lib/new.lua"),
         .change = TR_GEN_CREATE,
         .after = TR_STR("return 1\n")},
        {.path = TR_STR("shapes/old.ttl"), .change = TR_GEN_DELETE},
    };
    tr_gen_hash(TR_STR("-- one\n"), diffs[0].before_sha256);
    tr_gen_hash(TR_STR("# old\n"), diffs[2].before_sha256);
    TR_TRY(tr_gen_tree_open(folder->path, &tree, err));
    tr_status status = tr_gen_lock(&tree, err);
    if (status == TR_OK)
        status = tr_gen_apply(&tree, diffs, TR_LEN(diffs), err);
    tr_gen_tree_close(&tree);
    return status;
}

static void check_text(const struct folder *folder, const char *path,
                       const char *expected)
{
    const char *text = gen_text(folder->path, path);
    CHECK_ROW(!text == !expected, path);
    CHECK_ROW(!text || !expected || strcmp(text, expected) == 0, path);
}

static void check_before(const struct folder *folder)
{
    check_text(folder, "app.lua", "-- one\n");
    check_text(folder, "lib/new.lua", NULL);
    check_text(folder, "shapes/old.ttl", "# old\n");
    check_text(folder, TR_GEN_INTENT, NULL);
}

static void check_after(const struct folder *folder)
{
    check_text(folder, "app.lua", "-- two\n");
    check_text(folder, "lib/new.lua", "return 1\n");
    check_text(folder, "shapes/old.ttl", NULL);
    check_text(folder, TR_GEN_INTENT, NULL);
}

TEST(a_change_replaces_makes_and_removes_files)
{
    struct folder folder;
    struct tr_err err = {0};
    open_app(&folder);
    CHECK_OK(change_all(&folder, &err), &err);
    check_after(&folder);
    folder_close(&folder);
}

TEST(a_file_that_is_not_what_it_was_changes_nothing)
{
    static const char *const files[] = {"app.lua", "shapes/old.ttl",
                                        "lib/new.lua"};
    for (size_t i = 0; i < TR_LEN(files); i++) {
        struct folder folder;
        struct tr_err err = {0};
        open_app(&folder);
        CHECK(mkdir(folder_path(&folder, "lib"), 0777) == 0);
        folder_write(&folder, files[i], "mine\n");
        CHECK(change_all(&folder, &err) == TR_E_CONFLICT);
        CHECK_ROW(strstr(err.msg, files[i]), err.msg);
        check_text(&folder, "app.lua", i == 0 ? "mine\n" : "-- one\n");
        check_text(&folder, "shapes/old.ttl", i == 1 ? "mine\n" : "# old\n");
        check_text(&folder, "lib/new.lua", i == 2 ? "mine\n" : NULL);
        check_text(&folder, TR_GEN_INTENT, NULL);
        folder_close(&folder);
    }
}

/* As somebody who may not write everything: root may. */
static void change_as_nobody(const struct folder *folder)
{
    struct tr_err err = {0};
    if (getuid() == 0 && (setresgid(65534, 65534, 65534) != 0 ||
                          setresuid(65534, 65534, 65534) != 0))
        _exit(2);
    _exit(change_all(folder, &err) == TR_E_IO ? 0 : 1);
}

TEST(what_cannot_be_ended_is_taken_back)
{
    struct folder folder;
    int status = 0;
    open_app(&folder);
    CHECK(chmod(folder_path(&folder, "shapes"), 0555) == 0);
    if (getuid() == 0) {
        CHECK(chown(folder.path, 65534, 65534) == 0);
        CHECK(chown(folder_path(&folder, "app.lua"), 65534, 65534) == 0);
    }
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        change_as_nobody(&folder);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_before(&folder);
    CHECK(chmod(folder_path(&folder, "shapes"), 0755) == 0);
    folder_close(&folder);
}

static const char intent[] =
    "{\"files\":[{\"path\":\"app.lua\",\"before\":\"-- one\\n\","
    "\"after\":\"-- two\\n\"},{\"path\":\"lib/new.lua\",\"before\":null,"
    "\"after\":\"return 1\\n\"},{\"path\":\"shapes/old.ttl\","
    "\"before\":\"# old\\n\",\"after\":null}]}";

TEST(an_intent_is_ended_wherever_its_writer_was)
{
    for (unsigned done = 0; done < 8; done++) { /* a bit for each file */
        struct folder folder;
        struct tr_err err = {0};
        open_app(&folder);
        folder_write(&folder, TR_GEN_INTENT, intent);
        folder_write(&folder, ".trails-1-0.tmp", "half");
        if (done & 1)
            folder_write(&folder, "app.lua", "-- two\n");
        if (done & 2) {
            CHECK(mkdir(folder_path(&folder, "lib"), 0777) == 0);
            folder_write(&folder, "lib/.trails-77-3.tmp", "half");
            folder_write(&folder, "lib/new.lua", "return 1\n");
        }
        if (done & 4)
            CHECK(unlink(folder_path(&folder, "shapes/old.ttl")) == 0);
        CHECK_OK(tr_gen_recover(folder.path, &err), &err);
        check_after(&folder);
        check_text(&folder, ".trails-1-0.tmp", NULL);
        check_text(&folder, "lib/.trails-77-3.tmp", NULL);
        folder_close(&folder);
    }
}

TEST(an_intent_is_taken_back_when_somebody_else_has_changed_a_file)
{
    struct folder folder;
    struct tr_err err = {0};
    open_app(&folder);
    folder_write(&folder, TR_GEN_INTENT, intent);
    folder_write(&folder, "app.lua", "-- two\n");
    folder_write(&folder, "shapes/old.ttl", "# mine\n");
    CHECK_OK(tr_gen_recover(folder.path, &err), &err);
    check_text(&folder, "app.lua", "-- one\n");
    check_text(&folder, "lib/new.lua", NULL);
    check_text(&folder, "shapes/old.ttl", "# mine\n");
    check_text(&folder, TR_GEN_INTENT, NULL);
    folder_close(&folder);
}

TEST(an_intent_that_is_none_is_refused_and_nothing_is_touched)
{
    static const char *const rows[] = {
        "",
        "{",
        "[]",
        "{\"files\":{}}",
        "{\"files\":[1]}",
        "{\"files\":[{\"path\":\"../x.lua\",\"before\":null,\"after\":\"\"}]}",
        "{\"files\":[{\"path\":\"/etc/x\",\"before\":null,\"after\":\"\"}]}",
        "{\"files\":[{\"path\":\"data/x\",\"before\":null,\"after\":\"\"}]}",
        "{\"files\":[{\"path\":\"app.lua\",\"after\":\"\"}]}",
        "{\"files\":[{\"path\":\"app.lua\",\"before\":\"\"}]}",
        "{\"files\":[{\"path\":\"app.lua\",\"before\":1,\"after\":\"\"}]}",
        "{\"files\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}",
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct folder folder;
        struct tr_err err = {0};
        open_app(&folder);
        folder_write(&folder, TR_GEN_INTENT, rows[i]);
        CHECK_ROW(tr_gen_recover(folder.path, &err) == TR_E_INVALID, rows[i]);
        CHECK_ROW(strstr(err.msg, TR_GEN_INTENT), err.msg);
        check_text(&folder, "app.lua", "-- one\n");
        CHECK(unlink(folder_path(&folder, TR_GEN_INTENT)) == 0);
        folder_close(&folder);
    }
}

TEST(an_intent_that_is_a_link_is_not_followed)
{
    struct folder folder;
    struct folder other;
    struct tr_err err = {0};
    open_app(&folder);
    folder_open(&other);
    folder_write(&other, "j", intent);
    CHECK(symlink(folder_path(&other, "j"),
                  folder_path(&folder, TR_GEN_INTENT)) == 0);
    CHECK(tr_gen_recover(folder.path, &err) == TR_E_IO);
    check_text(&folder, "app.lua", "-- one\n");
    folder_close(&folder);
    folder_close(&other);
}

TEST(an_intent_is_read_as_it_was_written)
{
    struct tr_gen_intent out = {0};
    struct tr_gen_intent in = {
        .count = 2,
        .entries =
            {
                {TR_STR("app.lua"), {true, TR_STR("a\"\n")}, {false, {0}}},
                {TR_STR("lib/x.lua"), {false, {0}}, {true, TR_STR("")}},
            },
    };
    struct tr_arena arena;
    struct tr_buf text;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(1));
    tr_buf_init(&text, TR_MIB(1));
    CHECK_OK(tr_gen_intent_write(&in, &text, &err), &err);
    CHECK_OK(tr_gen_intent_read(tr_buf_str(&text), &arena, &out, &err), &err);
    CHECK_INT(out.count, 2);
    CHECK_STR(out.entries[0].before.text, "a\"\n");
    CHECK(!out.entries[0].after.is_there);
    CHECK(!out.entries[1].before.is_there);
    CHECK(out.entries[1].after.is_there);
    CHECK_STR(out.entries[1].path, "lib/x.lua");
    tr_buf_done(&text);
    tr_arena_done(&arena);
}

TEST(while_somebody_else_changes_the_app_nobody_does)
{
    struct folder folder;
    struct gen_run run;
    open_app(&folder);
    int fd = open(folder.path, O_RDONLY | O_DIRECTORY);
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0);
    edit(&run, &folder, "{\"path\":\"lib/a.lua\",\"text\":\"\"}");
    CHECK(run.status == TR_E_UNAVAILABLE);
    gen_done(&run);
    CHECK(close(fd) == 0);
    edit(&run, &folder, "{\"path\":\"lib/a.lua\",\"text\":\"\"}");
    CHECK_OK(run.status, &run.err);
    gen_done(&run);
    folder_close(&folder);
}

TEST(modes_stay_and_settings_are_for_their_owner)
{
    struct folder folder;
    struct gen_run run;
    struct stat about;
    char hash[65];
    open_app(&folder);
    CHECK(chmod(folder_path(&folder, "app.lua"), 0640) == 0);
    tr_gen_hash(TR_STR("-- one\n"), hash);
    edit(&run, &folder,
         "{\"path\":\"app.lua\",\"text\":\"x\",\"apply\":true,"
         "\"before_sha256\":\"%s\"}",
         hash);
    CHECK_OK(run.status, &run.err);
    gen_done(&run);
    CHECK(stat(folder_path(&folder, "app.lua"), &about) == 0);
    CHECK_INT(about.st_mode & 0777, 0640);
    edit(&run, &folder,
         "{\"path\":\"trails.toml\",\"text\":\"\",\"apply\":true}");
    CHECK_OK(run.status, &run.err);
    gen_done(&run);
    CHECK(stat(folder_path(&folder, "trails.toml"), &about) == 0);
    CHECK_INT(about.st_mode & 0777, 0600);
    folder_close(&folder);
}

TEST(a_link_on_the_way_or_at_the_end_is_never_followed)
{
    static const struct {
        const char *link;
        const char *path;
        const char *says;
    } rows[] = {
        {"app.lua", "app.lua", "link"},
        {"lib", "lib/x.lua", "link"},
        {"lib/tax", "lib/tax/x.lua", "link"},
        {"shapes/x.ttl", "shapes/x.ttl", "link"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        for (int apply = 0; apply < 2; apply++) {
            struct folder folder;
            struct folder outside;
            struct gen_run run;
            folder_open(&folder);
            folder_open(&outside);
            folder_write(&outside, "x.lua", "outside\n");
            CHECK(i == 1 || mkdir(folder_path(&folder, "lib"), 0777) == 0);
            CHECK(mkdir(folder_path(&folder, "shapes"), 0777) == 0);
            CHECK(symlink(i == 0 || i == 3 ? folder_path(&outside, "x.lua")
                                           : outside.path,
                          folder_path(&folder, rows[i].link)) == 0);
            edit(&run, &folder, "{\"path\":\"%s\",\"text\":\"in\"%s}",
                 rows[i].path, apply ? ",\"apply\":true" : "");
            CHECK_ROW(run.status == TR_E_VALIDATION, rows[i].path);
            CHECK_ROW(strstr(gen_message(&run), rows[i].says),
                      gen_message(&run));
            check_text(&outside, "x.lua", "outside\n");
            gen_done(&run);
            folder_close(&folder);
            folder_close(&outside);
        }
    }
}

TEST(what_is_no_plain_file_is_not_read)
{
    struct folder folder;
    struct gen_run run;
    folder_open(&folder);
    CHECK(mkfifo(folder_path(&folder, "app.lua"), 0600) == 0);
    edit(&run, &folder, "{\"path\":\"app.lua\",\"text\":\"\"}");
    CHECK(strstr(gen_message(&run), "no plain file"));
    gen_done(&run);
    CHECK(mkdir(folder_path(&folder, "README.md"), 0700) == 0);
    edit(&run, &folder, "{\"path\":\"README.md\",\"text\":\"\"}");
    CHECK(run.status == TR_E_VALIDATION);
    CHECK(strstr(gen_message(&run), "no plain file"));
    gen_done(&run);
    folder_close(&folder);
}

TEST(two_names_that_differ_in_case_alone_are_refused)
{
    static const struct {
        const char *there;
        const char *path;
    } rows[] = {
        {"lib/Money.lua", "lib/money.lua"},
        {"lib/money.lua", "lib/MONEY.lua"},
        {"APP.LUA", "app.lua"},
        {"Shapes/", "shapes/x.ttl"},
        {"lib/Tax/", "lib/tax/x.lua"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct folder folder;
        struct gen_run run;
        folder_open(&folder);
        CHECK(mkdir(folder_path(&folder, "lib"), 0777) == 0);
        const char *there = rows[i].there;
        if (there[strlen(there) - 1] == '/')
            CHECK(mkdir(folder_path(&folder, there), 0777) == 0);
        else
            folder_write(&folder, there, "x");
        edit(&run, &folder, "{\"path\":\"%s\",\"text\":\"\",\"apply\":true}",
             rows[i].path);
        CHECK_ROW(run.status == TR_E_VALIDATION, rows[i].path);
        CHECK_ROW(strstr(gen_message(&run), "case alone"), gen_message(&run));
        check_text(&folder, rows[i].path, NULL);
        gen_done(&run);
        folder_close(&folder);
    }
}

/* There and back: each run finds what the one before has left. */
static tr_status apply_some(void *context, struct tr_err *err)
{
    const struct folder *folder = context;
    struct tr_gen_tree tree = {.fd = -1};
    struct tr_gen_diff diffs[] = {
        {.path = TR_STR("app.lua"),
         .change = TR_GEN_MODIFY,
         .after = TR_STR("-- one\n")},
        {.path = TR_STR("lib/new.lua"),
         .change = TR_GEN_CREATE,
         .after = TR_STR("return 1\n")},
    };
    folder_write(folder, "app.lua", "-- zero\n");
    (void)unlink(folder_path(folder, "lib/new.lua"));
    tr_gen_hash(TR_STR("-- zero\n"), diffs[0].before_sha256);
    TR_TRY(tr_gen_tree_open(folder->path, &tree, err));
    tr_status status = tr_gen_end_intent(&tree, err);
    if (status == TR_OK)
        status = tr_gen_apply(&tree, diffs, TR_LEN(diffs), err);
    tr_gen_tree_close(&tree);
    bool is_done = gen_text(folder->path, "lib/new.lua") != NULL;
    check_text(folder, "app.lua", is_done ? "-- one\n" : "-- zero\n");
    CHECK(is_done == (status == TR_OK));
    check_text(folder, TR_GEN_INTENT, NULL);
    return status;
}

TEST(applying_survives_every_failing_allocation)
{
    struct folder folder;
    folder_open(&folder);
    tr_test_sweep(apply_some, &folder);
    folder_close(&folder);
}
