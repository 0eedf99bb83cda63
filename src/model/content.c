#include "base/limits.h"
#include "crypto/digest.h"
#include "crypto/encoding.h"
#include "fields/literal.h"
#include "json/writer.h"
#include "model/uri.h"

#include <stdlib.h>

static tr_status no_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for the name of a node");
}

static int compare_texts(const void *a, const void *b)
{
    return tr_str_cmp(*(const tr_str *)a, *(const tr_str *)b);
}

/* A set has no order, and says nothing twice: each value as a text, sorted. */
static tr_status put_set(struct tr_arena *arena, const struct tr_json *set,
                         struct tr_json_writer *out, struct tr_err *err)
{
    tr_str *texts = TR_NEW_ARRAY(arena, tr_str, set->len);
    tr_status status = texts || !set->len ? TR_OK : no_memory(err);
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    for (size_t i = 0; status == TR_OK && i < set->len; i++) {
        tr_buf_clear(&text);
        tr_jw_init(&w, &text);
        tr_jw_canonical(&w, &set->as.items[i]);
        status = tr_jw_finish(&w, err);
        if (status == TR_OK &&
            !tr_arena_copy(arena, tr_buf_str(&text), &texts[i]))
            status = no_memory(err);
    }
    tr_buf_done(&text);
    if (status != TR_OK)
        return status;
    qsort(texts, set->len, sizeof(*texts), compare_texts);
    tr_jw_open(out, '[');
    for (size_t i = 0; i < set->len; i++) {
        if (i == 0 || !tr_str_eq(texts[i], texts[i - 1]))
            tr_jw_written(out, texts[i]);
    }
    tr_jw_close(out, ']');
    return TR_OK;
}

static tr_status put_content(struct tr_arena *arena,
                             const struct tr_field *field,
                             const struct tr_json *value,
                             struct tr_json_writer *out, struct tr_err *err)
{
    struct tr_json spelt;
    if (!value || !field) {
        tr_jw_null(out);
        return TR_OK;
    }
    if (!tr_field_spell(field->kind, value, arena, &spelt))
        return no_memory(err);
    if (field->many && spelt.kind == TR_JSON_ARRAY)
        return put_set(arena, &spelt, out, err);
    tr_jw_canonical(out, &spelt);
    return TR_OK;
}

static tr_status put_fields(struct tr_arena *arena,
                            const struct tr_model_type *type,
                            const struct tr_json *fields, struct tr_buf *out,
                            struct tr_err *err)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < type->content_count; i++) {
        tr_str field = type->content_fields[i];
        tr_jw_string(&w, field);
        TR_TRY(put_content(arena, tr_shape_find(type->shape, field),
                           tr_json_find(fields, field), &w, err));
    }
    tr_jw_close(&w, ']');
    return tr_jw_finish(&w, err);
}

tr_status tr_model_content_name(const struct tr_model_type *type,
                                const struct tr_json *fields,
                                struct tr_arena *arena, tr_str *out,
                                struct tr_err *err)
{
    static const char prefix[] = "sha256-";
    unsigned char digest[TR_CRYPTO_SHA256_BYTES];
    char name[sizeof(prefix) - 1 + 2 * sizeof(digest)];
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_status status = put_fields(arena, type, fields, &text, err);
    tr_crypto_sha256(tr_buf_str(&text), digest);
    tr_buf_done(&text);
    TR_TRY(status);
    memcpy(name, prefix, sizeof(prefix) - 1);
    tr_crypto_hex_write((tr_str){(char *)digest, sizeof(digest)},
                        name + sizeof(prefix) - 1);
    return tr_arena_copy(arena, (tr_str){name, sizeof(name)}, out)
               ? TR_OK
               : no_memory(err);
}
