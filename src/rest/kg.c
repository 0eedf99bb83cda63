/*
 * What can be read of the graph: the same as trails://kg/... and
 * trails://shape/... over MCP, by the same handlers, byte for byte.
 */
#include "base/limits.h"
#include "base/text.h"
#include "cap/snapshot.h"
#include "json/reader.h"
#include "json/writer.h"
#include "model/model.h"
#include "model/uri.h"
#include "rdf/memory_graph.h"
#include "rdf/writer.h"
#include "rest/call.h"
#include "rest/form.h"
#include "rest/inside.h"
#include "rest/read.h"
#include "rest/routes.h"
#include "runtime/found.h"

#define LABEL "http://www.w3.org/2000/01/rdf-schema#label"

/* In which types each kind of resource can be had: its own comes first. */
static const tr_str of_nodes[] = {TR_REST_TYPE_LD, TR_REST_TYPE_JSON,
                                  TR_REST_TYPE_TURTLE};
static const tr_str of_lists[] = {TR_REST_TYPE_JSON, TR_REST_TYPE_LD,
                                  TR_REST_TYPE_TURTLE};
static const tr_str of_reports[] = {TR_REST_TYPE_JSON};
static const tr_str of_shapes[] = {TR_REST_TYPE_TURTLE};

static const tr_str types_uri = TR_STR_INIT(TR_MODEL_URI_TYPES);
static const tr_str doctor_uri = TR_STR_INIT(TR_MODEL_URI_DOCTOR);

static struct tr_rest_offers offers_of(const struct tr_call_found *found)
{
    static const tr_str ld = TR_REST_TYPE_LD;
    static const tr_str turtle = TR_REST_TYPE_TURTLE;
    if (tr_str_eq(found->mime_type, turtle))
        return (struct tr_rest_offers){of_shapes, TR_LEN(of_shapes)};
    if (tr_str_eq(found->mime_type, ld))
        return (struct tr_rest_offers){of_nodes, TR_LEN(of_nodes)};
    if (tr_str_eq(found->name, types_uri) || tr_str_eq(found->name, doctor_uri))
        return (struct tr_rest_offers){of_reports, TR_LEN(of_reports)};
    return (struct tr_rest_offers){of_lists, TR_LEN(of_lists)};
}

/* Other forms. -------------------------------------------------------------*/

/* [{"iri", "label"}, ...] as [{"@id", label}, ...] */
static tr_status put_list(struct tr_arena *arena, tr_str text,
                          struct tr_buf *out, struct tr_err *err)
{
    const struct tr_json *list = NULL;
    struct tr_json_writer w;
    TR_TRY(tr_json_read(arena, text, NULL, &list, err));
    tr_jw_init(&w, out);
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < list->len; i++) {
        const struct tr_json *item = tr_json_at(list, i);
        tr_jw_open(&w, '{');
        tr_jw_put_string(&w, "@id",
                         tr_json_text(tr_json_find(item, TR_STR("iri"))));
        tr_jw_put_string(&w, LABEL,
                         tr_json_text(tr_json_find(item, TR_STR("label"))));
        tr_jw_close(&w, '}');
    }
    tr_jw_close(&w, ']');
    return tr_jw_finish(&w, err);
}

static tr_status read_ld(tr_str text, struct tr_rdf_memory_graph *graph,
                         struct tr_err *err)
{
    struct tr_rdf_sink sink = tr_rdf_memory_graph_sink(graph);
    tr_str rest = text;
    struct tr_rdf_source source = tr_rdf_source_text(&rest, TR_STR(""));
    TR_TRY(tr_rdf_read(TR_RDF_JSONLD, &source, &sink, err));
    return tr_rdf_memory_graph_index(graph, err);
}

static tr_status put_turtle(const struct tr_rest_request *request, tr_str ld,
                            struct tr_buf *out, struct tr_err *err)
{
    const struct tr_model *model = tr_cap_snapshot_model(request->snapshot);
    struct tr_rdf_output output = tr_rdf_output_buf(out);
    struct tr_rdf_memory_graph *graph = NULL;
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, err));
    tr_status status = read_ld(ld, graph, err);
    if (status == TR_OK)
        status = tr_rdf_write(TR_RDF_TURTLE, tr_rdf_memory_graph_view(graph),
                              model ? model->prefixes : NULL, &output, err);
    tr_rdf_memory_graph_free(graph);
    return status;
}

static tr_status put_form(struct tr_rest_request *request, tr_str text,
                          struct tr_err *err)
{
    static const tr_str json = TR_REST_TYPE_JSON;
    static const tr_str turtle = TR_REST_TYPE_TURTLE;
    struct tr_buf *out = &request->rest->out;
    bool is_list = request->offers.items == of_lists;
    bool is_turtle = tr_rest_request_wants(request, turtle);
    struct tr_buf ld;
    if (request->form == 0 || tr_rest_request_wants(request, json)) {
        tr_buf_put(out, text);
        return tr_buf_check(out, err);
    }
    if (is_list && !is_turtle)
        return put_list(&request->arena, text, out, err);
    if (!is_list)
        return put_turtle(request, text, out, err);
    tr_buf_init(&ld, out->max);
    tr_status status = put_list(&request->arena, text, &ld, err);
    if (status == TR_OK)
        status = put_turtle(request, tr_buf_str(&ld), out, err);
    tr_buf_done(&ld);
    return status;
}

/* The answer. --------------------------------------------------------------*/

