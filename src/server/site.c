#include "server/site.h"

#include "config/config.h"
#include "net/listener.h"
#include "server/gate.h"

static bool is_local(tr_str address)
{
    struct tr_net_address at;
    return tr_net_address_parse(address, &at, NULL) == TR_OK &&
           tr_net_address_is_loopback(&at);
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
                 .needs_bearer = tr_server_gate_needs_bearer(
                     app, is_local(config->server.http)),
                 .bearer_format = has_jwt ? TR_STR("jwt") : TR_STR(""),
                 .authorization =
                     issuers->count ? issuers->items[0] : TR_STR("")},
    };
}
