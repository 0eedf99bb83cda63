/*
 * cap/output.h - whether a handler has kept the promise of its descriptor.
 */
#ifndef TR_CAP_OUTPUT_H
#define TR_CAP_OUTPUT_H

#include "shape/check.h"

struct tr_cap;

/*
 * As tr_shape_check; without an output shape everything fits. With one, no
 * output at all (NULL) is TR_E_INTERNAL: clients were told to expect it.
 */
TR_NODISCARD tr_status tr_cap_check_output(const struct tr_cap *cap,
                                           const struct tr_json *value,
                                           struct tr_arena *arena,
                                           struct tr_checked *out,
                                           struct tr_err *err);

#endif
