/*
 * cap/cap.h - the descriptor of a capability: the truth all surfaces show.
 *
 * A host fills a `struct tr_cap` and gives it to tr_cap_registry_add_cap, which
 * checks and copies it; zero and empty mean the default. Registered ones are
 * immutable and live in the arena of their snapshot.
 */
#ifndef TR_CAP_CAP_H
#define TR_CAP_CAP_H

#include "base/scope.h"
#include "json/json.h"

struct tr_arena;
struct tr_call;
struct tr_shape_checked;
struct tr_field;
struct tr_schema_finding;
struct tr_cap_handler;
struct tr_shape;
struct tr_model_type;
struct tr_schema_verbatim;

/*
 * The code of a capability, in whatever language: hosts (Lua, C) fill it in,
 * runtime/ starts it and defines the call. It ends the call before it returns,
 * or later.
 */
typedef void tr_cap_handler_fn(const struct tr_cap_handler *handler,
                               struct tr_call *call);

struct tr_cap_handler {
    tr_cap_handler_fn *run;
    const void *data; /* the host's; lives as long as the snapshot */
};

/*
 * What decides whether a call may go on. A guard names policies in
 * `policy_required`; all of them have to allow a call. The handler of one gets
 * the principal, what is called and the arguments; it ends with TR_OK when it
 * allows the call.
 */
struct tr_cap_policy {
    tr_str name; /* as an id, and colons */
    tr_str description;
    struct tr_cap_handler handler;
};

enum tr_cap_reasoning {
    TR_CAP_REASONING_NONE,
    TR_CAP_REASONING_RDFS,
    TR_CAP_REASONING_OWL_RL
};
enum tr_cap_assurance {
    TR_CAP_ASSURANCE_DEFAULT, /* before registration */
    TR_CAP_ASSURANCE_L1,      /* unsigned: all of them, until something signs */
    TR_CAP_ASSURANCE_L2,      /* signed: what an author may ask for */
    TR_CAP_ASSURANCE_L3,      /* anchored outside */
};
enum tr_cap_version_status {
    TR_CAP_VERSION_ACTIVE,
    TR_CAP_VERSION_DEPRECATED,
    TR_CAP_VERSION_EXPERIMENTAL,
    TR_CAP_VERSION_RETIRED,
};

/* An annotation of the tool for MCP clients: derived from the descriptor unless
 * it is set. */
enum tr_cap_hint { TR_CAP_HINT_DERIVED, TR_CAP_HINT_NO, TR_CAP_HINT_YES };

struct tr_cap_strs {
    const tr_str *items;
    size_t count;
};

/*
 * What stands before whatever callers get at: the scope that they must have,
 * and the policies that all have to allow it. Capabilities, resources,
 * templates and prompts have one each; what belongs to a type has the type's.
 */
struct tr_cap_guard {
    enum tr_scope scope;                /* 0: whoever has been let in */
    struct tr_cap_strs policy_required; /* names of policies */
    const struct tr_model_type *type;   /* that it guards, or NULL */
    tr_str where;                       /* "app.lua:7", or empty */

    /* Set by registration. */
    unsigned needed; /* the set of its scope and those of preconditions */
    const struct tr_cap_policy *const *policies; /* for each policy_required */
};

/* The guard of what is open to all. */
extern const struct tr_cap_guard tr_cap_guard_open;

/* The guard that a type asks for, as a draft. */
struct tr_cap_guard tr_cap_guard_of_type(const struct tr_model_type *type);

static inline bool tr_cap_guard_is_open(const struct tr_cap_guard *guard)
{
    return !guard->needed && !guard->policy_required.count;
}

/* Whether lists for callers with these scopes have what stands behind it. */
static inline bool tr_cap_guard_is_shown(const struct tr_cap_guard *guard,
                                         unsigned scopes)
{
    return (guard->needed & ~scopes) == 0;
}

/*
 * What must hold before a capability runs, as it was written, or after it. Its
 * form is checked when the capability is added. Since types may be declared
 * later, it becomes a condition only when the snapshot is built.
 */
struct tr_cap_precondition {
    tr_str kind;
    const struct tr_json *params; /* an object, or NULL */
};

enum tr_cap_condition_kind {
    TR_CAP_NEEDS_NOTHING, /* another kind: it is told, not enforced */
    TR_CAP_NEEDS_NODE,    /* every node that an argument names is there */
    TR_CAP_NEEDS_SCOPE,   /* the caller has it */
    TR_CAP_NEEDS_STATE,   /* as NODE, and a field of it has one of the values */
};

/* A precondition with its names looked up; lives in the arena of the snapshot,
 * as all that it points to. */
struct tr_cap_condition {
    enum tr_cap_condition_kind kind;
    enum tr_scope scope; /* the rest is for nodes */
    tr_str arg;          /* one text, or an array of them; may be absent */
    const struct tr_model_type *type;
    const struct tr_field *field;
    const struct tr_json *one_of; /* an array of scalars */
};

/*
 * What is said here is the whole truth, also when it is nothing. When nothing
 * is said, registration fills in what counts: no writes, or in development "*".
 */
struct tr_cap_side_effects {
    bool is_said; /* implied when the next two, or `read_only`, say something */
    struct tr_cap_strs graph_writes;   /* "default", IRIs, prefixes with a star
                                          at the end, "*" */
    struct tr_cap_strs external_calls; /* beginnings of URLs, which may be
                                          fetched; or words, which say so */
    bool regulated;
};

struct tr_cap_cost {
    int64_t tokens;
    double usd;
    double latency_p50_ms;
    double latency_p95_ms;
};

