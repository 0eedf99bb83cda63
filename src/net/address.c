#include "base/ascii.h"
#include "net/listener.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static tr_status parse_port(tr_str text, in_port_t *out, struct tr_err *err)
{
    int64_t port = 0;
    if (!tr_str_to_i64(text, &port) || text.ptr[0] == '-' || port > 65535)
        return tr_fail(err, TR_E_INVALID, "'%.*s' is not a port: 0 to 65535",
                       TR_FMT(text));
    *out = htons((in_port_t)port);
    return TR_OK;
}

static bool put_ipv4(tr_str host, in_port_t port, struct tr_net_address *out)
{
    char text[INET_ADDRSTRLEN];
    struct sockaddr_in ip = {.sin_family = AF_INET, .sin_port = port};
    if (host.len >= sizeof(text))
        return false;
    (void)snprintf(text, sizeof(text), "%.*s", TR_FMT(host));
    if (inet_pton(AF_INET, text, &ip.sin_addr) != 1)
        return false;
    memcpy(&out->storage, &ip, sizeof(ip));
    out->len = sizeof(ip);
    return true;
}

static bool put_ipv6(tr_str host, in_port_t port, struct tr_net_address *out)
{
    char text[INET6_ADDRSTRLEN];
    struct sockaddr_in6 ip = {.sin6_family = AF_INET6, .sin6_port = port};
    if (host.len < 2 || host.len - 2 >= sizeof(text) || host.ptr[0] != '[' ||
        host.ptr[host.len - 1] != ']')
        return false;
    (void)snprintf(text, sizeof(text), "%.*s", (int)host.len - 2, host.ptr + 1);
    if (inet_pton(AF_INET6, text, &ip.sin6_addr) != 1)
        return false;
    memcpy(&out->storage, &ip, sizeof(ip));
    out->len = sizeof(ip);
    return true;
}

/* Splits at the last colon: those of IPv6 stand before it, in brackets. */
static void split(tr_str text, tr_str *host, tr_str *port)
{
    *host = (tr_str){text.ptr, 0};
    *port = text;
    for (size_t i = text.len; i > 0; i--) {
        if (text.ptr[i - 1] == ':') {
            *host = (tr_str){text.ptr, i - 1};
            *port = tr_str_skip(text, i);
            return;
        }
    }
}

/* In "[::1]" the last colon is one of the address; in "localhost" is none. */
static bool lacks_port(tr_str text, tr_str port)
{
    size_t digits = 0;
    while (digits < port.len && tr_ascii_is_digit(port.ptr[digits]))
        digits++;
    return port.len == 0 || port.ptr[port.len - 1] == ']' ||
           (port.len == text.len && digits < port.len);
}

tr_status tr_net_address_parse(tr_str text, struct tr_net_address *out,
                               struct tr_err *err)
{
    struct tr_net_address address = {0};
    tr_str host;
    tr_str port_text;
    in_port_t port = 0;

    split(text, &host, &port_text);
    if (lacks_port(text, port_text))
        return tr_fail(err, TR_E_INVALID,
                       "'%.*s' has no port: write it as 127.0.0.1:8000",
                       TR_FMT(text));
    TR_TRY(parse_port(port_text, &port, err));
    if (host.len == 0 || tr_str_eq(host, TR_STR("localhost")))
        host = TR_STR("127.0.0.1");
    if (!put_ipv4(host, port, &address) && !put_ipv6(host, port, &address))
        return tr_fail(err, TR_E_INVALID,
                       "'%.*s' is not an IP address; IPv6 stands in brackets",
                       TR_FMT(host));
    *out = address;
    return TR_OK;
}

unsigned tr_net_address_port(const struct tr_net_address *address)
{
    if (address->storage.ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)&address->storage)->sin_port);
    if (address->storage.ss_family == AF_INET6)
        return ntohs(
            ((const struct sockaddr_in6 *)&address->storage)->sin6_port);
    return 0;
}

bool tr_net_address_is_any(const struct tr_net_address *address)
{
    if (address->storage.ss_family == AF_INET)
        return ((const struct sockaddr_in *)&address->storage)
                   ->sin_addr.s_addr == htonl(INADDR_ANY);
    return address->storage.ss_family == AF_INET6 &&
           IN6_IS_ADDR_UNSPECIFIED(
               &((const struct sockaddr_in6 *)&address->storage)->sin6_addr);
}

void tr_net_address_write(const struct tr_net_address *address, unsigned port,
                          char out[TR_NET_ADDRESS_BYTES])
{
    char host[INET6_ADDRSTRLEN] = "";
    bool is_any = tr_net_address_is_any(address);
    if (address->storage.ss_family == AF_INET6) {
        const struct sockaddr_in6 *ip =
            (const struct sockaddr_in6 *)&address->storage;
        (void)inet_ntop(AF_INET6, is_any ? &in6addr_loopback : &ip->sin6_addr,
                        host, sizeof(host));
        (void)snprintf(out, TR_NET_ADDRESS_BYTES, "[%s]:%u", host, port);
        return;
    }
    const struct in_addr loopback = {htonl(INADDR_LOOPBACK)};
    const struct sockaddr_in *ip =
        (const struct sockaddr_in *)&address->storage;
    (void)inet_ntop(AF_INET, is_any ? &loopback : &ip->sin_addr, host,
                    sizeof(host));
    (void)snprintf(out, TR_NET_ADDRESS_BYTES, "%s:%u", host, port);
}

bool tr_net_address_is_loopback(const struct tr_net_address *address)
{
    if (address->storage.ss_family == AF_INET) {
        const struct sockaddr_in *ip =
            (const struct sockaddr_in *)&address->storage;
        return ntohl(ip->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    }
    if (address->storage.ss_family == AF_INET6) {
        const struct in6_addr *ip =
            &((const struct sockaddr_in6 *)&address->storage)->sin6_addr;
        return IN6_IS_ADDR_LOOPBACK(ip) ||
               (IN6_IS_ADDR_V4MAPPED(ip) && ip->s6_addr[12] == IN_LOOPBACKNET);
    }
    return true;
}

bool tr_net_host_is_loopback(tr_str host)
{
    struct tr_net_address address = {0};
    return (put_ipv4(host, 0, &address) || put_ipv6(host, 0, &address)) &&
           tr_net_address_is_loopback(&address);
}
