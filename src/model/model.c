#include "model/model.h"

#include "base/limits.h"
#include "base/reserved.h"
#include "fields/field.h"
#include "model/builder.h"
#include "model/inside.h"
#include "rdf/iri.h"
#include "rdf/reader.h"

static struct tr_model_whole *whole_of(const struct tr_model *model)
{
    return (struct tr_model_whole *)(uintptr_t)model;
}

void tr_model_free(const struct tr_model *model)
{
    struct tr_model_whole *whole = whole_of(model);
    if (!whole)
        return;
    for (size_t i = 0; i < TR_LEN(whole->faces); i++) {
        if (whole->faces[i])
            tr_model_free(whole->faces[i]->model);
    }
    tr_shacl_shapes_free(whole->shapes);
    tr_rdf_memory_graph_free(whole->graph);
    tr_field_patterns_done(&whole->patterns);
    tr_arena_done(&whole->arena);
    free(whole);
}

const struct tr_model_type *tr_model_find(const struct tr_model *model,
                                          tr_str name)
{
    return tr_map_find(&whole_of(model)->by_name, name);
}

const struct tr_model_type *tr_model_find_iri(const struct tr_model *model,
                                              tr_str iri)
{
    return tr_map_find(&whole_of(model)->by_iri, iri);
}

const struct tr_shape *tr_model_find_shape(const struct tr_model *model,
                                           tr_str name)
{
    return tr_map_find(&whole_of(model)->by_shape, name);
}

bool tr_model_type_is(const struct tr_model_type *type,
                      const struct tr_model_type *ancestor)
{
    while (type && type != ancestor)
        type = type->parent;
    return type != NULL;
}

/* What an app declares, before it is built ------------------------------- */

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the types of an app");
}

static tr_status check_project(tr_str project, struct tr_err *err)
{
    return tr_reserved_name(project)
               ? tr_fail(err, TR_E_INVALID,
                         "a project cannot be called '%.*s', which every "
                         "server has for a path or a resource of its own: set "
                         "name in [project]",
                         TR_FMT(project))
               : TR_OK;
}

static tr_status add_known_prefixes(struct tr_model_builder *builder,
                                    struct tr_err *err)
{
    static const struct {
        tr_str name;
        tr_str iri;
    } known[] = {
        {TR_STR_INIT("rdf"), TR_STR_INIT(TR_RDF_NS_RDF)},
        {TR_STR_INIT("rdfs"), TR_STR_INIT(TR_RDF_NS_RDFS)},
        {TR_STR_INIT("xsd"), TR_STR_INIT(TR_RDF_NS_XSD)},
        {TR_STR_INIT("sh"), TR_STR_INIT(TR_RDF_NS_SH)},
    };
    for (size_t i = 0; i < TR_LEN(known); i++)
        TR_TRY(tr_rdf_prefixes_set(&builder->prefixes, known[i].name,
                                   known[i].iri, err));
    return TR_OK;
}

tr_status tr_model_builder_create(tr_str project, struct tr_model_builder **out,
                                  struct tr_err *err)
{
    if (!project.len)
        project = TR_STR("local");
    TR_TRY(check_project(project, err));
    struct tr_model_builder *builder = calloc(1, sizeof(*builder));
    if (!builder)
        return fail_memory(err);
    tr_arena_init(&builder->arena, TR_LIMIT_SNAPSHOT_BYTES);
    tr_rdf_prefixes_init(&builder->prefixes, &builder->arena);
    tr_map_init(&builder->type_names, &builder->arena);
    tr_map_init(&builder->shape_names, &builder->arena);
    tr_status status =
        tr_arena_copy(&builder->arena, project, &builder->project)
            ? add_known_prefixes(builder, err)
            : fail_memory(err);
    if (status != TR_OK)
        tr_model_builder_free(builder);
    else
        *out = builder;
    return status;
}

void tr_model_builder_free(struct tr_model_builder *builder)
{
    if (!builder)
        return;
    tr_field_patterns_done(&builder->patterns);
    tr_arena_done(&builder->arena);
    free(builder);
}

tr_status tr_model_builder_add_prefix(struct tr_model_builder *builder,
                                      tr_str name, tr_str iri,
                                      struct tr_err *err)
{
    tr_str known;
    if (!name.len || name.len > TR_LIMIT_NAME_BYTES || !tr_rdf_is_prefix(name))
        return tr_fail(err, TR_E_INVALID, "'%.*s' cannot be a prefix",
                       TR_FMT(name));
    if (iri.len > TR_LIMIT_URI_BYTES)
        return tr_fail(err, TR_E_INVALID, "its IRI is longer than %zu bytes",
                       TR_LIMIT_URI_BYTES);
    TR_TRY(tr_rdf_iri_check(iri, err));
    if (tr_rdf_prefixes_find(&builder->prefixes, name, &known) &&
        !tr_str_eq(known, iri))
        return tr_fail(err, TR_E_INVALID, "it stands for <%.*s> already",
                       TR_FMT(known));
    if (builder->prefixes.by_name.count >= TR_LIMIT_PREFIXES)
        return tr_fail(err, TR_E_INVALID, "an app has at most %d prefixes",
                       TR_LIMIT_PREFIXES);
    return tr_rdf_prefixes_set(&builder->prefixes, name, iri, err);
}

