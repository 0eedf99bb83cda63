#include "base/limits.h"
#include "base/test.h"
#include "rdf/memory_graph.h"
#include "rdf/reader.h"
#include "rdf/writer.h"

#include <unistd.h>

static tr_status count_quad(void *context, const tr_rdf_quad *quad,
                            struct tr_err *err)
{
    size_t *count = context;
    (void)quad;
    (void)err;
    ++*count;
    return TR_OK;
}

static void make_file(char *path, size_t size, const char *text)
{
    (void)snprintf(path, size, "/tmp/trails_rdf_%ld.ttl", (long)getpid());
    FILE *file = fopen(path, "wb");
    bool is_written = file && fputs(text, file) >= 0;
    CHECK(file && fclose(file) == 0 && is_written);
}

TEST(rdf_file_is_read_by_its_ending_or_as_told)
{
    char path[64];
    size_t count = 0;
    struct tr_err err = {0};
    struct tr_rdf_sink sink = {.context = &count, .quad = count_quad};
    struct tr_rdf_file_opts opts = {.format = NULL};
    enum tr_rdf_format lines = TR_RDF_NTRIPLES;
    make_file(path, sizeof(path), "<a:s> <a:p> 1, 2 .");
    CHECK_OK(tr_rdf_file_read(path, &opts, &sink, &err), &err);
    CHECK_INT(count, 2);
    opts.format = &lines;
    CHECK_INT(tr_rdf_file_read(path, &opts, &sink, &err), TR_E_SYNTAX);
    CHECK_INT(err.place.column, 13);
    CHECK(unlink(path) == 0);
    opts.format = NULL;
    CHECK_INT(tr_rdf_file_read(path, &opts, &sink, &err), TR_E_NOT_FOUND);
    CHECK_INT(tr_rdf_file_read("x.txt", &opts, &sink, &err), TR_E_INVALID);
    CHECK_INT(tr_rdf_file_read("/tmp/.", &opts, &sink, &err), TR_E_INVALID);
    opts.format = &lines;
    CHECK_INT(tr_rdf_file_read("/tmp", &opts, &sink, &err), TR_E_IO);
}

static tr_status keep_subject(void *context, const tr_rdf_quad *quad,
                              struct tr_err *err)
{
    tr_buf_put(context, quad->subject.text);
    (void)err;
    return TR_OK;
}

TEST(rdf_file_escapes_what_its_iri_cannot_have)
{
    char path[64];
    char odd[64];
    struct tr_buf subject;
    struct tr_err err = {0};
    struct tr_rdf_file_opts opts = {.format = NULL};
    struct tr_rdf_sink sink = {.context = &subject, .quad = keep_subject};
    make_file(path, sizeof(path), "<> <a:p> 1 .");
    (void)snprintf(odd, sizeof(odd), "/tmp/trails f\xC3\xA4#?%%.ttl");
    CHECK(rename(path, odd) == 0);
    tr_buf_init(&subject, TR_KIB(4));
    CHECK_OK(tr_rdf_file_read(odd, &opts, &sink, &err), &err);
    CHECK_STR(tr_buf_str(&subject),
              "file:///tmp/trails%20f%C3%A4%23%3F%25.ttl");
    tr_buf_done(&subject);
    CHECK(unlink(odd) == 0);
}

TEST(rdf_output_reports_what_the_system_says)
{
    int closed = -1;
    struct tr_buf text;
    struct tr_err err = {0};
    struct tr_rdf_output output = tr_rdf_output_fd(&closed);
    tr_buf_init(&text, TR_KIB(1));
    CHECK_OK(tr_rdf_output_flush(&output, &text, true, &err), &err);
    tr_buf_put(&text, TR_STR("x"));
    CHECK_OK(tr_rdf_output_flush(&output, &text, false, &err), &err);
    CHECK_INT(tr_rdf_output_flush(&output, &text, true, &err), TR_E_IO);
    CHECK(strstr(err.msg, "cannot write: ") == err.msg);
    tr_buf_done(&text);
}
