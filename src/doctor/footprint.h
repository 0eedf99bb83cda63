/*
 * doctor/footprint.h - what the lists of an app cost those who read them.
 *
 * Bytes are those of the items as they are sent, all pages together. Tokens are
 * an estimate: one for every four bytes, rounded up, which is what models make
 * of JSON and English, give or take a quarter.
 */
#ifndef TR_DOCTOR_FOOTPRINT_H
#define TR_DOCTOR_FOOTPRINT_H

#include "base/arena.h"
#include "base/err.h"
#include "project/mcp_tool.h"

struct tr_cap_snapshot;

#define TR_DOCTOR_TOKEN_BYTES ((size_t)4)

static inline size_t tr_doctor_tokens(size_t bytes)
{
    return (bytes + TR_DOCTOR_TOKEN_BYTES - 1) / TR_DOCTOR_TOKEN_BYTES;
}

/* The scopes of an authority, by the last of them. */
struct tr_doctor_scope_set {
    const char *name; /* "runtime", "builder", "dev": those before included */
    unsigned scopes;
};

#define TR_DOCTOR_SCOPE_SETS 3
extern const struct tr_doctor_scope_set
    tr_doctor_scope_sets[TR_DOCTOR_SCOPE_SETS];

enum tr_doctor_list {
    TR_DOCTOR_LIST_TOOLS,
    TR_DOCTOR_LIST_RESOURCES,
    TR_DOCTOR_LIST_TEMPLATES,
    TR_DOCTOR_LIST_PROMPTS,
    TR_DOCTOR_LISTS
};

/* "tools", "resources", "resourceTemplates", "prompts" */
const char *tr_doctor_list_name(enum tr_doctor_list list);

struct tr_doctor_footprint {
    size_t items[TR_DOCTOR_LISTS];
    size_t bytes[TR_DOCTOR_LISTS];
    tr_str biggest;       /* the tool with the most bytes, or "" */
    size_t biggest_bytes; /* of it alone */
    size_t instructions;  /* bytes */
};

/* What who has these scopes is sent; `instructions` are the author's. */
TR_NODISCARD tr_status
tr_doctor_footprint_of(const struct tr_cap_snapshot *snapshot, unsigned scopes,
                       struct tr_project_mcp_form form, tr_str instructions,
                       struct tr_doctor_footprint *out, struct tr_err *err);

#endif
