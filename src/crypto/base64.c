#include "base/ascii.h"
#include "crypto/encoding.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

struct alphabet {
    const char *digits; /* 64 */
    bool padded;
};

static const struct alphabet plain = {LETTERS "+/", true};
static const struct alphabet url = {LETTERS "-_", false};

static tr_status encode(struct tr_arena *arena, const struct alphabet *alphabet,
                        tr_str bytes, tr_str *out, struct tr_err *err)
{
    size_t groups = bytes.len / 3 + (bytes.len % 3 != 0);
    size_t len = 0;
    char *text =
        groups < SIZE_MAX / 4 ? tr_arena_alloc(arena, groups * 4 + 1) : NULL;
    if (!text)
        return tr_fail(err, TR_E_NOMEM, "no memory for base64");
    const unsigned char *from = (const unsigned char *)bytes.ptr;
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        unsigned bits = (unsigned)from[i] << 16 |
                        (left > 1 ? (unsigned)from[i + 1] << 8 : 0) |
                        (left > 2 ? from[i + 2] : 0);
        for (size_t k = 0; k < 4; k++) {
            if (k <= left)
                text[len++] = alphabet->digits[bits >> (18 - 6 * k) & 63];
            else if (alphabet->padded)
                text[len++] = '=';
        }
    }
    text[len] = '\0';
    *out = (tr_str){text, len};
    return TR_OK;
}

/* -1 when it is not in the alphabet. */
static int value_of(const struct alphabet *alphabet, char c)
{
    if (tr_ascii_is_upper(c))
        return c - 'A';
    if (tr_ascii_is_lower(c))
        return c - 'a' + 26;
    if (tr_ascii_is_digit(c))
        return c - '0' + 52;
    if (c == alphabet->digits[62])
        return 62;
    return c == alphabet->digits[63] ? 63 : -1;
}

/* Takes the padding off; false when it is missing, too much, or forbidden. */
static bool strip(const struct alphabet *alphabet, tr_str *text)
{
    if (!alphabet->padded)
        return text->len % 4 != 1;
    if (text->len % 4)
        return false;
    for (size_t i = 0; i < 2 && text->len && text->ptr[text->len - 1] == '=';
         i++)
        text->len--;
    return text->len % 4 != 1;
}

static tr_status fail_syntax(struct tr_err *err)
{
    return tr_fail(err, TR_E_SYNTAX, "this is not base64");
}

static tr_status decode(struct tr_arena *arena, const struct alphabet *alphabet,
                        tr_str text, tr_str *out, struct tr_err *err)
{
    if (!strip(alphabet, &text))
        return fail_syntax(err);
    unsigned char *bytes = tr_arena_alloc(arena, text.len / 4 * 3 + 3);
    unsigned bits = 0;
    size_t len = 0;
    if (!bytes)
        return tr_fail(err, TR_E_NOMEM, "no memory for base64");
    for (size_t i = 0; i < text.len; i++) {
        int value = value_of(alphabet, text.ptr[i]);
        if (value < 0)
            return fail_syntax(err);
        bits = bits << 6 | (unsigned)value;
        if (i % 4) /* the second digit completes the first byte, and so on */
            bytes[len++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    /* RFC 4648, section 3.5: what is left of the last digit is zero. */
    unsigned left = text.len % 4 == 2 ? bits & 15 : text.len % 4 ? bits & 3 : 0;
    if (left)
        return fail_syntax(err);
    bytes[len] = '\0';
    *out = (tr_str){(char *)bytes, len};
    return TR_OK;
}

tr_status tr_crypto_base64_encode(struct tr_arena *arena, tr_str bytes,
                                  tr_str *out, struct tr_err *err)
{
    return encode(arena, &plain, bytes, out, err);
}

tr_status tr_crypto_base64url_encode(struct tr_arena *arena, tr_str bytes,
                                     tr_str *out, struct tr_err *err)
{
    return encode(arena, &url, bytes, out, err);
}

tr_status tr_crypto_base64_decode(struct tr_arena *arena, tr_str text,
                                  tr_str *out, struct tr_err *err)
{
    return decode(arena, &plain, text, out, err);
}

tr_status tr_crypto_base64url_decode(struct tr_arena *arena, tr_str text,
                                     tr_str *out, struct tr_err *err)
{
    return decode(arena, &url, text, out, err);
}
