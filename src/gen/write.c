#include "gen/declare.h"
#include "gen/fields.h"
#include "gen/quote.h"

static bool is_template(tr_str uri)
{
    return memchr(uri.ptr, '{', uri.len) != NULL;
}

static bool has_role(const struct tr_gen_call *call, enum tr_gen_role role)
{
    size_t i = 0;
    while (i < call->op->argument_count && call->op->arguments[i].role != role)
        i++;
    return i < call->op->argument_count;
}

static tr_str name_of(const struct tr_gen_call *call)
{
    return tr_gen_argument_text(call, tr_gen_name_argument(call->op));
}

const char *tr_gen_word(const struct tr_gen_call *call)
{
    tr_str name = name_of(call);
    if (strcmp(call->op->word, "resource") == 0 && name.len &&
        is_template(name))
        return "resource_template";
    return call->op->word;
}

static void put_option(struct tr_buf *out, const char *name)
{
    tr_buf_putf(out, "  %s = ", name);
}

/* side_effects = { graph_writes = { "default" } } */
static void put_effects(struct tr_buf *out, const struct tr_gen_call *call)
{
    bool follows = false;
    put_option(out, "side_effects");
    for (size_t i = 0; i < call->op->argument_count; i++) {
        const struct tr_gen_argument *row = &call->op->arguments[i];
        const struct tr_json *value =
            row->role == TR_GEN_EFFECT
                ? tr_gen_argument(call, row->field.name.ptr)
                : NULL;
        if (!value || !value->len)
            continue;
        tr_buf_put(out, follows ? TR_STR(", ") : TR_STR("{ "));
        tr_gen_put_key(out, row->field.name);
        tr_buf_putc(out, ' ');
        tr_gen_put_value(out, value);
        follows = true;
    }
    tr_buf_put(out, follows ? TR_STR(" },\n") : TR_STR("{},\n"));
}

static void put_argument(struct tr_buf *out, const struct tr_gen_call *call,
                         const struct tr_gen_argument *row)
{
    const char *name = row->field.name.ptr;
    const struct tr_json *value = tr_gen_argument(call, name);
    bool is_empty = !value || (value->kind == TR_JSON_ARRAY && !value->len);
    if (is_empty || (row->role != TR_GEN_OPTION && row->role != TR_GEN_FIELDS))
        return;
    put_option(out, row->option ? row->option : name);
    if (row->role == TR_GEN_FIELDS)
        tr_gen_put_fields(out, value, 2);
    else
        tr_gen_put_value(out, value);
    tr_buf_put(out, TR_STR(",\n"));
}

/* What `run` does ---------------------------------------------------------- */

/* A text of several lines is one line here, so an indent changes nothing. */
static void put_body(struct tr_buf *out, tr_str body)
{
    bool as_it_is = tr_gen_scan_has_long_text(body);
    for (bool more = true; more;) {
        tr_str line;
        tr_str rest = {0};
        more = tr_str_cut(body, '\n', &line, &rest);
        if (!more)
            line = body;
        body = rest;
        if (!more && !line.len)
            break;
        tr_buf_put(out, line.len && !as_it_is ? TR_STR("    ") : TR_STR(""));
        tr_buf_put(out, line);
        tr_buf_putc(out, '\n');
    }
}

/* The argument that {name} at the start of a text stands for; NULL: none. */
static const struct tr_json *find_blank(const struct tr_gen_call *call,
                                        tr_str text, tr_str *rest)
{
    const struct tr_json *fields = tr_gen_argument(call, "arguments");
    tr_str name;
    if (!tr_str_starts(text, TR_STR("{")) ||
        !tr_str_cut(tr_str_skip(text, 1), '}', &name, rest))
        return NULL;
    for (size_t i = 0; fields && i < fields->len; i++) {
        const struct tr_json *field = tr_json_at(fields, i);
        if (tr_str_eq(tr_json_text(tr_json_find(field, TR_STR("name"))), name))
            return field;
    }
    return NULL;
}

static void put_blank(struct tr_buf *out, const struct tr_json *field)
{
    bool optional = false;
    tr_str name = tr_json_text(tr_json_find(field, TR_STR("name")));
    (void)tr_json_bool(tr_json_find(field, TR_STR("optional")), &optional);
    if (optional) {
        tr_buf_putc(out, '(');
        tr_gen_put_member(out, "args", name);
        tr_buf_put(out, TR_STR(" == nil and \"\" or "));
    }
    tr_buf_put(out, TR_STR("tostring("));
    tr_gen_put_member(out, "args", name);
    tr_buf_put(out, optional ? TR_STR("))") : TR_STR(")"));
}

