#include "gate/access_log.h"

#include "loop/log_lines.h"

/* A client chooses how long a name is; a line of the log has room for this. */
#define NAME_BYTES ((size_t)256)

const uint64_t tr_gate_step_bounds[TR_GATE_STEPS - 1] = {
    50,    100,   250,    500,    1000,    2500,    5000,
    10000, 50000, 100000, 500000, 1000000, 5000000, 30000000,
};

void tr_gate_histogram_count(struct tr_gate_histogram *histogram,
                             uint64_t micros)
{
    size_t step = 0;
    while (step < TR_GATE_STEPS - 1 && micros > tr_gate_step_bounds[step])
        step++;
    histogram->steps[step]++;
    histogram->micros += micros;
}

void tr_gate_histogram_add(struct tr_gate_histogram *to,
                           const struct tr_gate_histogram *from)
{
    to->micros += from->micros;
    for (size_t i = 0; i < TR_GATE_STEPS; i++)
        to->steps[i] += from->steps[i];
}

uint64_t tr_gate_histogram_total(const struct tr_gate_histogram *histogram)
{
    uint64_t total = 0;
    for (size_t i = 0; i < TR_GATE_STEPS; i++)
        total += histogram->steps[i];
    return total;
}

/* Those without a code are the others. */
void tr_gate_codes_count(struct tr_gate_codes *codes, int code, uint64_t count)
{
    size_t i = 0;
    while (i < TR_GATE_CODES - 1 &&
           (!code || (codes->items[i].code && codes->items[i].code != code)))
        i++;
    if (i < TR_GATE_CODES - 1)
        codes->items[i].code = code;
    codes->items[i].count += count;
}

void tr_gate_codes_add(struct tr_gate_codes *to,
                       const struct tr_gate_codes *from)
{
    for (size_t i = 0; i < TR_GATE_CODES; i++)
        if (from->items[i].count)
            tr_gate_codes_count(to, from->items[i].code, from->items[i].count);
}

static tr_str name_of(const struct tr_gate_line *line)
{
    tr_str name = line->name;
    if (name.len > NAME_BYTES)
        name.len = NAME_BYTES;
    return name;
}

void tr_gate_log_line(struct tr_loop_log_lines *log,
                      const struct tr_gate_line *line)
{
    struct tr_log_field fields[8];
    size_t n = 0;
    fields[n++] = TR_LOG_TEXT("method", line->method);
    if (line->name.len)
        fields[n++] = TR_LOG_TEXT("name", name_of(line));
    if (line->principal.len)
        fields[n++] = TR_LOG_TEXT("principal", line->principal);
    fields[n++] = TR_LOG_INT("status", line->status);
    if (line->code)
        fields[n++] = TR_LOG_INT("code", line->code);
    fields[n++] = TR_LOG_INT("micros", (int64_t)line->micros);
    fields[n++] = TR_LOG_INT("bytes", (int64_t)line->bytes);
    if (line->trace_id.len)
        fields[n++] = TR_LOG_TEXT("trace_id", line->trace_id);
    tr_loop_log_lines_add(log, TR_LOG_INFO, "request", fields, n);
}

void tr_gate_log_fault(struct tr_loop_log_lines *log,
                       const struct tr_gate_line *line, tr_str where,
                       const struct tr_err *err)
{
    struct tr_log_field fields[5];
    size_t n = 0;
    fields[n++] = TR_LOG_TEXT("method", line->method);
    if (line->name.len)
        fields[n++] = TR_LOG_TEXT("name", name_of(line));
    fields[n++] = TR_LOG_TEXT("trace_id", line->trace_id);
    /* A text that the caller is told may repeat what the caller has sent. */
    const char *text = err->msg;
    if (where.len) {
        fields[n++] = TR_LOG_TEXT("where", where);
        text = tr_status_name(err->code);
    }
    fields[n++] = TR_LOG_TEXT("error", tr_str_from(text));
    tr_loop_log_lines_add(log, where.len ? TR_LOG_WARN : TR_LOG_ERROR, "fault",
                          fields, n);
}
