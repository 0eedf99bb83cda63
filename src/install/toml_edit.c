#include "install/toml_edit.h"

#include "base/limits.h"
#include "install/edits.h"
#include "install/toml_place.h"
#include "install/value.h"

struct editor {
    struct tr_arena *arena;
    tr_str text;
    tr_str servers;
    tr_str line_end;
    struct tr_install_tables tables;
    struct tr_install_edits edits;
};

static tr_status start(struct editor *e, struct tr_arena *arena, tr_str text,
                       tr_str servers, struct tr_err *err)
{
    const char *lf = text.len ? memchr(text.ptr, '\n', text.len) : NULL;
    *e = (struct editor){.arena = arena, .text = text, .servers = servers};
    e->line_end =
        lf && lf > text.ptr && lf[-1] == '\r' ? TR_STR("\r\n") : TR_STR("\n");
    return tr_install_toml_tables(arena, text, servers, &e->tables, err);
}

/* Puts what is in `buf` into the text, in the place of start to end. */
static tr_status replace(struct editor *e, size_t start, size_t end,
                         struct tr_buf *buf, struct tr_err *err)
{
    tr_str piece = {NULL, 0};
    tr_status status = tr_buf_check(buf, err);
    if (status == TR_OK && !tr_arena_copy(e->arena, tr_buf_str(buf), &piece))
        status = tr_fail(err, TR_E_NOMEM, "no memory to change a text");
    tr_buf_done(buf);
    if (status == TR_OK)
        tr_install_edits_add(&e->edits, start, end, piece);
    return status;
}

static void put_value(struct tr_buf *out, const struct tr_install_entry *entry,
                      bool is_command)
{
    if (is_command)
        tr_install_value_string(out, entry->command);
    else
        tr_install_value_strings(out, entry->args, entry->arg_count, false);
}

static void put_pair(struct editor *e, struct tr_buf *out,
                     const struct tr_install_entry *entry, bool is_command)
{
    tr_buf_put(out, is_command ? TR_STR("command = ") : TR_STR("args = "));
    put_value(out, entry, is_command);
    tr_buf_put(out, e->line_end);
}

static bool ends_with(tr_str text, tr_str end)
{
    return text.len >= end.len &&
           memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

/* A table of its own at the end, behind an empty line. */
static tr_status append(struct editor *e, const struct tr_install_entry *entry,
                        struct tr_err *err)
{
    struct tr_buf out;
    bool is_empty = tr_str_trim(e->text).len == 0 ||
                    tr_str_eq(e->text, TR_STR("\xEF\xBB\xBF"));
    tr_buf_init(&out, TR_LIMIT_INSTALL_ENTRY);
    if (!is_empty && !ends_with(e->text, TR_STR("\n")))
        tr_buf_put(&out, e->line_end);
    if (!is_empty && !ends_with(e->text, TR_STR("\n\n")) &&
        !ends_with(e->text, TR_STR("\n\r\n")))
        tr_buf_put(&out, e->line_end);
    tr_buf_putf(&out, "[%.*s.%.*s]%.*s", TR_FMT(e->servers),
                TR_FMT(entry->name), TR_FMT(e->line_end));
    put_pair(e, &out, entry, true);
    put_pair(e, &out, entry, false);
    return replace(e, e->text.len, e->text.len, &out, err);
}

/* The pair that has the entry, or all of them, in a value; or NULL. */
static const struct tr_install_pair *find_pair(const struct editor *e,
                                               tr_str name)
{
    for (size_t i = 0; i < e->tables.count; i++) {
        const struct tr_install_table *table = &e->tables.items[i];
        for (size_t j = 0; j < table->pairs.count; j++) {
            const struct tr_install_pair *pair = &table->pairs.items[j];
            bool is_closed = pair->path.count == 1;
            bool is_it =
                table->path.count == 0
                    ? tr_install_path_starts(&pair->path, e->servers,
                                             is_closed ? TR_STR("") : name)
                    : table->path.count == 1 &&
                          tr_install_path_starts(&pair->path, name, TR_STR(""));
            if (is_it)
                return pair;
        }
    }
    return NULL;
}

/* All servers are something else than a table. */
static tr_status fail_kind(const struct editor *e, struct tr_err *err)
{
    size_t place = 0;
    for (size_t i = 1; i < e->tables.count && !place; i++) {
        const struct tr_install_table *table = &e->tables.items[i];
        if (tr_install_path_starts(&table->path, e->servers, TR_STR("")))
            place = table->start;
    }
    for (size_t i = 0; i < e->tables.items[0].pairs.count && !place; i++) {
        const struct tr_install_pair *pair = &e->tables.items[0].pairs.items[i];
        if (tr_install_path_starts(&pair->path, e->servers, TR_STR("")))
            place = pair->key;
    }
    return tr_fail_in(err, TR_E_INVALID, e->text, place, "%.*s is not a table",
                      TR_FMT(e->servers));
}

static tr_status fail_shape(const struct editor *e,
                            const struct tr_install_pair *pair, tr_str name,
                            struct tr_err *err)
{
    return tr_fail_in(err, TR_E_UNSUPPORTED, e->text, pair->key,
                      "write this as a table, [%.*s.%.*s]: an entry in another "
                      "value is not changed",
                      TR_FMT(e->servers), TR_FMT(name));
}

static const struct tr_install_table *find_table(const struct editor *e,
                                                 tr_str name)
{
    for (size_t i = 0; i < e->tables.count; i++) {
        const struct tr_install_table *table = &e->tables.items[i];
        if (!table->is_item && table->path.count == 2 &&
            tr_install_path_starts(&table->path, e->servers, name))
            return table;
    }
    return NULL;
}

static tr_status mend(struct editor *e, const struct tr_install_table *table,
                      const struct tr_install_entry *entry, bool is_command,
                      struct tr_err *err)
{
    tr_str key = is_command ? TR_STR("command") : TR_STR("args");
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_INSTALL_ENTRY);
    for (size_t i = 0; i < table->pairs.count; i++) {
        const struct tr_install_pair *pair = &table->pairs.items[i];
        if (pair->path.count != 1 || !tr_str_eq(pair->path.parts[0], key))
            continue;
        put_value(&out, entry, is_command);
        return replace(e, pair->value, pair->value_end, &out, err);
    }
    if (!ends_with((tr_str){e->text.ptr, table->body}, TR_STR("\n")))
        tr_buf_put(&out, e->line_end);
    put_pair(e, &out, entry, is_command);
    return replace(e, table->body, table->body, &out, err);
}

