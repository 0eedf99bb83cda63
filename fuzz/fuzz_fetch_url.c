/*
 * Any bytes as a URL: what is taken is written in one way, which is read as the
 * same again, is below itself, and has no segment that goes up.
 */
#include "base/ascii.h"
#include "base/limits.h"
#include "fetch/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Once more; false when nothing was encoded. */
static bool decode(char *text)
{
    char *to = text;
    bool any = false;
    for (const char *at = text; *at; to++) {
        int high = at[0] == '%' ? tr_ascii_hex_value(at[1]) : -1;
        int low = high >= 0 ? tr_ascii_hex_value(at[2]) : -1;
        any = any || low >= 0;
        *to = at[0];
        if (low >= 0)
            *to = (char)((unsigned)high << 4 | (unsigned)low);
        if (low >= 0 && *to == '\0') /* what some end a name with */
            *to = ';';
        at += low >= 0 ? 3 : 1;
    }
    *to = '\0';
    return any;
}

static void must_stay(tr_str path)
{
    static char text[TR_LIMIT_FETCH_URL + 1];
    memcpy(text, path.ptr, path.len);
    text[path.len] = '\0';
    do {
        for (char *at = text; (at = strpbrk(at, "/\\"));) {
            size_t dots = strspn(++at, ".");
            must(dots == 0 || dots > 2 || !strchr("/\\; ", at[dots]));
        }
    } while (decode(text));
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
