#include "gate/trace.h"

#include "base/test.h"

#define ID     "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"

/* Checks which id is read from this, which keeps another when there is none. */
static void check_id(const char *traceparent, const char *wanted)
{
    tr_str id = TR_STR("own");
    bool is_read = tr_gate_trace_parse(tr_str_from(traceparent), &id);
    if (!tr_str_eq(id, tr_str_from(wanted)))
        print_error("%s\n", traceparent);
    CHECK(is_read == !tr_str_eq(id, TR_STR("own")));
    CHECK_STR(id, wanted);
}

TEST(a_traceparent_is_read_as_the_standard_says)
{
    static const char *const good[] = {
        "00-" ID "-" PARENT "-01",
        "00-" ID "-" PARENT "-00",
        "cc-" ID "-" PARENT "-09",
        "cc-" ID "-" PARENT "-09-what-comes-later",
    };
    for (size_t i = 0; i < TR_LEN(good); i++)
        check_id(good[i], ID);
}

TEST(a_traceparent_that_is_not_well_formed_is_none)
{
    static const char *const bad[] = {
        "",
        "00",
        ID,
        "00-" ID "-" PARENT,
        "00-" ID "-" PARENT "-1",
        "00-" ID "-" PARENT "-011",
        "00-" ID "-" PARENT "-01-more",
        "ff-" ID "-" PARENT "-01",
        "0x-" ID "-" PARENT "-01",
        "cc-" ID "-" PARENT "-01.more",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-" PARENT "-01",
        "00-00000000000000000000000000000000-" PARENT "-01",
        "00-" ID "-0000000000000000-01",
        "00-" ID "-00f067aa0ba902bX-01",
        "00-" ID "-" PARENT "-0g",
        "00_" ID "-" PARENT "-01",
        "00-" ID "_" PARENT "-01",
        "00-" ID "-" PARENT "_01",
        " 00-" ID "-" PARENT "-01",
    };
    for (size_t i = 0; i < TR_LEN(bad); i++)
        check_id(bad[i], "own");
}
