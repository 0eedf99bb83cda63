#include "prov/agent.h"

#include "base/text.h"
#include "prov/activity.h"
#include "rdf/iri.h"

/* A principal that is an IRI stands for itself, unless it would pass for one of
 * the IRIs that are made here. */
tr_str tr_prov_agent_iri(tr_str principal, char text[TR_PROV_AGENT_BYTES])
{
    struct tr_buf buf;
    if (!principal.len)
        return TR_STR(TR_PROV_ACTIVITY_NAMESPACE "anonymous");
    if (!tr_str_starts(principal, TR_STR(TR_PROV_ACTIVITY_NAMESPACE)) &&
        tr_rdf_iri_check(principal, NULL) == TR_OK)
        return principal;
    tr_buf_init_fixed(&buf, text, TR_PROV_AGENT_BYTES);
    tr_buf_put(&buf, TR_STR(TR_PROV_ACTIVITY_NAMESPACE "agent/"));
    tr_percent_put(&buf, principal, "");
    return tr_buf_str(&buf);
}