/* An argument that is also sent as the header Mcp-Param-<name>. */
struct tr_cap_header {
    tr_str name;
    tr_str pointer; /* JSON Pointer into the arguments */
};

/* An argument that every idempotent capability has, unless its input has one of
 * that name (runtime/idempotency.h). */
#define TR_CAP_IDEMPOTENCY_KEY "idempotency_key"

struct tr_cap {
    /* The fourteen fields, in the order of the canonical form. */
    tr_str id;
    tr_str version; /* SemVer; default 0.1.0 */
    tr_str description;
    const struct tr_shape *input_shape; /* NULL: no fields, or input_schema */
    const struct tr_shape *output_shape;
    const struct tr_cap_precondition *preconditions;
    size_t precondition_count;
    struct tr_cap_side_effects side_effects;
    struct tr_cap_cost cost;
    struct tr_cap_guard guard; /* policy_required; its scope 0: runtime */
    bool idempotent;
    tr_str deprecates; /* the id it replaces */
    enum tr_cap_reasoning reasoning;
    enum tr_cap_assurance assurance;
    enum tr_cap_version_status version_status;

    /* What is so afterwards, as its author says: nothing enforces it. */
    const struct tr_cap_precondition *postconditions;
    size_t postcondition_count;

    /* What surfaces need beside them. */
    struct tr_cap_handler handler;
    const struct tr_schema_verbatim *input_schema; /* instead of input_shape */
    tr_str input_name;  /* instead of a shape: a type of the model, or one of
                           its shapes; found when the model is there */
    tr_str output_name; /* the same; of a type, an instance as it is shown */
    const struct tr_shape *stored_shape; /* with an output of stored nodes: what
                                            clients are promised of it, since
                                            nodes may be older than their type;
                                            NULL: output_shape */
    const struct tr_model_type *finds;   /* the type whose instances it lists,
                                            ready-made; or NULL */
    struct tr_cap_strs lacks; /* arguments that it goes without, since its type
                                 has fields of their names */
    tr_str title;
    bool output_is_page;   /* {"items": [...], "next"?} of output_shape */
    bool output_is_stored; /* the handler gives nodes as the graph has them */
    enum tr_cap_hint read_only;
    enum tr_cap_hint destructive;
    enum tr_cap_hint open_world;
    const struct tr_json *icons; /* an array, or NULL */
    const struct tr_json *meta;  /* an object for _meta, or NULL */

    /* Set by registration. */
    bool is_meta; /* of the other registry: it is about the app itself */
    tr_str name;  /* on MCP, by the spelling in force */
    const struct tr_shape *shown_shape; /* the input as callers see it, with a
                                           key, when that is another */
    const struct tr_cap_header *headers;
    size_t header_count;
    const struct tr_cap_condition *conditions; /* one for each precondition */
    enum tr_cap_assurance requested; /* what its author asks for; or DEFAULT */

    /* Set when the snapshot is built: the one that deprecates it, or NULL; the
     * IRIs of its shapes, "" where there are none (shape_iri.c); and what some
     * clients refuse in it. */
    const struct tr_cap *successor;
    tr_str input_iri;
    tr_str output_iri;
    const struct tr_schema_finding *findings;
    size_t finding_count;
};

/*
 * The one judgement of a change by the declaration of a registered capability:
 * TR_E_INTERNAL when it breaks its word. `graph` is NULL when it is not known
 * yet which graph it is, "" for the default graph. `is_lost` says that a
 * statement goes which was there before the call.
 */
TR_NODISCARD tr_status tr_cap_may_change(const struct tr_cap *cap,
                                         const tr_str *graph, bool is_lost,
                                         struct tr_err *err);

/* Whether it may fetch from there: its external_calls have the beginning. */
struct tr_fetch_url;
TR_NODISCARD tr_status tr_cap_may_fetch(const struct tr_cap *cap,
                                        const struct tr_fetch_url *url,
                                        struct tr_err *err);

/*
 * The parts of the id of a meta-capability: "gen" and "shape" of
 * trails.meta.gen.shape; "meta" and "ping" of trails.meta.ping.
 */
struct tr_cap_meta_parts {
    tr_str space;
    tr_str op;
};
struct tr_cap_meta_parts tr_cap_meta_parts(const struct tr_cap *cap);

/* Whether lists, and all views, for callers with these scopes have it. */
bool tr_cap_is_listed(const struct tr_cap *cap, unsigned scopes);

/* The hints as clients see them. */
bool tr_cap_is_read_only(const struct tr_cap *cap);
bool tr_cap_is_destructive(const struct tr_cap *cap);
bool tr_cap_is_open_world(const struct tr_cap *cap);

/*
 * Whether a handler has kept the promise of its descriptor: as tr_shape_check;
 * without an output shape everything fits. With one, no output at all (NULL) is
 * TR_E_INTERNAL: clients were told to expect it.
 */
TR_NODISCARD tr_status tr_cap_check_output(const struct tr_cap *cap,
                                           const struct tr_json *value,
                                           struct tr_arena *arena,
                                           struct tr_shape_checked *out,
                                           struct tr_err *err);

/* "none", "L1", "active" */
const char *tr_cap_reasoning_name(enum tr_cap_reasoning reasoning);
const char *tr_cap_assurance_name(enum tr_cap_assurance assurance);
const char *tr_cap_version_status_name(enum tr_cap_version_status status);

/* Each finds a value by its name; false when there is none. */
bool tr_cap_reasoning_find(tr_str name, enum tr_cap_reasoning *out);
bool tr_cap_assurance_find(tr_str name, enum tr_cap_assurance *out);
bool tr_cap_version_status_find(tr_str name, enum tr_cap_version_status *out);

#endif
