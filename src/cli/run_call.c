#include "access/authority.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/text.h"
#include "cap/snapshot.h"
#include "cli/command.h"
#include "cli/question.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/unknown.h"
#include "json/reader.h"
#include "json/writer.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "runtime/call.h"
#include "server/app.h"
#include "server/env.h"
#include "server/meta.h"

#include <unistd.h>

/* The command line as a door: one call, whose outcome it prints. */
struct door {
    struct tr_call call;
    struct tr_call_client client;
    int exit_code;
    struct {
        struct tr_call *call; /* that asks: this one, or one that it invoked */
        struct tr_call_ask *asks;
        size_t count;
        struct tr_loop_timer timer;
    } asking;
};

static void progress(struct tr_call *call, double value, const double *total,
                     tr_str message)
{
    (void)call;
    (void)fprintf(stderr, "progress %g ", value);
    if (total)
        (void)fprintf(stderr, "of %g ", *total);
    tr_cli_report_show(stderr, message);
    (void)fputc('\n', stderr);
}

/* An outcome is always valid JSON: only the buffer can fail. */
static void put_json(struct tr_buf *out, const struct tr_json *value)
{
    struct tr_json_writer w;
    tr_jw_init_pretty(&w, out);
    tr_jw_value(&w, value);
    tr_buf_putc(out, '\n');
}

static void show_json(const struct tr_json *value)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_CLI_OUTPUT);
    put_json(&text, value);
    if (text.len)
        (void)fwrite(text.ptr, 1, text.len, stderr);
    tr_buf_done(&text);
}

static void note(struct tr_call *call, enum tr_call_note_level level,
                 tr_str logger, const struct tr_json *data)
{
    (void)call;
    (void)level;
    (void)logger;
    show_json(data);
}

/* The person takes part: that is not the handler's time. */
static void ask_person(void *data)
{
    struct door *door = data;
    struct tr_call *call = door->asking.call;
    for (size_t i = 0; i < door->asking.count; i++) {
        struct tr_call_ask *question = &door->asking.asks[i];
        struct tr_err err = {0};
        if (tr_cli_question_ask(call, question, &err) != TR_OK &&
            !tr_arena_copy(call->arena, tr_str_from(err.msg),
                           &question->refusal))
            question->refusal = TR_STR("no memory for an answer");
    }
    call->host->resume(call);
}

static enum tr_call_asked ask(struct tr_call *call, struct tr_call_ask *asks,
                              size_t count, struct tr_err *err)
{
    struct door *door = tr_call_root(call)->door_data;
    if (!tr_cli_question_can_ask()) {
        (void)tr_fail(err, TR_E_UNSUPPORTED,
                      "nobody can be asked: this is no terminal");
        return TR_CALL_ASKED_REFUSED;
    }
    door->asking.call = call;
    door->asking.asks = asks;
    door->asking.count = count;
    tr_loop_timer_init(&door->asking.timer, call->loop, ask_person, door);
    tr_loop_timer_start(&door->asking.timer, 0, 0);
    return TR_CALL_ASKED_WAITING;
}

static void updated(struct tr_call *call, tr_str uri)
{
    (void)call;
    (void)uri;
}

static void list_changed(struct tr_call *call, enum tr_call_list_kind kind)
{
    (void)call;
    (void)kind;
}

static void close_stream(struct tr_call *call)
{
    (void)call;
}

/* Messages of the graph's shapes do not begin with the field: it is added. */
static void print_field(const struct tr_json *error)
{
    tr_str field = tr_json_text(tr_json_find(error, TR_STR("field")));
    tr_str message = tr_json_text(tr_json_find(error, TR_STR("message")));
    (void)fputs("    ", stderr);
    if (!tr_str_starts(message, field)) {
        tr_cli_report_show(stderr, field);
        (void)fputc(' ', stderr);
    }
    tr_cli_report_show(stderr, message);
    (void)fputc('\n', stderr);
}

