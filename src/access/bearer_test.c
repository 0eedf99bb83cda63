#include "access/bearer.h"

#include "access/jwt.h"
#include "access/token.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/test.h"
#include "db/db.h"
#include "support/folder.h"
#include "support/signer.h"

#include <unistd.h>

#define NOW    1785240000
#define SECRET TR_STR("a secret of more than thirty-two bytes")
#define TOKEN  TR_STR("the-token-of-the-environment")

struct world {
    struct tr_arena arena;
    struct folder folder;
    struct tr_db *db;
    struct tr_access_bearer_opts opts;
    struct tr_access_bearer *bearer;
    struct tr_access_bearer_moment at;
};

static void open_world(struct world *w)
{
    static const struct tr_db_step steps[] = {{.sql = TR_ACCESS_SCHEMA}};
    struct tr_err err = {0};
    *w = (struct world){.at = {NOW, 1}};
    tr_arena_init(&w->arena, TR_MIB(4));
    folder_open(&w->folder);
    CHECK_OK(tr_db_open(folder_path(&w->folder, "t.db"), NULL, &w->db, &err),
             &err);
    CHECK_OK(tr_db_upgrade(w->db, steps, 1, &err), &err);
    w->opts = (struct tr_access_bearer_opts){
        .scopes = TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER,
        .token = TOKEN,
        .jwt_secret = SECRET,
        .algorithms = TR_ACCESS_JWT_HS256 | TR_ACCESS_JWT_EDDSA,
        .db = w->db,
    };
}

static void start(struct world *w)
{
    struct tr_err err = {0};
    CHECK_OK(tr_access_bearer_create(&w->opts, &w->bearer, &err), &err);
}

static void close_world(struct world *w)
{
    tr_access_bearer_free(w->bearer);
    tr_db_close(w->db);
    folder_close(&w->folder);
    tr_arena_done(&w->arena);
}

static const struct tr_access_authority *check_good(struct world *w,
                                                    tr_str credential)
{
    const struct tr_access_authority *authority = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_access_bearer_resolve(w->bearer, credential, w->at, &authority,
                                      &err),
             &err);
    CHECK(authority->is_authenticated);
    return authority;
}

static void check_refused(struct world *w, tr_str credential, const char *why)
{
    const struct tr_access_authority *authority = NULL;
    struct tr_err err = {0};
    CHECK_INT(tr_access_bearer_resolve(w->bearer, credential, w->at, &authority,
                                       &err),
              TR_E_UNAUTHENTICATED);
    CHECK_STR(tr_str_from(err.msg), why);
    CHECK(!authority);
}

static tr_str stored(struct world *w, unsigned scopes, int64_t expires_s,
                     tr_str *id)
{
    const struct tr_access_token draft = {.name = TR_STR("ci"),
                                          .scopes = scopes,
                                          .created_s = NOW,
                                          .expires_s = expires_s,
                                          .limits = {.calls_hour = 9}};
    struct tr_access_token_made made;
    tr_str text;
    CHECK_OK(tr_access_token_add(w->db, &draft, &made, NULL), NULL);
    CHECK(tr_arena_copy(&w->arena, (tr_str){made.text, sizeof(made.text)},
                        &text) &&
          tr_arena_copy(&w->arena, (tr_str){made.id, sizeof(made.id)}, id));
    return text;
}

static tr_str jwt(struct world *w, const char *claims)
{
    return tr_hmac_jwt(SECRET, &w->arena, "{\"alg\":\"HS256\"}", claims);
}

TEST(nobody_has_runtime_where_the_process_has_it)
{
    struct world w;
    open_world(&w);
    start(&w);
    const struct tr_access_authority *nobody =
        tr_access_bearer_nobody(w.bearer);
    CHECK(!nobody->is_authenticated);
    CHECK_INT(nobody->scopes, TR_SCOPE_RUNTIME);
    CHECK_STR(nobody->principal, "");
    tr_access_bearer_free(w.bearer);
    w.opts.scopes = TR_SCOPE_DEV;
    start(&w);
    CHECK_INT(tr_access_bearer_nobody(w.bearer)->scopes, 0);
    close_world(&w);
}

