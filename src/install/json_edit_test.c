/* What the editor makes of a JSON file, to the byte. */
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

static const struct tr_install_form strict = {
    .servers = TR_STR_INIT("mcpServers"),
    .host = "Claude Desktop",
    .refuses = TR_INSTALL_NO_COMMENTS | TR_INSTALL_NO_LAST_COMMA};
static const struct tr_install_form unmarked = {.servers =
                                                    TR_STR_INIT("mcpServers"),
                                                .host = "Gemini CLI",
                                                .refuses = TR_INSTALL_NO_MARK};
static const struct tr_install_form loose = {
    .servers = TR_STR_INIT("mcpServers"), .host = "Cursor"};
static const struct tr_install_form typed = {
    .servers = TR_STR_INIT("servers"), .host = "VS Code", .has_type = true};

#define ENTRY(indent)                                                          \
    "\"trails-a\": {\n" indent "  \"command\": \"/bin/trails\",\n" indent      \
    "  \"args\": [\"serve\", \"/apps/a\", \"--stdio\"]\n" indent "}"

struct row {
    const char *row;
    const char *before;
    const char *after;
};

/* Taking the entry out gives back what was there before. */
static const struct row kept[] = {
    {"another server", "{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    \"x\": {},\n    " ENTRY("    ") "\n  }\n}\n"},
    {"other keys around it",
     "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {}\n  },\n  \"b\": 2\n}",
     "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {},\n    " ENTRY(
         "    ") "\n  },\n  \"b\": 2\n}"},
    {"four spaces", "{\n    \"mcpServers\": {\n        \"x\": {}\n    }\n}\n",
     "{\n    \"mcpServers\": {\n        \"x\": {},\n        \"trails-a\": {\n"
     "            \"command\": \"/bin/trails\",\n"
     "            \"args\": [\"serve\", \"/apps/a\", \"--stdio\"]\n        }\n"
     "    }\n}\n"},
    {"tabs", "{\n\t\"mcpServers\": {\n\t\t\"x\": {}\n\t}\n}\n",
     "{\n\t\"mcpServers\": {\n\t\t\"x\": {},\n\t\t\"trails-a\": {\n"
     "\t\t\t\"command\": \"/bin/trails\",\n"
     "\t\t\t\"args\": [\"serve\", \"/apps/a\", \"--stdio\"]\n\t\t}\n\t}\n}\n"},
    {"ends of Windows and a mark",
     "\xEF\xBB\xBF{\r\n  \"mcpServers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n",
     "\xEF\xBB\xBF{\r\n  \"mcpServers\": {\r\n    \"x\": {},\r\n"
     "    \"trails-a\": {\r\n      \"command\": \"/bin/trails\",\r\n"
     "      \"args\": [\"serve\", \"/apps/a\", \"--stdio\"]\r\n    }\r\n"
     "  }\r\n}\r\n"},
    {"all on one line",
     "{\"mcpServers\":{\"x\":{\"command\":\"y\"}},\"b\":[1]}",
     "{\"mcpServers\":{\"x\":{\"command\":\"y\"},\"trails-a\":{\"command\":"
     "\"/bin/trails\",\"args\":[\"serve\",\"/apps/a\",\"--stdio\"]}},"
     "\"b\":[1]}"},
    {"one line, with spaces", "{\"mcpServers\": {\"x\": {}}}",
     "{\"mcpServers\": {\"x\": {}, \"trails-a\": {\"command\": "
     "\"/bin/trails\", \"args\": [\"serve\", \"/apps/a\", \"--stdio\"]}}}"},
    {"servers on one line of several", "{\n  \"mcpServers\": {\"x\": {}}\n}\n",
     "{\n  \"mcpServers\": {\"x\": {}, \"trails-a\": {\"command\": "
     "\"/bin/trails\", \"args\": [\"serve\", \"/apps/a\", \"--stdio\"]}}\n}\n"},
    {"none yet, on one line", "{\"mcpServers\":{}}",
     "{\"mcpServers\":{\"trails-a\":{\"command\":\"/bin/trails\",\"args\":"
     "[\"serve\",\"/apps/a\",\"--stdio\"]}}}"},
    {"none yet", "{\n  \"mcpServers\": {}\n}\n",
     "{\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  }\n}\n"},
    {"none yet, and more behind", "{\n  \"mcpServers\": {},\n  \"b\": 1\n}\n",
     "{\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  },\n  \"b\": 1\n}\n"},
    {"braces on lines of their own",
     "{\n  \"mcpServers\":\n  {\n    \"x\":\n    {\n    }\n  }\n}\n",
     "{\n  \"mcpServers\":\n  {\n    \"x\":\n    {\n    },\n    " ENTRY(
         "    ") "\n  }\n}\n"},
    {"a key with escapes, and values of all kinds",
     "{\n  \"mcp\\u0053ervers\": {\n    \"x\": {\"a\": [true, null, -1e3, "
     "\"}{\\\"\"]}\n  }\n}\n",
     "{\n  \"mcp\\u0053ervers\": {\n    \"x\": {\"a\": [true, null, -1e3, "
     "\"}{\\\"\"]},\n    " ENTRY("    ") "\n  }\n}\n"},
    {"half of a letter, as JavaScript writes it",
     "{\n  \"h\": \"\\ud83d\",\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}",
     "{\n  \"h\": \"\\ud83d\",\n  \"mcpServers\": {\n    \"x\": {},\n   "
     " " ENTRY("    ") "\n  }\n}"},
};

