/*
 * install/value.h - texts as JSON and TOML both write them.
 */
#ifndef TR_INSTALL_VALUE_H
#define TR_INSTALL_VALUE_H

#include "base/buf.h"
#include "json/json.h"

/* A string in quotes; it must be UTF-8. */
void tr_install_value_string(struct tr_buf *out, tr_str text);

/* An array of strings, on one line. */
void tr_install_value_strings(struct tr_buf *out, const tr_str *texts,
                              size_t count, bool is_tight);

/* Whether a tree is this string, or exactly these strings. */
bool tr_install_value_is(const struct tr_json *value, tr_str text);
bool tr_install_value_are(const struct tr_json *value, const tr_str *texts,
                          size_t count);

#endif
