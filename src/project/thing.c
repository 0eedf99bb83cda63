/*
 * Thing Descriptions (W3C WoT TD 1.1): of the server, which leads to the card,
 * and of the agent, whose actions are the capabilities. What WoT has no word
 * for stands in the vocabulary of ours.
 */
#include "project/inside.h"
#include "project/schema.h"

#define TD  "https://www.w3.org/2022/wot/td/v1.1"
#define DCT "http://purl.org/dc/terms/"

static void put_context(struct tr_json_writer *w, bool is_ld)
{
    tr_jw_key(w, "@context");
    tr_jw_open(w, '[');
    tr_jw_string(w, TR_STR(TD));
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "trails", TR_STR(TR_PROJECT_VOCABULARY));
    if (is_ld)
        tr_jw_put_string(w, "dct", TR_STR(DCT));
    tr_jw_close(w, '}');
    tr_jw_close(w, ']');
}

static void put_scheme(struct tr_json_writer *w, const char *name,
                       const char *scheme)
{
    tr_jw_key(w, name);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "scheme", tr_str_from(scheme));
}

static void put_bearer(struct tr_json_writer *w,
                       const struct tr_project_site *site)
{
    put_scheme(w, "bearer_sc", "bearer");
    tr_jw_put_string(w, "in", TR_STR("header"));
    tr_jw_put_string(w, "format",
                     site->auth.bearer_format.len ? site->auth.bearer_format
                                                  : TR_STR("opaque"));
    tr_jw_maybe_string(w, "authorization", site->auth.authorization);
    tr_jw_close(w, '}');
}

static void put_names(struct tr_json_writer *w, const char *key,
                      const char *first, const char *second)
{
    tr_jw_key(w, key);
    tr_jw_open(w, '[');
    tr_jw_string(w, tr_str_from(first));
    if (second)
        tr_jw_string(w, tr_str_from(second));
    tr_jw_close(w, ']');
}

