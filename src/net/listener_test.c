#include "net/listener.h"

#include "base/test.h"
#include "loop/loop.h"
#include "support/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct fixture {
    struct tr_loop *loop;
    struct tr_net_listener *listener;
    unsigned accepted;
};

static void on_accept(void *owner, int fd)
{
    struct fixture *f = owner;
    f->accepted++;
    (void)close(fd);
}

static void open_loop(struct fixture *f)
{
    const struct tr_loop_opts opts = {.test_clock = true};
    *f = (struct fixture){0};
    CHECK_OK(tr_loop_create(&opts, &f->loop, NULL), NULL);
}

static tr_status listen_at(struct fixture *f, const char *address,
                           const char *path, struct tr_net_listener **out)
{
    struct tr_err err = {0};
    const struct tr_net_listen_opts opts = {.address = tr_str_from(address),
                                            .path = tr_str_from(path),
                                            .on_accept = on_accept,
                                            .owner = f};
    return tr_net_listener_open(f->loop, &opts, out, &err);
}

static void close_all(struct fixture *f)
{
    tr_net_listener_close(f->listener);
    while (tr_loop_turn(f->loop))
        ;
    tr_loop_free(f->loop);
}

TEST(a_listener_picks_a_free_port_and_accepts)
{
    struct fixture f;
    open_loop(&f);
    CHECK_INT(listen_at(&f, "127.0.0.1:0", "", &f.listener), TR_OK);
    unsigned port = tr_net_listener_port(f.listener);
    for (int i = 0; i < 3; i++)
        (void)close(tr_peer_connect(port));
    tr_peer_settle(f.loop);
    CHECK_INT(f.accepted, 3);
    close_all(&f);
}

TEST(a_listener_says_that_an_address_is_in_use)
{
    struct fixture f;
    struct tr_net_listener *second = NULL;
    char address[32];
    open_loop(&f);
    CHECK_INT(listen_at(&f, "127.0.0.1:0", "", &f.listener), TR_OK);
    (void)snprintf(address, sizeof(address), "127.0.0.1:%u",
                   tr_net_listener_port(f.listener));
    CHECK_INT(listen_at(&f, address, "", &second), TR_E_CONFLICT);
    CHECK_INT(listen_at(&f, "nonsense", "", &second), TR_E_INVALID);
    CHECK_INT(listen_at(&f, "192.0.2.1:0", "", &second), TR_E_IO);
    tr_net_listener_close(NULL);
    close_all(&f);
}

/* Whatever it asks for: a second process would get some of the connections. */
TEST(nobody_can_share_the_port_of_a_listener)
{
    struct fixture f;
    int on = 1;
    open_loop(&f);
    CHECK_INT(listen_at(&f, "127.0.0.1:0", "", &f.listener), TR_OK);
    const struct sockaddr_in same = {
        .sin_family = AF_INET,
        .sin_port = htons((in_port_t)tr_net_listener_port(f.listener)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
          setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)) == 0);
    CHECK(bind(fd, (const struct sockaddr *)&same, sizeof(same)) != 0);
    CHECK_INT(errno, EADDRINUSE);
    (void)close(fd);
    close_all(&f);
}

static bool connects(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool connected = connect(fd, (struct sockaddr *)&name, sizeof(name)) == 0;
    (void)close(fd);
    return connected;
}

/* Leaves a socket file behind, as a process does that was killed. */
static void leave_socket(const char *path)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(fd, (struct sockaddr *)&name, sizeof(name)) == 0);
    (void)close(fd);
}

TEST(a_unix_socket_is_private_and_goes_away)
{
    struct fixture f;
    struct stat file;
    char folder[] = "/tmp/trails-XXXXXX";
    char path[64];
    CHECK(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/socket", folder);
    open_loop(&f);
    CHECK_INT(listen_at(&f, "", path, &f.listener), TR_OK);
    CHECK_INT(tr_net_listener_port(f.listener), 0);
    CHECK(stat(path, &file) == 0);
    CHECK_INT(file.st_mode & 0777, 0600);
    CHECK(connects(path));
    tr_peer_settle(f.loop);
    CHECK_INT(f.accepted, 1);
    close_all(&f);
    CHECK(stat(path, &file) != 0);
    CHECK(rmdir(folder) == 0);
}

TEST(a_unix_socket_replaces_only_what_nobody_listens_on)
{
    struct fixture f;
    struct tr_net_listener *second = NULL;
    char folder[] = "/tmp/trails-XXXXXX";
    char path[64];
    char text[64];
    CHECK(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/socket", folder);
    (void)snprintf(text, sizeof(text), "%s/text", folder);
    leave_socket(path);
    open_loop(&f);
    CHECK_INT(listen_at(&f, "", path, &f.listener), TR_OK);
    CHECK_INT(listen_at(&f, "", path, &second), TR_E_CONFLICT);
    CHECK(connects(path));

    int file = open(text, O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0);
    (void)close(file);
    CHECK_INT(listen_at(&f, "", text, &second), TR_E_CONFLICT);
    CHECK(unlink(text) == 0);
    CHECK_INT(listen_at(&f, "", "/nonexistent/socket", &second), TR_E_IO);
    char too_long[200];
    memset(too_long, 'x', sizeof(too_long) - 1);
    too_long[sizeof(too_long) - 1] = '\0';
    CHECK_INT(listen_at(&f, "", too_long, &second), TR_E_INVALID);
    close_all(&f);
    CHECK(rmdir(folder) == 0);
}

/* Out of descriptors it waits; then it goes on where it was. */
TEST(a_listener_pauses_without_descriptors)
{
    struct fixture f;
    struct rlimit old;
    open_loop(&f);
    CHECK_INT(listen_at(&f, "127.0.0.1:0", "", &f.listener), TR_OK);
    int peer = tr_peer_connect(tr_net_listener_port(f.listener));
    CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
    struct rlimit none = {.rlim_cur = (rlim_t)peer + 1,
                          .rlim_max = old.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
    tr_peer_settle(f.loop);
    CHECK_INT(f.accepted, 0);
    tr_loop_step(f.loop, 100); /* tries again, in vain */
    tr_peer_settle(f.loop);
    CHECK_INT(f.accepted, 0);
    CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
    tr_peer_settle(f.loop);
    CHECK_INT(f.accepted, 0);
    tr_loop_step(f.loop, 100);
    tr_peer_settle(f.loop);
    CHECK_INT(f.accepted, 1);
    (void)close(peer);
    close_all(&f);
}

static tr_status listen_once(void *context, struct tr_err *err)
{
    struct fixture *f = context;
    struct tr_net_listener *listener = NULL;
    const struct tr_net_listen_opts opts = {
        .address = TR_STR("127.0.0.1:0"), .on_accept = on_accept, .owner = f};
    TR_TRY(tr_net_listener_open(f->loop, &opts, &listener, err));
    tr_net_listener_close(listener);
    while (tr_loop_turn(f->loop))
        ;
    return TR_OK;
}

TEST(listening_fails_cleanly_without_memory)
{
    struct fixture f;
    open_loop(&f);
    tr_test_sweep(listen_once, &f);
    tr_loop_free(f.loop);
}
