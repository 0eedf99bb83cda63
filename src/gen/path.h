/*
 * gen/path.h - which paths are files of an app.
 *
 * A list of what there can be, not of what is forbidden: names of letters,
 * digits, _ - and points, spelt as they are here. So there is no way out of the
 * folder, no hidden file, no store, and no second spelling of a name.
 */
#ifndef TR_GEN_PATH_H
#define TR_GEN_PATH_H

#include "base/str.h"

/* A folder of an app, or with "" the app's own, and what files are in it. */
struct tr_gen_folder {
    const char *folder;
    const char *ends; /* of names, with spaces between: ".lua .json"; in the
                         app's own folder whole names */
    bool is_deep;     /* folders in it have such files, too */
};

extern const struct tr_gen_folder tr_gen_folders[];
extern const size_t tr_gen_folder_count;

/* NULL for the path of a file that an app may have, else why it is none: "must
 * be ...", for a message that begins with what the path is of. */
const char *tr_gen_path_refuse(tr_str path);

/* The same for what a generator writes, which gives an app a .gitignore. */
const char *tr_gen_path_refuse_written(tr_str path);

/* Whether a folder may have files of an app in it: "lib/tax". */
bool tr_gen_path_is_folder(tr_str path);

#endif
