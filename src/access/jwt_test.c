#include "access/jwt.h"

#include "base/buf.h"
#include "base/test.h"
#include "crypto/encoding.h"
#include "support/signer.h"

#define SECRET   TR_STR("a secret of more than thirty-two bytes")
#define ISSUER   "https://issuer.example"
#define AUDIENCE "https://trails.example/mcp"
#define NOW      1785240000

#define GOOD_CLAIMS                                                            \
    "{\"iss\":\"" ISSUER "\",\"aud\":\"" AUDIENCE                              \
    "\",\"exp\":1785240600,\"sub\":\"ann\",\"scopes\":[\"runtime\"]}"

/* One signer of each kind, and the set of their keys. */
struct world {
    struct tr_arena arena;
    struct tr_signer *signers[3]; /* by enum tr_crypto_key_kind */
    struct tr_access_jwks *jwks;
    struct tr_access_jwt_rules rules;
};

static struct tr_access_jwks *read_keys(struct world *w)
{
    struct tr_access_jwks *jwks = NULL;
    struct tr_err err = {0};
    struct tr_buf text;
    tr_buf_init(&text, 65536);
    tr_buf_put(&text, TR_STR("{\"keys\":["));
    for (size_t i = 0; i < TR_LEN(w->signers); i++) {
        const char *const kids[] = {"ed", "ec", "rsa"};
        tr_buf_put(&text, tr_signer_jwk(w->signers[i], &w->arena, kids[i]));
        tr_buf_putc(&text, ',');
    }
    tr_buf_put(&text, TR_STR("{\"kty\":\"oct\",\"k\":\"AAAA\"}]}"));
    CHECK_OK(tr_access_jwks_read(tr_buf_str(&text), &jwks, &err), &err);
    tr_buf_done(&text);
    return jwks;
}

static void open_world(struct world *w)
{
    *w = (struct world){0};
    tr_arena_init(&w->arena, 1 << 22);
    for (size_t i = 0; i < TR_LEN(w->signers); i++)
        w->signers[i] = tr_signer_new((enum tr_crypto_key_kind)i);
    w->jwks = read_keys(w);
    w->rules = (struct tr_access_jwt_rules){
        .algorithms = TR_ACCESS_JWT_HS256 | TR_ACCESS_JWT_EDDSA |
                      TR_ACCESS_JWT_ES256 | TR_ACCESS_JWT_RS256,
        .secret = SECRET,
        .jwks = w->jwks,
        .issuer = TR_STR(ISSUER),
        .audience = TR_STR(AUDIENCE),
        .now_s = NOW,
    };
}

static void close_world(struct world *w)
{
    for (size_t i = 0; i < TR_LEN(w->signers); i++)
        tr_signer_free(w->signers[i]);
    tr_access_jwks_free(w->jwks);
    tr_arena_done(&w->arena);
}

static void check_refused(struct world *w, tr_str token, const char *why,
                          const char *row)
{
    struct tr_access_jwt_claims claims;
    struct tr_err err = {0};
    tr_status status =
        tr_access_jwt_verify(&w->arena, &w->rules, token, &claims, &err);
    CHECK_ROW(status == TR_E_UNAUTHENTICATED, row);
    CHECK_STR(tr_str_from(err.msg), why);
}

static struct tr_access_jwt_claims check_good(struct world *w, tr_str token)
{
    struct tr_access_jwt_claims claims = {0};
    struct tr_err err = {0};
    CHECK_OK(tr_access_jwt_verify(&w->arena, &w->rules, token, &claims, &err),
             &err);
    return claims;
}

static tr_str hmac(struct world *w, const char *claims)
{
    return tr_hmac_jwt(SECRET, &w->arena, "{\"alg\":\"HS256\"}", claims);
}

static const char *const headers[] = {
    "{\"alg\":\"EdDSA\"}", "{\"alg\":\"ES256\"}", "{\"alg\":\"RS256\"}"};

