/*
 * project/view.h - the views of all capabilities that a server publishes.
 *
 * Pure: the bytes depend on the snapshot and on what is asked for alone, and
 * on the measured costs where a view has them. Every view has the capabilities
 * that tools/list has for the same scopes, and no other.
 */
#ifndef TR_PROJECT_VIEW_H
#define TR_PROJECT_VIEW_H

#include "base/buf.h"
#include "cap/cap.h"
#include "cap/snapshot.h"

/* Where a server has its views; {agent} is the name of the project. */
#define TR_PROJECT_MANIFEST_PATH "/.well-known/capabilities"
#define TR_PROJECT_HOST_PATH     "/.well-known/wot"
#define TR_PROJECT_CONTEXT_PATH  "/.well-known/trails/v1.jsonld"
#define TR_PROJECT_PLAIN_PATH    "/capabilities"
#define TR_PROJECT_OPENAPI_PATH  "/openapi.json"
#define TR_PROJECT_INVOKE_PATH   "/invoke"
#define TR_PROJECT_CARD_END      "/card" /* behind /{agent} */

/* What trails: stands for in all of them. */
#define TR_PROJECT_VOCABULARY "trails://meta/"

enum tr_project_view {
    TR_PROJECT_JSON_LD,  /* the manifest, or one capability of it */
    TR_PROJECT_PLAIN,    /* the same as JSON */
    TR_PROJECT_MARKDOWN, /* the same for people */
    TR_PROJECT_OPENAPI,  /* or one operation of it */
    TR_PROJECT_HOST,     /* the Thing Description of the server */
    TR_PROJECT_CARD,     /* that of the agent, or one action of it */
    TR_PROJECT_CARD_LD,  /* the same with terms of other vocabularies */
    TR_PROJECT_CONTEXT,  /* of JSON-LD; the same for everybody, for ever */
    TR_PROJECT_TOOLS,    /* of the newest revision of MCP, on one page; no
                            server has it at a path */
    TR_PROJECT_VIEWS
};

/* What a server says of itself; it is the same for all of its snapshots. */
struct tr_project_site {
    tr_str name;  /* of the project: the {agent} of its card */
    tr_str title; /* these may be empty: the name stands for it */
    tr_str description;
    tr_str version;    /* of the server */
    tr_str base;       /* "https://a.example"; "": references are relative */
    tr_str mcp_path;   /* "/mcp"; "" where MCP is not spoken over HTTP */
    bool has_manifest; /* [capability.manifest] enabled */
    bool has_http;     /* [http] enabled: there is /invoke */
    bool plain_tools;  /* [mcp] annotations = false */

    /* Which credentials it takes. */
    struct {
        bool takes_bearer;    /* a token of ours, or a JWT */
        bool needs_bearer;    /* nobody comes in without one */
        tr_str bearer_format; /* "jwt" where all are; or "" */
        tr_str authorization; /* where one gets them, a URL, or "" */
    } auth;
};

/* What calls have really cost: the middle one, and one in twenty. */
struct tr_project_measured {
    uint64_t calls; /* 0: none is known */
    uint64_t spent; /* those of them that said what they spend */
    double latency_p50_ms;
    double latency_p95_ms;
    double tokens_p50;
    double tokens_p95;
    double usd_p50;
    double usd_p95;
};

/* Who knows it, of each id and version; NULL where nobody does. */
struct tr_project_meter {
    void (*measure)(const struct tr_project_meter *meter,
                    const struct tr_cap *cap, struct tr_project_measured *out);
};

struct tr_project_asked {
    enum tr_project_view view;
    unsigned scopes; /* of who asks */
    tr_str id;       /* one capability; "": all */
    const struct tr_project_site *site;
    const struct tr_project_meter *meter; /* or NULL */
};

/*
 * How the door over HTTP says no: every status that it has, in the order of
 * their numbers. Those of operations are in OpenAPI.
 */
struct tr_project_refusal {
    const char *name; /* of the response, in OpenAPI */
    const char *description;
    const char *header; /* that it may have, or NULL */
    int status;
    bool is_of_operation;
    bool is_plain; /* what reads HTTP says so by itself, as text; beside a text,
                      clients would take no error of an operation for a
                      problem */
};

/* NULL behind the last. */
const struct tr_project_refusal *tr_project_refusal_at(size_t i);
bool tr_project_refusal_is_known(int status);

/* "application/ld+json", ...: what a view is served as. */
tr_str tr_project_media_type(enum tr_project_view view);

/* Whether a server has the view at all, by its settings. */
bool tr_project_is_served(enum tr_project_view view,
                          const struct tr_project_site *site);

/*
 * Appends a view. TR_E_NOT_FOUND when these scopes see no capability of the
 * id, or the view has nothing of a single one. Whole views are made once for
 * each snapshot.
 */
TR_NODISCARD tr_status tr_project_write(const struct tr_cap_snapshot *snapshot,
                                        const struct tr_project_asked *asked,
                                        struct tr_buf *out, struct tr_err *err);

/*
 * The same bytes where they stand: *out is what the snapshot keeps of a whole
 * view in which nothing is measured, and lives as long; else it is written into
 * `room`, which is cleared first.
 */
TR_NODISCARD tr_status tr_project_see(const struct tr_cap_snapshot *snapshot,
                                      const struct tr_project_asked *asked,
                                      struct tr_buf *room, tr_str *out,
                                      struct tr_err *err);

/*
 * Appends what an ETag is made of: 32 hexadecimal digits of all that these
 * scopes see of the snapshot, the same for every view and in every process.
 * Measured costs are no part of it.
 */
TR_NODISCARD tr_status tr_project_digest(const struct tr_cap_snapshot *snapshot,
                                         const struct tr_project_site *site,
                                         unsigned scopes, struct tr_buf *out,
                                         struct tr_err *err);

/* The fourteen fields of the canonical form, in their order, as one object:
 * what a version of a capability is. */
struct tr_json_writer;
void tr_project_put_descriptor(struct tr_json_writer *w,
                               const struct tr_cap *cap);

#endif
