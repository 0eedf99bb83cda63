#include "fetch/url.h"

#include "base/test.h"

static const struct {
    const char *text;
    const char *written;
} good[] = {
    {"https://a.example", "https://a.example/"},
    {"HTTPS://A.Example/X?y=1#z", "https://a.example/X?y=1"},
    {"https://a.example:443/", "https://a.example/"},
    {"http://a.example:8080?q", "http://a.example:8080/?q"},
    {"http://a.example:80", "http://a.example/"},
    {"https://[2001:DB8:0::1]:8443/a", "https://[2001:db8::1]:8443/a"},
    {"https://127.0.0.1/", "https://127.0.0.1/"},
    {"https://a_b-c.example/%7Ex/..x/x../...", NULL},
    {"https://xn--bcher-kva.example/", NULL},
    {"https://a.example//b//", NULL},
    {"https://a.example/group%2Fname", NULL},
    {"https://a.example/a?u=https://b.example/../c", NULL},
    {"https://a.example/a?u=%252e%252e/..;/%00", NULL},
    {"https://a.example/a;v=1/b;/...;x/..a;", NULL},
    {"https://a.example/100%25/%252541", NULL},
    {"https://4you.example.2a/", NULL},
};

static const struct {
    const char *text;
    unsigned column;
} bad[] = {
    {"", 1},
    {"a.example", 1},
    {"//a.example", 1},
    {"ftp://a.example", 1},
    {"file:///etc/passwd", 1},
    {"https:/a.example", 1},
    {"https:\\\\a.example", 7},
    {" https://a.example", 1},
    {"https://", 9},
    {"https:///a", 9},
    {"https://user@a.example/", 13},
    {"https://user:pass@a.example/", 14},
    {"https://api.example.com@evil.example/", 24},
    {"https://api.example.com:443@evil.example/", 25},
    {"https://a.example\\@evil.example/", 18},
    {"https://.a.example/", 9},
    {"https://a..example/", 11},
    {"https://a.example./", 18},
    {"https://a%2eexample/", 10},
    {"https://a example/", 10},
    {"https://a.example/\r\nHost: b", 19},
    {"https://a.example/\tb", 19},
    {"https://b\xc3\xbc"
     "cher.example/",
     10},
    {"https://a.example/\xc3\xbc", 19},
    {"https://a.example/a b", 20},
    {"https://a.example/{a}", 19},
    {"https://a.example/%", 19},
    {"https://a.example/%2", 19},
    {"https://a.example/%zz", 19},
    {"https://a.example/?%f", 20},
    {"https://a.example:0/", 19},
    {"https://a.example:/", 19},
    {"https://a.example:65536/", 19},
    {"https://a.example:-1/", 19},
    {"https://a.example:+1/", 19},
    {"https://a.example:0x1/", 19},
    {"https://2130706433/", 9},
    {"https://0x7f.1/", 9},
    {"https://0x7f000001/", 9},
    {"https://0177.0.0.1/", 9},
    {"https://127.1/", 9},
    {"https://1.2.3.4.5/", 9},
    {"https://256.0.0.1/", 9},
    {"https://[::1/", 10},
    {"https://[::1%25lo]/", 10},
    {"https://[127.0.0.1]/", 10},
    {"https://[]/", 10},
    {"https://[::1]x/", 14},
    {"https://a.example/..", 18},
    {"https://a.example/a/../b", 18},
    {"https://a.example/./b", 18},
    {"https://a.example/%2e%2E/b", 18},
    {"https://a.example/.%2e/b", 18},
    {"https://a.example/a/..%2fb", 18},
    {"https://a.example/a%2f..", 18},
    {"https://a.example/a%5c..%5cb", 18},
    {"https://a.example/%252e%252e/b", 18},
    {"https://a.example/%25%32%65./b", 18},
    {"https://a.example/a/..%252fb", 18},
    {"https://a.example/..;/b", 18},
    {"https://a.example/a/..;x=1", 18},
    {"https://a.example/.%2e%3b/b", 18},
    {"https://a.example/a/..%00/b", 18},
    {"https://a.example/a/..%20/b", 18},
    {"https://a.example/.%09", 18},
    {"https://a.example/%25252541", 18},
};

TEST(a_url_is_written_as_it_was_understood)
{
    for (size_t i = 0; i < TR_LEN(good); i++) {
        struct tr_fetch_url url;
        struct tr_err err = {0};
        struct tr_buf out;
        tr_buf_init(&out, 1024);
        CHECK_ROW(tr_fetch_url_read(tr_str_from(good[i].text), &url, &err) ==
                      TR_OK,
                  good[i].text);
        tr_fetch_url_write(&url, &out);
        CHECK_STR(tr_buf_str(&out),
                  good[i].written ? good[i].written : good[i].text);
        tr_buf_done(&out);
    }
}

TEST(what_could_be_taken_for_another_url_is_none)
{
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        struct tr_fetch_url url;
        struct tr_err err = {0};
        CHECK_ROW(tr_fetch_url_read(tr_str_from(bad[i].text), &url, &err) ==
                      TR_E_INVALID,
                  bad[i].text);
        CHECK_ROW(err.place.line == 1 && err.place.column == bad[i].column,
                  bad[i].text);
    }
}

