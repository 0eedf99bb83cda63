/*
 * bench/json.c - our JSON against cJSON.
 */
#include "bench.h"
#include "json/reader.h"
#include "json/writer.h"

#include <assert.h>
#include <cjson/cJSON.h>

/* A tools/call as clients send it: 385 bytes. */
static const char rpc_request[] =
    "{\"jsonrpc\":\"2.0\",\"id\":9007199254740993,\"method\":\"tools/call\","
    "\"params\":{\"name\":\"propose_requirement\",\"arguments\":{\"req_id\":"
    "\"REQ-4711\",\"title\":\"Answers in 50 ms\",\"status\":"
    "\"proposed\",\"priority\":2,\"tags\":[\"latency\",\"gateway\",\"slo\"],"
    "\"owner\":\"trails://demo/Person/018f3a2b-77aa\",\"draft\":true},"
    "\"_meta\":{\"progressToken\":7,\"traceparent\":\"00-4bf92f3577b34da6a3ce"
    "929d0e0e4736-00f067aa0ba902b7\"}}}";

_Static_assert(sizeof(rpc_request) - 1 == 385, "the request has 385 bytes");

struct ours {
    struct tr_arena arena;
    struct tr_buf reply;
    tr_str text;
};

/* Parse, look up id and params.name, write a reply. */
static uint64_t rpc_turn(const void *data)
{
    struct ours *o = *(struct ours *const *)data;
    const struct tr_json *request = NULL;
    struct tr_json_writer w;

    tr_arena_reset(&o->arena);
    tr_buf_clear(&o->reply);
    tr_status status = tr_json_read(&o->arena, o->text, NULL, &request, NULL);
    assert(status == TR_OK);
    const struct tr_json *params = tr_json_find(request, TR_STR("params"));
    tr_jw_init(&w, &o->reply);
    tr_jw_open(&w, '{');
    tr_jw_put_string(&w, "jsonrpc", TR_STR("2.0"));
    tr_jw_put_value(&w, "id", tr_json_find(request, TR_STR("id")));
    tr_jw_key(&w, "result");
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "content");
    tr_jw_open(&w, '[');
    tr_jw_open(&w, '{');
    tr_jw_put_string(&w, "type", TR_STR("text"));
    tr_jw_put_string(&w, "text",
                     tr_json_text(tr_json_find(params, TR_STR("name"))));
    tr_jw_close(&w, '}');
    tr_jw_close(&w, ']');
    tr_jw_put_bool(&w, "isError", false);
    tr_jw_close(&w, '}');
    tr_jw_close(&w, '}');
    status = tr_jw_finish(&w, NULL);
    assert(status == TR_OK);
    return o->reply.len;
}

static uint64_t rpc_turn_cjson(const void *data)
{
    struct ours *o = *(struct ours *const *)data;
    cJSON *request = cJSON_ParseWithLength(o->text.ptr, o->text.len);
    cJSON *params = cJSON_GetObjectItemCaseSensitive(request, "params");
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddStringToObject(reply, "jsonrpc", "2.0");
    cJSON_AddNumberToObject(
        reply, "id",
        cJSON_GetObjectItemCaseSensitive(request, "id")->valuedouble);
    cJSON *result = cJSON_AddObjectToObject(reply, "result");
    cJSON *content = cJSON_AddArrayToObject(result, "content");
    cJSON *block = cJSON_CreateObject();
    cJSON_AddItemToArray(content, block);
    cJSON_AddStringToObject(block, "type", "text");
    cJSON_AddStringToObject(
        block, "text",
        cJSON_GetObjectItemCaseSensitive(params, "name")->valuestring);
    cJSON_AddBoolToObject(result, "isError", false);
    char *text = cJSON_PrintUnformatted(reply);
    uint64_t len = strlen(text);
    cJSON_free(text);
    cJSON_Delete(reply);
    cJSON_Delete(request);
    return len;
}

static uint64_t parse(const void *data)
{
    struct ours *o = *(struct ours *const *)data;
    const struct tr_json *document = NULL;
    tr_arena_reset(&o->arena);
    tr_status status = tr_json_read(&o->arena, o->text, NULL, &document, NULL);
    assert(status == TR_OK);
    return document->len;
}

static uint64_t parse_cjson(const void *data)
{
    struct ours *o = *(struct ours *const *)data;
    cJSON *document = cJSON_ParseWithLength(o->text.ptr, o->text.len);
    uint64_t count = (uint64_t)cJSON_GetArraySize(document);
    cJSON_Delete(document);
    return count;
}

/* About 20 KB: records as a query returns them. */
static void write_records(struct tr_buf *out)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    tr_jw_open(&w, '[');
    for (int i = 0; i < 80; i++) {
        tr_jw_open(&w, '{');
        tr_jw_put_i64(&w, "id", 100000 + i * 7919);
        tr_jw_put_string(&w, "merchant",
                         i % 3 ? TR_STR("Caf\xC3\xA9 \"Zur Post\"")
                               : TR_STR("Stationery & Co"));
        tr_jw_put_double(&w, "amount", i * 13.37 + 0.01);
        tr_jw_put_string(&w, "booked_at", TR_STR("2026-07-28T12:34:56.789Z"));
        tr_jw_key(&w, "tags");
        tr_jw_open(&w, '[');
        tr_jw_string(&w, TR_STR("travel"));
        tr_jw_string(&w, TR_STR("reimbursable"));
        tr_jw_close(&w, ']');
        tr_jw_key(&w, "place");
        tr_jw_open(&w, '{');
        tr_jw_put_double(&w, "lat", 52.520008 + i * 0.001);
        tr_jw_put_double(&w, "lon", 13.404954 - i * 0.001);
        tr_jw_close(&w, '}');
        tr_jw_put_null(&w, "note");
        tr_jw_close(&w, '}');
    }
    tr_jw_close(&w, ']');
    tr_status status = tr_jw_finish(&w, NULL);
    assert(status == TR_OK);
}

bool tr_bench_json(const char *only)
{
    struct ours turn = {.text = {rpc_request, sizeof(rpc_request) - 1}};
    struct ours records = {0};
    struct tr_buf text;
    tr_buf_init(&text, 1 << 20);
    write_records(&text);
    records.text = tr_buf_str(&text);
    struct ours *all[] = {&turn, &records};
    for (size_t i = 0; i < TR_LEN(all); i++) {
        tr_arena_init(&all[i]->arena, 1 << 24);
        tr_buf_init(&all[i]->reply, 1 << 20);
    }

    const struct tr_bench_row rows[] = {
        {"json: one RPC turn, 385 B", "cJSON", rpc_turn, rpc_turn_cjson,
         &all[0], 8},
        {"json: parse 20 KB", "cJSON", parse, parse_cjson, &all[1], 4},
    };
    bool met = true;
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (strstr(rows[i].name, only))
            met = tr_bench_report(&rows[i]) && met;
    }
    for (size_t i = 0; i < TR_LEN(all); i++) {
        tr_arena_done(&all[i]->arena);
        tr_buf_done(&all[i]->reply);
    }
    tr_buf_done(&text);
    return met;
}
