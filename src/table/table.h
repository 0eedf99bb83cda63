/*
 * table/table.h - rows of a file as nodes of a type, and the other way round.
 *
 * An import reads its files twice. The first time every row is checked as a
 * write of it would be, and all that is wrong is told; the second time good
 * rows go into a load (graph/load.h), which lands all of them or nothing. What
 * must be known of other rows meanwhile (ids, unique values, refs to rows that
 * come later) is kept in a file beside the store, so that memory is bounded
 * whatever the files' size.
 */
#ifndef TR_TABLE_TABLE_H
#define TR_TABLE_TABLE_H

#include "graph/kg.h"
#include "graph/load.h"
#include "model/model.h"
#include "rdf/writer.h"

enum tr_table_format {
    TR_TABLE_CSV,
    TR_TABLE_JSON,   /* an array of objects */
    TR_TABLE_NDJSON, /* an object on each line */
    TR_TABLE_FORMATS
};

/* "csv", "json", "ndjson"; false when there is none of that name. */
bool tr_table_format_find(tr_str name, enum tr_table_format *out);

/* By what stands behind the last dot of a file's name. */
bool tr_table_format_of_file(tr_str path, enum tr_table_format *out);

/* A column, or a key of an object, and the field that it is; "" leaves it out.
 */
struct tr_table_mapping {
    tr_str column;
    tr_str field;
};

/* Whether rows of a type may have something of this name: a field, of the type
 * or of one below it, or `id` or `_type`. Else `near` may have been meant. */
bool tr_table_knows(const struct tr_model *model,
                    const struct tr_model_type *type, tr_str name,
                    tr_str *near);

struct tr_table_file {
    const char *path; /* for messages; what is read is `fd` */
    int fd;           /* that can be read again from its start */
    enum tr_table_format format;
    const struct tr_model_type *type;
};

/* A field left zero takes the default named beside it. */
struct tr_table_opts {
    const char *store;               /* the path of its file */
    struct tr_graph_reader *reader;  /* what the store has; not begun */
    struct tr_graph_reader *changes; /* another one, not begun */
    const struct tr_model *model;
    const struct tr_table_file *files;
    size_t count;
    const struct tr_table_mapping *map; /* of all files; none */
    size_t map_count;
    char separator;      /* of CSV: the one in the header */
    bool skip_bad;       /* the other rows may land */
    bool replace;        /* nodes that are there get what their row says */
    bool needs_name;     /* a row that would be another node each time is bad */
    bool delete_missing; /* nodes of the types that no row names go */
    /* Called for each mistake, in the order of the files and places. */
    void (*told)(void *data, const char *path, tr_place place, tr_str why);
    /* Called now and then; may be NULL. */
    void (*progress)(void *data, uint64_t done, uint64_t total);
    void *data;
};

struct tr_table_counts {
    uint64_t rows;
    uint64_t bad;      /* of these */
    uint64_t mistakes; /* in bad rows and in headers */
    uint64_t created;
    uint64_t changed;
    uint64_t same; /* that were there, and as the row says */
    uint64_t deleted;
};

struct tr_table;

TR_NODISCARD tr_status tr_table_create(const struct tr_table_opts *opts,
                                       struct tr_table **out,
                                       struct tr_err *err);

/* NULL is allowed. */
void tr_table_free(struct tr_table *table);

/*
 * Reads all files, and tells of each mistake. TR_E_VALIDATION when there are
 * some that do not let the import go on: any, without `skip_bad`; with it those
 * of a header, or a file that cannot be read to its end.
 */
TR_NODISCARD tr_status tr_table_check(struct tr_table *table,
                                      struct tr_err *err);

/* Then: puts good rows into the load, and takes from it what goes. */
TR_NODISCARD tr_status tr_table_write(struct tr_table *table,
                                      struct tr_graph_load *load,
                                      struct tr_err *err);

struct tr_table_counts tr_table_counts(const struct tr_table *table);

/* When the load was refused: reads the files once more, and tells what is wrong
 * by the shapes, with the places of rows, in their order; what came from no row
 * first, with the IRI of its node in place of a path. */
TR_NODISCARD tr_status tr_table_tell_refused(struct tr_table *table,
                                             const struct tr_graph_load *load,
                                             struct tr_err *err);

/*
 * Or: the rows of what shapes refuse are bad, and those that refer to them; it
 * tells of all. When `*more` are bad than before, tr_table_write may be called
 * again, with another load. For an import that skips bad rows.
 */
TR_NODISCARD tr_status tr_table_leave_out(struct tr_table *table,
                                          const struct tr_graph_load *load,
                                          bool *more, struct tr_err *err);

/*
 * Writes the instances of a type, as CSV or NDJSON, or for TR_TABLE_JSON as an
 * array of JSON-LD (query/node.h) with all that is said of them: id, then the
 * fields in the order of their declaration; `_type` behind the id where the
 * type has others below it. Between the reader's begin and its end.
 */
struct tr_table_dump {
    const struct tr_model *model;
    const struct tr_model_type *type;
    enum tr_table_format format;
};
TR_NODISCARD tr_status tr_table_dump(struct tr_graph_reader *reader,
                                     const struct tr_table_dump *dump,
                                     const struct tr_rdf_output *output,
                                     struct tr_err *err);

#endif
