#include "builtin/prov_resource.h"

#include "builtin/builtin.h"
#include "cap/registry.h"
#include "cap/resource.h"
#include "cap/snapshot.h"
#include "runtime/env.h"

/* Activities of trails://prov/latest: as many as a model can take in. */
#define SHOWN 20

static tr_status fail_missing(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOT_FOUND, "there is no such activity");
}

tr_status tr_builtin_prov_filter(const struct tr_builtin_reply *reply,
                                 struct tr_prov_filter *out, struct tr_err *err)
{
    const struct tr_call *call = reply->call;
    *out = (struct tr_prov_filter){
        .all = tr_call_has_scope(call, TR_SCOPE_BUILDER),
        .principal = call->principal,
    };
    if (!out->all && !tr_call_has_scope(call, TR_SCOPE_RUNTIME))
        return fail_missing(err);
    /* Strangers share the empty name, and must not see each other's. */
    if (!out->all && !call->principal.len && call->in_production)
        out->since_us = INT64_MAX;
    return TR_OK;
}

static tr_status fail_without_store(struct tr_err *err)
{
    return tr_fail(err, TR_E_UNSUPPORTED, "there is no store behind this call");
}

/* The nodes of activities, as the caller sees them. */
struct nodes {
    struct tr_graph_reader *reader;
    const struct tr_model *model;    /* the whole one */
    const struct tr_rdf_graph *seen; /* NULL: all */
};

/* A node that is gone tells its type by its IRI only. */
static bool is_of_private(const struct tr_model *model, tr_str iri)
{
    const tr_str parts[] = {TR_STR("trails://"), model->project, TR_STR("/")};
    tr_str name;
    for (size_t i = 0; i < TR_LEN(parts); i++) {
        if (!tr_str_starts(iri, parts[i]))
            return false;
        iri = tr_str_skip(iri, parts[i].len);
    }
    const struct tr_model_type *type =
        tr_str_cut(iri, '/', &name, &iri) ? tr_model_find(model, name) : NULL;
    return type && type->is_private;
}

