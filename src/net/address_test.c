#include "base/test.h"
#include "net/listener.h"

static const struct {
    const char *text;
    int family;
    unsigned port;
    bool loopback;
    const char *open; /* how to reach port 8000 of it */
} good[] = {
    {"127.0.0.1:8000", AF_INET, 8000, true, "127.0.0.1:8000"},
    {"127.1.2.3:0", AF_INET, 0, true, "127.1.2.3:8000"},
    {"0.0.0.0:65535", AF_INET, 65535, false, "127.0.0.1:8000"},
    {"192.0.2.1:80", AF_INET, 80, false, "192.0.2.1:8000"},
    {"localhost:1", AF_INET, 1, true, "127.0.0.1:8000"},
    {":8000", AF_INET, 8000, true, "127.0.0.1:8000"},
    {"8000", AF_INET, 8000, true, "127.0.0.1:8000"},
    {"[::1]:0", AF_INET6, 0, true, "[::1]:8000"},
    {"[::]:8000", AF_INET6, 8000, false, "[::1]:8000"},
    {"[2001:db8::1]:443", AF_INET6, 443, false, "[2001:db8::1]:8000"},
    {"[::ffff:127.0.0.1]:80", AF_INET6, 80, true, "[::ffff:127.0.0.1]:8000"},
    {"[::ffff:192.0.2.1]:80", AF_INET6, 80, false, "[::ffff:192.0.2.1]:8000"},
};

static const struct {
    const char *text;
    const char *why;
} bad[] = {
    {"", "'' has no port"},
    {":", "':' has no port"},
    {"localhost", "'localhost' has no port"},
    {"127.0.0.1", "'127.0.0.1' has no port"},
    {"127.0.0.1:", "'127.0.0.1:' has no port"},
    {"[::1]", "'[::1]' has no port"},
    {"80900", "'80900' is not a port: 0 to 65535"},
    {":http", "'http' is not a port"},
    {"127.0.0.1:-1", "'-1' is not a port"},
    {"127.0.0.1:65536", "'65536' is not a port"},
    {"127.0.0.1:http", "'http' is not a port"},
    {"127.0.0.1:8000/mcp", "'8000/mcp' is not a port"},
    {"127.0.0:80", "'127.0.0' is not an IP address"},
    {"::1:80", "'::1' is not an IP address; IPv6 stands in brackets"},
    {"[::1:80", "'[::1' is not an IP address"},
    {"[]:80", "'[]' is not an IP address"},
    {"[127.0.0.1]:80", "'[127.0.0.1]' is not an IP address"},
    {"example.com:80", "'example.com' is not an IP address"},
    {"256.0.0.1:80", "'256.0.0.1' is not an IP address"},
    {"1.2.3.4.5.6.7.8.9:80", "'1.2.3.4.5.6.7.8.9' is not an IP address"},
};

TEST(addresses_are_read_as_people_write_them)
{
    for (size_t i = 0; i < TR_LEN(good); i++) {
        struct tr_net_address address;
        struct tr_err err = {0};
        char open[TR_NET_ADDRESS_BYTES];
        CHECK_OK(
            tr_net_address_parse(tr_str_from(good[i].text), &address, &err),
            &err);
        CHECK_ROW(address.storage.ss_family == good[i].family, good[i].text);
        CHECK_ROW(tr_net_address_port(&address) == good[i].port, good[i].text);
        CHECK_ROW(tr_net_address_is_loopback(&address) == good[i].loopback,
                  good[i].text);
        tr_net_address_write(&address, 8000, open);
        CHECK_STR(tr_str_from(open), good[i].open);
    }
}

TEST(addresses_that_are_none_are_refused)
{
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        struct tr_net_address address;
        struct tr_err err = {0};
        CHECK_ROW(tr_net_address_parse(tr_str_from(bad[i].text), &address,
                                       &err) == TR_E_INVALID,
                  bad[i].text);
        CHECK_ROW(strncmp(err.msg, bad[i].why, strlen(bad[i].why)) == 0,
                  err.msg);
    }
}
