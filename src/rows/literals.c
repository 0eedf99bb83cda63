#include "db/db.h"
#include "rows/terms_inside.h"

/* The id of a literal has the generation above its number, so that one which
 * outlives its table is no other's. */
enum { GENERATION_BITS = 16, NUMBER_BITS = 40 };

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for terms");
}

static tr_status no_term(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOT_FOUND, "the store has no such term");
}

static tr_rdf_id next_literal(const struct tr_rows_terms *terms)
{
    uint64_t generation = terms->generation & ((1u << GENERATION_BITS) - 1);
    return tr_rows_id_make(generation << NUMBER_BITS | terms->literals.count,
                           TR_ROWS_TAG_LITERAL);
}

static tr_status see_literal(struct tr_rows_terms *terms, tr_str key,
                             struct tr_rows_seen_entry **out,
                             struct tr_err *err)
{
    uint64_t hash = tr_rows_seen_hash(&terms->literals, key);
    *out = tr_rows_seen_find_key(&terms->literals, key, hash);
    if (!*out)
        *out =
            tr_rows_seen_add(&terms->literals, next_literal(terms), key, hash);
    return *out ? TR_OK : no_memory(err);
}

tr_status tr_rows_terms_of_value(struct tr_rows_terms *terms, tr_str bytes,
                                 tr_rdf_id *out, struct tr_err *err)
{
    struct tr_rows_seen_entry *entry;
    struct tr_pack_value value;
    TR_TRY(tr_pack_value_get(bytes, &value, err));
    if (tr_rows_id_of_value(&value, out))
        return TR_OK;
    bool is_long = value.kind == TR_PACK_LONG;
    TR_TRY(see_literal(terms, tr_pack_value_identity(bytes), &entry, err));
    if (is_long) /* the row that was seen before may be gone */
        entry->row = value.number;
    *out = entry->id;
    return TR_OK;
}

tr_status tr_rows_terms_see(struct tr_rows_terms *terms, tr_str bytes,
                            tr_rdf_id *out, struct tr_err *err)
{
    struct tr_rows_seen_entry *entry;
    char room[TR_PACK_LONG_MAX];
    struct tr_buf key;
    if (!tr_pack_value_is_long(bytes)) {
        TR_TRY(see_literal(terms, bytes, &entry, err));
        *out = entry->id;
        return TR_OK;
    }
    tr_buf_init_fixed(&key, room, sizeof(room));
    tr_pack_value_put_long(&key, bytes, 1);
    TR_TRY(see_literal(terms, tr_pack_value_identity(tr_buf_str(&key)), &entry,
                       err));
    if (!entry->whole.len &&
        !tr_arena_copy(&terms->literals.arena, bytes, &entry->whole))
        return no_memory(err);
    *out = entry->id;
    return TR_OK;
}

static tr_status load_whole(struct tr_rows_terms *terms,
                            struct tr_rows_seen_entry *entry,
                            struct tr_err *err)
{
    struct tr_db_stmt *stmt;
    bool row;
    TR_TRY(tr_db_prepare(terms->db, "SELECT v FROM text WHERE id = ?1", &stmt,
                         err));
    tr_db_bind_i64(stmt, 1, (int64_t)entry->row);
    TR_TRY(tr_db_stmt_step(stmt, &row, err));
    if (!row)
        return tr_fail(err, TR_E_IO, "the store lacks a long text");
    bool copied = tr_arena_copy(&terms->literals.arena,
                                tr_db_column_blob(stmt, 0), &entry->whole);
    tr_db_stmt_reset(stmt);
    return copied ? TR_OK : no_memory(err);
}

static bool is_long(const struct tr_rows_seen_entry *entry)
{
    return entry->key.ptr[0] == TR_PACK_LONG;
}

/* All bytes of the value. */
static tr_status whole_of(struct tr_rows_terms *terms,
                          struct tr_rows_seen_entry *entry, tr_str *out,
                          struct tr_err *err)
{
    if (is_long(entry) && !entry->whole.len)
        TR_TRY(load_whole(terms, entry, err));
    *out = is_long(entry) ? entry->whole : entry->key;
    return TR_OK;
}

/* What it says, and the IRI of its datatype where that has a number. */
static tr_status read_literal(struct tr_rows_terms *terms,
                              struct tr_rows_seen_entry *entry,
                              struct tr_pack_value *value, tr_str *datatype,
                              struct tr_err *err)
{
    tr_str bytes;
    *datatype = TR_STR("");
    TR_TRY(whole_of(terms, entry, &bytes, err));
    TR_TRY(tr_pack_value_get(bytes, value, err));
    if (value->kind != TR_PACK_TYPED)
        return TR_OK;
    return tr_rows_terms_get_iri(
        terms, tr_rows_id_make(value->number, TR_ROWS_TAG_IRI), datatype, err);
}

tr_status tr_rows_terms_get_literal(struct tr_rows_terms *terms, tr_rdf_id id,
                                    tr_rdf_term *out, struct tr_err *err)
{
    struct tr_rows_seen_entry *entry =
        tr_rows_seen_find_id(&terms->literals, id);
    if (!entry)
        return no_term(err);
    if (entry->term.kind == TR_RDF_TERM_NONE) {
        char text[TR_PACK_CANONICAL_TEXT];
        struct tr_pack_value value;
        tr_str datatype;
        TR_TRY(read_literal(terms, entry, &value, &datatype, err));
        tr_rdf_term term = tr_pack_value_term(&value, datatype, text);
        if (term.text.ptr == text &&
            !tr_arena_copy(&terms->literals.arena, term.text, &term.text))
            return no_memory(err);
        entry->term = term;
    }
    *out = entry->term;
    return TR_OK;
}

tr_status tr_rows_terms_value(struct tr_rows_terms *terms, tr_rdf_id id,
                              char room[TR_PACK_LONG_MAX], tr_str *out,
                              struct tr_err *err)
{
    struct tr_pack_value value;
    struct tr_buf buf;
    if (tr_rows_id_value(id, &value)) {
        tr_buf_init_fixed(&buf, room, TR_PACK_LONG_MAX);
        tr_pack_value_put(&buf, &value);
        *out = tr_buf_str(&buf);
        return TR_OK;
    }
    const struct tr_rows_seen_entry *entry =
        tr_rows_seen_find_id(&terms->literals, id);
    if (!entry)
        return no_term(err);
    *out = entry->key;
    return TR_OK;
}

tr_status tr_rows_terms_whole(struct tr_rows_terms *terms, tr_rdf_id id,
                              tr_str *out, struct tr_err *err)
{
    struct tr_rows_seen_entry *entry =
        tr_rows_seen_find_id(&terms->literals, id);
    *out = TR_STR("");
    return entry && is_long(entry) ? whole_of(terms, entry, out, err) : TR_OK;
}

tr_status tr_rows_terms_key(struct tr_rows_terms *terms, tr_rdf_id id,
                            tr_pack_key *out, struct tr_err *err)
{
    struct tr_pack_value value;
    tr_str datatype = TR_STR("");
    if (!tr_rows_id_value(id, &value)) {
        struct tr_rows_seen_entry *entry =
            tr_rows_seen_find_id(&terms->literals, id);
        if (!entry)
            return no_term(err);
        TR_TRY(read_literal(terms, entry, &value, &datatype, err));
    }
    tr_pack_key_make(&value, tr_rdf_xsd_type_of(datatype), out);
    return TR_OK;
}
