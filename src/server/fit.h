/*
 * server/fit.h - what a store is fitted to (tr_server_app_fit).
 */
#ifndef TR_SERVER_FIT_H
#define TR_SERVER_FIT_H

#include <stdint.h>

struct tr_cap_snapshot;
struct tr_model;

/*
 * A number for all that a store is fitted to: what the model declares, and what
 * the snapshot, or NULL, advises against. Equal ones need nothing done.
 */
int64_t tr_server_fit_digest(const struct tr_model *model,
                             const struct tr_cap_snapshot *snapshot);

#endif
