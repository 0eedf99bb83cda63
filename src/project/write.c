#include "base/hash.h"
#include "base/limits.h"
#include "project/inside.h"

/* A view: who writes it, and what fills its gaps; NULL: it has none. */
static const struct view {
    const char *media_type;
    void (*write)(struct tr_project_writing *v);
    void (*fill)(struct tr_buf *out,
                 const struct tr_project_measured *measured);
    bool has_ones;    /* of single capabilities */
    bool is_manifest; /* it goes with [capability.manifest] */
    bool has_metas;   /* beside the app's own capabilities */
} views[] = {
    [TR_PROJECT_JSON_LD] = {"application/ld+json", tr_project_write_json_ld,
                            tr_project_fill_json, true, true, false},
    [TR_PROJECT_PLAIN] = {"application/json", tr_project_write_plain,
                          tr_project_fill_json, true, true, false},
    [TR_PROJECT_MARKDOWN] = {"text/markdown", tr_project_write_markdown,
                             tr_project_fill_markdown, true, true, false},
    [TR_PROJECT_OPENAPI] = {"application/json", tr_project_write_openapi, NULL,
                            true, false, false},
    [TR_PROJECT_HOST] = {"application/td+json", tr_project_write_host, NULL,
                         false, true, false},
    [TR_PROJECT_CARD] = {"application/td+json", tr_project_write_card, NULL,
                         true, true, false},
    [TR_PROJECT_CARD_LD] = {"application/ld+json", tr_project_write_card_ld,
                            NULL, true, true, false},
    [TR_PROJECT_CONTEXT] = {"application/ld+json", tr_project_write_context,
                            NULL, false, true, false},
    [TR_PROJECT_TOOLS] = {"application/json", tr_project_write_tools, NULL,
                          true, false, true},
};

tr_str tr_project_media_type(enum tr_project_view view)
{
    return tr_str_from(views[view].media_type);
}

bool tr_project_is_served(enum tr_project_view view,
                          const struct tr_project_site *site)
{
    return site->has_http && view != TR_PROJECT_TOOLS &&
           (site->has_manifest || !views[view].is_manifest);
}

tr_str tr_project_title(const struct tr_project_site *site)
{
    return site->title.len ? site->title : site->name;
}

void tr_project_put_url(struct tr_project_writing *v, const char *key,
                        tr_str path, tr_str end)
{
    char text[TR_LIMIT_URI_BYTES];
    struct tr_buf url;
    tr_buf_init_fixed(&url, text, sizeof(text));
    tr_buf_put(&url, v->site->base);
    tr_buf_put(&url, path);
    tr_buf_put(&url, end);
    if (url.failed)
        tr_jw_refuse(&v->w, TR_E_LIMIT, "a URL of the server is too long");
    tr_jw_put_string(&v->w, key, tr_buf_str(&url));
}

bool tr_project_needs_bearer(const struct tr_project_writing *v,
                             const struct tr_cap *cap)
{
    return v->site->auth.takes_bearer &&
           (v->site->auth.needs_bearer ||
            (cap->guard.needed & ~(unsigned)TR_SCOPE_RUNTIME));
}

const struct tr_cap *tr_project_next(const struct tr_project_writing *v,
                                     size_t *i)
{
    size_t count = tr_cap_snapshot_counts(v->snapshot).caps;
    if (v->one)
        return (*i)++ ? NULL : v->one;
    while (*i < count) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(v->snapshot, (*i)++);
        if (tr_cap_is_listed(cap, v->scopes))
            return cap;
    }
    return NULL;
}

void tr_project_leave_gap(struct tr_project_writing *v,
                          const struct tr_cap *cap)
{
    v->gaps[v->gap_count++] = (struct tr_project_gap){v->out->len, cap};
}

/* What a view is made from. */
struct source {
    const struct tr_project_site *site;
    const struct view *view;
    const struct tr_cap *one;
    unsigned scopes;
};

/* The text, then its gaps, then how many there are. */
static tr_status make(const struct tr_cap_snapshot *snapshot, const void *arg,
                      struct tr_buf *out, struct tr_err *err)
{
    const struct source *source = arg;
    size_t count = tr_cap_snapshot_counts(snapshot).caps;
    struct tr_project_writing v = {
        .snapshot = snapshot,
        .site = source->site,
        .scopes = source->scopes,
        .one = source->one,
        .out = out,
        .gaps = calloc(count + 1, sizeof(*v.gaps)),
    };
    if (!v.gaps)
        return tr_fail(err, TR_E_NOMEM, "no memory for a view");
    tr_jw_init(&v.w, out);
    source->view->write(&v);
    tr_status status = tr_jw_finish(&v.w, err);
    tr_buf_put(out,
               (tr_str){(const char *)v.gaps, v.gap_count * sizeof(*v.gaps)});
    tr_buf_put(out, (tr_str){(const char *)&v.gap_count, sizeof(v.gap_count)});
    free(v.gaps);
    return status == TR_OK ? tr_buf_check(out, err) : status;
}

static const char *cut_gaps(tr_str *made, size_t *count)
{
    made->len -= sizeof(*count);
    memcpy(count, made->ptr + made->len, sizeof(*count));
    made->len -= *count * sizeof(struct tr_project_gap);
    return made->ptr + made->len;
}

