#include "support/signer.h"

#include "base/buf.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#define RSA_BITS   2048
#define P256_BYTES 32

struct tr_signer {
    EVP_PKEY *pkey;
    enum tr_crypto_key_kind kind;
};

static void must(bool holds)
{
    if (!holds)
        abort();
}

static const unsigned char *bytes_of(tr_str s)
{
    return (const unsigned char *)s.ptr;
}

struct tr_signer *tr_signer_new(enum tr_crypto_key_kind kind)
{
    struct tr_signer *signer = calloc(1, sizeof(*signer));
    must(signer);
    signer->kind = kind;
    signer->pkey = kind == TR_CRYPTO_KEY_RSA
                       ? EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t)RSA_BITS)
                   : kind == TR_CRYPTO_KEY_P256
                       ? EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256")
                       : EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    must(signer->pkey);
    return signer;
}

void tr_signer_free(struct tr_signer *signer)
{
    if (!signer)
        return;
    EVP_PKEY_free(signer->pkey);
    free(signer);
}

/* A number of the key as big-endian bytes, `len` of them when that is not 0. */
static tr_str number(struct tr_signer *signer, struct tr_arena *arena,
                     const char *name, int len)
{
    BIGNUM *value = NULL;
    must(EVP_PKEY_get_bn_param(signer->pkey, name, &value) == 1);
    if (!len)
        len = BN_num_bytes(value);
    unsigned char *bytes = tr_arena_alloc(arena, (size_t)len);
    must(bytes && BN_bn2binpad(value, bytes, len) == len);
    BN_free(value);
    return (tr_str){(char *)bytes, (size_t)len};
}

static tr_str raw_public(struct tr_signer *signer, struct tr_arena *arena)
{
    size_t len = 32;
    unsigned char *bytes = tr_arena_alloc(arena, len);
    must(bytes && EVP_PKEY_get_raw_public_key(signer->pkey, bytes, &len) == 1);
    return (tr_str){(char *)bytes, len};
}

struct tr_crypto_public_key *tr_signer_public(struct tr_signer *signer)
{
    struct tr_crypto_public_key *key = NULL;
    struct tr_arena arena;
    tr_status status;
    tr_arena_init(&arena, 65536);
    if (signer->kind == TR_CRYPTO_KEY_RSA)
        status = tr_crypto_public_key_rsa(
            number(signer, &arena, OSSL_PKEY_PARAM_RSA_N, 0),
            number(signer, &arena, OSSL_PKEY_PARAM_RSA_E, 0), &key, NULL);
    else if (signer->kind == TR_CRYPTO_KEY_P256)
        status = tr_crypto_public_key_p256(
            number(signer, &arena, OSSL_PKEY_PARAM_EC_PUB_X, P256_BYTES),
            number(signer, &arena, OSSL_PKEY_PARAM_EC_PUB_Y, P256_BYTES), &key,
            NULL);
    else
        status = tr_crypto_public_key_ed25519(raw_public(signer, &arena), &key,
                                              NULL);
    must(status == TR_OK);
    tr_arena_done(&arena);
    return key;
}

static tr_str encoded(struct tr_arena *arena, tr_str bytes)
{
    tr_str text = {NULL, 0};
    must(tr_crypto_base64url_encode(arena, bytes, &text, NULL) == TR_OK);
    return text;
}

static tr_str print(struct tr_arena *arena, const struct tr_buf *buf)
{
    tr_str text = {NULL, 0};
    must(tr_buf_check(buf, NULL) == TR_OK &&
         tr_arena_copy(arena, tr_buf_str(buf), &text));
    return text;
}

static void put(struct tr_buf *buf, const char *name, tr_str value)
{
    tr_buf_putf(buf, "\"%s\":\"%.*s\",", name, TR_FMT(value));
}

tr_str tr_signer_jwk(struct tr_signer *signer, struct tr_arena *arena,
                     const char *kid)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 65536);
    tr_buf_putc(&buf, '{');
    if (signer->kind == TR_CRYPTO_KEY_RSA) {
        put(&buf, "kty", TR_STR("RSA"));
        put(&buf, "n",
            encoded(arena, number(signer, arena, OSSL_PKEY_PARAM_RSA_N, 0)));
        put(&buf, "e",
            encoded(arena, number(signer, arena, OSSL_PKEY_PARAM_RSA_E, 0)));
    } else if (signer->kind == TR_CRYPTO_KEY_P256) {
        put(&buf, "kty", TR_STR("EC"));
        put(&buf, "crv", TR_STR("P-256"));
        put(&buf, "x",
            encoded(arena, number(signer, arena, OSSL_PKEY_PARAM_EC_PUB_X,
                                  P256_BYTES)));
        put(&buf, "y",
            encoded(arena, number(signer, arena, OSSL_PKEY_PARAM_EC_PUB_Y,
                                  P256_BYTES)));
    } else {
        put(&buf, "kty", TR_STR("OKP"));
        put(&buf, "crv", TR_STR("Ed25519"));
        put(&buf, "x", encoded(arena, raw_public(signer, arena)));
    }
    tr_buf_putf(&buf, "\"kid\":\"%s\"}", kid);
    tr_str text = print(arena, &buf);
    tr_buf_done(&buf);
    return text;
}

