/*
 * Answers to questions: a table of what fits and what does not.
 */
#include "base/test.h"
#include "fields/field.h"
#include "json/reader.h"
#include "json/writer.h"
#include "runtime/call.h"

#define FORM                                                                   \
    "{\"requestedSchema\":{\"type\":\"object\",\"required\":[\"n\"],"          \
    "\"additionalProperties\":false,\"properties\":{\"n\":{\"type\":"          \
    "\"integer\",\"maximum\":3},\"tags\":{\"type\":\"array\",\"items\":{"      \
    "\"enum\":[\"a\"]}}}}}"
#define URL          "{\"mode\":\"url\",\"url\":\"https://x\",\"message\":\"m\"}"
#define NONE         "{}"
#define TOOLS        "{\"tools\":[]}"
#define SAID(rest)   "{\"role\":\"assistant\",\"model\":\"m\"," rest "}"
#define HELLO        "{\"type\":\"text\",\"text\":\"hi\"}"
#define USES         "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"t\",\"input\":{}}"
#define ONE_OF_THREE "action must be one of"

static struct tr_json choices[2];
static struct tr_json state_choices;
static struct tr_json usual;
static struct tr_field form[3];

/* Fields as a handler declares them: of these, `ok` must be there. */
static const struct tr_shape *fields_of_form(void)
{
    static const struct tr_shape shape = {.fields = form,
                                          .count = TR_LEN(form)};
    choices[0] =
        (struct tr_json){.kind = TR_JSON_STRING, .len = 1, .as.text = "a"};
    choices[1] =
        (struct tr_json){.kind = TR_JSON_STRING, .len = 1, .as.text = "b"};
    state_choices =
        (struct tr_json){.kind = TR_JSON_ARRAY, .len = 2, .as.items = choices};
    usual = choices[1];
    form[0] = (struct tr_field){.name = TR_STR("ok"), .kind = TR_FIELD_BOOLEAN};
    form[1] = (struct tr_field){
        .name = TR_STR("k"), .one_of = &state_choices, .default_to = &usual};
    form[2] = (struct tr_field){.name = TR_STR("code"),
                                .pattern = TR_STR("^[A-Z]+$"),
                                .optional = true};
    return &shape;
}

