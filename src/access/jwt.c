#include "access/jwt.h"

#include "access/authority.h"
#include "base/limits.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "crypto/random.h"
#include "json/reader.h"

/* A time beyond this is in another unit, such as milliseconds. */
#define TIME_MAX INT64_C(100000000000)

static const struct algorithm {
    tr_str name;
    enum tr_access_jwt_algorithm algorithm;
    enum tr_crypto_key_kind kind; /* of the keys; HS256 has none */
} algorithms[] = {
    {TR_STR_INIT("HS256"), TR_ACCESS_JWT_HS256, TR_CRYPTO_KEY_RSA},
    {TR_STR_INIT("EdDSA"), TR_ACCESS_JWT_EDDSA, TR_CRYPTO_KEY_ED25519},
    {TR_STR_INIT("ES256"), TR_ACCESS_JWT_ES256, TR_CRYPTO_KEY_P256},
    {TR_STR_INIT("RS256"), TR_ACCESS_JWT_RS256, TR_CRYPTO_KEY_RSA},
};

static const struct algorithm *find_algorithm(tr_str name)
{
    for (size_t i = 0; i < TR_LEN(algorithms); i++) {
        if (tr_str_eq(name, algorithms[i].name))
            return &algorithms[i];
    }
    return NULL;
}

bool tr_access_jwt_algorithm_find(tr_str name,
                                  enum tr_access_jwt_algorithm *out)
{
    const struct algorithm *found = find_algorithm(name);
    if (found)
        *out = found->algorithm;
    return found != NULL;
}

static tr_status refuse(struct tr_err *err, const char *why)
{
    return tr_fail(err, TR_E_UNAUTHENTICATED, "%s", why);
}

/* The parts of a token (RFC 7515, 3.1); its texts are views of the token. */
struct parts {
    tr_str header;
    tr_str claims;
    tr_str signature;
    tr_str is_signed; /* the first two with their dot */
};

static bool split(tr_str token, struct parts *out)
{
    tr_str rest;
    tr_str more;
    if (token.len > TR_LIMIT_BEARER_BYTES ||
        !tr_str_cut(token, '.', &out->header, &rest) ||
        !tr_str_cut(rest, '.', &out->claims, &out->signature) ||
        tr_str_cut(out->signature, '.', &rest, &more))
        return false;
    out->is_signed = (tr_str){token.ptr, out->header.len + 1 + out->claims.len};
    return true;
}

/* Reads an object in base64url; all else is refused in the same words. */
static tr_status read_object(struct tr_arena *arena, tr_str text,
                             const struct tr_json **out, struct tr_err *err)
{
    static const struct tr_json_opts opts = {
        .max_bytes = TR_LIMIT_BEARER_BYTES,
        .max_nodes = 2000,
        .max_depth = 16,
    };
    tr_str json;
    tr_status status = tr_crypto_base64url_decode(arena, text, &json, err);
    if (status == TR_OK)
        status = tr_json_read(arena, json, &opts, out, err);
    if (status == TR_E_NOMEM)
        return status;
    if (status != TR_OK || (*out)->kind != TR_JSON_OBJECT)
        return refuse(err, "the token cannot be read");
    return TR_OK;
}

/* Reads a member that may be absent, but must be a string if it is there. */
static bool read_text(const struct tr_json *object, const char *name,
                      tr_str *out)
{
    const struct tr_json *value = tr_json_find(object, tr_str_from(name));
    *out = (tr_str){NULL, 0};
    if (!value)
        return true;
    *out = tr_json_text(value);
    return value->kind == TR_JSON_STRING;
}

static bool same_word(tr_str a, const char *word)
{
    size_t i = 0;
    while (i < a.len && word[i] && (a.ptr[i] | 0x20) == (word[i] | 0x20))
        i++;
    return i == a.len && !word[i];
}

/*
 * RFC 8725, 3.11: an issuer signs other kinds of JWT with the same keys; `typ`
 * tells them from access tokens (RFC 9068, 2.1).
 */
static bool is_access_token(tr_str type)
{
    return !type.len || same_word(type, "JWT") || same_word(type, "at+jwt") ||
           same_word(type, "application/at+jwt");
}

