#include "base/limits.h"
#include "base/nearest.h"
#include "fields/kind.h"
#include "model/inside.h"
#include "model/shacl.h"
#include "rdf/iri.h"

/* IRIs of types and fields ----------------------------------------------- */

static tr_status fail_naming(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory to name a type");
}

static void write_default(struct tr_buf *out,
                          const struct tr_model_type_context *context,
                          tr_str type)
{
    tr_str project = context->project.len ? context->project : TR_STR("local");
    tr_buf_putf(out, "trails://%.*s/%.*s", TR_FMT(project), TR_FMT(type));
}

void tr_model_type_iri_write(struct tr_buf *out,
                             const struct tr_model_type_context *context,
                             tr_str type)
{
    for (size_t i = 0; i < context->type_count; i++) {
        if (tr_str_eq(context->types[i]->name, type)) {
            tr_buf_put(out, context->types[i]->iri);
            return;
        }
    }
    write_default(out, context, type);
}

/* trails://project/Type, with #field when there is one. */
static tr_status put_default(struct tr_arena *arena,
                             const struct tr_model_type_context *context,
                             tr_str type, tr_str field, tr_str *out,
                             struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_URI_BYTES);
    write_default(&text, context, type);
    if (field.len)
        tr_buf_putf(&text, "#%.*s", TR_FMT(field));
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), out))
        status = fail_naming(err);
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

tr_status tr_model_type_iri_expand(struct tr_arena *arena,
                                   const struct tr_rdf_prefixes *prefixes,
                                   tr_str *iri, struct tr_err *err)
{
    tr_str prefix;
    tr_str rest;
    tr_str known;
    if (tr_str_cut(*iri, ':', &prefix, &rest)) {
        if (prefixes && tr_rdf_prefixes_find(prefixes, prefix, &known))
            TR_TRY(tr_rdf_prefixes_expand(prefixes, arena, *iri, iri, err));
        else if (!looks_absolute(prefix, rest))
            return tr_fail(err, TR_E_INVALID,
                           "'%.*s' has the prefix '%.*s', which is not known",
                           TR_FMT(*iri), TR_FMT(prefix));
    }
    return tr_rdf_iri_check(*iri, err);
}

static tr_status name_after(struct tr_arena *arena, tr_str type, tr_str field,
                            tr_str *out, struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_URI_BYTES);
    tr_buf_putf(&text, "%.*s.%.*s", TR_FMT(type), TR_FMT(field));
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), out))
        status = fail_naming(err);
    tr_buf_done(&text);
    return status;
}

/* What an object holds is named after the object, wherever it is; that of one
 * without a name, after the field that has it. */
static tr_status name_object(struct tr_arena *arena,
                             const struct tr_model_type_context *context,
                             tr_str type, struct tr_field *field,
                             struct tr_err *err)
{
    struct tr_model_type_context own = {.project = context->project,
                                        .prefixes = context->prefixes};
    struct tr_shape *object = TR_NEW(arena, struct tr_shape);
    if (!object)
        return fail_naming(err);
    *object = *field->object;
    tr_str name = object->name;
    if (!name.len)
        TR_TRY(name_after(arena, type, field->name, &object->name, err));
    TR_TRY(tr_model_name_shape(arena, &own, object, err));
    object->name = name;
    field->object = object;
    return TR_OK;
}

