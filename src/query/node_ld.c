#include "base/vec.h"
#include "fields/check.h"
#include "json/build.h"
#include "model/value_term.h"
#include "query/node.h"
#include "query/part.h"

/* 2^53 - 1: the largest integer that every reader of JSON holds exactly
 * (RFC 8259, 6). */
#define SAFE_INTEGER INT64_C(9007199254740991)

/* A statement about the node. */
struct fact {
    tr_rdf_id g;
    tr_rdf_id p;
    tr_rdf_id o;
};

struct writing {
    const struct tr_graph_read_ctx *ctx;
    struct tr_json_writer *w;
    tr_str iri;
    const struct tr_model_type *type;
    tr_rdf_id rdf_type;
    bool fits; /* all values that were seen */
    struct {
        struct fact *items;
        size_t count;
        size_t cap;
    } facts;
};

/* Facts from `first` to before `end`. */
struct range {
    size_t first;
    size_t end;
};

static tr_status keep(void *context, tr_rdf_ids row, struct tr_err *err)
{
    struct writing *n = context;
    struct fact fact = {row.g, row.p, row.o};
    return tr_vec_push(n->ctx->arena, &n->facts, fact)
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "no memory for a node");
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Graph by graph; the default graph comes first, as it has the lowest id. */
static int compare(const void *a, const void *b)
{
    const struct fact *x = a;
    const struct fact *y = b;
    if (x->g != y->g)
        return order(x->g, y->g);
    return x->p != y->p ? order(x->p, y->p) : order(x->o, y->o);
}

static tr_status term_of(const struct writing *n, tr_rdf_id id,
                         char text[TR_GRAPH_ID_TEXT], tr_rdf_term *out,
                         struct tr_err *err)
{
    return tr_graph_read_ctx_term(n->ctx, id, text, out, err);
}

/* Whether a bare JSON number keeps the term: no leading zeros or '+', and
 * within the bits that readers keep. */
static bool is_plain_integer(const tr_rdf_term *term)
{
    int64_t value;
    char text[TR_GRAPH_ID_TEXT];
    if (!tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_INTEGER)) ||
        !tr_str_to_i64(term->text, &value) || value > SAFE_INTEGER ||
        value < -SAFE_INTEGER)
        return false;
    return tr_str_eq(term->text, tr_graph_id_write_integer(value, text));
}

static bool is_plain_bool(const tr_rdf_term *term)
{
    return tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_BOOLEAN)) &&
           (tr_str_eq(term->text, TR_STR("true")) ||
            tr_str_eq(term->text, TR_STR("false")));
}

/*
 * A bare JSON number without a fraction is read back as xsd:integer, a time as
 * xsd:string: all other literals name their datatype. Of those that are written
 * bare `bare` borrows the value; it is left alone for others.
 */
static void put_literal(struct tr_json_writer *w, const tr_rdf_term *term,
                        struct tr_json *bare)
{
    if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_STRING))) {
        *bare = tr_json_make_text(TR_JSON_STRING, term->text);
        tr_jw_string(w, term->text);
        return;
    }
    bool is_integer = is_plain_integer(term);
    if (is_integer || is_plain_bool(term)) {
        *bare = is_integer ? tr_json_make_integer(term->text)
                           : tr_json_make_bool(term->text.len == 4);
        tr_jw_raw(w, term->text);
        return;
    }
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "@value", term->text);
    tr_jw_put_string(w, term->language.len ? "@language" : "@type",
                     term->language.len ? term->language : term->datatype);
    tr_jw_close(w, '}');
}

void tr_query_term_write_ld(struct tr_json_writer *w, const tr_rdf_term *term,
                            struct tr_json *bare)
{
    if (term->kind == TR_RDF_TERM_LITERAL) {
        put_literal(w, term, bare);
        return;
    }
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "@id", term->text);
    tr_jw_close(w, '}');
}

/* The facts of one predicate, from `first` on. */
static struct range run_of(const struct writing *n, size_t first, size_t end)
{
    struct range run = {first, first};
    while (run.end < end &&
           n->facts.items[run.end].p == n->facts.items[first].p)
        run.end++;
    return run;
}

