/*
 * mcp/content.h - content blocks, in the form of a revision.
 */
#ifndef TR_MCP_CONTENT_H
#define TR_MCP_CONTENT_H

#include "json/writer.h"
#include "mcp/revision.h"
#include "runtime/call.h"

/* Writes a text as a block. */
void tr_mcp_content_put_text(struct tr_json_writer *w, tr_str text);

/* Writes one block; what the revision does not know becomes text. */
void tr_mcp_content_put(struct tr_json_writer *w, const struct tr_json *block,
                        enum tr_mcp_revision revision);

/*
 * Writes the array of an outcome's content: its blocks; then its value, as it
 * is when that is a text, else as JSON, for clients that do not know structured
 * content; then the data of an error, as JSON too. Over `max_bytes` of text the
 * array is cut between blocks, and a last block says so. Returns whether all of
 * it was written. `json` is emptied, and gets the value where it was written as
 * JSON, so that nobody has to do so again.
 */
bool tr_mcp_content_put_all(struct tr_json_writer *w,
                            const struct tr_call_outcome *outcome,
                            enum tr_mcp_revision revision, size_t max_bytes,
                            struct tr_buf *json);

#endif
