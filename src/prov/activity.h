/*
 * prov/activity.h - what is remembered of one invocation.
 *
 * An activity says who did what with which nodes, when, how it ended and what
 * it cost. It holds no values: of arguments and results it has keyed digests
 * (prov/digest.h), and of nodes ids that only the store's graph can resolve.
 * Its texts are borrowed; recording copies them.
 */
#ifndef TR_PROV_ACTIVITY_H
#define TR_PROV_ACTIVITY_H

#include "base/buf.h"
#include "base/err.h"
#include "base/scope.h"
#include "crypto/digest.h"
#include "crypto/random.h"
#include "prov/digest.h"

/* Stored as numbers: new ones are added at the end. */
enum tr_prov_activity_kind {
    TR_PROV_ACTIVITY_TOOL = 1,
    TR_PROV_ACTIVITY_RESOURCE,
    TR_PROV_ACTIVITY_PROMPT,
    TR_PROV_ACTIVITY_COMPLETION,
    TR_PROV_ACTIVITY_COMMAND, /* of the command line, such as an import */
    TR_PROV_ACTIVITY_POLICY,  /* a decision on its parent: ok, or denied */
    TR_PROV_ACTIVITY_META,    /* of a meta-capability */
};

/* How it ended; stored as numbers, too. */
enum tr_prov_activity_end {
    TR_PROV_ENDED_OK,
    TR_PROV_ENDED_RETURNED, /* it returned an error on purpose */
    TR_PROV_ENDED_FAILED,
    TR_PROV_ENDED_REFUSED, /* its arguments or its changes are not valid */
    TR_PROV_ENDED_DENIED,  /* the caller may not, or has used up its budget */
    TR_PROV_ENDED_CANCELLED,
    TR_PROV_ENDED_TIMED_OUT,
    TR_PROV_ENDED_ASKED, /* it asked the client, whose answer runs it again */
};

/* Ids of nodes: at most TR_LIMIT_PROV_IDS, the rest is only counted. */
struct tr_prov_activity_ids {
    const uint64_t *items;
    size_t count;
    uint64_t left_out;
};

/* A request to another host: never its path, its query or what it said. */
struct tr_prov_activity_fetch {
    tr_str host;   /* with its port, if it is not the usual one */
    tr_str reason; /* why there is no answer, or "" */
    uint64_t code;
    uint64_t bytes;
    uint64_t took_us;
};

/* The first TR_LIMIT_PROV_FETCHES, the rest is only counted. */
struct tr_prov_activity_fetches {
    const struct tr_prov_activity_fetch *items;
    size_t count;
    uint64_t left_out;
};

/* The text of a file of the project that a meta-capability has made. */
struct tr_prov_activity_file {
    tr_str path; /* from the project's folder */
    unsigned char sha256[TR_CRYPTO_SHA256_BYTES];
};

/* The first TR_LIMIT_PROV_FILES, the rest is only counted. */
struct tr_prov_activity_files {
    const struct tr_prov_activity_file *items;
    size_t count;
    uint64_t left_out;
};

/* What it cost. */
struct tr_prov_activity_cost {
    uint64_t instructions; /* of Lua */
    uint64_t running_us;   /* without the time it waited */
    uint64_t result_bytes;
    uint64_t tokens;
    uint64_t micro_usd;
};

struct tr_prov_activity {
    unsigned char id[TR_CRYPTO_UUID_BYTES];     /* tr_crypto_uuid_maker_next of
                                                   `started_us` */
    unsigned char parent[TR_CRYPTO_UUID_BYTES]; /* all zero when it has none */
    enum tr_prov_activity_kind kind;
    tr_str name;        /* of a capability or prompt, or a URI template */
    tr_str version;     /* "" when it has none */
    tr_str principal;   /* "" when nobody was authenticated */
    tr_str asked;       /* what was asked for, when nothing has that name;
                           tr_prov_asked cuts it */
    tr_str trace_id;    /* 32 digits of base 16, or "" */
    int64_t started_us; /* since 1970, UTC */
    uint64_t took_us;
    unsigned tries; /* of its handler, when it was run again; else 0 */
    enum tr_prov_activity_end ended;
    tr_status status;
    bool wrote; /* then it stays for ever, and lands with its changes */
    bool has_args_digest;
    bool has_result_digest;
    unsigned char args_digest[TR_PROV_DIGEST_BYTES];
    unsigned char result_digest[TR_PROV_DIGEST_BYTES];
    struct tr_prov_activity_ids used;
    struct tr_prov_activity_ids generated;
    struct tr_prov_activity_ids invalidated;
    struct tr_prov_activity_fetches fetches;
    enum tr_scope scope; /* that a meta-capability needs; 0 of others */
    struct tr_prov_activity_files files; /* the same: what it has generated */
    struct tr_prov_activity_cost cost;
};

/* The name of all that nothing has a name for, so that strangers cannot fill
 * the table of names. */
#define TR_PROV_UNKNOWN "unknown"

/* The start of a text: at most 64 characters, none of them cut. */
#define TR_PROV_ASKED_CHARACTERS 64
tr_str tr_prov_asked(tr_str text);

/* How a call with this outcome ended. */
enum tr_prov_activity_end tr_prov_activity_end_of(tr_status status,
                                                  bool is_error);

/* When it ended, in microseconds since 1970. */
int64_t tr_prov_activity_ended_us(const struct tr_prov_activity *activity);

/* Writes microseconds since 1970 as RFC 3339 has them; years 1970 to 9999. */
void tr_prov_activity_write_time(struct tr_buf *out, int64_t us);

/* Whether another call's handler invoked it. */
bool tr_prov_activity_has_parent(const struct tr_prov_activity *activity);

/* Names such as "tool" and "timed_out". */
const char *tr_prov_activity_kind_name(enum tr_prov_activity_kind kind);
const char *tr_prov_activity_end_name(enum tr_prov_activity_end end);

/* The IRI trails://prov/<uuid>, without a NUL. */
#define TR_PROV_ACTIVITY_IRI                                                   \
    (sizeof(TR_PROV_ACTIVITY_NAMESPACE) - 1 + TR_CRYPTO_UUID_TEXT)
#define TR_PROV_ACTIVITY_NAMESPACE "trails://prov/"
#define TR_PROV_LATEST             TR_PROV_ACTIVITY_NAMESPACE "latest"
void tr_prov_activity_iri(const unsigned char id[TR_CRYPTO_UUID_BYTES],
                          char out[TR_PROV_ACTIVITY_IRI]);

/* Reads such an IRI, or the UUID alone; false when it is neither. */
TR_NODISCARD bool
tr_prov_activity_read_id(tr_str text, unsigned char out[TR_CRYPTO_UUID_BYTES]);

#endif
