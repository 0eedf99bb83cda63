/*
 * The official JSON Schema test suite: every required group of the two drafts
 * that we know. Documents of its `remotes` folder are given to the validator
 * under the address that the suite has for them.
 */
#include "base/limits.h"
#include "base/test.h"
#include "fields/pattern.h"
#include "json/reader.h"
#include "schema/schema.h"

#include <dirent.h>
#include <sys/stat.h>

#define PATH_MAX_BYTES 1024
#define DOCS_MAX       256
#define REMOTE_BASE    "http://localhost:1234/"

struct suite {
    struct tr_arena arena;
    struct tr_schema_doc docs[DOCS_MAX];
    size_t doc_count;
    enum tr_schema_dialect dialect;
    size_t passed;
    size_t failed;
};

static const struct tr_json *read_json(struct suite *suite, const char *path)
{
    struct tr_err err = {0};
    const struct tr_json *tree = NULL;
    tr_str text = tr_test_read_file(path);
    tr_str kept;
    CHECK(tr_arena_copy(&suite->arena, text, &kept));
    free((void *)(uintptr_t)text.ptr);
    CHECK_OK(tr_json_read(&suite->arena, kept, NULL, &tree, &err), &err);
    return tree;
}

static bool ends_with(const char *name, const char *end)
{
    size_t len = strlen(name);
    return len >= strlen(end) && strcmp(name + len - strlen(end), end) == 0;
}

typedef void visit_fn(struct suite *suite, const char *path, const char *name);

/* Every .json file of a folder; with `deep`, of the folders in it too. */
static void each_file(struct suite *suite, const char *folder,
                      const char *prefix, bool deep, visit_fn *visit)
{
    DIR *dir = opendir(folder);
    CHECK(dir != NULL);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char path[PATH_MAX_BYTES];
        char name[PATH_MAX_BYTES];
        struct stat info;
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        (void)snprintf(name, sizeof(name), "%s%s", prefix, entry->d_name);
        CHECK(stat(path, &info) == 0);
        if (S_ISDIR(info.st_mode) && deep) {
            (void)snprintf(name, sizeof(name), "%s%s/", prefix, entry->d_name);
            each_file(suite, path, name, true, visit);
        } else if (ends_with(path, ".json")) {
            visit(suite, path, name);
        }
    }
    (void)closedir(dir);
}

static void add_remote(struct suite *suite, const char *path, const char *name)
{
    char uri[PATH_MAX_BYTES + 32];
    tr_str kept;
    (void)snprintf(uri, sizeof(uri), REMOTE_BASE "%s", name);
    CHECK(tr_arena_copy(&suite->arena, tr_str_from(uri), &kept));
    CHECK(suite->doc_count < DOCS_MAX);
    suite->docs[suite->doc_count++] =
        (struct tr_schema_doc){kept, read_json(suite, path)};
}

static void fail_case(struct suite *suite, const char *file,
                      const struct tr_json *group, const char *what)
{
    tr_str name = tr_json_text(tr_json_find(group, TR_STR("description")));
    print_error("%s: %.*s: %s\n", file, TR_FMT(name), what);
    suite->failed++;
}

static void run_case(struct suite *suite, const struct tr_schema *schema,
                     const struct tr_json *group, const struct tr_json *test,
                     const char *file)
{
    struct tr_arena arena;
    struct tr_err err = {0};
    struct tr_field_errors errors = {0};
    bool wanted = false;
    char what[512];
    tr_arena_init(&arena, TR_MIB(64));
    CHECK(tr_json_bool(tr_json_find(test, TR_STR("valid")), &wanted));
    tr_status st = tr_schema_check(schema, tr_json_find(test, TR_STR("data")),
                                   &arena, &errors, &err);
    if (st == (wanted ? TR_OK : TR_E_VALIDATION)) {
        suite->passed++;
    } else {
        (void)snprintf(
            what, sizeof(what), "%.*s: %s %s",
            TR_FMT(tr_json_text(tr_json_find(test, TR_STR("description")))),
            tr_status_name(st), err.msg);
        fail_case(suite, file, group, what);
    }
    tr_arena_done(&arena);
}

static void run_group(struct suite *suite, const struct tr_json *group,
                      const char *file)
{
    struct tr_arena arena;
    struct tr_field_patterns patterns = {0};
    struct tr_err err = {0};
    const struct tr_schema *schema = NULL;
    const struct tr_schema_opts opts = {
        .dialect = suite->dialect,
        .docs = suite->docs,
        .doc_count = suite->doc_count,
    };
    const struct tr_json *tests = tr_json_find(group, TR_STR("tests"));
    tr_arena_init(&arena, TR_MIB(64));
    if (tr_schema_compile(&arena, &patterns,
                          tr_json_find(group, TR_STR("schema")), &opts, &schema,
                          &err) == TR_OK) {
        for (size_t i = 0; i < tests->len; i++)
            run_case(suite, schema, group, &tests->as.items[i], file);
    } else {
        fail_case(suite, file, group, err.msg);
    }
    tr_field_patterns_done(&patterns);
    tr_arena_done(&arena);
}

static void run_file(struct suite *suite, const char *path, const char *name)
{
    const struct tr_json *groups = read_json(suite, path);
    for (size_t i = 0; i < groups->len; i++)
        run_group(suite, &groups->as.items[i], name);
}

static void run_suite(enum tr_schema_dialect dialect, const char *folder,
                      size_t expected)
{
    static struct suite suite;
    char remotes[PATH_MAX_BYTES];
    char tests[PATH_MAX_BYTES];
    if (!tr_test_suite("json-schema/remotes", remotes, sizeof(remotes)) ||
        !tr_test_suite(folder, tests, sizeof(tests)))
        skip();
    suite = (struct suite){.dialect = dialect};
    tr_arena_init(&suite.arena, TR_MIB(256));
    each_file(&suite, remotes, "", true, add_remote);
    each_file(&suite, tests, "", false, run_file);
    print_message("%s: %zu passed, %zu failed\n", folder, suite.passed,
                  suite.failed);
    tr_arena_done(&suite.arena);
    CHECK_INT(suite.failed, 0);
    CHECK(suite.passed >= expected);
}

TEST(schema_passes_every_required_test_of_draft_2020_12)
{
    run_suite(TR_SCHEMA_DIALECT_2020_12, "json-schema/draft2020-12", 1299);
}

TEST(schema_passes_every_required_test_of_draft_07)
{
    run_suite(TR_SCHEMA_DIALECT_07, "json-schema/draft7", 927);
}
