/*
 * toml/cursor.h - where the reader stands, and the memory it works with.
 */
#ifndef TR_TOML_CURSOR_H
#define TR_TOML_CURSOR_H

#include "base/vec.h"
#include "json/json.h"

struct tr_toml_cursor {
    tr_str text; /* checked: UTF-8, no NUL, no carriage return on its own */
    size_t at;
    struct tr_arena *arena;   /* for what the tree keeps */
    struct tr_arena *scratch; /* for what is gone when the reader returns */

    /* Stacks: of the items and the members of everything that is open. */
    TR_VEC(struct tr_json) items;
    TR_VEC(struct tr_json_member) members;
};

/* The next character; NUL, which no text contains, at the end. */
static inline char tr_toml_peek(const struct tr_toml_cursor *in)
{
    return in->at < in->text.len ? in->text.ptr[in->at] : '\0';
}

/* Everything from here on. */
static inline tr_str tr_toml_rest(const struct tr_toml_cursor *in)
{
    return tr_str_skip(in->text, in->at);
}

/* Steps over `c` when it is the next character. */
static inline bool tr_toml_take(struct tr_toml_cursor *in, char c)
{
    if (tr_toml_peek(in) != c)
        return false;
    in->at++;
    return true;
}

static inline bool tr_toml_is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* A carriage return always stands before a line feed. */
static inline bool tr_toml_is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* Steps over spaces and tabs. */
void tr_toml_skip_space(struct tr_toml_cursor *in);

/* Steps over spaces, line ends and comments. */
void tr_toml_skip_blank(struct tr_toml_cursor *in);

/* Steps over what may follow an expression up to and with its line end. */
TR_NODISCARD tr_status tr_toml_end_line(struct tr_toml_cursor *in,
                                        struct tr_err *err);

/* A syntax error where the cursor stands. */
tr_status tr_toml_fail_here(const struct tr_toml_cursor *in, struct tr_err *err,
                            const char *what);

/* What every function here returns when an arena has no more. */
tr_status tr_toml_fail_memory(struct tr_err *err);

#endif
