#include "base/limits.h"
#include "graph/load_inside.h"
#include "graph/part.h"
#include "graph/row.h"
#include "graph/store.h"

/* After more changes than this the feed has a row for each type only. */
#define SINGLE_ROWS_MAX 1000

/* Owners of parts that are kept in mind. */
#define KNOWN_MAX 100000

struct nodes {
    struct tr_graph_load *load;
    const struct tr_rdf_graph *graph;
    struct tr_arena arena; /* of one row */
    bool has_single_rows;
    tr_rdf_id last_type;
    struct tr_buf types; /* tr_rdf_id, some twice: types for the feed */
};

/* In memory the batch's ids, else sequence numbers of terms, all of IRIs: so
 * they stand close to one another. */
static uint64_t number_of(const struct tr_graph_load *load,
                          const struct tr_graph_load_subject *subject)
{
    return tr_graph_load_is_in_memory(load) ? subject->here
                                            : subject->id >> TR_GRAPH_TAG_BITS;
}

tr_status tr_graph_load_note(struct tr_graph_load *load,
                             const struct tr_graph_load_subject *subject,
                             struct tr_err *err)
{
    if (!tr_bits_add(&load->subjects, number_of(load, subject)))
        return tr_fail(err, TR_E_NOMEM, "no memory for what changes");
    return subject->id < load->first_id && !load->was_empty
               ? tr_graph_load_push(&load->fresh, &subject->id,
                                    sizeof(subject->id), err)
               : TR_OK; /* it has no values before */
}

bool tr_graph_load_next(const struct tr_graph_load *load, uint64_t *at,
                        struct tr_graph_load_subject *out)
{
    if (!tr_bits_next(&load->subjects, at))
        return false;
    if (tr_graph_load_is_in_memory(load)) {
        out->here = *at;
        out->id = tr_graph_load_id(load, *at);
    } else {
        out->id = out->here = tr_graph_id_make(*at, TR_GRAPH_TAG_IRI);
    }
    ++*at;
    return true;
}

static size_t sort_ids(struct tr_buf *ids)
{
    return tr_graph_ids_sort((void *)ids->ptr, ids->len / sizeof(tr_rdf_id));
}

static tr_status find_owner(struct nodes *n,
                            struct tr_graph_part_owners *owners,
                            const struct tr_graph_load_subject *subject,
                            struct tr_err *err)
{
    struct tr_graph_load *load = n->load;
    tr_rdf_id owner;
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(n->graph, subject->here, &term, err));
    if (!tr_graph_part_may_be(owners->model, term.text))
        return TR_OK;
    if (owners->known.count >= KNOWN_MAX) {
        tr_arena_reset(&n->arena);
        tr_map_init(&owners->known, &n->arena);
    }
    TR_TRY(tr_graph_part_owner(owners, subject->here, &owner, err));
    if (owner == subject->here)
        return TR_OK;
    const struct tr_graph_load_subject other = {tr_graph_load_id(load, owner),
                                                owner};
    tr_bits_remove(&load->subjects, number_of(load, subject));
    return tr_bits_add(&load->subjects, number_of(load, &other))
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for what changes");
}

/* The change of a part is one of its owner. */
static tr_status find_owners(struct nodes *n, struct tr_err *err)
{
    struct tr_graph_load *load = n->load;
    struct tr_graph_load_subject subject;
    struct tr_graph_part_owners owners = {
        .graph = n->graph, .model = load->opts.model, .arena = &n->arena};
    if (!owners.model || !owners.model->part_count)
        return TR_OK;
    tr_map_init(&owners.known, owners.arena);
    for (uint64_t at = 0; tr_graph_load_next(load, &at, &subject);) {
        TR_TRY(find_owner(n, &owners, &subject, err));
        tr_graph_terms_trim(load->terms, TR_GRAPH_TERMS_BYTES);
    }
    tr_arena_reset(&n->arena);
    return TR_OK;
}

static void count_changed(struct tr_graph_load *load)
{
    struct tr_graph_load_subject subject;
    load->counts.changed = 0;
    for (uint64_t at = 0; tr_graph_load_next(load, &at, &subject);)
        load->counts.changed++;
}

