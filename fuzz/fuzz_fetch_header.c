/*
 * Any bytes as a line of the head of a reply: what is taken has a name in lower
 * case that is a token, and a value that no line of a log or terminal obeys.
 */
#include "base/ascii.h"
#include "base/limits.h"
#include "base/text.h"
#include "fetch/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tr_str line = {(const char *)data, size};
    struct tr_fetch_header header = {0};
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(4));
    if (!tr_fetch_header_read(&arena, line, &header)) {
        must(header.name.len > 0 && !header.is_secret);
        must(header.name.len + header.value.len < size);
        for (size_t i = 0; i < header.name.len; i++) {
            char c = header.name.ptr[i];
            must(c > ' ' && c < 0x7F && c == tr_ascii_to_lower(c) && c != ':');
        }
        for (size_t i = 0; i < header.value.len; i++) {
            unsigned char c = (unsigned char)header.value.ptr[i];
            must((c >= ' ' || c == '\t') && c != 0x7F);
        }
        must(tr_utf8_is_valid(header.value));
        /* What may be read may be sent, but for what is not an app's. */
        must(header.name.len > TR_LIMIT_NAME_BYTES ||
             header.value.len > TR_LIMIT_FETCH_URL ||
             tr_fetch_header_check(&header, &err) == TR_OK ||
             strstr(err.msg, "is not yours"));
    }
    tr_arena_done(&arena);
    return 0;
}
