#include "support/checked.h"

#include "base/test.h"

static struct wire_talk *talk_of(struct checked *checked)
{
    struct wire_talk *talk = wire_talk(&checked->wire, TR_STR("sample"));
    CHECK(talk);
    return talk;
}

void checked_saw(void *data, tr_str event_id, tr_str message)
{
    struct checked *checked = data;
    struct wire *wire = &checked->wire;
    struct tr_err err = {0};
    if (!checked->has_schemas)
        return;
    tr_status status =
        event_id.len
            ? wire_event(wire, talk_of(checked), event_id, message, &err)
            : wire_received(wire, talk_of(checked), message, &err);
    if (status != TR_OK)
        print_error("wrong: %.*s\n", TR_FMT(message));
    CHECK_OK(status, &err);
}

void checked_sends(struct checked *checked, tr_str message)
{
    struct tr_err err = {0};
    if (checked->has_schemas)
        CHECK_OK(wire_sent(&checked->wire, talk_of(checked), message, &err),
                 &err);
}

void checked_speaks(struct checked *checked, tr_str revision)
{
    struct tr_err err = {0};
    CHECK_OK(wire_speaks(talk_of(checked), revision, &err), &err);
}

static void watch(struct sample *sample, bool is_ours, tr_str message)
{
    struct checked *checked = (struct checked *)(void *)sample;
    if (is_ours)
        checked_saw(checked, TR_STR(""), message);
    else
        checked_sends(checked, message);
}

void checked_open(struct checked *checked)
{
    checked_open_with(checked, NULL);
}

void checked_open_with(struct checked *checked, sample_add_fn *add)
{
    checked->has_schemas = wire_open(&checked->wire);
    sample_open_with(&checked->sample, add);
    checked->sample.watch = watch;
}

void checked_close(struct checked *checked)
{
    sample_close(&checked->sample);
    wire_close(&checked->wire);
}
