/*
 * The views of what the app has, as project/ writes them. None of them runs
 * anything; each is what its caller's scopes see.
 */
#include "base/limits.h"
#include "base/text.h"
#include "project/view.h"
#include "rest/form.h"
#include "rest/inside.h"
#include "rest/meter.h"
#include "rest/routes.h"
#include "rest/tag.h"

/* What a path has of views: which there are, the one that is preferred first,
 * and in what they are served. */
#define MEDIA_MAX 3
struct shelf {
    tr_str types[MEDIA_MAX];
    enum tr_project_view views[MEDIA_MAX];
    size_t count;
};

#define TYPE_TD TR_STR_INIT("application/td+json")

static const struct shelf manifest = {
    {TR_REST_TYPE_LD, TR_REST_TYPE_JSON, TR_REST_TYPE_MARKDOWN},
    {TR_PROJECT_JSON_LD, TR_PROJECT_PLAIN, TR_PROJECT_MARKDOWN},
    3};
static const struct shelf plain = {
    {TR_REST_TYPE_JSON, TR_REST_TYPE_LD, TR_REST_TYPE_MARKDOWN},
    {TR_PROJECT_PLAIN, TR_PROJECT_JSON_LD, TR_PROJECT_MARKDOWN},
    3};
static const struct shelf openapi = {
    {TR_REST_TYPE_JSON}, {TR_PROJECT_OPENAPI}, 1};
static const struct shelf host = {
    {TYPE_TD, TR_REST_TYPE_JSON, TR_REST_TYPE_LD},
    {TR_PROJECT_HOST, TR_PROJECT_HOST, TR_PROJECT_HOST},
    3};
static const struct shelf card = {
    {TYPE_TD, TR_REST_TYPE_JSON, TR_REST_TYPE_LD},
    {TR_PROJECT_CARD, TR_PROJECT_CARD, TR_PROJECT_CARD_LD},
    3};

static void refuse(struct tr_rest_request *request, const struct tr_err *err)
{
    const struct tr_rest_problem missing = {
        .status = 404,
        .code = tr_status_name(TR_E_NOT_FOUND),
        .title = tr_rest_problem_title(TR_E_NOT_FOUND),
        .detail = tr_str_from(err->msg)};
    if (err->code == TR_E_NOT_FOUND)
        tr_rest_request_refuse(request, &missing);
    else
        tr_rest_request_fail(request, err);
}

/* Who has this version already is told so, and no more. */
static bool has_it(const struct tr_rest_request *request, tr_str tag)
{
    for (size_t i = 0; i < request->http->header_count; i++) {
        tr_http_field field = tr_http_header_at(request->http, i);
        if (tr_http_same_name(field.name, TR_STR("If-None-Match")) &&
            tr_rest_tag_is_in(tag, field.value))
            return true;
    }
    return false;
}

/* Our tags are weak, and If-Match compares strongly: only a star holds (RFC
 * 9110, 13.1.1). */
static bool is_unwanted(const struct tr_rest_request *request)
{
    tr_str wanted;
    return tr_http_header_find(request->http, TR_STR("If-Match"), &wanted) &&
           !tr_str_eq(wanted, TR_STR("*"));
}

/* A whole view with its gaps filled is the same for as long as what is measured
 * is fresh, and to whom the tag is the same. */
static bool is_filled(const struct tr_rest *rest, enum tr_project_view view,
                      tr_str tag)
{
    const struct tr_rest_filled *filled = &rest->filled;
    return filled->view == view && filled->read_ms == rest->measured.read_ms &&
           tr_str_eq((tr_str){filled->tag, filled->tag_len}, tag);
}

static tr_status fill(struct tr_rest_request *request,
                      const struct tr_project_asked *asked, tr_str tag,
                      tr_str *out, struct tr_err *err)
{
    struct tr_rest_filled *filled = &request->rest->filled;
    filled->tag_len = 0;
    TR_TRY(tr_project_see(request->snapshot, asked, &filled->text, out, err));
    filled->view = asked->view;
    filled->read_ms = request->rest->measured.read_ms;
    memcpy(filled->tag, tag.ptr, tag.len);
    filled->tag_len = tag.len;
    return TR_OK;
}

static tr_status see(struct tr_rest_request *request,
                     const struct tr_project_asked *asked, tr_str tag,
                     tr_str *out, struct tr_err *err)
{
    struct tr_rest *rest = request->rest;
    struct tr_project_asked bare = *asked;
    if (asked->meter && !asked->id.len) {
        if (!is_filled(rest, asked->view, tag))
            return fill(request, asked, tag, out, err);
        *out = tr_buf_str(&rest->filled.text);
        if (out->len)
            return TR_OK;
        bare.meter = NULL;
    }
    return tr_project_see(request->snapshot, &bare, &rest->out, out, err);
}

