/*
 * Objects of a JSON array or of NDJSON, one at a time: only one of them is in
 * memory. Where one ends is told by its brackets and quotes; what is between
 * them is for the JSON reader to judge.
 */
#include "json/reader.h"
#include "table/inside.h"

enum { CHUNK = 65536, END = -1 };

/* What was used is given back before more is read. */
static void give_back(struct tr_table_input *in)
{
    in->in.len -= in->at;
    if (in->at)
        memmove(in->in.ptr, in->in.ptr + in->at, in->in.len);
    in->at = 0;
}

static tr_status peek(struct tr_table_input *in, size_t ahead, int *out,
                      struct tr_err *err)
{
    while (in->at + ahead >= in->in.len && !in->is_ended) {
        size_t got = 0;
        give_back(in);
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

static tr_status skip_space(struct tr_table_input *in, int *c,
                            struct tr_err *err)
{
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

static tr_status skip_mark(struct tr_table_input *in, struct tr_err *err)
{
    static const char mark[] = "\xEF\xBB\xBF";
    for (size_t i = 0; i < sizeof(mark) - 1; i++) {
        int c = END;
        TR_TRY(peek(in, i, &c, err));
        if (c != (unsigned char)mark[i])
            return TR_OK;
    }
    in->at += sizeof(mark) - 1;
    in->at_place.offset += sizeof(mark) - 1;
    return TR_OK;
}

/* Goes to the first byte of the next object; *c is END behind the last. */
static tr_status find_next(struct tr_table_input *in, int *c,
                           struct tr_err *err)
{
    bool is_array = in->file->format == TR_TABLE_JSON;
    if (in->at_place.offset == 0)
        TR_TRY(skip_mark(in, err));
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
            if (*c == ']')
                return refuse(in, err, "expected an object");
        } else if (*c != ']' && *c != END) {
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

/* How many bytes the object has that begins here. No line of NDJSON ends inside
 * of an object, nor in a text: JSON has \\n for that. */
static tr_status measure(struct tr_table_input *in, size_t *len,
                         struct tr_err *err)
{
    bool is_line = in->file->format == TR_TABLE_NDJSON;
    size_t depth = 0;
    bool is_text = false;
    bool is_escaped = false;
    for (*len = 0;;) {
        int c = END;
        TR_TRY(peek(in, *len, &c, err));
        if (c == END)
            return refuse(in, err, "the object is never closed");
        if (is_line && c == '\n')
            return refuse(in, err, "the object does not end on its line");
        ++*len;
        if (is_escaped || (is_text && c == '\\'))
            is_escaped = !is_escaped;
        else if (c == '"')
            is_text = !is_text;
        else if (!is_text && (c == '{' || c == '['))
            depth++;
        else if (!is_text && (c == '}' || c == ']') && --depth == 0)
            return TR_OK;
    }
}

/* The keys of an object that is well formed, one after the other. */
struct keys {
    tr_str text;
    size_t at;
    tr_place place;
    size_t depth;
};

static char advance(struct keys *keys)
{
    char c = keys->text.ptr[keys->at++];
    move_place(&keys->place, (unsigned char)c);
    return c;
}

static void pass_text(struct keys *keys)
{
    char c;
    do {
        c = advance(keys);
        if (c == '\\')
            (void)advance(keys);
    } while (c != '"');
}

/* Where the next one stands: at the first level, behind a brace or comma. */
static tr_place next_key(struct keys *keys)
{
    bool is_key = false;
    for (;;) {
        tr_place place = keys->place;
        char c = advance(keys);
        if (c == '{' || c == '[')
            keys->depth++;
        else if (c == '}' || c == ']')
            keys->depth--;
        else if (c == '"')
            pass_text(keys);
        if (c == '"' && is_key)
            return place;
        if (c == '{' || c == ',')
            is_key = keys->depth == 1;
    }
}

static tr_status take_member(struct tr_table_input *in, tr_place place,
                             const struct tr_json_member *member,
                             struct tr_table_row *row, struct tr_err *err)
{
    tr_str key = tr_json_text(&member->key);
    tr_str near = {"", 0};
    struct tr_table_cell cell = {.value = member->value, .place = place};
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
    struct keys keys = {.text = text, .place = row->place};
    for (size_t i = 0; i < object->len; i++)
        TR_TRY(
            take_member(in, next_key(&keys), &object->as.members[i], row, err));
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
        row->place = why.place;
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
