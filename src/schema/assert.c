#include "base/ascii.h"
#include "base/text.h"
#include "base/time.h"
#include "fields/check.h"
#include "fields/value.h"
#include "schema/keywords.h"

#define INTEGER (INT64_C(1) << 32)

bool tr_schema_check_type(struct tr_schema_run *run,
                          const struct tr_schema_op *op,
                          struct tr_schema_frame *frame)
{
    const struct tr_json *value = frame->value;
    if (op->number & INT64_C(1) << value->kind)
        return true;
    if ((op->number & INTEGER) && value->kind == TR_JSON_NUMBER &&
        tr_json_decimal_is_integer(tr_json_decimal_of(tr_json_text(value))))
        return true;
    return tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_enum(struct tr_schema_run *run,
                          const struct tr_schema_op *op,
                          struct tr_schema_frame *frame)
{
    for (size_t i = 0; i < op->value->len; i++) {
        const struct tr_json *choice = &op->value->as.items[i];
        if (!tr_schema_spend(run, choice->kind == TR_JSON_OBJECT ||
                                          choice->kind == TR_JSON_ARRAY
                                      ? tr_field_value_count(choice)
                                      : 1))
            return false;
        if (tr_field_value_eq(frame->value, choice))
            return true;
    }
    return tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_const(struct tr_schema_run *run,
                           const struct tr_schema_op *op,
                           struct tr_schema_frame *frame)
{
    if (!tr_schema_spend(run, tr_field_value_count(op->value)))
        return false;
    return tr_field_value_eq(frame->value, op->value) ||
           tr_schema_refuse(run, op, frame);
}

/* Compares the frame's value with the keyword's; false for other kinds. */
static bool compare(const struct tr_schema_op *op,
                    const struct tr_schema_frame *frame, int *order)
{
    if (frame->value->kind != TR_JSON_NUMBER)
        return false;
    *order = tr_json_decimal_cmp(tr_json_decimal_of(tr_json_text(frame->value)),
                                 op->decimal);
    return true;
}

bool tr_schema_check_maximum(struct tr_schema_run *run,
                             const struct tr_schema_op *op,
                             struct tr_schema_frame *frame)
{
    int order;
    return !compare(op, frame, &order) || order <= 0 ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_minimum(struct tr_schema_run *run,
                             const struct tr_schema_op *op,
                             struct tr_schema_frame *frame)
{
    int order;
    return !compare(op, frame, &order) || order >= 0 ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_above(struct tr_schema_run *run,
                           const struct tr_schema_op *op,
                           struct tr_schema_frame *frame)
{
    int order;
    return !compare(op, frame, &order) || order > 0 ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_below(struct tr_schema_run *run,
                           const struct tr_schema_op *op,
                           struct tr_schema_frame *frame)
{
    int order;
    return !compare(op, frame, &order) || order < 0 ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_multiple(struct tr_schema_run *run,
                              const struct tr_schema_op *op,
                              struct tr_schema_frame *frame)
{
    return frame->value->kind != TR_JSON_NUMBER ||
           tr_json_decimal_is_multiple(
               tr_json_decimal_of(tr_json_text(frame->value)), op->decimal) ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_max_length(struct tr_schema_run *run,
                                const struct tr_schema_op *op,
                                struct tr_schema_frame *frame)
{
    return frame->value->kind != TR_JSON_STRING ||
           (int64_t)tr_utf8_count(tr_json_text(frame->value)) <= op->number ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_min_length(struct tr_schema_run *run,
                                const struct tr_schema_op *op,
                                struct tr_schema_frame *frame)
{
    return frame->value->kind != TR_JSON_STRING ||
           (int64_t)tr_utf8_count(tr_json_text(frame->value)) >= op->number ||
           tr_schema_refuse(run, op, frame);
}

bool tr_schema_check_pattern(struct tr_schema_run *run,
                             const struct tr_schema_op *op,
                             struct tr_schema_frame *frame)
{
    return frame->value->kind != TR_JSON_STRING ||
           tr_schema_matches(run, frame, op->patterns[0],
                             tr_json_text(frame->value)) ||
           tr_schema_refuse(run, op, frame);
}

static bool is_date_time(tr_str text)
{
    tr_time time;
    return tr_time_parse(text, &time, NULL) == TR_OK;
}

static bool is_date(tr_str text)
{
    tr_date date;
    return tr_date_scan(&text, &date) && text.len == 0;
}

static bool is_uuid(tr_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        char c = text.ptr[i];
        if (is_dash ? c != '-' : tr_ascii_hex_value(c) < 0)
            return false;
    }
    return text.len == 36;
}

/* Formats that are not in this table are never asserted. */
static const struct {
    tr_str name;
    bool (*is)(tr_str text);
} formats[] = {
    {TR_STR_INIT("date-time"), is_date_time},
    {TR_STR_INIT("date"), is_date},
    {TR_STR_INIT("iri"), tr_field_is_absolute_iri},
    {TR_STR_INIT("uuid"), is_uuid},
};

bool tr_schema_check_format(struct tr_schema_run *run,
                            const struct tr_schema_op *op,
                            struct tr_schema_frame *frame)
{
    if (frame->value->kind != TR_JSON_STRING)
        return true;
    for (size_t i = 0; i < TR_LEN(formats); i++) {
        if (tr_str_eq(tr_json_text(op->value), formats[i].name))
            return formats[i].is(tr_json_text(frame->value)) ||
                   tr_schema_refuse(run, op, frame);
    }
    return true;
}
