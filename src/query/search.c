#include "base/limits.h"
#include "base/vec.h"
#include "db/db.h"
#include "graph/node.h"
#include "query/filter.h"
#include "query/search_text.h"

/*
 * What a search costs is what its rarest word costs: its nodes are candidates,
 * and the text of each is looked at for the other words. How many nodes a word
 * has is known nowhere, so all words are walked side by side until the first
 * one ends: that is the rarest.
 */

struct candidate {
    tr_rdf_id id;
    double score;
};

struct searching {
    const struct tr_graph_read_ctx *ctx;
    struct tr_query_search_words words;
    tr_rdf_id rdf_type;
    tr_rdf_id class; /* TR_RDF_ID_ANY: of any type */
    size_t max_work;
    const struct tr_query_filter *filter; /* or NULL */
    size_t bytes;                         /* of texts that were looked at */
    TR_VEC(struct candidate) found;
    bool is_partial;
};

/*
 * A walk over the rows of a word: it is a word of the index, which has no
 * quotes. For the start of one, over the rows of all words up to the last one
 * that could begin so; there a row may come up again.
 */
struct rows {
    struct tr_db_stmt *stmt;
    bool is_open;
};

static tr_status open_rows(const struct searching *s, size_t at,
                           struct rows *rows, struct tr_err *err)
{
    const struct tr_query_search_word *word = &s->words.items[at];
    TR_TRY(tr_db_prepare(
        s->ctx->db,
        word->is_prefix ? "SELECT doc FROM search_word"
                          " WHERE term >= ?1 AND term <= ?1 || char(1114111)"
                        : "SELECT rowid FROM search"
                          " WHERE search MATCH '\"' || ?1 || '\"'",
        &rows->stmt, err));
    rows->is_open = true;
    tr_db_bind_text(rows->stmt, 1, word->text);
    return TR_OK;
}

static tr_status next_row(struct rows *rows, struct tr_err *err)
{
    return tr_db_stmt_step(rows->stmt, &rows->is_open, err);
}

static void close_rows(struct rows *rows)
{
    if (rows->is_open)
        tr_db_stmt_reset(rows->stmt);
    rows->is_open = false;
}

/* When none ends within the bound, any will do. */
static tr_status walk_all(const struct searching *s, struct rows *rows,
                          size_t *rarest, struct tr_err *err)
{
    for (size_t i = 0; i < s->words.count; i++)
        TR_TRY(open_rows(s, i, &rows[i], err));
    for (size_t n = 0; n <= s->max_work; n++) {
        for (*rarest = 0; *rarest < s->words.count; ++*rarest) {
            TR_TRY(next_row(&rows[*rarest], err));
            if (!rows[*rarest].is_open)
                return TR_OK;
        }
    }
    *rarest = 0;
    return TR_OK;
}

static tr_status find_rarest(const struct searching *s, size_t *out,
                             struct tr_err *err)
{
    struct rows rows[TR_LIMIT_SEARCH_WORDS] = {0};
    *out = 0;
    if (s->words.count < 2)
        return TR_OK;
    tr_status status = walk_all(s, rows, out, err);
    for (size_t i = 0; i < s->words.count; i++)
        close_rows(&rows[i]);
    return status;
}

/* A word that a text has often comes up so often, but is one candidate. */
static tr_status take_rows(struct searching *s, struct rows *rows,
                           struct tr_err *err)
{
    size_t steps_left = TR_LIMIT_QUERY_WORK;
    for (;;) {
        TR_TRY(next_row(rows, err));
        if (!rows->is_open)
            return TR_OK;
        struct candidate one = {.id =
                                    (tr_rdf_id)tr_db_column_i64(rows->stmt, 0)};
        size_t count = s->found.count;
        bool is_same = count && s->found.items[count - 1].id == one.id;
        if (steps_left-- == 0 || (!is_same && count == s->max_work)) {
            s->is_partial = true;
            return TR_OK;
        }
        if (!is_same && !tr_vec_push(s->ctx->arena, &s->found, one))
            return tr_fail(err, TR_E_NOMEM, "no memory for a search");
    }
}

static tr_status find_candidates(struct searching *s, struct tr_err *err)
{
    struct rows rows = {0};
    size_t rarest;
    TR_TRY(find_rarest(s, &rarest, err));
    TR_TRY(open_rows(s, rarest, &rows, err));
    tr_status status = take_rows(s, &rows, err);
    close_rows(&rows);
    return status;
}

