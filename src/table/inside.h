/*
 * table/inside.h - what the parts of an import share; theirs alone.
 */
#ifndef TR_TABLE_INSIDE_H
#define TR_TABLE_INSIDE_H

#include "base/limits.h"
#include "base/map.h"
#include "base/vec.h"
#include "csv/reader.h"
#include "graph/kg.h"
#include "table/staging.h"
#include "table/table.h"

/* One value of a row, as it stands there. */
struct tr_table_cell {
    tr_str name; /* of the field, "id" or "_type" */
    struct tr_json value;
    tr_place place;
    bool is_text; /* of a file that has texts only */
    bool is_told; /* that it is wrong */
};

struct tr_table_row {
    uint64_t number; /* among all files, from 0 */
    tr_place place;
    const struct tr_table_file *file;
    const struct tr_model_type *type;
    TR_VEC(struct tr_table_cell) cells;
    bool says_all; /* what it does not name is absent; else it stays */
    bool is_bad;   /* a mistake was told */
};

/* What a column of a CSV file is. */
struct tr_table_column {
    tr_str header;
    tr_str name; /* "" is left out */
};

/* A file that is being read. */
struct tr_table_input {
    struct tr_table *table;
    const struct tr_table_file *file;
    struct tr_csv_reader *csv;
    struct tr_table_column *columns;
    size_t column_count;
    struct tr_buf in; /* of JSON: what was read, from `at` still to be used */
    size_t at;
    tr_place at_place;
    bool is_ended;
    bool has_opened; /* the bracket of an array */
    bool has_closed;
    size_t seen; /* values so far */
};

struct tr_table {
    struct tr_table_opts opts;
    struct tr_table_counts counts;
    struct tr_table_staging staging;
    struct tr_graph_kg kg;
    struct tr_graph_read_ctx ctx; /* of `opts.reader`, for the whole work */
    bool has_begun;
    bool has_kg;
    bool is_writing; /* the second time */
    bool is_stopped; /* a file has a mistake that skipping rows does not mend */
    struct tr_graph_load *load;
    const struct tr_map *origins; /* then: what is looked for, by IRI */
    uint64_t told;                /* mistakes that were shown, or could be */
    struct tr_arena arena;        /* of one row */
    struct tr_arena known;        /* of `refs` */
    struct tr_map refs;           /* nodes that were looked up */
    struct tr_arena header;       /* of columns */
    uint64_t seed;
    uint64_t now_ms;
    uint64_t next_row;
    uint64_t done; /* bytes */
    uint64_t total;
    uint64_t shown;
};

/* table.c: notes a mistake of a row, or of a file when `row` is NULL. */
TR_PRINTF(5, 6)
TR_NODISCARD tr_status tr_table_tell(struct tr_table *table,
                                     const struct tr_table_file *file,
                                     struct tr_table_row *row, tr_place place,
                                     const char *format, ...);

/* table.c: finds the rows that are bad by others, and tells what was not told.
 */
TR_NODISCARD tr_status tr_table_settle(struct tr_table *table,
                                       struct tr_err *err);

/* table.c: reads all files once more. */
TR_NODISCARD tr_status tr_table_read_files(struct tr_table *table,
                                           struct tr_err *err);

/* A node, and the row that it came from: for what a shape says of it in the
 * end. */
struct tr_table_origin {
    tr_str iri;
    tr_str field;     /* or "" */
    tr_str why;       /* for the caller */
    const char *path; /* filled in, as the rest; NULL when it came from none */
    size_t file;      /* its number */
    uint64_t row;     /* among all files */
    tr_place place;   /* of the field's cell, or of the row */
    struct tr_table_origin *next; /* of the same node */
};

/* origin.c: finds their rows in the files, after tr_table_write. */
TR_NODISCARD tr_status tr_table_find(struct tr_table *table,
                                     struct tr_table_origin *origins,
                                     size_t count, struct tr_err *err);

/* origin.c: the rows that were found are bad, and those that refer to them; as
 * tr_table_leave_out. */
TR_NODISCARD tr_status tr_table_leave_out_rows(
    struct tr_table *table, const struct tr_table_origin *origins, size_t count,
    bool *more, struct tr_err *err);