TEST(the_token_of_the_environment_has_the_scopes_of_the_process)
{
    struct world w;
    open_world(&w);
    start(&w);
    const struct tr_access_authority *authority = check_good(&w, TOKEN);
    CHECK_STR(authority->principal, "token:environment");
    CHECK_INT(authority->scopes, TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER);
    check_refused(&w, TR_STR("the-token-of-the-environmen"),
                  "the token cannot be read");
    check_refused(&w, TR_STR(""), "the token is not known");
    tr_access_bearer_free(w.bearer);
    w.opts.token = w.opts.jwt_secret = TR_STR("");
    start(&w);
    check_refused(&w, TOKEN, "the token is not known");
    check_refused(&w, TR_STR(""), "the token is not known");
    close_world(&w);
}

TEST(a_stored_token_is_narrowed_to_the_process)
{
    struct world w;
    tr_str id;
    open_world(&w);
    start(&w);
    tr_str token = stored(&w, TR_SCOPE_BUILDER | TR_SCOPE_DEV, 0, &id);
    for (int i = 0; i < 2; i++) { /* found, then remembered */
        const struct tr_access_authority *authority = check_good(&w, token);
        CHECK_STR(authority->principal, "token:ci");
        CHECK(tr_str_eq(authority->token_id, id));
        CHECK_INT(authority->scopes, TR_SCOPE_BUILDER);
        CHECK_INT(authority->limits.calls_hour, 9);
    }
    check_refused(&w,
                  TR_STR("trails_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
                  "the token is not known");
    close_world(&w);
}

TEST(a_revoked_token_ends_with_the_next_generation)
{
    struct world w;
    tr_str id;
    open_world(&w);
    start(&w);
    tr_str token = stored(&w, TR_SCOPE_RUNTIME, 0, &id);
    (void)check_good(&w, token);
    CHECK_OK(tr_access_token_revoke(w.db, id, NOW, NULL), NULL);
    w.at.generation++;
    check_refused(&w, token, "the token was revoked");
    check_refused(&w, token, "the token was revoked");
    close_world(&w);
}

TEST(tokens_end_when_they_expire_also_when_they_are_known)
{
    struct world w;
    tr_str id;
    open_world(&w);
    start(&w);
    tr_str token = stored(&w, TR_SCOPE_RUNTIME, NOW + 10, &id);
    tr_str claims = jwt(&w, "{\"exp\":1785240010,\"sub\":\"ann\"}");
    CHECK_STR(check_good(&w, claims)->principal, "ann");
    (void)check_good(&w, token);
    w.at.now_s = NOW + 10;
    check_refused(&w, token, "the token has expired");
    (void)check_good(&w, claims);
    w.at.now_s = NOW + 10 + TR_ACCESS_JWT_LEEWAY_S;
    check_refused(&w, claims, "the token has expired");
    close_world(&w);
}

/* Each would be somebody else: the command line, a token, no subject. */
TEST(a_jwt_cannot_have_a_name_that_we_give)
{
    static const char *const names[] = {"local:root", "local:", "token:ci",
                                        "token:environment", "jwt"};
    struct world w;
    open_world(&w);
    start(&w);
    for (size_t i = 0; i < TR_LEN(names); i++) {
        char claims[128];
        (void)snprintf(claims, sizeof(claims),
                       "{\"exp\":1785240010,\"sub\":\"%s\"}", names[i]);
        check_refused(&w, jwt(&w, claims),
                      "the token's subject is not one that we take");
    }
    close_world(&w);
}

TEST(a_jwt_is_narrowed_to_the_process)
{
    struct world w;
    open_world(&w);
    start(&w);
    const struct tr_access_authority *authority = check_good(
        &w, jwt(&w, "{\"exp\":1785240010,\"scopes\":[\"dev\",\"builder\"]}"));
    CHECK_INT(authority->scopes, TR_SCOPE_BUILDER);
    CHECK_STR(authority->principal, "jwt");
    CHECK_STR(authority->token_id, "");
    close_world(&w);
}

static void write_keys(struct world *w, struct tr_signer *signer)
{
    struct tr_buf text;
    tr_str copy;
    tr_buf_init(&text, 65536);
    tr_buf_putf(&text, "{\"keys\":[%.*s]}",
                TR_FMT(tr_signer_jwk(signer, &w->arena, "k")));
    CHECK(tr_arena_copy(&w->arena, tr_buf_str(&text), &copy));
    folder_write(&w->folder, "new.json", copy.ptr);
    CHECK(rename(folder_path(&w->folder, "new.json"),
                 folder_path(&w->folder, "keys.json")) == 0);
    tr_buf_done(&text);
}

/* When a key is taken out of the file, what it has signed is refused again. */
TEST(keys_are_read_again_when_their_file_has_changed)
{
    static const char claims[] = "{\"exp\":1785240600,\"sub\":\"ann\"}";
    struct tr_signer *old = tr_signer_new(TR_CRYPTO_KEY_ED25519);
    struct tr_signer *new = tr_signer_new(TR_CRYPTO_KEY_ED25519);
    char path[128];
    struct world w;
    open_world(&w);
    write_keys(&w, old);
    (void)snprintf(path, sizeof(path), "%s",
                   folder_path(&w.folder, "keys.json"));
    w.opts.jwks_file = path;
    start(&w);
    tr_str one = tr_signer_jwt(old, &w.arena, "{\"alg\":\"EdDSA\"}", claims);
    tr_str two = tr_signer_jwt(new, &w.arena, "{\"alg\":\"EdDSA\"}", claims);
    (void)check_good(&w, one);
    check_refused(&w, two, "the token's signature is not valid");
    write_keys(&w, new);
    w.at.now_s++;
    check_refused(&w, one, "the token's signature is not valid");
    (void)check_good(&w, two);
    tr_signer_free(old);
    tr_signer_free(new);
    close_world(&w);
}

/* What on_keys was told: how often, and the last reason. */
struct told {
    size_t count;
    char why[sizeof(((struct tr_err *)NULL)->msg)];
};

static void note_keys(void *data, const struct tr_err *why)
{
    struct told *told = data;
    told->count++;
    (void)snprintf(told->why, sizeof(told->why), "%s", why ? why->msg : "");
}

/* Each of these takes the keys away, those of remembered credentials too; they
 * count again when they are back. */
TEST(a_file_without_keys_takes_them_away)
{
    static const struct {
        const char *text; /* NULL: the file is removed */
        const char *why;
    } rows[] = {
        {"{\"keys\":[]}", "no key is for EdDSA, ES256 or RS256"},
        {"{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}",
         "no key is for EdDSA, ES256 or RS256"},
        {"{\"keys\":[", "the text ends"},
        {"", "the text ends"},
        {"[]", "a set of keys is"},
        {NULL, "No such file"},
    };
    static const char claims[] = "{\"exp\":1785240600,\"sub\":\"ann\"}";
    struct tr_signer *signer = tr_signer_new(TR_CRYPTO_KEY_ED25519);
    struct told told = {0};
    char path[128];
    struct world w;
    open_world(&w);
    write_keys(&w, signer);
    (void)snprintf(path, sizeof(path), "%s",
                   folder_path(&w.folder, "keys.json"));
    w.opts.jwks_file = path;
    w.opts.jwt_secret = TR_STR("");
    w.opts.on_keys = note_keys;
    w.opts.keys_data = &told;
    start(&w);
    tr_str token =
        tr_signer_jwt(signer, &w.arena, "{\"alg\":\"EdDSA\"}", claims);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        (void)check_good(&w, token);
        size_t before = told.count;
        if (rows[i].text)
            folder_write(&w.folder, "keys.json", rows[i].text);
        else
            CHECK(unlink(path) == 0);
        w.at.now_s++;
        check_refused(&w, token, "the token's signature is not valid");
        CHECK_INT(told.count, before + 1);
        CHECK_ROW(strstr(told.why, rows[i].why), told.why);
        write_keys(&w, signer);
        w.at.now_s++;
        (void)check_good(&w, token);
        CHECK_STR(tr_str_from(told.why), "");
    }
    tr_signer_free(signer);
    close_world(&w);
}

