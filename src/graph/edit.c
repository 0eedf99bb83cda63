#include "graph/edit.h"

#include "fields/check.h"
#include "graph/node.h"
#include "graph/part.h"
#include "model/value_term.h"
#include "prov/view.h"

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a node");
}

/* A node before it is changed. */
struct found {
    tr_rdf_id id;
    bool exists;
    bool is_stored;  /* it was there before this call */
    bool is_touched; /* this call has changed it */
    const struct tr_model_type *type;
    int64_t version;
    tr_str owner; /* the node that it is a part of, or "" */
};

static tr_status find_owner(const struct tr_graph_kg *kg,
                            const struct tr_graph_read_ctx *ctx, tr_str iri,
                            struct found *out, struct tr_err *err)
{
    struct tr_graph_part_owners owners = {
        .graph = ctx->graph, .model = kg->model, .arena = kg->arena};
    tr_rdf_id owner;
    tr_rdf_term term;
    if (!tr_graph_part_may_be(kg->model, iri))
        return TR_OK;
    tr_map_init(&owners.known, owners.arena);
    TR_TRY(tr_graph_part_owner(&owners, out->id, &owner, err));
    if (owner == out->id)
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(ctx->graph, owner, &term, err));
    return tr_arena_copy(kg->arena, term.text, &out->owner) ? TR_OK
                                                            : no_memory(err);
}

