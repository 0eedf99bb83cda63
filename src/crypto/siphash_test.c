#include "base/test.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"

/* The key 00 01 .. 0f and the texts 00 01 .. of the paper; the digests are
 * those of OpenSSL's SIPHASH with 16 bytes. */
static const struct row {
    size_t len;
    const char *digest;
} rows[] = {
    {0, "a3817f04ba25a8e66df67214c7550293"},
    {1, "da87c1d86b99af44347659119b22fc45"},
    {7, "a1f1ebbed8dbc153c0b84aa61ff08239"},
    {8, "3b62a9ba6258f5610f83e264f31497b4"},
    {9, "264499060ad9baabc47f8b02bb6d71ed"},
    {15, "5493e99933b0a8117e08ec0f97cfc3d9"},
    {16, "6ee2a4ca67b054bbfd3315bf85230577"},
    {17, "473d06e8738db89854c066c47ae47740"},
    {63, "5150d1772f50834a503e069a973fbd7c"},
};

static void digest(tr_str text, unsigned char first_of_key, char out[32])
{
    unsigned char bytes[TR_CRYPTO_SIPHASH_BYTES];
    struct tr_crypto_siphash_key key;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i + first_of_key);
    tr_crypto_siphash_key_init(&key, bytes);
    tr_crypto_siphash(&key, text, bytes);
    tr_crypto_hex_write((tr_str){(const char *)bytes, sizeof(bytes)}, out);
}

TEST(siphash_gives_the_digests_of_others)
{
    char text[63];
    char out[32];
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)i;
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        digest((tr_str){text, rows[i].len}, 0, out);
        CHECK_STR(((tr_str){out, sizeof(out)}), rows[i].digest);
    }
}

TEST(siphash_depends_on_the_key)
{
    char a[32];
    char b[32];
    digest(TR_STR("yes"), 0, a);
    digest(TR_STR("yes"), 1, b);
    CHECK(memcmp(a, b, sizeof(a)) != 0);
}

/* Wherever the text is cut, the digest is the same. */
TEST(siphash_takes_a_text_in_pieces)
{
    static const unsigned char zero[TR_CRYPTO_SIPHASH_BYTES];
    char text[40];
    struct tr_crypto_siphash_key key;
    tr_crypto_siphash_key_init(&key, zero);
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = (char)(i * 37);
    for (size_t len = 0; len <= sizeof(text); len++) {
        unsigned char whole[TR_CRYPTO_SIPHASH_BYTES];
        unsigned char pieces[TR_CRYPTO_SIPHASH_BYTES];
        tr_crypto_siphash(&key, (tr_str){text, len}, whole);
        for (size_t a = 0; a <= len; a++) {
            for (size_t b = a; b <= len; b++) {
                struct tr_crypto_siphash sip;
                tr_crypto_siphash_init(&sip, &key);
                tr_crypto_siphash_add(&sip, (tr_str){text, a});
                tr_crypto_siphash_add(&sip, (tr_str){text + a, b - a});
                tr_crypto_siphash_add(&sip, (tr_str){text + b, len - b});
                tr_crypto_siphash_done(&sip, pieces);
                CHECK(memcmp(whole, pieces, sizeof(whole)) == 0);
            }
        }
    }
}
