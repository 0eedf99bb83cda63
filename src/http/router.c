#include "http/server.h"

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
find_route(const struct tr_http_route *routes, size_t count,
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

void tr_http_route(const struct tr_http_route *routes, size_t count,
                   struct tr_http_exchange *x, void *app)
{
    char storage[256];
    struct tr_buf allow;
    tr_buf_init_fixed(&allow, storage, sizeof(storage));
    const struct tr_http_route *route =
        find_route(routes, count, tr_http_exchange_request(x), &allow);
    if (route) {
        route->handler(x, app);
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
}
