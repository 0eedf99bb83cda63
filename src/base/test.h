/*
 * base/test.h - how a test looks. Tests include this, never <cmocka.h>.
 *
 *     TEST(json_number_accepts_what_rfc_8259_allows)
 *     {
 *         CHECK_ROW(tr_json_is_number(text), text);
 *     }
 *
 * A TEST registers itself; test/support/unit_main.c runs them in the order in
 * which they stand. Random tests take their count from tr_test_scaled and
 * their numbers from tr_test_random, so that a printed seed repeats a run.
 */
#ifndef TR_BASE_TEST_H
#define TR_BASE_TEST_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "base/err.h"

struct tr_test {
    const char *name;
    void (*run)(void **state);
    void *state; /* what *state is in the test, for tests made from data */
    struct tr_test *next;
};

void tr_test_add(struct tr_test *test);

#define TEST(id)                                                               \
    static void id(void **state);                                              \
    __attribute__((constructor)) static void id##_add(void)                    \
    {                                                                          \
        static struct tr_test test = {#id, id, NULL, NULL};                    \
        tr_test_add(&test);                                                    \
    }                                                                          \
    static void id(void **state __attribute__((unused)))

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition))                                                      \
            tr_test_fail(#condition, "", __FILE__, __LINE__);                  \
    } while (0)
#define CHECK_INT(actual, expected)                                            \
    assert_int_equal((intmax_t)(actual), (intmax_t)(expected))

/* For loops over a table: a failing row names itself. */
#define CHECK_ROW(condition, row)                                              \
    do {                                                                       \
        if (!(condition))                                                      \
            tr_test_fail(#condition, (row), __FILE__, __LINE__);               \
    } while (0)

/* A tr_str against a NUL-terminated string. */
#define CHECK_STR(actual, expected)                                            \
    tr_test_check_str((actual), (expected), __FILE__, __LINE__)

/* TR_OK, or the test fails with the error's message. */
#define CHECK_OK(status, err)                                                  \
    tr_test_check_ok((status), (err), __FILE__, __LINE__)

/* Ends the test: analysers are told so, which cmocka does not do. */
_Noreturn void tr_test_fail(const char *what, const char *row, const char *file,
                            int line);
void tr_test_check_str(tr_str actual, const char *expected, const char *file,
                       int line);
void tr_test_check_ok(tr_status status, const struct tr_err *err,
                      const char *file, int line);

/* `full` times TRAILS_TEST_SCALE (1 when unset), at least 1. */
size_t tr_test_scaled(size_t full);

/* The next number of a generator that TRAILS_TEST_SEED starts. */
uint64_t tr_test_random(void);
uint64_t tr_test_random_below(uint64_t bound);

/*
 * The fault sweep. `scenario` must succeed when all memory is there. Then each
 * of its allocations fails in turn, and it must return TR_E_NOMEM every time;
 * the sanitizers see to it that nothing leaks.
 */
void tr_test_sweep(tr_status (*scenario)(void *context, struct tr_err *err),
                   void *context);

/*
 * The same for what outlives its failures: `scenario` is run until no
 * allocation of its own is left to fail, and judges each time by itself.
 * `prepare`, which may be NULL, comes before each, and nothing of it fails.
 */
void tr_test_fail_each(void (*prepare)(void *context),
                       void (*scenario)(void *context), void *context);

/* How many times `work` asks for memory. */
size_t tr_test_allocations(void (*work)(void *context), void *context);

/* The most bytes that our own code holds at a time in `work`, in this thread,
 * beside what it held before; not what libraries take. */
size_t tr_test_most_bytes(void (*work)(void *context), void *context);

/* A file below TRAILS_SUITES (default ../shared/suites), or the test skips. */
const char *tr_test_suite(const char *name, char *path, size_t size);

/* Reads a file of at most 16 MiB; free *out with free(). */
tr_str tr_test_read_file(const char *path);

#endif
