#include "json/reader.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/scan.h"
#include "json/build.h"
#include "json/string.h"

/*
 * Values are collected on a stack of slots. When an array or object closes,
 * its children are the slots above its start: they move to the arena in one
 * piece and the finished container takes their place. An object's children
 * are keys and values in turn, which is what a member is.
 */
#define FIRST_SLOTS 128
#define WINDOW      64

_Static_assert(sizeof(struct tr_json_member) == 2 * sizeof(struct tr_json),
               "a member is a key slot and a value slot");

struct reader {
    const char *end;
    const char *window; /* the bytes that `marks` is about begin here */
    size_t window_len;
    uint64_t marks;      /* special or not ASCII */
    struct tr_json *top; /* the first free slot */
    struct tr_json *slots_end;
    struct tr_json *slots;
    size_t nodes; /* in containers that are closed */
    unsigned depth;
    tr_status failed;
    tr_str text;
    struct tr_json_opts limits;
    struct tr_arena *arena;
    struct tr_err *err;
};

/*
 * Each of these reads what begins at `at`, and returns where the rest begins;
 * or NULL after a failure, which is then in `failed` and `err`.
 */
static const char *read_array(struct reader *r, const char *at);
static const char *read_object(struct reader *r, const char *at);

static const char *fail_at(struct reader *r, const char *at,
                           const char *message)
{
    r->failed = tr_fail_in(r->err, TR_E_SYNTAX, r->text,
                           (size_t)(at - r->text.ptr), "%s", message);
    return NULL;
}

static const char *fail_limit(struct reader *r, const char *at,
                              const char *what, size_t limit)
{
    r->failed =
        tr_fail_in(r->err, TR_E_LIMIT, r->text, (size_t)(at - r->text.ptr),
                   "more than %zu %s", limit, what);
    return NULL;
}

static const char *fail_memory(struct reader *r)
{
    r->failed = tr_fail(r->err, TR_E_NOMEM, "no memory for a JSON document");
    return NULL;
}

/* The old slots stay behind in the arena: together less than the new ones. */
static const char *add_slots(struct reader *r, const char *at)
{
    size_t used = (size_t)(r->top - r->slots);
    if (used > r->limits.max_nodes)
        return fail_limit(r, at, "values", r->limits.max_nodes);
    struct tr_json *wider = tr_arena_alloc(r->arena, 2 * used * sizeof(*wider));
    if (!wider)
        return fail_memory(r);
    memcpy(wider, r->slots, used * sizeof(*wider));
    r->slots = wider;
    r->top = wider + used;
    r->slots_end = wider + 2 * used;
    return at;
}

static inline bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline const char *skip_space(const struct reader *r, const char *at)
{
    while (at < r->end && is_space(*at))
        at++;
    return at;
}

static inline bool is_at(const struct reader *r, const char *at, char c)
{
    return at < r->end && *at == c;
}

/* Skips to the next byte that is no space; quick when `likely` is at `at`. */
static inline const char *skip_to(const struct reader *r, const char *at,
                                  char likely)
{
    return is_at(r, at, likely) ? at : skip_space(r, at);
}

static inline const char *skip_digits(const struct reader *r, const char *at)
{
    while (at < r->end && (unsigned char)(*at - '0') < 10)
        at++;
    return at;
}

/* RFC 8259, section 6: no leading zeros, no plus, digits around the point. */
static const char *read_number(struct reader *r, const char *start)
{
    const char *digits = start + (*start == '-');
    const char *at = skip_digits(r, digits);
    uint8_t flags = TR_JSON_INTEGER;

    if (at == digits)
        return fail_at(r, at, "expected a digit");
    if (*digits == '0' && at - digits > 1)
        return fail_at(r, digits, "a number may not start with 0");
    if (is_at(r, at, '.')) {
        digits = at + 1;
        at = skip_digits(r, digits);
        if (at == digits)
            return fail_at(r, at, "expected a digit after the point");
        flags = 0;
    }
    if (is_at(r, at, 'e') || is_at(r, at, 'E')) {
        digits = at + 1;
        if (is_at(r, digits, '+') || is_at(r, digits, '-'))
            digits++;
        at = skip_digits(r, digits);
        if (at == digits)
            return fail_at(r, at, "expected a digit in the exponent");
        flags = 0;
    }
    struct tr_json *slot = r->top++;
    *slot = tr_json_make_text(TR_JSON_NUMBER,
                              (tr_str){start, (size_t)(at - start)});
    slot->flags = flags;
    return at;
}

