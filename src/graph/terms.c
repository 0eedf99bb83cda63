#include "base/hash.h"
#include "base/limits.h"
#include "db/db.h"
#include "graph/term_key.h"
#include "graph/terms_inside.h"

tr_status tr_graph_terms_create(struct tr_db *db, struct tr_graph_terms **out,
                                struct tr_err *err)
{
    struct tr_graph_terms *terms = calloc(1, sizeof(*terms));
    if (!terms)
        return tr_fail(err, TR_E_NOMEM, "no memory for terms");
    terms->db = db;
    terms->seed = tr_hash_seed(terms);
    tr_arena_init(&terms->arena, TR_LIMIT_GRAPH_TABLE);
    tr_buf_init(&terms->key, TR_LIMIT_RDF_TERM + TR_KIB(4));
    *out = terms;
    return TR_OK;
}

void tr_graph_terms_free(struct tr_graph_terms *terms)
{
    if (!terms)
        return;
    tr_arena_done(&terms->arena);
    tr_buf_done(&terms->key);
    free(terms);
}

void tr_graph_terms_forget(struct tr_graph_terms *terms)
{
    tr_arena_done(&terms->arena);
    tr_arena_init(&terms->arena, TR_LIMIT_GRAPH_TABLE);
    terms->by_id = terms->by_key = NULL;
    terms->buckets = terms->count = 0;
    terms->next = 0;
}

void tr_graph_terms_renew(struct tr_graph_terms *terms)
{
    terms->next = 0;
}

void tr_graph_terms_trim(struct tr_graph_terms *terms, size_t max_bytes)
{
    if (terms->arena.held > max_bytes)
        tr_graph_terms_forget(terms);
}

static size_t id_bucket(const struct tr_graph_terms *terms, tr_rdf_id id)
{
    return tr_hash_u64(id, terms->seed) & (terms->buckets - 1);
}

static void link_entry(struct tr_graph_terms *terms,
                       struct tr_graph_terms_entry *entry)
{
    struct tr_graph_terms_entry **id =
        &terms->by_id[id_bucket(terms, entry->id)];
    struct tr_graph_terms_entry **key =
        &terms->by_key[entry->hash & (terms->buckets - 1)];
    entry->next_by_id = *id;
    *id = entry;
    entry->next_by_key = *key;
    *key = entry;
}

/* The old tables stay in the arena; together they are as large as the new one,
 * so growing costs at most twice the memory. */
static bool grow(struct tr_graph_terms *terms)
{
    size_t old_count = terms->buckets;
    struct tr_graph_terms_entry **old = terms->by_id;
    size_t count = old_count ? old_count * 2 : 64;
    struct tr_graph_terms_entry **by_id =
        TR_NEW_ARRAY(&terms->arena, struct tr_graph_terms_entry *, count);
    struct tr_graph_terms_entry **by_key =
        TR_NEW_ARRAY(&terms->arena, struct tr_graph_terms_entry *, count);
    if (!by_id || !by_key)
        return false;
    terms->by_id = by_id;
    terms->by_key = by_key;
    terms->buckets = count;
    for (size_t i = 0; i < old_count; i++) {
        for (struct tr_graph_terms_entry *e = old[i], *next; e; e = next) {
            next = e->next_by_id;
            link_entry(terms, e);
        }
    }
    return true;
}

static struct tr_graph_terms_entry *find_id(const struct tr_graph_terms *terms,
                                            tr_rdf_id id)
{
    struct tr_graph_terms_entry *entry =
        terms->buckets ? terms->by_id[id_bucket(terms, id)] : NULL;
    while (entry && entry->id != id)
        entry = entry->next_by_id;
    return entry;
}

static struct tr_graph_terms_entry *find_key(const struct tr_graph_terms *terms,
                                             tr_str key, uint64_t hash)
{
    struct tr_graph_terms_entry *entry =
        terms->buckets ? terms->by_key[hash & (terms->buckets - 1)] : NULL;
    while (entry && !(entry->hash == hash && tr_str_eq(entry->key, key)))
        entry = entry->next_by_key;
    return entry;
}

static tr_status fail_key(struct tr_err *err)
{
    return tr_fail(err, TR_E_IO, "the store has a term that is none");
}

