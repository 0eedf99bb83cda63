#include "rest/meter.h"

#include "base/limits.h"
#include "loop/loop.h"
#include "rest/inside.h"
#include "runtime/env.h"

#define FRESH_MS 1000

void tr_rest_meter_init(struct tr_rest_measured *measured)
{
    tr_arena_init(&measured->arena, TR_LIMIT_REQUEST_MEMORY);
}

void tr_rest_meter_done(struct tr_rest_measured *measured)
{
    tr_arena_done(&measured->arena);
}

static void measure(const struct tr_project_meter *base,
                    const struct tr_cap *cap, struct tr_project_measured *out)
{
    const struct tr_rest_meter *meter =
        (const struct tr_rest_meter *)(const void *)base;
    const struct tr_prov_measured *found =
        tr_prov_measured_find(meter->list, cap->id, cap->version);
    *out = (struct tr_project_measured){0};
    if (!found)
        return;
    const struct tr_prov_percentiles *of = found->of;
    *out = (struct tr_project_measured){
        .calls = of[TR_PROV_UNIT_MICROS].count,
        .spent = of[TR_PROV_UNIT_TOKENS].count,
        .latency_p50_ms = (double)of[TR_PROV_UNIT_MICROS].p50 / 1e3,
        .latency_p95_ms = (double)of[TR_PROV_UNIT_MICROS].p95 / 1e3,
        .tokens_p50 = (double)of[TR_PROV_UNIT_TOKENS].p50,
        .tokens_p95 = (double)of[TR_PROV_UNIT_TOKENS].p95,
        .usd_p50 = (double)of[TR_PROV_UNIT_MICRO_USD].p50 / 1e6,
        .usd_p95 = (double)of[TR_PROV_UNIT_MICRO_USD].p95 / 1e6,
    };
}

static tr_status read_again(struct tr_rest *rest, uint64_t now_ms,
                            struct tr_err *err)
{
    struct tr_rest_measured *measured = &rest->measured;
    const struct tr_call_env *env = rest->opts.env;
    measured->is_read = false;
    measured->list = (struct tr_prov_measured_list){0};
    tr_arena_reset(&measured->arena);
    if (!env)
        return TR_OK;
    TR_TRY(tr_graph_reader_begin(env->reader, err));
    tr_status status = tr_prov_measure_read_all(
        env->reader->db, &measured->arena, &measured->list, err);
    tr_graph_reader_end(env->reader);
    measured->is_read = status == TR_OK;
    measured->read_ms = now_ms;
    return status;
}

tr_status tr_rest_meter_open(struct tr_rest *rest, struct tr_rest_meter *meter,
                             const struct tr_project_meter **out,
                             struct tr_err *err)
{
    uint64_t now_ms = tr_loop_now_ms(rest->opts.loop);
    tr_status status = TR_OK;
    *out = NULL;
    if (!rest->measured.is_read || now_ms - rest->measured.read_ms >= FRESH_MS)
        status = read_again(rest, now_ms, err);
    if (status == TR_E_NOMEM || !rest->measured.is_read)
        return status == TR_E_NOMEM ? status : TR_OK;
    *meter = (struct tr_rest_meter){{measure}, &rest->measured.list};
    *out = &meter->base;
    return TR_OK;
}
