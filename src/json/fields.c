#include "json/fields.h"

#include "base/buf.h"
#include "base/nearest.h"

static const char *const type_names[] = {
    [TR_FIELD_STR] = "a string",     [TR_FIELD_I64] = "an integer",
    [TR_FIELD_DOUBLE] = "a number",  [TR_FIELD_BOOL] = "a boolean",
    [TR_FIELD_OBJECT] = "an object", [TR_FIELD_ARRAY] = "an array",
    [TR_FIELD_ANY] = "a value",
};

/* False, and nothing stored, when the value is of another type. */
static bool store(const struct tr_json *value, enum tr_json_field_type type,
                  void *to)
{
    switch (type) {
    case TR_FIELD_STR:
        if (!tr_json_is(value, TR_JSON_STRING))
            return false;
        *(tr_str *)to = tr_json_text(value);
        return true;
    case TR_FIELD_I64:
        return tr_json_i64(value, to);
    case TR_FIELD_DOUBLE:
        return tr_json_double(value, to);
    case TR_FIELD_BOOL:
        return tr_json_bool(value, to);
    case TR_FIELD_OBJECT:
    case TR_FIELD_ARRAY:
        if (!tr_json_is(value, type == TR_FIELD_OBJECT ? TR_JSON_OBJECT
                                                       : TR_JSON_ARRAY))
            return false;
        break;
    case TR_FIELD_ANY:
        break;
    }
    *(const struct tr_json **)to = value;
    return true;
}

static void point_at(struct tr_err *err, const char *at, tr_str name)
{
    if (!err)
        return;
    char pointer[sizeof(err->at)];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, pointer, sizeof(pointer) - 1);
    tr_buf_put(&buf, tr_str_from(at));
    tr_json_pointer_put(&buf, name);
    tr_err_set_at(err, "%.*s", TR_FMT(tr_buf_str(&buf)));
}

/* A number of the right type that the struct member cannot hold. */
static bool is_out_of_range(const struct tr_json *value,
                            enum tr_json_field_type type)
{
    return value->kind == TR_JSON_NUMBER &&
           (type == TR_FIELD_DOUBLE ||
            (type == TR_FIELD_I64 && (value->flags & TR_JSON_INTEGER)));
}

static tr_status fill_one(const struct tr_json *object,
                          const struct tr_json_field *field, const char *at,
                          void *out, struct tr_err *err)
{
    tr_str name = tr_str_from(field->name);
    const struct tr_json *value = tr_json_find(object, name);
    if ((field->flags & TR_NULLABLE) && tr_json_is(value, TR_JSON_NULL))
        value = NULL;
    if (!value) {
        if (!(field->flags & TR_REQUIRED))
            return TR_OK;
        (void)tr_fail(err, TR_E_INVALID, "'%s' is missing", field->name);
        point_at(err, at, name);
        return TR_E_INVALID;
    }
    if (store(value, field->type, (char *)out + field->offset))
        return TR_OK;
    if (is_out_of_range(value, field->type))
        (void)tr_fail(err, TR_E_INVALID, "'%s' is out of range", field->name);
    else
        (void)tr_fail(err, TR_E_INVALID, "'%s' must be %s, not %s", field->name,
                      type_names[field->type],
                      tr_json_kind_name((enum tr_json_kind)value->kind));
    point_at(err, at, name);
    return TR_E_INVALID;
}

static tr_status refuse_unknown(tr_str key, struct tr_json_fields fields,
                                const char *at, struct tr_err *err)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, key);
    for (size_t i = 0; i < fields.count; i++) {
        tr_str name = tr_str_from(fields.list[i].name);
        if (tr_str_eq(name, key))
            return TR_OK;
        tr_nearest_offer(&nearest, name);
    }
    if (nearest.best.len)
        (void)tr_fail(err, TR_E_INVALID,
                      "unknown field '%.*s', did you mean '%.*s'?", TR_FMT(key),
                      TR_FMT(nearest.best));
    else
        (void)tr_fail(err, TR_E_INVALID, "unknown field '%.*s'", TR_FMT(key));
    point_at(err, at, key);
    return TR_E_INVALID;
}

tr_status tr_json_fill(const struct tr_json *object,
                       struct tr_json_fields fields, const char *at, void *out,
                       struct tr_err *err)
{
    if (!tr_json_is(object, TR_JSON_OBJECT)) {
        (void)tr_fail(err, TR_E_INVALID, "expected an object");
        tr_err_set_at(err, "%s", at);
        return TR_E_INVALID;
    }
    for (size_t i = 0; i < fields.count; i++)
        TR_TRY(fill_one(object, &fields.list[i], at, out, err));
    for (size_t i = 0; fields.closed && i < object->len; i++)
        TR_TRY(refuse_unknown(tr_json_text(&object->as.members[i].key), fields,
                              at, err));
    return TR_OK;
}
