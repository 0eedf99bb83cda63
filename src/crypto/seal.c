#include "crypto/seal.h"

#include "base/limits.h"
#include "crypto/encoding.h"
#include "crypto/keys_inside.h"
#include "crypto/random.h"

/* version | expiry, 8 bytes, high first | payload | HMAC, cut to 16 bytes */
#define VERSION     1
#define HEAD        9
#define MAC         16 /* RFC 2104, section 5: half of it is enough */
#define PURPOSE_MAX 255

_Static_assert(MAC <= TR_CRYPTO_SHA256_BYTES, "the MAC is cut, not stretched");

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

tr_status tr_crypto_seal(struct tr_arena *arena,
                         const struct tr_crypto_seal *how, tr_str payload,
                         tr_str *out, struct tr_err *err)
{
    unsigned char mac[TR_CRYPTO_SHA256_BYTES];
    if (how->purpose.len > PURPOSE_MAX ||
        payload.len > TR_LIMIT_SEALED_BYTES / 4 * 3 - HEAD - MAC)
        return tr_fail(err, TR_E_LIMIT,
                       "what is sealed has at most %zu bytes in all",
                       TR_LIMIT_SEALED_BYTES);
    size_t len = HEAD + payload.len + MAC;
    unsigned char *bytes = tr_arena_alloc(arena, len);
    if (!bytes)
        return tr_fail(err, TR_E_NOMEM, "no memory to seal");
    bytes[0] = VERSION;
    for (size_t i = 0; i < 8; i++)
        bytes[1 + i] = (unsigned char)((uint64_t)how->expires >> (56 - 8 * i));
    if (payload.len)
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

/* Both keys are always tried, so that the time taken does not show which. */
static bool is_ours(const struct tr_crypto_unseal *how, tr_str text)
{
    const struct tr_crypto_keys *keys = how->keys;
    bool is_current = is_signed_by(&keys->current, how->purpose, text);
    bool is_previous = keys->previous_until > how->now &&
                       is_signed_by(&keys->previous, how->purpose, text);
    return is_current || is_previous;
}

static int64_t expiry_of(tr_str text)
{
    uint64_t value = 0;
    for (size_t i = 0; i < 8; i++)
        value = value << 8 | (unsigned char)text.ptr[1 + i];
    return (int64_t)value;
}

tr_status tr_crypto_unseal(struct tr_arena *arena,
                           const struct tr_crypto_unseal *how, tr_str sealed,
                           tr_str *out, struct tr_err *err)
{
    tr_str text;
    if (sealed.len > TR_LIMIT_SEALED_BYTES || how->purpose.len > PURPOSE_MAX)
        return tr_fail(err, TR_E_INVALID, "this was not made here");
    tr_status st = tr_crypto_base64url_decode(arena, sealed, &text, NULL);
    if (st == TR_E_NOMEM)
        return tr_fail(err, st, "no memory to unseal");
    if (st != TR_OK || text.len < HEAD + MAC || text.ptr[0] != VERSION ||
        !is_ours(how, text))
        return tr_fail(err, TR_E_INVALID, "this was not made here");
    int64_t expires = expiry_of(text);
    if (expires && expires <= how->now)
        return tr_fail(err, TR_E_INVALID, "this has expired");
    *out = (tr_str){text.ptr + HEAD, text.len - HEAD - MAC};
    return TR_OK;
}
