/*
 * Any bytes as a credential: as a header, as a token, as what a token says that
 * was signed with the right secret, as a set of keys. Nobody gets in whom the
 * secret does not vouch for, and nobody gets more than the process has.
 */
#include "access/bearer.h"
#include "access/jwt.h"
#include "base/limits.h"
#include "support/signer.h"

#define NOW    1785240000
#define SECRET TR_STR("a secret of more than thirty-two bytes")
#define GOOD   "{\"exp\":1785240600,\"sub\":\"ann\",\"scopes\":[\"dev\"]}"
#define HEADER "{\"alg\":\"HS256\"}"
#define SCOPES ((unsigned)TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static struct tr_access_bearer *bearer_of_the_run(void)
{
    static struct tr_access_bearer *bearer;
    const struct tr_access_bearer_opts opts = {
        .scopes = SCOPES,
        .jwt_secret = SECRET,
        .algorithms = TR_ACCESS_JWT_HS256 | TR_ACCESS_JWT_EDDSA |
                      TR_ACCESS_JWT_ES256 | TR_ACCESS_JWT_RS256,
    };
    if (!bearer)
        must(tr_access_bearer_create(&opts, &bearer, NULL) == TR_OK);
    return bearer;
}

/* A name that may be written into a log. */
static void check_authority(const struct tr_access_authority *authority)
{
    must(authority->is_authenticated && !(authority->scopes & ~SCOPES));
    must(authority->principal.len > 0 &&
         authority->principal.len <= TR_LIMIT_PRINCIPAL);
    must(!tr_str_starts(authority->principal, TR_STR("token:")));
    for (size_t i = 0; i < authority->principal.len; i++)
        must((unsigned char)authority->principal.ptr[i] >= 0x20);
}

static bool resolve(tr_str token)
{
    const struct tr_access_authority *authority = NULL;
    struct tr_err err = {0};
    const struct tr_access_bearer_moment at = {NOW, 0};
    tr_status status = tr_access_bearer_resolve(bearer_of_the_run(), token, at,
                                                &authority, &err);
    must(status == TR_OK || status == TR_E_UNAUTHENTICATED ||
         status == TR_E_NOMEM);
    if (status == TR_OK)
        check_authority(authority);
    return status == TR_OK;
}

static const char *terminated(struct tr_arena *arena, tr_str text)
{
    tr_str copy;
    must(tr_arena_copy(arena, text, &copy));
    return copy.ptr;
}

/* A line is the header, what follows is the claims. */
static void try_signed(struct tr_arena *arena, tr_str text)
{
    tr_str header = TR_STR(HEADER);
    tr_str claims = text;
    if (text.len && text.ptr[0] == '{' &&
        !tr_str_cut(text, '\n', &header, &claims))
        header = TR_STR(HEADER);
    (void)resolve(tr_hmac_jwt(SECRET, arena, terminated(arena, header),
                              terminated(arena, claims)));
}

/* One token that is good, with some of its letters changed. */
static void try_changed(struct tr_arena *arena, tr_str changes)
{
    tr_str good = tr_hmac_jwt(SECRET, arena, HEADER, GOOD);
    char *bytes = tr_arena_alloc(arena, good.len);
    must(bytes != NULL);
    memcpy(bytes, good.ptr, good.len);
    for (size_t i = 0; i < changes.len && i < good.len; i++)
        bytes[i] = (char)(bytes[i] ^ (changes.ptr[i] & 7));
    tr_str changed = {bytes, good.len};
    must(resolve(changed) == tr_str_eq(changed, good));
}

static void try_keys(tr_str text)
{
    struct tr_access_jwks *jwks = NULL;
    struct tr_err err = {0};
    tr_status status = tr_access_jwks_read(text, &jwks, &err);
    must((status == TR_OK) == (jwks != NULL));
    must(status == TR_OK || err.msg[0]);
    tr_access_jwks_free(jwks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str rest = tr_str_skip((tr_str){(const char *)data, size}, 1);
    struct tr_arena arena;
    tr_str token;
    if (size == 0 || rest.len > TR_KIB(16))
        return 0;
    tr_arena_init(&arena, TR_MIB(4));
    switch (data[0] % 5) {
    case 0:
        if (tr_access_bearer_parse(rest, &token, NULL) == TR_OK)
            must(!resolve(token));
        break;
    case 1:
        must(!resolve(rest));
        break;
    case 2:
        try_signed(&arena, rest);
        break;
    case 3:
        try_changed(&arena, rest);
        break;
    default:
        try_keys(rest);
    }
    tr_arena_done(&arena);
    return 0;
}
