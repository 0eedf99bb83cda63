#include "toml/freeze.h"

#include "json/build.h"

static bool freeze_list(struct tr_toml_cursor *in,
                        const struct tr_toml_node *list, struct tr_json *out)
{
    size_t start = in->items.count;
    for (struct tr_toml_node *item = list->first; item; item = item->next) {
        struct tr_json value;
        if (!tr_toml_freeze(in, item, &value) ||
            !tr_vec_push(in->scratch, &in->items, value))
            return false;
    }
    in->items.count = start;
    return tr_json_make_array(in->arena, &in->items.items[start], list->count,
                              out);
}

static bool freeze_table(struct tr_toml_cursor *in,
                         const struct tr_toml_node *table, struct tr_json *out)
{
    size_t start = in->members.count;
    if (table->count == 0)
        return tr_json_make_object(in->arena, NULL, 0, out);
    for (struct tr_toml_node *node = table->first; node; node = node->next) {
        struct tr_json_member member = {
            .key = tr_json_make_text(TR_JSON_STRING, node->key)};
        if (!tr_toml_freeze(in, node, &member.value) ||
            !tr_vec_push(in->scratch, &in->members, member))
            return false;
    }
    in->members.count = start;
    return tr_json_make_object(in->arena, &in->members.items[start],
                               table->count, out);
}

/* Calls itself at most TR_LIMIT_NESTING deep. */
bool tr_toml_freeze(struct tr_toml_cursor *in, const struct tr_toml_node *node,
                    struct tr_json *out)
{
    switch (node->kind) {
    case TR_TOML_VALUE:
        *out = node->value;
        return true;
    case TR_TOML_LIST:
        return freeze_list(in, node, out);
    case TR_TOML_IMPLIED:
    case TR_TOML_DOTTED:
    case TR_TOML_DEFINED:
        break;
    }
    return freeze_table(in, node, out);
}
