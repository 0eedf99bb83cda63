/*
 * What callers are told of the references in an input.
 */
#include "base/limits.h"
#include "base/test.h"
#include "cap/cap.h"
#include "cap/registry.h"
#include "cap/snapshot.h"
#include "fields/field.h"
#include "model/builder.h"
#include "schema/lint.h"

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static const struct tr_field label[] = {{.name = TR_STR_INIT("name")}};

/* Apple has a tool, Child is below it, Box and Closed have resources. */
static const struct tr_model *make_model(struct tr_err *err)
{
    static const struct tr_model_type_draft drafts[] = {
        {.shape = {TR_STR_INIT("Apple"), .fields = label, .count = 1}},
        {.shape = {.name = TR_STR_INIT("Child")},
         .extends = TR_STR_INIT("Apple")},
        {.shape = {TR_STR_INIT("Box"), .fields = label, .count = 1}},
        {.shape = {TR_STR_INIT("Closed"), .fields = label, .count = 1}},
    };
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    tr_status st = tr_model_builder_create(TR_STR("x"), &builder, err);
    for (size_t i = 0; st == TR_OK && i < TR_LEN(drafts); i++)
        st = tr_model_builder_add_type(builder, &drafts[i], err);
    if (st == TR_OK)
        st = tr_model_build(builder, &model, err);
    tr_model_builder_free(builder);
    return st == TR_OK ? model : NULL;
}

