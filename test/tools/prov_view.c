/*
 * test/tools/prov_view.c - the provenance of random calls, in one of its views:
 *
 *     prov_view FILE SEED COUNT    makes a store with so many
 *     prov_view FILE nq|json       shows it
 *
 * Half of the calls go through a log, as those of a server do.
 */
#include "db/writer.h"
#include "json/writer.h"
#include "prov/log.h"
#include "prov/view.h"
#include "prov/writer.h"
#include "rdf/writer.h"

#include <stdlib.h>
#include <unistd.h>

#define NOON INT64_C(1785240000000000) /* 2026-07-28T12:00:00Z */

/* What a call is made of. */
struct maker {
    uint64_t state;
    struct tr_prov_key key;
    struct tr_crypto_uuid_maker uuids;
    uint64_t ids[3][4];
    unsigned char last[TR_CRYPTO_UUID_BYTES]; /* a call before this one */
};

/* SplitMix64: small, and good enough to explore with. */
static uint64_t below(struct maker *maker, uint64_t bound)
{
    uint64_t z = maker->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % bound;
}

static struct tr_prov_activity_ids some_ids(struct maker *maker, uint64_t *ids)
{
    struct tr_prov_activity_ids list = {ids, below(maker, 5), 0};
    for (size_t i = 0; i < list.count; i++)
        ids[i] = 1 + below(maker, 20);
    return list;
}

/* The secret is what no view may show. */
static void add_digests(struct maker *maker, struct tr_prov_activity *a)
{
    a->has_args_digest = below(maker, 4);
    if (a->has_args_digest)
        tr_prov_digest(&maker->key, TR_STR("{\"pin\":\"secret-4711\"}"),
                       a->args_digest);
    a->has_result_digest = below(maker, 4);
    if (a->has_result_digest)
        tr_prov_digest(&maker->key, TR_STR("secret-0815"), a->result_digest);
}

static tr_status make_call(struct maker *maker, struct tr_prov_activity *a,
                           struct tr_err *err)
{
    static const char *const names[] = {"look", "research.search",
                                        "trails://kg/{type}{?where}",
                                        "gr\xC3\xBC\xC3\x9F e \"<>", "\\"};
    static const char *const versions[] = {"", "1.0.0", "2.0.0-rc.1+b5"};
    static const char *const principals[] = {"",
                                             "alice",
                                             "did:key:z6Mk",
                                             "https://example.org/me?a=b#c",
                                             "Zo\xC3\xAB <z>",
                                             "trails://prov/anonymous",
                                             "a:b:\"",
                                             "%"};
    *a = (struct tr_prov_activity){
        .kind = 1 + (enum tr_prov_activity_kind)below(maker, 5),
        .name = tr_str_from(names[below(maker, TR_LEN(names))]),
        .version = tr_str_from(versions[below(maker, TR_LEN(versions))]),
        .principal = tr_str_from(principals[below(maker, TR_LEN(principals))]),
        .trace_id = TR_STR("0af7651916cd43dd8448eb211c80319c"),
        .started_us = NOON + (int64_t)below(maker, 3600000000),
        .took_us = below(maker, 3000000),
        .ended =
            (enum tr_prov_activity_end)below(maker, TR_PROV_ENDED_ASKED + 1),
        .wrote = below(maker, 2),
        .used = some_ids(maker, maker->ids[0]),
        .generated = some_ids(maker, maker->ids[1]),
        .invalidated = some_ids(maker, maker->ids[2]),
        .cost.running_us = 3,
    };
    add_digests(maker, a);
    if (below(maker, 2))
        memcpy(a->parent, maker->last, sizeof(a->parent));
    TR_TRY(tr_crypto_uuid_maker_next(&maker->uuids, a->started_us, a->id, err));
    memcpy(maker->last, a->id, sizeof(a->id));
    return TR_OK;
}

/* What the two ways into the store need. */
struct ways {
    struct tr_loop *loop;
    struct tr_db_writer *writer;
    struct tr_prov_writer *names; /* the writer's */
    struct tr_prov_writer *own;
    struct tr_prov_log *log;
    bool is_closed;
};

static void on_closed(void *data)
{
    ((struct ways *)data)->is_closed = true;
}

static tr_status open_ways(struct ways *ways, const char *path,
                           struct tr_err *err)
{
    struct tr_db_writer_opts writer = {.path = path};
    TR_TRY(tr_loop_create(NULL, &ways->loop, err));
    TR_TRY(tr_db_writer_create(&writer, &ways->writer, err));
    TR_TRY(tr_prov_writer_create(&ways->names, err));
    TR_TRY(tr_prov_writer_create(&ways->own, err));
    const struct tr_prov_log_opts opts = {
        .loop = ways->loop,
        .writer = ways->writer,
        .names = ways->names,
        .keep.read_days = 36500,
    };
    return tr_prov_log_create(&opts, &ways->log, err);
}

