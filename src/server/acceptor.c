#include "server/acceptor.h"

#include "loop/loop.h"
#include "loop/thread.h"
#include "net/listener.h"
#include "server/worker.h"

#include <unistd.h>

/* A connection on its way to the loop that serves it. */
struct guest {
    struct tr_loop_parcel parcel;
    struct tr_server_worker *worker;
    int fd;
};

static void arrive(void *data)
{
    struct guest *guest = data;
    tr_server_worker_take(guest->worker, guest->fd);
    free(guest);
}

static void on_accept(void *owner, int fd)
{
    struct tr_server_acceptor *acceptor = owner;
    struct guest *guest = calloc(1, sizeof(*guest));
    if (!guest) {
        (void)close(fd);
        return;
    }
    guest->worker =
        &acceptor->workers[acceptor->turn++ % acceptor->worker_count];
    guest->fd = fd;
    guest->parcel = (struct tr_loop_parcel){.fn = arrive, .data = guest};
    tr_loop_deliver(guest->worker->loop, &guest->parcel);
}

tr_status tr_server_acceptor_open(struct tr_server_acceptor *acceptor,
                                  tr_str address, unsigned *port,
                                  struct tr_err *err)
{
    const struct tr_net_listen_opts opts = {
        .address = address, .on_accept = on_accept, .owner = acceptor};
    TR_TRY(tr_loop_create(NULL, &acceptor->loop, err));
    TR_TRY(
        tr_net_listener_open(acceptor->loop, &opts, &acceptor->listener, err));
    *port = tr_net_listener_port(acceptor->listener);
    return TR_OK;
}

static void *run(void *data)
{
    tr_loop_run(((struct tr_server_acceptor *)data)->loop);
    return NULL;
}

tr_status tr_server_acceptor_start(struct tr_server_acceptor *acceptor,
                                   struct tr_err *err)
{
    TR_TRY(tr_loop_thread_start(&acceptor->thread, run, acceptor, err));
    acceptor->has_thread = true;
    return TR_OK;
}

static void stop_listening(void *data)
{
    tr_net_listener_close(((struct tr_server_acceptor *)data)->listener);
}

void tr_server_acceptor_close(struct tr_server_acceptor *acceptor)
{
    struct tr_loop_parcel parcel = {.fn = stop_listening, .data = acceptor};
    if (!acceptor->loop)
        return;
    tr_loop_deliver(acceptor->loop, &parcel);
    if (acceptor->has_thread)
        (void)pthread_join(acceptor->thread, NULL);
    else
        tr_loop_run(acceptor->loop);
    tr_loop_free(acceptor->loop);
    acceptor->loop = NULL;
}
