/*
 * test/support/team.h - a small app's model, a store, and calls that write.
 *
 *     Thing    name: text, search
 *     Person   extends Thing; email: text, unique
 *     Task     extends Thing; project + number: unique together; state: text,
 *              one of; owner: ref Person, optional; tags: many text, optional;
 *              hours: number, optional; due: datetime, optional
 *
 * Things have an index by name, tasks one by project and -due.
 */
#ifndef TR_TEST_SUPPORT_TEAM_H
#define TR_TEST_SUPPORT_TEAM_H

#include "graph/kg.h"
#include "graph/store.h"
#include "support/folder.h"

const struct tr_model *team_model(void);

/* A store in a folder, as one thread uses it. */
struct team {
    struct folder folder;
    struct tr_graph_store *store;
    struct tr_graph_reader *reader;
    struct tr_loop *loop;
    const struct tr_model *model;
};

void team_open(struct team *team);
void team_close(struct team *team);

/* One call: begin, use `kg`, and land it or drop it. */
struct team_call {
    struct team *team;
    struct tr_arena arena;
    struct tr_graph_kg kg;
    struct tr_graph_store_write write;
    struct tr_err err; /* of what failed last */
    bool is_done;
};

void team_begin(struct team_call *call, struct team *team);
tr_status team_land(struct team_call *call);

/* As team_land, in two steps: others may be on their way too. */
void team_submit(struct team_call *call);
tr_status team_wait(struct team_call *call);
void team_end(struct team_call *call);

/* `json` is the fields; "" for a new IRI. */
tr_status team_create(struct team_call *call, const char *type, const char *iri,
                      const char *json, tr_str *out);
tr_status team_update(struct team_call *call, tr_str iri, const char *json);

/* The node as JSON; "null" when there is none. Valid until the call ends. */
const char *team_get(struct team_call *call, tr_str iri);

/* A value in the call's arena. */
const struct tr_json *team_json(struct team_call *call, const char *text);

#endif