TEST(a_bearer_that_could_not_work_is_not_made)
{
    struct tr_err err = {0};
    struct world w;
    open_world(&w);
    w.opts.jwt_secret = TR_STR("too short");
    CHECK_INT(tr_access_bearer_create(&w.opts, &w.bearer, &err), TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg),
              "the secret of HS256 must have at least 32 bytes");
    w.opts.jwt_secret = TR_STR("");
    w.opts.jwks_file = "/nowhere/keys.json";
    CHECK_INT(tr_access_bearer_create(&w.opts, &w.bearer, &err),
              TR_E_NOT_FOUND);
    CHECK(!w.bearer);
    close_world(&w);
}

/* More credentials than the cache holds: all stay good. */
TEST(what_is_forgotten_is_verified_again)
{
    size_t count = TR_LIMIT_BEARERS + TR_LIMIT_BEARERS / 2;
    struct world w;
    open_world(&w);
    start(&w);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < count; i++) {
            char claims[64];
            char name[32];
            struct tr_arena arena;
            tr_arena_init(&arena, TR_KIB(64));
            (void)snprintf(name, sizeof(name), "n%zu", i);
            (void)snprintf(claims, sizeof(claims),
                           "{\"exp\":1785240010,\"sub\":\"%s\"}", name);
            tr_str token =
                tr_hmac_jwt(SECRET, &arena, "{\"alg\":\"HS256\"}", claims);
            CHECK_STR(check_good(&w, token)->principal, name);
            tr_arena_done(&arena);
        }
    }
    close_world(&w);
}

