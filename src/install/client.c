#include "install/client.h"

#include "install/editor.h"

#include <sys/utsname.h>
#include <unistd.h>

#define STRICT       (TR_INSTALL_NO_COMMENTS | TR_INSTALL_NO_LAST_COMMA)
#define MAC_SETTINGS "Library/Application Support/"

const struct tr_install_client tr_install_clients[TR_INSTALL_CLIENTS] = {
    {
        .option = "claude",
        .form = {.servers = TR_STR_INIT("mcpServers"),
                 .host = "Claude Desktop",
                 .refuses = STRICT},
        .mac = MAC_SETTINGS "Claude/claude_desktop_config.json",
        .settings = "Claude/claude_desktop_config.json",
    },
    {
        .option = "claude-code",
        .form = {.servers = TR_STR_INIT("mcpServers"),
                 .host = "Claude Code",
                 .refuses = STRICT,
                 .has_type = true},
        .variable = "${",
        .home = ".claude.json",
        .folder_variable = "CLAUDE_CONFIG_DIR",
        .folder = ".claude.json",
        .project = ".mcp.json",
    },
    {
        .option = "cursor",
        .form = {.servers = TR_STR_INIT("mcpServers"),
                 .host = "Cursor",
                 .has_type = true},
        .variable = "${",
        .home = ".cursor/mcp.json",
        .project = ".cursor/mcp.json",
    },
    {
        .option = "vscode",
        .form = {.servers = TR_STR_INIT("servers"),
                 .host = "VS Code",
                 .has_type = true},
        .variable = "${",
        .mac = MAC_SETTINGS "Code/User/mcp.json",
        .settings = "Code/User/mcp.json",
        .project = ".vscode/mcp.json",
    },
    {
        .option = "codex",
        .form = {.servers = TR_STR_INIT("mcp_servers"),
                 .host = "Codex",
                 .is_toml = true},
        .home = ".codex/config.toml",
        .folder_variable = "CODEX_HOME",
        .folder = "config.toml",
        .project = ".codex/config.toml",
    },
    {
        .option = "gemini",
        .form = {.servers = TR_STR_INIT("mcpServers"),
                 .host = "Gemini CLI",
                 .refuses = TR_INSTALL_NO_LAST_COMMA | TR_INSTALL_NO_MARK},
        .variable = "$",
        .home = ".gemini/settings.json",
        .folder_variable = "GEMINI_CLI_HOME",
        .folder = ".gemini/settings.json",
        .project = ".gemini/settings.json",
    },
};

struct tr_install_env tr_install_env_own(void)
{
    struct utsname system;
    return (struct tr_install_env){
        .variables = environ,
        .is_mac = uname(&system) >= 0 && strcmp(system.sysname, "Darwin") == 0,
    };
}

/* The value of a variable that is a path; NULL when there is none. */
static const char *path_in(const struct tr_install_env *env, const char *name)
{
    size_t len = strlen(name);
    for (char *const *at = env->variables; *at; at++) {
        if (strncmp(*at, name, len) == 0 && (*at)[len] == '=')
            return (*at)[len + 1] == '/' ? *at + len + 1 : NULL;
    }
    return NULL;
}

static tr_status join(const char *folder, const char *middle, const char *file,
                      char out[TR_LIMIT_PATH_BYTES], struct tr_err *err)
{
    size_t end = strlen(folder);
    while (end > 1 && folder[end - 1] == '/')
        end--;
    if (end == 1 && folder[0] == '/')
        end = 0;
    int len = snprintf(out, TR_LIMIT_PATH_BYTES, "%.*s/%s%s", (int)end, folder,
                       middle, file);
    if (len < 0 || (size_t)len >= TR_LIMIT_PATH_BYTES)
        return tr_fail(err, TR_E_LIMIT, "the path of %s is too long", file);
    return TR_OK;
}

tr_status tr_install_user_file(const struct tr_install_client *host,
                               const struct tr_install_env *env,
                               char out[TR_LIMIT_PATH_BYTES],
                               struct tr_err *err)
{
    const char *home = path_in(env, "HOME");
    const char *settings = path_in(env, "XDG_CONFIG_HOME");
    const char *named =
        host->folder_variable ? path_in(env, host->folder_variable) : NULL;
    if (named)
        return join(named, "", host->folder, out, err);
    if (!host->home && !env->is_mac && settings)
        return join(settings, "", host->settings, out, err);
    if (!home)
        return tr_fail(err, TR_E_INVALID,
                       "HOME does not name a folder, in which the file of %s "
                       "would be",
                       host->form.host);
    if (host->home)
        return join(home, "", host->home, out, err);
    return env->is_mac ? join(home, "", host->mac, out, err)
                       : join(home, ".config/", host->settings, out, err);
}

tr_status tr_install_project_file(const struct tr_install_client *host,
                                  const char *folder,
                                  char out[TR_LIMIT_PATH_BYTES],
                                  struct tr_err *err)
{
    if (!host->project)
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "%s has no settings of a project: leave --project out",
                       host->form.host);
    return join(folder, "", host->project, out, err);
}

struct tr_install_form tr_install_form_of(const char *path, tr_str text)
{
    struct tr_install_form form = {.servers = TR_STR("mcpServers"),
                                   .host = path};
    struct tr_install_form other = form;
    struct tr_arena arena;
    const struct tr_json *root = NULL;
    size_t len = strlen(path);
    if (len > 5 && strcmp(path + len - 5, ".toml") == 0)
        return (struct tr_install_form){
            .servers = TR_STR("mcp_servers"), .host = path, .is_toml = true};
    other.servers = TR_STR("servers");
    other.has_type = true;
    tr_arena_init(&arena, TR_LIMIT_INSTALL_MEMORY);
    bool is_other =
        tr_install_read(&arena, &form, text, &root, NULL) == TR_OK &&
        !tr_json_find(root, form.servers) && tr_json_find(root, other.servers);
    tr_arena_done(&arena);
    return is_other ? other : form;
}
