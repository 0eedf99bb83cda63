/*
 * Objects of a JSON array or of NDJSON, one at a time: only one of them is in
 * memory. Where one ends is told by its brackets and quotes; what is between
 * them is for the JSON reader to judge.
 */
#include "json/reader.h"
#include "table/inside.h"

enum { CHUNK = 65536, END = -1 };

static tr_status peek(struct tr_table_input *in, size_t ahead, int *out,
                      struct tr_err *err)
{
    while (in->at + ahead >= in->in.len && !in->is_ended) {
        size_t got = 0;
        char *to = tr_buf_room(&in->in, CHUNK);
        if (!to && in->in.failed == TR_E_NOMEM)
            return tr_buf_check(&in->in, err);
        if (!to)
            return tr_fail(err, TR_E_LIMIT, "an object has more than %zu bytes",
                           TR_LIMIT_JSON_BYTES);
        TR_TRY(tr_table_input_read(in, to, CHUNK, &got, err));
        in->in.len += got;
        in->is_ended = got == 0;
    }
    *out = in->at + ahead >= in->in.len
               ? END
               : (unsigned char)in->in.ptr[in->at + ahead];
    return TR_OK;
}

static void move_place(tr_place *place, int c)
{
    place->offset++;
    if (c == '\n') {
        place->line++;
        place->column = 1;
    } else if ((c & 0xC0) != 0x80) {
        place->column++;
    }
}

static void step(struct tr_table_input *in)
{
    move_place(&in->at_place, (unsigned char)in->in.ptr[in->at++]);
}

static bool is_space(int c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Space is passed by, and what was read so far is given back. */
static tr_status skip_space(struct tr_table_input *in, int *c,
                            struct tr_err *err)
{
    if (in->at > 0) {
        in->in.len -= in->at;
        memmove(in->in.ptr, in->in.ptr + in->at, in->in.len);
        in->at = 0;
    }
    *c = END;
    TR_TRY(peek(in, 0, c, err));
    while (*c != END && is_space(*c)) {
        step(in);
        TR_TRY(peek(in, 0, c, err));
    }
    return TR_OK;
}

static tr_status refuse(const struct tr_table_input *in, struct tr_err *err,
                        const char *why)
{
    (void)tr_fail(err, TR_E_SYNTAX, "%s", why);
    if (err)
        err->place = in->at_place;
    return TR_E_SYNTAX;
}

/* Goes to the first byte of the next object; *c is END behind the last. */
static tr_status find_next(struct tr_table_input *in, int *c,
                           struct tr_err *err)
{
    bool is_array = in->file->format == TR_TABLE_JSON;
    TR_TRY(skip_space(in, c, err));
    if (is_array && !in->has_opened) {
        if (*c != '[')
            return refuse(in, err, "expected an array of objects");
        in->has_opened = true;
        step(in);
        TR_TRY(skip_space(in, c, err));
    } else if (is_array && in->seen > 0 && !in->has_closed) {
        if (*c == ',') {
            step(in);
            TR_TRY(skip_space(in, c, err));
        } else if (*c != ']') {
            return refuse(in, err, "expected ',' or ']'");
        }
    }
    if (is_array && *c == ']' && !in->has_closed) {
        in->has_closed = true;
        step(in);
        TR_TRY(skip_space(in, c, err));
    }
    if (*c == END)
        return is_array && !in->has_closed
                   ? refuse(in, err, "the array is never closed")
                   : TR_OK;
    if (in->has_closed)
        return refuse(in, err, "something stands behind the array");
    return *c == '{' ? TR_OK : refuse(in, err, "expected an object");
}

/* How many bytes the object has that begins here. */
static tr_status measure(struct tr_table_input *in, size_t *len,
                         struct tr_err *err)
{
    size_t depth = 0;
    bool is_text = false;
    for (*len = 0;;) {
        int c = END;
        TR_TRY(peek(in, *len, &c, err));
        if (c == END)
            return refuse(in, err, "the object is never closed");
        ++*len;
        if (is_text && c == '\\')
            ++*len;
        else if (c == '"')
            is_text = !is_text;
        else if (!is_text && (c == '{' || c == '['))
            depth++;
        else if (!is_text && (c == '}' || c == ']') && --depth == 0)
            return TR_OK;
        if (!is_text && c == '\n' && in->file->format == TR_TABLE_NDJSON)
            return refuse(in, err, "the object does not end on its line");
    }
}

/* Where a key of the object stands, at its first level. */
static tr_place find_key(tr_str text, tr_place start, tr_str key)
{
    tr_place place = start;
    size_t depth = 0;
    bool is_text = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        tr_str rest = tr_str_skip(text, i + 1);
        if (!is_text && c == '"' && depth == 1 && rest.len > key.len &&
            memcmp(rest.ptr, key.ptr, key.len) == 0 && rest.ptr[key.len] == '"')
            return place;
        if (is_text && c == '\\' && i + 1 < text.len)
            move_place(&place, (unsigned char)text.ptr[i++]);
        else if (c == '"')
            is_text = !is_text;
        else if (!is_text && (c == '{' || c == '['))
            depth++;
        else if (!is_text && (c == '}' || c == ']'))
            depth--;
        move_place(&place, (unsigned char)text.ptr[i]);
    }
    return start;
}

