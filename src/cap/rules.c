#include "cap/rules.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/text.h"
#include "cap/cap.h"
#include "cap/inside.h"
#include "config/config.h"
#include "fetch/url.h"
#include "fields/check.h"
#include "fields/kind.h"

#include <math.h>

static bool is_name_char(char c)
{
    return tr_ascii_is_alnum(c) || c == '_' || c == '.' || c == '-';
}

bool tr_cap_id_is_valid(tr_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (!is_name_char(id.ptr[i]))
            return false;
    }
    return id.len > 0 && id.len <= TR_LIMIT_NAME_BYTES;
}

/* One label of a prefix: a letter first, a letter or digit last. */
static bool is_label(tr_str label)
{
    if (label.len == 0 || !tr_ascii_is_letter(label.ptr[0]) ||
        !tr_ascii_is_alnum(label.ptr[label.len - 1]))
        return false;
    for (size_t i = 0; i < label.len; i++) {
        if (!tr_ascii_is_alnum(label.ptr[i]) && label.ptr[i] != '-')
            return false;
    }
    return true;
}

static bool is_prefix(tr_str prefix)
{
    tr_str label;
    while (tr_str_cut(prefix, '.', &label, &prefix)) {
        if (!is_label(label))
            return false;
    }
    return is_label(prefix);
}

/* A key of `_meta`, as MCP has it: [prefix "/"] name. */
static bool is_meta_key(tr_str key)
{
    tr_str prefix;
    if (tr_str_cut(key, '/', &prefix, &key)) {
        if (!is_prefix(prefix))
            return false;
        if (key.len == 0)
            return true;
    }
    for (size_t i = 0; i < key.len; i++) {
        if (!is_name_char(key.ptr[i]))
            return false;
    }
    return key.len && tr_ascii_is_alnum(key.ptr[0]) &&
           tr_ascii_is_alnum(key.ptr[key.len - 1]);
}

static tr_status check_text(tr_str text, const char *what, struct tr_err *err)
{
    if (text.len > TR_LIMIT_DESCRIPTION_BYTES)
        return tr_fail(err, TR_E_INVALID, "%s has at most %zu bytes", what,
                       TR_LIMIT_DESCRIPTION_BYTES);
    if (!tr_utf8_is_valid(text))
        return tr_fail(err, TR_E_INVALID, "%s is not UTF-8", what);
    return TR_OK;
}

static tr_status check_texts(const struct tr_cap_strs *texts, const char *what,
                             struct tr_err *err)
{
    for (size_t i = 0; i < texts->count; i++) {
        TR_TRY(check_text(texts->items[i], what, err));
        if (texts->items[i].len == 0)
            return tr_fail(err, TR_E_INVALID, "%s has an empty text", what);
    }
    return TR_OK;
}

static tr_status check_icons(const struct tr_json *icons, struct tr_err *err)
{
    const struct tr_json *at;
    return icons ? tr_config_icons_check(icons, &at, err) : TR_OK;
}

static tr_status check_meta(const struct tr_json *meta, struct tr_err *err)
{
    if (!meta)
        return TR_OK;
    if (meta->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_INVALID, "_meta is an object");
    for (size_t i = 0; i < meta->len; i++) {
        tr_str key = tr_json_text(&meta->as.members[i].key);
        if (!is_meta_key(key))
            return tr_fail(err, TR_E_INVALID, "'%.*s' cannot be a key of _meta",
                           TR_FMT(key));
        if (tr_str_starts(key, TR_STR("dev.trails/")))
            return tr_fail(err, TR_E_INVALID,
                           "keys of _meta beginning with dev.trails/ are "
                           "reserved");
    }
    return TR_OK;
}

/* One of the scopes, or 0, which stands for the default. */
static bool is_scope(enum tr_scope scope)
{
    return scope == 0 || scope == TR_SCOPE_RUNTIME ||
           scope == TR_SCOPE_BUILDER || scope == TR_SCOPE_DEV;
}

