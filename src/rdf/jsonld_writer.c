#include "rdf/jsonld_writer.h"

/* Digits of an integer that every JSON reader keeps exactly: below 2^53. */
enum { INTEGER_DIGITS_MAX = 15 };

/* Canonical, so that reading it back gives the same literal. */
static bool is_plain_integer(tr_str text)
{
    size_t sign = text.len && text.ptr[0] == '-';
    tr_str digits = tr_str_skip(text, sign);
    if (digits.len == 0 || digits.len > INTEGER_DIGITS_MAX ||
        (digits.ptr[0] == '0' && text.len > 1))
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
            return false;
    }
    return true;
}

static bool is_native(const tr_rdf_term *term)
{
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_BOOLEAN)))
        return tr_str_eq(term->text, TR_STR("true")) ||
               tr_str_eq(term->text, TR_STR("false"));
    return tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_INTEGER)) &&
           is_plain_integer(term->text);
}

static void write_literal(struct tr_json_writer *w, const tr_rdf_term *term)
{
    tr_jw_key(w, "@value");
    if (is_native(term)) {
        tr_jw_raw(w, term->text);
        return;
    }
    tr_jw_string(w, term->text);
    if (term->language.len) {
        tr_jw_put_string(w, "@language", term->language);
    } else if (!tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_STRING))) {
        tr_jw_put_string(w, "@type", term->datatype);
    }
}

/* "_:label" for a blank node, which needs memory of its own. */
static void write_name(struct tr_json_writer *w, const tr_rdf_term *term)
{
    struct tr_buf label;
    if (term->kind != TR_RDF_TERM_BLANK) {
        tr_jw_string(w, term->text);
        return;
    }
    tr_buf_init(&label, TR_LIMIT_RDF_TERM + 2);
    tr_buf_put(&label, TR_STR("_:"));
    tr_buf_put(&label, term->text);
    if (label.failed)
        tr_jw_refuse(w, label.failed, "no memory to write a blank node");
    else
        tr_jw_string(w, tr_buf_str(&label));
    tr_buf_done(&label);
}

/*
 * A value object or a node reference: strings, booleans and integers are JSON's
 * own where nothing is lost; every other literal has "@value" and "@type".
 */
static void write_value(struct tr_json_writer *w, const tr_rdf_term *term)
{
    tr_jw_open(w, '{');
    if (term->kind == TR_RDF_TERM_LITERAL) {
        write_literal(w, term);
    } else {
        tr_jw_key(w, "@id");
        write_name(w, term);
    }
    tr_jw_close(w, '}');
}

static tr_status write_row(struct tr_rdf_node_writer *writer,
                           struct tr_json_writer *w, const tr_rdf_ids *row,
                           bool as_type)
{
    tr_rdf_term object;
    TR_TRY(tr_rdf_graph_get(writer->graph, row->o, &object, writer->err));
    if (as_type)
        write_name(w, &object);
    else
        write_value(w, &object);
    return TR_OK;
}

/* Whether the object can stand in "@type", which holds no literals. */
static tr_status is_type(struct tr_rdf_node_writer *writer,
                         const tr_rdf_ids *row, bool *out)
{
    tr_rdf_term object;
    TR_TRY(tr_rdf_graph_get(writer->graph, row->o, &object, writer->err));
    *out = row->p == writer->type && object.kind != TR_RDF_TERM_LITERAL;
    return TR_OK;
}

static tr_status write_types(struct tr_rdf_node_writer *writer,
                             struct tr_json_writer *w,
                             const struct tr_rdf_node_rows *rows)
{
    bool is_open = false;
    for (size_t i = 0; i < rows->count; i++) {
        bool type = false;
        TR_TRY(is_type(writer, &rows->items[i], &type));
        if (!type)
            continue;
        if (!is_open) {
            tr_jw_key(w, "@type");
            tr_jw_open(w, '[');
        }
        is_open = true;
        TR_TRY(write_row(writer, w, &rows->items[i], true));
    }
    if (is_open)
        tr_jw_close(w, ']');
    return TR_OK;
}

/* Closes the array of the predicate before, if any, and opens this one's. */
static tr_status open_array(struct tr_rdf_node_writer *writer,
                            struct tr_json_writer *w, tr_rdf_id before,
                            tr_rdf_id predicate)
{
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(writer->graph, predicate, &term, writer->err));
    if (before != TR_RDF_ID_NONE)
        tr_jw_close(w, ']');
    tr_jw_key_str(w, term.text);
    tr_jw_open(w, '[');
    return TR_OK;
}

