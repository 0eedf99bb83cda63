#include "server/places.h"

#include "base/limits.h"

#include <sys/stat.h>
#include <unistd.h>

/* As many as the system follows. */
#define LINKS_MAX 40

/* A way to a file: what it is so far, without links, and what is left of it. */
struct way {
    const char *app; /* the app's folder without links; NULL: it is not there */
    unsigned links;
    char done[TR_LIMIT_PATH_BYTES]; /* "" is the root */
    char left[2 * TR_LIMIT_PATH_BYTES];
    char name[TR_LIMIT_PATH_BYTES]; /* the next one */
};

static tr_status fail_long(struct tr_err *err)
{
    return tr_fail(err, TR_E_LIMIT, "a path is too long to be watched");
}

/* Takes the next name from what is left; false when there is none. */
static bool take_name(struct way *way)
{
    char *at = way->left + strspn(way->left, "/");
    size_t len = strcspn(at, "/");
    if (!len || len >= sizeof(way->name))
        return false;
    memcpy(way->name, at, len);
    way->name[len] = '\0';
    memmove(way->left, at + len, strlen(at + len) + 1);
    return true;
}

static bool is_last(const struct way *way)
{
    return way->left[strspn(way->left, "/")] == '\0';
}

/* Whether the name is looked up in the app's folder, or below it. */
static bool is_below(const struct way *way)
{
    size_t len = way->app ? strlen(way->app) : 0;
    return way->app && strncmp(way->done, way->app, len) == 0 &&
           (way->done[len] == '/' || way->done[len] == '\0');
}

/* What is left begins with where the link leads. */
static tr_status follow(struct way *way, const char *whole, struct tr_err *err)
{
    char target[TR_LIMIT_PATH_BYTES];
    char rest[sizeof(way->left)];
    ssize_t len = readlink(whole, target, sizeof(target) - 1);
    if (len < 0)
        len = 0; /* it is gone: its name is looked at */
    target[len] = '\0';
    memcpy(rest, way->left, sizeof(rest));
    int written = snprintf(way->left, sizeof(way->left), "%s/%s", target, rest);
    if (written < 0 || (size_t)written >= sizeof(way->left))
        return fail_long(err);
    if (target[0] == '/')
        way->done[0] = '\0';
    return TR_OK;
}

static void go_up(struct way *way)
{
    char *slash = strrchr(way->done, '/');
    if (slash)
        *slash = '\0';
}

/* Goes through one name; `*goes_on` says whether there is a way behind it. */
static tr_status step(struct way *way, tr_server_place_fn *tell, void *data,
                      bool *goes_on, struct tr_err *err)
{
    char whole[TR_LIMIT_PATH_BYTES];
    struct stat about;
    int len = snprintf(whole, sizeof(whole), "%s/%s", way->done, way->name);
    if (len < 0 || (size_t)len >= sizeof(whole))
        return fail_long(err);
    bool is_there = lstat(whole, &about) == 0;
    bool is_link = is_there && S_ISLNK(about.st_mode);
    *goes_on = is_there && (!is_link || way->links++ < LINKS_MAX);
    if (!is_there || is_link || is_last(way) || is_below(way))
        TR_TRY(tell(data, way->done[0] ? way->done : "/", way->name, err));
    if (is_link)
        return follow(way, whole, err);
    memcpy(way->done, whole, (size_t)len + 1);
    return TR_OK;
}

static tr_status walk(struct way *way, tr_server_place_fn *tell, void *data,
                      struct tr_err *err)
{
    bool goes_on = true;
    while (goes_on && take_name(way)) {
        if (strcmp(way->name, ".") == 0)
            continue;
        if (strcmp(way->name, "..") == 0)
            go_up(way);
        else
            TR_TRY(step(way, tell, data, &goes_on, err));
    }
    return TR_OK;
}

tr_status tr_server_places_each(const char *folder, const char *path,
                                tr_server_place_fn *tell, void *data,
                                struct tr_err *err)
{
    char here[TR_LIMIT_PATH_BYTES] = "";
    struct way way = {0};
    if (folder[0] != '/' && !getcwd(here, sizeof(here)))
        return tr_fail(err, TR_E_IO, "the working directory is gone");
    int len =
        snprintf(way.left, sizeof(way.left), "%s/%s/%s", here, folder, path);
    if (len < 0 || (size_t)len >= sizeof(way.left))
        return fail_long(err);
    char *app = realpath(folder, NULL);
    way.app = app;
    tr_status status = walk(&way, tell, data, err);
    free(app);
    return status;
}
