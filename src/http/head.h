/*
 * http/head.h - the lines of a head: request line and fields. For the reader.
 */
#ifndef TR_HTTP_HEAD_H
#define TR_HTTP_HEAD_H

#include "http/reader.h"

/* Refuses the message: no more is read of it. */
enum tr_http_read tr_http_refuse(struct tr_http_reader *reader, int status,
                                 const char *why);

/*
 * Each reads the line that begins at `reader->at` and has `len` bytes without
 * its line end. They return TR_HTTP_MORE, or TR_HTTP_REFUSED.
 */
enum tr_http_read tr_http_head_line(struct tr_http_reader *reader,
                                    const char *bytes, size_t len);
enum tr_http_read tr_http_head_field(struct tr_http_reader *reader,
                                     const char *bytes, size_t len);
enum tr_http_read tr_http_head_trailer(struct tr_http_reader *reader,
                                       const char *bytes, size_t len);

/* After the last field: checks that the fields fit together. */
enum tr_http_read tr_http_head_end(struct tr_http_reader *reader);

/* Path, query and authority of a target; false when it has no valid form. */
bool tr_http_target_split(tr_str method, tr_str target,
                          struct tr_http_request *out);

#endif
