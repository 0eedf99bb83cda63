#include "builtin/kg_resources.h"

#include "base/limits.h"
#include "builtin/builtin.h"
#include "builtin/doctor.h"
#include "cap/registry.h"
#include "cap/resource.h"
#include "model/uri.h"

/* What it costs to watch a type. */
#define COST                                                                   \
    "Of trails://kg/<Type>: Watching the full type fires one notification "    \
    "per "                                                                     \
    "instance mutation. For types with >1000 instances, subscribe to a "       \
    "specific <id> where possible."

/* Resources that belong to no type. */
static const struct {
    tr_str uri;
    tr_str name;
    tr_str title;
    tr_str description;
    struct tr_builtin what;
    enum tr_cap_told told;
} singles[] = {
    {TR_STR_INIT("trails://schema"),
     TR_STR_INIT("schema"),
     TR_STR_INIT("Schema"),
     TR_STR_INIT("The node types of this app: their fields, constraints and "
                 "IRIs, and the IRIs of all shapes."),
     {.write = tr_builtin_render_schema},
     TR_CAP_TOLD_NEVER},
    {TR_STR_INIT(TR_MODEL_URI_TYPES),
     TR_STR_INIT("kg.types"),
     TR_STR_INIT("Node types"),
     TR_STR_INIT("The node types, and how many instances each has."),
     {.write = tr_builtin_render_types},
     TR_CAP_TOLD_SCOPED},
    {TR_STR_INIT(TR_MODEL_URI_STATS),
     TR_STR_INIT("stats"),
     TR_STR_INIT("Statistics"),
     TR_STR_INIT("How much there is: triples, graphs, types, capabilities, "
                 "activities. Large numbers are counted up to 100000; then "
                 "`exact` is false."),
     {.write = tr_builtin_render_stats},
     TR_CAP_TOLD_ALL},
    {TR_STR_INIT(TR_MODEL_URI_DOCTOR),
     TR_STR_INIT("doctor"),
     TR_STR_INIT("Health of the app"),
     TR_STR_INIT("Whether the app is well, check by check, and what to do "
                 "where it is not."),
     {.write = tr_builtin_render_doctor},
     TR_CAP_TOLD_NEVER},
};

static tr_status add_singles(struct tr_cap_builder *builder, struct tr_err *err)
{
    for (size_t i = 0; i < TR_LEN(singles); i++) {
        const struct tr_cap_resource resource = {
            .uri = singles[i].uri,
            .about = {.name = singles[i].name,
                      .title = singles[i].title,
                      .description = singles[i].description,
                      .is_built_in = true},
            .mime_type = TR_STR("application/json"),
            .handler = {.run = tr_builtin_run, .data = &singles[i].what},
            .told = singles[i].told,
        };
        TR_TRY(tr_cap_registry_add_resource(builder, &resource, err));
    }
    return TR_OK;
}

static tr_status add_shape_template(struct tr_cap_builder *builder,
                                    struct tr_err *err)
{
    static const struct tr_builtin what = {.write = tr_builtin_render_shape};
    const struct tr_cap_resource_template shape = {
        .uri_template = TR_STR("trails://shape/{name}"),
        .about = {.name = TR_STR("shape"),
                  .title = TR_STR("Shape"),
                  .description =
                      TR_STR("A shape as SHACL, by the name of its type, by "
                             "<capability>.input or .output, or by its IRI, "
                             "percent-encoded."),
                  .is_built_in = true},
        .mime_type = TR_STR("text/turtle"),
        .handler = {.run = tr_builtin_run, .data = &what},
        .shape_variable = TR_STR("name"),
        .told = TR_CAP_TOLD_NEVER,
    };
    return tr_cap_registry_add_template(builder, &shape, err);
}

/* One type whose resources are added; the builder copies texts. */
struct adding {
    struct tr_cap_builder *builder;
    const struct tr_model_type *type;
    struct tr_buf uri;
    struct tr_buf uri_template;
    struct tr_buf name;
    struct tr_buf title;
    struct tr_buf description;
    tr_str said_once;
    struct tr_err *err;
};

static tr_status handler_of(const struct adding *a,
                            tr_status (*write)(struct tr_builtin_reply *,
                                               struct tr_err *),
                            struct tr_cap_handler *out)
{
    struct tr_builtin *what =
        TR_NEW(tr_cap_registry_arena(a->builder), struct tr_builtin);
    if (!what)
        return tr_fail(a->err, TR_E_NOMEM, "no memory for a handler");
    what->write = write;
    what->type = a->type;
    *out = (struct tr_cap_handler){.run = tr_builtin_run, .data = what};
    return TR_OK;
}

static struct tr_cap_about about_of(const struct adding *a)
{
    return (struct tr_cap_about){
        .name = tr_buf_str(&a->name),
        .title = tr_buf_str(&a->title),
        .description = tr_buf_str(&a->description),
        .said_once = a->said_once,
        .is_built_in = true,
        .guard = tr_cap_guard_of_type(a->type),
    };
}

