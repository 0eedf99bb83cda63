#include "base/limits.h"
#include "crypto/random.h"
#include "graph/load_inside.h"
#include "model/uri.h"
#include "model/value_term.h"
#include "prov/view.h"

enum { SUBJECT, OBJECT, GRAPH };

/* Of the IRIs of blank nodes: enough that no other import draws the same. */
enum { RANDOM_BYTES = 9 };

static tr_status start_batch(struct tr_graph_load *load, struct tr_err *err)
{
    load->batch_count = 0;
    load->batch_text = 0;
    return tr_rdf_memory_graph_create(0, &load->batch, err);
}

static void end_batch(struct tr_graph_load *load)
{
    tr_rdf_memory_graph_free(load->batch);
    load->batch = NULL;
    tr_buf_done(&load->map);
    tr_buf_init(&load->map, TR_LIMIT_GRAPH_TABLE);
}

static tr_status write_genid(struct tr_graph_load *load, struct tr_err *err)
{
    unsigned char bytes[RANDOM_BYTES];
    TR_TRY(tr_crypto_random_bytes(bytes, sizeof(bytes), err));
    tr_model_genid_start(&load->genid, load->opts.project);
    for (size_t i = 0; i < sizeof(bytes); i++)
        tr_buf_putf(&load->genid, "%02x", bytes[i]);
    load->genid_len = load->genid.len;
    tr_buf_putc(&load->genid, '-');
    return tr_buf_check(&load->genid, err);
}

static tr_status open_load(struct tr_graph_load *load, struct tr_err *err)
{
    TR_TRY(write_genid(load, err));
    TR_TRY(tr_db_open(load->opts.path, &load->opts.db, &load->db, err));
    TR_TRY(tr_graph_terms_create(load->db, &load->terms, err));
    tr_graph_stored_graph_init(&load->stored, load->db, load->terms);
    return start_batch(load, err);
}

tr_status tr_graph_load_create(const struct tr_graph_load_opts *opts,
                               struct tr_graph_load **out, struct tr_err *err)
{
    struct tr_graph_load *load = calloc(1, sizeof(*load));
    if (!load)
        return tr_fail(err, TR_E_NOMEM, "no memory for an import");
    load->opts = *opts;
    if (!load->opts.max_batch)
        load->opts.max_batch = TR_LIMIT_LOAD_BATCH;
    tr_buf_init(&load->map, TR_LIMIT_GRAPH_TABLE);
    tr_buf_init(&load->genid, TR_LIMIT_URI_BYTES);
    for (size_t i = 0; i < TR_LEN(load->labels); i++)
        tr_buf_init(&load->labels[i], TR_LIMIT_RDF_TERM + TR_LIMIT_URI_BYTES);
    tr_buf_init(&load->spelling, TR_LIMIT_RDF_TERM);
    tr_buf_init(&load->gone, TR_LIMIT_GRAPH_TABLE);
    tr_bits_init(&load->subjects, TR_LIMIT_GRAPH_TABLE);
    tr_buf_init(&load->fresh, TR_LIMIT_GRAPH_TABLE);
    tr_buf_init(&load->classes, TR_LIMIT_GRAPH_TABLE);
    tr_arena_init(&load->arena, TR_LIMIT_CLI_REPORT);
    tr_arena_init(&load->ahead, TR_LIMIT_LOAD_AHEAD_BYTES);
    tr_shacl_report_init(&load->report, &load->arena, opts->max_results);
    tr_status status = open_load(load, err);
    if (status != TR_OK) {
        tr_graph_load_free(load);
        return status;
    }
    *out = load;
    return TR_OK;
}

void tr_graph_load_free(struct tr_graph_load *load)
{
    if (!load)
        return;
    tr_shacl_validation_free(load->validation);
    tr_arena_done(&load->ahead);
    tr_arena_done(&load->arena);
    tr_graph_reader_free(load->before);
    end_batch(load);
    tr_graph_terms_free(load->terms);
    tr_graph_value_set_free(&load->values);
    tr_db_close(load->db);
    tr_buf_done(&load->genid);
    for (size_t i = 0; i < TR_LEN(load->labels); i++)
        tr_buf_done(&load->labels[i]);
    tr_buf_done(&load->spelling);
    tr_buf_done(&load->gone);
    tr_bits_done(&load->subjects);
    tr_buf_done(&load->fresh);
    tr_buf_done(&load->classes);
    free(load);
}

