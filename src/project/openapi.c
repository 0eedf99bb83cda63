/*
 * OpenAPI 3.1.1: an operation for each capability. What OpenAPI has no word
 * for stands in x-trails-*, unless the manifest is off.
 */
#include "project/inside.h"
#include "project/schema.h"

#define SCHEMAS   "#/components/schemas/"
#define RESPONSES "#/components/responses/"
#define HEADERS   "#/components/headers/"
#define BEARER    "bearer"

/* Those that a call may end with, from `*i` on, which it moves behind it. */
static const struct tr_project_refusal *next_refusal(size_t *i)
{
    const struct tr_project_refusal *refusal;
    while ((refusal = tr_project_refusal_at((*i)++)) != NULL) {
        if (refusal->is_of_operation)
            break;
    }
    return refusal;
}

static const struct {
    const char *name;
    const char *description;
} headers[] = {
    {"X-Trace-Id", "What logs and activities call this request."},
    {"Retry-After", "After how many seconds it may be tried again."},
    {"WWW-Authenticate", "Which credentials are taken."},
};

static void put_ref(struct tr_json_writer *w, const char *start, tr_str name,
                    const char *end)
{
    char text[TR_LIMIT_NAME_BYTES + 64];
    int len =
        snprintf(text, sizeof(text), "%s%.*s%s", start, TR_FMT(name), end);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "$ref", (tr_str){text, (size_t)len});
    tr_jw_close(w, '}');
}

static void put_content(struct tr_json_writer *w, const char *type,
                        tr_str schema, const char *end)
{
    tr_jw_key(w, "content");
    tr_jw_open(w, '{');
    tr_jw_key(w, type);
    tr_jw_open(w, '{');
    tr_jw_key(w, "schema");
    if (schema.len) {
        put_ref(w, SCHEMAS, schema, end);
    } else { /* any JSON */
        tr_jw_open(w, '{');
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
}

static void put_headers(struct tr_json_writer *w, const char *other)
{
    const char *const names[] = {"X-Trace-Id", other};
    tr_jw_key(w, "headers");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < TR_LEN(names) && names[i]; i++) {
        tr_jw_key(w, names[i]);
        put_ref(w, HEADERS, tr_str_from(names[i]), "");
    }
    tr_jw_close(w, '}');
}

static void put_responses(struct tr_json_writer *w, const struct tr_cap *cap)
{
    const struct tr_project_refusal *refusal;
    tr_jw_key(w, "responses");
    tr_jw_open(w, '{');
    tr_jw_key(w, "200");
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "description", TR_STR("What the capability gives."));
    put_headers(w, NULL);
    put_content(w, "application/json", cap->output_shape ? cap->id : TR_STR(""),
                ".output");
    tr_jw_close(w, '}');
    for (size_t i = 0; (refusal = next_refusal(&i)) != NULL;) {
        char status[16];
        (void)snprintf(status, sizeof(status), "%d", refusal->status);
        tr_jw_key(w, status);
        put_ref(w, RESPONSES, tr_str_from(refusal->name), "");
    }
    tr_jw_close(w, '}');
}

static void put_request(struct tr_json_writer *w, const struct tr_cap *cap)
{
    tr_jw_key(w, "requestBody");
    tr_jw_open(w, '{');
    tr_jw_put_bool(w, "required", true);
    put_content(w, "application/json", cap->id, ".input");
    tr_jw_close(w, '}');
}

/* Either of them is enough: nothing, or a bearer token. */
static void put_security(struct tr_json_writer *w,
                         const struct tr_project_site *site, bool needs_bearer)
{
    tr_jw_key(w, "security");
    tr_jw_open(w, '[');
    if (site->auth.takes_bearer) {
        if (!needs_bearer) {
            tr_jw_open(w, '{');
            tr_jw_close(w, '}');
        }
        tr_jw_open(w, '{');
        tr_jw_key(w, BEARER);
        tr_jw_open(w, '[');
        tr_jw_close(w, ']');
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, ']');
}

static void put_word(struct tr_json_writer *w, const char *key,
                     const char *word)
{
    tr_jw_put_string(w, key, tr_str_from(word));
}

