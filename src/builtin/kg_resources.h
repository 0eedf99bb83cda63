/*
 * builtin/kg_resources.h - the graph as resources: what an app has, its types,
 * their instances, their shapes.
 *
 *     trails://schema  trails://stats  trails://doctor  trails://kg/types
 *     trails://kg/Task{?where,limit,offset}     a page of {"iri", "label"}
 *     trails://kg/Task/{id}                     one, as JSON-LD
 *     trails://shape/Task                       SHACL, as Turtle
 */
#ifndef TR_BUILTIN_KG_RESOURCES_H
#define TR_BUILTIN_KG_RESOURCES_H

#include "builtin/reply.h"

/* The handlers, each in a file of its own. */
tr_status tr_builtin_render_page(struct tr_builtin_reply *reply,
                                 struct tr_err *err);
tr_status tr_builtin_render_instance(struct tr_builtin_reply *reply,
                                     struct tr_err *err);
tr_status tr_builtin_render_shape(struct tr_builtin_reply *reply,
                                  struct tr_err *err);
tr_status tr_builtin_render_schema(struct tr_builtin_reply *reply,
                                   struct tr_err *err);
tr_status tr_builtin_render_types(struct tr_builtin_reply *reply,
                                  struct tr_err *err);
tr_status tr_builtin_render_stats(struct tr_builtin_reply *reply,
                                  struct tr_err *err);
tr_status tr_builtin_complete_id(struct tr_builtin_reply *reply,
                                 struct tr_err *err);
tr_status tr_builtin_complete_where(struct tr_builtin_reply *reply,
                                    struct tr_err *err);

#endif
