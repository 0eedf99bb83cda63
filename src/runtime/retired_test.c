/*
 * What its author has retired or deprecated: refused, or told.
 */
#include "access/authority.h"
#include "base/test.h"
#include "json/writer.h"
#include "support/c_host.h"

static const struct tr_cap *const caps[] = {
    &(const struct tr_cap){.id = TR_STR_INIT("old.one"),
                           .version_status = TR_CAP_VERSION_RETIRED},
    &(const struct tr_cap){.id = TR_STR_INIT("new.one"),
                           .deprecates = TR_STR_INIT("old.one")},
    &(const struct tr_cap){.id = TR_STR_INIT("gone"),
                           .version_status = TR_CAP_VERSION_RETIRED},
    &(const struct tr_cap){.id = TR_STR_INIT("hidden"),
                           .guard.scope = TR_SCOPE_BUILDER,
                           .version_status = TR_CAP_VERSION_RETIRED},
    &(const struct tr_cap){.id = TR_STR_INIT("fading"),
                           .version_status = TR_CAP_VERSION_DEPRECATED},
    &(const struct tr_cap){.id = TR_STR_INIT("worn"),
                           .version_status = TR_CAP_VERSION_DEPRECATED},
    &(const struct tr_cap){.id = TR_STR_INIT("better"),
                           .deprecates = TR_STR_INIT("worn")},
};

static void open_host(struct c_host *host)
{
    c_host_open(host);
    c_host_start(host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
}

TEST(retired_capabilities_are_refused_with_what_to_use)
{
    struct c_host host;
    open_host(&host);
    c_check(&host, "old.one", "{}",
            "invalid: old.one is retired: use new.one {\"reason\":\"retired\","
            "\"use\":\"new.one\"}");
    c_check(&host, "gone", "{}",
            "invalid: gone is retired {\"reason\":\"retired\"}");
    CHECK_INT(host.ran, 0);
    c_check(&host, "new.one", "{}", "{\"ran\":1}");
    c_host_close(&host);
}

TEST(retired_is_not_told_to_who_may_not_call_it)
{
    static const struct tr_access_authority nobody = {0};
    struct c_host host;
    struct c_call c;
    open_host(&host);
    c_call_init(&c, &host, "hidden", "{}");
    c.call.authority = &nobody;
    c_call_start(&c);
    c_call_check(&c, "unauthenticated: authentication required: hidden "
                     "requires builder {\"tool\":\"hidden\","
                     "\"required_scope\":\"builder\"}");
    c_host_close(&host);
}

/* The member of `_meta`, as text; "" when there is none. */
static void check_meta(struct c_host *host, const char *name,
                       const char *expected)
{
    char text[256] = "";
    struct c_call c;
    struct tr_buf out;
    struct tr_json_writer w;
    c_call_init(&c, host, name, "{}");
    c_call_start(&c);
    c_call_wait(&c);
    const struct tr_json *told =
        tr_json_find(c.outcome.meta, TR_STR("dev.trails/deprecated"));
    tr_buf_init_fixed(&out, text, sizeof(text));
    tr_jw_init(&w, &out);
    if (told)
        tr_jw_value(&w, told);
    CHECK_STR(tr_buf_str(&out), expected);
    c_call_done(&c);
}

TEST(deprecated_is_told_in_the_meta_of_each_result)
{
    struct c_host host;
    open_host(&host);
    check_meta(&host, "fading", "{}");
    check_meta(&host, "worn", "{\"use\":\"better\"}");
    check_meta(&host, "better", "");
    c_host_close(&host);
}
