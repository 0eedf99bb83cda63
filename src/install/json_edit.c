#include "install/json_edit.h"

#include "base/limits.h"
#include "install/edits.h"
#include "install/json_place.h"
#include "install/layout.h"
#include "install/value.h"

struct editor {
    struct tr_arena *arena;
    const struct tr_install_json *json;
    const struct tr_install_form *form;
    struct tr_install_style style;
    struct tr_buf out; /* what is being written to be put in */
    struct tr_install_edits edits;
};

/* The same text in the arena, for an edit. */
static tr_status take(struct editor *e, tr_str *out, struct tr_err *err)
{
    TR_TRY(tr_buf_check(&e->out, err));
    if (!tr_arena_copy(e->arena, tr_buf_str(&e->out), out))
        return tr_fail(err, TR_E_NOMEM, "no memory to change a text");
    tr_buf_clear(&e->out);
    return TR_OK;
}

static void put_line(struct editor *e, tr_str indent)
{
    tr_buf_put(&e->out, e->style.line_end);
    tr_buf_put(&e->out, indent);
}

/* What stands before a member of an object that `indent` belongs to. */
static void put_gap(struct editor *e, tr_str indent, bool is_first)
{
    if (!is_first)
        tr_buf_putc(&e->out, ',');
    if (e->style.is_inline) {
        tr_buf_put(&e->out,
                   e->style.is_tight || is_first ? TR_STR("") : TR_STR(" "));
    } else {
        put_line(e, indent);
        tr_buf_put(&e->out, e->style.unit);
    }
}

static void put_key(struct editor *e, tr_str key)
{
    tr_install_value_string(&e->out, key);
    tr_buf_put(&e->out, e->style.is_tight ? TR_STR(":") : TR_STR(": "));
}

static void put_close(struct editor *e, tr_str indent)
{
    if (!e->style.is_inline)
        put_line(e, indent);
    tr_buf_putc(&e->out, '}');
}

/* "trails-x": {"command": ..., "args": [...]} */
static void put_entry(struct editor *e, const struct tr_install_entry *entry,
                      tr_str indent)
{
    put_key(e, entry->name);
    tr_buf_putc(&e->out, '{');
    if (e->form->has_type) {
        put_gap(e, indent, true);
        put_key(e, TR_STR("type"));
        tr_install_value_string(&e->out, TR_STR("stdio"));
    }
    put_gap(e, indent, !e->form->has_type);
    put_key(e, TR_STR("command"));
    tr_install_value_string(&e->out, entry->command);
    put_gap(e, indent, false);
    put_key(e, TR_STR("args"));
    tr_install_value_strings(&e->out, entry->args, entry->arg_count,
                             e->style.is_tight);
    put_close(e, indent);
}

/* An indentation one step deeper, in the arena. */
static tr_status deeper(struct editor *e, tr_str indent, tr_str *out,
                        struct tr_err *err)
{
    tr_buf_put(&e->out, indent);
    tr_buf_put(&e->out, e->style.unit);
    return take(e, out, err);
}

/* "mcpServers": {"trails-x": ...} */
static tr_status put_servers(struct editor *e,
                             const struct tr_install_entry *entry,
                             tr_str indent, struct tr_err *err)
{
    tr_str inner = {NULL, 0};
    TR_TRY(deeper(e, indent, &inner, err));
    put_key(e, e->form->servers);
    tr_buf_putc(&e->out, '{');
    put_gap(e, indent, true);
    put_entry(e, entry, inner);
    put_close(e, indent);
    return tr_buf_check(&e->out, err);
}

/* All of a file that has had nothing but comments. */
static tr_status put_file(struct editor *e,
                          const struct tr_install_entry *entry,
                          struct tr_err *err)
{
    tr_str text = e->json->text;
    tr_str servers = {NULL, 0};
    TR_TRY(put_servers(e, entry, e->style.unit, err));
    TR_TRY(take(e, &servers, err));
    if (text.len && tr_str_trim(text).len && text.ptr[text.len - 1] != '\n' &&
        !tr_str_eq(text, TR_STR("\xEF\xBB\xBF")))
        tr_buf_put(&e->out, e->style.line_end);
    tr_buf_putc(&e->out, '{');
    put_gap(e, TR_STR(""), true);
    tr_buf_put(&e->out, servers);
    put_close(e, TR_STR(""));
    tr_buf_put(&e->out, e->style.line_end);
    TR_TRY(take(e, &servers, err));
    tr_install_edits_add(&e->edits, text.len, text.len, servers);
    return TR_OK;
}