static tr_status check_guard(const struct tr_cap_guard *guard,
                             struct tr_err *err)
{
    if (!is_scope(guard->scope))
        return tr_fail(err, TR_E_INVALID, "the scope is not a known one");
    if (guard->policy_required.count > TR_LIMIT_POLICIES_REQUIRED)
        return tr_fail(err, TR_E_INVALID, "it requires at most %d policies",
                       TR_LIMIT_POLICIES_REQUIRED);
    return check_texts(&guard->policy_required, "policy_required", err);
}

tr_status tr_cap_about_check(const struct tr_cap_about *about,
                             struct tr_err *err)
{
    TR_TRY(check_text(about->name, "the name", err));
    TR_TRY(check_text(about->title, "the title", err));
    TR_TRY(check_text(about->description, "the description", err));
    TR_TRY(check_text(about->said_once, "what is said once", err));
    TR_TRY(check_icons(about->icons, err));
    TR_TRY(check_guard(&about->guard, err));
    return check_meta(about->meta, err);
}

/*
 * trails.meta.<segments>, each [a-z][a-z0-9-]*. There is no underscore in it,
 * so that its name on MCP, which has one for each point, leads back to it.
 */
static bool is_meta_id(tr_str id)
{
    tr_str rest = tr_str_skip(id, sizeof("trails.meta.") - 1);
    bool starts_segment = true;
    if (!tr_str_starts(id, TR_STR("trails.meta.")))
        return false;
    for (size_t i = 0; i < rest.len; i++) {
        char c = rest.ptr[i];
        bool is_lower = tr_ascii_is_lower(c);
        if (starts_segment
                ? !is_lower
                : !is_lower && c != '-' && c != '.' && !tr_ascii_is_digit(c))
            return false;
        starts_segment = c == '.';
    }
    return !starts_segment;
}

/* Also of what has the beginning of such an id, or of its name on MCP, once its
 * points are underscores. */
static bool is_reserved(tr_str id)
{
    static const char start[] = "trails_meta_";
    for (size_t i = 0; i + 1 < sizeof(start); i++) {
        char c = i < id.len ? id.ptr[i] : '\0';
        if ((c == '.' ? '_' : c) != start[i])
            return false;
    }
    return true;
}

static tr_status check_id(const struct tr_cap *cap, struct tr_err *err)
{
    if (!tr_cap_id_is_valid(cap->id))
        return tr_fail(err, TR_E_INVALID,
                       "an id is 1 to %d of the characters A-Z a-z 0-9 _ . -",
                       TR_LIMIT_NAME_BYTES);
    if (cap->is_meta && !is_meta_id(cap->id))
        return tr_fail(err, TR_E_INVALID,
                       "the id of a meta-capability is trails.meta. and "
                       "segments of a-z, 0-9 and -");
    if (!cap->is_meta && is_reserved(cap->id))
        return tr_fail(err, TR_E_INVALID,
                       "ids beginning with trails.meta. or trails_meta_ are "
                       "reserved");
    return TR_OK;
}

static bool is_cost(double value)
{
    return isfinite(value) && value >= 0;
}

static tr_status check_cost(const struct tr_cap_cost *cost, struct tr_err *err)
{
    if (cost->tokens < 0 || !is_cost(cost->usd) ||
        !is_cost(cost->latency_p50_ms) || !is_cost(cost->latency_p95_ms))
        return tr_fail(err, TR_E_INVALID, "costs are not negative");
    if (cost->latency_p95_ms > 0 && cost->latency_p50_ms > cost->latency_p95_ms)
        return tr_fail(err, TR_E_INVALID,
                       "latency_p50_ms is above latency_p95_ms");
    return TR_OK;
}

static tr_status check_version(const struct tr_cap *cap, struct tr_err *err)
{
    if (cap->version.len && !tr_cap_is_semver(cap->version))
        return tr_fail(err, TR_E_INVALID,
                       "the version '%.*s' is not major.minor.patch (SemVer)",
                       TR_FMT(cap->version));
    if (cap->deprecates.len && (!tr_cap_id_is_valid(cap->deprecates) ||
                                tr_str_eq(cap->deprecates, cap->id)))
        return tr_fail(err, TR_E_INVALID, "deprecates names another id");
    if (cap->reasoning != TR_CAP_REASONING_NONE)
        return tr_fail(err, TR_E_INVALID,
                       "reasoning is none until there is a reasoner");
    if (cap->version_status > TR_CAP_VERSION_RETIRED ||
        cap->assurance > TR_CAP_ASSURANCE_L3)
        return tr_fail(err, TR_E_INVALID,
                       "version_status or assurance is not a known one");
    if (cap->assurance == TR_CAP_ASSURANCE_L3)
        return tr_fail(err, TR_E_INVALID,
                       "assurance is L1 or L2 until something can anchor L3");
    return TR_OK;
}

