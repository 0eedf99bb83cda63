#include "install/toml_place.h"

#include "base/buf.h"
#include "toml/reader.h"

struct scan {
    struct tr_arena *arena;
    tr_str text;
    tr_str servers;
    size_t at;
};

static bool has(const struct scan *scan, tr_str what)
{
    return tr_str_starts(tr_str_skip(scan->text, scan->at), what);
}

static bool is_at(const struct scan *scan, const char *these)
{
    return scan->at < scan->text.len && scan->text.ptr[scan->at] &&
           strchr(these, scan->text.ptr[scan->at]);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct scan *scan)
{
    while (is_at(scan, " \t"))
        scan->at++;
}

/* Behind the line end. */
static void skip_line(struct scan *scan)
{
    while (scan->at < scan->text.len && !is_at(scan, "\n"))
        scan->at++;
    scan->at += scan->at < scan->text.len;
}

/* A string in three quotes may have one or two more before its end. */
static void skip_long_string(struct scan *scan, char quote)
{
    const char end[] = {quote, quote, quote};
    scan->at += 3;
    while (scan->at < scan->text.len && !has(scan, (tr_str){end, 3}))
        scan->at += quote == '"' && is_at(scan, "\\") ? 2 : 1;
    scan->at += 3;
    for (int i = 0; i < 2 && has(scan, (tr_str){end, 1}); i++)
        scan->at++;
}

static void skip_string(struct scan *scan)
{
    char quote = scan->text.ptr[scan->at];
    const char end[] = {quote, quote, quote};
    if (has(scan, (tr_str){end, 3})) {
        skip_long_string(scan, quote);
        return;
    }
    scan->at++;
    while (scan->at < scan->text.len && scan->text.ptr[scan->at] != quote)
        scan->at += quote == '"' && is_at(scan, "\\") ? 2 : 1;
    scan->at++;
}

/* Up to one of `these` outside of strings. */
static void skip_key(struct scan *scan, const char *these)
{
    while (scan->at < scan->text.len && !is_at(scan, these)) {
        if (is_at(scan, "\"'"))
            skip_string(scan);
        else
            scan->at++;
    }
}

static void skip_value(struct scan *scan)
{
    size_t depth = 0;
    while (scan->at < scan->text.len) {
        if (depth == 0 && is_at(scan, "#\n"))
            return;
        if (is_at(scan, "\"'")) {
            skip_string(scan);
        } else if (is_at(scan, "#")) {
            skip_line(scan);
        } else {
            depth += is_at(scan, "[{");
            depth -= is_at(scan, "]}");
            scan->at++;
        }
    }
    if (scan->at > scan->text.len)
        scan->at = scan->text.len;
}

/* The reader knows what a key may be: it is given one as a document. */
static tr_status read_path(struct scan *scan, size_t start, size_t end,
                           struct tr_install_path *out, struct tr_err *err)
{
    const struct tr_json *tree = NULL;
    TR_VEC(tr_str) parts = {0};
    struct tr_buf text;
    tr_str document = {NULL, 0};
    tr_buf_init(&text, end - start + 8);
    tr_buf_put(&text, (tr_str){scan->text.ptr + start, end - start});
    tr_buf_put(&text, TR_STR(" = 0"));
    bool is_held = tr_buf_check(&text, NULL) == TR_OK &&
                   tr_arena_copy(scan->arena, tr_buf_str(&text), &document);
    tr_buf_done(&text);
    if (!is_held)
        return tr_fail(err, TR_E_NOMEM, "no memory to read a key");
    TR_TRY(tr_toml_read(scan->arena, document, &tree, err));
    for (; tree->kind == TR_JSON_OBJECT && tree->len;
         tree = tr_json_find(tree, tr_json_text(&tree->as.members[0].key))) {
        if (!tr_vec_push(scan->arena, &parts,
                         tr_json_text(&tree->as.members[0].key)))
            return tr_fail(err, TR_E_NOMEM, "no memory to read a key");
    }
    *out = (struct tr_install_path){parts.items, parts.count};
    return TR_OK;
}

bool tr_install_path_starts(const struct tr_install_path *path, tr_str first,
                            tr_str second)
{
    return path->count > 0 && tr_str_eq(path->parts[0], first) &&
           (!second.len ||
            (path->count > 1 && tr_str_eq(path->parts[1], second)));
}

static tr_status read_header(struct scan *scan, size_t line,
                             struct tr_install_table *table, struct tr_err *err)
{
    *table = (struct tr_install_table){.start = line};
    table->is_item = has(scan, TR_STR("[["));
    scan->at += table->is_item ? 2 : 1;
    size_t key = scan->at;
    skip_key(scan, "]");
    TR_TRY(read_path(scan, key, scan->at, &table->path, err));
    skip_line(scan);
    table->body = table->end = scan->at;
    return TR_OK;
}

static tr_status read_pair(struct scan *scan, struct tr_install_table *table,
                           struct tr_err *err)
{
    struct tr_install_pair pair = {.key = scan->at};
    bool is_asked = table->path.count == 0 ||
                    tr_str_eq(table->path.parts[0], scan->servers);
    skip_key(scan, "=");
    if (is_asked)
        TR_TRY(read_path(scan, pair.key, scan->at, &pair.path, err));
    scan->at++;
    skip_blanks(scan);
    pair.value = scan->at;
    skip_value(scan);
    pair.value_end = scan->at;
    while (pair.value_end > pair.value &&
           is_blank(scan->text.ptr[pair.value_end - 1]))
        pair.value_end--;
    skip_line(scan);
    table->end = scan->at;
    if (is_asked && !tr_vec_push(scan->arena, &table->pairs, pair))
        return tr_fail(err, TR_E_NOMEM, "no memory to read a table");
    return TR_OK;
}

tr_status tr_install_toml_tables(struct tr_arena *arena, tr_str text,
                                 tr_str servers, struct tr_install_tables *out,
                                 struct tr_err *err)
{
    struct scan scan = {.arena = arena, .text = text, .servers = servers};
    struct tr_install_tables tables = {0};
    struct tr_install_table table = {.start = 0};
    if (has(&scan, TR_STR("\xEF\xBB\xBF")))
        scan.at = 3;
    if (!tr_vec_push(arena, &tables, table))
        return tr_fail(err, TR_E_NOMEM, "no memory to read TOML");
    while (scan.at < text.len) {
        size_t line = scan.at;
        skip_blanks(&scan);
        if (is_at(&scan, "[")) {
            TR_TRY(read_header(&scan, line, &table, err));
            if (!tr_vec_push(arena, &tables, table))
                return tr_fail(err, TR_E_NOMEM, "no memory to read TOML");
        } else if (is_at(&scan, "#\r\n") || scan.at >= text.len) {
            skip_line(&scan);
        } else {
            TR_TRY(read_pair(&scan, &tables.items[tables.count - 1], err));
        }
    }
    *out = tables;
    return TR_OK;
}
