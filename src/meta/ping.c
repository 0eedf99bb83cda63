/*
 * Who is there: the meta-capability that everybody may call.
 */
#include "base/compiler.h"
#include "meta/inside.h"
#include "runtime/env.h"

#include <assert.h>

tr_status tr_meta_outside_of(struct tr_call *call,
                             const struct tr_meta_outside **out,
                             struct tr_err *err)
{
    const struct tr_call_env *env = tr_call_root(call)->env;
    *out = env ? env->meta : NULL;
    return *out ? TR_OK
                : tr_fail(err, TR_E_UNSUPPORTED,
                          "nothing is known of the app here");
}

tr_status tr_meta_ping(struct tr_builtin_reply *reply, struct tr_err *err)
{
    const struct tr_meta_outside *outside = NULL;
    struct tr_json_writer *w = &reply->writer;
    unsigned scopes = tr_call_scopes(reply->call);
    TR_TRY(tr_meta_outside_of(reply->call, &outside, err));
    assert(outside && "what succeeds has a result");
    tr_jw_open(w, '{');
    tr_jw_put_bool(w, "pong", true);
    tr_jw_put_string(w, "version", TR_STR(TR_VERSION));
    tr_jw_put_string(w, "env", outside->env);
    tr_jw_key(w, "scopes");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++) {
        if (scopes & tr_scopes_sorted[i])
            tr_jw_string(w, tr_str_from(tr_scope_name(tr_scopes_sorted[i])));
    }
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
    return tr_jw_finish(w, err);
}
