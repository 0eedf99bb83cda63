#include "install/wish.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "install/editor.h"

#include <sys/stat.h>
#include <unistd.h>

static const struct tr_install_form form = {
    .servers = TR_STR_INIT("mcpServers"), .host = "Cursor"};

static const struct tr_install_wish wish = {
    .name = TR_STR_INIT("trails-a"), .command = "/bin/t", .folder = "/apps/a"};

/* The entry "trails-a" of a text, or NULL. */
static const struct tr_install_found *found_in(struct tr_arena *arena,
                                               const char *text)
{
    const struct tr_json *root = NULL;
    struct tr_install_list list;
    struct tr_err err;
    CHECK_OK(tr_install_read(arena, &form, tr_str_from(text), &root, &err),
             &err);
    CHECK_OK(tr_install_entries(arena, &form, root, &list, &err), &err);
    return tr_install_entry_find(&list, TR_STR("trails-a"));
}

static const struct {
    const char *row;
    const char *entry;
    const char *folder;
    bool is_plain;
} entries[] = {
    {"as we write it",
     "{\"command\": \"t\", \"args\": [\"serve\", \"/a\", \"--stdio\"]}", "/a",
     true},
    {"options first",
     "{\"command\": \"t\", \"args\": [\"serve\", \"--stdio\", "
     "\"--token-file\", "
     "\"/t\", \"/a\"]}",
     "/a", true},
    {"as others have written it",
     "{\"command\": \"t\", \"args\": [\"server\", \"--transport\", \"stdio\"], "
     "\"cwd\": \"/a\"}",
     "/a", false},
    {"with more",
     "{\"command\": \"t\", \"args\": [\"serve\", \"/a\"], \"x\": 1}", "/a",
     false},
    {"another program", "{\"command\": \"npx\", \"args\": [\"x\", \"/a\"]}", "",
     true},
    {"no arguments", "{\"command\": \"t\"}", "", false},
    {"arguments of another kind", "{\"command\": \"t\", \"args\": [1, \"/a\"]}",
     "", false},
    {"arguments that are none", "{\"command\": \"t\", \"args\": \"serve\"}", "",
     false},
    {"over HTTP", "{\"url\": \"http://127.0.0.1/mcp\"}", "", false},
    {"no object", "7", "", false},
};

TEST(entries_say_which_folder_they_serve)
{
    for (size_t i = 0; i < TR_LEN(entries); i++) {
        struct tr_arena arena;
        char text[512];
        tr_arena_init(&arena, TR_MIB(1));
        (void)snprintf(text, sizeof(text),
                       "{\"mcpServers\": {\"a\": {}, \"trails-a\": %s}}",
                       entries[i].entry);
        const struct tr_install_found *found = found_in(&arena, text);
        CHECK_ROW(found &&
                      tr_str_eq(found->folder, tr_str_from(entries[i].folder)),
                  entries[i].row);
        CHECK_ROW(found && found->is_plain == entries[i].is_plain,
                  entries[i].row);
        tr_arena_done(&arena);
    }
}

TEST(entries_of_others_are_not_ours)
{
    static const char *const texts[] = {
        "{}", "{\"mcpServers\": []}", "{\"mcpServers\": {\"Trails-a\": {}}}",
        "{\"servers\": {\"trails-a\": {}}}", ""};
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        struct tr_arena arena;
        tr_arena_init(&arena, TR_MIB(1));
        CHECK_ROW(!found_in(&arena, texts[i]), texts[i]);
        tr_arena_done(&arena);
    }
}

static void put_args(struct tr_buf *out, const struct tr_install_entry *entry)
{
    for (size_t i = 0; i < entry->arg_count; i++)
        tr_buf_putf(out, "%s%.*s", i ? " " : "", TR_FMT(entry->args[i]));
}

/* What becomes of an entry that is there, by what is wished for. */
static const struct {
    const char *entry;
    const char *token_file;
    const char *args;
} kept[] = {
    {NULL, NULL, "serve /apps/a --stdio"},
    {NULL, "/t", "serve /apps/a --stdio --token-file /t"},
    {"\"args\": [\"serve\", \"--stdio\", \"/apps/a\"]", NULL,
     "serve --stdio /apps/a"},
    {"\"args\": [\"serve\", \"/apps/a\", \"--token-file\", \"/t\"]", NULL,
     "serve /apps/a --token-file /t"},
    {"\"args\": [\"serve\", \"/apps/a\", \"--token-file\", \"/t\"]", "/u",
     "serve /apps/a --stdio --token-file /u"},
    {"\"args\": [\"server\", \"--transport\", \"stdio\"], \"cwd\": \"/apps/a\"",
     NULL, "serve /apps/a --stdio"},
};

