#include "base/ascii.h"
#include "base/text.h"

/* RFC 3986, section 2.3: what never needs to be encoded. */
static bool is_unreserved(char c)
{
    return tr_ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

bool tr_percent_is_encoded(tr_str text, size_t i)
{
    return i + 2 < text.len && text.ptr[i] == '%' &&
           tr_ascii_hex_value(text.ptr[i + 1]) >= 0 &&
           tr_ascii_hex_value(text.ptr[i + 2]) >= 0;
}

static void put_byte(struct tr_buf *out, char c)
{
    static const char hex[] = "0123456789ABCDEF";
    tr_buf_putc(out, '%');
    tr_buf_putc(out, hex[(unsigned char)c >> 4]);
    tr_buf_putc(out, hex[(unsigned char)c & 15]);
}

void tr_percent_put(struct tr_buf *out, tr_str text, const char *also)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (is_unreserved(c) || (c && strchr(also, c)))
            tr_buf_putc(out, c);
        else
            put_byte(out, c);
    }
}

/* Returns false when a '%' without its digits was left as it is. */
static bool decode(tr_str text, char *room, tr_str *out)
{
    bool is_right = true;
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (tr_percent_is_encoded(text, i)) {
            c = (char)(tr_ascii_hex_value(text.ptr[i + 1]) * 16 +
                       tr_ascii_hex_value(text.ptr[i + 2]));
            i += 2;
        } else if (c == '%') {
            is_right = false;
        }
        room[len++] = c;
    }
    *out = (tr_str){room, len};
    return is_right;
}

bool tr_percent_decode(tr_str text, char *room, tr_str *out)
{
    tr_str decoded;
    if (!decode(text, room, &decoded))
        return false;
    *out = decoded;
    return true;
}

tr_str tr_percent_decode_leniently(tr_str text, char *room)
{
    tr_str decoded;
    (void)decode(text, room, &decoded);
    return decoded;
}
