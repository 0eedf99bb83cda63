#include "json/number.h"
#include "keys/key_inside.h"

#include <math.h>
#include <stdio.h>

/* What is left of a part; a descending one is read as if it were not. */
struct source {
    tr_str rest;
    unsigned mask; /* FF when the bytes are inverted */
    bool is_broken;
};

static unsigned take(struct source *from)
{
    if (!from->rest.len) {
        from->is_broken = true;
        return 0;
    }
    unsigned byte = (unsigned char)from->rest.ptr[0] ^ from->mask;
    from->rest = tr_str_skip(from->rest, 1);
    return byte;
}

static uint64_t take_number(struct source *from, size_t bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | take(from);
    return number;
}

/* Writes what there is of a text, when `out` is not NULL. */
static bool take_text(struct source *from, char *out, size_t *len)
{
    for (size_t i = 0; !from->is_broken; i++) {
        unsigned byte = take(from);
        unsigned next = byte ? TR_KEY_NUL : take(from);
        if (next == TR_KEY_END && !byte)
            return true;
        if (next == TR_KEY_CUT && !byte) {
            (void)take_number(from, TR_KEY_TEXT_DIGEST);
            return false;
        }
        if (next != TR_KEY_NUL || i == TR_KEY_TEXT)
            from->is_broken = true;
        else if (out)
            out[(*len)++] = (char)byte;
    }
    return false;
}

/* The inverse of how doubles are made to sort. */
static double number_of(uint64_t sortable)
{
    double number;
    uint64_t bits = sortable & TR_KEY_SIGN ? sortable ^ TR_KEY_SIGN : ~sortable;
    memcpy(&number, &bits, sizeof(bits));
    return number;
}

/* Digits, which may be cut, and how many of them stand before the point. */
static void take_digits(struct source *from, struct tr_key_value *out)
{
    int64_t top = (int64_t)take_number(from, 4) - (int64_t)TR_KEY_TOP;
    size_t len = out->text.len;
    size_t digits = 0;
    unsigned byte = take(from);
    for (; byte >= '0' && byte <= '9' && digits < TR_KEY_DIGITS; digits++) {
        out->room[len++] = (char)byte;
        byte = take(from);
    }
    out->is_whole = byte == TR_KEY_END;
    if (byte == TR_KEY_CUT) {
        (void)take_number(from, TR_KEY_DIGITS_DIGEST);
        byte = take(from);
    }
    if (byte != TR_KEY_END)
        from->is_broken = true;
    int more = snprintf(out->room + len, sizeof(out->room) - len, "e%lld",
                        (long long)(top - (int64_t)digits));
    out->text.len = len + (size_t)more;
}

static void take_decimal(struct source *from, struct tr_key_value *out)
{
    uint64_t sortable = take_number(from, 8);
    unsigned side = take(from);
    out->kind = TR_KEY_NUMBER;
    out->number = number_of(sortable);
    out->text.ptr = out->room;
    if (side == TR_KEY_EXACT) {
        out->is_whole = isfinite(out->number);
        if (out->is_whole)
            out->text.len = tr_json_double_write(out->number, out->room);
        return;
    }
    if (side != TR_KEY_BELOW && side != TR_KEY_ABOVE)
        from->is_broken = true;
    bool is_negative =
        out->number < 0 || (out->number == 0 && side == TR_KEY_BELOW);
    if (is_negative) {
        out->room[out->text.len++] = '-';
        from->mask ^= 0xFF;
    }
    take_digits(from, out);
    if (is_negative)
        from->mask ^= 0xFF;
}

static void take_seconds(struct source *from)
{
    (void)take_number(from, 8);
    (void)take_text(from, NULL, NULL);
}

static void take_other(struct source *from, unsigned tag)
{
    switch (tag) {
    case TR_KEY_TAG_DATE_TIME:
    case TR_KEY_TAG_DATE:
    case TR_KEY_TAG_TIME:
        take_seconds(from);
        (void)take(from);
        break;
    case TR_KEY_TAG_DURATION: {
        unsigned mask = take(from) ? 0 : 0xFF;
        from->mask ^= mask;
        take_seconds(from);
        from->mask ^= mask;
        break;
    }
    case TR_KEY_TAG_LANGUAGE:
    case TR_KEY_TAG_OTHER:
        (void)take_text(from, NULL, NULL);
        (void)take_text(from, NULL, NULL);
        break;
    default:
        from->is_broken = true;
    }
}

static void take_part(struct source *from, struct tr_key_value *out)
{
    unsigned tag = from->rest.len ? (unsigned char)from->rest.ptr[0] : 0;
    from->mask = tag >= 0x80 && tag != TR_KEY_TAG_NONE ? 0xFF : 0;
    tag = take(from);
    out->kind = TR_KEY_OTHER;
    switch (tag) {
    case TR_KEY_TAG_NONE:
        out->kind = TR_KEY_NONE;
        break;
    case TR_KEY_TAG_BOOLEAN:
        out->kind = TR_KEY_BOOLEAN;
        out->is_whole = true;
        out->boolean = take(from) != 0;
        break;
    case TR_KEY_TAG_NUMBER:
        take_decimal(from, out);
        break;
    case TR_KEY_TAG_STRING:
    case TR_KEY_TAG_URI:
        out->kind = TR_KEY_TEXT_OF;
        out->text.ptr = out->room;
        out->is_whole = take_text(from, out->room, &out->text.len);
        break;
    case TR_KEY_TAG_REFERENCE:
        out->kind = TR_KEY_REFERENCE;
        out->is_whole = true;
        out->reference = take_number(from, 8);
        break;
    default:
        take_other(from, tag);
    }
}

size_t tr_key_part_len(tr_str key)
{
    struct tr_key_value value;
    struct source from = {.rest = key};
    memset(&value, 0, sizeof(value));
    take_part(&from, &value);
    return from.is_broken ? 0 : key.len - from.rest.len;
}

bool tr_key_read(tr_str part, struct tr_key_value *out)
{
    struct source from = {.rest = part};
    memset(out, 0, sizeof(*out));
    take_part(&from, out);
    return !from.is_broken && !from.rest.len;
}
