#include "support/wire.h"

#include "base/limits.h"
#include "json/reader.h"

#define META_PREFIX "io.modelcontextprotocol/"

/* A request that was sent; its texts are in the wire's arena. */
struct asked {
    struct asked *next;
    tr_str id; /* with its quotes: 1 is not "1" */
    tr_str token;
    tr_str method;
    enum tr_mcp_revision revision;
    bool is_answered;
};

/* An event that was sent. */
struct event {
    struct event *next;
    tr_str id;
    tr_str message;
};

struct wire_talk {
    struct wire_talk *next;
    tr_str name;
    struct asked *asked;  /* newest first */
    struct event *events; /* newest first */
    bool has_session;
    enum tr_mcp_revision session;
};

bool wire_open(struct wire *wire)
{
    *wire = (struct wire){0};
    tr_arena_init(&wire->arena, TR_MIB(256));
    const enum tr_mcp_revision newest = TR_MCP_REVISIONS - 1;
    wire->is_open[newest] =
        mcp_schema_open(&wire->schemas[newest], tr_mcp_revision_name(newest));
    return wire->is_open[newest];
}

void wire_close(struct wire *wire)
{
    for (size_t i = 0; i < TR_MCP_REVISIONS; i++)
        mcp_schema_close(&wire->schemas[i]);
    tr_arena_done(&wire->arena);
}

static tr_status schema_of(struct wire *wire, enum tr_mcp_revision revision,
                           struct mcp_schema **out, struct tr_err *err)
{
    *out = &wire->schemas[revision];
    if (!wire->is_open[revision]) {
        mcp_schema_close(*out);
        wire->is_open[revision] =
            mcp_schema_open(*out, tr_mcp_revision_name(revision));
    }
    if (!wire->is_open[revision])
        return tr_fail(err, TR_E_NOT_FOUND, "no schema of revision %.*s",
                       TR_FMT(tr_mcp_revision_name(revision)));
    return TR_OK;
}

struct wire_talk *wire_talk(struct wire *wire, tr_str name)
{
    struct wire_talk *talk = wire->talks;
    while (talk && !tr_str_eq(talk->name, name))
        talk = talk->next;
    if (talk)
        return talk;
    talk = TR_NEW(&wire->arena, struct wire_talk);
    if (!talk || !tr_arena_copy(&wire->arena, name, &talk->name))
        return NULL;
    talk->next = wire->talks;
    wire->talks = talk;
    return talk;
}

void wire_forget(struct wire *wire)
{
    wire->talks = NULL;
    tr_arena_reset(&wire->arena);
}

tr_status wire_speaks(struct wire_talk *talk, tr_str revision,
                      struct tr_err *err)
{
    talk->has_session = tr_mcp_revision_find(revision, &talk->session) &&
                        tr_mcp_revision_has(talk->session, TR_MCP_HAS_SESSIONS);
    if (!talk->has_session)
        return tr_fail(err, TR_E_INVALID, "'%.*s' is no revision with sessions",
                       TR_FMT(revision));
    return TR_OK;
}

/* What was asked ------------------------------------------------------------*/

static const struct tr_json *meta_of(const struct tr_json *message,
                                     tr_str member)
{
    return tr_json_find(
        tr_json_find(tr_json_find(message, TR_STR("params")), TR_STR("_meta")),
        member);
}

/* A string with a quote before it, a number as it is written. */
static bool copy_id(struct wire *wire, const struct tr_json *id, tr_str *out)
{
    tr_str value = tr_json_text(id);
    size_t quote = tr_json_is(id, TR_JSON_STRING);
    char *text = tr_arena_alloc(&wire->arena, value.len + 1);
    if (!text)
        return false;
    text[0] = '"';
    if (value.len)
        memcpy(text + quote, value.ptr, value.len);
    *out = (tr_str){text, value.len + quote};
    return true;
}

static bool is_id(const struct tr_json *id, tr_str copied)
{
    tr_str text = tr_json_text(id);
    bool is_string = copied.len && copied.ptr[0] == '"';
    return tr_json_is(id, TR_JSON_STRING) == is_string &&
           tr_str_eq(text, tr_str_skip(copied, is_string));
}

static enum tr_mcp_revision revision_of(const struct wire_talk *talk,
                                        const struct tr_json *message)
{
    if (meta_of(message, TR_STR(META_PREFIX "protocolVersion")))
        return TR_MCP_2026_07_28;
    return talk->has_session ? talk->session : TR_MCP_NEWEST_LEGACY;
}

