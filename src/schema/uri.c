#include "schema/uri.h"

#include "base/text.h"
#include "rdf/iri.h"

bool tr_schema_uri_resolve(struct tr_arena *arena, tr_str base,
                           tr_str reference, tr_str *out)
{
    struct tr_buf text;
    struct tr_rdf_iri_parts parts;
    tr_rdf_iri_split(reference, &parts);
    if (parts.has_fragment)
        reference.len -= parts.fragment.len + 1;
    tr_buf_init(&text, base.len + reference.len + 8);
    tr_rdf_iri_resolve(&text, base, reference);
    bool done =
        text.failed == TR_OK && tr_arena_copy(arena, tr_buf_str(&text), out);
    tr_buf_done(&text);
    return done;
}

bool tr_schema_uri_decode(struct tr_arena *arena, tr_str text, tr_str *out)
{
    char *room = tr_arena_alloc(arena, text.len + 1);
    if (!room)
        return false;
    *out = tr_percent_decode_leniently(text, room);
    return true;
}
