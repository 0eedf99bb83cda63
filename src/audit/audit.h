/*
 * audit/audit.h - whether a store is sound: its file can be read, and what is
 * kept beside the quads says what they say.
 *
 * trails://doctor and `trails check` tell what it finds.
 */
#ifndef TR_AUDIT_AUDIT_H
#define TR_AUDIT_AUDIT_H

#include "base/err.h"

struct tr_db;
struct tr_model;

enum tr_audit_health { TR_AUDIT_WELL, TR_AUDIT_WARN, TR_AUDIT_FAIL };

struct tr_audit_finding {
    const char *id; /* "store.integrity", ... */
    enum tr_audit_health health;
    tr_str message;
    tr_str fix; /* what to do about it, or empty */
};

struct tr_json_writer;

/* {"id", "status": "ok", "warn" or "fail", "message", "fix"} */
void tr_audit_finding_write(struct tr_json_writer *w,
                            const struct tr_audit_finding *finding);
tr_str tr_audit_health_name(enum tr_audit_health health);

/* Gets findings, each valid during the call alone. */
struct tr_audit_sink {
    tr_status (*take)(void *context, const struct tr_audit_finding *finding,
                      struct tr_err *err);
    void *context;
};

struct tr_audit_opts {
    /* That the store was opened with, or NULL: what is put right when a store
     * is opened is not told. */
    const struct tr_model *model;
    uint64_t max_bytes; /* a larger store is not read as a whole; 0: any */
};

/*
 * Tells how it is about the file, and about what it says when all of it was
 * compared; and what else is not well. In the transaction that `db` is in. A
 * store that cannot be read is a finding, too. Whole stores take milliseconds
 * for each megabyte.
 */
TR_NODISCARD tr_status tr_audit_store(struct tr_db *db,
                                      const struct tr_audit_opts *opts,
                                      const struct tr_audit_sink *sink,
                                      struct tr_err *err);

/* How the tables beside the quads and the quads agree. */
struct tr_audit_compared {
    uint64_t extra;   /* rows of indexes that say what no quads say */
    uint64_t missing; /* rows that the quads should have there */
    uint64_t unknown; /* quads with an id that stands for no term */
    uint64_t counted; /* classes with another number of nodes than is kept */
};

/* Compares all of them both ways, in the transaction that `db` is in. */
TR_NODISCARD tr_status tr_audit_compare(struct tr_db *db,
                                        struct tr_audit_compared *out,
                                        struct tr_err *err);

#endif
