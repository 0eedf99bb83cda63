#include "fetch/address.h"

#include "base/test.h"

#include <arpa/inet.h>

static const struct {
    const char *text;
    const char *kind; /* NULL: everybody can reach it */
} rows[] = {
    {"1.1.1.1", NULL},
    {"9.255.255.255", NULL},
    {"11.0.0.0", NULL},
    {"100.63.255.255", NULL},
    {"100.128.0.0", NULL},
    {"172.15.255.255", NULL},
    {"172.32.0.0", NULL},
    {"192.167.255.255", NULL},
    {"223.255.255.255", NULL},
    {"0.0.0.0", "unspecified"},
    {"0.1.2.3", "unspecified"},
    {"10.0.0.1", "private"},
    {"100.64.0.1", "shared"},
    {"100.100.100.200", "shared"},
    {"127.0.0.1", "loopback"},
    {"127.255.255.254", "loopback"},
    {"168.63.129.16", "metadata"},
    {"168.63.129.17", NULL},
    {"169.254.169.254", "link-local"},
    {"172.16.0.1", "private"},
    {"172.31.255.255", "private"},
    {"192.0.0.192", "reserved"},
    {"192.0.2.1", "documentation"},
    {"192.88.99.1", "reserved"},
    {"192.168.1.1", "private"},
    {"198.18.0.1", "benchmark"},
    {"198.19.255.255", "benchmark"},
    {"198.51.100.1", "documentation"},
    {"203.0.113.1", "documentation"},
    {"224.0.0.1", "multicast"},
    {"239.255.255.255", "multicast"},
    {"240.0.0.1", "reserved"},
    {"255.255.255.255", "reserved"},
    {"2606:4700:4700::1111", NULL},
    {"2001:4860:4860::8888", NULL},
    {"::", "unspecified"},
    {"::1", "loopback"},
    {"::2", "reserved"},
    {"::7f00:1", "reserved"},
    {"::ffff:127.0.0.1", "loopback"},
    {"::ffff:10.1.2.3", "private"},
    {"::ffff:169.254.169.254", "link-local"},
    {"::ffff:1.1.1.1", NULL},
    {"::ffff:0:127.0.0.1", "reserved"},
    {"64:ff9b::127.0.0.1", "loopback"},
    {"64:ff9b::10.0.0.1", "private"},
    {"64:ff9b::1.1.1.1", NULL},
    {"64:ff9b:1::1.1.1.1", "reserved"},
    {"100::1", "reserved"},
    {"2001::1", "reserved"},
    {"2001:10::1", "reserved"},
    {"2001:db8::1", "documentation"},
    {"2002:7f00:1::", "6to4"},
    {"2002:101:101::", "6to4"},
    {"3fff::1", "documentation"},
    {"4000::1", "reserved"},
    {"5f00::1", "reserved"},
    {"fc00::1", "private"},
    {"fd00:ec2::254", "private"},
    {"fe80::1", "link-local"},
    {"febf::1", "link-local"},
    {"fec0::1", "private"},
    {"ff02::1", "multicast"},
};

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

TEST(an_address_that_only_neighbours_reach_is_told)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        struct sockaddr_in in = {.sin_family = AF_INET};
        const struct sockaddr *at = (const struct sockaddr *)&in6;
        if (inet_pton(AF_INET, rows[i].text, &in.sin_addr) == 1)
            at = (const struct sockaddr *)&in;
        else
            CHECK_INT(inet_pton(AF_INET6, rows[i].text, &in6.sin6_addr), 1);
        CHECK_ROW(is_same(tr_fetch_address_kind(at), rows[i].kind),
                  rows[i].text);
        CHECK_ROW(
            is_same(tr_fetch_address_text_kind(rows[i].text), rows[i].kind),
            rows[i].text);
    }
}

TEST(what_is_no_address_of_the_internet_is_local)
{
    const struct sockaddr other = {.sa_family = AF_UNIX};
    CHECK(is_same(tr_fetch_address_kind(&other), "local"));
    CHECK(is_same(tr_fetch_address_text_kind(""), "local"));
    CHECK(is_same(tr_fetch_address_text_kind("fe80::1%lo"), "local"));
}
