#include "mcp/content.h"

#include "base/limits.h"
#include "base/text.h"

static tr_str text_of(const struct tr_json *object, const char *key)
{
    return tr_json_text(tr_json_find(object, tr_str_from(key)));
}

void tr_mcp_content_put_text(struct tr_json_writer *w, tr_str text)
{
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "type", TR_STR("text"));
    tr_jw_put_string(w, "text", text);
    tr_jw_close(w, '}');
}

static bool is_known(tr_str type, enum tr_mcp_revision revision)
{
    if (tr_str_eq(type, TR_STR("audio")))
        return tr_mcp_revision_has(revision, TR_MCP_HAS_AUDIO);
    if (tr_str_eq(type, TR_STR("resource_link")))
        return tr_mcp_revision_has(revision, TR_MCP_HAS_LINKS);
    return true;
}

static bool may_carry(tr_str key, enum tr_mcp_revision revision)
{
    if (tr_str_eq(key, TR_STR("_meta")) ||
        tr_str_eq(key, TR_STR("lastModified")))
        return tr_mcp_revision_has(revision, TR_MCP_HAS_TITLE);
    if (tr_str_eq(key, TR_STR("icons")))
        return tr_mcp_revision_has(revision, TR_MCP_HAS_ICONS);
    return true;
}

/* Writes the object without what the revision does not know. */
static void put_known(struct tr_json_writer *w, const struct tr_json *object,
                      enum tr_mcp_revision revision)
{
    tr_jw_open(w, '{');
    for (size_t i = 0; i < object->len; i++) {
        const struct tr_json_member *member = &object->as.members[i];
        if (!may_carry(tr_json_text(&member->key), revision))
            continue;
        tr_jw_key_str(w, tr_json_text(&member->key));
        tr_jw_value(w, &member->value);
    }
    tr_jw_close(w, '}');
}

/* Annotations and the resource are parts of a block too, and treated alike. */
static bool is_part(const struct tr_json_member *member)
{
    tr_str key = tr_json_text(&member->key);
    return member->value.kind == TR_JSON_OBJECT &&
           (tr_str_eq(key, TR_STR("annotations")) ||
            tr_str_eq(key, TR_STR("resource")));
}

void tr_mcp_content_put(struct tr_json_writer *w, const struct tr_json *block,
                        enum tr_mcp_revision revision)
{
    tr_str type = text_of(block, "type");
    if (!is_known(type, revision)) {
        tr_str uri = text_of(block, "uri");
        tr_mcp_content_put_text(w, uri.len ? uri : TR_STR("(audio)"));
        return;
    }
    tr_jw_open(w, '{');
    for (size_t i = 0; i < block->len; i++) {
        const struct tr_json_member *member = &block->as.members[i];
        if (!may_carry(tr_json_text(&member->key), revision))
            continue;
        tr_jw_key_str(w, tr_json_text(&member->key));
        if (is_part(member))
            put_known(w, &member->value, revision);
        else
            tr_jw_value(w, &member->value);
    }
    tr_jw_close(w, '}');
}

static size_t text_bytes(const struct tr_json *block)
{
    const struct tr_json *resource = tr_json_find(block, TR_STR("resource"));
    return text_of(block, "text").len + text_of(resource, "text").len;
}

/* Takes the bytes of the texts away from `*left`. */
static bool put_blocks(struct tr_json_writer *w, const struct tr_json *blocks,
                       enum tr_mcp_revision revision, size_t *left)
{
    size_t max_bytes = *left;
    for (size_t i = 0; i < blocks->len; i++) {
        size_t bytes = text_bytes(&blocks->as.items[i]);
        if (bytes > *left) {
            char notice[96];
            (void)snprintf(notice, sizeof(notice),
                           "[cut: %zu of %zu blocks shown, the limit is %zu "
                           "bytes]",
                           i, (size_t)blocks->len, max_bytes);
            tr_mcp_content_put_text(w, tr_str_from(notice));
            return false;
        }
        *left -= bytes;
        tr_mcp_content_put(w, &blocks->as.items[i], revision);
    }
    return true;
}

/* A single text is cut between characters. */
static bool put_text(struct tr_json_writer *w, tr_str text, size_t max_bytes)
{
    if (text.len <= max_bytes) {
        tr_mcp_content_put_text(w, text);
        return true;
    }
    char notice[96];
    tr_str start = tr_utf8_cut(text, max_bytes);
    tr_mcp_content_put_text(w, start);
    (void)snprintf(notice, sizeof(notice),
                   "[cut: %zu of %zu bytes shown, the limit is %zu]", start.len,
                   text.len, max_bytes);
    tr_mcp_content_put_text(w, tr_str_from(notice));
    return false;
}

static bool put_value(struct tr_json_writer *w, const struct tr_json *value,
                      size_t max_bytes, struct tr_buf *json)
{
    struct tr_json_writer inner;
    tr_buf_clear(json);
    tr_jw_init(&inner, json);
    tr_jw_value(&inner, value);
    if (tr_jw_finish(&inner, NULL) == TR_OK)
        return put_text(w, tr_buf_str(json), max_bytes);
    tr_jw_refuse(w, TR_E_LIMIT, "the value is too long");
    return true;
}

static void put_data(struct tr_json_writer *w, const struct tr_json *data,
                     size_t max_bytes)
{
    struct tr_buf json;
    tr_buf_init(&json, TR_LIMIT_MESSAGE);
    (void)put_value(w, data, max_bytes, &json);
    tr_buf_done(&json);
}

bool tr_mcp_content_put_all(struct tr_json_writer *w,
                            const struct tr_call_outcome *outcome,
                            enum tr_mcp_revision revision, size_t max_bytes,
                            struct tr_buf *json)
{
    bool whole = true;
    tr_buf_clear(json);
    tr_jw_open(w, '[');
    if (outcome->content)
        whole = put_blocks(w, outcome->content, revision, &max_bytes);
    if (whole && tr_json_is(outcome->value, TR_JSON_STRING))
        whole = put_text(w, tr_json_text(outcome->value), max_bytes);
    else if (whole && outcome->value)
        whole = put_value(w, outcome->value, max_bytes, json);
    if (outcome->is_error && tr_json_is(outcome->data, TR_JSON_OBJECT))
        put_data(w, outcome->data, max_bytes);
    tr_jw_close(w, ']');
    return whole;
}
