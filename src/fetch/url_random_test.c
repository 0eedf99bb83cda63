/*
 * What we have understood of a URL is what libcurl understands, which asks for
 * it: a URL that two read in two ways is how a prefix is got around.
 */
#include "base/test.h"
#include "fetch/url.h"

#include <curl/curl.h>

#include <dlfcn.h>

#define URLS 200000

struct theirs {
    __typeof__(curl_url) *make;
    __typeof__(curl_url_set) *set;
    __typeof__(curl_url_get) *get;
    __typeof__(curl_url_cleanup) *cleanup;
    __typeof__(curl_free) *free;
    CURLU *url;
};

static void find(void *library, const char *name, void *out)
{
    void *found = dlsym(library, name);
    CHECK(found);
    memcpy(out, (const void *)&found, sizeof(found));
}

static void open_theirs(struct theirs *t)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    find(library, "curl_url", (void *)&t->make);
    find(library, "curl_url_set", (void *)&t->set);
    find(library, "curl_url_get", (void *)&t->get);
    find(library, "curl_url_cleanup", (void *)&t->cleanup);
    find(library, "curl_free", (void *)&t->free);
    t->url = t->make();
    CHECK(t->url);
}

/* Pieces that URLs are made of, and what one tries. */
static const char *const pieces[] = {
    "https://", "http://",  "HTTPS://", "a.example", "A.b",   "127.0.0.1",
    "[::1]",    "[FE80::]", "0x7f",     "017700",    "xn--a", "_",
    "-",        ".",        "..",       "/",         "//",    "\\",
    "?",        "#",        "@",        ":",         ":443",  ":80",
    ":00080",   ":8443",    ":65535",   ";",         "%2e",   "%2F",
    "%00",      "%25",      "%",        "&",         "=",     "[",
    "]",        "!",        "$",        "'",         "(",     ")",
    "*",        "+",        ",",        "~",         " ",     "\t",
    "\n",       "\xc3\xbc", "a",        "user:pass", "1",     "localhost",
};

static size_t make_text(char *text, size_t size)
{
    size_t len = 0;
    size_t count = 2 + tr_test_random_below(8);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t which =
            i < 2 && tr_test_random_below(8)
                ? (i ? 3 + tr_test_random_below(4) : tr_test_random_below(3))
                : tr_test_random_below(TR_LEN(pieces));
        len += (size_t)snprintf(text + len, size - len, "%s", pieces[which]);
    }
    return len;
}

static void check_part(struct theirs *t, CURLUPart part, unsigned flags,
                       tr_str ours, const char *about)
{
    char *text = NULL;
    CURLUcode code = t->get(t->url, part, &text, flags);
    CHECK_ROW(code == CURLUE_OK || !ours.len, about);
    if (!tr_str_eq(tr_str_from(text ? text : ""), ours))
        print_error("%s: '%s', not '%.*s'\n", about, text, TR_FMT(ours));
    CHECK(tr_str_eq(tr_str_from(text ? text : ""), ours));
    t->free(text);
}

static void compare(struct theirs *t, const struct tr_fetch_url *ours)
{
    char text[TR_LIMIT_FETCH_URL + 16];
    char host[TR_LIMIT_FETCH_HOST + 3];
    char port[8];
    struct tr_buf out;
    bool is_ipv6 = strchr(ours->host, ':') != NULL;
    tr_buf_init_fixed(&out, text, sizeof(text));
    tr_fetch_url_write(ours, &out);
    tr_buf_putc(&out, '\0');
    (void)snprintf(host, sizeof(host), is_ipv6 ? "[%s]" : "%s", ours->host);
    (void)snprintf(port, sizeof(port), "%u", ours->port);
    CHECK_ROW(t->set(t->url, CURLUPART_URL, text, CURLU_PATH_AS_IS) ==
                  CURLUE_OK,
              text);
    check_part(t, CURLUPART_SCHEME, 0,
               ours->is_https ? TR_STR("https") : TR_STR("http"), text);
    check_part(t, CURLUPART_HOST, 0, tr_str_from(host), text);
    check_part(t, CURLUPART_PORT, CURLU_DEFAULT_PORT, tr_str_from(port), text);
    check_part(t, CURLUPART_PATH, 0, ours->path.len ? ours->path : TR_STR("/"),
               text);
    check_part(t, CURLUPART_QUERY, 0, ours->query, text);
    check_part(t, CURLUPART_USER, 0, TR_STR(""), text);
    check_part(t, CURLUPART_FRAGMENT, 0, TR_STR(""), text);
}

TEST(libcurl_reads_a_url_as_we_do)
{
    struct theirs t;
    size_t taken = 0;
    size_t count = tr_test_scaled(URLS);
    open_theirs(&t);
    for (size_t i = 0; i < count; i++) {
        char text[512];
        struct tr_fetch_url url;
        size_t len = make_text(text, sizeof(text));
        if (tr_fetch_url_read((tr_str){text, len}, &url, NULL) != TR_OK)
            continue;
        compare(&t, &url);
        taken++;
    }
    CHECK(taken > count / 50);
    t.cleanup(t.url);
}
