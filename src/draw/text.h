/*
 * draw/text.h - texts in pictures: how wide they are, and how XML has them; for
 * this folder only.
 */
#ifndef TR_DRAW_TEXT_H
#define TR_DRAW_TEXT_H

#include "base/buf.h"

/* Columns of a font in which all characters are as wide; some are two. */
size_t tr_draw_columns(tr_str text);

/* Appends a text as XML and HTML-like labels have it. */
void tr_draw_put_xml(struct tr_buf *out, tr_str text);

#endif
