/*
 * The views of capabilities: which members they have, in which order, and who
 * sees what.
 */
#include "project/view.h"

#include "base/test.h"
#include "cap/registry.h"
#include "fields/field.h"
#include "json/build.h"
#include "json/reader.h"
#include "json/writer.h"

static const struct tr_project_site site = {
    .name = TR_STR_INIT("shop"),
    .version = TR_STR_INIT("1.2.3"),
    .mcp_path = TR_STR_INIT("/mcp"),
    .has_manifest = true,
    .has_http = true,
};

static void run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    (void)handler;
    (void)call;
}

/* Two capabilities, of which the second says all that can be said. */
static const struct tr_cap_snapshot *build(enum tr_cap_version_status status)
{
    static const tr_str writes[] = {TR_STR_INIT("default")};
    static const tr_str calls[] = {TR_STR_INIT("https://api.example/")};
    static const tr_str scope_text = TR_STR_INIT("scope");
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    const struct tr_shape *shape = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &builder, &err), &err);
    const struct tr_field fields[] = {{.name = TR_STR("text")}};
    const struct tr_shape draft = {.fields = fields, .count = 1};
    CHECK_OK(tr_shape_register(tr_cap_registry_arena(builder),
                               tr_cap_registry_patterns(builder), &draft,
                               &shape, &err),
             &err);
    struct tr_json_member member = {
        tr_json_make_text(TR_JSON_STRING, scope_text),
        tr_json_make_text(TR_JSON_STRING, TR_STR("builder")),
    };
    struct tr_json params;
    CHECK(tr_json_make_object(tr_cap_registry_arena(builder), &member, 1,
                              &params));
    const struct tr_cap_precondition needs = {TR_STR("scope"), &params};
    const struct tr_cap_precondition after = {TR_STR("sold"), NULL};
    const struct tr_cap plain = {.id = TR_STR("ask"),
                                 .description = TR_STR("Asks."),
                                 .handler = {.run = run}};
    const struct tr_cap full = {
        .id = TR_STR("sell"),
        .version = TR_STR("2.0.0"),
        .description = TR_STR("Sells."),
        .input_shape = shape,
        .output_shape = shape,
        .preconditions = &needs,
        .precondition_count = 1,
        .postconditions = &after,
        .postcondition_count = 1,
        .side_effects = {.is_said = true,
                         .graph_writes = {writes, 1},
                         .external_calls = {calls, 1}},
        .cost = {7, 0.5, 10, 20.25},
        .idempotent = true,
        .deprecates = TR_STR("ask"),
        .assurance = TR_CAP_ASSURANCE_L2,
        .version_status = status,
        .handler = {.run = run},
    };
    CHECK_OK(tr_cap_registry_add_cap(builder, &full, &err), &err);
    CHECK_OK(tr_cap_registry_add_cap(builder, &plain, &err), &err);
    CHECK_OK(tr_cap_registry_build(builder, &snapshot, &err), &err);
    tr_cap_builder_free(builder);
    return snapshot;
}

static void write(const struct tr_cap_snapshot *snapshot,
                  const struct tr_project_asked *asked, struct tr_buf *out)
{
    struct tr_err err = {0};
    tr_buf_clear(out);
    CHECK_OK(tr_project_write(snapshot, asked, out, &err), &err);
}

#define SELL                                                                   \
    "\"id\":\"sell\",\"version\":\"2.0.0\",\"description\":\"Sells.\","        \
    "\"input_shape\":\"trails://local/shape/sell.input\","                     \
    "\"output_shape\":\"trails://local/shape/sell.output\","                   \
    "\"preconditions\":[{\"kind\":\"scope\",\"params\":{\"scope\":\"builder\"" \
    "}}],\"side_effects\":{\"graph_writes\":[\"default\"],\"provenance\":"     \
    "true,\"external_calls\":[\"https://api.example/\"],\"regulated\":"        \
    "false},\"cost\":{\"tokens\":7,\"usd\":0.5,\"latency_p50_ms\":10,"         \
    "\"latency_p95_ms\":20.25},\"policy_required\":[],\"idempotent\":true,"    \
    "\"deprecates\":\"ask\",\"reasoning\":\"none\",\"assurance\":\"L1\","      \
    "\"version_status\":\"active\""
