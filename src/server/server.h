/*
 * server/server.h - serves an app until a signal, or the end of its input.
 */
#ifndef TR_SERVER_SERVER_H
#define TR_SERVER_SERVER_H

#include "net/listener.h"
#include "server/app.h"

struct tr_server_opts {
    struct tr_server_app *app; /* opened */
    bool stdio;
    const char *unix_path; /* of a socket, or NULL */
    tr_str http;           /* HOST:PORT, when neither of the others is set */
    struct tr_net_address address; /* the same */
    const char *token_file;        /* has what standard input brings, or NULL */
    bool
        watches; /* its files, whose sources it has noted since it was opened */
};

/*
 * Loads the app, listens and runs. SIGTERM and SIGINT end it, SIGHUP loads the
 * app again. Fails when it cannot start; `app->file` says what it is about
 * when that is a file of the app.
 */
TR_NODISCARD tr_status tr_server_run(const struct tr_server_opts *serve,
                                     struct tr_err *err);

#endif
