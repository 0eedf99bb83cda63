#include "access/bearer.h"

#include "access/authority.h"
#include "access/jwt.h"
#include "access/token.h"
#include "base/ascii.h"
#include "base/file.h"
#include "base/limits.h"
#include "crypto/digest.h"
#include "crypto/random.h"

#include <sys/stat.h>

#define SECRET_MIN ((size_t)32) /* RFC 7518, 3.2: as long as the digest */

/* Memory that one verification may take. */
#define SCRATCH TR_KIB(512)

/*
 * The cache has credentials that were good, by a keyed digest of them. It is
 * bounded: a new one may replace an old one, which is then verified again.
 */

enum credential_kind { CREDENTIAL_STORED, CREDENTIAL_JWT };

struct credential {
    unsigned char digest[TR_CRYPTO_SIPHASH_BYTES];
    enum credential_kind kind;
    int64_t expires_s; /* 0: never */
    uint64_t as_of;    /* the store's generation, or the round of keys */
    struct tr_access_authority authority;
};

/* Begins all zero; takes no memory before the first credential is added. */
struct credential_cache {
    struct credential **items;
};

/* Slots, side by side, in which a credential may be. */
#define WAYS 4

/* Takes the same time whatever differs. */
static bool same_digest(const unsigned char a[TR_CRYPTO_SIPHASH_BYTES],
                        const unsigned char b[TR_CRYPTO_SIPHASH_BYTES])
{
    return tr_crypto_secret_eq(
        (tr_str){(const char *)a, TR_CRYPTO_SIPHASH_BYTES},
        (tr_str){(const char *)b, TR_CRYPTO_SIPHASH_BYTES});
}

static struct credential **slots_of(const struct credential_cache *cache,
                                    const unsigned char *digest)
{
    uint64_t number;
    memcpy(&number, digest, sizeof(number));
    return cache->items + number % (TR_LIMIT_BEARERS / WAYS) * WAYS;
}

/* The credential with this digest, or NULL. */
static const struct credential *cache_find(const struct credential_cache *cache,
                                           const unsigned char *digest)
{
    struct credential **slots = cache->items ? slots_of(cache, digest) : NULL;
    for (size_t i = 0; slots && i < WAYS; i++) {
        if (slots[i] && same_digest(slots[i]->digest, digest))
            return slots[i];
    }
    return NULL;
}

static void forget(struct credential **slot)
{
    if (!*slot)
        return;
    tr_crypto_secret_wipe((*slot)->digest, sizeof((*slot)->digest));
    free(*slot);
    *slot = NULL;
}

/*
 * Which of the slots a credential gets: that of the same credential; else one
 * that is free or has expired; else one that its digest chooses.
 */
static struct credential **choose(struct credential **slots,
                                  const struct credential *draft, int64_t now_s)
{
    size_t best = draft->digest[TR_CRYPTO_SIPHASH_BYTES - 1] % WAYS;
    for (size_t i = 0; i < WAYS; i++) {
        if (slots[i] && same_digest(slots[i]->digest, draft->digest))
            return &slots[i];
        if (!slots[i] || (slots[i]->expires_s && slots[i]->expires_s <= now_s))
            best = i;
    }
    return &slots[best];
}

