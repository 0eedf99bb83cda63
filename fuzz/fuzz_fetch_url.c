/*
 * Any bytes as a URL: what is taken is written in one way, which is read as the
 * same again, is below itself, and has no segment that goes up.
 */
#include "base/limits.h"
#include "fetch/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void must_stay(tr_str path)
{
    for (size_t i = 0; i + 1 < path.len; i++) {
        if (path.ptr[i] != '/' || path.ptr[i + 1] != '.')
            continue;
        size_t end = i + 2;
        while (end < path.len && path.ptr[end] == '.')
            end++;
        must(end - i > 3 || (end < path.len && path.ptr[end] != '/'));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const tr_str text = {(const char *)data, size};
    static char first[TR_LIMIT_FETCH_URL + 16];
    static char second[TR_LIMIT_FETCH_URL + 16];
    struct tr_fetch_url url;
    struct tr_fetch_url again;
    struct tr_err err = {0};
    struct tr_buf out;
    struct tr_buf out_again;
    if (tr_fetch_url_read(text, &url, &err) != TR_OK) {
        must(err.code == TR_E_LIMIT || err.place.line > 0);
        return 0;
    }
    tr_buf_init_fixed(&out, first, sizeof(first));
    tr_fetch_url_write(&url, &out);
    must(out.failed == TR_OK);
    if (out.len > TR_LIMIT_FETCH_URL) /* a slash more than there was */
        return 0;
    must(tr_fetch_url_read(tr_buf_str(&out), &again, &err) == TR_OK);
    tr_buf_init_fixed(&out_again, second, sizeof(second));
    tr_fetch_url_write(&again, &out_again);
    must(tr_str_eq(tr_buf_str(&out), tr_buf_str(&out_again)));
    must(tr_fetch_url_is_below(&again, &again));
    must(!memchr(again.host, '@', strlen(again.host)));
    must_stay(again.path);
    return 0;
}
