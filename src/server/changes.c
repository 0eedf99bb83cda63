#include "server/changes.h"

#include "base/limits.h"
#include "base/log.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "graph/store.h"
#include "loop/loop.h"
#include "mcp/hub.h"
#include "model/uri.h"

/* How often the generation is read, for changes that other processes make. */
#define POLL_MS 100

/* One reading of the feed. */
struct news {
    struct tr_server_changes *changes;
    const struct tr_cap_snapshot *snapshot;
    const struct tr_model *model;
    struct tr_buf uri;
    bool has_stats; /* what everybody may know of has changed, */
    unsigned types; /* and types that these sets of scopes show, a bit each */
};

static void notify(struct news *news)
{
    if (tr_buf_check(&news->uri, NULL) == TR_OK)
        tr_mcp_hub_updated(news->changes->hub, tr_buf_str(&news->uri));
}

/* A node may have the class of a private type beside the one it is shown as.
 * What cannot be found out is not told. */
static bool is_private(const struct news *news,
                       const struct tr_rdf_graph *graph, tr_rdf_id subject)
{
    const struct tr_model_face *face =
        tr_model_face_for(news->model, TR_SCOPE_ALL);
    tr_rdf_ids pattern = {.s = subject, .g = TR_RDF_ID_ANY};
    bool found = false;
    for (size_t i = 0; face && i < face->private_count && !found; i++) {
        tr_str class = face->private_types[i]->shape->iri;
        if (tr_rdf_graph_find_iri(graph, TR_STR(TR_RDF_IRI_RDF_TYPE),
                                  &pattern.p, NULL) != TR_OK ||
            tr_rdf_graph_find_iri(graph, class, &pattern.o, NULL) != TR_OK ||
            tr_rdf_graph_has(graph, pattern, &found, NULL) != TR_OK)
            return true;
    }
    return found;
}

/* Notes who may hear that trails://kg/types has changed. */
static void note_type(struct news *news, const struct tr_model_type *type)
{
    const struct tr_cap_guard *guard =
        tr_cap_snapshot_shape_guard(news->snapshot, type->shape->iri);
    for (unsigned scopes = 0; scopes <= TR_SCOPE_ALL; scopes++) {
        if (tr_cap_guard_is_shown(guard, scopes))
            news->types |= 1u << scopes;
    }
}

/* Counts are told once, however many rows have changed them. */
static void notify_counts(struct news *news)
{
    for (unsigned scopes = 0; scopes <= TR_SCOPE_ALL; scopes++) {
        tr_buf_clear(&news->uri);
        tr_mcp_hub_topic(&news->uri, TR_STR(TR_MODEL_URI_TYPES),
                         TR_CAP_TOLD_SCOPED, scopes, TR_STR(""));
        if (news->types & 1u << scopes)
            notify(news);
    }
    tr_buf_clear(&news->uri);
    tr_buf_put(&news->uri, TR_STR(TR_MODEL_URI_STATS));
    if (news->has_stats)
        notify(news);
}

/* An instance is told under every URI it can be read by. */
static void notify_type(struct news *news, const struct tr_model_type *type,
                        tr_str subject)
{
    note_type(news, type);
    tr_buf_clear(&news->uri);
    tr_model_kg_uri_write(&news->uri, type, TR_STR(""), news->model);
    notify(news);
    if (!subject.len)
        return;
    tr_buf_clear(&news->uri);
    tr_model_kg_uri_write(&news->uri, type, subject, news->model);
    notify(news);
    tr_buf_clear(&news->uri);
    if (tr_model_kg_uri_write_end(&news->uri, type, subject, news->model))
        notify(news);
}

static tr_status notify_row(void *context, const struct tr_graph_feed_row *row,
                            struct tr_err *err)
{
    struct news *news = context;
    const struct tr_rdf_graph *graph = &news->changes->reader->stored.base;
    tr_rdf_term subject = {0};
    tr_rdf_term class = {0};
    (void)atomic_fetch_add(news->changes->count, 1);
    if (row->subject != TR_RDF_ID_NONE && is_private(news, graph, row->subject))
        return TR_OK;
    /* Terms of old rows may have been compacted away: then the node is gone,
     * and nobody can be subscribed to it. */
    bool has_type = row->type != TR_RDF_ID_NONE &&
                    tr_rdf_graph_get(graph, row->type, &class, err) == TR_OK;
    const struct tr_model_type *type =
        has_type ? tr_model_find_iri(news->model, class.text) : NULL;
    if (type && type->is_private)
        return TR_OK;
    news->has_stats = true;
    if (row->subject == TR_RDF_ID_NONE ||
        tr_rdf_graph_get(graph, row->subject, &subject, err) != TR_OK)
        subject.text = TR_STR("");
    for (; type; type = type->parent)
        notify_type(news, type, subject.text);
    return TR_OK;
}

