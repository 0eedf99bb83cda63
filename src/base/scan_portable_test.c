/*
 * The branch of base/scan.h for machines without SSE2, which must come to the
 * same marks. What rests on them is tested in scan_test.c and, once, here.
 */
#undef __SSE2__
#include "base/scan.h"
#include "base/test.h"

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

static void check_block(const char *block)
{
    uint64_t first = tr_scan_load(block);
    uint64_t second = tr_scan_load(block + 8);
    CHECK_INT(tr_scan_step(block, false), naive_marks(block, 16, false));
    CHECK_INT(tr_scan_step(block, true), naive_marks(block, 16, true));
    CHECK_INT(tr_scan_words(first, second), naive_marks(block, 16, true));
    CHECK(tr_scan_64(block) == naive_marks(block, 64, true));
}

TEST(portable_scan_knows_each_of_the_256_bytes_at_each_place)
{
    for (int byte = 0; byte < 256; byte++) {
        for (size_t at = 0; at < 64; at++) {
            char block[64];
            memset(block, 'x', sizeof(block));
            block[at] = (char)byte;
            check_block(block);
        }
    }
}

/* A borrow or carry from one byte into the next would show here. */
TEST(portable_scan_keeps_neighbours_apart)
{
    for (size_t pair = 0; pair < 0x10000; pair++) {
        char block[64];
        for (size_t i = 0; i < sizeof(block); i++)
            block[i] = (char)(i % 2 ? pair & 0xFF : pair >> 8);
        check_block(block);
    }
}

TEST(portable_scan_marks_the_right_bits_of_random_blocks)
{
    size_t count = tr_test_scaled(100000);
    for (size_t n = 0; n < count; n++) {
        char block[64];
        for (size_t i = 0; i < sizeof(block); i++)
            block[i] = (char)tr_test_random();
        check_block(block);
    }
}

static void check_stops(const char *text, size_t len, size_t stop)
{
    char copy[80];
    const char *end = text + len;
    bool plain = tr_copy_plain_ascii(copy, (tr_str){text, len});
    CHECK_INT(tr_scan_plain(text, end) - text, stop);
    CHECK_INT(tr_scan_plain_ascii(text, end) - text, stop);
    CHECK(plain == (stop == len));
    CHECK(!plain || memcmp(copy, text, len) == 0);
}

TEST(portable_scans_stop_at_the_first_special_byte)
{
    for (size_t len = 1; len < 80; len++) {
        for (size_t at = 0; at < len; at++) {
            char text[80];
            memset(text, 'x', len);
            check_stops(text, len, len);
            text[at] = '"';
            check_stops(text, len, at);
        }
    }
}
