#include "cli/unknown.h"

#include "base/nearest.h"
#include "cap/snapshot.h"
#include "cli/report.h"

int tr_cli_unknown_report(const struct tr_cap_snapshot *snapshot, tr_str name,
                          unsigned scopes)
{
    struct tr_nearest nearest;
    tr_nearest_init(&nearest, name);
    for (size_t i = 0; i < tr_cap_snapshot_counts(snapshot).caps; i++) {
        const struct tr_cap *cap = tr_cap_snapshot_cap(snapshot, i);
        if (tr_cap_guard_is_shown(&cap->guard, scopes))
            tr_nearest_offer(&nearest, cap->id);
    }
    if (nearest.best.len)
        return tr_cli_report_usage("no capability '%.*s', did you mean '%.*s'?",
                                   TR_FMT(name), TR_FMT(nearest.best));
    return tr_cli_report_usage("no capability '%.*s'; 'trails check' lists "
                               "them",
                               TR_FMT(name));
}
