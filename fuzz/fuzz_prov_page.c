/*
 * Any bytes as the query of trails://prov: a page that can be asked for, or a
 * reason, for who sees everything, for who sees its own, and for nobody.
 */
#include "access/authority.h"
#include "base/limits.h"
#include "base/text.h"
#include "builtin/prov_resource.h"
#include "json/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* What is refused is named, briefly and as text. */
static void check_refusal(const struct tr_builtin_reply *reply,
                          const struct tr_err *err)
{
    must(err->msg[0] && reply->data.count == 2);
    tr_str field = tr_json_text(&reply->data.items[0].value);
    must(field.len <= TR_LIMIT_NAME_BYTES && tr_utf8_is_valid(field));
    must(tr_json_text(&reply->data.items[1].value).len > 0);
}

/* There is no store, so that a page which can be asked for ends there. */
static void ask(const struct tr_access_authority *authority, tr_str uri)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    struct tr_json args;
    struct tr_json_member member = {
        tr_json_make_text(TR_JSON_STRING, TR_STR("uri")),
        tr_json_make_text(TR_JSON_STRING, uri)};
    tr_arena_init(&arena, TR_MIB(16));
    must(tr_json_make_object(&arena, &member, 1, &args));
    struct tr_call call = {.arena = &arena,
                           .args = &args,
                           .kind = TR_CALL_RESOURCE,
                           .authority = authority,
                           .principal = authority->principal,
                           .in_production = true};
    struct tr_builtin_reply reply = {.call = &call};
    tr_buf_init(&reply.text, TR_LIMIT_MESSAGE);
    tr_jw_init(&reply.writer, &reply.text);
    tr_status status = tr_builtin_render_activities(&reply, &err);
    if (status == TR_E_INVALID)
        check_refusal(&reply, &err);
    else
        must(status == TR_E_UNSUPPORTED ||
             (status == TR_E_SCOPE && !(authority->scopes & TR_SCOPE_BUILDER)));
    tr_buf_done(&reply.text);
    tr_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tr_access_authority callers[] = {
        {.is_authenticated = true,
         .scopes = TR_SCOPE_RUNTIME | TR_SCOPE_BUILDER,
         .principal = TR_STR_INIT("token:builder")},
        {.is_authenticated = true,
         .scopes = TR_SCOPE_RUNTIME,
         .principal = TR_STR_INIT("token:ann")},
        {.scopes = TR_SCOPE_RUNTIME},
    };
    struct tr_buf uri;
    tr_buf_init(&uri, TR_LIMIT_MESSAGE);
    tr_buf_put(&uri, TR_STR("trails://prov?"));
    tr_buf_put(&uri, (tr_str){(const char *)data, size});
    if (tr_buf_check(&uri, NULL) == TR_OK) {
        for (size_t i = 0; i < TR_LEN(callers); i++)
            ask(&callers[i], tr_buf_str(&uri));
    }
    tr_buf_done(&uri);
    return 0;
}
