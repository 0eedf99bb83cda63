#include "json/build.h"
#include "model/value_term.h"
#include "query/facts.h"
#include "query/named.h"
#include "query/part.h"

/* The facts of one predicate. */
struct run {
    size_t first;
    size_t count;
};

/*
 * What nodes of a page have in common: mostly their class, and so which
 * predicate is which field. Terms are asked for what was not met before.
 */
struct common {
    tr_rdf_id class;
    struct tr_graph_best_type of_class; /* when it has no other */
    const struct tr_model_type *type;   /* whose fields these are: */
    tr_rdf_id *predicates;
    bool *are_shown;
    tr_rdf_id stranger; /* a predicate that is no field of it */
};

/* One node on its way to JSON. */
struct reading {
    const struct tr_graph_read_ctx *ctx;
    tr_rdf_id id;
    tr_str iri;
    const struct tr_query_names *names; /* of fields; NULL: all are shown */
    struct tr_query_facts facts;
    tr_rdf_id rdf_type; /* the predicate */
    tr_rdf_id wanted;   /* a class that it must have, or TR_RDF_ID_ANY */
    bool is_wanted;     /* the node has that class */
    struct tr_graph_best_type best;
    struct tr_graph_stored_node stored;
    struct tr_json_member *members;
    size_t count;
    struct common *common; /* of a page; NULL: there is one node */
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a node");
}

static tr_status find_rdf_type(struct reading *r, struct tr_err *err)
{
    return tr_rdf_graph_find_iri(r->ctx->graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &r->rdf_type, err);
}

static tr_status offer_class(struct reading *r, tr_rdf_id class,
                             struct tr_err *err)
{
    struct common *common = r->common;
    bool is_first = !r->best.type;
    if (common && is_first && common->class == class) {
        r->best = common->of_class;
        return TR_OK;
    }
    TR_TRY(tr_graph_best_type_offer(r->ctx, &r->best, class, err));
    if (common && is_first && r->best.type) {
        common->class = class;
        common->of_class = r->best;
    }
    return TR_OK;
}

static tr_status see_classes(struct reading *r, struct tr_err *err)
{
    r->is_wanted = r->wanted == TR_RDF_ID_ANY;
    for (size_t i = 0; i < r->facts.count; i++) {
        struct tr_query_fact fact = r->facts.items[i];
        if (fact.p != r->rdf_type)
            continue;
        r->is_wanted |= fact.o == r->wanted;
        TR_TRY(offer_class(r, fact.o, err));
    }
    return TR_OK;
}

/* The run that starts at `first`. */
static struct run next_run(const struct tr_query_facts *facts, size_t first)
{
    struct run run = {first, 0};
    while (first + run.count < facts->count &&
           facts->items[first + run.count].p == facts->items[first].p)
        run.count++;
    return run;
}

static tr_status value_json(const struct reading *r,
                            const struct tr_field *field, tr_rdf_id object,
                            struct tr_json *out, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    TR_TRY(tr_graph_read_ctx_term(r->ctx, object, text, &term, err));
    if (field && tr_query_has_parts(field) && term.kind == TR_RDF_TERM_IRI)
        return tr_query_part_read(r->ctx, field, object, out, err);
    if (term.text.ptr != text ||
        tr_graph_id_tag(object) != TR_GRAPH_TAG_INTEGER)
        return tr_model_value_from_term(field, &term, r->ctx->arena, out, err);
    /* An id that is the number has it as JSON writes it. */
    if (!tr_arena_copy(r->ctx->arena, term.text, &term.text))
        return fail_memory(err);
    *out = tr_json_make_integer(term.text);
    return TR_OK;
}

