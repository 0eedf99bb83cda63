#include "base/limits.h"
#include "cli/app.h"
#include "cli/clients.h"
#include "cli/command.h"
#include "cli/report.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/lines.h"

#include <errno.h>
#include <fcntl.h>
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

/* How a server is started. */
struct program {
    char **argv; /* the first is its path, or looked for in the PATH */
    char **env;
    const char *folder; /* it starts there; NULL for here */
};

/* What the server gets as its standard input and output, and we keep. */
static tr_status make_pipes(int in[2], int out[2], struct tr_err *err)
{
    if (pipe2(in, O_CLOEXEC) != 0)
        return tr_fail(err, TR_E_IO, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(out, O_CLOEXEC) != 0) {
        (void)close(in[0]);
        (void)close(in[1]);
        return tr_fail(err, TR_E_IO, "cannot make a pipe: %s", strerror(errno));
    }
    return TR_OK;
}

static tr_status start(struct peer *peer, const struct program *program,
                       struct tr_err *err)
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    TR_TRY(make_pipes(in, out, err));
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    if (program->folder)
        (void)posix_spawn_file_actions_addchdir_np(&actions, program->folder);
    int why = posix_spawnp(&peer->pid, program->argv[0], &actions, NULL,
                           program->argv, program->env);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(in[0]);
    (void)close(out[1]);
    peer->to = in[1];
    peer->from = out[0];
    if (!why)
        return TR_OK;
    (void)close(peer->to);
    (void)close(peer->from);
    return tr_fail(err, TR_E_IO, "cannot start %s: %s", program->argv[0],
                   strerror(why));
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

/* Starts the server, asks it everything, and waits for its end. */
static int converse(struct peer *peer, const struct program *program)
{
    struct tr_err err;
    bool held = true;
    int status = 0;
    (void)signal(SIGPIPE, SIG_IGN); /* a server that has ended is reported */
    if (start(peer, program, &err) != TR_OK)
        return tr_cli_report_error(NULL, &err);
    tr_net_lines_init(&peer->lines, TR_LIMIT_MESSAGE);
    for (size_t i = 0; i < TR_LEN(steps) && held; i++)
        held = run_step(peer, &steps[i]);
    (void)close(peer->to);
    (void)close(peer->from);
    (void)waitpid(peer->pid, &status, 0);
    tr_net_lines_done(&peer->lines);
    return held && status == 0 ? TR_CLI_EXIT_OK : TR_CLI_EXIT_FAILED;
}

static char *copy_of(struct tr_arena *arena, tr_str text)
{
    tr_str copy = {NULL, 0};
    return tr_arena_copy(arena, text, &copy) ? (char *)(uintptr_t)copy.ptr
                                             : NULL;
}

static tr_status read_argv(struct tr_arena *arena,
                           const struct tr_install_entry *entry, char ***out,
                           struct tr_err *err)
{
    char **argv = TR_NEW_ARRAY(arena, char *, entry->arg_count + 2);
    bool is_held = argv != NULL;
    for (size_t i = 0; is_held && i <= entry->arg_count; i++) {
        argv[i] = copy_of(arena, i ? entry->args[i - 1] : entry->command);
        is_held = argv[i] != NULL;
    }
    if (!is_held)
        return tr_fail(err, TR_E_NOMEM, "no memory to start a server");
    *out = argv;
    return TR_OK;
}

/* What hosts hand on of their own environment: what the SDKs of MCP do. */
static const char *const inherited[] = {"HOME",  "LOGNAME", "PATH",
                                        "SHELL", "TERM",    "USER"};

static char *variable_of(struct tr_arena *arena, tr_str name, tr_str value)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_INSTALL_ENTRY);
    tr_buf_putf(&text, "%.*s=%.*s", TR_FMT(name), TR_FMT(value));
    char *made = copy_of(arena, tr_buf_str(&text));
    bool is_whole = tr_buf_check(&text, NULL) == TR_OK;
    tr_buf_done(&text);
    return is_whole ? made : NULL;
}

