/*
 * Any bytes as JSON: a tree that survives writing and reading, or an error
 * with a place. Bytes in front of a NUL are also tried as JSON Pointers into
 * the document behind it.
 */
#include "base/limits.h"
#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_value(const struct tr_json *value, unsigned depth);

static void check_members(const struct tr_json *object, unsigned depth)
{
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        tr_str key = tr_json_text(&member->key);
        must(member->key.kind == TR_JSON_STRING && tr_utf8_is_valid(key));
        must(tr_json_find(object, key) == &member->value);
        check_value(&member->value, depth);
    }
}

static void check_value(const struct tr_json *value, unsigned depth)
{
    int64_t integer = 0;
    double number = 0;
    must(depth <= TR_LIMIT_NESTING);
    must(value->kind <= TR_JSON_OBJECT);
    if (value->kind == TR_JSON_OBJECT)
        check_members(value, depth + 1);
    for (size_t i = 0; value->kind == TR_JSON_ARRAY && i < value->len; i++)
        check_value(&value->as.items[i], depth + 1);
    if (value->kind == TR_JSON_STRING)
        must(tr_utf8_is_valid(tr_json_text(value)));
    if (tr_json_i64(value, &integer))
        must(tr_json_double(value, &number) && number == (double)integer);
}

enum form { COMPACT, PRETTY, CANONICAL };

static void write_to(struct tr_buf *buf, const struct tr_json *value,
                     enum form form)
{
    struct tr_json_writer w;
    tr_buf_init(buf, TR_MIB(64));
    if (form == PRETTY)
        tr_jw_init_pretty(&w, buf);
    else
        tr_jw_init(&w, buf);
    if (form == CANONICAL)
        tr_jw_canonical(&w, value);
    else
        tr_jw_value(&w, value);
    must(tr_jw_finish(&w, NULL) == TR_OK);
}

/* Written, read and written again it must be the same text. */
static void check_stable(const struct tr_json *value, enum form form)
{
    struct tr_arena arena;
    struct tr_buf first;
    struct tr_buf second;
    const struct tr_json *back = NULL;
    tr_arena_init(&arena, TR_MIB(64));
    write_to(&first, value, form);
    must(tr_json_read(&arena, tr_buf_str(&first), NULL, &back, NULL) == TR_OK);
    write_to(&second, back, form);
    must(tr_str_eq(tr_buf_str(&first), tr_buf_str(&second)));
    tr_buf_done(&first);
    tr_buf_done(&second);
    tr_arena_done(&arena);
}

/* Every start of `text`, up to a few. What is found is in the tree. */
static void check_pointers(const struct tr_json *root, tr_str text)
{
    const char *nul = text.len ? memchr(text.ptr, '\0', text.len) : NULL;
    size_t max = nul ? (size_t)(nul - text.ptr) : text.len;
    must(tr_json_pointer(root, (tr_str){text.ptr, 0}) == root);
    for (size_t len = 1; len <= max && len < 64; len++) {
        const struct tr_json *found =
            tr_json_pointer(root, (tr_str){text.ptr, len});
        must(!found || text.ptr[0] == '/');
        must(!found || found->kind <= TR_JSON_OBJECT);
    }
}

static void check_error(tr_status status, const struct tr_err *err, size_t size)
{
    must(status == err->code);
    must(err->msg[0] && tr_utf8_is_valid(tr_str_from(err->msg)));
    if (status == TR_E_NOMEM)
        return;
    must(status == TR_E_SYNTAX || status == TR_E_LIMIT);
    must(err->place.line > 0 && err->place.column > 0);
    must(err->place.offset <= size);
}

/* With "<pointer>\0<document>", the part behind the NUL is the document. */
static void check_text(tr_str text, tr_str pointer)
{
    struct tr_arena arena;
    const struct tr_json *root = NULL;
    struct tr_err err = {0};
    tr_arena_init(&arena, TR_MIB(16));
    tr_status status = tr_json_read(&arena, text, NULL, &root, &err);
    if (status == TR_OK) {
        check_value(root, 0);
        check_stable(root, COMPACT);
        check_stable(root, PRETTY);
        check_stable(root, CANONICAL);
        check_pointers(root, pointer);
    } else {
        check_error(status, &err, text.len);
    }
    tr_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str text = {(const char *)data, size};
    tr_str pointer;
    tr_str document;
    check_text(text, text);
    if (tr_str_cut(text, '\0', &pointer, &document))
        check_text(document, pointer);
    return 0;
}
