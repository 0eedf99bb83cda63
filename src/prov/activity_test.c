#include "prov/activity.h"

#include "base/test.h"

TEST(activity_ends_as_its_status_says)
{
    static const enum tr_prov_activity_end ends[] = {
        [TR_OK] = TR_PROV_ENDED_OK,
        [TR_E_NOMEM] = TR_PROV_ENDED_FAILED,
        [TR_E_SYNTAX] = TR_PROV_ENDED_REFUSED,
        [TR_E_INVALID] = TR_PROV_ENDED_REFUSED,
        [TR_E_VALIDATION] = TR_PROV_ENDED_REFUSED,
        [TR_E_UNAUTHENTICATED] = TR_PROV_ENDED_DENIED,
        [TR_E_SCOPE] = TR_PROV_ENDED_DENIED,
        [TR_E_POLICY] = TR_PROV_ENDED_DENIED,
        [TR_E_BUDGET] = TR_PROV_ENDED_DENIED,
        [TR_E_PRECONDITION] = TR_PROV_ENDED_REFUSED,
        [TR_E_NOT_FOUND] = TR_PROV_ENDED_REFUSED,
        [TR_E_CONFLICT] = TR_PROV_ENDED_REFUSED,
        [TR_E_LIMIT] = TR_PROV_ENDED_FAILED,
        [TR_E_TIMEOUT] = TR_PROV_ENDED_TIMED_OUT,
        [TR_E_CANCELLED] = TR_PROV_ENDED_CANCELLED,
        [TR_E_UNAVAILABLE] = TR_PROV_ENDED_FAILED,
        [TR_E_UNSUPPORTED] = TR_PROV_ENDED_FAILED,
        [TR_E_IO] = TR_PROV_ENDED_FAILED,
        [TR_E_INTERNAL] = TR_PROV_ENDED_FAILED,
    };
    for (size_t i = 0; i < TR_LEN(ends); i++)
        CHECK_ROW(tr_prov_activity_end_of((tr_status)i, false) == ends[i],
                  tr_status_name((tr_status)i));
    CHECK_INT(tr_prov_activity_end_of(TR_OK, true), TR_PROV_ENDED_RETURNED);
    CHECK_INT(tr_prov_activity_end_of(TR_E_IO, true), TR_PROV_ENDED_FAILED);
}

/* They are in IRIs and in JSON: none may be like another. */
TEST(activity_kinds_and_ends_have_names_of_their_own)
{
    for (int i = TR_PROV_ENDED_OK; i <= TR_PROV_ENDED_ASKED; i++) {
        const char *name =
            tr_prov_activity_end_name((enum tr_prov_activity_end)i);
        CHECK(strcmp(name, "unknown") != 0);
        for (int j = 0; j < i; j++)
            CHECK_ROW(strcmp(name, tr_prov_activity_end_name(
                                       (enum tr_prov_activity_end)j)),
                      name);
    }
    for (int i = TR_PROV_ACTIVITY_TOOL; i <= TR_PROV_ACTIVITY_META; i++) {
        const char *name =
            tr_prov_activity_kind_name((enum tr_prov_activity_kind)i);
        CHECK(strcmp(name, "unknown") != 0);
        for (int j = TR_PROV_ACTIVITY_TOOL; j < i; j++)
            CHECK_ROW(strcmp(name, tr_prov_activity_kind_name(
                                       (enum tr_prov_activity_kind)j)),
                      name);
    }
}

TEST(activity_times_stay_within_four_digits_of_years)
{
    static const struct {
        int64_t us;
        const char *text;
    } rows[] = {
        {0, "1970-01-01T00:00:00Z"},
        {-1, "1970-01-01T00:00:00Z"},
        {1, "1970-01-01T00:00:00.000001Z"},
        {INT64_C(1785240000500000), "2026-07-28T12:00:00.5Z"},
        {INT64_MAX, "9999-12-31T23:59:59.999999Z"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char text[64];
        struct tr_buf buf;
        tr_buf_init_fixed(&buf, text, sizeof(text));
        tr_prov_activity_write_time(&buf, rows[i].us);
        CHECK_STR(tr_buf_str(&buf), rows[i].text);
    }
}

TEST(activity_ends_never_before_it_began)
{
    struct tr_prov_activity activity = {.started_us = 10, .took_us = 5};
    CHECK_INT(tr_prov_activity_ended_us(&activity), 15);
    activity.took_us = UINT64_MAX;
    CHECK(tr_prov_activity_ended_us(&activity) > 15);
    activity.started_us = INT64_MAX;
    CHECK(tr_prov_activity_ended_us(&activity) > 15);
}

TEST(activity_ids_are_read_as_they_are_written)
{
    static const char *const wrong[] = {
        "",
        "trails://prov/",
        "latest",
        "019fa8cd-1200-7000-8000-00000000000",
        "019fa8cd-1200-7000-8000-0000000000012",
        "019fa8cd-1200-7000-8000-00000000000g",
        "019fa8cd+1200-7000-8000-000000000001",
        "019fa8cd1200-7000-8000-0000-00000001",
        "trails://kg/019fa8cd-1200-7000-8000-000000000001",
        "trails://prov/trails://prov/019fa8cd-1200-7000-8000-000000000001",
    };
    unsigned char id[TR_CRYPTO_UUID_BYTES] = {1, 0x9f, 0xa8, [15] = 7};
    unsigned char back[TR_CRYPTO_UUID_BYTES];
    char iri[TR_PROV_ACTIVITY_IRI];
    tr_prov_activity_iri(id, iri);
    tr_str text = {iri, sizeof(iri)};
    CHECK(tr_prov_activity_read_id(text, back));
    CHECK(memcmp(id, back, sizeof(id)) == 0);
    text = tr_str_skip(text, sizeof(TR_PROV_ACTIVITY_NAMESPACE) - 1);
    CHECK(tr_prov_activity_read_id(text, back));
    for (size_t i = 0; i < TR_LEN(wrong); i++)
        CHECK_ROW(!tr_prov_activity_read_id(tr_str_from(wrong[i]), back),
                  wrong[i]);
}

TEST(activity_keeps_64_characters_of_what_was_asked_for)
{
    static const char euro[] = "\xE2\x82\xAC";
    char text[3 * 65];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = euro[i % 3];
    CHECK_INT(tr_prov_asked((tr_str){text, sizeof(text)}).len, 3 * 64);
    CHECK_INT(tr_prov_asked((tr_str){text, 3 * 64}).len, 3 * 64);
    CHECK_INT(tr_prov_asked(TR_STR("x")).len, 1);
    CHECK_INT(tr_prov_asked(TR_STR("")).len, 0);
}