static int print_failure(const struct tr_call_outcome *outcome)
{
    int exit_code = tr_cli_report_error(outcome->where.ptr, &outcome->err);
    const struct tr_json *fields =
        tr_json_find(outcome->data, TR_STR("fields"));
    if (outcome->status != TR_E_VALIDATION || !fields) {
        if (outcome->data)
            show_json(outcome->data);
        return exit_code;
    }
    for (size_t i = 0; !outcome->says_all && i < fields->len; i++)
        print_field(&fields->as.items[i]);
    return exit_code;
}

/* Texts are as they are, but on a terminal; other blocks are JSON. */
static void put_content(struct tr_buf *out, const struct tr_json *content)
{
    for (size_t i = 0; i < content->len; i++) {
        const struct tr_json *block = &content->as.items[i];
        const struct tr_json *text = tr_json_find(block, TR_STR("text"));
        if (!tr_json_is(text, TR_JSON_STRING)) {
            put_json(out, block);
            continue;
        }
        size_t start = out->len;
        tr_buf_put(out, tr_json_text(text));
        tr_buf_putc(out, '\n');
        if (isatty(STDOUT_FILENO))
            tr_cli_report_put_lines(out, start);
    }
}

static void finished(struct tr_call *call,
                     const struct tr_call_outcome *outcome)
{
    struct door *door = call->door_data;
    if (outcome->status != TR_OK) {
        door->exit_code = print_failure(outcome);
        return;
    }
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (outcome->content)
        put_content(&out, outcome->content);
    else if (outcome->value)
        put_json(&out, outcome->value);
    door->exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    if (outcome->is_error)
        door->exit_code = TR_CLI_EXIT_FAILED;
}

static const struct tr_call_door_ops door_ops = {
    .progress = progress,
    .note = note,
    .ask = ask,
    .updated = updated,
    .list_changed = list_changed,
    .close_stream = close_stream,
    .finished = finished,
};

/* What the command line gives a call. */
struct given {
    const struct tr_json *args;
    struct tr_access_authority caller;
    char user[TR_CLI_USER_BYTES];
};

/* What the call needs, as a worker of the server would have it. */
struct backend {
    struct tr_loop *loop;
    struct tr_graph_store *store;
    struct tr_server_env env;
    struct tr_server_keyring keys; /* cursors are valid in later calls too */
    struct tr_server_meta meta;
};

static tr_status open_backend(const struct tr_server_app *app,
                              const struct tr_cap_snapshot *snapshot,
                              struct backend *backend, struct tr_err *err)
{
    TR_TRY(tr_loop_create(NULL, &backend->loop, err));
    TR_TRY(tr_server_app_open_store(app, NULL, snapshot, &backend->store, err));
    TR_TRY(tr_server_keyring_open(&backend->keys, app, err));
    TR_TRY(tr_server_env_open(&backend->env, backend->store, backend->loop,
                              tr_server_prov_keep_of(app->config), &app->fetch,
                              err));
    backend->env.calls.keys = tr_server_keyring_current(&backend->keys);
    tr_server_meta_init(&backend->meta, app, NULL);
    backend->env.calls.meta = &backend->meta.outside;
    return TR_OK;
}

static void close_backend(struct backend *backend)
{
    tr_server_env_close(&backend->env);
    tr_server_keyring_close(&backend->keys);
    tr_graph_store_close(backend->store);
    tr_loop_free(backend->loop);
}

static int run(const struct tr_cli_invocation *invocation,
               struct backend *backend, const struct tr_cap_snapshot *snapshot,
               const struct tr_cap *cap, const struct given *given)
{
    const struct tr_access_authority *caller = &given->caller;
    struct door door = {.exit_code = TR_CLI_EXIT_FAILED};
    door.call = (struct tr_call){
        .loop = backend->loop,
        .env = &backend->env.calls,
        .arena = invocation->arena,
        .snapshot = snapshot,
        .handler = &cap->handler,
        .kind = cap->is_meta ? TR_CALL_META : TR_CALL_CAPABILITY,
        .cap = cap,
        .args = given->args,
        .principal = caller->principal,
        .authority = caller,
        .trace_id = TR_STR("00000000000000000000000000000001"),
        .client = &door.client,
        .door = &door_ops,
        .door_data = &door,
    };
    tr_call_invoke(&door.call);
    tr_loop_run(backend->loop);
    return door.exit_code;
}

