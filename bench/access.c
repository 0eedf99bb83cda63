/*
 * bench/access.c - what a credential costs: one that is remembered, and a JWT
 * that is seen for the first time, beside the bare check of its signature.
 */
#include "access/bearer.h"
#include "access/jwt.h"
#include "base/buf.h"
#include "base/limits.h"
#include "bench.h"
#include "support/signer.h"

#include <stdio.h>

#define NOW 1785240000

/* As an identity provider makes them: some 600 bytes. */
#define HEADER "{\"alg\":\"RS256\",\"typ\":\"JWT\",\"kid\":\"key\"}"
#define CLAIMS                                                                 \
    "{\"iss\":\"https://issuer.example\",\"aud\":\"https://trails.example/mcp" \
    "\",\"sub\":\"0190c5a2-7d1e-7c3b-9c55-ann\",\"iat\":1785239900,"           \
    "\"exp\":1785240600,\"jti\":\"1f2e3d4c5b6a\",\"client_id\":\"desktop\","   \
    "\"scopes\":[\"runtime\",\"builder\"]}"

struct bench {
    struct tr_arena arena;
    struct tr_signer *signer;
    struct tr_access_jwks *jwks;
    struct tr_access_key_source keys;
    struct tr_access_bearer *bearer;
    struct tr_access_jwt_rules rules;
    tr_str token;
    tr_str is_signed;
    tr_str signature;
};

static uint64_t verify_ours(const void *data)
{
    const struct bench *bench = data;
    struct tr_access_jwt_claims claims;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_KIB(512));
    if (tr_access_jwt_verify(&arena, &bench->rules, bench->token, &claims,
                             NULL) != TR_OK)
        abort();
    tr_arena_done(&arena);
    return claims.scopes;
}

static uint64_t verify_bare(const void *data)
{
    const struct bench *bench = data;
    return tr_signer_verify(bench->signer, bench->is_signed, bench->signature);
}

static uint64_t resolve(const void *data)
{
    const struct bench *bench = data;
    const struct tr_access_authority *authority = NULL;
    const struct tr_access_bearer_moment at = {NOW, 1};
    if (tr_access_bearer_resolve(bench->bearer, bench->token, at, &authority,
                                 NULL) != TR_OK)
        abort();
    return authority->scopes;
}

static bool open_all(struct bench *bench)
{
    struct tr_access_bearer_opts opts = {
        .scopes = TR_SCOPE_ALL,
        .issuer = TR_STR("https://issuer.example"),
        .audience = TR_STR("https://trails.example/mcp"),
        .algorithms = TR_ACCESS_JWT_RS256,
        .keys = &bench->keys};
    struct tr_buf text;
    tr_arena_init(&bench->arena, TR_MIB(1));
    bench->signer = tr_signer_new(TR_CRYPTO_KEY_RSA);
    tr_buf_init(&text, TR_KIB(64));
    tr_buf_putf(&text, "{\"keys\":[%.*s]}",
                TR_FMT(tr_signer_jwk(bench->signer, &bench->arena, "key")));
    bool done =
        tr_access_jwks_read(tr_buf_str(&text), &bench->jwks, NULL) == TR_OK &&
        tr_access_key_source_init(&bench->keys, NULL) == TR_OK &&
        tr_access_key_source_put(&bench->keys, tr_buf_str(&text), NULL) ==
            TR_OK &&
        tr_access_bearer_create(&opts, &bench->bearer, NULL) == TR_OK;
    tr_buf_done(&text);
    if (!done)
        return false;
    bench->rules = (struct tr_access_jwt_rules){.algorithms = opts.algorithms,
                                                .jwks = bench->jwks,
                                                .issuer = opts.issuer,
                                                .audience = opts.audience,
                                                .now_s = NOW};
    bench->token = tr_signer_jwt(bench->signer, &bench->arena, HEADER, CLAIMS);
    size_t dot = bench->token.len;
    while (bench->token.ptr[dot - 1] != '.')
        dot--;
    bench->is_signed = (tr_str){bench->token.ptr, dot - 1};
    bench->signature =
        tr_signer_sign(bench->signer, &bench->arena, bench->is_signed);
    return true;
}

static void close_all(struct bench *bench)
{
    tr_access_bearer_free(bench->bearer);
    tr_access_key_source_done(&bench->keys);
    tr_access_jwks_free(bench->jwks);
    tr_signer_free(bench->signer);
    tr_arena_done(&bench->arena);
}

bool tr_bench_access(const char *only)
{
    struct bench bench = {0};
    bool met = true;
    if (!strstr("access: bearer, remembered", only) &&
        !strstr("access: RS256, first sight", only))
        return true;
    if (open_all(&bench)) {
        const struct tr_bench_row row = {.name = "access: RS256, first sight",
                                         .rival = "bare OpenSSL",
                                         .ours = verify_ours,
                                         .theirs = verify_bare,
                                         .data = &bench,
                                         .target = 1 / 1.3};
        const struct tr_bench_row known = {
            .ours = resolve, .theirs = resolve, .data = &bench};
        double ours_ns;
        double again_ns;
        met = tr_bench_report(&row);
        tr_bench_compare(&known, &ours_ns, &again_ns);
        met = tr_bench_report_most("access: bearer, remembered", "us",
                                   ours_ns / 1e3, 1) &&
              met;
    }
    close_all(&bench);
    return met;
}
