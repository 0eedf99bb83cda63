#include "support/old_store.h"

#include "base/test.h"
#include "graph/schema.h"
#include "rows/quads.h"
#include "rows/verify.h"
#include "support/quads.h"

/* What stood before the text of a term in its key. */
enum { KEY_IRI = 1, KEY_STRING, KEY_TYPED, KEY_LANG };

void old_store_open(struct old_store *old, struct tr_db *db, size_t version)
{
    struct tr_err err = {0};
    *old = (struct old_store){.db = db, .next = 1};
    tr_arena_init(&old->arena, TR_MIB(256));
    CHECK_OK(tr_rdf_memory_graph_create(0, &old->quads, &err), &err);
    CHECK_OK(tr_graph_schema_to(db, version, &err), &err);
    CHECK_OK(tr_db_begin(db, TR_DB_WRITE, &err), &err);
}

void old_store_commit(struct old_store *old)
{
    struct tr_err err = {0};
    CHECK_OK(tr_db_commit(old->db, &err), &err);
    CHECK_OK(tr_rdf_memory_graph_index(old->quads, &err), &err);
}

void old_store_close(struct old_store *old)
{
    tr_rdf_memory_graph_free(old->quads);
    tr_arena_done(&old->arena);
}

/* Terms ------------------------------------------------------------------- */

static void put_id(struct tr_buf *out, tr_rdf_id id)
{
    for (int shift = 56; shift >= 0; shift -= 8)
        tr_buf_putc(out, (char)(id >> shift & 0xFF));
}

/* Writes the key of a term, and returns its tag. */
static unsigned put_key(struct old_store *old, const tr_rdf_term *term,
                        struct tr_buf *out)
{
    tr_rdf_id datatype;
    unsigned tag = KEY_TYPED;
    if (term->kind == TR_RDF_TERM_IRI)
        tag = KEY_IRI;
    else if (term->language.len)
        tag = KEY_LANG;
    else if (tr_str_eq(term->datatype, TR_STR(TR_RDF_IRI_XSD_STRING)))
        tag = KEY_STRING;
    tr_buf_putc(out, (char)tag);
    if (tag == KEY_TYPED) {
        datatype = old_store_term(old, tr_rdf_term_iri(term->datatype));
        put_id(out, datatype);
    } else if (tag == KEY_LANG) {
        tr_buf_put(out, term->language);
        tr_buf_putc(out, '\0');
    }
    tr_buf_put(out, term->text);
    return tag;
}

static tr_rdf_id find_key(struct old_store *old, tr_str key)
{
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    bool row;
    CHECK_OK(tr_db_prepare(old->db, "SELECT id FROM term WHERE key = ?1", &stmt,
                           &err),
             &err);
    tr_db_bind_blob(stmt, 1, key);
    CHECK_OK(tr_db_stmt_step(stmt, &row, &err), &err);
    tr_rdf_id id = row ? (tr_rdf_id)tr_db_column_i64(stmt, 0) : TR_RDF_ID_NONE;
    tr_db_stmt_reset(stmt);
    return id;
}

static tr_rdf_id add_key(struct old_store *old, unsigned tag, tr_str key)
{
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    tr_rdf_id id = old->next++ << TR_ROWS_TAG_BITS | tag;
    CHECK_OK(
        tr_db_prepare(old->db, "INSERT INTO term VALUES (?1, ?2)", &stmt, &err),
        &err);
    tr_db_bind_i64(stmt, 1, (int64_t)id);
    tr_db_bind_blob(stmt, 2, key);
    CHECK_OK(tr_db_stmt_run(stmt, &err), &err);
    return id;
}

tr_rdf_id old_store_term(struct old_store *old, tr_rdf_term term)
{
    struct tr_err err = {0};
    struct tr_buf key;
    tr_rdf_id id;
    if (term.kind == TR_RDF_TERM_NONE)
        return TR_RDF_ID_DEFAULT_GRAPH;
    if (tr_rows_id_encode(&term, &id))
        return id;
    tr_buf_init(&key, TR_MIB(17));
    unsigned tag = put_key(old, &term, &key);
    CHECK_OK(tr_buf_check(&key, &err), &err);
    id = find_key(old, tr_buf_str(&key));
    if (id == TR_RDF_ID_NONE)
        id = add_key(old, tag, tr_buf_str(&key));
    tr_buf_done(&key);
    return id;
}