static tr_status read_env(struct tr_arena *arena, const struct tr_json *added,
                          char ***out, struct tr_err *err)
{
    size_t count = 0;
    size_t more = added ? added->len : 0;
    char **env = TR_NEW_ARRAY(arena, char *, TR_LEN(inherited) + more + 1);
    bool is_held = env != NULL;
    for (size_t i = 0; is_held && i < TR_LEN(inherited); i++) {
        const char *value = getenv(inherited[i]);
        if (!value || tr_json_find(added, tr_str_from(inherited[i])))
            continue;
        env[count] =
            variable_of(arena, tr_str_from(inherited[i]), tr_str_from(value));
        is_held = env[count++] != NULL;
    }
    for (size_t i = 0; is_held && i < more; i++) {
        const struct tr_json_member *member = &added->as.members[i];
        env[count] = variable_of(arena, tr_json_text(&member->key),
                                 tr_json_text(&member->value));
        is_held = env[count++] != NULL;
    }
    if (!is_held)
        return tr_fail(err, TR_E_NOMEM, "no memory to start a server");
    *out = env;
    return TR_OK;
}

/* Starts what a host would start, as it would. */
static tr_status find_installed(struct tr_arena *arena,
                                const struct tr_cli_client *host, tr_str name,
                                struct program *out, struct tr_err *err)
{
    struct tr_install_file file;
    TR_TRY(tr_install_look(arena, &host->target, &file, err));
    const struct tr_install_found *found =
        tr_install_entry_find(&file.entries, name);
    if (!found || !found->entry.command.len)
        return tr_fail(err, TR_E_NOT_FOUND, "%.*s is not in it", TR_FMT(name));
    out->folder = found->cwd.len ? copy_of(arena, found->cwd) : host->start;
    TR_TRY(read_argv(arena, &found->entry, &out->argv, err));
    return read_env(arena, found->env, &out->env, err);
}

static int test_installed(const struct tr_cli_invocation *invocation,
                          const struct tr_cli_client *host, void *context)
{
    struct peer *peer = context;
    struct program program = {.argv = NULL};
    struct tr_arena arena;
    struct tr_err err;
    char name[80];
    int code = tr_cli_clients_entry(invocation, name);
    if (code != TR_CLI_EXIT_OK)
        return code;
    tr_arena_init(&arena, TR_LIMIT_INSTALL_MEMORY);
    if (find_installed(&arena, host, tr_str_from(name), &program, &err) !=
        TR_OK)
        code = tr_cli_report_error(host->path, &err);
    if (code == TR_CLI_EXIT_OK)
        code = tr_cli_report_line("%s: %s", host->name, name);
    (void)fflush(stdout);
    if (code == TR_CLI_EXIT_OK)
        code = converse(peer, &program);
    tr_arena_done(&arena);
    return code;
}

/* Without a host, a server of this program's is started. */
static int test_folder(const struct tr_cli_invocation *invocation,
                       struct peer *peer)
{
    char path[] = "/proc/self/exe";
    char serve[] = "serve";
    char stdio[] = "--stdio";
    char *folder = (char *)(uintptr_t)tr_cli_app_folder(invocation);
    char *argv[] = {path, serve, stdio, folder, NULL};
    struct program program = {.argv = argv, .env = environ};
    const char *token = getenv("TRAILS_MCP_TOKEN");
    peer->token = tr_str_from(token ? token : "");
    return converse(peer, &program);
}

int tr_cli_run_mcp_test(const struct tr_cli_invocation *invocation)
{
    struct peer peer = {
        .shows = tr_cli_invocation_option(invocation, "messages") != NULL,
        .arena = invocation->arena,
    };
    return tr_cli_clients_are_named(invocation)
               ? tr_cli_clients_each(invocation, test_installed, &peer)
               : test_folder(invocation, &peer);
}
