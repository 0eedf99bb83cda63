/*
 * rows/storing.h - statements on their way into the tables.
 *
 * One subject after the other: its row is read, changed and written once. Rows
 * of the indexes are gathered, and written sorted, at the end. In a transaction
 * that writes.
 */
#ifndef TR_ROWS_STORING_H
#define TR_ROWS_STORING_H

#include "base/arena.h"
#include "pack/body.h"
#include "rows/terms.h"

struct tr_db;

/* A row of an index, in the order of its columns; the key is beside them. */
struct tr_rows_index_row {
    int64_t at[4]; /* pos: p, s, g; ops: o, p, s, g */
    tr_str key;
};

struct tr_rows_index_rows {
    struct tr_rows_index_row *items;
    size_t count;
    size_t cap;
};

struct tr_rows_storing {
    struct tr_db *db;
    struct tr_rows_terms *terms;
    struct tr_arena *arena; /* of what is gathered */
    struct tr_rows_index_rows pos;
    struct tr_rows_index_rows ops;
    struct tr_arena scratch; /* of one subject */
    struct tr_buf body;
    int64_t quads; /* more than before */
    tr_rdf_id s;   /* the subject whose row is written */
    struct tr_err *err;
};

/* What becomes of the row of a subject beside its statements. */
struct tr_rows_head {
    bool is_kept; /* as it is: the rest does not count */
    bool is_node; /* else it is only a subject, gone with its last statement */
    tr_rdf_id type;
    int64_t version;
    tr_str label; /* no label when `ptr` is NULL */
    bool is_new;  /* the store has no row of it */
    tr_str iri;   /* of a new one, where it is at hand */
};

void tr_rows_storing_init(struct tr_rows_storing *storing, struct tr_db *db,
                          struct tr_rows_terms *terms, struct tr_arena *arena,
                          struct tr_err *err);
void tr_rows_storing_done(struct tr_rows_storing *storing);

/* A quad that comes or goes, in ids of the store. */
struct tr_rows_change {
    tr_rdf_ids quad;
    bool is_added;
};

/* Changes of one subject. */
TR_NODISCARD tr_status tr_rows_storing_subject(
    struct tr_rows_storing *storing, const struct tr_rows_change *changes,
    size_t count, tr_rdf_id s, const struct tr_rows_head *head);

/*
 * The same for who has the bytes already and writes the indexes: `changes` are
 * sorted, and say what became of them. A long value stands there with its row.
 */
TR_NODISCARD tr_status tr_rows_storing_body(struct tr_rows_storing *storing,
                                            tr_pack_change *changes,
                                            size_t count, tr_rdf_id s,
                                            const struct tr_rows_head *head);

/* Puts a long value into a row of its own, and what stands for it into `out`.
 */
TR_NODISCARD tr_status tr_rows_storing_text(struct tr_rows_storing *storing,
                                            tr_str whole, struct tr_buf *out);

/* Writes what was gathered. */
TR_NODISCARD tr_status tr_rows_storing_finish(struct tr_rows_storing *storing);

#endif
