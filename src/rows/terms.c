#include "base/hash.h"
#include "base/limits.h"
#include "db/db.h"
#include "rows/terms_inside.h"

/* tr_rows_terms_trim drops a cache that holds more. */
#define IRI_BYTES     TR_MIB(4)
#define LITERAL_BYTES TR_MIB(1)

tr_status tr_rows_terms_create(struct tr_db *db, struct tr_rows_terms **out,
                               struct tr_err *err)
{
    struct tr_rows_terms *terms = calloc(1, sizeof(*terms));
    if (!terms)
        return tr_fail(err, TR_E_NOMEM, "no memory for terms");
    terms->db = db;
    tr_rows_seen_init(&terms->iris, tr_hash_seed(terms));
    tr_rows_seen_init(&terms->literals, terms->iris.seed);
    tr_buf_init(&terms->value, TR_LIMIT_RDF_TERM + TR_KIB(4));
    tr_rows_bodies_init(&terms->bodies);
    *out = terms;
    return TR_OK;
}

void tr_rows_terms_free(struct tr_rows_terms *terms)
{
    if (!terms)
        return;
    tr_rows_seen_done(&terms->iris);
    tr_rows_seen_done(&terms->literals);
    tr_rows_bodies_done(&terms->bodies);
    tr_buf_done(&terms->value);
    free(terms);
}

static void forget_literals(struct tr_rows_terms *terms)
{
    tr_rows_seen_clear(&terms->literals);
    terms->generation++;
    terms->needed = 0;
    tr_buf_done(&terms->value);
    tr_buf_init(&terms->value, TR_LIMIT_RDF_TERM + TR_KIB(4));
}

/* Literals name their datatypes' IRIs, and go with them. */
void tr_rows_terms_forget(struct tr_rows_terms *terms)
{
    forget_literals(terms);
    tr_rows_seen_clear(&terms->iris);
    tr_rows_terms_renew(terms);
}

void tr_rows_terms_renew(struct tr_rows_terms *terms)
{
    terms->next = 0;
    tr_rows_bodies_clear(&terms->bodies);
}

void tr_rows_terms_trim(struct tr_rows_terms *terms)
{
    size_t held = terms->literals.arena.held + terms->value.held;
    /* What one job needs is not dropped after each: it would be read again. */
    if (terms->needed == 0)
        terms->needed = held + 1;
    if (terms->iris.arena.held > IRI_BYTES)
        tr_rows_terms_forget(terms);
    else if (held > LITERAL_BYTES && held / 2 > terms->needed)
        forget_literals(terms);
}

uint64_t tr_rows_terms_generation(const struct tr_rows_terms *terms)
{
    return terms->generation;
}

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for terms");
}

static tr_status no_term(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOT_FOUND, "the store has no such term");
}

/* IRIs -------------------------------------------------------------------- */

static tr_status see_iri(struct tr_rows_terms *terms, tr_rdf_id id, tr_str iri,
                         struct tr_rows_seen_entry **out, struct tr_err *err)
{
    uint64_t hash = tr_rows_seen_hash(&terms->iris, iri);
    *out = tr_rows_seen_add(&terms->iris, id, iri, hash);
    if (!*out)
        return no_memory(err);
    (*out)->term = tr_rdf_term_iri((*out)->key);
    return TR_OK;
}

static tr_status find_iri(struct tr_rows_terms *terms, tr_str iri,
                          tr_rdf_id *out, struct tr_err *err)
{
    struct tr_rows_seen_entry *entry = tr_rows_seen_find_key(
        &terms->iris, iri, tr_rows_seen_hash(&terms->iris, iri));
    struct tr_db_stmt *stmt;
    bool row;
    if (entry) {
        *out = entry->id;
        return TR_OK;
    }
    TR_TRY(tr_db_prepare(terms->db, "SELECT id FROM term WHERE key = ?1", &stmt,
                         err));
    tr_db_bind_blob(stmt, 1, iri);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = row ? (tr_rdf_id)tr_db_column_i64(stmt, 0) : TR_RDF_ID_NONE;
    tr_db_stmt_reset(stmt);
    return row ? see_iri(terms, *out, iri, &entry, err) : TR_OK;
}

/* A compaction may have removed the highest term: `meta` has its number, so
 * that none is given out twice. */
static tr_status load_next(struct tr_rows_terms *terms, struct tr_err *err)
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
    terms->next = ((uint64_t)tr_db_column_i64(stmt, 0) >> TR_ROWS_TAG_BITS) + 1;
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

tr_status tr_rows_terms_next(struct tr_rows_terms *terms, uint64_t *out,
                             struct tr_err *err)
{
    TR_TRY(load_next(terms, err));
    *out = terms->next;
    return TR_OK;
}

static tr_status store_iri(struct tr_rows_terms *terms, tr_str iri,
                           tr_rdf_id *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    struct tr_rows_seen_entry *entry;
    TR_TRY(load_next(terms, err));
    *out = tr_rows_id_make(terms->next, TR_ROWS_TAG_IRI);
    TR_TRY(tr_db_prepare(terms->db, "INSERT INTO term VALUES (?1, ?2)", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)*out);
    tr_db_bind_blob(stmt, 2, iri);
    TR_TRY(tr_db_stmt_run(stmt, err));
    terms->next++;
    return see_iri(terms, *out, iri, &entry, err);
}

static tr_status intern_iri(struct tr_rows_terms *terms, tr_str iri,
                            tr_rdf_id *out, struct tr_err *err)
{
    TR_TRY(find_iri(terms, iri, out, err));
    return *out == TR_RDF_ID_NONE ? store_iri(terms, iri, out, err) : TR_OK;
}

