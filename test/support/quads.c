#include "support/quads.h"

#include "base/test.h"
#include "db/db.h"
#include "rdf/memory_graph.h"
#include "rows/storing.h"
#include "rows/term_id.h"

static tr_rdf_term random_term(bool resource)
{
    static const char *const texts[] = {
        "",  "a", "5",     "+5", "-7", "true", "05", "2026-07-28T12:00:00Z",
        "1", "0", "false", "x y"};
    static const char *const types[] = {
        TR_RDF_IRI_XSD_INTEGER, TR_RDF_IRI_XSD_BOOLEAN,
        TR_RDF_IRI_XSD_DATE_TIME, TR_RDF_IRI_XSD_STRING, "http://a/type"};
    static const char *const names[] = {
        "http://a/0", "http://a/1", "http://a/2", "http://a/3",
        "http://a/4", "http://a/5", "http://a/6", "http://a/7"};
    uint64_t kind = tr_test_random_below(8);
    if (resource || kind < 3)
        return tr_rdf_term_iri(
            tr_str_from(names[tr_test_random_below(TR_LEN(names))]));
    tr_str text = tr_str_from(texts[tr_test_random_below(TR_LEN(texts))]);
    if (kind == 3)
        return tr_rdf_term_lang(text, tr_test_random_below(2) ? TR_STR("en")
                                                              : TR_STR("de"));
    return tr_rdf_term_typed(
        text, tr_str_from(types[tr_test_random_below(TR_LEN(types))]));
}

tr_rdf_quad quads_random(void)
{
    tr_rdf_quad quad = {
        .subject = random_term(true),
        .predicate = random_term(true),
        .object = random_term(false),
    };
    if (tr_test_random_below(3) == 0)
        quad.graph = random_term(true);
    return quad;
}

/* The same pattern in the ids of one graph; a part in four is left open. */
static tr_rdf_ids pattern_in(const struct tr_rdf_graph *graph,
                             const tr_rdf_quad *quad, unsigned open)
{
    struct tr_err err = {0};
    tr_rdf_ids ids = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                      TR_RDF_ID_ANY};
    if (!(open & 1))
        CHECK_OK(tr_rdf_graph_find(graph, &quad->subject, &ids.s, &err), &err);
    if (!(open & 2))
        CHECK_OK(tr_rdf_graph_find(graph, &quad->predicate, &ids.p, &err),
                 &err);
    if (!(open & 4))
        CHECK_OK(tr_rdf_graph_find(graph, &quad->object, &ids.o, &err), &err);
    if (!(open & 8) && quad->graph.kind == TR_RDF_TERM_NONE)
        ids.g = TR_RDF_ID_DEFAULT_GRAPH;
    else if (!(open & 8))
        CHECK_OK(tr_rdf_graph_find(graph, &quad->graph, &ids.g, &err), &err);
    return ids;
}

/* Every row of one is a row of the other, and there are as many. */
static void compare(const struct tr_rdf_graph *a, const struct tr_rdf_graph *b,
                    const tr_rdf_quad *quad, unsigned open)
{
    struct tr_rdf_cursor cursor;
    struct tr_err err = {0};
    tr_rdf_ids row;
    uint64_t rows = 0;
    uint64_t wanted = 0;
    CHECK_OK(tr_rdf_graph_count(b, pattern_in(b, quad, open), &wanted, &err),
             &err);
    tr_rdf_graph_match(a, pattern_in(a, quad, open), &cursor);
    while (tr_rdf_cursor_next(&cursor, &row)) {
        tr_rdf_quad found;
        bool has = false;
        CHECK_OK(tr_rdf_graph_quad(a, row, &found, &err), &err);
        CHECK_OK(tr_rdf_graph_has(b, pattern_in(b, &found, 0), &has, &err),
                 &err);
        CHECK(has);
        rows++;
    }
    CHECK_OK(tr_rdf_cursor_close(&cursor, &err), &err);
    CHECK_INT(rows, wanted);
}

void quads_same(const struct tr_rdf_graph *a, const struct tr_rdf_graph *b)
{
    static const tr_rdf_quad any = {0};
    compare(a, b, &any, 15);
}

size_t quads_find(const struct quads *quads, const tr_rdf_quad *quad)
{
    size_t i = 0;
    while (i < quads->count &&
           !(tr_rdf_term_eq(&quads->items[i].subject, &quad->subject) &&
             tr_rdf_term_eq(&quads->items[i].predicate, &quad->predicate) &&
             tr_rdf_term_eq(&quads->items[i].object, &quad->object) &&
             tr_rdf_term_eq(&quads->items[i].graph, &quad->graph)))
        i++;
    return i;
}

void quads_put(struct quads *quads, const tr_rdf_quad *quad)
{
    CHECK(quads->count < TR_LEN(quads->items));
    quads->items[quads->count++] = *quad;
}

void quads_drop(struct quads *quads, size_t at)
{
    quads->items[at] = quads->items[--quads->count];
}

void quads_compare(const struct quads *quads, const struct tr_rdf_graph *graph)
{
    struct tr_rdf_memory_graph *memory = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_rdf_memory_graph_create(0, &memory, &err), &err);
    for (size_t i = 0; i < quads->count; i++)
        CHECK_OK(tr_rdf_memory_graph_add(memory, &quads->items[i], &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(memory, &err), &err);
    for (unsigned open = 0; open < 16; open++) {
        tr_rdf_quad quad = quads_random();
        compare(graph, tr_rdf_memory_graph_view(memory), &quad, open);
        if (quads->count)
            compare(graph, tr_rdf_memory_graph_view(memory),
                    &quads->items[tr_test_random_below(quads->count)], open);
    }
    tr_rdf_memory_graph_free(memory);
}

tr_status quads_change(struct tr_db *db, struct tr_rows_terms *terms,
                       tr_rdf_ids quad, bool is_added, bool *changed,
                       struct tr_err *err)
{
    static const struct tr_rows_head head = {.is_kept = true};
    struct tr_rows_change change = {quad, is_added};
    struct tr_rows_storing storing;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(64));
    tr_rows_storing_init(&storing, db, terms, &arena, err);
    tr_status status =
        tr_rows_storing_subject(&storing, &change, 1, quad.s, &head);
    *changed = storing.quads != 0;
    if (status == TR_OK)
        status = tr_rows_storing_finish(&storing);
    tr_rows_storing_done(&storing);
    tr_arena_done(&arena);
    return status;
}
