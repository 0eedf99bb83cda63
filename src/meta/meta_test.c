#include "meta/meta.h"

#include "base/limits.h"
#include "base/test.h"
#include "cap/registry.h"
#include "gen/gen.h"

static const struct tr_cap_snapshot *registered(void)
{
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err = {0};
    CHECK_OK(tr_cap_builder_create(NULL, &builder, &err), &err);
    CHECK_OK(tr_meta_add(builder, &err), &err);
    CHECK_OK(tr_cap_registry_build(builder, &snapshot, &err), &err);
    tr_cap_builder_free(builder);
    return snapshot;
}

/* The name that a name on MCP leads back to, as a client would find it. */
static tr_str back(tr_str name, char room[TR_LIMIT_NAME_BYTES + 1])
{
    tr_str rest = tr_str_skip(name, sizeof("trails_meta_") - 1);
    int len = snprintf(room, TR_LIMIT_NAME_BYTES + 1, "trails.meta.%.*s",
                       TR_FMT(rest));
    for (int i = 0; i < len; i++)
        room[i] = room[i] == '_' ? '.' : room[i];
    return (tr_str){room, (size_t)len};
}

TEST(every_meta_capability_is_found_by_its_name_and_that_leads_back)
{
    const struct tr_cap_snapshot *s = registered();
    tr_cap_counts counts = tr_cap_snapshot_counts(s);
    char room[TR_LIMIT_NAME_BYTES + 1];
    CHECK_INT(counts.caps, 0);
    CHECK(counts.metas >= 8 + tr_gen_op_count);
    CHECK_INT(counts.tools, counts.metas);
    for (size_t i = 0; i < counts.tools; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_tool(s, i);
        CHECK(cap->is_meta);
        CHECK(tr_str_starts(cap->name, TR_STR("trails_meta_")));
        CHECK_STR(back(cap->name, room), cap->id.ptr);
        CHECK(tr_cap_snapshot_find_tool(s, cap->id) == cap);
        CHECK(tr_cap_snapshot_find_tool(s, cap->name) == cap);
        CHECK(!tr_cap_snapshot_find_cap(s, cap->name));
        CHECK(cap->description.len && cap->output_shape);
    }
    tr_cap_snapshot_unpin(s);
}

/* Who may what: the table of the issue, by the namespace. */
TEST(meta_capabilities_need_what_their_namespace_needs)
{
    static const struct {
        const char *space;
        enum tr_scope scope;
    } rows[] = {
        {"meta", TR_SCOPE_RUNTIME}, {"schema", TR_SCOPE_BUILDER},
        {"data", TR_SCOPE_BUILDER}, {"doctor", TR_SCOPE_BUILDER},
        {"gen", TR_SCOPE_DEV},      {"app", TR_SCOPE_DEV},
    };
    const struct tr_cap_snapshot *s = registered();
    for (size_t i = 0; i < tr_cap_snapshot_counts(s).tools; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_tool(s, i);
        tr_str space = tr_cap_meta_parts(cap).space;
        size_t found = 0;
        for (size_t row = 0; row < TR_LEN(rows); row++) {
            if (!tr_str_eq(space, tr_str_from(rows[row].space)))
                continue;
            CHECK_ROW(cap->guard.scope == rows[row].scope, cap->id.ptr);
            found++;
        }
        CHECK_ROW(found == 1, cap->id.ptr);
    }
    tr_cap_snapshot_unpin(s);
}

/* What writes to the graph or to files does not say that it only reads. */
TEST(meta_capabilities_say_what_they_change)
{
    static const struct {
        const char *id;
        bool reads;
        bool destroys;
    } rows[] = {
        {"trails.meta.ping", true, false},
        {"trails.meta.doctor.run", true, false},
        {"trails.meta.data.import", false, true},
        {"trails.meta.gen.shape", false, false},
        {"trails.meta.app.edit", false, true},
        {"trails.meta.app.source", true, false},
        {"trails.meta.app.check", true, false},
        {"trails.meta.app.reload", false, false},
    };
    const struct tr_cap_snapshot *s = registered();
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        const struct tr_cap *cap =
            tr_cap_snapshot_find_tool(s, tr_str_from(rows[i].id));
        CHECK_ROW(tr_cap_is_read_only(cap) == rows[i].reads, rows[i].id);
        CHECK_ROW(tr_cap_is_destructive(cap) == rows[i].destroys, rows[i].id);
    }
    tr_cap_snapshot_unpin(s);
}

static tr_status add_all(void *context, struct tr_err *err)
{
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    (void)context;
    TR_TRY(tr_cap_builder_create(NULL, &builder, err));
    tr_status status = tr_meta_add(builder, err);
    if (status == TR_OK)
        status = tr_cap_registry_build(builder, &snapshot, err);
    tr_cap_builder_free(builder);
    tr_cap_snapshot_unpin(snapshot);
    return status;
}

TEST(meta_capabilities_are_registered_or_there_is_no_memory)
{
    tr_test_sweep(add_all, NULL);
}
