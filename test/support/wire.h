/*
 * test/support/wire.h - is this a message of MCP? By the JSON Schema of a
 * revision, from TRAILS_SUITES.
 */
#ifndef TR_TEST_SUPPORT_WIRE_H
#define TR_TEST_SUPPORT_WIRE_H

#include "base/arena.h"
#include "base/err.h"
#include "shape/pattern.h"

struct tr_schema;

struct wire {
    struct tr_arena arena;
    struct tr_patterns patterns;
    const struct tr_schema *schema;
};

/* False when the suite is absent, or cannot be read. */
bool wire_open(struct wire *wire, const char *revision);
void wire_close(struct wire *wire);

/* TR_OK, or what is wrong with the message. */
TR_NODISCARD tr_status wire_check(struct wire *wire, tr_str message,
                                  struct tr_err *err);

#endif
