#include "base/percent.h"

bool tr_percent_is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
           c == '~';
}

bool tr_percent_is_encoded(tr_str text, size_t i)
{
    return i + 2 < text.len && text.ptr[i] == '%' &&
           tr_hex_digit(text.ptr[i + 1]) >= 0 &&
           tr_hex_digit(text.ptr[i + 2]) >= 0;
}

void tr_percent_put_byte(struct tr_buf *out, char c)
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
        if (tr_percent_is_unreserved(c) || (c && strchr(also, c)))
            tr_buf_putc(out, c);
        else
            tr_percent_put_byte(out, c);
    }
}

bool tr_percent_decode(tr_str text, char *room, tr_str *out)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            if (!tr_percent_is_encoded(text, i))
                return false;
            c = (char)(tr_hex_digit(text.ptr[i + 1]) * 16 +
                       tr_hex_digit(text.ptr[i + 2]));
            i += 2;
        }
        room[len++] = c;
    }
    *out = (tr_str){room, len};
    return true;
}
