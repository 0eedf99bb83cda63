#include "base/test.h"
#include "base/text.h"

static void check_put(tr_str text, const char *also, const char *expected)
{
    struct tr_buf buf;
    tr_buf_init(&buf, 64);
    tr_percent_put(&buf, text, also);
    CHECK_STR(tr_buf_str(&buf), expected);
    tr_buf_done(&buf);
}

TEST(percent_encodes_all_but_the_unreserved)
{
    check_put(TR_STR("aZ09-._~"), "", "aZ09-._~");
    check_put(TR_STR("a/b?c=d%"), "", "a%2Fb%3Fc%3Dd%25");
    check_put(TR_STR("a/b?"), "/", "a/b%3F");
    check_put(TR_STR("\xC3\xA4\0"), "/", "%C3%A4%00");
    check_put(TR_STR(""), "", "");
}

TEST(percent_decodes_once)
{
    char room[16];
    tr_str out;
    CHECK(tr_percent_decode(TR_STR("a%2fb%2F%2541"), room, &out));
    CHECK_STR(out, "a/b/%41");
    CHECK(tr_percent_decode(TR_STR("%00x"), room, &out));
    CHECK_INT(out.len, 2);
    CHECK_INT(room[0], 0);
}

TEST(percent_without_its_digits_is_refused)
{
    static const tr_str broken[] = {TR_STR_INIT("%"), TR_STR_INIT("a%2"),
                                    TR_STR_INIT("%zz"), TR_STR_INIT("%2g"),
                                    TR_STR_INIT("%%41")};
    char room[16];
    tr_str out;
    for (size_t i = 0; i < TR_LEN(broken); i++)
        CHECK(!tr_percent_decode(broken[i], room, &out));
}

TEST(percent_without_its_digits_may_stay_instead)
{
    static const char *const rows[][2] = {{"%", "%"},
                                          {"a%2", "a%2"},
                                          {"%zz%41", "%zzA"},
                                          {"%%41", "%A"},
                                          {"", ""}};
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        char room[16];
        tr_str out = tr_percent_decode_leniently(tr_str_from(rows[i][0]), room);
        CHECK_STR(out, rows[i][1]);
    }
}

TEST(percent_may_be_decoded_where_it_stands)
{
    char text[] = "%41%42c";
    tr_str out;
    CHECK(tr_percent_decode((tr_str){text, sizeof(text) - 1}, text, &out));
    CHECK_STR(out, "ABc");
}