static void refuse_missing(struct tr_rest_request *request,
                           const struct tr_err *why)
{
    const struct tr_rest_problem problem = {
        .status = 404,
        .code = tr_status_name(TR_E_NOT_FOUND),
        .title = tr_rest_problem_title(TR_E_NOT_FOUND),
        .detail = tr_str_from(why->msg)};
    tr_rest_request_refuse(request, &problem);
}

/* RFC 8288: the next page has the address of this list, and a cursor. One that
 * nobody could ask for is not told, and then the page is not, either: it would
 * look like the last. */
static tr_status put_next(struct tr_buf *out, const struct tr_json *meta,
                          struct tr_err *err)
{
    static const tr_str start = TR_STR_INIT("trails:/");
    tr_str next = tr_json_text(tr_json_find(meta, TR_STR("next")));
    if (!tr_str_starts(next, start))
        return TR_OK;
    if (next.len > TR_LIMIT_URI_BYTES)
        return tr_fail(err, TR_E_INVALID,
                       "the next page would have an address of more than %zu "
                       "bytes: look for something shorter",
                       TR_LIMIT_URI_BYTES);
    tr_buf_put(out, TR_STR("<"));
    tr_buf_put(out, tr_str_skip(next, start.len));
    tr_buf_put(out, TR_STR(">; rel=\"next\""));
    return tr_buf_check(out, err);
}

static void send(struct tr_rest_request *request, const struct tr_json *meta)
{
    struct tr_buf link;
    struct tr_err err = {0};
    tr_str total = tr_json_text(tr_json_find(meta, TR_STR("total")));
    tr_buf_init(&link, TR_LIMIT_URI_BYTES + TR_KIB(1));
    if (put_next(&link, meta, &err) != TR_OK) {
        tr_rest_request_fail(request, &err);
        tr_buf_done(&link);
        return;
    }
    if (link.len)
        tr_rest_request_add(request, TR_STR("Link"), tr_buf_str(&link));
    if (total.len)
        tr_rest_request_add(request, TR_STR("X-Total-Count"), total);
    tr_rest_request_add(request, TR_STR("Cache-Control"),
                        TR_STR("private, no-cache"));
    tr_rest_request_end(request, 200, request->offers.items[request->form]);
    tr_buf_done(&link);
}

static void answer(struct tr_rest_request *request,
                   const struct tr_call_outcome *outcome)
{
    const struct tr_json *value = outcome->value;
    const struct tr_json *text = tr_json_is(value, TR_JSON_OBJECT)
                                     ? tr_json_find(value, TR_STR("text"))
                                     : value;
    struct tr_err err = {0};
    if (outcome->status == TR_E_NOT_FOUND) {
        refuse_missing(request, &outcome->err);
    } else if (outcome->status != TR_OK) {
        tr_rest_call_refuse(request, outcome);
    } else {
        tr_buf_clear(&request->rest->out);
        if (put_form(request, tr_json_text(text), &err) == TR_OK)
            send(request, tr_json_find(value, TR_STR("_meta")));
        else
            tr_rest_request_fail(request, &err);
    }
}

/* The request. -------------------------------------------------------------*/

/* `guard`: what this door asks for beside, or NULL. */
static void run(struct tr_rest_request *request, tr_str uri,
                const struct tr_cap_guard *guard)
{
    static const struct tr_err missing = {.msg = ""};
    struct tr_call_found found;
    struct tr_err err = {0};
    if (tr_call_find(request->snapshot, uri, &request->arena, &found, &err) !=
        TR_OK) {
        tr_rest_request_fail(request, &err);
        return;
    }
    if (!found.handler || !found.is_built_in) {
        tr_rest_call_unknown(request, TR_CALL_RESOURCE, uri);
        refuse_missing(request, &missing);
        return;
    }
    if (!tr_rest_request_offer(request, offers_of(&found)))
        return;
    const struct tr_rest_run what = {
        .handler = found.handler,
        .kind = TR_CALL_RESOURCE,
        .name = found.name,
        .guard = guard ? guard : found.guard,
        .args = found.args,
        .answer = answer,
    };
    tr_rest_call_run(request, &what);
}

static void read(struct tr_http_exchange *x, struct tr_rest *rest, tr_str start,
                 size_t from)
{
    struct tr_rest_request *request = tr_rest_request_begin(x, rest);
    struct tr_err err = {0};
    tr_str text;
    tr_str uri;
    if (!request || !tr_rest_request_segment(request, from, &text))
        return;
    const struct tr_rest_target target = {
        start, tr_str_skip(request->http->path, from), request->http->query};
    request->name = request->http->path;
    if (tr_rest_read_uri(&request->arena, &target, &uri, &err) == TR_OK)
        run(request, uri, NULL);
    else
        tr_rest_request_fail(request, &err);
}

void tr_rest_kg(struct tr_http_exchange *x, void *app)
{
    read(x, app, TR_STR("trails://kg/"), sizeof("/kg/") - 1);
}

void tr_rest_shape(struct tr_http_exchange *x, void *app)
{
    read(x, app, TR_STR("trails://shape/"), sizeof("/shapes/") - 1);
}

/* Over MCP everybody is told as much as is not for the author alone; what has
 * an address of its own is the author's. */
void tr_rest_doctor(struct tr_http_exchange *x, void *app)
{
    static const struct tr_cap_guard guard = {.scope = TR_SCOPE_BUILDER,
                                              .needed = TR_SCOPE_BUILDER};
    struct tr_rest_request *request = tr_rest_request_begin(x, app);
    if (!request)
        return;
    request->name = doctor_uri;
    run(request, doctor_uri, &guard);
}
