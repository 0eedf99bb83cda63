/*
 * What a client answers is held against what it was asked, before a handler
 * sees it.
 */
#include "fields/check.h"
#include "fields/pattern.h"
#include "json/build.h"
#include "json/writer.h"
#include "runtime/outcome.h"
#include "schema/verbatim.h"

/*
 * Results as MCP has them (2026-07-28, schema: ElicitResult,
 * CreateMessageResult, ListRootsResult; roots are files there). Members that
 * are not named here pass. Content is for the form to judge, and only with an
 * answer to one: some clients send null with a refusal.
 */
#define BLOCK(types)                                                           \
    "{\"type\":\"object\",\"required\":[\"type\"],\"properties\":{\"type\":{"  \
    "\"enum\":[\"text\",\"image\",\"audio\"" types "]},\"text\":{\"type\":"    \
    "\"string\"},\"data\":{\"type\":\"string\"},\"mimeType\":{\"type\":"       \
    "\"string\"},\"id\":{\"type\":\"string\"},\"name\":{\"type\":\"string\"}," \
    "\"input\":{\"type\":\"object\"}},\"allOf\":["                             \
    "{\"if\":{\"properties\":{\"type\":{\"const\":\"text\"}}},"                \
    "\"then\":{\"required\":[\"text\"]}},"                                     \
    "{\"if\":{\"properties\":{\"type\":{\"enum\":[\"image\",\"audio\"]}}},"    \
    "\"then\":{\"required\":[\"data\",\"mimeType\"]}},"                        \
    "{\"if\":{\"properties\":{\"type\":{\"const\":\"tool_use\"}}},"            \
    "\"then\":{\"required\":[\"id\",\"name\",\"input\"]}}]}"
#define MESSAGE(types)                                                         \
    "{\"type\":\"object\",\"required\":[\"role\",\"content\",\"model\"],"      \
    "\"properties\":{\"role\":{\"enum\":[\"user\",\"assistant\"]},"            \
    "\"model\":{\"type\":\"string\"},\"stopReason\":{\"type\":\"string\"},"    \
    "\"content\":{\"type\":[\"object\",\"array\"],"                            \
    "\"if\":{\"type\":\"array\"},\"then\":{\"items\":" BLOCK(                  \
        types) "},\"else\":" BLOCK(types) "}}}"

static const char elicited[] =
    "{\"type\":\"object\",\"required\":[\"action\"],\"properties\":{"
    "\"action\":{\"enum\":[\"accept\",\"decline\",\"cancel\"]}}}";
static const char sampled[] = MESSAGE("");
static const char sampled_with_tools[] = MESSAGE(",\"tool_use\"");
static const char rooted[] =
    "{\"type\":\"object\",\"required\":[\"roots\"],\"properties\":{\"roots\":{"
    "\"type\":\"array\",\"items\":{\"type\":\"object\",\"required\":[\"uri\"],"
    "\"properties\":{\"uri\":{\"type\":\"string\",\"pattern\":\"^file://\"},"
    "\"name\":{\"type\":\"string\"}}}}}}";

static const char *schema_of(const struct tr_call_ask *ask)
{
    if (ask->kind == TR_CALL_ASK_ELICIT)
        return elicited;
    if (ask->kind == TR_CALL_ASK_ROOTS)
        return rooted;
    return tr_json_find(ask->params, TR_STR("tools")) ? sampled_with_tools
                                                      : sampled;
}

static tr_status check_schema(const struct tr_call *call, tr_str schema,
                              const struct tr_json *value,
                              struct tr_field_errors *errors,
                              struct tr_err *err)
{
    struct tr_field_patterns patterns = {0};
    const struct tr_schema_verbatim *made = NULL;
    tr_status status =
        tr_schema_verbatim_register(call->arena, &patterns, schema, &made, err);
    if (status == TR_OK)
        status =
            tr_schema_verbatim_check(made, value, call->arena, errors, err);
    tr_field_patterns_done(&patterns);
    return status;
}

/* Patterns are compiled anew: no question holds them while it waits. */
static tr_status check_fields(const struct tr_call *call,
                              const struct tr_call_ask *ask,
                              const struct tr_json *content,
                              struct tr_shape_checked *out, struct tr_err *err)
{
    struct tr_field_patterns patterns = {0};
    const struct tr_shape *shape = NULL;
    tr_status status =
        tr_shape_register(call->arena, &patterns, ask->fields, &shape, err);
    if (status == TR_OK)
        status = tr_shape_check_input(shape, content, call->arena, out, err);
    tr_field_patterns_done(&patterns);
    return status;
}