static tr_status read_found(const struct tr_graph_kg *kg,
                            const struct tr_graph_read_ctx *ctx, tr_str iri,
                            struct found *out, struct tr_err *err)
{
    tr_rdf_ids pattern = {
        .p = TR_RDF_ID_ANY, .o = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    tr_rdf_id id = TR_RDF_ID_NONE;
    TR_TRY(tr_graph_node_find(ctx, iri, &id, err));
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    out->id = pattern.s = id;
    TR_TRY(tr_rdf_graph_has(ctx->graph, pattern, &out->exists, err));
    if (!tr_graph_id_is_new(id))
        TR_TRY(tr_rdf_graph_has(&kg->reader->stored.base, pattern,
                                &out->is_stored, err));
    out->is_touched = tr_graph_read_ctx_touches(ctx, id);
    TR_TRY(find_owner(kg, ctx, iri, out, err));
    TR_TRY(tr_graph_node_version(ctx, id, &out->version, err));
    return tr_graph_node_type(ctx, id, &out->type, err);
}

static tr_status find_node(struct tr_graph_kg *kg, tr_str iri,
                           struct found *out, struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    *out = (struct found){0};
    TR_TRY(tr_graph_kg_enter(kg, &ctx, err));
    tr_status status = read_found(kg, &ctx, iri, out, err);
    tr_graph_kg_leave(kg);
    kg->about = out->type ? out->type : kg->about;
    return status;
}

tr_status tr_graph_kg_owner_of(struct tr_graph_kg *kg, tr_str iri, tr_str *out,
                               struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    struct found found = {0};
    *out = TR_STR("");
    if (!tr_graph_part_may_be(kg->model, iri))
        return TR_OK;
    TR_TRY(tr_graph_kg_enter(kg, &ctx, err));
    tr_status status = tr_graph_node_find(&ctx, iri, &found.id, err);
    if (status == TR_OK && found.id != TR_RDF_ID_NONE)
        status = find_owner(kg, &ctx, iri, &found, err);
    tr_graph_kg_leave(kg);
    *out = found.owner;
    return status;
}

/* A part comes and goes with its owner. */
static tr_status expect_whole(tr_str iri, const struct found *found,
                              struct tr_err *err)
{
    if (!found->owner.len)
        return TR_OK;
    (void)tr_fail(err, TR_E_INVALID, "<%.*s> is a part of <%.*s>: change that",
                  TR_FMT(iri), TR_FMT(found->owner));
    tr_err_set_at(err, "%.*s", TR_FMT(iri));
    return TR_E_INVALID;
}

/* For IRIs that somebody else may have chosen too, and not for drawn ones. */
static tr_status expect_absent(struct tr_graph_kg *kg, tr_str iri,
                               struct tr_err *err)
{
    const struct tr_graph_expect absent = {.kind = TR_GRAPH_EXPECT_ABSENT,
                                           .iri = iri};
    struct found found;
    TR_TRY(tr_rdf_iri_check(iri, err));
    TR_TRY(find_node(kg, iri, &found, err));
    if (!found.exists && found.is_stored)
        return TR_OK; /* this call has deleted it */
    if (!found.exists)
        return tr_graph_changeset_expect(&kg->changes, TR_GRAPH_EXPECT_ABSENT,
                                         iri, 0, err);
    (void)tr_fail(err, TR_E_CONFLICT, "there is a <%.*s> already", TR_FMT(iri));
    tr_err_set_at(err, "%.*s", TR_FMT(iri));
    tr_graph_kg_note_race(kg, found.id, &absent, err);
    return TR_E_CONFLICT;
}

static tr_status add_types(struct tr_graph_kg *kg,
                           const struct tr_model_type *type, tr_str subject,
                           struct tr_err *err)
{
    for (; type; type = type->parent) {
        tr_rdf_term class = tr_rdf_term_iri(type->shape->iri);
        TR_TRY(tr_graph_kg_add_op(kg, TR_GRAPH_OP_ADD, subject,
                                  TR_STR(TR_RDF_IRI_RDF_TYPE), &class, err));
    }
    return TR_OK;
}

/* Adds predicates that no declared field covers. */
static tr_status add_untyped(struct tr_graph_kg *kg, tr_str subject,
                             const struct tr_json *fields, bool clear,
                             struct tr_err *err)
{
    for (size_t i = 0; i < fields->len; i++) {
        const struct tr_json_member *member = &fields->as.members[i];
        const struct tr_json *value = &member->value;
        bool is_list = value->kind == TR_JSON_ARRAY;
        size_t count = value->kind == TR_JSON_NULL ? 0
                       : is_list                   ? value->len
                                                   : 1;
        tr_str predicate;
        TR_TRY(tr_model_untyped_iri(kg->model, tr_json_text(&member->key),
                                    kg->arena, &predicate, err));
        if (clear)
            TR_TRY(tr_graph_kg_add_op(kg, TR_GRAPH_OP_CLEAR_FIELD, subject,
                                      predicate, NULL, err));
        for (size_t j = 0; j < count; j++) {
            tr_rdf_term term;
            TR_TRY(tr_model_untyped_term(kg->model,
                                         is_list ? &value->as.items[j] : value,
                                         kg->arena, &term, err));
            TR_TRY(tr_graph_kg_add_op(kg, TR_GRAPH_OP_ADD, subject, predicate,
                                      &term, err));
        }
    }
    return TR_OK;
}

static tr_status check(struct tr_graph_kg *kg, const struct tr_model_type *type,
                       const struct tr_json *fields, bool is_patch,
                       const struct tr_json **out, struct tr_err *err)
{
    struct tr_shape_checked checked = {0};
    tr_status status = is_patch ? tr_shape_check_patch(type->shape, fields,
                                                       kg->arena, &checked, err)
                                : tr_shape_check(type->shape, fields, kg->arena,
                                                 &checked, err);
    kg->errors = checked.errors;
    *out = checked.value;
    return status;
}

static tr_status create(struct tr_graph_kg *kg,
                        const struct tr_model_type *type, tr_str iri,
                        const struct tr_json *fields, tr_str *out,
                        struct tr_err *err)
{
    if (type)
        TR_TRY(check(kg, type, fields, false, &fields, err));
    *out = iri;
    if (!iri.len)
        TR_TRY(tr_graph_kg_name(kg, type, fields, out, err));
    if (iri.len || (type && type->strategy == TR_MODEL_IRI_CONTENT))
        TR_TRY(expect_absent(kg, *out, err));
    if (!type)
        return add_untyped(kg, *out, fields, false, err);
    TR_TRY(add_types(kg, type, *out, err));
    return tr_graph_kg_add_fields(kg, type->shape, *out, fields, err);
}

tr_status tr_graph_kg_create(struct tr_graph_kg *kg,
                             const struct tr_model_type *type, tr_str iri,
                             const struct tr_json *fields, tr_str *out,
                             struct tr_err *err)
{
    struct tr_graph_change_mark mark = tr_graph_kg_mark(kg);
    kg->about = type;
    tr_status status = create(kg, type, iri, fields, out, err);
    if (status == TR_OK && kg->changes.ops.count == mark.ops)
        status = tr_fail(err, TR_E_INVALID,
                         "a node needs something to be said "
                         "of it");
    if (status != TR_OK)
        tr_graph_kg_undo(kg, mark);
    return status;
}

/* Checks now, so that the handler hears of it, and again at the landing. */
static tr_status expect_present(struct tr_graph_kg *kg, tr_str iri,
                                const struct found *found,
                                const int64_t *version, struct tr_err *err)
{
    const struct tr_graph_expect expect = {
        .kind = version ? TR_GRAPH_EXPECT_VERSION : TR_GRAPH_EXPECT_PRESENT,
        .iri = iri,
        .version = version ? *version : 0};
    if (!found->exists) {
        (void)tr_fail(err, TR_E_NOT_FOUND, "there is no <%.*s>", TR_FMT(iri));
        tr_err_set_at(err, "%.*s", TR_FMT(iri));
        tr_graph_kg_note_race(kg, found->id, &expect, err);
        return TR_E_NOT_FOUND;
    }
    if (version && *version != found->version) {
        (void)tr_fail(err, TR_E_CONFLICT,
                      "<%.*s> is at version %lld, not %lld" TR_GRAPH_READ_AGAIN,
                      TR_FMT(iri), (long long)found->version,
                      (long long)*version);
        tr_err_set_at(err, "%.*s", TR_FMT(iri));
        tr_graph_kg_note_race(kg, found->id, &expect, err);
        return TR_E_CONFLICT;
    }
    if (!found->is_stored || found->is_touched)
        return TR_OK;
    return tr_graph_changeset_expect(&kg->changes, expect.kind, iri,
                                     expect.version, err);
}

static tr_status clear_fields(struct tr_graph_kg *kg,
                              const struct tr_shape *shape, tr_str iri,
                              const struct tr_json *fields, bool all,
                              struct tr_err *err)
{
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        if (all || tr_json_find(fields, field->name))
            TR_TRY(tr_graph_kg_add_op(kg, TR_GRAPH_OP_CLEAR_FIELD, iri,
                                      field->iri, NULL, err));
    }
    return TR_OK;
}

