#include "access/jwt.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "support/signer.h"

static tr_status read_text(const char *text, struct tr_err *err)
{
    struct tr_access_jwks *jwks = NULL;
    tr_status status = tr_access_jwks_read(tr_str_from(text), &jwks, err);
    tr_access_jwks_free(jwks);
    return status;
}

#define ED(members)                                                            \
    "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":"                   \
    "\"PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw\"" members "}]}"

TEST(a_key_for_signatures_is_taken)
{
    static const char *const good[] = {
        ED(""),
        ED(",\"use\":\"sig\",\"alg\":\"EdDSA\",\"kid\":\"a\""),
        ED(",\"key_ops\":[\"sign\",\"verify\"]"),
    };
    for (size_t i = 0; i < TR_LEN(good); i++) {
        struct tr_err err = {0};
        CHECK_OK(read_text(good[i], &err), &err);
    }
}

TEST(what_is_of_no_use_or_broken_is_refused)
{
    static const struct {
        const char *text;
        const char *message;
    } rows[] = {
        {"[]", "a set of keys is {\"keys\": [...]}"},
        {"{}", "a set of keys is {\"keys\": [...]}"},
        {"{\"keys\":{}}", "a set of keys is {\"keys\": [...]}"},
        {"{\"keys\":[]}", "no key is for EdDSA, ES256 or RS256"},
        {"{\"keys\":[1,\"a\",null]}", "no key is for EdDSA, ES256 or RS256"},
        {"{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}",
         "no key is for EdDSA, ES256 or RS256"},
        {ED(",\"use\":\"enc\""), "no key is for EdDSA, ES256 or RS256"},
        {ED(",\"alg\":\"RS256\""), "no key is for EdDSA, ES256 or RS256"},
        {ED(",\"key_ops\":[\"sign\"]"), "no key is for EdDSA, ES256 or RS256"},
        {ED(",\"d\":\"AAAA\""),
         "keys[0]: it is a private key, which belongs to its owner only"},
        {"{\"keys\":[{},{\"kty\":\"RSA\",\"e\":\"AQAB\"}]}",
         "keys[1]: its 'n' is not base64url"},
        {"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQ=B\"}]}",
         "keys[0]: its 'e' is not base64url"},
        {"{\"keys\":[{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}]}",
         "keys[0]: an RSA key has an odd modulus of 2048 to 8192 bits"},
        {"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AQAB\"}]}",
         "keys[0]: an Ed25519 key has 32 bytes"},
        {"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AQAB\"}]}",
         "keys[0]: its 'y' is not base64url"},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        CHECK_ROW(read_text(rows[i].text, &err) == TR_E_INVALID, rows[i].text);
        CHECK_STR(tr_str_from(err.msg), rows[i].message);
    }
    CHECK_INT(read_text("{\"keys\":[", NULL), TR_E_SYNTAX);
}

TEST(a_set_has_a_maximum)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_MIB(1));
    tr_buf_put(&text, TR_STR("{\"keys\":[{}"));
    for (size_t i = 0; i < TR_LIMIT_JWKS_KEYS; i++)
        tr_buf_put(&text, TR_STR(",{}"));
    tr_buf_put(&text, TR_STR("]}"));
    struct tr_access_jwks *jwks = NULL;
    CHECK_INT(tr_access_jwks_read(tr_buf_str(&text), &jwks, NULL), TR_E_LIMIT);
    while (text.len <= TR_LIMIT_JWKS_BYTES)
        tr_buf_put(&text, TR_STR("                                "));
    CHECK_INT(tr_access_jwks_read(tr_buf_str(&text), &jwks, NULL), TR_E_LIMIT);
    tr_buf_done(&text);
}

TEST(keys_are_found_by_kind_and_name)
{
    struct tr_signer *signer = tr_signer_new(TR_CRYPTO_KEY_P256);
    struct tr_access_jwks *jwks = NULL;
    struct tr_arena arena;
    struct tr_buf text;
    size_t at = 0;
    tr_arena_init(&arena, 1 << 20);
    tr_buf_init(&text, 65536);
    tr_buf_putf(&text, "{\"keys\":[%.*s,%.*s]}",
                TR_FMT(tr_signer_jwk(signer, &arena, "one")),
                TR_FMT(tr_signer_jwk(signer, &arena, "two")));
    CHECK_OK(tr_access_jwks_read(tr_buf_str(&text), &jwks, NULL), NULL);
    tr_str kid = TR_STR("two");
    CHECK(tr_access_jwks_next(jwks, TR_CRYPTO_KEY_P256, &kid, &at) && at == 2);
    CHECK(!tr_access_jwks_next(jwks, TR_CRYPTO_KEY_P256, &kid, &at));
    at = 0;
    CHECK(tr_access_jwks_next(jwks, TR_CRYPTO_KEY_P256, NULL, &at) && at == 1);
    CHECK(tr_access_jwks_next(jwks, TR_CRYPTO_KEY_P256, NULL, &at) && at == 2);
    CHECK(!tr_access_jwks_next(jwks, TR_CRYPTO_KEY_P256, NULL, &at));
    at = 0;
    kid = TR_STR("");
    CHECK(!tr_access_jwks_next(jwks, TR_CRYPTO_KEY_P256, &kid, &at));
    at = 0;
    CHECK(!tr_access_jwks_next(jwks, TR_CRYPTO_KEY_RSA, NULL, &at));
    CHECK(!tr_access_jwks_next(NULL, TR_CRYPTO_KEY_RSA, NULL, &at));
    tr_access_jwks_free(jwks);
    tr_buf_done(&text);
    tr_signer_free(signer);
    tr_arena_done(&arena);
}

static tr_status read_once(void *context, struct tr_err *err)
{
    return read_text(context, err);
}

TEST(reading_keys_survives_without_memory)
{
    char text[] = ED(",\"kid\":\"a\"");
    tr_test_sweep(read_once, text);
}