/* The term that a key stands for; its views point into the key. */
static tr_status read_key(struct tr_graph_terms *terms, tr_str key,
                          tr_rdf_term *out, struct tr_err *err)
{
    tr_str rest = tr_str_skip(key, 1);
    tr_rdf_term datatype;
    if (!key.len)
        return fail_key(err);
    switch (key.ptr[0]) {
    case TR_GRAPH_TAG_IRI:
        *out = tr_rdf_term_iri(rest);
        return TR_OK;
    case TR_GRAPH_TAG_STRING:
        *out = tr_rdf_term_string(rest);
        return TR_OK;
    case TR_GRAPH_TAG_LANG:
        out->kind = TR_RDF_TERM_LITERAL;
        out->datatype = TR_STR(TR_RDF_IRI_RDF_LANG_STRING);
        return tr_str_cut(rest, '\0', &out->language, &out->text)
                   ? TR_OK
                   : fail_key(err);
    case TR_GRAPH_TAG_TYPED:
        if (rest.len < TR_GRAPH_KEY_ID_BYTES)
            return fail_key(err);
        TR_TRY(tr_graph_terms_get(terms, tr_graph_term_key_id(rest.ptr),
                                  &datatype, err));
        *out = tr_rdf_term_typed(tr_str_skip(rest, TR_GRAPH_KEY_ID_BYTES),
                                 datatype.text);
        return TR_OK;
    default:
        return fail_key(err);
    }
}

/* Adds a term to the cache, which must not have its key yet. */
static tr_status add_entry(struct tr_graph_terms *terms, tr_rdf_id id,
                           tr_str key, struct tr_graph_terms_entry **out,
                           struct tr_err *err)
{
    struct tr_graph_terms_entry *entry =
        TR_NEW(&terms->arena, struct tr_graph_terms_entry);
    if (!entry || !tr_arena_copy(&terms->arena, key, &entry->key) ||
        (terms->count >= terms->buckets && !grow(terms)))
        return tr_fail(err, TR_E_NOMEM, "no memory for terms");
    entry->id = id;
    entry->hash = tr_hash_bytes(key, terms->seed);
    TR_TRY(read_key(terms, entry->key, &entry->term, err));
    link_entry(terms, entry);
    terms->count++;
    *out = entry;
    return TR_OK;
}

static tr_status load_key(struct tr_graph_terms *terms, tr_str key,
                          tr_rdf_id *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    struct tr_graph_terms_entry *entry;
    bool row;
    TR_TRY(tr_db_prepare(terms->db, "SELECT id FROM term WHERE key = ?1", &stmt,
                         err));
    tr_db_bind_blob(stmt, 1, key);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (tr_rdf_id)tr_db_column_i64(stmt, 0) : TR_RDF_ID_NONE;
    tr_db_stmt_reset(stmt);
    return row ? add_entry(terms, *out, key, &entry, err) : TR_OK;
}

/* A compaction may have removed the highest term: `meta` has its number, so
 * that none is given out twice. */
