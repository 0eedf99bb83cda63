/*
 * json/reader.h - RFC 8259, exactly, into an arena.
 *
 * Refuses what the RFC refuses, and also: bytes that are not UTF-8, escaped
 * lone surrogates, a byte order mark, and anything over a limit. Strings
 * without escapes are views of `text`, which must outlive the tree.
 */
#ifndef TR_JSON_READER_H
#define TR_JSON_READER_H

#include "json/json.h"

/* A field left zero takes the limit named beside it. */
struct tr_json_opts {
    size_t max_bytes;   /* TR_LIMIT_JSON_BYTES; below 4 GiB */
    size_t max_nodes;   /* TR_LIMIT_JSON_NODES; keys count too */
    unsigned max_depth; /* TR_LIMIT_NESTING */
};

/*
 * Reads the one value that `text` holds. Expected failures: TR_E_SYNTAX,
 * TR_E_LIMIT, TR_E_NOMEM; the error has the place. `opts` may be NULL.
 */
TR_NODISCARD tr_status tr_json_read(struct tr_arena *arena, tr_str text,
                                    const struct tr_json_opts *opts,
                                    const struct tr_json **out,
                                    struct tr_err *err);

#endif