TEST(a_wish_keeps_the_arguments_that_serve_the_same_folder)
{
    for (size_t i = 0; i < TR_LEN(kept); i++) {
        struct tr_install_wish asked = wish;
        struct tr_install_entry entry;
        struct tr_arena arena;
        struct tr_buf out;
        struct tr_err err;
        char text[512] = "{}";
        tr_arena_init(&arena, TR_MIB(1));
        tr_buf_init(&out, TR_KIB(4));
        asked.token_file = kept[i].token_file;
        if (kept[i].entry)
            (void)snprintf(text, sizeof(text),
                           "{\"mcpServers\": {\"trails-a\": {\"command\": "
                           "\"/old\", %s}}}",
                           kept[i].entry);
        CHECK_OK(tr_install_wish_entry(&arena, &asked, found_in(&arena, text),
                                       &entry, &err),
                 &err);
        put_args(&out, &entry);
        CHECK_STR(tr_buf_str(&out), kept[i].args);
        CHECK_STR(entry.command, "/bin/t");
        CHECK_STR(entry.name, "trails-a");
        tr_buf_done(&out);
        tr_arena_done(&arena);
    }
}

TEST(a_wish_does_not_take_a_name_that_is_anothers)
{
    static const struct {
        const char *entry;
        const char *msg;
    } rows[] = {
        {"{\"command\": \"t\", \"args\": [\"serve\", \"/apps/b\"]}",
         "trails-a is there already, for the app in /apps/b"},
        {"{\"url\": \"http://x\"}",
         "trails-a is there already, and serves no app's folder"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_install_wish any = wish;
        struct tr_install_entry entry;
        struct tr_arena arena;
        struct tr_err err;
        char text[512];
        tr_arena_init(&arena, TR_MIB(1));
        (void)snprintf(text, sizeof(text),
                       "{\"mcpServers\": {\"trails-a\": %s}}", rows[i].entry);
        const struct tr_install_found *found = found_in(&arena, text);
        CHECK_INT(tr_install_wish_entry(&arena, &wish, found, &entry, &err),
                  TR_E_CONFLICT);
        CHECK_STR(tr_str_from(err.msg), rows[i].msg);
        CHECK_INT(tr_install_wish_check(&wish, found, &err), TR_E_CONFLICT);
        any.folder = NULL;
        CHECK_OK(tr_install_wish_check(&any, found, &err), &err);
        tr_arena_done(&arena);
    }
}

TEST(a_wish_knows_a_folder_by_another_path)
{
    struct tr_install_wish asked = wish;
    struct tr_arena arena;
    struct tr_err err;
    char folder[] = "/tmp/trails-wish-test-XXXXXX";
    char link[64];
    char text[256];
    CHECK(mkdtemp(folder) != NULL);
    (void)snprintf(link, sizeof(link), "%s-link", folder);
    CHECK(symlink(folder, link) == 0);
    (void)snprintf(text, sizeof(text),
                   "{\"mcpServers\": {\"trails-a\": {\"command\": \"t\", "
                   "\"args\": [\"serve\", \"%s\"]}}}",
                   link);
    tr_arena_init(&arena, TR_MIB(1));
    asked.folder = folder;
    CHECK_OK(tr_install_wish_check(&asked, found_in(&arena, text), &err), &err);
    tr_arena_done(&arena);
    CHECK(unlink(link) == 0 && rmdir(folder) == 0);
}

TEST(a_wish_refuses_paths_that_the_file_cannot_say)
{
    static const struct {
        const char *command;
        const char *folder;
        const char *token_file;
        const char *msg;
    } rows[] = {
        {"/\xFF", "/a", NULL,
         "the path of the program is not UTF-8, which the file has to be"},
        {"/t", "/\xFF", NULL,
         "the path of the app is not UTF-8, which the file has to be"},
        {"/t", "/a", "/\xFF",
         "the path of the token's file is not UTF-8, which the file has to be"},
        {"/t", "/${HOME}", NULL,
         "the path of the app has '${', which would begin a variable there: "
         "/${HOME}"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_install_wish asked = {.name = wish.name,
                                        .command = rows[i].command,
                                        .folder = rows[i].folder,
                                        .token_file = rows[i].token_file,
                                        .variable = "${"};
        struct tr_install_entry entry;
        struct tr_arena arena;
        struct tr_err err;
        tr_arena_init(&arena, TR_MIB(1));
        CHECK_INT(tr_install_wish_entry(&arena, &asked, NULL, &entry, &err),
                  TR_E_INVALID);
        CHECK_STR(tr_str_from(err.msg), rows[i].msg);
        asked.variable = NULL;
        if (i == 3)
            CHECK_OK(tr_install_wish_entry(&arena, &asked, NULL, &entry, &err),
                     &err);
        tr_arena_done(&arena);
    }
}