static tr_status put_values(struct writing *n, struct range run, bool is_array,
                            struct tr_err *err)
{
    if (is_array)
        tr_jw_open(n->w, '[');
    for (size_t i = run.first; i < run.end; i++) {
        char text[TR_GRAPH_ID_TEXT];
        struct tr_json ignored;
        tr_rdf_term term;
        TR_TRY(term_of(n, n->facts.items[i].o, text, &term, err));
        tr_query_term_write_ld(n->w, &term, &ignored);
    }
    if (is_array)
        tr_jw_close(n->w, ']');
    return TR_OK;
}

static tr_status judge_value(struct writing *n, const struct tr_field *field,
                             const struct tr_json *value, struct tr_err *err)
{
    struct tr_field_errors errors = {0};
    tr_status status =
        tr_field_check(field, value, n->ctx->arena, &errors, NULL);
    if (status == TR_E_VALIDATION)
        n->fits = false;
    else if (status != TR_OK)
        return tr_fail(err, status, "no memory for a node");
    return TR_OK;
}

/* The values of a field with many. */
static tr_status judge_values(struct writing *n, const struct tr_field *field,
                              struct range run, struct tr_err *err)
{
    size_t count = run.end - run.first;
    struct tr_json *items = TR_NEW_ARRAY(n->ctx->arena, struct tr_json, count);
    const struct tr_json value = {
        .kind = TR_JSON_ARRAY, .len = (uint32_t)count, .as.items = items};
    if (!items)
        return tr_fail(err, TR_E_NOMEM, "no memory for a node");
    for (size_t i = 0; i < count; i++) {
        char text[TR_GRAPH_ID_TEXT];
        tr_rdf_term term;
        TR_TRY(term_of(n, n->facts.items[run.first + i].o, text, &term, err));
        TR_TRY(tr_model_value_from_term(field, &term, n->ctx->arena, &items[i],
                                        err));
    }
    return judge_value(n, field, &value, err);
}

/* Writes the only value of a field and judges it on the way: most are bare, and
 * cost nothing but the check. */
static tr_status put_judged(struct writing *n, const struct tr_field *field,
                            tr_rdf_id object, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    struct tr_json value = {.kind = TR_JSON_NULL};
    tr_rdf_term term;
    TR_TRY(term_of(n, object, text, &term, err));
    tr_query_term_write_ld(n->w, &term, &value);
    if (value.kind == TR_JSON_NULL)
        TR_TRY(
            tr_model_value_from_term(field, &term, n->ctx->arena, &value, err));
    return judge_value(n, field, &value, err);
}

/* Objects and lists: whole, with what is said of their own nodes. */
static tr_status put_parts(struct writing *n, const struct tr_field *field,
                           struct range run, struct tr_err *err)
{
    size_t count = run.end - run.first;
    struct tr_json *items = TR_NEW_ARRAY(n->ctx->arena, struct tr_json, count);
    const struct tr_json all = {
        .kind = TR_JSON_ARRAY, .len = (uint32_t)count, .as.items = items};
    if (!items)
        return tr_fail(err, TR_E_NOMEM, "no memory for a node");
    if (field->many || count > 1)
        tr_jw_open(n->w, '[');
    for (size_t i = 0; i < count; i++) {
        tr_rdf_id id = n->facts.items[run.first + i].o;
        char text[TR_GRAPH_ID_TEXT];
        tr_rdf_term term;
        TR_TRY(term_of(n, id, text, &term, err));
        if (term.kind != TR_RDF_TERM_IRI) {
            n->fits = false;
            TR_TRY(put_values(n,
                              (struct range){run.first + i, run.first + i + 1},
                              false, err));
            continue;
        }
        TR_TRY(tr_query_part_write_ld(n->ctx, field, id, n->w, err));
        TR_TRY(tr_query_part_read(n->ctx, field, id, &items[i], err));
    }
    if (field->many || count > 1)
        tr_jw_close(n->w, ']');
    n->fits = n->fits && (field->many || count == 1);
    return n->fits ? judge_value(n, field, field->many ? &all : items, err)
                   : TR_OK;
}

static tr_status put_field(struct writing *n, const struct tr_field *field,
                           struct range run, struct tr_err *err)
{
    bool is_array = field->many || run.end - run.first > 1;
    tr_jw_key_str(n->w, field->iri);
    if (tr_query_has_parts(field) && run.end > run.first)
        return put_parts(n, field, run, err);
    if (!is_array)
        return put_judged(n, field, n->facts.items[run.first].o, err);
    if (field->many)
        TR_TRY(judge_values(n, field, run, err));
    else
        n->fits = false;
    return put_values(n, run, true, err);
}

