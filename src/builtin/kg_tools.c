#include "builtin/kg_tools.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "builtin/builtin.h"
#include "cap/registry.h"
#include "model/tool_shape.h"

/* A kind of tool. */
static const struct kind {
    const char *verb;
    const char *title;
    const char *before; /* the description: before the type's name, and after */
    const char *after;
    tr_model_tool_shape_fn *input;
    tr_model_tool_shape_fn *output;
    tr_status (*write)(struct tr_builtin_reply *reply, struct tr_err *err);
    enum tr_model_tool tool;
    bool writes;
    bool adds_only; /* it is not destructive, as MCP calls it */
    bool idempotent;
} kinds[] = {
    {
        .verb = "create",
        .title = "Create ",
        .before = "Adds a new ",
        .after = " and gives it as it was stored.",
        .input = tr_model_tool_shape_create,
        .output = tr_model_tool_shape_node,
        .write = tr_builtin_tool_create,
        .tool = TR_MODEL_TOOL_CREATE,
        .writes = true,
        .adds_only = true,
    },
    {
        .verb = "update",
        .title = "Change ",
        .before = "Changes the given fields of one ",
        .after = " and leaves the others as they are. Gives it as it is then.",
        .input = tr_model_tool_shape_update,
        .output = tr_model_tool_shape_node,
        .write = tr_builtin_tool_update,
        .tool = TR_MODEL_TOOL_UPDATE,
        .writes = true,
        .idempotent = true,
    },
    {
        .verb = "delete",
        .title = "Delete ",
        .before = "Deletes one ",
        .after = ". Refused while another node needs it.",
        .input = tr_model_tool_shape_delete,
        .output = tr_model_tool_shape_deleted,
        .write = tr_builtin_tool_delete,
        .tool = TR_MODEL_TOOL_DELETE,
        .writes = true,
        .idempotent = true,
    },
    {
        .verb = "find",
        .title = "Find ",
        .before = "Finds every ",
        .after = " that has all the given values and fits the filter, page by "
                 "page: `next` is the cursor of the next page. Without values "
                 "it lists all.",
        .input = tr_model_tool_shape_find,
        .output = tr_model_tool_shape_node,
        .write = tr_builtin_tool_find,
        .tool = TR_MODEL_TOOL_FIND,
        .idempotent = true,
    },
};

/* Whether a word of the name begins here: TestCase, HTTPServer, Level2Item. */
static bool begins_word(tr_str name, size_t i)
{
    if (i == 0 || !tr_ascii_is_upper(name.ptr[i]) || name.ptr[i - 1] == '_')
        return false;
    return !tr_ascii_is_upper(name.ptr[i - 1]) ||
           (i + 1 < name.len && tr_ascii_is_lower(name.ptr[i + 1]));
}

/* Writes an id such as create_test_case. */
static void put_id(struct tr_buf *out, const char *verb, tr_str type)
{
    tr_buf_putf(out, "%s_", verb);
    for (size_t i = 0; i < type.len; i++) {
        char c = type.ptr[i];
        if (begins_word(type, i))
            tr_buf_putc(out, '_');
        tr_buf_putc(out, tr_ascii_to_lower(c));
    }
}

/* One tool that is added; the builder copies texts. */
struct adding {
    struct tr_cap_builder *builder;
    const struct tr_model_type *type;
    const struct kind *kind;
    struct tr_cap_guard guard;
    const struct tr_model_face *face; /* what its scope shows; NULL: all */
    struct tr_buf id;
    struct tr_buf title;
    struct tr_buf description;
};

static tr_status put_texts(struct adding *a, struct tr_err *err)
{
    put_id(&a->id, a->kind->verb, a->type->name);
    tr_buf_putf(&a->title, "%s%.*s", a->kind->title, TR_FMT(a->type->name));
    tr_buf_putf(&a->description, "%s%.*s%s", a->kind->before,
                TR_FMT(a->type->name), a->kind->after);
    if (a->type->shape->description.len)
        tr_buf_putf(&a->description, " %.*s: %.*s", TR_FMT(a->type->name),
                    TR_FMT(a->type->shape->description));
    TR_TRY(tr_buf_check(&a->id, err));
    TR_TRY(tr_buf_check(&a->title, err));
    return tr_buf_check(&a->description, err);
}

