#include "crypto/random.h"

bool tr_crypto_secret_eq(tr_str a, tr_str b)
{
    volatile unsigned char different = 0;
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        different |= (unsigned char)(a.ptr[i] ^ b.ptr[i]);
    return different == 0;
}

void tr_crypto_secret_wipe(void *memory, size_t len)
{
    explicit_bzero(memory, len);
}