static const struct row {
    enum tr_call_ask_kind kind;
    const char *params; /* NULL: the form of fields */
    const char *answer;
    const char *field; /* that is wrong; NULL: none is */
    const char *kept;  /* what the handler gets, or of the message */
} rows[] = {
    /* The form of fields: the answers that handlers saw before. */
    {TR_CALL_ASK_ELICIT, NULL,
     "{\"action\":\"accept\",\"content\":{\"ok\":true,\"code\":\"AB\"}}", NULL,
     "{\"action\":\"accept\",\"content\":{\"ok\":true,\"code\":\"AB\",\"k\":"
     "\"b\"}}"},
    {TR_CALL_ASK_ELICIT, NULL,
     "{\"action\":\"accept\",\"content\":{\"ok\":\"false\"}}", "who/content/ok",
     "ok must be true or false"},
    {TR_CALL_ASK_ELICIT, NULL,
     "{\"action\":\"accept\",\"content\":{\"ok\":true,\"k\":\"zzz\"}}",
     "who/content/k", "k must be one of"},
    {TR_CALL_ASK_ELICIT, NULL,
     "{\"action\":\"accept\",\"content\":{\"ok\":true,\"code\":\"a\"}}",
     "who/content/code", "code must match"},
    {TR_CALL_ASK_ELICIT, NULL,
     "{\"action\":\"accept\",\"content\":{\"ok\":true,\"extra\":{}}}",
     "who/content/extra", "extra is not a field"},
    {TR_CALL_ASK_ELICIT, NULL,
     "{\"action\":\"accept\",\"content\":{\"ok\":null}}", "who/content/ok",
     "ok is required"},
    {TR_CALL_ASK_ELICIT, NULL, "{\"action\":\"accept\"}", "who/content/ok",
     "ok is required"},
    {TR_CALL_ASK_ELICIT, NULL, "{\"action\":\"accept\",\"content\":null}",
     "who/content/ok", "ok is required"},
    {TR_CALL_ASK_ELICIT, NULL, "{\"action\":\"accept\",\"content\":[true]}",
     "who/content/ok", "ok is required"},
    {TR_CALL_ASK_ELICIT, NULL, "{\"action\":\"decline\"}", NULL,
     "{\"action\":\"decline\"}"},
    {TR_CALL_ASK_ELICIT, NULL,
     "{\"action\":\"cancel\",\"content\":{\"ok\":7},\"_meta\":{\"a\":1}}", NULL,
     "{\"action\":\"cancel\",\"_meta\":{\"a\":1}}"},
    {TR_CALL_ASK_ELICIT, NULL, "{\"action\":\"ACCEPT!!\"}", "who/action",
     ONE_OF_THREE},
    {TR_CALL_ASK_ELICIT, NULL, "{\"action\":5}", "who/action", ONE_OF_THREE},
    {TR_CALL_ASK_ELICIT, NULL, "{\"action\":null}", "who/action", ONE_OF_THREE},
    {TR_CALL_ASK_ELICIT, NULL, "{}", "who/action", "action is required"},
    {TR_CALL_ASK_ELICIT, NULL, "[]", "who", "an answer must be an object"},
    {TR_CALL_ASK_ELICIT, NULL, "123", "who", "an answer must be an object"},
    /* A schema that the author wrote, and a page elsewhere. */
    {TR_CALL_ASK_ELICIT, FORM,
     "{\"action\":\"accept\",\"content\":{\"n\":3,\"tags\":[\"a\"]}}", NULL,
     "{\"action\":\"accept\",\"content\":{\"n\":3,\"tags\":[\"a\"]}}"},
    {TR_CALL_ASK_ELICIT, FORM, "{\"action\":\"accept\",\"content\":{\"n\":99}}",
     "who/content/n", "n must be at most 3"},
    {TR_CALL_ASK_ELICIT, FORM, "{\"action\":\"accept\"}", "who/content/n",
     "n is required"},
    {TR_CALL_ASK_ELICIT, FORM,
     "{\"action\":\"accept\",\"content\":{\"n\":1,\"x\":1}}", "who/content/x",
     "x is not a field"},
    {TR_CALL_ASK_ELICIT, URL, "{\"action\":\"accept\",\"content\":{\"n\":1}}",
     NULL, "{\"action\":\"accept\"}"},
    {TR_CALL_ASK_ELICIT, URL, "{\"action\":\"yes\"}", "who/action",
     ONE_OF_THREE},
    /* Messages. */
    {TR_CALL_ASK_SAMPLE, NONE, SAID("\"content\":" HELLO), NULL,
     SAID("\"content\":" HELLO)},
    {TR_CALL_ASK_SAMPLE, NONE, SAID("\"content\":[" HELLO "]"), NULL,
     SAID("\"content\":[" HELLO "]")},
    {TR_CALL_ASK_SAMPLE, TOOLS, SAID("\"content\":[" HELLO "," USES "]"), NULL,
     SAID("\"content\":[" HELLO "," USES "]")},
    {TR_CALL_ASK_SAMPLE, NONE, SAID("\"content\":" USES), "who/content/type",
     "type must be one of"},
    {TR_CALL_ASK_SAMPLE, NONE, "{}", "who/role", "role is required"},
    {TR_CALL_ASK_SAMPLE, NONE, SAID("\"stopReason\":\"x\""), "who/content",
     "content is required"},
    {TR_CALL_ASK_SAMPLE, NONE, SAID("\"content\":\"hi\""), "who/content", ""},
    {TR_CALL_ASK_SAMPLE, NONE, SAID("\"content\":{\"type\":\"text\"}"),
     "who/content/text", "text is required"},
    {TR_CALL_ASK_SAMPLE, NONE,
     SAID("\"content\":[{\"type\":\"image\",\"data\":\"\"}]"),
     "who/content/0/mimeType", "mimeType is required"},
    {TR_CALL_ASK_SAMPLE, NONE,
     "{\"role\":\"system\",\"model\":\"m\",\"content\":" HELLO "}", "who/role",
     "role must be one of"},
    {TR_CALL_ASK_SAMPLE, NONE,
     "{\"role\":\"user\",\"model\":1,\"content\":" HELLO "}", "who/model", ""},
    /* Roots. */
    {TR_CALL_ASK_ROOTS, NONE,
     "{\"roots\":[{\"uri\":\"file:///a\",\"name\":\"n\"}]}", NULL,
     "{\"roots\":[{\"uri\":\"file:///a\",\"name\":\"n\"}]}"},
    {TR_CALL_ASK_ROOTS, NONE, "{\"roots\":[]}", NULL, "{\"roots\":[]}"},
    {TR_CALL_ASK_ROOTS, NONE, "{\"roots\":5}", "who/roots", ""},
    {TR_CALL_ASK_ROOTS, NONE, "{}", "who/roots", "roots is required"},
    {TR_CALL_ASK_ROOTS, NONE, "{\"roots\":[{}]}", "who/roots/0/uri",
     "uri is required"},
    {TR_CALL_ASK_ROOTS, NONE, "{\"roots\":[{\"uri\":\"http://x\"}]}",
     "who/roots/0/uri", "uri must match ^file://"},
    {TR_CALL_ASK_ROOTS, NONE, "{\"roots\":[\"file:///a\"]}", "who/roots/0", ""},
};

