#include "base/limits.h"
#include "graph/load_inside.h"
#include "graph/row.h"
#include "graph/store.h"

#include <stdlib.h>

/* After more changes than this the feed has a row for each type only. */
#define SINGLE_ROWS_MAX 1000

static int compare_subjects(const void *a, const void *b)
{
    const struct tr_graph_load_subject *x = a;
    const struct tr_graph_load_subject *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Several batches may have had the same subject. */
static void drop_twins(struct tr_graph_load *load)
{
    struct tr_graph_load_subject *items = (void *)load->subjects.ptr;
    size_t count = load->subjects.len / sizeof(*items);
    size_t kept = 0;
    if (count && load->batches > 1)
        qsort(items, count, sizeof(*items), compare_subjects);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || items[i].id != items[kept - 1].id)
            items[kept++] = items[i];
    }
    load->subjects.len = kept * sizeof(*items);
    load->counts.changed = kept;
}

/* Sorts, and keeps one of each. */
static size_t drop_twin_ids(struct tr_buf *buf)
{
    tr_rdf_id *ids = (void *)buf->ptr;
    size_t count = buf->len / sizeof(*ids);
    size_t kept = 0;
    if (count)
        qsort(ids, count, sizeof(*ids), tr_rdf_id_compare);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || ids[i] != ids[kept - 1])
            ids[kept++] = ids[i];
    }
    buf->len = kept * sizeof(*ids);
    return kept;
}