TEST(a_token_of_each_algorithm_is_accepted)
{
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < 3; i++) {
        struct tr_access_jwt_claims claims = check_good(
            &w, tr_signer_jwt(w.signers[i], &w.arena, headers[i], GOOD_CLAIMS));
        CHECK_STR(claims.subject, "ann");
        CHECK_INT(claims.scopes, TR_SCOPE_RUNTIME);
        CHECK_INT(claims.expires_s, 1785240600 + TR_ACCESS_JWT_LEEWAY_S);
    }
    (void)check_good(&w, hmac(&w, GOOD_CLAIMS));
    (void)check_good(&w, tr_signer_jwt(w.signers[TR_CRYPTO_KEY_RSA], &w.arena,
                                       "{\"typ\":\"at+JWT\",\"kid\":\"rsa\","
                                       "\"alg\":\"RS256\"}",
                                       GOOD_CLAIMS));
    close_world(&w);
}

/* RFC 8725: what tokens with the right claims try with their headers. */
TEST(a_header_cannot_choose_what_we_do_not_allow)
{
    static const struct {
        const char *header;
        const char *why;
    } rows[] = {
        {"{\"alg\":\"none\"}", "the token's algorithm is not allowed"},
        {"{\"alg\":\"None\"}", "the token's algorithm is not allowed"},
        {"{\"alg\":\"\"}", "the token's algorithm is not allowed"},
        {"{}", "the token's algorithm is not allowed"},
        {"{\"alg\":\"HS512\"}", "the token's algorithm is not allowed"},
        {"{\"alg\":\"hs256\"}", "the token's algorithm is not allowed"},
        {"{\"alg\":1}", "the token is not one that we know"},
        {"{\"alg\":\"HS256\",\"crit\":[\"b64\"],\"b64\":false}",
         "the token is not one that we know"},
        {"{\"alg\":\"HS256\",\"typ\":\"dpop+jwt\"}",
         "the token is not one that we know"},
        {"{\"alg\":\"HS256\",\"kid\":7}", "the token is not one that we know"},
        {"[]", "the token cannot be read"},
        {"not JSON", "the token cannot be read"},
    };
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        check_refused(
            &w, tr_hmac_jwt(SECRET, &w.arena, rows[i].header, GOOD_CLAIMS),
            rows[i].why, rows[i].header);
        check_refused(
            &w, tr_signer_jwt(NULL, &w.arena, rows[i].header, GOOD_CLAIMS),
            rows[i].why, rows[i].header);
    }
    close_world(&w);
}

TEST(an_algorithm_that_is_not_allowed_is_refused_with_a_good_signature)
{
    struct world w;
    open_world(&w);
    const char *why = "the token's algorithm is not allowed";
    w.rules.algorithms = TR_ACCESS_JWT_EDDSA;
    check_refused(&w, hmac(&w, GOOD_CLAIMS), why, "HS256");
    for (size_t i = 1; i < 3; i++)
        check_refused(
            &w, tr_signer_jwt(w.signers[i], &w.arena, headers[i], GOOD_CLAIMS),
            why, headers[i]);
    close_world(&w);
}

/* The public key, which everybody has, as the secret of an HMAC. */
TEST(a_public_key_is_no_secret)
{
    const char *why = "the token's signature is not valid";
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < 3; i++) {
        tr_str jwk = tr_signer_jwk(w.signers[i], &w.arena, "x");
        check_refused(
            &w, tr_hmac_jwt(jwk, &w.arena, "{\"alg\":\"HS256\"}", GOOD_CLAIMS),
            why, headers[i]);
    }
    check_refused(&w,
                  tr_hmac_jwt(TR_STR("\0\0\0"), &w.arena, "{\"alg\":\"HS256\"}",
                              GOOD_CLAIMS),
                  why, "the oct key of the set");
    w.rules.secret = TR_STR("");
    check_refused(
        &w,
        tr_hmac_jwt(TR_STR(""), &w.arena, "{\"alg\":\"HS256\"}", GOOD_CLAIMS),
        why, "no secret");
    close_world(&w);
}

