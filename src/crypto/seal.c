#include "crypto/seal.h"

#include "base/limits.h"
#include "crypto/encoding.h"
#include "crypto/keys_inside.h"
#include "crypto/random.h"

/*
 * version | expiry, 8 bytes, high first | payload | HMAC, cut to 16 bytes
 *
 * The version says whether the payload is plain, or a nonce and what was
 * encrypted with it. Why it is done like this: docs/decisions/0022.
 */
#define PLAIN       1
#define SECRET      2
#define HEAD        9
#define NONCE       16
#define MAC         16 /* RFC 2104, section 5: half of it is enough */
#define PURPOSE_MAX 255

_Static_assert(MAC <= TR_CRYPTO_SHA256_BYTES, "the MAC is cut, not stretched");

static void put_u64(unsigned char out[8], uint64_t value)
{
    for (size_t i = 0; i < 8; i++)
        out[i] = (unsigned char)(value >> (56 - 8 * i));
}

/*
 * The length of the purpose goes first: without it, a byte could move from the
 * purpose to the payload and leave the MAC the same.
 */
static void sign(const struct tr_crypto_hmac *key, tr_str purpose,
                 tr_str signed_part, unsigned char out[TR_CRYPTO_SHA256_BYTES])
{
    struct tr_crypto_hmac hmac = *key;
    char len = (char)purpose.len;
    tr_crypto_hmac_add(&hmac, (tr_str){&len, 1});
    tr_crypto_hmac_add(&hmac, purpose);
    tr_crypto_hmac_add(&hmac, signed_part);
    tr_crypto_hmac_done(&hmac, out);
}

/*
 * Encrypts `bytes`, or decrypts them, where they stand: what is added to block
 * i of them is the HMAC of the nonce and i. Its key is derived from the one
 * that signs, by a text that is never signed, as its version would be 0.
 */
static void crypt(const struct tr_crypto_hmac *key, tr_str purpose,
                  const unsigned char nonce[NONCE], unsigned char *bytes,
                  size_t len)
{
    unsigned char pad[TR_CRYPTO_SHA256_BYTES];
    unsigned char at[8];
    struct tr_crypto_hmac derived;
    sign(key, purpose, TR_STR("\0encrypt"), pad);
    tr_crypto_hmac_init(&derived, (tr_str){(char *)pad, sizeof(pad)});
    for (size_t i = 0; i < len; i++) {
        if (i % sizeof(pad) == 0) {
            struct tr_crypto_hmac hmac = derived;
            put_u64(at, i / sizeof(pad));
            tr_crypto_hmac_add(&hmac, (tr_str){(const char *)nonce, NONCE});
            tr_crypto_hmac_add(&hmac, (tr_str){(char *)at, sizeof(at)});
            tr_crypto_hmac_done(&hmac, pad);
        }
        bytes[i] ^= pad[i % sizeof(pad)];
    }
    tr_crypto_secret_wipe(&derived, sizeof(derived));
    tr_crypto_secret_wipe(pad, sizeof(pad));
}

/* Writes a nonce, and the payload as it is encrypted with it. */
static tr_status put_secret(const struct tr_crypto_seal *how, tr_str payload,
                            unsigned char *to, struct tr_err *err)
{
    TR_TRY(tr_crypto_random_bytes(to, NONCE, err));
    if (payload.len)
        memcpy(to + NONCE, payload.ptr, payload.len);
    crypt(&how->keys->current, how->purpose, to, to + NONCE, payload.len);
    return TR_OK;
}

