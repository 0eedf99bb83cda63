#include "crypto/uuid.h"

#include "crypto/hex.h"
#include "crypto/random.h"

tr_status tr_uuid7(uint64_t unix_ms, char out[TR_UUID_TEXT], struct tr_err *err)
{
    static const struct {
        size_t from; /* bytes of the UUID */
        size_t len;
        size_t at; /* where their digits begin */
    } groups[] = {{0, 4, 0}, {4, 2, 9}, {6, 2, 14}, {8, 2, 19}, {10, 6, 24}};
    unsigned char bytes[16];

    TR_TRY(tr_random_bytes(bytes + 6, sizeof(bytes) - 6, err));
    for (size_t i = 0; i < 6; i++)
        bytes[i] = (unsigned char)(unix_ms >> (40 - 8 * i));
    bytes[6] = (unsigned char)(0x70 | (bytes[6] & 0x0F)); /* version 7 */
    bytes[8] = (unsigned char)(0x80 | (bytes[8] & 0x3F)); /* the variant */
    memset(out, '-', TR_UUID_TEXT);
    for (size_t i = 0; i < TR_LEN(groups); i++)
        tr_hex_write((tr_str){(char *)bytes + groups[i].from, groups[i].len},
                     out + groups[i].at);
    return TR_OK;
}