/* Appends the text of a view, with what is measured in its gaps. Nothing, when
 * nothing is: *made is its text then. */
static void put_filled(struct tr_buf *out, tr_str *made,
                       const struct tr_project_asked *asked)
{
    const struct tr_project_meter *meter = asked->meter;
    size_t count = 0;
    size_t from = 0;
    const char *gaps = cut_gaps(made, &count);
    for (size_t i = 0; meter && i < count; i++) {
        struct tr_project_gap gap;
        struct tr_project_measured measured = {0};
        memcpy(&gap, gaps + i * sizeof(gap), sizeof(gap));
        meter->measure(meter, gap.cap, &measured);
        if (!measured.calls)
            continue;
        tr_buf_put(out, (tr_str){made->ptr + from, gap.at - from});
        views[asked->view].fill(out, &measured);
        from = gap.at;
    }
    if (from)
        tr_buf_put(out, tr_str_skip(*made, from));
}

static void put_view(struct tr_buf *out, tr_str *made,
                     const struct tr_project_asked *asked)
{
    size_t before = out->len;
    put_filled(out, made, asked);
    if (out->len == before)
        tr_buf_put(out, *made);
}

/* The scopes that make a difference: who sees the same has the same views. */
static unsigned that_matter(const struct tr_cap_snapshot *snapshot,
                            unsigned scopes)
{
    return scopes & tr_cap_snapshot_tools_need(snapshot);
}

static uint64_t mix(tr_str text, uint64_t key)
{
    return tr_hash_u64(text.len, tr_hash_bytes(text, key));
}

/* Of all that the bytes depend on, beside the snapshot. */
static uint64_t key_of(const struct source *source)
{
    const struct tr_project_site *site = source->site;
    const tr_str texts[] = {site->name,
                            site->title,
                            site->description,
                            site->version,
                            site->base,
                            site->mcp_path,
                            site->auth.bearer_format,
                            site->auth.authorization};
    const bool flags[] = {site->has_manifest, site->has_http, site->plain_tools,
                          site->auth.takes_bearer, site->auth.needs_bearer};
    uint64_t key = tr_hash_u64(source->scopes, 0);
    key = tr_hash_u64((uint64_t)(source->view - views), key);
    for (size_t i = 0; i < TR_LEN(texts); i++)
        key = mix(texts[i], key);
    for (size_t i = 0; i < TR_LEN(flags); i++)
        key = tr_hash_u64(flags[i], key);
    return key;
}

static tr_status write_one(const struct tr_cap_snapshot *snapshot,
                           const struct tr_project_asked *asked,
                           struct source *source, struct tr_buf *out,
                           struct tr_err *err)
{
    const struct tr_cap *cap =
        source->view->has_metas ? tr_cap_snapshot_find_tool(snapshot, asked->id)
                                : tr_cap_snapshot_find_cap(snapshot, asked->id);
    struct tr_buf buf;
    if (!cap || !tr_str_eq(cap->id, asked->id) || !source->view->has_ones ||
        !tr_cap_is_listed(cap, asked->scopes))
        return tr_fail(err, TR_E_NOT_FOUND, "there is no such capability");
    source->one = cap;
    tr_buf_init(&buf, TR_LIMIT_VIEW_BYTES);
    tr_status status = make(snapshot, source, &buf, err);
    tr_str made = tr_buf_str(&buf);
    if (status == TR_OK)
        put_view(out, &made, asked);
    tr_buf_done(&buf);
    return status == TR_OK ? tr_buf_check(out, err) : status;
}

/* What is kept of a whole view, its gaps behind it. */
static tr_status find_made(const struct tr_cap_snapshot *snapshot,
                           const struct source *source, tr_str *out,
                           struct tr_err *err)
{
    const struct tr_cap_view view = {
        .key = key_of(source),
        .make = make,
        .arg = source,
    };
    return tr_cap_snapshot_view(snapshot, &view, out, err);
}

static struct source source_of(const struct tr_cap_snapshot *snapshot,
                               const struct tr_project_asked *asked)
{
    return (struct source){
        .site = asked->site,
        .view = &views[asked->view],
        .scopes = that_matter(snapshot, asked->scopes),
    };
}

tr_status tr_project_write(const struct tr_cap_snapshot *snapshot,
                           const struct tr_project_asked *asked,
                           struct tr_buf *out, struct tr_err *err)
{
    struct source source = source_of(snapshot, asked);
    tr_str made;
    if (asked->id.len)
        return write_one(snapshot, asked, &source, out, err);
    TR_TRY(find_made(snapshot, &source, &made, err));
    put_view(out, &made, asked);
    return tr_buf_check(out, err);
}

tr_status tr_project_see(const struct tr_cap_snapshot *snapshot,
                         const struct tr_project_asked *asked,
                         struct tr_buf *room, tr_str *out, struct tr_err *err)
{
    struct source source = source_of(snapshot, asked);
    tr_buf_clear(room);
    if (asked->id.len) {
        TR_TRY(write_one(snapshot, asked, &source, room, err));
        *out = tr_buf_str(room);
        return TR_OK;
    }
    TR_TRY(find_made(snapshot, &source, out, err));
    put_filled(room, out, asked);
    TR_TRY(tr_buf_check(room, err));
    if (room->len)
        *out = tr_buf_str(room);
    return TR_OK;
}
