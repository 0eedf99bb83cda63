/*
 * runtime/call.h - one run of a handler, between a door and a host.
 *
 * A *door* takes a request (MCP, the command line), fills a call and hands it
 * to tr_call_invoke, the one way into a handler. A *host* runs the handler
 * (Lua, or C that is built in) and ends it with tr_call_finish, exactly once;
 * in between the handler may wait as often as it likes. The call, its arena and
 * everything in it belong to one loop and are released by the door after
 * `finished`.
 *
 * A handler that asks the client something may be run again from its start:
 * what it must see unchanged then (time, random numbers, results of other
 * capabilities) goes through the call's journal (journal.h).
 */
#ifndef TR_RUNTIME_CALL_H
#define TR_RUNTIME_CALL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/scope.h"
#include "base/vec.h"
#include "json/json.h"
#include "loop/timer.h"
#include "prov/activity.h"

struct tr_access_authority;
struct tr_call;
struct tr_cap;
struct tr_cap_guard;
struct tr_call_env;
struct tr_cap_handler;
struct tr_call_again;
struct tr_call_idempotency;
struct tr_graph_kg;
struct tr_loop;
struct tr_call_budget_hold;
struct tr_cap_snapshot;
struct tr_shape;

/* What the client says of itself: for messages and feature checks only. */
struct tr_call_client {
    tr_str name;
    tr_str version;
    const struct tr_json *capabilities; /* an object, or NULL */
};

enum tr_call_ask_kind {
    TR_CALL_ASK_ELICIT,
    TR_CALL_ASK_SAMPLE,
    TR_CALL_ASK_ROOTS
};

/* A question to the client. */
struct tr_call_ask {
    tr_str key; /* unique in the call; how an answer finds its question */
    enum tr_call_ask_kind kind;
    const struct tr_json *params;  /* of the MCP request, an object */
    const struct tr_shape *fields; /* of a form that is made of them, or NULL */
    const struct tr_json *answer;  /* its result, once there is one */
    const struct tr_json *wrong;   /* what is wrong with one, {"fields": ...} */
    tr_str refusal; /* why there is none, or none that fits; or "" */
};

enum tr_call_asked {
    TR_CALL_ASKED_ANSWERED, /* every answer is there */
    TR_CALL_ASKED_WAITING,  /* the host's `resume` will be called, once */
    TR_CALL_ASKED_ENDED,   /* the round is over: stop the handler, and finish */
    TR_CALL_ASKED_REFUSED, /* the error says why; nothing was sent */
};

/* The levels of RFC 5424 that MCP names, least severe first. */
enum tr_call_note_level {
    TR_CALL_NOTE_DEBUG,
    TR_CALL_NOTE_INFO,
    TR_CALL_NOTE_NOTICE,
    TR_CALL_NOTE_WARNING,
    TR_CALL_NOTE_ERROR,
    TR_CALL_NOTE_CRITICAL,
    TR_CALL_NOTE_ALERT,
    TR_CALL_NOTE_EMERGENCY
};

enum tr_call_list_kind {
    TR_CALL_LIST_TOOLS,
    TR_CALL_LIST_RESOURCES,
    TR_CALL_LIST_PROMPTS
};

/* How a handler ended. Everything in it lives in the call's arena. */
struct tr_call_outcome {
    tr_status status; /* TR_OK: it returned; else it failed and `err` is set */
    struct tr_err err;
    tr_str where; /* in its app a failure is to be mended, "app.lua:7"; empty
                     when its text says so, or the caller has to mend it */
    const struct tr_json *data;       /* of an error, such as {"fields": ...} */
    bool says_all;                    /* `err` tells what its fields do */
    bool is_error;                    /* it returned an error on purpose */
    const struct tr_json *value;      /* plain data, or NULL */
    const struct tr_json *structured; /* the value as clients were promised it;
                                         NULL: the value itself */
    const struct tr_json *content;    /* an array of content blocks, or NULL */
    const struct tr_json *meta;       /* for the result's _meta, or NULL */
};

/* What a handler, and those that it invoked, have used. */
struct tr_call_used {
    bool is_said; /* by ctx:spend; else it is what descriptors state */
    int64_t tokens;
    int64_t micro_usd;
};

/* What a call that was invoked has been charged with. */
struct tr_call_charge {
    uint64_t number; /* of its invocation */
    tr_str id;       /* of its capability */
    struct tr_call_used used;
};