/* How deep the members of an object stand. */
static tr_status member_indent(struct editor *e,
                               const struct tr_install_object *object,
                               tr_str *out, struct tr_err *err)
{
    tr_str text = e->json->text;
    for (size_t i = 0; i < object->members.count; i++) {
        size_t key = object->members.items[i].key;
        if (tr_install_starts_line(text, key)) {
            *out = tr_install_indent_of(text, key);
            return TR_OK;
        }
    }
    return deeper(e, tr_install_indent_of(text, object->open), out, err);
}

/* Whether what is put into an object stands on the line that it is on. */
static bool is_inline(const struct editor *e,
                      const struct tr_install_object *object)
{
    return object->members.count
               ? !tr_install_has_line_end(e->json->text, object->open,
                                          object->close)
               : e->style.is_inline;
}

/* `member` goes behind the last one, and its notes. */
static tr_status insert_last(struct editor *e,
                             const struct tr_install_object *object,
                             tr_str indent, tr_str member, struct tr_err *err)
{
    size_t count = object->members.count;
    const struct tr_install_member *last = &object->members.items[count - 1];
    bool has_comma = last->comma != TR_INSTALL_NOWHERE;
    size_t at = has_comma ? last->comma + 1 : last->value_end;
    if (!has_comma)
        tr_install_edits_add(&e->edits, at, at, TR_STR(","));
    if (e->style.is_inline) {
        tr_buf_put(&e->out, e->style.is_tight ? TR_STR("") : TR_STR(" "));
    } else {
        at = tr_install_behind_notes(e->json->text, at);
        put_line(e, indent);
    }
    tr_buf_put(&e->out, member);
    if (has_comma)
        tr_buf_putc(&e->out, ',');
    TR_TRY(take(e, &member, err));
    tr_install_edits_add(&e->edits, at, at, member);
    return TR_OK;
}

/* Spaces in an empty object go; comments stay before the first member. */
static tr_status insert_first(struct editor *e,
                              const struct tr_install_object *object,
                              tr_str indent, tr_str member, struct tr_err *err)
{
    tr_str text = e->json->text;
    size_t at = tr_install_before_space(text, object->close);
    bool has_notes = at > object->open + 1;
    bool closes =
        !has_notes || !tr_install_has_line_end(text, at, object->close);
    if (!e->style.is_inline)
        put_line(e, indent);
    else if (has_notes)
        tr_buf_putc(&e->out, ' ');
    tr_buf_put(&e->out, member);
    if (!e->style.is_inline && closes)
        put_line(e, tr_install_indent_of(text, object->open));
    TR_TRY(take(e, &member, err));
    tr_install_edits_add(&e->edits, at, has_notes ? at : object->close, member);
    return TR_OK;
}

typedef tr_status put_fn(struct editor *e, const struct tr_install_entry *entry,
                         tr_str indent, struct tr_err *err);

static tr_status put_whole_entry(struct editor *e,
                                 const struct tr_install_entry *entry,
                                 tr_str indent, struct tr_err *err)
{
    put_entry(e, entry, indent);
    return tr_buf_check(&e->out, err);
}

static tr_status put_type(struct editor *e,
                          const struct tr_install_entry *entry, tr_str indent,
                          struct tr_err *err)
{
    (void)entry;
    (void)indent;
    put_key(e, TR_STR("type"));
    tr_install_value_string(&e->out, TR_STR("stdio"));
    return tr_buf_check(&e->out, err);
}

static tr_status put_command(struct editor *e,
                             const struct tr_install_entry *entry,
                             tr_str indent, struct tr_err *err)
{
    (void)indent;
    put_key(e, TR_STR("command"));
    tr_install_value_string(&e->out, entry->command);
    return tr_buf_check(&e->out, err);
}

static tr_status put_args(struct editor *e,
                          const struct tr_install_entry *entry, tr_str indent,
                          struct tr_err *err)
{
    (void)indent;
    put_key(e, TR_STR("args"));
    tr_install_value_strings(&e->out, entry->args, entry->arg_count,
                             e->style.is_tight);
    return tr_buf_check(&e->out, err);
}

