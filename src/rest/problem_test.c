#include "rest/problem.h"

#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "project/view.h"
#include "runtime/wire_error.h"

static const char *write(struct tr_buf *out,
                         const struct tr_rest_problem *problem)
{
    CHECK_INT(tr_rest_problem_write(out, problem), problem->status);
    tr_buf_putc(out, '\0');
    return out->ptr;
}

TEST(what_http_says_needs_no_type_of_ours)
{
    struct tr_buf out;
    const struct tr_rest_problem problem = {.status = 415,
                                            .detail = TR_STR("why")};
    tr_buf_init(&out, TR_KIB(4));
    CHECK_STR(tr_str_from(write(&out, &problem)),
              "{\"type\":\"about:blank\",\"title\":\"Unsupported Media Type\","
              "\"status\":415,\"detail\":\"why\"}");
    tr_buf_done(&out);
}

TEST(data_does_not_say_again_what_the_problem_says)
{
    static const char data[] =
        "{\"type\":1,\"title\":2,\"status\":3,\"detail\":4,\"instance\":5,"
        "\"code\":6,\"trace_id\":7,\"fields\":[],\"retry_after_s\":9}";
    struct tr_arena arena;
    struct tr_buf out;
    struct tr_rest_problem problem = {
        .status = 429,
        .code = "budget",
        .title = tr_rest_problem_title(TR_E_BUDGET),
        .detail = TR_STR("no \"more\""),
        .instance = TR_STR("trails://prov/1"),
        .trace_id = TR_STR("abc"),
        .retry_after_s = 9,
    };
    tr_arena_init(&arena, TR_KIB(64));
    tr_buf_init(&out, TR_KIB(4));
    CHECK_OK(tr_json_read(&arena, TR_STR(data), NULL, &problem.data, NULL),
             NULL);
    CHECK_STR(tr_str_from(write(&out, &problem)),
              "{\"type\":\"trails://meta/problem/budget\","
              "\"title\":\"A budget is used up\",\"status\":429,"
              "\"detail\":\"no \\\"more\\\"\","
              "\"instance\":\"trails://prov/1\",\"code\":\"budget\","
              "\"trace_id\":\"abc\",\"fields\":[],\"retry_after_s\":9}");
    tr_buf_done(&out);
    tr_arena_done(&arena);
}

TEST(what_cannot_be_written_is_a_problem_too)
{
    struct tr_buf out;
    const struct tr_rest_problem problem = {
        .status = 500, .code = "io", .title = "t", .detail = TR_STR("\xff")};
    tr_buf_init(&out, TR_KIB(4));
    CHECK_STR(tr_str_from(write(&out, &problem)),
              "{\"type\":\"about:blank\",\"title\":\"Internal Server Error\","
              "\"status\":500}");
    tr_buf_done(&out);
}

TEST(every_status_has_a_title_of_its_own)
{
    for (int i = TR_E_NOMEM; i <= TR_E_INTERNAL; i++) {
        const char *title = tr_rest_problem_title((tr_status)i);
        CHECK_ROW(title && title[0], tr_status_name((tr_status)i));
        for (int j = TR_E_NOMEM; j < i; j++)
            CHECK_ROW(strcmp(title, tr_rest_problem_title((tr_status)j)) != 0,
                      title);
    }
}

TEST(every_status_of_a_call_is_documented)
{
    for (int i = TR_E_NOMEM; i <= TR_E_INTERNAL; i++) {
        struct tr_call_wire_error wire = tr_call_wire_error((tr_status)i, true);
        CHECK_ROW(tr_project_refusal_is_known(wire.http),
                  tr_status_name((tr_status)i));
    }
}

TEST(what_is_not_documented_is_not_sent)
{
    struct tr_buf out;
    const struct tr_rest_problem problem = {
        .status = 418, .code = "teapot", .title = "t"};
    tr_buf_init(&out, TR_KIB(4));
    CHECK_INT(tr_rest_problem_write(&out, &problem), 500);
    CHECK_STR(tr_buf_str(&out),
              "{\"type\":\"about:blank\",\"title\":\"Internal Server Error\","
              "\"status\":500}");
    tr_buf_done(&out);
}