static tr_status update_node(struct tr_graph_kg *kg, tr_str iri,
                             const struct tr_graph_kg_update *update,
                             struct tr_err *err)
{
    const struct tr_json *fields = update->fields;
    struct found found;
    TR_TRY(find_node(kg, iri, &found, err));
    TR_TRY(expect_whole(iri, &found, err));
    TR_TRY(expect_present(kg, iri, &found,
                          update->has_version ? &update->version : NULL, err));
    if (!found.type) {
        if (update->replace)
            TR_TRY(tr_graph_kg_add_op(kg, TR_GRAPH_OP_CLEAR_NODE, iri,
                                      TR_STR(""), NULL, err));
        return add_untyped(kg, iri, fields, !update->replace, err);
    }
    TR_TRY(check(kg, found.type, fields, !update->replace, &fields, err));
    TR_TRY(
        clear_fields(kg, found.type->shape, iri, fields, update->replace, err));
    return tr_graph_kg_add_fields(kg, found.type->shape, iri, fields, err);
}

tr_status tr_graph_kg_update(struct tr_graph_kg *kg, tr_str iri,
                             const struct tr_graph_kg_update *update,
                             struct tr_err *err)
{
    struct tr_graph_change_mark mark = tr_graph_kg_mark(kg);
    tr_status status = update_node(kg, iri, update, err);
    if (status != TR_OK)
        tr_graph_kg_undo(kg, mark);
    return status;
}

tr_status tr_graph_kg_delete(struct tr_graph_kg *kg, tr_str iri,
                             const int64_t *if_version, bool *found,
                             struct tr_err *err)
{
    struct found node;
    TR_TRY(find_node(kg, iri, &node, err));
    TR_TRY(expect_whole(iri, &node, err));
    *found = node.exists;
    if (!node.exists && !if_version)
        return TR_OK;
    struct tr_graph_change_mark mark = tr_graph_kg_mark(kg);
    tr_status status = TR_OK;
    if (if_version)
        status = expect_present(kg, iri, &node, if_version, err);
    if (status == TR_OK)
        status = tr_graph_kg_add_op(kg, TR_GRAPH_OP_CLEAR_NODE, iri, TR_STR(""),
                                    NULL, err);
    if (status != TR_OK)
        tr_graph_kg_undo(kg, mark);
    return status;
}

tr_status tr_graph_kg_put_quad(struct tr_graph_kg *kg, const tr_rdf_quad *quad,
                               bool is_added, struct tr_err *err)
{
    if (quad->graph.kind == TR_RDF_TERM_IRI &&
        tr_prov_graph_is(quad->graph.text, kg->model->project))
        return tr_fail(err, TR_E_INVALID,
                       "1 statement is in the provenance graph <%.*s>, which "
                       "nothing but the recorder writes to",
                       TR_FMT(quad->graph.text));
    return tr_graph_kg_put_op(
        kg, is_added ? TR_GRAPH_OP_ADD : TR_GRAPH_OP_REMOVE, quad, err);
}
