/*
 * builtin/builtin.h - registers the handlers that every app has.
 *
 * They stand in the snapshot beside those of the app, and are found, listed and
 * called as those are.
 */
#ifndef TR_BUILTIN_BUILTIN_H
#define TR_BUILTIN_BUILTIN_H

#include "base/err.h"

struct tr_cap_builder;

/* Adds the graph as resources (kg_resources.h); after the app's types. */
TR_NODISCARD tr_status
tr_builtin_add_kg_resources(struct tr_cap_builder *builder, struct tr_err *err);

/* Adds the `tools` of types (kg_tools.h); after the app's own capabilities. */
TR_NODISCARD tr_status tr_builtin_add_kg_tools(struct tr_cap_builder *builder,
                                               struct tr_err *err);

/* Adds what was done, as resources (prov_resource.h). */
TR_NODISCARD tr_status tr_builtin_add_prov_resources(
    struct tr_cap_builder *builder, struct tr_err *err);

#endif
