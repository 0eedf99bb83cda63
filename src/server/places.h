/*
 * server/places.h - where the names are looked up that lead to a file: a change
 * of one of them makes the same path another file.
 */
#ifndef TR_SERVER_PLACES_H
#define TR_SERVER_PLACES_H

#include "base/err.h"

/* `folder` is a path without links, from the root; ending with what it gives
 * back. */
typedef tr_status tr_server_place_fn(void *data, const char *folder,
                                     const char *name, struct tr_err *err);

/*
 * Tells of each place that counts for `path` in the app's folder: of names
 * below that folder, of the last one, of links wherever they are, and of the
 * first name that is not there. Not of the folders that the app's own stands
 * in: they have their own life. TR_E_LIMIT for paths that are too long.
 */
TR_NODISCARD tr_status tr_server_places_each(const char *folder,
                                             const char *path,
                                             tr_server_place_fn *tell,
                                             void *data, struct tr_err *err);

#endif
