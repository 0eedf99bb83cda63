/*
 * gen/scan.h - Lua, read as far as it takes to find what a file declares and
 * where more can be written.
 *
 * Names, strings, numbers, comments and brackets are read as Lua 5.4 reads
 * them; what they mean together is not. What is found borrows from the text.
 */
#ifndef TR_GEN_SCAN_H
#define TR_GEN_SCAN_H

#include "base/arena.h"
#include "base/err.h"

/* node_type "Note" {...} */
struct tr_gen_declaration {
    tr_str word; /* "node_type" */
    tr_str name; /* "" when it is not written out plainly */
    size_t end;  /* behind its last bracket; 0 unless it is a statement of the
                    file itself */
};

/* A local of the file itself. */
struct tr_gen_local {
    tr_str name;
    size_t at;
};

struct tr_gen_outline {
    struct tr_gen_declaration *declarations;
    size_t count;
    size_t cap;
    struct tr_gen_local *locals;
    size_t local_count;
    size_t local_cap;
    size_t end;       /* where more may stand: before the file's `return` and
                         what is said of it, or behind all */
    bool is_returned; /* it has such a `return` */
};

/*
 * Reads a text. TR_E_INVALID, with a place, for a string or comment that does
 * not end and for brackets or blocks that do not fit together; TR_E_LIMIT for
 * more of them in each other than Lua takes.
 */
TR_NODISCARD tr_status tr_gen_scan(tr_str text, struct tr_arena *arena,
                                   struct tr_gen_outline *out,
                                   struct tr_err *err);

/* Whether a text that can be scanned reads a variable of this name. */
bool tr_gen_scan_uses(tr_str text, tr_str name);

/* Whether a string or comment in it has more than one line. */
bool tr_gen_scan_has_long_text(tr_str text);

/* Whether it is a name that Lua keeps for itself: "end". */
bool tr_gen_is_reserved(tr_str name);

#endif
