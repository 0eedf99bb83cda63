/*
 * cli/run_prov.c - who did what, for whoever has the files of an app.
 */
#include "base/limits.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/store.h"
#include "json/reader.h"
#include "json/writer.h"
#include "prov/view.h"

#define LISTED     100
#define LISTED_MAX 100000

/* Activities that are in memory at a time: each may name thousands of nodes. */
#define AT_ONCE 50

/* A list on its way: activities are read page by page. */
struct listing {
    struct tr_graph_reader *reader;
    struct tr_prov_filter filter;
    size_t left; /* how many may still be listed */
    struct tr_buf *out;
    struct tr_json_writer w; /* of the list, as JSON */
    bool as_json;
    unsigned char before[TR_CRYPTO_UUID_BYTES]; /* what the filter points to */
};

static bool read_since(const char *text, int64_t *out)
{
    tr_time since;
    if (!text)
        return true;
    if (tr_time_parse(tr_str_from(text), &since, NULL) == TR_OK &&
        since.seconds >= 0) {
        *out = since.seconds * 1000000 + since.nanos / 1000;
        return true;
    }
    (void)tr_cli_report_usage(
        "--since is a time such as 2026-07-28T12:00:00Z, not '%s'", text);
    return false;
}

static bool read_limit(const char *text, size_t *out)
{
    int64_t limit = LISTED;
    if (!text || (tr_str_to_i64(tr_str_from(text), &limit) && limit > 0 &&
                  limit <= LISTED_MAX)) {
        *out = (size_t)limit;
        return true;
    }
    (void)tr_cli_report_usage("--limit is a number from 1 to %d, not '%s'",
                              LISTED_MAX, text);
    return false;
}

/* Reads what is asked for; false after saying what is wrong. */
static bool read_asked(const struct tr_cli_invocation *invocation,
                       struct listing *out)
{
    const char *principal = tr_cli_invocation_option(invocation, "principal");
    const char *name = tr_cli_invocation_option(invocation, "capability");
    out->filter.all = !principal;
    out->filter.principal = tr_str_from(principal);
    out->filter.name = tr_str_from(name);
    if (name && !*name) {
        (void)tr_cli_report_usage("--capability needs a name");
        return false;
    }
    return read_since(tr_cli_invocation_option(invocation, "since"),
                      &out->filter.since_us) &&
           read_limit(tr_cli_invocation_option(invocation, "limit"),
                      &out->left);
}

static tr_str text_of(const struct tr_json *object, const char *key)
{
    return tr_json_text(tr_json_find(object, tr_str_from(key)));
}

static void put_line(struct tr_buf *out, const struct tr_json *activity)
{
    tr_str iri = text_of(activity, "id");
    tr_str principal = text_of(activity, "principal");
    size_t start = out->len;
    tr_buf_putf(
        out, "%.*s  %-27.*s %-14.*s %-10.*s %.*s",
        TR_FMT(tr_str_skip(iri, sizeof(TR_PROV_ACTIVITY_NAMESPACE) - 1)),
        TR_FMT(text_of(activity, "started")),
        TR_FMT(text_of(activity, "outcome")), TR_FMT(text_of(activity, "kind")),
        TR_FMT(text_of(activity, "name")));
    if (principal.len)
        tr_buf_putf(out, "  %.*s", TR_FMT(principal));
    tr_cli_report_put_line(out, start);
}

static void put_page(struct listing *listing, const struct tr_json *page)
{
    const struct tr_json *items = tr_json_find(page, TR_STR("activities"));
    for (size_t i = 0; items && i < items->len; i++) {
        if (listing->as_json)
            tr_jw_value(&listing->w, tr_json_at(items, i));
        else
            put_line(listing->out, tr_json_at(items, i));
        listing->left--;
    }
}

/* Reads a page, and moves the filter behind it. */
static tr_status read_page(struct listing *listing, struct tr_buf *text,
                           struct tr_err *err)
{
    const struct tr_prov_resolver resolver = {tr_graph_reader_iri,
                                              listing->reader};
    struct tr_prov_next next;
    struct tr_json_writer w;
    tr_buf_clear(text);
    tr_jw_init(&w, text);
    listing->filter.limit = listing->left < AT_ONCE ? listing->left : AT_ONCE;
    TR_TRY(tr_prov_latest(listing->reader->db, &listing->filter, &resolver, &w,
                          &next, err));
    TR_TRY(tr_jw_finish(&w, err));
    listing->filter.before =
        next.is_there &&
                tr_prov_activity_read_id((tr_str){next.id, sizeof(next.id)},
                                         listing->before)
            ? listing->before
            : NULL;
    return TR_OK;
}

static tr_status list_pages(struct listing *listing, struct tr_arena *arena,
                            struct tr_buf *text, struct tr_err *err)
{
    const struct tr_json *page = NULL;
    do {
        TR_TRY(read_page(listing, text, err));
        TR_TRY(tr_json_read(arena, tr_buf_str(text), NULL, &page, err));
        put_page(listing, page);
        TR_TRY(tr_buf_check(listing->out, err));
        tr_arena_reset(arena);
    } while (listing->left && listing->filter.before);
    return TR_OK;
}