static const struct row commented[] = {
    {"a comma after the last",
     "{\n  \"mcpServers\": {\n    \"x\": {},\n  },\n}\n",
     "{\n  \"mcpServers\": {\n    \"x\": {},\n    " ENTRY(
         "    ") ",\n  },\n}\n"},
    {"a note on the last",
     "{\n  \"mcpServers\": {\n    \"x\": {} // mine\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    \"x\": {}, // mine\n    " ENTRY(
         "    ") "\n  }\n}\n"},
    {"a note behind the last comma",
     "{\n  \"mcpServers\": {\n    \"x\": {}, /* it's\n mine */ // \"\n  }\n}",
     "{\n  \"mcpServers\": {\n    \"x\": {}, /* it's\n mine */ // \"\n   "
     " " ENTRY("    ") ",\n  }\n}"},
    {"a server that is commented out",
     "{\n  // \"mcpServers\": {\n  \"mcpServers\": {\n    \"x\": {}\n"
     "    // \"y\": {}\n  }\n}\n",
     "{\n  // \"mcpServers\": {\n  \"mcpServers\": {\n    \"x\": {},\n   "
     " " ENTRY("    ") "\n    // \"y\": {}\n  }\n}\n"},
    {"nothing but a comment in it",
     "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    // none yet\n    " ENTRY(
         "    ") "\n  }\n}\n"},
    {"a comment on one line", "{\"mcpServers\": {/* none */}}",
     "{\"mcpServers\": {/* none */ \"trails-a\": {\"command\": "
     "\"/bin/trails\", "
     "\"args\": [\"serve\", \"/apps/a\", \"--stdio\"]}}}"},
    {"a comment with letters that are several bytes",
     "{ /* \xC3\xA4\xE2\x82\xAC */\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}",
     "{ /* \xC3\xA4\xE2\x82\xAC */\n  \"mcpServers\": {\n    \"x\": {},\n"
     "    " ENTRY("    ") "\n  }\n}"},
    {"lines that end in both ways",
     "{\n  \"mcpServers\": {\n    \"x\": {} // y\r\n  }\n}",
     "{\n  \"mcpServers\": {\n    \"x\": {}, // y\r\n    \"trails-a\": {\r\n"
     "      \"command\": \"/bin/trails\",\r\n"
     "      \"args\": [\"serve\", \"/apps/a\", \"--stdio\"]\r\n    }\r\n"
     "  }\n}"},
    {"a link, which is no comment",
     "{\n  \"mcpServers\": {\n    \"x\": {\"url\": \"http://a//b/*\"}\n  }\n}",
     "{\n  \"mcpServers\": {\n    \"x\": {\"url\": \"http://a//b/*\"},\n"
     "    " ENTRY("    ") "\n  }\n}"},
};

/* The key of all servers comes with the first one: taking this one out leaves
 * it there, empty (but see plan_test.c). */
static const struct row added[] = {
    {"an empty file", "",
     "{\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  }\n}\n"},
    {"an empty object", "{}",
     "{\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  }\n}"},
    {"an empty object on two lines", "{\n}\n",
     "{\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  }\n}\n"},
    {"other settings", "{\n  \"theme\": \"dark\"\n}\n",
     "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    " ENTRY(
         "    ") "\n  }\n}\n"},
    {"other settings on one line", "{\"theme\":\"dark\"}",
     "{\"theme\":\"dark\",\"mcpServers\":{\"trails-a\":{\"command\":"
     "\"/bin/trails\",\"args\":[\"serve\",\"/apps/a\",\"--stdio\"]}}}"},
    {"a mark alone", "\xEF\xBB\xBF",
     "\xEF\xBB\xBF{\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  }\n}\n"},
};

