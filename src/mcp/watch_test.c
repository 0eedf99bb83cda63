#include "mcp/watch.h"

#include "base/test.h"

#define MANY 1000

static size_t count(const struct tr_mcp_topic *topic, enum tr_mcp_watcher kind)
{
    size_t found = 0;
    for (const struct tr_mcp_watch *w = topic ? topic->watches[kind] : NULL; w;
         w = w->next)
        found++;
    return found;
}

TEST(a_uri_is_found_with_all_who_watch_it)
{
    struct tr_mcp_watches all = {0};
    struct tr_mcp_watch watches[4] = {0};
    int owners[4];
    CHECK(!tr_mcp_watch_find(&all, TR_STR("a")));
    CHECK(tr_mcp_watch_add(&all, TR_MCP_WATCHER_LISTEN, TR_STR("a"), &owners[0],
                           &watches[0]));
    CHECK(tr_mcp_watch_add(&all, TR_MCP_WATCHER_LISTEN, TR_STR("a"), &owners[1],
                           &watches[1]));
    CHECK(tr_mcp_watch_add(&all, TR_MCP_WATCHER_SESSION, TR_STR("a"),
                           &owners[2], &watches[2]));
    CHECK(tr_mcp_watch_add(&all, TR_MCP_WATCHER_LISTEN, TR_STR("b"), &owners[3],
                           &watches[3]));
    const struct tr_mcp_topic *a = tr_mcp_watch_find(&all, TR_STR("a"));
    CHECK_INT(count(a, TR_MCP_WATCHER_LISTEN), 2);
    CHECK_INT(count(a, TR_MCP_WATCHER_SESSION), 1);
    CHECK(a->watches[TR_MCP_WATCHER_LISTEN]->owner == &owners[1]);
    CHECK_STR(tr_mcp_watch_uri(&watches[3]), "b");

    tr_mcp_watch_remove(&all, &watches[0]);
    tr_mcp_watch_remove(&all, &watches[1]);
    CHECK_INT(
        count(tr_mcp_watch_find(&all, TR_STR("a")), TR_MCP_WATCHER_SESSION), 1);
    tr_mcp_watch_remove(&all, &watches[2]);
    CHECK(!tr_mcp_watch_find(&all, TR_STR("a")));
    CHECK_INT(all.topic_count, 1);
    tr_mcp_watches_done(&all); /* with one left */
}

static tr_str uri_of(size_t i, char *text, size_t size)
{
    int len = snprintf(text, size, "test://%zu", i);
    return (tr_str){text, (size_t)len};
}

TEST(uris_stay_apart_however_many_there_are)
{
    static struct tr_mcp_watch watches[MANY];
    struct tr_mcp_watches all = {0};
    char text[32];
    for (size_t i = 0; i < MANY; i++)
        CHECK(tr_mcp_watch_add(&all, TR_MCP_WATCHER_LISTEN,
                               uri_of(i, text, sizeof(text)), &watches[i],
                               &watches[i]));
    CHECK_INT(all.topic_count, MANY);
    CHECK(all.bucket_count >= MANY);
    for (size_t i = 0; i < MANY; i += 2)
        tr_mcp_watch_remove(&all, &watches[i]);
    for (size_t i = 0; i < MANY; i++) {
        const struct tr_mcp_topic *topic =
            tr_mcp_watch_find(&all, uri_of(i, text, sizeof(text)));
        CHECK_ROW((topic != NULL) == (i % 2 == 1), text);
        CHECK_ROW(!topic || topic->watches[TR_MCP_WATCHER_LISTEN]->owner ==
                                &watches[i],
                  text);
    }
    tr_mcp_watches_done(&all);
}

static tr_status add_some(void *context, struct tr_err *err)
{
    struct tr_mcp_watches all = {0};
    struct tr_mcp_watch watches[2] = {0};
    (void)context;
    bool good = tr_mcp_watch_add(&all, TR_MCP_WATCHER_LISTEN, TR_STR("a"), NULL,
                                 &watches[0]) &&
                tr_mcp_watch_add(&all, TR_MCP_WATCHER_SESSION, TR_STR("b"),
                                 NULL, &watches[1]);
    tr_mcp_watches_done(&all);
    return good ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory");
}

TEST(without_memory_a_watch_is_not_added)
{
    tr_test_sweep(add_some, NULL);
}
