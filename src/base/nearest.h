/*
 * base/nearest.h - the word of a list that somebody probably meant to type.
 */
#ifndef TR_BASE_NEAREST_H
#define TR_BASE_NEAREST_H

#include "base/str.h"

/* Finds the closest of the words offered to it one by one. */
struct tr_nearest {
    tr_str typed;
    tr_str best; /* empty when nothing offered is close enough to say */
    size_t distance;
};

void tr_nearest_init(struct tr_nearest *nearest, tr_str typed);
void tr_nearest_offer(struct tr_nearest *nearest, tr_str word);

#endif
