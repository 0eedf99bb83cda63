/*
 * Arguments on their way to a handler in C: checked, and with defaults.
 */
#include "base/test.h"
#include "fields/field.h"
#include "fields/pattern.h"
#include "runtime/stage.h"
#include "schema/verbatim.h"
#include "support/c_host.h"

/* Returns its arguments. */
static void echo(const struct tr_cap_handler *handler, struct tr_call *call)
{
    struct tr_call_outcome outcome = {.value = call->args};
    (void)handler;
    tr_call_finish(call, &outcome);
}

#define REFUSED(field, code, message, value, constraint)                       \
    "validation: validation failed on 1 field(s) {\"fields\":[{\"field\":"     \
    "\"" field "\",\"code\":\"" code "\",\"message\":\"" message               \
    "\",\"value\":" value ",\"constraint\":" constraint "}]}"

static const struct {
    const char *name;
    const char *args;
    const char *expected;
} rows[] = {
    {"fields", "{\"n\":2}", "{\"n\":2}"},
    {"fields", "{}", "{\"n\":1}"},
    {"fields", "{\"n\":0}",
     REFUSED("n", "min_value", "n must be at least 1", "0", "1")},
    {"nothing", "{}", "{}"},
    {"nothing", "{\"m\":1}",
     REFUSED("m", "unknown_field", "m is not a field", "1", "null")},
    {"schema", "{\"a\":true}", "{\"a\":true}"},
    {"schema", "{}",
     REFUSED("a", "required", "a is required", "null", "[\"a\"]")},
    /* Null is absent, unless a schema says that it is a value. */
    {"fields", "{\"n\":null}", "{\"n\":1}"},
    {"nothing", "{\"m\":null}", "{}"},
    {"schema", "{\"a\":null}", "{\"a\":null}"},
    {"schema", "{\"a\":1,\"b\":null}", "{\"a\":1}"},
    {"schema", "{\"a\":1,\"b\":[null]}", "{\"a\":1,\"b\":[null]}"},
    {"schema", "{\"b\":null}",
     REFUSED("a", "required", "a is required", "null", "[\"a\"]")},
};

static void start(struct c_host *host, struct tr_field_patterns *patterns)
{
    const struct tr_schema_verbatim *schema = NULL;
    struct tr_err err = {0};
    c_host_open(host);
    const struct tr_field fields[] = {{.name = TR_STR("n"),
                                       .kind = TR_FIELD_INTEGER,
                                       .min_value = TR_STR("1"),
                                       .default_to = c_host_json(host, "1")}};
    const struct tr_shape shape = {.fields = fields, .count = 1};
    CHECK_OK(tr_schema_verbatim_register(
                 &host->arena, patterns,
                 TR_STR("{\"type\":\"object\",\"required\":[\"a\"],"
                        "\"properties\":{\"b\":{\"type\":\"array\"}}}"),
                 &schema, &err),
             &err);
    const struct tr_cap *const caps[] = {
        &(const struct tr_cap){.id = TR_STR("fields"),
                               .input_shape = &shape,
                               .handler = {echo, NULL}},
        &(const struct tr_cap){.id = TR_STR("nothing"),
                               .handler = {echo, NULL}},
        &(const struct tr_cap){.id = TR_STR("schema"),
                               .input_schema = schema,
                               .handler = {echo, NULL}},
    };
    c_host_start(host,
                 &(struct c_app){.caps = caps, .cap_count = TR_LEN(caps)});
}

TEST(input_is_checked_and_its_defaults_are_filled_in)
{
    struct tr_field_patterns patterns = {0};
    struct c_host host;
    start(&host, &patterns);
    for (size_t i = 0; i < TR_LEN(rows); i++)
        c_check(&host, rows[i].name, rows[i].args, rows[i].expected);
    c_host_close(&host);
    tr_field_patterns_done(&patterns);
}
