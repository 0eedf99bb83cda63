/*
 * Arguments on their way to a handler in C: checked, and with defaults.
 */
#include "base/test.h"
#include "cap/cap.h"
#include "fields/field.h"
#include "fields/pattern.h"
#include "json/reader.h"
#include "runtime/stage.h"
#include "schema/verbatim.h"
#include "support/c_host.h"
#include "support/outcome_text.h"

/* Returns its arguments. */
static void echo(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {.value = call->args};
    (void)handler;
    tr_call_finish(call, &outcome);
}

#define REFUSED(field, code, message, value, constraint)                       \
    "validation: validation failed on 1 field(s) {\"fields\":[{\"field\":"     \
    "\"" field "\",\"code\":\"" code "\",\"message\":\"" message               \
    "\",\"value\":" value ",\"constraint\":" constraint "}]}"

static const struct {
    const char *name;
    const char *args;
    const char *expected;
} rows[] = {
    {"fields", "{\"n\":2}", "{\"n\":2}"},
    {"fields", "{}", "{\"n\":1}"},
    {"fields", "{\"n\":0}",
     REFUSED("n", "min_value", "n must be at least 1", "0", "1")},
    {"nothing", "{}", "{}"},
    {"nothing", "{\"m\":1}",
     REFUSED("m", "unknown_field", "m is not a field", "1", "null")},
    {"schema", "{\"a\":true}", "{\"a\":true}"},
    {"schema", "{}",
     REFUSED("a", "required", "a is required", "null", "[\"a\"]")},
    /* Null is absent, unless a schema says that it is a value. */
    {"fields", "{\"n\":null}", "{\"n\":1}"},
    {"nothing", "{\"m\":null}", "{}"},
    {"schema", "{\"a\":null}", "{\"a\":null}"},
    {"schema", "{\"a\":1,\"b\":null}", "{\"a\":1}"},
    {"schema", "{\"a\":1,\"b\":[null]}", "{\"a\":1,\"b\":[null]}"},
    {"schema", "{\"b\":null}",
     REFUSED("a", "required", "a is required", "null", "[\"a\"]")},
};

