/*
 * The manifest: all of the canonical form, as JSON-LD and as plain JSON; and
 * what is outside the fourteen fields: what an author asks for and only the
 * server can give, what is measured, what an author says of afterwards.
 */
#include "project/inside.h"

/* Nothing but a request: `assurance` says what there is. */
static void put_requested(struct tr_json_writer *w, const struct tr_cap *cap)
{
    if (cap->requested == TR_CAP_ASSURANCE_DEFAULT ||
        cap->requested == cap->assurance)
        return;
    tr_jw_key(w, "requested");
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "assurance",
                     tr_str_from(tr_cap_assurance_name(cap->requested)));
    tr_jw_close(w, '}');
}

static void put_node(struct tr_project_writing *v, const struct tr_cap *cap)
{
    tr_project_put_url(v, "@id", TR_STR(TR_PROJECT_MANIFEST_PATH "#"), cap->id);
    tr_jw_put_string(&v->w, "@type", TR_STR("trails:Capability"));
    tr_project_put_fields(&v->w, cap);
    if (cap->postcondition_count) {
        tr_jw_key(&v->w, "trails:effects");
        tr_project_put_conditions(&v->w, cap->postconditions,
                                  cap->postcondition_count);
    }
    put_requested(&v->w, cap);
    tr_project_leave_gap(v, cap);
}

void tr_project_write_json_ld(struct tr_project_writing *v)
{
    struct tr_json_writer *w = &v->w;
    const struct tr_cap *cap;
    tr_jw_open(w, '{');
    tr_project_put_url(v, "@context", TR_STR(TR_PROJECT_CONTEXT_PATH),
                       TR_STR(""));
    if (v->one) {
        put_node(v, v->one);
        tr_jw_close(w, '}');
        return;
    }
    tr_jw_key(w, "@graph");
    tr_jw_open(w, '[');
    for (size_t i = 0; (cap = tr_project_next(v, &i)) != NULL;) {
        tr_jw_open(w, '{');
        put_node(v, cap);
        tr_jw_close(w, '}');
    }
    tr_jw_close(w, ']');
    tr_jw_close(w, '}');
}

static void put_plain(struct tr_project_writing *v, const struct tr_cap *cap)
{
    tr_jw_open(&v->w, '{');
    tr_project_put_fields(&v->w, cap);
    put_requested(&v->w, cap);
    tr_project_leave_gap(v, cap);
    tr_jw_close(&v->w, '}');
}

void tr_project_write_plain(struct tr_project_writing *v)
{
    const struct tr_cap *cap;
    if (v->one) {
        put_plain(v, v->one);
        return;
    }
    tr_jw_open(&v->w, '{');
    tr_jw_put_string(&v->w, "project", v->site->name);
    tr_jw_key(&v->w, "capabilities");
    tr_jw_open(&v->w, '[');
    for (size_t i = 0; (cap = tr_project_next(v, &i)) != NULL;)
        put_plain(v, cap);
    tr_jw_close(&v->w, ']');
    tr_jw_close(&v->w, '}');
}

void tr_project_fill_json(struct tr_buf *out,
                          const struct tr_project_measured *measured)
{
    struct tr_json_writer w;
    tr_buf_put(out, TR_STR(",\"measured\":"));
    tr_jw_init(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_put_i64(&w, "calls", (int64_t)measured->calls);
    tr_jw_put_double(&w, "latency_p50_ms", measured->latency_p50_ms);
    tr_jw_put_double(&w, "latency_p95_ms", measured->latency_p95_ms);
    if (measured->spent) {
        tr_jw_put_double(&w, "tokens_p50", measured->tokens_p50);
        tr_jw_put_double(&w, "tokens_p95", measured->tokens_p95);
        tr_jw_put_double(&w, "usd_p50", measured->usd_p50);
        tr_jw_put_double(&w, "usd_p95", measured->usd_p95);
    }
    tr_jw_close(&w, '}');
}
