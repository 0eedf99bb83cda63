#include "support/team.h"

#include "base/test.h"
#include "json/reader.h"
#include "json/writer.h"
#include "loop/loop.h"
#include "model/builder.h"
#include "query/node.h"

#define FIELDS(list) .fields = (list), .count = TR_LEN(list)

static const tr_str together[] = {TR_STR_INIT("project"),
                                  TR_STR_INIT("number")};
static const struct tr_shape_unique task_unique[] = {
    {together, TR_LEN(together)}};

static const tr_str by_due[] = {TR_STR_INIT("project"), TR_STR_INIT("-due")};
static const tr_str by_name[] = {TR_STR_INIT("name")};
static const struct tr_shape_unique thing_indexes[] = {
    {by_name, TR_LEN(by_name)}};
static const struct tr_shape_unique task_indexes[] = {{by_due, TR_LEN(by_due)}};

static const struct tr_field thing[] = {
    {.name = TR_STR_INIT("name"), .search = true},
};
static const struct tr_field person[] = {
    {.name = TR_STR_INIT("email"), .unique = true},
};

/* The choices are filled in: they are JSON. */
static void fill_task(struct tr_field task[7], const struct tr_json *states)
{
    task[0] = (struct tr_field){.name = TR_STR("project")};
    task[1] =
        (struct tr_field){.name = TR_STR("number"), .kind = TR_FIELD_INTEGER};
    task[2] = (struct tr_field){.name = TR_STR("state"),
                                .one_of = states,
                                .index = TR_FIELD_INDEX_NONE};
    task[3] = (struct tr_field){.name = TR_STR("owner"),
                                .kind = TR_FIELD_REF,
                                .target = TR_STR("Person"),
                                .optional = true};
    task[4] = (struct tr_field){.name = TR_STR("tags"),
                                .many = true,
                                .optional = true,
                                .index = TR_FIELD_INDEX_NONE};
    task[5] = (struct tr_field){.name = TR_STR("hours"),
                                .kind = TR_FIELD_NUMBER,
                                .optional = true,
                                .index = TR_FIELD_INDEX_NONE};
    task[6] = (struct tr_field){
        .name = TR_STR("due"), .kind = TR_FIELD_DATETIME, .optional = true};
}

static void add_types(struct tr_model_builder *builder,
                      const struct tr_json *states)
{
    struct tr_field task[7];
    struct tr_err err = {0};
    fill_task(task, states);
    const struct tr_model_type_draft drafts[] = {
        {.shape = {.name = TR_STR("Thing"), FIELDS(thing)},
         .indexes = thing_indexes,
         .index_count = TR_LEN(thing_indexes)},
        {.shape = {.name = TR_STR("Person"), FIELDS(person)},
         .extends = TR_STR("Thing")},
        {.shape = {.name = TR_STR("Task"),
                   FIELDS(task),
                   .unique = task_unique,
                   .unique_count = TR_LEN(task_unique)},
         .extends = TR_STR("Thing"),
         .indexes = task_indexes,
         .index_count = TR_LEN(task_indexes)},
    };
    for (size_t i = 0; i < TR_LEN(drafts); i++)
        CHECK_OK(tr_model_builder_add_type(builder, &drafts[i], &err), &err);
}

const struct tr_model *team_model(void)
{
    const struct tr_json *states = NULL;
    const struct tr_model *model = NULL;
    struct tr_model_builder *builder = NULL;
    struct tr_arena arena;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_KIB(64));
    CHECK_OK(tr_json_read(&arena, TR_STR("[\"open\",\"done\"]"), NULL, &states,
                          &err),
             &err);
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_prefix(builder, TR_STR("ex"),
                                         TR_STR("http://ex.org/"), &err),
             &err);
    add_types(builder, states);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    tr_arena_done(&arena);
    return model;
}

void team_open(struct team *team)
{
    struct tr_err err = {0};
    folder_open(&team->folder);
    struct tr_graph_store_opts opts = {.folder = team->folder.path};
    CHECK_OK(tr_graph_store_open(&opts, &team->store, &err), &err);
    CHECK_OK(tr_graph_store_reader(team->store, &team->reader, &err), &err);
    CHECK_OK(tr_loop_create(NULL, &team->loop, &err), &err);
    team->model = team_model();
}

void team_close(struct team *team)
{
    tr_graph_reader_free(team->reader);
    tr_graph_store_close(team->store);
    tr_loop_free(team->loop);
    tr_model_free(team->model);
    folder_close(&team->folder);
}

void team_begin(struct team_call *call, struct team *team)
{
    *call = (struct team_call){.team = team};
    tr_arena_init(&call->arena, TR_MIB(64));
    tr_graph_kg_init(&call->kg, team->reader, team->model, &call->arena);
    call->kg.now_ms = 1784030400000;
}

static void on_done(struct tr_db_write *write)
{
    struct team_call *call = write->data;
    call->is_done = true;
    tr_loop_release(call->team->loop);
}

void team_submit(struct team_call *call)
{
    struct team *team = call->team;
    call->write = (struct tr_graph_store_write){
        .write = {.done = on_done, .data = call, .loop = team->loop},
        .landing = {.changes = &call->kg.changes,
                    .model = team->model,
                    .arena = &call->arena},
    };
    CHECK_OK(tr_graph_store_submit(team->store, &call->write, &call->err),
             &call->err);
    tr_loop_hold(team->loop);
}

tr_status team_wait(struct team_call *call)
{
    while (!call->is_done)
        tr_loop_run(call->team->loop);
    call->err = call->write.write.err;
    return call->write.write.status;
}

tr_status team_land(struct team_call *call)
{
    team_submit(call);
    return team_wait(call);
}

void team_end(struct team_call *call)
{
    tr_graph_kg_done(&call->kg);
    tr_arena_done(&call->arena);
}

const struct tr_json *team_json(struct team_call *call, const char *text)
{
    const struct tr_json *value = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_json_read(&call->arena, tr_str_from(text), NULL, &value, &err),
             &err);
    return value;
}

tr_status team_create(struct team_call *call, const char *type, const char *iri,
                      const char *json, tr_str *out)
{
    const struct tr_model_type *found =
        tr_model_find(call->team->model, tr_str_from(type));
    return tr_graph_kg_create(&call->kg, found, tr_str_from(iri),
                              team_json(call, json), out, &call->err);
}

tr_status team_update(struct team_call *call, tr_str iri, const char *json)
{
    struct tr_graph_kg_update update = {.fields = team_json(call, json)};
    return tr_graph_kg_update(&call->kg, iri, &update, &call->err);
}

const char *team_get(struct team_call *call, tr_str iri)
{
    struct tr_json value = {0};
    struct tr_graph_read_ctx ctx;
    struct tr_json_writer w;
    struct tr_buf text;
    bool found = false;
    tr_str copy = {0};
    CHECK_OK(tr_graph_kg_enter(&call->kg, &ctx, &call->err), &call->err);
    tr_status status =
        tr_query_node_read(&ctx, iri, &value, &found, &call->err);
    tr_graph_kg_leave(&call->kg);
    CHECK_OK(status, &call->err);
    tr_buf_init(&text, TR_MIB(1));
    tr_jw_init(&w, &text);
    if (found)
        tr_jw_value(&w, &value);
    else
        tr_jw_null(&w);
    tr_buf_putc(&text, '\0');
    CHECK(tr_arena_copy(&call->arena, tr_buf_str(&text), &copy));
    tr_buf_done(&text);
    return copy.ptr;
}