/* An answer to us; what only looks like one may be refused by its id. */
static bool is_answer(const struct tr_json *message)
{
    tr_str version = tr_json_text(tr_json_find(message, TR_STR("jsonrpc")));
    return tr_str_eq(version, TR_STR("2.0")) &&
           !tr_json_find(message, TR_STR("method")) &&
           (tr_json_is(tr_json_find(message, TR_STR("result")),
                       TR_JSON_OBJECT) ||
            tr_json_is(tr_json_find(message, TR_STR("error")), TR_JSON_OBJECT));
}

/* Whatever has an id and is not an answer may be answered. */
static tr_status remember(struct wire *wire, struct wire_talk *talk,
                          const struct tr_json *message, struct tr_err *err)
{
    const struct tr_json *id = tr_json_find(message, TR_STR("id"));
    if (!tr_json_text(id).len || is_answer(message))
        return TR_OK;
    struct asked *asked = TR_NEW(&wire->arena, struct asked);
    if (!asked || !copy_id(wire, id, &asked->id) ||
        !copy_id(wire, meta_of(message, TR_STR("progressToken")),
                 &asked->token) ||
        !tr_arena_copy(&wire->arena,
                       tr_json_text(tr_json_find(message, TR_STR("method"))),
                       &asked->method))
        return tr_fail(err, TR_E_NOMEM, "remembering a request");
    asked->revision = revision_of(talk, message);
    asked->next = talk->asked;
    talk->asked = asked;
    return TR_OK;
}

static struct asked *find_id(const struct wire_talk *talk,
                             const struct tr_json *id)
{
    struct asked *asked = talk->asked;
    while (asked && (asked->is_answered || !is_id(id, asked->id)))
        asked = asked->next;
    return asked;
}

static struct asked *find_token(const struct wire_talk *talk,
                                const struct tr_json *token)
{
    struct asked *asked = talk->asked;
    while (asked && (asked->is_answered || !is_id(token, asked->token)))
        asked = asked->next;
    return asked;
}

/* What we send --------------------------------------------------------------*/

/* The envelope, which the newer revisions have another name for. */
static tr_status check_envelope(struct mcp_schema *schema, tr_str name,
                                tr_str older, const struct tr_json *message,
                                struct tr_err *err)
{
    bool is_newer = mcp_schema_find(schema, name) != NULL;
    return mcp_schema_check(schema, is_newer ? name : older, message, err);
}

/* A result, by what the request with this id was. */
static tr_status check_result(struct wire *wire, struct wire_talk *talk,
                              struct asked *asked,
                              const struct tr_json *message, struct tr_err *err)
{
    const struct tr_json *result = tr_json_find(message, TR_STR("result"));
    struct mcp_schema *schema = NULL;
    char text[128];
    if (tr_str_eq(asked->method, TR_STR("initialize"))) {
        tr_str version =
            tr_json_text(tr_json_find(result, TR_STR("protocolVersion")));
        TR_TRY(wire_speaks(talk, version, err));
        asked->revision = talk->session;
    }
    TR_TRY(schema_of(wire, asked->revision, &schema, err));
    TR_TRY(check_envelope(schema, TR_STR("JSONRPCResultResponse"),
                          TR_STR("JSONRPCResponse"), message, err));
    tr_str request =
        mcp_schema_for_method(schema, TR_STR("ClientRequest"), asked->method);
    if (!request.len)
        return tr_fail(err, TR_E_VALIDATION,
                       "a result of '%.*s', which %.*s does not have",
                       TR_FMT(asked->method),
                       TR_FMT(tr_mcp_revision_name(asked->revision)));
    /* FooRequest is answered by a FooResult, or by a result without members. */
    request.len -= strlen("Request");
    tr_str kind = tr_json_text(tr_json_find(result, TR_STR("resultType")));
    (void)snprintf(text, sizeof(text), "%.*sResultResponse", TR_FMT(request));
    if (mcp_schema_find(schema, tr_str_from(text)))
        TR_TRY(mcp_schema_check(schema, tr_str_from(text), message, err));
    (void)snprintf(text, sizeof(text), "%.*sResult", TR_FMT(request));
    if (tr_str_eq(kind, TR_STR("input_required")))
        (void)snprintf(text, sizeof(text), "InputRequiredResult");
    else if (!mcp_schema_find(schema, tr_str_from(text)))
        (void)snprintf(text, sizeof(text), "EmptyResult");
    return mcp_schema_check(schema, tr_str_from(text), result, err);
}