static const struct row commented_added[] = {
    {"a comment alone", "// mine",
     "// mine\n{\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  }\n}\n"},
    {"a comment in an empty object", "{\n  // mine\n}\n",
     "{\n  // mine\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  }\n}\n"},
};

static void check_put(const struct row *row, const struct tr_install_form *form,
                      bool gives_back)
{
    struct tr_arena arena;
    struct tr_err err;
    tr_str put;
    tr_str again;
    tr_str out;
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_OK(tr_install_put(&arena, form, tr_str_from(row->before), &entry,
                            &put, &err),
             &err);
    if (!tr_str_eq(put, tr_str_from(row->after)))
        (void)fprintf(stderr, "%s:\n%.*s\n", row->row, TR_FMT(put));
    CHECK_STR(put, row->after);
    CHECK_OK(tr_install_put(&arena, form, put, &entry, &again, &err), &err);
    CHECK_ROW(again.ptr == put.ptr, row->row);
    CHECK_OK(tr_install_remove(&arena, form, put, entry.name, &out, &err),
             &err);
    CHECK_ROW(!gives_back || tr_str_eq(out, tr_str_from(row->before)),
              row->row);
    tr_arena_done(&arena);
}

TEST(json_edit_changes_nothing_but_the_entry)
{
    for (size_t i = 0; i < TR_LEN(kept); i++) {
        check_put(&kept[i], &strict, true);
        check_put(&kept[i], &loose, true);
    }
    for (size_t i = 0; i < TR_LEN(commented); i++)
        check_put(&commented[i], &loose, true);
}

TEST(json_edit_makes_the_key_of_all_servers_where_it_is_missing)
{
    for (size_t i = 0; i < TR_LEN(added); i++)
        check_put(&added[i], &strict, false);
    for (size_t i = 0; i < TR_LEN(commented_added); i++)
        check_put(&commented_added[i], &loose, false);
}

TEST(json_edit_says_the_type_where_a_host_wants_it)
{
    static const struct row row = {
        "VS Code", "{\n\t\"servers\": {\n\t}\n}\n",
        "{\n\t\"servers\": {\n\t\t\"trails-a\": {\n\t\t\t\"type\": "
        "\"stdio\",\n\t\t\t\"command\": \"/bin/trails\",\n\t\t\t\"args\": "
        "[\"serve\", \"/apps/a\", \"--stdio\"]\n\t\t}\n\t}\n}\n"};
    check_put(&row, &typed, false);
}

/* An entry that is there: what it has beside ours stays. */
static const struct row mended[] = {
    {"another command",
     "{\"mcpServers\": {\"trails-a\": {\"command\": \"/old\", \"args\": "
     "[\"serve\", \"/apps/a\", \"--stdio\"], \"env\": {\"A\": \"b\"}}}}",
     "{\"mcpServers\": {\"trails-a\": {\"command\": \"/bin/trails\", \"args\": "
     "[\"serve\", \"/apps/a\", \"--stdio\"], \"env\": {\"A\": \"b\"}}}}"},
    {"another command and other arguments, with notes",
     "{\n  \"mcpServers\": {\n    \"trails-a\": {\n      // note\n"
     "      \"args\": [], // none\n      \"trust\": true,\n"
     "      \"command\": 1\n    }\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    \"trails-a\": {\n      // note\n"
     "      \"args\": [\"serve\", \"/apps/a\", \"--stdio\"], // none\n"
     "      \"trust\": true,\n      \"command\": \"/bin/trails\"\n    }\n"
     "  }\n}\n"},
    {"nothing in it", "{\n  \"mcpServers\": {\n    \"trails-a\": {}\n  }\n}\n",
     "{\n  \"mcpServers\": {\n    " ENTRY("    ") "\n  }\n}\n"},
};

TEST(json_edit_mends_an_entry_and_leaves_what_it_has_beside)
{
    for (size_t i = 0; i < TR_LEN(mended); i++)
        check_put(&mended[i], &loose, false);
}