static tr_status name_field(struct tr_arena *arena,
                            const struct tr_model_type_context *context,
                            tr_str type, struct tr_field *field,
                            struct tr_err *err)
{
    tr_status status =
        field->iri.len
            ? tr_model_type_iri_expand(arena, context->prefixes, &field->iri,
                                       err)
            : put_default(arena, context, type, field->name, &field->iri, err);
    if (status == TR_OK && field->object)
        status = name_object(arena, context, type, field, err);
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

tr_status tr_model_name_shape(struct tr_arena *arena,
                              const struct tr_model_type_context *context,
                              struct tr_shape *draft, struct tr_err *err)
{
    size_t count = context->parent ? context->parent->count : 0;
    if (draft->count > TR_LIMIT_FIELDS || count > TR_LIMIT_FIELDS)
        return tr_fail(err, TR_E_INVALID, "a shape has at most %d fields",
                       TR_LIMIT_FIELDS);
    struct tr_field *fields =
        TR_NEW_ARRAY(arena, struct tr_field, count + draft->count);
    if (!fields)
        return fail_naming(err);
    if (count)
        memcpy(fields, context->parent->fields, count * sizeof(*fields));
    for (size_t i = 0; i < draft->count; i++) {
        struct tr_field own = draft->fields[i];
        struct tr_field *old = find_field(fields, count, own.name);
        if (old && !own.iri.len)
            own.iri = old->iri;
        if (old && !own.scope)
            own.scope = old->scope;
        if (old && !own.by.len && own.kind == TR_FIELD_REF)
            own.by = old->by;
        TR_TRY(name_field(arena, context, draft->name, &own, err));
        *(old ? old : &fields[count++]) = own;
    }
    TR_TRY(check_iris(fields, count, err));
    TR_TRY(draft->iri.len ? tr_model_type_iri_expand(arena, context->prefixes,
                                                     &draft->iri, err)
                          : put_default(arena, context, draft->name, TR_STR(""),
                                        &draft->iri, err));
    draft->fields = fields;
    draft->count = count;
    return TR_OK;
}

/* Types ------------------------------------------------------------------ */

static tr_status fail_memory(const struct tr_model_making *m)
{
    return tr_fail(m->err, TR_E_NOMEM, "no memory for the types of an app");
}

tr_status tr_model_about(const struct tr_model_making *m, tr_str where,
                         const char *kind, tr_str name, tr_status st)
{
    if (st == TR_OK || st == TR_E_NOMEM)
        return st;
    tr_err_prefix(m->err, "%.*s%s%s '%.*s'", TR_FMT(where),
                  where.len ? ": " : "", kind, TR_FMT(name));
    tr_err_set_at(m->err, "%.*s", TR_FMT(name));
    return st;
}

tr_status tr_model_about_field(const struct tr_model_making *m, tr_str field,
                               tr_status st)
{
    if (st != TR_OK && st != TR_E_NOMEM)
        tr_err_prefix(m->err, "field '%.*s'", TR_FMT(field));
    return st;
}

static tr_status fail_unknown(const struct tr_model_making *m, tr_str name,
                              const char *what, bool or_shape)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < m->from->types.count; i++)
        tr_nearest_offer(&nearest, m->from->types.items[i]->draft.shape.name);
    for (size_t i = 0; or_shape && i < m->from->shapes.count; i++)
        tr_nearest_offer(&nearest, m->from->shapes.items[i]->shape.name);
    if (nearest.best.len)
        return tr_fail(m->err, TR_E_INVALID,
                       "there is no %s '%.*s', did you mean '%.*s'?", what,
                       TR_FMT(name), TR_FMT(nearest.best));
    return tr_fail(m->err, TR_E_INVALID, "there is no %s '%.*s'", what,
                   TR_FMT(name));
}

tr_status tr_model_fail_unknown(const struct tr_model_making *m, tr_str name)
{
    return fail_unknown(m, name, "node_type", false);
}

tr_status tr_model_check_kind(const struct tr_model_making *m,
                              const struct tr_field *declared,
                              const struct tr_field *own, tr_str type)
{
    if (declared->kind != own->kind)
        return tr_fail(m->err, TR_E_INVALID,
                       "it is %s in '%.*s', and cannot be %s here",
                       tr_field_kind_name(declared->kind), TR_FMT(type),
                       tr_field_kind_name(own->kind));
    if (declared->many != own->many || declared->list != own->list)
        return tr_fail(m->err, TR_E_INVALID,
                       "it has %s in '%.*s', and must have so here",
                       declared->list   ? "a list of values"
                       : declared->many ? "many values"
                                        : "one value",
                       TR_FMT(type));
    return TR_OK;
}

/* An instance must satisfy the types above as well, so a field that is declared
 * again can only be narrower. */
static tr_status check_narrows(const struct tr_model_making *m,
                               const struct tr_model_type *parent,
                               const struct tr_field *declared,
                               const struct tr_field *own)
{
    TR_TRY(tr_model_check_kind(m, declared, own, parent->name));
    if (tr_field_is_required(declared) && own->optional)
        return tr_fail(m->err, TR_E_INVALID,
                       "it is required in '%.*s', and cannot be optional here",
                       TR_FMT(parent->name));
    if (!tr_str_eq(declared->iri, own->iri))
        return tr_fail(m->err, TR_E_INVALID,
                       "it is <%.*s> in '%.*s', and keeps that IRI",
                       TR_FMT(declared->iri), TR_FMT(parent->name));
    if (declared->scope != own->scope)
        return tr_fail(
            m->err, TR_E_INVALID, "it is for %s in '%.*s', and must be so here",
            declared->scope ? tr_scope_name(declared->scope) : "everybody",
            TR_FMT(parent->name));
    return TR_OK;
}

