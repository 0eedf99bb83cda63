#include "base/limits.h"
#include "rdf/iri.h"
#include "shape/shacl_writer.h"

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory to name a type");
}

static void write_default(struct tr_buf *out, const struct tr_type_place *place,
                          tr_str type)
{
    tr_str project = place->project.len ? place->project : TR_STR("local");
    tr_buf_putf(out, "trails://%.*s/%.*s", TR_FMT(project), TR_FMT(type));
}

void tr_type_iri_write(struct tr_buf *out, const struct tr_type_place *place,
                       tr_str type)
{
    for (size_t i = 0; i < place->type_count; i++) {
        if (tr_str_eq(place->types[i]->name, type)) {
            tr_buf_put(out, place->types[i]->iri);
            return;
        }
    }
    write_default(out, place, type);
}

/* trails://project/Type, with #field when there is one. */
static tr_status put_default(struct tr_arena *arena,
                             const struct tr_type_place *place, tr_str type,
                             tr_str field, tr_str *out, struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_URI_BYTES);
    write_default(&text, place, type);
    if (field.len)
        tr_buf_putf(&text, "#%.*s", TR_FMT(field));
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), out))
        status = fail_memory(err);
    tr_buf_done(&text);
    return status;
}

/*
 * Any text with a colon could be an IRI. One without "//" is taken for a name
 * with a prefix, unless its scheme is known to do without.
 */
static bool looks_absolute(tr_str scheme, tr_str rest)
{
    static const tr_str plain[] = {
        TR_STR_INIT("urn"),  TR_STR_INIT("did"),    TR_STR_INIT("tag"),
        TR_STR_INIT("info"), TR_STR_INIT("mailto"), TR_STR_INIT("doi"),
    };
    for (size_t i = 0; i < TR_LEN(plain); i++) {
        if (tr_str_eq(scheme, plain[i]))
            return true;
    }
    return tr_str_starts(rest, TR_STR("//"));
}

tr_status tr_type_iri_expand(struct tr_arena *arena,
                             const struct tr_prefixes *prefixes, tr_str *iri,
                             struct tr_err *err)
{
    tr_str prefix;
    tr_str rest;
    tr_str known;
    if (tr_str_cut(*iri, ':', &prefix, &rest)) {
        if (prefixes && tr_prefixes_find(prefixes, prefix, &known))
            TR_TRY(tr_prefixes_expand(prefixes, arena, *iri, iri, err));
        else if (!looks_absolute(prefix, rest))
            return tr_fail(err, TR_E_INVALID,
                           "'%.*s' has the prefix '%.*s', which is not known",
                           TR_FMT(*iri), TR_FMT(prefix));
    }
    return tr_iri_check(*iri, err);
}

static tr_status name_field(struct tr_arena *arena,
                            const struct tr_type_place *place, tr_str type,
                            struct tr_field *field, struct tr_err *err)
{
    tr_status status =
        field->iri.len
            ? tr_type_iri_expand(arena, place->prefixes, &field->iri, err)
            : put_default(arena, place, type, field->name, &field->iri, err);
    if (status != TR_OK)
        tr_err_set_at(err, "%.*s", TR_FMT(field->name));
    return status;
}

static struct tr_field *find_field(struct tr_field *fields, size_t count,
                                   tr_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_str_eq(fields[i].name, name))
            return &fields[i];
    }
    return NULL;
}

static tr_status check_iris(const struct tr_field *fields, size_t count,
                            struct tr_err *err)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (tr_str_eq(fields[i].iri, fields[k].iri))
                return tr_fail(err, TR_E_INVALID,
                               "the fields '%.*s' and '%.*s' have the same IRI",
                               TR_FMT(fields[k].name), TR_FMT(fields[i].name));
        }
    }
    return TR_OK;
}

tr_status tr_shape_name(struct tr_arena *arena,
                        const struct tr_type_place *place,
                        struct tr_shape *draft, struct tr_err *err)
{
    size_t count = place->parent ? place->parent->count : 0;
    if (draft->count > TR_LIMIT_FIELDS || count > TR_LIMIT_FIELDS)
        return tr_fail(err, TR_E_INVALID, "a shape has at most %d fields",
                       TR_LIMIT_FIELDS);
    struct tr_field *fields =
        TR_NEW_ARRAY(arena, struct tr_field, count + draft->count);
    if (!fields)
        return fail_memory(err);
    if (count)
        memcpy(fields, place->parent->fields, count * sizeof(*fields));
    for (size_t i = 0; i < draft->count; i++) {
        struct tr_field own = draft->fields[i];
        struct tr_field *old = find_field(fields, count, own.name);
        if (old && !own.iri.len)
            own.iri = old->iri;
        TR_TRY(name_field(arena, place, draft->name, &own, err));
        *(old ? old : &fields[count++]) = own;
    }
    TR_TRY(check_iris(fields, count, err));
    TR_TRY(draft->iri.len
               ? tr_type_iri_expand(arena, place->prefixes, &draft->iri, err)
               : put_default(arena, place, draft->name, TR_STR(""), &draft->iri,
                             err));
    draft->fields = fields;
    draft->count = count;
    return TR_OK;
}
