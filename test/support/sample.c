#include "support/sample.h"

#include "cap/registry.h"
#include "crypto/seal.h"
#include "fields/field.h"
#include "json/build.h"
#include "json/reader.h"
#include "loop/loop.h"
#include "mcp/hub.h"
#include "mcp/inside.h"
#include "runtime/call.h"
#include "support/live.h"

static void must(tr_status status, const struct tr_err *err)
{
    if (status == TR_OK)
        return;
    (void)fprintf(stderr, "sample: %s\n", err->msg);
    abort();
}

/* Returns its arguments. */
static void echo(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {.value = call->args};
    (void)handler;
    tr_call_finish(call, &outcome);
}

static void finish_ask(struct tr_call *call)
{
    struct tr_call_ask *ask = call->host_data;
    struct tr_call_outcome outcome = {.value = ask->answer};
    if (!ask->answer)
        outcome.status =
            tr_fail(&outcome.err, TR_E_INVALID, "%.*s", TR_FMT(ask->refusal));
    tr_call_finish(call, &outcome);
}

static void cancel_ask(struct tr_call *call)
{
    struct tr_call_outcome outcome = {0};
    outcome.status = tr_fail(&outcome.err, TR_E_CANCELLED, "cancelled");
    tr_call_finish(call, &outcome);
}

static const struct tr_call_host_ops asking = {finish_ask, cancel_ask};

/* Asks one thing and returns the answer. */
static void ask_for(struct tr_call *call, struct tr_call_ask draft)
{
    struct tr_call_ask *ask = TR_NEW(call->arena, struct tr_call_ask);
    struct tr_call_outcome outcome = {0};
    if (!ask)
        abort();
    *ask = draft;
    call->host = &asking;
    call->host_data = ask;
    switch (call->door->ask(call, ask, 1, &outcome.err)) {
    case TR_CALL_ASKED_WAITING:
        return;
    case TR_CALL_ASKED_ANSWERED:
        finish_ask(call);
        return;
    case TR_CALL_ASKED_ENDED:
        cancel_ask(call);
        return;
    case TR_CALL_ASKED_REFUSED:
        outcome.status = outcome.err.code;
        tr_call_finish(call, &outcome);
        return;
    }
}

static void ask_roots(const struct tr_cap_handler *handler,
                      struct tr_call *call)
{
    static const struct tr_json params = {.kind = TR_JSON_OBJECT};
    (void)handler;
    ask_for(call, (struct tr_call_ask){.key = TR_STR("where"),
                                       .kind = TR_CALL_ASK_ROOTS,
                                       .params = &params});
}

#define JSON_TEXT(literal)                                                     \
    {                                                                          \
        .kind = TR_JSON_STRING, .len = sizeof(literal) - 1,                    \
        .as.text = (literal)                                                   \
    }
#define JSON_OBJECT(list)                                                      \
    {                                                                          \
        .kind = TR_JSON_OBJECT, .len = TR_LEN(list), .as.members = (list)      \
    }

static void elicit(struct tr_call *call, const struct tr_json *params)
{
    ask_for(call, (struct tr_call_ask){.key = TR_STR("who"),
                                       .kind = TR_CALL_ASK_ELICIT,
                                       .params = params});
}

static void ask_form(const struct tr_cap_handler *handler, struct tr_call *call)
{
    static const struct tr_json_member schema[] = {
        {JSON_TEXT("type"), JSON_TEXT("object")},
        {JSON_TEXT("properties"), {.kind = TR_JSON_OBJECT}},
    };
    static const struct tr_json_member members[] = {
        {JSON_TEXT("mode"), JSON_TEXT("form")},
        {JSON_TEXT("message"), JSON_TEXT("Who?")},
        {JSON_TEXT("requestedSchema"), JSON_OBJECT(schema)},
    };
    static const struct tr_json params = JSON_OBJECT(members);
    (void)handler;
    elicit(call, &params);
}