/* Types and shapes share their names, since those end up in IRIs. */
static tr_status check_name(const struct tr_model_builder *builder, tr_str name,
                            struct tr_err *err)
{
    if (!tr_field_name_is_valid(name))
        return tr_fail(err, TR_E_INVALID,
                       "a name is letters, digits and _, at most %d",
                       TR_LIMIT_NAME_BYTES);
    if (tr_map_find(&builder->type_names, name))
        return tr_fail(err, TR_E_INVALID, "there is a node_type '%.*s' already",
                       TR_FMT(name));
    if (tr_map_find(&builder->shape_names, name))
        return tr_fail(err, TR_E_INVALID, "there is a shape '%.*s' already",
                       TR_FMT(name));
    if (builder->type_names.count >= TR_LIMIT_TYPES ||
        builder->shape_names.count >= TR_LIMIT_TYPES)
        return tr_fail(err, TR_E_INVALID,
                       "an app has at most %d types, and as many shapes",
                       TR_LIMIT_TYPES);
    return TR_OK;
}

/* Refuses the name in trails://kg/types, and names of the members that a node
 * has beside its fields. */
static tr_status check_reserved(const struct tr_shape *shape,
                                struct tr_err *err)
{
    static const tr_str reserved[] = {TR_STR_INIT("id"), TR_STR_INIT("_type"),
                                      TR_STR_INIT("_version")};
    if (tr_str_eq(shape->name, TR_STR("types")))
        return tr_fail(err, TR_E_INVALID, "no type can be called 'types'");
    for (size_t i = 0; i < shape->count * TR_LEN(reserved); i++) {
        tr_str name = shape->fields[i / TR_LEN(reserved)].name;
        if (!tr_str_eq(name, reserved[i % TR_LEN(reserved)]))
            continue;
        (void)tr_fail(err, TR_E_INVALID,
                      "every node has that already: choose another name");
        tr_err_set_at(err, "%.*s", TR_FMT(name));
        return TR_E_INVALID;
    }
    return TR_OK;
}

static tr_status copy_strs(struct tr_arena *arena, const tr_str **items,
                           size_t count, struct tr_err *err)
{
    tr_str *copy = TR_NEW_ARRAY(arena, tr_str, count);
    for (size_t i = 0; copy && i < count; i++) {
        if (!tr_arena_copy(arena, (*items)[i], &copy[i]))
            return fail_memory(err);
    }
    *items = copy;
    return copy ? TR_OK : fail_memory(err);
}

static tr_status copy_uniques(struct tr_arena *arena,
                              const struct tr_shape_unique **items,
                              size_t count, struct tr_err *err)
{
    struct tr_shape_unique *copy =
        TR_NEW_ARRAY(arena, struct tr_shape_unique, count);
    if (!copy)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        copy[i] = (*items)[i];
        TR_TRY(copy_strs(arena, &copy[i].names, copy[i].count, err));
    }
    *items = copy;
    return TR_OK;
}

/*
 * Checks what can be said of the fields without the others, and copies them.
 * What is unique may be inherited: that has to wait.
 */
static tr_status copy_shape(struct tr_model_builder *builder,
                            struct tr_shape *shape, struct tr_err *err)
{
    struct tr_shape draft = *shape;
    const struct tr_shape *copy = NULL;
    draft.unique_count = 0;
    TR_TRY(tr_shape_register(&builder->arena, &builder->patterns, &draft, &copy,
                             err));
    draft = *copy;
    draft.unique = shape->unique;
    draft.unique_count = shape->unique_count;
    TR_TRY(
        copy_uniques(&builder->arena, &draft.unique, draft.unique_count, err));
    *shape = draft;
    return TR_OK;
}

static tr_status copy_texts(struct tr_arena *arena, tr_str *const *texts,
                            size_t count, struct tr_err *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!tr_arena_copy(arena, *texts[i], texts[i]))
            return fail_memory(err);
    }
    return TR_OK;
}

static tr_status check_strategy(const struct tr_model_type_draft *draft,
                                struct tr_err *err)
{
    bool by_content =
        draft->has_strategy && draft->strategy == TR_MODEL_IRI_CONTENT;
    if (by_content && !draft->content_count)
        return tr_fail(err, TR_E_INVALID,
                       "ids by content need the fields they are made from");
    if (!by_content && draft->content_count)
        return tr_fail(err, TR_E_INVALID,
                       "only ids by content are made from fields");
    return TR_OK;
}

