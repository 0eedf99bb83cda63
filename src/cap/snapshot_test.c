#include "cap/snapshot.h"

#include "base/limits.h"
#include "base/test.h"
#include "cap/registry.h"
#include "fields/field.h"
#include "model/builder.h"

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static const struct tr_cap_snapshot *snapshot(void)
{
    struct tr_cap_builder *b = NULL;
    const struct tr_cap_snapshot *s = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &b, &err), &err);
    CHECK_OK(tr_cap_registry_build(b, &s, &err), &err);
    tr_cap_builder_free(b);
    return s;
}

static void count_up(void *data)
{
    ++*(int *)data;
}

TEST(the_last_unpin_frees_it)
{
    struct tr_cap_builder *b = NULL;
    const struct tr_cap_snapshot *s = NULL;
    int freed = 0;
    CHECK_OK(tr_cap_builder_create(NULL, &b, NULL), NULL);
    CHECK_OK(tr_cap_registry_on_free(b, count_up, &freed, NULL), NULL);
    CHECK_OK(tr_cap_registry_build(b, &s, NULL), NULL);
    tr_cap_builder_free(b);
    CHECK_INT(freed, 0);
    tr_cap_snapshot_pin(s);
    tr_cap_snapshot_unpin(s);
    CHECK_INT(freed, 0);
    tr_cap_snapshot_unpin(s);
    CHECK_INT(freed, 1);
}

/* The sanitizers see to it that the model goes with its owner. */
TEST(a_snapshot_owns_the_model_that_it_was_given)
{
    struct tr_err err = {0};
    for (int is_built = 0; is_built < 2; is_built++) {
        struct tr_cap_builder *b = NULL;
        struct tr_model_builder *declared = NULL;
        const struct tr_model *model = NULL;
        const struct tr_cap_snapshot *s = NULL;
        CHECK_OK(tr_cap_builder_create(NULL, &b, NULL), NULL);
        CHECK_OK(tr_model_builder_create(TR_STR("x"), &declared, NULL), NULL);
        CHECK_OK(tr_model_build(declared, &model, NULL), NULL);
        tr_model_builder_free(declared);
        CHECK_OK(tr_cap_registry_take_model(b, model, &err), &err);
        if (is_built) {
            CHECK_OK(tr_cap_registry_build(b, &s, NULL), NULL);
            CHECK(tr_cap_snapshot_model(s) == model);
        }
        tr_cap_builder_free(b);
        tr_cap_snapshot_unpin(s);
    }
}

TEST(a_snapshot_without_a_host_has_no_model)
{
    const struct tr_cap_snapshot *s = snapshot();
    CHECK(!tr_cap_snapshot_model(s));
    tr_cap_snapshot_unpin(s);
}

TEST(a_builder_that_is_dropped_frees_what_it_has)
{
    struct tr_cap_builder *b = NULL;
    int freed = 0;
    CHECK_OK(tr_cap_builder_create(NULL, &b, NULL), NULL);
    CHECK_OK(tr_cap_registry_on_free(b, count_up, &freed, NULL), NULL);
    CHECK_OK(tr_cap_registry_on_free(b, count_up, &freed, NULL), NULL);
    tr_cap_builder_free(b);
    tr_cap_builder_free(NULL);
    CHECK_INT(freed, 2);
}

TEST(a_registry_has_one_current_snapshot)
{
    struct tr_cap_registry *registry = NULL;
    CHECK_OK(tr_cap_registry_create(&registry, NULL), NULL);
    CHECK(tr_cap_registry_pin(registry) == NULL);
    const struct tr_cap_snapshot *first = snapshot();
    tr_cap_registry_take(registry, first);
    const struct tr_cap_snapshot *pinned = tr_cap_registry_pin(registry);
    CHECK(pinned == first);
    const struct tr_cap_snapshot *other = snapshot();
    tr_cap_registry_take(registry, other);
    CHECK_INT(tr_cap_snapshot_counts(pinned).caps, 0); /* still there */
    const struct tr_cap_snapshot *second = tr_cap_registry_pin(registry);
    CHECK(second == other);
    tr_cap_snapshot_unpin(pinned);
    tr_cap_snapshot_unpin(second);
    tr_cap_registry_free(registry);
    tr_cap_registry_free(NULL);
}

struct counter {
    int made;
    tr_str text;
    tr_status fails;
};

static tr_status make(const struct tr_cap_snapshot *s, const void *arg,
                      struct tr_buf *out, struct tr_err *err)
{
    struct counter *counter = (struct counter *)(uintptr_t)arg;
    (void)s;
    counter->made++;
    tr_buf_put(out, counter->text);
    return counter->fails ? tr_fail(err, counter->fails, "no view today")
                          : TR_OK;
}

TEST(a_view_is_made_once)
{
    const struct tr_cap_snapshot *s = snapshot();
    struct counter a = {0, TR_STR("first"), TR_OK};
    struct counter b = {0, TR_STR(""), TR_OK};
    tr_str bytes;
    for (int i = 0; i < 3; i++) {
        CHECK_OK(tr_cap_snapshot_view(s, &(struct tr_cap_view){1, make, &a},
                                      &bytes, NULL),
                 NULL);
        CHECK_STR(bytes, "first");
        CHECK_OK(tr_cap_snapshot_view(s, &(struct tr_cap_view){2, make, &b},
                                      &bytes, NULL),
                 NULL);
        CHECK_STR(bytes, "");
    }
    CHECK_INT(a.made, 1);
    CHECK_INT(b.made, 1);
    tr_cap_snapshot_unpin(s);
}

