#include "runtime/outcome.h"

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

const struct tr_json *tr_call_bad_cursor(const struct tr_call *call,
                                         tr_str field)
{
    struct tr_json_member members[] = {
        {tr_json_make_text(TR_JSON_STRING, TR_STR("field")),
         tr_json_make_text(TR_JSON_STRING, field)},
        {tr_json_make_text(TR_JSON_STRING, TR_STR("reason")),
         tr_json_make_text(TR_JSON_STRING, TR_STR("invalid_cursor"))},
    };
    return tr_call_object(call, members, TR_LEN(members));
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

static bool is_same(const struct tr_json *a, const struct tr_json *b,
                    tr_str key)
{
    return tr_str_eq(tr_json_text(tr_json_find(a, key)),
                     tr_json_text(tr_json_find(b, key)));
}

/* A field of a node counts once, whatever is wrong with it. */
static size_t count_fields(const struct tr_json *fields)
{
    size_t count = 0;
    for (size_t i = 0; fields && i < fields->len; i++) {
        const struct tr_json *item = &fields->as.items[i];
        size_t before = 0;
        while (before < i &&
               !(is_same(item, &fields->as.items[before], TR_STR("field")) &&
                 is_same(item, &fields->as.items[before], TR_STR("node"))))
            before++;
        count += before == i;
    }
    return count;
}

void tr_call_outcome_set_fields(struct tr_call_outcome *outcome,
                                const struct tr_json *data)
{
    outcome->data = data;
    if (!data)
        return;
    outcome->status = tr_fail(
        &outcome->err, TR_E_VALIDATION, "validation failed on %zu field(s)",
        count_fields(tr_json_find(data, TR_STR("fields"))));
}

static tr_str text_of(const struct tr_json *object, const char *key)
{
    const struct tr_json *value = tr_json_find(object, tr_str_from(key));
    return tr_json_is(value, TR_JSON_STRING) ? tr_json_text(value) : TR_STR("");
}

static struct tr_json value_of(const struct tr_json *object, const char *key)
{
    static const struct tr_json none = {.kind = TR_JSON_NULL};
    const struct tr_json *value = tr_json_find(object, tr_str_from(key));
    return value ? *value : none;
}

/* What is said before the fields that do not fit are counted. */
#define MORE_BYTES 32

/* Whether a message begins with a field, or with the end of its path. */
static bool names_field(tr_str message, tr_str field)
{
    tr_str step;
    bool found = tr_str_starts(message, field);
    while (!found && tr_str_cut(field, '/', &step, &field))
        found = tr_str_starts(message, field);
    return found;
}

/* Says what is wrong with a field; an author's own message need not name it. */
static void put_entry(struct tr_buf *out, const struct tr_json *entry)
{
    tr_str field = text_of(entry, "field");
    tr_str message = text_of(entry, "message");
    if (!names_field(message, field)) {
        tr_field_message_put(out, field);
        tr_field_message_put(out, TR_STR(" "));
    }
    tr_field_message_put(out, message);
}

tr_str tr_call_error_text(tr_status status, tr_str message,
                          const struct tr_json *data,
                          char storage[TR_LIMIT_ERROR_TEXT])
{
    const struct tr_json *fields = tr_json_find(data, TR_STR("fields"));
    struct tr_buf out;
    if (status != TR_E_VALIDATION || !tr_json_is(fields, TR_JSON_ARRAY))
        return message;
    tr_buf_init_fixed(&out, storage, TR_LIMIT_ERROR_TEXT);
    tr_buf_put(&out, message);
    for (size_t i = 0; i < fields->len; i++) {
        char text[TR_LIMIT_MESSAGE_BYTES];
        struct tr_buf entry;
        tr_buf_init_fixed(&entry, text, sizeof(text));
        put_entry(&entry, &fields->as.items[i]);
        if (out.len + entry.len + MORE_BYTES > TR_LIMIT_ERROR_TEXT) {
            tr_buf_putf(&out, "; and %zu more", fields->len - i);
            break;
        }
        tr_buf_put(&out, i ? TR_STR("; ") : TR_STR(": "));
        tr_buf_put(&out, (tr_str){entry.ptr, entry.len});
    }
    return tr_buf_str(&out);
}

/* Adds an entry of a handler's own, if it says anything: what is wrong with a
 * node as a whole has no field. */
static bool take_entry(const struct tr_call *call, const struct tr_json *entry,
                       struct tr_field_errors *errors)
{
    struct tr_field_error error = {
        .field = text_of(entry, "field"),
        .code = text_of(entry, "code"),
        .message = text_of(entry, "message"),
        .value = value_of(entry, "value"),
        .constraint = value_of(entry, "constraint"),
    };
    if (!error.field.len && !error.message.len)
        return true;
    if (!error.code.len)
        error.code = TR_STR("invalid");
    return error.message.len ? tr_field_errors_add(call->arena, errors, &error)
                             : tr_field_errors_say(call->arena, errors, &error,
                                                   "is not valid", NULL);
}

void tr_call_outcome_check_fields(const struct tr_call *call,
                                  struct tr_call_outcome *outcome)
{
    const struct tr_json *fields =
        tr_json_find(outcome->data, TR_STR("fields"));
    struct tr_field_errors errors = {0};
    struct tr_field_error whole = {.code = TR_STR("invalid"),
                                   .message = tr_str_from(outcome->err.msg)};
    bool is_list = tr_json_is(fields, TR_JSON_ARRAY);
    bool fits = true;
    for (size_t i = 0; is_list && fits && i < fields->len; i++)
        fits = take_entry(call, &fields->as.items[i], &errors);
    if (fits && errors.count == 0)
        fits = tr_field_errors_add(call->arena, &errors, &whole);
    outcome->data = NULL;
    if (fits)
        tr_call_outcome_set_fields(outcome, tr_call_fields(call, &errors));
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

/* Where a failure is to be mended is told while an app is made. */
void tr_call_failure_tell(const struct tr_call_outcome *failed,
                          struct tr_call_tell_how how,
                          struct tr_call_failure *out)
{
    const struct tr_err *err = &failed->err;
    out->wire = tr_call_wire_error(err->code, how.own_codes);
    bool hides = out->wire.is_hidden && how.in_production;
    out->data = hides ? NULL : failed->data;
    out->is_fault = out->wire.is_hidden || failed->where.len;
    out->text = hides ? TR_STR("internal error")
                      : tr_call_error_text(err->code, tr_str_from(err->msg),
                                           failed->says_all ? NULL : out->data,
                                           out->storage);
    if (failed->where.len && !how.in_production) {
        int len = snprintf(out->storage, sizeof(out->storage), "%.*s: %s",
                           TR_FMT(failed->where), err->msg);
        out->text = (tr_str){out->storage, (size_t)len};
    }
}
