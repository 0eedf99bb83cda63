#include "gate/gate.h"

#include "access/bearer.h"
#include "graph/store.h"
#include "loop/loop.h"

static struct tr_access_bearer_moment moment_of(const struct tr_gate *gate)
{
    return (struct tr_access_bearer_moment){
        .now_s = tr_loop_wall(gate->loop).seconds,
        .generation = gate->store ? tr_graph_store_generation(gate->store) : 0,
    };
}

tr_status tr_gate_resolve(const struct tr_gate *gate, tr_str token,
                          const struct tr_access_authority **out,
                          struct tr_err *err)
{
    static const struct tr_access_authority nobody = {.scopes =
                                                          TR_SCOPE_RUNTIME};
    struct tr_access_bearer *bearer = gate->bearer;
    bool is_required = gate->rules.is_required;
    if (token.len && bearer)
        return tr_access_bearer_resolve(bearer, token, moment_of(gate), out,
                                        err);
    if (!is_required && gate->rules.closes && bearer)
        TR_TRY(tr_access_bearer_has_stored(bearer, moment_of(gate),
                                           &is_required, err));
    if (token.len || is_required)
        return tr_fail(err, TR_E_UNAUTHENTICATED, "a token is needed");
    *out = bearer ? tr_access_bearer_nobody(bearer) : &nobody;
    return TR_OK;
}

/* None of these values has a quote in it. */
static void put_param(struct tr_buf *out, const char **before, const char *name,
                      tr_str value)
{
    tr_buf_putf(out, "%s%s=\"%.*s\"", *before, name, TR_FMT(value));
    *before = ", ";
}

tr_str tr_gate_write_challenge(const struct tr_gate *gate,
                               const struct tr_gate_challenge *challenge,
                               char text[TR_GATE_CHALLENGE_BYTES])
{
    const struct tr_gate_rules *rules = &gate->rules;
    tr_str url = rules->metadata_url;
    const char *before = " ";
    struct tr_buf buf;
    tr_buf_init_fixed(&buf, text, TR_GATE_CHALLENGE_BYTES);
    tr_buf_put(&buf, TR_STR("Bearer"));
    if (rules->realm.len)
        put_param(&buf, &before, "realm", rules->realm);
    if (challenge->error) {
        put_param(&buf, &before, "error", tr_str_from(challenge->error));
        put_param(&buf, &before, "error_description",
                  tr_str_from(challenge->why));
    }
    if (challenge->scope && (url.len || challenge->is_scope))
        put_param(&buf, &before, "scope", tr_str_from(challenge->scope));
    if (url.len)
        put_param(&buf, &before, "resource_metadata", url);
    return tr_buf_str(&buf);
}

/* TR_E_NOT_FOUND when there is no credential. */
static tr_status read_header(const struct tr_http_request *http, tr_str *out,
                             struct tr_err *err)
{
    tr_str value = {NULL, 0};
    size_t count = 0;
    for (size_t i = 0; i < http->header_count; i++) {
        tr_http_field field = tr_http_header_at(http, i);
        if (!tr_http_same_name(field.name, TR_STR("Authorization")))
            continue;
        if (count++ && !tr_str_eq(field.value, value))
            return tr_fail(err, TR_E_SYNTAX,
                           "there is more than one credential");
        value = field.value;
    }
    if (count == 0)
        return TR_E_NOT_FOUND;
    return tr_access_bearer_parse(value, out, err);
}

tr_str tr_gate_token_of(const struct tr_http_request *http)
{
    tr_str token = {NULL, 0};
    (void)read_header(http, &token, NULL);
    return token;
}

bool tr_gate_identify(const struct tr_gate *gate, struct tr_http_exchange *x,
                      const struct tr_access_authority **out,
                      struct tr_gate_refusal *refusal)
{
    struct tr_gate_challenge challenge = {.scope = "runtime"};
    tr_str token = {NULL, 0};
    *out = tr_http_exchange_left(x);
    if (*out)
        return true; /* the judge of its head has asked already */
    *refusal = (struct tr_gate_refusal){.http = 503};
    tr_status status =
        read_header(tr_http_exchange_request(x), &token, &refusal->err);
    bool is_malformed = status == TR_E_SYNTAX;
    if (!is_malformed)
        status = tr_gate_resolve(gate, token, out, &refusal->err);
    if (status == TR_OK) {
        tr_http_exchange_leave(x, *out);
        return true;
    }
    if (status != TR_E_UNAUTHENTICATED && !is_malformed)
        return false;
    if (is_malformed || token.len)
        challenge.error = is_malformed ? "invalid_request" : "invalid_token";
    challenge.why = refusal->err.msg;
    refusal->challenge = challenge;
    refusal->http = is_malformed ? 400 : 401;
    return false;
}