/* A hint that clients see must not say the opposite of the descriptor. */
static tr_status check_hints(const struct tr_cap *cap, struct tr_err *err)
{
    const struct tr_cap_side_effects *effects = &cap->side_effects;
    /* What a meta-capability does with files, side effects have no words for.
     */
    bool does_nothing = !cap->is_meta && effects->is_said &&
                        !effects->graph_writes.count &&
                        !effects->external_calls.count;
    const char *contradiction = NULL;
    if (cap->read_only == TR_CAP_HINT_YES && effects->graph_writes.count)
        contradiction = "read_only, but side_effects.graph_writes says that "
                        "it writes";
    else if (cap->read_only == TR_CAP_HINT_NO && does_nothing)
        contradiction = "read_only = false, but side_effects says that it "
                        "does nothing";
    else if (cap->destructive == TR_CAP_HINT_YES && does_nothing)
        contradiction = "destructive, but side_effects says that it does "
                        "nothing";
    else if (cap->read_only == TR_CAP_HINT_YES &&
             cap->destructive == TR_CAP_HINT_YES)
        contradiction = "read_only and destructive";
    else if (cap->open_world == TR_CAP_HINT_NO && effects->external_calls.count)
        contradiction = "open_world = false, but side_effects.external_calls "
                        "says that it calls others";
    return contradiction ? tr_fail(err, TR_E_INVALID,
                                   "annotations contradict: %s", contradiction)
                         : TR_OK;
}

static tr_status check_graphs(const struct tr_cap_strs *graphs,
                              struct tr_err *err)
{
    for (size_t i = 0; i < graphs->count; i++) {
        if (!tr_cap_is_graph_name(graphs->items[i]))
            return tr_fail(err, TR_E_INVALID,
                           "graph_writes has \"default\", IRIs, a prefix that "
                           "ends in *, or \"*\", not '%.*s'",
                           TR_FMT(graphs->items[i]));
    }
    return TR_OK;
}

/* Words say that something is called, a URL what may be. */
static tr_status check_calls(const struct tr_cap_strs *calls,
                             struct tr_err *err)
{
    for (size_t i = 0; i < calls->count; i++) {
        struct tr_fetch_url prefix;
        struct tr_err why = {0};
        if (tr_fetch_url_is_meant(calls->items[i]) &&
            tr_fetch_url_read_prefix(calls->items[i], &prefix, &why) != TR_OK)
            return tr_fail(err, TR_E_INVALID, "external_calls: '%.*s': %s",
                           TR_FMT(calls->items[i]), why.msg);
    }
    return TR_OK;
}

static tr_status check_effects(const struct tr_cap *cap, struct tr_err *err)
{
    const struct tr_cap_side_effects *effects = &cap->side_effects;
    TR_TRY(check_texts(&effects->graph_writes, "graph_writes", err));
    TR_TRY(check_graphs(&effects->graph_writes, err));
    TR_TRY(check_texts(&effects->external_calls, "external_calls", err));
    TR_TRY(check_calls(&effects->external_calls, err));
    for (size_t i = 0; i < cap->precondition_count; i++)
        TR_TRY(tr_cap_precondition_check(cap, &cap->preconditions[i], err));
    for (size_t i = 0; i < cap->postcondition_count; i++)
        TR_TRY(tr_cap_postcondition_check(&cap->postconditions[i], err));
    return TR_OK;
}