static tr_status array_json(const struct reading *r,
                            const struct tr_field *field, struct run run,
                            struct tr_json *out, struct tr_err *err)
{
    struct tr_json *items =
        TR_NEW_ARRAY(r->ctx->arena, struct tr_json, run.count);
    if (!items)
        return fail_memory(err);
    for (size_t i = 0; i < run.count; i++)
        TR_TRY(value_json(r, field, r->facts.items[run.first + i].o, &items[i],
                          err));
    *out = (struct tr_json){
        .kind = TR_JSON_ARRAY,
        .len = (uint32_t)run.count,
        .as.items = items,
    };
    return TR_OK;
}

static struct tr_json *add_member(struct reading *r, tr_str key)
{
    struct tr_json_member *member = &r->members[r->count++];
    member->key = tr_json_make_text(TR_JSON_STRING, key);
    return &member->value;
}

static tr_status add_text(struct reading *r, tr_str key, tr_str text,
                          struct tr_err *err)
{
    if (!tr_arena_copy(r->ctx->arena, text, &text))
        return fail_memory(err);
    *add_member(r, key) = tr_json_make_text(TR_JSON_STRING, text);
    return TR_OK;
}

static tr_status add_version(struct reading *r, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    bool is_touched = tr_graph_read_ctx_touches(r->ctx, r->id);
    tr_str version =
        tr_graph_id_write_integer(r->stored.version + is_touched, text);
    if (!tr_arena_copy(r->ctx->arena, version, &version))
        return fail_memory(err);
    *add_member(r, TR_STR("_version")) = tr_json_make_integer(version);
    return TR_OK;
}

/* The page comes to a node of another type. */
static tr_status enter_type(struct reading *r, struct tr_err *err)
{
    struct common *common = r->common;
    const struct tr_model_type *type = r->best.type;
    size_t count = type->shape->count;
    if (!common || common->type == type)
        return TR_OK;
    common->predicates = TR_NEW_ARRAY(r->ctx->arena, tr_rdf_id, count + 1);
    common->are_shown = TR_NEW_ARRAY(r->ctx->arena, bool, count + 1);
    if (!common->predicates || !common->are_shown)
        return fail_memory(err);
    for (size_t i = 0; i < count; i++)
        common->are_shown[i] =
            tr_query_names_have(r->names, type->shape->fields[i].name);
    common->stranger = TR_RDF_ID_NONE;
    common->type = type;
    return TR_OK;
}

static bool is_shown(const struct reading *r, size_t at)
{
    return !r->common || r->common->are_shown[at];
}

/* Predicates usually have been numbered in the order of the fields, so the one
 * behind the last that was found is looked at first. */
static size_t after(size_t from, size_t i, size_t count)
{
    return from + i < count ? from + i : from + i - count;
}

/* The field of a predicate that was met before. */
static bool find_met(const struct reading *r, tr_rdf_id p, size_t from,
                     size_t *out)
{
    const struct common *common = r->common;
    size_t count = r->best.type->shape->count;
    *out = count;
    if (!common || p == common->stranger)
        return common != NULL;
    for (size_t i = 0; i < count; i++) {
        *out = after(from, i, count);
        if (common->predicates[*out] == p)
            return true;
    }
    return false;
}

/* The count of fields, for what is none of them. */
static tr_status find_field(const struct reading *r, tr_rdf_id p, size_t from,
                            size_t *out, struct tr_err *err)
{
    const struct tr_shape *shape = r->best.type->shape;
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    size_t i = 0;
    if (find_met(r, p, from, out))
        return TR_OK;
    TR_TRY(tr_graph_read_ctx_term(r->ctx, p, text, &term, err));
    while (
        i < shape->count &&
        !tr_str_eq(shape->fields[after(from, i, shape->count)].iri, term.text))
        i++;
    *out = i < shape->count ? after(from, i, shape->count) : shape->count;
    if (r->common && i < shape->count)
        r->common->predicates[*out] = p;
    else if (r->common)
        r->common->stranger = p;
    return TR_OK;
}