TEST(a_key_signs_only_with_its_own_algorithm_and_name)
{
    const char *why = "the token's signature is not valid";
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 3; k++) {
            if (i != k)
                check_refused(&w,
                              tr_signer_jwt(w.signers[i], &w.arena, headers[k],
                                            GOOD_CLAIMS),
                              why, headers[k]);
        }
    }
    check_refused(&w,
                  tr_signer_jwt(w.signers[TR_CRYPTO_KEY_RSA], &w.arena,
                                "{\"alg\":\"RS256\",\"kid\":\"ec\"}",
                                GOOD_CLAIMS),
                  why, "another kid");
    struct tr_signer *stranger = tr_signer_new(TR_CRYPTO_KEY_P256);
    check_refused(&w,
                  tr_signer_jwt(stranger, &w.arena,
                                "{\"alg\":\"ES256\",\"kid\":\"ec\"}",
                                GOOD_CLAIMS),
                  why, "another key");
    tr_signer_free(stranger);
    close_world(&w);
}

#define FIRST "{\"iss\":\"" ISSUER "\",\"aud\":\"" AUDIENCE "\""
#define EXP   ",\"exp\":1785240600"

TEST(claims_are_checked)
{
    static const struct {
        const char *claims;
        const char *why;
    } rows[] = {
        {FIRST ",\"exp\":1785239970}", "the token has expired"},
        {FIRST ",\"exp\":0}", "the token has expired"},
        {FIRST "}", "the token does not say how long it is valid"},
        {FIRST ",\"exp\":\"1785240600\"}",
         "the token does not say how long it is valid"},
        {FIRST ",\"exp\":-1}", "the token does not say how long it is valid"},
        {FIRST ",\"exp\":1785240600000}",
         "the token does not say how long it is valid"},
        {FIRST ",\"exp\":1e400}",
         "the token does not say how long it is valid"},
        {FIRST EXP ",\"nbf\":1785240031}", "the token is not valid yet"},
        {FIRST EXP ",\"nbf\":null}",
         "the token does not say how long it is valid"},
        {"{\"aud\":\"" AUDIENCE "\"" EXP "}",
         "the token is from another issuer"},
        {"{\"iss\":\"" ISSUER "/\",\"aud\":\"" AUDIENCE "\"" EXP "}",
         "the token is from another issuer"},
        {"{\"iss\":[\"" ISSUER "\"],\"aud\":\"" AUDIENCE "\"" EXP "}",
         "the token is from another issuer"},
        {"{\"iss\":\"" ISSUER "\"" EXP "}",
         "the token is for another audience"},
        {"{\"iss\":\"" ISSUER "\",\"aud\":\"other\"" EXP "}",
         "the token is for another audience"},
        {"{\"iss\":\"" ISSUER "\",\"aud\":[]" EXP "}",
         "the token is for another audience"},
        {"{\"iss\":\"" ISSUER "\",\"aud\":[\"x\",{}]" EXP "}",
         "the token is for another audience"},
        {FIRST EXP ",\"scopes\":\"runtime\"}",
         "the token's scopes are not a list of names"},
        {FIRST EXP ",\"scopes\":[1]}",
         "the token's scopes are not a list of names"},
        {FIRST EXP ",\"scope\":[\"runtime\"]}",
         "the token's scopes are not a list of names"},
        {FIRST EXP ",\"sub\":7}",
         "the token's subject is not one that we take"},
        {FIRST EXP ",\"sub\":\"token:ci\"}",
         "the token's subject is not one that we take"},
        {FIRST EXP ",\"sub\":\"a\\nb\"}",
         "the token's subject is not one that we take"},
        {FIRST EXP ",\"sub\":\"a\\u009bb\"}",
         "the token's subject is not one that we take"},
        {FIRST EXP ",\"sub\":\"\\u0080\"}",
         "the token's subject is not one that we take"},
        {FIRST EXP ",\"sub\":\"\\u009f\"}",
         "the token's subject is not one that we take"},
        {"[]", "the token cannot be read"},
        {"", "the token cannot be read"},
    };
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        check_refused(&w, hmac(&w, rows[i].claims), rows[i].why,
                      rows[i].claims);
    close_world(&w);
}

