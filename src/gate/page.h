/*
 * gate/page.h - web pages: which may talk to us, what they may send and read.
 *
 * A page that resolves its own name to our address (DNS rebinding) says so in
 * Origin and Host: both must name this machine, or be allowed by name
 * (2025-06-18, basic/transports, Security Warning).
 */
#ifndef TR_GATE_PAGE_H
#define TR_GATE_PAGE_H

#include "gate/gate.h"

/*
 * Whether a request may come here at all, judged before anything else: 0, or
 * 400 when a header comes twice that may come once, 403 when Origin and Host do
 * not say that this comes from a page that may talk to us; `*why` says so. A
 * page that may can read every answer.
 */
int tr_gate_judge_page(const struct tr_gate *gate, struct tr_http_exchange *x,
                       const char **why);

/* Whether its body is announced as application/json, perhaps with parameters.
 */
bool tr_gate_sends_json(const struct tr_http_request *http);

/* Answers what a browser asks before a page may send what it wants to send
 * (CORS); `methods` is a list with commas. */
void tr_gate_answer_options(struct tr_http_exchange *x, tr_str methods);

#endif
