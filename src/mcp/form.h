/*
 * mcp/form.h - the form of an elicitation, as an older revision has it.
 */
#ifndef TR_MCP_FORM_H
#define TR_MCP_FORM_H

#include "json/writer.h"

/*
 * Writes a requestedSchema of 2025-11-25 for 2025-06-18: choices with titles
 * become `enum` and `enumNames`, defaults are left out but of booleans, and so
 * is what else that revision does not name.
 */
void tr_mcp_form_put_plain(struct tr_json_writer *w,
                           const struct tr_json *schema);

/* Whether that can be done: several choices at a time cannot be asked for. */
bool tr_mcp_form_is_plain(const struct tr_json *schema);

#endif
