#include "support/isomorphism.h"

#include "base/test.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"

static tr_status load(const char *trig, struct tr_rdf_memory_graph **out,
                      struct tr_err *err)
{
    tr_str text = tr_str_from(trig);
    struct tr_rdf_source source =
        tr_rdf_source_text(&text, TR_STR("http://e/"));
    TR_TRY(tr_rdf_memory_graph_create(0, out, err));
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(*out);
    TR_TRY(tr_rdf_read(TR_RDF_TRIG, &source, &sink, err));
    return tr_rdf_memory_graph_index(*out, err);
}

static tr_status compare(const char *a, const char *b, bool *out,
                         struct tr_err *err)
{
    struct tr_rdf_memory_graph *x = NULL;
    struct tr_rdf_memory_graph *y = NULL;
    tr_status status = load(a, &x, err);
    if (status == TR_OK)
        status = load(b, &y, err);
    if (status == TR_OK)
        status = graph_isomorphic(tr_rdf_memory_graph_view(x),
                                  tr_rdf_memory_graph_view(y), out, err);
    tr_rdf_memory_graph_free(x);
    tr_rdf_memory_graph_free(y);
    return status;
}

static const struct pair {
    const char *a;
    const char *b;
    bool same;
} pairs[] = {
    {"", "", true},
    {"<a> <p> 1 .", "<a> <p> 1 . <a> <p> 1 .", true},
    {"<a> <p> 1 .", "<a> <p> 2 .", false},
    {"<a> <p> 1 .", "<a> <p> 1 . <a> <p> 2 .", false},
    {"<a> <p> 1 .", "<g> { <a> <p> 1 }", false},
    {"_:x <p> _:y .", "_:b <p> _:a .", true},
    {"_:x <p> _:x .", "_:x <p> _:y .", false},
    {"_:x <p> 1 . _:y <p> 2 .", "_:y <p> 1 . _:x <p> 2 .", true},
    {"_:x <p> _:y . _:y <p> _:x .", "_:x <p> _:x . _:y <p> _:y .", false},
    {"_:g { _:x <p> _:g }", "_:h { _:y <p> _:h }", true},
    {"_:g { _:x <p> _:g }", "_:h { _:h <p> _:y }", false},
    /* One ring of six against two of three: all nodes look alike. */
    {"_:1 <p> _:2 . _:2 <p> _:3 . _:3 <p> _:4 . _:4 <p> _:5 . _:5 <p> _:6 . "
     "_:6 <p> _:1 .",
     "_:1 <p> _:2 . _:2 <p> _:3 . _:3 <p> _:1 . _:4 <p> _:5 . _:5 <p> _:6 . "
     "_:6 <p> _:4 .",
     false},
    {"_:1 <p> _:2 . _:2 <p> _:3 . _:3 <p> _:1 . _:4 <p> _:5 . _:5 <p> _:4 .",
     "_:a <p> _:b . _:b <p> _:a . _:c <p> _:d . _:d <p> _:e . _:e <p> _:c .",
     true},
    {"_:a <p> 'x'@en .", "_:a <p> 'x'@de .", false},
};

TEST(isomorphism_ignores_the_names_of_blank_nodes_only)
{
    for (size_t i = 0; i < TR_LEN(pairs); i++) {
        struct tr_err err = {0};
        bool same = !pairs[i].same;
        CHECK_OK(compare(pairs[i].a, pairs[i].b, &same, &err), &err);
        CHECK_ROW(same == pairs[i].same, pairs[i].a);
    }
}

static tr_status compare_hungry(void *context, struct tr_err *err)
{
    const struct pair *pair = context;
    bool same = false;
    return compare(pair->a, pair->b, &same, err);
}

TEST(isomorphism_reports_every_failed_allocation)
{
    struct pair pair = pairs[TR_LEN(pairs) - 2];
    tr_test_sweep(compare_hungry, &pair);
}
