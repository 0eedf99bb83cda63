#include "crypto/signature.h"

#include "base/test.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "support/signer.h"

#define MESSAGE TR_STR("what somebody has said")
#define BLOCK   256

static struct tr_arena arena;

static tr_str hex(const char *digits)
{
    size_t len = strlen(digits) / 2;
    unsigned char *bytes = tr_arena_alloc(&arena, len);
    CHECK(bytes && tr_crypto_hex_read(tr_str_from(digits), bytes));
    return (tr_str){(char *)bytes, len};
}

static tr_str url(const char *text)
{
    tr_str bytes = {NULL, 0};
    CHECK_OK(
        tr_crypto_base64url_decode(&arena, tr_str_from(text), &bytes, NULL),
        NULL);
    return bytes;
}

static tr_str changed(tr_str s, size_t at)
{
    static char bytes[1024]; /* used before the next is made */
    CHECK(s.len <= sizeof(bytes));
    memcpy(bytes, s.ptr, s.len);
    bytes[at] = (char)(bytes[at] ^ 1);
    return (tr_str){bytes, s.len};
}

/* A key, its signature of MESSAGE, and what is wrong with others. */
struct world {
    struct tr_signer *signer;
    struct tr_crypto_public_key *key;
    tr_str signature;
};

static struct world open_world(enum tr_crypto_key_kind kind)
{
    struct world w;
    tr_arena_init(&arena, 1 << 20);
    w.signer = tr_signer_new(kind);
    w.key = tr_signer_public(w.signer);
    w.signature = tr_signer_sign(w.signer, &arena, MESSAGE);
    CHECK(tr_crypto_public_key_kind(w.key) == kind);
    CHECK(tr_crypto_public_key_verify(w.key, MESSAGE, w.signature));
    return w;
}

static void close_world(struct world *w)
{
    tr_crypto_public_key_free(w->key);
    tr_signer_free(w->signer);
    tr_arena_done(&arena);
}

/* For every kind: another bit, another length, another key, another message. */
static void check_common(enum tr_crypto_key_kind kind)
{
    struct world w = open_world(kind);
    struct world other = {.signer = tr_signer_new(kind)};
    size_t len = w.signature.len;
    for (size_t at = 0; at < len; at += 7)
        CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE,
                                           changed(w.signature, at)));
    for (size_t cut = 0; cut < len; cut += 5)
        CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE,
                                           (tr_str){w.signature.ptr, cut}));
    char longer[1024] = {0};
    CHECK(len < sizeof(longer));
    memcpy(longer, w.signature.ptr, len);
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE,
                                       (tr_str){longer, len + 1}));
    CHECK(!tr_crypto_public_key_verify(w.key, TR_STR("what somebody has sai"),
                                       w.signature));
    CHECK(!tr_crypto_public_key_verify(w.key, TR_STR(""), w.signature));
    other.key = tr_signer_public(other.signer);
    CHECK(!tr_crypto_public_key_verify(other.key, MESSAGE, w.signature));
    tr_crypto_public_key_free(other.key);
    tr_signer_free(other.signer);
    close_world(&w);
}

TEST(signatures_of_ed25519_that_are_not_its_own_are_refused)
{
    check_common(TR_CRYPTO_KEY_ED25519);
}

TEST(signatures_of_p256_that_are_not_its_own_are_refused)
{
    check_common(TR_CRYPTO_KEY_P256);
}

TEST(signatures_of_rsa_that_are_not_its_own_are_refused)
{
    check_common(TR_CRYPTO_KEY_RSA);
}

/* RFC 8032, 7.1, test 2, and RFC 7515, A.3 */
TEST(signatures_of_the_rfcs_are_accepted)
{
    struct tr_crypto_public_key *key = NULL;
    tr_arena_init(&arena, 1 << 20);
    CHECK_OK(
        tr_crypto_public_key_ed25519(hex("3d4017c3e843895a92b70aa74d1b7ebc"
                                         "9c982ccf2ec4968cc0cd55f12af4660c"),
                                     &key, NULL),
        NULL);
    CHECK(tr_crypto_public_key_verify(
        key, hex("72"),
        hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c0"
            "0")));
    tr_crypto_public_key_free(key);
    CHECK_OK(tr_crypto_public_key_p256(
                 url("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"),
                 url("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"), &key,
                 NULL),
             NULL);
    CHECK(tr_crypto_public_key_verify(
        key,
        TR_STR("eyJhbGciOiJFUzI1NiJ9"
               ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6"
               "Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"),
        url("DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlS"
            "ApmWQxfKTUJqPP3-Kg6NU1Q")));
    tr_crypto_public_key_free(key);
    tr_arena_done(&arena);
}

