/*
 * Capabilities that name their shapes, whether the output fits, and what hosts
 * are found to refuse.
 */
#include "base/limits.h"
#include "base/test.h"
#include "cap/cap.h"
#include "cap/registry.h"
#include "fields/check.h"
#include "json/reader.h"
#include "model/builder.h"
#include "schema/lint.h"
#include "schema/verbatim.h"

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static const struct tr_field fields[] = {
    {.name = TR_STR_INIT("a"), .header = TR_STR_INIT("A")},
};

/* A type T and a shape S that both have the field a. */
static const struct tr_model *make_model(void)
{
    static const struct tr_model_type_draft type = {
        .shape = {.name = TR_STR_INIT("T"), .fields = fields, .count = 1}};
    static const struct tr_model_shape_draft shape = {
        .shape = {.name = TR_STR_INIT("S"), .fields = fields, .count = 1}};
    struct tr_model_builder *declared = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_model_builder_create(TR_STR("x"), &declared, &err), &err);
    CHECK_OK(tr_model_builder_add_type(declared, &type, &err), &err);
    CHECK_OK(tr_model_builder_add_shape(declared, &shape, &err), &err);
    CHECK_OK(tr_model_builder_need_shape(declared, TR_STR("S"), TR_STR("here"),
                                         &err),
             &err);
    CHECK_OK(tr_model_build(declared, &model, &err), &err);
    tr_model_builder_free(declared);
    return model;
}

static tr_status add(struct tr_cap_builder *b, const char *id,
                     const char *input, const char *output, struct tr_err *err)
{
    const struct tr_cap cap = {
        .id = tr_str_from(id),
        .description = TR_STR("Does something."),
        .input_name = tr_str_from(input),
        .output_name = tr_str_from(output),
        .handler = {run, NULL},
    };
    return tr_cap_registry_add_cap(b, &cap, err);
}

static const struct tr_cap_snapshot *build(struct tr_cap_builder *b)
{
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_registry_build(b, &snapshot, &err), &err);
    tr_cap_builder_free(b);
    return snapshot;
}

/* Whoever registers before the model is there is linked when it comes. */
TEST(shapes_are_found_by_name_before_and_after_the_model_is_there)
{
    struct tr_cap_builder *b = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &b, &err), &err);
    CHECK_OK(add(b, "before", "T", "T", &err), &err);
    CHECK_OK(tr_cap_registry_take_model(b, make_model(), &err), &err);
    CHECK_OK(add(b, "later", "S", "S", &err), &err);
    const struct tr_cap_snapshot *s = build(b);
    const struct tr_cap *before = tr_cap_snapshot_cap(s, 0);
    const struct tr_cap *later = tr_cap_snapshot_cap(s, 1);
    CHECK_INT(before->input_shape->count, 1);
    CHECK_INT(before->output_shape->count, 4); /* with id, _type, _version */
    CHECK(tr_shape_find(before->output_shape, TR_STR("id")));
    CHECK(before->stored_shape->open && !later->stored_shape);
    CHECK_STR(before->headers[0].pointer, "/a");
    CHECK_INT(later->input_shape->count, 1);
    CHECK(later->output_shape == later->input_shape);
    CHECK(!later->input_shape->open);
    CHECK_INT(later->header_count, 1);
    tr_cap_snapshot_unpin(s);
}

TEST(a_name_of_nothing_is_refused)
{
    static const char message[] = "c: there is no node_type or shape 'U'";
    for (int is_late = 0; is_late < 2; is_late++) {
        struct tr_cap_builder *b = NULL;
        struct tr_err err = {0};
        CHECK_OK(tr_cap_builder_create(NULL, &b, &err), &err);
        tr_status st = is_late ? TR_OK : add(b, "c", "U", "", &err);
        CHECK_OK(st, &err);
        st = tr_cap_registry_take_model(b, make_model(), &err);
        if (is_late) {
            CHECK_OK(st, &err);
            st = add(b, "c", "", "U", &err);
        }
        CHECK_INT(st, TR_E_INVALID);
        CHECK_STR(tr_str_from(err.msg), message);
        tr_cap_builder_free(b);
    }
}

TEST(a_capability_has_one_input_and_one_output)
{
    static const struct tr_shape shape = {0};
    struct tr_cap_builder *b = NULL;
    struct tr_cap cap = {.id = TR_STR("c"),
                         .input_name = TR_STR("T"),
                         .input_shape = &shape,
                         .handler = {run, NULL}};
    CHECK_OK(tr_cap_builder_create(NULL, &b, NULL), NULL);
    CHECK_INT(tr_cap_registry_add_cap(b, &cap, NULL), TR_E_INVALID);
    cap.input_shape = NULL;
    cap.output_shape = &shape;
    cap.output_name = TR_STR("T");
    CHECK_INT(tr_cap_registry_add_cap(b, &cap, NULL), TR_E_INVALID);
    cap.output_name = TR_STR("");
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, NULL), NULL);
    tr_cap_builder_free(b);
}

