#include "model/uri.h"

#include "base/limits.h"
#include "base/text.h"

/* Cuts "trails://project/Type/" off; false when that is not how it begins. */
static bool cut_home(const struct tr_model_type *type,
                     const struct tr_model *model, tr_str *iri)
{
    const tr_str parts[] = {TR_STR("trails://"), model->project, TR_STR("/"),
                            type->name, TR_STR("/")};
    tr_str rest = *iri;
    for (size_t i = 0; i < TR_LEN(parts); i++) {
        if (!tr_str_starts(rest, parts[i]))
            return false;
        rest = tr_str_skip(rest, parts[i].len);
    }
    if (!rest.len || memchr(rest.ptr, '/', rest.len))
        return false;
    *iri = rest;
    return true;
}

tr_str tr_model_short_id(const struct tr_model *model,
                         const struct tr_model_type *type, tr_str iri)
{
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *home = model->types[i];
        bool is_related = !type || tr_model_type_is(home, type) ||
                          tr_model_type_is(type, home);
        if (is_related && cut_home(home, model, &iri))
            break;
    }
    return iri;
}

void tr_model_kg_uri_write(struct tr_buf *out, const struct tr_model_type *type,
                           tr_str iri, const struct tr_model *model)
{
    tr_buf_putf(out, "trails://kg/%.*s", TR_FMT(type->name));
    if (!iri.len)
        return;
    tr_buf_putc(out, '/');
    (void)cut_home(type, model, &iri);
    tr_percent_put(out, iri, "");
}

bool tr_model_kg_uri_iris(struct tr_arena *arena,
                          const struct tr_model_type *type, tr_str id,
                          const struct tr_model *model, tr_str out[2])
{
    struct tr_buf home;
    tr_buf_init(&home, TR_LIMIT_MESSAGE);
    tr_buf_putf(&home, "trails://%.*s/%.*s/", TR_FMT(model->project),
                TR_FMT(type->name));
    tr_buf_put(&home, id);
    bool made = tr_buf_check(&home, NULL) == TR_OK &&
                tr_arena_copy(arena, tr_buf_str(&home), &out[0]);
    out[1] = id;
    tr_buf_done(&home);
    return made;
}

static bool is_written_so(tr_str uri, const struct tr_model_type *type,
                          tr_str id, const struct tr_model *model)
{
    struct tr_buf written;
    char room[TR_LIMIT_URI_BYTES];
    tr_str decoded;
    if (id.len > sizeof(room) || !tr_percent_decode(id, room, &decoded))
        return false;
    tr_buf_init(&written, TR_LIMIT_URI_BYTES);
    tr_model_kg_uri_write(&written, type, decoded, model);
    bool same = tr_buf_check(&written, NULL) == TR_OK &&
                tr_str_eq(tr_buf_str(&written), uri);
    tr_buf_done(&written);
    return same;
}

bool tr_model_kg_uri_is_ours(tr_str uri, const struct tr_model *model)
{
    tr_str name = tr_str_skip(uri, sizeof("trails://kg/") - 1);
    tr_str id = {0};
    if (!model || !tr_str_starts(uri, TR_STR("trails://kg/")))
        return false;
    bool has_id = tr_str_cut(name, '/', &name, &id);
    const struct tr_model_type *type = tr_model_find(model, name);
    if (!type || type->is_private)
        return false;
    return !has_id || (id.len > 0 && is_written_so(uri, type, id, model));
}
