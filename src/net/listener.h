/*
 * net/listener.h - accepts connections on a TCP address or a Unix socket.
 *
 * When the process is out of descriptors the listener pauses instead of
 * spinning; peers wait in the backlog. After tr_net_listener_close the loop
 * frees it.
 */
#ifndef TR_NET_LISTENER_H
#define TR_NET_LISTENER_H

#include "base/err.h"

#include <sys/socket.h>

struct tr_net_listener;
struct tr_loop;

/* Gets a connected, non-blocking socket, and owns it. */
typedef void tr_net_accept_fn(void *owner, int fd);

struct tr_net_listen_opts {
    tr_str address; /* "127.0.0.1:8000", "[::1]:0", "localhost:8000" */
    tr_str path;    /* when not empty: of a Unix socket, mode 0600 */
    int backlog;    /* 1024 */
    tr_net_accept_fn *on_accept;
    void *owner;
};

/*
 * Starts to listen. A socket file that nobody listens on is replaced;
 * TR_E_CONFLICT when somebody does, or when the address is in use. TR_E_INVALID
 * for a wrong address.
 */
TR_NODISCARD tr_status tr_net_listener_open(
    struct tr_loop *loop, const struct tr_net_listen_opts *opts,
    struct tr_net_listener **out, struct tr_err *err);

/* The TCP port it listens on; 0 for a Unix socket. */
unsigned tr_net_listener_port(const struct tr_net_listener *listener);

/* Accepts no more; removes the socket file. NULL is allowed. */
void tr_net_listener_close(struct tr_net_listener *listener);

/* An address, as the system has it. */
struct tr_net_address {
    struct sockaddr_storage storage;
    socklen_t len;
};

/*
 * Reads an IP address with a port: "127.0.0.1:8000", "[::1]:0"; "localhost"
 * stands for 127.0.0.1, and so does a port alone: "8000", ":8000".
 */
TR_NODISCARD tr_status tr_net_address_parse(tr_str text,
                                            struct tr_net_address *out,
                                            struct tr_err *err);

/* The port, in the machine's byte order; 0 for a Unix socket. */
unsigned tr_net_address_port(const struct tr_net_address *address);

/* Whether it stands for all addresses of this machine. */
bool tr_net_address_is_any(const struct tr_net_address *address);

/* The longest "[IPv6]:65535", with its end. */
#define TR_NET_ADDRESS_BYTES 64

/*
 * Writes "HOST:PORT", where somebody on this machine can connect to what
 * listens on this address and port: an address that stands for all is none to
 * connect to.
 */
void tr_net_address_write(const struct tr_net_address *address, unsigned port,
                          char out[TR_NET_ADDRESS_BYTES]);

/* Whether it is a loopback address: only this machine can reach it. */
bool tr_net_address_is_loopback(const struct tr_net_address *address);

/* The same of an address without a port: "127.0.0.1", "[::1]". */
bool tr_net_host_is_loopback(tr_str host);

#endif
