/* What only the process knows that has the app. */
#include "base/limits.h"
#include "base/scope.h"
#include "config/config.h"
#include "doctor/inside.h"
#include "prov/log.h"

#include <sys/resource.h>

static tr_status ask(struct tr_doctor_exam *exam, tr_doctor_ask_fn *question,
                     struct tr_err *err)
{
    return question ? question(exam->patient->outside, exam, err) : TR_OK;
}

/* A process with a snapshot has read it once; it may have changed since, and
 * what is wrong with it is for its author. */
tr_status tr_doctor_check_config(struct tr_doctor_exam *exam,
                                 struct tr_err *err)
{
    const struct tr_doctor_outside *outside = exam->patient->outside;
    bool is_author = exam->patient->scopes & TR_SCOPE_BUILDER;
    return outside && is_author ? ask(exam, outside->config_parses, err)
                                : TR_OK;
}

tr_status tr_doctor_check_load(struct tr_doctor_exam *exam, struct tr_err *err)
{
    return ask(exam, exam->patient->outside->app_loads, err);
}

tr_status tr_doctor_check_project(struct tr_doctor_exam *exam,
                                  struct tr_err *err)
{
    return ask(exam, exam->patient->outside->project_matches, err);
}

tr_status tr_doctor_check_settings(struct tr_doctor_exam *exam,
                                   struct tr_err *err)
{
    return ask(exam, exam->patient->outside->settings_are_safe, err);
}

static tr_status check_descriptors(struct tr_doctor_exam *exam,
                                   const struct tr_config *config,
                                   struct tr_err *err)
{
    struct rlimit limit;
    uint64_t wanted = (uint64_t)config->server.max_connections;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max >= wanted)
        return TR_OK;
    return tr_doctor_tellf(
        exam, TR_AUDIT_WARN,
        "raise the hard limit of open files (LimitNOFILE=, ulimit -Hn), or "
        "lower [server] max_connections",
        err,
        "[server] max_connections is %llu, and a process may open %llu files",
        (unsigned long long)wanted, (unsigned long long)limit.rlim_max);
}

/* Then the oldest go before their days are over. */
static tr_status check_reads(struct tr_doctor_exam *exam,
                             const struct tr_config *config, struct tr_err *err)
{
    int64_t rows = config->prov.read_rows;
    int64_t count = 0;
    if (!exam->patient->db)
        return TR_OK;
    TR_TRY(tr_prov_reads(exam->patient->db, &count, err));
    if (count < rows)
        return TR_OK;
    return tr_doctor_tellf(
        exam, TR_AUDIT_WARN, "raise [prov] read_rows, or lower read_days", err,
        "there are %lld activities of calls that only read, as many as [prov] "
        "read_rows allows: the oldest go before %lld days are over",
        (long long)count, (long long)config->prov.read_days);
}

tr_status tr_doctor_check_limits(struct tr_doctor_exam *exam,
                                 struct tr_err *err)
{
    const struct tr_config *config = exam->patient->outside->config;
    TR_TRY(check_descriptors(exam, config, err));
    return check_reads(exam, config, err);
}
