#include "base/test.h"
#include "prov/pack.h"
#include "support/activity.h"

static unsigned char packed[TR_PROV_PACKED_MAX];

TEST(pack_keeps_whatever_there_is_to_keep)
{
    static struct activity_room room;
    static struct tr_prov_room back;
    for (size_t i = tr_test_scaled(20000); i > 0; i--) {
        struct tr_prov_activity activity = activity_random(&room);
        struct tr_prov_activity read;
        struct tr_prov_row row;
        struct tr_err err = {0};
        size_t len = tr_prov_pack(&activity, packed);
        CHECK(len <= tr_prov_pack_max(&activity));
        CHECK(tr_prov_pack_max(&activity) <= sizeof(packed));
        CHECK_INT(tr_prov_pack_read(packed, &row), len);
        CHECK_OK(tr_prov_unpack(&row, &read, &back, &err), &err);
        activity_compare(&read, &activity);
    }
}

/* What was damaged on disk is refused or read as something, without harm. */
TEST(pack_survives_bytes_that_are_damaged)
{
    static struct activity_room room;
    static struct tr_prov_room back;
    size_t refused = 0;
    for (size_t i = tr_test_scaled(20000); i > 0; i--) {
        struct tr_prov_activity activity = activity_random(&room);
        struct tr_prov_activity read;
        struct tr_prov_row row;
        (void)tr_prov_pack(&activity, packed);
        (void)tr_prov_pack_read(packed, &row);
        char *more = (char *)packed + (row.more.ptr - (const char *)packed);
        if (tr_test_random_below(2))
            row.more.len = tr_test_random_below(row.more.len);
        else
            more[tr_test_random_below(row.more.len)] ^=
                (char)(1 << tr_test_random_below(8));
        tr_status status = tr_prov_unpack(&row, &read, &back, NULL);
        CHECK(status == TR_OK || status == TR_E_IO);
        refused += status == TR_E_IO;
    }
    CHECK(refused > 0);
}
