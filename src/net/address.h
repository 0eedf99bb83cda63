/*
 * net/address.h - addresses as people write them.
 */
#ifndef TR_NET_ADDRESS_H
#define TR_NET_ADDRESS_H

#include "base/err.h"

#include <sys/socket.h>

struct tr_address {
    struct sockaddr_storage storage;
    socklen_t len;
};

/*
 * An IP address with a port: "127.0.0.1:8000", "[::1]:0"; "localhost" stands
 * for 127.0.0.1, and so does a port alone: "8000", ":8000".
 */
TR_NODISCARD tr_status tr_address_parse(tr_str text, struct tr_address *out,
                                        struct tr_err *err);

/* The port, in the machine's byte order; 0 for a Unix socket. */
unsigned tr_address_port(const struct tr_address *address);

/* Whether only this machine can reach it. */
bool tr_address_is_loopback(const struct tr_address *address);

#endif
