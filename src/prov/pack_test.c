#include "prov/pack.h"

#include "base/test.h"
#include "support/activity.h"

static unsigned char packed[TR_PROV_PACKED_MAX];
static struct tr_prov_room room;

static struct tr_prov_activity through(const struct tr_prov_activity *activity)
{
    struct tr_prov_activity read;
    struct tr_prov_row row;
    struct tr_err err = {0};
    CHECK(tr_prov_pack(activity, packed) <= sizeof(packed));
    (void)tr_prov_pack_read(packed, &row);
    CHECK_OK(tr_prov_unpack(&row, &read, &room, &err), &err);
    return read;
}

TEST(pack_needs_little_room)
{
    struct tr_prov_activity activity = activity_at(INT64_C(1700000000123456));
    struct tr_prov_row row;
    activity.trace_id = TR_STR("0af7651916cd43dd8448eb211c80319c");
    activity.has_args_digest = activity.has_result_digest = true;
    (void)tr_prov_pack(&activity, packed);
    (void)tr_prov_pack_read(packed, &row);
    CHECK(row.more.len <= 70);
}

TEST(pack_cuts_texts_that_are_too_long_at_a_character)
{
    static char text[4096];
    struct tr_prov_activity activity = activity_at(0);
    /* The limit falls into a character, as each has two bytes but the first. */
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = i == 0 ? 'x' : i % 2 ? '\xC3' : '\xA4';
    activity.name = activity.version = activity.principal = activity.trace_id =
        (tr_str){text, sizeof(text) - 1};
    struct tr_prov_activity read = through(&activity);
    CHECK_INT(read.name.len, TR_LIMIT_PROV_NAME - 1);
    CHECK_INT(read.principal.len, TR_LIMIT_PROV_NAME - 1);
    CHECK_INT(read.version.len, TR_PROV_VERSION - 1);
    CHECK_INT(read.trace_id.len, TR_PROV_TRACE_MAX - 1);
}

TEST(pack_keeps_of_a_text_what_is_utf8)
{
    struct tr_prov_activity activity = activity_at(0);
    activity.principal = TR_STR("al\xFFice");
    CHECK_STR(through(&activity).principal, "al");
}

TEST(pack_keeps_who_was_asked)
{
    static struct tr_prov_activity_fetch many[TR_LIMIT_PROV_FETCHES + 2];
    static char host[300];
    struct tr_prov_activity activity = activity_at(0);
    memset(host, 'h', sizeof(host));
    for (size_t i = 0; i < TR_LEN(many); i++)
        many[i] = (struct tr_prov_activity_fetch){.host = {host, sizeof(host)},
                                                  .reason = TR_STR("tls"),
                                                  .code = UINT64_MAX,
                                                  .bytes = i,
                                                  .took_us = UINT64_MAX};
    activity.fetches.items = many;
    activity.fetches.count = TR_LEN(many);
    CHECK(tr_prov_pack(&activity, packed) <= tr_prov_pack_max(&activity));
    struct tr_prov_activity read = through(&activity);
    CHECK_INT(read.fetches.count, TR_LIMIT_PROV_FETCHES);
    CHECK_INT(read.fetches.left_out, 2);
    CHECK_INT(read.fetches.items[1].bytes, 1);
    CHECK_INT(read.fetches.items[1].host.len, TR_PROV_HOST_MAX);
    CHECK_STR(read.fetches.items[15].reason, "tls");
}

TEST(pack_keeps_what_a_meta_capability_has_made)
{
    static struct tr_prov_activity_file many[TR_LIMIT_PROV_FILES + 3];
    static char path[300];
    struct tr_prov_activity activity = activity_at(0);
    memset(path, 'p', sizeof(path));
    for (size_t i = 0; i < TR_LEN(many); i++) {
        many[i].path = (tr_str){path, sizeof(path)};
        memset(many[i].sha256, (int)i, sizeof(many[i].sha256));
    }
    activity.files.items = many;
    activity.files.count = TR_LEN(many);
    CHECK_INT(through(&activity).files.count, 0); /* of no meta-capability */
    activity.scope = TR_SCOPE_DEV;
    CHECK(tr_prov_pack(&activity, packed) <= tr_prov_pack_max(&activity));
    struct tr_prov_activity read = through(&activity);
    CHECK_INT(read.scope, TR_SCOPE_DEV);
    CHECK_INT(read.files.count, TR_LIMIT_PROV_FILES);
    CHECK_INT(read.files.left_out, 3);
    CHECK_INT(read.files.items[15].path.len, TR_PROV_PATH_MAX);
    CHECK_INT(read.files.items[15].sha256[31], 15);
}

TEST(pack_counts_the_ids_that_it_leaves_out)
{
    static uint64_t many[TR_LIMIT_PROV_IDS + 5];
    struct tr_prov_activity activity = activity_at(0);
    for (size_t i = 0; i < TR_LEN(many); i++)
        many[i] = UINT64_MAX - i * (UINT64_MAX / 7);
    activity.used = activity.generated = activity.invalidated =
        (struct tr_prov_activity_ids){many, TR_LEN(many), 10};
    struct tr_prov_activity read = through(&activity);
    CHECK_INT(read.used.count, TR_LIMIT_PROV_IDS);
    CHECK_INT(read.used.left_out, 15);
    for (size_t i = 0; i < read.invalidated.count; i++)
        CHECK(read.invalidated.items[i] == many[i]);
}

TEST(unpack_refuses_what_is_none)
{
    struct tr_prov_activity activity = activity_at(0);
    struct tr_prov_activity read;
    struct tr_prov_row good;
    struct tr_err err = {0};
    (void)tr_prov_pack(&activity, packed);
    (void)tr_prov_pack_read(packed, &good);
    struct tr_prov_row bad[6];
    for (size_t i = 0; i < TR_LEN(bad); i++)
        bad[i] = good;
    bad[0].id.len--;
    bad[1].what = TR_STR("");
    bad[2].what = TR_STR("\1\5abc"); /* the version is longer than that */
    bad[3].who = TR_STR("");
    bad[4].who = TR_STR("alice");
    bad[5].more = TR_STR("\2"); /* a form that we do not know */
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_INT(tr_prov_unpack(&bad[i], &read, &room, &err), TR_E_IO);
    CHECK_STR(tr_str_from(err.msg), "the store has an activity that is none");
    CHECK_OK(tr_prov_unpack(&good, &read, &room, &err), &err);
}
