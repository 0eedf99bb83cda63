#include "rdf/turtle_writer.h"

#include "rdf/writer.h"

/* Blank nodes inside others; deeper ones get a label and stand alone. */
enum { DEPTH_MAX = 32, INDENT = 4 };

/* What the rows at hand are inside of. */
struct level {
    tr_rdf_id graph;
    unsigned depth; /* of brackets */
    unsigned indent;
};

static void new_line(struct tr_rdf_node_writer *writer, unsigned indent)
{
    tr_buf_putc(&writer->text, '\n');
    for (unsigned i = 0; i < indent; i++)
        tr_buf_putc(&writer->text, ' ');
}

static tr_status write_id(struct tr_rdf_node_writer *writer, tr_rdf_id id)
{
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(writer->graph, id, &term, writer->err));
    tr_rdf_turtle_write_term(&writer->text, &writer->prefixes, &term);
    return TR_OK;
}

/*
 * Whether a node may be written inside the one that names it: it is blank, and
 * named once in all graphs, there where its own rows are.
 */
static tr_status is_nested(struct tr_rdf_node_writer *writer, tr_rdf_id id,
                           tr_rdf_id graph, bool *out)
{
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row = {0, 0, 0, 0};
    tr_rdf_term term;
    uint64_t elsewhere = 0;
    *out = false;
    TR_TRY(tr_rdf_graph_get(writer->graph, id, &term, writer->err));
    if (term.kind != TR_RDF_TERM_BLANK ||
        tr_rdf_id_set_has(&writer->graphs, id))
        return TR_OK;
    tr_rdf_graph_match(
        writer->graph,
        (tr_rdf_ids){TR_RDF_ID_ANY, TR_RDF_ID_ANY, id, TR_RDF_ID_ANY}, &cursor);
    bool is_once = tr_rdf_cursor_next(&cursor, &row) && row.g == graph &&
                   !tr_rdf_cursor_next(&cursor, &row);
    TR_TRY(tr_rdf_cursor_close(&cursor, writer->err));
    tr_rdf_graph_match(
        writer->graph,
        (tr_rdf_ids){id, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY}, &cursor);
    while (is_once && tr_rdf_cursor_next(&cursor, &row))
        elsewhere += row.g != graph;
    TR_TRY(tr_rdf_cursor_close(&cursor, writer->err));
    *out = is_once && elsewhere == 0;
    return TR_OK;
}

/* The object of a row that a list node has once; TR_RDF_ID_NONE otherwise. */
static tr_rdf_id part_of(const struct tr_rdf_node_rows *rows,
                         tr_rdf_id predicate)
{
    tr_rdf_id found = TR_RDF_ID_NONE;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->items[i].p == predicate)
            found = rows->items[i].o;
    }
    return found;
}