/* The parent's fields stand first, in their order. */
static tr_status check_inherited(const struct tr_model_making *m,
                                 const struct tr_model_type *parent,
                                 const struct tr_shape *shape)
{
    for (size_t i = 0; parent && i < parent->shape->count; i++) {
        const struct tr_field *own = &shape->fields[i];
        tr_status st = check_narrows(m, parent, &parent->shape->fields[i], own);
        TR_TRY(tr_model_about_field(m, own->name, st));
    }
    if (parent && shape->open && !parent->shape->open)
        return tr_fail(m->err, TR_E_INVALID,
                       "it cannot be open, because '%.*s' is not",
                       TR_FMT(parent->name));
    return TR_OK;
}

/* Adds the fields that are unique alone to those that are unique together. */
static tr_status fold_unique(const struct tr_model_making *m,
                             const struct tr_shape *written,
                             struct tr_shape *draft)
{
    struct tr_arena *arena = &m->from->arena;
    size_t count = written->unique_count;
    struct tr_shape_unique *unique =
        TR_NEW_ARRAY(arena, struct tr_shape_unique, count + written->count);
    if (!unique)
        return fail_memory(m);
    if (count)
        memcpy(unique, written->unique, count * sizeof(*unique));
    for (size_t i = 0; i < written->count; i++) {
        if (written->fields[i].unique)
            unique[count++] =
                (struct tr_shape_unique){&written->fields[i].name, 1};
    }
    draft->unique = unique;
    draft->unique_count = count;
    return TR_OK;
}

static tr_status check_unique(const struct tr_model_making *m,
                              const struct tr_shape *shape)
{
    for (size_t i = 0; i < shape->unique_count; i++) {
        for (size_t k = 0; k < shape->unique[i].count; k++) {
            tr_str name = shape->unique[i].names[k];
            const struct tr_field *field = tr_shape_find(shape, name);
            if (tr_field_is_array(field))
                return tr_fail(m->err, TR_E_INVALID,
                               "unique names '%.*s', which has many values",
                               TR_FMT(name));
            if (field->kind == TR_FIELD_OBJECT)
                return tr_fail(m->err, TR_E_INVALID,
                               "unique names '%.*s', which is an object: each "
                               "belongs to its owner alone",
                               TR_FMT(name));
        }
    }
    return TR_OK;
}

static bool is_label(const struct tr_field *field)
{
    return field && tr_field_has(field, TR_FIELD_IS_LABEL) &&
           !tr_field_is_array(field);
}

static tr_status choose_label(const struct tr_model_making *m,
                              const struct tr_model_type_draft *draft,
                              struct tr_model_type *type)
{
    static const tr_str usual[] = {TR_STR_INIT("label"), TR_STR_INIT("title"),
                                   TR_STR_INIT("name")};
    const struct tr_field *field = tr_shape_find(type->shape, draft->label);
    if (draft->label.len && !field)
        return tr_fail(m->err, TR_E_INVALID,
                       "label names '%.*s', which is not a field",
                       TR_FMT(draft->label));
    if (draft->label.len && !is_label(field))
        return tr_fail(m->err, TR_E_INVALID,
                       "label names '%.*s', which is not one text",
                       TR_FMT(draft->label));
    if (!field && type->parent)
        field = tr_shape_find(type->shape, type->parent->label);
    for (size_t i = 0; !field && i < TR_LEN(usual); i++) {
        const struct tr_field *candidate = tr_shape_find(type->shape, usual[i]);
        field = is_label(candidate) ? candidate : NULL;
    }
    type->label = field ? field->name : TR_STR("");
    return TR_OK;
}

static tr_status choose_strategy(const struct tr_model_making *m,
                                 const struct tr_model_type_draft *draft,
                                 struct tr_model_type *type)
{
    if (!draft->has_strategy && type->parent) {
        type->strategy = type->parent->strategy;
        type->content_fields = type->parent->content_fields;
        type->content_count = type->parent->content_count;
        return TR_OK;
    }
    tr_str *names =
        TR_NEW_ARRAY(&m->whole->arena, tr_str, draft->content_count);
    if (!names)
        return fail_memory(m);
    for (size_t i = 0; i < draft->content_count; i++) {
        const struct tr_field *field =
            tr_shape_find(type->shape, draft->content_fields[i]);
        if (!field)
            return tr_fail(m->err, TR_E_INVALID,
                           "ids_from names '%.*s', which is not a field",
                           TR_FMT(draft->content_fields[i]));
        if (field->optional)
            return tr_fail(m->err, TR_E_INVALID,
                           "ids_from names '%.*s', which is optional",
                           TR_FMT(field->name));
        if (field->kind == TR_FIELD_OBJECT)
            return tr_fail(m->err, TR_E_INVALID,
                           "ids_from names '%.*s', which is an object: an id "
                           "is made of values",
                           TR_FMT(field->name));
        if (field->scope)
            return tr_fail(m->err, TR_E_INVALID,
                           "ids_from names '%.*s', which has a scope: its "
                           "values could be guessed from ids",
                           TR_FMT(field->name));
        names[i] = field->name;
    }
    type->strategy = draft->strategy;
    type->content_fields = names;
    type->content_count = draft->content_count;
    return TR_OK;
}

