#include "access/authority.h"
#include "access/token.h"
#include "base/limits.h"
#include "base/time.h"
#include "cli/command.h"
#include "cli/record.h"
#include "cli/report.h"
#include "cli/store.h"
#include "crypto/random.h"
#include "db/db.h"
#include "json/json.h"
#include "json/reader.h"
#include "json/writer.h"

/* The largest budget of a token; far more than anybody needs. */
#define LIMIT_MAX INT64_C(1000000000000)

/* Ten years, in seconds: a token that lives longer need not expire. */
#define LIFE_MAX (INT64_C(3650) * 86400)

/* "90m", "12h", "30d", "4w": seconds from now. */
static bool read_span(tr_str text, int64_t *out)
{
    static const struct {
        char letter;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
    int64_t number;
    if (text.len < 2 || text.len > 10 ||
        !tr_str_to_i64((tr_str){text.ptr, text.len - 1}, &number))
        return false;
    for (size_t i = 0; i < TR_LEN(units); i++) {
        if (units[i].letter != text.ptr[text.len - 1])
            continue;
        *out = number * units[i].seconds;
        return number > 0 && *out <= LIFE_MAX;
    }
    return false;
}

static bool read_expiry(const char *text, int64_t now_s, int64_t *out)
{
    int64_t span;
    tr_time when;
    if (!text)
        return true;
    if (read_span(tr_str_from(text), &span))
        *out = now_s + span;
    else if (tr_time_parse(tr_str_from(text), &when, NULL) == TR_OK)
        *out = when.seconds;
    if (*out > now_s)
        return true;
    (void)tr_cli_report_usage(
        "--expires is a time to come, such as 30d, 12h or "
        "2027-01-31T00:00:00Z, not '%s'",
        text);
    return false;
}

static bool read_count(const struct tr_cli_invocation *invocation,
                       const char *name, uint64_t *out)
{
    const char *text = tr_cli_invocation_option(invocation, name);
    int64_t number;
    if (!text)
        return true;
    if (tr_str_to_i64(tr_str_from(text), &number) && number > 0 &&
        number <= LIMIT_MAX) {
        *out = (uint64_t)number;
        return true;
    }
    (void)tr_cli_report_usage("--%s is a number from 1, not '%s'", name, text);
    return false;
}

static bool read_money(const struct tr_cli_invocation *invocation,
                       const char *name, double *out)
{
    const char *text = tr_cli_invocation_option(invocation, name);
    const struct tr_json *number = NULL;
    if (!text)
        return true;
    if (tr_json_read(invocation->arena, tr_str_from(text), NULL, &number,
                     NULL) == TR_OK &&
        tr_json_is(number, TR_JSON_NUMBER) && tr_json_double(number, out) &&
        *out > 0 && *out <= (double)LIMIT_MAX)
        return true;
    (void)tr_cli_report_usage("--%s is an amount above 0, not '%s'", name,
                              text);
    return false;
}

static bool read_limits(const struct tr_cli_invocation *invocation,
                        struct tr_access_budget_limits *out)
{
    return read_count(invocation, "calls-per-hour", &out->calls_hour) &&
           read_count(invocation, "calls-per-day", &out->calls_day) &&
           read_count(invocation, "tokens-per-hour", &out->tokens_hour) &&
           read_count(invocation, "tokens-per-day", &out->tokens_day) &&
           read_money(invocation, "usd-per-hour", &out->usd_hour) &&
           read_money(invocation, "usd-per-day", &out->usd_day);
}

/* Reads the token that the options ask for; false after saying what is wrong.
 */
static bool read_draft(const struct tr_cli_invocation *invocation,
                       struct tr_access_token *out)
{
    const char *scope = tr_cli_invocation_option(invocation, "scope");
    const char *name = tr_cli_invocation_option(invocation, "name");
    struct tr_err err = {0};
    *out = (struct tr_access_token){.created_s = tr_time_now().seconds,
                                    .name = tr_str_from(name)};
    if (!scope) {
        (void)tr_cli_report_usage(
            "say what it may do, such as --scope runtime");
        return false;
    }
    if (tr_access_scopes_parse(tr_str_from(scope), &out->scopes, &err) !=
            TR_OK ||
        tr_access_token_check_name(out->name, &err) != TR_OK) {
        (void)tr_cli_report_usage("%s", err.msg);
        return false;
    }
    return read_expiry(tr_cli_invocation_option(invocation, "expires"),
                       out->created_s, &out->expires_s) &&
           read_limits(invocation, &out->limits);
}

/* A change of the table of tokens, which servers hear of at once. */
typedef tr_status change_fn(struct tr_db *db, void *data, struct tr_err *err);

static tr_status change(struct tr_graph_store *store, const char *command,
                        change_fn *apply, void *data, struct tr_err *err)
{
    struct tr_cli_record record;
    struct tr_db *db = NULL;
    TR_TRY(tr_cli_record_begin(&record, command, err));
    TR_TRY(tr_db_open(tr_graph_store_path(store), NULL, &db, err));
    tr_status status = tr_db_begin(db, TR_DB_WRITE, err);
    if (status == TR_OK)
        status = apply(db, data, err);
    if (status == TR_OK)
        status = tr_cli_record_write(&record, db, err);
    if (status == TR_OK)
        status = tr_db_commit(db, err);
    tr_db_close(db);
    if (status == TR_OK)
        tr_graph_store_raise_generation(store);
    return status;
}

static void put_time(struct tr_json_writer *w, const char *key, int64_t time_s)
{
    char text[64];
    struct tr_buf buf;
    tr_jw_key(w, key);
    if (!time_s) {
        tr_jw_null(w);
        return;
    }
    tr_buf_init_fixed(&buf, text, sizeof(text));
    tr_time_write(&buf, (tr_time){.seconds = time_s});
    tr_jw_string(w, tr_buf_str(&buf));
}

static void put_count(struct tr_json_writer *w, const char *key, uint64_t count)
{
    if (!count)
        return;
    tr_jw_put_i64(w, key, (int64_t)count);
}

static void put_money(struct tr_json_writer *w, const char *key, double amount)
{
    if (amount <= 0)
        return;
    tr_jw_put_double(w, key, amount);
}

static void put_limits(struct tr_json_writer *w,
                       const struct tr_access_budget_limits *limits)
{
    tr_jw_key(w, "limits");
    tr_jw_open(w, '{');
    put_count(w, "calls_hour", limits->calls_hour);
    put_count(w, "calls_day", limits->calls_day);
    put_count(w, "tokens_hour", limits->tokens_hour);
    put_count(w, "tokens_day", limits->tokens_day);
    put_money(w, "usd_hour", limits->usd_hour);
    put_money(w, "usd_day", limits->usd_day);
    tr_jw_close(w, '}');
}

/* Writes a token as JSON; `secret` is empty unless it was just made. */
static void put_token(struct tr_json_writer *w,
                      const struct tr_access_token *token, tr_str secret)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "id", token->id);
    tr_jw_put_string(w, "name", token->name);
    tr_jw_key(w, "scopes");
    tr_jw_open(w, '[');
    for (size_t i = 0; i < TR_SCOPE_COUNT; i++) {
        if (token->scopes & tr_scopes_sorted[i])
            tr_jw_string(w, tr_str_from(tr_scope_name(tr_scopes_sorted[i])));
    }
    tr_jw_close(w, ']');
    put_time(w, "created", token->created_s);
    put_time(w, "expires", token->expires_s);
    put_time(w, "revoked", token->revoked_s);
    put_limits(w, &token->limits);
    if (secret.len)
        tr_jw_put_string(w, "token", secret);
    tr_jw_close(w, '}');
}

