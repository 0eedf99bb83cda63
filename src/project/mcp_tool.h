/*
 * project/mcp_tool.h - descriptors of tools, resources, templates and prompts
 * as MCP lists them.
 *
 * Pure: the bytes depend on the descriptor and the form alone, so they may be
 * kept as long as the snapshot.
 */
#ifndef TR_PROJECT_MCP_TOOL_H
#define TR_PROJECT_MCP_TOOL_H

#include "cap/cap.h"
#include "cap/resource.h"
#include "json/writer.h"

/* Which members a revision of MCP has; they are left out where it has not. */
struct tr_project_mcp_form {
    bool hints;            /* Tool.annotations */
    bool since_2025_06_18; /* title, outputSchema, _meta, lastModified */
    bool icons;
    bool dialect;  /* $schema is needed: the default is not draft-07 */
    bool plain;    /* tools without the format iri, trails:node_type and the
                      member `trails`, as the project wants it */
    bool manifest; /* they say where the manifest has more of them, below */
    tr_str base;   /* "https://a.example"; "": it is on the same server */
};

/* The same by the name of the revision. */
struct tr_project_form {
    tr_str revision;
    struct tr_project_mcp_form form;
};

void tr_project_tool(struct tr_json_writer *w, const struct tr_cap *cap,
                     struct tr_project_mcp_form form);
void tr_project_resource(struct tr_json_writer *w,
                         const struct tr_cap_resource *resource,
                         struct tr_project_mcp_form form);
void tr_project_template(struct tr_json_writer *w,
                         const struct tr_cap_resource_template *item,
                         struct tr_project_mcp_form form);
void tr_project_prompt(struct tr_json_writer *w,
                       const struct tr_cap_prompt *prompt,
                       struct tr_project_mcp_form form);

#endif