static void put_extensions(struct tr_json_writer *w, const struct tr_cap *cap)
{
    tr_jw_key(w, "x-trails-cost");
    tr_project_put_cost(w, &cap->cost);
    tr_jw_key(w, "x-trails-side-effects");
    tr_project_put_effects(w, &cap->side_effects);
    tr_jw_key(w, "x-trails-preconditions");
    tr_project_put_conditions(w, cap->preconditions, cap->precondition_count);
    tr_jw_key(w, "x-trails-policy-required");
    tr_project_put_strs(w, &cap->guard.policy_required);
    put_word(w, "x-trails-assurance", tr_cap_assurance_name(cap->assurance));
    put_word(w, "x-trails-reasoning", tr_cap_reasoning_name(cap->reasoning));
    tr_jw_put_bool(w, "x-trails-idempotent", cap->idempotent);
    tr_jw_put_string(w, "x-trails-version", cap->version);
    put_word(w, "x-trails-version-status",
             tr_cap_version_status_name(cap->version_status));
    tr_jw_key(w, "x-trails-deprecates");
    tr_project_put_or_null(w, cap->deprecates);
    tr_jw_key(w, "x-trails-input-shape");
    tr_project_put_or_null(w, cap->input_iri);
    tr_jw_key(w, "x-trails-output-shape");
    tr_project_put_or_null(w, cap->output_iri);
}

static void put_operation(struct tr_project_writing *v,
                          const struct tr_cap *cap)
{
    struct tr_json_writer *w = &v->w;
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "operationId", cap->id);
    tr_jw_put_string(w, "summary", cap->title.len ? cap->title : cap->id);
    tr_jw_put_string(w, "description", cap->description);
    if (cap->version_status == TR_CAP_VERSION_DEPRECATED)
        tr_jw_put_bool(w, "deprecated", true);
    if (cap->idempotent) {
        tr_jw_key(w, "parameters");
        tr_jw_open(w, '[');
        put_ref(w, "#/components/parameters/", TR_STR("IdempotencyKey"), "");
        tr_jw_close(w, ']');
    }
    put_request(w, cap);
    put_responses(w, cap);
    if (tr_project_needs_bearer(v, cap) && !v->site->auth.needs_bearer)
        put_security(w, v->site, true);
    if (v->site->has_manifest)
        put_extensions(w, cap);
    tr_jw_close(w, '}');
}

static void put_paths(struct tr_project_writing *v)
{
    const struct tr_cap *cap;
    tr_jw_key(&v->w, "paths");
    tr_jw_open(&v->w, '{');
    for (size_t i = 0; (cap = tr_project_next(v, &i)) != NULL;) {
        char path[TR_LIMIT_NAME_BYTES + 16];
        int len = snprintf(path, sizeof(path), TR_PROJECT_INVOKE_PATH "/%.*s",
                           TR_FMT(cap->id));
        tr_jw_key_str(&v->w, (tr_str){path, (size_t)len});
        tr_jw_open(&v->w, '{');
        tr_jw_key(&v->w, "post");
        put_operation(v, cap);
        tr_jw_close(&v->w, '}');
    }
    tr_jw_close(&v->w, '}');
}

static tr_str name_schema(char *room, size_t size, const struct tr_cap *cap,
                          const char *end)
{
    int len = snprintf(room, size, "%.*s%s", TR_FMT(cap->id), end);
    return (tr_str){room, (size_t)len};
}

static void put_schemas_of(struct tr_json_writer *w, const struct tr_cap *cap)
{
    char name[TR_LIMIT_NAME_BYTES + 16];
    char pointer[TR_LIMIT_NAME_BYTES + 64];
    int len = snprintf(pointer, sizeof(pointer), SCHEMAS "%.*s.input",
                       TR_FMT(cap->id));
    tr_jw_key_str(w, name_schema(name, sizeof(name), cap, ".input"));
    tr_project_embed_input(w, cap, (tr_str){pointer, (size_t)len});
    if (!cap->output_shape)
        return;
    tr_jw_key_str(w, name_schema(name, sizeof(name), cap, ".output"));
    tr_project_put_output(w, cap, TR_SHAPE_WITHOUT_HEADERS);
}

