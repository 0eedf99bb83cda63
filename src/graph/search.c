#include "base/buf.h"
#include "base/limits.h"
#include "db/db.h"
#include "graph/node.h"
#include "graph/query.h"

/* Every byte may be a quote, which is doubled; each word gets two quotes and a
 * space, the last one a star. */
#define QUERY_BYTES (2 * TR_LIMIT_SEARCH_BYTES + 3 * TR_LIMIT_SEARCH_WORDS + 2)

static bool is_space(char c)
{
    return (unsigned char)c <= ' ';
}

static size_t skip(tr_str text, size_t at, bool space)
{
    while (at < text.len && is_space(text.ptr[at]) == space)
        at++;
    return at;
}

/* A string of FTS5's query language: all that is in it is text. What is no word
 * at all, such as "--", FTS5 leaves out by itself. */
static void put_word(struct tr_buf *query, tr_str word)
{
    if (query->len)
        tr_buf_putc(query, ' ');
    tr_buf_putc(query, '"');
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] == '"')
            tr_buf_putc(query, '"');
        tr_buf_putc(query, word.ptr[i]);
    }
    tr_buf_putc(query, '"');
}

static tr_status write_query(tr_str text, struct tr_buf *query,
                             struct tr_err *err)
{
    size_t words = 0;
    if (text.len > TR_LIMIT_SEARCH_BYTES)
        return tr_fail(err, TR_E_INVALID, "a search has at most %zu bytes",
                       TR_LIMIT_SEARCH_BYTES);
    for (size_t at = skip(text, 0, true); at < text.len;) {
        size_t end = skip(text, at, false);
        if (++words > TR_LIMIT_SEARCH_WORDS)
            return tr_fail(err, TR_E_INVALID, "a search has at most %d words",
                           TR_LIMIT_SEARCH_WORDS);
        put_word(query, (tr_str){text.ptr + at, end - at});
        at = skip(text, end, true);
    }
    if (words)
        tr_buf_putc(query, '*');
    return tr_buf_check(query, err);
}

struct searching {
    const struct tr_graph_read_ctx *ctx;
    tr_rdf_id rdf_type;
    tr_rdf_id class; /* TR_RDF_ID_ANY: of any type */
    size_t work;
    size_t max_work;
    size_t limit;
    struct tr_graph_page *page;
    bool more;
};

static tr_status is_wanted(const struct searching *s, tr_rdf_id id, bool *out,
                           struct tr_err *err)
{
    if (s->class != TR_RDF_ID_ANY)
        return tr_rdf_graph_has(
            s->ctx->graph,
            (tr_rdf_ids){id, s->rdf_type, s->class, TR_RDF_ID_ANY}, out, err);
    *out = true;
    return tr_graph_read_ctx_touches(s->ctx, id)
               ? tr_graph_node_exists(s->ctx, id, out, err)
               : TR_OK;
}

static tr_status take_rows(struct searching *s, struct tr_db_stmt *stmt,
                           bool *row, struct tr_err *err)
{
    while (!s->more) {
        bool wanted;
        TR_TRY(tr_db_stmt_step(stmt, row, err));
        if (!*row)
            return TR_OK;
        tr_rdf_id id = (tr_rdf_id)tr_db_column_i64(stmt, 0);
        TR_TRY(is_wanted(s, id, &wanted, err));
        if (wanted && s->page->count == s->limit)
            s->more = true;
        else if (wanted)
            s->page->ids[s->page->count++] = id;
        else if (++s->work > s->max_work)
            return tr_fail(err, TR_E_LIMIT,
                           "too many matches are of another type");
    }
    return TR_OK;
}

/* A tie is broken by the id, so that the order is always the same. */
static tr_status run_query(struct searching *s, tr_str query,
                           struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row = false;
    if (!query.len)
        return TR_OK;
    TR_TRY(tr_db_prepare(s->ctx->db,
                         "SELECT rowid FROM search WHERE search MATCH ?1"
                         " ORDER BY rank, rowid",
                         &stmt, err));
    tr_db_bind_text(stmt, 1, query);
    tr_status status = take_rows(s, stmt, &row, err);
    if (row)
        tr_db_stmt_reset(stmt);
    return status;
}

static tr_status find_class(struct searching *s,
                            const struct tr_model_type *type,
                            struct tr_err *err)
{
    const struct tr_rdf_graph *graph = s->ctx->graph;
    s->class = TR_RDF_ID_ANY;
    if (!type)
        return TR_OK;
    TR_TRY(tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &s->rdf_type, err));
    return tr_rdf_graph_find_iri(graph, type->shape->iri, &s->class, err);
}

tr_status tr_graph_search(const struct tr_graph_read_ctx *ctx,
                          const struct tr_graph_search *search,
                          struct tr_graph_page *out, bool *more,
                          struct tr_err *err)
{
    char text[QUERY_BYTES];
    struct tr_buf query;
    struct searching s = {
        .ctx = ctx,
        .max_work = tr_graph_query_work(search->max_work),
        .limit = tr_graph_page_limit(search->limit),
        .page = out,
    };
    tr_buf_init_fixed(&query, text, sizeof(text));
    *out = (struct tr_graph_page){
        .ids = TR_NEW_ARRAY(ctx->arena, tr_rdf_id, s.limit)};
    if (!out->ids)
        return tr_fail(err, TR_E_NOMEM, "no memory for a search");
    TR_TRY(write_query(search->text, &query, err));
    TR_TRY(find_class(&s, search->type, err));
    if (s.class != TR_RDF_ID_NONE)
        TR_TRY(run_query(&s, tr_buf_str(&query), err));
    *more = s.more;
    return TR_OK;
}
