/*
 * schema/lint.h - what hosts are known to refuse in the schema of a tool.
 *
 * A host here is the program of an MCP client. One tool that it refuses often
 * costs the author all of them, so the app's tools are checked when they are
 * registered.
 */
#ifndef TR_SCHEMA_LINT_H
#define TR_SCHEMA_LINT_H

#include "json/json.h"

enum tr_schema_severity {
    TR_SCHEMA_SEVERITY_WARNING, /* some hosts refuse it */
    TR_SCHEMA_SEVERITY_ERROR,   /* every client may */
};

struct tr_schema_finding {
    enum tr_schema_severity severity;
    bool is_name; /* it is about the tool itself, not about its schema */
    tr_str path;  /* JSON Pointer into the schema, "" for its root */
    tr_str message;
    const char *fix; /* what to do about it; a literal */
};

/* Appends the finding as "path: message". */
struct tr_buf;
void tr_schema_finding_put(struct tr_buf *out,
                           const struct tr_schema_finding *finding);

struct tr_schema_findings {
    struct tr_schema_finding *items;
    size_t count;
    size_t cap;
};

/* Appends the findings about a tool's name. */
TR_NODISCARD tr_status tr_schema_lint_name(struct tr_arena *arena, tr_str name,
                                           struct tr_schema_findings *out,
                                           struct tr_err *err);

/* The same for what it says of itself. */
TR_NODISCARD tr_status
tr_schema_lint_description(struct tr_arena *arena, tr_str description,
                           struct tr_schema_findings *out, struct tr_err *err);

/* The same for its input schema; at most TR_LIMIT_FIELD_ERRORS in all. */
TR_NODISCARD tr_status tr_schema_lint_schema(struct tr_arena *arena,
                                             const struct tr_json *schema,
                                             struct tr_schema_findings *out,
                                             struct tr_err *err);

#endif
