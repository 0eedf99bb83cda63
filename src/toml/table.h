/*
 * toml/table.h - tables while they are being filled, and who may fill them.
 *
 * TOML 1.0.0 sections "Keys", "Table", "Inline Table" and "Array of Tables"
 * say which tables may be opened or added to; all of these rules are here.
 * Nodes live in the cursor's scratch arena and are then frozen into the tree.
 */
#ifndef TR_TOML_TABLE_H
#define TR_TOML_TABLE_H

#include "toml/cursor.h"

enum tr_toml_kind {
    TR_TOML_VALUE,   /* any whole value; inline tables too, which are closed */
    TR_TOML_IMPLIED, /* a table that a longer name implies: may be opened */
    TR_TOML_DOTTED,  /* a table of dotted keys: only they may add to it */
    TR_TOML_DEFINED, /* a table with its own header or braces, or the root */
    TR_TOML_LIST,    /* an array of tables: its children are the tables */
};

struct tr_toml_node {
    tr_str key;
    struct tr_toml_node *next; /* in the same table or list */
    enum tr_toml_kind kind;
    unsigned depth;       /* open tables and arrays, with this one */
    struct tr_json value; /* only of a value */
    struct tr_toml_node *first;
    struct tr_toml_node *last;
    size_t count;
    struct tr_map *index; /* NULL until the table is wide */
};

/* One part of a dotted key or of a header. */
struct tr_toml_key {
    tr_str name;    /* without quotes and escapes */
    tr_str written; /* the text from the first part to this one */
};

/* An empty table without a name; NULL when there is no memory. */
struct tr_toml_node *tr_toml_table_new(struct tr_toml_cursor *in,
                                       unsigned depth);

/* Moves *table into the table that a part of a header names. */
TR_NODISCARD tr_status tr_toml_enter_header(struct tr_toml_cursor *in,
                                            struct tr_toml_node **table,
                                            const struct tr_toml_key *key,
                                            struct tr_err *err);

/* Moves *table into the table that a part of a dotted key names. */
TR_NODISCARD tr_status tr_toml_enter_dotted(struct tr_toml_cursor *in,
                                            struct tr_toml_node **table,
                                            const struct tr_toml_key *key,
                                            struct tr_err *err);

/* Moves *table into the table that the header [... key] opens. */
TR_NODISCARD tr_status tr_toml_open_table(struct tr_toml_cursor *in,
                                          struct tr_toml_node **table,
                                          const struct tr_toml_key *key,
                                          struct tr_err *err);

/* Moves *table into the new table that the header [[... key]] adds. */
TR_NODISCARD tr_status tr_toml_open_item(struct tr_toml_cursor *in,
                                         struct tr_toml_node **table,
                                         const struct tr_toml_key *key,
                                         struct tr_err *err);

/* Adds a key, whose value the caller writes into *out. */
TR_NODISCARD tr_status tr_toml_add_value(struct tr_toml_cursor *in,
                                         struct tr_toml_node *table,
                                         const struct tr_toml_key *key,
                                         struct tr_json **out,
                                         struct tr_err *err);

/* TR_E_LIMIT where the cursor stands, when `depth` is above the limit. */
TR_NODISCARD tr_status tr_toml_check_depth(const struct tr_toml_cursor *in,
                                           unsigned depth, struct tr_err *err);

#endif
