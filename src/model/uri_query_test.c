#include "base/limits.h"
#include "base/test.h"
#include "model/uri.h"
#include "support/world.h"

static const struct {
    const char *text;
    const char *field;
    const char *reason;
    const char *expected;
} refusals[] = {
    {"where=size=x", "size", "type_mismatch", "xsd:integer"},
    {"where=size=", "size", "type_mismatch", "xsd:integer"},
    {"where=size=5.0", "size", "type_mismatch", "xsd:integer"},
    {"where=size=5e0", "size", "type_mismatch", "xsd:integer"},
    {"where=size= 5", "size", "type_mismatch", "xsd:integer"},
    {"where=size=-", "size", "type_mismatch", "xsd:integer"},
    {"where=size=--5", "size", "type_mismatch", "xsd:integer"},
    {"where=size=5 AND done=true", "size", "type_mismatch", "xsd:integer"},
    {"where=share=.5", "share", "type_mismatch", "xsd:double"},
    {"where=share=5.", "share", "type_mismatch", "xsd:double"},
    {"where=share=1e999", "share", "type_mismatch", "xsd:double"},
    {"where=share=NaN", "share", "type_mismatch", "xsd:double"},
    {"where=done=TRUE", "done", "type_mismatch", "xsd:boolean"},
    {"where=due=2026-07-28", "due", "type_mismatch", "xsd:dateTime"},
    {"where=owner=ann", "owner", "type_mismatch", "iri"},
    {"where=tag=a", "tag", "not_scalar", "xsd:string"},
    {"where=needs=a:b", "needs", "not_scalar", "iri"},
    {"where=nothing=1", "nothing", "unknown_field", ""},
    {"where=", "where", "syntax", ""},
    {"where", "where", "syntax", ""},
    {"where=title", "where", "syntax", ""},
    {"where==", "where", "syntax", ""},
    {"where=1a=b", "where", "syntax", ""},
    {"where=owner.name=b", "where", "syntax", ""},
    {"where=title=%", "where", "syntax", ""},
    {"where=title=%4", "where", "syntax", ""},
    {"where=title=%4g", "where", "syntax", ""},
    {"where=size>5", "where", "unsupported_operator", ""},
    {"where=size<=5", "where", "unsupported_operator", ""},
    {"where=size%3E%3D5", "where", "unsupported_operator", ""},
    {"where=title!=a", "where", "unsupported_operator", ""},
    {"where=size=5&where=size=6", "where", "multiple_clauses", ""},
    {"where=x&where=y", "where", "multiple_clauses", ""},
    {"where=title=\"", "title", "illegal_character", "xsd:string"},
    {"where=title=%22", "title", "illegal_character", "xsd:string"},
    {"where=title=%5c", "title", "illegal_character", "xsd:string"},
    {"where=title=\\", "title", "illegal_character", "xsd:string"},
    {"where=title=%0D", "title", "illegal_character", "xsd:string"},
    {"where=title=\n", "title", "illegal_character", "xsd:string"},
    {"where=title=%00", "title", "illegal_character", "xsd:string"},
    {"where=title=%c3", "title", "illegal_character", "xsd:string"},
    {"where=%22", "where", "illegal_character", ""},
    {"limit=", "limit", "type_mismatch", "xsd:integer"},
    {"limit=-1", "limit", "type_mismatch", "xsd:integer"},
    {"offset=1.5", "offset", "type_mismatch", "xsd:integer"},
    {"limit=1&limit=1", "limit", "syntax", "xsd:integer"},
    {"limit", "limit", "syntax", ""},
    {"offset=100001", "offset", "offset_too_deep", "xsd:integer"},
    {"offset=99999999999999999999999", "offset", "offset_too_deep",
     "xsd:integer"},
    {"cursor=", "cursor", "syntax", ""},
    {"cursor=a&cursor=b", "cursor", "syntax", ""},
    {"cursor=a&offset=1", "offset", "syntax", ""},
    {"select=a", "select", "syntax", ""},
    {"limit=1&&limit=2", "", "syntax", ""},
    {"limit=1#a", "uri", "syntax", ""},
};

TEST(a_query_that_is_none_is_refused_with_its_reason)
{
    struct world world;
    world_open(&world);
    for (size_t i = 0; i < TR_LEN(refusals); i++) {
        struct tr_model_uri_query query;
        struct tr_model_uri_refusal why;
        struct tr_err err = {0};
        CHECK_ROW(tr_model_uri_query_parse(&world.arena,
                                           world_type(&world, "Task"),
                                           tr_str_from(refusals[i].text),
                                           &query, &why, &err) == TR_E_INVALID,
                  refusals[i].text);
        CHECK_ROW(strcmp(why.reason, refusals[i].reason) == 0,
                  refusals[i].text);
        CHECK_STR(why.field, refusals[i].field);
        CHECK_STR(why.expected, refusals[i].expected);
    }
    world_close(&world);
}