TEST(an_audience_is_refused_where_we_have_no_name)
{
    struct world w;
    open_world(&w);
    w.rules.audience = w.rules.issuer = TR_STR("");
    check_refused(&w, hmac(&w, GOOD_CLAIMS),
                  "the token is for another audience", "aud");
    (void)check_good(&w, hmac(&w, "{\"exp\":1785240600}"));
    close_world(&w);
}

TEST(clocks_may_be_a_little_apart)
{
    struct world w;
    open_world(&w);
    (void)check_good(&w, hmac(&w, FIRST ",\"exp\":1785239971}"));
    (void)check_good(&w, hmac(&w, FIRST EXP ",\"nbf\":1785240030}"));
    (void)check_good(&w, hmac(&w, FIRST ",\"exp\":1785240600.5}"));
    close_world(&w);
}

TEST(scopes_are_those_that_the_token_names)
{
    static const struct {
        const char *claims;
        unsigned scopes;
    } rows[] = {
        {FIRST EXP "}", TR_SCOPE_RUNTIME},
        {FIRST EXP ",\"scopes\":[]}", 0},
        {FIRST EXP ",\"scopes\":[\"openid\",\"dev\"]}", TR_SCOPE_DEV},
        {FIRST EXP ",\"scopes\":[\"builder\"],\"scope\":\"dev\"}",
         TR_SCOPE_BUILDER},
        {FIRST EXP ",\"scope\":\"\"}", 0},
        {FIRST EXP ",\"scope\":\"openid builder  runtime\"}",
         TR_SCOPE_BUILDER | TR_SCOPE_RUNTIME},
    };
    struct world w;
    open_world(&w);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_ROW(check_good(&w, hmac(&w, rows[i].claims)).scopes ==
                      rows[i].scopes,
                  rows[i].claims);
    (void)check_good(&w,
                     hmac(&w, "{\"iss\":\"" ISSUER
                              "\",\"aud\":[\"x\",\"" AUDIENCE "\"]" EXP "}"));
    close_world(&w);
}

/* Each byte of a good token, changed, and each of its beginnings. */
TEST(no_other_text_is_as_good)
{
    struct tr_access_jwt_claims claims;
    struct world w;
    open_world(&w);
    tr_str good = hmac(&w, GOOD_CLAIMS);
    char text[1024];
    CHECK(good.len < sizeof(text));
    for (size_t i = 0; i < good.len; i++) {
        memcpy(text, good.ptr, good.len);
        text[i] = text[i] == 'A' ? 'B' : 'A';
        CHECK_INT(tr_access_jwt_verify(&w.arena, &w.rules,
                                       (tr_str){text, good.len}, &claims, NULL),
                  TR_E_UNAUTHENTICATED);
        CHECK_INT(tr_access_jwt_verify(&w.arena, &w.rules,
                                       (tr_str){good.ptr, i}, &claims, NULL),
                  TR_E_UNAUTHENTICATED);
    }
    static const char *const bad[] = {
        "", ".", "..", "...", "a.b.c", "a.b.c.d", "e30.e30.", ".e30.e30"};
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(tr_access_jwt_verify(&w.arena, &w.rules, tr_str_from(bad[i]),
                                       &claims, NULL) == TR_E_UNAUTHENTICATED,
                  bad[i]);
    close_world(&w);
}

TEST(without_memory_no_token_is_valid)
{
    struct world w;
    open_world(&w);
    tr_str token = hmac(&w, GOOD_CLAIMS);
    struct tr_access_jwt_claims claims;
    struct tr_arena small;
    tr_arena_init(&small, 0);
    CHECK_INT(tr_access_jwt_verify(&small, &w.rules, token, &claims, NULL),
              TR_E_NOMEM);
    tr_arena_done(&small);
    close_world(&w);
}
