#include "base/text.h"
#include "crypto/encoding.h"
#include "prov/agent.h"
#include "prov/rows.h"
#include "prov/view.h"
#include "rdf/iri.h"

#define PROV   "http://www.w3.org/ns/prov#"
#define TRAILS TR_PROV_VOCABULARY
#define SUB    "http://www.w3.org/2000/01/rdf-schema#subClassOf"

/* Room for an IRI; names are bounded so that none is longer. */
#define IRI_MAX (TR_KIB(8))

/* One activity on its way to the sink, and the IRIs of its parts. */
struct writing {
    const struct tr_rdf_sink *sink;
    const struct tr_prov_resolver *resolver;
    tr_rdf_term graph;
    tr_str activity;
    tr_str agent;
    tr_str plan;
    char activity_text[TR_PROV_ACTIVITY_IRI];
    char agent_text[TR_PROV_AGENT_BYTES];
    char plan_text[IRI_MAX];
};

static tr_status put(struct writing *w, tr_str subject, const char *predicate,
                     tr_rdf_term object, struct tr_err *err)
{
    const tr_rdf_quad quad = {
        .subject = tr_rdf_term_iri(subject),
        .predicate = tr_rdf_term_iri(tr_str_from(predicate)),
        .object = object,
        .graph = w->graph,
    };
    return w->sink->quad(w->sink->context, &quad, err);
}

static tr_status put_type(struct writing *w, tr_str subject, const char *type,
                          struct tr_err *err)
{
    return put(w, subject, TR_RDF_IRI_RDF_TYPE,
               tr_rdf_term_iri(tr_str_from(type)), err);
}

static tr_status put_time(struct writing *w, tr_str subject,
                          const char *predicate, int64_t us, struct tr_err *err)
{
    char text[64];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, sizeof(text));
    tr_prov_activity_write_time(&buf, us);
    return put(
        w, subject, predicate,
        tr_rdf_term_typed(tr_buf_str(&buf), TR_STR(TR_RDF_IRI_XSD_DATE_TIME)),
        err);
}

/* The prov:Plan is what ran: its kind, name and version. */
static tr_str plan_iri(const struct tr_prov_activity *a, char text[IRI_MAX])
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, IRI_MAX);
    tr_buf_putf(&buf, TR_PROV_ACTIVITY_NAMESPACE "plan/%s/",
                tr_prov_activity_kind_name(a->kind));
    tr_percent_put(&buf, a->name, "");
    if (a->version.len) {
        tr_buf_putc(&buf, '/');
        tr_percent_put(&buf, a->version, "");
    }
    return tr_buf_str(&buf);
}

/* A part of an activity: its IRI with a fragment. */
struct part {
    char text[TR_PROV_ACTIVITY_IRI + 16];
    tr_str iri;
};

static void part_init(struct part *part, const struct writing *w,
                      const char *name)
{
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, part->text, sizeof(part->text));
    tr_buf_put(&buf, w->activity);
    tr_buf_put(&buf, tr_str_from(name));
    part->iri = tr_buf_str(&buf);
}

static tr_status put_association(struct writing *w, struct tr_err *err)
{
    struct part part;
    part_init(&part, w, "#association");
    TR_TRY(put(w, w->activity, PROV "wasAssociatedWith",
               tr_rdf_term_iri(w->agent), err));
    TR_TRY(put_type(w, w->agent, PROV "Agent", err));
    TR_TRY(put(w, w->activity, PROV "qualifiedAssociation",
               tr_rdf_term_iri(part.iri), err));
    TR_TRY(put_type(w, part.iri, PROV "Association", err));
    TR_TRY(put(w, part.iri, PROV "agent", tr_rdf_term_iri(w->agent), err));
    TR_TRY(put(w, part.iri, PROV "hadPlan", tr_rdf_term_iri(w->plan), err));
    return put_type(w, w->plan, PROV "Plan", err);
}

/* PROV-O has no word for an outcome: it becomes the prov:hadRole of the
 * prov:End. */