static const struct tr_field refs[] = {
    {.name = TR_STR_INIT("apple"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Apple")},
    {.name = TR_STR_INIT("child"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Child"),
     .description = TR_STR_INIT("Whose it is")},
    {.name = TR_STR_INIT("boxes"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Box"),
     .many = true,
     .description = TR_STR_INIT("Where?")},
    {.name = TR_STR_INIT("closed"),
     .kind = TR_FIELD_REF,
     .target = TR_STR_INIT("Closed")},
    {.name = TR_STR_INIT("id"),
     .kind = TR_FIELD_REF,
     .names = TR_FIELD_NAMES_NEW,
     .target = TR_STR_INIT("Box")},
    {.name = TR_STR_INIT("any"), .kind = TR_FIELD_REF, .any_type = true},
    {.name = TR_STR_INIT("text"), .description = TR_STR_INIT("Own.")},
};

static tr_status add_all(struct tr_cap_builder *b, enum tr_scope finder,
                         struct tr_err *err)
{
    static const tr_str graphs[] = {TR_STR_INIT("default")};
    const struct tr_model *model = tr_cap_registry_model(b);
    const struct tr_shape draft = {.fields = refs, .count = TR_LEN(refs)};
    const struct tr_cap_resource lists[] = {
        {.uri = TR_STR("trails://kg/Box"),
         .about = {.name = TR_STR("box"), .is_built_in = true},
         .handler = {run, NULL}},
        {.uri = TR_STR("trails://kg/Closed"),
         .about = {.name = TR_STR("closed"),
                   .is_built_in = true,
                   .guard.scope = TR_SCOPE_DEV},
         .handler = {run, NULL}},
        {.uri = TR_STR("trails://kg/Apple"),
         .about = {.name = TR_STR("apple"), .is_built_in = true},
         .handler = {run, NULL}},
    };
    static const tr_str lacks[] = {TR_STR_INIT("clear")};
    struct tr_cap uses = {
        .id = TR_STR("uses"),
        .description = TR_STR("Uses."),
        .idempotent = true,
        .side_effects = {.is_said = true, .graph_writes = {graphs, 1}},
        .lacks = {lacks, 1},
        .handler = {run, NULL}};
    const struct tr_cap finds = {.id = TR_STR("zz.find"),
                                 .description = TR_STR("Finds."),
                                 .guard.scope = finder,
                                 .finds = tr_model_find(model, TR_STR("Apple")),
                                 .handler = {run, NULL}};
    for (size_t i = 0; i < TR_LEN(lists); i++)
        TR_TRY(tr_cap_registry_add_resource(b, &lists[i], err));
    TR_TRY(tr_shape_register(tr_cap_registry_arena(b),
                             tr_cap_registry_patterns(b), &draft,
                             &uses.input_shape, err));
    TR_TRY(tr_cap_registry_add_cap(b, &uses, err));
    return tr_cap_registry_add_cap(b, &finds, err);
}

static tr_status make(enum tr_scope finder, const struct tr_cap_snapshot **out,
                      struct tr_err *err)
{
    struct tr_cap_builder *b = NULL;
    TR_TRY(tr_cap_builder_create(
        &(const struct tr_cap_registry_opts){.portable_names = true}, &b, err));
    const struct tr_model *model = make_model(err);
    tr_status st =
        model ? tr_cap_registry_take_model(b, model, err) : TR_E_NOMEM;
    if (st == TR_OK)
        st = add_all(b, finder, err);
    if (st == TR_OK)
        st = tr_cap_registry_build(b, out, err);
    tr_cap_builder_free(b);
    return st;
}

#define APPLE(as)                                                              \
    "The id of an Apple" as ", such as trails://x/Apple/ID, or just ID."

/* Each stands alone; what callers of the tool may not see is not named. */
TEST(refs_say_which_id_is_wanted_and_what_lists_them)
{
    static const char *const told[][2] = {
        {"child", "Whose it is. The id of a Child, as zz_find gives it, such "
                  "as trails://x/Child/ID, or just ID."},
        {"boxes", "Where? Ids, each of a Box, as trails://kg/Box gives it, "
                  "such as trails://x/Box/ID, or just ID."},
        {"closed", "The id of a Closed, such as trails://x/Closed/ID, or just "
                   "ID."},
        {"id", "The id of the new one, such as trails://x/Box/ID, or just ID."},
        {"any", ""},
        {"text", "Own."},
    };
    for (int is_hidden = 0; is_hidden < 2; is_hidden++) {
        const struct tr_cap_snapshot *s = NULL;
        struct tr_err err = {0};
        CHECK_OK(make(is_hidden ? TR_SCOPE_BUILDER : 0, &s, &err), &err);
        const struct tr_cap *uses = tr_cap_snapshot_find_cap(s, TR_STR("uses"));
        CHECK_STR(
            tr_shape_find(uses->input_shape, TR_STR("apple"))->description,
            is_hidden ? APPLE(", as trails://kg/Apple gives it")
                      : APPLE(", as zz_find gives it"));
        for (size_t i = 0; !is_hidden && i < TR_LEN(told); i++) {
            tr_str name = tr_str_from(told[i][0]);
            CHECK_STR(tr_shape_find(uses->input_shape, name)->description,
                      told[i][1]);
            CHECK_STR(tr_shape_find(uses->shown_shape, name)->description,
                      told[i][1]);
        }
        tr_cap_snapshot_unpin(s);
    }
}

TEST(refs_without_an_argument_are_noticed)
{
    const struct tr_cap_snapshot *s = NULL;
    struct tr_err err = {0};
    CHECK_OK(make(0, &s, &err), &err);
    const struct tr_cap *uses = tr_cap_snapshot_find_cap(s, TR_STR("uses"));
    CHECK_INT(uses->finding_count, 1);
    CHECK_STR(uses->findings[0].message,
              "it goes without the argument 'clear', since its type has a "
              "field of that name");
    tr_cap_snapshot_unpin(s);
}

static tr_status sweep(void *context, struct tr_err *err)
{
    const struct tr_cap_snapshot *s = NULL;
    tr_status st = make(0, &s, err);
    (void)context;
    tr_cap_snapshot_unpin(s);
    return st;
}

TEST(refs_are_told_or_there_is_no_memory)
{
    tr_test_sweep(sweep, NULL);
}
