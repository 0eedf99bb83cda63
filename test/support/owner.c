#include "support/owner.h"

#include "base/test.h"
#include "loop/loop.h"

static char *room(void *data, size_t *size)
{
    struct tr_owner *owner = data;
    *size = sizeof(owner->room);
    return owner->no_room ? NULL : owner->room;
}

static void on_read(void *data, char *bytes, size_t count)
{
    struct tr_owner *owner = data;
    CHECK(bytes == owner->room);
    tr_buf_put(&owner->got, (tr_str){bytes, count});
}

static void on_end(void *data, tr_status why)
{
    struct tr_owner *owner = data;
    owner->ends++;
    owner->end = why;
}

static void on_drain(void *data)
{
    ((struct tr_owner *)data)->drains++;
}

static void on_closed(void *data)
{
    ((struct tr_owner *)data)->closed = true;
}

const struct tr_net_stream_ops tr_owner_ops = {
    .room = room,
    .on_read = on_read,
    .on_end = on_end,
    .on_drain = on_drain,
    .on_closed = on_closed,
};

void tr_owner_open(struct tr_owner *owner)
{
    const struct tr_loop_opts opts = {.test_clock = true};
    *owner = (struct tr_owner){0};
    tr_buf_init(&owner->got, 1 << 24);
    CHECK_OK(tr_loop_create(&opts, &owner->loop, NULL), NULL);
}

void tr_owner_close(struct tr_owner *owner)
{
    if (!owner->closed)
        tr_net_stream_close(owner->stream);
    while (tr_loop_turn(owner->loop))
        ;
    CHECK(owner->closed);
    tr_buf_done(&owner->got);
    tr_loop_free(owner->loop);
}

tr_status tr_owner_write(struct tr_owner *owner, const char *text)
{
    const tr_str part = tr_str_from(text);
    return tr_net_stream_write(owner->stream, &part, 1, NULL);
}