tr_status tr_graph_load_knows(struct tr_graph_load *load, tr_rdf_id id,
                              bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    *out = false;
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(
        tr_db_prepare(load->db, "SELECT 1 FROM node WHERE s = ?1", &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)id);
    TR_TRY(tr_db_stmt_step(stmt, out, err));
    if (*out)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status put_node(struct nodes *n, tr_rdf_id s,
                          const struct tr_graph_node_row *row,
                          struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(n->load->db,
                         "INSERT INTO node (s, type, version, label)"
                         " VALUES (?1, ?2, 1, ?3) ON CONFLICT (s) DO UPDATE"
                         " SET type = excluded.type, version = version + 1,"
                         " label = excluded.label",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    tr_db_bind_i64(stmt, 2, (int64_t)row->type);
    if (row->has_label)
        tr_db_bind_text(stmt, 3, row->label);
    else
        tr_db_bind_null(stmt, 3);
    return tr_db_stmt_run(stmt, err);
}

static tr_status put_search(struct nodes *n, tr_rdf_id s, tr_str text,
                            bool is_old, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    if (is_old) {
        TR_TRY(tr_db_prepare(n->load->db, "DELETE FROM search WHERE rowid = ?1",
                             &stmt, err));
        tr_db_bind_i64(stmt, 1, (int64_t)s);
        TR_TRY(tr_db_stmt_run(stmt, err));
    }
    if (!text.len)
        return TR_OK;
    TR_TRY(tr_db_prepare(n->load->db,
                         "INSERT INTO search (rowid, text) VALUES (?1, ?2)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    tr_db_bind_text(stmt, 2, text);
    return tr_db_stmt_run(stmt, err);
}

static tr_status add_feed_row(struct nodes *n, tr_rdf_id subject,
                              tr_rdf_id type, enum tr_graph_feed_kind kind,
                              struct tr_err *err)
{
    struct tr_graph_feed_row row = {
        .subject = subject, .type = type, .kind = kind};
    return tr_graph_feed_add(n->load->db, &row, err);
}

/* Whether nothing is said of a subject any more. */
static tr_status is_gone(struct nodes *n, tr_rdf_id s, bool *out,
                         struct tr_err *err)
{
    bool exists = true;
    if (n->load->has_gone)
        TR_TRY(tr_rdf_graph_has(
            n->graph,
            (tr_rdf_ids){s, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY},
            &exists, err));
    *out = !exists;
    return TR_OK;
}

/* Of a node that is still there; a part of one has no row. */
static tr_status read_type(struct nodes *n, tr_rdf_id s, bool *is_node,
                           tr_rdf_id *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(n->load->db, "SELECT type FROM node WHERE s = ?1",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    TR_TRY(tr_db_stmt_step(stmt, is_node, err));
    if (!*is_node)
        return TR_OK;
    *out = (tr_rdf_id)tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status note_feed(struct nodes *n, tr_rdf_id subject, tr_rdf_id type,
                           enum tr_graph_feed_kind kind, struct tr_err *err)
{
    if (n->has_single_rows)
        return add_feed_row(n, subject, type, kind, err);
    if (n->types.len && n->last_type == type)
        return TR_OK;
    n->last_type = type;
    return tr_graph_load_push(&n->types, &type, sizeof(type), err);
}

static tr_status drop_row(struct nodes *n, tr_rdf_id s, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    tr_rdf_id type = TR_RDF_ID_NONE;
    bool is_node;
    TR_TRY(read_type(n, s, &is_node, &type, err));
    if (!is_node)
        return TR_OK;
    TR_TRY(put_search(n, s, TR_STR(""), true, err));
    TR_TRY(tr_db_prepare(n->load->db, "DELETE FROM node WHERE s = ?1", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    TR_TRY(tr_db_stmt_run(stmt, err));
    return note_feed(n, s, type, TR_GRAPH_FEED_DELETED, err);
}

static tr_status put_row(struct nodes *n,
                         const struct tr_graph_load_subject *subject,
                         const struct tr_graph_node_row *row,
                         struct tr_err *err)
{
    bool is_old = false;
    if (!n->load->was_empty)
        TR_TRY(tr_graph_load_knows(n->load, subject->id, &is_old, err));
    if (row->has_type || is_old) {
        TR_TRY(put_node(n, subject->id, row, err));
        TR_TRY(put_search(n, subject->id, row->search, is_old, err));
    }
    /* What has no row in `node` counts as old when its IRI is: there is nothing
     * else to tell by. */
    bool was_there =
        is_old || (!row->has_type && subject->id < n->load->first_id);
    return note_feed(n, subject->id, row->type,
                     was_there ? TR_GRAPH_FEED_UPDATED : TR_GRAPH_FEED_CREATED,
                     err);
}

static tr_status put_rows(struct nodes *n, struct tr_err *err)
{
    struct tr_graph_load *load = n->load;
    struct tr_graph_load_subject subject;
    for (uint64_t at = 0; tr_graph_load_next(load, &at, &subject);) {
        struct tr_graph_node_row row;
        bool gone;
        TR_TRY(is_gone(n, subject.here, &gone, err));
        if (gone) {
            TR_TRY(drop_row(n, subject.id, err));
            continue;
        }
        tr_arena_reset(&n->arena);
        TR_TRY(tr_graph_row_make(n->graph, load->opts.model, subject.here,
                                 &n->arena, &row, err));
        row.type = tr_graph_load_id(load, row.type);
        TR_TRY(put_row(n, &subject, &row, err));
        if (!load->map.len)
            tr_graph_terms_trim(load->terms, TR_GRAPH_TERMS_BYTES);
    }
    return TR_OK;
}

/* A node counts once for its class, in however many graphs that stands. */
static tr_status count_class(struct nodes *n, tr_rdf_id type, tr_rdf_id class,
                             struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    TR_TRY(tr_db_prepare(n->load->db,
                         "INSERT OR REPLACE INTO type_count (type, count)"
                         " SELECT ?1, count(*) FROM (SELECT DISTINCT s FROM ops"
                         " WHERE o = ?1 AND p = ?2)",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t) class);
    tr_db_bind_i64(stmt, 2, (int64_t)type);
    return tr_db_stmt_run(stmt, err);
}

static tr_status count_classes(struct nodes *n, struct tr_err *err)
{
    size_t count = sort_ids(&n->load->classes);
    const tr_rdf_id *classes = (const void *)n->load->classes.ptr;
    tr_rdf_id type;
    TR_TRY(tr_rdf_graph_find_iri(&n->load->stored.base,
                                 TR_STR(TR_RDF_IRI_RDF_TYPE), &type, err));
    for (size_t i = 0; i < count; i++)
        TR_TRY(count_class(n, type, classes[i], err));
    return TR_OK;
}

static tr_status add_feed_types(struct nodes *n, struct tr_err *err)
{
    size_t count = sort_ids(&n->types);
    const tr_rdf_id *types = (const void *)n->types.ptr;
    for (size_t i = 0; i < count; i++)
        TR_TRY(
            add_feed_row(n, TR_RDF_ID_NONE, types[i], TR_GRAPH_FEED_MANY, err));
    return TR_OK;
}

static tr_status put_all(struct nodes *n, struct tr_err *err)
{
    TR_TRY(put_rows(n, err));
    TR_TRY(tr_graph_load_put_values(n->load, err));
    TR_TRY(count_classes(n, err));
    return add_feed_types(n, err);
}

tr_status tr_graph_load_nodes(struct tr_graph_load *load,
                              const struct tr_rdf_graph *graph,
                              struct tr_err *err)
{
    struct nodes n = {.load = load, .graph = graph};
    tr_arena_init(&n.arena, TR_LIMIT_CHANGE_BYTES);
    tr_buf_init(&n.types, TR_LIMIT_GRAPH_TABLE);
    tr_status status = find_owners(&n, err);
    count_changed(load);
    n.has_single_rows = load->counts.changed <= SINGLE_ROWS_MAX;
    if (status == TR_OK)
        status = put_all(&n, err);
    tr_buf_done(&n.types);
    tr_arena_done(&n.arena);
    return status;
}
