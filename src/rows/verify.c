#include "rows/verify.h"

#include "base/hash.h"
#include "base/text.h"
#include "crypto/digest.h"
#include "rows/statements.h"

#include <inttypes.h>
#include <stdarg.h>

/* What is held against what. */
struct verifying {
    struct tr_db *db;
    struct tr_rows_terms *terms;
    uint64_t literals;
    uint64_t references;
    uint64_t texts;
    uint64_t text_mix; /* which ones: the sum of their hashes */
    uint64_t seed;
    uint64_t rows; /* of `spo` that a mark leads to */
    tr_rdf_id s;   /* the subject that is looked at */
    struct tr_err *err;
};

TR_PRINTF(2, 3)
static tr_status fault(const struct verifying *v, const char *format, ...)
{
    char what[160];
    tr_rdf_term subject = {0};
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    if (v->s == TR_RDF_ID_NONE ||
        tr_rows_terms_get(v->terms, v->s, &subject, NULL) != TR_OK)
        return tr_fail(v->err, TR_E_IO, "the store is damaged: %s", what);
    return tr_fail(v->err, TR_E_IO, "the store is damaged: %s (<%.*s>)", what,
                   TR_FMT(subject.text));
}

static tr_status read_number(struct verifying *v, const char *sql,
                             const int64_t *at, size_t count, int64_t *out)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(v->db, sql, &stmt, v->err));
    for (size_t i = 0; i < count; i++)
        tr_db_bind_i64(stmt, (int)i + 1, at[i]);
    TR_TRY(tr_db_stmt_step(stmt, &row, v->err));
    *out = row ? tr_db_column_i64(stmt, 0) : 0;
    if (row)
        tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status expect(struct verifying *v, const char *sql, uint64_t wanted,
                        const char *what)
{
    int64_t found;
    TR_TRY(read_number(v, sql, NULL, 0, &found));
    if ((uint64_t)found == wanted)
        return TR_OK;
    v->s = TR_RDF_ID_NONE;
    return fault(v, "%s: %" PRId64 ", by what is said of nodes %" PRIu64, what,
                 found, wanted);
}

/* A class, or an IRI that a statement names, has a number. */
static tr_status check_id(struct verifying *v, tr_rdf_id id)
{
    tr_rdf_term term;
    tr_status status = TR_E_NOT_FOUND;
    if (tr_rows_id_tag(id) == TR_ROWS_TAG_IRI)
        status = tr_rows_terms_get(v->terms, id, &term, v->err);
    return status == TR_E_NOT_FOUND
               ? fault(v, "IRI %" PRIu64 " is not there", tr_rows_id_number(id))
               : status;
}

static tr_status check_iri(struct verifying *v, uint64_t number)
{
    return check_id(v, tr_rows_id_make(number, TR_ROWS_TAG_IRI));
}

/* Values ------------------------------------------------------------------ */

/* All of a long value, which lasts as long as the statement. */
static tr_status check_text(struct verifying *v, const struct tr_pack_value *at,
                            struct tr_db_stmt *stmt, tr_str *out)
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    bool row;
    tr_db_bind_i64(stmt, 1, (int64_t)at->number);
    TR_TRY(tr_db_stmt_step(stmt, &row, v->err));
    if (!row)
        return fault(v, "text %" PRIu64 " is not there", at->number);
    *out = tr_db_column_blob(stmt, 0);
    tr_crypto_sha256(*out, digest);
    v->texts++;
    v->text_mix += tr_hash_u64(at->number, v->seed);
    return out->len == at->len &&
                   memcmp(digest, at->text.ptr, sizeof(digest)) == 0
               ? TR_OK
               : fault(v, "text %" PRIu64 " is another", at->number);
}

