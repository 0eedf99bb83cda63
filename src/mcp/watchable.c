#include "mcp/watchable.h"

#include "cap/snapshot.h"
#include "graph/uri.h"

tr_status tr_watchable_check(const struct tr_snapshot *snapshot, tr_str uri,
                             struct tr_err *err)
{
    if (!tr_str_starts(uri, TR_STR("trails://")) ||
        tr_snapshot_find_resource(snapshot, uri) ||
        tr_kg_uri_is_ours(uri, tr_snapshot_model(snapshot)))
        return TR_OK;
    if (memchr(uri.ptr, '?', uri.len))
        return tr_fail(err, TR_E_INVALID,
                       "a filter cannot be watched: watch the type, "
                       "trails://kg/<Type>, or trails://kg/<Type>/<id>");
    return tr_fail(err, TR_E_INVALID,
                   "nothing is told of this URI: watch trails://kg/<Type>, or "
                   "trails://kg/<Type>/<id> with the end of an IRI of this "
                   "project and type, or with the whole of another");
}
