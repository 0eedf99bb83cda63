/*
 * rest/read.h - what the head of a request says, beside its types: bytes that
 * anybody may have sent.
 */
#ifndef TR_REST_READ_H
#define TR_REST_READ_H

#include "base/arena.h"
#include "base/err.h"

/*
 * A segment of a path, decoded, in the arena. TR_E_SYNTAX for what is no text:
 * bytes that are not UTF-8, control characters.
 */
TR_NODISCARD tr_status tr_rest_read_segment(struct tr_arena *arena,
                                            tr_str segment, tr_str *out,
                                            struct tr_err *err);

/*
 * The key of a header Idempotency-Key: a string as RFC 8941, 3.3.3 has it,
 * which the draft of the header wants, or any other text that does not begin as
 * one. It is the text itself, or in the arena. TR_E_SYNTAX when it is neither.
 */
TR_NODISCARD tr_status tr_rest_read_key(struct tr_arena *arena, tr_str value,
                                        tr_str *out, struct tr_err *err);

/*
 * The URI that stands for a path and its query: `start`, then both as they were
 * sent, in the arena. TR_E_INVALID when it is too long.
 */
struct tr_rest_target {
    tr_str start;
    tr_str path;
    tr_str query; /* or empty */
};
TR_NODISCARD tr_status tr_rest_read_uri(struct tr_arena *arena,
                                        const struct tr_rest_target *target,
                                        tr_str *out, struct tr_err *err);

#endif