/* Writes "@type", the class the node is shown as first; a literal is no
 * class. */
static tr_status put_classes(struct writing *n, struct range run,
                             struct tr_err *err)
{
    bool is_array = run.end - run.first > 1;
    tr_str main = n->type ? n->type->shape->iri : TR_STR("");
    tr_jw_key(n->w, "@type");
    if (is_array)
        tr_jw_open(n->w, '[');
    for (int others = 0; others < 2; others++) {
        for (size_t i = run.first; i < run.end; i++) {
            char text[TR_GRAPH_ID_TEXT];
            tr_rdf_term term;
            TR_TRY(term_of(n, n->facts.items[i].o, text, &term, err));
            if (tr_str_eq(term.text, main) != (others != 0))
                tr_jw_string(n->w, term.text);
        }
    }
    if (is_array)
        tr_jw_close(n->w, ']');
    return TR_OK;
}

static tr_status are_classes(const struct writing *n, struct range run,
                             bool *out, struct tr_err *err)
{
    *out = run.first < run.end && n->facts.items[run.first].p == n->rdf_type;
    for (size_t i = run.first; *out && i < run.end; i++) {
        char text[TR_GRAPH_ID_TEXT];
        tr_rdf_term term;
        TR_TRY(term_of(n, n->facts.items[i].o, text, &term, err));
        *out = term.kind == TR_RDF_TERM_IRI;
    }
    return TR_OK;
}

/* The facts of one graph: where those of each field stand, and the rest. */
struct sorted {
    struct range *fields; /* one per field of the type */
    struct range *others; /* at most one per fact */
    size_t other_count;
    struct range classes;
};

static size_t find_field(const struct writing *n, tr_str predicate)
{
    size_t count = n->type ? n->type->shape->count : 0;
    size_t i = 0;
    while (i < count && !tr_str_eq(n->type->shape->fields[i].iri, predicate))
        i++;
    return i < count ? i : SIZE_MAX;
}

static tr_status sort_run(struct writing *n, struct range run,
                          struct sorted *out, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    bool classes;
    TR_TRY(are_classes(n, run, &classes, err));
    TR_TRY(term_of(n, n->facts.items[run.first].p, text, &term, err));
    size_t field = classes ? SIZE_MAX : find_field(n, term.text);
    if (classes)
        out->classes = run;
    else if (field != SIZE_MAX)
        out->fields[field] = run;
    else
        out->others[out->other_count++] = run;
    return TR_OK;
}

static tr_status sort_facts(struct writing *n, struct range all,
                            struct sorted *out, struct tr_err *err)
{
    size_t fields = n->type ? n->type->shape->count : 0;
    *out = (struct sorted){
        .fields = TR_NEW_ARRAY(n->ctx->arena, struct range, fields),
        .others =
            TR_NEW_ARRAY(n->ctx->arena, struct range, all.end - all.first),
    };
    if (!out->fields || !out->others)
        return tr_fail(err, TR_E_NOMEM, "no memory for a node");
    while (all.first < all.end) {
        struct range run = run_of(n, all.first, all.end);
        TR_TRY(sort_run(n, run, out, err));
        all.first = run.end;
    }
    return TR_OK;
}

static tr_status put_other(struct writing *n, struct range run,
                           struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    TR_TRY(term_of(n, n->facts.items[run.first].p, text, &term, err));
    tr_jw_key_str(n->w, term.text);
    return put_values(n, run, true, err);
}

/* In a named graph, fields without values are left out. */
static tr_status put_fields(struct writing *n, const struct sorted *sorted,
                            bool is_named, struct tr_err *err)
{
    size_t count = n->type ? n->type->shape->count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct tr_field *field = &n->type->shape->fields[i];
        struct range run = sorted->fields[i];
        if (run.end > run.first || (field->many && !is_named))
            TR_TRY(put_field(n, field, run, err));
        else if (!field->optional && !field->default_to)
            n->fits = false;
    }
    return TR_OK;
}

