#include "rdf/line_reader.h"

#include "base/limits.h"
#include "base/text.h"
#include "rdf/line_term.h"

#include <assert.h>

#define CHUNK TR_KIB(64)

/* A byte order mark, which some programs put before a text. */
#define BOM "\xEF\xBB\xBF"

struct reader {
    const struct tr_rdf_source *source;
    const struct tr_rdf_sink *sink;
    struct tr_buf text;    /* read and not yet handled, from `at` on */
    struct tr_buf decoded; /* terms of one line that had escapes */
    size_t at;
    size_t offset; /* of text.ptr in the document */
    uint32_t line; /* the number of the line at `at` */
    bool quads;
    bool at_end; /* of the source */
    struct tr_err fault;
};

/* The place of a fault; the line's text is still as it was read. */
static void set_place(const struct reader *reader, const char *start,
                      const char *at, struct tr_err *err)
{
    tr_str before = {start, (size_t)(at - start)};
    if (!err)
        return;
    err->place = (tr_place){
        .offset = reader->offset + (size_t)(at - reader->text.ptr),
        .line = reader->line,
        .column = (uint32_t)tr_utf8_count(before) + 1,
    };
}

static tr_status fail_line(const struct reader *reader,
                           const struct tr_rdf_line *line, struct tr_err *err)
{
    tr_status status = tr_fail(err, TR_E_SYNTAX, "%s", line->why);
    set_place(reader, line->start, line->at, err);
    return status;
}

/* Makes room by dropping what was handled, and reads once. */
static tr_status fill(struct reader *reader, struct tr_err *err)
{
    struct tr_buf *text = &reader->text;
    size_t got = 0;
    if (reader->at) {
        memmove(text->ptr, text->ptr + reader->at, text->len - reader->at);
        text->len -= reader->at;
        reader->offset += reader->at;
        reader->at = 0;
    }
    char *room = tr_buf_room(text, CHUNK);
    if (!room && text->failed == TR_E_NOMEM)
        return tr_buf_check(text, err);
    if (!room) {
        (void)tr_fail(err, TR_E_LIMIT, "a line longer than %zu bytes",
                      TR_LIMIT_RDF_TERM);
        set_place(reader, text->ptr, text->ptr, err);
        return TR_E_LIMIT;
    }
    TR_TRY(
        reader->source->read(reader->source->context, room, CHUNK, &got, err));
    text->len += got;
    reader->at_end = got == 0;
    return TR_OK;
}

/* The next line without its line feed; false in *found at the end. */
static tr_status next_line(struct reader *reader, tr_str *out, bool *found,
                           struct tr_err *err)
{
    size_t searched = 0;
    for (;;) {
        const char *start = reader->text.ptr + reader->at;
        size_t len = reader->text.len - reader->at;
        const char *end = len > searched
                              ? memchr(start + searched, '\n', len - searched)
                              : NULL;
        if (end || reader->at_end) {
            *out = (tr_str){start, end ? (size_t)(end - start) : len};
            *found = end || len;
            return TR_OK;
        }
        searched = len;
        TR_TRY(fill(reader, err));
    }
}

static bool take_statement(struct tr_rdf_line *line, bool quads,
                           tr_rdf_quad *out)
{
    out->graph = (tr_rdf_term){.kind = TR_RDF_TERM_NONE};
    if (!tr_rdf_line_resource(line, &out->subject))
        return false;
    tr_rdf_line_skip_space(line);
    if (!tr_rdf_line_iri(line, &out->predicate))
        return false;
    tr_rdf_line_skip_space(line);
    if (!tr_rdf_line_object(line, &out->object))
        return false;
    tr_rdf_line_skip_space(line);
    if (quads && line->at < line->end && *line->at != '.') {
        if (!tr_rdf_line_resource(line, &out->graph))
            return false;
        tr_rdf_line_skip_space(line);
    }
    if (line->at == line->end || *line->at != '.')
        return tr_rdf_line_fail(line,
                                "expected '.' at the end of the statement");
    line->at++;
    return true;
}

/* N-Triples, production EOL: a carriage return ends a line as well, so what is
 * read up to a line feed may be several. */
static bool take_end(struct tr_rdf_line *line)
{
    tr_rdf_line_skip_space(line);
    if (line->at < line->end && *line->at == '#') {
        while (line->at < line->end && *line->at != '\r')
            line->at++;
    }
    if (line->at < line->end && *line->at != '\r')
        return tr_rdf_line_fail(line, "expected the end of the line");
    return true;
}

static void skip_blank(struct tr_rdf_line *line)
{
    while (line->at < line->end &&
           (*line->at == ' ' || *line->at == '\t' || *line->at == '\r'))
        line->at++;
}

static tr_status read_line(struct reader *reader, tr_str text,
                           struct tr_err *err)
{
    struct tr_rdf_line line = {text.ptr,         text.ptr, text.ptr + text.len,
                               &reader->decoded, NULL,     &reader->fault};
    size_t valid = tr_utf8_valid_len(text);
    assert(text.ptr); /* lines are in a buffer that has been read into */
    if (reader->line == 1 && tr_str_starts(text, TR_STR(BOM)))
        line.start = line.at = text.ptr + sizeof(BOM) - 1;
    if (valid < text.len) {
        line.at = text.ptr + valid;
        line.why = "the text is not UTF-8";
        return fail_line(reader, &line, err);
    }
    skip_blank(&line);
    while (line.at < line.end) {
        tr_rdf_quad quad;
        if (*line.at != '#') {
            tr_buf_clear(&reader->decoded);
            /* Decoded terms are never longer than the line they are from. */
            if (memchr(line.at, '\\', (size_t)(line.end - line.at)) &&
                !tr_buf_room(&reader->decoded, text.len))
                return tr_buf_check(&reader->decoded, err);
            if (!take_statement(&line, reader->quads, &quad))
                return fail_line(reader, &line, err);
            if (reader->sink->line)
                *reader->sink->line = reader->line;
            tr_status status =
                reader->sink->quad(reader->sink->context, &quad, err);
            if (status != TR_OK)
                return status;
        }
        if (!take_end(&line))
            return fail_line(reader, &line, err);
        skip_blank(&line);
    }
    return TR_OK;
}

static tr_status read_all(struct reader *reader, struct tr_err *err)
{
    TR_TRY(fill(reader, err));
    for (;;) {
        tr_str line;
        bool found = false;
        TR_TRY(next_line(reader, &line, &found, err));
        if (!found)
            return TR_OK;
        TR_TRY(read_line(reader, line, err));
        size_t used = line.len + 1;
        size_t left = reader->text.len - reader->at;
        reader->at += used < left ? used : left;
        reader->line++;
    }
}

tr_status tr_rdf_line_read(bool quads, const struct tr_rdf_source *source,
                           const struct tr_rdf_sink *sink, struct tr_err *err)
{
    struct reader reader = {
        .source = source, .sink = sink, .line = 1, .quads = quads};
    tr_buf_init(&reader.text, TR_LIMIT_RDF_TERM + CHUNK);
    tr_buf_init(&reader.decoded, TR_LIMIT_RDF_TERM + CHUNK);
    tr_status status = read_all(&reader, err);
    tr_buf_done(&reader.decoded);
    tr_buf_done(&reader.text);
    return status;
}
