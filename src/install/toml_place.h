/*
 * install/toml_place.h - where the tables of a TOML file stand.
 *
 * Only for texts that the TOML reader has taken: nothing is checked again.
 */
#ifndef TR_INSTALL_TOML_PLACE_H
#define TR_INSTALL_TOML_PLACE_H

#include "base/err.h"
#include "base/vec.h"

/* The parts of a dotted key. */
struct tr_install_path {
    const tr_str *parts;
    size_t count;
};

struct tr_install_pair {
    struct tr_install_path path; /* in its table */
    size_t key;
    size_t value;
    size_t value_end;
};

struct tr_install_table {
    struct tr_install_path path;
    size_t start; /* of the line of its header; 0 for the root */
    size_t body;  /* behind that line */
    size_t end;   /* behind the line of its last pair */
    bool is_item; /* of an array of tables */
    TR_VEC(struct tr_install_pair) pairs; /* where they were asked for */
};

struct tr_install_tables {
    struct tr_install_table *items; /* the root first */
    size_t count;
    size_t cap;
};

/* Whether `path` begins with these two, or with the first when the second is
 * empty. */
bool tr_install_path_starts(const struct tr_install_path *path, tr_str first,
                            tr_str second);

/* All tables, with the pairs of the root, of [servers] and of what is in it. */
TR_NODISCARD tr_status tr_install_toml_tables(struct tr_arena *arena,
                                              tr_str text, tr_str servers,
                                              struct tr_install_tables *out,
                                              struct tr_err *err);

#endif
