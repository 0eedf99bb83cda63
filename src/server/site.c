#include "server/site.h"

#include "config/config.h"

static bool needs_bearer(const struct tr_config *config)
{
    if (config->auth.required == TR_CONFIG_REQUIRED_AUTO)
        return config->server.behind_tls_proxy ||
               config->project.env == TR_CONFIG_ENV_PRODUCTION;
    return config->auth.required == TR_CONFIG_REQUIRED_TRUE;
}

struct tr_project_site tr_server_site(const struct tr_server_app *app)
{
    const struct tr_config *config = app->config;
    const struct tr_config_list *issuers = &config->auth.authorization_servers;
    bool has_jwt = issuers->count || config->auth.issuer.len;
    return (struct tr_project_site){
        .name = tr_str_from(app->name),
        .title = config->project.title,
        .description = config->project.description,
        .version = TR_STR(TR_VERSION),
        .base = config->server.public_url,
        .mcp_path = TR_STR("/mcp"),
        .has_manifest = config->manifest.enabled != 0,
        .has_http = config->http.enabled != 0,
        .plain_tools = !config->mcp.annotations,
        .auth = {.takes_bearer = true,
                 .needs_bearer = needs_bearer(config),
                 .bearer_format = has_jwt ? TR_STR("jwt") : TR_STR(""),
                 .authorization =
                     issuers->count ? issuers->items[0] : TR_STR("")},
    };
}