static bool verify_hmac(tr_str secret, const struct parts *parts,
                        tr_str signature)
{
    unsigned char mac[TR_CRYPTO_SHA256_BYTES];
    struct tr_crypto_hmac hmac;
    tr_crypto_hmac_init(&hmac, secret);
    tr_crypto_hmac_add(&hmac, parts->is_signed);
    tr_crypto_hmac_done(&hmac, mac);
    bool good = secret.len &&
                tr_crypto_secret_eq((tr_str){(const char *)mac, sizeof(mac)},
                                    signature);
    tr_crypto_secret_wipe(&hmac, sizeof(hmac));
    tr_crypto_secret_wipe(mac, sizeof(mac));
    return good;
}

/* Tries the keys of the algorithm's own kind, and of that name if given. */
static bool verify_key(const struct tr_access_jwt_rules *rules,
                       const struct algorithm *algorithm,
                       const struct parts *parts, const tr_str *kid,
                       tr_str signature)
{
    const struct tr_crypto_public_key *key;
    size_t at = 0;
    while (
        (key = tr_access_jwks_next(rules->jwks, algorithm->kind, kid, &at))) {
        if (tr_crypto_public_key_verify(key, parts->is_signed, signature))
            return true;
    }
    return false;
}

static tr_status check_signature(struct tr_arena *arena,
                                 const struct tr_access_jwt_rules *rules,
                                 const struct parts *parts, struct tr_err *err)
{
    const struct tr_json *header = NULL;
    tr_str name;
    tr_str type;
    tr_str kid;
    tr_str signature;
    TR_TRY(read_object(arena, parts->header, &header, err));
    if (!read_text(header, "alg", &name) || !read_text(header, "typ", &type) ||
        !read_text(header, "kid", &kid) ||
        tr_json_find(header, TR_STR("crit")) || !is_access_token(type))
        return refuse(err, "the token is not one that we know");
    const struct algorithm *algorithm = find_algorithm(name);
    if (!algorithm || !(rules->algorithms & algorithm->algorithm))
        return refuse(err, "the token's algorithm is not allowed");
    tr_status status =
        tr_crypto_base64url_decode(arena, parts->signature, &signature, err);
    if (status == TR_E_NOMEM)
        return status;
    bool good =
        status == TR_OK && (algorithm->algorithm == TR_ACCESS_JWT_HS256
                                ? verify_hmac(rules->secret, parts, signature)
                                : verify_key(rules, algorithm, parts,
                                             kid.ptr ? &kid : NULL, signature));
    if (!good && algorithm->algorithm != TR_ACCESS_JWT_HS256 &&
        rules->unknown_key)
        atomic_store(rules->unknown_key, true);
    return good ? TR_OK : refuse(err, "the token's signature is not valid");
}

/* RFC 7519, 2, NumericDate: seconds since 1970; a fraction is cut. */
static bool read_time(const struct tr_json *value, int64_t *out)
{
    double seconds;
    if (!tr_json_is(value, TR_JSON_NUMBER) ||
        !tr_json_double(value, &seconds) || seconds < 0 ||
        seconds > (double)TIME_MAX)
        return false;
    *out = (int64_t)seconds;
    return true;
}

/*
 * RFC 7519, 4.1.4 and 4.1.5, allow a little leeway for clocks that differ. They
 * make `exp` optional; here a token must say how long it is valid.
 */
static tr_status check_times(const struct tr_access_jwt_rules *rules,
                             const struct tr_json *claims, int64_t *expires_s,
                             struct tr_err *err)
{
    const struct tr_json *nbf = tr_json_find(claims, TR_STR("nbf"));
    int64_t from = 0;
    int64_t to;
    if (!read_time(tr_json_find(claims, TR_STR("exp")), &to) ||
        (nbf && !read_time(nbf, &from)))
        return refuse(err, "the token does not say how long it is valid");
    if (rules->now_s >= to + TR_ACCESS_JWT_LEEWAY_S)
        return refuse(err, "the token has expired");
    if (rules->now_s + TR_ACCESS_JWT_LEEWAY_S < from)
        return refuse(err, "the token is not valid yet");
    *expires_s = to + TR_ACCESS_JWT_LEEWAY_S;
    return TR_OK;
}

/*
 * RFC 7519, 4.1.3: who is not named in `aud` must refuse the token. Without an
 * audience in the rules no name can be ours, so any `aud` is refused.
 */
