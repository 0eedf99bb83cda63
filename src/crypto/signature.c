#include "crypto/signature.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#define ED25519_BYTES 32
#define P256_BYTES    32
#define MODULUS_MIN   256 /* bytes */
#define MODULUS_MAX   1024
#define EXPONENT_MAX  8

/* A signature of two numbers, as DER has it. */
#define DER_BYTES 80

struct tr_crypto_public_key {
    EVP_PKEY *pkey;
    enum tr_crypto_key_kind kind;
};

static const unsigned char *bytes_of(tr_str s)
{
    return (const unsigned char *)s.ptr;
}

static tr_status fail_nomem(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a key");
}

/* Owns `pkey` from now on, also when it fails; NULL: it was refused. */
static tr_status wrap(EVP_PKEY *pkey, enum tr_crypto_key_kind kind,
                      struct tr_crypto_public_key **out, struct tr_err *err)
{
    ERR_clear_error();
    if (!pkey)
        return tr_fail(err, TR_E_INVALID, "the key is not a valid one");
    struct tr_crypto_public_key *key = calloc(1, sizeof(*key));
    if (!key) {
        EVP_PKEY_free(pkey);
        return fail_nomem(err);
    }
    *key = (struct tr_crypto_public_key){pkey, kind};
    *out = key;
    return TR_OK;
}

/* NULL when OpenSSL does not take it. */
static EVP_PKEY *build(const char *type, OSSL_PARAM *params)
{
    EVP_PKEY *pkey = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (!context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY, params) != 1)
        pkey = NULL;
    EVP_PKEY_CTX_free(context);
    return pkey;
}

/* Refuses what is no valid key, such as a point that is not on the curve. */
static EVP_PKEY *checked(EVP_PKEY *pkey)
{
    EVP_PKEY_CTX *context =
        pkey ? EVP_PKEY_CTX_new_from_pkey(NULL, pkey, NULL) : NULL;
    bool good = context && EVP_PKEY_public_check(context) == 1;
    EVP_PKEY_CTX_free(context);
    if (good)
        return pkey;
    EVP_PKEY_free(pkey);
    return NULL;
}

tr_status tr_crypto_public_key_ed25519(tr_str x,
                                       struct tr_crypto_public_key **out,
                                       struct tr_err *err)
{
    if (x.len != ED25519_BYTES)
        return tr_fail(err, TR_E_INVALID, "an Ed25519 key has %d bytes",
                       ED25519_BYTES);
    EVP_PKEY *pkey =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes_of(x), x.len);
    return wrap(pkey, TR_CRYPTO_KEY_ED25519, out, err);
}

tr_status tr_crypto_public_key_p256(tr_str x, tr_str y,
                                    struct tr_crypto_public_key **out,
                                    struct tr_err *err)
{
    unsigned char point[1 + 2 * P256_BYTES] = {POINT_CONVERSION_UNCOMPRESSED};
    char group[] = "prime256v1";
    if (x.len != P256_BYTES || y.len != P256_BYTES)
        return tr_fail(err, TR_E_INVALID,
                       "the coordinates of a P-256 key have %d bytes each",
                       P256_BYTES);
    memcpy(point + 1, x.ptr, P256_BYTES);
    memcpy(point + 1 + P256_BYTES, y.ptr, P256_BYTES);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point,
                                          sizeof(point)),
        OSSL_PARAM_construct_end(),
    };
    return wrap(checked(build("EC", params)), TR_CRYPTO_KEY_P256, out, err);
}

static tr_str without_zeros(tr_str number)
{
    while (number.len && number.ptr[0] == 0)
        number = tr_str_skip(number, 1);
    return number;
}

static tr_status check_rsa(tr_str n, tr_str e, struct tr_err *err)
{
    bool is_full = n.len > MODULUS_MIN ||
                   (n.len == MODULUS_MIN && (unsigned char)n.ptr[0] >= 0x80);
    if (!is_full || n.len > MODULUS_MAX || !(n.ptr[n.len - 1] & 1))
        return tr_fail(err, TR_E_INVALID,
                       "an RSA key has an odd modulus of %d to %d bits",
                       MODULUS_MIN * 8, MODULUS_MAX * 8);
    if (!e.len || e.len > EXPONENT_MAX || !(e.ptr[e.len - 1] & 1) ||
        (e.len == 1 && (unsigned char)e.ptr[0] < 3))
        return tr_fail(err, TR_E_INVALID,
                       "the exponent of an RSA key is odd, at least 3 and "
                       "has at most %d bytes",
                       EXPONENT_MAX);
    return TR_OK;
}

static EVP_PKEY *build_rsa(const BIGNUM *n, const BIGNUM *e)
{
    EVP_PKEY *pkey = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    if (builder && n && e &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
        params = OSSL_PARAM_BLD_to_param(builder);
    if (params)
        pkey = build("RSA", params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    return pkey;
}

tr_status tr_crypto_public_key_rsa(tr_str n, tr_str e,
                                   struct tr_crypto_public_key **out,
                                   struct tr_err *err)
{
    n = without_zeros(n);
    e = without_zeros(e);
    TR_TRY(check_rsa(n, e, err));
    BIGNUM *modulus = BN_bin2bn(bytes_of(n), (int)n.len, NULL);
    BIGNUM *exponent = BN_bin2bn(bytes_of(e), (int)e.len, NULL);
    EVP_PKEY *pkey = build_rsa(modulus, exponent);
    BN_free(modulus);
    BN_free(exponent);
    return wrap(pkey, TR_CRYPTO_KEY_RSA, out, err);
}

void tr_crypto_public_key_free(struct tr_crypto_public_key *key)
{
    if (!key)
        return;
    EVP_PKEY_free(key->pkey);
    free(key);
}

enum tr_crypto_key_kind
tr_crypto_public_key_kind(const struct tr_crypto_public_key *key)
{
    return key->kind;
}

/* OpenSSL wants DER; JOSE has the two numbers side by side (RFC 7518, 3.4). */
static size_t to_der(tr_str raw, unsigned char out[DER_BYTES])
{
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(bytes_of(raw), P256_BYTES, NULL);
    BIGNUM *s = BN_bin2bn(bytes_of(raw) + P256_BYTES, P256_BYTES, NULL);
    int len = 0;
    if (pair && r && s && ECDSA_SIG_set0(pair, r, s) == 1) {
        r = s = NULL; /* they are the pair's now */
        unsigned char *at = out;
        len = i2d_ECDSA_SIG(pair, NULL);
        len = len > 0 && len <= DER_BYTES ? i2d_ECDSA_SIG(pair, &at) : 0;
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return len > 0 ? (size_t)len : 0;
}

static bool verify(const struct tr_crypto_public_key *key, tr_str message,
                   tr_str signature)
{
    const EVP_MD *digest =
        key->kind == TR_CRYPTO_KEY_ED25519 ? NULL : EVP_sha256();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool good =
        context &&
        EVP_DigestVerifyInit(context, NULL, digest, NULL, key->pkey) == 1 &&
        EVP_DigestVerify(context, bytes_of(signature), signature.len,
                         bytes_of(message), message.len) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

bool tr_crypto_public_key_verify(const struct tr_crypto_public_key *key,
                                 tr_str message, tr_str signature)
{
    unsigned char der[DER_BYTES];
    if (key->kind == TR_CRYPTO_KEY_P256) {
        if (signature.len != (size_t)2 * P256_BYTES)
            return false;
        signature = (tr_str){(const char *)der, to_der(signature, der)};
    }
    bool good = signature.len && verify(key, message, signature);
    ERR_clear_error();
    return good;
}
