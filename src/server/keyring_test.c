#include "base/test.h"
#include "crypto/seal.h"
#include "server/app.h"
#include "server/env.h"
#include "support/folder.h"

/* An app in a folder of its own, with these settings. */
struct place {
    struct folder folder;
    struct tr_server_app app;
};

static void write_file(const struct place *place, const char *name,
                       const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", place->folder.path, name);
    FILE *file = fopen(path, "w");
    bool is_written = file && fputs(text, file) >= 0;
    CHECK(file && fclose(file) == 0 && is_written);
}

static void open_place(struct place *place, const char *toml)
{
    struct tr_err err = {0};
    folder_open(&place->folder);
    write_file(place, "app.lua", "");
    write_file(place, "trails.toml", toml);
    CHECK_OK(tr_server_app_open(&place->app, place->folder.path, &err), &err);
}

static void close_place(struct place *place)
{
    tr_server_app_close(&place->app);
    folder_close(&place->folder);
}

TEST(a_key_that_was_rotated_is_seen_when_the_ring_looks_again)
{
    struct place place;
    struct tr_server_keyring ring = {0};
    struct tr_server_keyring other = {0};
    struct tr_err err = {0};
    bool changed = true;
    open_place(&place, "[store]\npath = \".\"\n");
    CHECK_OK(tr_server_keyring_open(&ring, &place.app, &err), &err);
    const struct tr_crypto_keys *before = tr_server_keyring_current(&ring);
    CHECK_OK(tr_server_keyring_reopen(&ring, &changed, &err), &err);
    CHECK(!changed && tr_server_keyring_current(&ring) == before);
    CHECK_OK(tr_server_keyring_rotate(&other, &place.app, &err), &err);
    CHECK_STR(tr_str_from(other.path), ring.path);
    CHECK_OK(tr_server_keyring_reopen(&ring, &changed, &err), &err);
    CHECK(changed &&
          !tr_crypto_keys_same(before, tr_server_keyring_current(&ring)));
    tr_server_keyring_close(&ring);
    close_place(&place);
}

TEST(there_is_no_key_to_rotate_before_the_first_start)
{
    struct place place;
    struct tr_server_keyring ring = {0};
    struct tr_err err = {0};
    open_place(&place, "");
    CHECK_INT(tr_server_keyring_rotate(&ring, &place.app, &err),
              TR_E_NOT_FOUND);
    CHECK(strstr(err.msg, "/data/keys: the first start of a server makes it"));
    close_place(&place);
}

TEST(keys_in_memory_cannot_be_rotated)
{
    struct place place;
    struct tr_server_keyring ring = {0};
    struct tr_err err = {0};
    open_place(&place, "[store]\npath = \":memory:\"\n");
    CHECK_INT(tr_server_keyring_rotate(&ring, &place.app, &err),
              TR_E_UNSUPPORTED);
    CHECK(strstr(err.msg, "[store] path is :memory:"));
    close_place(&place);
}