static tr_status load_next(struct tr_graph_terms *terms, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    if (terms->next)
        return TR_OK;
    TR_TRY(tr_db_prepare(terms->db,
                         "SELECT max(coalesce((SELECT max(id) FROM term), 0),"
                         " coalesce((SELECT value FROM meta WHERE key = 2),"
                         " 0))",
                         &stmt, err));
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    terms->next =
        ((uint64_t)tr_db_column_i64(stmt, 0) >> TR_GRAPH_TAG_BITS) + 1;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_graph_terms_next(struct tr_graph_terms *terms, uint64_t *out,
                              struct tr_err *err)
{
    TR_TRY(load_next(terms, err));
    *out = terms->next;
    return TR_OK;
}

static tr_status store_key(struct tr_graph_terms *terms, tr_str key,
                           tr_rdf_id *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    struct tr_graph_terms_entry *entry;
    if (!key.ptr || !key.len)
        return fail_key(err);
    TR_TRY(load_next(terms, err));
    *out = tr_graph_id_make(terms->next, (enum tr_graph_term_tag)key.ptr[0]);
    TR_TRY(tr_db_prepare(terms->db, "INSERT INTO term VALUES (?1, ?2)", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)*out);
    tr_db_bind_blob(stmt, 2, key);
    TR_TRY(tr_db_stmt_run(stmt, err));
    terms->next++;
    return add_entry(terms, *out, key, &entry, err);
}

/* How a term is looked up: with or without adding what is not there. */
typedef tr_status lookup_fn(struct tr_graph_terms *terms,
                            const tr_rdf_term *term, tr_rdf_id *out,
                            struct tr_err *err);

/* Writes the key into the buffer; `*has_key` is false when the datatype is not
 * in the store, so that the term cannot be either. */
static tr_status make_key(struct tr_graph_terms *terms, const tr_rdf_term *term,
                          lookup_fn *lookup, bool *has_key, struct tr_err *err)
{
    struct tr_buf *key = &terms->key;
    tr_rdf_id datatype = TR_RDF_ID_NONE;
    bool is_typed = tr_graph_term_key_has_datatype(term);
    tr_rdf_term iri = tr_rdf_term_iri(term->datatype);
    if (is_typed)
        TR_TRY(lookup(terms, &iri, &datatype, err));
    *has_key = !is_typed || datatype != TR_RDF_ID_NONE;
    tr_buf_clear(key);
    char *to = tr_buf_room(key, tr_graph_term_key_len(term));
    if (to) {
        tr_graph_term_key_write(term, datatype, to);
        key->len = tr_graph_term_key_len(term);
    }
    return tr_buf_check(key, err);
}

static tr_status look_up(struct tr_graph_terms *terms, const tr_rdf_term *term,
                         lookup_fn *lookup, tr_rdf_id *out, struct tr_err *err)
{
    bool has_key;
    *out = TR_RDF_ID_NONE;
    if (term->kind == TR_RDF_TERM_NONE || term->kind == TR_RDF_TERM_BLANK ||
        tr_graph_id_encode(term, out))
        return TR_OK;
    TR_TRY(make_key(terms, term, lookup, &has_key, err));
    if (!has_key)
        return TR_OK;
    tr_str key = tr_buf_str(&terms->key);
    if (!key.ptr)
        return fail_key(err);
    struct tr_graph_terms_entry *entry =
        find_key(terms, key, tr_hash_bytes(key, terms->seed));
    if (entry) {
        *out = entry->id;
        return TR_OK;
    }
    return load_key(terms, key, out, err);
}

tr_status tr_graph_terms_find(struct tr_graph_terms *terms,
                              const tr_rdf_term *term, tr_rdf_id *out,
                              struct tr_err *err)
{
    return look_up(terms, term, tr_graph_terms_find, out, err);
}

tr_status tr_graph_terms_intern(struct tr_graph_terms *terms,
                                const tr_rdf_term *term, tr_rdf_id *out,
                                struct tr_err *err)
{
    if (term->kind != TR_RDF_TERM_IRI && term->kind != TR_RDF_TERM_LITERAL)
        return tr_fail(err, TR_E_INVALID, "a blank node cannot be stored");
    TR_TRY(look_up(terms, term, tr_graph_terms_intern, out, err));
    if (*out != TR_RDF_ID_NONE)
        return TR_OK;
    return store_key(terms, tr_buf_str(&terms->key), out, err);
}

/* The term may have been added meanwhile, as the datatype of another. */
tr_status tr_graph_terms_add(struct tr_graph_terms *terms,
                             const tr_rdf_term *term, tr_rdf_id *out,
                             struct tr_err *err)
{
    bool has_key;
    if (term->kind != TR_RDF_TERM_IRI && term->kind != TR_RDF_TERM_LITERAL)
        return tr_fail(err, TR_E_INVALID, "a blank node cannot be stored");
    TR_TRY(make_key(terms, term, tr_graph_terms_intern, &has_key, err));
    tr_str key = tr_buf_str(&terms->key);
    if (!key.ptr)
        return fail_key(err);
    const struct tr_graph_terms_entry *entry =
        find_key(terms, key, tr_hash_bytes(key, terms->seed));
    if (!entry)
        return store_key(terms, key, out, err);
    *out = entry->id;
    return TR_OK;
}

static tr_status load_id(struct tr_graph_terms *terms, tr_rdf_id id,
                         struct tr_graph_terms_entry **out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(terms->db, "SELECT key FROM term WHERE id = ?1", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)id);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return tr_fail(err, TR_E_NOT_FOUND, "the store has no such term");
    tr_status status =
        add_entry(terms, id, tr_db_column_blob(stmt, 0), out, err);
    tr_db_stmt_reset(stmt);
    return status;
}

/* The text of an inline id is copied too: it must live as long as others. */
static tr_status keep_inline(struct tr_graph_terms *terms, tr_rdf_id id,
                             tr_rdf_term *out, struct tr_err *err)
{
    char text[TR_GRAPH_ID_TEXT];
    *out = tr_graph_id_decode(id, text);
    if (out->kind == TR_RDF_TERM_NONE)
        return tr_fail(err, TR_E_NOT_FOUND, "the store has no such term");
    if (!tr_arena_copy(&terms->arena, out->text, &out->text))
        return tr_fail(err, TR_E_NOMEM, "no memory for terms");
    return TR_OK;
}

tr_status tr_graph_terms_get(struct tr_graph_terms *terms, tr_rdf_id id,
                             tr_rdf_term *out, struct tr_err *err)
{
    if (tr_graph_id_is_inline(id))
        return keep_inline(terms, id, out, err);
    struct tr_graph_terms_entry *entry = find_id(terms, id);
    if (!entry)
        TR_TRY(load_id(terms, id, &entry, err));
    *out = entry->term;
    return TR_OK;
}
