#include "graph/part.h"

#include "base/limits.h"
#include "base/vec.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "model/uri.h"

/* What stands behind the project in the IRIs of blank nodes. */
#define BLANK "/.well-known/genid/"

/* Cells are told apart by so many bytes of a hash. */
enum { CELL_BYTES = 16 };

/* Objects in objects, and a list in the last of them. */
enum { WAY_MAX = TR_LIMIT_LIST_ITEMS + TR_LIMIT_OBJECT_DEPTH + 1 };

static bool is_blank(tr_str iri)
{
    return tr_str_starts(iri, TR_STR("trails://")) &&
           memmem(iri.ptr, iri.len, BLANK, sizeof(BLANK) - 1);
}

bool tr_graph_part_may_be(const struct tr_model *model, tr_str iri)
{
    return model && model->part_count && iri.len &&
           (memchr(iri.ptr, '#', iri.len) || is_blank(iri));
}

static bool is_named_after(tr_str part, tr_str owner)
{
    return part.len > owner.len && tr_str_starts(part, owner) &&
           (part.ptr[owner.len] == '#' || part.ptr[owner.len] == '.');
}

/* An IRI has one '#'. */
void tr_graph_part_write(struct tr_buf *out, tr_str owner, tr_str field,
                         size_t number)
{
    char mark = memchr(owner.ptr, '#', owner.len) ? '.' : '#';
    tr_buf_put(out, owner);
    tr_buf_putc(out, mark);
    tr_buf_put(out, field);
    if (number)
        tr_buf_putf(out, ".%zu", number);
}

void tr_graph_part_write_cells(struct tr_buf *out, const struct tr_model *model,
                               tr_str owner, tr_str predicate)
{
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    char hex[2 * CELL_BYTES];
    size_t start = out->len;
    tr_buf_put(out, owner);
    tr_buf_putc(out, ' ');
    tr_buf_put(out, predicate);
    tr_crypto_sha256(tr_str_skip(tr_buf_str(out), start), digest);
    tr_crypto_hex_write((tr_str){(char *)digest, CELL_BYTES}, hex);
    out->len = out->failed == TR_OK ? start : out->len;
    tr_model_genid_start(out, model->project);
    tr_buf_putc(out, 'l');
    tr_buf_put(out, (tr_str){hex, sizeof(hex)});
    tr_buf_putc(out, '-');
}

tr_status tr_graph_part_leads(const struct tr_rdf_graph *graph,
                              const struct tr_model *model, tr_rdf_ids row,
                              bool *out, struct tr_err *err)
{
    tr_rdf_term part;
    tr_rdf_term term;
    *out = false;
    TR_TRY(tr_rdf_graph_get(graph, row.o, &part, err));
    if (part.kind != TR_RDF_TERM_IRI || !tr_graph_part_may_be(model, part.text))
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(graph, row.p, &term, err));
    size_t i = 0;
    while (i < model->part_count &&
           !tr_str_eq(model->part_predicates[i], term.text))
        i++;
    if (i == model->part_count)
        return TR_OK;
    TR_TRY(tr_rdf_graph_get(graph, row.s, &term, err));
    *out = is_blank(part.text) || is_named_after(part.text, term.text);
    return TR_OK;
}

tr_status tr_graph_part_is_unheld(const struct tr_rdf_graph *graph,
                                  const struct tr_model *model,
                                  tr_rdf_ids removed, bool *out,
                                  struct tr_err *err)
{
    bool is_held = false;
    *out = false;
    if (!model || !model->part_count)
        return TR_OK;
    TR_TRY(tr_graph_part_leads(graph, model, removed, out, err));
    for (size_t i = 0; *out && !is_held && i < model->part_count; i++) {
        tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_NONE, removed.o,
                              TR_RDF_ID_ANY};
        TR_TRY(tr_rdf_graph_find_iri(graph, model->part_predicates[i],
                                     &pattern.p, err));
        if (pattern.p != TR_RDF_ID_NONE)
            TR_TRY(tr_rdf_graph_has(graph, pattern, &is_held, err));
    }
    *out = *out && !is_held;
    return TR_OK;
}

/* The first node that leads to a part by a predicate. */
static tr_status find_holder(const struct tr_graph_part_owners *owners,
                             tr_str predicate, tr_rdf_id part, tr_rdf_id *out,
                             struct tr_err *err)
{
    tr_rdf_ids pattern = {TR_RDF_ID_ANY, TR_RDF_ID_NONE, part, TR_RDF_ID_ANY};
    struct tr_rdf_cursor cursor;
    tr_status status = TR_OK;
    tr_rdf_ids row;
    bool found = false;
    TR_TRY(tr_rdf_graph_find_iri(owners->graph, predicate, &pattern.p, err));
    if (pattern.p == TR_RDF_ID_NONE)
        return TR_OK;
    tr_rdf_graph_match(owners->graph, pattern, &cursor);
    while (status == TR_OK && !found && tr_rdf_cursor_next(&cursor, &row))
        status =
            tr_graph_part_leads(owners->graph, owners->model, row, &found, err);
    if (found)
        *out = row.s;
    return tr_rdf_cursor_end(&cursor, status, err);
}

/* TR_RDF_ID_NONE when it is no part. */
static tr_status step_up(const struct tr_graph_part_owners *owners,
                         tr_rdf_id id, tr_rdf_id *out, struct tr_err *err)
{
    const struct tr_model *model = owners->model;
    tr_rdf_term term;
    *out = TR_RDF_ID_NONE;
    TR_TRY(tr_rdf_graph_get(owners->graph, id, &term, err));
    if (!tr_graph_part_may_be(model, term.text))
        return TR_OK;
    for (size_t i = 0; *out == TR_RDF_ID_NONE && i < model->part_count; i++)
        TR_TRY(find_holder(owners, model->part_predicates[i], id, out, err));
    return TR_OK;
}

struct known {
    tr_rdf_id id; /* its bytes are the key */
    tr_rdf_id owner;
};

static tr_str key_of(const tr_rdf_id *id)
{
    return (tr_str){(const char *)id, sizeof(*id)};
}

tr_status tr_graph_part_owner(struct tr_graph_part_owners *owners, tr_rdf_id id,
                              tr_rdf_id *out, struct tr_err *err)
{
    TR_VEC(struct known *) way = {0};
    *out = id;
    if (!owners->model || !owners->model->part_count)
        return TR_OK;
    for (tr_rdf_id up = id; up != TR_RDF_ID_NONE && way.count < WAY_MAX;) {
        const struct known *known = tr_map_find(&owners->known, key_of(&up));
        *out = known ? known->owner : up;
        if (known)
            break;
        struct known *step = TR_NEW(owners->arena, struct known);
        if (!step || !tr_vec_push(owners->arena, &way, step))
            return tr_fail(err, TR_E_NOMEM, "no memory to find an owner");
        step->id = up;
        TR_TRY(step_up(owners, step->id, &up, err));
    }
    for (size_t i = 0; i < way.count; i++) {
        struct known *step = way.items[i];
        step->owner = *out;
        if (!tr_map_set(&owners->known, key_of(&step->id), step))
            return tr_fail(err, TR_E_NOMEM, "no memory to find an owner");
    }
    return TR_OK;
}
