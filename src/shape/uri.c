#include "shape/uri.h"

#include "base/buf.h"
#include "rdf/iri.h"

bool tr_uri_resolve(struct tr_arena *arena, tr_str base, tr_str reference,
                    tr_str *out)
{
    struct tr_buf text;
    struct tr_iri_parts parts;
    tr_iri_split(reference, &parts);
    if (parts.has_fragment)
        reference.len -= parts.fragment.len + 1;
    tr_buf_init(&text, base.len + reference.len + 8);
    tr_iri_resolve(&text, base, reference);
    bool done =
        text.failed == TR_OK && tr_arena_copy(arena, tr_buf_str(&text), out);
    tr_buf_done(&text);
    return done;
}

bool tr_uri_decode(struct tr_arena *arena, tr_str text, tr_str *out)
{
    char *decoded = tr_arena_alloc(arena, text.len + 1);
    size_t len = 0;
    if (!decoded)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        bool has_two = text.ptr[i] == '%' && i + 2 < text.len;
        int high = has_two ? tr_hex_digit(text.ptr[i + 1]) : -1;
        int low = has_two ? tr_hex_digit(text.ptr[i + 2]) : -1;
        decoded[len++] =
            high < 0 || low < 0 ? text.ptr[i] : (char)(high * 16 + low);
        if (high >= 0 && low >= 0)
            i += 2;
    }
    *out = (tr_str){decoded, len};
    return true;
}