static tr_status check_pos(struct verifying *v, const tr_pack_statement *one,
                           const struct tr_pack_value *value)
{
    tr_rdf_term datatype = {0};
    struct tr_db_stmt *stmt;
    tr_pack_key key;
    bool row;
    if (!tr_utf8_is_valid(value->text) || !tr_utf8_is_valid(value->language))
        return fault(v, "a text is not UTF-8");
    if (value->kind == TR_PACK_TYPED)
        TR_TRY(tr_rows_terms_get(
            v->terms, tr_rows_id_make(value->number, TR_ROWS_TAG_IRI),
            &datatype, v->err));
    tr_pack_key_make(value, tr_rdf_xsd_type_of(datatype.text), &key);
    TR_TRY(tr_db_prepare(v->db,
                         "SELECT 1 FROM pos WHERE p = ?1 AND k = ?2 AND s = ?3"
                         " AND g = ?4",
                         &stmt, v->err));
    tr_db_bind_i64(stmt, 1, (int64_t)tr_rows_id_make(one->p, TR_ROWS_TAG_IRI));
    tr_db_bind_blob(stmt, 2, tr_pack_key_str(&key));
    tr_db_bind_i64(stmt, 3, (int64_t)v->s);
    tr_db_bind_i64(stmt, 4, (int64_t)tr_rows_id_of_graph(one->g));
    TR_TRY(tr_db_stmt_step(stmt, &row, v->err));
    if (row)
        tr_db_stmt_reset(stmt);
    v->literals++;
    return row ? TR_OK : fault(v, "a value is not in the index");
}

static tr_status check_ops(struct verifying *v, const tr_pack_statement *one,
                           uint64_t number)
{
    const int64_t at[] = {(int64_t)tr_rows_id_make(number, TR_ROWS_TAG_IRI),
                          (int64_t)tr_rows_id_make(one->p, TR_ROWS_TAG_IRI),
                          (int64_t)v->s, (int64_t)tr_rows_id_of_graph(one->g)};
    int64_t found;
    TR_TRY(read_number(v,
                       "SELECT 1 FROM ops WHERE o = ?1 AND p = ?2 AND s = ?3"
                       " AND g = ?4",
                       at, TR_LEN(at), &found));
    v->references++;
    return found ? TR_OK : fault(v, "a reference is not in the index");
}

static tr_status check_long(struct verifying *v, const tr_pack_statement *one,
                            const struct tr_pack_value *at)
{
    struct tr_pack_value value = {0};
    struct tr_db_stmt *stmt;
    tr_str whole = {0};
    TR_TRY(tr_db_prepare(v->db, "SELECT v FROM text WHERE id = ?1", &stmt,
                         v->err));
    tr_status status = check_text(v, at, stmt, &whole);
    if (status == TR_OK)
        status = tr_pack_value_get(whole, &value, v->err);
    if (status == TR_OK && value.kind == TR_PACK_TYPED)
        status = check_iri(v, value.number);
    if (status == TR_OK)
        status = check_pos(v, one, &value);
    tr_db_stmt_reset(stmt);
    return status;
}

static tr_status check_statement(struct verifying *v,
                                 const tr_pack_statement *one)
{
    struct tr_pack_value value;
    TR_TRY(check_iri(v, one->p));
    if (one->g)
        TR_TRY(check_iri(v, one->g));
    TR_TRY(tr_pack_value_get(one->v, &value, v->err));
    if (value.kind == TR_PACK_REFERENCE || value.kind == TR_PACK_TYPED)
        TR_TRY(check_iri(v, value.number));
    if (value.kind == TR_PACK_REFERENCE)
        return check_ops(v, one, value.number);
    return value.kind == TR_PACK_LONG ? check_long(v, one, &value)
                                      : check_pos(v, one, &value);
}

/* Rows -------------------------------------------------------------------- */

static tr_status check_statements(struct verifying *v, tr_str body)
{
    struct tr_rows_statements all;
    tr_pack_statement one;
    tr_status status = TR_OK;
    tr_rows_statements_open_body(&all, v->terms, v->s, 0, body);
    while (status == TR_OK && tr_rows_statements_next(&all, &one)) {
        v->rows += all.rows != NULL;
        status = check_statement(v, &one);
    }
    tr_status closed = tr_rows_statements_close(&all, NULL);
    if (status == TR_OK && closed != TR_OK)
        return fault(v, "what is said of a node cannot be read");
    return status;
}