static const char *read_word(struct reader *r, const char *at, tr_str word,
                             struct tr_json value)
{
    if (!tr_str_starts((tr_str){at, (size_t)(r->end - at)}, word))
        return fail_at(r, at, "expected a value");
    *r->top++ = value;
    return at + word.len;
}

/*
 * For strings with escapes, with more than ASCII, or with a fault. `start` is
 * behind the quote.
 */
static const char *read_hard_string(struct reader *r, const char *start)
{
    struct tr_json_string_source source = {r->text, start, r->end};
    tr_str value = {NULL, 0};
    r->failed = tr_json_string_read(r->arena, &source, &value, r->err);
    if (r->failed)
        return NULL;
    *r->top++ = tr_json_make_text(TR_JSON_STRING, value);
    return source.at;
}

/* Nothing past the end of the text is read, and no mark is set for it. */
static inline void load_window(struct reader *r, const char *at)
{
    size_t left = (size_t)(r->end - at);
    r->window = at;
    r->window_len = left < WINDOW ? left : WINDOW;
    if (left >= WINDOW) {
        r->marks = tr_scan_64(at);
    } else if (r->text.len >= WINDOW) {
        r->marks = tr_scan_64(r->end - WINDOW) >> (WINDOW - left);
    } else {
        char padded[WINDOW];
        memset(padded, ' ', sizeof(padded));
        memcpy(padded, at, left);
        r->marks = tr_scan_64(padded);
    }
}

TR_NOINLINE
static const char *find_special_beyond(struct reader *r, const char *at)
{
    while (at < r->end) {
        load_window(r, at);
        if (r->marks)
            return at + __builtin_ctzll(r->marks);
        at += r->window_len;
    }
    return at;
}

/*
 * The first byte that is special or not ASCII, or the end. Strings are short:
 * looking at 64 bytes together and then only at the marks takes the wait for
 * one string's end out of the way of the next one's start.
 */
static inline const char *find_special(struct reader *r, const char *at)
{
    size_t offset = (size_t)(at - r->window);
    if (offset >= r->window_len)
        return find_special_beyond(r, at);
    uint64_t marks = r->marks >> offset;
    if (marks == 0)
        return find_special_beyond(r, r->window + r->window_len);
    return at + __builtin_ctzll(marks);
}

/* `at` stands on the opening quote. */
static inline const char *read_string(struct reader *r, const char *at)
{
    const char *start = at + 1;
    const char *stop = find_special(r, start);
    if (!is_at(r, stop, '"'))
        return read_hard_string(r, start);
    *r->top++ = tr_json_make_text(TR_JSON_STRING,
                                  (tr_str){start, (size_t)(stop - start)});
    return stop + 1;
}

static const char *read_word_value(struct reader *r, const char *at)
{
    switch (*at) {
    case 't':
        return read_word(r, at, TR_STR("true"), tr_json_make_bool(true));
    case 'f':
        return read_word(r, at, TR_STR("false"), tr_json_make_bool(false));
    case 'n':
        return read_word(r, at, TR_STR("null"),
                         (struct tr_json){.kind = TR_JSON_NULL});
    default:
        return fail_at(r, at, "expected a value");
    }
}

/* The most frequent kinds are asked for first. */
static inline const char *read_value(struct reader *r, const char *at)
{
    if (at == r->end)
        return fail_at(r, at, "expected a value, but the text ends");
    if (r->top == r->slots_end && !add_slots(r, at))
        return NULL;
    if (*at == '"')
        return read_string(r, at);
    if (*at == '-' || tr_ascii_is_digit(*at))
        return read_number(r, at);
    if (*at == '{')
        return read_object(r, at);
    if (*at == '[')
        return read_array(r, at);
    return read_word_value(r, at);
}

static const char *enter(struct reader *r, const char *at)
{
    if (r->depth == r->limits.max_depth)
        return fail_limit(r, at, "levels of nesting", r->limits.max_depth);
    r->depth++;
    return skip_to(r, at + 1, '"');
}

/* Replaces the children, which begin at `base`, by their container. */
static inline const char *leave(struct reader *r, const char *at,
                                struct tr_json *base, struct tr_json container)
{
    r->depth--;
    r->nodes += (size_t)(r->top - base);
    if (r->nodes > r->limits.max_nodes)
        return fail_limit(r, at, "values", r->limits.max_nodes);
    *base = container;
    r->top = base + 1;
    return at + 1;
}

