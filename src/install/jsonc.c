#include "install/jsonc.h"

#include "base/ascii.h"
#include "json/reader.h"

#define NONE SIZE_MAX

struct scan {
    tr_str text;
    const struct tr_install_form *form;
    char *bare;
    char *plain; /* what the reader is given */
    size_t at;
    size_t comma;   /* the last of what has meaning is a comma, here; or NONE */
    bool has_value; /* a value ends before that comma, or before `at` */
};

static void blank(struct scan *scan, size_t start, size_t end)
{
    for (size_t i = start; i < end; i++) {
        if (scan->text.ptr[i] != '\n')
            scan->bare[i] = scan->plain[i] = ' ';
    }
}

static tr_status refuse(const struct scan *scan, size_t at, const char *what,
                        struct tr_err *err)
{
    return tr_fail_in(err, TR_E_SYNTAX, scan->text, at,
                      "%s, which %s does not take", what, scan->form->host);
}

/* Where the comment that begins here ends; NONE when it does not. */
static size_t comment_end(const struct scan *scan)
{
    tr_str rest = tr_str_skip(scan->text, scan->at + 2);
    if (scan->text.ptr[scan->at + 1] == '/') {
        const char *end = rest.len ? memchr(rest.ptr, '\n', rest.len) : NULL;
        return end ? (size_t)(end - scan->text.ptr) : scan->text.len;
    }
    for (size_t i = 0; i + 1 < rest.len; i++) {
        if (rest.ptr[i] == '*' && rest.ptr[i + 1] == '/')
            return scan->at + 2 + i + 2;
    }
    return NONE;
}

static bool is_comment(const struct scan *scan)
{
    tr_str rest = tr_str_skip(scan->text, scan->at);
    return tr_str_starts(rest, TR_STR("//")) ||
           tr_str_starts(rest, TR_STR("/*"));
}

static tr_status skip_comment(struct scan *scan, struct tr_err *err)
{
    size_t end = comment_end(scan);
    if (scan->form->refuses & TR_INSTALL_NO_COMMENTS)
        return refuse(scan, scan->at, "a comment", err);
    if (end == NONE)
        return tr_fail_in(err, TR_E_SYNTAX, scan->text, scan->at,
                          "the comment has no end");
    blank(scan, scan->at, end);
    scan->at = end;
    return TR_OK;
}

/* The number of a \uXXXX at `i`, or -1. */
static int32_t escaped(const struct scan *scan, size_t i)
{
    int32_t number = 0;
    if (i + 6 > scan->text.len || scan->text.ptr[i] != '\\' ||
        scan->text.ptr[i + 1] != 'u')
        return -1;
    for (size_t j = i + 2; j < i + 6; j++) {
        int digit = tr_ascii_hex_value(scan->text.ptr[j]);
        if (digit < 0)
            return -1;
        number = number * 16 + digit;
    }
    return number;
}

/*
 * JavaScript writes half of a pair of surrogates as an escape, where a text was
 * cut in the middle of a letter; the reader would refuse the file for it.
 */
static size_t skip_escape(struct scan *scan, size_t i)
{
    int32_t first = escaped(scan, i);
    if (first < 0xD800 || first > 0xDFFF)
        return i + 2;
    int32_t second = escaped(scan, i + 6);
    if (first <= 0xDBFF && second >= 0xDC00 && second <= 0xDFFF)
        return i + 12;
    memcpy(scan->plain + i, "\\u0020", 6);
    memcpy(scan->bare + i, "\\u0020", 6);
    return i + 6;
}

static void skip_string(struct scan *scan)
{
    size_t i = scan->at + 1;
    while (i < scan->text.len && scan->text.ptr[i] != '"')
        i = scan->text.ptr[i] == '\\' ? skip_escape(scan, i) : i + 1;
    scan->at = i < scan->text.len ? i + 1 : scan->text.len;
    scan->comma = NONE;
    scan->has_value = true;
}

/* A comma before the end of an object or array is taken out for the reader. */
static tr_status skip_close(struct scan *scan, struct tr_err *err)
{
    if (scan->comma != NONE && scan->has_value) {
        if (scan->form->refuses & TR_INSTALL_NO_LAST_COMMA)
            return refuse(scan, scan->comma, "a comma after the last one", err);
        scan->plain[scan->comma] = ' ';
    }
    scan->comma = NONE;
    scan->has_value = true;
    scan->at++;
    return TR_OK;
}

static void skip_other(struct scan *scan, char c)
{
    if (c == ',') {
        scan->has_value = scan->has_value && scan->comma == NONE;
        scan->comma = scan->at;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
        scan->comma = NONE;
        scan->has_value = c != '{' && c != '[' && c != ':';
    }
    scan->at++;
}

static tr_status scan_all(struct scan *scan, struct tr_err *err)
{
    if (tr_str_starts(scan->text, TR_STR("\xEF\xBB\xBF"))) {
        if (scan->form->refuses & TR_INSTALL_NO_MARK)
            return refuse(scan, 0, "a byte order mark", err);
        blank(scan, 0, 3);
        scan->at = 3;
    }
    while (scan->at < scan->text.len) {
        char c = scan->text.ptr[scan->at];
        if (c == '"')
            skip_string(scan);
        else if (is_comment(scan))
            TR_TRY(skip_comment(scan, err));
        else if (c == '}' || c == ']')
            TR_TRY(skip_close(scan, err));
        else
            skip_other(scan, c);
    }
    return TR_OK;
}

tr_status tr_install_jsonc_read(struct tr_arena *arena, tr_str text,
                                const struct tr_install_form *form,
                                struct tr_install_json *out, struct tr_err *err)
{
    tr_str bare = {NULL, 0};
    tr_str plain = {NULL, 0};
    const struct tr_json *root = NULL;
    if (!tr_arena_copy(arena, text, &bare) ||
        !tr_arena_copy(arena, text, &plain))
        return tr_fail(err, TR_E_NOMEM, "no memory to read JSON");
    struct scan scan = {
        .text = text,
        .form = form,
        .bare = (char *)(uintptr_t)bare.ptr,
        .plain = (char *)(uintptr_t)plain.ptr,
        .comma = NONE,
    };
    TR_TRY(scan_all(&scan, err));
    if (tr_str_trim(plain).len) {
        tr_status status = tr_json_read(arena, plain, NULL, &root, err);
        /* Columns count letters, of which a comment may have had fewer than
         * the spaces in its place. */
        if (status != TR_OK && err && err->place.line)
            err->place = tr_place_of(text, err->place.offset);
        TR_TRY(status);
    }
    *out = (struct tr_install_json){text, bare, root};
    return TR_OK;
}