/* Finds the run of facts that each field has. */
static tr_status sort_runs(const struct reading *r, struct run *runs,
                           struct tr_err *err)
{
    size_t count = r->best.type->shape->count;
    size_t from = 0;
    for (size_t i = 0; i < r->facts.count;) {
        struct run run = next_run(&r->facts, i);
        size_t at;
        i += run.count;
        TR_TRY(find_field(r, r->facts.items[run.first].p, from, &at, err));
        if (at == count)
            continue;
        runs[at] = run;
        from = at + 1 < count ? at + 1 : 0;
    }
    return TR_OK;
}

static tr_status add_field(struct reading *r, const struct tr_field *field,
                           struct run run, struct tr_err *err)
{
    if (field->many || run.count > 1 || (field->list && !run.count))
        return array_json(r, field, run, add_member(r, field->name), err);
    return run.count ? value_json(r, field, r->facts.items[run.first].o,
                                  add_member(r, field->name), err)
                     : TR_OK;
}

/* What a ref names, in the order in which it is shown. */
static tr_status read_named(const struct reading *r,
                            const struct tr_field *field, struct run run,
                            struct tr_query_items *out, struct tr_err *err)
{
    const struct tr_query_fact *facts = &r->facts.items[run.first];
    if (field->list && run.count == 1)
        return tr_query_list_read(r->ctx, facts[0].o, out, err);
    *out = (struct tr_query_items){
        TR_NEW_ARRAY(r->ctx->arena, tr_rdf_id, run.count), 0};
    if (!out->ids)
        return fail_memory(err);
    while (out->count < run.count) {
        out->ids[out->count] = facts[out->count].o;
        out->count++;
    }
    return TR_OK;
}

/* The keys of those that have one. */
static tr_status read_keys(const struct reading *r, const struct tr_field *key,
                           const struct tr_query_items *named,
                           struct tr_json *items, size_t *count,
                           struct tr_err *err)
{
    for (size_t i = 0; i < named->count; i++) {
        tr_str text;
        TR_TRY(tr_query_named_key(r->ctx, key, named->ids[i], &text, err));
        if (text.len)
            items[(*count)++] = tr_json_make_text(TR_JSON_STRING, text);
    }
    return TR_OK;
}

/* Beside the id of a ref by key, what could be given in its place. */
static tr_status add_key(struct reading *r, const struct tr_field *field,
                         struct run run, struct tr_err *err)
{
    const struct tr_field *key = tr_model_shown_key_of(r->ctx->model, field);
    struct tr_query_items named;
    struct tr_json *items;
    size_t count = 0;
    tr_str name;
    if (!key || !run.count)
        return TR_OK;
    TR_TRY(read_named(r, field, run, &named, err));
    items = TR_NEW_ARRAY(r->ctx->arena, struct tr_json, named.count + 1);
    if (!items || !tr_model_name_shown_key(field, r->ctx->arena, &name))
        return fail_memory(err);
    TR_TRY(read_keys(r, key, &named, items, &count, err));
    if (!count)
        return TR_OK;
    struct tr_json *value = add_member(r, name);
    if (tr_field_is_array(field) || named.count > 1)
        *value = (struct tr_json){
            .kind = TR_JSON_ARRAY, .len = (uint32_t)count, .as.items = items};
    else
        *value = items[0];
    return TR_OK;
}

static tr_status add_fields(struct reading *r, struct tr_err *err)
{
    const struct tr_model_type *type = r->best.type;
    struct run *runs =
        TR_NEW_ARRAY(r->ctx->arena, struct run, type->shape->count);
    if (!runs)
        return fail_memory(err);
    TR_TRY(enter_type(r, err));
    TR_TRY(sort_runs(r, runs, err));
    TR_TRY(add_text(r, TR_STR("_type"), type->name, err));
    TR_TRY(add_version(r, err));
    for (size_t i = 0; i < type->shape->count; i++) {
        const struct tr_field *field = &type->shape->fields[i];
        if (is_shown(r, i))
            TR_TRY(add_field(r, field, runs[i], err));
        if (field->by.len && tr_query_names_have_key(r->names, field))
            TR_TRY(add_key(r, field, runs[i], err));
    }
    return TR_OK;
}