/* The schema that an author wrote for a form. */
static tr_status check_form(const struct tr_call *call,
                            const struct tr_call_ask *ask,
                            const struct tr_json *content,
                            struct tr_shape_checked *out, struct tr_err *err)
{
    static const struct tr_json nothing = {.kind = TR_JSON_OBJECT};
    struct tr_json_writer w;
    struct tr_buf text;
    if (ask->fields)
        return check_fields(call, ask, content, out, err);
    out->value = content ? content : &nothing;
    tr_buf_init(&text, TR_LIMIT_SCHEMA_BYTES);
    tr_jw_init(&w, &text);
    tr_jw_value(&w, tr_json_find(ask->params, TR_STR("requestedSchema")));
    tr_status status = tr_jw_finish(&w, err);
    if (status == TR_OK)
        status = check_schema(call, tr_buf_str(&text), out->value, &out->errors,
                              err);
    tr_buf_done(&text);
    return status;
}

/* Says of each field where it stands in the answers: "who/content/name". */
static void place(const struct tr_call *call, const struct tr_call_ask *ask,
                  const char *within, struct tr_field_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        struct tr_field_error *error = &errors->items[i];
        struct tr_buf text;
        tr_buf_init(&text, TR_KIB(4));
        tr_buf_put(&text, ask->key);
        tr_buf_put(&text, tr_str_from(within));
        if (error->field.len)
            tr_buf_putc(&text, '/');
        tr_buf_put(&text, error->field);
        tr_str placed;
        if (tr_buf_check(&text, NULL) == TR_OK &&
            tr_arena_copy(call->arena, tr_buf_str(&text), &placed))
            error->field = placed;
        tr_buf_done(&text);
    }
}

/* The answer with this content, or without any. */
static tr_status keep(const struct tr_call *call, struct tr_call_ask *ask,
                      const struct tr_json *answer,
                      const struct tr_json *content, struct tr_err *err)
{
    struct tr_json_member *members =
        TR_NEW_ARRAY(call->arena, struct tr_json_member, answer->len + 1);
    size_t count = 0;
    for (size_t i = 0; members && i < answer->len; i++)
        if (!tr_str_eq(tr_json_text(&answer->as.members[i].key),
                       TR_STR("content")))
            members[count++] = answer->as.members[i];
    if (members && content)
        members[count++] = (struct tr_json_member){
            tr_json_make_text(TR_JSON_STRING, TR_STR("content")), *content};
    ask->answer = members ? tr_call_object(call, members, count) : NULL;
    return ask->answer ? TR_OK : tr_fail(err, TR_E_NOMEM, "no memory");
}

static tr_status refuse(const struct tr_call *call, struct tr_call_ask *ask,
                        const char *within, struct tr_field_errors *errors,
                        struct tr_err *err)
{
    tr_str why = errors->count ? errors->items[0].message : TR_STR("");
    place(call, ask, within, errors);
    ask->wrong = tr_call_fields(call, errors);
    return tr_fail(err, TR_E_VALIDATION,
                   "the client's answer does not fit: %.*s", TR_FMT(why));
}

static tr_status take_elicited(const struct tr_call *call,
                               struct tr_call_ask *ask,
                               const struct tr_json *answer, struct tr_err *err)
{
    tr_str action = tr_json_text(tr_json_find(answer, TR_STR("action")));
    const struct tr_json *content = tr_json_find(answer, TR_STR("content"));
    struct tr_shape_checked checked = {0};
    if (!tr_str_eq(action, TR_STR("accept")) ||
        !tr_json_find(ask->params, TR_STR("requestedSchema")))
        return keep(call, ask, answer, NULL, err);
    if (content && content->kind != TR_JSON_OBJECT)
        content = NULL; /* as if there were none: what is required is missing */
    tr_status status = check_form(call, ask, content, &checked, err);
    if (status == TR_E_VALIDATION)
        return refuse(call, ask, "/content", &checked.errors, err);
    TR_TRY(status);
    return keep(call, ask, answer, checked.value, err);
}

tr_status tr_call_ask_take(const struct tr_call *call, struct tr_call_ask *ask,
                           const struct tr_json *answer, struct tr_err *err)
{
    const struct tr_field_error no_object = {
        .code = TR_STR("type"),
        .message = TR_STR("an answer must be an object"),
        .value = *answer,
        .constraint = tr_json_make_text(TR_JSON_STRING, TR_STR("object")),
    };
    struct tr_field_errors errors = {0};
    tr_status status = TR_E_VALIDATION;
    if (answer->kind == TR_JSON_OBJECT)
        status = check_schema(call, tr_str_from(schema_of(ask)), answer,
                              &errors, err);
    else if (!tr_field_errors_add(call->arena, &errors, &no_object))
        return tr_fail(err, TR_E_NOMEM, "no memory");
    if (status == TR_E_VALIDATION)
        return refuse(call, ask, "", &errors, err);
    TR_TRY(status);
    if (ask->kind == TR_CALL_ASK_ELICIT)
        return take_elicited(call, ask, answer, err);
    ask->answer = answer;
    return TR_OK;
}
