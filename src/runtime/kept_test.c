/*
 * Journals that are too long for a client, as rows of the store: what is told
 * to whom, and when it is not written.
 */
#include "base/limits.h"
#include "base/test.h"
#include "db/db.h"
#include "loop/loop.h"
#include "runtime/call.h"
#include "runtime/journal.h"
#include "support/c_host.h"
#include "support/peer.h"

static const struct tr_cap *const caps[] = {
    &(const struct tr_cap){.id = TR_STR_INIT("slow"),
                           .handler = {c_run_and_wait, NULL}},
};

/* A call that waits, and what it is told of its journal. */
struct kept {
    struct c_host host;
    struct c_call c;
    struct tr_call_keep keep;
    struct tr_call_keeping *keeping;
    unsigned told;
    tr_status status;
    struct tr_err err;
};

static void on_kept(void *data, tr_status status, const struct tr_err *err)
{
    struct kept *kept = data;
    kept->told++;
    kept->status = status;
    kept->err = *err;
}

static void start(struct kept *kept, tr_str text)
{
    *kept = (struct kept){.keep = {.text = text, .life_s = 3600}};
    kept->keep.done = on_kept;
    kept->keep.data = kept;
    c_host_open(&kept->host);
    c_host_start(&kept->host, &(struct c_app){.caps = caps, .cap_count = 1});
    c_call_init(&kept->c, &kept->host, "slow", "{}");
    c_call_start(&kept->c);
    c_call_wait_until_it_waits(&kept->c);
}

static void keep(struct kept *kept)
{
    struct tr_err err = {0};
    CHECK_OK(
        tr_call_journal_keep(&kept->c.call, &kept->keep, &kept->keeping, &err),
        &err);
}

/* Ends the call; then all that was written has been. */
static void end(struct kept *kept)
{
    c_call_finish(&kept->c);
    c_call_wait(&kept->c);
    c_call_done(&kept->c);
    tr_loop_run(kept->host.loop);
}

static int64_t rows(struct kept *kept)
{
    return c_host_number(&kept->host, "SELECT count(*) FROM kept");
}

/* What is found by the name that was made. */
static tr_status find(struct kept *kept, tr_str *out)
{
    return tr_call_journal_find(
        kept->c.call.env, (tr_str){kept->keep.name, sizeof(kept->keep.name)},
        tr_loop_wall(kept->host.loop).seconds, kept->c.call.arena, out, NULL);
}

static bool is_told(void *data)
{
    return ((struct kept *)data)->told > 0;
}

TEST(a_journal_is_kept_found_and_dropped)
{
    struct kept kept;
    tr_str text;
    start(&kept, TR_STR("[1,2]"));
    keep(&kept);
    tr_peer_until(kept.host.loop, is_told, &kept);
    CHECK_OK(kept.status, &kept.err);
    CHECK_INT(find(&kept, &text), TR_OK);
    CHECK_STR(text, "[1,2]");
    tr_call_journal_drop(&kept.c.call,
                         (tr_str){kept.keep.name, sizeof(kept.keep.name)});
    tr_call_journal_drop(&kept.c.call, TR_STR("no name"));
    end(&kept);
    CHECK_INT(kept.told, 1);
    CHECK_INT(rows(&kept), 0);
    c_host_close(&kept.host);
}

TEST(who_was_told_to_forget_hears_of_no_journal)
{
    struct kept kept;
    start(&kept, TR_STR("[1,2]"));
    keep(&kept);
    tr_call_journal_forget(kept.keeping);
    tr_call_journal_forget(NULL);
    end(&kept);
    CHECK_INT(kept.told, 0);
    CHECK_INT(rows(&kept), 0);
    c_host_close(&kept.host);
}

TEST(a_journal_that_is_not_written_is_an_error)
{
    struct kept kept;
    struct tr_db *db = NULL;
    struct tr_err err = {0};
    tr_str text;
    start(&kept, TR_STR("[1,2]"));
    CHECK_OK(tr_db_open(tr_graph_store_path(kept.host.store), NULL, &db, &err),
             &err);
    CHECK_OK(tr_db_exec(db, "DROP TABLE kept", &err), &err);
    tr_db_close(db);
    keep(&kept);
    tr_peer_until(kept.host.loop, is_told, &kept);
    CHECK(kept.status != TR_OK);
    CHECK(kept.err.msg[0]);
    CHECK(find(&kept, &text) != TR_OK);
    end(&kept);
    CHECK_INT(kept.told, 1);
    c_host_close(&kept.host);
}

TEST(a_journal_over_the_bound_is_an_error)
{
    static char zeros[TR_LIMIT_IDEMPOTENCY_RESULT_BYTES + 1];
    struct kept kept;
    struct tr_err err = {0};
    start(&kept, (tr_str){zeros, sizeof(zeros)});
    CHECK_INT(
        tr_call_journal_keep(&kept.c.call, &kept.keep, &kept.keeping, &err),
        TR_E_LIMIT);
    kept.keep.text = TR_STR("[]");
    for (unsigned i = 0; i <= TR_LIMIT_JOURNALS_OWN; i++)
        keep(&kept);
    end(&kept);
    CHECK_INT(kept.told, TR_LIMIT_JOURNALS_OWN + 1);
    CHECK_INT(kept.status, TR_E_UNAVAILABLE);
    CHECK_INT(rows(&kept), TR_LIMIT_JOURNALS_OWN);
    c_host_close(&kept.host);
}

static tr_status keep_one(void *context, struct tr_err *err)
{
    struct kept *kept = context;
    TR_TRY(
        tr_call_journal_keep(&kept->c.call, &kept->keep, &kept->keeping, err));
    tr_call_journal_forget(kept->keeping);
    return TR_OK;
}

TEST(a_journal_without_memory_is_an_error)
{
    struct kept kept;
    start(&kept, TR_STR("[1,2]"));
    tr_test_sweep(keep_one, &kept);
    end(&kept);
    CHECK_INT(kept.told, 0);
    c_host_close(&kept.host);
}
