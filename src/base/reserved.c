#include "base/reserved.h"

/* All of them; those of URIs first. A path that is added has a line here, which
 * test/serve/invoke_test.py sees to. */
#define URI_NAMES 7
static const tr_str names[] = {
    TR_STR_INIT("kg"),       TR_STR_INIT("schema"),
    TR_STR_INIT("stats"),    TR_STR_INIT("doctor"),
    TR_STR_INIT("prov"),     TR_STR_INIT("meta"),
    TR_STR_INIT("shape"),    TR_STR_INIT("shapes"),
    TR_STR_INIT("mcp"),      TR_STR_INIT("sse"),
    TR_STR_INIT("messages"), TR_STR_INIT("health"),
    TR_STR_INIT("ready"),    TR_STR_INIT("metrics"),
    TR_STR_INIT("invoke"),   TR_STR_INIT("capabilities"),
    TR_STR_INIT("v1"),       TR_STR_INIT("console"),
    TR_STR_INIT("assets"),   TR_STR_INIT("authorize"),
    TR_STR_INIT("token"),    TR_STR_INIT("register"),
    TR_STR_INIT("revoke"),   TR_STR_INIT("introspect"),
    TR_STR_INIT("device"),   TR_STR_INIT("login"),
    TR_STR_INIT("logout"),
};

static bool has(tr_str name, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tr_str_eq(name, names[i]))
            return true;
    }
    return false;
}

bool tr_reserved_name(tr_str name)
{
    return has(name, TR_LEN(names));
}

bool tr_reserved_uri(tr_str name)
{
    return has(name, URI_NAMES);
}
