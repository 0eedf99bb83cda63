#include "net/stream.h"

#include "base/test.h"
#include "loop/loop.h"
#include "support/owner.h"
#include "support/peer.h"

#include <sys/socket.h>
#include <unistd.h>

/* Returns the other end. */
static int open_socket(struct tr_owner *f, size_t max_queue)
{
    int ends[2];
    struct tr_err err = {0};
    tr_owner_open(f);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK_OK(tr_net_stream_open(f->loop, ends[0], max_queue, &f->stream, &err),
             &err);
    tr_net_stream_start(f->stream, &tr_owner_ops, f);
    return ends[1];
}

TEST(a_stream_reads_and_writes)
{
    struct tr_owner f;
    char text[64];
    int peer = open_socket(&f, 0);
    tr_peer_send(f.loop, peer, TR_STR("hello"));
    tr_peer_settle(f.loop);
    CHECK_STR(tr_buf_str(&f.got), "hello");
    const tr_str parts[] = {TR_STR("a"), TR_STR(""), TR_STR("bc")};
    CHECK_OK(tr_net_stream_send(f.stream, parts, 3, NULL), NULL);
    CHECK_INT(tr_net_stream_queued(f.stream), 0);
    CHECK_INT(tr_net_stream_sent(f.stream), 3);
    CHECK_INT(tr_peer_read(f.loop, peer, "abc", text, sizeof(text)), 3);
    CHECK(tr_net_stream_is_local(f.stream));
    (void)close(peer);
    tr_owner_close(&f);
}

TEST(a_stream_gathers_the_writes_of_one_turn)
{
    struct tr_owner f;
    char text[64];
    int peer = open_socket(&f, 0);
    CHECK_OK(tr_owner_write(&f, "one "), NULL);
    CHECK_OK(tr_owner_write(&f, "two "), NULL);
    CHECK_INT(tr_net_stream_queued(f.stream), 8);
    CHECK(recv(peer, text, sizeof(text), MSG_DONTWAIT) < 0);
    const tr_str late = TR_STR("three");
    CHECK_OK(tr_net_stream_send(f.stream, &late, 1, NULL), NULL);
    (void)tr_loop_turn(f.loop);
    CHECK_INT(recv(peer, text, sizeof(text), MSG_DONTWAIT), 13);
    CHECK(memcmp(text, "one two three", 13) == 0);
    CHECK_INT(tr_net_stream_queued(f.stream), 0);
    (void)close(peer);
    tr_owner_close(&f);
}

/* All or nothing: a part of a message would garble the next. */
TEST(a_stream_bounds_what_waits_and_sends_it_in_the_end)
{
    enum { MAX = 1000000, PART = 300000 };
    struct tr_owner f;
    static char bytes[PART];
    static char got[8 * PART];
    int peer = open_socket(&f, MAX);
    const tr_str part = {bytes, sizeof(bytes)};
    size_t sent = 0;
    tr_status st = TR_OK;
    while ((st = tr_net_stream_send(f.stream, &part, 1, NULL)) == TR_OK)
        sent += PART;
    CHECK_INT(st, TR_E_LIMIT);
    CHECK(tr_net_stream_queued(f.stream) <= MAX);
    CHECK_INT(tr_net_stream_sent(f.stream) + tr_net_stream_queued(f.stream),
              sent);
    CHECK_INT(tr_owner_write(&f, "small"), TR_OK);
    tr_peer_settle(f.loop);
    CHECK_INT(f.drains, 0);
    size_t len = 0;
    while (f.drains == 0) {
        ssize_t count = recv(peer, got, sizeof(got), MSG_DONTWAIT);
        len += count > 0 ? (size_t)count : 0;
        tr_peer_settle(f.loop);
    }
    CHECK_INT(tr_net_stream_queued(f.stream), 0);
    tr_net_stream_finish(f.stream);
    len += tr_peer_read(f.loop, peer, "", got, sizeof(got));
    CHECK_INT(len, sent + 5);
    (void)close(peer);
    tr_owner_close(&f);
}

TEST(a_stream_ends_each_way_on_its_own)
{
    struct tr_owner f;
    char text[64];
    int peer = open_socket(&f, 0);
    CHECK(shutdown(peer, SHUT_WR) == 0);
    tr_peer_settle(f.loop);
    CHECK_INT(f.ends, 1);
    CHECK_INT(f.end, TR_OK);
    CHECK_OK(tr_owner_write(&f, "still here"), NULL);
    tr_net_stream_finish(f.stream);
    CHECK_INT(tr_owner_write(&f, "too late"), TR_E_IO);
    CHECK_INT(tr_peer_read(f.loop, peer, "", text, sizeof(text)), 10);
    (void)close(peer);
    tr_owner_close(&f);
}

