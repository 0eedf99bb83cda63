/*
 * prov/pack.h - an activity as the store keeps it; for this folder only.
 *
 * what  one byte of kind, one of the version's length, the version, the name
 * who   a byte 0, the principal
 * more  all the rest: bytes, and numbers of seven bits a byte, the lowest first
 *
 * `what` and `who` recur: the store has each once, and rows have its number. A
 * packed row is a head with the lengths, and then the id and these three.
 */
#ifndef TR_PROV_PACK_H
#define TR_PROV_PACK_H

#include "base/limits.h"
#include "prov/activity.h"

struct tr_prov_row {
    tr_str id;
    tr_str what;
    tr_str who;
    tr_str more;
};

/* The longest of each; a name and a version are cut to fit. */
#define TR_PROV_VERSION  64
#define TR_PROV_WHAT_MAX ((size_t)2 + TR_PROV_VERSION + TR_LIMIT_PROV_NAME)
#define TR_PROV_WHO_MAX  ((size_t)1 + TR_LIMIT_PROV_NAME)

#define TR_PROV_HOST_MAX  ((size_t)264)
#define TR_PROV_FETCH_MAX (TR_PROV_HOST_MAX + 32 + (size_t)5 * 10)

#define TR_PROV_PATH_MAX ((size_t)256)
#define TR_PROV_FILE_MAX (TR_PROV_PATH_MAX + TR_CRYPTO_SHA256_BYTES + 10)

/* Bytes that tr_prov_pack may need for this one, and for any. */
size_t tr_prov_pack_max(const struct tr_prov_activity *activity);
#define TR_PROV_PACKED_MAX                                                     \
    (TR_PROV_WHAT_MAX + TR_PROV_WHO_MAX + 1024 +                               \
     TR_LIMIT_PROV_FETCHES * TR_PROV_FETCH_MAX +                               \
     TR_LIMIT_PROV_FILES * TR_PROV_FILE_MAX +                                  \
     (size_t)3 * 10 * TR_LIMIT_PROV_IDS)

/* Returns how many bytes were written. */
size_t tr_prov_pack(const struct tr_prov_activity *activity,
                    unsigned char *out);

/* The row that `packed` begins with, and how long it is. */
size_t tr_prov_pack_read(const unsigned char *packed, struct tr_prov_row *out);

/* How `more` is laid out; a store may hold rows of several forms. */
#define TR_PROV_FORM 1

/* Which of the optional parts of `more` are there. */
enum tr_prov_flag {
    TR_PROV_HAS_PARENT = 1,
    TR_PROV_HAS_ARGS = 2,
    TR_PROV_HAS_RESULT = 4,
    TR_PROV_HAS_TRACE_BYTES = 8, /* sixteen bytes, instead of a text */
    TR_PROV_HAS_ASKED = 16,      /* a text at the end */
    TR_PROV_HAS_TRIES = 32,      /* a number behind it */
    TR_PROV_HAS_FETCHES = 64,    /* behind that */
    TR_PROV_HAS_SCOPE = 128,     /* behind that, with files */
};

#define TR_PROV_TRACE_DIGITS 32
#define TR_PROV_TRACE_MAX    128
#define TR_PROV_ASKED_MAX    (4 * TR_PROV_ASKED_CHARACTERS)

/* What trails: stands for in the views. */
#define TR_PROV_VOCABULARY "trails://meta/"

/* The IRI of a file that a call has made: that of the activity and #file-1. */
#define TR_PROV_FILE_IRI (TR_PROV_ACTIVITY_IRI + 16)
tr_str tr_prov_file_iri(const struct tr_prov_activity *activity, size_t i,
                        char out[TR_PROV_FILE_IRI]);

/* The time in a UUID of version 7 (RFC 9562, 5.7), in microseconds. */
int64_t tr_prov_uuid_us(const unsigned char id[TR_CRYPTO_UUID_BYTES]);

/* The caller's memory for what unpacking makes. */
struct tr_prov_room {
    char trace[TR_PROV_TRACE_DIGITS];
    uint64_t used[TR_LIMIT_PROV_IDS];
    uint64_t generated[TR_LIMIT_PROV_IDS];
    uint64_t invalidated[TR_LIMIT_PROV_IDS];
    struct tr_prov_activity_fetch fetches[TR_LIMIT_PROV_FETCHES];
    struct tr_prov_activity_file files[TR_LIMIT_PROV_FILES];
};

/* TR_E_IO for a row that is damaged. Texts and ids point into the row and the
 * room. `wrote` is not set: which table a row stands in says it. */
TR_NODISCARD tr_status tr_prov_unpack(const struct tr_prov_row *row,
                                      struct tr_prov_activity *out,
                                      struct tr_prov_room *room,
                                      struct tr_err *err);

/* The principal as it stands in a row; returns its length. */
size_t tr_prov_pack_who(tr_str principal, unsigned char out[TR_PROV_WHO_MAX]);

#endif
