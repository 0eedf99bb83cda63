#include "fields/pattern.h"

#include "base/limits.h"
#include "fields/pattern_names.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Options of all patterns: the dialect of JSON Schema (ECMA-262) as near as
 * PCRE2 comes to it. */
#define DIALECT                                                                \
    (PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS |         \
     PCRE2_MATCH_UNSET_BACKREF | PCRE2_NEVER_BACKSLASH_C)

struct tr_field_pattern {
    struct tr_field_pattern *older;
    pcre2_code *code;
    pcre2_match_context *limits; /* for subjects of ordinary length */
    bool starved;                /* an allocation of PCRE2's failed */
};

static void *take_memory(PCRE2_SIZE size, void *data)
{
    struct tr_field_pattern *pattern = data;
    void *memory = calloc(1, size);
    if (!memory)
        pattern->starved = true;
    return memory;
}

static void give_memory(void *memory, void *unused)
{
    (void)unused;
    free(memory);
}

static void *take_from_arena(PCRE2_SIZE size, void *arena)
{
    return tr_arena_alloc(arena, size);
}

static void leave_in_arena(void *memory, void *arena)
{
    (void)memory;
    (void)arena;
}

/*
 * PCRE2 counts its work from zero again at each byte where a match could start,
 * so in a long subject each start gets less.
 */
static uint32_t match_limit(size_t subject_len)
{
    size_t share = subject_len ? TR_LIMIT_PATTERN_WORK / subject_len : 0;
    if (subject_len <= TR_LIMIT_PATTERN_WORK / TR_LIMIT_PATTERN_MATCH)
        return TR_LIMIT_PATTERN_MATCH;
    return share < 1000 ? 1000 : (uint32_t)share;
}

static pcre2_match_context *make_limits(pcre2_general_context *general,
                                        uint32_t limit)
{
    pcre2_match_context *context = pcre2_match_context_create(general);
    if (context) {
        (void)pcre2_set_match_limit(context, limit);
        (void)pcre2_set_heap_limit(context, TR_LIMIT_PATTERN_HEAP / 1024);
    }
    return context;
}

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory to compile a pattern");
}

static tr_status fail_compile(int code, size_t offset, struct tr_err *err)
{
    PCRE2_UCHAR text[160] = "";
    if (code == PCRE2_ERROR_HEAP_FAILED)
        return fail_memory(err);
    (void)pcre2_get_error_message(code, text, sizeof(text));
    return tr_fail(
        err, code == PCRE2_ERROR_PATTERN_TOO_LARGE ? TR_E_LIMIT : TR_E_INVALID,
        "the pattern does not compile: %s at byte %zu", (const char *)text,
        offset);
}

static tr_status compile_code(struct tr_field_pattern *pattern, tr_str source,
                              unsigned flags, pcre2_general_context *general,
                              struct tr_err *err)
{
    uint32_t options = DIALECT;
    options |= flags & TR_FIELD_PATTERN_BYTES ? 0 : PCRE2_UTF;
    options |= flags & TR_FIELD_PATTERN_CASELESS ? PCRE2_CASELESS : 0;
    int code = 0;
    size_t offset = 0;

    pcre2_compile_context *context = pcre2_compile_context_create(general);
    if (!context)
        return fail_memory(err);
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    (void)pcre2_set_compile_extra_options(context, PCRE2_EXTRA_ALT_BSUX);
    pattern->code = pcre2_compile((PCRE2_SPTR)(source.ptr ? source.ptr : ""),
                                  source.len, options, &code, &offset, context);
    pcre2_compile_context_free(context);
    if (!pattern->code)
        return fail_compile(code, offset, err);

    /* Without the JIT, or where the system forbids it, matching is slower. */
    (void)pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
    return pattern->starved ? fail_memory(err) : TR_OK;
}

static void free_pattern(struct tr_field_pattern *pattern)
{
    pcre2_match_context_free(pattern->limits);
    pcre2_code_free(pattern->code);
    free(pattern);
}