static tr_status make_shape(const struct tr_model_making *m,
                            const struct tr_model_type_draft *written,
                            struct tr_model_type *type)
{
    struct tr_model_whole *whole = m->whole;
    struct tr_model_type_context context = {
        .project = whole->model.project,
        .prefixes = &whole->prefixes,
        .parent = type->parent ? type->parent->shape : NULL,
    };
    struct tr_shape draft = written->shape;
    tr_status st =
        tr_model_name_shape(&m->from->arena, &context, &draft, m->err);
    if (st != TR_OK && m->err->at[0])
        tr_err_prefix(m->err, "field '%s'", m->err->at);
    TR_TRY(st);
    TR_TRY(check_inherited(m, type->parent, &draft));
    TR_TRY(fold_unique(m, &written->shape, &draft));
    TR_TRY(tr_shape_register(&whole->arena, &whole->patterns, &draft,
                             &type->shape, m->err));
    return check_unique(m, type->shape);
}

static tr_status make_type(const struct tr_model_making *m,
                           const struct tr_model_type_entry *entry,
                           const struct tr_model_type *parent)
{
    struct tr_model_whole *whole = m->whole;
    struct tr_model_type *type = TR_NEW(&whole->arena, struct tr_model_type);
    if (!type)
        return fail_memory(m);
    type->parent = parent;
    TR_TRY(make_shape(m, &entry->draft, type));
    type->name = type->shape->name;
    TR_TRY(choose_label(m, &entry->draft, type));
    TR_TRY(choose_strategy(m, &entry->draft, type));
    TR_TRY(tr_model_choose_indexes(m, &entry->draft, type));
    TR_TRY(tr_model_choose_guard(m, &entry->draft, type));
    type->tools = entry->draft.tools;
    type->is_private =
        entry->draft.is_private || (parent && parent->is_private);
    if (type->is_private && type->tools)
        return tr_fail(m->err, TR_E_INVALID,
                       "it is private, so it cannot have tools");
    if (!tr_arena_copy(&whole->arena, entry->draft.where, &type->where))
        return fail_memory(m);
    const struct tr_model_type *other =
        tr_map_find(&whole->by_iri, type->shape->iri);
    if (other)
        return tr_fail(m->err, TR_E_INVALID, "'%.*s' has the same IRI, <%.*s>",
                       TR_FMT(other->name), TR_FMT(type->shape->iri));
    if (!tr_map_set(&whole->by_name, type->name, type) ||
        !tr_map_set(&whole->by_iri, type->shape->iri, type))
        return fail_memory(m);
    m->types[entry->index] = type;
    return TR_OK;
}

/* A type and the types above it, the nearest first. */
struct chain {
    const struct tr_model_type_entry *entries[TR_LIMIT_EXTENDS + 1];
    size_t count;
};

static tr_status find_chain(const struct tr_model_making *m,
                            const struct tr_model_type_entry *entry,
                            struct chain *out)
{
    const struct tr_model_type_entry *at = entry;
    out->count = 0;
    while (true) {
        tr_str above = at->draft.extends;
        out->entries[out->count++] = at;
        if (!above.len)
            return TR_OK;
        at = tr_map_find(&m->from->type_names, above);
        if (!at) {
            tr_status st = tr_model_fail_unknown(m, above);
            tr_err_prefix(m->err, "extends");
            return st;
        }
        if (at == entry)
            return tr_fail(m->err, TR_E_INVALID, "it extends itself");
        if (out->count > TR_LIMIT_EXTENDS)
            return tr_fail(m->err, TR_E_INVALID,
                           "more than %d types stand above it",
                           TR_LIMIT_EXTENDS);
    }
}

/* The types above are made first: a type needs the fields of its parent. */
static tr_status make_with_parents(const struct tr_model_making *m,
                                   const struct tr_model_type_entry *entry)
{
    struct chain chain;
    const struct tr_model_type *parent = NULL;
    TR_TRY(tr_model_about(m, entry->draft.where, "node_type",
                          entry->draft.shape.name,
                          find_chain(m, entry, &chain)));
    for (size_t i = chain.count; i-- > 0;) {
        const struct tr_model_type_entry *at = chain.entries[i];
        if (!m->types[at->index])
            TR_TRY(tr_model_about(m, at->draft.where, "node_type",
                                  at->draft.shape.name,
                                  make_type(m, at, parent)));
        parent = m->types[at->index];
    }
    return TR_OK;
}

