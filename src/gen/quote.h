/*
 * gen/quote.h - values as Lua writes them.
 *
 * What is written reads back as the same value, whatever is in a text: it is
 * quoted, with escapes for all that could end it or be read as something else.
 */
#ifndef TR_GEN_QUOTE_H
#define TR_GEN_QUOTE_H

#include "base/buf.h"
#include "json/json.h"

/* A text, which is UTF-8, in double quotes on one line. */
void tr_gen_put_text(struct tr_buf *out, tr_str text);

/* The key of a table, with the = behind it: `name =` or `["a b"] =`. */
void tr_gen_put_key(struct tr_buf *out, tr_str name);

/* What a table has under a name: `args.topic` or `args["end"]`. */
void tr_gen_put_member(struct tr_buf *out, const char *table, tr_str name);

/* A JSON value; `null` and `array {}` are what app.lua calls them. */
void tr_gen_put_value(struct tr_buf *out, const struct tr_json *value);

#endif