static void close_ways(struct ways *ways)
{
    if (ways->log)
        tr_prov_log_close(ways->log, on_closed, ways);
    if (ways->loop)
        tr_loop_run(ways->loop);
    tr_db_writer_free(ways->writer);
    tr_prov_writer_free(ways->names);
    tr_prov_writer_free(ways->own);
    tr_loop_free(ways->loop);
}

static tr_status make(struct tr_db *db, const char *path, uint64_t seed,
                      uint64_t count, struct tr_err *err)
{
    struct ways ways = {0};
    struct maker maker = {.state = seed};
    tr_status status = tr_prov_key_open(db, &maker.key, err);
    if (status == TR_OK)
        status = open_ways(&ways, path, err);
    for (uint64_t i = 0; i < count && status == TR_OK; i++) {
        struct tr_prov_activity activity;
        status = make_call(&maker, &activity, err);
        if (status == TR_OK && activity.wrote)
            status = tr_prov_write(ways.own, db, &activity, err);
        else if (status == TR_OK)
            tr_prov_log_add(ways.log, &activity);
    }
    close_ways(&ways);
    return status;
}

static tr_status resolve(void *data, uint64_t id, tr_str *iri,
                         struct tr_err *err)
{
    char *text = data;
    int len =
        snprintf(text, 64, "trails://demo/Note/%llu", (unsigned long long)id);
    (void)err;
    *iri = (tr_str){text, (size_t)len};
    return TR_OK;
}

static tr_status show_quads(struct tr_db *db,
                            const struct tr_prov_resolver *resolver,
                            struct tr_err *err)
{
    int fd = STDOUT_FILENO;
    struct tr_rdf_output output = tr_rdf_output_fd(&fd);
    struct tr_rdf_line_writer writer;
    tr_rdf_line_writer_init(&writer, true, &output);
    struct tr_rdf_sink sink = tr_rdf_line_writer_sink(&writer);
    tr_status status =
        tr_prov_quads(db, TR_STR("trails://demo/prov"), resolver, &sink, err);
    if (status == TR_OK)
        status = tr_rdf_line_writer_finish(&writer, err);
    tr_rdf_line_writer_done(&writer);
    return status;
}

static tr_status show_json(struct tr_db *db,
                           const struct tr_prov_resolver *resolver,
                           struct tr_err *err)
{
    const struct tr_prov_filter filter = {.all = true,
                                          .limit = TR_LIMIT_PROV_PAGE};
    struct tr_json_writer writer;
    struct tr_prov_next next;
    struct tr_buf text;
    tr_buf_init(&text, TR_MIB(64));
    tr_jw_init(&writer, &text);
    tr_status status =
        tr_prov_latest(db, &filter, resolver, &writer, &next, err);
    if (status == TR_OK)
        status = tr_jw_finish(&writer, err);
    if (status == TR_OK && fwrite(text.ptr, 1, text.len, stdout) != text.len)
        status = tr_fail(err, TR_E_IO, "cannot write");
    tr_buf_done(&text);
    return status;
}

static tr_status run(int argc, char **argv, struct tr_db *db,
                     struct tr_err *err)
{
    static const struct tr_db_step steps[] = {{.sql = TR_PROV_SCHEMA}};
    char iri[64];
    const struct tr_prov_resolver resolver = {resolve, iri};
    int64_t seed;
    int64_t count;
    TR_TRY(tr_db_upgrade(db, steps, TR_LEN(steps), err));
    if (argc == 3 && strcmp(argv[2], "nq") == 0)
        return show_quads(db, &resolver, err);
    if (argc == 3 && strcmp(argv[2], "json") == 0)
        return show_json(db, &resolver, err);
    if (argc != 4 || !tr_str_to_i64(tr_str_from(argv[2]), &seed) ||
        !tr_str_to_i64(tr_str_from(argv[3]), &count))
        return tr_fail(err, TR_E_INVALID, "usage: see the source");
    return make(db, argv[1], (uint64_t)seed, (uint64_t)count, err);
}

int main(int argc, char **argv)
{
    struct tr_err err = {0};
    struct tr_db *db = NULL;
    tr_status status = tr_db_open(argc > 1 ? argv[1] : "", NULL, &db, &err);
    if (status == TR_OK)
        status = run(argc, argv, db, &err);
    tr_db_close(db);
    if (status != TR_OK)
        (void)fprintf(stderr, "%s\n", err.msg);
    return status == TR_OK ? 0 : 1;
}
