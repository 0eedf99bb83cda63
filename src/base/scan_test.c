#include "base/scan.h"

#include "base/test.h"

#define LONGEST 200

static bool is_special(char c, bool ascii)
{
    unsigned char byte = (unsigned char)c;
    return byte < 0x20 || byte == '"' || byte == '\\' ||
           (ascii && byte >= 0x80);
}

static uint64_t naive_marks(const char *at, size_t len, bool ascii)
{
    uint64_t marks = 0;
    for (size_t i = 0; i < len; i++)
        marks |= (uint64_t)is_special(at[i], ascii) << i;
    return marks;
}

static size_t naive_stop(tr_str s, bool ascii)
{
    size_t i = 0;
    while (i < s.len && !is_special(s.ptr[i], ascii))
        i++;
    return i;
}

/* Mostly plain, so that the first special byte may stand far behind. */
static char random_byte(void)
{
    static const char specials[] = "\"\\\x1F\0\x80\xFF\x7F !#[]\x20";
    if (tr_test_random_below(40) == 0)
        return specials[tr_test_random_below(sizeof(specials))];
    return (char)(0x23 + tr_test_random_below(0x39));
}

TEST(scan_knows_each_of_the_256_bytes)
{
    for (int byte = 0; byte < 256; byte++) {
        char block[64];
        memset(block, byte, sizeof(block));
        CHECK(tr_is_json_special((char)byte) == is_special((char)byte, false));
        CHECK_INT(tr_scan_step(block, false), naive_marks(block, 16, false));
        CHECK_INT(tr_scan_step(block, true), naive_marks(block, 16, true));
        CHECK(tr_scan_64(block) == naive_marks(block, 64, true));
    }
}

TEST(scan_marks_the_right_bits_of_random_blocks)
{
    size_t count = tr_test_scaled(100000);
    for (size_t n = 0; n < count; n++) {
        char block[64];
        for (size_t i = 0; i < sizeof(block); i++)
            block[i] = n % 2 ? (char)tr_test_random() : random_byte();
        CHECK_INT(tr_scan_step(block, false), naive_marks(block, 16, false));
        CHECK_INT(tr_scan_step(block, true), naive_marks(block, 16, true));
        CHECK(tr_scan_64(block) == naive_marks(block, 64, true));
        uint64_t words[2];
        memcpy(words, block, sizeof(words));
        CHECK_INT(tr_scan_words(words[0], words[1]),
                  naive_marks(block, 16, true));
    }
}

/* `s` stands at the end of its memory: reading past it is seen. */
static void check_scans(tr_str s)
{
    const char *end = s.ptr + s.len;
    CHECK_INT(tr_scan_plain(s.ptr, end) - s.ptr, naive_stop(s, false));
    CHECK_INT(tr_scan_plain_ascii(s.ptr, end) - s.ptr, naive_stop(s, true));

    char *copy = calloc(1, s.len ? s.len : 1);
    CHECK(copy != NULL);
    bool plain = tr_copy_plain_ascii(copy, s);
    CHECK(plain == (naive_stop(s, true) == s.len));
    CHECK(!plain || memcmp(copy, s.ptr, s.len) == 0);
    free(copy);
}

static void check_random_text(size_t len, size_t shift)
{
    char *memory = calloc(1, shift + len + 1);
    if (!memory)
        abort();
    char *text = memory + 1 + shift;
    for (size_t i = 0; i < len; i++)
        text[i] = random_byte();
    check_scans((tr_str){text, len});
    memset(text, 'x', len);
    check_scans((tr_str){text, len});
    free(memory);
}

TEST(scans_agree_with_byte_by_byte_at_every_length_and_alignment)
{
    for (size_t len = 0; len <= LONGEST; len++) {
        for (size_t shift = 0; shift < 16; shift++)
            check_random_text(len, shift);
    }
}

TEST(scans_find_one_special_byte_at_every_offset)
{
    static const char specials[] = {'"', '\\', '\0', '\x1F', '\x80', '\xFF'};
    for (size_t len = 1; len <= 80; len++) {
        for (size_t at = 0; at < len; at++) {
            char text[80];
            memset(text, 'x', len);
            text[at] = specials[(len + at) % sizeof(specials)];
            check_scans((tr_str){text, len});
        }
    }
}

TEST(scans_of_nothing_stop_at_once)
{
    char to = 'x';
    CHECK(tr_scan_plain(NULL, NULL) == NULL);
    CHECK(tr_scan_plain_ascii(NULL, NULL) == NULL);
    CHECK(tr_copy_plain_ascii(&to, (tr_str){NULL, 0}));
    CHECK_INT(to, 'x');
}
