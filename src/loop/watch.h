/*
 * loop/watch.h - hears when something happens to what stands in a folder.
 *
 * It says that, and by what name, not what: who hears of it looks. Nothing is
 * done while nothing happens.
 */
#ifndef TR_LOOP_WATCH_H
#define TR_LOOP_WATCH_H

#include "base/err.h"

struct tr_loop;
struct tr_loop_watch;

/*
 * Something in the folder was made, written, renamed or removed, or its rights
 * were changed; `name` is its own. The folder itself comes by its own name,
 * too, when that happens to it. "" when the name is not known.
 */
typedef void tr_loop_watch_fn(const char *name, void *data);

/*
 * Watches a folder, whatever becomes of its path later. An open watch does not
 * keep the loop from ending; close it before the loop is freed. Fails with
 * TR_E_NOT_FOUND, TR_E_LIMIT when the system watches no more, TR_E_IO.
 */
TR_NODISCARD tr_status tr_loop_watch_open(struct tr_loop *loop,
                                          const char *folder,
                                          tr_loop_watch_fn *fn, void *data,
                                          struct tr_loop_watch **out,
                                          struct tr_err *err);

/* No call after this; freed by the loop. NULL is allowed. */
void tr_loop_watch_close(struct tr_loop_watch *watch);

#endif