static tr_status write_others(struct tr_rdf_node_writer *writer,
                              struct tr_json_writer *w,
                              const struct tr_rdf_node_rows *rows)
{
    tr_rdf_id open = TR_RDF_ID_NONE; /* the predicate whose array is open */
    for (size_t i = 0; i < rows->count; i++) {
        const tr_rdf_ids *row = &rows->items[i];
        bool type = false;
        TR_TRY(is_type(writer, row, &type));
        if (type)
            continue;
        if (open != row->p)
            TR_TRY(open_array(writer, w, open, row->p));
        open = row->p;
        TR_TRY(write_row(writer, w, row, false));
    }
    if (open != TR_RDF_ID_NONE)
        tr_jw_close(w, ']');
    return TR_OK;
}

static tr_status write_node(struct tr_rdf_node_writer *writer,
                            tr_rdf_id subject,
                            const struct tr_rdf_node_rows *rows)
{
    struct tr_json_writer w;
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(writer->graph, subject, &term, writer->err));
    tr_jw_init(&w, &writer->text);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "@id");
    write_name(&w, &term);
    TR_TRY(write_types(writer, &w, rows));
    TR_TRY(write_others(writer, &w, rows));
    tr_jw_close(&w, '}');
    return tr_jw_finish(&w, writer->err);
}

/* A comma before all but the first of an array. */
static void separate(struct tr_rdf_node_writer *writer)
{
    if (!tr_rdf_id_set_has(&writer->written, 0))
        tr_rdf_id_set_add(&writer->written, 0);
    else
        tr_buf_putc(&writer->text, ',');
    tr_buf_putc(&writer->text, '\n');
}

static tr_status write_subject(struct tr_rdf_node_writer *writer,
                               tr_rdf_id subject, tr_rdf_id graph)
{
    struct tr_rdf_node_rows rows = {NULL, 0};
    TR_TRY(tr_rdf_node_writer_rows(writer, subject, graph, &rows));
    separate(writer);
    tr_status status = write_node(writer, subject, &rows);
    free(rows.items);
    TR_TRY(status);
    return tr_rdf_output_flush(writer->output, &writer->text, false,
                               writer->err);
}

static tr_status write_graph(struct tr_rdf_node_writer *writer, tr_rdf_id graph)
{
    struct tr_json_writer w;
    tr_rdf_term name;
    if (graph == TR_RDF_ID_DEFAULT_GRAPH)
        return tr_rdf_node_writer_each(writer, graph, write_subject);
    TR_TRY(tr_rdf_graph_get(writer->graph, graph, &name, writer->err));
    separate(writer);
    tr_buf_put(&writer->text, TR_STR("{\"@id\":"));
    tr_jw_init(&w, &writer->text);
    write_name(&w, &name);
    TR_TRY(tr_jw_finish(&w, writer->err));
    tr_buf_put(&writer->text, TR_STR(",\"@graph\":["));
    tr_rdf_id_set_clear(&writer->written);
    TR_TRY(tr_rdf_node_writer_each(writer, graph, write_subject));
    tr_buf_put(&writer->text, TR_STR("]}"));
    return TR_OK;
}

static tr_status write_all(struct tr_rdf_node_writer *writer)
{
    tr_buf_putc(&writer->text, '[');
    for (tr_rdf_id id = TR_RDF_ID_DEFAULT_GRAPH; id < writer->graphs.bound;
         id++) {
        if (tr_rdf_id_set_has(&writer->graphs, id))
            TR_TRY(write_graph(writer, id));
    }
    tr_buf_put(&writer->text, TR_STR("\n]\n"));
    return tr_rdf_output_flush(writer->output, &writer->text, true,
                               writer->err);
}

tr_status tr_rdf_jsonld_write(const struct tr_rdf_graph *graph,
                              const struct tr_rdf_output *output,
                              struct tr_err *err)
{
    struct tr_rdf_node_writer writer;
    TR_TRY(tr_rdf_node_writer_init(&writer, graph, output, err));
    tr_status status = write_all(&writer);
    tr_rdf_node_writer_done(&writer);
    return status;
}