/* origin.c: what is looked for in a row, of its node. */
void tr_table_note_origins(const struct tr_table *table,
                           const struct tr_table_row *row, tr_str iri);

/* row.c: the cell that an error is about, whose path begins with the field's
 * name; or NULL. */
struct tr_table_cell *tr_table_find_cell(const struct tr_table_row *row,
                                         tr_str path);

/* input.c: opens a file from its start; reads what its header says. */
TR_NODISCARD tr_status tr_table_input_open(struct tr_table *table,
                                           const struct tr_table_file *file,
                                           struct tr_table_input *out,
                                           struct tr_err *err);
void tr_table_input_close(struct tr_table_input *input);

/* The next row, into the row's arena; its mistakes are told. */
TR_NODISCARD tr_status tr_table_input_next(struct tr_table_input *input,
                                           struct tr_table_row *row, bool *more,
                                           struct tr_err *err);

/* columns.c */
TR_NODISCARD tr_status tr_table_read_header(struct tr_table_input *input,
                                            const struct tr_csv_row *row,
                                            struct tr_err *err);

/* What a name of the file is: a field, "id", "_type", or "" to leave out. False
 * for what is none, and then `near` may have been meant. */
bool tr_table_name(const struct tr_table_input *input, tr_str column,
                   tr_str *out, tr_str *near);

/* json_rows.c */
TR_NODISCARD tr_status tr_table_json_next(struct tr_table_input *input,
                                          struct tr_table_row *row, bool *more,
                                          struct tr_err *err);

/* input.c: reads on, for both. */
TR_NODISCARD tr_status tr_table_input_read(void *input, char *to, size_t size,
                                           size_t *got, struct tr_err *err);

/* row.c: checks a row, and when it is good and time for it writes it. */
TR_NODISCARD tr_status tr_table_take_row(struct tr_table *table,
                                         struct tr_table_row *row,
                                         struct tr_err *err);

/* value.c: what a cell says, of a field; null for nothing at all. */
TR_NODISCARD tr_status tr_table_value(struct tr_table *table,
                                      struct tr_table_row *row,
                                      const struct tr_field *field,
                                      struct tr_table_cell *cell,
                                      struct tr_json *out, struct tr_err *err);

/* ref.c: from what names a node to its IRI. */
TR_NODISCARD tr_status tr_table_ref(struct tr_table *table,
                                    struct tr_table_row *row,
                                    const struct tr_field *field,
                                    struct tr_table_cell *cell,
                                    struct tr_json *value, struct tr_err *err);

/* A unique set of a type with the values of a row. */
struct tr_table_key {
    const struct tr_model_type *type;
    const struct tr_shape_unique *unique;
    size_t index; /* of the set, in its type */
    tr_rdf_term terms[TR_LIMIT_UNIQUE_FIELDS];
    tr_str text; /* all of them, as a key */
};

/* keys.c: of each set whose fields are there; stops when `visit` says so. */
typedef tr_status tr_table_key_fn(void *context, const struct tr_table_key *key,
                                  bool *stop, struct tr_err *err);
TR_NODISCARD tr_status tr_table_each_key(struct tr_table *table,
                                         const struct tr_model_type *type,
                                         const struct tr_json *fields,
                                         tr_table_key_fn *visit, void *context,
                                         struct tr_err *err);

/* Writes `text` from `terms`; the name of the set, "" without memory. */
TR_NODISCARD tr_status tr_table_key_write(struct tr_table *table,
                                          struct tr_table_key *key,
                                          struct tr_err *err);
tr_str tr_table_key_set(struct tr_table *table, const struct tr_table_key *key);

/* The node of the store with these values, or TR_RDF_ID_NONE. */
TR_NODISCARD tr_status tr_table_holder(struct tr_table *table,
                                       const struct tr_table_key *key,
                                       tr_rdf_id *out, struct tr_err *err);

/* drain.c: from a changeset into the load. */
TR_NODISCARD tr_status tr_table_drain(struct tr_table *table, bool was_there,
                                      bool *changed, struct tr_err *err);
TR_NODISCARD tr_status tr_table_delete_missing(struct tr_table *table,
                                               struct tr_err *err);

#endif
