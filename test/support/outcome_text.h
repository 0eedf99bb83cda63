/*
 * test/support/outcome_text.h - how a call ended, as a text to compare with.
 */
#ifndef TR_TEST_SUPPORT_OUTCOME_TEXT_H
#define TR_TEST_SUPPORT_OUTCOME_TEXT_H

#include "base/buf.h"
#include "runtime/call.h"

/*
 * Appends the outcome: its content or value as JSON, "error: " before that when
 * it returned an error, "status: message data" when it failed. Its meta is left
 * out.
 */
void outcome_put(struct tr_buf *out, const struct tr_call_outcome *outcome);

void json_put(struct tr_buf *out, const struct tr_json *value);

#endif