static tr_status put_end(struct writing *w, const struct tr_prov_activity *a,
                         struct tr_err *err)
{
    struct part part;
    char text[64];
    struct tr_buf role;
    part_init(&part, w, "#end");
    tr_buf_init_fixed(&role, text, sizeof(text));
    tr_buf_putf(&role, TR_PROV_ACTIVITY_NAMESPACE "outcome/%s",
                tr_prov_activity_end_name(a->ended));
    TR_TRY(put(w, w->activity, PROV "qualifiedEnd", tr_rdf_term_iri(part.iri),
               err));
    TR_TRY(put_type(w, part.iri, PROV "End", err));
    TR_TRY(put_time(w, part.iri, PROV "atTime", tr_prov_activity_ended_us(a),
                    err));
    TR_TRY(put(w, part.iri, PROV "hadRole", tr_rdf_term_iri(tr_buf_str(&role)),
               err));
    return put_type(w, tr_buf_str(&role), PROV "Role", err);
}

static tr_status put_ids(struct writing *w, const char *predicate,
                         const struct tr_prov_activity_ids *ids,
                         struct tr_err *err)
{
    for (size_t i = 0; i < ids->count; i++) {
        tr_str iri = {NULL, 0};
        TR_TRY(
            w->resolver->resolve(w->resolver->data, ids->items[i], &iri, err));
        if (!iri.len)
            continue;
        TR_TRY(put(w, w->activity, predicate, tr_rdf_term_iri(iri), err));
        TR_TRY(put_type(w, iri, PROV "Entity", err));
    }
    return TR_OK;
}

/* An argument or a result, of which the store has the digest alone. */
struct digest {
    bool is_there;
    const unsigned char *bytes;
    const char *part;
    const char *predicate;
};

static tr_status put_digest(struct writing *w, const struct digest *digest,
                            struct tr_err *err)
{
    char text[2 * TR_PROV_DIGEST_BYTES];
    struct part part;
    if (!digest->is_there)
        return TR_OK;
    part_init(&part, w, digest->part);
    tr_crypto_hex_write(
        (tr_str){(const char *)digest->bytes, TR_PROV_DIGEST_BYTES}, text);
    TR_TRY(
        put(w, w->activity, digest->predicate, tr_rdf_term_iri(part.iri), err));
    TR_TRY(put_type(w, part.iri, PROV "Entity", err));
    return put(w, part.iri, PROV "value",
               tr_rdf_term_string((tr_str){text, sizeof(text)}), err);
}

static tr_status put_entities(struct writing *w,
                              const struct tr_prov_activity *a,
                              struct tr_err *err)
{
    const struct digest args = {a->has_args_digest, a->args_digest,
                                "#arguments", PROV "used"};
    const struct digest result = {a->has_result_digest, a->result_digest,
                                  "#result", PROV "generated"};
    TR_TRY(put_digest(w, &args, err));
    TR_TRY(put_digest(w, &result, err));
    TR_TRY(put_ids(w, PROV "used", &a->used, err));
    TR_TRY(put_ids(w, PROV "generated", &a->generated, err));
    return put_ids(w, PROV "invalidated", &a->invalidated, err);
}

static tr_status put_text(struct writing *w, tr_str subject,
                          const char *predicate, tr_str text,
                          struct tr_err *err)
{
    return put(w, subject, predicate, tr_rdf_term_string(text), err);
}

static tr_status put_file(struct writing *w, const struct tr_prov_activity *a,
                          size_t i, struct tr_err *err)
{
    const struct tr_prov_activity_file *file = &a->files.items[i];
    char room[TR_PROV_FILE_IRI];
    char digest[2 * TR_CRYPTO_SHA256_BYTES];
    tr_str iri = tr_prov_file_iri(a, i, room);
    tr_crypto_hex_write(
        (tr_str){(const char *)file->sha256, TR_CRYPTO_SHA256_BYTES}, digest);
    TR_TRY(put(w, w->activity, PROV "generated", tr_rdf_term_iri(iri), err));
    TR_TRY(put_type(w, iri, PROV "Entity", err));
    TR_TRY(put_text(w, iri, TRAILS "path", file->path, err));
    return put_text(w, iri, TRAILS "sha256", (tr_str){digest, sizeof(digest)},
                    err);
}

/* A meta-capability: which one, what it needs, and what files it has made. */
static tr_status put_meta(struct writing *w, const struct tr_prov_activity *a,
                          struct tr_err *err)
{
    static const char class[] = TRAILS "MetaActivity";
    if (!a->scope)
        return TR_OK;
    TR_TRY(put_type(w, w->activity, class, err));
    TR_TRY(put(w, TR_STR(TRAILS "MetaActivity"), SUB,
               tr_rdf_term_iri(TR_STR(PROV "Activity")), err));
    TR_TRY(put_text(w, w->activity, TRAILS "scope",
                    tr_str_from(tr_scope_name(a->scope)), err));
    TR_TRY(put_text(w, w->activity, TRAILS "op", a->name, err));
    for (size_t i = 0; i < a->files.count; i++)
        TR_TRY(put_file(w, a, i, err));
    return TR_OK;
}

