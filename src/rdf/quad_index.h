/*
 * rdf/quad_index.h - quads of small integers, sorted in three orders.
 *
 * Rows are added at the end; tr_rdf_quad_index_build sorts them and drops those
 * that occur twice. Until then nothing new can be found.
 */
#ifndef TR_RDF_QUAD_INDEX_H
#define TR_RDF_QUAD_INDEX_H

#include "base/buf.h"

enum tr_rdf_part {
    TR_RDF_PART_S,
    TR_RDF_PART_P,
    TR_RDF_PART_O,
    TR_RDF_PART_G,
    TR_RDF_PARTS
};

typedef struct tr_rdf_row {
    uint32_t at[TR_RDF_PARTS];
} tr_rdf_row;

/* Rows sorted by one part first, and where each of its values starts. */
struct tr_rdf_quad_order {
    struct tr_buf rows;   /* tr_rdf_row */
    struct tr_buf starts; /* uint32_t, one for each id and one more */
};

struct tr_rdf_quad_index {
    struct tr_rdf_quad_order spo; /* its rows are the ones that were added */
    struct tr_rdf_quad_order pso;
    struct tr_rdf_quad_order ops;
    uint32_t bound; /* ids are below this */
    bool is_built;
};

/* A stretch of rows in one of the orders. */
struct tr_rdf_row_range {
    const tr_rdf_row *at;
    const tr_rdf_row *end;
};

void tr_rdf_quad_index_init(struct tr_rdf_quad_index *index, size_t max_bytes);
void tr_rdf_quad_index_done(struct tr_rdf_quad_index *index);

TR_NODISCARD tr_status tr_rdf_quad_index_add(struct tr_rdf_quad_index *index,
                                             const tr_rdf_row *row,
                                             struct tr_err *err);

/* Makes everything added so far findable. All ids must be below `bound`. */
TR_NODISCARD tr_status tr_rdf_quad_index_build(struct tr_rdf_quad_index *index,
                                               uint32_t bound,
                                               struct tr_err *err);

size_t tr_rdf_quad_index_count(const struct tr_rdf_quad_index *index);

/*
 * The shortest stretch, of those that the orders give, with all rows that have
 * these values; 0 stands for any. Other rows may be among them: the caller
 * compares each.
 */
struct tr_rdf_row_range
tr_rdf_quad_index_range(const struct tr_rdf_quad_index *index,
                        const tr_rdf_row *pattern);

#endif
