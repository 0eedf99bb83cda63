#include "rest/routes.h"

#include "gate/page.h"
#include "http/server.h"
#include "rest/inside.h"

/* The whole of the door: method, path, handler, whether it takes a body and
 * whether everybody may have it; else its caller has to be let in. */
#define ROUTES(ROW)                                                            \
    ROW("POST", "/invoke/*", tr_rest_invoke, true, false)                      \
    ROW("GET", "/kg/*", tr_rest_kg, false, false)                              \
    ROW("GET", "/kg/*/*", tr_rest_kg, false, false)                            \
    ROW("GET", "/shapes/*", tr_rest_shape, false, false)                       \
    ROW("GET", "/doctor", tr_rest_doctor, false, false)                        \
    ROW("GET", TR_PROJECT_MANIFEST_PATH, tr_rest_manifest, false, false)       \
    ROW("GET", TR_PROJECT_MANIFEST_PATH "/*", tr_rest_manifest_one, false,     \
        false)                                                                 \
    ROW("GET", TR_PROJECT_PLAIN_PATH, tr_rest_plain, false, false)             \
    ROW("GET", TR_PROJECT_OPENAPI_PATH, tr_rest_openapi, false, false)         \
    ROW("GET", TR_PROJECT_HOST_PATH, tr_rest_host, false, false)               \
    ROW("GET", TR_PROJECT_CONTEXT_PATH, tr_rest_context, false, true)          \
    ROW("GET", "/*" TR_PROJECT_CARD_END, tr_rest_card, false, false)

#define AS_ROUTE(method, path, handler, takes_body, is_open)                   \
    {TR_STR_INIT(method), TR_STR_INIT(path), handler,                          \
     (is_open) ? let_in : judge_caller, takes_body},
#define AS_NAME(method, path, handler, takes_body, is_open)                    \
    TR_STR_INIT(method " " path),

static tr_http_judge_fn judge_caller;
static tr_http_judge_fn let_in;

static const struct tr_http_route table[] = {ROUTES(AS_ROUTE)};
static const struct tr_http_routes routes = {table, TR_LEN(table)};

/* As logs and metrics have them. */
static const tr_str names[TR_REST_ROUTES] = {ROUTES(AS_NAME)};

tr_str tr_rest_route_name(size_t i)
{
    return names[i];
}

size_t tr_rest_route_index(const struct tr_http_exchange *x)
{
    return (size_t)(tr_http_route_kept(x) - table);
}

/* Of the paths of cards there is one: that of the project. */
static struct tr_http_match match_of(const struct tr_rest *rest,
                                     const struct tr_http_request *http)
{
    struct tr_http_match match = tr_http_route_match(routes, http);
    if (tr_str_eq(match.path, TR_STR("/*" TR_PROJECT_CARD_END))) {
        tr_str path = tr_str_skip(http->path, 1);
        if (!tr_str_starts(path, rest->opts.site.name) ||
            path.len !=
                rest->opts.site.name.len + sizeof(TR_PROJECT_CARD_END) - 1)
            return (struct tr_http_match){0};
    }
    return match;
}

bool tr_rest_has_path(const struct tr_rest *rest,
                      const struct tr_http_request *http)
{
    return rest->opts.site.has_http && match_of(rest, http).path.len;
}

static void refuse_head(struct tr_http_exchange *x, struct tr_rest *rest,
                        const struct tr_rest_problem *problem,
                        tr_http_field more)
{
    const tr_http_field fields[] = {
        {TR_STR("Content-Type"), TR_REST_PROBLEM_TYPE},
        {TR_STR("Cache-Control"), TR_STR("no-store")},
        more,
    };
    int status = tr_rest_problem_write(&rest->out, problem);
    tr_http_respond(x, status, fields, more.name.len ? 3 : 2,
                    tr_buf_str(&rest->out));
}

void tr_rest_refuse(struct tr_http_exchange *x, struct tr_rest *rest,
                    const struct tr_rest_problem *problem)
{
    refuse_head(x, rest, problem, (tr_http_field){{NULL, 0}, {NULL, 0}});
}

static void refuse(struct tr_http_exchange *x, struct tr_rest *rest, int status,
                   const char *why)
{
    const struct tr_rest_problem problem = {.status = status,
                                            .detail = tr_str_from(why)};
    tr_rest_refuse(x, rest, &problem);
}

