/*
 * test/support/unit_main.c - runs the tests that a program has registered.
 */
#include "base/test.h"

#include <unistd.h>

#define TESTS_MAX 8192

static struct tr_test *first;
static struct tr_test **last = &first;

void tr_test_add(struct tr_test *test)
{
    *last = test;
    last = &test->next;
}

static uint64_t random_state;

static void start_random(void)
{
    const char *seed = getenv("TRAILS_TEST_SEED");
    random_state = seed ? strtoull(seed, NULL, 10)
                        : (uint64_t)time(NULL) ^ (uint64_t)getpid() << 32;
    if (!seed)
        (void)printf("TRAILS_TEST_SEED=%llu\n",
                     (unsigned long long)random_state);
}

/* SplitMix64: small, and good enough to explore with. */
uint64_t tr_test_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

uint64_t tr_test_random_below(uint64_t bound)
{
    return tr_test_random() % bound;
}

size_t tr_test_scaled(size_t full)
{
    const char *scale = getenv("TRAILS_TEST_SCALE");
    double count = (double)full * (scale ? strtod(scale, NULL) : 1.0);
    return count < 1 ? 1 : (size_t)count;
}

_Noreturn void tr_test_fail(const char *what, const char *row, const char *file,
                            int line)
{
    print_error("%s\n", what);
    if (row[0])
        print_error("row: %s\n", row);
    _fail(file, line);
    abort(); /* not reached: _fail ends the test */
}

void tr_test_check_str(tr_str actual, const char *expected, const char *file,
                       int line)
{
    if (tr_str_eq(actual, tr_str_from(expected)))
        return;
    print_error("got:      %.*s\nexpected: %s\n", TR_FMT(actual), expected);
    _fail(file, line);
}

void tr_test_check_ok(tr_status status, const struct tr_err *err,
                      const char *file, int line)
{
    if (status == TR_OK)
        return;
    print_error("%s: %s\n", tr_status_name(status), err ? err->msg : "");
    _fail(file, line);
}

const char *tr_test_suite(const char *name, char *path, size_t size)
{
    const char *suites = getenv("TRAILS_SUITES");
    (void)snprintf(path, size, "%s/%s", suites ? suites : "../shared/suites",
                   name);
    if (access(path, R_OK) == 0)
        return path;
    print_message("skipped: TRAILS_SUITES has no %s\n", name);
    return NULL;
}

tr_str tr_test_read_file(const char *path)
{
    enum { FILE_MAX = 16 * 1024 * 1024 };
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, FILE_MAX);
    if (!file || !text) {
        print_error("cannot read %s\n", path);
        fail();
    }
    size_t len = fread(text, 1, FILE_MAX, file);
    (void)fclose(file);
    return (tr_str){text, len};
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[TESTS_MAX];
    size_t count = 0;
    const char *only = argc > 1 ? argv[1] : "";

    start_random();
    for (struct tr_test *test = first; test; test = test->next) {
        if (count == TESTS_MAX) {
            print_error("more than %d tests\n", TESTS_MAX);
            return 1;
        }
        if (strstr(test->name, only))
            tests[count++] = (struct CMUnitTest){test->name, test->run, NULL,
                                                 NULL, test->state};
    }
    /* The number of failures would lose its upper bits in the exit code. */
    return _cmocka_run_group_tests(argv[0], tests, count, NULL, NULL) ? 1 : 0;
}