static bool has_number(const struct tr_json *definition, tr_str pointer,
                       const struct tr_json *number)
{
    const struct tr_json *found = tr_json_pointer(definition, pointer);
    return found && tr_str_eq(tr_json_text(found), tr_json_text(number));
}

/* An error, by its code where the revision defines that. */
static tr_status check_error(struct mcp_schema *schema,
                             const struct tr_json *message, struct tr_err *err)
{
    const struct tr_json *error = tr_json_find(message, TR_STR("error"));
    const struct tr_json *code = tr_json_find(error, TR_STR("code"));
    const struct tr_json *defs =
        tr_json_find(schema->tree, tr_str_from(schema->defs_key));
    for (size_t i = 0; i < defs->len; i++) {
        const struct tr_json_member *member = &defs->as.members[i];
        tr_str name = tr_json_text(&member->key);
        if (has_number(&member->value, TR_STR("/properties/code/const"), code))
            TR_TRY(mcp_schema_check(schema, name, error, err));
        if (has_number(
                &member->value,
                TR_STR("/properties/error/allOf/1/properties/code/const"),
                code))
            TR_TRY(mcp_schema_check(schema, name, message, err));
    }
    return TR_OK;
}

static tr_status check_answer(struct wire *wire, struct wire_talk *talk,
                              const struct tr_json *message, struct tr_err *err)
{
    const struct tr_json *id = tr_json_find(message, TR_STR("id"));
    struct asked *asked = find_id(talk, id);
    struct mcp_schema *schema = NULL;
    if (id && !asked)
        return tr_fail(err, TR_E_VALIDATION,
                       "an answer to nothing that was asked, or a second one");
    if (asked)
        asked->is_answered = true;
    if (asked && tr_json_find(message, TR_STR("result")))
        return check_result(wire, talk, asked, message, err);
    /*
     * What has no id that can be read can only be answered without one, which
     * revisions before 2025-11-25 did not foresee: it is held to that.
     */
    TR_TRY(schema_of(wire, asked ? asked->revision : TR_MCP_2025_11_25, &schema,
                     err));
    TR_TRY(check_envelope(schema, TR_STR("JSONRPCErrorResponse"),
                          TR_STR("JSONRPCError"), message, err));
    return check_error(schema, message, err);
}

/* Whose notification it is: a stream's, a request's, or the session's. */
static tr_status notification_revision(const struct wire_talk *talk,
                                       const struct tr_json *message,
                                       enum tr_mcp_revision *out,
                                       struct tr_err *err)
{
    const struct tr_json *stream =
        meta_of(message, TR_STR(META_PREFIX "subscriptionId"));
    const struct tr_json *token =
        tr_json_pointer(message, TR_STR("/params/progressToken"));
    const struct asked *asked = NULL;
    *out = talk->has_session ? talk->session : TR_MCP_2026_07_28;
    if (stream)
        asked = find_id(talk, stream);
    else if (token)
        asked = find_token(talk, token);
    else
        return TR_OK;
    if (!asked)
        return tr_fail(err, TR_E_VALIDATION,
                       "a notification about no request that is open");
    *out = asked->revision;
    return TR_OK;
}

static tr_status check_call(struct wire *wire, const struct wire_talk *talk,
                            const struct tr_json *message, struct tr_err *err)
{
    tr_str method = tr_json_text(tr_json_find(message, TR_STR("method")));
    bool is_request = tr_json_find(message, TR_STR("id")) != NULL;
    tr_str all =
        is_request ? TR_STR("ServerRequest") : TR_STR("ServerNotification");
    enum tr_mcp_revision revision = TR_MCP_2026_07_28;
    struct mcp_schema *schema = NULL;
    if (!is_request)
        TR_TRY(notification_revision(talk, message, &revision, err));
    else if (talk->has_session)
        revision = talk->session;
    TR_TRY(schema_of(wire, revision, &schema, err));
    TR_TRY(mcp_schema_check(schema,
                            is_request ? TR_STR("JSONRPCRequest")
                                       : TR_STR("JSONRPCNotification"),
                            message, err));
    tr_str name = mcp_schema_for_method(schema, all, method);
    if (!name.len)
        return tr_fail(err, TR_E_VALIDATION, "'%.*s' is no %.*s of %.*s",
                       TR_FMT(method), TR_FMT(all),
                       TR_FMT(tr_mcp_revision_name(revision)));
    return mcp_schema_check(schema, name, message, err);
}

