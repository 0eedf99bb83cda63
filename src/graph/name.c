/*
 * The IRIs that new nodes get: by when they were made, by what they say, or
 * from whoever makes them.
 */
#include "base/limits.h"
#include "crypto/digest.h"
#include "crypto/random.h"
#include "graph/edit.h"
#include "model/uri.h"

/* Stands in the IRIs of untyped nodes where others have their type. */
#define NO_TYPE "node"

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the name of a node");
}

/* trails://project/Type/<name> */
static tr_status make_iri(struct tr_graph_kg *kg,
                          const struct tr_model_type *type, tr_str name,
                          tr_str *out, struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_URI_BYTES);
    tr_buf_putf(&text, "trails://%.*s/%.*s/%.*s", TR_FMT(kg->model->project),
                TR_FMT(type ? type->name : TR_STR(NO_TYPE)), TR_FMT(name));
    tr_status status = tr_buf_check(&text, err);
    if (status == TR_OK && !tr_arena_copy(kg->arena, tr_buf_str(&text), out))
        status = no_memory(err);
    tr_buf_done(&text);
    return status;
}

/* Depends on the seed alone: a call that is run again names its nodes alike. */
static void draw_uuid(struct tr_graph_kg *kg, char out[TR_CRYPTO_UUID_TEXT])
{
    const uint64_t numbers[] = {kg->seed, kg->named++};
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    tr_crypto_sha256((tr_str){(const char *)numbers, sizeof(numbers)}, digest);
    tr_crypto_uuid7_of(kg->now_ms, digest, out);
}

static tr_status name_by_time(struct tr_graph_kg *kg,
                              const struct tr_model_type *type, tr_str *out,
                              struct tr_err *err)
{
    char uuid[TR_CRYPTO_UUID_TEXT];
    if (kg->seed)
        draw_uuid(kg, uuid);
    else
        TR_TRY(tr_crypto_uuid7(kg->now_ms, uuid, err));
    return make_iri(kg, type, (tr_str){uuid, sizeof(uuid)}, out, err);
}

static tr_status name_by_content(struct tr_graph_kg *kg,
                                 const struct tr_model_type *type,
                                 const struct tr_json *fields, tr_str *out,
                                 struct tr_err *err)
{
    tr_str name;
    TR_TRY(tr_model_content_name(type, fields, kg->arena, &name, err));
    return make_iri(kg, type, name, out, err);
}

tr_status tr_graph_kg_name(struct tr_graph_kg *kg,
                           const struct tr_model_type *type,
                           const struct tr_json *fields, tr_str *out,
                           struct tr_err *err)
{
    enum tr_model_iri_strategy strategy =
        type ? type->strategy : TR_MODEL_IRI_UUID;
    if (strategy == TR_MODEL_IRI_UUID)
        return name_by_time(kg, type, out, err);
    if (strategy == TR_MODEL_IRI_CONTENT)
        return name_by_content(kg, type, fields, out, err);
    return tr_fail(err, TR_E_INVALID,
                   "a new %.*s must be given its id, an absolute IRI",
                   TR_FMT(type->name));
}
