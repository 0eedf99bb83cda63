#include "toml/table.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/text.h"

/* Above this many members, a table is searched through an index. */
#define INDEX_ABOVE 16

/* As much of a key as a message has room for. */
#define SHOWN_BYTES 120

struct tr_toml_node *tr_toml_table_new(struct tr_toml_cursor *in,
                                       unsigned depth)
{
    struct tr_toml_node *node = TR_NEW(in->scratch, struct tr_toml_node);
    if (node) {
        node->kind = TR_TOML_DEFINED;
        node->depth = depth;
    }
    return node;
}

static struct tr_toml_node *find(const struct tr_toml_node *table, tr_str key)
{
    if (table->index)
        return tr_map_find(table->index, key);
    struct tr_toml_node *node = table->first;
    while (node && !tr_str_eq(node->key, key))
        node = node->next;
    return node;
}

/* The index is made once, of all members, when the table has become wide. */
static bool keep_index(struct tr_toml_cursor *in, struct tr_toml_node *table)
{
    if (table->count <= INDEX_ABOVE)
        return true;
    if (table->index)
        return tr_map_set(table->index, table->last->key, table->last);
    table->index = TR_NEW(in->scratch, struct tr_map);
    if (!table->index)
        return false;
    tr_map_init(table->index, in->scratch);
    for (struct tr_toml_node *node = table->first; node; node = node->next) {
        if (!tr_map_set(table->index, node->key, node))
            return false;
    }
    return true;
}

static void append(struct tr_toml_node *parent, struct tr_toml_node *node)
{
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
    parent->count++;
}

/* Adds a member whose key is known to be new, and moves *at to it. */
static tr_status add(struct tr_toml_cursor *in, struct tr_toml_node **at,
                     tr_str key, enum tr_toml_kind kind, struct tr_err *err)
{
    struct tr_toml_node *table = *at;
    if (kind != TR_TOML_VALUE)
        TR_TRY(tr_toml_check_depth(in, table->depth + 1, err));
    struct tr_toml_node *node = tr_toml_table_new(in, table->depth + 1);
    if (!node)
        return tr_toml_fail_memory(err);
    node->key = key;
    node->kind = kind;
    append(table, node);
    if (!keep_index(in, table))
        return tr_toml_fail_memory(err);
    *at = node;
    return TR_OK;
}

/* A message shows the start of a long key, and no character in part. */
static tr_str shown(const struct tr_toml_key *key)
{
    return tr_utf8_cut(key->written, SHOWN_BYTES);
}

static tr_status refuse(const struct tr_toml_cursor *in,
                        const struct tr_toml_key *key, const char *before,
                        const char *after, struct tr_err *err)
{
    tr_str name = shown(key);
    return tr_fail_in(err, TR_E_SYNTAX, in->text,
                      (size_t)(key->written.ptr - in->text.ptr), "%s '%.*s' %s",
                      before, TR_FMT(name), after);
}

static tr_status refuse_again(const struct tr_toml_cursor *in,
                              const struct tr_toml_key *key, struct tr_err *err)
{
    return refuse(in, key, "the key", "is already defined", err);
}

/* A value has no tables below it that a key could name. */
static tr_status refuse_value(const struct tr_toml_cursor *in,
                              const struct tr_toml_key *key,
                              const struct tr_json *value, struct tr_err *err)
{
    if (value->kind == TR_JSON_OBJECT)
        return refuse(in, key, "the inline table", "cannot be extended", err);
    if (value->kind == TR_JSON_ARRAY)
        return refuse(in, key, "the array", "cannot be extended", err);
    return refuse(in, key, "the key", "is already defined, and not as a table",
                  err);
}

tr_status tr_toml_enter_header(struct tr_toml_cursor *in,
                               struct tr_toml_node **table,
                               const struct tr_toml_key *key,
                               struct tr_err *err)
{
    struct tr_toml_node *node = find(*table, key->name);
    if (!node)
        return add(in, table, key->name, TR_TOML_IMPLIED, err);
    if (node->kind == TR_TOML_VALUE)
        return refuse_value(in, key, &node->value, err);
    /* "Array of Tables": a reference to the array means its last table. */
    *table = node->kind == TR_TOML_LIST ? node->last : node;
    return TR_OK;
}

tr_status tr_toml_enter_dotted(struct tr_toml_cursor *in,
                               struct tr_toml_node **table,
                               const struct tr_toml_key *key,
                               struct tr_err *err)
{
    struct tr_toml_node *node = find(*table, key->name);
    if (!node)
        return add(in, table, key->name, TR_TOML_DOTTED, err);
    if (node->kind == TR_TOML_VALUE)
        return refuse_value(in, key, &node->value, err);
    if (node->kind == TR_TOML_DEFINED || node->kind == TR_TOML_LIST)
        return refuse(in, key, "the table",
                      "has a header, so dotted keys cannot add to it", err);
    node->kind = TR_TOML_DOTTED;
    *table = node;
    return TR_OK;
}

tr_status tr_toml_open_table(struct tr_toml_cursor *in,
                             struct tr_toml_node **table,
                             const struct tr_toml_key *key, struct tr_err *err)
{
    struct tr_toml_node *node = find(*table, key->name);
    if (!node)
        return add(in, table, key->name, TR_TOML_DEFINED, err);
    if (node->kind != TR_TOML_IMPLIED)
        return refuse_again(in, key, err);
    node->kind = TR_TOML_DEFINED;
    *table = node;
    return TR_OK;
}

tr_status tr_toml_open_item(struct tr_toml_cursor *in,
                            struct tr_toml_node **table,
                            const struct tr_toml_key *key, struct tr_err *err)
{
    struct tr_toml_node *list = find(*table, key->name);
    if (list && list->kind != TR_TOML_LIST)
        return refuse_again(in, key, err);
    if (!list) {
        list = *table;
        TR_TRY(add(in, &list, key->name, TR_TOML_LIST, err));
    }

    TR_TRY(tr_toml_check_depth(in, list->depth + 1, err));
    struct tr_toml_node *item = tr_toml_table_new(in, list->depth + 1);
    if (!item)
        return tr_toml_fail_memory(err);
    append(list, item);
    *table = item;
    return TR_OK;
}

tr_status tr_toml_add_value(struct tr_toml_cursor *in,
                            struct tr_toml_node *table,
                            const struct tr_toml_key *key, struct tr_json **out,
                            struct tr_err *err)
{
    if (find(table, key->name))
        return refuse_again(in, key, err);
    TR_TRY(add(in, &table, key->name, TR_TOML_VALUE, err));
    *out = &table->value;
    return TR_OK;
}

tr_status tr_toml_check_depth(const struct tr_toml_cursor *in, unsigned depth,
                              struct tr_err *err)
{
    if (depth <= TR_LIMIT_NESTING)
        return TR_OK;
    return tr_fail_in(err, TR_E_LIMIT, in->text, in->at,
                      "tables and arrays nest deeper than %d levels",
                      TR_LIMIT_NESTING);
}
