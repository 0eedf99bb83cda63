#include "table/replace.h"

#include "model/value_term.h"
#include "rdf/memory_graph.h"
#include "table/inside.h"

/* A file, and what the store has of the same. */
struct replacing {
    struct tr_table *table;
    struct tr_graph_load *load;
    struct tr_rdf_memory_graph *file;
    const struct tr_rdf_graph *said; /* by the file */
    tr_rdf_ids pattern;              /* in the store */
    tr_rdf_id subject;               /* in the file */
    tr_rdf_id predicate;
    size_t count;
};

/* As the store spells it, so that the same value is the same term. */
static tr_status keep_quad(struct replacing *r, const tr_rdf_quad *quad,
                           struct tr_err *err)
{
    tr_rdf_quad own = *quad;
    struct tr_buf room;
    bool changed;
    tr_buf_init(&room, TR_LIMIT_RDF_TERM);
    tr_status status = tr_model_spell(r->table->opts.model, own.predicate.text,
                                      &own.object, &room, &changed, err);
    if (status == TR_OK)
        status = tr_rdf_memory_graph_add(r->file, &own, err);
    tr_buf_done(&room);
    return status;
}

static tr_status add_quad(void *context, const tr_rdf_quad *quad,
                          struct tr_err *err)
{
    struct replacing *r = context;
    struct tr_rdf_sink sink = tr_graph_load_sink(r->load);
    if (++r->count > TR_LIMIT_LOAD_BATCH)
        return tr_fail(err, TR_E_LIMIT,
                       "it has more than %d statements: import it instead",
                       TR_LIMIT_LOAD_BATCH);
    TR_TRY(keep_quad(r, quad, err));
    return sink.quad(sink.context, quad, err);
}

/* Whether the file says it, in some graph. */
static tr_status is_said(const struct replacing *r, tr_rdf_id stored, bool *out,
                         struct tr_err *err)
{
    tr_rdf_ids pattern = {r->subject, r->predicate, TR_RDF_ID_NONE,
                          TR_RDF_ID_ANY};
    tr_rdf_term term;
    *out = false;
    TR_TRY(tr_rdf_graph_get(r->table->ctx.graph, stored, &term, err));
    TR_TRY(tr_rdf_graph_find(r->said, &term, &pattern.o, err));
    if (pattern.o == TR_RDF_ID_NONE)
        return TR_OK;
    return tr_rdf_graph_has(r->said, pattern, out, err);
}

static tr_status drop_unsaid(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct replacing *r = context;
    bool said;
    TR_TRY(is_said(r, row.o, &said, err));
    return said ? TR_OK : tr_graph_load_remove(r->load, row, err);
}

/* Rows come by subject and predicate, so each pair is looked at once. */
static tr_status take_pair(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct replacing *r = context;
    tr_rdf_term subject;
    tr_rdf_term predicate;
    if (row.s == r->subject && row.p == r->predicate)
        return TR_OK;
    r->subject = row.s;
    r->predicate = row.p;
    TR_TRY(tr_rdf_graph_get(r->said, row.s, &subject, err));
    TR_TRY(tr_rdf_graph_get(r->said, row.p, &predicate, err));
    if (subject.kind != TR_RDF_TERM_IRI ||
        tr_str_eq(predicate.text, TR_STR(TR_RDF_IRI_RDF_TYPE)))
        return TR_OK;
    r->pattern = (tr_rdf_ids){.o = TR_RDF_ID_ANY, .g = TR_RDF_ID_ANY};
    TR_TRY(
        tr_rdf_graph_find(r->table->ctx.graph, &subject, &r->pattern.s, err));
    TR_TRY(
        tr_rdf_graph_find(r->table->ctx.graph, &predicate, &r->pattern.p, err));
    if (r->pattern.s == TR_RDF_ID_NONE || r->pattern.p == TR_RDF_ID_NONE)
        return TR_OK;
    return tr_rdf_graph_each(r->table->ctx.graph, r->pattern, drop_unsaid, r,
                             err);
}

static tr_status replace(struct replacing *r, const char *path,
                         struct tr_err *err)
{
    static const tr_rdf_ids all = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                   TR_RDF_ID_ANY};
    const struct tr_rdf_file_opts opts = {0};
    const struct tr_rdf_sink sink = {.context = r, .quad = add_quad};
    TR_TRY(tr_rdf_file_read(path, &opts, &sink, err));
    TR_TRY(tr_graph_load_next_document(r->load, err));
    TR_TRY(tr_rdf_memory_graph_index(r->file, err));
    r->said = tr_rdf_memory_graph_view(r->file);
    return tr_rdf_graph_each(r->said, all, take_pair, r, err);
}

tr_status tr_table_replace_rdf(struct tr_table *table, const char *path,
                               struct tr_graph_load *load, struct tr_err *err)
{
    struct replacing r = {.table = table, .load = load};
    TR_TRY(tr_rdf_memory_graph_create(0, &r.file, err));
    tr_status status = replace(&r, path, err);
    tr_rdf_memory_graph_free(r.file);
    return status;
}
