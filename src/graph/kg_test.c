#include "base/test.h"
#include "db/db.h"
#include "graph/store.h"
#include "support/team.h"

#define ANN "trails://team/Person/ann"
#define ONE "trails://team/Task/one"

static void check_text(const char *text, const char *expected)
{
    CHECK_ROW(strcmp(text, expected) == 0, text);
}

static void must(struct team_call *call, tr_status status)
{
    CHECK_OK(status, &call->err);
}

/* Ann and a task, landed. */
static void fill(struct team *team)
{
    struct team_call call;
    tr_str iri;
    team_begin(&call, team);
    must(&call, team_create(&call, "Person", ANN,
                            "{\"name\":\"Ann\",\"email\":\"ann@x\"}", &iri));
    must(&call, team_create(&call, "Task", ONE,
                            "{\"name\":\"Begin\",\"project\":\"p\","
                            "\"number\":1,\"state\":\"open\",\"owner\":\"" ANN
                            "\",\"tags\":[\"b\",\"a\"]}",
                            &iri));
    must(&call, team_land(&call));
    team_end(&call);
}

TEST(kg_a_call_reads_its_own_writes_and_others_read_what_has_landed)
{
    struct team team;
    struct team_call call;
    struct team_call other;
    tr_str iri;
    team_open(&team);
    team_begin(&call, &team);
    team_begin(&other, &team);
    must(&call, team_create(&call, "Person", ANN,
                            "{\"name\":\"Ann\",\"email\":\"ann@x\"}", &iri));
    check_text(team_get(&call, TR_STR(ANN)),
               "{\"id\":\"" ANN "\",\"_type\":\"Person\",\"_version\":1,"
               "\"name\":\"Ann\",\"email\":\"ann@x\"}");
    check_text(team_get(&other, TR_STR(ANN)), "null");
    must(&call, team_land(&call));
    check_text(team_get(&other, TR_STR(ANN)),
               "{\"id\":\"" ANN "\",\"_type\":\"Person\",\"_version\":1,"
               "\"name\":\"Ann\",\"email\":\"ann@x\"}");
    team_end(&other);
    team_end(&call);
    team_close(&team);
}

TEST(kg_updates_change_what_they_name)
{
    struct team team;
    struct team_call call;
    team_open(&team);
    fill(&team);
    team_begin(&call, &team);
    must(&call, team_update(&call, TR_STR(ONE),
                            "{\"state\":\"done\",\"owner\":null,"
                            "\"tags\":[\"c\"]}"));
    must(&call, team_land(&call));
    check_text(team_get(&call, TR_STR(ONE)),
               "{\"id\":\"" ONE "\",\"_type\":\"Task\",\"_version\":2,"
               "\"name\":\"Begin\",\"project\":\"p\",\"number\":1,"
               "\"state\":\"done\",\"tags\":[\"c\"]}");
    team_end(&call);
    team_close(&team);
}

TEST(kg_refuses_at_once_what_one_node_can_decide)
{
    struct team team;
    struct team_call call;
    tr_str iri;
    team_open(&team);
    team_begin(&call, &team);
    CHECK_INT(team_create(&call, "Task", "",
                          "{\"name\":\"x\",\"project\":\"p\",\"number\":\"1\","
                          "\"state\":\"shut\",\"colour\":1}",
                          &iri),
              TR_E_VALIDATION);
    CHECK_INT(call.kg.errors.count, 3);
    CHECK(tr_graph_changeset_is_empty(&call.kg.changes));
    CHECK_INT(team_update(&call, TR_STR(ONE), "{}"), TR_E_NOT_FOUND);
    team_end(&call);
    team_close(&team);
}

static void check_refused(struct team_call *call, tr_status status,
                          const char *code)
{
    CHECK_INT(team_land(call), status);
    if (code && !strstr(call->write.landing.fields.ptr, code))
        tr_test_fail(code, call->write.landing.fields.ptr, __FILE__, __LINE__);
}