TEST(a_field_that_is_almost_one_gets_a_hint)
{
    struct world world;
    struct tr_model_uri_query query;
    struct tr_model_uri_refusal why;
    struct tr_err err = {0};
    world_open(&world);
    CHECK(tr_model_uri_query_parse(&world.arena, world_type(&world, "Task"),
                                   TR_STR("where=titel=a"), &query, &why,
                                   &err) == TR_E_INVALID);
    CHECK_STR(why.hint, "title");
    CHECK_STR(tr_str_from(err.msg), "there is no field titel");
    world_close(&world);
}

static const struct {
    const char *text;
    const char *field;
    const char *value;
} filters[] = {
    {"where=title=a", "title", "\"a\""},
    {"where=title=", "title", "\"\""},
    {"where=title=a=b", "title", "\"a=b\""},
    {"where=title%3Da%3Db", "title", "\"a=b\""},
    {"where=title=a+b", "title", "\"a+b\""},
    {"where=title=%2541", "title", "\"%41\""},
    {"where=title=x' OR '1'='1", "title", "\"x' OR '1'='1\""},
    {"where=title=a%26b", "title", "\"a&b\""},
    {"where=title=%E2%82%AC", "title", "\"\xE2\x82\xAC\""},
    {"where=size=5", "size", "5"},
    {"where=size=%2B005", "size", "5"},
    {"where=size=-0", "size", "-0"},
    {"where=size=123456789012345678901234567890", "size",
     "123456789012345678901234567890"},
    {"where=share=1.5e3", "share", "1.5e3"},
    {"where=done=1", "done", "true"},
    {"where=done=false", "done", "false"},
    {"where=due=2026-07-28T12:00:00+02:00", "due",
     "\"2026-07-28T12:00:00+02:00\""},
    {"where=owner=http://w/a", "owner", "\"http://w/a\""},
};

TEST(a_filter_has_the_value_of_its_field)
{
    struct world world;
    world_open(&world);
    for (size_t i = 0; i < TR_LEN(filters); i++) {
        struct tr_model_uri_query query;
        struct tr_model_uri_refusal why;
        struct tr_err err = {0};
        CHECK_OK(tr_model_uri_query_parse(
                     &world.arena, world_type(&world, "Task"),
                     tr_str_from(filters[i].text), &query, &why, &err),
                 &err);
        CHECK_STR(query.field->name, filters[i].field);
        world_check_json(&query.value, filters[i].value);
    }
    world_close(&world);
}

TEST(a_page_is_clamped_and_may_be_empty)
{
    struct world world;
    struct tr_model_uri_query query;
    struct tr_model_uri_refusal why;
    struct tr_err err = {0};
    world_open(&world);
    const struct tr_model_type *type = world_type(&world, "Task");
    CHECK_OK(tr_model_uri_query_parse(&world.arena, type, TR_STR(""), &query,
                                      &why, &err),
             &err);
    CHECK(!query.field && query.offset == 0 && query.cursor.len == 0);
    CHECK_INT(query.limit, TR_LIMIT_PAGE_DEFAULT);
    CHECK_OK(
        tr_model_uri_query_parse(&world.arena, type,
                                 TR_STR("offset=100000&limit=1000000000000"),
                                 &query, &why, &err),
        &err);
    CHECK_INT(query.limit, TR_LIMIT_PAGE);
    CHECK_INT(query.offset, TR_LIMIT_OFFSET);
    CHECK_OK(tr_model_uri_query_parse(&world.arena, type,
                                      TR_STR("limit=0&cursor=x"), &query, &why,
                                      &err),
             &err);
    CHECK_INT(query.limit, 0);
    CHECK_STR(query.cursor, "x");
    world_close(&world);
}

TEST(what_is_told_back_is_bounded_and_whole)
{
    struct world world;
    struct tr_model_uri_query query;
    struct tr_model_uri_refusal why;
    struct tr_err err = {0};
    struct tr_buf text;
    world_open(&world);
    tr_buf_init(&text, TR_KIB(4));
    tr_buf_putc(&text, 'a');
    for (size_t i = 0; i < 100; i++)
        tr_buf_put(&text, TR_STR("\xE2\x82\xAC"));
    CHECK(tr_model_uri_query_parse(&world.arena, world_type(&world, "Task"),
                                   tr_buf_str(&text), &query, &why,
                                   &err) == TR_E_INVALID);
    CHECK_INT(why.field.len, 64);
    tr_buf_done(&text);
    world_close(&world);
}

static tr_status parse_all(void *context, struct tr_err *err)
{
    struct world *world = context;
    struct tr_model_uri_query query;
    struct tr_model_uri_refusal why;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(1));
    tr_status status = tr_model_uri_query_parse(
        &arena, world_type(world, "Task"),
        TR_STR("where=size=5&limit=3&offset=4"), &query, &why, err);
    tr_arena_done(&arena);
    return status;
}

TEST(a_query_says_so_when_there_is_no_memory)
{
    struct world world;
    world_open(&world);
    tr_test_sweep(parse_all, &world);
    world_close(&world);
}
