/*
 * A view that says something else than its descriptor, in a server where one is
 * written wrongly: the doctor names the capability, the field and the view.
 */
#include "base/test.h"
#include "cap/registry.h"
#include "config/config.h"
#include "doctor/doctor.h"
#include "model/model.h"
#include "shacl/shapes.h"

static const struct tr_project_site site = {
    .name = TR_STR_INIT("shop"),
    .mcp_path = TR_STR_INIT("/mcp"),
    .has_manifest = true,
    .has_http = true,
};

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

static const struct tr_cap_snapshot *build(void)
{
    const struct tr_cap cap = {.id = TR_STR("sell"),
                               .description = TR_STR("Sells."),
                               .handler = {run}};
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &builder, &err), &err);
    CHECK_OK(tr_cap_registry_add_cap(builder, &cap, &err), &err);
    CHECK_OK(tr_cap_registry_build(builder, &snapshot, &err), &err);
    tr_cap_builder_free(builder);
    return snapshot;
}

/* One word of each view is another, in the view in which it stands. */
static const struct {
    const char *from;
    const char *to;
    const char *message;
    enum tr_project_view view;
} rows[] = {
    {"Sells.", "Buys.", "sell: description is another in the view jsonld",
     TR_PROJECT_JSON_LD},
    {"\"none\"", "\"rdfs\"", "sell: reasoning is another in the view json",
     TR_PROJECT_PLAIN},
    {"\"object\"", "\"array\"", "sell: input_shape is another in the view mcp",
     TR_PROJECT_TOOLS},
    {"\"x-trails-version\":\"0", "\"x-trails-version\":\"1",
     "sell: version is another in the view openapi", TR_PROJECT_OPENAPI},
    {"\"sell\":{", "\"buy\":{", "sell: id is another in the view card",
     TR_PROJECT_CARD},
};
static size_t row; /* the one that is wrong */

static tr_status write_wrongly(const struct tr_cap_snapshot *snapshot,
                               const struct tr_project_asked *asked,
                               struct tr_buf *out, struct tr_err *err)
{
    struct tr_buf text;
    if (asked->view != rows[row].view)
        return tr_project_write(snapshot, asked, out, err);
    tr_buf_init(&text, TR_MIB(1));
    CHECK_OK(tr_project_write(snapshot, asked, &text, err), err);
    tr_buf_putc(&text, '\0');
    const char *at = strstr(text.ptr, rows[row].from);
    CHECK_ROW(at != NULL, rows[row].from);
    tr_buf_put(out, (tr_str){text.ptr, (size_t)(at - text.ptr)});
    tr_buf_put(out, tr_str_from(rows[row].to));
    tr_buf_put(out, tr_str_from(at + strlen(rows[row].from)));
    tr_buf_done(&text);
    return TR_OK;
}

static void check(tr_project_write_fn *write, enum tr_audit_health health,
                  const char *message)
{
    static const struct tr_config config = {0};
    static const struct tr_shacl_shapes shapes = {0};
    static const struct tr_model model = {.shapes = &shapes};
    const struct tr_doctor_outside outside = {
        .config = &config, .site = &site, .write_view = write};
    const struct tr_cap_snapshot *snapshot = build();
    const struct tr_doctor_patient patient = {
        .snapshot = snapshot,
        .model = &model,
        .scopes = TR_SCOPE_RUNTIME,
        .outside = &outside,
        .no_db = "there is none",
    };
    struct tr_doctor_report report;
    struct tr_arena arena;
    struct tr_err err = {0};
    size_t found = 0;
    tr_arena_init(&arena, TR_MIB(16));
    CHECK_OK(tr_doctor_examine(&patient, &arena, &report, &err), &err);
    for (size_t i = 0; i < report.count; i++) {
        if (strcmp(report.items[i].id, "projection.consistency") != 0)
            continue;
        CHECK_INT(report.items[i].health, health);
        CHECK_STR(report.items[i].message, message);
        CHECK((report.items[i].fix.len != 0) == (health != TR_AUDIT_WELL));
        found++;
    }
    CHECK_INT(found, 1);
    tr_arena_done(&arena);
    tr_cap_snapshot_unpin(snapshot);
}

TEST(doctor_finds_a_view_that_says_something_else)
{
    check(NULL, TR_AUDIT_WELL, "every view says what its descriptor says");
    for (row = 0; row < TR_LEN(rows); row++)
        check(write_wrongly, TR_AUDIT_FAIL, rows[row].message);
}
