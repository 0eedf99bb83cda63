/*
 * db/sqlite_words.h - the words of a text, as FTS5 puts them into an index.
 */
#ifndef TR_DB_SQLITE_WORDS_H
#define TR_DB_SQLITE_WORDS_H

#include "db/db.h"

#include <sqlite3.h>

/* FTS5's tokenizer of TR_DB_WORDS; all zero before it is first needed. */
struct tr_db_sqlite_words {
    fts5_tokenizer methods;
    Fts5Tokenizer *instance;
};

/* Returns SQLite's code; SQLITE_ERROR when it was built without FTS5. */
int tr_db_sqlite_words_each(struct tr_db_sqlite_words *words, sqlite3 *handle,
                            tr_str text, const struct tr_db_word_sink *sink);

void tr_db_sqlite_words_done(struct tr_db_sqlite_words *words);

#endif
