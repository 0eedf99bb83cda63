/*
 * Documents: values of fields of kind json, as literals of rdf:JSON. Equal ones
 * are one term, since each has one text (json/writer.h, tr_jw_canonical).
 */
#include "base/limits.h"
#include "json/reader.h"
#include "json/writer.h"
#include "model/inside.h"
#include "model/value_term.h"

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a document");
}

static tr_status write_text(const struct tr_json *value, struct tr_buf *out)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    tr_jw_canonical(&w, value);
    return tr_jw_finish(&w, NULL);
}

tr_status tr_model_document_spell(const struct tr_json *value,
                                  struct tr_arena *arena, tr_str *out,
                                  struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_RDF_TERM);
    tr_status status = write_text(value, &text);
    if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), out))
        status = TR_E_NOMEM;
    tr_buf_done(&text);
    if (status == TR_OK)
        return TR_OK;
    return status == TR_E_NOMEM
               ? fail_memory(err)
               : tr_fail(err, TR_E_VALIDATION,
                         "must be a JSON value of at most %zu bytes",
                         TR_LIMIT_RDF_TERM);
}

tr_status tr_model_document_read(tr_str text, struct tr_arena *arena,
                                 struct tr_json *out, struct tr_err *err)
{
    const struct tr_json *value = NULL;
    if (!tr_arena_copy(arena, text, &text))
        return fail_memory(err);
    tr_status status = tr_json_read(arena, text, NULL, &value, NULL);
    if (status == TR_E_NOMEM)
        return fail_memory(err);
    if (status != TR_OK)
        return tr_fail(err, TR_E_VALIDATION, "must be a JSON value");
    *out = *value;
    return TR_OK;
}

bool tr_model_document_respell(tr_str text, struct tr_buf *room)
{
    struct tr_arena arena;
    const struct tr_json *value = NULL;
    tr_arena_init(&arena, TR_LIMIT_SNAPSHOT_BYTES);
    tr_status status = tr_json_read(&arena, text, NULL, &value, NULL);
    if (status == TR_OK)
        status = write_text(value, room);
    tr_arena_done(&arena);
    if (status == TR_E_NOMEM)
        room->failed = TR_E_NOMEM;
    return room->failed ||
           (status == TR_OK && !tr_str_eq(tr_buf_str(room), text));
}