static void ask_url(const struct tr_cap_handler *handler, struct tr_call *call)
{
    static const struct tr_json_member members[] = {
        {JSON_TEXT("mode"), JSON_TEXT("url")},
        {JSON_TEXT("message"), JSON_TEXT("Who?")},
        {JSON_TEXT("url"), JSON_TEXT("https://example.org/")},
        {JSON_TEXT("elicitationId"), JSON_TEXT("1")},
    };
    static const struct tr_json params = JSON_OBJECT(members);
    (void)handler;
    elicit(call, &params);
}

/* Returns a fixed text. */
static void say(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_json text =
        tr_json_make_text(TR_JSON_STRING, TR_STR("some text"));
    struct tr_call_outcome outcome = {.value = &text};
    (void)handler;
    tr_call_finish(call, &outcome);
}

static void add_tools(struct tr_cap_builder *builder)
{
    static const struct tr_field fields[] = {
        {.name = TR_STR_INIT("text"), .kind = TR_FIELD_TEXT},
        {.name = TR_STR_INIT("times"),
         .kind = TR_FIELD_INTEGER,
         .optional = true},
    };
    struct tr_shape draft = {.fields = fields, .count = TR_LEN(fields)};
    struct tr_err err;
    struct tr_cap cap = {
        .id = TR_STR("say.echo"),
        .description = TR_STR("Returns its arguments."),
        .handler.run = echo,
    };
    must(tr_shape_register(tr_cap_registry_arena(builder),
                           tr_cap_registry_patterns(builder), &draft,
                           &cap.input_shape, &err),
         &err);
    must(tr_cap_registry_add_cap(builder, &cap, &err), &err);
    struct tr_cap ask = {
        .id = TR_STR("ask"),
        .description = TR_STR("Asks for the client's roots."),
        .handler.run = ask_roots,
    };
    must(tr_cap_registry_add_cap(builder, &ask, &err), &err);
    struct tr_cap form = {
        .id = TR_STR("ask.form"),
        .description = TR_STR("Asks the user."),
        .handler.run = ask_form,
    };
    must(tr_cap_registry_add_cap(builder, &form, &err), &err);
    struct tr_cap url = {
        .id = TR_STR("ask.url"),
        .description = TR_STR("Asks the user to open a page."),
        .handler.run = ask_url,
    };
    must(tr_cap_registry_add_cap(builder, &url, &err), &err);
}

static void add_others(struct tr_cap_builder *builder)
{
    static const struct tr_field name = {.name = TR_STR_INIT("name")};
    static const struct tr_shape draft = {.fields = &name, .count = 1};
    struct tr_cap_resource resource = {
        .uri = TR_STR("test://text"),
        .about.name = TR_STR("text"),
        .mime_type = TR_STR("text/plain"),
        .handler.run = say,
    };
    struct tr_cap_resource_template item = {
        .uri_template = TR_STR("test://item/{id}"),
        .about.name = TR_STR("item"),
        .handler.run = say,
    };
    /* What tests watch, by short names. */
    struct tr_cap_resource_template watched = {
        .uri_template = TR_STR("{name}"),
        .about.name = TR_STR("watched"),
        .handler.run = say,
    };
    struct tr_cap_prompt prompt = {
        .about.name = TR_STR("greet"),
        .handler.run = say,
    };
    struct tr_cap_completion completion = {
        .kind = TR_CAP_REF_PROMPT, .ref = TR_STR("greet"), .handler.run = say};
    struct tr_err err;
    must(tr_cap_registry_add_resource(builder, &resource, &err), &err);
    must(tr_cap_registry_add_template(builder, &item, &err), &err);
    must(tr_cap_registry_add_template(builder, &watched, &err), &err);
    must(tr_shape_register(tr_cap_registry_arena(builder),
                           tr_cap_registry_patterns(builder), &draft,
                           &prompt.input, &err),
         &err);
    must(tr_cap_registry_add_prompt(builder, &prompt, &err), &err);
    must(tr_cap_registry_add_completion(builder, &completion, &err), &err);
}

static void keep(struct tr_mcp_sink *sink, tr_str message)
{
    struct sample *sample = (struct sample *)(void *)sink;
    tr_buf_put(&sample->sent, message);
    tr_buf_putc(&sample->sent, '\n');
    if (sample->watch)
        sample->watch(sample, true, message);
}