/* The order of P-256, and of the base point of Ed25519, lowest byte first. */
#define P256_N                                                                 \
    "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
#define ED_L "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"
#define ZERO32                                                                 \
    "0000000000000000000000000000000000000000000000000000000000000000"
#define ONE32 "0000000000000000000000000000000000000000000000000000000000000001"
#define FF32  "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

TEST(numbers_outside_their_range_are_no_p256_signature)
{
    static const char *const bad[] = {
        ZERO32 ZERO32, ZERO32 ONE32, ONE32 ZERO32, P256_N ONE32,
        ONE32 P256_N,  FF32 FF32,    ZERO32 FF32,  P256_N P256_N,
    };
    struct world w = open_world(TR_CRYPTO_KEY_P256);
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(!tr_crypto_public_key_verify(w.key, MESSAGE, hex(bad[i])),
                  bad[i]);
    close_world(&w);
}

/* Both numbers with n added would be the same modulo n, where it fits. */
TEST(a_p256_signature_has_one_form)
{
    struct world w = open_world(TR_CRYPTO_KEY_P256);
    char half[32];
    char both[64];
    memcpy(half, w.signature.ptr, 32);
    memcpy(both, w.signature.ptr + 32, 32);
    memcpy(both + 32, half, 32);
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE, (tr_str){both, 64}));
    /* DER, as other libraries give it out */
    unsigned char der[72] = {0x30, 68, 2, 32};
    memcpy(der + 4, w.signature.ptr, 32);
    der[36] = 2;
    der[37] = 32;
    memcpy(der + 38, w.signature.ptr + 32, 32);
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE,
                                       (tr_str){(char *)der, 70}));
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE,
                                       (tr_str){(char *)der, 64}));
    close_world(&w);
}

/* s plus the order verifies too where s is not compared with the order. */
TEST(an_ed25519_signature_whose_s_is_too_large_is_refused)
{
    struct world w = open_world(TR_CRYPTO_KEY_ED25519);
    unsigned char same[64];
    tr_str order = hex(ED_L);
    unsigned carry = 0;
    memcpy(same, w.signature.ptr, sizeof(same));
    for (size_t i = 0; i < 32; i++) {
        carry += same[32 + i] + (unsigned)(unsigned char)order.ptr[i];
        same[32 + i] = (unsigned char)carry;
        carry >>= 8;
    }
    CHECK_INT(carry, 0);
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE,
                                       (tr_str){(char *)same, sizeof(same)}));
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE, hex(ZERO32 ZERO32)));
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE, hex(FF32 FF32)));
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE, hex(ZERO32 ED_L)));
    close_world(&w);
}

/* 00 01 FF.. 00 DigestInfo digest, with `padding` bytes of FF. */
static tr_str block_of(size_t padding, const char *prefix, size_t trailing)
{
    unsigned char *block = tr_arena_zalloc(&arena, BLOCK, 1);
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    tr_str info = hex(prefix);
    CHECK(block);
    tr_crypto_sha256(MESSAGE, digest);
    size_t at = 3 + padding;
    CHECK(at + info.len + sizeof(digest) + trailing <= BLOCK);
    block[1] = 1;
    memset(block + 2, 0xFF, padding);
    memcpy(block + at, info.ptr, info.len);
    memcpy(block + at + info.len, digest, sizeof(digest));
    return (tr_str){(char *)block, BLOCK};
}

#define SHA256_INFO "3031300d060960864801650304020105000420"
#define NO_NULL_INFO                                                           \
    "302f300b0609608648016503040201"                                           \
    "0420"
#define SHA1_INFO    "3021300906052b0e03021a05000414"
#define FULL_PADDING ((size_t)BLOCK - 3 - 19 - TR_CRYPTO_SHA256_BYTES)