static tr_status list(struct listing *listing, struct tr_err *err)
{
    struct tr_arena arena;
    struct tr_buf text;
    tr_arena_init(&arena, TR_LIMIT_CLI_REPORT);
    tr_buf_init(&text, TR_LIMIT_CLI_REPORT);
    if (listing->as_json) {
        tr_jw_init_pretty(&listing->w, listing->out);
        tr_jw_open(&listing->w, '[');
    }
    tr_status status = list_pages(listing, &arena, &text, err);
    if (listing->as_json) {
        tr_jw_close(&listing->w, ']');
        tr_buf_putc(listing->out, '\n');
    }
    tr_buf_done(&text);
    tr_arena_done(&arena);
    return status;
}

int tr_cli_run_prov_list(const struct tr_cli_invocation *invocation)
{
    struct listing listing = {0};
    struct tr_cli_store store;
    struct tr_buf out;
    struct tr_err err = {0};
    int exit_code = TR_CLI_EXIT_FAILED;
    if (!read_asked(invocation, &listing))
        return TR_CLI_EXIT_USAGE;
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_READ))
        return exit_code;
    tr_buf_init(&out, TR_LIMIT_CLI_REPORT);
    listing.out = &out;
    listing.as_json = tr_cli_invocation_option(invocation, "json") != NULL;
    if (tr_cli_store_read(&store, &listing.reader)) {
        exit_code = list(&listing, &err) == TR_OK
                        ? tr_cli_report_output(&out)
                        : tr_cli_report_error(NULL, &err);
        tr_graph_reader_end(listing.reader);
        tr_graph_reader_free(listing.reader);
    }
    tr_buf_done(&out);
    tr_cli_store_close(&store);
    return exit_code;
}

static void put_value(struct tr_buf *out, const struct tr_json *value)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    if (value->kind == TR_JSON_STRING)
        tr_buf_put(out, tr_json_text(value));
    else
        tr_jw_value(&w, value);
}

/* A line for each member that says something: "outcome      ok". */
static void put_members(struct tr_buf *out, const struct tr_json *activity)
{
    for (size_t i = 0; i < activity->len; i++) {
        const struct tr_json_member *member = &activity->as.members[i];
        tr_str key = tr_json_text(&member->key);
        bool is_list = member->value.kind == TR_JSON_ARRAY ||
                       member->value.kind == TR_JSON_OBJECT;
        if (tr_str_eq(key, TR_STR("@context")) ||
            (is_list && !member->value.len))
            continue;
        size_t start = out->len;
        tr_buf_putf(out, "%-12.*s ", TR_FMT(key));
        put_value(out, &member->value);
        tr_cli_report_put_line(out, start);
    }
}

static tr_status show(struct tr_graph_reader *reader,
                      const unsigned char id[TR_CRYPTO_UUID_BYTES],
                      struct tr_arena *arena, const struct tr_json **out,
                      struct tr_err *err)
{
    static const struct tr_prov_filter all = {.all = true};
    const struct tr_prov_resolver resolver = {tr_graph_reader_iri, reader};
    struct tr_json_writer w;
    struct tr_buf text;
    tr_str copy;
    tr_buf_init(&text, TR_LIMIT_CLI_OUTPUT);
    tr_jw_init(&w, &text);
    tr_status status = tr_prov_show(reader->db, id, &all, &resolver, &w, err);
    if (status == TR_OK)
        status = tr_jw_finish(&w, err);
    if (status == TR_OK && !tr_arena_copy(arena, tr_buf_str(&text), &copy))
        status = tr_fail(err, TR_E_NOMEM, "no memory for an activity");
    tr_buf_done(&text);
    return status == TR_OK ? tr_json_read(arena, copy, NULL, out, err) : status;
}

static int print(const struct tr_json *activity, bool as_json)
{
    struct tr_json_writer w;
    struct tr_buf out;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (as_json) {
        tr_jw_init_pretty(&w, &out);
        tr_jw_value(&w, activity);
        tr_buf_putc(&out, '\n');
    } else {
        put_members(&out, activity);
    }
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}

int tr_cli_run_prov_show(const struct tr_cli_invocation *invocation)
{
    const char *text = invocation->arguments[0];
    bool as_json = tr_cli_invocation_option(invocation, "json") != NULL;
    unsigned char id[TR_CRYPTO_UUID_BYTES];
    struct tr_graph_reader *reader = NULL;
    const struct tr_json *activity = NULL;
    struct tr_cli_store store;
    struct tr_err err = {0};
    int exit_code = TR_CLI_EXIT_FAILED;
    if (!tr_prov_activity_read_id(tr_str_from(text), id))
        return tr_cli_report_usage("'%s' is no id of an activity", text);
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_READ))
        return exit_code;
    if (tr_cli_store_read(&store, &reader)) {
        exit_code =
            show(reader, id, invocation->arena, &activity, &err) == TR_OK
                ? print(activity, as_json)
                : tr_cli_report_error(NULL, &err);
        tr_graph_reader_end(reader);
        tr_graph_reader_free(reader);
    }
    tr_cli_store_close(&store);
    return exit_code;
}
