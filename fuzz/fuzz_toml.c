/*
 * Any bytes as TOML: a tree that keeps its promises, or an error with a place.
 */
#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"
#include "json/reader.h"
#include "toml/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_number(const struct tr_json *value)
{
    int64_t integer = 0;
    if (value->flags & TR_JSON_INTEGER)
        must(tr_str_to_i64(tr_json_text(value), &integer));

    /* The JSON reader knows what a number of RFC 8259 is. */
    struct tr_arena arena;
    const struct tr_json *number = NULL;
    tr_arena_init(&arena, TR_KIB(4));
    must(tr_json_read(&arena, tr_json_text(value), NULL, &number, NULL) ==
         TR_OK);
    must(number->kind == TR_JSON_NUMBER && number->flags == value->flags);
    tr_arena_done(&arena);
}

static void check_inf(tr_str text)
{
    must(tr_str_eq(text, TR_STR("inf")) || tr_str_eq(text, TR_STR("-inf")));
}

static void check_time(enum tr_json_kind kind, tr_str text)
{
    tr_date date;
    tr_clock clock;
    int offset_min = 0;

    if (kind != TR_JSON_LOCAL_TIME)
        must(tr_date_scan(&text, &date));
    if (kind == TR_JSON_LOCAL_DATETIME || kind == TR_JSON_DATETIME) {
        must(text.len && text.ptr[0] == 'T');
        text = tr_str_skip(text, 1);
    }
    if (kind != TR_JSON_LOCAL_DATE)
        must(tr_clock_scan(&text, &clock));
    if (kind == TR_JSON_DATETIME)
        must(tr_offset_scan(&text, &offset_min));
    must(text.len == 0);
}

static void check_value(const struct tr_json *value, unsigned depth);

static void check_members(const struct tr_json *object, unsigned depth)
{
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        must(member->key.kind == TR_JSON_STRING);
        must(tr_utf8_is_valid(tr_json_text(&member->key)));
        must(tr_json_find(object, tr_json_text(&member->key)) ==
             &member->value);
        check_value(&member->value, depth);
    }
}

static void check_value(const struct tr_json *value, unsigned depth)
{
    switch ((enum tr_json_kind)value->kind) {
    case TR_JSON_OBJECT:
        must(depth < TR_LIMIT_NESTING);
        check_members(value, depth + 1);
        break;
    case TR_JSON_ARRAY:
        must(depth < TR_LIMIT_NESTING);
        for (size_t i = 0; i < value->len; i++)
            check_value(&value->as.items[i], depth + 1);
        break;
    case TR_JSON_STRING:
        must(tr_utf8_is_valid(tr_json_text(value)));
        break;
    case TR_JSON_NUMBER:
        check_number(value);
        break;
    case TR_JSON_INF:
        check_inf(tr_json_text(value));
        break;
    case TR_JSON_DATETIME:
    case TR_JSON_LOCAL_DATETIME:
    case TR_JSON_LOCAL_DATE:
    case TR_JSON_LOCAL_TIME:
        check_time(value->kind, tr_json_text(value));
        break;
    case TR_JSON_BOOL:
    case TR_JSON_NAN:
        break;
    case TR_JSON_NULL:
        abort(); /* TOML has none */
    }
}

static void check_error(tr_status status, const struct tr_err *err, size_t size)
{
    must(status == err->code);
    must(tr_utf8_is_valid(tr_str_from(err->msg)));
    if (status == TR_E_NOMEM)
        return;
    must(status == TR_E_SYNTAX || status == TR_E_LIMIT);
    must(err->place.line > 0 && err->place.column > 0);
    must(err->place.offset <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tr_arena arena;
    const struct tr_json *tree = NULL;
    struct tr_err err = {0};

    tr_arena_init(&arena, TR_MIB(4));
    tr_status status =
        tr_toml_read(&arena, (tr_str){(const char *)data, size}, &tree, &err);
    if (status == TR_OK) {
        must(tree->kind == TR_JSON_OBJECT);
        check_value(tree, 0);
    } else {
        check_error(status, &err, size);
    }
    tr_arena_done(&arena);
    return 0;
}