/*
 * Reads what stands between the brackets, up to the closing one. Inlined into
 * both callers with their own `read_one`: no call by a pointer for each value.
 */
static inline const char *
read_list(struct reader *r, const char *at, char close,
          const char *(*read_one)(struct reader *r, const char *at))
{
    at = enter(r, at);
    if (!at || is_at(r, at, close))
        return at;
    for (;;) {
        at = read_one(r, at);
        if (!at)
            return NULL;
        at = skip_to(r, at, ',');
        if (!is_at(r, at, ','))
            break;
        at = skip_to(r, at + 1, '"');
    }
    if (is_at(r, at, close))
        return at;
    return fail_at(r, at,
                   close == ']' ? "expected ',' or ']' in an array"
                                : "expected ',' or '}' in an object");
}

TR_NOINLINE
static const char *read_array(struct reader *r, const char *at)
{
    size_t base = (size_t)(r->top - r->slots);
    at = read_list(r, at, ']', read_value);
    if (!at)
        return NULL;

    struct tr_json array;
    struct tr_json *items = r->slots + base;
    if (!tr_json_make_array(r->arena, items, (size_t)(r->top - items), &array))
        return fail_memory(r);
    return leave(r, at, items, array);
}

static inline const char *read_member(struct reader *r, const char *at)
{
    if (!is_at(r, at, '"'))
        return fail_at(r, at, "expected a key in double quotes");
    if (r->top == r->slots_end && !add_slots(r, at))
        return NULL;
    at = read_string(r, at);
    if (!at)
        return NULL;
    at = skip_to(r, at, ':');
    if (!is_at(r, at, ':'))
        return fail_at(r, at, "expected ':' after the key");
    return read_value(r, skip_to(r, at + 1, '"'));
}

TR_NOINLINE
static const char *read_object(struct reader *r, const char *at)
{
    size_t base = (size_t)(r->top - r->slots);
    at = read_list(r, at, '}', read_member);
    if (!at)
        return NULL;

    struct tr_json object;
    struct tr_json *pairs = r->slots + base;
    if (!tr_json_make_object(r->arena, (struct tr_json_member *)(void *)pairs,
                             (size_t)(r->top - pairs) / 2, &object))
        return fail_memory(r);
    return leave(r, at, pairs, object);
}

static const char *read_document(struct reader *r)
{
    if (tr_str_starts(r->text, TR_STR("\xEF\xBB\xBF")))
        return fail_at(r, r->text.ptr, "a byte order mark is not allowed");
    const char *at = read_value(r, skip_space(r, r->text.ptr));
    if (!at)
        return NULL;
    at = skip_space(r, at);
    return at < r->end ? fail_at(r, at, "unexpected text after the value") : at;
}

static struct tr_json_opts with_defaults(const struct tr_json_opts *opts)
{
    struct tr_json_opts o = opts ? *opts : (struct tr_json_opts){0};
    if (o.max_bytes == 0)
        o.max_bytes = TR_LIMIT_JSON_BYTES;
    if (o.max_nodes == 0)
        o.max_nodes = TR_LIMIT_JSON_NODES;
    if (o.max_depth == 0)
        o.max_depth = TR_LIMIT_NESTING;
    return o;
}

tr_status tr_json_read(struct tr_arena *arena, tr_str text,
                       const struct tr_json_opts *opts,
                       const struct tr_json **out, struct tr_err *err)
{
    struct tr_json_opts limits = with_defaults(opts);
    struct tr_json first_slots[FIRST_SLOTS];
    if (text.len == 0)
        text = TR_STR("");
    struct reader r = {
        .end = text.ptr + text.len,
        .window = text.ptr,
        .text = text,
        .top = first_slots,
        .slots_end = first_slots + FIRST_SLOTS,
        .slots = first_slots,
        .limits = limits,
        .arena = arena,
        .err = err,
    };

    if (text.len > limits.max_bytes || text.len > UINT32_MAX)
        return tr_fail(err, TR_E_LIMIT, "more than %zu bytes of JSON",
                       limits.max_bytes);
    if (!read_document(&r))
        return r.failed;
    struct tr_json *root = tr_arena_alloc(arena, sizeof(*root));
    if (!root)
        return tr_fail(err, TR_E_NOMEM, "no memory for a JSON document");
    *root = r.slots[0];
    *out = root;
    return TR_OK;
}
