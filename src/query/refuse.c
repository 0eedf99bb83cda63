#include "query/refuse.h"

#include "base/limits.h"
#include "json/build.h"

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a filter");
}

tr_status tr_query_refuse(const struct tr_query_refusing *r,
                          const struct tr_field_error *error, const char *says,
                          const struct tr_json *detail, struct tr_err *err)
{
    return tr_field_errors_say(r->arena, r->errors, error, says, detail)
               ? TR_OK
               : fail_memory(err);
}

static bool join(struct tr_arena *arena, tr_str before, tr_str name,
                 struct tr_json *out)
{
    size_t len = before.len + name.len;
    char *text = tr_arena_alloc(arena, len + 1);
    if (!text)
        return false;
    memcpy(text, before.ptr ? before.ptr : "", before.len);
    memcpy(text + before.len, name.ptr, name.len);
    *out = tr_json_make_text(TR_JSON_STRING, (tr_str){text, len});
    return true;
}

/* The fields that a filter can say anything of. */
static tr_status known_fields(const struct tr_query_refusing *r,
                              const struct tr_shape *shape, tr_str before,
                              struct tr_json *out, struct tr_err *err)
{
    struct tr_json *names =
        TR_NEW_ARRAY(r->arena, struct tr_json, shape->count);
    if (!names)
        return fail_memory(err);
    for (size_t i = 0; i < shape->count; i++) {
        if (!join(r->arena, before, shape->fields[i].name, &names[i]))
            return fail_memory(err);
    }
    return tr_json_make_array(r->arena, names, shape->count, out)
               ? TR_OK
               : fail_memory(err);
}

tr_status tr_query_refuse_unknown(const struct tr_query_refusing *r,
                                  const struct tr_shape *shape, tr_str before,
                                  tr_str name, const struct tr_json *value,
                                  struct tr_err *err)
{
    struct tr_field_error error = {.code = TR_STR("unknown_field"),
                                   .value = *value};
    struct tr_json whole;
    struct tr_json best;
    if (!join(r->arena, before, name, &whole))
        return fail_memory(err);
    error.field = tr_json_text(&whole);
    TR_TRY(known_fields(r, shape, before, &error.constraint, err));
    tr_str nearest = tr_shape_nearest(shape, name);
    if (!nearest.len)
        return tr_query_refuse(r, &error, "is not a field; there are ",
                               &error.constraint, err);
    if (!join(r->arena, before, nearest, &best))
        return fail_memory(err);
    return tr_query_refuse(r, &error, "is not a field; did you mean ", &best,
                           err);
}

tr_status tr_query_form_names(struct tr_arena *arena, unsigned forms,
                              struct tr_json *out, struct tr_err *err)
{
    struct tr_json names[TR_FIELD_FORMS];
    size_t count = 0;
    for (int form = 0; form < TR_FIELD_FORMS; form++) {
        if (forms & 1u << form)
            names[count++] = tr_json_make_text(
                TR_JSON_STRING, tr_field_form_name((enum tr_field_form)form));
    }
    return tr_json_make_array(arena, names, count, out) ? TR_OK
                                                        : fail_memory(err);
}