/* A ref points to a type that is declared, and if it is inherited, to the same
 * type or one below. */
static tr_status check_ref(const struct tr_model_making *m,
                           const struct tr_model_type *type,
                           const struct tr_field *field)
{
    const struct tr_model *model = &m->whole->model;
    const struct tr_model_type *target = tr_model_find(model, field->target);
    const struct tr_field *declared =
        type->parent ? tr_shape_find(type->parent->shape, field->name) : NULL;
    if (field->target.len && !target)
        return tr_model_fail_unknown(m, field->target);
    if (declared && declared->target.len &&
        !tr_model_type_is(target, tr_model_find(model, declared->target)))
        return tr_fail(m->err, TR_E_INVALID,
                       "it points to '%.*s' in '%.*s', and cannot point to "
                       "others here",
                       TR_FMT(declared->target), TR_FMT(type->parent->name));
    return tr_model_check_shown_key(m, type, type->shape, field);
}

/* What an object refers to is declared, too. */
static tr_status check_object_refs(const struct tr_model_making *m,
                                   const struct tr_model_type *type,
                                   const struct tr_shape *object)
{
    for (size_t i = 0; i < object->count; i++) {
        const struct tr_field *field = &object->fields[i];
        tr_status st = TR_OK;
        if (field->object)
            st = check_object_refs(m, type, field->object);
        else if (field->target.len &&
                 !tr_model_find(&m->whole->model, field->target))
            st = tr_model_fail_unknown(m, field->target);
        else
            st = tr_model_check_shown_key(m, type, object, field);
        TR_TRY(tr_model_about_field(m, field->name, st));
    }
    return TR_OK;
}

static tr_status check_refs(const struct tr_model_making *m,
                            const struct tr_model_type *type)
{
    for (size_t i = 0; i < type->shape->count; i++) {
        const struct tr_field *field = &type->shape->fields[i];
        if (field->kind == TR_FIELD_REF)
            TR_TRY(tr_model_about_field(m, field->name,
                                        check_ref(m, type, field)));
        if (field->object)
            TR_TRY(tr_model_about_field(
                m, field->name, check_object_refs(m, type, field->object)));
    }
    return TR_OK;
}

static tr_status fail_needed(const struct tr_model_making *m,
                             const struct tr_model_needed *needed)
{
    return needed->or_shape
               ? fail_unknown(m, needed->name, "node_type or shape", true)
               : tr_model_fail_unknown(m, needed->name);
}

/* A capability that has the shape of a type tells all of its fields. */
static tr_status fail_told(const struct tr_model_making *m,
                           const struct tr_model_type *type)
{
    return tr_fail(m->err, TR_E_INVALID,
                   "node_type '%.*s' is private: write out the fields that "
                   "callers may see",
                   TR_FMT(type->name));
}

static tr_status check_needed(const struct tr_model_making *m)
{
    for (size_t i = 0; i < m->from->needed.count; i++) {
        const struct tr_model_needed *needed = &m->from->needed.items[i];
        const struct tr_model_type *type =
            tr_model_find(&m->whole->model, needed->name);
        bool is_told = type && type->is_private && needed->or_shape;
        if ((type && !is_told) ||
            (needed->or_shape &&
             tr_map_find(&m->from->shape_names, needed->name)))
            continue;
        tr_status st = is_told ? fail_told(m, type) : fail_needed(m, needed);
        tr_err_prefix(m->err, "%.*s", TR_FMT(needed->where));
        return st;
    }
    return TR_OK;
}

tr_status tr_model_make_types(struct tr_model_making *m)
{
    size_t count = m->from->types.count;
    m->types = TR_NEW_ARRAY(&m->whole->arena, struct tr_model_type *, count);
    if (!m->types)
        return fail_memory(m);
    for (size_t i = 0; i < count; i++)
        TR_TRY(make_with_parents(m, m->from->types.items[i]));
    for (size_t i = 0; i < count; i++) {
        const struct tr_model_type_draft *draft =
            &m->from->types.items[i]->draft;
        TR_TRY(tr_model_about(m, draft->where, "node_type", draft->shape.name,
                              check_refs(m, m->types[i])));
    }
    m->whole->model.types = (const struct tr_model_type *const *)m->types;
    m->whole->model.count = count;
    return check_needed(m);
}
