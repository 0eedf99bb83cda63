#include "runtime/outcome.h"

#include "base/limits.h"
#include "fields/error.h"
#include "graph/kg.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"
#include "model/model.h"
#include "runtime/env.h"

const struct tr_json *tr_call_object(const struct tr_call *call,
                                     struct tr_json_member *members,
                                     size_t count)
{
    struct tr_json *object = TR_NEW(call->arena, struct tr_json);
    if (!object || !tr_json_make_object(call->arena, members, count, object))
        return NULL;
    return object;
}

const struct tr_json *tr_call_reason(const struct tr_call *call, tr_str reason)
{
    struct tr_json_member member = {
        tr_json_make_text(TR_JSON_STRING, TR_STR("reason")),
        tr_json_make_text(TR_JSON_STRING, reason),
    };
    return tr_call_object(call, &member, 1);
}

/* The text is parsed again because outcomes carry trees. */
const struct tr_json *tr_call_tree(const struct tr_call *call,
                                   struct tr_json_writer *w,
                                   struct tr_buf *text)
{
    const struct tr_json *tree = NULL;
    tr_str copy;
    if (tr_jw_finish(w, NULL) != TR_OK ||
        !tr_arena_copy(call->arena, tr_buf_str(text), &copy) ||
        tr_json_read(call->arena, copy, NULL, &tree, NULL) != TR_OK)
        tree = NULL;
    tr_buf_done(text);
    return tree;
}

const struct tr_json *tr_call_fields(const struct tr_call *call,
                                     const struct tr_field_errors *errors)
{
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "fields");
    tr_field_errors_write(&w, errors);
    tr_jw_close(&w, '}');
    return tr_call_tree(call, &w, &text);
}

const struct tr_json *tr_call_add_meta(const struct tr_call *call,
                                       const struct tr_json *meta,
                                       const struct tr_json_member *more,
                                       size_t count)
{
    size_t before = tr_json_is(meta, TR_JSON_OBJECT) ? meta->len : 0;
    struct tr_json_member *members =
        TR_NEW_ARRAY(call->arena, struct tr_json_member, before + count);
    if (!members)
        return meta;
    if (before)
        memcpy(members, meta->as.members, before * sizeof(*members));
    memcpy(members + before, more, count * sizeof(*members));
    const struct tr_json *sum = tr_call_object(call, members, before + count);
    return sum ? sum : meta;
}

const struct tr_json *tr_call_graph_data(struct tr_call *call, tr_status status)
{
    const struct tr_graph_kg *kg = tr_call_root(call)->kg;
    if (status == TR_E_VALIDATION && kg && kg->errors.count > 0)
        return tr_call_fields(call, &kg->errors);
    if (status == TR_E_CONFLICT)
        return tr_call_reason(call, TR_STR("conflict"));
    return NULL;
}

bool tr_call_hides(const struct tr_call *call, const struct tr_model_type *type,
                   const struct tr_field *field)
{
    const struct tr_model_face *face = type ? tr_call_face(call) : NULL;
    const struct tr_model_type *seen =
        face ? tr_model_find(face->model, type->name) : type;
    return face &&
           (!seen || (field && !tr_shape_find(seen->shape, field->name)));
}

/* Writes the errors that the caller may hear, and one that stands for all
 * others; returns whether there are others. */
static bool write_told(const struct tr_call *call, const struct tr_graph_kg *kg,
                       struct tr_json_writer *w)
{
    struct tr_field_errors told = {0};
    for (size_t i = 0; i < kg->errors.count; i++) {
        const struct tr_field_error *error = &kg->errors.items[i];
        const struct tr_field *field =
            kg->about ? tr_shape_find(kg->about->shape, error->field) : NULL;
        if (!tr_call_hides(call, kg->about, field) &&
            !tr_vec_push(call->arena, &told, *error))
            break;
    }
    tr_jw_open(w, '[');
    for (size_t i = 0; i < told.count; i++)
        tr_field_error_write(w, &told.items[i]);
    if (told.count < kg->errors.count)
        tr_field_error_write_hidden(w);
    tr_jw_close(w, ']');
    return told.count < kg->errors.count;
}

const struct tr_json *tr_call_graph_told(struct tr_call *call, tr_status status)
{
    const struct tr_graph_kg *kg = tr_call_root(call)->kg;
    struct tr_json_writer w;
    struct tr_buf text;
    if (!kg || !tr_call_face(call))
        return NULL;
    if (status != TR_E_VALIDATION)
        return tr_call_hides(call, kg->about, NULL)
                   ? tr_call_reason(call, TR_STR("hidden"))
                   : NULL;
    tr_buf_init(&text, TR_LIMIT_MESSAGE);
    tr_jw_init(&w, &text);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "fields");
    bool hides = write_told(call, kg, &w);
    tr_jw_close(&w, '}');
    const struct tr_json *told = tr_call_tree(call, &w, &text);
    return hides ? told : NULL;
}