TEST(the_header_has_one_form)
{
    static const struct {
        const char *header;
        tr_status status;
        const char *token;
    } rows[] = {
        {"Bearer abc", TR_OK, "abc"},
        {"bearer abc", TR_OK, "abc"},
        {"BEARER  a-._~+/1==", TR_OK, "a-._~+/1=="},
        {"", TR_E_SYNTAX, NULL},
        {"Basic YTpi", TR_E_SYNTAX, NULL},
        {"Bearerabc", TR_E_SYNTAX, NULL},
        {"Beare abc", TR_E_SYNTAX, NULL},
        {"Bearer", TR_E_SYNTAX, NULL},
        {"Bearer ", TR_E_SYNTAX, NULL},
        {"Bearer =", TR_E_SYNTAX, NULL},
        {"Bearer a b", TR_E_SYNTAX, NULL},
        {"Bearer a,b", TR_E_SYNTAX, NULL},
        {"Bearer a=b", TR_E_SYNTAX, NULL},
        {"Bearer \"a\"", TR_E_SYNTAX, NULL},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_str token = {NULL, 0};
        CHECK_ROW(tr_access_bearer_parse(tr_str_from(rows[i].header), &token,
                                         NULL) == rows[i].status,
                  rows[i].header);
        if (rows[i].token)
            CHECK_STR(token, rows[i].token);
    }
}

static tr_status resolve_once(void *context, struct tr_err *err)
{
    struct world *w = context;
    const struct tr_access_authority *authority;
    struct tr_access_bearer *bearer = NULL;
    TR_TRY(tr_access_bearer_create(&w->opts, &bearer, err));
    tr_str token = TR_STR("eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3ODUyNDA2MDB9."
                          "4nzLg4FrCY26NxH_xuM-uMC5dd1joAZnxUoFq7Vk3vg");
    tr_status status =
        tr_access_bearer_resolve(bearer, token, w->at, &authority, err);
    tr_access_bearer_free(bearer);
    return status;
}

