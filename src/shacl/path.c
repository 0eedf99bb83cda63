#include "shacl/reader_inside.h"

static tr_status read_path(struct tr_shacl_reader *r, tr_rdf_id node,
                           unsigned depth, const struct tr_shacl_path **out);

static tr_status read_parts(struct tr_shacl_reader *r,
                            const struct tr_shacl_nodes *nodes, unsigned depth,
                            struct tr_shacl_path *path)
{
    const struct tr_shacl_path **parts =
        TR_NEW_ARRAY(r->arena, const struct tr_shacl_path *, nodes->count);
    if (!parts)
        return tr_shacl_fail_memory(r);
    for (size_t i = 0; i < nodes->count; i++)
        TR_TRY(read_path(r, nodes->items[i], depth + 1, &parts[i]));
    path->parts = parts;
    path->count = nodes->count;
    return TR_OK;
}

/* SHACL 2.3.1.2 and 2.3.1.3: lists of at least two. */
static tr_status read_list(struct tr_shacl_reader *r, tr_rdf_id head,
                           const char *what, unsigned depth,
                           struct tr_shacl_path *path)
{
    struct tr_shacl_nodes members;
    TR_TRY(tr_shacl_list(r, head, what, &members));
    if (members.count < 2)
        return tr_shacl_fail(r, TR_E_INVALID,
                             "%s needs a list of at least two paths", what);
    return read_parts(r, &members, depth, path);
}

/* The only one of the four operators that a node has; `*inner` is
 * TR_RDF_ID_NONE when it has none. */
static tr_status find_operator(struct tr_shacl_reader *r, tr_rdf_id node,
                               bool has_kind, enum tr_shacl_path_kind *kind,
                               tr_rdf_id *inner)
{
    static const struct {
        const char *property;
        enum tr_shacl_path_kind kind;
    } operators[] = {
        {TR_SHACL_IRI("inversePath"), TR_SHACL_PATH_INVERSE},
        {TR_SHACL_IRI("zeroOrMorePath"), TR_SHACL_PATH_ZERO_OR_MORE},
        {TR_SHACL_IRI("oneOrMorePath"), TR_SHACL_PATH_ONE_OR_MORE},
        {TR_SHACL_IRI("zeroOrOnePath"), TR_SHACL_PATH_ZERO_OR_ONE},
    };
    *inner = TR_RDF_ID_NONE;
    for (size_t i = 0; i < TR_LEN(operators); i++) {
        tr_rdf_id found = TR_RDF_ID_NONE;
        TR_TRY(tr_shacl_value(r, node, operators[i].property, &found));
        if (found == TR_RDF_ID_NONE)
            continue;
        if (has_kind)
            return tr_shacl_fail(r, TR_E_INVALID,
                                 "sh:path has two kinds in one: sh:%s too",
                                 strrchr(operators[i].property, '#') + 1);
        has_kind = true;
        *kind = operators[i].kind;
        *inner = found;
    }
    return TR_OK;
}

/* A list comes first, whatever else its node has: so the W3C's tests want it.
 * Any other two kinds in one node are none (SHACL 2.3.1). */
static tr_status read_blank(struct tr_shacl_reader *r, tr_rdf_id node,
                            unsigned depth, struct tr_shacl_path *path)
{
    struct tr_shacl_nodes first;
    tr_rdf_id choices = TR_RDF_ID_NONE;
    tr_rdf_id inner;
    TR_TRY(tr_shacl_values(r, node, TR_RDF_IRI_RDF_FIRST, &first));
    if (first.count) {
        path->kind = TR_SHACL_PATH_SEQUENCE;
        return read_list(r, node, "a sequence path", depth, path);
    }
    TR_TRY(tr_shacl_value(r, node, TR_SHACL_IRI("alternativePath"), &choices));
    TR_TRY(
        find_operator(r, node, choices != TR_RDF_ID_NONE, &path->kind, &inner));
    if (choices != TR_RDF_ID_NONE) {
        path->kind = TR_SHACL_PATH_ALTERNATIVE;
        return read_list(r, choices, "sh:alternativePath", depth, path);
    }
    if (inner == TR_RDF_ID_NONE)
        return tr_shacl_fail(r, TR_E_INVALID, "sh:path is no well-formed path");
    return read_parts(r, &(struct tr_shacl_nodes){&inner, 1, 1}, depth, path);
}

static tr_status read_path(struct tr_shacl_reader *r, tr_rdf_id node,
                           unsigned depth, const struct tr_shacl_path **out)
{
    tr_rdf_term term;
    if (depth > TR_LIMIT_SHAPE_DEPTH || ++r->path_parts > TR_LIMIT_SHAPE_LIST)
        return tr_shacl_fail(r, TR_E_INVALID,
                             "sh:path refers to itself or nests deeper than "
                             "%d levels",
                             TR_LIMIT_SHAPE_DEPTH);
    struct tr_shacl_path *path = TR_NEW(r->arena, struct tr_shacl_path);
    if (!path)
        return tr_shacl_fail_memory(r);
    TR_TRY(tr_rdf_graph_get(r->graph, node, &term, r->err));
    if (term.kind == TR_RDF_TERM_LITERAL ||
        (term.kind == TR_RDF_TERM_IRI &&
         tr_str_eq(term.text, TR_STR(TR_RDF_IRI_RDF_NIL))))
        return tr_shacl_fail(r, TR_E_INVALID,
                             "sh:path must be an IRI or a blank node");
    if (term.kind == TR_RDF_TERM_IRI)
        TR_TRY(tr_shacl_term(r, node, &path->predicate));
    else
        TR_TRY(read_blank(r, node, depth, path));
    *out = path;
    return TR_OK;
}

tr_status tr_shacl_read_path(struct tr_shacl_reader *r, tr_rdf_id node,
                             const struct tr_shacl_path **out)
{
    return read_path(r, node, 0, out);
}
