#include "base/limits.h"
#include "fields/error.h"
#include "graph/land_inside.h"
#include "rdf/term.h"
#include "shacl/report.h"

/* Nodes with one value are counted up to this: it is only to find the rarest.
 */
enum { MANY = 128 };

/* One set of fields of one type, and the node that is looked at. */
struct check {
    struct tr_graph_landing_job *job;
    const struct tr_model_type *type;
    const struct tr_shape_unique *unique;
    tr_rdf_id class_id;
    tr_rdf_id type_id; /* rdf:type */
    tr_rdf_id subject;
    tr_rdf_id predicates[TR_LIMIT_UNIQUE_FIELDS];
    size_t indexes[TR_LIMIT_UNIQUE_FIELDS]; /* in `predicates`, by name */
};

static tr_status has(const struct check *check, tr_rdf_id s, tr_rdf_id p,
                     tr_rdf_id o, bool *out)
{
    tr_rdf_ids pattern = {s, p, o, TR_RDF_ID_ANY};
    return tr_rdf_graph_has(check->job->after, pattern, out, check->job->err);
}

/* Whether two nodes have a value of a field in common. */
static tr_status share(const struct check *check, tr_rdf_id other,
                       tr_rdf_id predicate, bool *out)
{
    tr_rdf_ids pattern = {check->subject, predicate, TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    *out = false;
    tr_rdf_graph_match(check->job->after, pattern, &cursor);
    while (status == TR_OK && !*out && tr_rdf_cursor_next(&cursor, &row))
        status = has(check, other, predicate, row.o, out);
    return tr_rdf_cursor_end(&cursor, status, check->job->err);
}

static tr_status is_rival(const struct check *check, tr_rdf_id other, bool *out)
{
    *out = false;
    if (other == check->subject)
        return TR_OK;
    TR_TRY(has(check, other, check->type_id, check->class_id, out));
    for (size_t i = 1; *out && i < check->unique->count; i++)
        TR_TRY(share(check, other, check->predicates[i], out));
    return TR_OK;
}

static tr_status put_iri(const struct check *check, const char *key,
                         tr_rdf_id id)
{
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(check->job->after, id, &term, check->job->err));
    tr_jw_put_string(&check->job->complaint, key, term.text);
    return TR_OK;
}

/* "email must be unique", "project must be unique together with number". */
static void put_message(struct tr_json_writer *w,
                        const struct tr_shape_unique *unique)
{
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf text;
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    tr_field_message_put(&text, unique->names[0]);
    tr_field_message_put(&text, TR_STR(" must be unique"));
    for (size_t i = 1; i < unique->count; i++) {
        tr_field_message_put(&text,
                             tr_str_from(i == 1 ? " together with " : ", "));
        tr_field_message_put(&text, unique->names[i]);
    }
    tr_jw_put_string(w, "message", tr_buf_str(&text));
}

static tr_status put_term(const struct check *check, tr_rdf_id value)
{
    tr_rdf_term term;
    TR_TRY(tr_rdf_graph_get(check->job->after, value, &term, check->job->err));
    tr_shacl_result_put_term(&check->job->complaint, &term,
                             TR_LIMIT_ECHO_BYTES);
    return TR_OK;
}

