#include "base/limits.h"
#include "base/map.h"
#include "graph/load_inside.h"
#include "graph/part.h"
#include "graph/upkeep.h"
#include "model/model.h"

/* Results of the old state, as texts: ids need not mean the same there. Each
 * excuses one equal result of the new state. */
struct old_results {
    const struct tr_shacl_validation *validation; /* that runs now */
    struct tr_shacl_report *report;               /* of those that are new */
    struct tr_arena arena;
    struct tr_map results; /* to how many there are */
    struct tr_buf text;
};

static tr_status put_term(struct old_results *old, tr_rdf_id id,
                          struct tr_err *err)
{
    tr_rdf_term term;
    tr_buf_putc(&old->text, ' ');
    if (id == TR_RDF_ID_NONE)
        return TR_OK;
    TR_TRY(tr_shacl_validation_term(old->validation, id, &term, err));
    tr_rdf_term_write(&old->text, &term);
    return TR_OK;
}

static tr_status describe(struct old_results *old,
                          const struct tr_shacl_result *result,
                          struct tr_err *err)
{
    tr_buf_clear(&old->text);
    tr_buf_putf(&old->text, "%u %u %d", result->shape, result->constraint,
                result->hit_limit);
    TR_TRY(put_term(old, result->focus, err));
    TR_TRY(put_term(old, result->value, err));
    TR_TRY(put_term(old, result->predicate, err));
    return tr_buf_check(&old->text, err);
}

static tr_status keep_old(void *context, const struct tr_shacl_result *result,
                          struct tr_err *err)
{
    struct old_results *old = context;
    TR_TRY(describe(old, result, err));
    size_t *count = tr_map_find(&old->results, tr_buf_str(&old->text));
    if (count) {
        ++*count;
        return TR_OK;
    }
    count = TR_NEW(&old->arena, size_t);
    tr_str key;
    if (!count || !tr_arena_copy(&old->arena, tr_buf_str(&old->text), &key) ||
        !tr_map_set(&old->results, key, count))
        return tr_fail(err, TR_E_LIMIT,
                       "the store has too many results to tell new ones");
    *count = 1;
    return TR_OK;
}

/* Between two nodes the validation holds no terms, and we hold none either. */
static void forget_terms(void *context, size_t done, size_t total)
{
    struct tr_graph_load *load = context;
    (void)done;
    (void)total;
    tr_graph_terms_trim(load->terms, TR_GRAPH_TERMS_BYTES);
    if (load->before)
        tr_graph_reader_trim(load->before);
}

/* Others can write meanwhile, unless the lock is ours. */
static struct tr_shacl_validation_opts opts_of(struct tr_graph_load *load)
{
    struct tr_shacl_validation_opts opts = {.progress = forget_terms,
                                            .progress_context = load};
    if (load->is_begun)
        opts.max_work =
            load->opts.max_work ? load->opts.max_work : TR_LIMIT_LOAD_WORK;
    return opts;
}

static tr_status keep_new(void *context, const struct tr_shacl_result *result,
                          struct tr_err *err)
{
    struct old_results *old = context;
    TR_TRY(describe(old, result, err));
    size_t *left = tr_map_find(&old->results, tr_buf_str(&old->text));
    if (!left || *left == 0)
        return tr_shacl_report_add(old->report, result, err);
    --*left;
    return TR_OK;
}

static tr_status validate_old(struct tr_graph_load *load,
                              const struct tr_rdf_graph *graph,
                              struct old_results *old, struct tr_err *err)
{
    const struct tr_shacl_validation_opts opts = opts_of(load);
    struct tr_shacl_validation *validation = NULL;
    tr_status status = tr_shacl_validation_create(
        load->opts.model->shapes, graph, &opts, &validation, err);
    old->validation = validation;
    if (status == TR_OK)
        status = tr_shacl_validation_run(validation, keep_old, old, err);
    tr_shacl_validation_free(validation);
    return status;
}

/* The state before: what we see, while nothing of the load is written; else
 * what a connection of its own sees. */