static tr_status find_node(struct tr_graph_load *load, tr_rdf_id s, bool *out,
                           struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    *out = false;
    if (load->was_empty)
        return TR_OK;
    TR_TRY(tr_db_prepare(load->db,
                         "SELECT 1 FROM node WHERE s = ?1 AND version > 0",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

/* Its statements are there already. */
static tr_status put_node(struct tr_graph_load *load, tr_rdf_id s,
                          const struct tr_graph_node_row *row,
                          struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(load->db,
                         "UPDATE node SET type = ?2, version = version + 1,"
                         " label = ?3 WHERE s = ?1",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    tr_db_bind_i64(stmt, 2, (int64_t)row->type);
    if (row->has_label)
        tr_db_bind_text(stmt, 3, row->label);
    else
        tr_db_bind_null(stmt, 3);
    return tr_db_stmt_run(stmt, err);
}

static tr_status put_search(struct tr_graph_load *load, tr_rdf_id s,
                            tr_str text, bool is_old, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    if (is_old) {
        TR_TRY(tr_db_prepare(load->db, "DELETE FROM search WHERE rowid = ?1",
                             &stmt, err));
        tr_db_bind_i64(stmt, 1, (int64_t)s);
        TR_TRY(tr_db_stmt_run(stmt, err));
    }
    if (!text.len)
        return TR_OK;
    TR_TRY(tr_db_prepare(load->db,
                         "INSERT INTO search (rowid, text) VALUES (?1, ?2)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    tr_db_bind_text(stmt, 2, text);
    return tr_db_stmt_run(stmt, err);
}

static tr_status add_feed_row(struct tr_graph_load *load, tr_rdf_id subject,
                              tr_rdf_id type, enum tr_graph_feed_kind kind,
                              struct tr_err *err)
{
    struct tr_graph_feed_row row = {
        .subject = subject, .type = type, .kind = kind};
    return tr_graph_feed_add(load->db, &row, err);
}

/* After more changes than SINGLE_ROWS_MAX, one row for each type. */
static tr_status put_feed(struct tr_graph_load *load, tr_rdf_id s,
                          const struct tr_graph_node_row *row, bool is_old,
                          struct tr_err *err)
{
    /* What is no node counts as old when its IRI is: there is nothing else to
     * tell by. */
    bool was_there = is_old || (!row->has_type && s < load->first_id);
    if (load->counts.changed <= SINGLE_ROWS_MAX)
        return add_feed_row(
            load, s, row->type,
            was_there ? TR_GRAPH_FEED_UPDATED : TR_GRAPH_FEED_CREATED, err);
    if (load->types.len && load->last_type == row->type)
        return TR_OK;
    load->last_type = row->type;
    return tr_graph_load_push(&load->types, &row->type, sizeof(row->type), err);
}

static tr_status make_row(struct tr_graph_load *load,
                          const struct tr_rdf_graph *graph, tr_rdf_id here,
                          struct tr_graph_node_row *out, struct tr_err *err)
{
    tr_arena_reset(&load->row);
    TR_TRY(
        tr_graph_row_make(graph, load->opts.model, here, &load->row, out, err));
    out->type = tr_graph_load_id(load, out->type);
    return TR_OK;
}

tr_status tr_graph_load_head(struct tr_graph_load *load,
                             const struct tr_graph_load_subject *subject,
                             struct tr_rows_head *out, struct tr_err *err)
{
    struct tr_graph_node_row row;
    *out = (struct tr_rows_head){.is_kept = true};
    if (!tr_graph_load_is_in_memory(load))
        return TR_OK;
    TR_TRY(make_row(load, tr_rdf_memory_graph_view(load->batch), subject->here,
                    &row, err));
    TR_TRY(put_feed(load, subject->id, &row, false, err));
    *out = (struct tr_rows_head){
        .is_node = row.has_type, .type = row.type, .version = 1};
    if (row.has_label)
        out->label = row.label.ptr ? row.label : TR_STR("");
    return row.has_type ? put_search(load, subject->id, row.search, false, err)
                        : TR_OK;
}

static tr_status put_row(struct tr_graph_load *load, tr_rdf_id s,
                         struct tr_err *err)
{
    struct tr_graph_node_row row;
    bool is_old;
    TR_TRY(make_row(load, &load->stored.base, s, &row, err));
    TR_TRY(find_node(load, s, &is_old, err));
    if (row.has_type || is_old) {
        TR_TRY(put_node(load, s, &row, err));
        TR_TRY(put_search(load, s, row.search, is_old, err));
    }
    TR_TRY(put_feed(load, s, &row, is_old, err));
    tr_rows_terms_trim(load->terms);
    return TR_OK;
}

static tr_status put_rows(struct tr_graph_load *load, struct tr_err *err)
{
    const struct tr_graph_load_subject *items =
        (const void *)load->subjects.ptr;
    for (size_t i = 0; i < load->counts.changed; i++)
        TR_TRY(put_row(load, items[i].id, err));
    return TR_OK;
}

/* A node counts once for its class, in however many graphs that stands. */
static tr_status count_class(struct tr_graph_load *load, tr_rdf_id type,
                             tr_rdf_id class, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(load->db,
                         "INSERT OR REPLACE INTO type_count (type, count)"
                         " SELECT ?1, count(*) FROM (SELECT DISTINCT s FROM ops"
                         " WHERE o = ?1 AND p = ?2)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t) class);
    tr_db_bind_i64(stmt, 2, (int64_t)type);
    return tr_db_stmt_run(stmt, err);
}

static tr_status count_classes(struct tr_graph_load *load, struct tr_err *err)
{
    size_t count = drop_twin_ids(&load->classes);
    const tr_rdf_id *classes = (const void *)load->classes.ptr;
    tr_rdf_id type;
    TR_TRY(tr_rdf_graph_find_iri(&load->stored.base,
                                 TR_STR(TR_RDF_IRI_RDF_TYPE), &type, err));
    for (size_t i = 0; i < count; i++)
        TR_TRY(count_class(load, type, classes[i], err));
    return TR_OK;
}

static tr_status add_feed_types(struct tr_graph_load *load, struct tr_err *err)
{
    size_t count = drop_twin_ids(&load->types);
    const tr_rdf_id *types = (const void *)load->types.ptr;
    for (size_t i = 0; i < count; i++)
        TR_TRY(add_feed_row(load, TR_RDF_ID_NONE, types[i], TR_GRAPH_FEED_MANY,
                            err));
    return TR_OK;
}

tr_status tr_graph_load_nodes(struct tr_graph_load *load, struct tr_err *err)
{
    if (!tr_graph_load_is_in_memory(load)) {
        drop_twins(load);
        TR_TRY(put_rows(load, err));
    }
    TR_TRY(count_classes(load, err));
    return add_feed_types(load, err);
}
