#include "crypto/seal.h"

#include "base/limits.h"
#include "base/test.h"
#include "crypto/encoding.h"

#define NOW 1000000

struct fixture {
    struct tr_arena arena;
    struct tr_crypto_keys *keys;
    bool is_secret; /* what is sealed with it */
};

static void set_up(struct fixture *f)
{
    struct tr_err err = {0};
    tr_arena_init(&f->arena, TR_MIB(64));
    f->is_secret = false;
    CHECK_OK(tr_crypto_keys_create(&f->keys, &err), &err);
}

static void tear_down(struct fixture *f)
{
    tr_crypto_keys_free(f->keys);
    tr_arena_done(&f->arena);
}

static tr_str seal(struct fixture *f, const char *purpose, int64_t expires,
                   tr_str payload)
{
    struct tr_crypto_seal how = {f->keys, tr_str_from(purpose), expires,
                                 f->is_secret};
    struct tr_err err = {0};
    tr_str out;
    CHECK_OK(tr_crypto_seal(&f->arena, &how, payload, &out, &err), &err);
    return out;
}

static tr_status unseal(struct fixture *f, const char *purpose, int64_t now,
                        tr_str sealed, tr_str *out)
{
    struct tr_crypto_unseal how = {f->keys, tr_str_from(purpose), now,
                                   f->is_secret};
    return tr_crypto_unseal(&f->arena, &how, sealed, out, NULL);
}

TEST(what_was_sealed_comes_back)
{
    static const tr_str payloads[] = {
        TR_STR_INIT(""), TR_STR_INIT("a"), TR_STR_INIT("{\"page\":2}"),
        TR_STR_INIT(
            "\0\xff\0 and more than one block of the hash, to be sure")};
    struct fixture f;
    set_up(&f);
    for (size_t i = 0; i < TR_LEN(payloads); i++) {
        tr_str out;
        tr_str sealed = seal(&f, "cursor", NOW + 60, payloads[i]);
        CHECK_OK(unseal(&f, "cursor", NOW, sealed, &out), NULL);
        CHECK(tr_str_eq(out, payloads[i]));
        CHECK(!memchr(sealed.ptr, '=', sealed.len));
    }
    tear_down(&f);
}

TEST(another_purpose_does_not_accept_it)
{
    struct fixture f;
    tr_str out;
    set_up(&f);
    tr_str sealed = seal(&f, "cursor", 0, TR_STR("x"));
    CHECK_INT(unseal(&f, "state", NOW, sealed, &out), TR_E_INVALID);
    CHECK_INT(unseal(&f, "", NOW, sealed, &out), TR_E_INVALID);
    CHECK_INT(unseal(&f, "cursorx", NOW, sealed, &out), TR_E_INVALID);
    CHECK_INT(unseal(&f, "curso", NOW, sealed, &out), TR_E_INVALID);
    tear_down(&f);
}

static void change_each_byte(bool is_secret)
{
    struct fixture f;
    char copy[128];
    tr_str out;
    set_up(&f);
    f.is_secret = is_secret;
    tr_str sealed = seal(&f, "state", NOW + 60, TR_STR("who=anna"));
    CHECK(sealed.len < sizeof(copy));
    for (size_t i = 0; i < sealed.len; i++) {
        for (int other = 1; other < 256; other++) {
            memcpy(copy, sealed.ptr, sealed.len);
            if (copy[i] == (char)other)
                continue;
            copy[i] = (char)other;
            CHECK_INT(
                unseal(&f, "state", NOW, (tr_str){copy, sealed.len}, &out),
                TR_E_INVALID);
        }
    }
    tear_down(&f);
}

TEST(no_bit_of_it_can_be_changed)
{
    change_each_byte(false);
    change_each_byte(true);
}

/* The payload does not show, nor that it is the same as another. */
TEST(a_secret_cannot_be_read)
{
    struct fixture f;
    char payload[100];
    set_up(&f);
    f.is_secret = true;
    memset(payload, 'x', sizeof(payload));
    for (size_t len = 0; len <= sizeof(payload); len++) {
        tr_str given = {payload, len};
        tr_str bytes[2];
        tr_str out;
        for (size_t i = 0; i < TR_LEN(bytes); i++) {
            tr_str sealed = seal(&f, "state", NOW + 60, given);
            CHECK_OK(unseal(&f, "state", NOW, sealed, &out), NULL);
            CHECK(tr_str_eq(out, given));
            CHECK_OK(
                tr_crypto_base64url_decode(&f.arena, sealed, &bytes[i], NULL),
                NULL);
            CHECK_INT(bytes[i].len, 9 + 16 + len + 16);
        }
        size_t same = 0; /* of what two sealings of it have in one place */
        size_t open = 0; /* of the payload that stands there as it is */
        for (size_t i = 9; i < bytes[0].len; i++) {
            same += bytes[0].ptr[i] == bytes[1].ptr[i];
            open += bytes[0].ptr[i] == 'x';
        }
        CHECK(same < 12 && open < 12); /* by chance it is less than one */
    }
    tear_down(&f);
}

