#include "base/ascii.h"

#include "base/hash.h"
#include "base/test.h"

static const char lower[] = "abcdefghijklmnopqrstuvwxyz";
static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char digits[] = "0123456789";

static bool holds(const char *set, int c)
{
    return c && strchr(set, c);
}

TEST(every_byte_is_in_its_classes_and_in_no_other)
{
    for (int c = 0; c < 256; c++) {
        char byte = (char)c;
        bool is_letter = holds(lower, c) || holds(upper, c);
        CHECK(tr_ascii_is_digit(byte) == holds(digits, c));
        CHECK(tr_ascii_is_lower(byte) == holds(lower, c));
        CHECK(tr_ascii_is_upper(byte) == holds(upper, c));
        CHECK(tr_ascii_is_letter(byte) == is_letter);
        CHECK(tr_ascii_is_alnum(byte) == (is_letter || holds(digits, c)));
    }
}

TEST(only_capital_letters_have_another_lower_case)
{
    for (int c = 0; c < 256; c++) {
        const char *capital = c ? strchr(upper, c) : NULL;
        char expected = capital ? lower[capital - upper] : (char)c;
        CHECK_INT(tr_ascii_to_lower((char)c), expected);
    }
}

TEST(letters_are_the_same_in_either_case_and_nothing_else_is)
{
    for (int a = -128; a < 128; a++) {
        for (int b = -128; b < 128; b++)
            CHECK_INT(tr_ascii_is_same((char)a, (char)b),
                      tr_ascii_to_lower((char)a) == tr_ascii_to_lower((char)b));
    }
}

TEST(a_hexadecimal_digit_has_its_value_in_either_case)
{
    static const char hex[] = "0123456789abcdefABCDEF";
    for (int c = 0; c < 256; c++) {
        const char *found = c ? strchr(hex, c) : NULL;
        int place = found ? (int)(found - hex) : -1;
        CHECK_INT(tr_ascii_hex_value((char)c), place > 15 ? place - 6 : place);
    }
}

TEST(what_leaves_a_word_at_one_end_comes_in_at_the_other)
{
    CHECK(tr_bits_rotate_left(UINT64_C(0x8000000000000001), 1) == 3);
    CHECK(tr_bits_rotate_left(1, 63) == UINT64_C(0x8000000000000000));
    CHECK(tr_bits_rotate_right_32(3, 1) == UINT32_C(0x80000001));
    CHECK(tr_bits_rotate_right_32(UINT32_C(0x80000000), 31) == 1);
}
