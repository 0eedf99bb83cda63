#include "base/test.h"
#include "net/listener.h"

static const struct {
    const char *text;
    int family;
    unsigned port;
    bool loopback;
} good[] = {
    {"127.0.0.1:8000", AF_INET, 8000, true},
    {"127.1.2.3:0", AF_INET, 0, true},
    {"0.0.0.0:65535", AF_INET, 65535, false},
    {"192.0.2.1:80", AF_INET, 80, false},
    {"localhost:1", AF_INET, 1, true},
    {":8000", AF_INET, 8000, true},
    {"8000", AF_INET, 8000, true},
    {"[::1]:0", AF_INET6, 0, true},
    {"[::]:8000", AF_INET6, 8000, false},
    {"[2001:db8::1]:443", AF_INET6, 443, false},
    {"[::ffff:127.0.0.1]:80", AF_INET6, 80, true},
    {"[::ffff:192.0.2.1]:80", AF_INET6, 80, false},
};

static const char *const bad[] = {
    "",
    ":",
    "127.0.0.1",
    "127.0.0.1:",
    "127.0.0.1:-1",
    "127.0.0.1:65536",
    "127.0.0.1:http",
    "127.0.0:80",
    "::1:80",
    "[::1]",
    "[::1:80",
    "[]:80",
    "[127.0.0.1]:80",
    "example.com:80",
    "256.0.0.1:80",
    "1.2.3.4.5.6.7.8.9:80",
};

TEST(addresses_are_read_as_people_write_them)
{
    for (size_t i = 0; i < TR_LEN(good); i++) {
        struct tr_net_address address;
        struct tr_err err = {0};
        CHECK_OK(
            tr_net_address_parse(tr_str_from(good[i].text), &address, &err),
            &err);
        CHECK_ROW(address.storage.ss_family == good[i].family, good[i].text);
        CHECK_ROW(tr_net_address_port(&address) == good[i].port, good[i].text);
        CHECK_ROW(tr_net_address_is_loopback(&address) == good[i].loopback,
                  good[i].text);
    }
}

TEST(addresses_that_are_none_are_refused)
{
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        struct tr_net_address address;
        struct tr_err err = {0};
        CHECK_ROW(tr_net_address_parse(tr_str_from(bad[i]), &address, &err) ==
                      TR_E_INVALID,
                  bad[i]);
    }
}
