/*
 * server/doctor.h - what the process knows that has the app, for doctor/; and
 * what servers have left that have ended.
 */
#ifndef TR_SERVER_DOCTOR_H
#define TR_SERVER_DOCTOR_H

#include "doctor/doctor.h"
#include "mcp/mcp.h"
#include "project/mcp_tool.h"
#include "project/view.h"

#include <pthread.h>

struct tr_server_app;

#define TR_SERVER_DOCTOR_TEXT 1024

/* Something that failed; empty: nothing did. */
struct tr_server_failure {
    enum tr_audit_health health;
    char why[TR_SERVER_DOCTOR_TEXT];
};

struct tr_server_doctor {
    struct tr_doctor_outside outside; /* first: questions find the rest by it */
    const struct tr_server_app *app;
    struct tr_project_form forms[TR_MCP_FORMS];
    struct tr_project_site site;
    pthread_mutex_t lock; /* of what was noted */
    struct tr_server_failure load;
    struct tr_server_failure config;
    struct tr_server_failure waiting; /* settings, for the next start */
};

/* The app is open, unless that has failed; it is borrowed. */
TR_NODISCARD tr_status tr_server_doctor_init(struct tr_server_doctor *doctor,
                                             const struct tr_server_app *app,
                                             struct tr_err *err);
void tr_server_doctor_done(struct tr_server_doctor *doctor);

/* How loading the app went; `why` is NULL when it went well. From any thread.
 */
void tr_server_doctor_note_load(struct tr_server_doctor *doctor,
                                enum tr_audit_health health, const char *why);

/* The configuration could not be read at all. */
void tr_server_doctor_note_config(struct tr_server_doctor *doctor,
                                  const char *why);

/* Settings that have changed and hold from the next start, or NULL; whether
 * that is another text than before. */
bool tr_server_doctor_note_waiting(struct tr_server_doctor *doctor,
                                   const char *names);

/* An error of a file of the app as a line says it: "app.lua:3:7: ...". */
void tr_server_doctor_say(const char *file, const struct tr_err *err,
                          char out[TR_SERVER_DOCTOR_TEXT]);

/* Slow queries of servers that have ended, the most expensive first; none when
 * there is no store, or one of before. */
TR_NODISCARD tr_status
tr_server_slow_read(const struct tr_server_app *app,
                    struct tr_query_scan out[TR_LIMIT_QUERY_SCANS],
                    size_t *count, struct tr_err *err);

#endif
