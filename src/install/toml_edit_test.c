/* What the editor makes of a TOML file, to the byte. */
#include "base/limits.h"
#include "base/test.h"
#include "install/editor.h"

static const tr_str args[] = {TR_STR_INIT("serve"), TR_STR_INIT("/apps/a"),
                              TR_STR_INIT("--stdio")};

static const struct tr_install_entry entry = {
    .name = TR_STR_INIT("trails-a"),
    .command = TR_STR_INIT("/bin/trails"),
    .args = args,
    .arg_count = TR_LEN(args),
};

static const struct tr_install_form form = {
    .servers = TR_STR_INIT("mcp_servers"), .host = "Codex", .is_toml = true};

#define ENTRY                                                                  \
    "[mcp_servers.trails-a]\ncommand = \"/bin/trails\"\n"                      \
    "args = [\"serve\", \"/apps/a\", \"--stdio\"]\n"

struct row {
    const char *row;
    const char *before;
    const char *after;
};

/* Taking the entry out gives back what was there before. */
static const struct row kept[] = {
    {"an empty file", "", ENTRY},
    {"a setting", "model = \"x\" # mine\n", "model = \"x\" # mine\n\n" ENTRY},
    {"another server",
     "[mcp_servers.x]\ncommand = \"y\"\n\n[mcp_servers.x.env]\nA = \"b\"\n",
     "[mcp_servers.x]\ncommand = \"y\"\n\n[mcp_servers.x.env]\nA = "
     "\"b\"\n\n" ENTRY},
    {"a comment at the end", "a = 1\n# [mcp_servers.trails-a]\n",
     "a = 1\n# [mcp_servers.trails-a]\n\n" ENTRY},
    {"texts that look like tables",
     "a = \"\"\"\n[mcp_servers.trails-a]\n\"\"\"\"\nb = '''\n[x]'''\nc = [\n"
     "  [1], # ]\n  [\"]\", ']'],\n]\nd = { e = \"}\", f = [{}] }\n",
     "a = \"\"\"\n[mcp_servers.trails-a]\n\"\"\"\"\nb = '''\n[x]'''\nc = [\n"
     "  [1], # ]\n  [\"]\", ']'],\n]\nd = { e = \"}\", f = [{}] }\n\n" ENTRY},
    {"ends of Windows and a mark",
     "\xEF\xBB\xBF"
     "a = 1\r\n",
     "\xEF\xBB\xBF"
     "a = 1\r\n\r\n[mcp_servers.trails-a]\r\ncommand = "
     "\"/bin/trails\"\r\nargs = [\"serve\", \"/apps/a\", \"--stdio\"]\r\n"},
    {"keys with dots", "mcp_servers.x.command = \"y\"\n",
     "mcp_servers.x.command = \"y\"\n\n" ENTRY},
    {"a table of all", "[mcp_servers]\nx = { command = \"y\" }\n",
     "[mcp_servers]\nx = { command = \"y\" }\n\n" ENTRY},
    {"an array of tables", "[[a]]\nb = 1\n[[a]]\n",
     "[[a]]\nb = 1\n[[a]]\n\n" ENTRY},
};

/* These leave a line end behind (but see plan_test.c). */
static const struct row ended[] = {
    {"no line end at the end", "a = 1", "a = 1\n\n" ENTRY},
    {"an empty line at the end", "a = 1\n\n", "a = 1\n\n" ENTRY},
};

static const struct row mended[] = {
    {"another command, and what is not ours",
     "[ \"mcp_servers\" . 'trails-a' ] # note\ncommand = '/old' # old\n"
     "startup_timeout_sec = 20\nargs = [\n  \"serve\", # x\n]\n\n[z]\n",
     "[ \"mcp_servers\" . 'trails-a' ] # note\ncommand = \"/bin/trails\" # "
     "old\nstartup_timeout_sec = 20\nargs = [\"serve\", \"/apps/a\", "
     "\"--stdio\"]\n\n[z]\n"},
    {"nothing in it", "[mcp_servers.trails-a]",
     "[mcp_servers.trails-a]\nargs = [\"serve\", \"/apps/a\", \"--stdio\"]\n"
     "command = \"/bin/trails\"\n"},
    {"nothing but what stands in it",
     "[mcp_servers.trails-a.tools.greet]\napproval_mode = \"approve\"\n",
     "[mcp_servers.trails-a.tools.greet]\napproval_mode = "
     "\"approve\"\n\n" ENTRY},
};

static void check_put(const struct row *row, bool gives_back)
{
    struct tr_arena arena;
    struct tr_err err;
    tr_str put;
    tr_str again;
    tr_str out;
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_OK(tr_install_put(&arena, &form, tr_str_from(row->before), &entry,
                            &put, &err),
             &err);
    if (!tr_str_eq(put, tr_str_from(row->after)))
        (void)fprintf(stderr, "%s:\n%.*s\n", row->row, TR_FMT(put));
    CHECK_STR(put, row->after);
    CHECK_OK(tr_install_put(&arena, &form, put, &entry, &again, &err), &err);
    CHECK_ROW(again.ptr == put.ptr, row->row);
    CHECK_OK(tr_install_remove(&arena, &form, put, entry.name, &out, &err),
             &err);
    CHECK_ROW(!gives_back || tr_str_eq(out, tr_str_from(row->before)),
              row->row);
    tr_arena_done(&arena);
}

