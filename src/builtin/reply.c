#include "builtin/reply.h"

#include "base/limits.h"
#include "cap/snapshot.h"
#include "crypto/seal.h"
#include "json/build.h"
#include "loop/loop.h"
#include "runtime/env.h"
#include "runtime/outcome.h"

#define CURSOR_SECONDS ((int64_t)24 * 3600)

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for an answer");
}

tr_status tr_builtin_reply_enter(struct tr_builtin_reply *reply,
                                 struct tr_graph_kg **kg,
                                 struct tr_graph_read_ctx *ctx,
                                 struct tr_err *err)
{
    return tr_call_enter(reply->call, reply->face, kg, ctx, err);
}

/* A resource shows what its caller may see; a tool is the same for all. */
static void look(struct tr_builtin_reply *reply)
{
    const struct tr_builtin *what = reply->what;
    const struct tr_call *call = reply->call;
    reply->face = what->is_tool ? what->face : tr_call_face(call);
    reply->model =
        call->snapshot ? tr_cap_snapshot_model(call->snapshot) : NULL;
    reply->type = what->type;
    if (!reply->face)
        return;
    reply->model = reply->face->model;
    if (what->type)
        reply->type = tr_model_find(reply->model, what->type->name);
}

tr_str tr_builtin_reply_arg(const struct tr_builtin_reply *reply,
                            const char *name)
{
    return tr_json_text(tr_json_find(reply->call->args, tr_str_from(name)));
}

static const struct tr_crypto_keys *
keys_of(const struct tr_builtin_reply *reply)
{
    const struct tr_call_env *env = tr_call_root(reply->call)->env;
    return env ? env->keys : NULL;
}

tr_status tr_builtin_reply_seal(const struct tr_builtin_reply *reply,
                                const char *purpose, const struct tr_buf *text,
                                tr_str *out, struct tr_err *err)
{
    const struct tr_crypto_seal how = {
        .keys = keys_of(reply),
        .purpose = tr_str_from(purpose),
        .expires = tr_loop_wall(reply->call->loop).seconds + CURSOR_SECONDS,
    };
    if (!how.keys)
        return tr_fail(err, TR_E_UNSUPPORTED,
                       "there are more than fit, and no keys to sign a cursor");
    TR_TRY(tr_buf_check(text, err));
    return tr_crypto_seal(reply->call->arena, &how, tr_buf_str(text), out, err);
}

bool tr_builtin_reply_unseal(const struct tr_builtin_reply *reply,
                             const char *purpose, tr_str cursor, tr_str *out)
{
    const struct tr_crypto_unseal how = {
        .keys = keys_of(reply),
        .purpose = tr_str_from(purpose),
        .now = tr_loop_wall(reply->call->loop).seconds,
    };
    return how.keys && tr_crypto_unseal(reply->call->arena, &how, cursor, out,
                                        NULL) == TR_OK;
}

static struct tr_json_member member_of(const char *key, struct tr_json value)
{
    return (struct tr_json_member){
        .key = tr_json_make_text(TR_JSON_STRING, tr_str_from(key)),
        .value = value,
    };
}

tr_status tr_builtin_reply_meta(struct tr_builtin_reply *reply, const char *key,
                                const struct tr_json *value, struct tr_err *err)
{
    return tr_vec_push(reply->call->arena, &reply->meta, member_of(key, *value))
               ? TR_OK
               : fail_memory(err);
}

tr_status tr_builtin_reply_meta_text(struct tr_builtin_reply *reply,
                                     const char *key, tr_str text,
                                     struct tr_err *err)
{
    if (!tr_arena_copy(reply->call->arena, text, &text))
        return fail_memory(err);
    const struct tr_json value = tr_json_make_text(TR_JSON_STRING, text);
    return tr_builtin_reply_meta(reply, key, &value, err);
}

tr_status tr_builtin_reply_meta_count(struct tr_builtin_reply *reply,
                                      const char *key, uint64_t count,
                                      struct tr_err *err)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
    tr_str copy;
    if (!tr_arena_copy(reply->call->arena, (tr_str){text, (size_t)len}, &copy))
        return fail_memory(err);
    const struct tr_json value = tr_json_make_integer(copy);
    return tr_builtin_reply_meta(reply, key, &value, err);
}

tr_status tr_builtin_reply_error_member(struct tr_builtin_reply *reply,
                                        const char *key, tr_str text,
                                        struct tr_err *err)
{
    struct tr_arena *arena = reply->call->arena;
    struct tr_json value = {.kind = TR_JSON_NULL};
    if (!tr_arena_copy(arena, text, &text))
        return fail_memory(err);
    if (text.len)
        value = tr_json_make_text(TR_JSON_STRING, text);
    return tr_vec_push(arena, &reply->data, member_of(key, value))
               ? TR_OK
               : fail_memory(err);
}

/* Contents of a resource: the text, or {"text", "_meta"} when it has any. */
static tr_status make_contents(struct tr_builtin_reply *reply,
                               struct tr_json *out, struct tr_err *err)
{
    struct tr_arena *arena = reply->call->arena;
    struct tr_json_member members[2];
    struct tr_json meta;
    TR_TRY(tr_buf_check(&reply->text, err));
    *out = tr_json_make_text(TR_JSON_STRING, tr_buf_str(&reply->text));
    if (!reply->meta.count)
        return TR_OK;
    members[0] = member_of("text", *out);
    if (!tr_json_make_object(arena, reply->meta.items, reply->meta.count,
                             &meta))
        return fail_memory(err);
    members[1] = member_of("_meta", meta);
    return tr_json_make_object(arena, members, 2, out) ? TR_OK
                                                       : fail_memory(err);
}

/* The data of an error: the members that the handler has added, else what the
 * graph has refused; NULL also without memory. */
static const struct tr_json *data_of(const struct tr_builtin_reply *reply,
                                     tr_status status)
{
    struct tr_arena *arena = reply->call->arena;
    if (reply->data.count) {
        struct tr_json *own = TR_NEW(arena, struct tr_json);
        return own && tr_json_make_object(arena, reply->data.items,
                                          reply->data.count, own)
                   ? own
                   : NULL;
    }
    return tr_call_graph_data(reply->call, status);
}

void tr_builtin_run(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_builtin_reply reply = {.call = call, .what = handler->data};
    struct tr_call_outcome outcome = {0};
    struct tr_json contents;
    tr_buf_init(&reply.text, TR_LIMIT_MESSAGE);
    tr_jw_init(&reply.writer, &reply.text);
    look(&reply);
    outcome.status = reply.what->write(&reply, &outcome.err);
    if (outcome.status == TR_OK && reply.value) {
        outcome.value = reply.value;
        outcome.status = tr_call_outcome_show_stored(call, &outcome,
                                                     reply.asked, &outcome.err);
    } else if (outcome.status == TR_OK && reply.what->gives_data) {
        outcome.value = tr_call_tree(call, &reply.writer, &reply.text);
        if (!outcome.value)
            outcome.status = fail_memory(&outcome.err);
    } else if (outcome.status == TR_OK) {
        outcome.status = make_contents(&reply, &contents, &outcome.err);
        outcome.value = &contents;
    }
    if (outcome.status != TR_OK)
        outcome.data = data_of(&reply, outcome.status);
    /* A handler that writes a text has changed nothing, so nothing has to land:
     * the text is read before this returns. */
    tr_call_finish(call, &outcome);
    tr_buf_done(&reply.text);
}