/* RFC 9457, and what our problems have beside. */
static const char problem[] =
    "{\"type\":\"object\",\"required\":[\"type\",\"title\",\"status\"],"
    "\"properties\":{\"type\":{\"type\":\"string\",\"format\":"
    "\"uri-reference\"},\"title\":{\"type\":\"string\"},\"status\":{\"type\":"
    "\"integer\"},\"detail\":{\"type\":\"string\"},\"instance\":{\"type\":"
    "\"string\",\"format\":\"uri-reference\"},\"code\":{\"type\":\"string\","
    "\"description\":\"What is wrong, for programs; HTTP has said it all where "
    "there is "
    "none.\"},\"trace_id\":{\"type\":\"string\",\"description\":\"What "
    "logs and activities call this request.\"},\"fields\":{\"type\":\"array\","
    "\"items\":{\"type\":\"object\",\"required\":[\"field\",\"code\","
    "\"message\"],\"properties\":{\"field\":{\"type\":\"string\"},\"code\":{"
    "\"type\":\"string\"},\"message\":{\"type\":\"string\"},\"value\":{},"
    "\"constraint\":{}}}}}}";

static void put_schemas(struct tr_project_writing *v)
{
    const struct tr_cap *cap;
    tr_jw_key(&v->w, "schemas");
    tr_jw_open(&v->w, '{');
    tr_jw_put_raw(&v->w, "Problem", tr_str_from(problem));
    for (size_t i = 0; (cap = tr_project_next(v, &i)) != NULL;)
        put_schemas_of(&v->w, cap);
    tr_jw_close(&v->w, '}');
}

static void put_refusals(struct tr_json_writer *w)
{
    const struct tr_project_refusal *refusal;
    tr_jw_key(w, "responses");
    tr_jw_open(w, '{');
    for (size_t i = 0; (refusal = next_refusal(&i)) != NULL;) {
        tr_jw_key(w, refusal->name);
        tr_jw_open(w, '{');
        put_word(w, "description", refusal->description);
        put_headers(w, refusal->header);
        put_content(w, "application/problem+json", TR_STR("Problem"), "");
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
    tr_jw_key(w, "headers");
    tr_jw_open(w, '{');
    for (size_t i = 0; i < TR_LEN(headers); i++) {
        tr_jw_key(w, headers[i].name);
        tr_jw_open(w, '{');
        put_word(w, "description", headers[i].description);
        tr_jw_put_raw(w, "schema", TR_STR("{\"type\":\"string\"}"));
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
}

static const char idempotency_key[] =
    "{\"IdempotencyKey\":{\"name\":\"Idempotency-Key\",\"in\":\"header\","
    "\"required\":false,\"description\":\"Any text of yours. A call that is "
    "repeated with it is done once.\",\"schema\":{\"type\":\"string\","
    "\"minLength\":1}}}";

static void put_schemes(struct tr_json_writer *w,
                        const struct tr_project_site *site)
{
    if (!site->auth.takes_bearer)
        return;
    tr_jw_key(w, "securitySchemes");
    tr_jw_open(w, '{');
    tr_jw_key(w, BEARER);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "type", TR_STR("http"));
    tr_jw_put_string(w, "scheme", TR_STR("bearer"));
    tr_jw_maybe_string(w, "bearerFormat", site->auth.bearer_format);
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
}

static void put_about(struct tr_project_writing *v)
{
    struct tr_json_writer *w = &v->w;
    tr_jw_put_string(w, "openapi", TR_STR("3.1.1"));
    tr_jw_key(w, "info");
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "title", tr_project_title(v->site));
    tr_jw_maybe_string(w, "description", v->site->description);
    tr_jw_put_string(w, "version", v->site->version);
    tr_jw_close(w, '}');
    tr_jw_key(w, "servers");
    tr_jw_open(w, '[');
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "url", v->site->base.len ? v->site->base : TR_STR("/"));
    tr_jw_close(w, '}');
    tr_jw_close(w, ']');
    put_security(w, v->site, v->site->auth.needs_bearer);
}

void tr_project_write_openapi(struct tr_project_writing *v)
{
    struct tr_json_writer *w = &v->w;
    tr_jw_open(w, '{');
    put_about(v);
    put_paths(v);
    tr_jw_key(w, "components");
    tr_jw_open(w, '{');
    put_schemas(v);
    put_refusals(w);
    tr_jw_put_raw(w, "parameters", tr_str_from(idempotency_key));
    put_schemes(w, v->site);
    tr_jw_close(w, '}');
    tr_jw_close(w, '}');
}