/* What is found does not keep an app from being registered. */
TEST(what_hosts_refuse_is_kept_with_the_capability)
{
    struct tr_cap_builder *b = NULL;
    struct tr_err err = {0};
    struct tr_cap cap = {.id = TR_STR("a.b"), .handler = {run, NULL}};
    CHECK_OK(tr_cap_builder_create(NULL, &b, &err), &err);
    CHECK_OK(tr_schema_verbatim_register(
                 tr_cap_registry_arena(b), tr_cap_registry_patterns(b),
                 TR_STR("{\"type\":\"object\",\"not\":{\"type\":\"null\"}}"),
                 &cap.input_schema, &err),
             &err);
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, &err), &err);
    CHECK_OK(add(b, "good", "T", "", &err), &err);
    CHECK_OK(tr_cap_registry_take_model(b, make_model(), &err), &err);
    const struct tr_cap_snapshot *s = build(b);
    const struct tr_cap *bad = tr_cap_snapshot_cap(s, 0);
    CHECK_INT(bad->finding_count, 3); /* it has no description either */
    CHECK(bad->findings[0].is_name && bad->findings[1].is_name);
    CHECK_STR(bad->findings[2].path, "/not");
    CHECK_INT(tr_cap_snapshot_cap(s, 1)->finding_count, 0);
    tr_cap_snapshot_unpin(s);
}

static const struct {
    const char *value;
    tr_status status;
} outputs[] = {
    {"{\"a\":\"x\"}", TR_OK},
    {"{\"a\":1}", TR_E_VALIDATION},
    {"{\"items\":[]}", TR_E_VALIDATION},
};

TEST(the_output_fits_what_was_promised)
{
    static const uint32_t sorted[] = {0};
    static const struct tr_shape shape = {
        .fields = fields, .count = 1, .sorted = sorted};
    for (size_t i = 0; i < TR_LEN(outputs); i++) {
        const struct tr_cap cap = {.output_shape = &shape};
        const struct tr_json *value = NULL;
        struct tr_shape_checked checked;
        struct tr_arena arena;
        struct tr_err err = {0};
        tr_arena_init(&arena, TR_KIB(64));
        CHECK_OK(tr_json_read(&arena, tr_str_from(outputs[i].value), NULL,
                              &value, &err),
                 &err);
        CHECK_ROW(tr_cap_check_output(&cap, value, &arena, &checked, &err) ==
                      outputs[i].status,
                  outputs[i].value);
        tr_arena_done(&arena);
    }
}

TEST(no_output_fits_no_promise_and_every_output_fits_none)
{
    static const struct tr_shape shape = {0};
    static const struct tr_cap promise = {.output_shape = &shape};
    struct tr_err err = {0};
    static const struct tr_cap cap = {0};
    static const struct tr_json value = {.kind = TR_JSON_NULL};
    struct tr_shape_checked checked;
    CHECK_OK(tr_cap_check_output(&cap, &value, NULL, &checked, NULL), NULL);
    CHECK_OK(tr_cap_check_output(&cap, NULL, NULL, &checked, NULL), NULL);
    CHECK_INT(tr_cap_check_output(&promise, NULL, NULL, &checked, &err),
              TR_E_INTERNAL);
    CHECK_STR(tr_str_from(err.msg), "the output does not fit: there is none");
}

static void add_writing(struct tr_cap_builder *b, const char *id,
                        bool idempotent, bool writes,
                        const struct tr_shape *draft)
{
    static const tr_str graphs[] = {TR_STR_INIT("default")};
    const struct tr_shape *input = NULL;
    struct tr_err err = {0};
    if (draft)
        CHECK_OK(tr_shape_register(tr_cap_registry_arena(b),
                                   tr_cap_registry_patterns(b), draft, &input,
                                   &err),
                 &err);
    const struct tr_cap cap = {
        .id = tr_str_from(id),
        .idempotent = idempotent,
        .side_effects.graph_writes = {graphs, writes ? 1 : 0},
        .input_shape = input,
        .handler = {run, NULL},
    };
    CHECK_OK(tr_cap_registry_add_cap(b, &cap, &err), &err);
}

TEST(key_is_shown_where_it_does_something)
{
    static const struct tr_field own[] = {
        {.name = TR_STR_INIT(TR_CAP_IDEMPOTENCY_KEY)}};
    static const struct tr_shape with_own = {.fields = own, .count = 1};
    static const struct tr_shape plain = {.fields = fields, .count = 1};
    static const size_t counts[] = {2, 1, 0, 0, 0}; /* of fields; 0: as it is */
    struct tr_cap_builder *b = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &b, &err), &err);
    add_writing(b, "a", true, true, &plain);
    add_writing(b, "b", true, true, NULL);
    add_writing(b, "c", true, false, &plain);
    add_writing(b, "d", false, true, &plain);
    add_writing(b, "e", true, true, &with_own);
    const struct tr_cap_snapshot *s = build(b);
    for (size_t i = 0; i < TR_LEN(counts); i++) {
        const struct tr_shape *shape = tr_cap_snapshot_cap(s, i)->shown_shape;
        CHECK_INT(shape ? shape->count : 0, counts[i]);
        CHECK(!shape || tr_shape_find(shape, TR_STR(TR_CAP_IDEMPOTENCY_KEY)));
    }
    tr_cap_snapshot_unpin(s);
}
