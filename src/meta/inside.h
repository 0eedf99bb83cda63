/*
 * meta/inside.h - what a meta-capability is made of; for this folder only.
 */
#ifndef TR_META_INSIDE_H
#define TR_META_INSIDE_H

#include "builtin/reply.h"
#include "fields/error.h"
#include "meta/job.h"
#include "meta/meta.h"

/* What its process knows; TR_E_UNSUPPORTED where nobody does. */
TR_NODISCARD tr_status tr_meta_outside_of(struct tr_call *call,
                                          const struct tr_meta_outside **out,
                                          struct tr_err *err);

/* Handlers that are done at once. */
tr_status tr_meta_ping(struct tr_builtin_reply *reply, struct tr_err *err);
tr_status tr_meta_schema_types(struct tr_builtin_reply *reply,
                               struct tr_err *err);
tr_status tr_meta_schema_describe(struct tr_builtin_reply *reply,
                                  struct tr_err *err);

/* Those that run on a thread. */
tr_meta_work_fn tr_meta_data_validate;
tr_meta_work_fn tr_meta_data_import;
tr_meta_work_fn tr_meta_app_check;
tr_meta_work_fn tr_meta_gen;

/* Loads the app again, on the loop that does so. */
tr_cap_handler_fn tr_meta_app_reload;

/*
 * Writes an error of loading the app as a finding: {"severity", "file"?,
 * "line"?, "message"}. Its message begins with its place.
 */
void tr_meta_put_finding(struct tr_json_writer *w, const char *folder,
                         const char *severity, tr_str said);

#endif
