#include "base/limits.h"
#include "graph/land_inside.h"
#include "graph/reader.h"

/* What waits beyond this is written, so that others have room. */
#define FULL_BYTES TR_MIB(64)

tr_status tr_lander_create(struct tr_db *db, struct tr_lander **out,
                           struct tr_err *err)
{
    struct tr_lander *lander = calloc(1, sizeof(*lander));
    if (!lander)
        return tr_fail(err, TR_E_NOMEM, "no memory for the writer");
    lander->db = db;
    tr_arena_init(&lander->arena, FULL_BYTES + TR_LIMIT_CHANGE_BYTES);
    tr_arena_init(&lander->scratch, TR_LIMIT_CHANGE_BYTES);
    tr_buf_init(&lander->complaint, TR_LIMIT_MESSAGE);
    tr_status status = tr_terms_create(db, &lander->terms, err);
    if (status != TR_OK) {
        tr_lander_free(lander);
        return status;
    }
    tr_stored_graph_init(&lander->stored, db, lander->terms);
    *out = lander;
    return TR_OK;
}

void tr_lander_free(struct tr_lander *lander)
{
    if (!lander)
        return;
    tr_terms_free(lander->terms);
    tr_arena_done(&lander->arena);
    tr_arena_done(&lander->scratch);
    tr_buf_done(&lander->complaint);
    free(lander);
}

void tr_lander_drop(struct tr_lander *lander)
{
    lander->overlay = NULL;
    lander->landings.items = NULL;
    lander->landings.count = lander->landings.cap = 0;
    lander->broken = TR_OK;
    tr_arena_reset(&lander->arena);
}

/* Another process may have added terms: the next number is theirs to say. */
tr_status tr_lander_begin(struct tr_lander *lander, bool *is_other,
                          struct tr_err *err)
{
    int64_t epoch = 0;
    TR_TRY(tr_epoch_read(lander->db, &epoch, err));
    *is_other = epoch != lander->epoch;
    if (*is_other)
        tr_terms_forget(lander->terms);
    lander->epoch = epoch;
    tr_terms_renew(lander->terms);
    tr_terms_trim(lander->terms);
    return TR_OK;
}

void tr_lander_forget(struct tr_lander *lander)
{
    tr_terms_forget(lander->terms);
    tr_lander_drop(lander);
}

void tr_lander_break(struct tr_lander *lander, tr_status status,
                     const struct tr_err *err)
{
    lander->broken = status;
    lander->why = *err;
}

bool tr_lander_is_full(const struct tr_lander *lander)
{
    return lander->arena.held > FULL_BYTES;
}

static tr_status version_of(struct tr_lander *lander, tr_rdf_id subject,
                            int64_t *out, struct tr_err *err)
{
    const struct tr_pending *pending = tr_pending_find(lander, subject);
    struct tr_stmt *stmt;
    bool row;
    *out = pending ? pending->version : 0;
    if (pending || tr_id_is_new(subject))
        return TR_OK;
    TR_TRY(tr_db_prepare(lander->db, "SELECT version FROM node WHERE s = ?1",
                         &stmt, err));
    tr_bind_i64(stmt, 1, (int64_t)subject);
    TR_TRY(tr_stmt_step(stmt, &row, err));
    *out = row ? tr_column_i64(stmt, 0) : 0;
    tr_stmt_reset(stmt);
    return TR_OK;
}

static tr_status is_present(const struct tr_rdf_graph *graph, tr_rdf_id subject,
                            int64_t version, bool *out, struct tr_err *err)
{
    tr_rdf_ids pattern = {subject, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    *out = version > 0;
    return *out ? TR_OK : tr_rdf_graph_has(graph, pattern, out, err);
}

static tr_status check_expect(struct tr_lander *lander,
                              const struct tr_expect *expect,
                              struct tr_err *err)
{
    const struct tr_rdf_graph *graph = tr_overlay_view(lander->overlay);
    tr_rdf_id subject = TR_RDF_ID_NONE;
    int64_t version = 0;
    bool present = false;
    TR_TRY(tr_rdf_graph_find_iri(graph, expect->iri, &subject, err));
    if (subject != TR_RDF_ID_NONE) {
        TR_TRY(version_of(lander, subject, &version, err));
        TR_TRY(is_present(graph, subject, version, &present, err));
    }
    if (expect->kind == TR_EXPECT_ABSENT) {
        if (!present)
            return TR_OK;
        (void)tr_fail(err, TR_E_CONFLICT, "there is a <%.*s> already",
                      TR_FMT(expect->iri));
    } else if (!present) {
        (void)tr_fail(err, TR_E_NOT_FOUND, "there is no <%.*s>",
                      TR_FMT(expect->iri));
    } else if (expect->kind == TR_EXPECT_VERSION &&
               version != expect->version) {
        (void)tr_fail(err, TR_E_CONFLICT, "<%.*s> is at version %lld, not %lld",
                      TR_FMT(expect->iri), (long long)version,
                      (long long)expect->version);
    } else {
        return TR_OK;
    }
    tr_err_set_at(err, "%.*s", TR_FMT(expect->iri));
    return err ? err->code : TR_E_CONFLICT;
}

static tr_status check_expects(struct tr_flight *step)
{
    const struct tr_changeset *set = step->landing->changes;
    for (size_t i = 0; i < set->expects.count; i++)
        TR_TRY(check_expect(step->lander, &set->expects.items[i], step->err));
    return TR_OK;
}

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for changes");
}

