#include "base/limits.h"
#include "builtin/builtin.h"
#include "cap/registry.h"
#include "cap/resource.h"
#include "json/build.h"
#include "json/writer.h"
#include "prov/view.h"
#include "rdf/graph.h"
#include "runtime/env.h"

/* Activities on the page: as many as a model can take in. */
#define SHOWN 20

static tr_status resolve(void *data, uint64_t id, tr_str *iri,
                         struct tr_err *err)
{
    const struct tr_rdf_graph *graph = data;
    tr_rdf_term term = {0};
    TR_TRY(tr_rdf_graph_get(graph, id, &term, err));
    *iri = term.text;
    return TR_OK;
}

static tr_status put_latest(struct tr_call *call, struct tr_json_writer *out,
                            struct tr_err *err)
{
    const struct tr_call_env *env = tr_call_root(call)->env;
    const struct tr_prov_filter filter = {
        .all = false, /* a caller sees its own activities alone */
        .principal = call->principal,
        .limit = SHOWN,
    };
    if (!env)
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "there is no store behind this call");
    const struct tr_prov_resolver resolver = {resolve,
                                              &env->reader->stored.base};
    TR_TRY(tr_graph_reader_begin(env->reader, err));
    tr_status status =
        tr_prov_latest(env->reader->db, &filter, &resolver, out, err);
    tr_graph_reader_end(env->reader);
    return status == TR_OK ? tr_jw_finish(out, err) : status;
}

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    struct tr_json_writer writer;
    struct tr_buf text;
    struct tr_json value;
    tr_str copy;
    (void)handler;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&writer, &text);
    outcome.status = put_latest(call, &writer, &outcome.err);
    if (outcome.status == TR_OK &&
        !tr_arena_copy(call->arena, tr_buf_str(&text), &copy))
        outcome.status =
            tr_fail(&outcome.err, TR_E_NOMEM, "no memory for the activities");
    tr_buf_done(&text);
    if (outcome.status == TR_OK) {
        value = tr_json_make_text(TR_JSON_STRING, copy);
        outcome.value = &value;
    }
    tr_call_finish(call, &outcome);
}

tr_status tr_builtin_add_prov_resource(struct tr_cap_builder *builder,
                                       struct tr_err *err)
{
    const struct tr_cap_resource resource = {
        .uri = TR_STR("trails://prov/latest"),
        .about =
            {
                .name = TR_STR("prov.latest"),
                .is_built_in = true,
                .description = TR_STR("The caller's latest activities: what "
                                      "was called, when, how it ended, which "
                                      "nodes it used and changed."),
            },
        .mime_type = TR_STR("application/ld+json"),
        .handler = {.run = run},
    };
    return tr_cap_registry_add_resource(builder, &resource, err);
}
