/*
 * builtin/prov_resource.h - trails://prov/latest: what a caller has done
 * lately.
 */
#ifndef TR_BUILTIN_PROV_RESOURCE_H
#define TR_BUILTIN_PROV_RESOURCE_H

#include "base/err.h"

struct tr_registry_builder;

TR_NODISCARD tr_status tr_prov_resource_add(struct tr_registry_builder *builder,
                                            struct tr_err *err);

#endif
