#include "crypto/encoding.h"
#include "json/writer.h"
#include "prov/agent.h"
#include "prov/rows.h"
#include "prov/view.h"

#define PAGE 100

/* Makes the page JSON-LD; members that are not named here are no statements. */
static const char context[] =
    "{\"prov\":\"http://www.w3.org/ns/prov#\","
    "\"xsd\":\"http://www.w3.org/2001/XMLSchema#\","
    "\"id\":\"@id\",\"activities\":\"@graph\",\"kind\":\"@type\","
    "\"tool\":\"prov:Activity\",\"resource\":\"prov:Activity\","
    "\"prompt\":\"prov:Activity\",\"completion\":\"prov:Activity\","
    "\"command\":\"prov:Activity\",\"policy\":\"prov:Activity\","
    "\"trails\":\"" TR_PROV_VOCABULARY "\","
    "\"meta\":\"trails:MetaActivity\",\"scope\":\"trails:scope\","
    "\"files\":\"prov:generated\",\"path\":\"trails:path\","
    "\"sha256\":\"trails:sha256\","
    "\"started\":{\"@id\":\"prov:startedAtTime\","
    "\"@type\":\"xsd:dateTime\"},"
    "\"ended\":{\"@id\":\"prov:endedAtTime\","
    "\"@type\":\"xsd:dateTime\"},"
    "\"agent\":{\"@id\":\"prov:wasAssociatedWith\",\"@type\":\"@id\"},"
    "\"parent\":{\"@id\":\"prov:wasInformedBy\",\"@type\":\"@id\"},"
    "\"used\":{\"@id\":\"prov:used\",\"@type\":\"@id\"},"
    "\"generated\":{\"@id\":\"prov:generated\",\"@type\":\"@id\"},"
    "\"invalidated\":{\"@id\":\"prov:invalidated\","
    "\"@type\":\"@id\"}}";

static void put_time(struct tr_json_writer *out, const char *key, int64_t us)
{
    char text[64];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, sizeof(text));
    tr_prov_activity_write_time(&buf, us);
    tr_jw_put_string(out, key, tr_buf_str(&buf));
}

static void put_iri(struct tr_json_writer *out, const char *key,
                    const unsigned char id[TR_CRYPTO_UUID_BYTES])
{
    char iri[TR_PROV_ACTIVITY_IRI];
    tr_prov_activity_iri(id, iri);
    tr_jw_put_string(out, key, (tr_str){iri, sizeof(iri)});
}

static void put_digest(struct tr_json_writer *out, const char *key,
                       const unsigned char digest[TR_PROV_DIGEST_BYTES])
{
    char text[2 * TR_PROV_DIGEST_BYTES];
    tr_crypto_hex_write((tr_str){(const char *)digest, TR_PROV_DIGEST_BYTES},
                        text);
    tr_jw_put_string(out, key, (tr_str){text, sizeof(text)});
}

/* A count of 0 is left out. */
static void put_count(struct tr_json_writer *out, const char *key, uint64_t n)
{
    if (!n)
        return;
    tr_jw_put_i64(out, key, n < INT64_MAX ? (int64_t)n : INT64_MAX);
}

static tr_status put_ids(struct tr_json_writer *out, const char *key,
                         struct tr_prov_activity_ids *ids,
                         const struct tr_prov_resolver *resolver,
                         struct tr_err *err)
{
    tr_jw_key(out, key);
    tr_jw_open(out, '[');
    for (size_t i = 0; i < ids->count; i++) {
        tr_str iri = {NULL, 0};
        TR_TRY(resolver->resolve(resolver->data, ids->items[i], &iri, err));
        if (iri.len)
            tr_jw_string(out, iri);
        else
            ids->left_out++;
    }
    tr_jw_close(out, ']');
    return TR_OK;
}

static tr_status put_nodes(struct tr_json_writer *out,
                           struct tr_prov_activity *a,
                           const struct tr_prov_resolver *resolver,
                           struct tr_err *err)
{
    TR_TRY(put_ids(out, "used", &a->used, resolver, err));
    TR_TRY(put_ids(out, "generated", &a->generated, resolver, err));
    TR_TRY(put_ids(out, "invalidated", &a->invalidated, resolver, err));
    tr_jw_key(out, "left_out");
    tr_jw_open(out, '{');
    put_count(out, "used", a->used.left_out);
    put_count(out, "generated", a->generated.left_out);
    put_count(out, "invalidated", a->invalidated.left_out);
    tr_jw_close(out, '}');
    return TR_OK;
}