/* "Sum up " .. tostring(args.topic) .. "." */
static void put_template(struct tr_buf *out, const struct tr_gen_call *call,
                         tr_str text)
{
    size_t from = 0;
    bool follows = false;
    for (size_t i = 0; i <= text.len; i++) {
        tr_str rest;
        const struct tr_json *blank =
            i < text.len ? find_blank(call, tr_str_skip(text, i), &rest) : NULL;
        if (i < text.len && !blank)
            continue;
        if (i > from || (!blank && !follows)) {
            tr_buf_put(out, follows ? TR_STR(" .. ") : TR_STR(""));
            tr_gen_put_text(out, (tr_str){text.ptr + from, i - from});
            follows = true;
        }
        if (!blank)
            break;
        tr_buf_put(out, follows ? TR_STR(" .. ") : TR_STR(""));
        put_blank(out, blank);
        follows = true;
        from = text.len - rest.len;
        i = from - 1;
    }
}

static void put_not_written(struct tr_buf *out, const char *before, tr_str name,
                            const char *behind)
{
    char text[TR_LIMIT_URI_BYTES];
    int len =
        snprintf(text, sizeof(text), "%.*s is not written yet", TR_FMT(name));
    size_t fits = len < 0 ? 0 : (size_t)len;
    tr_buf_put(out, tr_str_from(before));
    tr_gen_put_text(
        out, (tr_str){text, fits < sizeof(text) ? fits : sizeof(text) - 1});
    tr_buf_put(out, tr_str_from(behind));
}

/* A handler that can be called: it gives what it got, or says that there is
 * nothing yet. */
static void put_stub(struct tr_buf *out, const struct tr_gen_call *call)
{
    tr_str name = name_of(call);
    bool has_output =
        tr_gen_argument(call, "output") || tr_gen_argument(call, "output_type");
    tr_buf_put(out, TR_STR("    -- what it does goes here\n"));
    if (strcmp(call->op->word, "policy") == 0)
        put_not_written(out, "    return false, ", name, "\n");
    else if (strcmp(call->op->word, "capability") != 0)
        put_not_written(out, "    return ", name, "\n");
    else if (has_output)
        put_not_written(out, "    return ctx:error(", name, ")\n");
    else
        tr_buf_put(out, TR_STR("    return args\n"));
}

static void put_run(const struct tr_gen_call *call, struct tr_gen_written *out)
{
    tr_str body = tr_gen_argument_text(call, "body");
    const struct tr_json *text = tr_gen_argument(call, "text");
    bool is_policy = strcmp(call->op->word, "policy") == 0;
    tr_buf_put(&out->text, is_policy ? TR_STR("  run = function(ctx, call)\n")
                                     : TR_STR("  run = function(ctx, args)\n"));
    out->body_from = out->text.len;
    if (body.len) {
        put_body(&out->text, body);
    } else if (text) {
        tr_buf_put(&out->text, TR_STR("    return "));
        put_template(&out->text, call, tr_json_text(text));
        tr_buf_putc(&out->text, '\n');
    } else {
        put_stub(&out->text, call);
    }
    out->body_to = out->text.len;
    tr_buf_put(&out->text, TR_STR("  end,\n"));
}

void tr_gen_write_declaration(const struct tr_gen_call *call,
                              struct tr_gen_written *out)
{
    tr_buf_putf(&out->text, "%s ", tr_gen_word(call));
    tr_gen_put_text(&out->text, name_of(call));
    tr_buf_put(&out->text, TR_STR(" {\n"));
    for (size_t i = 0; i < call->op->argument_count; i++)
        put_argument(&out->text, call, &call->op->arguments[i]);
    if (has_role(call, TR_GEN_EFFECT))
        put_effects(&out->text, call);
    if (has_role(call, TR_GEN_BODY))
        put_run(call, out);
    else if (!tr_gen_argument(call, "fields"))
        tr_buf_put(&out->text, TR_STR("  fields = {},\n"));
    tr_buf_put(&out->text, TR_STR("}\n"));
}
