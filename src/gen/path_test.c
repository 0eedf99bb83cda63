#include "gen/path.h"

#include "base/limits.h"
#include "base/test.h"

TEST(a_path_is_a_file_that_an_app_has)
{
    static const char *const good[] = {
        "app.lua",
        "trails.toml",
        "README.md",
        "lib/money.lua",
        "lib/tax/eu_1.lua",
        "lib/a.b-c.lua",
        "shapes/old.ttl",
        "connectors/mail.json",
        "migrations/0001-begin.lua",
        "tests/deep/er/one.lua",
        "seeds/10-Account.csv",
        "lib/1/2/3/4/5/6/7/x.lua",
    };
    for (size_t i = 0; i < TR_LEN(good); i++)
        CHECK_ROW(!tr_gen_path_refuse(tr_str_from(good[i])), good[i]);
}

TEST(a_path_that_leads_elsewhere_is_refused_and_the_message_says_why)
{
    static const struct {
        tr_str path;
        const char *says;
    } rows[] = {
        {TR_STR_INIT(""), "name a file"},
        {TR_STR_INIT("app.lua\0.txt"), "NUL"},
        {TR_STR_INIT("lib/\0x.lua"), "NUL"},
        {TR_STR_INIT("/etc/passwd"), "without a /"},
        {TR_STR_INIT("//app.lua"), "without a /"},
        {TR_STR_INIT(".."), ". and .."},
        {TR_STR_INIT("../app.lua"), ". and .."},
        {TR_STR_INIT("lib/../app.lua"), ". and .."},
        {TR_STR_INIT("lib/../../x.lua"), ". and .."},
        {TR_STR_INIT("./app.lua"), ". and .."},
        {TR_STR_INIT("lib/./x.lua"), ". and .."},
        {TR_STR_INIT(".env"), "hidden"},
        {TR_STR_INIT(".git/config"), "hidden"},
        {TR_STR_INIT("lib/.x.lua"), "hidden"},
        {TR_STR_INIT(".trails-apply.json"), "hidden"},
        {TR_STR_INIT("lib//x.lua"), "names"},
        {TR_STR_INIT("lib/"), "names"},
        {TR_STR_INIT("lib\\x.lua"), "names"},
        {TR_STR_INIT("lib/x y.lua"), "names"},
        {TR_STR_INIT("lib/-x.lua"), "names"},
        {TR_STR_INIT("lib/\xc3\xa4.lua"), "names"},
        {TR_STR_INIT("lib/x\n.lua"), "names"},
        {TR_STR_INIT("C:app.lua"), "names"},
        {TR_STR_INIT("~/app.lua"), "names"},
        {TR_STR_INIT("App.lua"), "spelt so"},
        {TR_STR_INIT("APP.LUA"), "spelt so"},
        {TR_STR_INIT("app.LUA"), "spelt so"},
        {TR_STR_INIT("readme.md"), "spelt so"},
        {TR_STR_INIT("Lib/x.lua"), "spelt so"},
        {TR_STR_INIT("lib/x.Lua"), "spelt so"},
        {TR_STR_INIT("data/store.db"), "spelt so"},
        {TR_STR_INIT("Data/x.lua"), "spelt so"},
        {TR_STR_INIT("lib"), "spelt so"},
        {TR_STR_INIT("lib/x.so"), "spelt so"},
        {TR_STR_INIT("lib/lua"), "spelt so"},
        {TR_STR_INIT("shapes/deep/x.ttl"), "spelt so"},
        {TR_STR_INIT("shapes/x.lua"), "spelt so"},
        {TR_STR_INIT("other.lua"), "spelt so"},
        {TR_STR_INIT("app.lua/x"), "spelt so"},
        {TR_STR_INIT("lib/1/2/3/4/5/6/7/8/x.lua"), "8 folders"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const char *why = tr_gen_path_refuse(rows[i].path);
        CHECK_ROW(why && strstr(why, rows[i].says), rows[i].path.ptr);
    }
}

TEST(a_path_and_its_names_have_a_greatest_length)
{
    char text[TR_LIMIT_GEN_PATH + 2] = "lib/";
    size_t len = 4;
    memset(text + 4, 'x', sizeof(text) - 5);
    for (size_t i = 64; i < 200; i += 60)
        text[i] = '/';
    memcpy(text + TR_LIMIT_GEN_PATH - 4, ".lua", 5);
    CHECK(!tr_gen_path_refuse(tr_str_from(text)));
    memcpy(text + TR_LIMIT_GEN_PATH - 3, ".lua", 5);
    CHECK(strstr(tr_gen_path_refuse(tr_str_from(text)), "240 bytes"));
    memset(text + len, 'x', TR_LIMIT_GEN_NAME - 4);
    memcpy(text + len + TR_LIMIT_GEN_NAME - 4, ".lua", 5);
    CHECK(!tr_gen_path_refuse(tr_str_from(text)));
    memcpy(text + len + TR_LIMIT_GEN_NAME - 4, "x.lua", 6);
    CHECK(strstr(tr_gen_path_refuse(tr_str_from(text)), "64"));
}

TEST(a_folder_is_one_in_which_an_app_has_files)
{
    CHECK(tr_gen_path_is_folder(TR_STR("lib")));
    CHECK(tr_gen_path_is_folder(TR_STR("lib/tax")));
    CHECK(tr_gen_path_is_folder(TR_STR("shapes")));
    CHECK(!tr_gen_path_is_folder(TR_STR("shapes/deep")));
    CHECK(!tr_gen_path_is_folder(TR_STR("data")));
    CHECK(!tr_gen_path_is_folder(TR_STR("")));
    CHECK(!tr_gen_path_is_folder(TR_STR("lib/.git")));
}

TEST(what_a_new_app_gets_beside_its_files_is_written_and_cannot_be_named)
{
    CHECK(tr_gen_path_refuse(TR_STR(".gitignore")));
    CHECK(!tr_gen_path_refuse_written(TR_STR(".gitignore")));
    CHECK(tr_gen_path_refuse_written(TR_STR(".env")));
}