TEST(a_secret_is_not_accepted_as_plain_nor_the_other_way)
{
    struct fixture f;
    tr_str out;
    set_up(&f);
    tr_str plain = seal(&f, "state", 0, TR_STR("sixteen bytes and more"));
    f.is_secret = true;
    CHECK_INT(unseal(&f, "state", NOW, plain, &out), TR_E_INVALID);
    tr_str secret = seal(&f, "state", 0, TR_STR("x"));
    CHECK_INT(unseal(&f, "other", NOW, secret, &out), TR_E_INVALID);
    f.is_secret = false;
    CHECK_INT(unseal(&f, "state", NOW, secret, &out), TR_E_INVALID);
    tear_down(&f);
}

TEST(it_can_neither_be_cut_nor_extended)
{
    struct fixture f;
    char longer[128];
    tr_str out;
    set_up(&f);
    tr_str sealed = seal(&f, "state", 0, TR_STR("who=anna"));
    for (size_t len = 0; len < sealed.len; len++)
        CHECK_INT(unseal(&f, "state", NOW, (tr_str){sealed.ptr, len}, &out),
                  TR_E_INVALID);
    memcpy(longer, sealed.ptr, sealed.len);
    memset(longer + sealed.len, 'A', 4);
    CHECK_INT(unseal(&f, "state", NOW, (tr_str){longer, sealed.len + 4}, &out),
              TR_E_INVALID);
    tear_down(&f);
}

TEST(it_expires)
{
    struct fixture f;
    struct tr_err err = {0};
    tr_str out;
    set_up(&f);
    tr_str sealed = seal(&f, "state", NOW, TR_STR("x"));
    struct tr_crypto_unseal how = {f.keys, TR_STR("state"), NOW - 1, false};
    CHECK_OK(tr_crypto_unseal(&f.arena, &how, sealed, &out, &err), &err);
    how.now = NOW;
    CHECK_INT(tr_crypto_unseal(&f.arena, &how, sealed, &out, &err),
              TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg), "this has expired");
    tr_str for_ever = seal(&f, "state", 0, TR_STR("x"));
    how.now = INT64_MAX;
    CHECK_OK(tr_crypto_unseal(&f.arena, &how, for_ever, &out, &err), &err);
    tear_down(&f);
}

TEST(keys_of_another_process_do_not_open_it)
{
    struct fixture a;
    struct fixture b;
    tr_str out;
    set_up(&a);
    set_up(&b);
    tr_str sealed = seal(&a, "state", 0, TR_STR("x"));
    CHECK_INT(unseal(&b, "state", NOW, sealed, &out), TR_E_INVALID);
    tear_down(&a);
    tear_down(&b);
}

TEST(what_is_sealed_has_a_limit)
{
    struct fixture f;
    tr_str out;
    size_t most = TR_LIMIT_SEALED_BYTES / 4 * 3 - 9 - 16;
    char *large = calloc(1, TR_LIMIT_SEALED_BYTES + 1);
    char purpose[256];
    if (!large)
        abort();
    memset(purpose, 'p', sizeof(purpose));
    set_up(&f);
    tr_str sealed = seal(&f, "state", 0, (tr_str){large, most});
    CHECK(sealed.len <= TR_LIMIT_SEALED_BYTES);
    CHECK_OK(unseal(&f, "state", NOW, sealed, &out), NULL);
    struct tr_crypto_seal how = {f.keys, TR_STR("state"), 0, false};
    CHECK_INT(
        tr_crypto_seal(&f.arena, &how, (tr_str){large, most + 1}, &out, NULL),
        TR_E_LIMIT);
    how.purpose = (tr_str){purpose, sizeof(purpose)};
    CHECK_INT(tr_crypto_seal(&f.arena, &how, TR_STR("x"), &out, NULL),
              TR_E_LIMIT);
    memset(large, 'A', TR_LIMIT_SEALED_BYTES + 1);
    CHECK_INT(unseal(&f, "state", NOW,
                     (tr_str){large, TR_LIMIT_SEALED_BYTES + 1}, &out),
              TR_E_INVALID);
    tear_down(&f);
    free(large);
}

static tr_status there_and_back(void *context, struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_crypto_keys *keys = NULL;
    tr_str text;
    (void)context;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status st = tr_crypto_keys_create(&keys, err);
    struct tr_crypto_seal how = {keys, TR_STR("state"), 0, true};
    struct tr_crypto_unseal back = {keys, TR_STR("state"), NOW, true};
    if (st == TR_OK)
        st = tr_crypto_seal(&arena, &how, TR_STR("x"), &text, err);
    if (st == TR_OK)
        st = tr_crypto_unseal(&arena, &back, text, &text, err);
    tr_crypto_keys_free(keys);
    tr_arena_done(&arena);
    return st;
}

TEST(sealing_survives_without_memory)
{
    struct fixture f;
    struct tr_arena full;
    tr_str out;
    tr_test_sweep(there_and_back, NULL);
    set_up(&f);
    tr_str sealed = seal(&f, "state", 0, TR_STR("x"));
    struct tr_crypto_unseal how = {f.keys, TR_STR("state"), NOW, false};
    tr_arena_init(&full, 0);
    CHECK_INT(tr_crypto_unseal(&full, &how, sealed, &out, NULL), TR_E_NOMEM);
    tear_down(&f);
}
