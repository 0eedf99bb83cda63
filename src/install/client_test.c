#include "install/client.h"

#include "base/test.h"

static const struct tr_install_client *client_of(const char *option)
{
    for (size_t i = 0; i < TR_INSTALL_CLIENTS; i++) {
        if (strcmp(tr_install_clients[i].option, option) == 0)
            return &tr_install_clients[i];
    }
    tr_test_fail("a host", option, __FILE__, __LINE__);
}

/* The environments of the table below; each has a home, except for the last. */
static char *const linux_plain[] = {"HOME=/h/u", NULL};
static char *const linux_settings[] = {"XDG_CONFIG_HOME=/settings/",
                                       "HOME=/h/u", NULL};
static char *const relative[] = {"HOME=/h/u/", "XDG_CONFIG_HOME=settings",
                                 "CODEX_HOME=codex",
                                 "CLAUDE_CONFIG_DIR=", NULL};
static char *const folders[] = {
    "HOME=/h/u",          "CODEX_HOME=/c", "CLAUDE_CONFIG_DIR=/d",
    "GEMINI_CLI_HOME=/g", "HOMER=/x",      NULL};
static char *const nobody[] = {"PATH=/bin", NULL};

static const struct {
    const char *option;
    char *const *variables;
    bool is_mac;
    const char *path;
} rows[] = {
    {"claude", linux_plain, false,
     "/h/u/.config/Claude/claude_desktop_config.json"},
    {"claude", linux_settings, false,
     "/settings/Claude/claude_desktop_config.json"},
    {"claude", linux_settings, true,
     "/h/u/Library/Application Support/Claude/claude_desktop_config.json"},
    {"claude", relative, false,
     "/h/u/.config/Claude/claude_desktop_config.json"},
    {"claude-code", linux_settings, false, "/h/u/.claude.json"},
    {"claude-code", linux_plain, true, "/h/u/.claude.json"},
    {"claude-code", folders, false, "/d/.claude.json"},
    {"claude-code", relative, false, "/h/u/.claude.json"},
    {"cursor", linux_settings, false, "/h/u/.cursor/mcp.json"},
    {"cursor", linux_plain, true, "/h/u/.cursor/mcp.json"},
    {"vscode", linux_plain, false, "/h/u/.config/Code/User/mcp.json"},
    {"vscode", linux_settings, false, "/settings/Code/User/mcp.json"},
    {"vscode", linux_plain, true,
     "/h/u/Library/Application Support/Code/User/mcp.json"},
    {"codex", linux_settings, false, "/h/u/.codex/config.toml"},
    {"codex", folders, true, "/c/config.toml"},
    {"codex", relative, false, "/h/u/.codex/config.toml"},
    {"gemini", linux_settings, false, "/h/u/.gemini/settings.json"},
    {"gemini", folders, false, "/g/.gemini/settings.json"},
};

TEST(hosts_have_their_file_where_the_environment_says)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct tr_install_env env = {rows[i].variables, rows[i].is_mac};
        char path[TR_LIMIT_PATH_BYTES];
        struct tr_err err;
        CHECK_OK(
            tr_install_user_file(client_of(rows[i].option), &env, path, &err),
            &err);
        CHECK_STR(tr_str_from(path), rows[i].path);
    }
}

TEST(hosts_have_no_file_of_their_own_without_a_home)
{
    struct tr_install_env env = {nobody, false};
    char path[TR_LIMIT_PATH_BYTES];
    struct tr_err err;
    for (size_t i = 0; i < TR_INSTALL_CLIENTS; i++) {
        CHECK_INT(
            tr_install_user_file(&tr_install_clients[i], &env, path, &err),
            TR_E_INVALID);
        CHECK(strstr(err.msg, "HOME does not name a folder") != NULL);
    }
}

TEST(hosts_may_have_a_file_in_a_project)
{
    static const struct {
        const char *option;
        const char *path;
    } files[] = {{"claude-code", "/p/.mcp.json"},
                 {"cursor", "/p/.cursor/mcp.json"},
                 {"vscode", "/p/.vscode/mcp.json"},
                 {"codex", "/p/.codex/config.toml"},
                 {"gemini", "/p/.gemini/settings.json"}};
    char path[TR_LIMIT_PATH_BYTES];
    struct tr_err err;
    for (size_t i = 0; i < TR_LEN(files); i++) {
        CHECK_OK(tr_install_project_file(client_of(files[i].option), "/p/",
                                         path, &err),
                 &err);
        CHECK_STR(tr_str_from(path), files[i].path);
    }
    CHECK_INT(tr_install_project_file(client_of("claude"), "/p", path, &err),
              TR_E_UNSUPPORTED);
    CHECK_STR(tr_str_from(err.msg), "Claude Desktop has no settings of a "
                                    "project: leave --project out");
    CHECK_OK(tr_install_project_file(client_of("claude-code"), "/", path, &err),
             &err);
    CHECK_STR(tr_str_from(path), "/.mcp.json");
}

TEST(hosts_have_paths_of_a_maximum_length)
{
    static char folder[TR_LIMIT_PATH_BYTES];
    char path[TR_LIMIT_PATH_BYTES];
    struct tr_err err;
    memset(folder, 'x', sizeof(folder) - 1);
    folder[0] = '/';
    CHECK_INT(tr_install_project_file(client_of("cursor"), folder, path, &err),
              TR_E_LIMIT);
    folder[TR_LIMIT_PATH_BYTES - 1 - strlen("/.mcp.json")] = '\0';
    CHECK_OK(
        tr_install_project_file(client_of("claude-code"), folder, path, &err),
        &err);
}

TEST(hosts_know_their_own_system)
{
    struct tr_install_env env = tr_install_env_own();
    CHECK(env.variables != NULL);
#ifdef __linux__
    CHECK(!env.is_mac);
#endif
}

TEST(a_file_that_is_named_says_how_it_is_read)
{
    static const struct {
        const char *path;
        const char *text;
        const char *servers;
        bool is_toml;
        bool has_type;
    } files[] = {
        {"a.json", "", "mcpServers", false, false},
        {"a.json", "{\"servers\": {}} // x", "servers", false, true},
        {"a.json", "{\"servers\": 1, \"mcpServers\": {}}", "mcpServers", false,
         false},
        {"a.json", "{", "mcpServers", false, false},
        {"/x/a.toml", "", "mcp_servers", true, false},
        {".toml", "", "mcpServers", false, false},
    };
    for (size_t i = 0; i < TR_LEN(files); i++) {
        struct tr_install_form form =
            tr_install_form_of(files[i].path, tr_str_from(files[i].text));
        CHECK_STR(form.servers, files[i].servers);
        CHECK_ROW(form.is_toml == files[i].is_toml, files[i].text);
        CHECK_ROW(form.has_type == files[i].has_type, files[i].text);
        CHECK_STR(tr_str_from(form.host), files[i].path);
    }
}