static void put_cost(struct tr_json_writer *out,
                     const struct tr_prov_activity_cost *cost)
{
    tr_jw_key(out, "cost");
    tr_jw_open(out, '{');
    put_count(out, "instructions", cost->instructions);
    put_count(out, "running_us", cost->running_us);
    put_count(out, "result_bytes", cost->result_bytes);
    put_count(out, "tokens", cost->tokens);
    if (cost->micro_usd)
        tr_jw_put_double(out, "usd", (double)cost->micro_usd / 1e6);
    tr_jw_close(out, '}');
}

static void put_digests(struct tr_json_writer *out,
                        const struct tr_prov_activity *a)
{
    tr_jw_key(out, "digests");
    tr_jw_open(out, '{');
    if (a->has_args_digest)
        put_digest(out, "arguments", a->args_digest);
    if (a->has_result_digest)
        put_digest(out, "result", a->result_digest);
    tr_jw_close(out, '}');
}

static void put_fetches(struct tr_json_writer *out,
                        const struct tr_prov_activity_fetches *fetches)
{
    if (!fetches->count)
        return;
    tr_jw_key(out, "fetches");
    tr_jw_open(out, '[');
    for (size_t i = 0; i < fetches->count; i++) {
        const struct tr_prov_activity_fetch *fetch = &fetches->items[i];
        tr_jw_open(out, '{');
        tr_jw_maybe_string(out, "host", fetch->host);
        if (fetch->code)
            put_count(out, "status", fetch->code);
        tr_jw_maybe_string(out, "reason", fetch->reason);
        put_count(out, "bytes", fetch->bytes);
        put_count(out, "took_us", fetch->took_us);
        tr_jw_close(out, '}');
    }
    tr_jw_close(out, ']');
    if (fetches->left_out)
        put_count(out, "fetches_left_out", fetches->left_out);
}

static void put_file(struct tr_json_writer *out,
                     const struct tr_prov_activity *a, size_t i)
{
    char iri[TR_PROV_FILE_IRI];
    char digest[2 * TR_CRYPTO_SHA256_BYTES];
    const struct tr_prov_activity_file *file = &a->files.items[i];
    tr_crypto_hex_write(
        (tr_str){(const char *)file->sha256, TR_CRYPTO_SHA256_BYTES}, digest);
    tr_jw_open(out, '{');
    tr_jw_put_string(out, "id", tr_prov_file_iri(a, i, iri));
    tr_jw_put_string(out, "path", file->path);
    tr_jw_put_string(out, "sha256", (tr_str){digest, sizeof(digest)});
    tr_jw_close(out, '}');
}

/* Of a meta-capability. */
static void put_meta(struct tr_json_writer *out,
                     const struct tr_prov_activity *a)
{
    if (!a->scope)
        return;
    tr_jw_put_string(out, "scope", tr_str_from(tr_scope_name(a->scope)));
    tr_jw_key(out, "files");
    tr_jw_open(out, '[');
    for (size_t i = 0; i < a->files.count; i++)
        put_file(out, a, i);
    tr_jw_close(out, ']');
    put_count(out, "files_left_out", a->files.left_out);
}

static tr_status put_members(struct tr_json_writer *out,
                             struct tr_prov_activity *a,
                             const struct tr_prov_resolver *resolver,
                             struct tr_err *err)
{
    char agent[TR_PROV_AGENT_BYTES];
    put_iri(out, "id", a->id);
    tr_jw_maybe_string(out, "kind",
                       tr_str_from(tr_prov_activity_kind_name(a->kind)));
    tr_jw_maybe_string(out, "name", a->name);
    tr_jw_maybe_string(out, "asked", a->asked);
    tr_jw_maybe_string(out, "version", a->version);
    tr_jw_maybe_string(out, "principal", a->principal);
    tr_jw_maybe_string(out, "agent", tr_prov_agent_iri(a->principal, agent));
    put_time(out, "started", a->started_us);
    put_time(out, "ended", tr_prov_activity_ended_us(a));
    tr_jw_maybe_string(out, "outcome",
                       tr_str_from(tr_prov_activity_end_name(a->ended)));
    tr_jw_maybe_string(out, "status", tr_str_from(tr_status_name(a->status)));
    tr_jw_put_bool(out, "wrote", a->wrote);
    tr_jw_maybe_string(out, "trace_id", a->trace_id);
    if (tr_prov_activity_has_parent(a))
        put_iri(out, "parent", a->parent);
    TR_TRY(put_nodes(out, a, resolver, err));
    put_digests(out, a);
    if (a->tries)
        put_count(out, "tries", a->tries);
    put_fetches(out, &a->fetches);
    put_meta(out, a);
    put_cost(out, &a->cost);
    return TR_OK;
}