static tr_status put_step(struct editor *e, const struct tr_json *root,
                          const struct tr_install_entry *entry,
                          struct tr_err *err)
{
    const struct tr_json *servers = tr_json_find(root, e->servers);
    const struct tr_json *now = tr_json_find(servers, entry->name);
    const struct tr_install_table *table = find_table(e, entry->name);
    const struct tr_install_pair *pair = find_pair(e, entry->name);
    if (servers && servers->kind != TR_JSON_OBJECT)
        return fail_kind(e, err);
    if (!table && pair)
        return fail_shape(e, pair, entry->name, err);
    if (!table)
        return append(e, entry, err);
    if (!tr_install_value_is(tr_json_find(now, TR_STR("command")),
                             entry->command))
        return mend(e, table, entry, true, err);
    if (!tr_install_value_are(tr_json_find(now, TR_STR("args")), entry->args,
                              entry->arg_count))
        return mend(e, table, entry, false, err);
    return TR_OK;
}

/* The text with what was done to it. */
static tr_status end(const struct editor *e, tr_str *out, struct tr_err *err)
{
    *out = e->text;
    return e->edits.count
               ? tr_install_edits_apply(&e->edits, e->arena, e->text, out, err)
               : TR_OK;
}

tr_status tr_install_toml_put(struct tr_arena *arena,
                              const struct tr_install_toml *toml,
                              const struct tr_install_form *form,
                              const struct tr_install_entry *entry, tr_str *out,
                              struct tr_err *err)
{
    struct editor e;
    TR_TRY(start(&e, arena, toml->text, form->servers, err));
    TR_TRY(put_step(&e, toml->root, entry, err));
    return end(&e, out, err);
}

/* One empty line before a table goes with it: it was put there with it. */
static size_t with_empty_line(tr_str text, size_t start)
{
    tr_str before = {text.ptr, start};
    if (ends_with(before, TR_STR("\n\r\n")))
        return start - 2;
    return ends_with(before, TR_STR("\n\n")) ? start - 1 : start;
}

static tr_status remove_step(struct editor *e, const struct tr_json *root,
                             tr_str name, struct tr_err *err)
{
    const struct tr_install_pair *pair = find_pair(e, name);
    if (!tr_json_find(tr_json_find(root, e->servers), name))
        return TR_OK;
    for (size_t i = 1; i < e->tables.count; i++) {
        const struct tr_install_table *table = &e->tables.items[i];
        if (!tr_install_path_starts(&table->path, e->servers, name))
            continue;
        tr_install_edits_add(&e->edits, with_empty_line(e->text, table->start),
                             table->end, TR_STR(""));
        return TR_OK;
    }
    return pair ? fail_shape(e, pair, name, err) : TR_OK;
}

tr_status tr_install_toml_remove(struct tr_arena *arena,
                                 const struct tr_install_toml *toml,
                                 const struct tr_install_form *form,
                                 tr_str name, tr_str *out, struct tr_err *err)
{
    struct editor e;
    TR_TRY(start(&e, arena, toml->text, form->servers, err));
    TR_TRY(remove_step(&e, toml->root, name, err));
    return end(&e, out, err);
}
