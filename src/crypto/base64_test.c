#include "base/limits.h"
#include "base/test.h"
#include "crypto/encoding.h"

/* RFC 4648, section 10, and what tells the alphabets apart */
static const struct {
    tr_str bytes;
    const char *plain;
    const char *url;
} values[] = {
    {TR_STR_INIT(""), "", ""},
    {TR_STR_INIT("f"), "Zg==", "Zg"},
    {TR_STR_INIT("fo"), "Zm8=", "Zm8"},
    {TR_STR_INIT("foo"), "Zm9v", "Zm9v"},
    {TR_STR_INIT("foob"), "Zm9vYg==", "Zm9vYg"},
    {TR_STR_INIT("fooba"), "Zm9vYmE=", "Zm9vYmE"},
    {TR_STR_INIT("foobar"), "Zm9vYmFy", "Zm9vYmFy"},
    {TR_STR_INIT("\xfb\xff\xfe"), "+//+", "-__-"},
    {TR_STR_INIT("\0\0"), "AAA=", "AAA"},
};

static const char *const bad_plain[] = {
    "Z",    "Zg",   "Zg=",  "Zg===",   "Zm8",      "Zm8==",   "Zm9v=",
    "====", "=",    "Z===", "Zh==",    "Zm9=",     "Zm 9v",   "Zm9v\n",
    "-__-", "Zg=a", "Z=g=", "SGVsbG8", "Zm9v====", "\x80mm9",
};
static const char *const bad_url[] = {
    "Z", "Zg==", "Zh", "Zm9", "+//+", "Zm8=", "Zm9v Zg", "Zg=", "\xffg",
};

TEST(base64_has_the_values_of_rfc_4648)
{
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(values); i++) {
        tr_str text;
        tr_str back;
        text = tr_str_from(values[i].plain);
        CHECK_OK(tr_crypto_base64_decode(&arena, text, &back, NULL), NULL);
        CHECK(tr_str_eq(back, values[i].bytes));
        CHECK_OK(tr_crypto_base64_encode(&arena, back, &text, NULL), NULL);
        CHECK_STR(text, values[i].plain);
        CHECK_OK(
            tr_crypto_base64url_encode(&arena, values[i].bytes, &text, NULL),
            NULL);
        CHECK_STR(text, values[i].url);
        CHECK_OK(tr_crypto_base64url_decode(&arena, text, &back, NULL), NULL);
        CHECK(tr_str_eq(back, values[i].bytes));
    }
    tr_arena_done(&arena);
}

TEST(base64_refuses_everything_that_is_not_the_one_text_of_a_value)
{
    struct tr_arena arena;
    tr_str out;
    tr_arena_init(&arena, TR_MIB(1));
    for (size_t i = 0; i < TR_LEN(bad_plain); i++)
        CHECK_ROW(tr_crypto_base64_decode(&arena, tr_str_from(bad_plain[i]),
                                          &out, NULL) == TR_E_SYNTAX,
                  bad_plain[i]);
    for (size_t i = 0; i < TR_LEN(bad_url); i++)
        CHECK_ROW(tr_crypto_base64url_decode(&arena, tr_str_from(bad_url[i]),
                                             &out, NULL) == TR_E_SYNTAX,
                  bad_url[i]);
    CHECK(tr_crypto_base64_decode(&arena, TR_STR("Zm9v\0Zm8"), &out, NULL) ==
          TR_E_SYNTAX);
    tr_arena_done(&arena);
}

static tr_status round_trip(void *context, struct tr_err *err)
{
    struct tr_arena arena;
    tr_str text = {"", 0};
    tr_str back;
    (void)context;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status st =
        tr_crypto_base64url_encode(&arena, TR_STR("foobar"), &text, err);
    if (st == TR_OK)
        st = tr_crypto_base64_decode(&arena, text, &back, err);
    tr_arena_done(&arena);
    return st;
}

TEST(base64_survives_without_memory)
{
    tr_test_sweep(round_trip, NULL);
}

TEST(base64_says_when_the_arena_is_full)
{
    struct tr_arena arena;
    tr_str out;
    tr_arena_init(&arena, 0);
    CHECK_INT(tr_crypto_base64url_encode(&arena, TR_STR("foo"), &out, NULL),
              TR_E_NOMEM);
    CHECK_INT(tr_crypto_base64url_decode(&arena, TR_STR("Zm9v"), &out, NULL),
              TR_E_NOMEM);
}