static tr_status add_predicates(struct reading *r, struct tr_err *err)
{
    if (r->stored.is_there)
        TR_TRY(add_version(r, err));
    for (size_t i = 0; i < r->facts.count;) {
        char text[TR_GRAPH_ID_TEXT];
        struct run run = next_run(&r->facts, i);
        tr_rdf_term term;
        tr_str key;
        TR_TRY(tr_graph_read_ctx_term(r->ctx, r->facts.items[i].p, text, &term,
                                      err));
        i += run.count;
        if (!tr_query_names_have(r->names, term.text))
            continue;
        if (!tr_arena_copy(r->ctx->arena, term.text, &key))
            return fail_memory(err);
        TR_TRY(array_json(r, NULL, run, add_member(r, key), err));
    }
    return TR_OK;
}

/* Makes the object directly: the keys of a node are known to differ. */
static void close_object(const struct reading *r, struct tr_json *out)
{
    *out = (struct tr_json){
        .kind = TR_JSON_OBJECT,
        .len = (uint32_t)r->count,
        .as.members = r->members,
    };
}

static tr_status write_node(struct reading *r, struct tr_json *out,
                            struct tr_err *err)
{
    /* A ref may be followed by a key. */
    size_t max = r->best.type ? 2 * r->best.type->shape->count : r->facts.count;
    r->members = TR_NEW_ARRAY(r->ctx->arena, struct tr_json_member, max + 3);
    if (!r->members)
        return fail_memory(err);
    TR_TRY(add_text(r, TR_STR("id"), r->iri, err));
    TR_TRY(r->best.type ? add_fields(r, err) : add_predicates(r, err));
    close_object(r, out);
    return TR_OK;
}

/* A node without facts is there by its row; not when the call has removed them,
 * or its face hides them. */
static bool is_there(const struct reading *r)
{
    return r->facts.count || (r->stored.is_there && !r->ctx->face &&
                              !tr_graph_read_ctx_touches(r->ctx, r->id));
}

static tr_status read_node(struct reading *r, struct tr_json *out, bool *found,
                           struct tr_err *err)
{
    *found = false;
    if (r->id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_query_facts_read(r->ctx, r->id, &r->facts, err));
    TR_TRY(find_rdf_type(r, err));
    TR_TRY(see_classes(r, err));
    if (!r->is_wanted)
        return TR_OK;
    TR_TRY(tr_graph_stored_node_seen(r->ctx, r->id, &r->stored, err));
    *found = is_there(r);
    return *found ? write_node(r, out, err) : TR_OK;
}

tr_status tr_query_node_read(const struct tr_graph_read_ctx *ctx, tr_str iri,
                             struct tr_json *out, bool *found,
                             struct tr_err *err)
{
    struct reading r = {.ctx = ctx, .iri = iri, .wanted = TR_RDF_ID_ANY};
    TR_TRY(tr_graph_node_find(ctx, iri, &r.id, err));
    return read_node(&r, out, found, err);
}

static tr_status iri_of(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                        tr_str *out, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    TR_TRY(tr_graph_read_ctx_term(ctx, id, text, &term, err));
    if (term.kind != TR_RDF_TERM_IRI)
        return tr_fail(err, TR_E_INVALID, "a literal is no node");
    *out = term.text;
    return TR_OK;
}

tr_status tr_query_node_read_id(const struct tr_graph_read_ctx *ctx,
                                tr_rdf_id id, struct tr_json *out, bool *found,
                                struct tr_err *err)
{
    struct reading r = {.ctx = ctx, .id = id, .wanted = TR_RDF_ID_ANY};
    TR_TRY(iri_of(ctx, id, &r.iri, err));
    return read_node(&r, out, found, err);
}

