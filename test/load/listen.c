/*
 * load/listen.c - many subscriptions/listen streams: one change reaches all of
 * them, once each; a change of one group reaches that group only; each stream
 * is told with the id that it asked with.
 */
#include "load/mcp.h"

#include <assert.h>

#define GROUPS     16
#define AT_ONCE    64 /* streams that are being opened */
#define GROUP_URI  "load://group/"
#define COMMON_URI "load://all"
#define LAST_URI   "load://last"

struct listener {
    struct listeners *all;
    size_t number;
    bool is_open;
    unsigned common, group, last; /* how often each was told */
};

struct listeners {
    struct load *load;
    struct listener *items;
    size_t count;
    size_t opened; /* acknowledged */
    size_t asked;
    size_t last; /* have seen the last change */
};

/* Numbers and texts in turn: the id must come back as it was sent. */
static void id_of(const struct listener *listener, char *out, size_t size)
{
    (void)snprintf(out, size, listener->number % 2 ? "\"s%zu\"" : "%zu",
                   listener->number);
}

static bool has_own_id(struct listener *listener, const struct tr_json *root,
                       const char *pointer)
{
    char wanted[32];
    char got[32];
    const struct tr_json *id = tr_json_pointer(root, tr_str_from(pointer));
    bool is_text = tr_json_is(id, TR_JSON_STRING);
    id_of(listener, wanted, sizeof(wanted));
    (void)snprintf(got, sizeof(got), is_text ? "\"%.*s\"" : "%.*s",
                   TR_FMT(tr_json_text(id)));
    return strcmp(wanted, got) == 0;
}

static void count_change(struct listener *listener, tr_str uri)
{
    struct listeners *all = listener->all;
    char group[32];
    (void)snprintf(group, sizeof(group), GROUP_URI "%zu",
                   listener->number % GROUPS);
    if (tr_str_eq(uri, TR_STR(COMMON_URI))) {
        listener->common++;
    } else if (tr_str_eq(uri, tr_str_from(group))) {
        listener->group++;
    } else if (tr_str_eq(uri, TR_STR(LAST_URI))) {
        all->last += listener->last++ == 0;
    } else {
        load_fail(all->load, "stream %zu was told of %.*s", listener->number,
                  TR_FMT(uri));
    }
}

static void on_event(struct load_conn *conn, const struct load_event *event)
{
    struct listener *listener = conn->owner;
    const struct tr_json *root = load_parse(conn->load, event->data);
    tr_str method = load_text(root, "/method");
    if (!root)
        return;
    if (!has_own_id(listener, root, LOAD_SUBSCRIPTION)) {
        load_fail(conn->load, "stream %zu was sent %.*s", listener->number,
                  TR_FMT(event->data));
    } else if (!listener->is_open) {
        if (!tr_str_eq(method,
                       TR_STR("notifications/subscriptions/acknowledged")))
            load_fail(conn->load, "a stream begins with %.*s",
                      TR_FMT(event->data));
        listener->is_open = true;
        listener->all->opened++;
    } else if (tr_str_eq(method, TR_STR("notifications/resources/updated"))) {
        count_change(listener, load_text(root, "/params/uri"));
    } else {
        load_fail(conn->load, "unexpected: %.*s", TR_FMT(event->data));
    }
}

static void on_closed(struct load_conn *conn)
{
    struct listener *listener = conn->owner;
    load_fail(conn->load, "stream %zu was closed", listener->number);
}

static const struct load_ops ops = {.on_event = on_event,
                                    .on_closed = on_closed};

static void open_one(struct listeners *all)
{
    struct listener *listener = &all->items[all->asked];
    char id[32];
    char params[256];
    *listener = (struct listener){.all = all, .number = all->asked++};
    struct load_conn *conn = load_open(all->load, &ops, listener);
    if (!conn)
        return;
    id_of(listener, id, sizeof(id));
    (void)snprintf(params, sizeof(params),
                   "\"notifications\":{\"resourceSubscriptions\":[\"" COMMON_URI
                   "\",\"" GROUP_URI "%zu\",\"" LAST_URI "\"]}",
                   listener->number % GROUPS);
    struct load_message message = {.revision = LOAD_MODERN,
                                   .id = id,
                                   .method = "subscriptions/listen",
                                   .params = params};
    load_post(conn, &message);
}

/* Opens as many at a time as fit into the queue of those who connect. */
static bool all_open(void *data)
{
    struct listeners *all = data;
    while (all->asked < all->count && all->asked - all->opened < AT_ONCE &&
           !all->load->fault)
        open_one(all);
    return all->opened == all->count;
}

static bool all_last(void *data)
{
    struct listeners *all = data;
    return all->last == all->count;
}

static bool touch(struct load *load, const char *uri)
{
    char arguments[64];
    (void)snprintf(arguments, sizeof(arguments), "\"uris\":[\"%s\"]", uri);
    return load_call(load, "touch", arguments);
}

static void check(struct listeners *all, const unsigned groups[GROUPS])
{
    for (size_t i = 0; i < all->count; i++) {
        struct listener *listener = &all->items[i];
        if (listener->common != 1 || listener->last != 1 ||
            listener->group != groups[i % GROUPS])
            load_fail(all->load,
                      "stream %zu was told %u, %u and %u times, not 1, %u, 1",
                      i, listener->common, listener->group, listener->last,
                      groups[i % GROUPS]);
    }
}

/* The last change comes last to everybody: then all is told that will be. */
static void change(struct listeners *all)
{
    unsigned groups[GROUPS] = {0};
    char uri[32];
    for (int i = 0; i < GROUPS; i++) {
        size_t group = load_random(all->load, GROUPS);
        groups[group]++;
        (void)snprintf(uri, sizeof(uri), GROUP_URI "%zu", group);
        if (i == GROUPS / 2 && !touch(all->load, COMMON_URI))
            return;
        if (!touch(all->load, uri))
            return;
    }
    if (touch(all->load, LAST_URI) && load_run(all->load, all_last, all))
        check(all, groups);
}

void load_listen(struct load *load, const struct load_args *args)
{
    struct listeners all = {.load = load, .count = args->count};
    long before = load_baseline(load, args->pid);
    all.items = calloc(all.count, sizeof(*all.items));
    assert(all.items);
    if (before > 0 && load_run(load, all_open, &all))
        change(&all);
    while (load->conns)
        load_close(load->conns, false);
    if (!load->fault)
        (void)load_wait_descriptors(load, args->pid, before);
    free(all.items);
}
