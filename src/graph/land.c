#include "base/limits.h"
#include "graph/land_inside.h"
#include "graph/part.h"
#include "graph/reader.h"

/* Landings that take more memory than this are written before the next. */
#define FULL_BYTES TR_MIB(64)

tr_status tr_graph_lander_create(struct tr_db *db, struct tr_graph_lander **out,
                                 struct tr_err *err)
{
    struct tr_graph_lander *lander = calloc(1, sizeof(*lander));
    if (!lander)
        return tr_fail(err, TR_E_NOMEM, "no memory for the writer");
    lander->db = db;
    tr_arena_init(&lander->arena, FULL_BYTES + TR_LIMIT_CHANGE_BYTES);
    tr_arena_init(&lander->scratch, TR_LIMIT_CHANGE_BYTES);
    tr_buf_init(&lander->complaint, TR_LIMIT_MESSAGE);
    tr_status status = tr_graph_terms_create(db, &lander->terms, err);
    if (status != TR_OK) {
        tr_graph_lander_free(lander);
        return status;
    }
    tr_graph_stored_graph_init(&lander->stored, db, lander->terms);
    *out = lander;
    return TR_OK;
}

void tr_graph_lander_free(struct tr_graph_lander *lander)
{
    if (!lander)
        return;
    tr_graph_terms_free(lander->terms);
    tr_graph_value_set_free(&lander->values);
    tr_arena_done(&lander->arena);
    tr_arena_done(&lander->scratch);
    tr_buf_done(&lander->complaint);
    free(lander);
}

void tr_graph_lander_drop(struct tr_graph_lander *lander)
{
    lander->overlay = NULL;
    lander->landings.items = NULL;
    lander->landings.count = lander->landings.cap = 0;
    lander->broken = TR_OK;
    tr_arena_reset(&lander->arena);
}

/* Another process may have added terms: the next number is read anew. */
tr_status tr_graph_lander_begin(struct tr_graph_lander *lander, bool *is_other,
                                struct tr_err *err)
{
    int64_t epoch = 0;
    TR_TRY(tr_graph_epoch_read(lander->db, &epoch, err));
    *is_other = epoch != lander->epoch;
    if (*is_other) {
        tr_graph_terms_forget(lander->terms);
        TR_TRY(tr_graph_value_set_load(&lander->values, lander->db,
                                       lander->terms, err));
    }
    lander->epoch = epoch;
    tr_graph_terms_renew(lander->terms);
    tr_graph_terms_trim(lander->terms, TR_GRAPH_TERMS_BYTES);
    return TR_OK;
}

void tr_graph_lander_forget(struct tr_graph_lander *lander)
{
    tr_graph_terms_forget(lander->terms);
    tr_graph_lander_drop(lander);
}

void tr_graph_lander_break(struct tr_graph_lander *lander, tr_status status,
                           const struct tr_err *err)
{
    lander->broken = status;
    lander->why = *err;
}

bool tr_graph_lander_is_full(const struct tr_graph_lander *lander)
{
    return lander->arena.held > FULL_BYTES;
}

