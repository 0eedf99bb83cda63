/*
 * test/support/folder.h - a folder for the files of one test.
 */
#ifndef TR_TEST_SUPPORT_FOLDER_H
#define TR_TEST_SUPPORT_FOLDER_H

#include <stddef.h>

struct folder {
    char path[64];
};

/* Makes a new folder in TMPDIR; the test fails when that cannot be done. */
void folder_open(struct folder *folder);

/* Removes the folder with all files in it; there are no folders inside. */
void folder_close(struct folder *folder);

/* The path of a file in it; valid until four others have been asked for on
 * this thread. */
const char *folder_path(const struct folder *folder, const char *name);

void folder_write(const struct folder *folder, const char *name,
                  const char *text);

#endif
