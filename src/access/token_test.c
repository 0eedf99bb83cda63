#include "access/token.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/scope.h"
#include "base/test.h"
#include "db/db.h"
#include "support/folder.h"

#define NOW 1785240000

struct world {
    struct tr_arena arena;
    struct folder folder;
    struct tr_db *db;
};

static void open_world(struct world *w)
{
    static const struct tr_db_step steps[] = {{.sql = TR_ACCESS_SCHEMA}};
    struct tr_err err = {0};
    tr_arena_init(&w->arena, TR_MIB(1));
    folder_open(&w->folder);
    CHECK_OK(tr_db_open(folder_path(&w->folder, "t.db"), NULL, &w->db, &err),
             &err);
    CHECK_OK(tr_db_upgrade(w->db, steps, 1, &err), &err);
}

static void close_world(struct world *w)
{
    tr_db_close(w->db);
    folder_close(&w->folder);
    tr_arena_done(&w->arena);
}

static struct tr_access_token_made add(struct world *w, const char *name,
                                       int64_t expires_s)
{
    const struct tr_access_token draft = {
        .name = tr_str_from(name),
        .scopes = TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER,
        .created_s = NOW,
        .expires_s = expires_s,
        .limits = {1, 2, 3, 4, 0.5, 6.25},
    };
    struct tr_access_token_made made;
    struct tr_err err = {0};
    CHECK_OK(tr_access_token_add(w->db, &draft, &made, &err), &err);
    return made;
}

static tr_status find(struct world *w, const struct tr_access_token_made *made,
                      struct tr_access_token *out)
{
    unsigned char hash[TR_CRYPTO_SHA256_BYTES];
    tr_crypto_sha256((tr_str){made->text, sizeof(made->text)}, hash);
    return tr_access_token_find(w->db, hash, &w->arena, out, NULL);
}

TEST(a_token_is_found_by_the_hash_of_its_text)
{
    struct tr_access_token token;
    struct world w;
    open_world(&w);
    struct tr_access_token_made made = add(&w, "ci", NOW + 60);
    struct tr_access_token_made other = add(&w, "", 0);
    CHECK(memcmp(made.text, TR_ACCESS_TOKEN_PREFIX, 7) == 0);
    CHECK(memcmp(made.text, other.text, sizeof(made.text)) != 0);
    CHECK_INT(find(&w, &made, &token), TR_OK);
    CHECK(tr_str_eq(token.id, (tr_str){made.id, sizeof(made.id)}));
    CHECK_STR(token.name, "ci");
    CHECK_INT(token.scopes, TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER);
    CHECK_INT(token.created_s, NOW);
    CHECK_INT(token.expires_s, NOW + 60);
    CHECK_INT(token.revoked_s, 0);
    CHECK(token.limits.calls_hour == 1 && token.limits.calls_day == 2 &&
          token.limits.tokens_hour == 3 && token.limits.tokens_day == 4 &&
          token.limits.usd_hour == 0.5 && token.limits.usd_day == 6.25);
    CHECK_INT(find(&w, &other, &token), TR_OK);
    CHECK_STR(token.name, "");
    CHECK_INT(token.expires_s, 0);
    made.text[20] = made.text[20] == 'a' ? 'b' : 'a';
    CHECK_INT(find(&w, &made, &token), TR_E_NOT_FOUND);
    close_world(&w);
}

TEST(a_token_is_valid_until_it_expires_or_is_revoked)
{
    struct tr_access_token token;
    struct tr_err err = {0};
    struct world w;
    int64_t count = 0;
    open_world(&w);
    struct tr_access_token_made made = add(&w, "", NOW + 60);
    tr_str id = {made.id, sizeof(made.id)};
    CHECK_INT(find(&w, &made, &token), TR_OK);
    CHECK(tr_access_token_is_valid(&token, NOW + 59));
    CHECK(!tr_access_token_is_valid(&token, NOW + 60));
    CHECK_OK(tr_access_token_count(w.db, NOW + 59, &count, &err), &err);
    CHECK_INT(count, 1);
    CHECK_OK(tr_access_token_count(w.db, NOW + 60, &count, &err), &err);
    CHECK_INT(count, 0);
    CHECK_OK(tr_access_token_revoke(w.db, id, NOW + 5, &err), &err);
    CHECK_OK(tr_access_token_revoke(w.db, id, NOW + 9, &err), &err);
    CHECK_INT(find(&w, &made, &token), TR_OK);
    CHECK_INT(token.revoked_s, NOW + 5);
    CHECK(!tr_access_token_is_valid(&token, NOW));
    CHECK_OK(tr_access_token_count(w.db, NOW, &count, &err), &err);
    CHECK_INT(count, 0);
    CHECK_INT(tr_access_token_revoke(w.db, TR_STR("000000000000"), NOW, NULL),
              TR_E_NOT_FOUND);
    close_world(&w);
}

TEST(names_of_tokens_are_plain)
{
    static const char *const bad[] = {"a b", "a\n", "\xC3\xA4",
                                      "a:b", "\"",  "a,b"};
    char text[TR_LIMIT_TOKEN_NAME + 1];
    memset(text, 'a', sizeof(text));
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(tr_access_token_check_name(tr_str_from(bad[i]), NULL) ==
                      TR_E_INVALID,
                  bad[i]);
    CHECK_INT(tr_access_token_check_name(TR_STR("a\0b"), NULL), TR_E_INVALID);
    CHECK_INT(tr_access_token_check_name((tr_str){text, sizeof(text)}, NULL),
              TR_E_INVALID);
    CHECK_INT(
        tr_access_token_check_name((tr_str){text, sizeof(text) - 1}, NULL),
        TR_OK);
    CHECK_INT(tr_access_token_check_name(TR_STR("ann@ci/nightly-2_x.y"), NULL),
              TR_OK);
    CHECK_INT(tr_access_token_check_name(TR_STR(""), NULL), TR_OK);
}

static tr_status collect(void *data, const struct tr_access_token *token,
                         struct tr_err *err)
{
    struct tr_buf *names = data;
    (void)err;
    tr_buf_putf(names, "%.*s;", TR_FMT(token->name));
    return names->len > 6 ? TR_E_LIMIT : TR_OK;
}

TEST(all_tokens_are_listed_until_the_visitor_has_enough)
{
    char storage[64];
    struct tr_buf names;
    struct world w;
    open_world(&w);
    tr_buf_init_fixed(&names, storage, sizeof(storage));
    (void)add(&w, "a", 0);
    (void)add(&w, "a", 0);
    CHECK_INT(tr_access_token_each(w.db, collect, &names, NULL), TR_OK);
    CHECK_STR(tr_buf_str(&names), "a;a;");
    (void)add(&w, "a", 0);
    (void)add(&w, "a", 0);
    tr_buf_clear(&names);
    CHECK_INT(tr_access_token_each(w.db, collect, &names, NULL), TR_E_LIMIT);
    close_world(&w);
}
