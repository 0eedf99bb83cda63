/*
 * Which names lead to a file, and where they are looked up.
 */
#include "server/places.h"

#include "base/limits.h"
#include "base/test.h"
#include "support/folder.h"
#include "support/shell.h"

#include <stdlib.h>
#include <unistd.h>

/* All places, one on a line: the folder as it is seen from the scratch folder,
 * a colon, the name. */
struct told {
    struct folder top;
    char text[2000];
    bool is_full;
};

static tr_status tell(void *data, const char *folder, const char *name,
                      struct tr_err *err)
{
    struct told *told = data;
    size_t len = strlen(told->text);
    size_t top = strlen(told->top.path);
    bool is_inside = strncmp(folder, told->top.path, top) == 0;
    if (told->is_full)
        return tr_fail(err, TR_E_LIMIT, "full");
    (void)snprintf(told->text + len, sizeof(told->text) - len, "%s:%s\n",
                   is_inside ? folder + top : folder, name);
    return TR_OK;
}

static void open_told(struct told *told, const char *script)
{
    *told = (struct told){0};
    folder_open(&told->top);
    shell_run(told->top.path, script);
}

static void close_told(struct told *told)
{
    folder_close(&told->top);
}

static const struct row {
    const char *script;
    const char *path; /* in `app` */
    const char *places;
} rows[] = {
    {"mkdir app; touch app/f", "f", "/app:f\n"},
    {"mkdir app; touch app/f", "./f", "/app:f\n"},
    {"mkdir -p app/a/b; touch app/a/b/f", "a//b/f",
     "/app:a\n/app/a:b\n/app/a/b:f\n"},
    {"mkdir -p app/a; touch app/f", "a/../f", "/app:a\n/app:f\n"},
    {"mkdir app", "a/b/f", "/app:a\n"},
    {"true", "a/f", ":app\n"},
    {"mkdir one; ln -s one app; touch one/f", "f", ":app\n/one:f\n"},
    {"mkdir -p far/one; ln -s far/one app; touch far/one/f", "f",
     ":app\n/far/one:f\n"},
    {"mkdir app; touch f; ln -s ../f app/f", "f", "/app:f\n:f\n"},
    {"mkdir app; ln -s \"$PWD/g\" app/f", "f", "/app:f\n:g\n"},
    {"mkdir -p app/..1; ln -s ..1 app/..d; ln -s ..d/f app/f; touch app/..1/f",
     "f", "/app:f\n/app:..d\n/app:..1\n/app/..1:f\n"},
};

TEST(each_name_that_leads_to_a_file_has_its_place)
{
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        struct told told;
        struct tr_err err;
        char app[80];
        open_told(&told, rows[i].script);
        (void)snprintf(app, sizeof(app), "%s/app", told.top.path);
        CHECK_OK(tr_server_places_each(app, rows[i].path, tell, &told, &err),
                 &err);
        CHECK_ROW(strcmp(told.text, rows[i].places) == 0, rows[i].script);
        close_told(&told);
    }
}

TEST(a_folder_may_be_named_from_the_working_directory)
{
    struct told told;
    struct tr_err err;
    char *before = getcwd(NULL, 0);
    open_told(&told, "mkdir app; touch app/f");
    CHECK(before && chdir(told.top.path) == 0);
    CHECK_OK(tr_server_places_each("app", "f", tell, &told, &err), &err);
    CHECK_OK(tr_server_places_each("./app/../app", "f", tell, &told, &err),
             &err);
    CHECK(chdir(before) == 0);
    CHECK_ROW(strcmp(told.text, "/app:f\n/app:f\n") == 0, told.text);
    free(before);
    close_told(&told);
}

TEST(links_in_a_circle_end)
{
    struct told told;
    struct tr_err err;
    char app[80];
    open_told(&told, "mkdir app; ln -s g app/f; ln -s f app/g");
    (void)snprintf(app, sizeof(app), "%s/app", told.top.path);
    CHECK_OK(tr_server_places_each(app, "f", tell, &told, &err), &err);
    CHECK(strstr(told.text, "/app:f\n/app:g\n/app:f\n"));
    close_told(&told);
}

TEST(what_is_too_long_or_not_taken_is_refused)
{
    static char path[TR_LIMIT_PATH_BYTES * 3];
    struct told told;
    struct tr_err err;
    open_told(&told, "true");
    memset(path, 'x', sizeof(path) - 1);
    CHECK_INT(tr_server_places_each(told.top.path, path, tell, &told, &err),
              TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "a path is too long to be watched");
    memset(path + TR_LIMIT_PATH_BYTES - 10, '\0', 1);
    CHECK_INT(tr_server_places_each(told.top.path, path, tell, &told, &err),
              TR_E_LIMIT);
    told.is_full = true;
    CHECK_INT(tr_server_places_each(told.top.path, "f", tell, &told, &err),
              TR_E_LIMIT);
    CHECK_STR(tr_str_from(err.msg), "full");
    close_told(&told);
}
