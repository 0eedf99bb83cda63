#include "support/checked.h"

#include "base/test.h"

static void watch(struct sample *sample, bool is_ours, tr_str message)
{
    struct checked *checked = (struct checked *)(void *)sample;
    struct wire_talk *talk = wire_talk(&checked->wire, TR_STR("sample"));
    struct tr_err err = {0};
    CHECK(talk);
    tr_status status = is_ours
                           ? wire_received(&checked->wire, talk, message, &err)
                           : wire_sent(&checked->wire, talk, message, &err);
    if (status != TR_OK)
        print_error("wrong: %.*s\n", TR_FMT(message));
    CHECK_OK(status, &err);
}

void checked_open(struct checked *checked)
{
    checked->has_schemas = wire_open(&checked->wire);
    sample_open(&checked->sample);
    if (checked->has_schemas)
        checked->sample.watch = watch;
}

void checked_close(struct checked *checked)
{
    sample_close(&checked->sample);
    wire_close(&checked->wire);
}