static tr_status is_wanted(const struct searching *s, tr_rdf_id id, bool *out,
                           struct tr_err *err)
{
    tr_rdf_ids row = {id, s->rdf_type, s->class, TR_RDF_ID_ANY};
    if (s->class != TR_RDF_ID_ANY) {
        TR_TRY(tr_rdf_graph_has(s->ctx->graph, row, out, err));
        return *out && s->filter
                   ? tr_query_cond_holds(s->ctx, &s->filter->root, id, out, err)
                   : TR_OK;
    }
    *out = true;
    return tr_graph_read_ctx_touches(s->ctx, id)
               ? tr_graph_node_exists(s->ctx, id, out, err)
               : TR_OK;
}

static tr_status score_text(struct searching *s, struct candidate *one,
                            struct tr_err *err)
{
    struct tr_db *db = s->ctx->db;
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, "SELECT text FROM search WHERE rowid = ?1", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)one->id);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return TR_OK;
    tr_str text = tr_db_column_text(stmt, 0);
    s->bytes += text.len;
    tr_status status =
        tr_query_search_text_score(db, &s->words, text, &one->score, err);
    tr_db_stmt_reset(stmt);
    return status;
}

static int by_id(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* A tie is broken by the id, so that the order is always the same. */
static int by_score(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return by_id(a, b);
}

/* Those that were candidates twice have their twins beside them. */
static tr_status look_at_each(struct searching *s, struct tr_err *err)
{
    size_t kept = 0;
    tr_rdf_id before = TR_RDF_ID_NONE;
    qsort(s->found.items, s->found.count, sizeof(*s->found.items), by_id);
    for (size_t i = 0; i < s->found.count; i++) {
        struct candidate one = s->found.items[i];
        bool wanted = false;
        if (s->bytes > TR_LIMIT_SEARCH_TEXT_BYTES) {
            s->is_partial = true;
            break;
        }
        if (one.id != before)
            TR_TRY(is_wanted(s, one.id, &wanted, err));
        if (wanted)
            TR_TRY(score_text(s, &one, err));
        if (one.score > 0)
            s->found.items[kept++] = one;
        before = one.id;
    }
    s->found.count = kept;
    return TR_OK;
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

static tr_status run(struct searching *s, struct tr_err *err)
{
    if (s->class == TR_RDF_ID_NONE || s->words.count == 0)
        return TR_OK;
    TR_TRY(find_candidates(s, err));
    if (s->found.count == 0)
        return TR_OK;
    TR_TRY(look_at_each(s, err));
    qsort(s->found.items, s->found.count, sizeof(*s->found.items), by_score);
    return TR_OK;
}

static tr_status make_page(const struct searching *s, size_t limit,
                           struct tr_query_page *out, struct tr_err *err)
{
    size_t count = s->found.count < limit ? s->found.count : limit;
    *out = (struct tr_query_page){
        .ids = TR_NEW_ARRAY(s->ctx->arena, tr_rdf_id, count),
        .count = count,
        .is_partial = s->is_partial,
    };
    if (count && !out->ids)
        return tr_fail(err, TR_E_NOMEM, "no memory for a search");
    for (size_t i = 0; i < count; i++)
        out->ids[i] = s->found.items[i].id;
    return TR_OK;
}

tr_status tr_query_search(const struct tr_graph_read_ctx *ctx,
                          const struct tr_query_search *search,
                          struct tr_query_page *out, bool *more,
                          struct tr_err *err)
{
    size_t limit = tr_query_page_limit(search->limit);
    const struct tr_query query = {.type = search->type,
                                   .filter = search->filter,
                                   .errors = search->errors};
    struct tr_query_filter filter;
    struct searching s = {
        .ctx = ctx,
        .max_work = search->max_work ? search->max_work : TR_LIMIT_SEARCH_NODES,
    };
    TR_TRY(tr_query_search_words_read(ctx->db, search->text, ctx->arena,
                                      &s.words, err));
    TR_TRY(find_class(&s, search->type, err));
    if (search->type && search->filter) {
        TR_TRY(tr_query_filter_compile(ctx, &query, &filter, err));
        s.filter = &filter;
    }
    TR_TRY(run(&s, err));
    *more = s.is_partial || s.found.count > limit;
    return make_page(&s, limit, out, err);
}
