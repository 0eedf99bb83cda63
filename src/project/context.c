/*
 * The context of JSON-LD: what every term of the manifest means, and the terms
 * of cards. Its address has a version, so it may be kept for ever: a change of
 * what is here needs another address.
 */
#include "project/inside.h"

#define XSD "http://www.w3.org/2001/XMLSchema#"

/* A term, what it stands for behind trails:, its type and its container. */
static const struct {
    const char *term;
    const char *name;
    const char *type;
    const char *container;
} terms[] = {
    {"id", "id", NULL, NULL},
    {"version", "version", NULL, NULL},
    {"description", "description", NULL, NULL},
    {"input_shape", "inputShape", "@id", NULL},
    {"output_shape", "outputShape", "@id", NULL},
    {"preconditions", "preconditions", NULL, "@list"},
    {"kind", "kind", NULL, NULL},
    {"params", "params", "@json", NULL},
    {"side_effects", "sideEffects", NULL, NULL},
    {"graph_writes", "graphWrites", NULL, "@set"},
    {"provenance", "provenance", NULL, NULL},
    {"external_calls", "externalCalls", NULL, "@set"},
    {"regulated", "regulated", NULL, NULL},
    {"cost", "costEstimate", NULL, NULL},
    {"tokens", "tokens", XSD "integer", NULL},
    {"usd", "usd", XSD "double", NULL},
    {"latency_p50_ms", "latencyP50Ms", XSD "double", NULL},
    {"latency_p95_ms", "latencyP95Ms", XSD "double", NULL},
    {"policy_required", "policyRequired", NULL, "@set"},
    {"idempotent", "idempotent", NULL, NULL},
    {"deprecates", "deprecates", NULL, NULL},
    {"reasoning", "reasoning", NULL, NULL},
    {"assurance", "assurance", NULL, NULL},
    {"version_status", "versionStatus", NULL, NULL},
    {"trails:effects", "effects", NULL, "@list"},
    {"requested", "requested", NULL, NULL},
    {"measured", "measured", NULL, NULL},
    {"calls", "calls", XSD "integer", NULL},
    {"tokens_p50", "tokensP50", XSD "double", NULL},
    {"tokens_p95", "tokensP95", XSD "double", NULL},
    {"usd_p50", "usdP50", XSD "double", NULL},
    {"usd_p95", "usdP95", XSD "double", NULL},
};

static void put_term(struct tr_json_writer *w, size_t i)
{
    char iri[64];
    int len = snprintf(iri, sizeof(iri), "trails:%s", terms[i].name);
    tr_jw_key(w, terms[i].term);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "@id", (tr_str){iri, (size_t)len});
    if (terms[i].type)
        tr_jw_put_string(w, "@type", tr_str_from(terms[i].type));
    if (terms[i].container)
        tr_jw_put_string(w, "@container", tr_str_from(terms[i].container));
    tr_jw_close(w, '}');
}

void tr_project_write_context(struct tr_project_writing *v)
{
    struct tr_json_writer *w = &v->w;
    tr_jw_open(w, '{');
    tr_jw_key(w, "@context");
    tr_jw_open(w, '{');
    tr_jw_key(w, "@version");
    tr_jw_raw(w, TR_STR("1.1"));
    tr_jw_put_string(w, "trails", TR_STR(TR_PROJECT_VOCABULARY));
    for (size_t i = 0; i < TR_LEN(terms); i++)
        put_term(w, i);
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
}
