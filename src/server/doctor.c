#include "server/doctor.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "config/config.h"
#include "crypto/secrets.h"
#include "server/app.h"
#include "server/gate.h"
#include "server/site.h"

static const struct tr_server_doctor *
of(const struct tr_doctor_outside *outside)
{
    return (const struct tr_server_doctor *)(const void *)outside;
}

void tr_server_doctor_say(const char *file, const struct tr_err *err,
                          char out[TR_SERVER_DOCTOR_TEXT])
{
    char place[32] = "";
    bool is_named = *file && strncmp(err->msg, file, strlen(file)) == 0;
    if (err->place.line)
        (void)snprintf(place, sizeof(place), ":%u:%u", err->place.line,
                       err->place.column);
    (void)snprintf(out, TR_SERVER_DOCTOR_TEXT, "%s%s%s%s", is_named ? "" : file,
                   is_named ? "" : place, *file && !is_named ? ": " : "",
                   err->msg);
}

static void note(struct tr_server_doctor *doctor,
                 struct tr_server_failure *failure, enum tr_audit_health health,
                 const char *why)
{
    (void)pthread_mutex_lock(&doctor->lock);
    failure->health = health;
    (void)snprintf(failure->why, sizeof(failure->why), "%s", why ? why : "");
    (void)pthread_mutex_unlock(&doctor->lock);
}

void tr_server_doctor_note_load(struct tr_server_doctor *doctor,
                                enum tr_audit_health health, const char *why)
{
    note(doctor, &doctor->load, health, why);
}

void tr_server_doctor_note_config(struct tr_server_doctor *doctor,
                                  const char *why)
{
    note(doctor, &doctor->config, TR_AUDIT_FAIL, why);
}

bool tr_server_doctor_note_waiting(struct tr_server_doctor *doctor,
                                   const char *names)
{
    bool is_same = strcmp(doctor->waiting.why, names ? names : "") == 0;
    note(doctor, &doctor->waiting, TR_AUDIT_WARN, names);
    return !is_same;
}

static struct tr_server_failure
read_note(const struct tr_server_doctor *doctor,
          const struct tr_server_failure *failure)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&doctor->lock;
    (void)pthread_mutex_lock(lock);
    struct tr_server_failure copy = *failure;
    (void)pthread_mutex_unlock(lock);
    return copy;
}

/* As it is now: who starts next, or loads again, reads it. */
static tr_status config_parses(const struct tr_doctor_outside *outside,
                               struct tr_doctor_exam *exam, struct tr_err *err)
{
    const struct tr_server_doctor *doctor = of(outside);
    struct tr_server_failure failed = read_note(doctor, &doctor->config);
    struct tr_err why = {0};
    char file[256];
    if (!failed.why[0] &&
        tr_server_app_check_config(doctor->app, file, &why) != TR_OK)
        tr_server_doctor_say(file, &why, failed.why);
    if (failed.why[0])
        return tr_doctor_tell(exam, TR_AUDIT_FAIL, tr_str_from(failed.why),
                              TR_STR("mend it: no server starts with it"), err);
    struct tr_server_failure waiting = read_note(doctor, &doctor->waiting);
    if (!waiting.why[0])
        return TR_OK;
    char text[TR_SERVER_DOCTOR_TEXT + 64];
    (void)snprintf(text, sizeof(text), "%s: changed, but not in effect",
                   waiting.why);
    return tr_doctor_tell(exam, TR_AUDIT_WARN, tr_str_from(text),
                          TR_STR("start the server again"), err);
}

static tr_status app_loads(const struct tr_doctor_outside *outside,
                           struct tr_doctor_exam *exam, struct tr_err *err)
{
    const struct tr_server_doctor *doctor = of(outside);
    struct tr_server_failure failed = read_note(doctor, &doctor->load);
    if (!failed.why[0])
        return TR_OK;
    return tr_doctor_tell(
        exam, failed.health, tr_str_from(failed.why),
        failed.health == TR_AUDIT_WARN
            ? TR_STR("mend it and load it again; the app of before is served")
            : TR_STR("mend it: no server starts with it"),
        err);
}

static tr_status project_matches(const struct tr_doctor_outside *outside,
                                 struct tr_doctor_exam *exam,
                                 struct tr_err *err)
{
    struct tr_err why = {0};
    if (tr_server_app_check_store(of(outside)->app, &why) != TR_E_CONFLICT)
        return TR_OK;
    return tr_doctor_tell(exam, TR_AUDIT_FAIL, tr_str_from(why.msg),
                          TR_STR("name the project as before, or: trails store "
                                 "rename"),
                          err);
}

static tr_status settings_are_safe(const struct tr_doctor_outside *outside,
                                   struct tr_doctor_exam *exam,
                                   struct tr_err *err)
{
    struct tr_server_unsafe found[TR_SERVER_UNSAFE_MAX];
    size_t count =
        tr_server_unsafe_find(of(outside)->app, tr_doctor_snapshot(exam),
                              tr_doctor_arena(exam), found);
    for (size_t i = 0; i < count; i++) {
        char text[TR_SERVER_DOCTOR_TEXT];
        (void)snprintf(text, sizeof(text), "%s: %s", found[i].id,
                       found[i].message);
        TR_TRY(tr_doctor_tell(exam, TR_AUDIT_WARN, tr_str_from(text),
                              tr_str_from(found[i].fix), err));
    }
    return TR_OK;
}

tr_status tr_server_doctor_init(struct tr_server_doctor *doctor,
                                const struct tr_server_app *app,
                                struct tr_err *err)
{
    const struct tr_config *config = app->config;
    *doctor = (struct tr_server_doctor){
        .outside = {.config = config,
                    .folder = app->folder,
                    .forms = doctor->forms,
                    .form_count = TR_MCP_FORMS,
                    .config_parses = config_parses,
                    .app_loads = app_loads},
        .app = app,
    };
    if (pthread_mutex_init(&doctor->lock, NULL) != 0)
        return tr_fail(err, TR_E_NOMEM, "cannot make a lock");
    if (config)
        doctor->site = tr_server_site(app);
    tr_mcp_list_forms(&doctor->site, doctor->forms);
    if (!config)
        return TR_OK;
    doctor->outside.site = &doctor->site;
    doctor->outside.project_matches = project_matches;
    doctor->outside.settings_are_safe = settings_are_safe;
    return TR_OK;
}

void tr_server_doctor_done(struct tr_server_doctor *doctor)
{
    (void)pthread_mutex_destroy(&doctor->lock);
}
