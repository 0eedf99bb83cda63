#include "rest/tag.h"

#include "base/hash.h"
#include "cap/snapshot.h"
#include "project/view.h"
#include "rest/inside.h"

static tr_status make(const struct tr_cap_snapshot *snapshot, const void *arg,
                      struct tr_buf *out, struct tr_err *err)
{
    const struct tr_project_asked *asked = arg;
    return tr_project_digest(snapshot, asked->site, asked->scopes, out, err);
}

/* A digest is made once for each snapshot and set of scopes; of the site, only
 * whether it is closed may change. */
tr_status tr_rest_tag_make(const struct tr_rest_request *request,
                           const struct tr_project_asked *asked,
                           char text[TR_REST_TAG_BYTES], tr_str *out,
                           struct tr_err *err)
{
    bool closed = asked->site->auth.needs_bearer;
    const struct tr_cap_view view = {
        .key = tr_hash_u64(
            closed,
            tr_hash_u64(asked->scopes, tr_hash_bytes(TR_STR("entity tag"), 0))),
        .make = make,
        .arg = asked,
    };
    struct tr_buf buf;
    tr_str digest;
    TR_TRY(tr_cap_snapshot_view(request->snapshot, &view, &digest, err));
    tr_buf_init_fixed(&buf, text, TR_REST_TAG_BYTES);
    tr_buf_putf(&buf, "W/\"%.*s\"", TR_FMT(digest));
    *out = tr_buf_str(&buf);
    return tr_buf_check(&buf, err);
}

/* What stands in quotes; empty, when nothing does. */
static tr_str opaque_of(tr_str tag)
{
    tag = tr_str_trim(tag);
    if (tr_str_starts(tag, TR_STR("W/")))
        tag = tr_str_skip(tag, 2);
    if (tag.len < 2 || tag.ptr[0] != '"' || tag.ptr[tag.len - 1] != '"')
        return (tr_str){NULL, 0};
    return (tr_str){tag.ptr + 1, tag.len - 2};
}

/* Our tags have neither commas nor quotes in them. */
bool tr_rest_tag_is_in(tr_str tag, tr_str list)
{
    tr_str wanted = opaque_of(tag);
    if (tr_str_eq(tr_str_trim(list), TR_STR("*")))
        return true;
    while (list.len) {
        tr_str one = list;
        tr_str rest = {NULL, 0};
        (void)tr_str_cut(list, ',', &one, &rest);
        if (tr_str_eq(opaque_of(one), wanted))
            return true;
        list = rest;
    }
    return false;
}
