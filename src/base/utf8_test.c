#include "base/test.h"
#include "base/text.h"

#define CODE_POINTS 0x110000u

/* RFC 3629 word by word, and nothing that utf8.c does to be quick. */
static size_t naive_decode(tr_str s, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = s.len ? (unsigned char)s.ptr[0] : 0x80;
    size_t len = first < 0x80             ? 1
                 : (first & 0xE0) == 0xC0 ? 2
                 : (first & 0xF0) == 0xE0 ? 3
                 : (first & 0xF8) == 0xF0 ? 4
                                          : 0;
    if (len == 0 || s.len < len)
        return 0;
    uint32_t value = len == 1 ? first : first & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++) {
        unsigned char byte = (unsigned char)s.ptr[i];
        if (byte < 0x80 || byte > 0xBF)
            return 0;
        value = value * 64 + (byte - 0x80u);
    }
    if (value < least[len] || value > 0x10FFFF ||
        (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    *out = value;
    return len;
}

static bool is_surrogate(uint32_t c)
{
    return c >= 0xD800 && c <= 0xDFFF;
}

TEST(utf8_encode_and_decode_agree_on_every_code_point)
{
    for (uint32_t c = 0; c < CODE_POINTS; c++) {
        char bytes[4];
        uint32_t back = 0;
        size_t len = tr_utf8_encode(c, bytes);
        if (is_surrogate(c)) {
            CHECK_INT(len, 0);
            continue;
        }
        CHECK_INT(len, c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4);
        CHECK_INT(tr_utf8_decode((tr_str){bytes, len}, &back), len);
        CHECK_INT(back, c);
    }
}

TEST(utf8_encode_refuses_what_is_no_code_point)
{
    static const uint32_t bad[] = {0xD800, 0xDBFF,   0xDC00,
                                   0xDFFF, 0x110000, UINT32_MAX};
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        char bytes[4] = "abc";
        CHECK_INT(tr_utf8_encode(bad[i], bytes), 0);
        CHECK_INT(bytes[0], 'a');
    }
}

static const struct sequence {
    const char *name;
    tr_str bytes;
    size_t len;
} sequences[] = {
    {"nothing", TR_STR_INIT(""), 0},
    {"U+0000", TR_STR_INIT("\0"), 1},
    {"U+007F", TR_STR_INIT("\x7F"), 1},
    {"U+0080", TR_STR_INIT("\xC2\x80"), 2},
    {"U+07FF", TR_STR_INIT("\xDF\xBF"), 2},
    {"U+0800", TR_STR_INIT("\xE0\xA0\x80"), 3},
    {"U+D7FF", TR_STR_INIT("\xED\x9F\xBF"), 3},
    {"U+E000", TR_STR_INIT("\xEE\x80\x80"), 3},
    {"U+FEFF", TR_STR_INIT("\xEF\xBB\xBF"), 3},
    {"U+FFFF", TR_STR_INIT("\xEF\xBF\xBF"), 3},
    {"U+10000", TR_STR_INIT("\xF0\x90\x80\x80"), 4},
    {"U+10FFFF", TR_STR_INIT("\xF4\x8F\xBF\xBF"), 4},
    {"only the first character", TR_STR_INIT("\xC3\xA9\xC3\xA9"), 2},
    {"continuation alone", TR_STR_INIT("\x80"), 0},
    {"last continuation alone", TR_STR_INIT("\xBF"), 0},
    {"overlong NUL", TR_STR_INIT("\xC0\x80"), 0},
    {"overlong slash", TR_STR_INIT("\xC0\xAF"), 0},
    {"overlong U+007F", TR_STR_INIT("\xC1\xBF"), 0},
    {"overlong U+07FF", TR_STR_INIT("\xE0\x9F\xBF"), 0},
    {"overlong U+0000 in three", TR_STR_INIT("\xE0\x80\x80"), 0},
    {"overlong U+FFFF", TR_STR_INIT("\xF0\x8F\xBF\xBF"), 0},
    {"overlong U+0000 in four", TR_STR_INIT("\xF0\x80\x80\x80"), 0},
    {"U+D800", TR_STR_INIT("\xED\xA0\x80"), 0},
    {"U+DFFF", TR_STR_INIT("\xED\xBF\xBF"), 0},
    {"U+110000", TR_STR_INIT("\xF4\x90\x80\x80"), 0},
    {"U+140000", TR_STR_INIT("\xF5\x80\x80\x80"), 0},
    {"five bytes", TR_STR_INIT("\xF8\x88\x80\x80\x80"), 0},
    {"six bytes", TR_STR_INIT("\xFC\x84\x80\x80\x80\x80"), 0},
    {"FE", TR_STR_INIT("\xFE"), 0},
    {"FF", TR_STR_INIT("\xFF"), 0},
    {"one of two", TR_STR_INIT("\xC3"), 0},
    {"one of three", TR_STR_INIT("\xE2"), 0},
    {"two of three", TR_STR_INIT("\xE2\x82"), 0},
    {"one of four", TR_STR_INIT("\xF0"), 0},
    {"two of four", TR_STR_INIT("\xF0\x9F"), 0},
    {"three of four", TR_STR_INIT("\xF0\x9F\x98"), 0},
    {"two broken off", TR_STR_INIT("\xC3z"), 0},
    {"three broken off", TR_STR_INIT("\xE2\x82z"), 0},
    {"four broken off", TR_STR_INIT("\xF0\x9F\x98z"), 0},
    {"four begun again", TR_STR_INIT("\xF0\x9F\xF0\x9F"), 0},
};

