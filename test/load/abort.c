/*
 * load/abort.c - requests that end at any place: in the head, in the body,
 * while the handler runs, in the middle of the response, on an open stream.
 * Afterwards the server holds what it held before.
 */
#include "load/mcp.h"

#include <assert.h>

#define AT_ONCE     32
#define SMALL_BYTES 4096

/* What RssAnon may grow by: the allocator keeps some of what it was given. */
#define MARGIN_KIB 4096

enum place {
    AT_CONNECT, /* nothing is sent */
    IN_REQUEST, /* head or body, up to any byte */
    IN_HANDLER, /* after the handler has said that it runs */
    IN_ANSWER,  /* after the first bytes of a large one */
    IN_STREAM,  /* of a listen request */
    PLACES,
};

/* How it ends. */
enum manner { BY_FIN, BY_RST, BY_HALF, MANNERS };

struct abort_run {
    struct load *load;
    size_t wanted;
    size_t started;
    size_t ended;
};

struct victim {
    struct abort_run *run;
    enum place place;
    enum manner manner;
    bool is_aborted;
};

static void end(struct load_conn *conn)
{
    struct victim *victim = conn->owner;
    victim->run->ended++;
    free(victim);
}

/* Half-closed, the server ends it: at once, or with what it has to say. */
static void give_up(struct load_conn *conn)
{
    struct victim *victim = conn->owner;
    enum manner manner = victim->manner;
    if (victim->is_aborted)
        return;
    victim->is_aborted = true;
    if (manner == BY_HALF) {
        load_finish(conn);
        return;
    }
    end(conn);
    load_close(conn, manner == BY_RST);
}

static void on_event(struct load_conn *conn, const struct load_event *event)
{
    struct victim *victim = conn->owner;
    (void)event;
    if (victim->place == IN_HANDLER || victim->place == IN_STREAM)
        give_up(conn);
}

static void on_closed(struct load_conn *conn)
{
    end(conn);
}

static void on_bytes(struct load_conn *conn)
{
    struct victim *victim = conn->owner;
    if (victim->place == IN_ANSWER)
        give_up(conn);
}

static const struct load_ops ops = {
    .on_bytes = on_bytes, .on_event = on_event, .on_closed = on_closed};

static struct load_message message_of(struct load *load, enum place place)
{
    static const char *const calls[] = {
        "\"name\":\"touch\",\"arguments\":{\"uris\":[\"load:a\"]}",
        "\"name\":\"large\",\"arguments\":{\"bytes\":200000}",
    };
    switch (place) {
    case IN_HANDLER:
        return (struct load_message){
            .revision = LOAD_MODERN,
            .id = "1",
            .method = "tools/call",
            .name = "wait",
            .params = "\"name\":\"wait\",\"arguments\":{\"seconds\":600}",
            .meta = "\"progressToken\":1"};
    case IN_STREAM:
        return (struct load_message){
            .revision = LOAD_MODERN,
            .id = "1",
            .method = "subscriptions/listen",
            .params = "\"notifications\":{\"resourceSubscriptions\":"
                      "[\"load:a\",\"load:b\"]}"};
    default: {
        bool large = place == IN_ANSWER || load_random(load, 8) == 0;
        return (struct load_message){.revision = LOAD_MODERN,
                                     .id = "1",
                                     .method = "tools/call",
                                     .name = large ? "large" : "touch",
                                     .params = calls[large]};
    }
    }
}

static void start(struct abort_run *run)
{
    struct load *load = run->load;
    struct victim *victim = calloc(1, sizeof(*victim));
    struct tr_buf text;
    assert(victim);
    victim->run = run;
    victim->place = (enum place)load_random(load, PLACES);
    victim->manner = (enum manner)load_random(load, MANNERS);
    struct load_conn *conn = load_open(load, &ops, victim);
    if (!conn) {
        free(victim);
        return;
    }
    run->started++;
    tr_buf_init(&text, (size_t)1 << 20);
    struct load_message message = message_of(load, victim->place);
    load_write_post(&text, &message);
    tr_str part = tr_buf_str(&text);
    if (victim->place == AT_CONNECT)
        part.len = 0;
    else if (victim->place == IN_REQUEST)
        part.len = load_random(load, part.len);
    load_expect(conn);
    load_note(conn, &message);
    load_send(conn, part);
    tr_buf_done(&text);
    if (victim->place == AT_CONNECT || victim->place == IN_REQUEST)
        give_up(conn);
}

static bool is_done(void *data)
{
    struct abort_run *run = data;
    while (run->started < run->wanted && run->started - run->ended < AT_ONCE &&
           !run->load->fault)
        start(run);
    return run->ended == run->wanted;
}

static bool abort_many(struct load *load, const struct load_args *args,
                       size_t count, long before)
{
    struct abort_run run = {.load = load, .wanted = count};
    bool done = load_run(load, is_done, &run);
    while (load->conns) { /* only after a fault */
        free(load->conns->owner);
        load_close(load->conns, true);
    }
    return done && load_wait_descriptors(load, args->pid, before) &&
           load_call(load, "touch", "\"uris\":[\"load:a\"]") &&
           load_wait_descriptors(load, args->pid, before);
}

void load_abort(struct load *load, const struct load_args *args)
{
    long before = load_baseline(load, args->pid);
    load->recv_bytes = SMALL_BYTES; /* so that answers do not fit */
    if (before < 0 || !abort_many(load, args, args->count / 2 + 1, before))
        return;
    long warm_kib = load_rss_kib(args->pid);
    if (!abort_many(load, args, args->count, before))
        return;
    long kib = load_rss_kib(args->pid);
    (void)printf("RssAnon %ld KiB, then %ld KiB\n", warm_kib, kib);
    if (args->check_memory && kib > warm_kib + MARGIN_KIB)
        load_fail(load, "memory grew from %ld to %ld KiB", warm_kib, kib);
}
