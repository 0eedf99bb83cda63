#include "rdf/iri.h"

void tr_rdf_prefixes_init(struct tr_rdf_prefixes *prefixes,
                          struct tr_arena *arena)
{
    tr_map_init(&prefixes->by_name, arena);
}

tr_status tr_rdf_prefixes_set(struct tr_rdf_prefixes *prefixes, tr_str name,
                              tr_str iri, struct tr_err *err)
{
    struct tr_arena *arena = prefixes->by_name.arena;
    tr_str *known = tr_map_find(&prefixes->by_name, name);
    tr_str copy;
    if (known && tr_str_eq(*known, iri))
        return TR_OK;
    tr_str *value = known ? known : TR_NEW(arena, tr_str);
    if (!value || !tr_arena_copy(arena, iri, &copy) ||
        (!known && (!tr_arena_copy(arena, name, &name) ||
                    !tr_map_set(&prefixes->by_name, name, value))))
        return tr_fail(err, TR_E_NOMEM, "no memory for more prefixes");
    *value = copy;
    return TR_OK;
}

bool tr_rdf_prefixes_find(const struct tr_rdf_prefixes *prefixes, tr_str name,
                          tr_str *out)
{
    const tr_str *value = tr_map_find(&prefixes->by_name, name);
    if (value)
        *out = *value;
    return value != NULL;
}

tr_status tr_rdf_prefixes_expand(const struct tr_rdf_prefixes *prefixes,
                                 struct tr_arena *arena, tr_str curie,
                                 tr_str *out, struct tr_err *err)
{
    tr_str name;
    tr_str local;
    tr_str iri;
    if (!tr_str_cut(curie, ':', &name, &local))
        return tr_fail(err, TR_E_SYNTAX, "'%.*s' is not a prefixed name",
                       TR_FMT(curie));
    if (!tr_rdf_prefixes_find(prefixes, name, &iri))
        return tr_fail(err, TR_E_NOT_FOUND, "unknown prefix '%.*s'",
                       TR_FMT(name));
    char *whole = tr_arena_alloc(arena, iri.len + local.len);
    if (!whole)
        return tr_fail(err, TR_E_NOMEM, "no memory to expand a name");
    memcpy(whole, iri.ptr, iri.len);
    if (local.len)
        memcpy(whole + iri.len, local.ptr, local.len);
    *out = (tr_str){whole, iri.len + local.len};
    return TR_OK;
}

bool tr_rdf_prefixes_shorten(const struct tr_rdf_prefixes *prefixes, tr_str iri,
                             tr_str *name, tr_str *local)
{
    const struct tr_map *map = &prefixes->by_name;
    size_t longest = 0;
    for (size_t i = 0; i < map->count; i++) {
        const tr_str *start = map->entries[i].value;
        if (start->len <= longest || !tr_str_starts(iri, *start) ||
            !tr_rdf_is_plain_local(tr_str_skip(iri, start->len)))
            continue;
        longest = start->len;
        *name = map->entries[i].key;
        *local = tr_str_skip(iri, start->len);
    }
    return longest > 0;
}