tr_status tr_query_node_read_as(const struct tr_graph_read_ctx *ctx,
                                tr_rdf_id id, const struct tr_model_type *type,
                                struct tr_json *out, bool *found,
                                struct tr_err *err)
{
    struct reading r = {.ctx = ctx, .id = id};
    *found = false;
    TR_TRY(tr_graph_node_find(ctx, type->shape->iri, &r.wanted, err));
    if (r.wanted == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(iri_of(ctx, id, &r.iri, err));
    return read_node(&r, out, found, err);
}

/* The stored row has the type, unless the call or the app has changed it. */
static tr_status brief_type(struct reading *r, bool is_touched,
                            struct tr_err *err)
{
    if (!is_touched && r->stored.type != TR_RDF_ID_NONE)
        TR_TRY(tr_graph_best_type_offer(r->ctx, &r->best, r->stored.type, err));
    return r->best.type ? TR_OK
                        : tr_graph_node_type(r->ctx, r->id, &r->best.type, err);
}

static tr_status read_brief(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                            const struct tr_query_names *names,
                            struct tr_json *out, struct tr_err *err)
{
    struct reading r = {.ctx = ctx, .id = id};
    bool is_touched = tr_graph_read_ctx_touches(ctx, id);
    tr_str label;
    TR_TRY(iri_of(ctx, id, &r.iri, err));
    TR_TRY(tr_graph_stored_node_read(ctx, id, &r.stored, err));
    TR_TRY(brief_type(&r, is_touched, err));
    label = r.stored.label;
    if (tr_graph_read_ctx_relabels(ctx, id))
        TR_TRY(tr_graph_node_label(ctx, id, &label, err));
    r.members = TR_NEW_ARRAY(ctx->arena, struct tr_json_member, 4);
    if (!r.members)
        return fail_memory(err);
    TR_TRY(add_text(&r, TR_STR("id"), r.iri, err));
    if (r.best.type)
        TR_TRY(add_text(&r, TR_STR("_type"), r.best.type->name, err));
    if (r.stored.is_there || is_touched)
        TR_TRY(add_version(&r, err));
    if (label.len && tr_query_names_have(names, TR_STR("label")))
        TR_TRY(add_text(&r, TR_STR("label"), label, err));
    close_object(&r, out);
    return TR_OK;
}

tr_status tr_query_node_brief(const struct tr_graph_read_ctx *ctx, tr_rdf_id id,
                              struct tr_json *out, struct tr_err *err)
{
    return read_brief(ctx, id, NULL, out, err);
}

/* Pages ------------------------------------------------------------------- */

static tr_status read_said(struct reading *r, const struct tr_query_said *said,
                           struct tr_json *out, struct tr_err *err)
{
    r->facts = said->facts;
    r->stored = said->stored;
    TR_TRY(iri_of(r->ctx, r->id, &r->iri, err));
    TR_TRY(see_classes(r, err));
    /* The app has changed since its row was written. */
    if (said->some_of && said->some_of != r->best.type)
        TR_TRY(tr_query_facts_read(r->ctx, r->id, &r->facts, err));
    return is_there(r) ? write_node(r, out, err)
                       : read_brief(r->ctx, r->id, r->names, out, err);
}

tr_status tr_query_nodes_read(const struct tr_graph_read_ctx *ctx,
                              const tr_rdf_id *nodes, size_t count,
                              const struct tr_query_names *names,
                              struct tr_json *out, struct tr_err *err)
{
    struct common common = {.class = TR_RDF_ID_NONE};
    struct reading page = {
        .ctx = ctx, .names = names, .wanted = TR_RDF_ID_ANY, .common = &common};
    struct tr_query_said *said =
        TR_NEW_ARRAY(ctx->arena, struct tr_query_said, count);
    if (!said)
        return fail_memory(err);
    TR_TRY(tr_query_said_read(ctx, nodes, count, names, said, err));
    TR_TRY(find_rdf_type(&page, err));
    for (size_t i = 0; i < count; i++) {
        struct reading r = page;
        r.id = nodes[i];
        TR_TRY(read_said(&r, &said[i], &out[i], err));
    }
    return TR_OK;
}