static bool is_for_us(const struct tr_json *aud, tr_str us)
{
    bool found = false;
    if (!aud || !us.len)
        return !aud && !us.len;
    if (aud->kind == TR_JSON_STRING)
        return tr_str_eq(tr_json_text(aud), us);
    for (size_t i = 0; aud->kind == TR_JSON_ARRAY && i < aud->len; i++)
        found = found || (aud->as.items[i].kind == TR_JSON_STRING &&
                          tr_str_eq(tr_json_text(&aud->as.items[i]), us));
    return found;
}

static tr_status check_parties(const struct tr_access_jwt_rules *rules,
                               const struct tr_json *claims, struct tr_err *err)
{
    tr_str issuer;
    if (!read_text(claims, "iss", &issuer) ||
        (rules->issuer.len && !tr_str_eq(issuer, rules->issuer)))
        return refuse(err, "the token is from another issuer");
    if (!is_for_us(tr_json_find(claims, TR_STR("aud")), rules->audience))
        return refuse(err, "the token is for another audience");
    return TR_OK;
}

/* Ignores other names: a token may have scopes for other servers too. */
static void add_scope(tr_str name, unsigned *scopes)
{
    enum tr_scope scope;
    if (tr_scope_find(name, &scope))
        *scopes |= scope;
}

/*
 * `scopes` is a list; without it, `scope` is OAuth's text with spaces (RFC
 * 8693, 4.2). An issuer that says nothing of scopes grants what everybody has.
 */
static bool read_scopes(const struct tr_json *claims, unsigned *out)
{
    const struct tr_json *list = tr_json_find(claims, TR_STR("scopes"));
    tr_str text;
    tr_str name;
    *out = 0;
    for (size_t i = 0; tr_json_is(list, TR_JSON_ARRAY) && i < list->len; i++) {
        if (list->as.items[i].kind != TR_JSON_STRING)
            return false;
        add_scope(tr_json_text(&list->as.items[i]), out);
    }
    if (list)
        return list->kind == TR_JSON_ARRAY;
    if (!read_text(claims, "scope", &text))
        return false;
    if (!text.ptr)
        *out = TR_SCOPE_RUNTIME;
    while (tr_str_cut(text, ' ', &name, &text))
        add_scope(name, out);
    add_scope(text, out);
    return true;
}

/*
 * A subject goes into logs and into provenance, so it has no control
 * characters, neither of C0 nor of C1 (U+0080 to U+009F); names that we give
 * are not for others.
 */
static bool is_name(tr_str subject)
{
    for (size_t i = 0; i < subject.len; i++) {
        unsigned char c = (unsigned char)subject.ptr[i];
        unsigned char next =
            i + 1 < subject.len ? (unsigned char)subject.ptr[i + 1] : 0;
        bool is_c1 = c == 0xC2 && next >= 0x80 && next < 0xA0;
        if (c < 0x20 || c == 0x7F || is_c1)
            return false;
    }
    return subject.len <= TR_LIMIT_PRINCIPAL &&
           !tr_access_principal_is_given(subject);
}

static tr_status check_claims(const struct tr_access_jwt_rules *rules,
                              const struct tr_json *claims,
                              struct tr_access_jwt_claims *out,
                              struct tr_err *err)
{
    TR_TRY(check_times(rules, claims, &out->expires_s, err));
    TR_TRY(check_parties(rules, claims, err));
    if (!read_scopes(claims, &out->scopes))
        return refuse(err, "the token's scopes are not a list of names");
    if (!read_text(claims, "sub", &out->subject) || !is_name(out->subject))
        return refuse(err, "the token's subject is not one that we take");
    return TR_OK;
}

tr_status tr_access_jwt_verify(struct tr_arena *arena,
                               const struct tr_access_jwt_rules *rules,
                               tr_str token, struct tr_access_jwt_claims *out,
                               struct tr_err *err)
{
    const struct tr_json *claims = NULL;
    struct tr_access_jwt_claims found = {0};
    struct parts parts;
    if (!split(token, &parts))
        return refuse(err, "the token cannot be read");
    TR_TRY(check_signature(arena, rules, &parts, err));
    TR_TRY(read_object(arena, parts.claims, &claims, err));
    TR_TRY(check_claims(rules, claims, &found, err));
    *out = found;
    return TR_OK;
}
