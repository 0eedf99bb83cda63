/*
 * The JSON parsing test suite: one test for each of its files. y_ must be
 * accepted, n_ refused, and i_ handled either way.
 */
#include "base/limits.h"
#include "base/test.h"
#include "json/reader.h"
#include "json/writer.h"

#include <dirent.h>

#define SUITE "json"

static void write_to(struct tr_buf *buf, const struct tr_json *value,
                     bool canonical)
{
    struct tr_json_writer w;
    struct tr_err err = {0};
    tr_jw_init(&w, buf);
    if (canonical)
        tr_jw_canonical(&w, value);
    else
        tr_jw_value(&w, value);
    CHECK_OK(tr_jw_finish(&w, &err), &err);
}

/* Written, read and written again it must be the same text. */
static void check_stable(struct tr_arena *arena, const struct tr_json *value,
                         bool canonical)
{
    struct tr_buf first;
    struct tr_buf second;
    struct tr_err err = {0};
    const struct tr_json *back = NULL;
    tr_buf_init(&first, TR_MIB(4));
    tr_buf_init(&second, TR_MIB(4));
    write_to(&first, value, canonical);
    CHECK_OK(tr_json_read(arena, tr_buf_str(&first), NULL, &back, &err), &err);
    write_to(&second, back, canonical);
    CHECK(tr_str_eq(tr_buf_str(&first), tr_buf_str(&second)));
    tr_buf_done(&first);
    tr_buf_done(&second);
}

static void check_error(tr_status status, const struct tr_err *err, size_t len)
{
    CHECK(status == TR_E_SYNTAX || status == TR_E_LIMIT);
    CHECK_INT(err->code, status);
    CHECK(err->msg[0] != '\0');
    CHECK(err->place.line > 0 && err->place.column > 0);
    CHECK(err->place.offset <= len);
}

static void run_file(void **state)
{
    const char *name = *state;
    char folder[512];
    char path[1024];
    struct tr_arena arena;
    struct tr_err err = {0};
    const struct tr_json *root = NULL;

    CHECK(tr_test_suite(SUITE, folder, sizeof(folder)) != NULL);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    tr_str text = tr_test_read_file(path);
    tr_arena_init(&arena, TR_MIB(16));
    tr_status status = tr_json_read(&arena, text, NULL, &root, &err);
    CHECK_ROW(name[0] != 'y' || status == TR_OK, err.msg);
    CHECK_ROW(name[0] != 'n' || status != TR_OK, name);
    if (status == TR_OK) {
        check_stable(&arena, root, false);
        check_stable(&arena, root, true);
    } else {
        check_error(status, &err, text.len);
    }
    tr_arena_done(&arena);
    free((void *)(uintptr_t)text.ptr);
}

static void suite_is_absent(void **state)
{
    (void)state;
    skip();
}

/* Tests and names live as long as the program: the list of tests has them. */
static void add_test(const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = calloc(1, size);
    struct tr_test *test = calloc(1, sizeof(*test));
    if (!copy || !test)
        abort();
    memcpy(copy, name, size);
    *test = (struct tr_test){.name = copy, .run = run_file, .state = copy};
    tr_test_add(test);
}

static int is_case(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}

__attribute__((constructor)) static void add_tests(void)
{
    static struct tr_test absent = {"json_suite_is_absent", suite_is_absent,
                                    NULL, NULL};
    char folder[512];
    struct dirent **entries = NULL;
    int count = tr_test_suite(SUITE, folder, sizeof(folder))
                    ? scandir(folder, &entries, is_case, alphasort)
                    : 0;
    if (count <= 0)
        tr_test_add(&absent);
    for (int i = 0; i < count; i++) {
        add_test(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}