static tr_status fill_pattern(struct tr_field_pattern *pattern, tr_str source,
                              unsigned flags, struct tr_err *err)
{
    struct tr_buf text;
    tr_buf_init(&text, TR_LIMIT_PATTERN_BYTES);
    tr_field_pattern_put_names(&text, source);
    tr_status st = tr_buf_check(&text, err);
    pcre2_general_context *general =
        pcre2_general_context_create(take_memory, give_memory, pattern);
    if (general)
        pattern->limits = make_limits(general, TR_LIMIT_PATTERN_MATCH);
    if (st == TR_OK && pattern->limits)
        st = compile_code(pattern, tr_buf_str(&text), flags, general, err);
    else if (st == TR_OK)
        st = fail_memory(err);
    pcre2_general_context_free(general);
    tr_buf_done(&text);
    return st;
}

tr_status tr_field_pattern_compile(struct tr_field_patterns *set, tr_str source,
                                   unsigned flags,
                                   const struct tr_field_pattern **out,
                                   struct tr_err *err)
{
    if (source.len > TR_LIMIT_PATTERN_BYTES)
        return tr_fail(err, TR_E_LIMIT, "a pattern has at most %zu bytes",
                       TR_LIMIT_PATTERN_BYTES);
    struct tr_field_pattern *pattern = calloc(1, sizeof(*pattern));
    if (!pattern)
        return fail_memory(err);
    tr_status st = fill_pattern(pattern, source, flags, err);
    if (st != TR_OK) {
        free_pattern(pattern);
        return st;
    }
    pattern->older = set->newest;
    set->newest = pattern;
    *out = pattern;
    return TR_OK;
}

void tr_field_patterns_done(struct tr_field_patterns *set)
{
    while (set->newest) {
        struct tr_field_pattern *older = set->newest->older;
        free_pattern(set->newest);
        set->newest = older;
    }
}

static tr_status fail_match(int code, struct tr_err *err)
{
    switch (code) {
    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_JIT_STACKLIMIT:
    case PCRE2_ERROR_RECURSELOOP:
        return tr_fail(err, TR_E_LIMIT, "the pattern needs too much work");
    case PCRE2_ERROR_NOMEMORY:
        return tr_fail(err, TR_E_NOMEM, "no memory to match a pattern");
    default:
        return tr_fail(err, TR_E_INVALID, "the text is not UTF-8");
    }
}

static void take_groups(pcre2_match_data *data, int groups,
                        struct tr_field_pattern_hit *out)
{
    const size_t *ends = pcre2_get_ovector_pointer(data);
    uint32_t count = groups ? (uint32_t)groups : pcre2_get_ovector_count(data);
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        out->at[i].from = ends[2 * i] == PCRE2_UNSET ? 1 : ends[2 * i];
        out->at[i].to = ends[2 * i] == PCRE2_UNSET ? 0 : ends[2 * i + 1];
    }
}

tr_status tr_field_pattern_find(const struct tr_field_pattern *pattern,
                                tr_str subject, size_t from,
                                struct tr_arena *arena,
                                struct tr_field_pattern_hit *out,
                                struct tr_err *err)
{
    if (subject.len > TR_LIMIT_PATTERN_SUBJECT)
        return tr_fail(err, TR_E_LIMIT,
                       "patterns look at texts of at most %zu bytes",
                       TR_LIMIT_PATTERN_SUBJECT);
    pcre2_general_context *general =
        pcre2_general_context_create(take_from_arena, leave_in_arena, arena);
    pcre2_match_context *limits = pattern->limits;
    uint32_t limit = match_limit(subject.len);
    if (general && limit < TR_LIMIT_PATTERN_MATCH)
        limits = make_limits(general, limit);
    pcre2_match_data *data =
        general ? pcre2_match_data_create(TR_FIELD_PATTERN_GROUPS, general)
                : NULL;
    if (!data || !limits)
        return tr_fail(err, TR_E_NOMEM, "no memory to match a pattern");

    int found =
        pcre2_match(pattern->code, (PCRE2_SPTR)(subject.ptr ? subject.ptr : ""),
                    subject.len, from, 0, data, limits);
    out->count = 0;
    if (found == PCRE2_ERROR_NOMATCH)
        return TR_OK;
    if (found < 0)
        return fail_match(found, err);
    take_groups(data, found, out);
    return TR_OK;
}

tr_status tr_field_pattern_match(const struct tr_field_pattern *pattern,
                                 tr_str subject, struct tr_arena *arena,
                                 bool *out, struct tr_err *err)
{
    struct tr_field_pattern_hit hit;
    hit.count = 0;
    TR_TRY(tr_field_pattern_find(pattern, subject, 0, arena, &hit, err));
    *out = hit.count > 0;
    return TR_OK;
}
