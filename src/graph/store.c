#include "graph/store.h"

#include "base/limits.h"
#include "graph/generation.h"
#include "graph/owner.h"
#include "graph/schema.h"
#include "prov/writer.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME       "graph.db"
#define GENERATION_NAME "generation"

/* Writes go all over the store, so a large cache pays; memory is taken only as
 * pages are used. */
#define WRITER_CACHE TR_MIB(64)

/* Transactions without a landing after which pages are given back. */
#define QUIET 64

/* A folder, and the longest of these names. */
#define PATH_BYTES (TR_LIMIT_PATH_BYTES + 32)

struct tr_graph_store {
    struct tr_graph_store_opts opts;
    char folder[TR_LIMIT_PATH_BYTES];
    char path[PATH_BYTES];
    bool is_own; /* the folder is removed at the end */
    struct tr_graph_generation generation;
    struct tr_db_writer *writer;
    struct tr_graph_lander *lander; /* of the writer's thread, as the next */
    struct tr_prov_writer *prov;
    struct tr_graph_store_write
        *landed; /* by the lander, and not written yet */
    struct tr_graph_store_write **last;
    unsigned quiet; /* transactions without a landing, up to QUIET */
    struct tr_prov_key prov_key;     /* never changes */
    char owner[TR_GRAPH_NAME_BYTES]; /* the project it was claimed for, or "" */
    bool is_doubtful;                /* the writer has seen another owner */
    bool fits;                       /* what was declared when it was opened */
};

static void write_path(const struct tr_graph_store *store, const char *name,
                       char out[PATH_BYTES])
{
    (void)snprintf(out, PATH_BYTES, "%s/%.16s", store->folder, name);
}

/* In memory, where the system has a file system for that. */
static tr_status make_own_folder(struct tr_graph_store *store,
                                 struct tr_err *err)
{
    const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(store->folder, sizeof(store->folder), "%s/trails-XXXXXX",
                   parent);
    if (!mkdtemp(store->folder))
        return tr_fail(err, TR_E_IO, "%s: %s", store->folder, strerror(errno));
    store->is_own = true;
    store->opts.db.no_sync = true;
    return TR_OK;
}

static tr_status make_folder(struct tr_graph_store *store, struct tr_err *err)
{
    const char *folder = store->opts.folder;
    if (strcmp(folder, ":memory:") == 0)
        return make_own_folder(store, err);
    int length = snprintf(store->folder, sizeof(store->folder), "%s", folder);
    if (length < 0 || (size_t)length >= sizeof(store->folder))
        return tr_fail(err, TR_E_LIMIT, "the path of the store is too long");
    if (!store->opts.db.read_only && mkdir(folder, S_IRWXU) != 0 &&
        errno != EEXIST)
        return tr_fail(err, TR_E_IO, "%s: %s", folder, strerror(errno));
    return TR_OK;
}

static tr_status claim(struct tr_graph_store *store, struct tr_db *db,
                       tr_str name, struct tr_graph_owner *out,
                       struct tr_err *err)
{
    TR_TRY(tr_graph_owner_claim(db, name, store->opts.db.read_only, out, err));
    (void)snprintf(store->owner, sizeof(store->owner), "%s", out->name);
    return TR_OK;
}

/* All that is asked of a store before anybody uses it, on one connection. */
static tr_status look_at(struct tr_graph_store *store, struct tr_db *db,
                         struct tr_err *err)
{
    const struct tr_graph_store_opts *opts = &store->opts;
    struct tr_graph_owner owner;
    tr_status status = tr_graph_schema(db, err);
    if (status == TR_E_IO && opts->db.read_only)
        tr_err_prefix(err, "%s cannot be brought up to date here", store->path);
    TR_TRY(status);
    if (opts->project.len)
        TR_TRY(claim(store, db, opts->project,
                     opts->owner ? opts->owner : &owner, err));
    return opts->declared
               ? tr_graph_fit_read(db, opts->declared, &store->fits, err)
               : TR_OK;
}