#define ASK                                                                    \
    "\"id\":\"ask\",\"version\":\"0.1.0\",\"description\":\"Asks.\","          \
    "\"input_shape\":null,\"output_shape\":null,\"preconditions\":[],"         \
    "\"side_effects\":{\"graph_writes\":[],\"provenance\":true,"               \
    "\"external_calls\":[],\"regulated\":false},\"cost\":{\"tokens\":0,"       \
    "\"usd\":0,\"latency_p50_ms\":0,\"latency_p95_ms\":0},"                    \
    "\"policy_required\":[],\"idempotent\":false,\"deprecates\":null,"         \
    "\"reasoning\":\"none\",\"assurance\":\"L1\",\"version_status\":"          \
    "\"active\""
#define CONTEXT "\"@context\":\"/.well-known/trails/v1.jsonld\""
#define NODE(id)                                                               \
    "\"@id\":\"/.well-known/capabilities#" id "\",\"@type\":"                  \
    "\"trails:Capability\","
#define AFTER ",\"trails:effects\":[{\"kind\":\"sold\",\"params\":{}}]"
#define ASKED ",\"requested\":{\"assurance\":\"L2\"}"

TEST(project_descriptor_has_fourteen_fields_in_their_order)
{
    const struct tr_cap_snapshot *s = build(TR_CAP_VERSION_ACTIVE);
    struct tr_json_writer w;
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(1));
    tr_jw_init(&w, &out);
    tr_project_put_descriptor(&w, tr_cap_snapshot_find_cap(s, TR_STR("sell")));
    CHECK_STR(tr_buf_str(&out), "{" SELL "}");
    tr_buf_done(&out);
    tr_cap_snapshot_unpin(s);
}

TEST(project_manifest_is_a_graph_of_descriptors)
{
    const struct tr_cap_snapshot *s = build(TR_CAP_VERSION_ACTIVE);
    struct tr_project_asked asked = {.scopes = TR_SCOPE_ALL, .site = &site};
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(1));
    write(s, &asked, &out);
    CHECK_STR(tr_buf_str(&out), "{" CONTEXT ",\"@graph\":[{" NODE("ask") ASK
              "},{" NODE("sell") SELL AFTER ASKED "}]}");
    asked.id = TR_STR("sell");
    write(s, &asked, &out);
    CHECK_STR(tr_buf_str(&out),
              "{" CONTEXT "," NODE("sell") SELL AFTER ASKED "}");
    asked.view = TR_PROJECT_PLAIN;
    write(s, &asked, &out);
    CHECK_STR(tr_buf_str(&out), "{" SELL ASKED "}");
    asked.id = TR_STR("");
    write(s, &asked, &out);
    CHECK_STR(tr_buf_str(&out), "{\"project\":\"shop\",\"capabilities\":[{" ASK
                                "},{" SELL ASKED "}]}");
    tr_buf_done(&out);
    tr_cap_snapshot_unpin(s);
}

static void measure(const struct tr_project_meter *meter,
                    const struct tr_cap *cap, struct tr_project_measured *out)
{
    (void)meter;
    if (tr_str_eq(cap->id, TR_STR("sell")))
        *out = (struct tr_project_measured){3, 1, 1.5, 2, 10, 12, 0.25, 0.5};
}

TEST(project_measured_costs_stand_beside_the_estimate)
{
    static const struct tr_project_meter meter = {measure};
    const struct tr_cap_snapshot *s = build(TR_CAP_VERSION_ACTIVE);
    const struct tr_project_asked asked = {.view = TR_PROJECT_PLAIN,
                                           .scopes = TR_SCOPE_ALL,
                                           .site = &site,
                                           .meter = &meter};
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(1));
    write(s, &asked, &out);
    CHECK_STR(tr_buf_str(&out),
              "{\"project\":\"shop\",\"capabilities\":[{" ASK "},{" SELL ASKED
              ",\"measured\":{\"calls\":3,\"latency_p50_ms\":1.5,"
              "\"latency_p95_ms\":2,\"tokens_p50\":10,\"tokens_p95\":12,"
              "\"usd_p50\":0.25,\"usd_p95\":0.5}}]}");
    tr_buf_done(&out);
    tr_cap_snapshot_unpin(s);
}