TEST(kg_the_writer_refuses_what_the_graph_decides)
{
    static const struct {
        const char *iri;
        const char *type;
        const char *fields;
        const char *code;
    } rows[] = {
        {"", "Person", "{\"name\":\"B\",\"email\":\"ann@x\"}",
         "\"code\":\"unique\""},
        {"", "Task",
         "{\"name\":\"B\",\"project\":\"p\",\"number\":1,\"state\":\"open\"}",
         "\"code\":\"unique\""},
        {"", "Task",
         "{\"name\":\"B\",\"project\":\"p\",\"number\":2,\"state\":\"open\","
         "\"owner\":\"trails://team/Person/nobody\"}",
         "\"code\":\"class\""},
    };
    struct team team;
    team_open(&team);
    fill(&team);
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct team_call call;
        tr_str iri;
        team_begin(&call, &team);
        must(&call, team_create(&call, rows[i].type, rows[i].iri,
                                rows[i].fields, &iri));
        check_refused(&call, TR_E_VALIDATION, rows[i].code);
        team_end(&call);
    }
    team_close(&team);
}

TEST(kg_what_others_refer_to_cannot_go)
{
    struct team team;
    struct team_call call;
    bool found = false;
    team_open(&team);
    fill(&team);
    team_begin(&call, &team);
    must(&call,
         tr_graph_kg_delete(&call.kg, TR_STR(ANN), NULL, &found, &call.err));
    CHECK(found);
    check_refused(&call, TR_E_VALIDATION, "\"code\":\"class\"");
    team_end(&call);
    team_begin(&call, &team);
    must(&call,
         tr_graph_kg_delete(&call.kg, TR_STR(ONE), NULL, &found, &call.err));
    must(&call,
         tr_graph_kg_delete(&call.kg, TR_STR(ANN), NULL, &found, &call.err));
    must(&call, team_land(&call));
    check_text(team_get(&call, TR_STR(ANN)), "null");
    team_end(&call);
    team_close(&team);
}

TEST(kg_versions_are_expected_now_and_when_it_lands)
{
    struct team team;
    struct team_call first;
    struct team_call second;
    struct tr_graph_kg_update update = {.has_version = true, .version = 1};
    team_open(&team);
    fill(&team);
    team_begin(&first, &team);
    team_begin(&second, &team);
    update.fields = team_json(&first, "{\"name\":\"A\"}");
    must(&first,
         tr_graph_kg_update(&first.kg, TR_STR(ANN), &update, &first.err));
    must(&second,
         tr_graph_kg_update(&second.kg, TR_STR(ANN), &update, &second.err));
    must(&first, team_land(&first));
    CHECK_INT(team_land(&second), TR_E_CONFLICT);
    team_end(&second);
    team_begin(&second, &team);
    CHECK_INT(tr_graph_kg_update(&second.kg, TR_STR(ANN), &update, &second.err),
              TR_E_CONFLICT);
    update.version = 2;
    must(&second,
         tr_graph_kg_update(&second.kg, TR_STR(ANN), &update, &second.err));
    must(&second, team_land(&second));
    team_end(&first);
    team_end(&second);
    team_close(&team);
}

TEST(kg_a_savepoint_takes_back_what_came_after)
{
    struct team team;
    struct team_call call;
    tr_str iri;
    team_open(&team);
    fill(&team);
    team_begin(&call, &team);
    must(&call, team_update(&call, TR_STR(ANN), "{\"name\":\"A\"}"));
    struct tr_graph_change_mark mark = tr_graph_kg_mark(&call.kg);
    must(&call, team_update(&call, TR_STR(ANN), "{\"name\":\"B\"}"));
    must(&call, team_create(&call, "Person", "trails://team/Person/bob",
                            "{\"name\":\"Bob\",\"email\":\"bob@x\"}", &iri));
    CHECK(strstr(team_get(&call, TR_STR(ANN)), "\"name\":\"B\""));
    tr_graph_kg_undo(&call.kg, mark);
    CHECK(strstr(team_get(&call, TR_STR(ANN)), "\"name\":\"A\""));
    check_text(team_get(&call, TR_STR("trails://team/Person/bob")), "null");
    must(&call, team_land(&call));
    CHECK(strstr(team_get(&call, TR_STR(ANN)), "\"name\":\"A\""));
    team_end(&call);
    team_close(&team);
}

