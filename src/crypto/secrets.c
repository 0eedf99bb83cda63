#include "crypto/secrets.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "crypto/random.h"

#include <errno.h>
#include <sys/mman.h>

struct tr_crypto_secrets {
    char *pages; /* all names and bytes; NULL before the first one */
    size_t used; /* of TR_LIMIT_SECRETS_BYTES */
    size_t count;
    struct tr_crypto_secret items[TR_LIMIT_SECRETS];
};

tr_status tr_crypto_secrets_create(struct tr_crypto_secrets **out,
                                   struct tr_err *err)
{
    *out = calloc(1, sizeof(**out));
    return *out ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory for secrets");
}

void tr_crypto_secrets_free(struct tr_crypto_secrets *secrets)
{
    if (secrets && secrets->pages) {
        tr_crypto_secret_wipe(secrets->pages, TR_LIMIT_SECRETS_BYTES);
        (void)munmap(secrets->pages, TR_LIMIT_SECRETS_BYTES);
    }
    free(secrets);
}

/* Pages that cannot be locked are still used: what may be locked is the
 * system's to say, and core files are what most often leaves a machine. */
static tr_status make_pages(struct tr_crypto_secrets *secrets, char **out,
                            struct tr_err *err)
{
    char *pages = mmap(NULL, TR_LIMIT_SECRETS_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return tr_fail(err, TR_E_NOMEM, "no memory for secrets");
    if (madvise(pages, TR_LIMIT_SECRETS_BYTES, MADV_DONTDUMP) != 0) {
        (void)munmap(pages, TR_LIMIT_SECRETS_BYTES);
        return tr_fail(err, TR_E_IO,
                       "secrets cannot be kept out of core "
                       "files: %s",
                       strerror(errno));
    }
    (void)mlock(pages, TR_LIMIT_SECRETS_BYTES);
    secrets->pages = pages;
    *out = pages;
    return TR_OK;
}

static bool is_name(tr_str name)
{
    if (!name.len || name.len > TR_LIMIT_NAME_BYTES ||
        tr_ascii_is_digit(name.ptr[0]))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!tr_ascii_is_upper(c) && !tr_ascii_is_digit(c) && c != '_')
            return false;
    }
    return true;
}

/* A copy in the pages, which have room, with a NUL behind it. */
static tr_str keep(struct tr_crypto_secrets *secrets, char *pages, tr_str text)
{
    char *to = pages + secrets->used;
    if (text.len)
        memcpy(to, text.ptr, text.len);
    secrets->used += text.len + 1;
    return (tr_str){to, text.len};
}

/* Its messages do not have the bytes, which may stand where a name should. */
static tr_status check(const struct tr_crypto_secrets *secrets,
                       const struct tr_crypto_secret *draft, struct tr_err *err)
{
    if (!is_name(draft->name))
        return tr_fail(err, TR_E_INVALID,
                       "the name of a secret has capital letters, digits and "
                       "underscores, such as API_KEY");
    if (!draft->bytes.len)
        return tr_fail(err, TR_E_INVALID, "the secret %.*s is empty",
                       TR_FMT(draft->name));
    if (secrets->count == TR_LIMIT_SECRETS)
        return tr_fail(err, TR_E_LIMIT, "there are more than %zu secrets",
                       TR_LIMIT_SECRETS);
    if (draft->name.len + draft->bytes.len + 2 >
        TR_LIMIT_SECRETS_BYTES - secrets->used)
        return tr_fail(err, TR_E_LIMIT,
                       "secrets have more than %zu bytes together",
                       TR_LIMIT_SECRETS_BYTES);
    return TR_OK;
}

tr_status tr_crypto_secrets_add(struct tr_crypto_secrets *secrets,
                                const struct tr_crypto_secret *draft,
                                struct tr_err *err)
{
    TR_TRY(check(secrets, draft, err));
    if (tr_crypto_secrets_find(secrets, draft->name))
        return TR_OK;
    char *pages = secrets->pages;
    tr_status status = pages ? TR_OK : make_pages(secrets, &pages, err);
    if (!pages)
        return status;
    struct tr_crypto_secret *secret = &secrets->items[secrets->count++];
    secret->name = keep(secrets, pages, draft->name);
    secret->bytes = keep(secrets, pages, draft->bytes);
    secret->is_from_environment = draft->is_from_environment;
    return TR_OK;
}

const struct tr_crypto_secret *
tr_crypto_secrets_find(const struct tr_crypto_secrets *secrets, tr_str name)
{
    for (size_t i = 0; secrets && i < secrets->count; i++) {
        if (tr_str_eq(secrets->items[i].name, name))
            return &secrets->items[i];
    }
    return NULL;
}

size_t tr_crypto_secrets_count(const struct tr_crypto_secrets *secrets)
{
    return secrets ? secrets->count : 0;
}

const struct tr_crypto_secret *
tr_crypto_secrets_at(const struct tr_crypto_secrets *secrets, size_t i)
{
    return &secrets->items[i];
}

void tr_crypto_secret_put(struct tr_buf *out, tr_str bytes)
{
    if (bytes.len > out->cap - out->len && !out->borrowed && !out->failed) {
        struct tr_buf moved;
        tr_buf_init(&moved, out->max);
        if (tr_buf_grow(&moved, out->len + bytes.len))
            tr_buf_put(&moved, tr_buf_str(out));
        tr_crypto_secret_buf_done(out);
        *out = moved;
    }
    tr_buf_put(out, bytes);
}

void tr_crypto_secret_buf_done(struct tr_buf *buf)
{
    if (buf->ptr)
        tr_crypto_secret_wipe(buf->ptr, buf->held);
    tr_buf_done(buf);
}
