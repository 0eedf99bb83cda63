#include "http/conn.h"

/* Whether a '*' of a pattern is a whole segment, which stands for any. */
static bool is_any(tr_str pattern, size_t i)
{
    return pattern.ptr[i] == '*' && i > 0 && pattern.ptr[i - 1] == '/' &&
           (i + 1 == pattern.len || pattern.ptr[i + 1] == '/');
}

static size_t end_of_segment(tr_str path, size_t at)
{
    while (at < path.len && path.ptr[at] != '/')
        at++;
    return at;
}

static bool fits(tr_str pattern, tr_str path)
{
    size_t at = 0;
    for (size_t i = 0; i < pattern.len; i++) {
        size_t from = at;
        if (is_any(pattern, i))
            at = end_of_segment(path, at);
        else if (at < path.len && path.ptr[at] == pattern.ptr[i])
            at++;
        if (at == from)
            return false;
    }
    return at == path.len;
}

static tr_str find_path(struct tr_http_routes routes, tr_str path)
{
    for (size_t i = 0; i < routes.count; i++) {
        if (tr_str_eq(routes.items[i].path, path) &&
            !memchr(path.ptr, '*', path.len))
            return routes.items[i].path;
    }
    for (size_t i = 0; i < routes.count; i++) {
        if (fits(routes.items[i].path, path))
            return routes.items[i].path;
    }
    return (tr_str){NULL, 0};
}

static bool answers(const struct tr_http_route *route, tr_str method)
{
    return tr_str_eq(route->method, method) ||
           (tr_str_eq(method, TR_STR("HEAD")) &&
            tr_str_eq(route->method, TR_STR("GET")));
}

struct tr_http_match tr_http_route_match(struct tr_http_routes routes,
                                         const struct tr_http_request *request)
{
    struct tr_http_match match = {.path = find_path(routes, request->path)};
    const struct tr_http_route *route = routes.items;
    for (size_t i = 0; match.path.len && i < routes.count; i++, route++) {
        if (tr_str_eq(route->path, match.path) &&
            answers(route, request->method)) {
            match.route = route;
            break;
        }
    }
    return match;
}

void tr_http_route_put_allowed(struct tr_http_routes routes, tr_str path,
                               struct tr_buf *out)
{
    const char *before = "";
    for (size_t i = 0; i < routes.count; i++) {
        const struct tr_http_route *route = &routes.items[i];
        if (!tr_str_eq(route->path, path))
            continue;
        tr_buf_putf(out, "%s%.*s", before, TR_FMT(route->method));
        if (tr_str_eq(route->method, TR_STR("GET")))
            tr_buf_put(out, TR_STR(", HEAD"));
        before = ", ";
    }
}

static void refuse_method(struct tr_http_routes routes, tr_str path,
                          struct tr_http_exchange *x)
{
    char storage[256];
    struct tr_buf allow;
    tr_buf_init_fixed(&allow, storage, sizeof(storage));
    tr_http_route_put_allowed(routes, path, &allow);
    const tr_http_field fields[] = {
        {TR_STR("Allow"), tr_buf_str(&allow)},
        {TR_STR("Content-Type"), TR_STR("text/plain; charset=utf-8")},
    };
    tr_http_respond(x, 405, fields, TR_LEN(fields),
                    tr_str_from(tr_http_phrase(405)));
}

const struct tr_http_route *tr_http_route_find(struct tr_http_routes routes,
                                               struct tr_http_exchange *x)
{
    struct tr_http_match match = tr_http_route_match(routes, &x->request);
    const struct tr_http_route *route = match.route;
    if (route && (route->takes_body || !x->request.has_body)) {
        x->route = route;
        return route;
    }
    if (route)
        tr_http_respond_text(x, 413, "no body is taken here\n");
    else if (match.path.len)
        refuse_method(routes, match.path, x);
    else
        tr_http_respond_text(x, 404, NULL);
    return NULL;
}

void tr_http_route_keep(struct tr_http_exchange *x,
                        const struct tr_http_route *route)
{
    x->route = route;
}

const struct tr_http_route *tr_http_route_kept(const struct tr_http_exchange *x)
{
    return x->route;
}

void tr_http_route_run(struct tr_http_exchange *x, void *app)
{
    x->route->handler(x, app);
}
