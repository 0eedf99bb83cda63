#include "cap/rules.h"

#include "base/test.h"

TEST(semver_is_told_from_the_rest)
{
    static const char *const yes[] = {"0.0.0",
                                      "1.2.3",
                                      "10.20.30",
                                      "1.0.0-alpha",
                                      "1.0.0-alpha.1",
                                      "1.0.0-0.3.7",
                                      "1.0.0-x.7.z.92",
                                      "1.0.0+2013",
                                      "1.0.0-b+exp.sha",
                                      "1.0.0+001",
                                      "1.0.0--",
                                      "1.0.0-0a",
                                      "99999999999999999999.0.0"};
    static const char *const no[] = {
        "",       "1",      "1.2",       "1.2.3.4", "01.2.3",    "1.02.3",
        "1.2.03", "v1.2.3", "1.2.3-",    "1.2.3+",  "1.2.3-01",  "1.2.3-a..b",
        "1.2.3 ", "1.2.x",  "1.2.3-a_b", "-1.2.3",  "1.2.3+a+b", "1..3"};
    for (size_t i = 0; i < TR_LEN(yes); i++)
        CHECK_ROW(tr_is_semver(tr_str_from(yes[i])), yes[i]);
    for (size_t i = 0; i < TR_LEN(no); i++)
        CHECK_ROW(!tr_is_semver(tr_str_from(no[i])), no[i]);
}

TEST(keys_of_meta_are_told_from_the_rest)
{
    static const char *const yes[] = {
        "a",    "trails.kind",    "com.example.trails/kind",
        "ui",   "ui/resourceUri", "io.modelcontextprotocol/ui",
        "a.b/", "x-1/a_b-c.d",    "dev.trails/manifest_uri"};
    static const char *const no[] = {"",
                                     "_a",
                                     "a_",
                                     "/a",
                                     "1x/a",
                                     "a./b",
                                     "a-/b",
                                     "a..b/c",
                                     "a/b/c",
                                     "a:b",
                                     "a b",
                                     "x/_y",
                                     "_trails:manifest_uri"};
    for (size_t i = 0; i < TR_LEN(yes); i++)
        CHECK_ROW(tr_is_meta_key(tr_str_from(yes[i])), yes[i]);
    for (size_t i = 0; i < TR_LEN(no); i++)
        CHECK_ROW(!tr_is_meta_key(tr_str_from(no[i])), no[i]);
}

TEST(enums_have_names_both_ways)
{
    enum tr_reasoning reasoning;
    enum tr_assurance assurance;
    enum tr_version_status status;
    CHECK(tr_reasoning_find(TR_STR("owl-rl"), &reasoning));
    CHECK_STR(tr_str_from(tr_reasoning_name(reasoning)), "owl-rl");
    CHECK(tr_assurance_find(TR_STR("L3"), &assurance));
    CHECK_STR(tr_str_from(tr_assurance_name(assurance)), "L3");
    CHECK(tr_version_status_find(TR_STR("retired"), &status));
    CHECK_STR(tr_str_from(tr_version_status_name(status)), "retired");
    CHECK(!tr_reasoning_find(TR_STR("owl"), &reasoning));
    CHECK(!tr_assurance_find(TR_STR(""), &assurance));
    CHECK(!tr_version_status_find(TR_STR("old"), &status));
}

static void check_hints(const struct tr_cap *cap, bool read_only,
                        bool destructive, bool open_world)
{
    CHECK_INT(tr_cap_is_read_only(cap), read_only);
    CHECK_INT(tr_cap_is_destructive(cap), destructive);
    CHECK_INT(tr_cap_is_open_world(cap), open_world);
}

TEST(hints_follow_from_the_side_effects)
{
    static const tr_str some[] = {TR_STR_INIT("default")};
    struct tr_cap cap = {0};
    check_hints(&cap, true, false, false);
    cap.side_effects.graph_writes = (struct tr_strs){some, 1};
    check_hints(&cap, false, true, false);
    cap.destructive = TR_HINT_NO;
    check_hints(&cap, false, false, false);
    cap = (struct tr_cap){.side_effects = {.external_calls = {some, 1}}};
    check_hints(&cap, false, true, true);
    cap.read_only = TR_HINT_YES;
    check_hints(&cap, true, false, true);
}