struct making {
    const struct tr_access_token *draft;
    struct tr_access_token_made made;
};

static tr_status add(struct tr_db *db, void *data, struct tr_err *err)
{
    struct making *making = data;
    return tr_access_token_add(db, making->draft, &making->made, err);
}

/* On standard output the token alone, so that a script can take it. */
static int print_made(const struct making *making, bool as_json)
{
    struct tr_access_token token = *making->draft;
    tr_str secret = {making->made.text, sizeof(making->made.text)};
    struct tr_json_writer w;
    struct tr_buf out;
    token.id = (tr_str){making->made.id, sizeof(making->made.id)};
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (as_json) {
        tr_jw_init_pretty(&w, &out);
        put_token(&w, &token, secret);
    } else {
        tr_buf_put(&out, secret);
        (void)fprintf(stderr,
                      "token %.*s: this is the only time that it is shown\n",
                      TR_FMT(token.id));
    }
    tr_buf_putc(&out, '\n');
    int exit_code = tr_cli_report_output(&out);
    if (out.ptr)
        tr_crypto_secret_wipe(out.ptr, out.len);
    tr_buf_done(&out);
    return exit_code;
}

int tr_cli_run_token_create(const struct tr_cli_invocation *invocation)
{
    struct tr_cli_store store;
    struct tr_access_token draft;
    struct tr_err err = {0};
    if (!read_draft(invocation, &draft))
        return TR_CLI_EXIT_USAGE;
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_MADE))
        return TR_CLI_EXIT_FAILED;
    struct making making = {.draft = &draft};
    int exit_code =
        change(store.store, "token create", add, &making, &err) == TR_OK
            ? print_made(&making, tr_cli_invocation_option(invocation, "json"))
            : tr_cli_report_error(NULL, &err);
    tr_crypto_secret_wipe(&making, sizeof(making));
    tr_cli_store_close(&store);
    return exit_code;
}