/* The number that rows have for a principal; 0 when none has. */
static tr_status find_who(struct tr_db *db, tr_str principal, int64_t *out,
                          struct tr_err *err)
{
    unsigned char who[TR_PROV_WHO_MAX];
    size_t len = tr_prov_pack_who(principal, who);
    return tr_prov_find_name(db, (tr_str){(const char *)who, len}, out, err);
}

/* What was found out of a number for what ran. */
struct match {
    int64_t what;
    bool fits;
};

#define MATCHES 64

/* A page, as it is written. */
struct page {
    const struct tr_prov_filter *filter;
    const struct tr_prov_resolver *resolver;
    struct tr_json_writer *out;
    int64_t who;
    size_t limit;
    unsigned char last[TR_CRYPTO_UUID_BYTES]; /* the row that was read last */
    struct tr_prov_next *next;
    struct match matches[MATCHES]; /* by number, modulo their count */
};

/* Names recur: most rows are decided by their number alone. */
static tr_status fits_name(struct page *page, struct tr_prov_rows *rows,
                           bool *fits, struct tr_err *err)
{
    struct tr_prov_activity activity;
    int64_t what = tr_prov_rows_what(rows);
    struct match *match = &page->matches[(uint64_t)what % MATCHES];
    *fits = true;
    if (!page->filter->name.len)
        return TR_OK;
    if (match->what != what) {
        TR_TRY(tr_prov_rows_get(rows, &activity, err));
        *match =
            (struct match){what, tr_str_eq(activity.name, page->filter->name)};
    }
    *fits = match->fits;
    return TR_OK;
}

static tr_status put_row(struct page *page, struct tr_prov_rows *rows,
                         size_t *shown, struct tr_err *err)
{
    struct tr_prov_activity activity;
    bool fits;
    if (!page->filter->all && tr_prov_rows_who(rows) != page->who)
        return TR_OK;
    TR_TRY(fits_name(page, rows, &fits, err));
    if (!fits)
        return TR_OK;
    TR_TRY(tr_prov_rows_get(rows, &activity, err));
    if (activity.started_us < page->filter->since_us)
        return TR_OK;
    tr_jw_open(page->out, '{');
    TR_TRY(put_members(page->out, &activity, page->resolver, err));
    tr_jw_close(page->out, '}');
    ++*shown;
    return TR_OK;
}

/* Ids are in the order of time, so one that is too old ends the page. They know
 * the millisecond; within it put_row decides. */
static bool is_too_old(const struct page *page, tr_str id)
{
    return page->filter->since_us &&
           tr_prov_uuid_us((const unsigned char *)id.ptr) <
               page->filter->since_us - 1000;
}

/* The first six bytes of an id are the millisecond (RFC 9562, 5.7). */
#define MS_BYTES 6

/*
 * Where a page goes on that ends behind rows of others: behind the millisecond
 * of the last one, all of which have been read. So it names no activity of
 * theirs.
 */
static void note_end(struct page *page)
{
    unsigned char id[TR_CRYPTO_UUID_BYTES] = {[6] = 0x70, [8] = 0x80};
    memcpy(id, page->last, MS_BYTES);
    tr_crypto_uuid_write(id, page->next->id);
    page->next->is_there = true;
}

static void note_shown(struct page *page)
{
    tr_crypto_uuid_write(page->last, page->next->id);
    page->next->is_there = true;
}

