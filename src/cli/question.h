/*
 * cli/question.h - what a handler asks its client, asked of a person at the
 * terminal.
 */
#ifndef TR_CLI_QUESTION_H
#define TR_CLI_QUESTION_H

#include "runtime/call.h"

/* Whether there is somebody to ask. */
bool tr_cli_question_can_ask(void);

/*
 * Puts a question on standard error and reads the answer from standard input,
 * again and again until it is one that fits. The end of the input cancels: a
 * form says so, anything else is refused.
 */
TR_NODISCARD tr_status tr_cli_question_ask(const struct tr_call *call,
                                           struct tr_call_ask *ask,
                                           struct tr_err *err);

#endif