/* Whether what earlier rounds have paid is ours: nobody makes use of it twice.
 */
enum tr_call_claim {
    TR_CALL_CLAIM_OPEN, /* nobody has asked the store yet */
    TR_CALL_CLAIM_OURS,
    TR_CALL_CLAIM_TAKEN,
};

/* Of a root: what its rounds pay (journal.h). */
struct tr_call_round {
    const struct tr_json *paid; /* what earlier ones have, or NULL */
    enum tr_call_claim claim;
    uint64_t invocations; /* that have begun */
    TR_VEC(struct tr_call_charge) charges;
};

/* What a door does for a call. All of it on the call's loop. */
struct tr_call_door_ops {
    /* `total` may be NULL, `message` empty. Dropped when nobody listens. */
    void (*progress)(struct tr_call *call, double progress, const double *total,
                     tr_str message);
    void (*note)(struct tr_call *call, enum tr_call_note_level level,
                 tr_str logger, const struct tr_json *data);
    enum tr_call_asked (*ask)(struct tr_call *call, struct tr_call_ask *asks,
                              size_t count, struct tr_err *err);
    /* A resource changed; one of the lists changed. For all clients. */
    void (*updated)(struct tr_call *call, tr_str uri);
    void (*list_changed)(struct tr_call *call, enum tr_call_list_kind kind);
    /* Ends the stream of a client that polls; the result comes later. */
    void (*close_stream)(struct tr_call *call);
    /* The last word: the door may release the call before it returns. */
    void (*finished)(struct tr_call *call,
                     const struct tr_call_outcome *outcome);
};

/* What a host does for a call that it runs. */
struct tr_call_host_ops {
    /* The answers of the asks it waits for are there. */
    void (*resume)(struct tr_call *call);
    /* Stop at the next chance, then finish; with what does not matter. Not
     * called while a child runs: the host hears of that one's end. */
    void (*cancel)(struct tr_call *call);
};

/*
 * What a call is doing; the comments say what it waits for. Up to RUNNING a
 * call can be made to stop, after that it cannot.
 */
enum tr_call_state {
    TR_CALL_DECIDING,   /* passes its stages; policies may be at work */
    TR_CALL_QUEUED,     /* for its turn: another one has its idempotency key,
                           or what it was too late for */
    TR_CALL_HOLDING,    /* for the write of its hold on budgets */
    TR_CALL_RUNNING,    /* for its handler, and that for whatever it likes */
    TR_CALL_LANDING,    /* for the write of its changes */
    TR_CALL_CORRECTING, /* for the write that corrects its hold */
    TR_CALL_RECORDING,  /* for the write of its denial */
    TR_CALL_ENDED,      /* the door hears of it */
};

/*
 * Why a call has to end early; the first reason stays. This is no state of its
 * own: what the call waits for has to come, or to be given up, before it can
 * end, and which of the two depends on its state.
 */
enum tr_call_stop {
    TR_CALL_STOP_NONE,
    TR_CALL_STOP_CANCELLED, /* nobody wants its result */
    TR_CALL_STOP_LATE,      /* its time is up */
    TR_CALL_STOP_ASKED,     /* of a root: its round has ended with a question */
};

/*
 * What a call runs. Each kind has a row in pipeline.c, which says what is asked
 * before it runs, and what it may do.
 */
enum tr_call_kind {
    TR_CALL_CAPABILITY,
    TR_CALL_META,     /* a meta-capability */
    TR_CALL_RESOURCE, /* or a template */
    TR_CALL_PROMPT,
    TR_CALL_COMPLETION,
    TR_CALL_SUBSCRIPTION, /* its handler only lets pass: the door watches */
    TR_CALL_POLICY,
};
#define TR_CALL_KINDS 7

/*
 * The activities that a connection or session was told of, the newest. A caller
 * without a name has no other way to say which are its own.
 */
struct tr_call_given {
    size_t count; /* of all so far */
    unsigned char ids[TR_LIMIT_PROV_GIVEN][TR_CRYPTO_UUID_BYTES];
};

