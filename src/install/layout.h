/*
 * install/layout.h - how a JSON file is laid out: lines, indentation, spaces.
 */
#ifndef TR_INSTALL_LAYOUT_H
#define TR_INSTALL_LAYOUT_H

#include "install/json_place.h"

struct tr_install_style {
    tr_str line_end;
    tr_str unit;    /* of indentation */
    bool is_tight;  /* "a":1, without spaces */
    bool is_inline; /* all of it stands on one line */
};

/* That of a file whose outermost object this is, or NULL. */
void tr_install_style_read(struct tr_install_style *out,
                           const struct tr_install_json *json,
                           const struct tr_install_object *root);

bool tr_install_has_line_end(tr_str text, size_t start, size_t end);

/* White space, as JSON has it. */
static inline bool tr_install_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Behind the spaces and tabs at `at`. */
size_t tr_install_skip_blanks(tr_str text, size_t at);

/* Where spaces and line ends begin that lead up to `at`. */
size_t tr_install_before_space(tr_str text, size_t at);

/* Whether nothing but spaces stands before `at` on its line, and those with
 * which the line begins. */
bool tr_install_starts_line(tr_str text, size_t at);
tr_str tr_install_indent_of(tr_str text, size_t at);

/* The end of the line at `at`; that of the first one, where it has none. */
tr_str tr_install_line_end_at(tr_str text, size_t at);

/* Behind the comments that begin on the same line: notes on what is there. */
size_t tr_install_behind_notes(tr_str text, size_t at);

#endif