/* A token, nothing, or whichever of them. */
static void put_security(struct tr_json_writer *w,
                         const struct tr_project_site *site)
{
    bool takes = site->auth.takes_bearer;
    bool needs = takes && site->auth.needs_bearer;
    tr_jw_key(w, "securityDefinitions");
    tr_jw_open(w, '{');
    if (!needs) {
        put_scheme(w, "nosec_sc", "nosec");
        tr_jw_close(w, '}');
    }
    if (takes)
        put_bearer(w, site);
    if (takes && !needs) {
        put_scheme(w, "either_sc", "combo");
        put_names(w, "oneOf", "nosec_sc", "bearer_sc");
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
    put_names(w, "security",
              needs   ? "bearer_sc"
              : takes ? "either_sc"
                      : "nosec_sc",
              NULL);
}

static void put_description(struct tr_json_writer *w, tr_str text, bool is_ld)
{
    tr_jw_maybe_string(w, "description", text);
    if (is_ld)
        tr_jw_maybe_string(w, "dct:description", text);
}

static void put_link(struct tr_project_writing *v, const char *rel, tr_str path,
                     tr_str end, enum tr_project_view to)
{
    if (!tr_project_is_served(to, v->site))
        return;
    tr_jw_open(&v->w, '{');
    tr_jw_put_string(&v->w, "rel", tr_str_from(rel));
    tr_project_put_url(v, "href", path, end);
    tr_jw_put_string(&v->w, "type", tr_project_media_type(to));
    tr_jw_close(&v->w, '}');
}

static void put_card_link(struct tr_project_writing *v, const char *rel)
{
    char path[TR_LIMIT_URI_BYTES];
    struct tr_buf text;
    tr_buf_init_fixed(&text, path, sizeof(path));
    tr_buf_putc(&text, '/');
    tr_buf_put(&text, v->site->name);
    if (text.failed)
        tr_jw_refuse(&v->w, text.failed, "the name of the project is too long");
    else
        put_link(v, rel, tr_buf_str(&text), TR_STR(TR_PROJECT_CARD_END),
                 TR_PROJECT_CARD);
}

void tr_project_write_host(struct tr_project_writing *v)
{
    struct tr_json_writer *w = &v->w;
    tr_jw_open(w, '{');
    put_context(w, false);
    tr_jw_put_string(w, "@type", TR_STR("trails:Host"));
    tr_jw_put_string(w, "title", tr_project_title(v->site));
    put_description(w, v->site->description, false);
    put_security(w, v->site);
    tr_jw_key(w, "links");
    tr_jw_open(w, '[');
    put_card_link(v, "item");
    put_link(v, "service-desc", TR_STR(TR_PROJECT_OPENAPI_PATH), TR_STR(""),
             TR_PROJECT_OPENAPI);
    put_link(v, "describedby", TR_STR(TR_PROJECT_MANIFEST_PATH), TR_STR(""),
             TR_PROJECT_JSON_LD);
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
}

static void begin_form(struct tr_project_writing *v, const struct tr_cap *cap,
                       tr_str path, tr_str end)
{
    struct tr_json_writer *w = &v->w;
    tr_jw_open(w, '{');
    tr_project_put_url(v, "href", path, end);
    tr_jw_put_string(w, "op", TR_STR("invokeaction"));
    tr_jw_put_string(w, "contentType", TR_STR("application/json"));
    tr_jw_put_string(w, "htv:methodName", TR_STR("POST"));
    if (tr_project_needs_bearer(v, cap) && !v->site->auth.needs_bearer)
        put_names(w, "security", "bearer_sc", NULL);
}

static void put_forms(struct tr_project_writing *v, const struct tr_cap *cap)
{
    struct tr_json_writer *w = &v->w;
    tr_jw_key(w, "forms");
    tr_jw_open(w, '[');
    if (v->site->has_http) {
        begin_form(v, cap, TR_STR(TR_PROJECT_INVOKE_PATH "/"), cap->id);
        tr_jw_close(w, '}');
    }
    if (v->site->mcp_path.len) {
        begin_form(v, cap, v->site->mcp_path, TR_STR(""));
        tr_jw_put_string(w, "subprotocol", TR_STR("mcp"));
        tr_jw_put_string(w, "trails:tool", cap->name);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, ']');
}

/* A schema that TD has no words for stands in a member of ours, whole. */
static void put_input(struct tr_json_writer *w, const struct tr_cap *cap)
{
    bool is_td = tr_project_input_is_td(cap);
    const char *key = is_td ? "input" : "trails:inputSchema";
    char pointer[TR_LIMIT_NAME_BYTES + 64];
    int len = snprintf(pointer, sizeof(pointer), "#/actions/%.*s/%s",
                       TR_FMT(cap->id), key);
    tr_jw_key(w, key);
    tr_project_embed_input(w, cap, (tr_str){pointer, (size_t)len});
}

static void put_action(struct tr_project_writing *v, const struct tr_cap *cap,
                       bool is_ld)
{
    const struct tr_cap_side_effects *effects = &cap->side_effects;
    struct tr_json_writer *w = &v->w;
    tr_jw_key_str(w, cap->id);
    tr_jw_open(w, '{');
    tr_jw_maybe_string(w, "title", cap->title);
    put_description(w, cap->description, is_ld);
    put_input(w, cap);
    if (cap->output_shape) {
        tr_jw_key(w, "output");
        tr_project_put_output(w, cap, TR_SHAPE_WITHOUT_HEADERS);
    }
    tr_jw_put_bool(w, "safe",
                   !effects->graph_writes.count &&
                       !effects->external_calls.count);
    tr_jw_put_bool(w, "idempotent", cap->idempotent);
    tr_jw_put_bool(w, "synchronous", true);
    put_forms(v, cap);
    tr_jw_put_string(w, "trails:version", cap->version);
    tr_jw_put_string(w, "trails:assurance",
                     tr_str_from(tr_cap_assurance_name(cap->assurance)));
    tr_jw_key(w, "trails:costEstimate");
    tr_project_put_cost(w, &cap->cost);
    tr_jw_key(w, "trails:policyRequired");
    tr_project_put_strs(w, &cap->guard.policy_required);
    tr_jw_close(w, '}');
}

static void put_card(struct tr_project_writing *v, bool is_ld)
{
    struct tr_json_writer *w = &v->w;
    const struct tr_cap *cap;
    tr_jw_open(w, '{');
    put_context(w, is_ld);
    tr_jw_put_string(w, "@type", TR_STR("trails:AgentCard"));
    tr_jw_put_string(w, "title", tr_project_title(v->site));
    put_description(w, v->site->description, is_ld);
    put_security(w, v->site);
    tr_jw_key(w, "actions");
    tr_jw_open(w, '{');
    for (size_t i = 0; (cap = tr_project_next(v, &i)) != NULL;)
        put_action(v, cap, is_ld);
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
}

void tr_project_write_card(struct tr_project_writing *v)
{
    put_card(v, false);
}

void tr_project_write_card_ld(struct tr_project_writing *v)
{
    put_card(v, true);
}