struct tr_call {
    struct tr_loop *loop;
    struct tr_arena *arena;
    const struct tr_cap_snapshot *snapshot; /* pinned by the door */
    const struct tr_cap_handler *handler;   /* what is run */
    enum tr_call_kind kind;
    const struct tr_cap *cap; /* of the first two; NULL for other kinds */
    const struct tr_cap_guard *guard; /* of other kinds; NULL: it is refused */
    const struct tr_json *args;       /* an object; checked by tr_call_invoke */
    const struct tr_shape *input;     /* of a prompt, or NULL: no arguments;
                                         of tr_call_offer */
    const struct tr_json *given_idempotency_key; /* by the door, or NULL */
    tr_str idempotency_key; /* checked by tr_call_invoke, or "" */
    tr_str principal;       /* that of the authority */
    const struct tr_access_authority *authority; /* NULL: it is refused */
    tr_str trace_id;
    const struct tr_call_client *client;
    const struct tr_call_given *given; /* or NULL */

    const struct tr_call_door_ops *door;
    void *door_data;
    const struct tr_call_host_ops *host; /* set by the host that runs it */
    void *host_data;
    struct tr_call *parent; /* the call whose handler invoked this one */
    struct tr_call *child;  /* the one that its handler waits for, or NULL */
    enum tr_call_state state;
    enum tr_call_stop stop;
    enum tr_call_stop late_stop; /* came while it landed; if it cannot, it is
                                    not run again */
    unsigned stages;    /* that it still has to pass: a set (stage.h) */
    bool in_production; /* nobody has the scope dev */
    const struct tr_err *refusal; /* why it could not change the graph */
    bool decides_only; /* a policy: it neither changes nor waits for anything */

    const struct tr_call_env *env; /* the loop's, or NULL: there is no graph */
    struct tr_graph_kg *kg;        /* of a root, once a handler wants it */
    /*
     * NULL unless it has an idempotency key, which only a root can have, or a
     * budget concerns it.
     */
    struct tr_call_idempotency *idempotency;
    struct tr_call_budget_hold *budget_hold;
    struct tr_call_used used;

    /*
     * Of a root: its tries (again.h), and what they have told the client. What
     * cannot be taken back, such as a question, sets `has_acted`.
     */
    struct tr_call_again *again; /* NULL in the first */
    unsigned retried;
    bool has_acted;
    bool has_progress;
    double progress;        /* the highest */
    TR_VEC(uint64_t) notes; /* hashes of the lines that were sent */
    size_t notes_again;     /* of them, those that this try has not repeated */

    uint64_t number; /* of the invocation that it is; a root has 0 */
    struct tr_call_round round;

    uint64_t timeout_ms;  /* how long it may take, set by the door; 0: ever */
    uint64_t deadline_ms; /* from that, on the loop's clock; 0: none */
    struct tr_loop_timer timer;

    /*
     * What provenance keeps of the call. The door gives what is run its name,
     * unless that is a capability; the host says what it took; record.c fills
     * in the rest.
     */
    struct tr_prov_activity activity;
    uint64_t started_ns;   /* 0 when nothing is recorded */
    uint64_t instructions; /* of the host, and nanoseconds of running */
    uint64_t ran_ns;
    bool is_recorded; /* its activity has landed with its changes */

    /*
     * What it has fetched, for provenance; of a root, how much that was with
     * all that it has invoked (fetch.h).
     */
    TR_VEC(struct tr_prov_activity_fetch) fetches;
    unsigned fetch_count;
    size_t fetch_bytes;

    /*
     * The journal: what earlier rounds recorded, and what this one records.
     * Only the root's is used; it holds what children did too.
     */
    const struct tr_json *replay; /* an array, or NULL */
    TR_VEC(struct tr_json) journal;
    size_t journal_at;
};

/*
 * The host says that the handler has ended. A call that was made to stop ends
 * with TR_E_CANCELLED or, past its deadline, TR_E_TIMEOUT, whatever the host
 * says. What happens then stands in finish.c.
 */
void tr_call_finish(struct tr_call *call,
                    const struct tr_call_outcome *outcome);

/*
 * Nobody wants the result any more, nor that of what the handler invoked. The
 * call still finishes, once, perhaps before this returns.
 */
void tr_call_cancel(struct tr_call *call);

/*
 * Tells the client how far a call is, or writes it a log line. A call that is
 * run again does not tell what it has told.
 */
void tr_call_progress(struct tr_call *call, double progress,
                      const double *total, tr_str message);
void tr_call_note(struct tr_call *call, enum tr_call_note_level level,
                  tr_str logger, const struct tr_json *data);

