/*
 * test/support/activity.h - random activities, and stores to put them into.
 */
#ifndef TR_TEST_SUPPORT_ACTIVITY_H
#define TR_TEST_SUPPORT_ACTIVITY_H

#include "crypto/random.h"
#include "prov/pack.h"
#include "support/folder.h"

struct tr_db;
struct tr_prov_measured;
struct tr_prov_writer;

/* A store with the tables of provenance; the test fails when it cannot be. */
struct activity_store {
    struct folder folder;
    char path[128];
    struct tr_db *db;
    struct tr_prov_writer *writer;
};

void activity_store_open(struct activity_store *store);
void activity_store_close(struct activity_store *store);

/* Writes an activity, in a transaction of its own unless one is open. */
void activity_store_add(struct activity_store *store,
                        const struct tr_prov_activity *activity);

/*
 * The first column of the first row of a query; the test fails without a row.
 */
int64_t activity_store_ask(struct activity_store *store, const char *sql);

/* What calls of one came to, by tr_prov_measure_read_all; no texts. */
struct tr_prov_measured activity_measured(struct tr_db *db, const char *id,
                                          const char *version);

/* The bytes of an id as it is written. */
void activity_read_id(const char *text,
                      unsigned char out[TR_CRYPTO_UUID_BYTES]);

/* A plain activity that began at this microsecond. */
struct tr_prov_activity activity_at(int64_t started_us);

/* Anything that can be recorded; its texts and lists are in `room`. */
struct activity_room {
    struct tr_prov_room lists;
    char text[64];
};
struct tr_prov_activity activity_random(struct activity_room *room);

/* Fails the test unless all is equal that is kept; `wrote` is not looked at. */
void activity_compare(const struct tr_prov_activity *a,
                      const struct tr_prov_activity *b);

#endif
