#include "access/ended.h"

#include "base/limits.h"
#include "base/test.h"
#include "db/db.h"
#include "support/store.h"

/* Monday, noon. */
#define NOON INT64_C(1785153600)

struct fixture {
    struct store store;
    struct tr_db *db;
};

static void open_fixture(struct fixture *f)
{
    struct tr_err err = {0};
    store_open(&f->store);
    CHECK_OK(tr_db_open(f->store.path, NULL, &f->db, &err), &err);
}

static void close_fixture(struct fixture *f)
{
    tr_db_close(f->db);
    store_close(&f->store);
}

static struct tr_access_ended session_of(char caller, int number,
                                         int64_t made_s)
{
    struct tr_access_ended session = {.made_s = made_s};
    memset(session.caller, caller, sizeof(session.caller));
    memcpy(session.name, &number, sizeof(number));
    return session;
}

static void end(struct fixture *f, char caller, int number, int64_t made_s,
                int64_t now_s)
{
    const struct tr_access_ended session = session_of(caller, number, made_s);
    struct tr_err err = {0};
    CHECK_OK(tr_access_ended_put(f->db, &session, now_s, &err), &err);
}

static bool has_ended(struct fixture *f, char caller, int number,
                      int64_t made_s)
{
    const struct tr_access_ended session = session_of(caller, number, made_s);
    struct tr_err err = {0};
    bool found = false;
    CHECK_OK(tr_access_ended_find(f->db, &session, &found, &err), &err);
    return found;
}

static int64_t count(struct fixture *f)
{
    return store_number(&f->store, "SELECT count(*) FROM ended", 0);
}

TEST(ended_session_is_remembered_until_its_id_has_expired)
{
    struct fixture f;
    open_fixture(&f);
    end(&f, 'a', 1, NOON, NOON);
    end(&f, 'a', 1, NOON, NOON); /* twice is once */
    CHECK_INT(count(&f), 1);
    CHECK(has_ended(&f, 'a', 1, NOON));
    CHECK(!has_ended(&f, 'a', 2, NOON));
    CHECK(!has_ended(&f, 'b', 1, NOON));
    end(&f, 'a', 2, NOON, NOON + TR_LIMIT_SESSION_ID_S - 1);
    CHECK(has_ended(&f, 'a', 1, NOON));
    end(&f, 'a', 3, NOON + 9, NOON + TR_LIMIT_SESSION_ID_S);
    CHECK_INT(count(&f), 1); /* the others could not be taken up any more */
    close_fixture(&f);
}

/* Whoever ends many keeps few rows, and none of them comes back. */
TEST(ended_sessions_of_a_caller_are_bounded_and_stay_ended)
{
    enum { MANY = 5 * TR_LIMIT_ENDED_SESSIONS };
    struct fixture f;
    open_fixture(&f);
    end(&f, 'b', 1, NOON, NOON);
    for (int i = 0; i < MANY; i++) {
        end(&f, 'a', i, NOON + i, NOON + MANY);
        CHECK(count(&f) <= TR_LIMIT_ENDED_SESSIONS + 1);
    }
    for (int i = 0; i < MANY; i++)
        CHECK(has_ended(&f, 'a', i, NOON + i));
    CHECK(!has_ended(&f, 'a', MANY, NOON + MANY)); /* made since then */
    CHECK(has_ended(&f, 'a', MANY, NOON)); /* the price: one of before */
    CHECK(!has_ended(&f, 'b', 2, NOON));   /* which nobody else pays */
    end(&f, 'a', MANY, NOON, NOON + MANY);
    for (int i = 0; i < MANY; i++) /* also all in one second */
        end(&f, 'c', i, NOON, NOON);
    CHECK(has_ended(&f, 'c', 0, NOON) && has_ended(&f, 'c', MANY - 1, NOON));
    CHECK(count(&f) <= 2 * TR_LIMIT_ENDED_SESSIONS + 2);
    close_fixture(&f);
}