static tr_status make_handler(const struct adding *a,
                              struct tr_cap_handler *out, struct tr_err *err)
{
    struct tr_builtin *what =
        TR_NEW(tr_cap_registry_arena(a->builder), struct tr_builtin);
    if (!what)
        return tr_fail(err, TR_E_NOMEM, "no memory for a handler");
    what->write = a->kind->write;
    what->type = a->type;
    what->is_tool = true;
    what->face = a->face;
    *out = (struct tr_cap_handler){.run = tr_builtin_run, .data = what};
    return TR_OK;
}

/* What the author says of this tool alone, or NULL. */
static const struct tr_model_tool_rules *rules_of(const struct adding *a)
{
    for (size_t i = 0; i < a->type->tool_rules_count; i++) {
        if (a->type->tool_rules[i].tool == a->kind->tool)
            return &a->type->tool_rules[i];
    }
    return NULL;
}

static tr_status add_conditions(const struct adding *a, struct tr_cap *cap,
                                struct tr_err *err)
{
    const struct tr_model_tool_rules *rules = rules_of(a);
    const struct tr_json *written = rules ? rules->preconditions : NULL;
    if (!written)
        return TR_OK;
    struct tr_cap_precondition *list =
        TR_NEW_ARRAY(tr_cap_registry_arena(a->builder),
                     struct tr_cap_precondition, (size_t)written->len);
    if (!list)
        return tr_fail(err, TR_E_NOMEM, "no memory for a precondition");
    for (size_t i = 0; i < written->len; i++) {
        const struct tr_json *item = &written->as.items[i];
        list[i].kind = tr_json_text(tr_json_find(item, TR_STR("kind")));
        list[i].params = tr_json_find(item, TR_STR("params"));
    }
    cap->preconditions = list;
    cap->precondition_count = written->len;
    return TR_OK;
}

/* A tool has the guard of its type, but for what is said of the tool alone. */
static struct tr_cap_guard guard_of(const struct adding *a)
{
    const struct tr_model_tool_rules *rules = rules_of(a);
    struct tr_cap_guard guard = tr_cap_guard_of_type(a->type);
    if (rules && rules->has_scope)
        guard.scope = rules->guard.scope;
    if (rules && rules->has_policies)
        guard.policy_required = (struct tr_cap_strs){rules->guard.policies,
                                                     rules->guard.policy_count};
    if (!guard.scope)
        guard.scope = TR_SCOPE_RUNTIME;
    return guard;
}

/* Who creates an instance cannot give it what the tool does not show. */
static tr_status check_hidden(const struct adding *a,
                              const struct tr_model_type *seen,
                              struct tr_err *err)
{
    const struct tr_shape *shape = a->type->shape;
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        if (tr_field_is_required(field) &&
            !tr_shape_find(seen->shape, field->name))
            return tr_fail(err, TR_E_INVALID,
                           "the field '%.*s' is required, and the tool, which "
                           "needs %s, does not have it: give it a default",
                           TR_FMT(field->name), tr_scope_name(a->guard.scope));
    }
    return TR_OK;
}

/* The arguments whose names are those of fields. */
static tr_status list_lacks(const struct adding *a,
                            const struct tr_shape *shape,
                            struct tr_cap_strs *out, struct tr_err *err)
{
    static const struct {
        enum tr_model_tool tool;
        tr_str name;
    } arguments[] = {
        {TR_MODEL_TOOL_UPDATE, TR_STR_INIT(TR_MODEL_CLEAR)},
        {TR_MODEL_TOOL_FIND, TR_STR_INIT(TR_MODEL_FILTER)},
        {TR_MODEL_TOOL_FIND, TR_STR_INIT(TR_MODEL_ORDER)},
    };
    tr_str *names = TR_NEW_ARRAY(tr_cap_registry_arena(a->builder), tr_str,
                                 TR_LEN(arguments));
    if (!names)
        return tr_fail(err, TR_E_NOMEM, "no memory for a tool");
    *out = (struct tr_cap_strs){.items = names};
    for (size_t i = 0; i < TR_LEN(arguments); i++) {
        if (a->kind->tool == arguments[i].tool &&
            tr_shape_find(shape, arguments[i].name))
            names[out->count++] = arguments[i].name;
    }
    return TR_OK;
}

