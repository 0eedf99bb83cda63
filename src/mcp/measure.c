#include "mcp/measure.h"

#include "mcp/listen.h"
#include "mcp/mcp.h"
#include "mcp/session.h"

struct tr_mcp_gauges tr_mcp_measure(const struct tr_mcp *mcp)
{
    struct tr_mcp_gauges gauges = {0};
    for (const struct tr_session *s = mcp->sessions; s; s = s->next) {
        gauges.sessions++;
        gauges.streams += s->stream != NULL;
        gauges.subscriptions += s->watch_count;
    }
    for (const struct tr_listen *l = mcp->listens; l; l = l->next) {
        gauges.streams++;
        gauges.subscriptions += l->watch_count;
    }
    for (const struct tr_mcp_request *r = mcp->requests; r; r = r->next)
        gauges.running += r->is_running;
    return gauges;
}