static void start(struct c_host *host, struct tr_field_patterns *patterns)
{
    const struct tr_schema_verbatim *schema = NULL;
    struct tr_err err = {0};
    c_host_open(host);
    const struct tr_field fields[] = {{.name = TR_STR("n"),
                                       .kind = TR_FIELD_INTEGER,
                                       .min_value = TR_STR("1"),
                                       .default_to = c_host_json(host, "1")}};
    const struct tr_shape shape = {.fields = fields, .count = 1};
    CHECK_OK(tr_schema_verbatim_register(
                 &host->arena, patterns,
                 TR_STR("{\"type\":\"object\",\"required\":[\"a\"],"
                        "\"properties\":{\"b\":{\"type\":\"array\"}}}"),
                 &schema, &err),
             &err);
    const struct tr_cap *const caps[] = {
        &(const struct tr_cap){.id = TR_STR("fields"),
                               .input_shape = &shape,
                               .handler = {echo, NULL}},
        &(const struct tr_cap){.id = TR_STR("nothing"),
                               .handler = {echo, NULL}},
        &(const struct tr_cap){.id = TR_STR("schema"),
                               .input_schema = schema,
                               .handler = {echo, NULL}},
    };
    c_host_start(host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
}

TEST(input_is_checked_and_its_defaults_are_filled_in)
{
    struct tr_field_patterns patterns = {0};
    struct c_host host;
    start(&host, &patterns);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        c_check(&host, rows[i].name, rows[i].args, rows[i].expected);
    c_host_close(&host);
    tr_field_patterns_done(&patterns);
}

/* Arguments of prompts, which come as texts. -------------------------------*/

#define WRONG(field, code, message, value, constraint)                         \
    "{\"field\":\"" field "\",\"code\":\"" code "\",\"message\":\"" message    \
    "\",\"value\":" value ",\"constraint\":" constraint "}"

/* What comes, and what the handler gets, or what is wrong with it. */
static const struct {
    const char *args;
    const char *expected;
} texts[] = {
    {"{\"who\":\"Ada\"}", "{\"who\":\"Ada\",\"tone\":\"friendly\"}"},
    {"{\"who\":\"7\",\"tone\":\"formal\",\"times\":\"007\",\"share\":\"+0.5\","
     "\"loud\":\"1\"}",
     "{\"who\":\"7\",\"tone\":\"formal\",\"times\":7,\"share\":0.5,"
     "\"loud\":true}"},
    {"{\"who\":\"Ada\",\"times\":null}",
     "{\"who\":\"Ada\",\"tone\":\"friendly\"}"},
    {"{\"who\":\"Ada\",\"share\":\"+.5e1\"}",
     "{\"fields\":[" WRONG("share", "type", "share must be a number",
                           "\"+.5e1\"", "\"number\"") "]}"},
    {"{\"tone\":\"rude\",\"times\":\"1.0\",\"loud\":\"yes\",\"x\":\"\"}",
     "{\"fields\":[" WRONG("who", "required", "who is required", "null", "true") "," WRONG(
         "tone", "one_of",
         "tone must be one of "
         "['formal','friendly']",
         "\"rude\"",
         "[\"formal\",\"friendly\"]") "," WRONG("times", "type",
                                                "times must be an integer",
                                                "\"1.0\"",
                                                "\"integer\"") "," WRONG("loud",
                                                                         "type",
                                                                         "loud "
                                                                         "must "
                                                                         "be "
                                                                         "true "
                                                                         "or "
                                                                         "fals"
                                                                         "e",
                                                                         "\"yes"
                                                                         "\"",
                                                                         "\"boo"
                                                                         "lean"
                                                                         "\"") "," WRONG("x",
                                                                                         "unknown_field",
                                                                                         "x is not a field",
                                                                                         "\"\"",
                                                                                         "null") "]}"},
};

/* A prompt with an argument of each kind. */
struct prompt {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    struct tr_call call;
};

static tr_status make_prompt(struct prompt *p, const char *args,
                             struct tr_err *err)
{
    const struct tr_json *tones = NULL;
    *p = (struct prompt){.call = {.arena = &p->arena, .kind = TR_CALL_PROMPT}};
    tr_arena_init(&p->arena, TR_MIB(1));
    TR_TRY(tr_json_read(&p->arena, TR_STR("[\"formal\",\"friendly\"]"), NULL,
                        &tones, err));
    const struct tr_field fields[] = {
        {.name = TR_STR("who")},
        {.name = TR_STR("tone"),
         .one_of = tones,
         .default_to = tr_json_at(tones, 1)},
        {.name = TR_STR("times"), .kind = TR_FIELD_INTEGER, .optional = true},
        {.name = TR_STR("share"), .kind = TR_FIELD_NUMBER, .optional = true},
        {.name = TR_STR("loud"), .kind = TR_FIELD_BOOLEAN, .optional = true},
    };
    const struct tr_shape draft = {.fields = fields, .count = TR_LEN(fields)};
    TR_TRY(tr_shape_register(&p->arena, &p->patterns, &draft, &p->call.input,
                             err));
    return tr_json_read(&p->arena, tr_str_from(args), NULL, &p->call.args, err);
}

static void end_prompt(struct prompt *p)
{
    tr_field_patterns_done(&p->patterns);
    tr_arena_done(&p->arena);
}

TEST(input_of_a_prompt_is_read_from_texts_and_all_mistakes_are_told)
{
    for (size_t i = 0; i < TR_LEN(texts); i++) {
        struct tr_call_outcome refusal = {0};
        struct tr_err err = {0};
        struct prompt p;
        struct tr_buf out;
        tr_buf_init(&out, TR_MIB(1));
        CHECK_OK(make_prompt(&p, texts[i].args, &err), &err);
        bool passed = tr_call_stage_input(&p.call, &refusal) == TR_CALL_PASSED;
        json_put(&out, passed ? p.call.args : refusal.data);
        CHECK_STR(tr_buf_str(&out), texts[i].expected);
        tr_buf_done(&out);
        end_prompt(&p);
    }
}

static tr_status take_texts(void *context, struct tr_err *err)
{
    struct prompt p;
    (void)context;
    tr_status status = make_prompt(&p, texts[1].args, err);
    if (status == TR_OK) {
        struct tr_call_outcome refusal = {0};
        if (tr_call_stage_input(&p.call, &refusal) != TR_CALL_PASSED) {
            *err = refusal.err;
            status = refusal.status;
        }
    }
    end_prompt(&p);
    return status;
}

TEST(input_of_a_prompt_does_without_memory)
{
    tr_test_sweep(take_texts, NULL);
}

/* What is typed, and what the fields offer by themselves. */
TEST(input_of_a_prompt_is_completed_where_the_values_are_few)
{
    static const struct {
        const char *args;
        const char *expected;
    } rows_of_offers[] = {
        {"{\"argument\":\"tone\",\"value\":\"\"}", "[\"formal\",\"friendly\"]"},
        {"{\"argument\":\"tone\",\"value\":\"fr\"}", "[\"friendly\"]"},
        {"{\"argument\":\"loud\",\"value\":\"t\"}", "[\"true\"]"},
        {"{\"argument\":\"who\",\"value\":\"\"}", "[]"},
        {"{\"argument\":\"nobody\",\"value\":\"\"}", "[]"},
    };
    struct c_host host;
    const struct tr_cap *const caps[] = {
        &(const struct tr_cap){.id = TR_STR("any"), .handler = {echo, NULL}}};
    c_host_open(&host);
    c_host_start(&host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
    for (size_t i = 0; i < TR_LEN(rows_of_offers); i++) {
        struct tr_err err = {0};
        struct prompt p;
        struct c_call c;
        CHECK_OK(make_prompt(&p, "{}", &err), &err);
        c_call_init(&c, &host, "any", rows_of_offers[i].args);
        c.call.kind = TR_CALL_COMPLETION;
        c.call.cap = NULL;
        c.call.guard = &tr_cap_guard_open;
        c.call.input = p.call.input;
        c.call.handler = &tr_call_offer;
        c_call_start(&c);
        c_call_check(&c, rows_of_offers[i].expected);
        end_prompt(&p);
    }
    c_host_close(&host);
}
