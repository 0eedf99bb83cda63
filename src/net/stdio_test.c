#include "base/test.h"
#include "loop/loop.h"
#include "net/stream.h"
#include "support/owner.h"
#include "support/peer.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

/* Pipes, the usual way in which a client starts a server. */
TEST(a_pair_of_pipes_is_a_stream)
{
    struct tr_owner f;
    int to[2];
    int from[2];
    char text[16] = "";
    tr_owner_open(&f);
    CHECK(pipe(to) == 0 && pipe(from) == 0);
    const int in_out[2] = {to[0], from[1]};
    CHECK_OK(tr_net_stream_open_pair(f.loop, in_out, 0, &f.stream, NULL), NULL);
    tr_net_stream_start(f.stream, &tr_owner_ops, &f);
    CHECK_INT(write(to[1], "ping\n", 5), 5);
    tr_peer_settle(f.loop);
    CHECK_STR(tr_buf_str(&f.got), "ping\n");
    CHECK_OK(tr_owner_write(&f, "pong\n"), NULL);
    tr_peer_settle(f.loop);
    CHECK_INT(read(from[0], text, sizeof(text)), 5);
    (void)close(to[1]);
    tr_peer_settle(f.loop);
    CHECK_INT(f.ends, 1);
    CHECK_INT(f.end, TR_OK);
    tr_owner_close(&f);
    CHECK_INT(read(from[0], text, sizeof(text)), 0); /* ours is closed */
    (void)close(from[0]);
}

static void make_pipe(int ends[2])
{
    CHECK(pipe(ends) == 0);
}

static void make_sockets(int ends[2])
{
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
}

/* Neither has anything been asked, nor is there anything to be sent. */
TEST(a_pair_is_broken_when_nobody_reads_it)
{
    static void (*const kinds[])(int ends[2]) = {make_pipe, make_sockets};
    for (size_t i = 0; i < TR_LEN(kinds); i++) {
        struct tr_owner f;
        int to[2];
        int from[2];
        tr_owner_open(&f);
        kinds[i](to);
        kinds[i](from);
        const int in_out[2] = {to[0], from[1]};
        CHECK_OK(tr_net_stream_open_pair(f.loop, in_out, 0, &f.stream, NULL),
                 NULL);
        tr_net_stream_start(f.stream, &tr_owner_ops, &f);
        tr_peer_settle(f.loop);
        CHECK_INT(f.ends, 0);
        (void)close(from[0]);
        tr_peer_settle(f.loop);
        CHECK_INT(f.ends, 1);
        CHECK_INT(f.end, TR_E_IO);
        tr_net_stream_close_when_sent(
            f.stream); /* there is nothing to wait for */
        tr_peer_settle(f.loop);
        CHECK(f.closed);
        tr_owner_close(&f);
        (void)close(to[1]);
    }
}

TEST(who_only_stops_writing_is_still_written_to)
{
    struct tr_owner f;
    int ends[2];
    char text[16] = "";
    tr_owner_open(&f);
    make_sockets(ends);
    const int in_out[2] = {ends[0], dup(ends[0])};
    CHECK_OK(tr_net_stream_open_pair(f.loop, in_out, 0, &f.stream, NULL), NULL);
    tr_net_stream_start(f.stream, &tr_owner_ops, &f);
    CHECK(shutdown(ends[1], SHUT_WR) == 0);
    tr_peer_settle(f.loop);
    CHECK_INT(f.ends, 1);
    CHECK_INT(f.end, TR_OK);
    CHECK_OK(tr_owner_write(&f, "pong\n"), NULL);
    tr_peer_settle(f.loop);
    CHECK_INT(read(ends[1], text, sizeof(text)), 5);
    (void)close(ends[1]);
    tr_peer_settle(f.loop);
    CHECK_INT(f.ends, 2);
    CHECK_INT(f.end, TR_E_IO);
    tr_owner_close(&f);
}

