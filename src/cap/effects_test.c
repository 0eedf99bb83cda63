/*
 * What a capability may change, by what it says of its side effects; and what
 * clients are told of it.
 */
#include "base/test.h"
#include "cap/cap.h"
#include "cap/registry.h"

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static const tr_str names[] = {
    TR_STR_INIT("default"),    TR_STR_INIT("http://e/b"),
    TR_STR_INIT("http://e/a"), TR_STR_INIT("http://e/a*"),
    TR_STR_INIT("http:*"),     TR_STR_INIT("*"),
};

/* So many of the names, from one on. */
#define GRAPHS(from, n)                                                        \
    {                                                                          \
        .is_said = true, .graph_writes = { &names[from], n }                   \
    }

/* The capability as it is registered, in development or elsewhere. */
static const struct tr_cap_snapshot *registered(struct tr_cap cap,
                                                bool in_development)
{
    const struct tr_cap_registry_opts opts = {.undeclared_may_write =
                                                  in_development};
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_cap_builder *b = NULL;
    struct tr_err err = {0};
    cap.id = TR_STR("c");
    cap.handler.run = run;
    CHECK_OK(tr_cap_builder_create(&opts, &b, &err), &err);
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, &err), &err);
    CHECK_OK(tr_cap_registry_build(b, &snapshot, &err), &err);
    tr_cap_builder_free(b);
    return snapshot;
}

TEST(graphs_are_those_that_are_declared)
{
    static const struct {
        const char *row;
        struct tr_cap_side_effects effects;
        const char *may;     /* one letter for each graph below */
        const char *in_dev;  /* the same in development, if it differs */
        const char *refusal; /* of the first that is refused */
    } rows[] = {
        {"said to be none", {.is_said = true}, "------", NULL, "have no graph"},
        {"regulated alone",
         {.is_said = true, .regulated = true},
         "------",
         NULL,
         "have no graph_writes"},
        {"nothing said", {0}, "------", "d12345", "says nothing of"},
        {"default", GRAPHS(0, 1), "d-----", NULL, "http://e/a, which"},
        {"one", GRAPHS(2, 1), "-1----", NULL, "\"default\", which"},
        {"two", GRAPHS(0, 2), "d--3--", NULL, "/a,"},
        {"a prefix", GRAPHS(3, 1), "-12---", NULL, "\"default\""},
        {"a scheme", GRAPHS(4, 1), "-1234-", NULL, "\"default\""},
        {"all", GRAPHS(5, 1), "d12345", NULL, NULL},
    };
    static const tr_str graphs[] = {
        TR_STR_INIT(""),
        TR_STR_INIT("http://e/a"),
        TR_STR_INIT("http://e/ab"),
        TR_STR_INIT("http://e/b"),
        TR_STR_INIT("http://e/"),
        TR_STR_INIT("urn:default"),
    };
    for (size_t i = 0; i < 2 * TR_LEN(rows); i++) {
        bool dev = i >= TR_LEN(rows);
        size_t r = i % TR_LEN(rows);
        const char *may = dev && rows[r].in_dev ? rows[r].in_dev : rows[r].may;
        const struct tr_cap_snapshot *s =
            registered((struct tr_cap){.side_effects = rows[r].effects}, dev);
        const struct tr_cap *cap = tr_cap_snapshot_cap(s, 0);
        const char *said = NULL;
        bool any = false;
        struct tr_err err = {0};
        for (size_t g = 0; g < TR_LEN(graphs); g++) {
            tr_status st = tr_cap_may_change(cap, &graphs[g], true, &err);
            CHECK_ROW((st == TR_OK) == (may[g] != '-'), rows[r].row);
            CHECK_ROW(st == TR_OK || st == TR_E_INTERNAL, rows[r].row);
            if (st != TR_OK && !said) {
                said = err.msg;
                CHECK_ROW(strstr(said, rows[r].refusal) != NULL, said);
                CHECK_ROW(strstr(said, "'c' ") != NULL, said);
            }
            any |= st == TR_OK;
        }
        CHECK_ROW((tr_cap_may_change(cap, NULL, false, NULL) == TR_OK) == any,
                  rows[r].row);
        /* Read-only is only who cannot write. */
        CHECK_ROW(tr_cap_is_read_only(cap) == !any, rows[r].row);
        CHECK_ROW(tr_cap_is_destructive(cap) == any, rows[r].row);
        tr_cap_snapshot_unpin(s);
    }
}

TEST(who_is_not_destructive_takes_nothing_away)
{
    struct tr_cap cap = {.side_effects = GRAPHS(5, 1)};
    const tr_str graph = TR_STR("");
    struct tr_err err = {0};
    for (int hint = TR_CAP_HINT_DERIVED; hint <= TR_CAP_HINT_YES; hint++) {
        cap.destructive = (enum tr_cap_hint)hint;
        CHECK_OK(tr_cap_may_change(&cap, &graph, false, &err), &err);
        CHECK_INT(tr_cap_may_change(&cap, &graph, true, &err),
                  hint == TR_CAP_HINT_NO ? TR_E_INTERNAL : TR_OK);
        CHECK_INT(tr_cap_is_destructive(&cap), hint != TR_CAP_HINT_NO);
    }
    cap.destructive = TR_CAP_HINT_NO;
    CHECK(tr_cap_may_change(&cap, &graph, true, &err) != TR_OK);
    CHECK_STR(tr_str_from(err.msg),
              "'' cannot remove or replace a statement: its annotations say "
              "destructive = false");
}

/* {read-only, destructive, open world} of one that says nothing, but perhaps
 * a hint. */
TEST(silence_promises_nothing_that_is_not_so)
{
    static const struct {
        struct tr_cap cap;
        bool dev[3];
        bool elsewhere[3];
    } rows[] = {
        {{.handler = {0}}, {false, true, true}, {true, false, false}},
        {{.read_only = TR_CAP_HINT_YES},
         {true, false, false},
         {true, false, false}},
        {{.destructive = TR_CAP_HINT_NO},
         {false, false, true},
         {true, false, false}},
        {{.destructive = TR_CAP_HINT_YES},
         {false, true, true},
         {true, false, false}},
        {{.open_world = TR_CAP_HINT_NO},
         {false, true, false},
         {true, false, false}},
    };
    for (size_t i = 0; i < 2 * TR_LEN(rows); i++) {
        size_t r = i / 2;
        bool dev = i % 2;
        const bool *hints = dev ? rows[r].dev : rows[r].elsewhere;
        const struct tr_cap_snapshot *s = registered(rows[r].cap, dev);
        const struct tr_cap *cap = tr_cap_snapshot_cap(s, 0);
        CHECK_INT(tr_cap_is_read_only(cap), hints[0]);
        CHECK_INT(tr_cap_is_destructive(cap), hints[1]);
        CHECK_INT(tr_cap_is_open_world(cap), hints[2]);
        CHECK_INT(tr_cap_may_change(cap, NULL, false, NULL) != TR_OK, hints[0]);
        CHECK_INT(cap->side_effects.is_said,
                  rows[r].cap.read_only == TR_CAP_HINT_YES);
        tr_cap_snapshot_unpin(s);
    }
}
