#include "base/test.h"
#include "crypto/seal.h"
#include "server/app.h"
#include "server/env.h"
#include "support/folder.h"

/* An app in a folder of its own, with these settings. */
struct fixture {
    struct folder folder;
    struct tr_server_app app;
};

static void write_file(const struct fixture *f, const char *name,
                       const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", f->folder.path, name);
    FILE *file = fopen(path, "w");
    bool is_written = file && fputs(text, file) >= 0;
    CHECK(file && fclose(file) == 0 && is_written);
}

static void fixture_open(struct fixture *f, const char *toml)
{
    struct tr_err err = {0};
    folder_open(&f->folder);
    write_file(f, "app.lua", "");
    write_file(f, "trails.toml", toml);
    CHECK_OK(tr_server_app_open(&f->app, f->folder.path, &err), &err);
}

static void fixture_close(struct fixture *f)
{
    tr_server_app_close(&f->app);
    folder_close(&f->folder);
}

TEST(a_key_that_was_rotated_is_seen_when_the_ring_looks_again)
{
    struct fixture f;
    struct tr_server_keyring ring = {0};
    struct tr_server_keyring other = {0};
    struct tr_err err = {0};
    bool changed = true;
    fixture_open(&f, "[store]\npath = \".\"\n");
    CHECK_OK(tr_server_keyring_open(&ring, &f.app, &err), &err);
    const struct tr_crypto_keys *before = tr_server_keyring_current(&ring);
    CHECK_OK(tr_server_keyring_reopen(&ring, &changed, &err), &err);
    CHECK(!changed && tr_server_keyring_current(&ring) == before);
    CHECK_OK(tr_server_keyring_rotate(&other, &f.app, &err), &err);
    CHECK_STR(tr_str_from(other.path), ring.path);
    CHECK_OK(tr_server_keyring_reopen(&ring, &changed, &err), &err);
    CHECK(changed &&
          !tr_crypto_keys_same(before, tr_server_keyring_current(&ring)));
    tr_server_keyring_close(&ring);
    fixture_close(&f);
}

TEST(there_is_no_key_to_rotate_before_the_first_start)
{
    struct fixture f;
    struct tr_server_keyring ring = {0};
    struct tr_err err = {0};
    fixture_open(&f, "");
    CHECK_INT(tr_server_keyring_rotate(&ring, &f.app, &err), TR_E_NOT_FOUND);
    CHECK(strstr(err.msg, "/data/keys: the first start of a server makes it"));
    fixture_close(&f);
}

TEST(keys_in_memory_cannot_be_rotated)
{
    struct fixture f;
    struct tr_server_keyring ring = {0};
    struct tr_err err = {0};
    fixture_open(&f, "[store]\npath = \":memory:\"\n");
    CHECK_INT(tr_server_keyring_rotate(&ring, &f.app, &err), TR_E_UNSUPPORTED);
    CHECK(strstr(err.msg, "[store] path is :memory:"));
    fixture_close(&f);
}
