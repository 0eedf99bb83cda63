#include "query/scans.h"

#include "base/test.h"

TEST(scans_are_counted_by_field_and_the_least_makes_room)
{
    struct tr_query_scans *scans = NULL;
    struct tr_query_scan found[TR_LIMIT_QUERY_SCANS];
    struct tr_err err = {0};
    CHECK_OK(tr_query_scans_create(&scans, &err), &err);
    CHECK_INT(tr_query_scans_read(scans, found), 0);
    for (size_t i = 0; i < TR_LIMIT_QUERY_SCANS + 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "f%zu", i);
        tr_query_scans_note(scans, TR_STR("Ticket"), tr_str_from(name),
                            1000 + i);
    }
    tr_query_scans_note(scans, TR_STR("Ticket"), TR_STR("f7"), 90000);
    tr_query_scans_note(scans, TR_STR("Task"), TR_STR("f7"), 80000);
    CHECK_INT(tr_query_scans_read(scans, found), TR_LIMIT_QUERY_SCANS);
    CHECK_STR(tr_str_from(found[0].type), "Ticket");
    CHECK_STR(tr_str_from(found[0].field), "f7");
    CHECK_INT(found[0].times, 2);
    CHECK_INT(found[0].looked, 91007);
    CHECK_STR(tr_str_from(found[1].type), "Task");
    for (size_t i = 2; i < TR_LIMIT_QUERY_SCANS; i++)
        CHECK(found[i].looked > 1003);
    tr_query_scans_free(scans);
    tr_query_scans_free(NULL);
}

/* Who keeps them takes each once. */
TEST(scans_are_taken_once_and_given_back)
{
    struct tr_query_scans *scans = NULL;
    struct tr_query_scan found[TR_LIMIT_QUERY_SCANS];
    struct tr_err err = {0};
    CHECK_OK(tr_query_scans_create(&scans, &err), &err);
    CHECK_INT(tr_query_scans_take(scans, found), 0);
    tr_query_scans_note(scans, TR_STR("Ticket"), TR_STR("due"), 1000);
    tr_query_scans_note(scans, TR_STR("Ticket"), TR_STR("size"), 2000);
    tr_query_scans_note(scans, TR_STR("Ticket"), TR_STR("due"), 3000);
    CHECK_INT(tr_query_scans_take(scans, found), 2);
    CHECK_STR(tr_str_from(found[0].field), "due");
    CHECK_INT(found[0].times, 2);
    CHECK_INT(found[0].looked, 4000);
    struct tr_query_scan due = found[0];
    CHECK_INT(tr_query_scans_take(scans, found), 0);
    tr_query_scans_note(scans, TR_STR("Ticket"), TR_STR("due"), 5000);
    tr_query_scans_give_back(scans, &due, 1);
    CHECK_INT(tr_query_scans_take(scans, found), 1);
    CHECK_INT(found[0].times, 3);
    CHECK_INT(found[0].looked, 9000);
    /* It has made room for others, and come again. */
    for (size_t i = 0; i < TR_LIMIT_QUERY_SCANS; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "f%zu", i);
        tr_query_scans_note(scans, TR_STR("Ticket"), tr_str_from(name), 99999);
    }
    struct tr_query_scan gone = found[0];
    tr_query_scans_note(scans, TR_STR("Ticket"), TR_STR("due"), 1000);
    tr_query_scans_give_back(scans, &gone, 1);
    CHECK_INT(tr_query_scans_take(scans, found), TR_LIMIT_QUERY_SCANS);
    for (size_t i = 0; i < TR_LIMIT_QUERY_SCANS; i++)
        CHECK_INT(found[i].times, 1);
    CHECK_INT(tr_query_scans_read(scans, found), TR_LIMIT_QUERY_SCANS);
    tr_query_scans_free(scans);
}
