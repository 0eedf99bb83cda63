#include "query/search_text.h"

/* The usual constants of BM25, and a text of usual length: a title and a few
 * sentences. */
#define K1          1.2
#define B           0.75
#define USUAL_WORDS 20.0

struct reading {
    struct tr_arena *arena;
    struct tr_query_search_words *words;
    size_t first; /* of the part that is read */
    tr_status status;
};

static bool take_wanted(void *context, tr_str word)
{
    struct reading *r = context;
    struct tr_query_search_words *words = r->words;
    struct tr_query_search_word item = {.follows = words->count > r->first};
    if (words->count == TR_LIMIT_SEARCH_WORDS)
        r->status = TR_E_INVALID;
    else if (!tr_arena_copy(r->arena, word, &item.text))
        r->status = TR_E_NOMEM;
    else
        words->items[words->count++] = item;
    return r->status == TR_OK;
}

static tr_status read_part(struct tr_db *db, tr_str part, struct reading *r,
                           struct tr_err *err)
{
    struct tr_db_word_sink sink = {take_wanted, r};
    r->first = r->words->count;
    TR_TRY(tr_db_each_word(db, part, &sink, err));
    if (r->status == TR_E_INVALID)
        return tr_fail(err, TR_E_INVALID, "a search has at most %d words",
                       TR_LIMIT_SEARCH_WORDS);
    return r->status == TR_OK ? TR_OK
                              : tr_fail(err, r->status, "no memory for words");
}

static bool is_space(char c)
{
    return (unsigned char)c <= ' ';
}

static size_t skip(tr_str text, size_t at, bool space)
{
    while (at < text.len && is_space(text.ptr[at]) == space)
        at++;
    return at;
}

tr_status tr_query_search_words_read(struct tr_db *db, tr_str text,
                                     struct tr_arena *arena,
                                     struct tr_query_search_words *out,
                                     struct tr_err *err)
{
    struct reading r = {.arena = arena, .words = out};
    out->count = 0;
    if (text.len > TR_LIMIT_SEARCH_BYTES)
        return tr_fail(err, TR_E_INVALID, "a search has at most %zu bytes",
                       TR_LIMIT_SEARCH_BYTES);
    for (size_t at = skip(text, 0, true); at < text.len;) {
        size_t end = skip(text, at, false);
        TR_TRY(read_part(db, (tr_str){text.ptr + at, end - at}, &r, err));
        at = skip(text, end, true);
    }
    if (out->count > r.first)
        out->items[out->count - 1].is_prefix = true;
    return TR_OK;
}

struct scoring {
    const struct tr_query_search_words *words;
    /* For each word: it, and those that it follows, stand at the end of what
     * was seen so far; how often that has been so. */
    bool is_here[TR_LIMIT_SEARCH_WORDS];
    size_t times[TR_LIMIT_SEARCH_WORDS];
    size_t length; /* of the text, in words */
};

static bool is_word(const struct tr_query_search_word *wanted, tr_str word)
{
    return wanted->is_prefix ? tr_str_starts(word, wanted->text)
                             : tr_str_eq(word, wanted->text);
}

/* From the last one on, so that the word before is still where it was. */
static bool take_word(void *context, tr_str word)
{
    struct scoring *s = context;
    s->length++;
    for (size_t i = s->words->count; i-- > 0;) {
        const struct tr_query_search_word *wanted = &s->words->items[i];
        s->is_here[i] =
            (!wanted->follows || s->is_here[i - 1]) && is_word(wanted, word);
        s->times[i] += s->is_here[i];
    }
    return true;
}

static double score(const struct scoring *s)
{
    double norm = K1 * (1 - B + B * (double)s->length / USUAL_WORDS);
    double sum = 0;
    for (size_t i = 0; i < s->words->count; i++) {
        double times = (double)s->times[i];
        bool is_last =
            i + 1 == s->words->count || !s->words->items[i + 1].follows;
        if (s->times[i] == 0)
            return 0;
        if (is_last)
            sum += times * (K1 + 1) / (times + norm);
    }
    return sum;
}

tr_status tr_query_search_text_score(struct tr_db *db,
                                     const struct tr_query_search_words *words,
                                     tr_str text, double *out,
                                     struct tr_err *err)
{
    struct scoring s = {.words = words};
    struct tr_db_word_sink sink = {take_word, &s};
    TR_TRY(tr_db_each_word(db, text, &sink, err));
    *out = score(&s);
    return TR_OK;
}