tr_status tr_crypto_seal(struct tr_arena *arena,
                         const struct tr_crypto_seal *how, tr_str payload,
                         tr_str *out, struct tr_err *err)
{
    unsigned char mac[TR_CRYPTO_SHA256_BYTES];
    size_t around = HEAD + (how->is_secret ? NONCE : 0) + MAC;
    if (how->purpose.len > PURPOSE_MAX ||
        payload.len > TR_LIMIT_SEALED_BYTES / 4 * 3 - around)
        return tr_fail(err, TR_E_LIMIT,
                       "what is sealed has at most %zu bytes in all",
                       TR_LIMIT_SEALED_BYTES);
    size_t len = around + payload.len;
    unsigned char *bytes = tr_arena_alloc(arena, len);
    if (!bytes)
        return tr_fail(err, TR_E_NOMEM, "no memory to seal");
    bytes[0] = how->is_secret ? SECRET : PLAIN;
    put_u64(bytes + 1, (uint64_t)how->expires);
    if (how->is_secret)
        TR_TRY(put_secret(how, payload, bytes + HEAD, err));
    else if (payload.len)
        memcpy(bytes + HEAD, payload.ptr, payload.len);
    sign(&how->keys->current, how->purpose, (tr_str){(char *)bytes, len - MAC},
         mac);
    memcpy(bytes + len - MAC, mac, MAC);
    return tr_crypto_base64url_encode(arena, (tr_str){(char *)bytes, len}, out,
                                      err);
}

static bool is_signed_by(const struct tr_crypto_hmac *key, tr_str purpose,
                         tr_str text)
{
    unsigned char mac[TR_CRYPTO_SHA256_BYTES];
    sign(key, purpose, (tr_str){text.ptr, text.len - MAC}, mac);
    return tr_crypto_secret_eq((tr_str){(char *)mac, MAC},
                               tr_str_skip(text, text.len - MAC));
}

/*
 * The key that has signed it, or NULL. Both are always tried, so that the time
 * taken does not show which.
 */
static const struct tr_crypto_hmac *find_key(const struct tr_crypto_unseal *how,
                                             tr_str text)
{
    const struct tr_crypto_keys *keys = how->keys;
    bool is_current = is_signed_by(&keys->current, how->purpose, text);
    bool is_previous = keys->previous_until > how->now &&
                       is_signed_by(&keys->previous, how->purpose, text);
    if (is_current)
        return &keys->current;
    return is_previous ? &keys->previous : NULL;
}

static int64_t expiry_of(tr_str text)
{
    uint64_t value = 0;
    for (size_t i = 0; i < 8; i++)
        value = value << 8 | (unsigned char)text.ptr[1 + i];
    return (int64_t)value;
}

/* What stands between the head and the MAC, decrypted when it is a secret. */
static tr_str take_payload(const struct tr_crypto_unseal *how,
                           const struct tr_crypto_hmac *key, tr_str text)
{
    tr_str kept = {text.ptr + HEAD, text.len - HEAD - MAC};
    if (!how->is_secret)
        return kept;
    unsigned char *bytes = (unsigned char *)kept.ptr;
    crypt(key, how->purpose, bytes, bytes + NONCE, kept.len - NONCE);
    return tr_str_skip(kept, NONCE);
}

tr_status tr_crypto_unseal(struct tr_arena *arena,
                           const struct tr_crypto_unseal *how, tr_str sealed,
                           tr_str *out, struct tr_err *err)
{
    size_t around = HEAD + (how->is_secret ? NONCE : 0) + MAC;
    const struct tr_crypto_hmac *key = NULL;
    tr_str text;
    if (sealed.len > TR_LIMIT_SEALED_BYTES || how->purpose.len > PURPOSE_MAX)
        return tr_fail(err, TR_E_INVALID, "this was not made here");
    tr_status st = tr_crypto_base64url_decode(arena, sealed, &text, NULL);
    if (st == TR_E_NOMEM)
        return tr_fail(err, st, "no memory to unseal");
    if (st == TR_OK && text.len >= around &&
        text.ptr[0] == (how->is_secret ? SECRET : PLAIN))
        key = find_key(how, text);
    if (!key)
        return tr_fail(err, TR_E_INVALID, "this was not made here");
    int64_t expires = expiry_of(text);
    if (expires && expires <= how->now)
        return tr_fail(err, TR_E_INVALID, "this has expired");
    *out = take_payload(how, key, text);
    return TR_OK;
}