static const struct tr_json *read_json(struct tr_arena *arena, const char *text)
{
    const struct tr_json *tree = NULL;
    CHECK_OK(tr_json_read(arena, tr_str_from(text), NULL, &tree, NULL), NULL);
    return tree;
}

static void check_kept(const struct row *row, const struct tr_json *answer)
{
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(4));
    tr_jw_init(&w, &text);
    tr_jw_value(&w, answer);
    CHECK_STR(tr_buf_str(&text), row->kept);
    tr_buf_done(&text);
}

static tr_status take(struct tr_arena *arena, const struct row *row,
                      struct tr_call_ask *ask, struct tr_err *err)
{
    struct tr_call call = {.arena = arena};
    *ask = (struct tr_call_ask){
        .key = TR_STR("who"),
        .kind = row->kind,
        .params = read_json(arena, row->params ? row->params : FORM),
        .fields = row->params ? NULL : fields_of_form(),
    };
    return tr_call_ask_take(&call, ask, read_json(arena, row->answer), err);
}

TEST(answers_are_what_was_asked_for)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_arena arena;
        struct tr_call_ask ask;
        struct tr_err err = {0};
        tr_arena_init(&arena, TR_MIB(4));
        tr_status status = take(&arena, &rows[i], &ask, &err);
        if (!rows[i].field) {
            CHECK_OK(status, &err);
            check_kept(&rows[i], ask.answer);
        } else {
            const struct tr_json *fields =
                tr_json_find(ask.wrong, TR_STR("fields"));
            const struct tr_json *first = tr_json_at(fields, 0);
            CHECK_INT(status, TR_E_VALIDATION);
            CHECK(!ask.answer);
            CHECK_STR(tr_json_text(tr_json_find(first, TR_STR("field"))),
                      rows[i].field);
            CHECK_ROW(strstr(err.msg, rows[i].kept), err.msg);
            CHECK_ROW(tr_str_starts(tr_str_from(err.msg),
                                    TR_STR("the client's answer does not "
                                           "fit: ")),
                      err.msg);
        }
        tr_arena_done(&arena);
    }
}

static tr_status take_first(void *context, struct tr_err *err)
{
    struct tr_call call;
    struct tr_call_ask ask = {.key = TR_STR("who"),
                              .kind = TR_CALL_ASK_ELICIT,
                              .fields = fields_of_form()};
    struct tr_arena arena;
    const struct tr_json *answer = NULL;
    (void)context;
    tr_arena_init(&arena, TR_MIB(4));
    call = (struct tr_call){.arena = &arena};
    tr_status st = tr_json_read(&arena, TR_STR(FORM), NULL, &ask.params, err);
    if (st == TR_OK)
        st = tr_json_read(&arena, tr_str_from(rows[0].answer), NULL, &answer,
                          err);
    if (st == TR_OK)
        st = tr_call_ask_take(&call, &ask, answer, err);
    tr_arena_done(&arena);
    return st;
}

TEST(answers_survive_without_memory)
{
    tr_test_sweep(take_first, NULL);
}
