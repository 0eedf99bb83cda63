/*
 * runtime/wire_error.h - the one table from a status to what goes over wires.
 */
#ifndef TR_RUNTIME_WIRE_ERROR_H
#define TR_RUNTIME_WIRE_ERROR_H

#include "base/err.h"

struct tr_call_wire_error {
    int code;       /* JSON-RPC */
    int seed_code;  /* the same in every revision that begins with initialize */
    int http;       /* status, for surfaces that are HTTP only */
    bool is_ours;   /* the caller could not have avoided it */
    bool is_hidden; /* its text is not shown in production: it may tell of our
                       insides */
    bool is_hosts;  /* not for the model: its host has to act on it, such as
                       to get a token */
    int retry_after_s; /* the same may work then; 0: it would not */
};

/* `own_codes`: application codes stay out of JSON-RPC's range. */
struct tr_call_wire_error tr_call_wire_error(tr_status status, bool own_codes);

#endif