TEST(toml_edit_changes_nothing_but_the_entry)
{
    for (size_t i = 0; i < TR_LEN(kept); i++)
        check_put(&kept[i], true);
    for (size_t i = 0; i < TR_LEN(ended); i++)
        check_put(&ended[i], false);
}

TEST(toml_edit_mends_an_entry_and_leaves_what_it_has_beside)
{
    for (size_t i = 0; i < TR_LEN(mended); i++)
        check_put(&mended[i], false);
}

static const struct row taken_out[] = {
    {"with the tables in it, and not what is said of others",
     "# a\n[a]\n\n# ours\n[mcp_servers.trails-a]\ncommand = \"x\"\n# last\n\n"
     "[mcp_servers.trails-a.env]\nA = \"b\"\n\n"
     "[[mcp_servers.trails-a.many]]\n\n# z\n[z]\n"
     "[mcp_servers.trails-a.tools.x]\ny = 1 # y\n",
     "# a\n[a]\n\n# ours\n# last\n\n# z\n[z]\n"},
    {"ends of Windows", "[a]\r\n\r\n[mcp_servers.trails-a]\r\nb = 1\r\n",
     "[a]\r\n"},
    {"another of nearly that name",
     "[mcp_servers.trails-ab]\n[mcp_servers.trails-a]\n[x.trails-a]\n",
     "[mcp_servers.trails-ab]\n[x.trails-a]\n"},
    {"not there", "[mcp_servers.x]\n", "[mcp_servers.x]\n"},
};

TEST(toml_edit_takes_an_entry_out)
{
    for (size_t i = 0; i < TR_LEN(taken_out); i++) {
        struct tr_arena arena;
        struct tr_err err;
        tr_str out;
        tr_arena_init(&arena, TR_MIB(4));
        CHECK_OK(tr_install_remove(&arena, &form,
                                   tr_str_from(taken_out[i].before), entry.name,
                                   &out, &err),
                 &err);
        if (!tr_str_eq(out, tr_str_from(taken_out[i].after)))
            (void)fprintf(stderr, "%s:\n%.*s\n", taken_out[i].row, TR_FMT(out));
        CHECK_STR(out, taken_out[i].after);
        tr_arena_done(&arena);
    }
}

static const struct {
    const char *text;
    unsigned line;
    unsigned column;
    tr_status status;
} refused[] = {
    {"a = \n", 1, 5, TR_E_SYNTAX},
    {"[a]\nb = 1\nb = 2\n", 3, 1, TR_E_SYNTAX},
    {"[a\n", 1, 3, TR_E_SYNTAX},
    {"a = 1\nmcp_servers = { x = { command = \"y\" } }\n", 2, 1,
     TR_E_UNSUPPORTED},
    {"[mcp_servers]\nx = {}\n\"trails-a\" = { command = \"y\" }\n", 3, 1,
     TR_E_UNSUPPORTED},
    {"[mcp_servers]\ntrails-a.command = \"y\"\n", 2, 1, TR_E_UNSUPPORTED},
    {"mcp_servers.trails-a.command = \"y\"\n", 1, 1, TR_E_UNSUPPORTED},
    {"a = 1\n[[mcp_servers]]\nx = 1\n", 2, 1, TR_E_INVALID},
    {"a = 1\nmcp_servers = 1\n", 2, 1, TR_E_INVALID},
    {"[mcp_servers]\ntrails-a = 1\n", 2, 1, TR_E_UNSUPPORTED},
};

TEST(toml_edit_refuses_with_a_place_what_it_does_not_change)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct tr_arena arena;
        struct tr_err err = {0};
        tr_str out;
        tr_arena_init(&arena, TR_MIB(4));
        CHECK_ROW(tr_install_put(&arena, &form, tr_str_from(refused[i].text),
                                 &entry, &out, &err) == refused[i].status,
                  refused[i].text);
        CHECK_INT(err.place.line, refused[i].line);
        CHECK_INT(err.place.column, refused[i].column);
        if (refused[i].status == TR_E_INVALID)
            CHECK_STR(tr_str_from(err.msg), "mcp_servers is not a table");
        if (refused[i].status == TR_E_UNSUPPORTED)
            CHECK_STR(tr_str_from(err.msg),
                      "write this as a table, [mcp_servers.trails-a]: an entry "
                      "in another value is not changed");
        tr_arena_done(&arena);
    }
}

TEST(toml_edit_refuses_to_take_out_what_stands_in_a_value)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_str out;
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_INT(
        tr_install_remove(&arena, &form,
                          TR_STR("mcp_servers = { \"trails-a\" = { a = 1 } }"),
                          entry.name, &out, &err),
        TR_E_UNSUPPORTED);
    CHECK_INT(err.place.line, 1);
    tr_arena_done(&arena);
}

static tr_status put_and_take_out(void *context, struct tr_err *err)
{
    const struct row *row = context;
    struct tr_arena arena;
    tr_str out;
    tr_arena_init(&arena, TR_MIB(4));
    tr_status status = tr_install_put(&arena, &form, tr_str_from(row->before),
                                      &entry, &out, err);
    if (status == TR_OK)
        status = tr_install_remove(&arena, &form, out, entry.name, &out, err);
    tr_arena_done(&arena);
    return status;
}

TEST(toml_edit_tells_when_there_is_no_memory)
{
    struct row row = kept[2];
    tr_test_sweep(put_and_take_out, &row);
    row = mended[0];
    tr_test_sweep(put_and_take_out, &row);
}
