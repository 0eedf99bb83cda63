#include "support/ranges.h"

#include "pack/key_inside.h"

static void bound(tr_pack_key *out, int start, uint64_t number)
{
    out->len = 0;
    tr_pack_key_putc(out, start);
    tr_pack_key_put_u64(out, number);
}

/* Keys that begin like this one end where the next such start begins. */
static void make_next(tr_pack_key *key)
{
    while ((unsigned char)key->bytes[key->len - 1] == 0xFF)
        key->len--;
    key->bytes[key->len - 1]++;
}

void key_range_numbers(double lo, double hi, struct key_range *out)
{
    bound(&out->lo, TR_PACK_KEY_NUMBER, tr_pack_key_double(lo));
    bound(&out->hi, TR_PACK_KEY_NUMBER, tr_pack_key_double(hi));
    if (isnan(lo) || isnan(hi))
        out->hi = out->lo; /* nothing compares with it */
    else
        make_next(&out->hi);
}

void key_range_times(int64_t lo, int64_t hi, struct key_range *out)
{
    bound(&out->lo, TR_PACK_KEY_TIME, tr_pack_key_signed(lo));
    bound(&out->hi, TR_PACK_KEY_TIME, tr_pack_key_signed(hi));
    make_next(&out->hi);
}

void key_range_texts(enum tr_pack_kind kind, tr_str prefix,
                     struct key_range *out)
{
    if (prefix.len > TR_PACK_KEY_CUT_START)
        prefix.len = TR_PACK_KEY_CUT_START;
    out->lo.len = 0;
    tr_pack_key_putc(&out->lo, kind == TR_PACK_LANG ? TR_PACK_KEY_LANGUAGE
                                                    : TR_PACK_KEY_TEXT);
    tr_pack_key_put(&out->lo, prefix);
    out->hi = out->lo;
    make_next(&out->hi);
}