/* It may have been added meanwhile, as the datatype of another. */
static tr_status add_iri(struct tr_rows_terms *terms, tr_str iri,
                         tr_rdf_id *out, struct tr_err *err)
{
    const struct tr_rows_seen_entry *entry = tr_rows_seen_find_key(
        &terms->iris, iri, tr_rows_seen_hash(&terms->iris, iri));
    if (!entry)
        return store_iri(terms, iri, out, err);
    *out = entry->id;
    return TR_OK;
}

static tr_status load_iri(struct tr_rows_terms *terms, tr_rdf_id id,
                          tr_str *out, struct tr_err *err)
{
    struct tr_rows_seen_entry *entry;
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(terms->db, "SELECT key FROM term WHERE id = ?1", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)id);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return no_term(err);
    tr_status status =
        see_iri(terms, id, tr_db_column_blob(stmt, 0), &entry, err);
    tr_db_stmt_reset(stmt);
    if (status == TR_OK)
        *out = entry->key;
    return status;
}

tr_status tr_rows_terms_get_iri(struct tr_rows_terms *terms, tr_rdf_id id,
                                tr_str *out, struct tr_err *err)
{
    const struct tr_rows_seen_entry *entry =
        tr_rows_seen_find_id(&terms->iris, id);
    if (!entry)
        return load_iri(terms, id, out, err);
    *out = entry->key;
    return TR_OK;
}

/* Looking up -------------------------------------------------------------- */

/* How an IRI is looked up: with or without adding what is not there. */
typedef tr_status iri_fn(struct tr_rows_terms *terms, tr_str iri,
                         tr_rdf_id *out, struct tr_err *err);

/* TR_RDF_ID_NONE when the datatype is not in the store: then no quad can have
 * the literal either. */
static tr_status look_up_literal(struct tr_rows_terms *terms,
                                 const tr_rdf_term *term, iri_fn *look_up,
                                 tr_rdf_id *out, struct tr_err *err)
{
    struct tr_pack_value value;
    *out = TR_RDF_ID_NONE;
    if (!tr_pack_value_of(term, &value) || tr_rows_id_of_value(&value, out))
        return TR_OK;
    if (value.kind == TR_PACK_TYPED) {
        tr_rdf_id datatype;
        TR_TRY(look_up(terms, term->datatype, &datatype, err));
        if (datatype == TR_RDF_ID_NONE)
            return TR_OK;
        value.number = tr_rows_id_number(datatype);
    }
    tr_buf_clear(&terms->value);
    tr_pack_value_put(&terms->value, &value);
    TR_TRY(tr_buf_check(&terms->value, err));
    return tr_rows_terms_see(terms, tr_buf_str(&terms->value), out, err);
}

static tr_status look_up(struct tr_rows_terms *terms, const tr_rdf_term *term,
                         iri_fn *iri, tr_rdf_id *out, struct tr_err *err)
{
    *out = TR_RDF_ID_NONE;
    switch (term->kind) {
    case TR_RDF_TERM_IRI:
        return iri(terms, term->text, out, err);
    case TR_RDF_TERM_LITERAL:
        return look_up_literal(terms, term, iri, out, err);
    default:
        return TR_OK;
    }
}

static tr_status look_up_to_add(struct tr_rows_terms *terms,
                                const tr_rdf_term *term, iri_fn *iri,
                                tr_rdf_id *out, struct tr_err *err)
{
    if (term->kind != TR_RDF_TERM_IRI && term->kind != TR_RDF_TERM_LITERAL)
        return tr_fail(err, TR_E_INVALID, "a blank node cannot be stored");
    return look_up(terms, term, iri, out, err);
}

tr_status tr_rows_terms_find(struct tr_rows_terms *terms,
                             const tr_rdf_term *term, tr_rdf_id *out,
                             struct tr_err *err)
{
    return look_up(terms, term, find_iri, out, err);
}

tr_status tr_rows_terms_intern(struct tr_rows_terms *terms,
                               const tr_rdf_term *term, tr_rdf_id *out,
                               struct tr_err *err)
{
    return look_up_to_add(terms, term, intern_iri, out, err);
}

tr_status tr_rows_terms_add(struct tr_rows_terms *terms,
                            const tr_rdf_term *term, tr_rdf_id *out,
                            struct tr_err *err)
{
    bool is_iri = term->kind == TR_RDF_TERM_IRI;
    return look_up_to_add(terms, term, is_iri ? add_iri : intern_iri, out, err);
}

/* The text of an inline id is copied too: it must live as long as others. */
static tr_status keep_inline(struct tr_rows_terms *terms, tr_rdf_id id,
                             tr_rdf_term *out, struct tr_err *err)
{
    char text[TR_ROWS_ID_TEXT];
    *out = tr_rows_id_decode(id, text);
    if (out->kind == TR_RDF_TERM_NONE)
        return no_term(err);
    return tr_arena_copy(&terms->literals.arena, out->text, &out->text)
               ? TR_OK
               : no_memory(err);
}

tr_status tr_rows_terms_get(struct tr_rows_terms *terms, tr_rdf_id id,
                            tr_rdf_term *out, struct tr_err *err)
{
    if (tr_rows_id_is_inline(id))
        return keep_inline(terms, id, out, err);
    if (tr_rows_id_tag(id) == TR_ROWS_TAG_LITERAL)
        return tr_rows_terms_get_literal(terms, id, out, err);
    TR_TRY(tr_rows_terms_get_iri(terms, id, &out->text, err));
    *out = tr_rdf_term_iri(out->text);
    return TR_OK;
}
