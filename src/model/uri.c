#include "model/uri.h"

#include "base/limits.h"
#include "base/text.h"
#include "rdf/iri.h"

/*
 * Cuts "trails://project/Type/" off, and finds the type; NULL when that is not
 * how it begins.
 */
static const struct tr_model_type *cut_type(const struct tr_model *model,
                                            tr_str *iri)
{
    const tr_str parts[] = {TR_STR("trails://"), model->project, TR_STR("/")};
    tr_str rest = *iri;
    tr_str name;
    for (size_t i = 0; i < TR_LEN(parts); i++) {
        if (!tr_str_starts(rest, parts[i]))
            return NULL;
        rest = tr_str_skip(rest, parts[i].len);
    }
    if (!tr_str_cut(rest, '/', &name, &rest) || !rest.len)
        return NULL;
    *iri = rest;
    return tr_model_find(model, name);
}

/* Cuts the type's own namespace off; false when that is not how it begins. */
static bool cut_home(const struct tr_model_type *type,
                     const struct tr_model *model, tr_str *iri)
{
    tr_str rest = *iri;
    if (cut_type(model, &rest) != type || memchr(rest.ptr, '/', rest.len))
        return false;
    *iri = rest;
    return true;
}

static bool are_related(const struct tr_model_type *a,
                        const struct tr_model_type *b)
{
    return tr_model_type_is(a, b) || tr_model_type_is(b, a);
}

tr_str tr_model_short_id(const struct tr_model *model,
                         const struct tr_model_type *type, tr_str iri)
{
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *home = model->types[i];
        if ((!type || are_related(home, type)) && cut_home(home, model, &iri))
            break;
    }
    return iri;
}

static void put_instance(struct tr_buf *out, const struct tr_model_type *type,
                         tr_str id)
{
    tr_buf_putf(out, "trails://kg/%.*s/", TR_FMT(type->name));
    tr_percent_put(out, id, "");
}

void tr_model_kg_uri_write(struct tr_buf *out, const struct tr_model_type *type,
                           tr_str iri, const struct tr_model *model)
{
    if (!iri.len) {
        tr_buf_putf(out, "trails://kg/%.*s", TR_FMT(type->name));
        return;
    }
    (void)cut_home(type, model, &iri);
    put_instance(out, type, iri);
}

bool tr_model_kg_uri_write_end(struct tr_buf *out,
                               const struct tr_model_type *type, tr_str iri,
                               const struct tr_model *model)
{
    const struct tr_model_type *home = cut_type(model, &iri);
    if (!home || !are_related(home, type) ||
        (home == type && !memchr(iri.ptr, '/', iri.len)))
        return false;
    put_instance(out, type, iri);
    return true;
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

void tr_model_genid_start(struct tr_buf *out, tr_str project)
{
    if (!project.len)
        project = TR_STR("local");
    tr_buf_putf(out, "trails://%.*s/.well-known/genid/", TR_FMT(project));
}

bool tr_model_genid_is_blank(tr_str start, const tr_rdf_term *term,
                             tr_rdf_term *out)
{
    if (term->kind != TR_RDF_TERM_IRI || !tr_str_starts(term->text, start))
        return false;
    tr_str label = tr_str_skip(term->text, start.len);
    if (!label.len || tr_rdf_label_len(label) != label.len)
        return false;
    *out = tr_rdf_term_blank(label);
    return true;
}
