#include "fetch/address.h"

#include <arpa/inet.h>
#include <sys/socket.h>

struct range {
    unsigned char bits[16];
    unsigned length; /* of the prefix, in bits */
    const char *kind;
};

/* IANA IPv4 Special-Purpose Address Registry, and what clouds put beside it. */
static const struct range ipv4[] = {
    {{0}, 8, "unspecified"},
    {{10}, 8, "private"},
    {{100, 64}, 10, "shared"}, /* carrier-grade NAT, RFC 6598 */
    {{127}, 8, "loopback"},
    {{168, 63, 129, 16}, 32, "metadata"},
    {{169, 254}, 16, "link-local"},
    {{172, 16}, 12, "private"},
    {{192, 0, 0}, 24, "reserved"},
    {{192, 0, 2}, 24, "documentation"},
    {{192, 88, 99}, 24, "reserved"},
    {{192, 168}, 16, "private"},
    {{198, 18}, 15, "benchmark"},
    {{198, 51, 100}, 24, "documentation"},
    {{203, 0, 113}, 24, "documentation"},
    {{224}, 4, "multicast"},
    {{240}, 4, "reserved"},
};

/* The same for IPv6; what is not in 2000::/3 is refused without a row. */
static const struct range ipv6[] = {
    {{0x20, 0x01}, 23, "reserved"}, /* Teredo, ORCHID and others */
    {{0x20, 0x01, 0x0d, 0xb8}, 32, "documentation"},
    {{0x20, 0x02}, 16, "6to4"},
    {{0x3f, 0xff}, 20, "documentation"},
    {{0xfc}, 7, "private"},
    {{0xfe, 0x80}, 10, "link-local"},
    {{0xfe, 0xc0}, 10, "private"},
    {{0xff}, 8, "multicast"},
};

static const struct range loopback6 = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, "loopback"};
static const struct range unspecified6 = {{0}, 128, "unspecified"};
static const struct range global6 = {{0x20}, 3, NULL};

/* The last four bytes of these are an IPv4 address (RFC 4291, 6052). */
static const struct range mapped = {
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, NULL};
static const struct range nat64 = {{0, 0x64, 0xff, 0x9b}, 96, NULL};

static bool is_in(const unsigned char *address, const struct range *range)
{
    unsigned whole = range->length / 8;
    unsigned rest = range->length % 8;
    unsigned mask = 0xFFu << (8 - rest) & 0xFFu;
    return memcmp(address, range->bits, whole) == 0 &&
           (!rest || (address[whole] & mask) == range->bits[whole]);
}

static const char *find(const unsigned char *address,
                        const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (is_in(address, &ranges[i]))
            return ranges[i].kind;
    }
    return NULL;
}

static const char *kind_of_ipv4(const unsigned char *address)
{
    return find(address, ipv4, TR_LEN(ipv4));
}

static const char *kind_of_ipv6(const unsigned char *address)
{
    if (is_in(address, &mapped) || is_in(address, &nat64))
        return kind_of_ipv4(address + 12);
    if (is_in(address, &loopback6))
        return loopback6.kind;
    if (is_in(address, &unspecified6))
        return unspecified6.kind;
    const char *kind = find(address, ipv6, TR_LEN(ipv6));
    return kind || is_in(address, &global6) ? kind : "reserved";
}

const char *tr_fetch_address_kind(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof(in));
        return kind_of_ipv4((const unsigned char *)&in.sin_addr);
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof(in));
        return kind_of_ipv6(in.sin6_addr.s6_addr);
    }
    return "local";
}

const char *tr_fetch_address_text_kind(const char *text)
{
    unsigned char bytes[16];
    if (inet_pton(AF_INET, text, bytes) == 1)
        return kind_of_ipv4(bytes);
    if (inet_pton(AF_INET6, text, bytes) == 1)
        return kind_of_ipv6(bytes);
    return "local";
}
