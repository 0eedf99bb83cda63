#include "toml/key.h"

#include "base/ascii.h"
#include "toml/string.h"

static bool is_bare(char c)
{
    return tr_ascii_is_alnum(c) || c == '_' || c == '-';
}

static tr_status read_part(struct tr_toml_cursor *in, tr_str *out,
                           struct tr_err *err)
{
    if (tr_toml_peek(in) == '"' || tr_toml_peek(in) == '\'')
        return tr_toml_quoted_key(in, out, err);
    size_t start = in->at;
    while (is_bare(tr_toml_peek(in)))
        in->at++;
    if (in->at == start)
        return tr_toml_fail_here(in, err, "expected a key");
    *out = (tr_str){in->text.ptr + start, in->at - start};
    return TR_OK;
}

tr_status tr_toml_read_key(struct tr_toml_cursor *in, tr_toml_enter_fn *enter,
                           struct tr_toml_node **table,
                           struct tr_toml_key *last, struct tr_err *err)
{
    size_t start = in->at;
    for (;;) {
        struct tr_toml_key key;
        TR_TRY(read_part(in, &key.name, err));
        key.written = (tr_str){in->text.ptr + start, in->at - start};
        tr_toml_skip_space(in);
        if (!tr_toml_take(in, '.')) {
            *last = key;
            return TR_OK;
        }
        TR_TRY(enter(in, table, &key, err));
        tr_toml_skip_space(in);
    }
}