static tr_str put_text(char **at, tr_str text)
{
    tr_str copy = {*at, text.len};
    if (text.len)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

/* Adds a copy of `draft`, texts included; borrowed until the next is added. */
static tr_status cache_add(struct credential_cache *cache,
                           const struct credential *draft, int64_t now_s,
                           const struct credential **out, struct tr_err *err)
{
    const struct tr_access_authority *authority = &draft->authority;
    size_t len = authority->principal.len + authority->token_id.len;
    if (!cache->items)
        cache->items = calloc(TR_LIMIT_BEARERS, sizeof(struct credential *));
    struct credential *cached =
        cache->items ? calloc(1, sizeof(*cached) + len) : NULL;
    if (!cached)
        return tr_fail(err, TR_E_NOMEM, "no memory for a credential");
    char *at = (char *)(cached + 1);
    *cached = *draft;
    cached->authority.principal = put_text(&at, authority->principal);
    cached->authority.token_id = put_text(&at, authority->token_id);
    struct credential **slot =
        choose(slots_of(cache, draft->digest), draft, now_s);
    forget(slot);
    *slot = cached;
    *out = cached;
    return TR_OK;
}

static void cache_done(struct credential_cache *cache)
{
    for (size_t i = 0; cache->items && i < TR_LIMIT_BEARERS; i++)
        forget(&cache->items[i]);
    free(cache->items);
    cache->items = NULL;
}

struct tr_access_bearer {
    struct tr_access_bearer_opts opts;
    struct tr_access_authority nobody;
    struct tr_access_authority
        environment; /* who has the token of the environment */
    struct tr_crypto_siphash_key key;
    unsigned char token_digest[TR_CRYPTO_SIPHASH_BYTES];
    struct tr_access_jwks *jwks; /* owned */
    struct timespec jwks_time;
    off_t jwks_size;
    ino_t jwks_inode;
    int64_t jwks_looked_s;
    uint64_t jwks_round; /* grows when the keys change */
    uint64_t fetched;    /* which of the fetched ones they are */
    struct tr_arena scratch;
    struct credential_cache cache;
    bool has_stored; /* a token, ever */
    bool has_looked;
    uint64_t looked_at; /* the store's generation then */
};

/* Keys ------------------------------------------------------------------- */

static void take_keys(struct tr_access_bearer *bearer,
                      struct tr_access_jwks *jwks)
{
    tr_access_jwks_free(bearer->jwks);
    bearer->jwks = jwks;
    bearer->jwks_round++;
}

static tr_status read_keys(struct tr_access_bearer *bearer, struct tr_err *err)
{
    struct tr_access_jwks *jwks = NULL;
    tr_str text;
    tr_arena_reset(&bearer->scratch);
    TR_TRY(tr_file_read(&bearer->scratch, bearer->opts.jwks_file,
                        TR_LIMIT_JWKS_BYTES, &text, err));
    tr_status status = tr_access_jwks_read(text, &jwks, err);
    if (status != TR_OK) {
        tr_err_prefix(err, "%s", bearer->opts.jwks_file);
        return status;
    }
    take_keys(bearer, jwks);
    return TR_OK;
}

/* Whether the file has changed, or gone, since it was last asked. */
static bool has_changed(struct tr_access_bearer *bearer)
{
    struct stat about;
    if (stat(bearer->opts.jwks_file, &about) != 0)
        about = (struct stat){0};
    if (about.st_mtim.tv_sec == bearer->jwks_time.tv_sec &&
        about.st_mtim.tv_nsec == bearer->jwks_time.tv_nsec &&
        about.st_size == bearer->jwks_size &&
        about.st_ino == bearer->jwks_inode)
        return false;
    bearer->jwks_time = about.st_mtim;
    bearer->jwks_size = about.st_size;
    bearer->jwks_inode = about.st_ino;
    return true;
}

static void take_fetched(struct tr_access_bearer *bearer)
{
    struct tr_access_key_source *source = bearer->opts.keys;
    struct tr_access_jwks *jwks = NULL;
    tr_str text;
    if (!source || atomic_load(&source->round) == bearer->fetched)
        return;
    tr_arena_reset(&bearer->scratch);
    uint64_t round = 0;
    tr_status status = TR_E_NOMEM;
    if (tr_access_key_source_take(source, &bearer->scratch, &text, &round))
        status = tr_access_jwks_read(text, &jwks, NULL);
    if (status != TR_E_NOMEM) /* else it is read when there is memory */
        bearer->fetched = round;
    take_keys(bearer, jwks);
}

static void tell_keys(const struct tr_access_bearer *bearer,
                      const struct tr_err *why)
{
    if (bearer->opts.on_keys)
        bearer->opts.on_keys(bearer->opts.keys_data, why);
}

/*
 * Looks at the file once a second. Who empties it, or removes it, takes his
 * keys away (RFC 7517, 5: an empty set is a set), and what a broken one means
 * nobody knows. A file that could not be read is read again.
 */
static void update_keys(struct tr_access_bearer *bearer, int64_t now_s)
{
    take_fetched(bearer);
    if (!bearer->opts.jwks_file || bearer->jwks_looked_s == now_s)
        return;
    bearer->jwks_looked_s = now_s;
    if (!has_changed(bearer))
        return;
    struct tr_err err = {0};
    bool is_good = read_keys(bearer, &err) == TR_OK;
    if (!is_good) {
        take_keys(bearer, NULL);
        bearer->jwks_time = (struct timespec){0};
        bearer->jwks_size = 0;
        bearer->jwks_inode = 0;
    }
    tell_keys(bearer, is_good ? NULL : &err);
}

/* Credentials in the cache ------------------------------------------------ */

static void digest_of(const struct tr_access_bearer *bearer, tr_str credential,
                      unsigned char out[TR_CRYPTO_SIPHASH_BYTES])
{
    tr_crypto_siphash(&bearer->key, credential, out);
}

static bool still_counts(const struct tr_access_bearer *bearer,
                         const struct credential *cached,
                         struct tr_access_bearer_moment at)
{
    if (cached->expires_s && at.now_s >= cached->expires_s)
        return false;
    return cached->as_of == (cached->kind == CREDENTIAL_JWT ? bearer->jwks_round
                                                            : at.generation);
}

/* Credentials to be verified ---------------------------------------------- */

static tr_status refuse(struct tr_err *err, const char *why)
{
    return tr_fail(err, TR_E_UNAUTHENTICATED, "%s", why);
}

static tr_status name_token(struct tr_access_bearer *bearer,
                            const struct tr_access_token *token, tr_str *out,
                            struct tr_err *err)
{
    char text[TR_LIMIT_TOKEN_NAME + 16];
    tr_str name = token->name.len ? token->name : token->id;
    int len =
        snprintf(text, sizeof(text), TR_ACCESS_TOKEN "%.*s", TR_FMT(name));
    if (len < 0 || (size_t)len >= sizeof(text) ||
        !tr_arena_copy(&bearer->scratch, (tr_str){text, (size_t)len}, out))
        return tr_fail(err, TR_E_NOMEM, "no memory for a credential");
    return TR_OK;
}

static tr_status check_stored(struct tr_access_bearer *bearer,
                              tr_str credential,
                              struct tr_access_bearer_moment at,
                              struct credential *out, struct tr_err *err)
{
    unsigned char hash[TR_CRYPTO_SHA256_BYTES];
    struct tr_access_token token;
    if (!bearer->opts.db)
        return refuse(err, "the token is not known");
    tr_crypto_sha256(credential, hash);
    tr_status status = tr_access_token_find(bearer->opts.db, hash,
                                            &bearer->scratch, &token, err);
    if (status == TR_E_NOT_FOUND)
        return refuse(err, "the token is not known");
    TR_TRY(status);
    if (token.revoked_s)
        return refuse(err, "the token was revoked");
    if (!tr_access_token_is_valid(&token, at.now_s))
        return refuse(err, "the token has expired");
    out->kind = CREDENTIAL_STORED;
    out->expires_s = token.expires_s;
    out->as_of = at.generation;
    out->authority = (struct tr_access_authority){
        .is_authenticated = true,
        .scopes = bearer->opts.scopes & token.scopes,
        .token_id = token.id,
        .limits = token.limits,
    };
    return name_token(bearer, &token, &out->authority.principal, err);
}

static tr_status check_jwt(struct tr_access_bearer *bearer, tr_str credential,
                           struct tr_access_bearer_moment at,
                           struct credential *out, struct tr_err *err)
{
    const struct tr_access_bearer_opts *opts = &bearer->opts;
    const struct tr_access_jwt_rules rules = {
        .algorithms = opts->algorithms,
        .secret = opts->jwt_secret,
        .jwks = bearer->jwks,
        .issuer = opts->issuer,
        .audience = opts->audience,
        .now_s = at.now_s,
        .unknown_key = opts->keys ? &opts->keys->is_wanted : NULL,
    };
    struct tr_access_jwt_claims claims;
    tr_status status = tr_access_jwt_verify(&bearer->scratch, &rules,
                                            credential, &claims, err);
    if (status == TR_E_UNAUTHENTICATED && opts->keys && !bearer->fetched)
        return tr_fail(err, TR_E_UNAVAILABLE,
                       "the keys of the issuer are not here yet");
    TR_TRY(status);
    out->kind = CREDENTIAL_JWT;
    out->expires_s = claims.expires_s;
    out->as_of = bearer->jwks_round;
    out->authority = (struct tr_access_authority){
        .is_authenticated = true,
        .scopes = opts->scopes & claims.scopes,
        .principal =
            claims.subject.len ? claims.subject : TR_STR(TR_ACCESS_SUBLESS),
    };
    return TR_OK;
}

static tr_status verify(struct tr_access_bearer *bearer, tr_str credential,
                        struct tr_access_bearer_moment at,
                        struct credential *out, struct tr_err *err)
{
    const struct tr_access_bearer_opts *opts = &bearer->opts;
    tr_arena_reset(&bearer->scratch);
    if (tr_str_starts(credential, TR_STR(TR_ACCESS_TOKEN_PREFIX)))
        return check_stored(bearer, credential, at, out, err);
    if (opts->jwt_secret.len || opts->jwks_file || opts->keys)
        return check_jwt(bearer, credential, at, out, err);
    return refuse(err, "the token is not known");
}

tr_status tr_access_bearer_resolve(struct tr_access_bearer *bearer,
                                   tr_str credential,
                                   struct tr_access_bearer_moment at,
                                   const struct tr_access_authority **out,
                                   struct tr_err *err)
{
    struct credential draft = {0};
    if (!credential.len || credential.len > TR_LIMIT_BEARER_BYTES)
        return refuse(err, "the token is not known");
    digest_of(bearer, credential, draft.digest);
    if (bearer->opts.token.len &&
        same_digest(draft.digest, bearer->token_digest)) {
        *out = &bearer->environment;
        return TR_OK;
    }
    update_keys(bearer, at.now_s);
    const struct credential *cached = cache_find(&bearer->cache, draft.digest);
    if (!cached || !still_counts(bearer, cached, at)) {
        TR_TRY(verify(bearer, credential, at, &draft, err));
        TR_TRY(cache_add(&bearer->cache, &draft, at.now_s, &cached, err));
    }
    *out = &cached->authority;
    return TR_OK;
}

/* A bearer ---------------------------------------------------------------- */

const struct tr_access_authority *
tr_access_bearer_nobody(const struct tr_access_bearer *bearer)
{
    return &bearer->nobody;
}

static tr_status start(struct tr_access_bearer *bearer, struct tr_err *err)
{
    unsigned char bytes[TR_CRYPTO_SIPHASH_BYTES];
    const struct tr_access_bearer_opts *opts = &bearer->opts;
    if (opts->jwt_secret.len && opts->jwt_secret.len < SECRET_MIN)
        return tr_fail(err, TR_E_INVALID,
                       "the secret of HS256 must have at least %zu bytes",
                       SECRET_MIN);
    TR_TRY(tr_crypto_random_bytes(bytes, sizeof(bytes), err));
    tr_crypto_siphash_key_init(&bearer->key, bytes);
    tr_crypto_secret_wipe(bytes, sizeof(bytes));
    digest_of(bearer, opts->token, bearer->token_digest);
    if (!opts->jwks_file)
        return TR_OK;
    (void)has_changed(bearer);
    return read_keys(bearer, err);
}

tr_status tr_access_bearer_create(const struct tr_access_bearer_opts *opts,
                                  struct tr_access_bearer **out,
                                  struct tr_err *err)
{
    struct tr_access_bearer *bearer = calloc(1, sizeof(*bearer));
    if (!bearer)
        return tr_fail(err, TR_E_NOMEM, "no memory for credentials");
    bearer->opts = *opts;
    bearer->nobody.scopes = opts->scopes & TR_SCOPE_RUNTIME;
    bearer->environment = (struct tr_access_authority){
        .is_authenticated = true,
        .scopes = opts->scopes,
        .principal = TR_STR(TR_ACCESS_TOKEN "environment"),
    };
    tr_arena_init(&bearer->scratch, SCRATCH);
    tr_status status = start(bearer, err);
    if (status != TR_OK)
        tr_access_bearer_free(bearer);
    else
        *out = bearer;
    return status;
}

void tr_access_bearer_free(struct tr_access_bearer *bearer)
{
    if (!bearer)
        return;
    cache_done(&bearer->cache);
    tr_access_jwks_free(bearer->jwks);
    tr_arena_done(&bearer->scratch);
    tr_crypto_secret_wipe(bearer, sizeof(*bearer));
    free(bearer);
}

tr_status tr_access_bearer_has_stored(struct tr_access_bearer *bearer,
                                      struct tr_access_bearer_moment at,
                                      bool *out, struct tr_err *err)
{
    bool is_known = bearer->has_looked && bearer->looked_at == at.generation;
    if (bearer->opts.db && !bearer->has_stored && !is_known) {
        TR_TRY(tr_access_token_was_added(bearer->opts.db, &bearer->has_stored,
                                         err));
        bearer->has_looked = true;
        bearer->looked_at = at.generation;
    }
    *out = bearer->has_stored;
    return TR_OK;
}

/* The header ------------------------------------------------------------- */

/* RFC 6750, 2.1: 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
 */
static bool is_token_letter(char c)
{
    return tr_ascii_is_alnum(c) || (c && strchr("-._~+/", c));
}

static bool is_scheme(tr_str word)
{
    static const char scheme[] = "bearer";
    size_t i = 0;
    while (i < word.len && i < sizeof(scheme) - 1 &&
           (word.ptr[i] | 0x20) == scheme[i])
        i++;
    return i == word.len && i == sizeof(scheme) - 1;
}

tr_status tr_access_bearer_parse(tr_str header, tr_str *out, struct tr_err *err)
{
    tr_str word = header;
    tr_str token = {NULL, 0};
    if (!tr_str_cut(header, ' ', &word, &token))
        word = header;
    if (!is_scheme(word))
        return tr_fail(err, TR_E_SYNTAX, "this is no bearer token");
    token = tr_str_trim(token);
    size_t i = 0;
    while (i < token.len && is_token_letter(token.ptr[i]))
        i++;
    size_t letters = i;
    while (i < token.len && token.ptr[i] == '=')
        i++;
    if (!letters || i < token.len || token.len > TR_LIMIT_BEARER_BYTES)
        return tr_fail(err, TR_E_SYNTAX, "what follows 'Bearer' is no token");
    *out = token;
    return TR_OK;
}
