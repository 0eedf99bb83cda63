#include "support/vfs.h"

#include <sqlite3.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a file held before a write that was not synced. */
struct before {
    struct before *older;
    char *path;
    sqlite3_int64 at;
    sqlite3_int64 file_size;
    int len; /* bytes that were there */
    char bytes[];
};

/* SQLite's struct comes first, the real file's follows ours. */
struct file {
    sqlite3_file base;
    char *path;
    sqlite3_file real;
};

static struct {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    sqlite3_mutex *lock;
    size_t writes;
    size_t fail_at;
    size_t full_at;
    size_t cut_at;
    bool is_cut;
    struct before *unsynced; /* newest first */
} disk;

static char *copy_of(const char *path)
{
    size_t size = strlen(path) + 1;
    char *copy = calloc(1, size);
    if (!copy)
        abort();
    memcpy(copy, path, size);
    return copy;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return &((struct file *)(void *)file)->real;
}

/* Counts a write; what it must end with, SQLITE_OK when nothing is wrong. */
static int judge_write(void)
{
    if (disk.is_cut)
        return SQLITE_IOERR_WRITE;
    disk.writes++;
    if (disk.writes == disk.cut_at) {
        disk.is_cut = true;
        return SQLITE_IOERR_WRITE;
    }
    if (disk.full_at && disk.writes >= disk.full_at)
        return SQLITE_FULL;
    return disk.writes == disk.fail_at ? SQLITE_IOERR_WRITE : SQLITE_OK;
}

static void remember(sqlite3_file *file, sqlite3_int64 at, int len)
{
    struct file *f = (struct file *)(void *)file;
    struct before *b = calloc(1, sizeof(*b) + (size_t)len);
    if (!b)
        abort();
    b->path = copy_of(f->path);
    (void)f->real.pMethods->xFileSize(&f->real, &b->file_size);
    b->at = at;
    b->len = b->file_size > at + len ? len
             : b->file_size > at     ? (int)(b->file_size - at)
                                     : 0;
    if (b->len && f->real.pMethods->xRead(&f->real, b->bytes, b->len, at))
        abort();
    b->older = disk.unsynced;
    disk.unsynced = b;
}

static void forget(const char *path)
{
    struct before **link = &disk.unsynced;
    while (*link) {
        struct before *b = *link;
        if (path && strcmp(b->path, path) != 0) {
            link = &b->older;
            continue;
        }
        *link = b->older;
        free(b->path);
        free(b);
    }
}

static int file_close(sqlite3_file *file)
{
    struct file *f = (struct file *)(void *)file;
    int rc = f->real.pMethods ? f->real.pMethods->xClose(&f->real) : SQLITE_OK;
    free(f->path);
    return rc;
}

static int file_read(sqlite3_file *file, void *to, int len, sqlite3_int64 at)
{
    if (disk.is_cut)
        return SQLITE_IOERR_READ;
    return real_of(file)->pMethods->xRead(real_of(file), to, len, at);
}

static int file_write(sqlite3_file *file, const void *from, int len,
                      sqlite3_int64 at)
{
    sqlite3_mutex_enter(disk.lock);
    int rc = judge_write();
    if (rc == SQLITE_OK) {
        remember(file, at, len);
        rc = real_of(file)->pMethods->xWrite(real_of(file), from, len, at);
    }
    sqlite3_mutex_leave(disk.lock);
    return rc;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (disk.is_cut)
        return SQLITE_IOERR_TRUNCATE;
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int file_sync(sqlite3_file *file, int flags)
{
    int rc = SQLITE_IOERR_FSYNC;
    sqlite3_mutex_enter(disk.lock);
    if (!disk.is_cut) {
        rc = real_of(file)->pMethods->xSync(real_of(file), flags);
        forget(((struct file *)(void *)file)->path);
    }
    sqlite3_mutex_leave(disk.lock);
    return rc;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *out)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), out);
}

static int file_lock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xLock(real_of(file), level);
}

static int file_unlock(sqlite3_file *file, int level)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), level);
}

static int file_reserved(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int file_control(sqlite3_file *file, int op, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}

static int file_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

/* The real file's promises (such as atomic writes) are not ours. */
static int file_traits(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static int shm_map(sqlite3_file *file, int page, int size, int extend,
                   void volatile **out)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend,
                                            out);
}

static int shm_lock(sqlite3_file *file, int at, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), at, count, flags);
}

static void shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_traits,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file,
                     int flags, int *out_flags)
{
    struct file *f = (struct file *)(void *)file;
    (void)vfs;
    f->base.pMethods = NULL;
    if (disk.is_cut)
        return SQLITE_CANTOPEN;
    int rc = disk.real->xOpen(disk.real, path, &f->real, flags, out_flags);
    if (rc != SQLITE_OK)
        return rc;
    f->path = copy_of(path ? path : "");
    f->base.pMethods = &methods;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    if (disk.is_cut)
        return SQLITE_IOERR_DELETE;
    return disk.real->xDelete(disk.real, path, sync);
}

void vfs_install(void)
{
    if (disk.real)
        return;
    disk.real = sqlite3_vfs_find(NULL);
    disk.lock = sqlite3_mutex_alloc(SQLITE_MUTEX_FAST);
    disk.vfs = *disk.real;
    disk.vfs.szOsFile = (int)sizeof(struct file) + disk.real->szOsFile;
    disk.vfs.zName = TR_TEST_VFS;
    disk.vfs.xOpen = open_file;
    disk.vfs.xDelete = delete_file;
    if (sqlite3_vfs_register(&disk.vfs, 0) != SQLITE_OK)
        abort();
}

void vfs_reset(void)
{
    forget(NULL);
    disk.writes = disk.fail_at = disk.full_at = disk.cut_at = 0;
    disk.is_cut = false;
}

size_t vfs_writes(void)
{
    return disk.writes;
}

void vfs_fail_write(size_t number)
{
    disk.fail_at = number;
}

void vfs_fill_at(size_t number)
{
    disk.full_at = number;
}

void vfs_cut_at(size_t number)
{
    disk.cut_at = number;
}

bool vfs_is_cut(void)
{
    return disk.is_cut;
}

/* Newest first, so that a file is as it was before the oldest of them. */
static void take_back(const struct before *b)
{
    int fd = open(b->path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return; /* SQLite has deleted it since */
    if (pwrite(fd, b->bytes, (size_t)b->len, b->at) != b->len ||
        ftruncate(fd, b->file_size) != 0)
        abort();
    (void)close(fd);
}

void vfs_recover(uint64_t choice)
{
    size_t count = 0;
    for (struct before *b = disk.unsynced; b; b = b->older)
        count++;
    size_t lost = (size_t)(choice % (count + 1));
    for (struct before *b = disk.unsynced; b && lost; b = b->older, lost--)
        take_back(b);
    vfs_reset();
}
