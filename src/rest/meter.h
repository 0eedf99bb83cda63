/*
 * rest/meter.h - what calls have really cost, for the views that show it.
 *
 * It is read from the store for all capabilities at once, and again when it is
 * older than a second.
 */
#ifndef TR_REST_METER_H
#define TR_REST_METER_H

#include "project/view.h"
#include "prov/measure.h"

struct tr_rest;

struct tr_rest_meter {
    struct tr_project_meter base; /* first: views know only this */
    const struct tr_prov_measured_list *list;
};

/* What a loop has read, and when. */
struct tr_rest_measured {
    struct tr_arena arena;
    struct tr_prov_measured_list list;
    uint64_t read_ms;
    bool is_read;
};

void tr_rest_meter_init(struct tr_rest_measured *measured);
void tr_rest_meter_done(struct tr_rest_measured *measured);

/*
 * A meter for one view; *out is NULL where nothing is known, as with a store
 * that cannot be read. Fails without memory only: the view would say that
 * nothing was called.
 */
TR_NODISCARD tr_status tr_rest_meter_open(struct tr_rest *rest,
                                          struct tr_rest_meter *meter,
                                          const struct tr_project_meter **out,
                                          struct tr_err *err);

#endif
