#include "json/number.h"
#include "json/writer.h"

/* Trees are at most TR_LIMIT_NESTING deep; tr_jw_open sees to it here too. */
static void write_tree(struct tr_json_writer *w, const struct tr_json *value,
                       bool canonical);

static void write_number(struct tr_json_writer *w, const struct tr_json *value,
                         bool canonical)
{
    tr_str text = tr_json_text(value);
    double number;

    if (!canonical)
        tr_jw_raw(w, text);
    else if (value->flags & TR_JSON_INTEGER)
        tr_jw_raw(w, tr_str_eq(text, TR_STR("-0")) ? TR_STR("0") : text);
    else if (tr_json_double(value, &number))
        tr_jw_double(w, number == 0 ? 0 : number);
    else
        tr_jw_raw(w, text);
}

static int by_key(const void *a, const void *b)
{
    const struct tr_json_member *const *left = a;
    const struct tr_json_member *const *right = b;
    return tr_str_cmp(tr_json_text(&(*left)->key),
                      tr_json_text(&(*right)->key));
}

static void write_member(struct tr_json_writer *w,
                         const struct tr_json_member *member, bool canonical)
{
    tr_jw_key_str(w, tr_json_text(&member->key));
    write_tree(w, &member->value, canonical);
}

static void write_sorted(struct tr_json_writer *w, const struct tr_json *object)
{
    const struct tr_json_member **sorted =
        calloc(object->len ? object->len : 1, sizeof(*sorted));
    if (!sorted) {
        tr_jw_refuse(w, TR_E_NOMEM, "no memory to sort keys");
        return;
    }
    for (size_t i = 0; i < object->len; i++)
        sorted[i] = &object->as.members[i];
    qsort(sorted, object->len, sizeof(*sorted), by_key);
    for (size_t i = 0; i < object->len && !w->failed; i++)
        write_member(w, sorted[i], true);
    free(sorted);
}

static void write_object(struct tr_json_writer *w, const struct tr_json *value,
                         bool canonical)
{
    tr_jw_open(w, '{');
    if (w->failed)
        return;
    if (canonical)
        write_sorted(w, value);
    else
        for (size_t i = 0; i < value->len && !w->failed; i++)
            write_member(w, &value->as.members[i], canonical);
    tr_jw_close(w, '}');
}

static void write_array(struct tr_json_writer *w, const struct tr_json *value,
                        bool canonical)
{
    tr_jw_open(w, '[');
    for (size_t i = 0; i < value->len && !w->failed; i++)
        write_tree(w, &value->as.items[i], canonical);
    tr_jw_close(w, ']');
}

static void write_tree(struct tr_json_writer *w, const struct tr_json *value,
                       bool canonical)
{
    switch ((enum tr_json_kind)value->kind) {
    case TR_JSON_NULL:
        tr_jw_null(w);
        return;
    case TR_JSON_BOOL:
        tr_jw_bool(w, value->flags & TR_JSON_TRUE);
        return;
    case TR_JSON_NUMBER:
        write_number(w, value, canonical);
        return;
    case TR_JSON_STRING:
        tr_jw_string(w, tr_json_text(value));
        return;
    case TR_JSON_ARRAY:
        write_array(w, value, canonical);
        return;
    case TR_JSON_OBJECT:
        write_object(w, value, canonical);
        return;
    default: /* The kinds of TOML. */
        tr_jw_refuse(w, TR_E_INVALID, "JSON has no such value");
    }
}

void tr_jw_value(struct tr_json_writer *w, const struct tr_json *value)
{
    write_tree(w, value, false);
}

void tr_jw_canonical(struct tr_json_writer *w, const struct tr_json *value)
{
    write_tree(w, value, true);
}