static tr_status on_opened(void *data, struct tr_db *db, struct tr_err *err)
{
    struct tr_graph_store *store = data;
    TR_TRY(look_at(store, db, err));
    TR_TRY(tr_prov_key_open(db, &store->prov_key, err));
    return tr_graph_lander_create(db, &store->lander, err);
}

static tr_status on_begun(void *data, struct tr_db *db, struct tr_err *err)
{
    struct tr_graph_store *store = data;
    bool is_other = false;
    TR_TRY(tr_graph_lander_begin(store->lander, &is_other, err));
    if (is_other)
        tr_prov_writer_forget(store->prov);
    if (store->quiet == QUIET)
        TR_TRY(tr_db_exec(db, "PRAGMA shrink_memory", err));
    store->quiet = store->quiet % QUIET + 1;
    if (!is_other && !store->is_doubtful)
        return TR_OK;
    store->is_doubtful = true;
    TR_TRY(tr_graph_owner_check(db, store->owner, err));
    store->is_doubtful = false;
    return TR_OK;
}

static tr_status on_settle(void *data, struct tr_db *db, struct tr_err *err)
{
    struct tr_graph_store *store = data;
    struct tr_graph_store_write *write = store->landed;
    store->quiet = write ? 0 : store->quiet;
    store->landed = NULL;
    store->last = &store->landed;
    TR_TRY(tr_graph_lander_settle(store->lander, err));
    for (; write; write = write->next) {
        if (write->landed)
            TR_TRY(write->landed(write, db, err));
    }
    return TR_OK;
}

static void on_committed(void *data)
{
    struct tr_graph_store *store = data;
    tr_graph_store_raise_generation(store);
    if (store->opts.committed)
        store->opts.committed(store->opts.data);
}

static void on_undone(void *data)
{
    struct tr_graph_store *store = data;
    store->landed = NULL;
    store->last = &store->landed;
    tr_graph_lander_forget(store->lander);
    tr_prov_writer_forget(store->prov);
}

static tr_status look_only(struct tr_graph_store *store, struct tr_err *err)
{
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(store->path, &store->opts.db, &db, err));
    tr_status status = look_at(store, db, err);
    tr_db_close(db);
    return status;
}

static tr_status open_store(struct tr_graph_store *store, struct tr_err *err)
{
    char generation[PATH_BYTES];
    bool is_read_only = store->opts.db.read_only;
    TR_TRY(make_folder(store, err));
    write_path(store, FILE_NAME, store->path);
    write_path(store, GENERATION_NAME, generation);
    TR_TRY(tr_graph_generation_open(&store->generation, generation,
                                    is_read_only, err));
    if (is_read_only)
        return look_only(store, err);
    TR_TRY(tr_prov_writer_create(&store->prov, err));
    struct tr_db_opts db = store->opts.db;
    if (!db.cache_bytes)
        db.cache_bytes = WRITER_CACHE;
    struct tr_db_writer_opts opts = {
        .path = store->path,
        .db = db,
        .opened = on_opened,
        .begun = on_begun,
        .settle = on_settle,
        .committed = on_committed,
        .undone = on_undone,
        .data = store,
        .max_group = store->opts.max_group,
    };
    return tr_db_writer_create(&opts, &store->writer, err);
}

tr_status tr_graph_store_open(const struct tr_graph_store_opts *opts,
                              struct tr_graph_store **out, struct tr_err *err)
{
    struct tr_graph_store *store = calloc(1, sizeof(*store));
    if (!store)
        return tr_fail(err, TR_E_NOMEM, "no memory for the store");
    store->opts = *opts;
    store->last = &store->landed;
    tr_status status = open_store(store, err);
    if (status != TR_OK) {
        tr_graph_store_close(store);
        return status;
    }
    *out = store;
    return TR_OK;
}

static void remove_own_folder(const struct tr_graph_store *store)
{
    static const char *const names[] = {FILE_NAME, FILE_NAME "-wal",
                                        FILE_NAME "-shm", GENERATION_NAME};
    char path[PATH_BYTES];
    for (size_t i = 0; i < TR_LEN(names); i++) {
        write_path(store, names[i], path);
        (void)unlink(path);
    }
    (void)rmdir(store->folder);
}