/*
 * Takes an answer to a question, which must outlive the call, when it is what
 * was asked for: defaults of fields are filled in, and content that nobody
 * asked for is left out. TR_E_VALIDATION: `ask->wrong` says what is wrong with
 * it.
 */
TR_NODISCARD tr_status tr_call_ask_take(const struct tr_call *call,
                                        struct tr_call_ask *ask,
                                        const struct tr_json *answer,
                                        struct tr_err *err);

/*
 * Ends this round: the client was asked something, and sends the call again
 * together with its answers.
 */
void tr_call_end_round(struct tr_call *call);

/* As tr_call_cancel, because the time of the call is up. */
void tr_call_expire(struct tr_call *call);

/*
 * Whether a handler that runs has to stop. The loop's clock stands still while
 * it runs, so the host says for how long it has been running.
 */
bool tr_call_must_end(struct tr_call *call, uint64_t running_ms);

/* Whether the call has to end; its host need not know why. */
static inline bool tr_call_is_stopped(const struct tr_call *call)
{
    return call->stop != TR_CALL_STOP_NONE;
}

/*
 * A handler says what it has used, which counts for the calls above it too.
 * TR_E_INVALID when an amount is negative or not a number, TR_E_LIMIT when it
 * is more than one call can use.
 */
TR_NODISCARD tr_status tr_call_budget_use(struct tr_call *call, int64_t tokens,
                                          double usd, struct tr_err *err);

/* Adds what was used, to the calls above it too. */
void tr_call_budget_add(struct tr_call *call, struct tr_call_used more);

/* The top of the chain of parents: the call that a door knows. */
struct tr_call *tr_call_root(struct tr_call *call);

/*
 * A door was asked for what nothing has the name of: leaves an activity. Of the
 * call it has filled the loop, the environment, the caller and the kind; the
 * call is not started.
 */
void tr_call_record_unknown(struct tr_call *call, tr_str asked);

/* What stands before what the call runs; NULL before a policy. */
const struct tr_cap_guard *tr_call_guard(const struct tr_call *call);

/* The scopes of the caller that count here: what lists for it are made by. */
unsigned tr_call_scopes(const struct tr_call *call);

/* Whether the connection of a call was told of this activity. */
bool tr_call_was_given(struct tr_call *call,
                       const unsigned char id[TR_CRYPTO_UUID_BYTES]);

/* Whether the caller has a scope; where there is no authority it has none. */
bool tr_call_has_scope(const struct tr_call *call, enum tr_scope scope);

/* Bytes of a traceparent, without a NUL. */
#define TR_CALL_TRACEPARENT 55

/*
 * Writes the traceparent (W3C Trace Context, 3.2) that what a call asks for
 * has: its trace, and as the parent the end of the id of its activity. False
 * when its trace has no such id, or nothing is recorded of the call.
 */
bool tr_call_traceparent(const struct tr_call *call,
                         char to[TR_CALL_TRACEPARENT]);

/* A handler that lets every call pass: what a subscription runs. */
extern const struct tr_cap_handler tr_call_pass;

/*
 * A completion of what has none of its own: the values that the field of
 * `input` can have, where they are few.
 */
extern const struct tr_cap_handler tr_call_offer;

/*
 * The one way to a handler of any kind: what runs without it cannot end well,
 * since tr_call_finish refuses the success of a call that has not passed its
 * stages. Asks whether the caller may and what policies say, checks the
 * arguments against the capability's input, fills in defaults, decides the
 * preconditions and starts the handler. The outcome, also of a refusal, comes
 * through the door's `finished`, perhaps before this returns. The output is
 * checked on the way.
 */
void tr_call_invoke(struct tr_call *call);

/*
 * Invokes another capability for the handler of `parent`. `done` hears of the
 * outcome instead of a door; everything else goes to the parent's door. The
 * child lives in the parent's arena. Fails with TR_E_NOT_FOUND, TR_E_LIMIT
 * (too many levels) or TR_E_NOMEM, and then `done` is not called.
 */
typedef void tr_call_invoke_done_fn(struct tr_call *parent, void *data,
                                    const struct tr_call_outcome *outcome);

struct tr_call_invoke_child {
    tr_str id;
    const struct tr_json *args;
    tr_call_invoke_done_fn *done;
    void *data;
};

TR_NODISCARD tr_status tr_call_invoke_child(
    struct tr_call *parent, const struct tr_call_invoke_child *request,
    struct tr_err *err);

#endif