TEST(a_stream_tells_once_that_it_is_broken)
{
    struct tr_owner f;
    int peer = open_socket(&f, 0);
    tr_net_stream_pause(f.stream);
    (void)close(peer);
    CHECK_INT(f.ends, 0);
    const tr_str part = TR_STR("x");
    CHECK_INT(tr_net_stream_send(f.stream, &part, 1, NULL), TR_E_IO);
    CHECK_INT(f.ends, 0); /* not from inside our own call */
    tr_peer_settle(f.loop);
    CHECK_INT(f.ends, 1);
    CHECK_INT(f.end, TR_E_IO);
    CHECK_INT(tr_net_stream_send(f.stream, &part, 1, NULL), TR_E_IO);
    tr_net_stream_resume(f.stream);
    tr_peer_settle(f.loop);
    CHECK_INT(f.ends, 1);
    tr_owner_close(&f);
}

TEST(a_stream_without_room_is_broken)
{
    struct tr_owner f;
    int peer = open_socket(&f, 0);
    f.no_room = true;
    tr_peer_send(f.loop, peer, TR_STR("x"));
    tr_peer_settle(f.loop);
    CHECK_INT(f.ends, 1);
    CHECK_INT(f.end, TR_E_IO);
    (void)close(peer);
    tr_owner_close(&f);
}

TEST(a_paused_stream_reads_on_where_it_was)
{
    struct tr_owner f;
    int peer = open_socket(&f, 0);
    tr_net_stream_pause(f.stream);
    tr_peer_send(f.loop, peer, TR_STR("later"));
    tr_peer_settle(f.loop);
    CHECK_INT(f.got.len, 0);
    tr_net_stream_resume(f.stream);
    tr_peer_settle(f.loop);
    CHECK_STR(tr_buf_str(&f.got), "later");
    (void)close(peer);
    tr_owner_close(&f);
}

static bool is_closed(void *data)
{
    return ((struct tr_owner *)data)->closed;
}

TEST(a_stream_can_close_itself_once_all_is_sent)
{
    struct tr_owner f;
    static char bytes[500000];
    static char got[600000];
    int peer = open_socket(&f, 0);
    const tr_str part = {bytes, sizeof(bytes)};
    CHECK_OK(tr_net_stream_send(f.stream, &part, 1, NULL), NULL);
    tr_net_stream_close_when_sent(f.stream);
    tr_peer_settle(f.loop);
    CHECK(!f.closed);
    CHECK_INT(tr_peer_read(f.loop, peer, "", got, sizeof(got)), sizeof(bytes));
    tr_peer_until(f.loop, is_closed, &f);
    tr_owner_close(&f);
    (void)close(peer);
}

/* Who waits for what was sent must hear that it never will be. */
TEST(a_stream_that_breaks_after_its_peer_has_ended_says_so)
{
    for (int i = 0; i < 2; i++) {
        struct tr_owner f;
        int peer = open_socket(&f, 0);
        CHECK(shutdown(peer, SHUT_WR) == 0);
        tr_peer_settle(f.loop);
        CHECK_INT(f.end, TR_OK);
        CHECK_OK(tr_owner_write(&f, "nobody reads this"), NULL);
        if (i == 1)
            tr_net_stream_close_when_sent(f.stream);
        (void)close(peer);
        tr_peer_settle(f.loop);
        CHECK_INT(f.ends, i == 1 ? 1 : 2);
        CHECK_INT(f.end, i == 1 ? TR_OK : TR_E_IO);
        CHECK(f.closed == (i == 1));
        tr_owner_close(&f);
    }
}

TEST(a_stream_sends_what_it_can_when_it_is_pushed)
{
    struct tr_owner f;
    char text[64];
    int peer = open_socket(&f, 0);
    CHECK_OK(tr_owner_write(&f, "now"), NULL);
    tr_net_stream_push(f.stream);
    CHECK_INT(tr_net_stream_queued(f.stream), 0);
    CHECK_INT(recv(peer, text, sizeof(text), MSG_DONTWAIT), 3);
    CHECK_INT(f.drains, 0); /* not from inside our own call */
    tr_peer_settle(f.loop);
    CHECK_INT(f.drains, 1);
    CHECK(tr_net_stream_is_local(f.stream));
    (void)close(peer);
    tr_owner_close(&f);
}
