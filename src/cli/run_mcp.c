#include "base/limits.h"
#include "cli/command.h"
#include "cli/report.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/lines.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPLY_MS 10000

/* The requests that a client begins with, in a session of each era; items of
 * the replies are counted. */
static const struct step {
    const char *method;
    enum { MODERN, HELLO, LEGACY } form; /* of its parameters */
    const char *list; /* the member of the result that is counted, or NULL */
} steps[] = {
    {"server/discover", MODERN, NULL},
    {"tools/list", MODERN, "tools"},
    {"resources/list", MODERN, "resources"},
    {"resources/templates/list", MODERN, "resourceTemplates"},
    {"prompts/list", MODERN, "prompts"},
    {"initialize", HELLO, NULL},
    {"tools/list", LEGACY, "tools"},
};

/* The server, as a client sees it. */
struct peer {
    pid_t pid;
    int to;
    int from;
    bool shows;   /* prints what is sent and what comes back */
    tr_str token; /* of the environment, which the server has too; or "" */
    struct tr_arena *arena;
    struct tr_net_lines lines;
    tr_str reply; /* the last line, in the arena */
};

static tr_status start(struct peer *peer, const char *folder,
                       struct tr_err *err)
{
    int in[2];
    int out[2];
    char program[] = "/proc/self/exe";
    char serve[] = "serve";
    char stdio[] = "--stdio";
    char *argv[] = {program, serve, stdio, (char *)(uintptr_t)folder, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe(in) != 0)
        return tr_fail(err, TR_E_IO, "cannot make a pipe: %s", strerror(errno));
    if (pipe(out) != 0) {
        (void)close(in[0]);
        (void)close(in[1]);
        return tr_fail(err, TR_E_IO, "cannot make a pipe: %s", strerror(errno));
    }
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_addclose(&actions, in[1]);
    (void)posix_spawn_file_actions_addclose(&actions, out[0]);
    int why = posix_spawn(&peer->pid, program, &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(in[0]);
    (void)close(out[1]);
    peer->to = in[1];
    peer->from = out[0];
    if (why)
        return tr_fail(err, TR_E_IO, "cannot start the server: %s",
                       strerror(why));
    return TR_OK;
}

static void on_line(void *data, tr_status status, tr_str line)
{
    struct peer *peer = data;
    if (status == TR_OK && !tr_arena_copy(peer->arena, line, &peer->reply))
        peer->reply = (tr_str){NULL, 0};
    tr_net_lines_stop(&peer->lines);
}

static tr_status read_reply(struct peer *peer, struct tr_err *err)
{
    peer->reply = (tr_str){NULL, 0};
    while (!peer->reply.len) {
        char bytes[4096];
        struct pollfd ready = {.fd = peer->from, .events = POLLIN};
        if (poll(&ready, 1, REPLY_MS) <= 0)
            return tr_fail(err, TR_E_TIMEOUT, "no answer within %d s",
                           REPLY_MS / 1000);
        ssize_t got = read(peer->from, bytes, sizeof(bytes));
        if (got <= 0)
            return tr_fail(err, TR_E_IO, "the server has ended");
        tr_net_lines_feed(&peer->lines, (tr_str){bytes, (size_t)got}, on_line,
                          peer);
    }
    return TR_OK;
}

static void put_client(struct tr_json_writer *w, const char *key, tr_str token)
{
    tr_jw_key(w, key);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "name", TR_STR("trails mcp test"));
    tr_jw_put_string(w, "version", TR_STR("1"));
    if (token.len) {
        tr_jw_key(w, "authorization");
        tr_jw_open(w, '{');
        tr_jw_put_string(w, "bearer", token);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
}

static void put_empty(struct tr_json_writer *w, const char *key)
{
    tr_jw_key(w, key);
    tr_jw_open(w, '{');
    tr_jw_close(w, '}');
}

static void put_params(struct tr_json_writer *w, const struct step *step,
                       tr_str token)
{
    tr_jw_key(w, "params");
    tr_jw_open(w, '{');
    if (step->form == HELLO) {
        tr_jw_put_string(w, "protocolVersion", TR_STR("2025-11-25"));
        put_empty(w, "capabilities");
        put_client(w, "clientInfo", token);
    } else if (step->form == MODERN) {
        tr_jw_key(w, "_meta");
        tr_jw_open(w, '{');
        tr_jw_put_string(w, "io.modelcontextprotocol/protocolVersion",
                         TR_STR("2026-07-28"));
        put_empty(w, "io.modelcontextprotocol/clientCapabilities");
        put_client(w, "io.modelcontextprotocol/clientInfo", token);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, '}');
}

/* Writes a request as one line, without its end. */
static tr_status write_request(struct tr_buf *out, const struct step *step,
                               tr_str token, struct tr_err *err)
{
    struct tr_json_writer w;
    tr_buf_clear(out);
    tr_jw_init(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_put_string(&w, "jsonrpc", TR_STR("2.0"));
    tr_jw_put_i64(&w, "id", 1);
    tr_jw_put_string(&w, "method", tr_str_from(step->method));
    put_params(&w, step, token);
    tr_jw_close(&w, '}');
    return tr_jw_finish(&w, err);
}

/* The request is printed without the token. */
static tr_status send_request(struct peer *peer, const struct step *step,
                              struct tr_err *err)
{
    struct tr_buf line;
    tr_buf_init(&line, TR_LIMIT_MESSAGE);
    tr_status status = write_request(&line, step, peer->token, err);
    if (status == TR_OK &&
        dprintf(peer->to, "%.*s\n", TR_FMT(tr_buf_str(&line))) < 0)
        status = tr_fail(err, TR_E_IO, "the server does not read");
    if (status == TR_OK && peer->shows) {
        tr_str shown = peer->token.len ? TR_STR("...") : peer->token;
        status = write_request(&line, step, shown, err);
        (void)printf("> %.*s\n", TR_FMT(tr_buf_str(&line)));
    }
    tr_buf_done(&line);
    return status;
}

static tr_status ask(struct peer *peer, const struct step *step,
                     const struct tr_json **result, struct tr_err *err)
{
    const struct tr_json *message = NULL;
    TR_TRY(send_request(peer, step, err));
    TR_TRY(read_reply(peer, err));
    if (peer->shows)
        (void)printf("< %.*s\n", TR_FMT(peer->reply));
    TR_TRY(tr_json_read(peer->arena, peer->reply, NULL, &message, err));
    const struct tr_json *error = tr_json_find(message, TR_STR("error"));
    int64_t code = 0;
    if (tr_json_i64(tr_json_find(error, TR_STR("code")), &code) &&
        code == -32601) {
        *result = NULL; /* the app has none of these */
        return TR_OK;
    }
    *result = tr_json_find(message, TR_STR("result"));
    if (!*result)
        return tr_fail(
            err, TR_E_INVALID, "%.*s",
            TR_FMT(tr_json_text(tr_json_find(error, TR_STR("message")))));
    return TR_OK;
}

static bool run_step(struct peer *peer, const struct step *step)
{
    const struct tr_json *result = NULL;
    struct tr_err err;
    if (ask(peer, step, &result, &err) != TR_OK) {
        (void)printf("FAIL %-26s %s\n", step->method, err.msg);
        return false;
    }
    const struct tr_json *list =
        step->list ? tr_json_find(result, tr_str_from(step->list)) : NULL;
    if (!result)
        (void)printf("ok   %-26s not offered\n", step->method);
    else if (list)
        (void)printf("ok   %-26s %u %s\n", step->method, list->len, step->list);
    else
        (void)printf("ok   %-26s\n", step->method);
    return true;
}

int tr_cli_run_mcp_test(const struct tr_cli_invocation *invocation)
{
    const char *folder =
        invocation->argument_count ? invocation->arguments[0] : ".";
    const char *token = getenv("TRAILS_MCP_TOKEN");
    struct peer peer = {
        .shows = tr_cli_invocation_option(invocation, "messages") != NULL,
        .arena = invocation->arena,
        .token = tr_str_from(token ? token : ""),
    };
    struct tr_err err;
    bool held = true;
    int status = 0;
    (void)signal(SIGPIPE, SIG_IGN); /* a server that has ended is reported */
    if (start(&peer, folder, &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);
    tr_net_lines_init(&peer.lines, TR_LIMIT_MESSAGE);
    for (size_t i = 0; i < TR_LEN(steps) && held; i++)
        held = run_step(&peer, &steps[i]);
    (void)close(peer.to);
    (void)close(peer.from);
    (void)waitpid(peer.pid, &status, 0);
    tr_net_lines_done(&peer.lines);
    return held && status == 0 ? TR_CLI_EXIT_OK : TR_CLI_EXIT_FAILED;
}
