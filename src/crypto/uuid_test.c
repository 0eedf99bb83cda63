#include "base/test.h"
#include "crypto/encoding.h"
#include "crypto/random.h"

TEST(uuid7_has_the_layout_of_rfc_9562)
{
    char text[TR_CRYPTO_UUID_TEXT];
    CHECK_OK(tr_crypto_uuid7(UINT64_C(0x017F22E279B0), text, NULL), NULL);
    CHECK(memcmp(text, "017f22e2-79b0-7", 15) == 0);
    for (size_t i = 0; i < sizeof(text); i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        CHECK((text[i] == '-') == is_dash);
        CHECK(is_dash || strchr("0123456789abcdef", text[i]));
    }
    CHECK(strchr("89ab", text[19]));
}

TEST(uuid7_sorts_by_time_and_differs_at_one_time)
{
    char a[TR_CRYPTO_UUID_TEXT];
    char b[TR_CRYPTO_UUID_TEXT];
    char later[TR_CRYPTO_UUID_TEXT];
    CHECK_OK(tr_crypto_uuid7(1000, a, NULL), NULL);
    CHECK_OK(tr_crypto_uuid7(1000, b, NULL), NULL);
    CHECK_OK(tr_crypto_uuid7(1001, later, NULL), NULL);
    CHECK(memcmp(a, b, sizeof(a)) != 0);
    CHECK(memcmp(a, later, sizeof(a)) < 0);
}

TEST(uuid_maker_orders_by_microsecond_and_never_repeats)
{
    static unsigned char uuids[1000][TR_CRYPTO_UUID_BYTES];
    struct tr_crypto_uuid_maker maker = {0};
    const int64_t start = INT64_C(0x017F22E279B0) * 1000;
    for (size_t i = 0; i < TR_LEN(uuids); i++) {
        CHECK_OK(tr_crypto_uuid_maker_next(&maker, start + (int64_t)i, uuids[i],
                                           NULL),
                 NULL);
        CHECK(uuids[i][6] >> 4 == 7);
        CHECK(uuids[i][8] >> 6 == 2);
        CHECK(i == 0 ||
              memcmp(uuids[i - 1], uuids[i], TR_CRYPTO_UUID_BYTES) < 0);
        CHECK(i == 0 || memcmp(uuids[i - 1] + 8, uuids[i] + 8, 8) != 0);
    }
    CHECK(memcmp(uuids[0], "\x01\x7f\x22\xe2\x79\xb0", 6) == 0);
    CHECK(memcmp(uuids[999], "\x01\x7f\x22\xe2\x79\xb0", 6) == 0);
}

TEST(uuid_maker_takes_a_time_before_1970_as_1970)
{
    struct tr_crypto_uuid_maker maker = {0};
    unsigned char uuid[TR_CRYPTO_UUID_BYTES];
    CHECK_OK(tr_crypto_uuid_maker_next(&maker, -1, uuid, NULL), NULL);
    CHECK(memcmp(uuid, "\0\0\0\0\0\0\x70\0", 8) == 0);
}

TEST(uuid_is_written_in_five_groups)
{
    static const unsigned char uuid[TR_CRYPTO_UUID_BYTES] = {
        0x01, 0x7f, 0x22, 0xe2, 0x79, 0xb0, 0x7c, 0xc3,
        0x98, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f};
    char text[TR_CRYPTO_UUID_TEXT];
    tr_crypto_uuid_write(uuid, text);
    CHECK_STR(((tr_str){text, sizeof(text)}),
              "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(random_bytes_are_not_all_the_same)
{
    unsigned char bytes[512] = {0};
    unsigned seen = 0;
    CHECK_OK(tr_crypto_random_bytes(bytes, sizeof(bytes), NULL), NULL);
    CHECK_OK(tr_crypto_random_bytes(bytes, 0, NULL), NULL);
    for (size_t i = 0; i < sizeof(bytes); i++)
        seen |= 1u << (bytes[i] & 31);
    CHECK(seen == ~0u);
}

TEST(hex_reads_what_it_writes_and_both_cases)
{
    unsigned char bytes[3];
    char text[6];
    tr_crypto_hex_write(TR_STR("\x00\x9f\xff"), text);
    CHECK_STR(((tr_str){text, 6}), "009fff");
    CHECK(tr_crypto_hex_read(TR_STR("009FfF"), bytes));
    CHECK(memcmp(bytes, "\x00\x9f\xff", 3) == 0);
}

TEST(hex_refuses_what_is_no_digit)
{
    static const char *const bad[] = {"0", "0g", "g0", " 0", "0:", "0@", "0`"};
    unsigned char bytes[8];
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(!tr_crypto_hex_read(tr_str_from(bad[i]), bytes), bad[i]);
}

TEST(secrets_are_equal_only_when_every_byte_is)
{
    CHECK(tr_crypto_secret_eq(TR_STR(""), TR_STR("")));
    CHECK(tr_crypto_secret_eq(TR_STR("abc"), TR_STR("abc")));
    CHECK(!tr_crypto_secret_eq(TR_STR("abc"), TR_STR("abd")));
    CHECK(!tr_crypto_secret_eq(TR_STR("abc"), TR_STR("xbc")));
    CHECK(!tr_crypto_secret_eq(TR_STR("abc"), TR_STR("ab")));
}
