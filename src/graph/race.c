#include "graph/race.h"

#include "base/hash.h"
#include "fields/field.h"
#include "graph/kg.h"
#include "graph/land_inside.h"
#include "graph/store.h"

void tr_graph_race_add(struct tr_graph_race *race, uint64_t key,
                       int64_t version)
{
    for (size_t i = 0; i < race->count; i++)
        if (race->rivals[i].key == key && race->rivals[i].version == version)
            return;
    if (race->count < TR_LEN(race->rivals))
        race->rivals[race->count++] = (struct tr_graph_rival){key, version};
}

/* Keys. The first number keeps kinds apart; nothing is secret, since processes
 * must agree, and who finds two alike makes them wait for each other. */
enum { NODE = 1, NAMES, UNIQUE, COUNTER };

static uint64_t key_node(tr_str iri)
{
    return tr_hash_bytes(iri, NODE);
}

/* Up to the last slash or hash: who finds a name taken will try another. */
static uint64_t key_names(tr_str iri)
{
    while (iri.len && iri.ptr[iri.len - 1] != '/' &&
           iri.ptr[iri.len - 1] != '#')
        iri.len--;
    return tr_hash_bytes(iri, NAMES);
}

uint64_t tr_graph_key_expect(const struct tr_graph_expect *expect)
{
    return expect->kind == TR_GRAPH_EXPECT_ABSENT ? key_names(expect->iri)
                                                  : key_node(expect->iri);
}

uint64_t tr_graph_key_unique(tr_str class_iri,
                             const struct tr_shape_unique *unique)
{
    uint64_t key = tr_hash_bytes(class_iri, UNIQUE);
    for (size_t i = 0; i < unique->count; i++)
        key = tr_hash_bytes(unique->names[i], key);
    return key;
}

uint64_t tr_graph_key_counter(tr_str name)
{
    return tr_hash_bytes(name, COUNTER);
}

/* Since when. --------------------------------------------------------------*/

tr_status tr_graph_changed_since(struct tr_db *db, int64_t since,
                                 tr_rdf_id node, bool *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db,
                         "SELECT EXISTS (SELECT 1 FROM change WHERE seq > ?1"
                         " AND (subject = ?2 OR kind = ?3)) OR"
                         " (SELECT min(seq) FROM change WHERE seq > ?1) >"
                         " ?1 + 1",
                         &stmt, err));
    tr_db_bind_i64(stmt, 1, since);
    tr_db_bind_i64(stmt, 2, (int64_t)node);
    tr_db_bind_i64(stmt, 3, TR_GRAPH_FEED_MANY);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row && tr_db_column_i64(stmt, 0) != 0;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_graph_kg_watch(struct tr_graph_kg *kg, struct tr_err *err)
{
    TR_TRY(tr_graph_reader_begin(kg->reader, err));
    tr_status status = tr_graph_feed_last(kg->reader->db, &kg->since, err);
    tr_graph_reader_end(kg->reader);
    kg->is_watched = status == TR_OK;
    return status;
}

static tr_status ask_reader(struct tr_graph_kg *kg, tr_rdf_id node, bool *out)
{
    TR_TRY(tr_graph_reader_begin(kg->reader, NULL));
    tr_status status =
        tr_graph_changed_since(kg->reader->db, kg->since, node, out, NULL);
    tr_graph_reader_end(kg->reader);
    return status;
}

void tr_graph_kg_note_race(struct tr_graph_kg *kg, tr_rdf_id node,
                           const struct tr_graph_expect *broken,
                           const struct tr_err *why)
{
    bool changed = false;
    kg->race.count = 0;
    if (!kg->is_watched || !why || node == TR_RDF_ID_NONE ||
        ask_reader(kg, node, &changed) != TR_OK || !changed)
        return;
    tr_graph_race_add(&kg->race, tr_graph_key_expect(broken), broken->version);
    kg->raced = *why;
}

/* Turns. -------------------------------------------------------------------*/

bool tr_graph_landing_job_has_turns(const struct tr_graph_landing_job *job)
{
    const struct tr_graph_landing *landing = job->landing;
    return landing->is_taken && landing->is_taken(landing->turns, NULL);
}

tr_status tr_graph_landing_job_ask_turn(const struct tr_graph_landing_job *job,
                                        uint64_t key)
{
    struct tr_graph_landing *landing = job->landing;
    if (!landing->is_taken(landing->turns, &key))
        return TR_OK;
    tr_graph_race_add(&landing->race, key, 0);
    return tr_fail(job->err, TR_E_CONFLICT, "others wait to change this");
}

tr_status tr_graph_landing_job_check_turns(struct tr_graph_landing_job *job)
{
    const struct tr_graph_changeset *set = job->landing->changes;
    tr_rdf_term subject;
    for (size_t i = 0; i < set->expects.count; i++)
        TR_TRY(tr_graph_landing_job_ask_turn(
            job, tr_graph_key_expect(&set->expects.items[i])));
    for (size_t i = 0; i < set->raises.count; i++)
        TR_TRY(tr_graph_landing_job_ask_turn(
            job, tr_graph_key_counter(set->raises.items[i].name)));
    for (size_t i = 0; i < job->subject_count; i++) {
        TR_TRY(
            tr_rdf_graph_get(job->after, job->subjects[i], &subject, job->err));
        TR_TRY(tr_graph_landing_job_ask_turn(job, key_node(subject.text)));
    }
    return TR_OK;
}