/* Statements -------------------------------------------------------------- */

void old_store_put(struct old_store *old, tr_rdf_quad quad)
{
    static const char *const sql[] = {
        "INSERT OR IGNORE INTO spo (s, p, o, g) VALUES (?1, ?2, ?3, ?4)",
        "INSERT OR IGNORE INTO pos (s, p, o, g) VALUES (?1, ?2, ?3, ?4)",
        "INSERT OR IGNORE INTO ops (s, p, o, g) VALUES (?1, ?2, ?3, ?4)",
    };
    struct tr_err err = {0};
    const tr_rdf_id ids[] = {
        old_store_term(old, quad.subject), old_store_term(old, quad.predicate),
        old_store_term(old, quad.object), old_store_term(old, quad.graph)};
    for (size_t i = 0; i < TR_LEN(sql); i++) {
        struct tr_db_stmt *stmt;
        CHECK_OK(tr_db_prepare(old->db, sql[i], &stmt, &err), &err);
        for (size_t n = 0; n < TR_LEN(ids); n++)
            tr_db_bind_i64(stmt, (int)n + 1, (int64_t)ids[n]);
        CHECK_OK(tr_db_stmt_run(stmt, &err), &err);
    }
    CHECK_OK(tr_rdf_memory_graph_add(old->quads, &quad, &err), &err);
}

void old_store_node(struct old_store *old, const char *iri, const char *type,
                    int64_t version, const char *label)
{
    struct tr_err err = {0};
    struct tr_db_stmt *stmt;
    tr_rdf_id s = old_store_term(old, tr_rdf_term_iri(tr_str_from(iri)));
    tr_rdf_id class =
        type ? old_store_term(old, tr_rdf_term_iri(tr_str_from(type))) : 0;
    CHECK_OK(tr_db_prepare(old->db, "INSERT INTO node VALUES (?1, ?2, ?3, ?4)",
                           &stmt, &err),
             &err);
    tr_db_bind_i64(stmt, 1, (int64_t)s);
    tr_db_bind_i64(stmt, 2, (int64_t) class);
    tr_db_bind_i64(stmt, 3, version);
    if (label)
        tr_db_bind_text(stmt, 4, tr_str_from(label));
    CHECK_OK(tr_db_stmt_run(stmt, &err), &err);
}

/* Contents ---------------------------------------------------------------- */

tr_str old_store_text(struct old_store *old, size_t len)
{
    char *text = tr_arena_alloc(&old->arena, len);
    CHECK(text);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + i * i % 23 + i % 3);
    return (tr_str){text, len};
}

static void fill_hub(struct old_store *old, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[40];
        (void)snprintf(text, sizeof(text), "value %zu of a hub", i);
        old_store_put(
            old,
            (tr_rdf_quad){.subject = tr_rdf_term_iri(TR_STR("http://e/hub")),
                          .predicate = tr_rdf_term_iri(TR_STR("http://e/p")),
                          .object = tr_rdf_term_string(tr_str_from(text))});
    }
}

/* In the default graph and two others: the same triple is three statements. */
static void put_in_graphs(struct old_store *old, const char *s,
                          tr_rdf_term object)
{
    static const char *const graphs[] = {"http://e/g2", "http://e/g1"};
    tr_rdf_quad quad = {.subject = tr_rdf_term_iri(tr_str_from(s)),
                        .predicate = tr_rdf_term_iri(TR_STR("http://e/says")),
                        .object = object};
    old_store_put(old, quad);
    for (size_t i = 0; i < TR_LEN(graphs); i++) {
        quad.graph = tr_rdf_term_iri(tr_str_from(graphs[i]));
        old_store_put(old, quad);
    }
}