static void keep_answer(struct tr_mcp_sink *sink,
                        const struct tr_mcp_head *head, tr_str message)
{
    (void)head;
    keep(sink, message);
}

static void nothing(struct tr_mcp_sink *sink)
{
    (void)sink;
}

static void keep_lines(struct tr_mcp_sink *sink, tr_str messages)
{
    tr_str line;
    while (tr_str_cut(messages, '\n', &line, &messages))
        keep(sink, line);
}

static size_t queued(const struct tr_mcp_sink *sink)
{
    (void)sink;
    return 0;
}

static const struct tr_mcp_sink_ops ops = {
    .send = keep,
    .answer = keep_answer,
    .accept = nothing,
    .release = nothing,
};

static const struct tr_mcp_feed_ops feed = {
    .after = TR_STR_INIT("\n"),
    .send = keep_lines,
    .queued = queued,
};

static void open_registry(struct sample *sample, sample_add_fn *add)
{
    struct tr_cap_builder *builder = NULL;
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_err err;
    must(tr_cap_registry_create(&sample->registry, &err), &err);
    must(tr_cap_builder_create(NULL, &builder, &err), &err);
    add_tools(builder);
    add_others(builder);
    if (add)
        add(builder);
    tr_cap_registry_live(builder)->max_result_bytes = 1000;
    tr_cap_registry_live(builder)->call_timeout_ms = 1000 * TR_LIMIT_CALL_S;
    must(tr_cap_registry_build(builder, &snapshot, &err), &err);
    sample->live = live_of(snapshot);
    tr_cap_builder_free(builder);
    tr_cap_registry_take(sample->registry, snapshot);
}

void sample_open(struct sample *sample)
{
    sample_open_with(sample, NULL);
}

void sample_open_with(struct sample *sample, sample_add_fn *add)
{
    struct tr_loop_opts clock = {.test_clock = true};
    struct tr_err err;
    *sample = (struct sample){0};
    tr_buf_init(&sample->sent, (size_t)64 << 20);
    open_registry(sample, add);
    must(tr_loop_create(&clock, &sample->loop, &err), &err);
    tr_loop_hold(sample->loop);
    must(tr_mcp_hub_create(&sample->hub, &err), &err);
    must(tr_crypto_keys_create(&sample->keys, &err), &err);
    struct tr_mcp_opts opts = {
        .loop = sample->loop,
        .registry = sample->registry,
        .keys = sample->keys,
        .hub = sample->hub,
        .name = TR_STR("sample"),
        .version = TR_STR("1"),
        .max_sessions = TR_LIMIT_SESSIONS,
        .max_caller_sessions = TR_LIMIT_CALLER_SESSIONS,
        .max_streams = TR_LIMIT_LISTENS,
        .max_subscriptions = TR_LIMIT_SUBSCRIPTIONS,
        .max_batch = TR_LIMIT_BATCH,
        .replay_bytes = TR_LIMIT_REPLAY,
        .session_timeout_ms = 1000 * TR_LIMIT_SESSION_S,
        .sessions = true,
    };
    must(tr_mcp_create(&opts, &sample->mcp, &err), &err);
    sample->sink = (struct tr_mcp_sink){.ops = &ops, .feed = &feed};
    sample->peer =
        (struct tr_mcp_peer){.mcp = sample->mcp, .sink = &sample->sink};
}

void sample_close(struct sample *sample)
{
    tr_mcp_stop(sample->mcp);
    tr_loop_release(sample->loop);
    while (tr_loop_turn(sample->loop))
        continue;
    tr_mcp_free(sample->mcp);
    tr_loop_free(sample->loop);
    tr_mcp_hub_free(sample->hub);
    tr_crypto_keys_free(sample->keys);
    tr_cap_registry_free(sample->registry);
    tr_buf_done(&sample->sent);
}

tr_str sample_send(struct sample *sample, tr_str message)
{
    tr_buf_clear(&sample->sent);
    if (sample->watch)
        sample->watch(sample, false, message);
    tr_mcp_peer_take(&sample->peer, message);
    (void)tr_loop_turn(sample->loop);
    return tr_buf_str(&sample->sent);
}
