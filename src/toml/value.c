#include "toml/value.h"

#include "json/build.h"
#include "toml/freeze.h"
#include "toml/key.h"
#include "toml/scalar.h"
#include "toml/string.h"

/* `depth` counts the tables and arrays that are open around the value. */
static tr_status read_value(struct tr_toml_cursor *in, unsigned depth,
                            struct tr_json *out, struct tr_err *err);

static tr_status read_string(struct tr_toml_cursor *in, struct tr_json *out,
                             struct tr_err *err)
{
    tr_str text;
    TR_TRY(tr_toml_string(in, &text, err));
    *out = tr_json_make_text(TR_JSON_STRING, text);
    return TR_OK;
}

/* Pushes items up to and over the closing bracket. */
static tr_status read_items(struct tr_toml_cursor *in, unsigned depth,
                            struct tr_err *err)
{
    for (;;) {
        struct tr_json item;
        tr_toml_skip_blank(in);
        if (tr_toml_take(in, ']'))
            return TR_OK;
        TR_TRY(read_value(in, depth, &item, err));
        if (!tr_vec_push(in->scratch, &in->items, item))
            return tr_toml_fail_memory(err);
        tr_toml_skip_blank(in);
        if (!tr_toml_take(in, ',') && tr_toml_peek(in) != ']')
            return tr_toml_fail_here(in, err,
                                     "expected ',' or ']' in an array");
    }
}

static tr_status read_array(struct tr_toml_cursor *in, unsigned depth,
                            struct tr_json *out, struct tr_err *err)
{
    size_t start = in->items.count;
    TR_TRY(tr_toml_check_depth(in, depth, err));
    in->at++;
    TR_TRY(read_items(in, depth, err));

    size_t count = in->items.count - start;
    const struct tr_json *items = count ? &in->items.items[start] : NULL;
    in->items.count = start;
    if (!tr_json_make_array(in->arena, items, count, out))
        return tr_toml_fail_memory(err);
    return TR_OK;
}

/*
 * Section "Inline Table": "no newlines are allowed between the curly braces
 * unless they are valid within a value".
 */
static tr_status skip_inline(struct tr_toml_cursor *in, struct tr_err *err)
{
    tr_toml_skip_space(in);
    if (tr_toml_is_newline(tr_toml_peek(in)))
        return tr_toml_fail_here(in, err,
                                 "an inline table must stand on one line");
    return TR_OK;
}

/* Reads up to and over the closing brace; no comma may stand before it. */
static tr_status read_members(struct tr_toml_cursor *in,
                              struct tr_toml_node *table, struct tr_err *err)
{
    TR_TRY(skip_inline(in, err));
    if (tr_toml_take(in, '}'))
        return TR_OK;
    for (;;) {
        TR_TRY(tr_toml_read_keyval(in, table, err));
        TR_TRY(skip_inline(in, err));
        if (tr_toml_take(in, '}'))
            return TR_OK;
        if (!tr_toml_take(in, ','))
            return tr_toml_fail_here(in, err,
                                     "expected ',' or '}' in an inline table");
        TR_TRY(skip_inline(in, err));
    }
}

static tr_status read_inline_table(struct tr_toml_cursor *in, unsigned depth,
                                   struct tr_json *out, struct tr_err *err)
{
    TR_TRY(tr_toml_check_depth(in, depth, err));
    in->at++;
    struct tr_toml_node *table = tr_toml_table_new(in, depth);
    if (!table)
        return tr_toml_fail_memory(err);
    TR_TRY(read_members(in, table, err));
    if (!tr_toml_freeze(in, table, out))
        return tr_toml_fail_memory(err);
    return TR_OK;
}

static tr_status read_value(struct tr_toml_cursor *in, unsigned depth,
                            struct tr_json *out, struct tr_err *err)
{
    switch (tr_toml_peek(in)) {
    case '"':
    case '\'':
        return read_string(in, out, err);
    case '[':
        return read_array(in, depth + 1, out, err);
    case '{':
        return read_inline_table(in, depth + 1, out, err);
    default:
        return tr_toml_scalar(in, out, err);
    }
}

tr_status tr_toml_read_keyval(struct tr_toml_cursor *in,
                              struct tr_toml_node *table, struct tr_err *err)
{
    struct tr_toml_key key;
    struct tr_json *value;
    TR_TRY(tr_toml_read_key(in, tr_toml_enter_dotted, &table, &key, err));
    TR_TRY(tr_toml_add_value(in, table, &key, &value, err));
    if (!tr_toml_take(in, '='))
        return tr_toml_fail_here(in, err, "expected '=' after the key");
    tr_toml_skip_space(in);
    return read_value(in, table->depth, value, err);
}
