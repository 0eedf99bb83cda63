#include "access/bearer.h"

tr_status tr_access_key_source_init(struct tr_access_key_source *source,
                                    struct tr_err *err)
{
    *source = (struct tr_access_key_source){0};
    return pthread_mutex_init(&source->lock, NULL) == 0
               ? TR_OK
               : tr_fail(err, TR_E_NOMEM, "cannot make a lock");
}

void tr_access_key_source_done(struct tr_access_key_source *source)
{
    (void)pthread_mutex_destroy(&source->lock);
    free(source->text);
    source->text = NULL;
}

tr_status tr_access_key_source_put(struct tr_access_key_source *source,
                                   tr_str text, struct tr_err *err)
{
    char *copy = calloc(1, text.len + 1);
    if (!copy)
        return tr_fail(err, TR_E_NOMEM, "no memory for keys");
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    (void)pthread_mutex_lock(&source->lock);
    free(source->text);
    source->text = copy;
    source->len = text.len;
    atomic_fetch_add(&source->round, 1);
    (void)pthread_mutex_unlock(&source->lock);
    return TR_OK;
}

bool tr_access_key_source_take(struct tr_access_key_source *source,
                               struct tr_arena *arena, tr_str *out,
                               uint64_t *round)
{
    (void)pthread_mutex_lock(&source->lock);
    bool done = tr_arena_copy(arena, (tr_str){source->text, source->len}, out);
    *round = atomic_load(&source->round);
    (void)pthread_mutex_unlock(&source->lock);
    return done;
}
