/*
 * builtin/kg_tools.h - ready-made capabilities: `tools` of a node_type.
 *
 *     create_task  update_task  delete_task  find_task
 *
 * They stand in the snapshot as any other, and change the graph as ctx.kg does.
 */
#ifndef TR_BUILTIN_KG_TOOLS_H
#define TR_BUILTIN_KG_TOOLS_H

#include "builtin/reply.h"

/* The arguments that are fields of the type, as an object. */
TR_NODISCARD tr_status
tr_builtin_tool_fields(const struct tr_builtin_reply *reply,
                       struct tr_json *out, struct tr_err *err);

/* The handlers; `what->type` is the type. */
tr_status tr_builtin_tool_create(struct tr_builtin_reply *reply,
                                 struct tr_err *err);
tr_status tr_builtin_tool_update(struct tr_builtin_reply *reply,
                                 struct tr_err *err);
tr_status tr_builtin_tool_delete(struct tr_builtin_reply *reply,
                                 struct tr_err *err);
tr_status tr_builtin_tool_find(struct tr_builtin_reply *reply,
                               struct tr_err *err);

#endif
