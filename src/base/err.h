/*
 * base/err.h - one status, and the caller-owned error that explains it.
 *
 * An error never allocates: reporting out-of-memory must not need memory.
 * Every function that can fail returns tr_status and takes `struct tr_err *`
 * last; NULL is allowed there.
 */
#ifndef TR_BASE_ERR_H
#define TR_BASE_ERR_H

#include "base/compiler.h"
#include "base/str.h"

/* How a call went; exactly one table maps these to codes on the wire. */
typedef enum tr_status {
    TR_OK,
    TR_E_NOMEM,
    TR_E_SYNTAX,
    TR_E_INVALID,
    TR_E_VALIDATION,
    TR_E_UNAUTHENTICATED,
    TR_E_SCOPE,
    TR_E_POLICY,
    TR_E_BUDGET,
    TR_E_PRECONDITION,
    TR_E_NOT_FOUND,
    TR_E_CONFLICT,
    TR_E_LIMIT,
    TR_E_TIMEOUT,
    TR_E_CANCELLED,
    TR_E_UNAVAILABLE,
    TR_E_UNSUPPORTED,
    TR_E_IO,
    TR_E_INTERNAL
} tr_status;

/* A place in a text; line and column count from 1, line 0 means nowhere. */
typedef struct tr_place {
    size_t offset;   /* in bytes, from 0 */
    uint32_t line;   /* a line ends with \n */
    uint32_t column; /* in code points */
} tr_place;

struct tr_err {
    tr_status code;
    tr_place place;
    char at[192];  /* JSON Pointer or IRI the message is about, "" if none */
    char msg[256]; /* one sentence, lower case, no full stop, no secrets */
};

/* Writes code and message, clears `at` and place, and returns `code`. */
TR_PRINTF(3, 4)
tr_status tr_fail(struct tr_err *err, tr_status code, const char *format, ...);

/* As tr_fail, for a fault at byte `offset` of `text`. */
TR_PRINTF(5, 6)
tr_status tr_fail_in(struct tr_err *err, tr_status code, tr_str text,
                     size_t offset, const char *format, ...);

/* Puts context in front of the message; what does not fit is cut. */
TR_PRINTF(2, 3)
void tr_err_prefix(struct tr_err *err, const char *format, ...);

/* Names what the message is about. */
TR_PRINTF(2, 3)
void tr_err_set_at(struct tr_err *err, const char *format, ...);

/* The place of byte `offset` in `text`. */
tr_place tr_place_of(tr_str text, size_t offset);

/* A short name such as "not_found", for logs and tests. */
const char *tr_status_name(tr_status status);

/*
 * Returns from the calling function when `call` fails: only for functions that
 * have nothing to release.
 */
#define TR_TRY(call)                                                           \
    do {                                                                       \
        tr_status tried_ = (call);                                             \
        if (tried_ != TR_OK)                                                   \
            return tried_;                                                     \
    } while (0)

#endif