TEST(a_url_may_hold_no_nul)
{
    struct tr_fetch_url url;
    CHECK_INT(tr_fetch_url_read(TR_STR("https://a.example\0.b/"), &url, NULL),
              TR_E_INVALID);
}

TEST(a_url_has_a_maximum)
{
    const tr_str start = TR_STR("https://a/");
    char text[TR_LIMIT_FETCH_URL + 1];
    struct tr_fetch_url url;
    struct tr_err err = {0};
    memset(text, 'a', sizeof(text));
    memcpy(text, start.ptr, start.len);
    CHECK_OK(tr_fetch_url_read((tr_str){text, sizeof(text) - 1}, &url, &err),
             &err);
    CHECK_INT(tr_fetch_url_read((tr_str){text, sizeof(text)}, &url, &err),
              TR_E_LIMIT);
    memset(text + 8, 'a', 254);
    CHECK_OK(tr_fetch_url_read((tr_str){text, 8 + 253}, &url, &err), &err);
    CHECK_INT(tr_fetch_url_read((tr_str){text, 8 + 254}, &url, &err),
              TR_E_INVALID);
}

static const struct {
    const char *prefix;
    const char *url;
    bool is_below;
} pairs[] = {
    {"https://a.example", "https://a.example", true},
    {"https://a.example", "https://a.example/x/y?z", true},
    {"https://a.example/", "https://a.example", true},
    {"https://a.example/v1", "https://a.example/v1", true},
    {"https://a.example/v1", "https://a.example/v1/", true},
    {"https://a.example/v1", "https://a.example/v1?x=/../", true},
    {"https://a.example/v1", "HTTPS://A.EXAMPLE:443/v1/x", true},
    {"https://a.example/v1/", "https://a.example/v1", true},
    {"https://a.example/v1", "https://a.example/v1/a%2Fb", true},
    {"https://a.example/v1", "https://a.example/v1%2fx", false},
    {"https://a.example/v1", "https://a.example/v10", false},
    {"https://a.example/v1", "https://a.example/V1", false},
    {"https://a.example/v1", "https://a.example/", false},
    {"https://a.example/v1", "https://a.example//v1", false},
    {"https://a.example/v1", "https://a.example/%76%31", false},
    {"https://a.example/v1", "https://a.example/v1;x", false},
    {"https://a.example", "http://a.example/", false},
    {"https://a.example", "https://a.example:8443/", false},
    {"https://a.example", "https://a.example.evil/", false},
    {"https://a.example", "https://b.a.example/", false},
    {"https://a.example", "https://example/", false},
    {"https://[::1]", "https://[0:0:0:0:0:0:0:1]/", true},
};

TEST(a_prefix_is_held_against_the_parts_of_a_url)
{
    for (size_t i = 0; i < TR_LEN(pairs); i++) {
        struct tr_fetch_url prefix;
        struct tr_fetch_url url;
        struct tr_err err = {0};
        CHECK_OK(tr_fetch_url_read_prefix(tr_str_from(pairs[i].prefix), &prefix,
                                          &err),
                 &err);
        CHECK_OK(tr_fetch_url_read(tr_str_from(pairs[i].url), &url, &err),
                 &err);
        CHECK_ROW(tr_fetch_url_is_below(&url, &prefix) == pairs[i].is_below,
                  pairs[i].url);
    }
}

TEST(a_prefix_has_no_query)
{
    struct tr_fetch_url url;
    struct tr_err err = {0};
    CHECK_INT(
        tr_fetch_url_read_prefix(TR_STR("https://a.example/x?y"), &url, &err),
        TR_E_INVALID);
    CHECK_INT(err.place.column, 20);
    CHECK_INT(
        tr_fetch_url_read_prefix(TR_STR("https://a.example/#"), &url, &err),
        TR_E_INVALID);
    CHECK(tr_fetch_url_is_meant(TR_STR("ftp://x")));
    CHECK(!tr_fetch_url_is_meant(TR_STR("the mail server")));
    CHECK(!tr_fetch_url_is_meant(TR_STR(":/")));
}

/* What nobody can read on the way. */
TEST(http_is_private_on_this_machine_alone)
{
    static const char *const private[] = {
        "https://a.example/keys", "http://127.0.0.1:8000/a",
        "http://localhost/keys", "http://[::1]:80/keys.json"};
    static const char *const open[] = {
        "http://a.example/keys", "http://localhost.example/keys",
        "http://127.0.0.1.example/", "http://127.0.0.10/"};
    struct tr_fetch_url url;
    for (size_t i = 0; i < TR_LEN(private); i++)
        CHECK_ROW(tr_fetch_url_read(tr_str_from(private[i]), &url, NULL) ==
                          TR_OK &&
                      tr_fetch_url_is_private(&url),
                  private[i]);
    for (size_t i = 0; i < TR_LEN(open); i++)
        CHECK_ROW(tr_fetch_url_read(tr_str_from(open[i]), &url, NULL) ==
                          TR_OK &&
                      !tr_fetch_url_is_private(&url),
                  open[i]);
}
