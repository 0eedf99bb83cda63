#include "access/known.h"

#include "base/limits.h"
#include "crypto/secret.h"

/* Places of the table in which a credential may be. */
#define WAYS 4

bool tr_known_same(const unsigned char a[TR_SIPHASH_BYTES],
                   const unsigned char b[TR_SIPHASH_BYTES])
{
    return tr_secret_eq((tr_str){(const char *)a, TR_SIPHASH_BYTES},
                        (tr_str){(const char *)b, TR_SIPHASH_BYTES});
}

static struct tr_known **place_of(const struct tr_known_table *table,
                                  const unsigned char *digest)
{
    uint64_t number;
    memcpy(&number, digest, sizeof(number));
    return table->items + number % (TR_LIMIT_BEARERS / WAYS) * WAYS;
}

const struct tr_known *tr_known_find(const struct tr_known_table *table,
                                     const unsigned char *digest)
{
    struct tr_known **place = table->items ? place_of(table, digest) : NULL;
    for (size_t i = 0; place && i < WAYS; i++) {
        if (place[i] && tr_known_same(place[i]->digest, digest))
            return place[i];
    }
    return NULL;
}

static void forget(struct tr_known **place)
{
    if (!*place)
        return;
    tr_secret_wipe((*place)->digest, sizeof((*place)->digest));
    free(*place);
    *place = NULL;
}

/* That of the same one, a free one, or one that has had its time. */
static struct tr_known **choose(struct tr_known **place,
                                const struct tr_known *draft, int64_t now_s)
{
    size_t best = draft->digest[TR_SIPHASH_BYTES - 1] % WAYS;
    for (size_t i = 0; i < WAYS; i++) {
        if (place[i] && tr_known_same(place[i]->digest, draft->digest))
            return &place[i];
        if (!place[i] || (place[i]->expires_s && place[i]->expires_s <= now_s))
            best = i;
    }
    return &place[best];
}

static tr_str put_text(char **at, tr_str text)
{
    tr_str copy = {*at, text.len};
    if (text.len)
        memcpy(*at, text.ptr, text.len);
    *at += text.len;
    return copy;
}

tr_status tr_known_add(struct tr_known_table *table,
                       const struct tr_known *draft, int64_t now_s,
                       const struct tr_known **out, struct tr_err *err)
{
    const struct tr_authority *authority = &draft->authority;
    size_t len = authority->principal.len + authority->token_id.len;
    if (!table->items)
        table->items = calloc(TR_LIMIT_BEARERS, sizeof(struct tr_known *));
    struct tr_known *known =
        table->items ? calloc(1, sizeof(*known) + len) : NULL;
    if (!known)
        return tr_fail(err, TR_E_NOMEM, "no memory for a credential");
    char *at = (char *)(known + 1);
    *known = *draft;
    known->authority.principal = put_text(&at, authority->principal);
    known->authority.token_id = put_text(&at, authority->token_id);
    struct tr_known **place =
        choose(place_of(table, draft->digest), draft, now_s);
    forget(place);
    *place = known;
    *out = known;
    return TR_OK;
}

void tr_known_done(struct tr_known_table *table)
{
    for (size_t i = 0; table->items && i < TR_LIMIT_BEARERS; i++)
        forget(&table->items[i]);
    free(table->items);
    table->items = NULL;
}
