#include "gen/declare.h"

#include "fields/kind.h"
#include "gen/path.h"

/* A file that is looked into, and its outline. */
#define LOOKING_BYTES (16 * TR_LIMIT_GEN_FILE)

/* A generator that runs: the file, what it has, and what comes into it. */
struct declaring {
    struct tr_gen_call *call;
    struct tr_gen_file file;
    struct tr_gen_outline outline;
    struct tr_gen_written written;
    struct tr_err *err;
};

static tr_status refuse_both(struct declaring *d, const char *a, const char *b)
{
    if (!tr_gen_argument(d->call, a) || !tr_gen_argument(d->call, b))
        return TR_OK;
    return tr_gen_refuse(d->call, b, "invalid", d->err,
                         "cannot be said beside %s: one of them is enough", a);
}

static tr_status check_body(struct declaring *d)
{
    struct tr_gen_outline outline;
    struct tr_err why = {0};
    tr_str body = tr_gen_argument_text(d->call, "body");
    tr_status status = tr_gen_scan(body, d->call->arena, &outline, &why);
    if (status == TR_OK || status == TR_E_NOMEM)
        return status == TR_OK
                   ? status
                   : tr_fail(d->err, status, "no memory to read a body");
    return tr_gen_refuse(d->call, "body", "invalid", d->err,
                         "is not the inside of a function: line %u: %s",
                         why.place.line, why.msg);
}

/* Declarations stand in Lua that is there. */
static tr_status read_file(struct declaring *d)
{
    tr_str path = tr_gen_argument_text(d->call, "file");
    bool is_there;
    if (!path.len)
        path = TR_STR("app.lua");
    const char *why = tr_gen_path_refuse(path);
    if (why)
        return tr_gen_refuse(d->call, "file", "path", d->err, "%s", why);
    if (!tr_str_eq(path, TR_STR("app.lua")) &&
        !tr_str_starts(path, TR_STR("lib/")))
        return tr_gen_refuse(d->call, "file", "path", d->err,
                             "must be app.lua or a file of lib");
    TR_TRY(
        tr_gen_read_named(d->call, "file", path, &d->file, &is_there, d->err));
    if (!is_there)
        return tr_gen_refuse(d->call, "file", "not_found", d->err,
                             "is not there: %.*s", TR_FMT(path));
    return tr_gen_check_before(d->call, &d->file, d->err);
}

static tr_status scan_file(struct declaring *d)
{
    tr_status status =
        tr_gen_scan(d->file.text, d->call->arena, &d->outline, d->err);
    if (status == TR_E_INVALID && d->err) {
        tr_place place = d->err->place;
        tr_err_prefix(d->err, "%.*s:%u", TR_FMT(d->file.path), place.line);
    }
    return status;
}

/* Types and shapes share their names. */
static bool is_rival(tr_str word, const char *own)
{
    bool is_shape = strcmp(own, "node_type") == 0 || strcmp(own, "shape") == 0;
    return tr_str_eq(word, tr_str_from(own)) ||
           (is_shape && (tr_str_eq(word, TR_STR("node_type")) ||
                         tr_str_eq(word, TR_STR("shape"))));
}

static tr_status refuse_rivals(struct declaring *d, tr_str path,
                               const struct tr_gen_outline *outline)
{
    const char *word = tr_gen_word(d->call);
    const char *argument = tr_gen_name_argument(d->call->op);
    tr_str name = tr_gen_argument_text(d->call, argument);
    for (size_t i = 0; i < outline->count; i++) {
        const struct tr_gen_declaration *one = &outline->declarations[i];
        if (is_rival(one->word, word) && tr_str_eq(one->name, name))
            return tr_gen_refuse(d->call, argument, "taken", d->err,
                                 "is taken: %.*s has a %.*s '%.*s'",
                                 TR_FMT(path), TR_FMT(one->word), TR_FMT(name));
    }
    return TR_OK;
}

