#include "fetch/fetch.h"

#include "base/test.h"

TEST(only_what_nobody_can_read_on_the_way_is_fetched)
{
    static const char *const good[] = {
        "https://a.example/keys",    "https://a",
        "http://127.0.0.1:8000/a",   "http://localhost/keys",
        "http://[::1]:80/keys.json", "http://localhost",
    };
    static const char *const bad[] = {
        "",
        "https://",
        "http://a.example/keys",
        "http://localhost.example/keys",
        "http://127.0.0.1.example/",
        "http://127.0.0.10/",
        "HTTPS://a.example/keys",
        "ftp://localhost/keys",
        "file:///etc/passwd",
        "http://localhost@a.example/",
    };
    for (size_t i = 0; i < TR_LEN(good); i++)
        CHECK_ROW(tr_fetch_takes(tr_str_from(good[i])), good[i]);
    for (size_t i = 0; i < TR_LEN(bad); i++)
        CHECK_ROW(!tr_fetch_takes(tr_str_from(bad[i])), bad[i]);
}

TEST(what_cannot_be_fetched_is_an_error)
{
    struct tr_fetch plain = {.url = "http://a.example/"};
    struct tr_fetch nobody = {.url = "http://127.0.0.1:1/"};
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, 1024);
    CHECK_INT(tr_fetch_get(&plain, &out, &err), TR_E_INVALID);
    CHECK_STR(tr_str_from(err.msg), "http://a.example/ is not https");
    CHECK_INT(tr_fetch_get(&nobody, &out, &err), TR_E_IO);
    CHECK_INT(out.len, 0);
    tr_buf_done(&out);
}
