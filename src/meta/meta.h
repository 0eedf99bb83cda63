/*
 * meta/meta.h - registers the meta-capabilities: what agents that build an app
 * do with it, as ADR-0060 has it.
 *
 * They stand in their own registry of the snapshot, and pass the same stages as
 * the app's capabilities. What takes long, or writes beside the graph, runs on
 * a thread of its own.
 */
#ifndef TR_META_META_H
#define TR_META_META_H

#include "base/err.h"
#include "base/str.h"

#include <stdatomic.h>

struct tr_cap_builder;
struct tr_cap_snapshot;
struct tr_file_text;
struct tr_loop;
struct tr_meta_outside;

/* How many run on threads of their own; one for each process. */
struct tr_meta_jobs {
    _Atomic unsigned running;
};

/*
 * Makes a snapshot of the app as it would be with these texts in place of its
 * files; the caller owns one pin of it. On any thread. The message of an error
 * begins with its place, "app.lua:3:7: ...".
 */
typedef tr_status tr_meta_try_fn(const struct tr_meta_outside *outside,
                                 const struct tr_file_text *texts, size_t count,
                                 const struct tr_cap_snapshot **out,
                                 struct tr_err *err);

/* Called once, on the loop of who has asked, when the app was loaded again, or
 * cannot be; the error is as above. */
typedef void tr_meta_reloaded_fn(void *data, tr_status status,
                                 const struct tr_err *err);

/* Asks for that. `*ask` is borrowed until `reloaded` is called; who does not
 * want to hear of it any more gives it to `forget`, on the same loop. */
typedef tr_status tr_meta_reload_fn(const struct tr_meta_outside *outside,
                                    struct tr_loop *loop,
                                    tr_meta_reloaded_fn *reloaded, void *data,
                                    void **ask, struct tr_err *err);

/* What only a process that has the app knows. All of it outlives the calls. */
struct tr_meta_outside {
    tr_str env;         /* "development", "test" or "production" */
    tr_str project;     /* its name, as imports have it in IRIs */
    const char *folder; /* of the app */
    struct tr_meta_jobs *jobs;
    tr_meta_try_fn *try_files;
    tr_meta_reload_fn *reload; /* NULL: nothing is served */
    void (*forget)(void *ask);
};

/* Adds all of them. */
TR_NODISCARD tr_status tr_meta_add(struct tr_cap_builder *builder,
                                   struct tr_err *err);

#endif