/* A token in the store closes a server that does not say otherwise: nobody has
 * one there, or all need one. */
static struct tr_project_site site_for(const struct tr_rest_request *request)
{
    struct tr_project_site site = request->rest->opts.site;
    if (request->rest->opts.gate.rules.closes &&
        request->authority.is_authenticated)
        site.auth.needs_bearer = true;
    return site;
}

static void send(struct tr_rest_request *request, enum tr_project_view view,
                 tr_str id)
{
    struct tr_rest *rest = request->rest;
    unsigned scopes =
        tr_access_decide_all(&request->authority, rest->opts.production);
    const struct tr_project_site site = site_for(request);
    struct tr_rest_meter meter;
    struct tr_project_asked asked = {
        .view = view,
        .scopes = scopes,
        .id = id,
        .site = &site,
    };
    static const struct tr_rest_problem changed = {.status = 412};
    char text[TR_REST_TAG_BYTES];
    struct tr_err err = {0};
    tr_str tag;
    tr_str body;
    if (tr_rest_meter_open(rest, &meter, &asked.meter, &err) != TR_OK ||
        tr_rest_tag_make(request, &asked, text, &tag, &err) != TR_OK ||
        see(request, &asked, tag, &body, &err) != TR_OK) {
        refuse(request, &err);
        return;
    }
    tr_rest_request_add(request, TR_STR("ETag"), tag);
    if (is_unwanted(request)) {
        tr_rest_request_refuse(request, &changed);
        return;
    }
    tr_rest_request_add(request, TR_STR("Cache-Control"),
                        TR_STR("private, no-cache"));
    if (has_it(request, tag))
        tr_rest_request_end_with(request, 304, TR_STR(""), TR_STR(""));
    else
        tr_rest_request_end_with(request, 200,
                                 request->offers.items[request->form], body);
}

/* `before`: where the id of one capability begins in the path; 0: it is about
 * all of them. */
static void serve(struct tr_http_exchange *x, struct tr_rest *rest,
                  const struct shelf *shelf, size_t before)
{
    const struct tr_rest_offers offers = {shelf->types, shelf->count};
    struct tr_rest_request *request = tr_rest_request_begin(x, rest);
    struct tr_err err = {0};
    tr_str id = {NULL, 0};
    if (!request || (before && !tr_rest_request_segment(request, before, &id)))
        return;
    request->name = id;
    if (!tr_project_is_served(shelf->views[0], &rest->opts.site)) {
        tr_status ignored =
            tr_fail(&err, TR_E_NOT_FOUND, "this server does not publish it");
        (void)ignored;
        refuse(request, &err);
    } else if (tr_rest_request_offer(request, offers)) {
        send(request, shelf->views[request->form], id);
    }
}

void tr_rest_manifest(struct tr_http_exchange *x, void *app)
{
    serve(x, app, &manifest, 0);
}

void tr_rest_manifest_one(struct tr_http_exchange *x, void *app)
{
    serve(x, app, &manifest, sizeof(TR_PROJECT_MANIFEST_PATH));
}

void tr_rest_plain(struct tr_http_exchange *x, void *app)
{
    serve(x, app, &plain, 0);
}

void tr_rest_openapi(struct tr_http_exchange *x, void *app)
{
    serve(x, app, &openapi, 0);
}

void tr_rest_host(struct tr_http_exchange *x, void *app)
{
    serve(x, app, &host, 0);
}

void tr_rest_card(struct tr_http_exchange *x, void *app)
{
    serve(x, app, &card, 0);
}

/* Its address has a version: whoever has it keeps it. It is the same for
 * everybody, so everybody may have it, pages of any origin too. */
void tr_rest_context(struct tr_http_exchange *x, void *app)
{
    struct tr_rest *rest = app;
    const struct tr_project_asked asked = {.view = TR_PROJECT_CONTEXT,
                                           .site = &rest->opts.site};
    struct tr_rest_request *request = tr_rest_request_open(x, rest);
    struct tr_err err = {0};
    if (!request)
        return;
    tr_buf_clear(&rest->out);
    if (!tr_project_is_served(asked.view, asked.site))
        (void)tr_fail(&err, TR_E_NOT_FOUND, "this server does not publish it");
    else if (tr_project_write(request->snapshot, &asked, &rest->out, &err) ==
             TR_OK)
        err.code = TR_OK;
    if (err.code != TR_OK) {
        refuse(request, &err);
        return;
    }
    tr_rest_request_add(request, TR_STR("Cache-Control"),
                        TR_STR("public, max-age=31536000, immutable"));
    tr_rest_request_add(request, TR_STR("Access-Control-Allow-Origin"),
                        TR_STR("*"));
    tr_rest_request_end(request, 200, tr_project_media_type(asked.view));
}
