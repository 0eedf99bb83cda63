#include "cap/rules.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/build.h"

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
        CHECK_ROW(tr_cap_is_semver(tr_str_from(yes[i])), yes[i]);
    for (size_t i = 0; i < TR_LEN(no); i++)
        CHECK_ROW(!tr_cap_is_semver(tr_str_from(no[i])), no[i]);
}

/* Whether it can be a key of _meta, which some of ours are by right only. */
static bool is_meta_key(const char *key)
{
    struct tr_json_member member = {
        tr_json_make_text(TR_JSON_STRING, tr_str_from(key)),
        tr_json_make_bool(true),
    };
    struct tr_json meta = {0};
    struct tr_err err = {0};
    struct tr_arena arena;
    tr_arena_init(&arena, TR_KIB(4));
    CHECK(tr_json_make_object(&arena, &member, 1, &meta));
    struct tr_cap cap = {.id = TR_STR("a"), .meta = &meta};
    (void)!tr_cap_check_draft(&cap, &err);
    tr_arena_done(&arena);
    return !strstr(err.msg, "cannot be a key of _meta");
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
        CHECK_ROW(is_meta_key(yes[i]), yes[i]);
    for (size_t i = 0; i < TR_LEN(no); i++)
        CHECK_ROW(!is_meta_key(no[i]), no[i]);
}

TEST(enums_are_found_by_their_names)
{
    enum tr_cap_reasoning reasoning;
    enum tr_cap_assurance assurance;
    enum tr_cap_version_status status;
    CHECK(tr_cap_reasoning_find(TR_STR("owl-rl"), &reasoning));
    CHECK_INT(reasoning, TR_CAP_REASONING_OWL_RL);
    CHECK(tr_cap_assurance_find(TR_STR("L3"), &assurance));
    CHECK_INT(assurance, TR_CAP_ASSURANCE_L3);
    CHECK(tr_cap_version_status_find(TR_STR("retired"), &status));
    CHECK_INT(status, TR_CAP_VERSION_RETIRED);
    CHECK(!tr_cap_reasoning_find(TR_STR("owl"), &reasoning));
    CHECK(!tr_cap_assurance_find(TR_STR(""), &assurance));
    CHECK(!tr_cap_version_status_find(TR_STR("old"), &status));
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
    struct tr_cap cap = {.side_effects = {.is_said = true}};
    check_hints(&cap, true, false, false);
    cap.side_effects.graph_writes = (struct tr_cap_strs){some, 1};
    check_hints(&cap, false, true, false);
    cap.destructive = TR_CAP_HINT_NO;
    check_hints(&cap, false, false, false);
    cap = (struct tr_cap){
        .side_effects = {.is_said = true, .external_calls = {some, 1}}};
    check_hints(&cap, false, true, true);
    cap.read_only = TR_CAP_HINT_YES;
    check_hints(&cap, true, false, true);
}
