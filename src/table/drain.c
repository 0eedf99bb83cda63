/* From a changeset into the load. */
#include "graph/load.h"
#include "query/query.h"
#include "table/inside.h"

struct draining {
    struct tr_table *table;
    struct tr_graph_read_ctx *ctx;
    struct tr_rdf_sink sink;
};

static tr_status term_of(const struct draining *d, tr_rdf_id id,
                         tr_rdf_term *out, struct tr_err *err)
{
    *out = (tr_rdf_term){0};
    return id == TR_RDF_ID_DEFAULT_GRAPH
               ? TR_OK
               : tr_rdf_graph_get(d->ctx->graph, id, out, err);
}

static tr_status take_change(void *context, const tr_graph_change *change,
                             struct tr_err *err)
{
    struct draining *d = context;
    tr_rdf_quad quad = {0};
    if (!change->is_added)
        return tr_graph_load_remove(d->table->load, change->quad, err);
    TR_TRY(term_of(d, change->quad.s, &quad.subject, err));
    TR_TRY(term_of(d, change->quad.p, &quad.predicate, err));
    TR_TRY(term_of(d, change->quad.o, &quad.object, err));
    TR_TRY(term_of(d, change->quad.g, &quad.graph, err));
    return d->sink.quad(d->sink.context, &quad, err);
}

/* What differs from the store, and no more. */
static tr_status drain_difference(struct tr_table *table, bool *changed,
                                  struct tr_err *err)
{
    struct tr_graph_read_ctx ctx;
    struct draining d = {table, &ctx, tr_graph_load_sink(table->load)};
    TR_TRY(tr_graph_kg_enter(&table->kg, &ctx, err));
    tr_status status = TR_OK;
    *changed = ctx.changes && tr_graph_overlay_count(ctx.changes) > 0;
    if (*changed)
        status = tr_graph_overlay_each(ctx.changes, take_change, &d, err);
    tr_graph_kg_leave(&table->kg);
    return status;
}

static bool only_adds(const struct tr_graph_changeset *changes)
{
    for (size_t i = 0; i < changes->ops.count; i++) {
        if (changes->ops.items[i].kind != TR_GRAPH_OP_ADD)
            return false;
    }
    return true;
}

tr_status tr_table_drain(struct tr_table *table, bool was_there, bool *changed,
                         struct tr_err *err)
{
    const struct tr_graph_changeset *changes = &table->kg.changes;
    struct tr_rdf_sink sink = tr_graph_load_sink(table->load);
    if (was_there || !only_adds(changes))
        return drain_difference(table, changed, err);
    for (size_t i = 0; i < changes->ops.count; i++)
        TR_TRY(sink.quad(sink.context, &changes->ops.items[i].quad, err));
    *changed = true;
    return TR_OK;
}

static tr_status delete_node(struct tr_table *table, tr_str iri,
                             struct tr_err *err)
{
    bool found = false;
    bool changed = false;
    tr_graph_kg_init(&table->kg, table->opts.changes, table->opts.model,
                     &table->arena);
    tr_status status = tr_graph_kg_delete(&table->kg, iri, NULL, &found, err);
    if (status == TR_OK && found)
        status = tr_table_drain(table, true, &changed, err);
    table->counts.deleted += status == TR_OK && changed;
    tr_graph_kg_done(&table->kg);
    return status;
}

static tr_status delete_of_page(struct tr_table *table,
                                const struct tr_query_page *page,
                                struct tr_err *err)
{
    for (size_t i = 0; i < page->count; i++) {
        tr_rdf_term term;
        struct tr_table_name name = {.set = {"", 0}};
        tr_arena_reset(&table->arena);
        tr_graph_reader_trim(table->opts.reader);
        TR_TRY(tr_rdf_graph_get(table->ctx.graph, page->ids[i], &term, err));
        name.value = term.text;
        TR_TRY(
            tr_table_staging_find(&table->staging, &name, &table->arena, err));
        if (!name.iri.len)
            TR_TRY(delete_node(table, term.text, err));
    }
    return TR_OK;
}

static tr_status delete_of_type(struct tr_table *table,
                                const struct tr_model_type *type,
                                struct tr_err *err)
{
    struct tr_graph_read_ctx ctx = table->ctx;
    struct tr_query_page page = {0};
    char room[TR_LIMIT_URI_BYTES];
    tr_str after = {"", 0};
    ctx.arena = &table->header;
    do {
        tr_arena_reset(&table->header);
        TR_TRY(
            tr_query_list_type(&ctx, type, after, TR_LIMIT_PAGE, &page, err));
        if (page.next.len > sizeof(room))
            return tr_fail(err, TR_E_LIMIT, "an IRI is too long");
        if (page.next.len)
            memcpy(room, page.next.ptr, page.next.len);
        after = (tr_str){room, page.next.len};
        TR_TRY(delete_of_page(table, &page, err));
    } while (after.len);
    return TR_OK;
}

tr_status tr_table_delete_missing(struct tr_table *table, struct tr_err *err)
{
    for (size_t i = 0; i < table->opts.count; i++) {
        bool is_done = false;
        for (size_t k = 0; k < i; k++)
            is_done |= table->opts.files[k].type == table->opts.files[i].type;
        if (!is_done)
            TR_TRY(delete_of_type(table, table->opts.files[i].type, err));
    }
    return TR_OK;
}
