/*
 * query/search_text.h - what somebody searches for, and how well a text has it.
 */
#ifndef TR_QUERY_SEARCH_TEXT_H
#define TR_QUERY_SEARCH_TEXT_H

#include "base/arena.h"
#include "base/limits.h"
#include "db/db.h"

/* One word of the index that a text must have. */
struct tr_query_search_word {
    tr_str text;
    bool follows;   /* stands right behind the one before it: "a-b" */
    bool is_prefix; /* the start of a word is enough */
};

struct tr_query_search_words {
    struct tr_query_search_word items[TR_LIMIT_SEARCH_WORDS];
    size_t count;
};

/*
 * Every text is words and nothing but words, and the last one may be the start
 * of one. TR_E_INVALID when there are too many. They live in the arena.
 */
TR_NODISCARD tr_status tr_query_search_words_read(
    struct tr_db *db, tr_str text, struct tr_arena *arena,
    struct tr_query_search_words *out, struct tr_err *err);

/*
 * How well a text has the words; 0: it has not all of them.
 *
 * As in BM25 a word counts the more the oftener it occurs and the shorter the
 * text is. What depends on other texts is left out (how rare a word is, how
 * long texts are on average): it would have to be counted in the whole store,
 * and who may not see a text could tell from the order of others what it says.
 */
TR_NODISCARD tr_status tr_query_search_text_score(
    struct tr_db *db, const struct tr_query_search_words *words, tr_str text,
    double *out, struct tr_err *err);

#endif