/* Several at once, the one in the middle taken out, comments on all sides. */
static const struct row taken_out[] = {
    {"the first", "{\"mcpServers\": {\"trails-a\": {}, \"x\": 1}}",
     "{\"mcpServers\": {\"x\": 1}}"},
    {"the last", "{\"mcpServers\": {\"x\": 1, \"trails-a\": {}}}",
     "{\"mcpServers\": {\"x\": 1}}"},
    {"between", "{\"mcpServers\": {\"x\": 1, \"trails-a\": {} , \"y\": 2}}",
     "{\"mcpServers\": {\"x\": 1, \"y\": 2}}"},
    {"the only one", "{\"mcpServers\": {\n  \"trails-a\": {}\n}}",
     "{\"mcpServers\": {}}"},
    {"not an object", "{\"mcpServers\": {\"trails-a\": null}}",
     "{\"mcpServers\": {}}"},
    {"a comma behind it",
     "{\"mcpServers\": {\n  \"x\": 1,\n  \"trails-a\": {},\n}}",
     "{\"mcpServers\": {\n  \"x\": 1,\n}}"},
    {"notes before and behind it",
     "{\"mcpServers\": {\n  \"x\": 1, // x\n  // ours\n  \"trails-a\": {} // "
     "a\n}}",
     "{\"mcpServers\": {\n  \"x\": 1 // x\n  // ours\n  // a\n}}"},
    {"an end on the same line",
     "{\"mcpServers\": {\n  \"x\": 1,\n  \"trails-a\": {} }}",
     "{\"mcpServers\": {\n  \"x\": 1 }}"},
    {"a line that goes on",
     "{\"mcpServers\": {\n  \"x\": 1, // x\n  \"trails-a\": {}, \"y\": 2\n}}",
     "{\"mcpServers\": {\n  \"x\": 1, // x\n  \"y\": 2\n}}"},
    {"a note between it and its comma",
     "{\"mcpServers\": {\n  \"trails-a\": {} /* a */,\n  \"y\": 2\n}}",
     "{\"mcpServers\": { /* a */\n  \"y\": 2\n}}"},
    {"not there", "{\"mcpServers\": {\"x\": 1}}",
     "{\"mcpServers\": {\"x\": 1}}"},
    {"no servers", "{}", "{}"},
    {"nothing at all", " \n", " \n"},
};

