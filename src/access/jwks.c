#include "access/jwt.h"
#include "base/limits.h"
#include "crypto/encoding.h"
#include "json/reader.h"

/* Memory for the tree of the largest file, and for the numbers in it. */
#define ARENA_BYTES (TR_LIMIT_JWKS_BYTES * 16)

struct jwk {
    tr_str kid; /* ptr is NULL when it has none */
    struct tr_crypto_public_key *key;
};

struct tr_access_jwks {
    struct tr_arena arena;
    struct jwk *items;
    size_t count;
};

static tr_str text_of(const struct tr_json *jwk, const char *name)
{
    const struct tr_json *value = tr_json_find(jwk, tr_str_from(name));
    return tr_json_is(value, TR_JSON_STRING) ? tr_json_text(value)
                                             : (tr_str){NULL, 0};
}

static bool is_word(const struct tr_json *jwk, const char *name,
                    const char *word)
{
    return tr_str_eq(text_of(jwk, name), tr_str_from(word));
}

/* RFC 7517, 4.2 to 4.4: use, key_ops and alg; each may be absent. */
static bool is_for_signatures(const struct tr_json *jwk, const char *algorithm)
{
    const struct tr_json *ops = tr_json_find(jwk, TR_STR("key_ops"));
    bool verifies = !ops;
    for (size_t i = 0; tr_json_is(ops, TR_JSON_ARRAY) && i < ops->len; i++)
        verifies = verifies ||
                   tr_str_eq(tr_json_text(&ops->as.items[i]), TR_STR("verify"));
    return verifies &&
           (!tr_json_find(jwk, TR_STR("use")) || is_word(jwk, "use", "sig")) &&
           (!tr_json_find(jwk, TR_STR("alg")) ||
            is_word(jwk, "alg", algorithm));
}

/* The kind of a key; false for one of other kinds, or for another use. */
static bool find_kind(const struct tr_json *jwk, enum tr_crypto_key_kind *out)
{
    if (is_word(jwk, "kty", "RSA")) {
        *out = TR_CRYPTO_KEY_RSA;
        return is_for_signatures(jwk, "RS256");
    }
    if (is_word(jwk, "kty", "EC") && is_word(jwk, "crv", "P-256")) {
        *out = TR_CRYPTO_KEY_P256;
        return is_for_signatures(jwk, "ES256");
    }
    *out = TR_CRYPTO_KEY_ED25519;
    return is_word(jwk, "kty", "OKP") && is_word(jwk, "crv", "Ed25519") &&
           is_for_signatures(jwk, "EdDSA");
}

static tr_status read_number(struct tr_arena *arena, const struct tr_json *jwk,
                             const char *name, tr_str *out, struct tr_err *err)
{
    tr_str text = text_of(jwk, name);
    if (!text.len ||
        tr_crypto_base64url_decode(arena, text, out, NULL) == TR_E_SYNTAX)
        return tr_fail(err, TR_E_INVALID, "its '%s' is not base64url", name);
    return out->ptr ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory for a key");
}

static tr_status read_key(struct tr_arena *arena, const struct tr_json *jwk,
                          enum tr_crypto_key_kind kind,
                          struct tr_crypto_public_key **out, struct tr_err *err)
{
    tr_str first = {NULL, 0};
    tr_str second = {NULL, 0};
    if (tr_json_find(jwk, TR_STR("d")))
        return tr_fail(err, TR_E_INVALID,
                       "it is a private key, which belongs to its owner only");
    TR_TRY(read_number(arena, jwk, kind == TR_CRYPTO_KEY_RSA ? "n" : "x",
                       &first, err));
    if (kind == TR_CRYPTO_KEY_ED25519)
        return tr_crypto_public_key_ed25519(first, out, err);
    TR_TRY(read_number(arena, jwk, kind == TR_CRYPTO_KEY_RSA ? "e" : "y",
                       &second, err));
    return kind == TR_CRYPTO_KEY_RSA
               ? tr_crypto_public_key_rsa(first, second, out, err)
               : tr_crypto_public_key_p256(first, second, out, err);
}

static tr_status add_key(struct tr_access_jwks *jwks, const struct tr_json *jwk,
                         size_t number, struct tr_err *err)
{
    struct jwk *item = &jwks->items[jwks->count];
    enum tr_crypto_key_kind kind;
    if (!find_kind(jwk, &kind))
        return TR_OK;
    tr_status status = read_key(&jwks->arena, jwk, kind, &item->key, err);
    if (status != TR_OK) {
        tr_err_prefix(err, "keys[%zu]", number);
        return status;
    }
    item->kid = text_of(jwk, "kid");
    jwks->count++;
    return TR_OK;
}

/* The tree stays in the arena, because the names of the keys are in it. */
static tr_status read_all(struct tr_access_jwks *jwks, tr_str text,
                          struct tr_err *err)
{
    const struct tr_json_opts opts = {.max_bytes = TR_LIMIT_JWKS_BYTES,
                                      .max_depth = 8};
    const struct tr_json *tree = NULL;
    tr_str copy;
    if (text.len > TR_LIMIT_JWKS_BYTES)
        return tr_fail(err, TR_E_LIMIT, "a set of keys has at most %zu bytes",
                       TR_LIMIT_JWKS_BYTES);
    if (!tr_arena_copy(&jwks->arena, text, &copy))
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    TR_TRY(tr_json_read(&jwks->arena, copy, &opts, &tree, err));
    const struct tr_json *keys = tr_json_find(tree, TR_STR("keys"));
    if (!tr_json_is(keys, TR_JSON_ARRAY))
        return tr_fail(err, TR_E_INVALID, "a set of keys is {\"keys\": [...]}");
    if (keys->len > TR_LIMIT_JWKS_KEYS)
        return tr_fail(err, TR_E_LIMIT, "a set has at most %d keys",
                       TR_LIMIT_JWKS_KEYS);
    jwks->items = TR_NEW_ARRAY(&jwks->arena, struct jwk, keys->len);
    if (!jwks->items)
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    for (size_t i = 0; i < keys->len; i++)
        TR_TRY(add_key(jwks, &keys->as.items[i], i, err));
    return jwks->count ? TR_OK
                       : tr_fail(err, TR_E_INVALID,
                                 "no key is for EdDSA, ES256 or RS256");
}

tr_status tr_access_jwks_read(tr_str text, struct tr_access_jwks **out,
                              struct tr_err *err)
{
    struct tr_access_jwks *jwks = calloc(1, sizeof(*jwks));
    if (!jwks)
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    tr_arena_init(&jwks->arena, ARENA_BYTES);
    tr_status status = read_all(jwks, text, err);
    if (status != TR_OK)
        tr_access_jwks_free(jwks);
    else
        *out = jwks;
    return status;
}

void tr_access_jwks_free(struct tr_access_jwks *jwks)
{
    if (!jwks)
        return;
    for (size_t i = 0; i < jwks->count; i++)
        tr_crypto_public_key_free(jwks->items[i].key);
    tr_arena_done(&jwks->arena);
    free(jwks);
}

const struct tr_crypto_public_key *
tr_access_jwks_next(const struct tr_access_jwks *jwks,
                    enum tr_crypto_key_kind kind, const tr_str *kid, size_t *at)
{
    while (jwks && *at < jwks->count) {
        const struct jwk *item = &jwks->items[(*at)++];
        bool is_named = !kid || (item->kid.ptr && tr_str_eq(item->kid, *kid));
        if (is_named && tr_crypto_public_key_kind(item->key) == kind)
            return item->key;
    }
    return NULL;
}
