#include "db/sqlite_words.h"

/* FTS5 hands its functions out through a pointer that a statement fills in. */
static int find_fts5(sqlite3 *handle, fts5_api **out)
{
    sqlite3_stmt *stmt = NULL;
    *out = NULL;
    int rc = sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &stmt, NULL);
    if (rc != SQLITE_OK)
        return rc;
    (void)sqlite3_bind_pointer(stmt, 1, (void *)out, "fts5_api_ptr", NULL);
    (void)sqlite3_step(stmt);
    rc = sqlite3_finalize(stmt);
    return rc == SQLITE_OK && !*out ? SQLITE_ERROR : rc;
}

static int open_words(struct tr_db_sqlite_words *words, sqlite3 *handle)
{
    const char *args[] = {TR_DB_WORDS_OPTION, TR_DB_WORDS_VALUE};
    fts5_api *api;
    void *context = NULL;
    int rc = find_fts5(handle, &api);
    if (rc == SQLITE_OK)
        rc = api->xFindTokenizer(api, TR_DB_WORDS_TOKENIZER, &context,
                                 &words->methods);
    return rc == SQLITE_OK ? words->methods.xCreate(context, args, TR_LEN(args),
                                                    &words->instance)
                           : rc;
}

static int take(void *data, int flags, const char *word, int len, int start,
                int end)
{
    const struct tr_db_word_sink *sink = data;
    (void)flags;
    (void)start;
    (void)end;
    return sink->take(sink->context, (tr_str){word, (size_t)len}) ? SQLITE_OK
                                                                  : SQLITE_DONE;
}

int tr_db_sqlite_words_each(struct tr_db_sqlite_words *words, sqlite3 *handle,
                            tr_str text, const struct tr_db_word_sink *sink)
{
    struct tr_db_word_sink ours = *sink;
    int rc = words->instance ? SQLITE_OK : open_words(words, handle);
    if (rc != SQLITE_OK || !text.len)
        return rc;
    if (text.len > INT32_MAX)
        return SQLITE_TOOBIG;
    rc = words->methods.xTokenize(words->instance, &ours, FTS5_TOKENIZE_AUX,
                                  text.ptr, (int)text.len, take);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

void tr_db_sqlite_words_done(struct tr_db_sqlite_words *words)
{
    if (words->instance)
        words->methods.xDelete(words->instance);
    *words = (struct tr_db_sqlite_words){0};
}
