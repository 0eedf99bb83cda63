/*
 * loop/log_lines.h - lines of the log that one loop gathers: those of a turn
 * are written together, so that a line per request costs no system call each.
 *
 * They never make a loop wait: when whoever reads the log does not keep up,
 * lines are dropped and counted. Belongs to its loop's thread.
 */
#ifndef TR_LOOP_LOG_LINES_H
#define TR_LOOP_LOG_LINES_H

#include "base/log.h"

struct tr_loop_log_lines;
struct tr_loop_log_target;
struct tr_loop;

/* Where the lines of all loops go; `fd` is borrowed. */
TR_NODISCARD tr_status tr_loop_log_target_create(
    int fd, struct tr_loop_log_target **out, struct tr_err *err);

/* To be called after all tr_loop_log_lines of it were freed; may be NULL. */
void tr_loop_log_target_free(struct tr_loop_log_target *target);

TR_NODISCARD tr_status tr_loop_log_lines_create(
    struct tr_loop *loop, struct tr_loop_log_target *target,
    struct tr_loop_log_lines **out, struct tr_err *err);

/* Writes what is left. NULL is allowed. */
void tr_loop_log_lines_free(struct tr_loop_log_lines *lines);

/* Adds a line as tr_log writes them. */
void tr_loop_log_lines_add(struct tr_loop_log_lines *lines,
                           enum tr_log_level level, const char *msg,
                           const struct tr_log_field *fields, size_t count);

/* How many lines were dropped because nobody took them. */
uint64_t tr_loop_log_lines_dropped(const struct tr_loop_log_lines *lines);

#endif