static tr_status put_page(struct page *page, struct tr_prov_rows *rows,
                          struct tr_err *err)
{
    size_t shown = 0;
    for (size_t seen = 0;; seen++) {
        bool has;
        TR_TRY(tr_prov_rows_next(rows, &has, err));
        if (!has)
            return TR_OK;
        tr_str id = tr_prov_rows_id(rows);
        bool is_whole = id.len == TR_CRYPTO_UUID_BYTES;
        if (is_whole && is_too_old(page, id))
            return TR_OK;
        if (shown == page->limit) {
            note_shown(page);
            return TR_OK;
        }
        if (seen >= TR_LIMIT_PROV_SCAN && is_whole &&
            memcmp(id.ptr, page->last, MS_BYTES) != 0) {
            note_end(page);
            return TR_OK;
        }
        if (is_whole)
            memcpy(page->last, id.ptr, sizeof(page->last));
        TR_TRY(put_row(page, rows, &shown, err));
    }
}

static tr_status put_rows(struct page *page, struct tr_db *db, tr_str before,
                          struct tr_err *err)
{
    struct tr_prov_rows rows;
    if (!page->filter->all)
        TR_TRY(find_who(db, page->filter->principal, &page->who, err));
    if (!page->filter->all && !page->who)
        return TR_OK; /* the principal has no activities */
    TR_TRY(tr_prov_rows_before(&rows, db, before, err));
    tr_status status = put_page(page, &rows, err);
    tr_prov_rows_close(&rows);
    return status;
}

tr_status tr_prov_latest(struct tr_db *db, const struct tr_prov_filter *filter,
                         const struct tr_prov_resolver *resolver,
                         struct tr_json_writer *out, struct tr_prov_next *next,
                         struct tr_err *err)
{
    static const unsigned char newest[TR_CRYPTO_UUID_BYTES + 1] = {
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    tr_str before = {(const char *)filter->before, TR_CRYPTO_UUID_BYTES};
    struct page page = {.filter = filter,
                        .resolver = resolver,
                        .out = out,
                        .limit = filter->limit,
                        .next = next};
    next->is_there = false;
    if (!filter->before)
        before = (tr_str){(const char *)newest, sizeof(newest)};
    if (!page.limit)
        page.limit = PAGE;
    if (page.limit > TR_LIMIT_PROV_PAGE)
        page.limit = TR_LIMIT_PROV_PAGE;
    tr_jw_open(out, '{');
    tr_jw_put_raw(out, "@context", TR_STR(context));
    tr_jw_key(out, "activities");
    tr_jw_open(out, '[');
    TR_TRY(put_rows(&page, db, before, err));
    tr_jw_close(out, ']');
    if (next->is_there)
        tr_jw_put_string(out, "next", (tr_str){next->id, sizeof(next->id)});
    tr_jw_close(out, '}');
    return TR_OK;
}

static tr_status show_row(struct tr_prov_rows *rows,
                          const struct tr_prov_filter *filter,
                          const struct tr_prov_resolver *resolver,
                          struct tr_json_writer *out, struct tr_err *err)
{
    struct tr_prov_activity activity;
    int64_t who = 0;
    bool has;
    if (!filter->all)
        TR_TRY(find_who(rows->db, filter->principal, &who, err));
    TR_TRY(tr_prov_rows_next(rows, &has, err));
    if (!has || (!filter->all && tr_prov_rows_who(rows) != who))
        return tr_fail(err, TR_E_NOT_FOUND, "there is no such activity");
    TR_TRY(tr_prov_rows_get(rows, &activity, err));
    tr_jw_open(out, '{');
    tr_jw_put_raw(out, "@context", TR_STR(context));
    TR_TRY(put_members(out, &activity, resolver, err));
    tr_jw_close(out, '}');
    return TR_OK;
}

tr_status tr_prov_show(struct tr_db *db,
                       const unsigned char id[TR_CRYPTO_UUID_BYTES],
                       const struct tr_prov_filter *filter,
                       const struct tr_prov_resolver *resolver,
                       struct tr_json_writer *out, struct tr_err *err)
{
    struct tr_prov_rows rows;
    tr_str key = {(const char *)id, TR_CRYPTO_UUID_BYTES};
    TR_TRY(tr_prov_rows_one(&rows, db, key, err));
    tr_status status = show_row(&rows, filter, resolver, out, err);
    tr_prov_rows_close(&rows);
    return status;
}