TEST(utf8_sequence_knows_the_boundaries)
{
    for (size_t i = 0; i < TR_LEN(sequences); i++)
        CHECK_ROW(tr_utf8_sequence(sequences[i].bytes) == sequences[i].len,
                  sequences[i].name);
}

TEST(utf8_decode_writes_nothing_when_there_is_no_character)
{
    for (size_t i = 0; i < TR_LEN(sequences); i++) {
        uint32_t c = 77;
        size_t len = tr_utf8_decode(sequences[i].bytes, &c);
        CHECK_ROW(len == sequences[i].len, sequences[i].name);
        CHECK_ROW(len > 0 || c == 77, sequences[i].name);
    }
}

TEST(utf8_decode_agrees_with_the_rfc_on_all_starts_and_edges)
{
    static const unsigned char edges[] = {0x00, 0x7F, 0x80, 0x8F,
                                          0xBF, 0xC0, 0xFF};
    for (size_t i = 0; i < 0x10000 * TR_LEN(edges) * TR_LEN(edges); i++) {
        size_t rest = i >> 16;
        char bytes[] = {(char)(i >> 8 & 0xFF), (char)(i & 0xFF),
                        (char)edges[rest % TR_LEN(edges)],
                        (char)edges[rest / TR_LEN(edges)]};
        tr_str s = {bytes, sizeof(bytes)};
        uint32_t ours = 0;
        uint32_t naive = 0;
        size_t len = tr_utf8_decode(s, &ours);
        if (len != naive_decode(s, &naive) || ours != naive)
            print_error("bytes %02zx %02zx\n", i >> 8 & 0xFF, i & 0xFF);
        CHECK(len == naive_decode(s, &naive) && ours == naive);
    }
}

TEST(utf8_valid_len_stops_before_the_first_bad_byte)
{
    static const struct {
        tr_str text;
        size_t len;
    } rows[] = {
        {{NULL, 0}, 0},
        {TR_STR_INIT("plain"), 5},
        {TR_STR_INIT("a\0b"), 3},
        {TR_STR_INIT("exactly16bytes.."), 16},
        {TR_STR_INIT("\xC3\xA9t\xC3\xA9"), 5},
        {TR_STR_INIT("ab\xFF"
                     "cd"),
         2},
        {TR_STR_INIT("caf\xC3"), 3},
        {TR_STR_INIT("12345678\x80"), 8},
        {TR_STR_INIT("\xE2\x82\xAC\xE2\x82"), 3},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        CHECK_INT(tr_utf8_valid_len(rows[i].text), rows[i].len);
        CHECK(tr_utf8_is_valid(rows[i].text) ==
              (rows[i].len == rows[i].text.len));
    }
}

TEST(utf8_valid_len_finds_a_bad_byte_at_any_offset)
{
    for (size_t len = 1; len < 70; len++) {
        for (size_t at = 0; at < len; at++) {
            char text[70];
            memset(text, 'x', len);
            text[at] = '\x80';
            CHECK_INT(tr_utf8_valid_len((tr_str){text, len}), at);
        }
    }
}

TEST(utf8_count_counts_code_points)
{
    CHECK_INT(tr_utf8_count((tr_str){NULL, 0}), 0);
    CHECK_INT(tr_utf8_count(TR_STR("abc")), 3);
    CHECK_INT(tr_utf8_count(TR_STR("a\0b")), 3);
    CHECK_INT(tr_utf8_count(TR_STR("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")), 3);
    CHECK_INT(tr_utf8_count(TR_STR("\x80\x80z\xFF")), 2);
}

TEST(utf8_control_is_what_a_terminal_would_obey)
{
    /* U+202E and U+2066, which turn what follows. */
    static const char turned[] = {'\xe2', '\x80', '\xae'};
    static const char isolated[] = {'\xe2', '\x81', '\xa6'};
    static const struct {
        tr_str text;
        size_t bytes;
    } rows[] = {
        {TR_STR_INIT(""), 0},
        {TR_STR_INIT("a\033"), 0},
        {TR_STR_INIT("\033[1m"), 1},
        {TR_STR_INIT("\n"), 1},
        {TR_STR_INIT("\x7f"), 1},
        {TR_STR_INIT("\xc2\x9b"), 2},
        {TR_STR_INIT("\xc2\xa0"), 0},
        {{turned, sizeof(turned)}, 3},
        {{isolated, sizeof(isolated)}, 3},
        {TR_STR_INIT("\xe2\x82\xac"), 0},
        {TR_STR_INIT("\xff"), 0},
    };
    for (size_t i = 0; i < TR_LEN(rows); i++)
        CHECK_INT(tr_utf8_control(rows[i].text), rows[i].bytes);
}