static bool accepts(struct world *w, tr_str block)
{
    return tr_crypto_public_key_verify(w->key, MESSAGE,
                                       tr_signer_raw(w->signer, &arena, block));
}

TEST(an_rsa_signature_has_all_of_its_padding)
{
    struct world w = open_world(TR_CRYPTO_KEY_RSA);
    CHECK(accepts(&w, block_of(FULL_PADDING, SHA256_INFO, 0)));
    /* What is left behind the digest may be anything: that was the forgery. */
    CHECK(!accepts(&w, block_of(8, SHA256_INFO, 100)));
    CHECK(!accepts(&w, block_of(0, SHA256_INFO, 100)));
    CHECK(!accepts(&w, block_of(FULL_PADDING - 1, SHA256_INFO, 1)));
    CHECK(!accepts(&w, block_of(FULL_PADDING + 2, NO_NULL_INFO, 0)));
    CHECK(!accepts(&w, block_of(FULL_PADDING + 4, SHA1_INFO, 0)));
    tr_str good = block_of(FULL_PADDING, SHA256_INFO, 0);
    CHECK(!accepts(&w, changed(good, 1)));
    CHECK(!accepts(&w, changed(good, 2)));
    CHECK(!accepts(&w, changed(good, 2 + FULL_PADDING)));
    CHECK(!accepts(&w, changed(good, BLOCK - 1)));
    close_world(&w);
}

TEST(numbers_that_sign_everything_are_no_rsa_signature)
{
    struct world w = open_world(TR_CRYPTO_KEY_RSA);
    char bytes[BLOCK];
    memset(bytes, 0, sizeof(bytes));
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE, (tr_str){bytes, BLOCK}));
    bytes[BLOCK - 1] = 1;
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE, (tr_str){bytes, BLOCK}));
    memset(bytes, 0xFF, BLOCK); /* above the modulus */
    CHECK(!tr_crypto_public_key_verify(w.key, MESSAGE, (tr_str){bytes, BLOCK}));
    close_world(&w);
}

TEST(keys_that_are_none_are_refused)
{
    struct tr_crypto_public_key *key = NULL;
    tr_arena_init(&arena, 1 << 20);
    char number[2000];
    memset(number, 0xFF, sizeof(number));
    tr_str three = TR_STR("\3");
    CHECK(tr_crypto_public_key_ed25519(TR_STR("short"), &key, NULL) ==
          TR_E_INVALID);
    CHECK(tr_crypto_public_key_p256(hex(ONE32), hex("01"), &key, NULL) ==
          TR_E_INVALID);
    CHECK(tr_crypto_public_key_p256(hex(ONE32), hex(ONE32), &key, NULL) ==
          TR_E_INVALID); /* not on the curve */
    CHECK(tr_crypto_public_key_p256(hex(ZERO32), hex(ZERO32), &key, NULL) ==
          TR_E_INVALID);
    CHECK(tr_crypto_public_key_p256(hex(FF32), hex(FF32), &key, NULL) ==
          TR_E_INVALID);
    CHECK(tr_crypto_public_key_rsa((tr_str){number, 255}, three, &key, NULL) ==
          TR_E_INVALID);
    CHECK(tr_crypto_public_key_rsa((tr_str){number, 1025}, three, &key, NULL) ==
          TR_E_INVALID);
    CHECK(tr_crypto_public_key_rsa(TR_STR(""), three, &key, NULL) ==
          TR_E_INVALID);
    tr_str n = {number, 256};
    CHECK(tr_crypto_public_key_rsa(n, TR_STR("\1"), &key, NULL) ==
          TR_E_INVALID);
    CHECK(tr_crypto_public_key_rsa(n, TR_STR("\2"), &key, NULL) ==
          TR_E_INVALID);
    CHECK(tr_crypto_public_key_rsa(n, TR_STR(""), &key, NULL) == TR_E_INVALID);
    CHECK(tr_crypto_public_key_rsa(n, (tr_str){number, 9}, &key, NULL) ==
          TR_E_INVALID);
    CHECK(!key);
    tr_arena_done(&arena);
}
