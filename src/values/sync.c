#include "crypto/digest.h"
#include "db/db.h"
#include "graph/node.h"
#include "values/build.h"
#include "values/inside.h"

static tr_status build(struct tr_db *db, const struct tr_values_wanted *asked,
                       struct tr_values_built *out, struct tr_err *err)
{
    struct tr_graph_terms *terms = NULL;
    TR_TRY(tr_db_begin(db, TR_DB_WRITE, err));
    tr_status status = tr_graph_terms_create(db, &terms, err);
    if (status == TR_OK)
        status = tr_values_build(db, terms, asked, out, err);
    if (status == TR_OK)
        status = tr_db_commit(db, err);
    else
        tr_db_rollback(db);
    tr_graph_terms_free(terms);
    return status;
}

tr_status tr_values_sync(struct tr_db *db, const struct tr_values_wanted *asked,
                         struct tr_values_built *out, struct tr_err *err)
{
    bool due;
    *out = (struct tr_values_built){0};
    TR_TRY(tr_values_is_due(db, asked->model, &due, err));
    return due ? build(db, asked, out, err) : TR_OK;
}

/* No IRI has a NUL. */
static void add(struct tr_crypto_siphash *out, tr_str iri, char what)
{
    const char end[] = {'\0', what};
    tr_crypto_siphash_add(out, iri);
    tr_crypto_siphash_add(out, (tr_str){end, sizeof(end)});
}

static void add_index(struct tr_crypto_siphash *out,
                      const struct tr_model_type *type,
                      const struct tr_model_index *index)
{
    add(out, type->shape->iri, 'x');
    for (size_t i = 0; i < index->count; i++)
        add(out, index->parts[i].field->iri,
            index->parts[i].descending ? 'd' : 'u');
}

void tr_values_digest(const struct tr_model *model,
                      struct tr_crypto_siphash *out)
{
    for (size_t i = 0; i < model->count; i++) {
        const struct tr_model_type *type = model->types[i];
        for (size_t k = 0; k < type->index_count; k++)
            add_index(out, type, &type->indexes[k]);
        for (size_t k = 0; k < type->shape->count; k++) {
            const struct tr_field *field = &type->shape->fields[k];
            if (tr_values_is_bare(model, field))
                add(out, field->iri, 'b');
        }
    }
}