static tr_status check_one(struct wire *wire, struct wire_talk *talk,
                           const struct tr_json *message, struct tr_err *err)
{
    struct mcp_schema *schema = NULL;
    if (tr_json_is(message, TR_JSON_ARRAY)) {
        TR_TRY(schema_of(wire, talk->session, &schema, err));
        if (!talk->has_session ||
            !mcp_schema_find(schema, TR_STR("JSONRPCBatchResponse")))
            return tr_fail(err, TR_E_VALIDATION, "a batch");
        return mcp_schema_check(schema, TR_STR("JSONRPCMessage"), message, err);
    }
    if (tr_json_find(message, TR_STR("method")))
        return check_call(wire, talk, message, err);
    return check_answer(wire, talk, message, err);
}

typedef tr_status each_fn(struct wire *wire, struct wire_talk *talk,
                          const struct tr_json *message, struct tr_err *err);

/* Each message of a text, and the array first that several may stand in. */
static tr_status each_of(struct wire *wire, struct wire_talk *talk, tr_str text,
                         each_fn *each, struct tr_err *err)
{
    const struct tr_json *tree = NULL;
    struct tr_arena arena;
    tr_arena_init(&arena, TR_MIB(64));
    tr_status status = tr_json_read(&arena, text, NULL, &tree, err);
    if (status == TR_OK)
        status = each(wire, talk, tree, err);
    for (size_t i = 0;
         status == TR_OK && tr_json_is(tree, TR_JSON_ARRAY) && i < tree->len;
         i++)
        status = each(wire, talk, tr_json_at(tree, i), err);
    tr_arena_done(&arena);
    return status;
}

static tr_status check_request(struct wire *wire, struct wire_talk *talk,
                               const struct tr_json *message,
                               struct tr_err *err)
{
    tr_str method = tr_json_text(tr_json_find(message, TR_STR("method")));
    bool is_request = tr_json_find(message, TR_STR("id")) != NULL;
    tr_str all =
        is_request ? TR_STR("ClientRequest") : TR_STR("ClientNotification");
    struct mcp_schema *schema = NULL;
    TR_TRY(schema_of(wire, revision_of(talk, message), &schema, err));
    TR_TRY(mcp_schema_check(schema,
                            is_request ? TR_STR("JSONRPCRequest")
                                       : TR_STR("JSONRPCNotification"),
                            message, err));
    tr_str name = mcp_schema_for_method(schema, all, method);
    if (!name.len)
        return tr_fail(err, TR_E_VALIDATION, "'%.*s' is no %.*s",
                       TR_FMT(method), TR_FMT(all));
    return mcp_schema_check(schema, name, message, err);
}

tr_status wire_sent(struct wire *wire, struct wire_talk *talk, tr_str message,
                    struct tr_err *err)
{
    tr_status status = each_of(wire, talk, message, remember, err);
    return status == TR_E_SYNTAX ? TR_OK : status;
}

tr_status wire_asked(struct wire *wire, struct wire_talk *talk, tr_str message,
                     struct tr_err *err)
{
    TR_TRY(each_of(wire, talk, message, check_request, err));
    return wire_sent(wire, talk, message, err);
}

tr_status wire_received(struct wire *wire, struct wire_talk *talk,
                        tr_str message, struct tr_err *err)
{
    return each_of(wire, talk, message, check_one, err);
}

tr_status wire_event(struct wire *wire, struct wire_talk *talk, tr_str id,
                     tr_str message, struct tr_err *err)
{
    struct event *event = talk->events;
    while (event && !tr_str_eq(event->id, id))
        event = event->next;
    if (event && tr_str_eq(event->message, message))
        return TR_OK;
    if (event)
        return tr_fail(err, TR_E_VALIDATION, "a second event %.*s", TR_FMT(id));
    event = TR_NEW(&wire->arena, struct event);
    if (!event || !tr_arena_copy(&wire->arena, id, &event->id) ||
        !tr_arena_copy(&wire->arena, message, &event->message))
        return tr_fail(err, TR_E_NOMEM, "remembering an event");
    event->next = talk->events;
    talk->events = event;
    return wire_received(wire, talk, message, err);
}