static tr_status take_member(struct tr_table_input *in, tr_str text,
                             const struct tr_json_member *member,
                             struct tr_table_row *row, struct tr_err *err)
{
    tr_str key = tr_json_text(&member->key);
    tr_str near = {"", 0};
    struct tr_table_cell cell = {.value = member->value};
    cell.place = find_key(text, row->place, key);
    if (!tr_table_name(in, key, &cell.name, &near))
        return near.len
                   ? tr_table_tell(in->table, in->file, row, cell.place,
                                   "%.*s has no field '%.*s': did you mean "
                                   "'%.*s'?",
                                   TR_FMT(in->file->type->name), TR_FMT(key),
                                   TR_FMT(near))
                   : tr_table_tell(in->table, in->file, row, cell.place,
                                   "%.*s has no field '%.*s'",
                                   TR_FMT(in->file->type->name), TR_FMT(key));
    if (cell.name.len && !tr_vec_push(&in->table->arena, &row->cells, cell))
        return tr_fail(err, TR_E_NOMEM, "no memory for a row");
    return TR_OK;
}

/* The place in the object of an error is that in the file. */
static tr_place add_places(tr_place start, tr_place inside)
{
    return (tr_place){
        start.offset + inside.offset, start.line + inside.line - 1,
        inside.line > 1 ? inside.column : start.column + inside.column - 1};
}

static tr_status take_object(struct tr_table_input *in, tr_str text,
                             struct tr_table_row *row, struct tr_err *err)
{
    const struct tr_json *object = NULL;
    struct tr_err why = {0};
    tr_status status =
        tr_json_read(&in->table->arena, text, NULL, &object, &why);
    if (status == TR_E_NOMEM) {
        if (err)
            *err = why;
        return status;
    }
    if (status != TR_OK)
        return tr_table_tell(in->table, in->file, row,
                             add_places(row->place, why.place), "%s", why.msg);
    for (size_t i = 0; i < object->len; i++)
        TR_TRY(take_member(in, text, &object->as.members[i], row, err));
    return TR_OK;
}

static tr_status skip_line(struct tr_table_input *in, struct tr_err *err)
{
    int c = 0;
    while (c != '\n') {
        TR_TRY(peek(in, 0, &c, err));
        if (c == END)
            return TR_OK;
        step(in);
    }
    return TR_OK;
}

static tr_status find_object(struct tr_table_input *in,
                             struct tr_table_row *row, size_t *len, bool *more,
                             struct tr_err *err)
{
    int c;
    TR_TRY(find_next(in, &c, err));
    *more = c != END;
    row->place = in->at_place;
    return *more ? measure(in, len, err) : TR_OK;
}

tr_status tr_table_json_next(struct tr_table_input *in,
                             struct tr_table_row *row, bool *more,
                             struct tr_err *err)
{
    size_t len = 0;
    struct tr_err why = {0};
    tr_status status = find_object(in, row, &len, more, &why);
    if (status == TR_E_SYNTAX && in->file->format == TR_TABLE_NDJSON) {
        *more = true; /* the next line may be better */
        TR_TRY(skip_line(in, err));
        return tr_table_tell(in->table, in->file, row, why.place, "%s",
                             why.msg);
    }
    if (status != TR_OK && err)
        *err = why;
    if (status != TR_OK || !*more)
        return status;
    tr_str text = {in->in.ptr + in->at, len};
    TR_TRY(take_object(in, text, row, err));
    for (size_t i = 0; i < len; i++)
        step(in);
    in->seen++;
    return TR_OK;
}
