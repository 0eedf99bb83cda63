#include "prov/activity.h"

#include "base/time.h"
#include "crypto/encoding.h"
#include "prov/pack.h"

/* 9999-12-31T23:59:59.999999Z */
#define LATEST_US INT64_C(253402300799999999)

enum tr_prov_activity_end tr_prov_activity_end_of(tr_status status,
                                                  bool is_error)
{
    switch (status) {
    case TR_OK:
        return is_error ? TR_PROV_ENDED_RETURNED : TR_PROV_ENDED_OK;
    case TR_E_SYNTAX:
    case TR_E_INVALID:
    case TR_E_VALIDATION:
    case TR_E_PRECONDITION:
    case TR_E_CONFLICT:
    case TR_E_NOT_FOUND:
        return TR_PROV_ENDED_REFUSED;
    case TR_E_UNAUTHENTICATED:
    case TR_E_SCOPE:
    case TR_E_POLICY:
    case TR_E_BUDGET:
        return TR_PROV_ENDED_DENIED;
    case TR_E_CANCELLED:
        return TR_PROV_ENDED_CANCELLED;
    case TR_E_TIMEOUT:
        return TR_PROV_ENDED_TIMED_OUT;
    case TR_E_NOMEM:
    case TR_E_LIMIT:
    case TR_E_UNAVAILABLE:
    case TR_E_UNSUPPORTED:
    case TR_E_IO:
    case TR_E_INTERNAL:
        break;
    }
    return TR_PROV_ENDED_FAILED;
}

int64_t tr_prov_activity_ended_us(const struct tr_prov_activity *activity)
{
    uint64_t took = activity->took_us;
    if (activity->started_us >= LATEST_US || took >= (uint64_t)LATEST_US)
        return LATEST_US;
    return activity->started_us + (int64_t)took;
}

void tr_prov_activity_write_time(struct tr_buf *out, int64_t us)
{
    int64_t inside = us < 0 ? 0 : us > LATEST_US ? LATEST_US : us;
    tr_time_write(out, (tr_time){
                           .seconds = inside / 1000000,
                           .nanos = (int)(inside % 1000000) * 1000,
                       });
}

bool tr_prov_activity_has_parent(const struct tr_prov_activity *activity)
{
    static const unsigned char none[TR_CRYPTO_UUID_BYTES];
    return memcmp(activity->parent, none, sizeof(none)) != 0;
}

const char *tr_prov_activity_kind_name(enum tr_prov_activity_kind kind)
{
    switch (kind) {
    case TR_PROV_ACTIVITY_TOOL:
        return "tool";
    case TR_PROV_ACTIVITY_RESOURCE:
        return "resource";
    case TR_PROV_ACTIVITY_PROMPT:
        return "prompt";
    case TR_PROV_ACTIVITY_COMPLETION:
        return "completion";
    case TR_PROV_ACTIVITY_COMMAND:
        return "command";
    case TR_PROV_ACTIVITY_POLICY:
        return "policy";
    case TR_PROV_ACTIVITY_META:
        return "meta";
    }
    return "unknown";
}

const char *tr_prov_activity_end_name(enum tr_prov_activity_end end)
{
    switch (end) {
    case TR_PROV_ENDED_OK:
        return "ok";
    case TR_PROV_ENDED_RETURNED:
        return "returned_error";
    case TR_PROV_ENDED_FAILED:
        return "failed";
    case TR_PROV_ENDED_REFUSED:
        return "refused";
    case TR_PROV_ENDED_DENIED:
        return "denied";
    case TR_PROV_ENDED_CANCELLED:
        return "cancelled";
    case TR_PROV_ENDED_TIMED_OUT:
        return "timed_out";
    case TR_PROV_ENDED_ASKED:
        return "asked";
    }
    return "unknown";
}

tr_str tr_prov_asked(tr_str text)
{
    size_t characters = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool starts = ((unsigned char)text.ptr[i] & 0xC0) != 0x80;
        if (starts && characters++ == TR_PROV_ASKED_CHARACTERS)
            return (tr_str){text.ptr, i};
    }
    return text;
}

void tr_prov_activity_iri(const unsigned char id[TR_CRYPTO_UUID_BYTES],
                          char out[TR_PROV_ACTIVITY_IRI])
{
    const size_t start = sizeof(TR_PROV_ACTIVITY_NAMESPACE) - 1;
    memcpy(out, TR_PROV_ACTIVITY_NAMESPACE, start);
    tr_crypto_uuid_write(id, out + start);
}

tr_str tr_prov_file_iri(const struct tr_prov_activity *activity, size_t i,
                        char out[TR_PROV_FILE_IRI])
{
    tr_prov_activity_iri(activity->id, out);
    int len = snprintf(out + TR_PROV_ACTIVITY_IRI, 16, "#file-%zu", i + 1);
    return (tr_str){out, TR_PROV_ACTIVITY_IRI + (size_t)len};
}

bool tr_prov_activity_read_id(tr_str text,
                              unsigned char out[TR_CRYPTO_UUID_BYTES])
{
    static const size_t dashes[] = {8, 13, 18, 23};
    char digits[2 * TR_CRYPTO_UUID_BYTES];
    size_t count = 0;
    size_t dash = 0;
    if (tr_str_starts(text, TR_STR(TR_PROV_ACTIVITY_NAMESPACE)))
        text = tr_str_skip(text, sizeof(TR_PROV_ACTIVITY_NAMESPACE) - 1);
    if (text.len != TR_CRYPTO_UUID_TEXT)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (dash < TR_LEN(dashes) && i == dashes[dash]) {
            dash++;
            if (text.ptr[i] != '-')
                return false;
            continue;
        }
        digits[count++] = text.ptr[i];
    }
    return tr_crypto_hex_read((tr_str){digits, count}, out);
}