static void fill_literals(struct old_store *old)
{
#define TYPED(text, type)                                                      \
    {                                                                          \
        TR_STR_INIT(text), TR_STR_INIT(TR_RDF_NS_XSD type)                     \
    }
    static const struct {
        tr_str text;
        tr_str datatype;
    } rows[] = {
        TYPED("0", "integer"),
        TYPED("-1", "integer"),
        TYPED("01", "integer"),
        TYPED("+5", "integer"),
        TYPED("abc", "integer"),
        TYPED("144115188075855871", "integer"), /* 2^57 - 1: in the id */
        TYPED("144115188075855872", "integer"),
        TYPED("-144115188075855872", "integer"),
        TYPED("-144115188075855873", "integer"),
        TYPED("9223372036854775807", "integer"),
        TYPED("-9223372036854775808", "integer"),
        TYPED("9223372036854775808", "integer"), /* 2^63 */
        TYPED("123456789012345678901234567890", "integer"),
        TYPED("true", "boolean"),
        TYPED("false", "boolean"),
        TYPED("1", "boolean"),
        TYPED("2026-07-28T12:00:00Z", "dateTime"),
        TYPED("0000-01-01T00:00:00Z", "dateTime"),
        TYPED("9999-12-31T23:59:59Z", "dateTime"),
        TYPED("2026-07-28T12:00:00.5Z", "dateTime"),
        TYPED("2026-07-28T12:00:00+02:00", "dateTime"),
        TYPED("2026-07-28T12:00:00", "dateTime"),
        TYPED("2026-07-28", "date"),
        TYPED("1.50", "decimal"),
        TYPED("1.5", "decimal"),
        TYPED("-0.0E0", "double"),
        TYPED("NaN", "double"),
        TYPED("1E400", "double"),
        TYPED("", "string"),
        TYPED("5", "string"),
        TYPED("a\0b", "string"),
        TYPED("\xC3\xA9\xF4\x8F\xBF\xBF", "string"),
        {TR_STR_INIT("5"), TR_STR_INIT("http://e/type")},
        {TR_STR_INIT(""), TR_STR_INIT("http://e/type")},
    };
#undef TYPED
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        tr_rdf_term term = tr_rdf_term_typed(rows[i].text, rows[i].datatype);
        put_in_graphs(old, "http://e/node", term);
        put_in_graphs(old, "http://e/loose", term);
    }
}

static void fill_texts(struct old_store *old)
{
    static const size_t lengths[] = {64, 65, 998, 999, 1000, 1001, 5000};
    static const char *const languages[] = {
        "en", "EN", "de-AT", "en-a-aaaaaaaa-bbbbbbbb-cccccccc-dddddddd"};
    for (size_t i = 0; i < TR_LEN(lengths); i++) {
        tr_str text = old_store_text(old, lengths[i]);
        put_in_graphs(old, "http://e/node", tr_rdf_term_string(text));
        put_in_graphs(old, "http://e/texts",
                      tr_rdf_term_typed(text, TR_STR("http://e/type")));
        put_in_graphs(old, "http://e/texts",
                      tr_rdf_term_lang(text, TR_STR("en")));
    }
    for (size_t i = 0; i < TR_LEN(languages); i++)
        put_in_graphs(old, "http://e/node",
                      tr_rdf_term_lang(TR_STR("x"), tr_str_from(languages[i])));
}

void old_store_fill(struct old_store *old, size_t hub)
{
    fill_literals(old);
    fill_texts(old);
    put_in_graphs(old, "http://e/node",
                  tr_rdf_term_iri(TR_STR("http://e/loose")));
    put_in_graphs(old, "http://e/node",
                  tr_rdf_term_iri(TR_STR("http://e/nothing-else")));
    fill_hub(old, hub);
    old_store_node(old, "http://e/node", "http://e/Class", 7, "a \xC3\xA9");
    old_store_node(old, "http://e/hub", "http://e/Class", 1, NULL);
    old_store_node(old, "http://e/texts", NULL, 3, "");
    old_store_node(old, "http://e/empty", "http://e/Class", 2, "empty");
}

/* What became of it ------------------------------------------------------- */

void old_store_check_new(const struct old_store *old, struct tr_db *db)
{
    struct tr_rows_stored_graph graph;
    struct tr_rows_terms *terms = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_db_check(db, &err), &err);
    CHECK_OK(tr_rows_verify(db, &err), &err);
    CHECK_OK(tr_rows_terms_create(db, &terms, &err), &err);
    tr_rows_stored_graph_init(&graph, db, terms);
    quads_same(&graph.base, tr_rdf_memory_graph_view(old->quads));
    tr_rows_terms_free(terms);
}