TEST(json_edit_takes_an_entry_out)
{
    for (size_t i = 0; i < TR_LEN(taken_out); i++) {
        struct tr_arena arena;
        struct tr_err err;
        tr_str out;
        tr_arena_init(&arena, TR_MIB(4));
        CHECK_OK(tr_install_remove(&arena, &loose,
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
    const char *msg;
    unsigned line;
    unsigned column;
    tr_status status;
    bool strict; /* only where comments are not taken */
} refused[] = {
    {"{\"a\": }", "expected a value", 1, 7, TR_E_SYNTAX, false},
    {"{\n  \"a\": 1\n  \"b\": 2\n}", NULL, 3, 3, TR_E_SYNTAX, false},
    {"{\"a\": 1,,}", NULL, 1, 9, TR_E_SYNTAX, false},
    {"{,}", NULL, 1, 2, TR_E_SYNTAX, false},
    {"{\"a\": [1,,]}", NULL, 1, 10, TR_E_SYNTAX, false},
    {"{\"a\":,}", NULL, 1, 6, TR_E_SYNTAX, false},
    {"{} {}", NULL, 1, 4, TR_E_SYNTAX, false},
    {"{\"a", NULL, 1, 4, TR_E_SYNTAX, false},
    {"{ /* \xC3\xA4 */ x }", NULL, 1, 11, TR_E_SYNTAX, false},
    {"{ /* a", "the comment has no end", 1, 3, TR_E_SYNTAX, false},
    {"{ /*/", "the comment has no end", 1, 3, TR_E_SYNTAX, false},
    {"{ / }", NULL, 1, 3, TR_E_SYNTAX, false},
    {"{\"a\": \"\xFF\"}", NULL, 1, 8, TR_E_SYNTAX, false},
    {"[]", "the file is an array, not an object", 1, 1, TR_E_INVALID, false},
    {"{\"mcpServers\": []}", "\"mcpServers\" is not an object", 1, 16,
     TR_E_INVALID, false},
    {"{\n\"mcpServers\": {\"trails-a\": 1}}", "\"trails-a\" is not an object",
     2, 28, TR_E_INVALID, false},
    {"{\"mcpServers\": {},\n\"mcpServers\": {}}",
     "\"mcpServers\" is there twice", 2, 1, TR_E_CONFLICT, false},
    {"{\"mcpServers\": {\"trails-a\": {}, \"trails-\\u0061\": {}}}",
     "\"trails-a\" is there twice", 1, 33, TR_E_CONFLICT, false},
    {"{\n  // x\n}", "a comment, which Claude Desktop does not take", 2, 3,
     TR_E_SYNTAX, true},
    {"{/* x */}", "a comment, which Claude Desktop does not take", 1, 2,
     TR_E_SYNTAX, true},
    {"{\"a\": [1, ]}",
     "a comma after the last one, which Claude Desktop does not take", 1, 9,
     TR_E_SYNTAX, true},
};

TEST(json_edit_refuses_with_a_place_what_it_cannot_read)
{
    for (size_t i = 0; i < TR_LEN(refused); i++) {
        struct tr_arena arena;
        struct tr_err err = {0};
        tr_str out;
        tr_arena_init(&arena, TR_MIB(4));
        CHECK_ROW(tr_install_put(&arena, refused[i].strict ? &strict : &loose,
                                 tr_str_from(refused[i].text), &entry, &out,
                                 &err) == refused[i].status,
                  refused[i].text);
        CHECK_ROW(!refused[i].msg || strcmp(err.msg, refused[i].msg) == 0,
                  err.msg);
        if (err.place.line != refused[i].line ||
            err.place.column != refused[i].column)
            (void)fprintf(stderr, "%s: %u:%u\n", refused[i].text,
                          err.place.line, err.place.column);
        CHECK_INT(err.place.line, refused[i].line);
        CHECK_INT(err.place.column, refused[i].column);
        tr_arena_done(&arena);
    }
}

TEST(json_edit_refuses_a_byte_order_mark_where_the_host_does)
{
    struct tr_arena arena;
    struct tr_err err;
    tr_str out;
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_INT(tr_install_put(&arena, &unmarked, TR_STR("\xEF\xBB\xBF{}"),
                             &entry, &out, &err),
              TR_E_SYNTAX);
    CHECK_STR(tr_str_from(err.msg),
              "a byte order mark, which Gemini CLI does not take");
    CHECK_INT(err.place.line, 1);
    CHECK_INT(err.place.column, 1);
    tr_arena_done(&arena);
}

TEST(json_edit_refuses_a_file_that_is_too_large)
{
    static char text[TR_LIMIT_INSTALL_BYTES + 1];
    struct tr_arena arena;
    struct tr_err err;
    tr_str out;
    memset(text, ' ', sizeof(text));
    tr_arena_init(&arena, TR_MIB(64));
    CHECK_INT(tr_install_remove(&arena, &loose, (tr_str){text, sizeof(text)},
                                entry.name, &out, &err),
              TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "the file is larger than 16777216 bytes");
    CHECK_OK(tr_install_remove(&arena, &loose, (tr_str){text, sizeof(text) - 1},
                               entry.name, &out, &err),
             &err);
    tr_arena_done(&arena);
}

TEST(json_edit_refuses_an_entry_that_is_too_large)
{
    static char path[TR_LIMIT_INSTALL_ENTRY];
    struct tr_install_entry large = entry;
    struct tr_arena arena;
    struct tr_err err;
    tr_str out;
    memset(path, 'x', sizeof(path));
    large.command = (tr_str){path, sizeof(path)};
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_INT(tr_install_put(&arena, &loose, TR_STR("{}"), &large, &out, &err),
              TR_E_LIMIT);
    tr_arena_done(&arena);
}

TEST(json_edit_escapes_what_a_path_may_have)
{
    struct tr_install_entry odd = entry;
    struct tr_arena arena;
    struct tr_err err;
    tr_str out;
    odd.command = TR_STR("/a \"b\"\\\n\x7F\xC3\xA4");
    odd.arg_count = 0;
    tr_arena_init(&arena, TR_MIB(4));
    CHECK_OK(
        tr_install_put(&arena, &loose, TR_STR("{\"a\":1}"), &odd, &out, &err),
        &err);
    CHECK_STR(out, "{\"a\":1,\"mcpServers\":{\"trails-a\":{\"command\":"
                   "\"/a \\\"b\\\"\\\\\\n\\u007F\xC3\xA4\",\"args\":[]}}}");
    tr_arena_done(&arena);
}

static tr_status put_and_take_out(void *context, struct tr_err *err)
{
    const struct row *row = context;
    struct tr_arena arena;
    tr_str out;
    tr_arena_init(&arena, TR_MIB(4));
    tr_status status = tr_install_put(&arena, &loose, tr_str_from(row->before),
                                      &entry, &out, err);
    if (status == TR_OK)
        status = tr_install_remove(&arena, &loose, out, entry.name, &out, err);
    tr_arena_done(&arena);
    return status;
}

TEST(json_edit_tells_when_there_is_no_memory)
{
    struct row many = kept[12];
    tr_test_sweep(put_and_take_out, &many);
    many = mended[1];
    tr_test_sweep(put_and_take_out, &many);
}