static tr_status put_parent(struct writing *w, const struct tr_prov_activity *a,
                            struct tr_err *err)
{
    char parent[TR_PROV_ACTIVITY_IRI];
    if (!tr_prov_activity_has_parent(a))
        return TR_OK;
    tr_prov_activity_iri(a->parent, parent);
    return put(w, w->activity, PROV "wasInformedBy",
               tr_rdf_term_iri((tr_str){parent, sizeof(parent)}), err);
}

static tr_status put_activity(void *context, const struct tr_prov_activity *a,
                              struct tr_err *err)
{
    struct writing *w = context;
    tr_prov_activity_iri(a->id, w->activity_text);
    w->activity = (tr_str){w->activity_text, TR_PROV_ACTIVITY_IRI};
    w->agent = tr_prov_agent_iri(a->principal, w->agent_text);
    w->plan = plan_iri(a, w->plan_text);
    TR_TRY(put_type(w, w->activity, PROV "Activity", err));
    TR_TRY(put_time(w, w->activity, PROV "startedAtTime", a->started_us, err));
    TR_TRY(put_time(w, w->activity, PROV "endedAtTime",
                    tr_prov_activity_ended_us(a), err));
    TR_TRY(put_association(w, err));
    TR_TRY(put_end(w, a, err));
    TR_TRY(put_parent(w, a, err));
    TR_TRY(put_meta(w, a, err));
    return put_entities(w, a, err);
}

typedef tr_status visit_fn(void *context,
                           const struct tr_prov_activity *activity,
                           struct tr_err *err);

static tr_status each(struct tr_db *db, visit_fn *visit, void *context,
                      struct tr_err *err)
{
    struct tr_prov_rows rows;
    bool has = true;
    TR_TRY(tr_prov_rows_all(&rows, db, err));
    tr_status status = TR_OK;
    while (status == TR_OK && has) {
        struct tr_prov_activity activity;
        status = tr_prov_rows_next(&rows, &has, err);
        if (status == TR_OK && has)
            status = tr_prov_rows_get(&rows, &activity, err);
        if (status == TR_OK && has)
            status = visit(context, &activity, err);
    }
    tr_prov_rows_close(&rows);
    return status;
}

tr_status tr_prov_quads(struct tr_db *db, tr_str graph,
                        const struct tr_prov_resolver *resolver,
                        const struct tr_rdf_sink *sink, struct tr_err *err)
{
    struct writing w = {.sink = sink, .resolver = resolver};
    if (graph.len)
        w.graph = tr_rdf_term_iri(graph);
    return each(db, put_activity, &w, err);
}

struct id_visit {
    tr_prov_id_fn *fn;
    void *data;
};

static tr_status visit_ids(void *context,
                           const struct tr_prov_activity *activity,
                           struct tr_err *err)
{
    const struct id_visit *visit = context;
    const struct tr_prov_activity_ids *const lists[] = {
        &activity->used, &activity->generated, &activity->invalidated};
    for (size_t i = 0; i < TR_LEN(lists); i++) {
        for (size_t j = 0; j < lists[i]->count; j++)
            TR_TRY(visit->fn(visit->data, lists[i]->items[j], err));
    }
    return TR_OK;
}

tr_status tr_prov_each_id(struct tr_db *db, tr_prov_id_fn *visit, void *data,
                          struct tr_err *err)
{
    struct id_visit context = {visit, data};
    return each(db, visit_ids, &context, err);
}

#define PROV_START "trails://"
#define PROV_END   "/prov"

static tr_str project_or_local(tr_str project)
{
    return project.len ? project : TR_STR("local");
}

void tr_prov_graph_put(struct tr_buf *out, tr_str project)
{
    tr_buf_putf(out, PROV_START "%.*s" PROV_END,
                TR_FMT(project_or_local(project)));
}

bool tr_prov_graph_is(tr_str iri, tr_str project)
{
    const size_t start = sizeof(PROV_START) - 1;
    project = project_or_local(project);
    return tr_str_starts(iri, TR_STR(PROV_START)) &&
           tr_str_starts(tr_str_skip(iri, start), project) &&
           tr_str_eq(tr_str_skip(iri, start + project.len), TR_STR(PROV_END));
}