/* Puts a new member into an object. */
static tr_status insert(struct editor *e,
                        const struct tr_install_object *object, put_fn *put,
                        const struct tr_install_entry *entry,
                        struct tr_err *err)
{
    tr_str indent = {NULL, 0};
    tr_str member = {NULL, 0};
    size_t count = object->members.count;
    size_t at =
        count ? object->members.items[count - 1].value_end : object->open;
    e->style.is_inline = is_inline(e, object);
    e->style.line_end = tr_install_line_end_at(e->json->text, at);
    TR_TRY(member_indent(e, object, &indent, err));
    TR_TRY(put(e, entry, indent, err));
    TR_TRY(take(e, &member, err));
    return object->members.count ? insert_last(e, object, indent, member, err)
                                 : insert_first(e, object, indent, member, err);
}

/* The objects on the way to an entry, as far as they are there. */
struct way {
    struct tr_install_object root;
    struct tr_install_object servers;
    struct tr_install_object entry;
    size_t depth; /* how many of them are there */
};

static tr_status enter(struct editor *e, const struct tr_install_object *outer,
                       tr_str name, struct tr_install_object *inner,
                       struct way *way, struct tr_err *err)
{
    const struct tr_install_member *member = NULL;
    TR_TRY(tr_install_json_member(e->json, outer, name, &member, err));
    if (!member)
        return TR_OK;
    if (e->json->bare.ptr[member->value] != '{')
        return tr_fail_in(err, TR_E_INVALID, e->json->text, member->value,
                          "\"%.*s\" is not an object", TR_FMT(name));
    way->depth++;
    return tr_install_json_object(e->arena, e->json, member->value, inner, err);
}

/* Without a name, the way to all entries. */
static tr_status find_way(struct editor *e, tr_str name, struct way *way,
                          struct tr_err *err)
{
    *way = (struct way){.depth = 0};
    if (!e->json->root)
        return TR_OK;
    if (e->json->root->kind != TR_JSON_OBJECT)
        return tr_fail_in(err, TR_E_INVALID, e->json->text, 0,
                          "the file is %s, not an object",
                          tr_json_kind_name(e->json->root->kind));
    way->depth = 1;
    TR_TRY(tr_install_json_object(e->arena, e->json, 0, &way->root, err));
    TR_TRY(enter(e, &way->root, e->form->servers, &way->servers, way, err));
    if (way->depth < 2 || !name.len)
        return TR_OK;
    return enter(e, &way->servers, name, &way->entry, way, err);
}

/* Writes a member that is wrong or missing in an entry that is there. */
static tr_status mend(struct editor *e, const struct tr_install_object *object,
                      tr_str name, put_fn *put,
                      const struct tr_install_entry *entry, struct tr_err *err)
{
    const struct tr_install_member *member = NULL;
    tr_str text = {NULL, 0};
    TR_TRY(tr_install_json_member(e->json, object, name, &member, err));
    if (!member)
        return insert(e, object, put, entry, err);
    TR_TRY(put(e, entry, TR_STR(""), err));
    TR_TRY(take(e, &text, err));
    tr_install_edits_add(&e->edits, member->key, member->value_end, text);
    return TR_OK;
}

static tr_status mend_entry(struct editor *e,
                            const struct tr_install_object *object,
                            const struct tr_install_entry *entry,
                            struct tr_err *err)
{
    const struct tr_json *now = tr_json_find(
        tr_json_find(e->json->root, e->form->servers), entry->name);
    if (e->form->has_type &&
        !tr_install_value_is(tr_json_find(now, TR_STR("type")),
                             TR_STR("stdio")))
        return mend(e, object, TR_STR("type"), put_type, entry, err);
    if (!tr_install_value_is(tr_json_find(now, TR_STR("command")),
                             entry->command))
        return mend(e, object, TR_STR("command"), put_command, entry, err);
    if (!tr_install_value_are(tr_json_find(now, TR_STR("args")), entry->args,
                              entry->arg_count))
        return mend(e, object, TR_STR("args"), put_args, entry, err);
    return TR_OK;
}