static tr_status read_before(struct tr_graph_load *load,
                             struct old_results *old, struct tr_err *err)
{
    if (!load->is_begun)
        return validate_old(load, &load->stored.base, old, err);
    TR_TRY(tr_graph_reader_create(load->opts.path, &load->opts.db,
                                  &load->before, err));
    TR_TRY(tr_graph_reader_begin(load->before, err));
    tr_status status = validate_old(load, &load->before->stored.base, old, err);
    tr_graph_reader_end(load->before);
    return status;
}

static tr_status compare(struct tr_graph_load *load, struct tr_err *err)
{
    struct old_results old = {.report = &load->report};
    tr_arena_init(&old.arena, TR_LIMIT_CLI_REPORT);
    tr_map_init(&old.results, &old.arena);
    tr_buf_init(&old.text, 4 * TR_LIMIT_RDF_TERM);
    tr_status status = read_before(load, &old, err);
    old.validation = load->validation;
    tr_shacl_report_init(&load->report, &load->arena, load->opts.max_results);
    if (status == TR_OK)
        status = tr_shacl_validation_run(load->validation, keep_new, &old, err);
    tr_buf_done(&old.text);
    tr_arena_done(&old.arena);
    return status;
}

static tr_status explain_work(const struct tr_graph_load *load,
                              tr_status status, struct tr_err *err)
{
    if (status == TR_E_LIMIT && load->is_begun)
        tr_err_prefix(err, "others cannot write meanwhile; import it in parts "
                           "of fewer statements");
    return status;
}

tr_status tr_graph_load_check_shapes(struct tr_graph_load *load,
                                     const struct tr_rdf_graph *graph,
                                     struct tr_err *err)
{
    const struct tr_shacl_validation_opts opts = opts_of(load);
    if (!load->opts.model || !load->opts.model->shapes)
        return TR_OK;
    TR_TRY(tr_shacl_validation_create(load->opts.model->shapes, graph, &opts,
                                      &load->validation, err));
    tr_status status = tr_shacl_validation_run(
        load->validation, tr_shacl_report_add, &load->report, err);
    TR_TRY(explain_work(load, status, err));
    if (!tr_shacl_report_conforms(&load->report) && !load->was_empty)
        TR_TRY(compare(load, err));
    if (tr_shacl_report_conforms(&load->report))
        return TR_OK;
    TR_TRY(tr_shacl_report_detail(&load->report, load->validation, err));
    return tr_fail(err, TR_E_VALIDATION, "the data does not conform: %zu %s",
                   load->report.count,
                   load->report.count == 1 ? "result" : "results");
}

tr_status tr_graph_load_owner(const struct tr_graph_load *load, tr_rdf_id focus,
                              struct tr_arena *arena, tr_str *iri,
                              struct tr_err *err)
{
    struct tr_graph_part_owners owners = {
        .graph = tr_shacl_validation_graph(load->validation),
        .model = load->opts.model,
        .arena = arena};
    tr_rdf_term term;
    tr_map_init(&owners.known, arena);
    TR_TRY(tr_shacl_validation_term(load->validation, focus, &term, err));
    if (term.kind == TR_RDF_TERM_IRI && !(focus & TR_SHACL_ID_LOCAL))
        TR_TRY(tr_graph_part_owner(&owners, focus, &focus, err));
    TR_TRY(tr_shacl_validation_term(load->validation, focus, &term, err));
    return tr_arena_copy(arena, term.text, iri)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for an IRI");
}

/* Of a load that is in the store: in memory all are new. */
static bool is_changed(void *context, tr_rdf_id node)
{
    const struct tr_graph_load *load = context;
    return tr_bits_has(&load->subjects, node >> TR_GRAPH_TAG_BITS);
}

tr_status tr_graph_load_check(struct tr_graph_load *load,
                              const struct tr_rdf_graph *graph,
                              struct tr_err *err)
{
    if (!load->is_checked)
        TR_TRY(tr_graph_load_check_shapes(load, graph, err));
    return tr_graph_unique_check(graph, load->opts.model,
                                 load->was_empty ? NULL : is_changed, load,
                                 err);
}