/* One step along a list; *is_list is false when the node is no list's. */
static tr_status read_list_node(struct tr_rdf_node_writer *writer,
                                tr_rdf_id node, tr_rdf_id graph,
                                tr_rdf_ids *out, bool *is_list)
{
    struct tr_rdf_node_rows rows = {NULL, 0};
    bool nested = false;
    *is_list = false;
    if (writer->first == TR_RDF_ID_NONE || writer->rest == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(is_nested(writer, node, graph, &nested));
    if (!nested || tr_rdf_id_set_has(&writer->written, node))
        return TR_OK;
    TR_TRY(tr_rdf_node_writer_rows(writer, node, graph, &rows));
    out->s = node;
    out->o = part_of(&rows, writer->first);
    out->p = part_of(&rows, writer->rest);
    *is_list =
        rows.count == 2 && out->o != TR_RDF_ID_NONE && out->p != TR_RDF_ID_NONE;
    free(rows.items);
    return TR_OK;
}

/* Whether a whole list starts here. A ring has no node that is named from
 * outside only, but its length is bounded by the number of ids. */
static tr_status is_list(struct tr_rdf_node_writer *writer, tr_rdf_id node,
                         tr_rdf_id graph, bool *out)
{
    tr_rdf_ids step = {0, 0, 0, 0};
    tr_rdf_id start = node;
    *out = true;
    for (tr_rdf_id n = 0; *out && node != writer->nil; n++) {
        TR_TRY(read_list_node(writer, node, graph, &step, out));
        node = step.p;
        if (node == start || n > tr_rdf_graph_bound(writer->graph))
            *out = false;
    }
    return TR_OK;
}

static tr_status write_object(struct tr_rdf_node_writer *writer, tr_rdf_id id,
                              struct level level);

static tr_status write_list(struct tr_rdf_node_writer *writer, tr_rdf_id node,
                            struct level level)
{
    bool goes_on = true;
    tr_buf_putc(&writer->text, '(');
    level.depth++;
    while (node != writer->nil) {
        tr_rdf_ids step = {0, 0, 0, 0};
        TR_TRY(read_list_node(writer, node, level.graph, &step, &goes_on));
        tr_rdf_id_set_add(&writer->written, node);
        tr_buf_putc(&writer->text, ' ');
        TR_TRY(write_object(writer, step.o, level));
        node = step.p;
    }
    tr_buf_put(&writer->text, TR_STR(" )"));
    return TR_OK;
}

static tr_status write_rows(struct tr_rdf_node_writer *writer,
                            const struct tr_rdf_node_rows *rows,
                            struct level level)
{
    for (size_t i = 0; i < rows->count; i++) {
        const tr_rdf_ids *row = &rows->items[i];
        if (i > 0 && row->p == row[-1].p) {
            tr_buf_put(&writer->text, TR_STR(", "));
        } else {
            if (i > 0)
                tr_buf_put(&writer->text, TR_STR(" ;"));
            if (i > 0 || level.depth)
                new_line(writer, level.indent);
            if (row->p == writer->type)
                tr_buf_putc(&writer->text, 'a');
            else
                TR_TRY(write_id(writer, row->p));
            tr_buf_putc(&writer->text, ' ');
        }
        TR_TRY(write_object(writer, row->o, level));
    }
    return TR_OK;
}

static tr_status write_nested(struct tr_rdf_node_writer *writer, tr_rdf_id id,
                              struct level level)
{
    struct tr_rdf_node_rows rows = {NULL, 0};
    tr_rdf_id_set_add(&writer->written, id);
    TR_TRY(tr_rdf_node_writer_rows(writer, id, level.graph, &rows));
    tr_buf_putc(&writer->text, '[');
    level.depth++;
    level.indent += INDENT;
    tr_status status = write_rows(writer, &rows, level);
    if (rows.count)
        new_line(writer, level.indent - INDENT);
    tr_buf_putc(&writer->text, ']');
    free(rows.items);
    return status;
}

static tr_status write_object(struct tr_rdf_node_writer *writer, tr_rdf_id id,
                              struct level level)
{
    bool nested = false;
    bool list = false;
    if (id == writer->nil) {
        tr_buf_put(&writer->text, TR_STR("()"));
        return TR_OK;
    }
    if (level.depth < DEPTH_MAX && !tr_rdf_id_set_has(&writer->written, id))
        TR_TRY(is_nested(writer, id, level.graph, &nested));
    if (!nested)
        return write_id(writer, id);
    TR_TRY(is_list(writer, id, level.graph, &list));
    return list ? write_list(writer, id, level)
                : write_nested(writer, id, level);
}

static tr_status write_subject(struct tr_rdf_node_writer *writer,
                               tr_rdf_id subject, tr_rdf_id graph)
{
    bool in_graph = graph != TR_RDF_ID_DEFAULT_GRAPH;
    struct level level = {graph, 0, in_graph ? 2 * INDENT : INDENT};
    struct tr_rdf_node_rows rows = {NULL, 0};
    tr_rdf_id_set_add(&writer->written, subject);
    TR_TRY(tr_rdf_node_writer_rows(writer, subject, graph, &rows));
    if (writer->is_started)
        new_line(writer, in_graph ? INDENT : 0);
    writer->is_started = true;
    tr_status status = write_id(writer, subject);
    tr_buf_putc(&writer->text, ' ');
    if (status == TR_OK)
        status = write_rows(writer, &rows, level);
    tr_buf_put(&writer->text, TR_STR(" .\n"));
    free(rows.items);
    TR_TRY(status);
    return tr_rdf_output_flush(writer->output, &writer->text, false,
                               writer->err);
}

static tr_status write_if_alone(struct tr_rdf_node_writer *writer,
                                tr_rdf_id subject, tr_rdf_id graph)
{
    bool nested = false;
    TR_TRY(is_nested(writer, subject, graph, &nested));
    return nested ? TR_OK : write_subject(writer, subject, graph);
}

/* Writes a blank node that could be nested but was not: it is named only from a
 * ring, or from too deep inside. */
static tr_status write_if_left(struct tr_rdf_node_writer *writer,
                               tr_rdf_id subject, tr_rdf_id graph)
{
    bool nested = false;
    if (tr_rdf_id_set_has(&writer->written, subject))
        return TR_OK;
    TR_TRY(is_nested(writer, subject, graph, &nested));
    return nested ? write_subject(writer, subject, graph) : TR_OK;
}

static tr_status write_graph(struct tr_rdf_node_writer *writer, tr_rdf_id graph)
{
    bool is_named = graph != TR_RDF_ID_DEFAULT_GRAPH;
    if (is_named) {
        if (writer->is_started)
            tr_buf_putc(&writer->text, '\n');
        writer->is_started = true;
        TR_TRY(write_id(writer, graph));
        tr_buf_put(&writer->text, TR_STR(" {"));
    }
    tr_rdf_id_set_clear(&writer->written);
    TR_TRY(tr_rdf_node_writer_each(writer, graph, write_if_alone));
    TR_TRY(tr_rdf_node_writer_each(writer, graph, write_if_left));
    if (is_named)
        tr_buf_put(&writer->text, TR_STR("}\n"));
    return TR_OK;
}

/* Marks the ids of a row as in use, so that only the prefixes of these are
 * written. It borrows the set of written nodes, which is still empty. */
static tr_status mark_ids(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct tr_rdf_node_writer *writer = context;
    (void)err;
    tr_rdf_id_set_add(&writer->written, row.s);
    tr_rdf_id_set_add(&writer->written, row.o);
    tr_rdf_id_set_add(&writer->written, row.g);
    if (row.p != writer->type)
        tr_rdf_id_set_add(&writer->written, row.p);
    return TR_OK;
}

static tr_status choose_prefixes(struct tr_rdf_node_writer *writer,
                                 const struct tr_rdf_prefixes *given)
{
    static const tr_rdf_ids any = {TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                   TR_RDF_ID_ANY};
    struct tr_rdf_prefixes known;
    struct tr_err *err = writer->err;
    tr_rdf_prefixes_init(&known, &writer->arena);
    TR_TRY(tr_rdf_turtle_known_prefixes(given, &known, err));
    TR_TRY(tr_rdf_graph_each(writer->graph, any, mark_ids, writer, err));
    for (tr_rdf_id id = TR_RDF_ID_FIRST; id < writer->written.bound; id++) {
        tr_rdf_term term;
        if (!tr_rdf_id_set_has(&writer->written, id))
            continue;
        TR_TRY(tr_rdf_graph_get(writer->graph, id, &term, err));
        TR_TRY(tr_rdf_turtle_use_prefix(&writer->prefixes, &known, &term, err));
    }
    return TR_OK;
}

static tr_status write_prefixes(struct tr_rdf_node_writer *writer,
                                const struct tr_rdf_prefixes *given)
{
    TR_TRY(choose_prefixes(writer, given));
    for (size_t i = 0; i < writer->prefixes.by_name.count; i++) {
        const struct tr_map_entry *entry = &writer->prefixes.by_name.entries[i];
        tr_buf_put(&writer->text, TR_STR("@prefix "));
        tr_buf_put(&writer->text, entry->key);
        tr_buf_put(&writer->text, TR_STR(": <"));
        tr_buf_put(&writer->text, *(const tr_str *)entry->value);
        tr_buf_put(&writer->text, TR_STR("> .\n"));
        writer->is_started = true;
    }
    return TR_OK;
}

static tr_status write_all(struct tr_rdf_node_writer *writer,
                           const struct tr_rdf_prefixes *prefixes)
{
    TR_TRY(write_prefixes(writer, prefixes));
    for (tr_rdf_id id = TR_RDF_ID_DEFAULT_GRAPH; id < writer->graphs.bound;
         id++) {
        if (tr_rdf_id_set_has(&writer->graphs, id))
            TR_TRY(write_graph(writer, id));
    }
    return tr_rdf_output_flush(writer->output, &writer->text, true,
                               writer->err);
}

tr_status tr_rdf_turtle_write(const struct tr_rdf_graph *graph,
                              const struct tr_rdf_prefixes *prefixes,
                              const struct tr_rdf_output *output,
                              struct tr_err *err)
{
    struct tr_rdf_node_writer writer;
    TR_TRY(tr_rdf_node_writer_init(&writer, graph, output, err));
    tr_status status = write_all(&writer, prefixes);
    tr_rdf_node_writer_done(&writer);
    return status;
}
