#include "fields/error.h"

#include "base/limits.h"
#include "base/text.h"
#include "base/vec.h"
#include "json/build.h"

#define CUT_MARK "..."

/* The longest start of `s` that ends with a code point and fits. */
static tr_str cut(tr_str s, size_t max)
{
    if (s.len <= max)
        return s;
    return (tr_str){s.ptr, tr_utf8_valid_len((tr_str){s.ptr, max})};
}

void tr_field_message_put(struct tr_buf *message, tr_str s)
{
    size_t room = message->max - message->len;
    if (message->failed != TR_OK)
        return;
    if (s.len + sizeof(CUT_MARK) - 1 <= room) {
        tr_buf_put(message, s);
        return;
    }
    tr_buf_put(message, cut(s, room < 3 ? 0 : room - 3));
    tr_buf_put(message, TR_STR(CUT_MARK));
    message->failed = TR_E_LIMIT; /* nothing follows the mark */
}

static void put_scalar(struct tr_buf *message, const struct tr_json *value)
{
    switch ((enum tr_json_kind)value->kind) {
    case TR_JSON_BOOL:
        tr_field_message_put(message, value->flags & TR_JSON_TRUE
                                          ? TR_STR("true")
                                          : TR_STR("false"));
        return;
    case TR_JSON_NUMBER:
        tr_field_message_put(message, tr_json_text(value));
        return;
    case TR_JSON_STRING:
        tr_field_message_put(message, TR_STR("'"));
        tr_field_message_put(message, tr_json_text(value));
        tr_field_message_put(message, TR_STR("'"));
        return;
    default:
        tr_field_message_put(message,
                             tr_str_from(tr_json_kind_name(value->kind)));
    }
}

/* A scalar, or a list of them as ['a','b',3]; of anything else its kind. */
static void put_value(struct tr_buf *message, const struct tr_json *value)
{
    if (value->kind != TR_JSON_ARRAY) {
        put_scalar(message, value);
        return;
    }
    tr_field_message_put(message, TR_STR("["));
    for (size_t i = 0; i < value->len && message->failed == TR_OK; i++) {
        if (i)
            tr_field_message_put(message, TR_STR(","));
        put_scalar(message, &value->as.items[i]);
    }
    tr_field_message_put(message, TR_STR("]"));
}

/* Bytes of the value as JSON, roughly, and not more than just over `max`. */
static size_t echo_len(const struct tr_json *value, size_t max)
{
    size_t len = 2 + tr_json_text(value).len;
    if (value->kind == TR_JSON_ARRAY) {
        for (size_t i = 0; i < value->len && len <= max; i++)
            len += 1 + echo_len(&value->as.items[i], max);
    } else if (value->kind == TR_JSON_OBJECT) {
        for (size_t i = 0; i < value->len && len <= max; i++)
            len += 4 + value->as.members[i].key.len +
                   echo_len(&value->as.members[i].value, max);
    }
    return len;
}

static bool bound_value(struct tr_arena *arena, struct tr_json *value)
{
    char storage[TR_LIMIT_ECHO_BYTES + 8];
    struct tr_buf text;

    if (echo_len(value, TR_LIMIT_ECHO_BYTES) <= TR_LIMIT_ECHO_BYTES)
        return true;
    tr_buf_init_fixed(&text, storage, sizeof(storage));
    if (value->kind == TR_JSON_ARRAY)
        tr_buf_putf(&text, "(an array of %u items)", (unsigned)value->len);
    else if (value->kind == TR_JSON_OBJECT)
        tr_buf_putf(&text, "(an object of %u members)", (unsigned)value->len);
    else
        tr_field_message_put(&text, tr_json_text(value));
    tr_str copy;
    if (!tr_arena_copy(arena, tr_buf_str(&text), &copy))
        return false;
    *value = tr_json_make_text(TR_JSON_STRING, copy);
    return true;
}

bool tr_field_errors_add(struct tr_arena *arena, struct tr_field_errors *errors,
                         const struct tr_field_error *error)
{
    if (errors->count == TR_LIMIT_FIELD_ERRORS) {
        errors->more = true;
        return true;
    }
    struct tr_field_error copy = *error;
    return tr_arena_copy(arena, error->field, &copy.field) &&
           tr_arena_copy(arena, error->message, &copy.message) &&
           bound_value(arena, &copy.value) &&
           bound_value(arena, &copy.constraint) &&
           tr_vec_push(arena, errors, copy);
}

bool tr_field_errors_say(struct tr_arena *arena, struct tr_field_errors *errors,
                         const struct tr_field_error *error, const char *says,
                         const struct tr_json *detail)
{
    char storage[TR_LIMIT_MESSAGE_BYTES];
    struct tr_buf message;
    struct tr_field_error full = *error;

    tr_buf_init_fixed(&message, storage, sizeof(storage));
    tr_field_message_put(&message, error->field);
    tr_field_message_put(&message, TR_STR(" "));
    tr_field_message_put(&message, tr_str_from(says));
    if (detail && detail->kind == TR_JSON_STRING)
        tr_field_message_put(&message, tr_json_text(detail));
    else if (detail)
        put_value(&message, detail);
    full.message = tr_buf_str(&message);
    return tr_field_errors_add(arena, errors, &full);
}

tr_status tr_field_errors_verdict(const struct tr_field_errors *errors,
                                  struct tr_err *err)
{
    size_t fields = 0;
    for (size_t i = 0; i < errors->count; i++)
        fields += i == 0 || !tr_str_eq(errors->items[i].field,
                                       errors->items[i - 1].field);
    if (fields == 0)
        return TR_OK;
    return tr_fail(err, TR_E_VALIDATION, "validation failed on %zu field(s)",
                   fields);
}

void tr_field_error_write(struct tr_json_writer *w,
                          const struct tr_field_error *error)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "field", error->field);
    tr_jw_put_string(w, "code", error->code);
    tr_jw_put_string(w, "message", error->message);
    tr_jw_put_value(w, "value", &error->value);
    tr_jw_put_value(w, "constraint", &error->constraint);
    tr_jw_close(w, '}');
}

void tr_field_errors_write(struct tr_json_writer *w,
                           const struct tr_field_errors *errors)
{
    tr_jw_open(w, '[');
    for (size_t i = 0; i < errors->count; i++)
        tr_field_error_write(w, &errors->items[i]);
    tr_jw_close(w, ']');
}

void tr_field_error_write_hidden(struct tr_json_writer *w)
{
    const struct tr_field_error error = {
        .code = TR_STR("hidden"),
        .message = TR_STR(TR_FIELD_HIDDEN),
        .value = {.kind = TR_JSON_NULL},
        .constraint = {.kind = TR_JSON_NULL},
    };
    tr_field_error_write(w, &error);
}

void tr_field_holder_put(struct tr_buf *out, const struct tr_field_holder *at)
{
    if (!at)
        return;
    tr_field_holder_put(out, at->outer);
    tr_buf_put(out, at->field);
    if (at->number)
        tr_buf_putf(out, "[%zu]", at->number - 1);
    tr_buf_putc(out, '.');
}