tr_status tr_graph_load_next_document(struct tr_graph_load *load,
                                      struct tr_err *err)
{
    load->genid.len = load->genid_len;
    tr_buf_putf(&load->genid, ".%u-", ++load->document);
    return tr_buf_check(&load->genid, err);
}

/* Replaces a blank node by an IRI, so that clients can name it: skolemization,
 * RDF 1.1 Concepts, 3.5. */
static tr_status skolemise(struct tr_graph_load *load, int which,
                           tr_rdf_term *term, struct tr_err *err)
{
    struct tr_buf *iri = &load->labels[which];
    if (term->kind != TR_RDF_TERM_BLANK)
        return TR_OK;
    tr_buf_clear(iri);
    tr_buf_put(iri, tr_buf_str(&load->genid));
    tr_buf_put(iri, term->text);
    TR_TRY(tr_buf_check(iri, err));
    *term = tr_rdf_term_iri(tr_buf_str(iri));
    return TR_OK;
}

/* Notes what the store had before; terms may outlive the quads that had them.
 */
tr_status tr_graph_load_note_before(struct tr_graph_load *load,
                                    struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    uint64_t next;
    bool has_node;
    bool has_quad;
    TR_TRY(tr_rdf_graph_has(&load->stored.base,
                            (tr_rdf_ids){TR_RDF_ID_ANY, TR_RDF_ID_ANY,
                                         TR_RDF_ID_ANY, TR_RDF_ID_ANY},
                            &has_quad, err));
    TR_TRY(tr_db_prepare(load->db, "SELECT 1 FROM node", &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &has_node, err));
    if (has_node)
        tr_db_stmt_reset(stmt);
    TR_TRY(tr_graph_terms_next(load->terms, &next, err));
    load->was_empty = !has_quad && !has_node;
    load->had_terms = next > 1;
    load->first_id = tr_graph_id_make(next, 0);
    return TR_OK;
}

tr_status tr_graph_load_begin(struct tr_graph_load *load, struct tr_err *err)
{
    if (load->is_begun)
        return TR_OK;
    TR_TRY(tr_db_begin(load->db, TR_DB_WRITE, err));
    load->is_begun = true;
    TR_TRY(tr_graph_value_set_load(&load->values, load->db, load->terms, err));
    return tr_graph_load_note_before(load, err);
}

static tr_status store_batch(struct tr_graph_load *load, struct tr_err *err)
{
    TR_TRY(tr_graph_load_gone(load, err));
    TR_TRY(tr_graph_load_terms(load, err));
    return tr_graph_load_quads(load, err);
}

tr_status tr_graph_load_flush(struct tr_graph_load *load, struct tr_err *err)
{
    TR_TRY(tr_graph_load_begin(load, err));
    TR_TRY(tr_rdf_memory_graph_index(load->batch, err));
    load->batches++; /* first: from now on rows are made from the store */
    TR_TRY(store_batch(load, err));
    end_batch(load);
    return start_batch(load, err);
}

static bool is_full(const struct tr_graph_load *load)
{
    return load->batch_count + load->gone.len / sizeof(tr_rdf_ids) >=
               load->opts.max_batch ||
           load->batch_text >= TR_LIMIT_LOAD_TEXT;
}

/* One value has one spelling in a store. */
static tr_status spell(struct tr_graph_load *load, const tr_rdf_quad *quad,
                       tr_rdf_term *object, struct tr_err *err)
{
    bool changed;
    TR_TRY(tr_model_spell(load->opts.model, quad->predicate.text, object,
                          &load->spelling, &changed, err));
    load->counts.respelt += changed;
    if (changed && load->opts.refused)
        load->opts.refused(load->opts.data, quad, object->text);
    return TR_OK;
}

/* A full batch is written when one more quad comes: if none does, all is still
 * in memory at the end, and that is faster. */
