#include "pack/canonical.h"

#include "base/time.h"

/* No leading zeros, no minus before 0; tr_str_to_i64 takes no plus. */
bool tr_pack_integer_parse(tr_str text, int64_t *out)
{
    size_t first = text.len && text.ptr[0] == '-';
    if (first < text.len && text.ptr[first] == '0' && text.len > 1)
        return false;
    return tr_str_to_i64(text, out);
}

tr_str tr_pack_integer_write(int64_t value, char text[TR_PACK_CANONICAL_TEXT])
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, TR_PACK_CANONICAL_TEXT);
    tr_buf_put_i64(&buf, value);
    return tr_buf_str(&buf);
}

tr_str tr_pack_time_write(int64_t seconds, char text[TR_PACK_CANONICAL_TEXT])
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, TR_PACK_CANONICAL_TEXT);
    tr_time_write(&buf, (tr_time){.seconds = seconds});
    return tr_buf_str(&buf);
}

/* RFC 3339 has spellings that are not canonical, and leap seconds. */
bool tr_pack_time_parse(tr_str text, int64_t *out_seconds)
{
    char canonical[TR_PACK_CANONICAL_TEXT];
    tr_time time;
    if (text.len != sizeof("2026-07-28T12:00:00Z") - 1 ||
        tr_time_parse(text, &time, NULL) != TR_OK || time.nanos ||
        time.offset_min ||
        !tr_str_eq(text, tr_pack_time_write(time.seconds, canonical)))
        return false;
    *out_seconds = time.seconds;
    return true;
}
