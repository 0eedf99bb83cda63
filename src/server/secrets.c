#include "server/secrets.h"

#include "base/arena.h"
#include "base/limits.h"
#include "crypto/random.h"
#include "crypto/secrets.h"
#include "json/json.h"
#include "toml/reader.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define VARIABLES TR_STR("TRAILS_SECRET_")

/* A variable of the environment that is a secret; NULL when none is left. */
static char *find_variable(void)
{
    for (char **at = environ; at && *at; at++) {
        if (tr_str_starts(tr_str_from(*at), VARIABLES) && strchr(*at, '='))
            return *at;
    }
    return NULL;
}

/* An empty one counts as none, so that it can be switched off. */
static tr_status take_variable(struct tr_crypto_secrets *secrets, tr_str text,
                               struct tr_err *err)
{
    struct tr_crypto_secret draft = {.is_from_environment = true};
    (void)tr_str_cut(tr_str_skip(text, VARIABLES.len), '=', &draft.name,
                     &draft.bytes);
    if (!draft.bytes.len)
        return TR_OK;
    tr_status status = tr_crypto_secrets_add(secrets, &draft, err);
    if (status == TR_E_INVALID)
        tr_err_prefix(err, "%.*s%.*s", TR_FMT(VARIABLES), TR_FMT(draft.name));
    return status;
}

/* Wipes the values, also where /proc shows them. */
static tr_status take_variables(struct tr_crypto_secrets *secrets,
                                struct tr_err *err)
{
    char name[TR_LIMIT_NAME_BYTES + sizeof("TRAILS_SECRET_")];
    for (char *at = find_variable(); at; at = find_variable()) {
        TR_TRY(take_variable(secrets, tr_str_from(at), err));
        size_t len = strcspn(at, "=");
        if (len >= sizeof(name))
            return tr_fail(err, TR_E_INVALID,
                           "TRAILS_SECRET_...: the name is too long");
        memcpy(name, at, len);
        name[len] = '\0';
        tr_crypto_secret_wipe(at + len + 1, strlen(at + len + 1));
        (void)unsetenv(name);
    }
    return TR_OK;
}

/* Whoever runs the program has set these for it, and it has them once. */
static const char *const credentials[] = {
    "TRAILS_MCP_TOKEN",
    "TRAILS_MCP_JWT_SECRET",
    "TRAILS_TOKEN",
};

tr_status tr_server_credentials_take(struct tr_crypto_secrets **out,
                                     struct tr_err *err)
{
    struct tr_crypto_secrets *taken = NULL;
    tr_status status = tr_crypto_secrets_create(&taken, err);
    for (size_t i = 0; status == TR_OK && i < TR_LEN(credentials); i++) {
        char *value = getenv(credentials[i]);
        const struct tr_crypto_secret draft = {.name =
                                                   tr_str_from(credentials[i]),
                                               .bytes = tr_str_from(value),
                                               .is_from_environment = true};
        if (draft.bytes.len)
            status = tr_crypto_secrets_add(taken, &draft, err);
        if (value)
            tr_crypto_secret_wipe(value, strlen(value));
        (void)unsetenv(credentials[i]);
    }
    if (status == TR_OK)
        *out = taken;
    else
        tr_crypto_secrets_free(taken);
    return status;
}

tr_str tr_server_credential(const struct tr_crypto_secrets *taken, tr_str name)
{
    const struct tr_crypto_secret *found = tr_crypto_secrets_find(taken, name);
    return found ? found->bytes : TR_STR("");
}

static tr_status fail_at(tr_str toml, const char *at, const char *what,
                         struct tr_err *err)
{
    if (at < toml.ptr || at > toml.ptr + toml.len) /* a key with escapes */
        return tr_fail(err, TR_E_INVALID, "[secrets]: %s", what);
    return tr_fail_in(err, TR_E_INVALID, toml, (size_t)(at - toml.ptr),
                      "[secrets]: %s", what);
}

/* Overwrites a value, but for the ends of its lines: places stay. */
static void blank(tr_str value)
{
    char *at = (char *)(uintptr_t)value.ptr;
    for (size_t i = 0; i < value.len; i++) {
        if (at[i] != '\n' && at[i] != '\r')
            ((volatile char *)at)[i] = ' ';
    }
}

static tr_status take_member(struct tr_crypto_secrets *secrets, tr_str toml,
                             const struct tr_json_member *member,
                             struct tr_err *err)
{
    const char *at = tr_json_text(&member->key).ptr;
    struct tr_crypto_secret draft = {.name = tr_json_text(&member->key)};
    if (!tr_json_is(&member->value, TR_JSON_STRING))
        return fail_at(toml, at, "a secret is a text in quotes", err);
    draft.bytes = tr_json_text(&member->value);
    bool is_view =
        draft.bytes.ptr >= toml.ptr && draft.bytes.ptr <= toml.ptr + toml.len;
    if (draft.bytes.len && !is_view) {
        blank(draft.bytes);
        return fail_at(toml, at,
                       "a secret is written without escapes: in single "
                       "quotes, 'such as \\ this', nothing is one",
                       err);
    }
    tr_status status = tr_crypto_secrets_add(secrets, &draft, err);
    blank(draft.bytes);
    if (status != TR_E_INVALID)
        return status;
    struct tr_err why = *err;
    return fail_at(toml, at, why.msg, err);
}

/* Whoever may write the file could as well read it through the app. */
static tr_status check_file(const char *path, struct tr_err *err)
{
    struct stat about;
    if (!path || stat(path, &about) != 0)
        return TR_OK;
    if ((about.st_mode & 077) != 0)
        return tr_fail(err, TR_E_INVALID,
                       "it has [secrets] and others can read it, who have them "
                       "then: chmod 600 it, and change them");
    if (about.st_uid != geteuid() && about.st_uid != 0)
        return tr_fail(err, TR_E_INVALID,
                       "it has [secrets] and belongs to somebody else");
    return TR_OK;
}

static tr_status take_table(struct tr_crypto_secrets *secrets, const char *path,
                            tr_str toml, struct tr_err *err)
{
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    tr_arena_init(&arena, TR_LIMIT_CLI_MEMORY);
    tr_status status = tr_toml_read(&arena, toml, &tree, err);
    if (status == TR_OK) {
        const struct tr_json *table = tr_json_find(tree, TR_STR("secrets"));
        bool is_table = tr_json_is(table, TR_JSON_OBJECT) && table->len;
        if (is_table)
            status = check_file(path, err);
        for (size_t i = 0; is_table && status == TR_OK && i < table->len; i++)
            status = take_member(secrets, toml, &table->as.members[i], err);
    } else if (status != TR_E_NOMEM) {
        status = TR_OK; /* who reads it next says what is wrong */
    }
    tr_arena_done(&arena);
    return status;
}

tr_status tr_server_secrets_take(const char *path, tr_str toml,
                                 struct tr_crypto_secrets **out,
                                 struct tr_err *err)
{
    struct tr_crypto_secrets *secrets = NULL;
    *out = NULL;
    TR_TRY(tr_crypto_secrets_create(&secrets, err));
    tr_status status = take_variables(secrets, err);
    if (status == TR_OK)
        status = take_table(secrets, path, toml, err);
    if (status == TR_OK && tr_crypto_secrets_count(secrets)) {
        (void)prctl(PR_SET_DUMPABLE, 0);
        *out = secrets;
        return TR_OK;
    }
    tr_crypto_secrets_free(secrets);
    return status;
}