/* Writes the value of a field that both have; `first` is that of the first. */
static tr_status put_shared(const struct check *check, size_t i,
                            tr_rdf_id other, tr_rdf_id first)
{
    tr_rdf_ids pattern = {check->subject, check->predicates[i], TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    bool is_shared = false;
    tr_rdf_ids row;
    if (i == 0)
        return put_term(check, first);
    tr_rdf_graph_match(check->job->after, pattern, &cursor);
    while (status == TR_OK && !is_shared && tr_rdf_cursor_next(&cursor, &row))
        status = has(check, other, check->predicates[i], row.o, &is_shared);
    TR_TRY(tr_rdf_cursor_end(&cursor, status, check->job->err));
    return put_term(check, row.o);
}

/* One value, or as many as there are fields, in the order of their names. */
static tr_status put_values(const struct check *check, tr_rdf_id other,
                            tr_rdf_id first)
{
    struct tr_json_writer *w = &check->job->complaint;
    size_t count = check->unique->count;
    tr_jw_key(w, "value");
    if (count == 1)
        return put_term(check, first);
    tr_jw_open(w, '[');
    for (size_t i = 0; i < count; i++)
        TR_TRY(put_shared(check, check->indexes[i], other, first));
    tr_jw_close(w, ']');
    return TR_OK;
}

static bool is_hidden(const struct check *check)
{
    const struct tr_rdf_graph *seen = check->job->seen;
    for (size_t i = 0; seen && i < check->unique->count; i++) {
        tr_rdf_ids row = {check->subject, check->predicates[i], TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
        if (!tr_model_face_shows(seen, row))
            return true;
    }
    return false;
}

static uint64_t key_of(const struct check *check)
{
    return tr_graph_key_unique(check->type->shape->iri, check->unique);
}

/*
 * A value that was free when the call began has been taken by a node that has
 * changed since. One that this landing changes is no rival.
 */
static tr_status note_race(const struct check *check, tr_rdf_id other)
{
    struct tr_graph_landing_job *job = check->job;
    bool is_rival = tr_graph_pending_find(job->lander, other) != NULL;
    if (!is_rival && !tr_graph_id_is_new(other))
        TR_TRY(tr_graph_changed_since(job->lander->db, job->landing->since,
                                      other, &is_rival, job->err));
    if (!is_rival)
        return TR_OK;
    job->raced++;
    tr_graph_race_add(&job->landing->race, key_of(check), 0);
    return TR_OK;
}

/* The same form as results of a validation have. */
static tr_status complain(const struct check *check, tr_rdf_id other,
                          tr_rdf_id value)
{
    struct tr_json_writer *w = &check->job->complaint;
    const struct tr_shape_unique *unique = check->unique;
    TR_TRY(note_race(check, other));
    if (!tr_graph_landing_job_may_complain(check->job))
        return TR_OK;
    if (is_hidden(check)) {
        tr_field_error_write_hidden(w);
        return TR_OK;
    }
    tr_rdf_ids rival = {other, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "field", unique->names[0]);
    tr_jw_put_string(w, "code", TR_STR("unique"));
    put_message(w, unique);
    TR_TRY(put_values(check, other, value));
    tr_jw_key(w, "constraint");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < unique->count; i++)
        tr_jw_string(w, unique->names[i]);
    tr_jw_close(w, ']');
    TR_TRY(put_iri(check, "node", check->subject));
    if (!check->job->seen || tr_model_face_shows(check->job->seen, rival))
        TR_TRY(put_iri(check, "other", other));
    tr_jw_close(w, '}');
    return TR_OK;
}

static int compare_pairs(const void *a, const void *b)
{
    const tr_rdf_ids *x = a;
    const tr_rdf_ids *y = b;
    if (x->s != y->s)
        return x->s < y->s ? -1 : 1;
    return (x->p > y->p) - (x->p < y->p);
}

/* What was added, by subject and predicate; made when it is first asked for. */
static tr_status sort_added(struct tr_graph_landing_job *job)
{
    if (job->added)
        return TR_OK;
    job->added =
        TR_NEW_ARRAY(&job->lander->scratch, tr_rdf_ids, job->count + 1);
    if (!job->added)
        return tr_fail(job->err, TR_E_NOMEM, "no memory for changes");
    for (size_t i = 0; i < job->count; i++) {
        if (job->is_added[i])
            job->added[job->added_count++] = job->changed[i];
    }
    qsort(job->added, job->added_count, sizeof(tr_rdf_ids), compare_pairs);
    return TR_OK;
}

/* After sort_added. */
static bool is_given(const struct check *check, tr_rdf_id predicate)
{
    const struct tr_graph_landing_job *job = check->job;
    const tr_rdf_ids key = {check->subject, predicate, 0, 0};
    return bsearch(&key, job->added, job->added_count, sizeof(key),
                   compare_pairs) != NULL;
}

/* Whether this landing gives the subject a value of one of the fields. */
static tr_status gives_value(const struct check *check, bool *out)
{
    *out = false;
    TR_TRY(sort_added(check->job));
    for (size_t i = 0; !*out && i < check->unique->count; i++)
        *out = is_given(check, check->predicates[i]);
    return TR_OK;
}

/* Whether it gives such a value, or the class: if not, the values were there
 * before, and nobody is to blame. */
static tr_status is_changed(const struct check *check, bool *out)
{
    TR_TRY(gives_value(check, out));
    *out = *out || is_given(check, check->type_id);
    return TR_OK;
}

/* Looks at everybody who has this value of the first field. */
static tr_status check_value(const struct check *check, tr_rdf_id value)
{
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, check->predicates[0], value,
                          TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    bool found = false;
    tr_rdf_ids row;
    tr_rdf_graph_match(check->job->after, pattern, &cursor);
    while (status == TR_OK && !found && tr_rdf_cursor_next(&cursor, &row))
        status = is_rival(check, row.s, &found);
    TR_TRY(tr_rdf_cursor_end(&cursor, status, check->job->err));
    if (found)
        TR_TRY(is_changed(check, &found));
    return found ? complain(check, row.s, value) : TR_OK;
}

static tr_status find_predicates(struct check *check)
{
    for (size_t i = 0; i < check->unique->count; i++) {
        const struct tr_field *field =
            tr_shape_find(check->type->shape, check->unique->names[i]);
        check->predicates[i] = TR_RDF_ID_NONE;
        check->indexes[i] = i;
        if (field)
            TR_TRY(tr_rdf_graph_find_iri(check->job->after, field->iri,
                                         &check->predicates[i],
                                         check->job->err));
    }
    return TR_OK;
}

/* How many nodes have the subject's first value of a field, up to MANY. */
static tr_status count_rivals(const struct check *check, tr_rdf_id predicate,
                              size_t *out)
{
    tr_rdf_ids pattern = {check->subject, predicate, TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
    const struct tr_rdf_graph *graph = check->job->after;
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row;
    *out = 0;
    tr_rdf_graph_match(graph, pattern, &cursor);
    bool has_value = tr_rdf_cursor_next(&cursor, &row);
    TR_TRY(tr_rdf_cursor_close(&cursor, check->job->err));
    if (!has_value)
        return TR_OK;
    pattern = (tr_rdf_ids){TR_RDF_ID_ANY, predicate, row.o, TR_RDF_ID_ANY};
    tr_rdf_graph_match(graph, pattern, &cursor);
    while (*out < MANY && tr_rdf_cursor_next(&cursor, &row))
        ++*out;
    return tr_rdf_cursor_close(&cursor, check->job->err);
}

/* Puts the field first whose value the fewest nodes have: these are compared
 * one by one. */
static tr_status choose_first(struct check *check)
{
    size_t fewest = SIZE_MAX;
    size_t first = 0;
    for (size_t i = 0; i < check->unique->count; i++) {
        size_t count = 0;
        TR_TRY(count_rivals(check, check->predicates[i], &count));
        if (count < fewest)
            first = i;
        fewest = count < fewest ? count : fewest;
    }
    tr_rdf_id predicate = check->predicates[first];
    check->predicates[first] = check->predicates[0];
    check->predicates[0] = predicate;
    check->indexes[first] = 0;
    check->indexes[0] = first;
    return TR_OK;
}

/* Whoever waits for a value of these fields is first. */
static tr_status ask_turn(const struct check *check)
{
    bool is_wanted = false;
    if (tr_graph_landing_job_has_turns(check->job))
        TR_TRY(gives_value(check, &is_wanted));
    return is_wanted ? tr_graph_landing_job_ask_turn(check->job, key_of(check))
                     : TR_OK;
}

static tr_status check_set(struct check *check)
{
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    TR_TRY(find_predicates(check));
    TR_TRY(ask_turn(check));
    if (check->unique->count > 1)
        TR_TRY(choose_first(check));
    tr_rdf_ids pattern = {check->subject, check->predicates[0], TR_RDF_ID_ANY,
                          TR_RDF_ID_ANY};
    tr_rdf_graph_match(check->job->after, pattern, &cursor);
    while (status == TR_OK && tr_rdf_cursor_next(&cursor, &row))
        status = check_value(check, row.o);
    return tr_rdf_cursor_end(&cursor, status, check->job->err);
}

/* A subject has the classes of all its ancestors too: each is looked at. */
static tr_status check_type(struct check *check, tr_rdf_id subject)
{
    const struct tr_shape *shape = check->type->shape;
    bool is_one = false;
    check->subject = subject;
    TR_TRY(has(check, subject, check->type_id, check->class_id, &is_one));
    for (size_t i = 0; is_one && i < shape->unique_count; i++) {
        check->unique = &shape->unique[i];
        TR_TRY(check_set(check));
    }
    return TR_OK;
}

tr_status tr_graph_landing_job_check_unique(struct tr_graph_landing_job *job)
{
    const struct tr_model *model = job->landing->model;
    struct check check = {.job = job};
    TR_TRY(tr_rdf_graph_find_iri(job->after, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                 &check.type_id, job->err));
    for (size_t i = 0; i < model->count; i++) {
        check.type = model->types[i];
        if (check.type->shape->unique_count == 0)
            continue;
        TR_TRY(tr_rdf_graph_find_iri(job->after, check.type->shape->iri,
                                     &check.class_id, job->err));
        for (size_t j = 0;
             check.class_id != TR_RDF_ID_NONE && j < job->subject_count; j++)
            TR_TRY(check_type(&check, job->subjects[j]));
    }
    return TR_OK;
}