/* The members of the node object of one graph. */
static tr_status put_members(struct writing *n, struct range all, bool is_named,
                             struct tr_err *err)
{
    struct sorted sorted;
    TR_TRY(sort_facts(n, all, &sorted, err));
    tr_jw_put_string(n->w, "@id", n->iri);
    if (sorted.classes.end > sorted.classes.first)
        TR_TRY(put_classes(n, sorted.classes, err));
    TR_TRY(put_fields(n, &sorted, is_named, err));
    for (size_t i = 0; i < sorted.other_count; i++)
        TR_TRY(put_other(n, sorted.others[i], err));
    return TR_OK;
}

static struct range graph_of(const struct writing *n, size_t first)
{
    struct range all = {first, first};
    while (all.end < n->facts.count &&
           n->facts.items[all.end].g == n->facts.items[first].g)
        all.end++;
    return all;
}

static tr_status put_graph(struct writing *n, struct range all,
                           struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term name;
    TR_TRY(term_of(n, n->facts.items[all.first].g, text, &name, err));
    tr_jw_open(n->w, '{');
    tr_jw_put_string(n->w, "@id", name.text);
    tr_jw_key(n->w, "@graph");
    tr_jw_open(n->w, '[');
    tr_jw_open(n->w, '{');
    TR_TRY(put_members(n, all, true, err));
    tr_jw_close(n->w, '}');
    tr_jw_close(n->w, ']');
    tr_jw_close(n->w, '}');
    return TR_OK;
}

static tr_status put_node(struct writing *n, struct tr_err *err)
{
    struct range all = {0, 0};
    if (n->facts.count && n->facts.items[0].g == TR_RDF_ID_DEFAULT_GRAPH)
        all = graph_of(n, 0);
    tr_jw_open(n->w, '{');
    TR_TRY(put_members(n, all, false, err));
    if (all.end < n->facts.count) {
        n->fits = false; /* by what all graphs say together, perhaps */
        tr_jw_key(n->w, "@included");
        tr_jw_open(n->w, '[');
        while (all.end < n->facts.count) {
            all = graph_of(n, all.end);
            TR_TRY(put_graph(n, all, err));
        }
        tr_jw_close(n->w, ']');
    }
    tr_jw_close(n->w, '}');
    return TR_OK;
}

/* Whether the node has the class of `type`; finds the type it is shown as. */
static tr_status see_classes(struct writing *n,
                             const struct tr_model_type *type, bool *out,
                             struct tr_err *err)
{
    struct tr_graph_best_type best = {0};
    tr_rdf_id class = TR_RDF_ID_NONE;
    *out = !type;
    TR_TRY(tr_rdf_graph_find_iri(n->ctx->graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &n->rdf_type, err));
    if (type)
        TR_TRY(tr_rdf_graph_find_iri(n->ctx->graph, type->shape->iri, &class,
                                     err));
    for (size_t i = 0; i < n->facts.count; i++) {
        if (n->facts.items[i].p != n->rdf_type)
            continue;
        *out = *out || n->facts.items[i].o == class;
        TR_TRY(
            tr_graph_best_type_offer(n->ctx, &best, n->facts.items[i].o, err));
    }
    n->type = best.type;
    return TR_OK;
}

tr_status tr_query_node_write_ld(const struct tr_graph_read_ctx *ctx,
                                 tr_rdf_id id, const struct tr_model_type *type,
                                 struct tr_json_writer *out,
                                 struct tr_query_node_shown *shown,
                                 struct tr_err *err)
{
    struct writing n = {.ctx = ctx, .w = out, .fits = true};
    tr_rdf_ids pattern = {id, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    char text[TR_GRAPH_ID_TEXT];
    tr_rdf_term term;
    bool found;
    *shown = (struct tr_query_node_shown){0};
    TR_TRY(term_of(&n, id, text, &term, err));
    n.iri = term.text;
    TR_TRY(tr_rdf_graph_each(ctx->graph, pattern, keep, &n, err));
    TR_TRY(see_classes(&n, type, &found, err));
    if (!found)
        return TR_OK;
    if (n.facts.count)
        qsort(n.facts.items, n.facts.count, sizeof(*n.facts.items), compare);
    TR_TRY(put_node(&n, err));
    *shown = (struct tr_query_node_shown){true, n.type, n.fits};
    return TR_OK;
}
