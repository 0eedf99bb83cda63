/*
 * pack/body.h - all that is said of one subject, packed into one row.
 *
 * A body is a version, 1, and statements sorted by predicate, value (as
 * tr_pack_value_cmp has it) and graph:
 *
 *     predicate * 2 + (it has a graph), the graph if it has one,
 *     the length of the value, the value
 *
 * all but the value as LEB128. Length 0 marks a predicate whose statements do
 * not stand here but in the table `spo`: a hub has too many to be rewritten
 * with every change. A reader takes no memory; every length is checked.
 */
#ifndef TR_PACK_BODY_H
#define TR_PACK_BODY_H

#include "base/arena.h"
#include "base/buf.h"
#include "pack/value.h"

#define TR_PACK_BODY_VERSION 1

/* A body with more bytes is split. */
#define TR_PACK_BODY_MAX ((size_t)2000)

/* A predicate comes back when its statements have less. */
#define TR_PACK_BODY_BACK ((size_t)200)

/* As the graph of a statement: the default graph, which has no number. */
#define TR_PACK_DEFAULT_GRAPH ((uint64_t)0)

typedef struct tr_pack_statement {
    uint64_t p; /* the number of the predicate */
    uint64_t g;
    tr_str v; /* the value; empty where the predicate is in `spo` */
} tr_pack_statement;

/* By predicate, value and graph. For qsort too, also of changes. */
int tr_pack_statement_cmp(const void *a, const void *b);

/* Bytes that it takes in a body. */
size_t tr_pack_statement_len(const tr_pack_statement *statement);

/*
 * How far a body has been read, on the caller's stack:
 *
 *     struct tr_pack_cursor cursor = tr_pack_body_open(body);
 *     while (tr_pack_cursor_next(&cursor, &statement))
 *         use(&statement);
 *     return tr_pack_cursor_close(&cursor, err);
 */
struct tr_pack_cursor {
    const char *at; /* the next statement */
    const char *end;
    tr_pack_statement last;
    const char *damage; /* what is wrong, or NULL */
};

struct tr_pack_cursor tr_pack_body_open(tr_str body);

/* The next statement; false at the end, and for all that is damaged. */
bool tr_pack_cursor_next(struct tr_pack_cursor *cursor, tr_pack_statement *out);

/* The next statement with this predicate; false when there is no more. Whoever
 * wants several predicates asks for them in ascending order. */
bool tr_pack_cursor_next_of(struct tr_pack_cursor *cursor, uint64_t p,
                            tr_pack_statement *out);

/* TR_E_IO when the body is damaged. There is nothing to release. */
TR_NODISCARD tr_status tr_pack_cursor_close(const struct tr_pack_cursor *cursor,
                                            struct tr_err *err);

/* What became of a change. */
enum tr_pack_done {
    TR_PACK_SAME,     /* it was so already */
    TR_PACK_CHANGED,  /* in the body */
    TR_PACK_ELSEWHERE /* the predicate is in `spo`: change it there */
};

typedef struct tr_pack_change {
    tr_pack_statement statement;
    bool is_added; /* else removed */

    /* These are written: */
    enum tr_pack_done done;
    tr_str stored; /* of what was removed, the value as it stood: a LONG one
                      says its row. A view of the old body. */
} tr_pack_change;

/*
 * Appends to `out` the body `old`, empty for none yet, with these changes,
 * which must be sorted by tr_pack_statement_cmp. What does not change is
 * copied. The result may be too long: then split it. Fails with TR_E_IO when
 * `old` is damaged; then nothing of `out` and `done` counts.
 */
TR_NODISCARD tr_status tr_pack_body_apply(tr_str old, tr_pack_change *changes,
                                          size_t count, struct tr_buf *out,
                                          struct tr_err *err);

/* Called with each statement that moves to `spo`, in order. Its value is a view
 * that lasts until the call ends. */
typedef tr_status tr_pack_move_fn(void *context,
                                  const tr_pack_statement *statement,
                                  struct tr_err *err);

/*
 * Makes a body short enough: the predicates with the most bytes move to `spo`,
 * each as a whole, and leave a mark. Does nothing to one that is not too long;
 * one with nothing but marks stays as it is. `scratch` is only used when there
 * is something to move.
 */
TR_NODISCARD tr_status tr_pack_body_split(struct tr_buf *body,
                                          tr_pack_move_fn *move, void *context,
                                          struct tr_arena *scratch,
                                          struct tr_err *err);

/*
 * Takes a marked predicate back, with all its statements in `spo`, sorted; none
 * only removes the mark. `*out_done` is false, and nothing changes, when they
 * have too many bytes, or the body would.
 */
TR_NODISCARD tr_status tr_pack_body_take_back(struct tr_buf *body, uint64_t p,
                                              const tr_pack_statement *rows,
                                              size_t count, bool *out_done,
                                              struct tr_err *err);

#endif