void tr_graph_store_close(struct tr_graph_store *store)
{
    if (!store)
        return;
    tr_db_writer_free(store->writer);
    tr_graph_lander_free(store->lander);
    tr_prov_writer_free(store->prov);
    tr_graph_generation_close(&store->generation);
    if (store->is_own)
        remove_own_folder(store);
    free(store);
}

bool tr_graph_store_is_read_only(const struct tr_graph_store *store)
{
    return store->opts.db.read_only;
}

bool tr_graph_store_fits(const struct tr_graph_store *store)
{
    return store->fits;
}

const char *tr_graph_store_path(const struct tr_graph_store *store)
{
    return store->path;
}

bool tr_graph_store_is_closed(const char *folder)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/" FILE_NAME, folder);
    return access(folder, W_OK) != 0 || access(path, W_OK) != 0;
}

tr_status tr_graph_store_claim(struct tr_graph_store *store, tr_str name,
                               struct tr_graph_owner *out, struct tr_err *err)
{
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(store->path, &store->opts.db, &db, err));
    tr_status status = claim(store, db, name, out, err);
    tr_db_close(db);
    return status;
}

tr_status tr_graph_store_reader(struct tr_graph_store *store,
                                struct tr_graph_reader **out,
                                struct tr_err *err)
{
    TR_TRY(tr_graph_reader_create(store->path, &store->opts.db, out, err));
    (*out)->owner = store->owner;
    return TR_OK;
}

tr_status tr_graph_store_loop_reader(struct tr_graph_store *store,
                                     struct tr_loop *loop,
                                     struct tr_graph_reader **out,
                                     struct tr_err *err)
{
    TR_TRY(tr_graph_store_reader(store, out, err));
    tr_graph_reader_share(*out, loop, &store->generation);
    return TR_OK;
}

struct tr_db_writer *tr_graph_store_writer(struct tr_graph_store *store)
{
    return store->writer;
}

struct tr_prov_writer *tr_graph_store_prov(struct tr_graph_store *store)
{
    return store->prov;
}

const struct tr_prov_key *
tr_graph_store_prov_key(const struct tr_graph_store *store)
{
    return &store->prov_key;
}

uint64_t tr_graph_store_generation(const struct tr_graph_store *store)
{
    return tr_graph_generation_get(&store->generation);
}

void tr_graph_store_raise_generation(struct tr_graph_store *store)
{
    tr_graph_generation_raise(&store->generation);
}

int tr_graph_store_shared_file(const struct tr_graph_store *store)
{
    return store->generation.fd;
}

static tr_status settle_now(struct tr_graph_store *store, struct tr_db *db,
                            struct tr_err *err)
{
    tr_status status = on_settle(store, db, err);
    if (status != TR_OK)
        tr_graph_lander_break(store->lander, status, err);
    return status;
}

static tr_status admit(struct tr_graph_store_write *write, struct tr_db *db,
                       struct tr_err *err)
{
    if (!write->admit)
        return TR_OK;
    TR_TRY(settle_now(write->store, db, err));
    return write->admit(write, db, err);
}

/* Lands the changeset; the group is written when it has become too large. */
static tr_status run(struct tr_db_write *base, struct tr_db *db,
                     struct tr_err *err)
{
    struct tr_graph_store_write *write =
        (struct tr_graph_store_write *)(void *)base;
    struct tr_graph_store *store = write->store;
    TR_TRY(admit(write, db, err));
    tr_status status = tr_graph_land(store->lander, &write->landing, err);
    if (status != TR_OK && write->landing.race.count && write->raced)
        write->raced(write);
    TR_TRY(status);
    *store->last = write;
    store->last = &write->next;
    return tr_graph_lander_is_full(store->lander) ? settle_now(store, db, err)
                                                  : TR_OK;
}

tr_status tr_graph_store_submit(struct tr_graph_store *store,
                                struct tr_graph_store_write *write,
                                struct tr_err *err)
{
    write->store = store;
    write->next = NULL;
    write->write.run = run;
    write->write.is_deferred = true;
    return tr_db_writer_submit(store->writer, &write->write, err);
}