/* Private nodes are left out, as those are whose IRI nobody knows any more. */
static tr_status resolve(void *data, uint64_t id, tr_str *iri,
                         struct tr_err *err)
{
    const struct nodes *nodes = data;
    tr_rdf_ids row = {id, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    TR_TRY(tr_graph_reader_iri(nodes->reader, id, iri, err));
    if (nodes->seen && (!tr_model_face_shows(nodes->seen, row) ||
                        is_of_private(nodes->model, *iri)))
        *iri = TR_STR("");
    return TR_OK;
}

static tr_status find_nodes(const struct tr_builtin_reply *reply,
                            struct nodes *out, struct tr_err *err)
{
    out->reader = tr_call_root(reply->call)->env->reader;
    out->seen = NULL;
    if (!reply->face)
        return TR_OK;
    out->model = tr_cap_snapshot_model(reply->call->snapshot);
    return tr_model_face_graph(reply->face, &out->reader->stored.base,
                               reply->call->arena, &out->seen, err);
}

/* Writes one activity, or without an `id` a page of them. */
static tr_status put(struct tr_builtin_reply *reply,
                     const struct tr_prov_filter *filter,
                     const unsigned char *id, struct tr_prov_next *next,
                     struct tr_err *err)
{
    const struct tr_call_env *env = tr_call_root(reply->call)->env;
    struct nodes nodes;
    const struct tr_prov_resolver resolver = {resolve, &nodes};
    if (!env)
        return fail_without_store(err);
    struct tr_graph_reader *reader = env->reader;
    TR_TRY(tr_graph_reader_begin(reader, err));
    tr_status status = find_nodes(reply, &nodes, err);
    if (status == TR_OK && id)
        status = tr_prov_show(reader->db, id, filter, &resolver, &reply->writer,
                              err);
    else if (status == TR_OK)
        status = tr_prov_latest(reader->db, filter, &resolver, &reply->writer,
                                next, err);
    tr_graph_reader_end(reader);
    return status == TR_OK ? tr_jw_finish(&reply->writer, err) : status;
}

tr_status tr_builtin_prov_put(struct tr_builtin_reply *reply,
                              const struct tr_prov_filter *filter,
                              struct tr_prov_next *next, struct tr_err *err)
{
    return put(reply, filter, NULL, next, err);
}

static tr_status render_latest(struct tr_builtin_reply *reply,
                               struct tr_err *err)
{
    struct tr_prov_filter filter;
    struct tr_prov_next next;
    TR_TRY(tr_builtin_prov_filter(reply, &filter, err));
    filter.all = false;
    filter.limit = SHOWN;
    return tr_builtin_prov_put(reply, &filter, &next, err);
}

static tr_status render_one(struct tr_builtin_reply *reply, struct tr_err *err)
{
    unsigned char id[TR_CRYPTO_UUID_BYTES];
    struct tr_prov_filter filter;
    TR_TRY(tr_builtin_prov_filter(reply, &filter, err));
    if (!tr_prov_activity_read_id(tr_builtin_reply_arg(reply, "id"), id) ||
        (filter.since_us == INT64_MAX && !tr_call_was_given(reply->call, id)))
        return fail_missing(err);
    return put(reply, &filter, id, NULL, err);
}

static const struct tr_builtin latest = {.write = render_latest};
static const struct tr_builtin one = {.write = render_one};
static const struct tr_builtin page = {.write = tr_builtin_render_activities};

#define LD   TR_STR_INIT("application/ld+json")
#define PAGE "trails://prov{?principal,capability,since,limit}"

static const struct tr_cap_resource resources[] = {
    {.uri = TR_STR_INIT(TR_PROV_LATEST),
     .about = {.name = TR_STR_INIT("prov.latest"),
               .title = TR_STR_INIT("Latest activities"),
               .is_built_in = true,
               .description =
                   TR_STR_INIT("The caller's latest activities: what was "
                               "called, when, how it ended, which nodes it "
                               "used and changed.")},
     .mime_type = LD,
     .handler = {.run = tr_builtin_run, .data = &latest},
     .told = TR_CAP_TOLD_OWN},
    {.uri = TR_STR_INIT("trails://prov"),
     .takes_query = true,
     .about = {.name = TR_STR_INIT("prov"),
               .title = TR_STR_INIT("Activities"),
               .is_built_in = true,
               .description =
                   TR_STR_INIT("Activities, the newest first: the caller's "
                               "own, or with the scope builder those of "
                               "all.")},
     .mime_type = LD,
     .handler = {.run = tr_builtin_run, .data = &page},
     .told = TR_CAP_TOLD_NEVER},
};

static const struct tr_cap_resource_template templates[] = {
    {.uri_template = TR_STR_INIT(PAGE),
     .about = {.name = TR_STR_INIT("prov"),
               .title = TR_STR_INIT("Activities: page"),
               .is_built_in = true,
               .description =
                   TR_STR_INIT("Activities by principal (others than the "
                               "caller need the scope builder), by the name "
                               "of what was called, and since a time.")},
     .mime_type = LD,
     .handler = {.run = tr_builtin_run, .data = &page},
     .told = TR_CAP_TOLD_NEVER},
    {.uri_template = TR_STR_INIT("trails://prov/{id}"),
     .about = {.name = TR_STR_INIT("prov.activity"),
               .title = TR_STR_INIT("Activity: one"),
               .is_built_in = true,
               .description =
                   TR_STR_INIT("One activity, by the id that a result has as "
                               "dev.trails/provenance, or a refusal as "
                               "decision_id.")},
     .mime_type = LD,
     .handler = {.run = tr_builtin_run, .data = &one},
     .told = TR_CAP_TOLD_NEVER},
};

tr_status tr_builtin_add_prov_resources(struct tr_cap_builder *builder,
                                        struct tr_err *err)
{
    for (size_t i = 0; i < TR_LEN(resources); i++)
        TR_TRY(tr_cap_registry_add_resource(builder, &resources[i], err));
    for (size_t i = 0; i < TR_LEN(templates); i++)
        TR_TRY(tr_cap_registry_add_template(builder, &templates[i], err));
    return TR_OK;
}
