/* What a check says of what is wrong. */
#include "base/limits.h"
#include "fields/check_inside.h"
#include "fields/kind.h"
#include "json/build.h"

void tr_field_check_no_memory(struct tr_field_checking *c)
{
    if (c->failed == TR_OK)
        c->failed =
            tr_fail(c->err, TR_E_NOMEM, "no memory to check the fields");
}

void tr_field_violate(struct tr_field_checking *c,
                      const struct tr_field_error *error, const char *says,
                      const struct tr_json *detail)
{
    struct tr_field_error full = *error;
    struct tr_buf path;
    tr_buf_init(&path, TR_LIMIT_DESCRIPTION_BYTES);
    tr_field_holder_put(&path, c->at);
    if (c->at && error->field.len)
        tr_buf_put(&path, error->field);
    else if (c->at)
        path.len--; /* it is about the object itself */
    if (c->at)
        full.field = tr_buf_str(&path);
    if (path.failed != TR_OK ||
        !tr_field_errors_say(c->arena, c->errors, &full, says, detail))
        tr_field_check_no_memory(c);
    tr_buf_done(&path);
}

/* A count as JSON; its text is in the arena. */
struct tr_json tr_field_count_json(struct tr_field_checking *c, int64_t count)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%lld", (long long)count);
    tr_str text = {"0", 1};
    if (!tr_arena_copy(c->arena, (tr_str){digits, (size_t)len}, &text))
        tr_field_check_no_memory(c);
    return tr_json_make_integer(text);
}

/* What there are too few or too many of. */
static const struct counted {
    const char *code;
    const char *least;
    const char *one;
    const char *more;
} counts[] = {
    {"min_length", "least", "character", "characters"},
    {"max_length", "most", "character", "characters"},
    {"min_count", "least", "value", "values"},
    {"max_count", "most", "value", "values"},
    {"digits", "most", "digit before its point", "digits before its point"},
    {"scale", "most", "digit behind its point", "digits behind its point"},
};

void tr_field_violate_count(struct tr_field_checking *c,
                            const struct tr_field *field,
                            const struct tr_json *value, int64_t limit,
                            const char *code)
{
    size_t at = 0;
    while (strcmp(counts[at].code, code) != 0)
        at++;
    struct tr_field_error error = {
        .field = field->name,
        .code = tr_str_from(code),
        .value = *value,
        .constraint = tr_field_count_json(c, limit),
    };
    char says[64];
    (void)snprintf(says, sizeof(says), "must have at %s %lld %s",
                   counts[at].least, (long long)limit,
                   limit == 1 ? counts[at].one : counts[at].more);
    tr_field_violate(c, &error, says, NULL);
}

void tr_field_violate_kind(struct tr_field_checking *c,
                           const struct tr_field *field,
                           const struct tr_json *value)
{
    struct tr_json what = tr_json_make_text(
        TR_JSON_STRING, tr_str_from(tr_field_kind_row(field->kind)->expected));
    const struct tr_field_error error = {
        .field = field->name,
        .value = *value,
        .code = TR_STR("type"),
        .constraint = tr_json_make_text(
            TR_JSON_STRING, tr_str_from(tr_field_kind_name(field->kind))),
    };
    tr_field_violate(c, &error, "must be ", &what);
}
