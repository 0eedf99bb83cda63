#include "base/test.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"

static void check_digest(const unsigned char digest[TR_CRYPTO_SHA256_BYTES],
                         const char *expected)
{
    char text[2 * TR_CRYPTO_SHA256_BYTES];
    tr_crypto_hex_write((tr_str){(const char *)digest, TR_CRYPTO_SHA256_BYTES},
                        text);
    CHECK_STR(((tr_str){text, sizeof(text)}), expected);
}

/* FIPS 180-4 examples, and the empty message of the NIST vectors */
static const struct {
    const char *message;
    const char *digest;
} messages[] = {
    {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
     "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

TEST(sha256_gives_the_digests_of_fips_180_4)
{
    for (size_t i = 0; i < TR_LEN(messages); i++) {
        unsigned char digest[TR_CRYPTO_SHA256_BYTES];
        tr_crypto_sha256(tr_str_from(messages[i].message), digest);
        check_digest(digest, messages[i].digest);
    }
}

TEST(sha256_of_a_million_letters)
{
    struct tr_crypto_sha256 sha;
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    char thousand[1000];
    memset(thousand, 'a', sizeof(thousand));
    tr_crypto_sha256_init(&sha);
    for (size_t i = 0; i < 1000; i++)
        tr_crypto_sha256_add(&sha, (tr_str){thousand, sizeof(thousand)});
    tr_crypto_sha256_done(&sha, digest);
    check_digest(
        digest,
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(sha256_does_not_care_how_the_message_is_cut)
{
    char message[300];
    for (size_t i = 0; i < sizeof(message); i++)
        message[i] = (char)(i * 7);
    for (size_t len = 0; len <= sizeof(message); len++) {
        unsigned char whole[TR_CRYPTO_SHA256_BYTES];
        unsigned char pieces[TR_CRYPTO_SHA256_BYTES];
        struct tr_crypto_sha256 sha;
        tr_crypto_sha256((tr_str){message, len}, whole);
        tr_crypto_sha256_init(&sha);
        for (size_t at = 0, step = 1; at < len;
             at += step, step = step * 3 % 97)
            tr_crypto_sha256_add(
                &sha,
                (tr_str){message + at, step < len - at ? step : len - at});
        tr_crypto_sha256_done(&sha, pieces);
        CHECK(memcmp(whole, pieces, sizeof(whole)) == 0);
    }
}

/* RFC 4231, test cases 1, 2, 3, 6 and 7 */
static const struct {
    const char *key; /* NULL: `key_byte`, `key_len` times */
    const char *data;
    size_t key_len;
    size_t data_len;
    const char *mac;
    char key_byte;
    char data_byte;
} macs[] = {
    {NULL, "Hi There", 20, 8,
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7", 0x0b,
     0},
    {"Jefe", "what do ya want for nothing?", 4, 28,
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", 0, 0},
    {NULL, NULL, 20, 50,
     "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
     (char)0xaa, (char)0xdd},
    {NULL, "Test Using Larger Than Block-Size Key - Hash Key First", 131, 54,
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
     (char)0xaa, 0},
    {NULL,
     "This is a test using a larger than block-size key and a larger than "
     "block-size data. The key needs to be hashed before being used by the "
     "HMAC algorithm.",
     131, 152,
     "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
     (char)0xaa, 0},
};

static tr_str fill(char *storage, const char *text, char byte, size_t len)
{
    if (text)
        return (tr_str){text, len};
    memset(storage, byte, len);
    return (tr_str){storage, len};
}

TEST(hmac_gives_the_codes_of_rfc_4231)
{
    for (size_t i = 0; i < TR_LEN(macs); i++) {
        char key[200];
        char data[200];
        unsigned char mac[TR_CRYPTO_SHA256_BYTES];
        struct tr_crypto_hmac hmac;
        tr_crypto_hmac_init(
            &hmac, fill(key, macs[i].key, macs[i].key_byte, macs[i].key_len));
        tr_crypto_hmac_add(&hmac, fill(data, macs[i].data, macs[i].data_byte,
                                       macs[i].data_len));
        tr_crypto_hmac_done(&hmac, mac);
        check_digest(mac, macs[i].mac);
    }
}

TEST(a_keyed_hmac_can_be_copied_and_used_again)
{
    struct tr_crypto_hmac keyed;
    unsigned char first[TR_CRYPTO_SHA256_BYTES];
    unsigned char second[TR_CRYPTO_SHA256_BYTES];
    tr_crypto_hmac_init(&keyed, TR_STR("Jefe"));
    struct tr_crypto_hmac copy = keyed;
    tr_crypto_hmac_add(&copy, TR_STR("what do ya want for nothing?"));
    tr_crypto_hmac_done(&copy, first);
    copy = keyed;
    tr_crypto_hmac_add(&copy, TR_STR("what do ya want for nothing?"));
    tr_crypto_hmac_done(&copy, second);
    CHECK(memcmp(first, second, sizeof(first)) == 0);
    check_digest(first, macs[1].mac);
}
