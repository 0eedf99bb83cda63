#include "support/outcome_text.h"

#include "base/test.h"
#include "json/writer.h"

void json_put(struct tr_buf *out, const struct tr_json *value)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    tr_jw_value(&w, value);
    CHECK_OK(tr_jw_finish(&w, NULL), NULL);
}

void outcome_put(struct tr_buf *out, const struct tr_call_outcome *outcome)
{
    if (outcome->status != TR_OK)
        tr_buf_putf(out, "%s: %s", tr_status_name(outcome->status),
                    outcome->err.msg);
    if (outcome->is_error)
        tr_buf_put(out, TR_STR("error: "));
    if (outcome->content)
        json_put(out, outcome->content);
    if (outcome->value)
        json_put(out, outcome->value);
    if (outcome->data) {
        tr_buf_putc(out, ' ');
        json_put(out, outcome->data);
    }
}
