#include "db/db.h"
#include "query/node.h"
#include "query/query.h"

tr_status tr_query_list_type(const struct tr_graph_read_ctx *ctx,
                             const struct tr_model_type *type, tr_str after,
                             size_t limit, struct tr_query_page *out,
                             struct tr_err *err)
{
    struct tr_query query = {.type = type, .after = after, .limit = limit};
    return tr_query_where(ctx, &query, out, err);
}

static tr_status open_array(const struct tr_graph_read_ctx *ctx, size_t count,
                            struct tr_json **items, struct tr_err *err)
{
    *items = TR_NEW_ARRAY(ctx->arena, struct tr_json, count);
    return *items ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory for a list");
}

static struct tr_json close_array(const struct tr_json *items, size_t count)
{
    return (struct tr_json){
        .kind = TR_JSON_ARRAY,
        .len = (uint32_t)count,
        .as.items = items,
    };
}

tr_status tr_query_page_brief(const struct tr_graph_read_ctx *ctx,
                              const struct tr_query_page *page,
                              struct tr_json *out, struct tr_err *err)
{
    struct tr_json *items;
    TR_TRY(open_array(ctx, page->count, &items, err));
    for (size_t i = 0; i < page->count; i++)
        TR_TRY(tr_query_node_brief(ctx, page->ids[i], &items[i], err));
    *out = close_array(items, page->count);
    return TR_OK;
}

static tr_str end_of(tr_str iri)
{
    size_t at = iri.len;
    while (at > 0 && iri.ptr[at - 1] != '/' && iri.ptr[at - 1] != '#')
        at--;
    return at < iri.len ? tr_str_skip(iri, at) : iri;
}

/* When the next node of a page is this near, stepping over the rows in between
 * is cheaper than a new search: in numbers of terms, and in steps. */
#define NEAR_TERMS 32
#define NEAR_ROWS  4

/* The labels of nodes in the order of their ids: mostly they are neighbours. */
struct labels {
    const struct tr_graph_read_ctx *ctx;
    struct tr_db_stmt *stmt; /* NULL at the end, and before the first */
    tr_rdf_id at;            /* the node of the current row */
};

static tr_status next_row(struct labels *labels, struct tr_err *err)
{
    bool row;
    tr_status status = tr_db_stmt_step(labels->stmt, &row, err);
    if (status == TR_OK && row)
        labels->at = (tr_rdf_id)tr_db_column_i64(labels->stmt, 0);
    else
        labels->stmt = NULL;
    return status;
}

static void close_labels(struct labels *labels)
{
    if (labels->stmt)
        tr_db_stmt_reset(labels->stmt);
    labels->stmt = NULL;
}

static tr_status seek_label(struct labels *labels, tr_rdf_id id,
                            struct tr_err *err)
{
    bool is_near = labels->stmt && id - labels->at <= NEAR_TERMS
                                                          << TR_GRAPH_TAG_BITS;
    for (int i = 0; is_near && labels->at < id && i < NEAR_ROWS; i++) {
        TR_TRY(next_row(labels, err));
        is_near = labels->stmt != NULL;
    }
    if (labels->stmt && labels->at >= id)
        return TR_OK;
    close_labels(labels);
    TR_TRY(tr_db_prepare(labels->ctx->db,
                         "SELECT s, label FROM node WHERE s >= ?1 ORDER BY s",
                         &labels->stmt, err));
    tr_db_bind_i64(labels->stmt, 1, (int64_t)id);
    return next_row(labels, err);
}

/* The label is "" when there is none, and lives until the next call. */
static tr_status read_label(struct labels *labels, tr_rdf_id id, tr_str *out,
                            struct tr_err *err)
{
    *out = TR_STR("");
    if (tr_graph_read_ctx_relabels(labels->ctx, id) || tr_graph_id_is_new(id))
        return tr_graph_node_label(labels->ctx, id, out, err);
    TR_TRY(seek_label(labels, id, err));
    if (labels->stmt && labels->at == id)
        *out = tr_db_column_text(labels->stmt, 1);
    return TR_OK;
}

static tr_status write_label(struct labels *labels,
                             const struct tr_query_page *page, size_t at,
                             struct tr_json_writer *out, struct tr_err *err)
{
    tr_rdf_id id = page->ids[at];
    tr_str label = page->labels ? page->labels[at] : (tr_str){0};
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(labels->ctx->graph, id, &term, err));
    if (!label.ptr)
        TR_TRY(read_label(labels, id, &label, err));
    tr_jw_open(out, '{');
    tr_jw_put_string(out, "iri", term.text);
    tr_jw_put_string(out, "label", label.len ? label : end_of(term.text));
    tr_jw_close(out, '}');
    return TR_OK;
}

tr_status tr_query_page_write_labels(const struct tr_graph_read_ctx *ctx,
                                     const struct tr_query_page *page,
                                     struct tr_json_writer *out,
                                     struct tr_err *err)
{
    struct labels labels = {.ctx = ctx};
    tr_status status = TR_OK;
    tr_jw_open(out, '[');
    for (size_t i = 0; i < page->count && status == TR_OK; i++)
        status = write_label(&labels, page, i, out, err);
    tr_jw_close(out, ']');
    close_labels(&labels);
    return status;
}
