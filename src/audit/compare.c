/*
 * The tables that a quad stands in, beside each other: none may say what the
 * others do not. Each row of an index is looked for among the quads; keys are
 * unique, so how many rows there are tells whether one is missing.
 */
#include "audit/audit.h"
#include "db/db.h"
#include "graph/value_set.h"
#include "values/index.h"

/* A table beside spo. */
struct beside {
    const char *rows;   /* how many it has */
    const char *extra;  /* those that no quad has, or that stand elsewhere */
    const char *wanted; /* how many there should be */
};

#define HAS_NO_QUAD(row)                                                       \
    "NOT EXISTS (SELECT 1 FROM spo WHERE spo.s = " row ".s AND spo.p = " row   \
    ".p AND spo.o = " row ".o AND spo.g = " row ".g)"

static const struct beside tables[] = {
    {"SELECT count(*) FROM pos",
     "SELECT count(*) FROM pos WHERE (pos.o & 15) < 2"
     " OR pos.p IN (SELECT p FROM bare) OR " HAS_NO_QUAD("pos"),
     "SELECT count(*) FROM spo WHERE " TR_GRAPH_SQL_IS_LITERAL
     " AND spo.p NOT IN (SELECT p FROM bare)"},
    {"SELECT count(*) FROM ops",
     "SELECT count(*) FROM ops WHERE (ops.o & 15) >= 2"
     " OR " HAS_NO_QUAD("ops"),
     "SELECT count(*) FROM spo WHERE NOT (" TR_GRAPH_SQL_IS_LITERAL ")"},
};

/* Numbers and the default graph need no term. */
static const char unknown_sql[] =
    "SELECT count(*) FROM spo WHERE s NOT IN (SELECT id FROM term)"
    " OR p NOT IN (SELECT id FROM term)"
    " OR (o & 15) < 8 AND o NOT IN (SELECT id FROM term)"
    " OR g <> 1 AND g NOT IN (SELECT id FROM term)";

/* A node counts once for each class, in however many graphs that stands. */
static const char counted_sql[] =
    "SELECT (SELECT count(*) FROM type_count WHERE count <>"
    " (SELECT count(DISTINCT s) FROM ops WHERE o = type AND p = ?1)) +"
    " (SELECT count(DISTINCT o) FROM ops WHERE p = ?1"
    " AND o NOT IN (SELECT type FROM type_count))";

static tr_status count(struct tr_db *db, const char *sql, tr_rdf_id id,
                       uint64_t *out, struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(db, sql, &stmt, err));
    if (id != TR_RDF_ID_NONE)
        tr_db_bind_i64(stmt, 1, (int64_t)id);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    *out = (uint64_t)tr_db_column_i64(stmt, 0);
    tr_db_stmt_reset(stmt);
    return TR_OK;
}

static tr_status compare_quads(struct tr_db *db, struct tr_audit_compared *out,
                               struct tr_err *err)
{
    for (size_t i = 0; i < TR_LEN(tables); i++) {
        uint64_t rows = 0;
        uint64_t extra = 0;
        uint64_t wanted = 0;
        TR_TRY(count(db, tables[i].rows, TR_RDF_ID_NONE, &rows, err));
        TR_TRY(count(db, tables[i].extra, TR_RDF_ID_NONE, &extra, err));
        TR_TRY(count(db, tables[i].wanted, TR_RDF_ID_NONE, &wanted, err));
        out->extra += extra;
        out->missing += wanted - (rows - extra);
    }
    return count(db, unknown_sql, TR_RDF_ID_NONE, &out->unknown, err);
}

static tr_status compare_counts(struct tr_db *db, struct tr_audit_compared *out,
                                struct tr_err *err)
{
    tr_rdf_term type = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_TYPE));
    struct tr_graph_terms *terms = NULL;
    tr_rdf_id id = TR_RDF_ID_NONE;
    TR_TRY(tr_graph_terms_create(db, &terms, err));
    tr_status status = tr_graph_terms_find(terms, &type, &id, err);
    tr_graph_terms_free(terms);
    if (status == TR_OK)
        status = count(db, counted_sql, id, &out->counted, err);
    return status;
}

tr_status tr_audit_compare(struct tr_db *db, struct tr_audit_compared *out,
                           struct tr_err *err)
{
    struct tr_values_checked found = {0};
    *out = (struct tr_audit_compared){0};
    TR_TRY(compare_quads(db, out, err));
    TR_TRY(compare_counts(db, out, err));
    if (out->unknown)
        return TR_OK; /* a key cannot be made of what stands for nothing */
    TR_TRY(tr_values_check(db, &found, err));
    out->extra += found.extra;
    out->missing += found.missing;
    return TR_OK;
}