static tr_status keep_change(void *context, const tr_change *change,
                             struct tr_err *err)
{
    struct tr_flight *step = context;
    (void)err;
    step->changed[step->count] = change->quad;
    step->is_added[step->count] = change->is_added;
    step->subjects[step->count++] = change->quad.s;
    return TR_OK;
}

/* What has changed in the end, and whose it is. */
static tr_status gather(struct tr_flight *step)
{
    struct tr_arena *arena = &step->lander->scratch;
    const struct tr_overlay *overlay = step->lander->overlay;
    size_t count = tr_overlay_count_since(overlay);
    step->changed = TR_NEW_ARRAY(arena, tr_rdf_ids, count + 1);
    step->is_added = TR_NEW_ARRAY(arena, bool, count + 1);
    step->subjects = TR_NEW_ARRAY(arena, tr_rdf_id, count + 1);
    if (!step->changed || !step->is_added || !step->subjects)
        return no_memory(step->err);
    TR_TRY(tr_overlay_each_since(overlay, keep_change, step, step->err));
    qsort(step->subjects, step->count, sizeof(tr_rdf_id), tr_rdf_id_compare);
    size_t kept = 0;
    for (size_t i = 0; i < step->count; i++)
        if (i == 0 || step->subjects[i] != step->subjects[kept - 1])
            step->subjects[kept++] = step->subjects[i];
    step->subject_count = kept;
    return TR_OK;
}

static tr_status refuse(struct tr_flight *step)
{
    tr_jw_close(&step->complaint, ']');
    TR_TRY(tr_jw_finish(&step->complaint, step->err));
    if (!tr_arena_copy(step->landing->arena,
                       tr_buf_str(&step->lander->complaint),
                       &step->landing->fields))
        return no_memory(step->err);
    return tr_fail(step->err, TR_E_VALIDATION,
                   "validation failed on %zu field(s)", step->complaints);
}

static tr_status judge(struct tr_flight *step)
{
    if (!step->landing->model)
        return TR_OK;
    tr_buf_clear(&step->lander->complaint);
    tr_jw_init(&step->complaint, &step->lander->complaint);
    tr_jw_open(&step->complaint, '[');
    TR_TRY(tr_flight_validate(step));
    TR_TRY(tr_flight_check_unique(step));
    return step->complaints > 0 ? refuse(step) : TR_OK;
}

tr_status tr_flight_redo(struct tr_flight *step)
{
    struct tr_overlay *overlay = step->lander->overlay;
    bool changed;
    for (size_t i = 0; i < step->count; i++)
        TR_TRY(step->is_added[i] ? tr_overlay_add(overlay, step->changed[i],
                                                  &changed, step->err)
                                 : tr_overlay_remove(overlay, step->changed[i],
                                                     &changed, step->err));
    return TR_OK;
}

static tr_status begin(struct tr_lander *lander, struct tr_err *err)
{
    if (lander->broken != TR_OK) {
        *err = lander->why;
        return lander->broken;
    }
    if (!lander->overlay) {
        tr_map_init(&lander->nodes, &lander->arena);
        TR_TRY(tr_overlay_create(&lander->arena, &lander->stored.base,
                                 &lander->overlay, err));
    }
    tr_overlay_mark(lander->overlay);
    return TR_OK;
}

/* Up to here nothing is changed but the overlay, which can be undone. */
static tr_status decide(struct tr_flight *step)
{
    struct tr_lander *lander = step->lander;
    TR_TRY(check_expects(step));
    TR_TRY(tr_changeset_play(step->landing->changes, 0, lander->overlay,
                             step->err));
    TR_TRY(gather(step));
    if (step->count > 0)
        TR_TRY(judge(step));
    return tr_vec_push(&lander->arena, &lander->landings, step->landing)
               ? TR_OK
               : no_memory(step->err);
}

static tr_status land(struct tr_flight *step)
{
    struct tr_lander *lander = step->lander;
    TR_TRY(begin(lander, step->err));
    step->after = tr_overlay_view(lander->overlay);
    tr_status status = decide(step);
    if (status != TR_OK) {
        tr_overlay_undo(lander->overlay);
        return status;
    }
    status = tr_flight_note_nodes(step);
    if (status != TR_OK)
        tr_lander_break(lander, status, step->err);
    return status;
}

tr_status tr_land(struct tr_lander *lander, struct tr_landing *landing,
                  struct tr_err *err)
{
    struct tr_err own = {0};
    struct tr_flight step = {
        .lander = lander, .landing = landing, .err = err ? err : &own};
    tr_status status = land(&step);
    tr_arena_reset(&lander->scratch);
    return status;
}