static int temporary_file(const char *text)
{
    char path[] = "/tmp/trails-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    (void)unlink(path);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static bool has_ended(void *data)
{
    return ((struct tr_owner *)data)->ends > 0;
}

TEST(files_are_read_to_their_end_and_written_at_once)
{
    struct tr_owner f;
    static char large[30001];
    char text[16] = "";
    tr_owner_open(&f);
    memset(large, 'l', sizeof(large) - 1);
    const int in_out[2] = {temporary_file(large), temporary_file("")};
    int copy = dup(in_out[1]);
    CHECK_OK(tr_net_stream_open_pair(f.loop, in_out, 0, &f.stream, NULL), NULL);
    tr_net_stream_start(f.stream, &tr_owner_ops, &f);
    tr_peer_until(f.loop, has_ended, &f);
    CHECK_INT(f.end, TR_OK);
    CHECK_INT(f.got.len, 30000);
    CHECK_OK(tr_owner_write(&f, "out"), NULL);
    tr_peer_settle(f.loop);
    CHECK_INT(pread(copy, text, sizeof(text), 0), 3);
    (void)close(copy);
    tr_owner_close(&f);
}

TEST(a_terminal_is_a_stream)
{
    struct tr_owner f;
    int master;
    int slave;
    struct termios mode;
    char text[64] = "";
    tr_owner_open(&f);
    CHECK(openpty(&master, &slave, NULL, NULL, NULL) == 0);
    CHECK(tcgetattr(slave, &mode) == 0);
    cfmakeraw(&mode);
    CHECK(tcsetattr(slave, TCSANOW, &mode) == 0);
    const int in_out[2] = {slave, dup(slave)};
    CHECK_OK(tr_net_stream_open_pair(f.loop, in_out, 0, &f.stream, NULL), NULL);
    tr_net_stream_start(f.stream, &tr_owner_ops, &f);
    CHECK_INT(write(master, "line\n", 5), 5);
    tr_peer_settle(f.loop);
    CHECK_STR(tr_buf_str(&f.got), "line\n");
    CHECK_OK(tr_owner_write(&f, "answer"), NULL);
    tr_peer_settle(f.loop);
    CHECK_INT(read(master, text, sizeof(text)), 6);
    tr_owner_close(&f);
    (void)close(master);
}

/* A stray print must not reach the client. */
TEST(standard_output_is_reserved_for_the_protocol)
{
    struct tr_owner f;
    int to[2];
    int from[2];
    int stray[2];
    char text[64] = "";
    int old[3] = {dup(0), dup(1), dup(2)};
    tr_owner_open(&f);
    CHECK(pipe(to) == 0 && pipe(from) == 0 && pipe(stray) == 0);
    (void)fflush(stdout);
    CHECK(dup2(to[0], 0) == 0 && dup2(from[1], 1) == 1 &&
          dup2(stray[1], 2) == 2);
    tr_status st = tr_net_stdio_open(f.loop, 0, &f.stream, NULL);
    if (st == TR_OK) {
        tr_net_stream_start(f.stream, &tr_owner_ops, &f);
        ssize_t printed = write(STDOUT_FILENO, "stray", 5);
        (void)printed;
        st = tr_owner_write(&f, "message\n");
        tr_peer_settle(f.loop);
    }
    for (int i = 0; i < 3; i++) {
        (void)dup2(old[i], i);
        (void)close(old[i]);
    }
    CHECK_OK(st, NULL);
    CHECK_INT(read(from[0], text, sizeof(text)), 8);
    CHECK(memcmp(text, "message\n", 8) == 0);
    CHECK_INT(read(stray[0], text, sizeof(text)), 5);
    tr_owner_close(&f);
    const int all[] = {to[0], to[1], from[0], from[1], stray[0], stray[1]};
    for (size_t i = 0; i < TR_LEN(all); i++)
        (void)close(all[i]);
}

static tr_status open_and_close(void *context, struct tr_err *err)
{
    struct tr_owner *f = context;
    int ends[2];
    int more[2];
    struct tr_net_stream *stream = NULL;
    struct tr_net_stream *pair = NULL;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(pipe(more) == 0);
    tr_status st = tr_net_stream_open(f->loop, ends[0], 0, &stream, err);
    tr_status also = tr_net_stream_open_pair(f->loop, more, 0, &pair, err);
    tr_net_stream_close(stream);
    tr_net_stream_close(pair);
    while (tr_loop_turn(f->loop))
        ;
    (void)close(ends[1]);
    return st != TR_OK ? st : also;
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1000; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

TEST(opening_fails_cleanly_without_memory)
{
    struct tr_owner f;
    tr_owner_open(&f);
    CHECK_OK(open_and_close(&f, NULL), NULL); /* libuv keeps a spare one */
    int before = open_descriptors();
    tr_test_sweep(open_and_close, &f);
    CHECK_INT(open_descriptors(), before);
    tr_loop_free(f.loop);
    tr_buf_done(&f.got);
}