static tr_status complete_with(const struct adding *a, const char *argument,
                               tr_status (*write)(struct tr_builtin_reply *,
                                                  struct tr_err *))
{
    struct tr_cap_completion completion = {
        .kind = TR_CAP_REF_RESOURCE,
        .ref = tr_buf_str(&a->uri_template),
        .argument = tr_str_from(argument),
    };
    TR_TRY(handler_of(a, write, &completion.handler));
    return tr_cap_registry_add_completion(a->builder, &completion, a->err);
}

static tr_status add_template(const struct adding *a, tr_str mime_type,
                              struct tr_cap_handler handler)
{
    const struct tr_cap_resource_template draft = {
        .uri_template = tr_buf_str(&a->uri_template),
        .about = about_of(a),
        .mime_type = mime_type,
        .handler = handler,
    };
    return tr_cap_registry_add_template(a->builder, &draft, a->err);
}

/* What is added next: hosts show the title in place of the URI. */
struct words {
    const char *name_end;
    const char *title_end;
    const char *before; /* the type's name, in the description */
    const char *after;
};

static void say_next(struct adding *a, const struct words *words)
{
    tr_str type = a->type->name;
    tr_buf_clear(&a->name);
    tr_buf_clear(&a->title);
    tr_buf_clear(&a->description);
    tr_buf_putf(&a->name, "kg.%.*s%s", TR_FMT(type), words->name_end);
    tr_buf_putf(&a->title, "%.*s: %s", TR_FMT(type), words->title_end);
    tr_buf_putf(&a->description, "%s %.*s %s", words->before, TR_FMT(type),
                words->after);
}

static const struct words all = {"", "all", "List all", "instances."};
static const struct words page = {"", "page", "List",
                                  "instances, all or those with "
                                  "where=field=value, a page at a time."};
static const struct words one = {".instance", "one", "One",
                                 "as JSON-LD, by the end of its IRI, or by the "
                                 "whole IRI, percent-encoded."};

/* The list is added twice: as a resource, which clients can read as it is, and
 * as a template with its parameters. */
static tr_status add_list(struct adding *a)
{
    struct tr_cap_handler handler = {0};
    tr_buf_putf(&a->uri, "trails://kg/%.*s", TR_FMT(a->type->name));
    tr_buf_putf(&a->uri_template, "trails://kg/%.*s{?where,limit,offset}",
                TR_FMT(a->type->name));
    say_next(a, &all);
    TR_TRY(handler_of(a, tr_builtin_render_page, &handler));
    const struct tr_cap_resource list = {
        .uri = tr_buf_str(&a->uri),
        .uri_template = tr_buf_str(&a->uri_template),
        .about = about_of(a),
        .mime_type = TR_STR("application/json"),
        .handler = handler,
    };
    TR_TRY(tr_cap_registry_add_resource(a->builder, &list, a->err));
    say_next(a, &page);
    a->said_once = TR_STR(COST);
    TR_TRY(add_template(a, TR_STR("application/json"), handler));
    a->said_once = TR_STR("");
    return complete_with(a, "where", tr_builtin_complete_where);
}

static tr_status add_instance(struct adding *a)
{
    struct tr_cap_handler handler = {0};
    tr_buf_clear(&a->uri_template);
    tr_buf_putf(&a->uri_template, "trails://kg/%.*s/{id}",
                TR_FMT(a->type->name));
    say_next(a, &one);
    TR_TRY(handler_of(a, tr_builtin_render_instance, &handler));
    TR_TRY(add_template(a, TR_STR("application/ld+json"), handler));
    return complete_with(a, "id", tr_builtin_complete_id);
}

static tr_status add_type(struct tr_cap_builder *builder,
                          const struct tr_model_type *type, struct tr_err *err)
{
    struct adding a = {.builder = builder, .type = type, .err = err};
    struct tr_buf *texts[] = {&a.uri, &a.uri_template, &a.name, &a.title,
                              &a.description};
    for (size_t i = 0; i < TR_LEN(texts); i++)
        tr_buf_init(texts[i], TR_LIMIT_DESCRIPTION_BYTES);
    tr_status status = add_list(&a);
    if (status == TR_OK)
        status = add_instance(&a);
    for (size_t i = 0; i < TR_LEN(texts); i++)
        tr_buf_done(texts[i]);
    return status;
}

tr_status tr_builtin_add_kg_resources(struct tr_cap_builder *builder,
                                      struct tr_err *err)
{
    const struct tr_model *model = tr_cap_registry_model(builder);
    TR_TRY(add_singles(builder, err));
    TR_TRY(add_shape_template(builder, err));
    for (size_t i = 0; i < model->count; i++) {
        if (!model->types[i]->is_private)
            TR_TRY(add_type(builder, model->types[i], err));
    }
    return TR_OK;
}
