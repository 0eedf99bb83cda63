#include "mcp/session_id.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "crypto/random.h"
#include "crypto/seal.h"

#define LOOP_DIGITS 4

/* What is sealed: a time, high byte first, a revision, a client, a name. */
#define TIME_BYTES    8
#define PAYLOAD_BYTES (TIME_BYTES + 2 + TR_ACCESS_ENDED_NAME)

/* More than it takes to read an id. */
#define MEMORY TR_KIB(8)

static tr_str bytes_of(const void *bytes, size_t len)
{
    return (tr_str){bytes, len};
}

/* Which caller it is, as tr_access_authority_same tells them apart. */
static void digest_caller(const struct tr_access_authority *who,
                          unsigned char out[TR_CRYPTO_SHA256_BYTES])
{
    struct tr_crypto_sha256 sha;
    tr_crypto_sha256_init(&sha);
    tr_crypto_sha256_add(&sha,
                         who->is_authenticated ? TR_STR("1") : TR_STR("0"));
    tr_crypto_sha256_add(&sha, who->principal);
    tr_crypto_sha256_done(&sha, out);
}

/* What the seal is for: a kind of session, on a loop, of a caller. */
struct purpose {
    char text[16 + LOOP_DIGITS + TR_CRYPTO_SHA256_BYTES];
    size_t len;
};

static struct purpose purpose_of(tr_str kind, const char digits[LOOP_DIGITS],
                                 const unsigned char *caller)
{
    struct purpose purpose = {.len = kind.len};
    memcpy(purpose.text, kind.ptr, kind.len);
    memcpy(purpose.text + purpose.len, digits, LOOP_DIGITS);
    purpose.len += LOOP_DIGITS;
    memcpy(purpose.text + purpose.len, caller, TR_CRYPTO_SHA256_BYTES);
    purpose.len += TR_CRYPTO_SHA256_BYTES;
    return purpose;
}

static tr_status write_payload(const struct tr_mcp_session_id_draft *draft,
                               unsigned char out[PAYLOAD_BYTES],
                               struct tr_err *err)
{
    for (size_t i = 0; i < TIME_BYTES; i++)
        out[i] = (unsigned char)((uint64_t)draft->now_s >> (56 - 8 * i));
    out[TIME_BYTES] = (unsigned char)draft->revision;
    out[TIME_BYTES + 1] = (unsigned char)draft->client;
    return tr_crypto_random_bytes(out + TIME_BYTES + 2, TR_ACCESS_ENDED_NAME,
                                  err);
}

tr_status tr_mcp_session_id_make(struct tr_arena *arena,
                                 const struct tr_mcp_session_id_draft *draft,
                                 tr_str *out, struct tr_err *err)
{
    char digits[LOOP_DIGITS + 1];
    unsigned char caller[TR_CRYPTO_SHA256_BYTES];
    unsigned char payload[PAYLOAD_BYTES];
    tr_str sealed;
    (void)snprintf(digits, sizeof(digits), "%04x",
                   (unsigned)draft->loop & 0xFFFF);
    digest_caller(draft->owner, caller);
    TR_TRY(write_payload(draft, payload, err));
    const struct purpose purpose = purpose_of(draft->purpose, digits, caller);
    const struct tr_crypto_seal how = {
        .keys = draft->keys,
        .purpose = bytes_of(purpose.text, purpose.len),
        .expires = draft->now_s + TR_LIMIT_SESSION_ID_S,
    };
    TR_TRY(tr_crypto_seal(arena, &how, bytes_of(payload, sizeof(payload)),
                          &sealed, err));
    char *text = tr_arena_alloc(arena, LOOP_DIGITS + sealed.len);
    if (!text)
        return tr_fail(err, TR_E_NOMEM, "no memory for the id of a session");
    memcpy(text, digits, LOOP_DIGITS);
    memcpy(text + LOOP_DIGITS, sealed.ptr, sealed.len);
    *out = (tr_str){text, LOOP_DIGITS + sealed.len};
    return TR_OK;
}

bool tr_mcp_session_id_loop(tr_str id, size_t *out)
{
    if (id.len != TR_MCP_SESSION_ID_BYTES)
        return false;
    *out = 0;
    for (size_t i = 0; i < LOOP_DIGITS; i++) {
        int digit = tr_ascii_hex_value(id.ptr[i]);
        if (digit < 0)
            return false;
        *out = *out * 16 + (size_t)digit;
    }
    return true;
}

/* It was sealed here; a newer version of us may have written it. */
static tr_status read_payload(tr_str payload, struct tr_mcp_session_id *out,
                              struct tr_err *err)
{
    const unsigned char *bytes = (const unsigned char *)payload.ptr;
    uint64_t made_s = 0;
    if (payload.len != PAYLOAD_BYTES || bytes[TIME_BYTES] >= TR_MCP_REVISIONS ||
        !tr_mcp_revision_has((enum tr_mcp_revision)bytes[TIME_BYTES],
                             TR_MCP_HAS_SESSIONS))
        return tr_fail(err, TR_E_INVALID, "this is no session of ours");
    for (size_t i = 0; i < TIME_BYTES; i++)
        made_s = made_s << 8 | bytes[i];
    out->session.made_s = (int64_t)made_s;
    out->revision = (enum tr_mcp_revision)bytes[TIME_BYTES];
    out->client = bytes[TIME_BYTES + 1];
    memcpy(out->session.name, bytes + TIME_BYTES + 2, TR_ACCESS_ENDED_NAME);
    return TR_OK;
}

tr_status tr_mcp_session_id_read(const struct tr_crypto_keys *keys,
                                 int64_t now_s, tr_str id,
                                 const struct tr_access_authority *who,
                                 struct tr_mcp_session_id *out,
                                 struct tr_err *err)
{
    size_t loop;
    tr_str payload;
    struct tr_arena arena;
    if (!tr_mcp_session_id_loop(id, &loop))
        return tr_fail(err, TR_E_INVALID, "this is no id of a session");
    digest_caller(who, out->session.caller);
    const struct purpose purpose =
        purpose_of(TR_MCP_SESSION_ID_HTTP, id.ptr, out->session.caller);
    const struct tr_crypto_unseal how = {
        .keys = keys,
        .purpose = bytes_of(purpose.text, purpose.len),
        .now = now_s,
    };
    tr_arena_init(&arena, MEMORY);
    tr_status status = tr_crypto_unseal(
        &arena, &how, tr_str_skip(id, LOOP_DIGITS), &payload, err);
    if (status == TR_OK)
        status = read_payload(payload, out, err);
    tr_arena_done(&arena);
    return status;
}
