/*
 * test/support/activity.h - random activities, and stores to put them into.
 */
#ifndef TR_TEST_SUPPORT_ACTIVITY_H
#define TR_TEST_SUPPORT_ACTIVITY_H

#include "prov/pack.h"

struct tr_db;

/* Opens a store with the tables of provenance; the test fails if it cannot. */
struct tr_db *activity_store(const char *path);

/* A plain one that began at this microsecond. */
struct tr_activity activity_at(int64_t started_us);

/* Anything that can be recorded; its texts and lists are in `room`. */
struct activity_room {
    struct tr_prov_room lists;
    char text[64];
};
struct tr_activity activity_random(struct activity_room *room);

/* Fails the test unless all is equal that is kept; `wrote` is not looked at. */
void activity_compare(const struct tr_activity *a, const struct tr_activity *b);

/* The first column of the first row; the test fails when there is none. */
int64_t activity_ask(struct tr_db *db, const char *sql);

#endif
