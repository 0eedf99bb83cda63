#include "mcp/given.h"

#include "mcp/inside.h"
#include "mcp/session.h"

struct tr_call_given **tr_mcp_given_of(const struct tr_mcp_request *request)
{
    if (request->authority.principal.len || !request->mcp->opts.production)
        return NULL; /* it has a name, or sees everything of nobody's */
    if (request->sink && request->sink->given)
        return request->sink->given;
    return request->session ? &request->session->given : NULL;
}

static void keep(struct tr_call_given **given,
                 const unsigned char id[TR_CRYPTO_UUID_BYTES])
{
    if (!*given)
        *given = calloc(1, sizeof(**given));
    if (!*given)
        return;
    size_t at = (*given)->count++ % TR_LEN((*given)->ids);
    memcpy((*given)->ids[at], id, TR_CRYPTO_UUID_BYTES);
}

void tr_mcp_given_note(struct tr_mcp_request *request,
                       const struct tr_call_outcome *outcome)
{
    unsigned char decision[TR_CRYPTO_UUID_BYTES];
    const struct tr_call *call = &request->call;
    struct tr_call_given **given = tr_mcp_given_of(request);
    if (!given || !call->started_ns)
        return;
    keep(given, call->activity.id); /* a result may be an error, too */
    if (tr_prov_activity_read_id(
            tr_json_text(tr_json_find(outcome->data, TR_STR("decision_id"))),
            decision))
        keep(given, decision);
}