static int call(const struct tr_cli_invocation *invocation,
                const struct tr_server_app *app,
                const struct tr_cap_snapshot *snapshot,
                const struct given *given)
{
    const char *name = invocation->arguments[0];
    const struct tr_cap *cap =
        tr_cap_snapshot_find_tool(snapshot, tr_str_from(name));
    struct backend backend = {0};
    struct tr_err err;
    int exit_code;
    if (!cap)
        exit_code = tr_cli_unknown_report(snapshot, tr_str_from(name),
                                          given->caller.scopes);
    else if (open_backend(app, snapshot, &backend, &err) == TR_OK)
        exit_code = run(invocation, &backend, snapshot, cap, given);
    else
        exit_code = tr_cli_report_error(NULL, &err);
    tr_cap_snapshot_unpin(snapshot); /* first: it uses the loop */
    close_backend(&backend);
    return exit_code;
}

/* "{...}", "@FILE", or "-" for standard input. */
static int read_arguments(const struct tr_cli_invocation *invocation,
                          struct given *out)
{
    const char *given = tr_cli_invocation_option(invocation, "json");
    const char *path = given && *given == '@' ? given + 1 : given;
    bool is_file = path != given || (given && strcmp(given, "-") == 0);
    tr_str text = tr_str_from(given ? given : "{}");
    struct tr_err err;
    if (is_file && tr_file_read(invocation->arena, path, TR_LIMIT_HTTP_BODY,
                                &text, &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);
    if (tr_json_read(invocation->arena, text, NULL, &out->args, &err) != TR_OK)
        return tr_cli_report_error(is_file ? path : "--json", &err);
    if (out->args->kind != TR_JSON_OBJECT)
        return tr_cli_report_usage("--json must be an object");
    return TR_CLI_EXIT_OK;
}

/*
 * Whoever can run this command has the app's files, so that all is allowed, in
 * production too, or what --as and --scopes leave of it. Nothing that comes
 * over a socket gets such an authority, nor a name that begins so
 * (access/bearer.c).
 */
static int read_caller(const struct tr_cli_invocation *invocation,
                       struct given *out)
{
    const char *name = tr_cli_invocation_option(invocation, "as");
    const char *scopes = tr_cli_invocation_option(invocation, "scopes");
    struct tr_err err;
    out->caller = (struct tr_access_authority){
        .is_authenticated = !name || *name,
        .scopes = name ? TR_SCOPE_RUNTIME : TR_SCOPE_ALL,
        .principal = name ? tr_str_from(name) : tr_cli_user(out->user),
    };
    if (!tr_utf8_is_valid(out->caller.principal) ||
        out->caller.principal.len > TR_LIMIT_PRINCIPAL)
        return tr_cli_report_usage("--as is a name of at most %d bytes",
                                   (int)TR_LIMIT_PRINCIPAL);
    if (scopes && tr_access_scopes_parse(tr_str_from(scopes),
                                         &out->caller.scopes, &err) != TR_OK)
        return tr_cli_report_usage("--scopes: %s", err.msg);
    return TR_CLI_EXIT_OK;
}

int tr_cli_run_call(const struct tr_cli_invocation *invocation)
{
    const char *folder = tr_cli_invocation_option(invocation, "app");
    const struct tr_cap_snapshot *snapshot = NULL;
    struct tr_server_app app;
    struct given given;
    struct tr_err err;

    int wrong = read_arguments(invocation, &given);
    if (wrong == TR_CLI_EXIT_OK)
        wrong = read_caller(invocation, &given);
    if (wrong != TR_CLI_EXIT_OK)
        return wrong;
    if (tr_server_app_open(&app, folder ? folder : ".", &err) != TR_OK)
        return tr_cli_report_error(app.file, &err);
    int exit_code = tr_server_app_load(&app, &snapshot, &err) == TR_OK
                        ? call(invocation, &app, snapshot, &given)
                        : tr_cli_report_error(app.file, &err);
    tr_server_app_close(&app);
    return exit_code;
}
