#include "gen/intent.h"

#include "gen/path.h"
#include "json/reader.h"
#include "json/writer.h"

static void put_text(struct tr_json_writer *w, const char *key,
                     const struct tr_gen_text *text)
{
    if (text->is_there)
        tr_jw_put_string(w, key, text->text);
    else
        tr_jw_put_null(w, key);
}

tr_status tr_gen_intent_write(const struct tr_gen_intent *intent,
                              struct tr_buf *out, struct tr_err *err)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    tr_jw_open(&w, '{');
    tr_jw_key(&w, "files");
    tr_jw_open(&w, '[');
    for (size_t i = 0; i < intent->count; i++) {
        const struct tr_gen_entry *entry = &intent->entries[i];
        tr_jw_open(&w, '{');
        tr_jw_put_string(&w, "path", entry->path);
        put_text(&w, "before", &entry->before);
        put_text(&w, "after", &entry->after);
        tr_jw_close(&w, '}');
    }
    tr_jw_close(&w, ']');
    tr_jw_close(&w, '}');
    return tr_jw_finish(&w, err);
}

/* A text, or null for a file that is not there. */
static bool read_text(const struct tr_json *entry, const char *key,
                      struct tr_gen_text *out)
{
    const struct tr_json *value = tr_json_find(entry, tr_str_from(key));
    *out = (struct tr_gen_text){.is_there = tr_json_is(value, TR_JSON_STRING),
                                .text = tr_json_text(value)};
    return out->is_there || tr_json_is(value, TR_JSON_NULL);
}

static tr_status read_entry(const struct tr_json *value,
                            struct tr_gen_entry *out, struct tr_err *err)
{
    out->path = tr_json_text(tr_json_find(value, TR_STR("path")));
    const char *why = tr_gen_path_refuse_written(out->path);
    if (why)
        return tr_fail(err, TR_E_INVALID, "its path %s", why);
    if (!read_text(value, "before", &out->before) ||
        !read_text(value, "after", &out->after))
        return tr_fail(err, TR_E_INVALID, "a text of it is missing");
    return TR_OK;
}

tr_status tr_gen_intent_read(tr_str text, struct tr_arena *arena,
                             struct tr_gen_intent *out, struct tr_err *err)
{
    const struct tr_json *root;
    tr_status status = tr_json_read(arena, text, NULL, &root, err);
    if (status != TR_OK)
        return status == TR_E_NOMEM
                   ? status
                   : tr_fail(err, TR_E_INVALID, "it is not JSON");
    const struct tr_json *files = tr_json_find(root, TR_STR("files"));
    if (!tr_json_is(files, TR_JSON_ARRAY) || files->len > TR_LIMIT_GEN_DIFFS)
        return tr_fail(err, TR_E_INVALID, "it has no list of files");
    for (size_t i = 0; i < files->len; i++)
        TR_TRY(read_entry(tr_json_at(files, i), &out->entries[i], err));
    out->count = files->len;
    return TR_OK;
}
