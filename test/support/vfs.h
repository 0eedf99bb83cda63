/*
 * test/support/vfs.h - a disk for SQLite that fails on command.
 *
 * It passes everything on to the system's own files and remembers what has not
 * been synced. It can refuse the n-th write, be full from some write on, and
 * lose power: then nothing works any more, and what was not synced may be gone.
 */
#ifndef TR_TEST_SUPPORT_VFS_H
#define TR_TEST_SUPPORT_VFS_H

#include "base/err.h"

/* The name to open a store with. */
#define TR_TEST_VFS "trails-test"

/* Registers the disk with SQLite, once per process, with nothing wrong yet. */
void vfs_install(void);

/* Nothing is wrong, and nothing was written yet. */
void vfs_reset(void);

/* Writes and syncs since vfs_reset. */
size_t vfs_writes(void);

/* The write of this number, from 1, fails; so does every one after it when the
 * disk is full. 0: none. */
void vfs_fail_write(size_t number);
void vfs_fill_at(size_t number);

/* The power goes when this write, from 1, would be done. 0: never. */
void vfs_cut_at(size_t number);
bool vfs_is_cut(void);

/*
 * After a cut, with every file closed: takes back a part, chosen by `choice`,
 * of what was not synced, and the power is back.
 */
void vfs_recover(uint64_t choice);

#endif