bool tr_rest_identify(struct tr_http_exchange *x, struct tr_rest *rest,
                      const struct tr_access_authority **out)
{
    struct tr_gate_refusal refusal;
    char text[TR_GATE_CHALLENGE_BYTES];
    tr_http_field challenge = {TR_STR("WWW-Authenticate"), {NULL, 0}};
    if (tr_gate_identify(&rest->opts.gate, x, out, &refusal))
        return true;
    struct tr_rest_problem problem = {
        .status = refusal.http,
        .code = tr_status_name(refusal.err.code),
        .title = tr_rest_problem_title(refusal.err.code),
        .detail = tr_str_from(refusal.err.msg),
    };
    if (refusal.http == 503) {
        problem.detail = TR_STR("credentials cannot be checked now");
        challenge.name = (tr_str){NULL, 0};
    } else {
        challenge.value =
            tr_gate_write_challenge(&rest->opts.gate, &refusal.challenge, text);
    }
    refuse_head(x, rest, &problem, challenge);
    return false;
}

/* The methods of a path, those that need no row among them. */
static tr_str put_methods(tr_str path, char *text, size_t size)
{
    struct tr_buf out;
    tr_buf_init_fixed(&out, text, size);
    tr_http_route_put_allowed(routes, path, &out);
    tr_buf_put(&out, TR_STR(", OPTIONS"));
    return tr_buf_str(&out);
}

/* Bodies are JSON alone, so that no form of a page elsewhere can send one
 * without asking first (the Fetch standard, CORS protocol). */
static bool takes_body(struct tr_http_exchange *x, struct tr_rest *rest,
                       const struct tr_http_route *route)
{
    const struct tr_http_request *http = tr_http_exchange_request(x);
    tr_str coding = tr_http_header(http, TR_STR("Content-Encoding"));
    if (!route->takes_body) {
        if (http->has_body)
            refuse(x, rest, 413, "no body is taken here");
        return !http->has_body;
    }
    if (!tr_gate_sends_json(http))
        refuse(x, rest, 415, "Content-Type must be application/json");
    else if (coding.len && !tr_http_same_name(coding, TR_STR("identity")))
        refuse(x, rest, 415, "the body must not be compressed");
    else
        return true;
    return false;
}

static bool let_in(struct tr_http_exchange *x, void *app)
{
    (void)x;
    (void)app;
    return true;
}

static bool judge_page(struct tr_http_exchange *x, struct tr_rest *rest)
{
    const char *why = NULL;
    int status = tr_gate_judge_page(&rest->opts.gate, x, &why);
    if (status)
        refuse(x, rest, status, why);
    return status == 0;
}

static bool judge_caller(struct tr_http_exchange *x, void *app)
{
    const struct tr_access_authority *ignored = NULL;
    return tr_rest_identify(x, app, &ignored);
}

/* A page may ask what it may send here; else a path has a method or not. */
static bool judge_method(struct tr_http_exchange *x, struct tr_rest *rest,
                         struct tr_http_match match)
{
    const struct tr_rest_problem problem = {.status = 405};
    const struct tr_http_request *http = tr_http_exchange_request(x);
    char text[128];
    tr_str methods = put_methods(match.path, text, sizeof(text));
    if (tr_str_eq(http->method, TR_STR("OPTIONS")))
        tr_gate_answer_options(x, methods);
    else if (!match.route)
        refuse_head(x, rest, &problem,
                    (tr_http_field){TR_STR("Allow"), methods});
    else
        return true;
    return false;
}

bool tr_rest_judge(struct tr_http_exchange *x, void *app)
{
    struct tr_rest *rest = app;
    struct tr_http_match match = match_of(rest, tr_http_exchange_request(x));
    bool is_open = match.route && match.route->judge == let_in;
    if ((!is_open && !judge_page(x, rest)) || !judge_method(x, rest, match))
        return false;
    tr_http_route_keep(x, match.route);
    return match.route->judge(x, rest) && takes_body(x, rest, match.route);
}

void tr_rest_route(struct tr_http_exchange *x, void *app)
{
    tr_http_route_run(x, app);
}
