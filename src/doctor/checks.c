#include "base/scope.h"
#include "doctor/inside.h"

#define APP     TR_DOCTOR_NEEDS_APP
#define STORE   TR_DOCTOR_NEEDS_STORE
#define ROWS    TR_DOCTOR_NEEDS_ROWS
#define OUTSIDE TR_DOCTOR_NEEDS_OUTSIDE
#define AUTHOR  TR_DOCTOR_NEEDS_AUTHOR

/* In the order in which they are told. A check that finds nothing has `good`
 * told; one without says itself that all is well. What one without `run` is
 * about, the one before it tells. */
static const struct {
    const char *id;
    const char *what; /* it looks at */
    const char *good;
    tr_doctor_check_fn *run;
    unsigned needs;
} checks[] = {
    {"config.parse", "whether trails.toml can be read, and is in effect",
     "trails.toml and the environment are in force", tr_doctor_check_config, 0},
    {"app.load", "whether app.lua loads, and did when it was loaded again",
     "the app is loaded", tr_doctor_check_load, OUTSIDE | AUTHOR},
    {"shapes.valid",
     "the types and shapes in force, and what of them nobody checks", NULL,
     tr_doctor_check_shapes, APP},
    {"projection.consistency",
     "whether every view of a capability says what its descriptor says",
     "every view says what its descriptor says", tr_doctor_check_views,
     APP | OUTSIDE},
    {"store.project", "whether the store is this project's",
     "the store is this project's", tr_doctor_check_project, OUTSIDE | AUTHOR},
    {"store.integrity", "whether the store can be read", NULL,
     tr_doctor_check_store, STORE},
    {"store.version", "whether it is of this version", NULL, NULL, 0},
    {"store.spelling", "whether values have one spelling", NULL, NULL, 0},
    {"store.indexes", "whether indexes are built, and say what nodes say", NULL,
     NULL, 0},
    {"store.terms", "whether all terms of statements are there", NULL, NULL, 0},
    {"store.counts", "whether types have as many nodes as is kept", NULL, NULL,
     0},
    {"queries.slow", "fields whose queries looked at many nodes",
     "no query was slow for want of an index", tr_doctor_check_scans, APP},
    {"calls.estimates", "what calls came to, against their estimates", NULL,
     tr_doctor_check_estimates, APP | ROWS},
    {"mcp.names", "names of tools that hosts refuse",
     "hosts take the names of all tools", tr_doctor_check_names, APP},
    {"mcp.schemas", "schemas of tools that hosts refuse",
     "hosts take the schemas of all tools", tr_doctor_check_schemas, APP},
    {"mcp.hosts", "what hosts complain of when they connect",
     "hosts have nothing to complain of", tr_doctor_check_hosts,
     APP | OUTSIDE | AUTHOR},
    {"mcp.snapshots", "the golden files in fixtures/mcp_schemas", NULL,
     tr_doctor_check_snapshots, APP | OUTSIDE | AUTHOR},
    {"mcp.footprint", "what lists cost a model", NULL,
     tr_doctor_check_footprint, APP | OUTSIDE},
    {"settings.unsafe", "settings that may not be meant",
     "no setting is unsafe", tr_doctor_check_settings, OUTSIDE | APP | AUTHOR},
    {"server.limits", "limits that are reached, or cannot be",
     "no limit is near", tr_doctor_check_limits, OUTSIDE | AUTHOR},
};

const char *tr_doctor_check_id(size_t i)
{
    return i < TR_LEN(checks) ? checks[i].id : NULL;
}

const char *tr_doctor_check_what(size_t i)
{
    return i < TR_LEN(checks) ? checks[i].what : NULL;
}

static unsigned has(const struct tr_doctor_patient *patient)
{
    bool has_settings = patient->outside && patient->outside->config;
    bool has_store = patient->db || patient->no_db || has_settings;
    return (patient->snapshot ? APP : 0U) | (has_store ? STORE : 0U) |
           (patient->db ? ROWS : 0U) | (has_settings ? OUTSIDE : 0U) |
           (patient->scopes & TR_SCOPE_BUILDER ? AUTHOR : 0U);
}

/* A check that cannot be done has found something too. */
static tr_status run(struct tr_doctor_exam *exam, size_t i, struct tr_err *err)
{
    size_t before = exam->report->count;
    struct tr_err why = {0};
    exam->id = checks[i].id;
    tr_status status = checks[i].run(exam, &why);
    if (status == TR_E_NOMEM) {
        *err = why;
        return status;
    }
    if (status != TR_OK)
        return tr_doctor_tell(exam, TR_AUDIT_FAIL, tr_str_from(why.msg),
                              TR_STR("mend what it says, and ask again"), err);
    if (exam->report->count > before || !checks[i].good)
        return TR_OK;
    return tr_doctor_tell(exam, TR_AUDIT_WELL, tr_str_from(checks[i].good),
                          TR_STR(""), err);
}

tr_status tr_doctor_examine(const struct tr_doctor_patient *patient,
                            struct tr_arena *arena,
                            struct tr_doctor_report *out, struct tr_err *err)
{
    struct tr_doctor_exam exam = {
        .patient = patient, .arena = arena, .report = out};
    *out = (struct tr_doctor_report){0};
    for (size_t i = 0; i < TR_LEN(checks); i++) {
        if (checks[i].run && (checks[i].needs & ~has(patient)) == 0)
            TR_TRY(run(&exam, i, err));
    }
    return TR_OK;
}
