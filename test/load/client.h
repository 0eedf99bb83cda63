/*
 * load/client.h - many HTTP connections of one thread, driven by epoll.
 *
 * It knows nothing of the server: it sends what it is given, reads responses
 * and streams of events strictly, and calls back. A connection is freed by
 * load_close or, after `on_closed`, when the peer has gone.
 */
#ifndef LOAD_CLIENT_H
#define LOAD_CLIENT_H

#include "base/arena.h"
#include "base/buf.h"

struct load;
struct load_conn;

/* One event of a stream; views into the connection's buffer. */
struct load_event {
    tr_str name;
    tr_str id;
    tr_str data;
    bool has_id;
};

/* Any of these may be NULL, and may close the connection. */
struct load_ops {
    /* Something has arrived; it is read after this. */
    void (*on_bytes)(struct load_conn *conn);
    void (*on_event)(struct load_conn *conn, const struct load_event *event);
    /* A response that is no stream is complete. */
    void (*on_body)(struct load_conn *conn, tr_str body);
    /* A stream has ended as HTTP wants it. */
    void (*on_end)(struct load_conn *conn);
    /* The connection is gone; it is freed after this. */
    void (*on_closed)(struct load_conn *conn);
};

enum load_phase {
    LOAD_HEAD,       /* waits for the head of a response */
    LOAD_BODY,       /* for `left` bytes of a body */
    LOAD_CHUNK_SIZE, /* for the line before a chunk */
    LOAD_CHUNK,      /* for `left` bytes of a chunk */
    LOAD_CHUNK_END,  /* for the line end after it */
    LOAD_LAST_LINE,  /* for the line end after the last chunk */
};

struct load_conn {
    struct load *load;
    const struct load_ops *ops;
    void *owner;
    int fd;
    enum load_phase phase;
    int status;         /* of the response that is being read */
    bool is_stream;     /* of events */
    bool is_pending;    /* a request waits for its response */
    bool is_paused;     /* nothing is read */
    bool is_dead;       /* freed at the end of the turn */
    size_t left;        /* bytes of the body or chunk that are to come */
    struct tr_buf in;   /* as it came */
    struct tr_buf text; /* decoded: a body, or the start of an event */
    struct tr_buf out;  /* not sent yet */
    char session[80];   /* Mcp-Session-Id of the last response, or empty */
    char talk[80];      /* what ids are unique in: see load_talk */
    uint64_t events;    /* seen on this connection */
    struct load_conn *next;
    struct load_conn **link;
};

struct load {
    int poll_fd;
    unsigned port;
    unsigned recv_bytes; /* of new sockets; 0 leaves the system's choice */
    struct load_conn *conns;
    struct load_conn *dead;
    size_t count;          /* of open connections */
    uint64_t random;       /* state of the generator */
    struct tr_arena arena; /* for the message that is being looked at */
    /* Sees every message, sent or received; NULL where nobody judges. */
    void (*judge)(struct load_conn *conn, bool is_ours, tr_str event_id,
                  tr_str message);
    void *judge_data;
    uint64_t talks;    /* that were begun without a session */
    const char *fault; /* what was wrong first, or NULL */
    char fault_text[512];
};

/* Raises the limit of descriptors; false when there is no epoll. */
bool load_init(struct load *load, unsigned port, uint64_t seed);
void load_done(struct load *load);

/* Connects; NULL, and a fault, when that fails. */
struct load_conn *load_open(struct load *load, const struct load_ops *ops,
                            void *owner);

/* Sends bytes as they are. */
void load_send(struct load_conn *conn, tr_str bytes);

/* Says that a response is due, for load_send of a whole request. */
void load_expect(struct load_conn *conn);

/* Stops or goes on reading. */
void load_pause(struct load_conn *conn, bool paused);

/* Ends our side only. */
void load_finish(struct load_conn *conn);

/* Closes; `reset` sends RST where TCP would send FIN. */
void load_close(struct load_conn *conn, bool reset);

/* Notes what is wrong; the first counts. */
TR_PRINTF(2, 3)
void load_fail(struct load *load, const char *format, ...);

/*
 * Runs until `done` says so. False, with a fault, when something was wrong or
 * nothing at all has happened for a long time.
 */
typedef bool load_done_fn(void *data);
bool load_run(struct load *load, load_done_fn *done, void *data);

/* One turn that waits at most `wait_ms`; how many events there were. */
int load_turn(struct load *load, int wait_ms);

/* A number below `bound`. */
uint64_t load_random(struct load *load, uint64_t bound);

/* Names what is said on the connection after a session, or by itself. */
void load_talk(struct load_conn *conn, tr_str session);

/* response.c: reads what has arrived; false when it is not HTTP. */
bool load_read_response(struct load_conn *conn);

#endif