TEST(a_view_that_fails_is_tried_again)
{
    const struct tr_cap_snapshot *s = snapshot();
    struct counter a = {0, TR_STR("late"), TR_E_IO};
    struct tr_err err = {0};
    tr_str bytes;
    const struct tr_cap_view view = {1, make, &a};
    CHECK_INT(tr_cap_snapshot_view(s, &view, &bytes, &err), TR_E_IO);
    CHECK_STR(tr_str_from(err.msg), "no view today");
    a.fails = TR_OK;
    CHECK_OK(tr_cap_snapshot_view(s, &view, &bytes, &err), &err);
    CHECK_STR(bytes, "late");
    tr_cap_snapshot_unpin(s);
}

static tr_status make_large(const struct tr_cap_snapshot *s, const void *arg,
                            struct tr_buf *out, struct tr_err *err)
{
    (void)s;
    (void)arg;
    (void)err;
    (void)tr_buf_room(out, TR_LIMIT_VIEW_BYTES + 1);
    return TR_OK;
}

TEST(views_have_a_maximum_in_size_and_number)
{
    const struct tr_cap_snapshot *s = snapshot();
    struct counter a = {0, TR_STR("x"), TR_OK};
    tr_str bytes;
    CHECK_INT(
        tr_cap_snapshot_view(s, &(struct tr_cap_view){9999, make_large, NULL},
                             &bytes, NULL),
        TR_E_LIMIT);
    for (uint64_t i = 0; i < TR_LIMIT_VIEWS; i++)
        CHECK_OK(tr_cap_snapshot_view(s, &(struct tr_cap_view){i, make, &a},
                                      &bytes, NULL),
                 NULL);
    CHECK_INT(
        tr_cap_snapshot_view(s, &(struct tr_cap_view){TR_LIMIT_VIEWS, make, &a},
                             &bytes, NULL),
        TR_E_LIMIT);
    tr_cap_snapshot_unpin(s);
}

static tr_status add_all(struct tr_cap_builder *b, struct tr_err *err)
{
    static int freed;
    static const tr_str graphs[] = {TR_STR_INIT("default")};
    static const struct tr_json_member scope = {
        {.kind = TR_JSON_STRING, .len = 5, .as.text = "scope"},
        {.kind = TR_JSON_STRING, .len = 3, .as.text = "dev"}};
    static const struct tr_json params = {
        .kind = TR_JSON_OBJECT, .len = 1, .as.members = &scope};
    static const struct tr_cap_precondition condition = {TR_STR_INIT("scope"),
                                                         &params};
    const struct tr_cap_handler handler = {run, NULL};
    const struct tr_field field = {.name = TR_STR("f"), .header = TR_STR("F")};
    const struct tr_shape draft = {.fields = &field, .count = 1};
    struct tr_cap cap = {.id = TR_STR("a.b"),
                         .handler = handler,
                         .side_effects = {.graph_writes = {graphs, 1}},
                         .preconditions = &condition,
                         .precondition_count = 1};
    const struct tr_cap_resource resource = {.uri = TR_STR("app://a"),
                                             .about = {.name = TR_STR("a")},
                                             .handler = handler};
    const struct tr_cap_resource_template t = {.uri_template =
                                                   TR_STR("app://{x}"),
                                               .about = {.name = TR_STR("t")},
                                               .handler = handler};
    struct tr_cap_prompt prompt = {.about = {.name = TR_STR("p")},
                                   .handler = handler};
    const struct tr_cap_completion completion = {
        TR_CAP_REF_PROMPT, TR_STR("p"), TR_STR("f"), handler, TR_STR("")};
    TR_TRY(tr_shape_register(tr_cap_registry_arena(b),
                             tr_cap_registry_patterns(b), &draft,
                             &cap.input_shape, err));
    TR_TRY(tr_cap_registry_add_cap(b, &cap, err));
    TR_TRY(tr_cap_registry_add_resource(b, &resource, err));
    TR_TRY(tr_cap_registry_add_template(b, &t, err));
    prompt.input = cap.input_shape;
    TR_TRY(tr_cap_registry_add_prompt(b, &prompt, err));
    TR_TRY(tr_cap_registry_add_completion(b, &completion, err));
    return tr_cap_registry_on_free(b, count_up, &freed, err);
}

static tr_status build_and_serve(void *context, struct tr_err *err)
{
    struct tr_cap_builder *b = NULL;
    struct tr_cap_registry *registry = NULL;
    const struct tr_cap_snapshot *s = NULL;
    struct counter counter = {0, TR_STR("x"), TR_OK};
    tr_str bytes;
    size_t *max = context;
    tr_status st = tr_cap_registry_create(&registry, err);
    if (st == TR_OK)
        st = tr_cap_builder_create(NULL, &b, err);
    if (st == TR_OK) {
        if (max)
            tr_cap_registry_arena(b)->max = *max;
        st = add_all(b, err);
    }
    if (st == TR_OK)
        st = tr_cap_registry_build(b, &s, err);
    tr_cap_builder_free(b);
    if (st == TR_OK) {
        tr_cap_registry_take(registry, s);
        st = tr_cap_snapshot_view(s, &(struct tr_cap_view){1, make, &counter},
                                  &bytes, err);
    }
    tr_cap_registry_free(registry);
    return st;
}

TEST(the_registry_survives_without_memory)
{
    tr_test_sweep(build_and_serve, NULL);
    for (size_t max = 0; max < TR_KIB(16); max += 32) {
        struct tr_err err = {0};
        tr_status st = build_and_serve(&max, &err);
        CHECK(st == TR_OK || st == TR_E_NOMEM);
    }
}