TEST(resolving_survives_without_memory)
{
    struct world w;
    open_world(&w);
    tr_test_sweep(resolve_once, &w);
    close_world(&w);
}

/* While the keys are not fetched yet, the failure is not the caller's. */
TEST(fetched_keys_are_taken_up_when_they_come)
{
    static const char claims[] = "{\"exp\":1785240600,\"sub\":\"ann\"}";
    struct tr_signer *signer = tr_signer_new(TR_CRYPTO_KEY_ED25519);
    const struct tr_access_authority *authority = NULL;
    struct tr_access_key_source source;
    struct tr_buf text;
    struct world w;
    open_world(&w);
    CHECK_OK(tr_access_key_source_init(&source, NULL), NULL);
    w.opts.keys = &source;
    w.opts.jwt_secret = TR_STR("");
    start(&w);
    tr_str token =
        tr_signer_jwt(signer, &w.arena, "{\"alg\":\"EdDSA\"}", claims);
    CHECK_INT(tr_access_bearer_resolve(w.bearer, token, w.at, &authority, NULL),
              TR_E_UNAVAILABLE);
    CHECK(atomic_exchange(&source.is_wanted, false));
    tr_buf_init(&text, 65536);
    tr_buf_putf(&text, "{\"keys\":[%.*s]}",
                TR_FMT(tr_signer_jwk(signer, &w.arena, "k")));
    CHECK_OK(tr_access_key_source_put(&source, tr_buf_str(&text), NULL), NULL);
    CHECK_STR(check_good(&w, token)->principal, "ann");
    CHECK(!atomic_load(&source.is_wanted));
    check_refused(&w, jwt(&w, claims), "the token's signature is not valid");
    CHECK(!atomic_load(&source.is_wanted));
    CHECK_OK(tr_access_key_source_put(&source, TR_STR("{\"keys\":[]}"), NULL),
             NULL);
    check_refused(&w, token, "the token's signature is not valid");
    CHECK_OK(tr_access_key_source_put(&source, tr_buf_str(&text), NULL), NULL);
    (void)check_good(&w, token);
    CHECK_OK(tr_access_key_source_put(&source, TR_STR("<html>"), NULL), NULL);
    check_refused(&w, token, "the token's signature is not valid");
    tr_buf_done(&text);
    tr_signer_free(signer);
    close_world(&w);
    tr_access_key_source_done(&source);
}

/* Revoking the last token does not take away that there was one. */
TEST(bearer_knows_whether_a_token_was_ever_stored)
{
    const struct tr_access_token draft = {.scopes = TR_SCOPE_RUNTIME,
                                          .created_s = NOW};
    struct tr_access_token_made made;
    struct world w;
    bool has = true;
    open_world(&w);
    start(&w);
    CHECK_OK(tr_access_bearer_has_stored(w.bearer, w.at, &has, NULL), NULL);
    CHECK(!has);
    CHECK_OK(tr_access_token_add(w.db, &draft, &made, NULL), NULL);
    CHECK_OK(tr_access_bearer_has_stored(w.bearer, w.at, &has, NULL), NULL);
    CHECK(!has); /* the store says that it has not changed */
    w.at.generation++;
    CHECK_OK(tr_access_bearer_has_stored(w.bearer, w.at, &has, NULL), NULL);
    CHECK(has);
    CHECK_OK(tr_access_token_revoke(w.db, (tr_str){made.id, sizeof(made.id)},
                                    NOW, NULL),
             NULL);
    w.at.generation++;
    CHECK_OK(tr_access_bearer_has_stored(w.bearer, w.at, &has, NULL), NULL);
    CHECK(has);
    close_world(&w);
}