static tr_status add_tool(struct adding *a, struct tr_err *err)
{
    static const tr_str graphs[] = {TR_STR_INIT("default")};
    const struct kind *kind = a->kind;
    const struct tr_model *model =
        a->face ? a->face->model : tr_cap_registry_model(a->builder);
    const struct tr_model_tool_shape how = {
        .model = model,
        .type = tr_model_find(model, a->type->name),
        .arena = tr_cap_registry_arena(a->builder),
        .patterns = tr_cap_registry_patterns(a->builder),
    };
    if (kind->tool == TR_MODEL_TOOL_CREATE)
        TR_TRY(check_hidden(a, how.type, err));
    TR_TRY(put_texts(a, err));
    struct tr_cap cap = {
        .id = tr_buf_str(&a->id),
        .version = TR_STR("1.0.0"),
        .title = tr_buf_str(&a->title),
        .description = tr_buf_str(&a->description),
        .side_effects = {.is_said = true,
                         .graph_writes = {graphs, kind->writes ? 1 : 0}},
        .idempotent = kind->idempotent,
        .destructive = kind->adds_only ? TR_CAP_HINT_NO : TR_CAP_HINT_DERIVED,
        .output_is_page = kind->tool == TR_MODEL_TOOL_FIND,
        .guard = a->guard,
    };
    TR_TRY(kind->input(&how, &cap.input_shape, err));
    TR_TRY(kind->output(&how, &cap.output_shape, err));
    if (kind->tool == TR_MODEL_TOOL_FIND)
        cap.finds = a->type;
    TR_TRY(list_lacks(a, how.type->shape, &cap.lacks, err));
    cap.output_is_stored = kind->output == tr_model_tool_shape_node;
    if (cap.output_is_stored)
        TR_TRY(tr_model_tool_shape_stored(&how, &cap.stored_shape, err));
    TR_TRY(make_handler(a, &cap.handler, err));
    TR_TRY(add_conditions(a, &cap, err));
    return tr_cap_registry_add_cap(a->builder, &cap, err);
}

/* An error names the type: that is where the tool was declared. */
static tr_status add_of_kind(struct tr_cap_builder *builder,
                             const struct tr_model_type *type,
                             const struct kind *kind, struct tr_err *err)
{
    struct adding a = {.builder = builder, .type = type, .kind = kind};
    a.guard = guard_of(&a);
    a.face = tr_model_face_for(tr_cap_registry_model(builder), a.guard.scope);
    struct tr_buf *texts[] = {&a.id, &a.title, &a.description};
    for (size_t i = 0; i < TR_LEN(texts); i++)
        tr_buf_init(texts[i], 2 * TR_LIMIT_DESCRIPTION_BYTES);
    tr_status status = add_tool(&a, err);
    if (status != TR_OK && status != TR_E_NOMEM)
        tr_err_prefix(err, "%.*s: node_type '%.*s': tools: %s",
                      TR_FMT(type->where), TR_FMT(type->name), kind->verb);
    for (size_t i = 0; i < TR_LEN(texts); i++)
        tr_buf_done(texts[i]);
    return status;
}

tr_status tr_builtin_add_kg_tools(struct tr_cap_builder *builder,
                                  struct tr_err *err)
{
    const struct tr_model *model = tr_cap_registry_model(builder);
    for (size_t i = 0; i < model->count; i++) {
        for (size_t k = 0; k < TR_LEN(kinds); k++) {
            if (model->types[i]->tools & kinds[k].tool)
                TR_TRY(add_of_kind(builder, model->types[i], &kinds[k], err));
        }
    }
    return TR_OK;
}