struct listing {
    struct tr_json_writer *w; /* or NULL */
    struct tr_buf *out;
    int64_t now_s;
};

static void put_line(struct tr_buf *out, const struct tr_access_token *token,
                     int64_t now_s)
{
    char scopes[64];
    char expires[64];
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, scopes, sizeof(scopes) - 1);
    tr_access_scopes_write(&buf, token->scopes, ",");
    scopes[buf.len] = '\0';
    tr_buf_init_fixed(&buf, expires, sizeof(expires) - 1);
    if (token->expires_s)
        tr_time_write(&buf, (tr_time){.seconds = token->expires_s});
    else
        tr_buf_put(&buf, TR_STR("never"));
    expires[buf.len] = '\0';
    const char *state = token->revoked_s                          ? "revoked"
                        : !tr_access_token_is_valid(token, now_s) ? "expired"
                                                                  : "valid";
    size_t start = out->len;
    tr_buf_putf(out, "%.*s  %-8s %-20s %-20s %.*s", TR_FMT(token->id), state,
                scopes, expires, TR_FMT(token->name));
    tr_cli_report_put_line(out, start);
}

static tr_status list_one(void *data, const struct tr_access_token *token,
                          struct tr_err *err)
{
    struct listing *listing = data;
    if (listing->w)
        put_token(listing->w, token, TR_STR(""));
    else
        put_line(listing->out, token, listing->now_s);
    return tr_buf_check(listing->out, err);
}

static tr_status list_all(struct tr_db *db, struct tr_buf *out, bool as_json,
                          struct tr_err *err)
{
    struct tr_json_writer w;
    struct listing listing = {as_json ? &w : NULL, out, tr_time_now().seconds};
    if (as_json) {
        tr_jw_init_pretty(&w, out);
        tr_jw_open(&w, '[');
    }
    TR_TRY(tr_access_token_each(db, list_one, &listing, err));
    if (!as_json)
        return TR_OK;
    tr_jw_close(&w, ']');
    tr_buf_putc(out, '\n');
    return tr_jw_finish(&w, err);
}

int tr_cli_run_token_list(const struct tr_cli_invocation *invocation)
{
    struct tr_graph_reader *reader = NULL;
    struct tr_cli_store store;
    struct tr_buf out;
    struct tr_err err = {0};
    int exit_code = TR_CLI_EXIT_FAILED;
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_EXISTING))
        return exit_code;
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    if (tr_cli_store_read(&store, &reader)) {
        bool as_json = tr_cli_invocation_option(invocation, "json") != NULL;
        exit_code = list_all(reader->db, &out, as_json, &err) == TR_OK
                        ? tr_cli_report_output(&out)
                        : tr_cli_report_error(NULL, &err);
        tr_graph_reader_end(reader);
        tr_graph_reader_free(reader);
    }
    tr_buf_done(&out);
    tr_cli_store_close(&store);
    return exit_code;
}

static tr_status revoke(struct tr_db *db, void *data, struct tr_err *err)
{
    return tr_access_token_revoke(db, tr_str_from(data), tr_time_now().seconds,
                                  err);
}

int tr_cli_run_token_revoke(const struct tr_cli_invocation *invocation)
{
    char id[64];
    struct tr_cli_store store;
    struct tr_err err = {0};
    (void)snprintf(id, sizeof(id), "%s", invocation->arguments[0]);
    if (!tr_cli_store_open(&store, invocation, TR_CLI_STORE_EXISTING))
        return TR_CLI_EXIT_FAILED;
    int exit_code =
        change(store.store, "token revoke", revoke, id, &err) == TR_OK
            ? TR_CLI_EXIT_OK
            : tr_cli_report_error(NULL, &err);
    tr_cli_store_close(&store);
    if (exit_code == TR_CLI_EXIT_OK)
        (void)printf("revoked %s\n", id);
    return exit_code;
}
