/*
 * What an ETag is made of: the digest of the views that have something of their
 * own. The others say the same in other words.
 */
#include "crypto/digest.h"

#include "base/limits.h"
#include "project/view.h"

static const enum tr_project_view views[] = {
    TR_PROJECT_JSON_LD,
    TR_PROJECT_OPENAPI,
    TR_PROJECT_HOST,
    TR_PROJECT_CARD,
};

#define DIGITS 32

static void put_hex(struct tr_buf *out, const unsigned char *bytes)
{
    for (size_t i = 0; i < DIGITS / 2; i++)
        tr_buf_putf(out, "%02x", bytes[i]);
}

struct source {
    const struct tr_project_site *site;
    unsigned scopes;
};

tr_status tr_project_digest(const struct tr_cap_snapshot *snapshot,
                            const struct tr_project_site *site, unsigned scopes,
                            struct tr_buf *out, struct tr_err *err)
{
    struct tr_crypto_sha256 sha;
    unsigned char bytes[TR_CRYPTO_SHA256_BYTES];
    struct tr_buf text;
    tr_status status = TR_OK;
    tr_crypto_sha256_init(&sha);
    tr_buf_init(&text, TR_LIMIT_VIEW_BYTES);
    for (size_t i = 0; i < TR_LEN(views) && status == TR_OK; i++) {
        const struct tr_project_asked asked = {
            .view = views[i], .scopes = scopes, .site = site};
        tr_buf_clear(&text);
        status = tr_project_write(snapshot, &asked, &text, err);
        tr_crypto_sha256_add(&sha, tr_buf_str(&text));
    }
    tr_buf_done(&text);
    TR_TRY(status);
    tr_crypto_sha256_done(&sha, bytes);
    put_hex(out, bytes);
    return tr_buf_check(out, err);
}
