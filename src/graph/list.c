#include "graph/list.h"

#include "graph/node.h"

tr_status tr_list_type(const struct tr_sight *sight, const struct tr_type *type,
                       tr_str after, size_t limit, struct tr_page *out,
                       struct tr_err *err)
{
    struct tr_query query = {.type = type, .after = after, .limit = limit};
    return tr_where(sight, &query, out, err);
}

static tr_status open_array(const struct tr_sight *sight, size_t count,
                            struct tr_json **items, struct tr_err *err)
{
    *items = TR_NEW_ARRAY(sight->arena, struct tr_json, count);
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

tr_status tr_page_brief(const struct tr_sight *sight,
                        const struct tr_page *page, struct tr_json *out,
                        struct tr_err *err)
{
    struct tr_json *items;
    TR_TRY(open_array(sight, page->count, &items, err));
    for (size_t i = 0; i < page->count; i++)
        TR_TRY(tr_node_brief(sight, page->ids[i], &items[i], err));
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

tr_status tr_page_write_labels(const struct tr_sight *sight,
                               const struct tr_page *page,
                               struct tr_json_writer *out, struct tr_err *err)
{
    tr_jw_open(out, '[');
    for (size_t i = 0; i < page->count; i++) {
        tr_term term;
        tr_str label;
        TR_TRY(tr_graph_get(sight->graph, page->ids[i], &term, err));
        TR_TRY(tr_node_label(sight, page->ids[i], &label, err));
        tr_jw_open(out, '{');
        tr_jw_key(out, "iri");
        tr_jw_string(out, term.text);
        tr_jw_key(out, "label");
        tr_jw_string(out, label.len ? label : end_of(term.text));
        tr_jw_close(out, '}');
    }
    tr_jw_close(out, ']');
    return TR_OK;
}

/* A node that others only point to is no node, but has an IRI to show. */
tr_status tr_page_nodes(const struct tr_sight *sight,
                        const struct tr_page *page, struct tr_json *out,
                        struct tr_err *err)
{
    struct tr_json *items;
    TR_TRY(open_array(sight, page->count, &items, err));
    for (size_t i = 0; i < page->count; i++) {
        bool found;
        TR_TRY(tr_node_read_id(sight, page->ids[i], &items[i], &found, err));
        if (!found)
            TR_TRY(tr_node_brief(sight, page->ids[i], &items[i], err));
    }
    *out = close_array(items, page->count);
    return TR_OK;
}