static tr_status check_row(struct verifying *v, struct tr_db_stmt *stmt)
{
    int64_t version = tr_db_column_i64(stmt, 2);
    tr_str body = tr_db_column_blob(stmt, 4);
    tr_rdf_term iri;
    v->s = (tr_rdf_id)tr_db_column_i64(stmt, 0);
    tr_status status = tr_rows_terms_get(v->terms, v->s, &iri, v->err);
    if (status == TR_E_NOT_FOUND)
        return fault(v, "IRI %" PRIu64 " is not there",
                     tr_rows_id_number(v->s));
    TR_TRY(status);
    if (!tr_str_eq(iri.text, tr_db_column_blob(stmt, 3)))
        return fault(v, "a node has another IRI than its row");
    if (version < 0 || (version == 0) != (tr_db_column_i64(stmt, 5) != 0))
        return fault(v, "the version of a node");
    if (!body.len)
        return fault(v, "what is said of a node is not there");
    if (version == 0 && body.len == 1)
        return fault(v, "a row of which nothing is said");
    if (tr_db_column_i64(stmt, 1))
        TR_TRY(check_id(v, (tr_rdf_id)tr_db_column_i64(stmt, 1)));
    TR_TRY(check_statements(v, body));
    tr_rows_terms_trim(v->terms);
    return TR_OK;
}

static tr_status check_rows(struct verifying *v)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(v->db,
                         "SELECT s, type, version, iri, body, type IS NULL"
                         " FROM node",
                         &stmt, v->err));
    TR_TRY(tr_db_stmt_step(stmt, &row, v->err));
    while (row) {
        tr_status status = check_row(v, stmt);
        if (status != TR_OK) {
            tr_db_stmt_reset(stmt);
            return status;
        }
        TR_TRY(tr_db_stmt_step(stmt, &row, v->err));
    }
    return TR_OK;
}

/* Each text is one statement's: two that share one would lose it together. */
static tr_status check_texts(struct verifying *v)
{
    struct tr_db_stmt *stmt;
    uint64_t mix = 0;
    bool row;
    TR_TRY(tr_db_prepare(v->db, "SELECT id FROM text", &stmt, v->err));
    TR_TRY(tr_db_stmt_step(stmt, &row, v->err));
    while (row) {
        mix += tr_hash_u64((uint64_t)tr_db_column_i64(stmt, 0), v->seed);
        TR_TRY(tr_db_stmt_step(stmt, &row, v->err));
    }
    v->s = TR_RDF_ID_NONE;
    return mix == v->text_mix ? TR_OK
                              : fault(v, "statements share a long text");
}

/* Every statement has its row in an index: when there are as many of both, no
 * index has a row too many. */
static tr_status check_counts(struct verifying *v)
{
    TR_TRY(expect(v, "SELECT count(*) FROM pos", v->literals,
                  "values in the index"));
    TR_TRY(expect(v, "SELECT count(*) FROM ops", v->references,
                  "references in the index"));
    TR_TRY(expect(v, "SELECT count(*) FROM text", v->texts, "long texts"));
    TR_TRY(check_texts(v));
    /* One whose graph has another tag counts twice: readers do not see that. */
    TR_TRY(expect(v, "SELECT sum(iif((g & 15) = 1, 1, 2)) FROM spo", v->rows,
                  "statements that are not packed"));
    return expect(v, "SELECT value FROM meta WHERE key = 3",
                  v->literals + v->references, "the number of statements");
}

tr_status tr_rows_verify(struct tr_db *db, struct tr_err *err)
{
    struct verifying v = {.db = db, .err = err};
    v.seed = tr_hash_seed(&v);
    TR_TRY(tr_rows_terms_create(db, &v.terms, err));
    tr_status status = check_rows(&v);
    if (status == TR_OK)
        status = check_counts(&v);
    tr_rows_terms_free(v.terms);
    return status;
}
