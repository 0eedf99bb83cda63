/*
 * The canonical form: the fourteen fields in their order. Every view that has
 * all of them takes them from here.
 */
#include "project/inside.h"

void tr_project_put_or_null(struct tr_json_writer *w, tr_str text)
{
    if (text.len)
        tr_jw_string(w, text);
    else
        tr_jw_null(w);
}

void tr_project_put_strs(struct tr_json_writer *w,
                         const struct tr_cap_strs *strs)
{
    tr_jw_open(w, '[');
    for (size_t i = 0; i < strs->count; i++)
        tr_jw_string(w, strs->items[i]);
    tr_jw_close(w, ']');
}

void tr_project_put_conditions(struct tr_json_writer *w,
                               const struct tr_cap_precondition *list,
                               size_t count)
{
    static const struct tr_json none = {.kind = TR_JSON_OBJECT};
    tr_jw_open(w, '[');
    for (size_t i = 0; i < count; i++) {
        tr_jw_open(w, '{');
        tr_jw_put_string(w, "kind", list[i].kind);
        tr_jw_put_value(w, "params", list[i].params ? list[i].params : &none);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, ']');
}

void tr_project_put_effects(struct tr_json_writer *w,
                            const struct tr_cap_side_effects *effects)
{
    tr_jw_open(w, '{');
    tr_jw_key(w, "graph_writes");
    tr_project_put_strs(w, &effects->graph_writes);
    tr_jw_put_bool(w, "provenance", true); /* nothing can turn it off */
    tr_jw_key(w, "external_calls");
    tr_project_put_strs(w, &effects->external_calls);
    tr_jw_put_bool(w, "regulated", effects->regulated);
    tr_jw_close(w, '}');
}

void tr_project_put_cost(struct tr_json_writer *w,
                         const struct tr_cap_cost *cost)
{
    tr_jw_open(w, '{');
    tr_jw_put_i64(w, "tokens", cost->tokens);
    tr_jw_put_double(w, "usd", cost->usd);
    tr_jw_put_double(w, "latency_p50_ms", cost->latency_p50_ms);
    tr_jw_put_double(w, "latency_p95_ms", cost->latency_p95_ms);
    tr_jw_close(w, '}');
}

static void put_word(struct tr_json_writer *w, const char *key,
                     const char *word)
{
    tr_jw_put_string(w, key, tr_str_from(word));
}

void tr_project_put_fields(struct tr_json_writer *w, const struct tr_cap *cap)
{
    tr_jw_put_string(w, "id", cap->id);
    tr_jw_put_string(w, "version", cap->version);
    tr_jw_put_string(w, "description", cap->description);
    tr_jw_key(w, "input_shape");
    tr_project_put_or_null(w, cap->input_iri);
    tr_jw_key(w, "output_shape");
    tr_project_put_or_null(w, cap->output_iri);
    tr_jw_key(w, "preconditions");
    tr_project_put_conditions(w, cap->preconditions, cap->precondition_count);
    tr_jw_key(w, "side_effects");
    tr_project_put_effects(w, &cap->side_effects);
    tr_jw_key(w, "cost");
    tr_project_put_cost(w, &cap->cost);
    tr_jw_key(w, "policy_required");
    tr_project_put_strs(w, &cap->guard.policy_required);
    tr_jw_put_bool(w, "idempotent", cap->idempotent);
    tr_jw_key(w, "deprecates");
    tr_project_put_or_null(w, cap->deprecates);
    put_word(w, "reasoning", tr_cap_reasoning_name(cap->reasoning));
    put_word(w, "assurance", tr_cap_assurance_name(cap->assurance));
    put_word(w, "version_status",
             tr_cap_version_status_name(cap->version_status));
}

void tr_project_put_descriptor(struct tr_json_writer *w,
                               const struct tr_cap *cap)
{
    tr_jw_open(w, '{');
    tr_project_put_fields(w, cap);
    tr_jw_close(w, '}');
}