TEST(kg_untyped_nodes_have_predicates)
{
    struct team team;
    struct team_call call;
    tr_str iri;
    team_open(&team);
    team_begin(&call, &team);
    must(&call, team_create(&call, "", "http://ex.org/a",
                            "{\"ex:knows\":[{\"id\":\"ex:b\"}],\"ex:age\":7,"
                            "\"ex:note\":{\"value\":\"hi\",\"language\":"
                            "\"en\"}}",
                            &iri));
    must(&call, team_land(&call));
    check_text(team_get(&call, TR_STR("http://ex.org/a")),
               "{\"id\":\"http://ex.org/a\",\"_version\":1,"
               "\"http://ex.org/knows\":[{\"id\":\"http://ex.org/b\"}],"
               "\"http://ex.org/age\":[7],"
               "\"http://ex.org/note\":[{\"value\":\"hi\",\"language\":\"en\"}]"
               "}");
    CHECK_INT(team_create(&call, "", "http://ex.org/a", "{\"ex:x\":1}", &iri),
              TR_E_CONFLICT);
    CHECK_INT(team_create(&call, "", "", "{\"no iri\":1}", &iri), TR_E_INVALID);
    CHECK_INT(team_create(&call, "", "", "{}", &iri), TR_E_INVALID);
    CHECK_INT(team_create(&call, "", "",
                          "{\"ex:x\":{\"value\":\"a\",\"language\":"
                          "\"no language\"}}",
                          &iri),
              TR_E_INVALID);
    CHECK_INT(team_create(&call, "", "", "{\"ex:x\":{\"id\":\"a b\"}}", &iri),
              TR_E_INVALID);
    CHECK_INT(team_create(&call, "", "", "{\"ex:x\":[[1]]}", &iri),
              TR_E_INVALID);
    team_end(&call);
    team_close(&team);
}

/* The feed */

static tr_status write_row(void *context, const struct tr_graph_feed_row *row,
                           struct tr_err *err)
{
    (void)err;
    tr_buf_putf(context, "%lld:%d ", (long long)row->seq, (int)row->kind);
    return TR_OK;
}

TEST(kg_the_feed_tells_what_has_landed_in_order)
{
    struct team team;
    struct team_call call;
    struct tr_buf text;
    struct tr_err err = {0};
    int64_t seen = 0;
    bool has_gap = true;
    bool found;
    uint64_t generation;
    team_open(&team);
    generation = tr_graph_store_generation(team.store);
    fill(&team);
    CHECK(tr_graph_store_generation(team.store) != generation);
    team_begin(&call, &team);
    must(&call, team_update(&call, TR_STR(ANN), "{\"name\":\"A\"}"));
    must(&call,
         tr_graph_kg_delete(&call.kg, TR_STR(ONE), NULL, &found, &call.err));
    must(&call, team_land(&call));
    tr_buf_init(&text, TR_KIB(4));
    CHECK_OK(tr_graph_reader_begin(team.reader, &err), &err);
    CHECK_OK(tr_graph_feed_read(team.reader->db, &seen, &has_gap, write_row,
                                &text, &err),
             &err);
    tr_graph_reader_end(team.reader);
    CHECK(!has_gap);
    CHECK_STR(tr_buf_str(&text), "1:1 2:1 3:2 4:3 ");
    CHECK_INT(seen, 4);
    tr_buf_done(&text);
    team_end(&call);
    team_close(&team);
}

TEST(kg_a_changeset_that_changes_nothing_is_fine)
{
    struct team team;
    struct team_call call;
    team_open(&team);
    fill(&team);
    team_begin(&call, &team);
    must(&call, team_update(&call, TR_STR(ANN), "{\"name\":\"Ann\"}"));
    must(&call, team_land(&call));
    CHECK(strstr(team_get(&call, TR_STR(ANN)), "\"_version\":1"));
    team_end(&call);
    team_close(&team);
}
