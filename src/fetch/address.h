/*
 * fetch/address.h - addresses that only this machine or its network can reach.
 */
#ifndef TR_FETCH_ADDRESS_H
#define TR_FETCH_ADDRESS_H

#include "base/str.h"

struct sockaddr;

/*
 * NULL for an address that everybody can reach; else what it is, such as
 * "loopback". IPv4 inside of IPv6 is looked at as what it stands for.
 */
const char *tr_fetch_address_kind(const struct sockaddr *address);

/* The same for an address as text, as inet_ntop writes it. */
const char *tr_fetch_address_text_kind(const char *text);

#endif