/* What another file declares. One that cannot be read takes no name. */
static tr_status look_into(struct declaring *d, tr_str path)
{
    struct tr_gen_file file;
    struct tr_gen_outline outline;
    struct tr_arena scratch;
    bool is_there = false;
    tr_arena_init(&scratch, LOOKING_BYTES);
    tr_status status =
        tr_gen_tree_read(d->call->tree, path, &scratch, &file, &is_there, NULL);
    if (status == TR_OK && is_there)
        status = tr_gen_scan(file.text, &scratch, &outline, NULL);
    if (status == TR_E_NOMEM)
        (void)tr_fail(d->err, status, "no memory to read %.*s", TR_FMT(path));
    else
        status = status == TR_OK && is_there ? refuse_rivals(d, path, &outline)
                                             : TR_OK;
    tr_arena_done(&scratch);
    return status;
}

static tr_status check_names(struct declaring *d)
{
    struct tr_gen_paths paths = {0};
    TR_TRY(refuse_rivals(d, d->file.path, &d->outline));
    TR_TRY(tr_gen_tree_list(d->call->tree, d->call->arena, &paths, d->err));
    for (size_t i = 0; i < paths.count; i++) {
        tr_str path = paths.items[i];
        bool is_lua = tr_str_eq(path, TR_STR("app.lua")) ||
                      tr_str_starts(path, TR_STR("lib/"));
        if (is_lua && !tr_str_eq(path, d->file.path))
            TR_TRY(look_into(d, path));
    }
    return TR_OK;
}

/* Whether what we have written, without what the caller has, uses a word. */
static bool uses(const struct declaring *d, tr_str word)
{
    const struct tr_gen_written *written = &d->written;
    tr_str text = tr_buf_str(&written->text);
    tr_str head = {text.ptr, written->body_to ? written->body_from : text.len};
    return tr_gen_scan_uses(head, word);
}

/* A local of the file may have the name of what a declaration is made of. */
static tr_status check_locals(struct declaring *d)
{
    size_t at =
        tr_gen_insert_offset(d->file.text, &d->outline, tr_gen_word(d->call));
    for (size_t i = 0; i < d->outline.local_count; i++) {
        const struct tr_gen_local *local = &d->outline.locals[i];
        if (local->at >= at || !uses(d, local->name))
            continue;
        return tr_gen_refuse(
            d->call, "file", "hidden", d->err,
            "has a local '%.*s' in line %u, which hides what the declaration "
            "needs",
            TR_FMT(local->name), tr_place_of(d->file.text, local->at).line);
    }
    return TR_OK;
}

static tr_status put_into_file(struct declaring *d)
{
    struct tr_buf text;
    tr_str after;
    tr_buf_init(&text, TR_LIMIT_GEN_FILE + 1);
    tr_status status =
        tr_gen_insert(d->file.text, &d->outline, tr_gen_word(d->call),
                      tr_buf_str(&d->written.text), &text, d->err);
    if (status == TR_OK &&
        !tr_arena_copy(d->call->arena, tr_buf_str(&text), &after))
        status = tr_fail(d->err, TR_E_NOMEM, "no memory for a file");
    tr_buf_done(&text);
    if (status == TR_OK)
        status =
            tr_gen_add_diff(d->call, d->file.path, &d->file, &after, d->err);
    return status;
}

static tr_status write_it(struct declaring *d)
{
    tr_gen_write_declaration(d->call, &d->written);
    TR_TRY(tr_buf_check(&d->written.text, d->err));
    TR_TRY(check_locals(d));
    return put_into_file(d);
}

tr_status tr_gen_run_declare(struct tr_gen_call *call, struct tr_err *err)
{
    struct declaring d = {.call = call, .err = err};
    TR_TRY(refuse_both(&d, "input", "input_type"));
    TR_TRY(refuse_both(&d, "output", "output_type"));
    TR_TRY(refuse_both(&d, "text", "body"));
    TR_TRY(tr_gen_verify(call, err));
    TR_TRY(check_body(&d));
    TR_TRY(read_file(&d));
    TR_TRY(scan_file(&d));
    TR_TRY(check_names(&d));
    tr_buf_init(&d.written.text, TR_LIMIT_GEN_FILE);
    tr_status status = write_it(&d);
    tr_buf_done(&d.written.text);
    return status;
}