static tr_str from_der(struct tr_arena *arena, const unsigned char *der,
                       size_t len)
{
    const unsigned char *at = der;
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &at, (long)len);
    unsigned char *raw = tr_arena_alloc(arena, (size_t)2 * P256_BYTES);
    must(pair && raw &&
         BN_bn2binpad(ECDSA_SIG_get0_r(pair), raw, P256_BYTES) == P256_BYTES &&
         BN_bn2binpad(ECDSA_SIG_get0_s(pair), raw + P256_BYTES, P256_BYTES) ==
             P256_BYTES);
    ECDSA_SIG_free(pair);
    return (tr_str){(char *)raw, (size_t)2 * P256_BYTES};
}

tr_str tr_signer_sign(struct tr_signer *signer, struct tr_arena *arena,
                      tr_str message)
{
    size_t len = 1024;
    unsigned char *bytes = tr_arena_alloc(arena, len);
    const EVP_MD *md =
        signer->kind == TR_CRYPTO_KEY_ED25519 ? NULL : EVP_sha256();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    must(bytes && context &&
         EVP_DigestSignInit(context, NULL, md, NULL, signer->pkey) == 1 &&
         EVP_DigestSign(context, bytes, &len, bytes_of(message), message.len) ==
             1);
    EVP_MD_CTX_free(context);
    if (signer->kind == TR_CRYPTO_KEY_P256)
        return from_der(arena, bytes, len);
    return (tr_str){(char *)bytes, len};
}

bool tr_signer_verify(struct tr_signer *signer, tr_str message,
                      tr_str signature)
{
    const EVP_MD *md =
        signer->kind == TR_CRYPTO_KEY_ED25519 ? NULL : EVP_sha256();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    must(context &&
         EVP_DigestVerifyInit(context, NULL, md, NULL, signer->pkey) == 1);
    bool good = EVP_DigestVerify(context, bytes_of(signature), signature.len,
                                 bytes_of(message), message.len) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

tr_str tr_signer_raw(struct tr_signer *signer, struct tr_arena *arena,
                     tr_str block)
{
    size_t len = RSA_BITS / 8;
    unsigned char *bytes = tr_arena_alloc(arena, len);
    EVP_PKEY_CTX *context =
        EVP_PKEY_CTX_new_from_pkey(NULL, signer->pkey, NULL);
    must(bytes && context && EVP_PKEY_sign_init(context) == 1 &&
         EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) == 1 &&
         EVP_PKEY_sign(context, bytes, &len, bytes_of(block), block.len) == 1);
    EVP_PKEY_CTX_free(context);
    return (tr_str){(char *)bytes, len};
}

static void put_signed_part(struct tr_buf *buf, struct tr_arena *arena,
                            const char *header, const char *claims)
{
    tr_buf_put(buf, encoded(arena, tr_str_from(header)));
    tr_buf_putc(buf, '.');
    tr_buf_put(buf, encoded(arena, tr_str_from(claims)));
}

tr_str tr_signer_jwt(struct tr_signer *signer, struct tr_arena *arena,
                     const char *header, const char *claims)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 65536);
    put_signed_part(&buf, arena, header, claims);
    tr_str signature = {NULL, 0};
    if (signer)
        signature = tr_signer_sign(signer, arena, print(arena, &buf));
    tr_buf_putc(&buf, '.');
    tr_buf_put(&buf, encoded(arena, signature));
    tr_str text = print(arena, &buf);
    tr_buf_done(&buf);
    return text;
}

tr_str tr_hmac_jwt(tr_str secret, struct tr_arena *arena, const char *header,
                   const char *claims)
{
    struct tr_buf buf;
    struct tr_crypto_hmac hmac;
    unsigned char mac[TR_CRYPTO_SHA256_BYTES];
    tr_buf_init(&buf, 65536);
    put_signed_part(&buf, arena, header, claims);
    tr_crypto_hmac_init(&hmac, secret);
    tr_crypto_hmac_add(&hmac, tr_buf_str(&buf));
    tr_crypto_hmac_done(&hmac, mac);
    tr_buf_putc(&buf, '.');
    tr_buf_put(&buf, encoded(arena, (tr_str){(char *)mac, sizeof(mac)}));
    tr_str text = print(arena, &buf);
    tr_buf_done(&buf);
    return text;
}