static tr_status read_news(struct tr_server_changes *changes, struct news *news,
                           struct tr_err *err)
{
    bool has_gap = false;
    TR_TRY(tr_graph_reader_begin(changes->reader, err));
    tr_status status = tr_graph_feed_read(changes->reader->db, &changes->seen,
                                          &has_gap, notify_row, news, err);
    tr_graph_reader_end(changes->reader);
    news->has_stats = news->has_stats || has_gap;
    for (size_t i = 0; has_gap && i < news->model->count; i++) {
        if (!news->model->types[i]->is_private)
            notify_type(news, news->model->types[i], TR_STR(""));
    }
    notify_counts(news);
    return status;
}

static void read_changes(void *data)
{
    struct tr_server_changes *changes = data;
    struct news news = {.changes = changes};
    struct tr_err err = {0};
    uint64_t generation = tr_graph_store_generation(changes->store);
    if (generation == changes->generation)
        return;
    const struct tr_cap_snapshot *snapshot =
        tr_cap_registry_pin(changes->registry);
    news.snapshot = snapshot;
    news.model = tr_cap_snapshot_model(snapshot);
    tr_buf_init(&news.uri, TR_LIMIT_URI_BYTES);
    tr_status status = read_news(changes, &news, &err);
    if (status == TR_OK)
        changes->generation = generation;
    else if (status == TR_E_UNAVAILABLE)
        changes->lost(changes->lost_data, &err);
    else
        tr_log(TR_LOG_WARN, "the change feed cannot be read",
               TR_LOG_TEXT("error", tr_str_from(err.msg)));
    tr_buf_done(&news.uri);
    tr_cap_snapshot_unpin(snapshot);
}

static void on_parcel(void *data)
{
    struct tr_server_changes *changes = data;
    (void)pthread_mutex_lock(&changes->lock);
    changes->is_woken = false;
    (void)pthread_mutex_unlock(&changes->lock);
    if (changes->reader)
        read_changes(changes);
}

void tr_server_changes_init(struct tr_server_changes *changes)
{
    (void)pthread_mutex_init(&changes->lock, NULL);
    changes->parcel.fn = on_parcel;
    changes->parcel.data = changes;
}

static void set_open(struct tr_server_changes *changes, bool is_open)
{
    (void)pthread_mutex_lock(&changes->lock);
    changes->is_open = is_open;
    (void)pthread_mutex_unlock(&changes->lock);
}

tr_status tr_server_changes_start(struct tr_server_changes *changes,
                                  struct tr_err *err)
{
    tr_loop_timer_init(&changes->timer, changes->loop, read_changes, changes);
    changes->generation = tr_graph_store_generation(changes->store);
    TR_TRY(tr_graph_reader_begin(changes->reader, err));
    tr_status status =
        tr_graph_feed_last(changes->reader->db, &changes->seen, err);
    tr_graph_reader_end(changes->reader);
    TR_TRY(status);
    tr_loop_timer_start(&changes->timer, POLL_MS, POLL_MS);
    set_open(changes, true);
    return TR_OK;
}

/* One parcel is enough for many commits: it reads all that is new. */
void tr_server_changes_wake(void *data)
{
    struct tr_server_changes *changes = data;
    (void)pthread_mutex_lock(&changes->lock);
    if (changes->is_open && !changes->is_woken) {
        changes->is_woken = true;
        tr_loop_deliver(changes->loop, &changes->parcel);
    }
    (void)pthread_mutex_unlock(&changes->lock);
}

void tr_server_changes_stop(struct tr_server_changes *changes)
{
    if (!changes->reader)
        return;
    set_open(changes, false);
    tr_loop_timer_stop(&changes->timer);
}

void tr_server_changes_close(struct tr_server_changes *changes)
{
    changes->reader = NULL;
    (void)pthread_mutex_destroy(&changes->lock);
}
