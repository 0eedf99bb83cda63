#include "builtin/doctor.h"

#include "base/limits.h"
#include "doctor/doctor.h"
#include "runtime/env.h"

tr_status tr_builtin_render_doctor(struct tr_builtin_reply *reply,
                                   struct tr_err *err)
{
    struct tr_call *call = reply->call;
    struct tr_query_scan scans[TR_LIMIT_QUERY_SCANS];
    struct tr_doctor_report report;
    struct tr_graph_read_ctx ctx;
    struct tr_graph_kg *kg;
    TR_TRY(tr_builtin_reply_enter(reply, &kg, &ctx, err));
    const struct tr_doctor_patient patient = {
        .snapshot = call->snapshot,
        .model = reply->model,
        .scopes = tr_call_scopes(call),
        .db = ctx.db,
        .max_bytes = TR_LIMIT_DOCTOR_BYTES,
        .scans = scans,
        .scan_count = ctx.scans ? tr_query_scans_read(ctx.scans, scans) : 0,
        .outside = tr_call_root(call)->env->doctor,
    };
    tr_status status = tr_doctor_examine(&patient, call->arena, &report, err);
    tr_graph_kg_leave(kg);
    TR_TRY(status);
    tr_doctor_write(&reply->writer, &report);
    return tr_jw_finish(&reply->writer, err);
}
