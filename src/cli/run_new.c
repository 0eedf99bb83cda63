#include "base/limits.h"
#include "cli/gen.h"
#include "cli/report.h"
#include "config/settings.h"
#include "json/build.h"
#include "server/app.h"

#include <dirent.h>
#include <unistd.h>

static bool is_empty(const char *folder)
{
    DIR *open = opendir(folder);
    size_t count = 0;
    while (open && readdir(open))
        count++;
    if (open)
        (void)closedir(open);
    return open && count == 2; /* . and .. */
}

static int report_made(const char *folder)
{
    struct tr_buf out;
    tr_buf_init(&out, 4 * TR_LIMIT_PATH_BYTES);
    tr_buf_putf(&out,
                "made %s/app.lua and %s/trails.toml; %s/README.md goes on\n\n"
                "    trails check %s     does it load?\n"
                "    trails serve %s     serve it\n",
                folder, folder, folder, folder, folder);
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

/* What gen.app takes. */
static const struct tr_json *make_arguments(struct tr_arena *arena,
                                            const char *with)
{
    struct tr_json_member members[] = {
        {tr_json_make_text(TR_JSON_STRING, TR_STR("apply")),
         tr_json_make_bool(true)},
        {tr_json_make_text(TR_JSON_STRING, TR_STR("with")),
         tr_json_make_text(TR_JSON_STRING, tr_str_from(with))},
    };
    struct tr_json *out = TR_NEW(arena, struct tr_json);
    size_t count = with ? 2 : 1;
    return out && tr_json_make_object(arena, members, count, out) ? out : NULL;
}

/* Writes into a new or empty folder alone: nothing is overwritten. */
int tr_cli_run_new(const struct tr_cli_invocation *invocation)
{
    const char *folder = invocation->arguments[0];
    const char *with = tr_cli_invocation_option(invocation, "with");
    struct tr_cli_gen asked = {
        .op = tr_gen_find(TR_STR("gen.app")),
        .folder = folder,
        .arguments = make_arguments(invocation->arena, with),
        .arena = invocation->arena,
    };
    struct tr_gen_call call;
    char name[64];
    tr_server_app_folder_name(folder, name);
    const char *why = tr_config_check_project(tr_str_from(name));
    if (why)
        return tr_cli_report_usage("the name '%s' of a project %s", name, why);
    if (with && strcmp(with, "types") != 0 && strcmp(with, "api") != 0)
        return tr_cli_report_usage(
            "--with is types or api, not '%s'%s", with,
            strcmp(with, "records") == 0 ? ", which is not there yet" : "");
    if (access(folder, F_OK) == 0 && !is_empty(folder)) {
        struct tr_err err;
        (void)tr_fail(&err, TR_E_IO, "cannot make %s: it is not empty", folder);
        return tr_cli_report_error(NULL, &err);
    }
    return tr_cli_gen_run(&asked, &call) ? report_made(folder)
                                         : TR_CLI_EXIT_FAILED;
}
