/*
 * toml/datetime.h - the four kinds of dates and times.
 */
#ifndef TR_TOML_DATETIME_H
#define TR_TOML_DATETIME_H

#include "toml/cursor.h"

/* Whether `token` starts as only a date or a time can: 2026- or 12: */
bool tr_toml_is_datetime(tr_str token);

/* Makes the value of `token`, a part of the cursor's text. */
TR_NODISCARD tr_status tr_toml_datetime(const struct tr_toml_cursor *in,
                                        tr_str token, struct tr_json *out,
                                        struct tr_err *err);

#endif
