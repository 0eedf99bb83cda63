#include "prov/agent.h"

#include "prov/activity.h"
#include "rdf/iri.h"

/* Letters and digits, and what RFC 3986 calls unreserved, stay. */
void tr_prov_put_encoded(struct tr_buf *out, tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool stays = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                     c == '_' || c == '~';
        if (stays)
            tr_buf_putc(out, c);
        else
            tr_buf_putf(out, "%%%02X", (unsigned)(unsigned char)c);
    }
}

/* A principal that is an IRI is itself, unless it claims to be one of ours. */
tr_str tr_prov_agent_iri(tr_str principal, char text[TR_PROV_AGENT_BYTES])
{
    struct tr_buf buf;
    if (!principal.len)
        return TR_STR(TR_ACTIVITY_NAMESPACE "anonymous");
    if (!tr_str_starts(principal, TR_STR(TR_ACTIVITY_NAMESPACE)) &&
        tr_iri_check(principal, NULL) == TR_OK)
        return principal;
    tr_buf_init_fixed(&buf, text, TR_PROV_AGENT_BYTES);
    tr_buf_put(&buf, TR_STR(TR_ACTIVITY_NAMESPACE "agent/"));
    tr_prov_put_encoded(&buf, principal);
    return tr_buf_str(&buf);
}
