#include "http/conn.h"

static bool answers(const struct tr_http_route *route, tr_str method)
{
    return tr_str_eq(route->method, method) ||
           (tr_str_eq(method, TR_STR("HEAD")) &&
            tr_str_eq(route->method, TR_STR("GET")));
}

static void put_allowed(struct tr_buf *allow, tr_str method)
{
    if (allow->len)
        tr_buf_put(allow, TR_STR(", "));
    tr_buf_put(allow, method);
    if (tr_str_eq(method, TR_STR("GET")))
        tr_buf_put(allow, TR_STR(", HEAD"));
}

/* The route, or NULL: then `allow` lists the methods the path has, if any. */
static const struct tr_http_route *
look_up(const struct tr_http_route *routes, size_t count,
        const struct tr_http_request *request, struct tr_buf *allow)
{
    for (size_t i = 0; i < count; i++) {
        if (!tr_str_eq(routes[i].path, request->path))
            continue;
        if (answers(&routes[i], request->method))
            return &routes[i];
        put_allowed(allow, routes[i].method);
    }
    return NULL;
}

const struct tr_http_route *
tr_http_route_find(const struct tr_http_route *routes, size_t count,
                   struct tr_http_exchange *x)
{
    char storage[256];
    struct tr_buf allow;
    tr_buf_init_fixed(&allow, storage, sizeof(storage));
    const struct tr_http_route *route =
        look_up(routes, count, &x->request, &allow);
    if (route && (route->takes_body || !x->request.has_body)) {
        x->route = route;
        return route;
    }
    if (route) {
        tr_http_respond_text(x, 413, "no body is taken here\n");
    } else if (allow.len) {
        const tr_http_field fields[] = {
            {TR_STR("Allow"), tr_buf_str(&allow)},
            {TR_STR("Content-Type"), TR_STR("text/plain; charset=utf-8")},
        };
        tr_http_respond(x, 405, fields, TR_LEN(fields),
                        tr_str_from(tr_http_phrase(405)));
    } else {
        tr_http_respond_text(x, 404, NULL);
    }
    return NULL;
}

void tr_http_route_run(struct tr_http_exchange *x, void *app)
{
    x->route->handler(x, app);
}