static tr_status check_input(const struct tr_cap *cap, struct tr_err *err)
{
    int inputs = (cap->input_shape != NULL) + (cap->input_schema != NULL) +
                 (cap->input_name.len > 0);
    if (inputs > 1 || (cap->output_shape && cap->output_name.len))
        return tr_fail(err, TR_E_INVALID,
                       "the input is a shape or a schema, not both");
    if (!cap->handler.run)
        return tr_fail(err, TR_E_INVALID, "there is nothing to run");
    return TR_OK;
}

tr_status tr_cap_check_draft(const struct tr_cap *cap, struct tr_err *err)
{
    struct tr_cap_about about = {.name = cap->id,
                                 .title = cap->title,
                                 .description = cap->description,
                                 .icons = cap->icons,
                                 .meta = cap->meta,
                                 .guard = cap->guard};
    TR_TRY(check_id(cap, err));
    TR_TRY(tr_cap_about_check(&about, err));
    TR_TRY(check_version(cap, err));
    TR_TRY(check_cost(&cap->cost, err));
    TR_TRY(check_effects(cap, err));
    TR_TRY(check_hints(cap, err));
    return check_input(cap, err);
}

static tr_status check_annotations(const struct tr_json *annotations,
                                   struct tr_err *err)
{
    if (annotations && annotations->kind != TR_JSON_OBJECT)
        return tr_fail(err, TR_E_INVALID, "annotations are an object");
    return TR_OK;
}

tr_status tr_cap_resource_check_draft(const struct tr_cap_resource *resource,
                                      struct tr_err *err)
{
    TR_TRY(tr_cap_about_check(&resource->about, err));
    TR_TRY(check_text(resource->uri, "the uri", err));
    TR_TRY(check_text(resource->mime_type, "the mime type", err));
    TR_TRY(check_annotations(resource->annotations, err));
    if (!tr_field_is_absolute_iri(resource->uri))
        return tr_fail(err, TR_E_INVALID,
                       "a uri has a scheme, such as app://notes");
    if (resource->about.name.len == 0)
        return tr_fail(err, TR_E_INVALID, "a resource has a name");
    if (resource->has_size && resource->size < 0)
        return tr_fail(err, TR_E_INVALID, "a size is not negative");
    if (!resource->handler.run)
        return tr_fail(err, TR_E_INVALID, "there is nothing to run");
    return TR_OK;
}

tr_status
tr_cap_template_check_draft(const struct tr_cap_resource_template *resource,
                            struct tr_err *err)
{
    TR_TRY(tr_cap_about_check(&resource->about, err));
    TR_TRY(check_text(resource->uri_template, "the uri template", err));
    TR_TRY(check_text(resource->mime_type, "the mime type", err));
    TR_TRY(check_annotations(resource->annotations, err));
    if (resource->about.name.len == 0)
        return tr_fail(err, TR_E_INVALID, "a resource template has a name");
    if (!resource->handler.run)
        return tr_fail(err, TR_E_INVALID, "there is nothing to run");
    return TR_OK;
}

/* On the wire an argument is one text. */
static tr_status check_argument(const struct tr_field *field,
                                struct tr_err *err)
{
    char names[256];
    if (tr_field_is_array(field) || !tr_field_has(field, TR_FIELD_IS_ARGUMENT))
        return tr_fail(
            err, TR_E_INVALID, "the argument '%.*s' must be one value: %s",
            TR_FMT(field->name),
            tr_field_kind_names(TR_FIELD_IS_ARGUMENT, names, sizeof(names)));
    return TR_OK;
}

tr_status tr_cap_prompt_check_draft(const struct tr_cap_prompt *prompt,
                                    struct tr_err *err)
{
    TR_TRY(tr_cap_about_check(&prompt->about, err));
    if (prompt->about.name.len == 0 ||
        prompt->about.name.len > TR_LIMIT_NAME_BYTES)
        return tr_fail(err, TR_E_INVALID, "a prompt's name has 1 to %d bytes",
                       TR_LIMIT_NAME_BYTES);
    for (size_t i = 0; prompt->input && i < prompt->input->count; i++)
        TR_TRY(check_argument(&prompt->input->fields[i], err));
    if (!prompt->handler.run)
        return tr_fail(err, TR_E_INVALID, "there is nothing to run");
    return TR_OK;
}
