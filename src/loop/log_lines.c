#include "loop/log_lines.h"

#include "base/limits.h"
#include "base/time.h"
#include "loop/loop.h"
#include "loop/timer.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

/* POSIX, write(): a pipe takes up to PIPE_BUF bytes in one piece, or none. */
#define PIECE_BYTES ((size_t)PIPE_BUF)

/*
 * A pipe that poll() calls writable takes one piece without waiting. The mutex
 * keeps other loops from writing between the poll and the write.
 */
struct tr_loop_log_target {
    pthread_mutex_t mutex;
    int fd;
    bool may_block;
};

struct tr_loop_log_lines {
    struct tr_loop *loop;
    struct tr_loop_log_target *target;
    struct tr_loop_tick flush;
    uint64_t dropped;
    size_t count;     /* lines in the piece */
    uint64_t time_ms; /* of the loop, when `time` was made */
    size_t time_len;
    char time[40];
    struct tr_buf piece;
    char storage[PIECE_BYTES];
};

tr_status tr_loop_log_target_create(int fd, struct tr_loop_log_target **out,
                                    struct tr_err *err)
{
    struct stat info;
    struct tr_loop_log_target *target = calloc(1, sizeof(*target));
    if (!target || pthread_mutex_init(&target->mutex, NULL) != 0) {
        free(target);
        return tr_fail(err, TR_E_NOMEM, "no memory for the log");
    }
    target->fd = fd;
    target->may_block = fstat(fd, &info) != 0 || !S_ISREG(info.st_mode);
    *out = target;
    return TR_OK;
}

void tr_loop_log_target_free(struct tr_loop_log_target *target)
{
    if (!target)
        return;
    (void)pthread_mutex_destroy(&target->mutex);
    free(target);
}

static bool write_piece(struct tr_loop_log_target *target, tr_str piece)
{
    struct pollfd ready = {.fd = target->fd, .events = POLLOUT};
    ssize_t written = -1;
    (void)pthread_mutex_lock(&target->mutex);
    if (!target->may_block ||
        (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT)))
        written = write(target->fd, piece.ptr, piece.len);
    (void)pthread_mutex_unlock(&target->mutex);
    return written == (ssize_t)piece.len;
}

static void flush(void *data)
{
    struct tr_loop_log_lines *lines = data;
    if (lines->count && !write_piece(lines->target, tr_buf_str(&lines->piece)))
        lines->dropped += lines->count;
    lines->count = 0;
    tr_buf_clear(&lines->piece);
}

tr_status tr_loop_log_lines_create(struct tr_loop *loop,
                                   struct tr_loop_log_target *target,
                                   struct tr_loop_log_lines **out,
                                   struct tr_err *err)
{
    struct tr_loop_log_lines *lines = calloc(1, sizeof(*lines));
    if (!lines)
        return tr_fail(err, TR_E_NOMEM, "no memory for the log");
    lines->loop = loop;
    lines->target = target;
    tr_loop_tick_init(&lines->flush, flush, lines);
    tr_buf_init_fixed(&lines->piece, lines->storage, sizeof(lines->storage));
    *out = lines;
    return TR_OK;
}

void tr_loop_log_lines_free(struct tr_loop_log_lines *lines)
{
    if (!lines)
        return;
    tr_loop_tick_remove(&lines->flush);
    flush(lines);
    free(lines);
}

/* Lines of one millisecond share the text of their time. */
static tr_str time_text(struct tr_loop_log_lines *lines)
{
    uint64_t now_ms = tr_loop_now_ms(lines->loop) + 1; /* 0: none yet */
    if (lines->time_ms != now_ms) {
        struct tr_buf text;
        tr_time now = tr_loop_wall(lines->loop);
        tr_buf_init_fixed(&text, lines->time, sizeof(lines->time));
        tr_time_write_millis(&text, now);
        lines->time_len = text.len;
        lines->time_ms = now_ms;
    }
    return (tr_str){lines->time, lines->time_len};
}

void tr_loop_log_lines_add(struct tr_loop_log_lines *lines,
                           enum tr_log_level level, const char *msg,
                           const struct tr_log_field *fields, size_t count)
{
    char storage[PIECE_BYTES];
    struct tr_buf line;
    if (!tr_log_is_on(level))
        return;
    tr_buf_init_fixed(&line, storage, sizeof(storage));
    struct tr_log_head head = {time_text(lines), level, msg};
    tr_log_format_at(&line, &head, fields, count);
    if (line.len > lines->piece.max - lines->piece.len)
        flush(lines);
    tr_buf_put(&lines->piece, tr_buf_str(&line));
    lines->count++;
    tr_loop_tick_add(&lines->flush, lines->loop);
}

uint64_t tr_loop_log_lines_dropped(const struct tr_loop_log_lines *lines)
{
    return lines->dropped;
}
