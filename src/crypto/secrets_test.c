/*
 * crypto/secrets.h: what is kept, what is refused, and what is left behind.
 */
#include "crypto/secrets.h"

#include "base/limits.h"
#include "base/test.h"

static tr_status add(struct tr_crypto_secrets *secrets, const char *name,
                     tr_str bytes, struct tr_err *err)
{
    struct tr_crypto_secret draft = {.name = tr_str_from(name), .bytes = bytes};
    return tr_crypto_secrets_add(secrets, &draft, err);
}

TEST(secrets_are_found_by_name_and_the_first_one_counts)
{
    struct tr_crypto_secrets *secrets;
    CHECK_OK(tr_crypto_secrets_create(&secrets, NULL), NULL);
    CHECK(tr_crypto_secrets_find(NULL, TR_STR("A")) == NULL);
    CHECK(tr_crypto_secrets_count(NULL) == 0);
    CHECK_OK(add(secrets, "API_KEY", TR_STR("a\0b"), NULL), NULL);
    CHECK_OK(add(secrets, "_2", TR_STR("two"), NULL), NULL);
    CHECK_OK(add(secrets, "API_KEY", TR_STR("other"), NULL), NULL);
    CHECK(tr_crypto_secrets_count(secrets) == 2);
    CHECK(tr_str_eq(tr_crypto_secrets_find(secrets, TR_STR("API_KEY"))->bytes,
                    TR_STR("a\0b")));
    CHECK_STR(tr_crypto_secrets_at(secrets, 1)->name, "_2");
    CHECK(tr_crypto_secrets_find(secrets, TR_STR("API")) == NULL);
    tr_crypto_secrets_free(secrets);
    tr_crypto_secrets_free(NULL);
}

/* A value where a name should be must not be told. */
TEST(secrets_refuse_names_without_saying_them)
{
    static const char *const names[] = {"", "key", "2A", "A-B", "A B", "\xff"};
    struct tr_crypto_secrets *secrets;
    CHECK_OK(tr_crypto_secrets_create(&secrets, NULL), NULL);
    for (size_t i = 0; i < TR_LEN(names); i++) {
        struct tr_err err = {0};
        CHECK_ROW(add(secrets, names[i], TR_STR("x"), &err) == TR_E_INVALID,
                  names[i]);
        CHECK(!names[i][0] || !strstr(err.msg, names[i]));
    }
    CHECK(add(secrets, "A", TR_STR(""), NULL) == TR_E_INVALID);
    tr_crypto_secrets_free(secrets);
}

TEST(secrets_have_a_number_and_a_size)
{
    static char big[TR_LIMIT_SECRETS_BYTES];
    struct tr_crypto_secrets *secrets;
    char name[8];
    memset(big, 'x', sizeof(big));
    CHECK_OK(tr_crypto_secrets_create(&secrets, NULL), NULL);
    CHECK(add(secrets, "A", (tr_str){big, sizeof(big) - 2}, NULL) ==
          TR_E_LIMIT);
    CHECK_OK(add(secrets, "A", (tr_str){big, sizeof(big) - 3}, NULL), NULL);
    CHECK(add(secrets, "B", TR_STR("x"), NULL) == TR_E_LIMIT);
    tr_crypto_secrets_free(secrets);

    CHECK_OK(tr_crypto_secrets_create(&secrets, NULL), NULL);
    for (size_t i = 0; i < TR_LIMIT_SECRETS; i++) {
        (void)snprintf(name, sizeof(name), "A%zu", i);
        CHECK_OK(add(secrets, name, TR_STR("x"), NULL), NULL);
    }
    CHECK(add(secrets, "B", TR_STR("x"), NULL) == TR_E_LIMIT);
    tr_crypto_secrets_free(secrets);
}

TEST(secret_texts_grow_up_to_the_maximum_of_their_buffer)
{
    struct tr_buf buf;
    char storage[4];
    tr_buf_init(&buf, 600);
    for (size_t i = 0; i < 60; i++)
        tr_crypto_secret_put(&buf, TR_STR("0123456789"));
    CHECK(buf.len == 600 && !buf.failed);
    CHECK(memcmp(buf.ptr + 590, "0123456789", 10) == 0);
    tr_crypto_secret_put(&buf, TR_STR("x"));
    CHECK(buf.failed == TR_E_LIMIT);
    tr_crypto_secret_put(&buf, TR_STR("x"));
    CHECK(tr_buf_check(&buf, NULL) == TR_E_LIMIT);
    tr_crypto_secret_buf_done(&buf);

    tr_buf_init_fixed(&buf, storage, sizeof(storage));
    tr_crypto_secret_put(&buf, TR_STR("abcd"));
    tr_crypto_secret_put(&buf, TR_STR("e"));
    CHECK(buf.failed == TR_E_LIMIT);
    tr_crypto_secret_buf_done(&buf);
    CHECK(memcmp(storage, "\0\0\0\0", 4) == 0);
}

static tr_status sweep(void *data, struct tr_err *err)
{
    struct tr_crypto_secrets *secrets = NULL;
    struct tr_buf buf;
    (void)data;
    tr_buf_init(&buf, TR_KIB(4));
    tr_status status = tr_crypto_secrets_create(&secrets, err);
    if (status == TR_OK)
        status = add(secrets, "A", TR_STR("secret"), err);
    for (size_t i = 0; i < 100; i++)
        tr_crypto_secret_put(&buf, TR_STR("0123456789"));
    if (status == TR_OK)
        status = tr_buf_check(&buf, err);
    tr_crypto_secret_buf_done(&buf);
    tr_crypto_secrets_free(secrets);
    return status;
}

TEST(secrets_survive_the_failure_of_every_allocation)
{
    tr_test_sweep(sweep, NULL);
}
