#include "access/authority.h"
#include "base/limits.h"
#include "cap/snapshot.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/unknown.h"
#include "json/reader.h"
#include "json/writer.h"
#include "project/view.h"
#include "server/app.h"
#include "server/site.h"

/* What is asked for, of an app that is loaded. */
struct asking {
    const struct tr_cli_invocation *invocation;
    const struct tr_cap_snapshot *snapshot;
    struct tr_project_asked asked;
    struct tr_project_site site; /* where `asked` points to */
};

/* The same JSON, for people to read. */
static tr_status indent(const struct asking *a, struct tr_buf *text,
                        struct tr_err *err)
{
    const struct tr_json *tree = NULL;
    struct tr_json_writer w;
    tr_str copy;
    if (!tr_arena_copy(a->invocation->arena, tr_buf_str(text), &copy))
        return tr_fail(err, TR_E_NOMEM, "no memory for the view");
    TR_TRY(tr_json_read(a->invocation->arena, copy, NULL, &tree, err));
    tr_buf_clear(text);
    tr_jw_init_pretty(&w, text);
    tr_jw_value(&w, tree);
    tr_buf_putc(text, '\n');
    return tr_jw_finish(&w, err);
}

/* Names of views, as --as has them. */
static const struct {
    const char *name;
    enum tr_project_view view;
} views[] = {
    {"markdown", TR_PROJECT_MARKDOWN}, {"json", TR_PROJECT_PLAIN},
    {"jsonld", TR_PROJECT_JSON_LD},    {"context", TR_PROJECT_CONTEXT},
    {"mcp", TR_PROJECT_TOOLS},         {"openapi", TR_PROJECT_OPENAPI},
    {"wot", TR_PROJECT_HOST},          {"card", TR_PROJECT_CARD},
    {"card-ld", TR_PROJECT_CARD_LD},
};

static tr_status write(struct asking *a, size_t view, struct tr_buf *out,
                       struct tr_err *err)
{
    TR_TRY(tr_project_write(a->snapshot, &a->asked, out, err));
    return views[view].view == TR_PROJECT_MARKDOWN ? tr_buf_check(out, err)
                                                   : indent(a, out, err);
}

static bool find_view(const char *name, size_t *out)
{
    for (*out = 0; name && *out < TR_LEN(views); (*out)++) {
        if (strcmp(views[*out].name, name) == 0)
            return true;
    }
    *out = 0;
    return !name;
}

/* One that is there, and that these scopes see. */
static bool is_there(const struct asking *a)
{
    const struct tr_cap *cap =
        a->asked.view == TR_PROJECT_TOOLS
            ? tr_cap_snapshot_find_tool(a->snapshot, a->asked.id)
            : tr_cap_snapshot_find_cap(a->snapshot, a->asked.id);
    return !a->asked.id.len || (cap && tr_str_eq(cap->id, a->asked.id) &&
                                tr_cap_is_listed(cap, a->asked.scopes));
}

static int print(struct asking *a, size_t view)
{
    struct tr_err err = {0};
    struct tr_buf out;
    a->asked.view = views[view].view;
    if (!is_there(a))
        return tr_cli_unknown_report(a->snapshot, a->asked.id, a->asked.scopes);
    tr_buf_init(&out, 2 * TR_LIMIT_VIEW_BYTES);
    tr_status status = write(a, view, &out, &err);
    if (status == TR_E_NOT_FOUND)
        (void)tr_fail(&err, status, "'%s' has nothing of a single capability",
                      views[view].name);
    int exit_code = status == TR_OK ? tr_cli_report_output(&out)
                                    : tr_cli_report_error(NULL, &err);
    tr_buf_done(&out);
    return exit_code;
}

static int load(struct asking *a, struct tr_server_app *app, size_t view)
{
    struct tr_err err = {0};
    const char *id = a->invocation->arguments[0];
    if (tr_server_app_load(app, &a->snapshot, &err) != TR_OK)
        return tr_cli_report_error(app->file, &err);
    a->site = tr_server_site(app);
    a->asked.site = &a->site;
    a->asked.id = tr_str_from(id ? id : "");
    int exit_code = print(a, view);
    tr_cap_snapshot_unpin(a->snapshot);
    return exit_code;
}

int tr_cli_run_capabilities(const struct tr_cli_invocation *invocation)
{
    const char *as = tr_cli_invocation_option(invocation, "as");
    const char *scopes = tr_cli_invocation_option(invocation, "scopes");
    const char *folder = tr_cli_invocation_option(invocation, "app");
    struct asking a = {.invocation = invocation,
                       .asked = {.scopes = TR_SCOPE_ALL}};
    struct tr_server_app app;
    struct tr_err err = {0};
    size_t view;
    if (!find_view(as, &view))
        return tr_cli_report_usage("--as: there is no view '%s'", as);
    if (scopes && tr_access_scopes_parse(tr_str_from(scopes), &a.asked.scopes,
                                         &err) != TR_OK)
        return tr_cli_report_usage("--scopes: %s", err.msg);
    if (tr_server_app_open(&app, folder ? folder : ".", &err) != TR_OK)
        return tr_cli_report_error(app.file, &err);
    int exit_code = load(&a, &app, view);
    tr_server_app_close(&app);
    return exit_code;
}
