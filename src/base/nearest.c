#include "base/nearest.h"

/* Longer words are compared by their start: nobody mistypes that much. */
#define WORD_MAX 64

static size_t least(size_t a, size_t b, size_t c)
{
    size_t low = a < b ? a : b;
    return low < c ? low : c;
}

/*
 * Insertions, deletions, changes and swaps of neighbours between a and b. Row
 * by row of the usual matrix; a swap needs the row before the last.
 */
static size_t distance_of(tr_str a, tr_str b)
{
    size_t rows[3][WORD_MAX + 1];
    size_t *before = rows[0];
    size_t *last = rows[1];
    size_t *row = rows[2];
    size_t a_len = a.len < WORD_MAX ? a.len : WORD_MAX;
    size_t b_len = b.len < WORD_MAX ? b.len : WORD_MAX;

    for (size_t j = 0; j <= b_len; j++)
        before[j] = last[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            bool same = a.ptr[i - 1] == b.ptr[j - 1];
            row[j] = least(last[j] + 1, row[j - 1] + 1, last[j - 1] + !same);
            bool swapped = i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
                           a.ptr[i - 2] == b.ptr[j - 1];
            if (swapped && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_len];
}

void tr_nearest_init(struct tr_nearest *nearest, tr_str typed)
{
    /* Up to a third of the word may be wrong, rounded up. */
    size_t close_enough = (typed.len + 2) / 3;
    *nearest =
        (struct tr_nearest){.typed = typed, .distance = close_enough + 1};
}

void tr_nearest_offer(struct tr_nearest *nearest, tr_str word)
{
    size_t distance = distance_of(nearest->typed, word);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->best = word;
    }
}
