#include "prov/pack.h"

#include "base/ascii.h"
#include "base/text.h"

/* The lengths, before the parts of a packed row. */
struct head {
    uint32_t what;
    uint32_t who;
    uint32_t more;
};

/* Numbers of up to 64 bits take ten bytes. */
#define NUMBER_MAX 10

/* form, flags, end, status, times, trace, parent, digests, cost, counts, tries,
 * scope */
#define FIXED_MAX                                                              \
    (5 + 2 * NUMBER_MAX + 2 + TR_PROV_TRACE_MAX + 48 + 16 * NUMBER_MAX)

static unsigned char *put_number(unsigned char *to, uint64_t value)
{
    while (value >= 0x80) {
        *to++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *to++ = (unsigned char)value;
    return to;
}

/* Zigzag: numbers near 0, of either sign, become small ones. */
static uint64_t fold(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static unsigned char *put_bytes(unsigned char *to, const void *bytes,
                                size_t len)
{
    if (len)
        memcpy(to, bytes, len);
    return to + len;
}

size_t tr_prov_pack_who(tr_str principal, unsigned char out[TR_PROV_WHO_MAX])
{
    tr_str name = tr_utf8_cut(principal, TR_LIMIT_PROV_NAME);
    out[0] = 0;
    (void)put_bytes(out + 1, name.ptr, name.len);
    return name.len + 1;
}

static size_t pack_what(const struct tr_prov_activity *activity,
                        unsigned char *out)
{
    tr_str version = tr_utf8_cut(activity->version, TR_PROV_VERSION);
    tr_str name = tr_utf8_cut(activity->name, TR_LIMIT_PROV_NAME);
    out[0] = (unsigned char)activity->kind;
    out[1] = (unsigned char)version.len;
    (void)put_bytes(out + 2, version.ptr, version.len);
    (void)put_bytes(out + 2 + version.len, name.ptr, name.len);
    return 2 + version.len + name.len;
}

static size_t kept_count(const struct tr_prov_activity_ids *ids)
{
    return ids->count < TR_LIMIT_PROV_IDS ? ids->count : TR_LIMIT_PROV_IDS;
}

/* Writes differences: nodes of one call tend to be neighbours. */
static unsigned char *put_ids(unsigned char *to,
                              const struct tr_prov_activity_ids *ids)
{
    size_t count = kept_count(ids);
    uint64_t last = 0;
    to = put_number(to, count);
    to = put_number(to, ids->left_out + (ids->count - count));
    for (size_t i = 0; i < count; i++) {
        to = put_number(to, fold((int64_t)(ids->items[i] - last)));
        last = ids->items[i];
    }
    return to;
}

static size_t kept_fetches(const struct tr_prov_activity *activity)
{
    size_t count = activity->fetches.count;
    return count < TR_LIMIT_PROV_FETCHES ? count : TR_LIMIT_PROV_FETCHES;
}

static unsigned char *put_text(unsigned char *to, tr_str text, size_t max)
{
    text = tr_utf8_cut(text, max);
    to = put_number(to, text.len);
    return put_bytes(to, text.ptr, text.len);
}

static unsigned char *put_fetches(unsigned char *to,
                                  const struct tr_prov_activity *activity)
{
    const struct tr_prov_activity_fetches *fetches = &activity->fetches;
    size_t count = kept_fetches(activity);
    to = put_number(to, count);
    to = put_number(to, fetches->left_out + (fetches->count - count));
    for (size_t i = 0; i < count; i++) {
        const struct tr_prov_activity_fetch *fetch = &fetches->items[i];
        to = put_text(to, fetch->host, TR_PROV_HOST_MAX);
        to = put_text(to, fetch->reason, 32);
        to = put_number(to, fetch->code);
        to = put_number(to, fetch->bytes);
        to = put_number(to, fetch->took_us);
    }
    return to;
}

static size_t kept_files(const struct tr_prov_activity *activity)
{
    size_t count = activity->files.count;
    return count < TR_LIMIT_PROV_FILES ? count : TR_LIMIT_PROV_FILES;
}

static unsigned char *put_meta(unsigned char *to,
                               const struct tr_prov_activity *activity)
{
    const struct tr_prov_activity_files *files = &activity->files;
    size_t count = kept_files(activity);
    *to++ = (unsigned char)activity->scope;
    to = put_number(to, count);
    to = put_number(to, files->left_out + (files->count - count));
    for (size_t i = 0; i < count; i++) {
        to = put_text(to, files->items[i].path, TR_PROV_PATH_MAX);
        to = put_bytes(to, files->items[i].sha256, TR_CRYPTO_SHA256_BYTES);
    }
    return to;
}

size_t tr_prov_pack_max(const struct tr_prov_activity *activity)
{
    size_t ids = kept_count(&activity->used) +
                 kept_count(&activity->generated) +
                 kept_count(&activity->invalidated);
    return sizeof(struct head) + TR_CRYPTO_UUID_BYTES + TR_PROV_WHAT_MAX +
           TR_PROV_WHO_MAX + TR_PROV_ASKED_MAX + FIXED_MAX + ids * NUMBER_MAX +
           kept_fetches(activity) * TR_PROV_FETCH_MAX +
           kept_files(activity) * TR_PROV_FILE_MAX;
}

static bool is_lower_hex(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (tr_ascii_hex_value(text.ptr[i]) < 0 ||
            tr_ascii_is_upper(text.ptr[i]))
            return false;
    }
    return true;
}

static unsigned char *put_trace(unsigned char *to, tr_str trace, bool as_bytes)
{
    if (!as_bytes) {
        tr_str text = tr_utf8_cut(trace, TR_PROV_TRACE_MAX);
        to = put_number(to, text.len);
        return put_bytes(to, text.ptr, text.len);
    }
    for (size_t i = 0; i < TR_PROV_TRACE_DIGITS; i += 2)
        *to++ = (unsigned char)(tr_ascii_hex_value(trace.ptr[i]) << 4 |
                                tr_ascii_hex_value(trace.ptr[i + 1]));
    return to;
}

int64_t tr_prov_uuid_us(const unsigned char id[TR_CRYPTO_UUID_BYTES])
{
    int64_t ms = 0;
    for (size_t i = 0; i < 6; i++)
        ms = ms << 8 | id[i];
    return ms * 1000;
}

static unsigned char *put_cost(unsigned char *to,
                               const struct tr_prov_activity_cost *cost)
{
    to = put_number(to, cost->instructions);
    to = put_number(to, cost->running_us);
    to = put_number(to, cost->result_bytes);
    to = put_number(to, cost->tokens);
    return put_number(to, cost->micro_usd);
}

static size_t pack_more(const struct tr_prov_activity *a, unsigned char *out)
{
    bool trace_bytes =
        a->trace_id.len == TR_PROV_TRACE_DIGITS && is_lower_hex(a->trace_id);
    bool has_parent = tr_prov_activity_has_parent(a);
    unsigned char *to = out;
    *to++ = TR_PROV_FORM;
    *to++ = (unsigned char)((has_parent ? TR_PROV_HAS_PARENT : 0) |
                            (a->has_args_digest ? TR_PROV_HAS_ARGS : 0) |
                            (a->has_result_digest ? TR_PROV_HAS_RESULT : 0) |
                            (trace_bytes ? TR_PROV_HAS_TRACE_BYTES : 0) |
                            (a->asked.len ? TR_PROV_HAS_ASKED : 0) |
                            (a->tries ? TR_PROV_HAS_TRIES : 0) |
                            (a->fetches.count ? TR_PROV_HAS_FETCHES : 0) |
                            (a->scope ? TR_PROV_HAS_SCOPE : 0));
    *to++ = (unsigned char)a->ended;
    *to++ = (unsigned char)a->status;
    to = put_number(to, fold((int64_t)((uint64_t)a->started_us -
                                       (uint64_t)tr_prov_uuid_us(a->id))));
    to = put_number(to, a->took_us);
    to = put_trace(to, a->trace_id, trace_bytes);
    to = put_bytes(to, a->parent, has_parent ? TR_CRYPTO_UUID_BYTES : 0);
    to = put_bytes(to, a->args_digest,
                   a->has_args_digest ? TR_PROV_DIGEST_BYTES : 0);
    to = put_bytes(to, a->result_digest,
                   a->has_result_digest ? TR_PROV_DIGEST_BYTES : 0);
    to = put_cost(to, &a->cost);
    to = put_ids(to, &a->used);
    to = put_ids(to, &a->generated);
    to = put_ids(to, &a->invalidated);
    if (a->asked.len) {
        tr_str asked = tr_utf8_cut(a->asked, TR_PROV_ASKED_MAX);
        to = put_number(to, asked.len);
        to = put_bytes(to, asked.ptr, asked.len);
    }
    if (a->tries)
        to = put_number(to, a->tries);
    if (a->fetches.count)
        to = put_fetches(to, a);
    if (a->scope)
        to = put_meta(to, a);
    return (size_t)(to - out);
}

size_t tr_prov_pack(const struct tr_prov_activity *activity, unsigned char *out)
{
    unsigned char *to = out + sizeof(struct head);
    to = put_bytes(to, activity->id, TR_CRYPTO_UUID_BYTES);
    size_t what = pack_what(activity, to);
    size_t who = tr_prov_pack_who(activity->principal, to + what);
    size_t more = pack_more(activity, to + what + who);
    struct head head = {(uint32_t)what, (uint32_t)who, (uint32_t)more};
    memcpy(out, &head, sizeof(head));
    return sizeof(head) + TR_CRYPTO_UUID_BYTES + what + who + more;
}

size_t tr_prov_pack_read(const unsigned char *packed, struct tr_prov_row *out)
{
    struct head head;
    memcpy(&head, packed, sizeof(head));
    const char *at = (const char *)packed + sizeof(head);
    out->id = (tr_str){at, TR_CRYPTO_UUID_BYTES};
    at += TR_CRYPTO_UUID_BYTES;
    out->what = (tr_str){at, head.what};
    at += head.what;
    out->who = (tr_str){at, head.who};
    at += head.who;
    out->more = (tr_str){at, head.more};
    return (size_t)(at - (const char *)packed) + head.more;
}
