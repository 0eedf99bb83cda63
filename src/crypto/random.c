#include "crypto/random.h"

#include <errno.h>
#include <sys/random.h>

tr_status tr_crypto_random_bytes(void *out, size_t len, struct tr_err *err)
{
    char *at = out;
    while (len) {
        ssize_t got = getrandom(at, len, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tr_fail(err, TR_E_IO, "no random bytes: %s",
                           strerror(errno));
        at += got;
        len -= (size_t)got;
    }
    return TR_OK;
}
