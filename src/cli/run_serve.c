#include "cli/command.h"
#include "cli/report.h"
#include "net/listener.h"
#include "server/gate.h"
#include "server/server.h"
#include "server/sources.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* A client that starts the server talks to it through pipes or a socket. */
static bool input_is_pipe(void)
{
    struct stat about;
    return fstat(STDIN_FILENO, &about) == 0 &&
           (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

static bool read_address(struct tr_server_opts *serve, const char *named_by)
{
    struct tr_err err;
    if (tr_net_address_parse(serve->http, &serve->address, &err) == TR_OK)
        return true;
    (void)tr_cli_report_usage("%s: %s", named_by, err.msg);
    return false;
}

/* Chooses the transport by the options; false after saying what is wrong. */
static bool choose(const struct tr_cli_invocation *invocation,
                   struct tr_server_opts *serve, char *address, size_t size)
{
    const char *transport = tr_cli_invocation_option(invocation, "transport");
    const char *http = tr_cli_invocation_option(invocation, "http");
    const char *port = tr_cli_invocation_option(invocation, "port");
    int64_t number = 0;
    bool stdio = tr_cli_invocation_option(invocation, "stdio");
    bool sse = transport && strcmp(transport, "sse") == 0;

    serve->unix_path = tr_cli_invocation_option(invocation, "unix");
    serve->token_file = tr_cli_invocation_option(invocation, "token-file");
    if (transport && !sse && strcmp(transport, "stdio") != 0) {
        (void)tr_cli_report_usage("unknown transport '%s': stdio or sse",
                                  transport);
        return false;
    }
    stdio = stdio || (transport && !sse);
    if (port && (!tr_str_to_i64(tr_str_from(port), &number) || number < 0 ||
                 number > 65535)) {
        (void)tr_cli_report_usage("'%s' is not a port: 0 to 65535", port);
        return false;
    }
    if (stdio + (http || port || sse) + (serve->unix_path != NULL) > 1) {
        (void)tr_cli_report_usage("choose one of --stdio, --http and --unix");
        return false;
    }
    if (port)
        (void)snprintf(address, size, "127.0.0.1:%lld", (long long)number);
    serve->http = http   ? tr_str_from(http)
                  : port ? tr_str_from(address)
                         : serve->app->config->server.http;
    serve->stdio = stdio || (!http && !port && !sse && !serve->unix_path &&
                             input_is_pipe());
    if (serve->token_file && !serve->stdio) {
        (void)tr_cli_report_usage("--token-file is for --stdio: over HTTP each "
                                  "request brings its credential");
        return false;
    }
    return serve->stdio || serve->unix_path ||
           read_address(serve, http ? "--http" : "server.http");
}

/* What runs in production changes when somebody says so. */
static bool may_watch(const struct tr_server_opts *serve)
{
    if (!serve->watches ||
        serve->app->config->project.env != TR_CONFIG_ENV_PRODUCTION)
        return true;
    (void)tr_cli_report_usage("--watch is not for production, where the app "
                              "changes when SIGHUP says so");
    return false;
}

/*
 * SIGHUP asks a server to load its app again. Before it has loaded it once
 * there is nothing to do, and certainly no reason to end.
 */
int tr_cli_run_serve(const struct tr_cli_invocation *invocation)
{
    (void)signal(SIGHUP, SIG_IGN);
    const char *folder =
        invocation->argument_count ? invocation->arguments[0] : ".";
    char address[32];
    bool watches = tr_cli_invocation_option(invocation, "watch");
    struct tr_server_sources sources;
    struct tr_server_app app;
    struct tr_err err;
    tr_server_sources_init(&sources, folder);
    if (tr_server_app_open_noted(&app, folder, watches ? &sources : NULL,
                                 &err) != TR_OK) {
        tr_server_sources_done(&sources);
        return tr_cli_report_error(app.file, &err);
    }
    struct tr_server_opts serve = {.app = &app, .watches = watches};
    int exit_code = TR_CLI_EXIT_USAGE;
    unsigned scopes;
    if (tr_server_gate_scopes(&app, &scopes, &err) != TR_OK)
        (void)tr_cli_report_usage("%s", err.msg);
    else if (may_watch(&serve) &&
             choose(invocation, &serve, address, sizeof(address)))
        exit_code = tr_server_run(&serve, &err) == TR_OK
                        ? TR_CLI_EXIT_OK
                        : tr_cli_report_error(app.file, &err);
    tr_server_app_close(&app);
    tr_server_sources_done(&sources);
    return exit_code;
}