static tr_status put_step(struct editor *e,
                          const struct tr_install_entry *entry,
                          struct tr_err *err)
{
    struct way way;
    TR_TRY(find_way(e, entry->name, &way, err));
    tr_install_style_read(&e->style, e->json, way.depth ? &way.root : NULL);
    switch (way.depth) {
    case 0:
        return put_file(e, entry, err);
    case 1:
        return insert(e, &way.root, put_servers, entry, err);
    case 2:
        return insert(e, &way.servers, put_whole_entry, entry, err);
    default:
        return mend_entry(e, &way.entry, entry, err);
    }
}

/* Takes out a member with the comma that is then too many. */
static void cut(struct editor *e, const struct tr_install_object *object,
                const struct tr_install_member *member)
{
    tr_str text = e->json->text;
    size_t index = (size_t)(member - object->members.items);
    bool has_comma = member->comma != TR_INSTALL_NOWHERE;
    size_t end = has_comma ? member->comma + 1 : member->value_end;
    size_t start = tr_install_before_space(text, member->key);
    size_t next = tr_install_skip_blanks(text, end);
    bool goes_on =
        next < text.len && text.ptr[next] != '\n' && text.ptr[next] != '\r';
    /* What follows on the same line must not come behind a comment. */
    bool is_noted = start > 0 && e->json->bare.ptr[start - 1] == ' ' &&
                    tr_install_has_line_end(text, start, member->key);
    if (goes_on && (is_noted || (has_comma && start == member->key))) {
        start = member->key;
        end = next;
    }
    if (has_comma) {
        bool is_apart =
            tr_install_before_space(text, member->comma) > member->value_end;
        size_t value_end = is_apart ? member->value_end : member->comma;
        tr_install_edits_add(&e->edits, start, value_end, TR_STR(""));
        tr_install_edits_add(&e->edits, member->comma, end, TR_STR(""));
        return;
    }
    if (index > 0) {
        size_t comma = object->members.items[index - 1].comma;
        tr_install_edits_add(&e->edits, comma, comma + 1, TR_STR(""));
    }
    tr_install_edits_add(&e->edits, start, end, TR_STR(""));
}

static tr_status remove_step(struct editor *e, tr_str name, struct tr_err *err)
{
    struct way way;
    const struct tr_install_member *member = NULL;
    TR_TRY(find_way(e, TR_STR(""), &way, err));
    if (way.depth < 2)
        return TR_OK;
    TR_TRY(tr_install_json_member(e->json, &way.servers, name, &member, err));
    if (!member)
        return TR_OK;
    tr_str text = e->json->text;
    size_t after = member->comma == TR_INSTALL_NOWHERE ? member->value_end
                                                       : member->comma + 1;
    bool is_all =
        tr_install_before_space(text, member->key) == way.servers.open + 1 &&
        tr_install_before_space(text, way.servers.close) == after;
    if (is_all)
        tr_install_edits_add(&e->edits, way.servers.open + 1, way.servers.close,
                             TR_STR(""));
    else
        cut(e, &way.servers, member);
    return TR_OK;
}

static void start(struct editor *e, struct tr_arena *arena,
                  const struct tr_install_json *json,
                  const struct tr_install_form *form)
{
    *e = (struct editor){.arena = arena, .json = json, .form = form};
    tr_buf_init(&e->out, TR_LIMIT_INSTALL_ENTRY);
}

static tr_status end(struct editor *e, tr_status status, tr_str *out,
                     struct tr_err *err)
{
    tr_buf_done(&e->out);
    if (status != TR_OK || !e->edits.count) {
        *out = e->json->text;
        return status;
    }
    return tr_install_edits_apply(&e->edits, e->arena, e->json->text, out, err);
}

tr_status tr_install_json_put(struct tr_arena *arena,
                              const struct tr_install_json *json,
                              const struct tr_install_form *form,
                              const struct tr_install_entry *entry, tr_str *out,
                              struct tr_err *err)
{
    struct editor e;
    start(&e, arena, json, form);
    return end(&e, put_step(&e, entry, err), out, err);
}

tr_status tr_install_json_remove(struct tr_arena *arena,
                                 const struct tr_install_json *json,
                                 const struct tr_install_form *form,
                                 tr_str name, tr_str *out, struct tr_err *err)
{
    struct editor e;
    start(&e, arena, json, form);
    return end(&e, remove_step(&e, name, err), out, err);
}
