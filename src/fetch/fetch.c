#include "fetch/fetch.h"

#include <curl/curl.h>

#include <dlfcn.h>

#define TIMEOUT_S ((long)10)

/* What we use of libcurl. */
struct curl {
    __typeof__(curl_global_init) *global_init;
    __typeof__(curl_global_cleanup) *global_cleanup;
    __typeof__(curl_easy_init) *init;
    __typeof__(curl_easy_setopt) *setopt;
    __typeof__(curl_easy_perform) *perform;
    __typeof__(curl_easy_getinfo) *getinfo;
    __typeof__(curl_easy_strerror) *strerror;
    __typeof__(curl_easy_cleanup) *cleanup;
};

/*
 * C has no conversion from the pointer that dlsym returns to one to a function;
 * POSIX says that both look the same, so the bytes are copied.
 */
static bool find(void *library, const char *name, void *out)
{
    void *found = dlsym(library, name);
    memcpy(out, (const void *)&found, sizeof(found));
    return found != NULL;
}

/* libcurl stays loaded: what it has set up cannot be taken down again. */
static tr_status load(struct curl *c, struct tr_err *err)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library || !find(library, "curl_global_init", &c->global_init) ||
        !find(library, "curl_global_cleanup", &c->global_cleanup) ||
        !find(library, "curl_easy_init", &c->init) ||
        !find(library, "curl_easy_setopt", &c->setopt) ||
        !find(library, "curl_easy_perform", &c->perform) ||
        !find(library, "curl_easy_getinfo", &c->getinfo) ||
        !find(library, "curl_easy_strerror", &c->strerror) ||
        !find(library, "curl_easy_cleanup", &c->cleanup))
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "libcurl.so.4 cannot be loaded: install libcurl4");
    return TR_OK;
}

static bool is_end(tr_str rest)
{
    return !rest.len || rest.ptr[0] == '/' || rest.ptr[0] == ':';
}

bool tr_fetch_takes(tr_str url)
{
    static const tr_str local[] = {TR_STR_INIT("http://127.0.0.1"),
                                   TR_STR_INIT("http://[::1]"),
                                   TR_STR_INIT("http://localhost")};
    if (tr_str_starts(url, TR_STR("https://")))
        return url.len > sizeof("https://") - 1;
    for (size_t i = 0; i < TR_LEN(local); i++) {
        if (tr_str_starts(url, local[i]) &&
            is_end(tr_str_skip(url, local[i].len)))
            return true;
    }
    return false;
}

/* A return of less than was given makes libcurl end the transfer. */
static size_t on_bytes(char *bytes, size_t size, size_t count, void *data)
{
    struct tr_buf *out = data;
    tr_buf_put(out, (tr_str){bytes, size * count});
    return out->failed == TR_OK ? size * count : 0;
}

static int on_progress(void *data, curl_off_t down_total, curl_off_t down,
                       curl_off_t up_total, curl_off_t up)
{
    const struct tr_fetch *fetch = data;
    (void)down_total;
    (void)down;
    (void)up_total;
    (void)up;
    return fetch->goes_on && !fetch->goes_on(fetch->data);
}

/* http: is to this machine alone, which a proxy would not reach. */
static bool choose_proxy(const struct curl *c, CURL *easy, const char *url)
{
    return !tr_str_starts(tr_str_from(url), TR_STR("http:")) ||
           c->setopt(easy, CURLOPT_NOPROXY, "*") == CURLE_OK;
}

static bool set_up(const struct curl *c, CURL *easy,
                   const struct tr_fetch *fetch, struct tr_buf *out)
{
    return c->setopt(easy, CURLOPT_URL, fetch->url) == CURLE_OK &&
           c->setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           c->setopt(easy, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK &&
           c->setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           c->setopt(easy, CURLOPT_TIMEOUT, TIMEOUT_S) == CURLE_OK &&
           c->setopt(easy, CURLOPT_USERAGENT, "trails") == CURLE_OK &&
           c->setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes) == CURLE_OK &&
           c->setopt(easy, CURLOPT_WRITEDATA, out) == CURLE_OK &&
           c->setopt(easy, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
           c->setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress) == CURLE_OK &&
           c->setopt(easy, CURLOPT_XFERINFODATA, fetch) == CURLE_OK;
}

static tr_status perform(const struct curl *c, CURL *easy,
                         const struct tr_fetch *fetch, struct tr_buf *out,
                         struct tr_err *err)
{
    long status = 0;
    if (!set_up(c, easy, fetch, out) || !choose_proxy(c, easy, fetch->url))
        return tr_fail(err, TR_E_UNSUPPORTED, "libcurl is too old");
    CURLcode code = c->perform(easy);
    TR_TRY(tr_buf_check(out, err));
    if (code == CURLE_ABORTED_BY_CALLBACK)
        return tr_fail(err, TR_E_CANCELLED, "cancelled");
    if (code != CURLE_OK)
        return tr_fail(err, TR_E_IO, "%s: %s", fetch->url, c->strerror(code));
    if (c->getinfo(easy, CURLINFO_RESPONSE_CODE, &status) != CURLE_OK ||
        status != 200)
        return tr_fail(err, TR_E_IO, "%s: status %ld", fetch->url, status);
    return TR_OK;
}

tr_status tr_fetch_get(const struct tr_fetch *fetch, struct tr_buf *out,
                       struct tr_err *err)
{
    struct curl c = {0};
    if (!tr_fetch_takes(tr_str_from(fetch->url)))
        return tr_fail(err, TR_E_INVALID, "%s is not https", fetch->url);
    TR_TRY(load(&c, err));
    if (c.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return tr_fail(err, TR_E_NOMEM, "no memory for libcurl");
    CURL *easy = c.init();
    tr_status status = easy ? perform(&c, easy, fetch, out, err)
                            : tr_fail(err, TR_E_NOMEM, "no memory for libcurl");
    c.cleanup(easy);
    c.global_cleanup();
    return status;
}
