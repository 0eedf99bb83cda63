#include "cli/report.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/text.h"
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>

struct tr_cli_look tr_cli_look_of(FILE *stream)
{
    static const struct tr_cli_look colours = {"\033[1m", "\033[1;31m",
                                               "\033[0m"};
    static const struct tr_cli_look none = {"", "", ""};
    return tr_file_takes_colours(fileno(stream)) ? colours : none;
}

static void clean(struct tr_buf *out, size_t start, bool keeps_lines)
{
    for (size_t i = start; i < out->len; i++) {
        size_t bytes = tr_utf8_control(tr_str_skip(tr_buf_str(out), i));
        if (bytes && !(keeps_lines && out->ptr[i] == '\n'))
            memset(out->ptr + i, ' ', bytes);
    }
}

void tr_cli_report_put_line(struct tr_buf *out, size_t start)
{
    clean(out, start, false);
    tr_buf_putc(out, '\n');
}

void tr_cli_report_put_lines(struct tr_buf *out, size_t start)
{
    clean(out, start, true);
}

void tr_cli_report_show(FILE *stream, tr_str text)
{
    while (text.len) {
        size_t bytes = tr_utf8_control(text);
        (void)fputc(bytes && *text.ptr != '\n' ? ' ' : *text.ptr, stream);
        text = tr_str_skip(text, bytes ? bytes : 1);
    }
}

static void start_line(void)
{
    struct tr_cli_look look = tr_cli_look_of(stderr);
    (void)fprintf(stderr, "%strails:%s ", look.red, look.plain);
}

TR_PRINTF(1, 0)
static void end_line(const char *format, va_list args)
{
    char text[TR_LIMIT_PATH_BYTES + TR_LIMIT_ERROR_TEXT];
    (void)vsnprintf(text, sizeof(text), format, args);
    tr_cli_report_show(stderr, tr_str_from(text));
    (void)fputc('\n', stderr);
}

int tr_cli_report_usage(const char *format, ...)
{
    va_list args;
    start_line();
    va_start(args, format);
    end_line(format, args);
    va_end(args);
    return TR_CLI_EXIT_USAGE;
}

void tr_cli_report_warning(const char *format, ...)
{
    va_list args;
    start_line();
    (void)fputs("warning: ", stderr);
    va_start(args, format);
    end_line(format, args);
    va_end(args);
}

int tr_cli_report_error(const char *file, const struct tr_err *err)
{
    start_line();
    bool names_file = file && strncmp(err->msg, file, strlen(file)) == 0;
    file = file && *file && !names_file ? file : NULL;
    if (file && err->place.line)
        (void)fprintf(stderr, "%s:%u:%u: ", file, err->place.line,
                      err->place.column);
    else if (file)
        (void)fprintf(stderr, "%s: ", file);
    tr_cli_report_show(stderr, tr_str_from(err->msg));
    (void)fputc('\n', stderr);
    return TR_CLI_EXIT_FAILED;
}

int tr_cli_report_output(const struct tr_buf *out)
{
    struct tr_err err;
    if (tr_buf_check(out, &err) != TR_OK)
        return tr_cli_report_error("output", &err);
    if ((out->len == 0 || fwrite(out->ptr, 1, out->len, stdout) == out->len) &&
        fflush(stdout) == 0)
        return TR_CLI_EXIT_OK;
    (void)tr_fail(&err, TR_E_IO, "cannot write to standard output: %s",
                  strerror(errno));
    return tr_cli_report_error(NULL, &err);
}

int tr_cli_report_line(const char *format, ...)
{
    struct tr_buf out;
    char line[TR_LIMIT_PATH_BYTES + 256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    tr_buf_init(&out, TR_LIMIT_CLI_OUTPUT);
    tr_buf_put(&out, tr_str_from(line));
    tr_buf_putc(&out, '\n');
    int exit_code = tr_cli_report_output(&out);
    tr_buf_done(&out);
    return exit_code;
}
