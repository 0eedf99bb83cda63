#include "server/secrets.h"

#include "base/test.h"
#include "crypto/secrets.h"

static tr_status take(void *context, struct tr_err *err)
{
    char text[] = "[secrets]\nKEY = 'hidden'\n";
    struct tr_crypto_secrets *secrets = NULL;
    (void)context;
    tr_status status = tr_server_secrets_take(
        NULL, (tr_str){text, sizeof(text) - 1}, &secrets, err);
    CHECK((status == TR_OK) == (secrets != NULL));
    CHECK(status != TR_OK || !strstr(text, "hidden"));
    tr_crypto_secrets_free(secrets);
    return status;
}

/* A file that could not be looked through for want of memory would be read by
 * others with its secrets in it. */
TEST(secrets_are_taken_and_wiped_or_it_fails)
{
    tr_test_sweep(take, NULL);
}

TEST(who_reads_a_broken_file_next_says_so)
{
    char text[] = "[secrets\n";
    struct tr_crypto_secrets *secrets = NULL;
    struct tr_err err;
    CHECK_OK(tr_server_secrets_take(NULL, (tr_str){text, sizeof(text) - 1},
                                    &secrets, &err),
             &err);
    CHECK(!secrets);
}