/* What is measured is written anew, and all else stands in the snapshot. */
TEST(project_views_are_seen_where_they_stand)
{
    static const struct tr_project_meter meter = {measure};
    const struct tr_cap_snapshot *s = build(TR_CAP_VERSION_ACTIVE);
    struct tr_project_asked asked = {.scopes = TR_SCOPE_ALL, .site = &site};
    struct tr_err err = {0};
    struct tr_buf room;
    struct tr_buf whole;
    tr_str first;
    tr_str again;
    tr_buf_init(&room, TR_MIB(1));
    tr_buf_init(&whole, TR_MIB(1));
    for (int view = 0; view < TR_PROJECT_VIEWS; view++) {
        asked.view = (enum tr_project_view)view;
        asked.meter = NULL;
        CHECK_OK(tr_project_see(s, &asked, &room, &first, &err), &err);
        write(s, &asked, &whole);
        CHECK(tr_str_eq(first, tr_buf_str(&whole)) && room.len == 0);
        asked.meter = &meter;
        CHECK_OK(tr_project_see(s, &asked, &room, &again, &err), &err);
        write(s, &asked, &whole);
        CHECK(tr_str_eq(again, tr_buf_str(&whole)));
        CHECK(again.ptr == (room.len ? room.ptr : first.ptr));
        CHECK((room.len > 0) ==
              (view == TR_PROJECT_JSON_LD || view == TR_PROJECT_PLAIN ||
               view == TR_PROJECT_MARKDOWN));
    }
    asked = (struct tr_project_asked){
        .scopes = TR_SCOPE_ALL, .site = &site, .id = TR_STR("sell")};
    CHECK_OK(tr_project_see(s, &asked, &room, &first, &err), &err);
    CHECK(first.ptr == room.ptr && tr_str_starts(first, TR_STR("{" CONTEXT)));
    asked.id = TR_STR("nobody");
    CHECK_INT(tr_project_see(s, &asked, &room, &first, &err), TR_E_NOT_FOUND);
    tr_buf_done(&whole);
    tr_buf_done(&room);
    tr_cap_snapshot_unpin(s);
}

TEST(project_views_have_what_lists_show)
{
    const struct tr_cap_snapshot *s = build(TR_CAP_VERSION_ACTIVE);
    const struct tr_cap_snapshot *retired = build(TR_CAP_VERSION_RETIRED);
    struct tr_project_asked asked = {.scopes = TR_SCOPE_RUNTIME, .site = &site};
    struct tr_err err = {0};
    struct tr_buf out;
    tr_buf_init(&out, TR_MIB(1));
    write(s, &asked, &out);
    CHECK_STR(tr_buf_str(&out),
              "{" CONTEXT ",\"@graph\":[{" NODE("ask") ASK "}]}");
    asked.id = TR_STR("sell");
    CHECK_INT(tr_project_write(s, &asked, &out, &err), TR_E_NOT_FOUND);
    asked.id = TR_STR("");
    asked.scopes = TR_SCOPE_ALL;
    write(retired, &asked, &out);
    CHECK_STR(tr_buf_str(&out),
              "{" CONTEXT ",\"@graph\":[{" NODE("ask") ASK "}]}");
    tr_buf_done(&out);
    tr_cap_snapshot_unpin(retired);
    tr_cap_snapshot_unpin(s);
}

TEST(project_digest_is_of_what_the_scopes_see)
{
    const struct tr_cap_snapshot *s = build(TR_CAP_VERSION_ACTIVE);
    const struct tr_cap_snapshot *again = build(TR_CAP_VERSION_ACTIVE);
    static const struct {
        const char *row;
        unsigned left;
        unsigned right;
        bool same;
    } rows[] = {
        {"the same", TR_SCOPE_ALL, TR_SCOPE_ALL, true},
        {"all", TR_SCOPE_ALL, TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER, true},
        {"some", TR_SCOPE_ALL, TR_SCOPE_RUNTIME, false},
        {"more", TR_SCOPE_RUNTIME | TR_SCOPE_DEV, TR_SCOPE_RUNTIME, true},
        {"none", 0, TR_SCOPE_RUNTIME, false},
    };
    struct tr_buf left;
    struct tr_buf right;
    tr_buf_init(&left, 64);
    tr_buf_init(&right, 64);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_err err = {0};
        tr_buf_clear(&left);
        tr_buf_clear(&right);
        CHECK_OK(tr_project_digest(s, &site, rows[i].left, &left, &err), &err);
        CHECK_OK(tr_project_digest(again, &site, rows[i].right, &right, &err),
                 &err);
        CHECK_INT(left.len, 32);
        CHECK_ROW(tr_str_eq(tr_buf_str(&left), tr_buf_str(&right)) ==
                      rows[i].same,
                  rows[i].row);
    }
    tr_buf_done(&left);
    tr_buf_done(&right);
    tr_cap_snapshot_unpin(again);
    tr_cap_snapshot_unpin(s);
}
