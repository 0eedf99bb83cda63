#include "base/ascii.h"
#include "crypto/encoding.h"

void tr_crypto_hex_write(tr_str bytes, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.len; i++) {
        out[2 * i] = digits[(unsigned char)bytes.ptr[i] >> 4];
        out[2 * i + 1] = digits[(unsigned char)bytes.ptr[i] & 15];
    }
}

bool tr_crypto_hex_read(tr_str text, unsigned char *out)
{
    if (text.len % 2)
        return false;
    for (size_t i = 0; i < text.len; i += 2) {
        int high = tr_ascii_hex_value(text.ptr[i]);
        int low = tr_ascii_hex_value(text.ptr[i + 1]);
        if (high < 0 || low < 0)
            return false;
        out[i / 2] = (unsigned char)(high * 16 + low);
    }
    return true;
}