static tr_status version_of(struct tr_graph_lander *lander, tr_rdf_id subject,
                            int64_t *out, struct tr_err *err)
{
    const struct tr_graph_pending *pending =
        tr_graph_pending_find(lander, subject);
    struct tr_db_stmt *stmt;
    bool row;
    *out = pending ? pending->version : 0;
    if (pending || tr_graph_id_is_new(subject))
        return TR_OK;
    TR_TRY(tr_db_prepare(lander->db, "SELECT version FROM node WHERE s = ?1",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, (int64_t)subject);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status is_present(const struct tr_rdf_graph *graph, tr_rdf_id subject,
                            int64_t version, bool *out, struct tr_err *err)
{
    tr_rdf_ids pattern = {subject, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    *out = version > 0;
    return *out ? TR_OK : tr_rdf_graph_has(graph, pattern, out, err);
}

static tr_status check_expect(struct tr_graph_lander *lander,
                              const struct tr_graph_expect *expect,
                              struct tr_err *err)
{
    const struct tr_rdf_graph *graph = tr_graph_overlay_view(lander->overlay);
    tr_rdf_id subject = TR_RDF_ID_NONE;
    int64_t version = 0;
    bool present = false;
    TR_TRY(tr_rdf_graph_find_iri(graph, expect->iri, &subject, err));
    if (subject != TR_RDF_ID_NONE) {
        TR_TRY(version_of(lander, subject, &version, err));
        TR_TRY(is_present(graph, subject, version, &present, err));
    }
    if (expect->kind == TR_GRAPH_EXPECT_ABSENT) {
        if (!present)
            return TR_OK;
        (void)tr_fail(err, TR_E_CONFLICT, "there is a <%.*s> already",
                      TR_FMT(expect->iri));
    } else if (!present) {
        (void)tr_fail(err, TR_E_NOT_FOUND, "there is no <%.*s>",
                      TR_FMT(expect->iri));
    } else if (expect->kind == TR_GRAPH_EXPECT_VERSION &&
               version != expect->version) {
        (void)tr_fail(err, TR_E_CONFLICT,
                      "<%.*s> is at version %lld, not %lld" TR_GRAPH_READ_AGAIN,
                      TR_FMT(expect->iri), (long long)version,
                      (long long)expect->version);
    } else {
        return TR_OK;
    }
    tr_err_set_at(err, "%.*s", TR_FMT(expect->iri));
    return err ? err->code : TR_E_CONFLICT;
}

/*
 * Each held when the call said so. The first that does not any more is told;
 * the others are looked at for the turns of the next try.
 */
static tr_status check_expects(struct tr_graph_landing_job *job)
{
    const struct tr_graph_changeset *set = job->landing->changes;
    tr_status verdict = TR_OK;
    for (size_t i = 0; i < set->expects.count; i++) {
        const struct tr_graph_expect *expect = &set->expects.items[i];
        struct tr_err other = {0};
        tr_status status = check_expect(job->lander, expect,
                                        verdict == TR_OK ? job->err : &other);
        if (status == TR_E_CONFLICT || status == TR_E_NOT_FOUND)
            tr_graph_race_add(&job->landing->race, tr_graph_key_expect(expect),
                              expect->version);
        else
            TR_TRY(status);
        verdict = verdict == TR_OK ? status : verdict;
    }
    return verdict;
}

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for changes");
}

/* Each change is judged by what it comes to, in the name of who made it. */
static tr_status ask_may(const struct tr_graph_landing_job *job,
                         const tr_graph_change *change, struct tr_err *err)
{
    tr_rdf_term graph = {0};
    if (change->quad.g != TR_RDF_ID_DEFAULT_GRAPH)
        TR_TRY(tr_rdf_graph_get(job->after, change->quad.g, &graph, err));
    return job->landing->may(change->by, &graph, !change->is_added, err);
}

static tr_status keep_change(void *context, const tr_graph_change *change,
                             struct tr_err *err)
{
    struct tr_graph_landing_job *job = context;
    if (job->landing->may)
        TR_TRY(ask_may(job, change, err));
    job->changed[job->count] = change->quad;
    job->is_added[job->count] = change->is_added;
    job->subjects[job->count++] = change->quad.s;
    return TR_OK;
}

/* What the quads that go have led to: parts, which may be gone now. */
static tr_status gather_left(const struct tr_graph_landing_job *job,
                             tr_rdf_id *left, size_t *count)
{
    bool leads;
    for (size_t i = 0; i < job->count; i++) {
        if (job->is_added[i])
            continue;
        TR_TRY(tr_graph_part_leads(job->after, job->landing->model,
                                   job->changed[i], &leads, job->err));
        if (leads)
            left[(*count)++] = job->changed[i].o;
    }
    *count = tr_graph_ids_sort(left, *count);
    return TR_OK;
}

/* Whether nothing is said any more of what was left, and it has no row. */
static tr_status is_gone(const struct tr_graph_landing_job *job, tr_rdf_id id,
                         bool *out)
{
    tr_rdf_ids pattern = {id, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    bool is_there;
    int64_t version = 0;
    TR_TRY(tr_rdf_graph_has(job->after, pattern, &is_there, job->err));
    TR_TRY(version_of(job->lander, id, &version, job->err));
    *out = !is_there && version == 0;
    return TR_OK;
}

/* The change of a part is one of its owner. */
static tr_status gather_owners(struct tr_graph_landing_job *job)
{
    struct tr_graph_part_owners owners = {.graph = job->after,
                                          .model = job->landing->model,
                                          .arena = &job->lander->scratch};
    tr_rdf_id *left = TR_NEW_ARRAY(owners.arena, tr_rdf_id, job->count + 1);
    size_t left_count = 0;
    size_t kept = 0;
    if (!owners.model || !owners.model->part_count)
        return TR_OK;
    if (!left)
        return no_memory(job->err);
    TR_TRY(gather_left(job, left, &left_count));
    tr_map_init(&owners.known, owners.arena);
    for (size_t i = 0; i < job->subject_count; i++) {
        tr_rdf_id id = job->subjects[i];
        bool gone = false;
        if (bsearch(&id, left, left_count, sizeof(id), tr_rdf_id_compare))
            TR_TRY(is_gone(job, id, &gone));
        TR_TRY(
            tr_graph_part_owner(&owners, id, &job->subjects[kept], job->err));
        kept += !gone || job->subjects[kept] != id;
    }
    job->subject_count = tr_graph_ids_sort(job->subjects, kept);
    return TR_OK;
}

/* Lists the quads that have changed in the end, and their subjects. */
static tr_status gather(struct tr_graph_landing_job *job)
{
    struct tr_arena *arena = &job->lander->scratch;
    const struct tr_graph_overlay *overlay = job->lander->overlay;
    size_t count = tr_graph_overlay_count_since(overlay);
    job->changed = TR_NEW_ARRAY(arena, tr_rdf_ids, count + 1);
    job->is_added = TR_NEW_ARRAY(arena, bool, count + 1);
    job->subjects = TR_NEW_ARRAY(arena, tr_rdf_id, count + 1);
    if (!job->changed || !job->is_added || !job->subjects)
        return no_memory(job->err);
    TR_TRY(tr_graph_overlay_each_since(overlay, keep_change, job, job->err));
    job->subject_count = tr_graph_ids_sort(job->subjects, job->count);
    return gather_owners(job);
}

/* Most landings have none: the first begins their array. */
bool tr_graph_landing_job_may_complain(struct tr_graph_landing_job *job)
{
    if (job->complaints == 0)
        tr_jw_open(&job->complaint, '[');
    return job->complaints++ < TR_LIMIT_FIELD_ERRORS;
}

static tr_status refuse(struct tr_graph_landing_job *job)
{
    tr_jw_close(&job->complaint, ']');
    TR_TRY(tr_jw_finish(&job->complaint, job->err));
    if (job->raced < job->complaints) /* another try would be refused, too */
        job->landing->race.count = 0;
    if (!tr_arena_copy(job->landing->arena, tr_buf_str(&job->lander->complaint),
                       &job->landing->fields))
        return no_memory(job->err);
    return tr_fail(job->err, TR_E_VALIDATION,
                   "validation failed on %zu field(s)", job->complaints);
}

static tr_status judge(struct tr_graph_landing_job *job)
{
    if (!job->landing->model)
        return TR_OK;
    tr_buf_clear(&job->lander->complaint);
    tr_jw_init(&job->complaint, &job->lander->complaint);
    if (job->landing->face)
        TR_TRY(tr_model_face_graph(job->landing->face, job->after,
                                   &job->lander->scratch, &job->seen,
                                   job->err));
    TR_TRY(tr_graph_landing_job_validate(job));
    TR_TRY(tr_graph_landing_job_check_unique(job));
    return job->complaints > 0 ? refuse(job) : TR_OK;
}

tr_status tr_graph_landing_job_redo(struct tr_graph_landing_job *job)
{
    struct tr_graph_overlay *overlay = job->lander->overlay;
    bool changed;
    for (size_t i = 0; i < job->count; i++)
        TR_TRY(job->is_added[i]
                   ? tr_graph_overlay_add(overlay, job->changed[i], &changed,
                                          job->err)
                   : tr_graph_overlay_remove(overlay, job->changed[i], &changed,
                                             job->err));
    return TR_OK;
}

static tr_status begin(struct tr_graph_lander *lander, struct tr_err *err)
{
    if (lander->broken != TR_OK) {
        *err = lander->why;
        return lander->broken;
    }
    if (!lander->overlay) {
        tr_map_init(&lander->nodes, &lander->arena);
        tr_map_init(&lander->counters, &lander->arena);
        TR_TRY(tr_graph_overlay_create(&lander->arena, &lander->stored.base,
                                       &lander->overlay, err));
    }
    tr_graph_overlay_mark(lander->overlay);
    return TR_OK;
}

/* Changes nothing but the overlay, so that a refusal can be undone. */
static tr_status decide(struct tr_graph_landing_job *job)
{
    struct tr_graph_lander *lander = job->lander;
    TR_TRY(check_expects(job));
    TR_TRY(tr_graph_landing_job_check_counters(job));
    TR_TRY(tr_graph_changeset_play(job->landing->changes, 0,
                                   job->landing->model, lander->overlay,
                                   job->err));
    TR_TRY(gather(job));
    if (tr_graph_landing_job_has_turns(job))
        TR_TRY(tr_graph_landing_job_check_turns(job));
    if (job->count > 0)
        TR_TRY(judge(job));
    return tr_vec_push(&lander->arena, &lander->landings, job->landing)
               ? TR_OK
               : no_memory(job->err);
}

static tr_status land(struct tr_graph_landing_job *job)
{
    struct tr_graph_lander *lander = job->lander;
    TR_TRY(begin(lander, job->err));
    job->after = tr_graph_overlay_view(lander->overlay);
    tr_status status = decide(job);
    if (status != TR_OK) {
        tr_graph_overlay_undo(lander->overlay);
        return status;
    }
    status = tr_graph_landing_job_note_nodes(job);
    if (status == TR_OK)
        status = tr_graph_landing_job_note_counters(job);
    if (status != TR_OK)
        tr_graph_lander_break(lander, status, job->err);
    return status;
}

tr_status tr_graph_land(struct tr_graph_lander *lander,
                        struct tr_graph_landing *landing, struct tr_err *err)
{
    struct tr_err own = {0};
    struct tr_graph_landing_job job = {
        .lander = lander, .landing = landing, .err = err ? err : &own};
    landing->race.count = 0;
    tr_status status = land(&job);
    tr_arena_reset(&lander->scratch);
    return status;
}
