/*
 * Any bytes as the header Idempotency-Key: a text; and a string in quotes is
 * what one gets by quoting what was read.
 */
#include "base/buf.h"
#include "base/limits.h"
#include "base/text.h"
#include "rest/read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* RFC 8941, 4.1.6 */
static void must_quote(tr_str key, tr_str as)
{
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(1));
    tr_buf_putc(&out, '"');
    for (size_t i = 0; i < key.len; i++) {
        char c = key.ptr[i];
        must(c >= ' ' && c <= '~');
        if (c == '"' || c == '\\')
            tr_buf_putc(&out, '\\');
        tr_buf_putc(&out, c);
    }
    tr_buf_putc(&out, '"');
    must(tr_str_eq(tr_buf_str(&out), as));
    tr_buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str value = {(const char *)data, size};
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_str key;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = tr_rest_read_key(&arena, value, &key, &err);
    must(status == TR_OK || status == TR_E_SYNTAX);
    if (status == TR_OK) {
        must(tr_utf8_is_valid(key));
        if (size && data[0] == '"')
            must_quote(key, value);
        else
            must(tr_str_eq(key, value));
    }
    tr_arena_done(&arena);
    return 0;
}
