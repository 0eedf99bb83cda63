/* What is asked of a declaration alone is asked by who would register it. */
#include "cap/registry.h"
#include "gen/declare.h"
#include "gen/fields.h"
#include "model/builder.h"

static void run_nothing(const struct tr_cap_handler *handler,
                        struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static const struct tr_cap_handler handler = {.run = run_nothing};

/* A scratch registry, and what is read of a call for it. */
struct verifying {
    struct tr_gen_call *call;
    struct tr_cap_builder *builder;
    struct tr_err *err;
};

static tr_str text(const struct verifying *v, const char *name)
{
    return tr_gen_argument_text(v->call, name);
}

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a declaration");
}

static tr_status read_texts(const struct verifying *v, const char *name,
                            struct tr_cap_strs *out)
{
    const struct tr_json *array = tr_gen_argument(v->call, name);
    size_t count = array ? array->len : 0;
    tr_str *items = TR_NEW_ARRAY(v->call->arena, tr_str, count + 1);
    if (!items)
        return fail_memory(v->err);
    for (size_t i = 0; i < count; i++)
        items[i] = tr_json_text(tr_json_at(array, i));
    *out = (struct tr_cap_strs){items, count};
    return TR_OK;
}

/* Fields as a registered shape; NULL when none are given. */
static tr_status read_shape(const struct verifying *v, const char *name,
                            const struct tr_shape **out)
{
    struct tr_shape draft;
    *out = NULL;
    if (!tr_gen_argument(v->call, name))
        return TR_OK;
    TR_TRY(tr_gen_fields_read(v->call, name, &draft, v->err));
    return tr_shape_register(tr_cap_registry_arena(v->builder),
                             tr_cap_registry_patterns(v->builder), &draft, out,
                             v->err);
}

static tr_status read_about(const struct verifying *v, tr_str name,
                            struct tr_cap_about *out)
{
    *out = (struct tr_cap_about){
        .name = name,
        .title = text(v, "title"),
        .description = text(v, "description"),
    };
    (void)tr_scope_find(text(v, "scope"), &out->guard.scope);
    return read_texts(v, "policy_required", &out->guard.policy_required);
}

static tr_status verify_capability(const struct verifying *v,
                                   struct tr_err *why)
{
    struct tr_cap cap = {
        .id = text(v, "id"),
        .version = text(v, "version"),
        .title = text(v, "title"),
        .description = text(v, "description"),
        .deprecates = text(v, "deprecates"),
        .handler = handler,
        .side_effects.is_said = true,
    };
    struct tr_cap_about about;
    TR_TRY(read_about(v, cap.id, &about));
    cap.guard = about.guard;
    TR_TRY(read_shape(v, "input", &cap.input_shape));
    TR_TRY(read_shape(v, "output", &cap.output_shape));
    TR_TRY(read_texts(v, "graph_writes", &cap.side_effects.graph_writes));
    TR_TRY(read_texts(v, "external_calls", &cap.side_effects.external_calls));
    return tr_cap_registry_add_cap(v->builder, &cap, why);
}

static tr_status verify_resource(const struct verifying *v, struct tr_err *why)
{
    struct tr_cap_about about;
    tr_str uri = text(v, "uri");
    tr_str name = text(v, "name");
    TR_TRY(read_about(v, name.len ? name : uri, &about));
    if (strcmp(tr_gen_word(v->call), "resource") != 0) {
        const struct tr_cap_resource_template draft = {
            .uri_template = uri,
            .about = about,
            .mime_type = text(v, "mime_type"),
            .handler = handler,
        };
        return tr_cap_registry_add_template(v->builder, &draft, why);
    }
    const struct tr_cap_resource draft = {
        .uri = uri,
        .about = about,
        .mime_type = text(v, "mime_type"),
        .handler = handler,
    };
    return tr_cap_registry_add_resource(v->builder, &draft, why);
}

static tr_status verify_prompt(const struct verifying *v, struct tr_err *why)
{
    struct tr_cap_prompt draft = {.handler = handler};
    TR_TRY(read_about(v, text(v, "name"), &draft.about));
    TR_TRY(read_shape(v, "arguments", &draft.input));
    return tr_cap_registry_add_prompt(v->builder, &draft, why);
}

static tr_status verify_policy(const struct verifying *v, struct tr_err *why)
{
    const struct tr_cap_policy draft = {
        .name = text(v, "name"),
        .description = text(v, "description"),
        .handler = handler,
    };
    return tr_cap_registry_add_policy(v->builder, &draft, why);
}

static tr_status add_type(const struct verifying *v, struct tr_shape *shape,
                          struct tr_err *why)
{
    struct tr_model_builder *model = NULL;
    const struct tr_model_type_draft type = {.shape = *shape};
    const struct tr_model_shape_draft table = {
        .shape = *shape,
        .target = text(v, "target"),
        .target_subjects_of = text(v, "target_subjects_of"),
    };
    TR_TRY(tr_model_builder_create(TR_STR(""), &model, why));
    tr_status status = strcmp(v->call->op->word, "shape") == 0
                           ? tr_model_builder_add_shape(model, &table, why)
                           : tr_model_builder_add_type(model, &type, why);
    tr_model_builder_free(model);
    return status;
}

static tr_status verify_type(const struct verifying *v, struct tr_err *why)
{
    struct tr_shape shape;
    TR_TRY(tr_gen_fields_read(v->call, "fields", &shape, v->err));
    shape.name = text(v, "name");
    shape.description = text(v, "description");
    return add_type(v, &shape, why);
}

typedef tr_status verify_fn(const struct verifying *v, struct tr_err *why);

static const struct {
    const char *word;
    const char *argument; /* that is told of what is wrong */
    verify_fn *verify;
} rows[] = {
    {"capability", "id", verify_capability},
    {"resource", "uri", verify_resource},
    {"prompt", "name", verify_prompt},
    {"policy", "name", verify_policy},
    {"node_type", "name", verify_type},
    {"shape", "name", verify_type},
};

tr_status tr_gen_verify(struct tr_gen_call *call, struct tr_err *err)
{
    struct verifying v = {.call = call, .err = err};
    struct tr_err why = {0};
    size_t i = 0;
    while (strcmp(rows[i].word, call->op->word) != 0)
        i++;
    TR_TRY(tr_cap_builder_create(NULL, &v.builder, err));
    tr_status status = rows[i].verify(&v, &why);
    tr_cap_builder_free(v.builder);
    if (status == TR_OK || status == TR_E_VALIDATION)
        return status;
    if (status == TR_E_NOMEM)
        return fail_memory(err);
    return tr_gen_refuse(call, rows[i].argument, "invalid", err,
                         "is refused: %s", why.msg);
}