tr_status tr_graph_load_make_room(struct tr_graph_load *load,
                                  struct tr_err *err)
{
    return is_full(load) ? tr_graph_load_flush(load, err) : TR_OK;
}

tr_status tr_graph_load_put(struct tr_graph_load *load, const tr_rdf_quad *quad,
                            struct tr_err *err)
{
    TR_TRY(tr_rdf_memory_graph_add(load->batch, quad, err));
    load->batch_count++;
    load->batch_text += quad->subject.text.len + quad->object.text.len;
    return TR_OK;
}

static tr_status add_quad(void *context, const tr_rdf_quad *quad,
                          struct tr_err *err)
{
    struct tr_graph_load *load = context;
    tr_rdf_quad own = *quad;
    TR_TRY(tr_graph_load_make_room(load, err));
    TR_TRY(skolemise(load, SUBJECT, &own.subject, err));
    TR_TRY(skolemise(load, OBJECT, &own.object, err));
    TR_TRY(skolemise(load, GRAPH, &own.graph, err));
    if (own.graph.kind == TR_RDF_TERM_NONE && load->opts.graph.len)
        own.graph = tr_rdf_term_iri(load->opts.graph);
    if (own.graph.kind == TR_RDF_TERM_IRI &&
        tr_prov_graph_is(own.graph.text, load->opts.project)) {
        load->counts.prov++;
        return TR_OK;
    }
    TR_TRY(spell(load, quad, &own.object, err));
    load->counts.read++;
    return tr_graph_load_put(load, &own, err);
}

struct tr_rdf_sink tr_graph_load_sink(struct tr_graph_load *load)
{
    return (struct tr_rdf_sink){.context = load, .quad = add_quad};
}

/* The batch is the whole new state: it is checked before it is written. */
static tr_status finish_in_memory(struct tr_graph_load *load,
                                  struct tr_err *err)
{
    const struct tr_rdf_graph *graph = tr_rdf_memory_graph_view(load->batch);
    TR_TRY(tr_graph_load_check(load, graph, err));
    TR_TRY(store_batch(load, err));
    return tr_graph_load_nodes(load, graph, err);
}

static tr_status finish_in_store(struct tr_graph_load *load, struct tr_err *err)
{
    load->batches++;
    TR_TRY(store_batch(load, err));
    end_batch(load);
    TR_TRY(tr_graph_load_nodes(load, &load->stored.base, err));
    return tr_graph_load_check(load, &load->stored.base, err);
}

tr_status tr_graph_load_finish(struct tr_graph_load *load, struct tr_err *err)
{
    if (load->counts.prov && !load->opts.skip_prov)
        return tr_fail(err, TR_E_INVALID,
                       "%llu statement(s) are in the provenance graph, which "
                       "nothing but the recorder writes to",
                       (unsigned long long)load->counts.prov);
    if (load->counts.respelt && load->opts.refused)
        return tr_fail(err, TR_E_INVALID,
                       "%llu value(s) are not spelt as they would be written",
                       (unsigned long long)load->counts.respelt);
    TR_TRY(tr_rdf_memory_graph_index(load->batch, err));
    TR_TRY(tr_graph_load_fill(load, err));
    TR_TRY(tr_graph_load_check_ahead(load, err));
    TR_TRY(tr_graph_load_begin(load, err));
    TR_TRY(tr_graph_load_is_in_memory(load) ? finish_in_memory(load, err)
                                            : finish_in_store(load, err));
    if (load->opts.landed)
        TR_TRY(load->opts.landed(load->opts.data, load->db, err));
    if (load->opts.is_dry) {
        tr_db_rollback(load->db);
        return TR_OK;
    }
    return tr_db_commit(load->db, err);
}

struct tr_graph_load_counts
tr_graph_load_counts(const struct tr_graph_load *load)
{
    return load->counts;
}

const struct tr_shacl_report *
tr_graph_load_report(const struct tr_graph_load *load)
{
    return &load->report;
}

const struct tr_shacl_validation *
tr_graph_load_validation(const struct tr_graph_load *load)
{
    return tr_shacl_report_conforms(&load->report) ? NULL : load->validation;
}
