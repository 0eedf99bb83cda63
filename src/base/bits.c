#include "base/bits.h"

enum { WORD_BITS = 64, PAGE_WORDS = 512, PAGE_BITS = WORD_BITS * PAGE_WORDS };

void tr_bits_init(struct tr_bits *bits, size_t max_bytes)
{
    *bits = (struct tr_bits){0};
    tr_arena_init(&bits->arena, max_bytes);
}

void tr_bits_done(struct tr_bits *bits)
{
    tr_arena_done(&bits->arena);
    bits->pages = NULL;
    bits->page_count = 0;
}

/* The list doubles: old ones stay in the arena, and are as large together. */
static bool grow(struct tr_bits *bits, uint64_t page)
{
    size_t count = bits->page_count ? bits->page_count : 16;
    while (count <= page && count <= SIZE_MAX / 2)
        count *= 2;
    uint64_t **pages = TR_NEW_ARRAY(&bits->arena, uint64_t *, count);
    if (!pages || count <= page)
        return false;
    if (bits->page_count)
        memcpy(pages, bits->pages, bits->page_count * sizeof(*pages));
    bits->pages = pages;
    bits->page_count = count;
    return true;
}

/* The word that has a number's bit, or NULL. */
static uint64_t *find(const struct tr_bits *bits, uint64_t number)
{
    uint64_t page = number / PAGE_BITS;
    return page < bits->page_count && bits->pages[page]
               ? &bits->pages[page][number % PAGE_BITS / WORD_BITS]
               : NULL;
}

static uint64_t bit_of(uint64_t number)
{
    return (uint64_t)1 << number % WORD_BITS;
}

bool tr_bits_add(struct tr_bits *bits, uint64_t number)
{
    uint64_t page = number / PAGE_BITS;
    if (page >= bits->page_count && !grow(bits, page))
        return false;
    if (!bits->pages[page])
        bits->pages[page] = TR_NEW_ARRAY(&bits->arena, uint64_t, PAGE_WORDS);
    if (!bits->pages[page])
        return false;
    *find(bits, number) |= bit_of(number);
    return true;
}

void tr_bits_remove(struct tr_bits *bits, uint64_t number)
{
    uint64_t *word = find(bits, number);
    if (word)
        *word &= ~bit_of(number);
}

bool tr_bits_has(const struct tr_bits *bits, uint64_t number)
{
    const uint64_t *word = find(bits, number);
    return word && *word & bit_of(number);
}

bool tr_bits_next(const struct tr_bits *bits, uint64_t *number)
{
    uint64_t at = *number;
    while (at / PAGE_BITS < bits->page_count) {
        const uint64_t *word = find(bits, at);
        uint64_t left = word ? *word >> at % WORD_BITS : 0;
        if (left) {
            *number = at + (uint64_t)__builtin_ctzll(left);
            return true;
        }
        uint64_t step = word ? WORD_BITS : PAGE_BITS;
        at = (at / step + 1) * step;
    }
    return false;
}
