/*
 * The manifest for people. Descriptions are what the app's author wrote; in a
 * cell of a table they are one line.
 */
#include "fields/field.h"
#include "project/inside.h"

static void put_cell(struct tr_buf *out, tr_str text)
{
    const char *end = text.ptr + text.len;
    for (const char *at = text.ptr; at < end; at++) {
        char c = *at;
        if (c == '|' || c == '\\')
            tr_buf_putc(out, '\\');
        tr_buf_putc(out, c == '\n' || c == '\r' ? ' ' : c);
    }
}

static void put_row(struct tr_buf *out, const char *name, tr_str text)
{
    if (!text.len)
        return;
    tr_buf_putf(out, "| %s | ", name);
    put_cell(out, text);
    tr_buf_put(out, TR_STR(" |\n"));
}

static void put_list(struct tr_buf *out, const char *name,
                     const struct tr_cap_strs *strs)
{
    if (!strs->count)
        return;
    tr_buf_putf(out, "| %s | ", name);
    for (size_t i = 0; i < strs->count; i++) {
        if (i)
            tr_buf_put(out, TR_STR(", "));
        put_cell(out, strs->items[i]);
    }
    tr_buf_put(out, TR_STR(" |\n"));
}

/* Which precondition it is; what it asks for is JSON. */
static void put_conditions(struct tr_buf *out, const struct tr_cap *cap)
{
    for (size_t i = 0; i < cap->precondition_count; i++) {
        const struct tr_cap_precondition *needs = &cap->preconditions[i];
        struct tr_json_writer w;
        struct tr_buf text;
        tr_buf_init(&text, TR_LIMIT_DESCRIPTION_BYTES);
        tr_buf_put(&text, needs->kind);
        if (needs->params) {
            tr_buf_putc(&text, ' ');
            tr_jw_init(&w, &text);
            tr_jw_value(&w, needs->params);
        }
        put_row(out, "needs", tr_buf_str(&text));
        tr_buf_done(&text);
    }
}

/* "7 tokens, 0.5 USD, 10 ms (20 ms)"; what is 0 is left out. */
static void put_cost(struct tr_buf *out, const char *name, double tokens,
                     double usd, const double latency[2])
{
    const char *comma = "";
    tr_buf_putf(out, "| %s | ", name);
    if (tokens > 0) {
        tr_buf_putf(out, "%.10g tokens", tokens);
        comma = ", ";
    }
    if (usd > 0) {
        tr_buf_putf(out, "%s%.10g USD", comma, usd);
        comma = ", ";
    }
    bool is_timed = latency[0] > 0 || latency[1] > 0;
    if (tokens <= 0 && usd <= 0 && !is_timed)
        tr_buf_put(out, TR_STR("not said"));
    if (is_timed)
        tr_buf_putf(out, "%s%.10g ms, one in twenty %.10g ms", comma,
                    latency[0], latency[1]);
    tr_buf_put(out, TR_STR(" |\n"));
}

void tr_project_fill_markdown(struct tr_buf *out,
                              const struct tr_project_measured *measured)
{
    const double latency[2] = {measured->latency_p50_ms,
                               measured->latency_p95_ms};
    put_cost(out, "measured", measured->tokens_p50, measured->usd_p50, latency);
}

static void put_fields(struct tr_buf *out, const struct tr_cap *cap)
{
    const struct tr_shape *shape =
        cap->shown_shape ? cap->shown_shape : cap->input_shape;
    if (!shape || !shape->count)
        return;
    tr_buf_put(out, TR_STR("\n| argument | kind | required | |\n"
                           "|---|---|---|---|\n"));
    for (size_t i = 0; i < shape->count; i++) {
        const struct tr_field *field = &shape->fields[i];
        bool required = shape->patch_key.len
                            ? tr_str_eq(shape->patch_key, field->name)
                            : tr_field_is_required(field);
        tr_buf_putf(out, "| %.*s | %s%s | %s | ", TR_FMT(field->name),
                    tr_field_kind_name(field->kind),
                    tr_field_is_array(field) ? ", many" : "",
                    required ? "yes" : "no");
        put_cell(out, field->description);
        tr_buf_put(out, TR_STR(" |\n"));
    }
}

static void put_cap(struct tr_project_writing *v, const struct tr_cap *cap)
{
    const double latency[2] = {cap->cost.latency_p50_ms,
                               cap->cost.latency_p95_ms};
    struct tr_buf *out = v->out;
    tr_buf_putf(out, "\n## %.*s\n\n", TR_FMT(cap->id));
    if (cap->description.len) {
        tr_buf_put(out, cap->description);
        tr_buf_put(out, TR_STR("\n\n"));
    }
    tr_buf_putf(out, "| | |\n|---|---|\n| version | %.*s, %s |\n",
                TR_FMT(cap->version),
                tr_cap_version_status_name(cap->version_status));
    put_row(out, "replaces", cap->deprecates);
    put_row(out, "input", cap->input_iri);
    put_row(out, "output", cap->output_iri);
    put_conditions(out, cap);
    put_list(out, "writes", &cap->side_effects.graph_writes);
    put_list(out, "calls", &cap->side_effects.external_calls);
    put_list(out, "policies", &cap->guard.policy_required);
    put_row(out, "regulated",
            cap->side_effects.regulated ? TR_STR("yes") : TR_STR(""));
    put_row(out, "idempotent", cap->idempotent ? TR_STR("yes") : TR_STR("no"));
    put_row(out, "reasoning",
            tr_str_from(tr_cap_reasoning_name(cap->reasoning)));
    put_row(out, "assurance",
            tr_str_from(tr_cap_assurance_name(cap->assurance)));
    put_cost(out, "estimated cost", (double)cap->cost.tokens, cap->cost.usd,
             latency);
    tr_project_leave_gap(v, cap);
    put_fields(out, cap);
}

void tr_project_write_markdown(struct tr_project_writing *v)
{
    tr_str title = tr_project_title(v->site);
    const struct tr_cap *cap;
    tr_buf_putf(v->out, "# %.*s\n", TR_FMT(title));
    if (!v->one && v->site->description.len) {
        tr_buf_putc(v->out, '\n');
        tr_buf_put(v->out, v->site->description);
        tr_buf_putc(v->out, '\n');
    }
    for (size_t i = 0; (cap = tr_project_next(v, &i)) != NULL;)
        put_cap(v, cap);
}
