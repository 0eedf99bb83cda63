#include "builtin/prov_resource.h"

#include "builtin/builtin.h"
#include "cap/registry.h"
#include "cap/resource.h"
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

tr_status tr_builtin_prov_put(struct tr_builtin_reply *reply,
                              const struct tr_prov_filter *filter,
                              struct tr_prov_next *next, struct tr_err *err)
{
    const struct tr_call_env *env = tr_call_root(reply->call)->env;
    if (!env)
        return fail_without_store(err);
    struct tr_graph_reader *reader = env->reader;
    const struct tr_prov_resolver resolver = {tr_graph_reader_iri, reader};
    TR_TRY(tr_graph_reader_begin(reader, err));
    tr_status status = tr_prov_latest(reader->db, filter, &resolver,
                                      &reply->writer, next, err);
    tr_graph_reader_end(reader);
    return status == TR_OK ? tr_jw_finish(&reply->writer, err) : status;
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
    const struct tr_call_env *env = tr_call_root(reply->call)->env;
    TR_TRY(tr_builtin_prov_filter(reply, &filter, err));
    if (!tr_prov_activity_read_id(tr_builtin_reply_arg(reply, "id"), id) ||
        (filter.since_us == INT64_MAX && !tr_call_was_given(reply->call, id)))
        return fail_missing(err);
    if (!env)
        return fail_without_store(err);
    struct tr_graph_reader *reader = env->reader;
    const struct tr_prov_resolver resolver = {tr_graph_reader_iri, reader};
    TR_TRY(tr_graph_reader_begin(reader, err));
    tr_status status =
        tr_prov_show(reader->db, id, &filter, &resolver, &reply->writer, err);
    tr_graph_reader_end(reader);
    return status == TR_OK ? tr_jw_finish(&reply->writer, err) : status;
}

static const struct tr_builtin latest = {.write = render_latest};
static const struct tr_builtin one = {.write = render_one};
static const struct tr_builtin page = {.write = tr_builtin_render_activities};

#define LD   TR_STR_INIT("application/ld+json")
#define PAGE "trails://prov{?principal,capability,since,limit}"

static const struct tr_cap_resource resources[] = {
    {.uri = TR_STR_INIT("trails://prov/latest"),
     .about = {.name = TR_STR_INIT("prov.latest"),
               .is_built_in = true,
               .description =
                   TR_STR_INIT("The caller's latest activities: what was "
                               "called, when, how it ended, which nodes it "
                               "used and changed.")},
     .mime_type = LD,
     .handler = {.run = tr_builtin_run, .data = &latest}},
    {.uri = TR_STR_INIT("trails://prov"),
     .takes_query = true,
     .about = {.name = TR_STR_INIT("prov"),
               .is_built_in = true,
               .description =
                   TR_STR_INIT("Activities, the newest first: the caller's "
                               "own, or with the scope builder those of "
                               "all.")},
     .mime_type = LD,
     .handler = {.run = tr_builtin_run, .data = &page}},
};

static const struct tr_cap_resource_template templates[] = {
    {.uri_template = TR_STR_INIT(PAGE),
     .about = {.name = TR_STR_INIT("prov"),
               .is_built_in = true,
               .description =
                   TR_STR_INIT("Activities by principal (others than the "
                               "caller need the scope builder), by the name "
                               "of what was called, and since a time.")},
     .mime_type = LD,
     .handler = {.run = tr_builtin_run, .data = &page}},
    {.uri_template = TR_STR_INIT("trails://prov/{id}"),
     .about = {.name = TR_STR_INIT("prov.activity"),
               .is_built_in = true,
               .description =
                   TR_STR_INIT("One activity, by the id that a result has as "
                               "dev.trails/provenance, or a refusal as "
                               "decision_id.")},
     .mime_type = LD,
     .handler = {.run = tr_builtin_run, .data = &one}},
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