tr_status tr_model_builder_add_type(struct tr_model_builder *builder,
                                    const struct tr_model_type_draft *draft,
                                    struct tr_err *err)
{
    TR_TRY(check_name(builder, draft->shape.name, err));
    TR_TRY(check_reserved(&draft->shape, err));
    TR_TRY(check_strategy(draft, err));
    struct tr_model_type_entry *entry =
        TR_NEW(&builder->arena, struct tr_model_type_entry);
    if (!entry)
        return fail_memory(err);
    entry->draft = *draft;
    entry->index = builder->types.count;
    tr_str *const texts[] = {&entry->draft.where, &entry->draft.extends,
                             &entry->draft.label};
    TR_TRY(copy_texts(&builder->arena, texts, TR_LEN(texts), err));
    TR_TRY(copy_strs(&builder->arena, &entry->draft.content_fields,
                     draft->content_count, err));
    TR_TRY(copy_uniques(&builder->arena, &entry->draft.indexes,
                        draft->index_count, err));
    TR_TRY(copy_shape(builder, &entry->draft.shape, err));
    if (!tr_model_draft_copy_guards(&builder->arena, &entry->draft))
        return fail_memory(err);
    if (!tr_vec_push(&builder->arena, &builder->types, entry))
        return fail_memory(err);
    if (!tr_map_set(&builder->type_names, entry->draft.shape.name, entry)) {
        builder->types.count--;
        return fail_memory(err);
    }
    return TR_OK;
}

tr_status tr_model_builder_add_shape(struct tr_model_builder *builder,
                                     const struct tr_model_shape_draft *draft,
                                     struct tr_err *err)
{
    TR_TRY(check_name(builder, draft->shape.name, err));
    if (draft->target.len && draft->target_subjects_of.len)
        return tr_fail(err, TR_E_INVALID,
                       "'target' or 'target_subjects_of' is needed, and not "
                       "both");
    struct tr_model_shape_draft *copy =
        TR_NEW(&builder->arena, struct tr_model_shape_draft);
    if (!copy)
        return fail_memory(err);
    *copy = *draft;
    copy->shape.open = true;
    tr_str *const texts[] = {&copy->where, &copy->target,
                             &copy->target_subjects_of};
    TR_TRY(copy_texts(&builder->arena, texts, TR_LEN(texts), err));
    TR_TRY(copy_shape(builder, &copy->shape, err));
    if (!tr_vec_push(&builder->arena, &builder->shapes, copy))
        return fail_memory(err);
    if (!tr_map_set(&builder->shape_names, copy->shape.name, copy)) {
        builder->shapes.count--;
        return fail_memory(err);
    }
    return TR_OK;
}

static tr_status need(struct tr_model_builder *builder, tr_str name,
                      tr_str where, bool or_shape, struct tr_err *err)
{
    struct tr_model_needed needed = {.or_shape = or_shape};
    if (!tr_arena_copy(&builder->arena, name, &needed.name) ||
        !tr_arena_copy(&builder->arena, where, &needed.where) ||
        !tr_vec_push(&builder->arena, &builder->needed, needed))
        return fail_memory(err);
    return TR_OK;
}

tr_status tr_model_builder_need_type(struct tr_model_builder *builder,
                                     tr_str name, tr_str where,
                                     struct tr_err *err)
{
    return need(builder, name, where, false, err);
}

tr_status tr_model_builder_need_shape(struct tr_model_builder *builder,
                                      tr_str name, tr_str where,
                                      struct tr_err *err)
{
    return need(builder, name, where, true, err);
}

static tr_status put_base(struct tr_model_builder *builder, tr_str file,
                          tr_str *out, struct tr_err *err)
{
    struct tr_buf base;
    tr_buf_init(&base, TR_LIMIT_URI_BYTES);
    tr_buf_putf(&base, "trails://%.*s/%.*s", TR_FMT(builder->project),
                TR_FMT(file));
    tr_status status = tr_buf_check(&base, err);
    if (status == TR_OK)
        status = tr_rdf_iri_check(tr_buf_str(&base), err);
    if (status == TR_OK &&
        !tr_arena_copy(&builder->arena, tr_buf_str(&base), out))
        status = fail_memory(err);
    tr_buf_done(&base);
    return status;
}

tr_status tr_model_builder_add_turtle(struct tr_model_builder *builder,
                                      tr_str text, tr_str file,
                                      struct tr_err *err)
{
    struct tr_model_turtle turtle;
    if (text.len > TR_LIMIT_SHAPE_FILE)
        return tr_fail(err, TR_E_LIMIT, "it is larger than %zu bytes",
                       TR_LIMIT_SHAPE_FILE);
    if (builder->turtles.count >= TR_LIMIT_SHAPE_FILES)
        return tr_fail(err, TR_E_LIMIT, "an app has at most %d files of shapes",
                       TR_LIMIT_SHAPE_FILES);
    TR_TRY(put_base(builder, file, &turtle.base, err));
    if (!tr_arena_copy(&builder->arena, file, &turtle.file) ||
        !tr_arena_copy(&builder->arena, text, &turtle.text))
        return fail_memory(err);
    /* The text is read here to be checked, and again by tr_model_build: so a
     * broken document leaves nothing behind. */
    TR_TRY(tr_model_check_turtle(&turtle, err));
    return tr_vec_push(&builder->arena, &builder->turtles, turtle)
               ? TR_OK
               : fail_memory(err);
}
