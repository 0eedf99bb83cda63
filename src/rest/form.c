#include "rest/form.h"

#include "base/limits.h"
#include "cap/cap.h"
#include "fields/field.h"
#include "json/writer.h"
#include "model/model.h"
#include "model/value_term.h"
#include "rest/inside.h"

/* The shortest fence, and what it is made of. */
#define FENCE 3

static const struct tr_json *value_of(const struct tr_call_outcome *outcome)
{
    return outcome->structured ? outcome->structured : outcome->value;
}

/* A text is a block of content where no output is promised. */
static const struct tr_json *lone_text(const struct tr_call_outcome *outcome)
{
    const struct tr_json *content = outcome->content;
    const struct tr_json *block = tr_json_at(content, 0);
    bool is_text = tr_str_eq(tr_json_text(tr_json_find(block, TR_STR("type"))),
                             TR_STR("text"));
    return is_text && content->len == 1 ? tr_json_find(block, TR_STR("text"))
                                        : NULL;
}

/* Content blocks are what there is where a handler gives no value. */
static void put_json(struct tr_json_writer *w,
                     const struct tr_call_outcome *outcome)
{
    const struct tr_json *value = value_of(outcome);
    if (!value)
        value = lone_text(outcome);
    if (value || !outcome->content || !outcome->content->len) {
        value ? tr_jw_value(w, value) : tr_jw_null(w);
        return;
    }
    tr_jw_open(w, '{');
    tr_jw_put_value(w, "content", outcome->content);
    tr_jw_close(w, '}');
}

/* JSON-LD. -----------------------------------------------------------------*/

/* {"@id": IRI, "@type": datatype or "@id"} */
static void put_term(struct tr_json_writer *w, const struct tr_field *field)
{
    tr_str datatype = tr_model_kind_datatype(field->kind);
    if (!field->iri.len)
        return;
    tr_jw_key_str(w, field->name);
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "@id", field->iri);
    if (field->kind == TR_FIELD_REF)
        tr_jw_put_string(w, "@type", TR_STR("@id"));
    else
        tr_jw_maybe_string(w, "@type", datatype);
    if (field->list)
        tr_jw_put_string(w, "@container", TR_STR("@list"));
    tr_jw_close(w, '}');
}

/* What has no IRI of its own gets one from its shape, or is a word of ours. A
 * value that is data is no more than that (JSON-LD 1.1, 4.2.2, JSON Literals).
 */
static void put_context(struct tr_json_writer *w, const struct tr_cap *cap,
                        bool is_data)
{
    const struct tr_shape *shape = is_data ? NULL : cap->output_shape;
    char vocabulary[TR_LIMIT_URI_BYTES];
    int len = snprintf(vocabulary, sizeof(vocabulary), "%.*s#",
                       TR_FMT(cap->output_iri));
    tr_jw_key(w, "@context");
    tr_jw_open(w, '{');
    tr_jw_put_string(w, "@vocab",
                     cap->output_iri.len ? (tr_str){vocabulary, (size_t)len}
                                         : TR_STR(TR_PROJECT_VOCABULARY));
    if (is_data)
        tr_jw_put_raw(w, "value", TR_STR("{\"@type\":\"@json\"}"));
    else
        tr_jw_put_string(w, "id", TR_STR("@id"));
    for (size_t i = 0; shape && i < shape->count; i++)
        put_term(w, &shape->fields[i]);
    tr_jw_close(w, '}');
}

/*
 * Whether JSON-LD would read in a value what nobody has said in it: keywords,
 * such as a context of somebody else's, or an id that is none.
 */
static bool has_keyword(const struct tr_json *value)
{
    bool is_array = tr_json_is(value, TR_JSON_ARRAY);
    for (size_t i = 0; is_array && i < value->len; i++) {
        if (has_keyword(&value->as.items[i]))
            return true;
    }
    for (size_t i = 0; tr_json_is(value, TR_JSON_OBJECT) && i < value->len;
         i++) {
        const struct tr_json_member *member = &value->as.members[i];
        tr_str key = tr_json_text(&member->key);
        bool is_id = tr_str_eq(key, TR_STR("id"));
        if (tr_str_starts(key, TR_STR("@")) ||
            (is_id && !tr_json_is(&member->value, TR_JSON_STRING)) ||
            has_keyword(&member->value))
            return true;
    }
    return false;
}

static void put_ld(struct tr_json_writer *w,
                   const struct tr_rest_request *request,
                   const struct tr_call_outcome *outcome)
{
    const struct tr_json *value = value_of(outcome);
    bool is_data =
        value ? has_keyword(value) : outcome->content && !lone_text(outcome);
    tr_jw_open(w, '{');
    put_context(w, request->call.cap, is_data);
    if (is_data || !tr_json_is(value, TR_JSON_OBJECT)) {
        tr_jw_key(w, "value");
        put_json(w, outcome);
        value = NULL;
    }
    for (size_t i = 0; value && i < value->len; i++) {
        const struct tr_json_member *member = &value->as.members[i];
        tr_jw_key_str(w, tr_json_text(&member->key));
        tr_jw_value(w, &member->value);
    }
    tr_jw_close(w, '}');
}

/* Markdown. ----------------------------------------------------------------*/

static size_t longest_run(tr_str text, char of)
{
    size_t longest = 0;
    size_t run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == of ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void put_fence(struct tr_buf *out, size_t len)
{
    for (size_t i = 0; i < len; i++)
        tr_buf_putc(out, '`');
}

/* A block of code ends where its fence stands again: it must not be in it. */
static void put_code(struct tr_buf *out, const struct tr_json *value)
{
    struct tr_json_writer w;
    struct tr_buf text;
    tr_buf_init(&text, out->max);
    tr_jw_init_pretty(&w, &text);
    tr_jw_value(&w, value);
    tr_status status = tr_jw_finish(&w, NULL);
    size_t run = longest_run(tr_buf_str(&text), '`');
    size_t fence = run < FENCE ? FENCE : run + 1;
    put_fence(out, fence);
    tr_buf_put(out, TR_STR("json\n"));
    tr_buf_put(out, tr_buf_str(&text));
    tr_buf_putc(out, '\n');
    put_fence(out, fence);
    tr_buf_putc(out, '\n');
    if (status != TR_OK && out->failed == TR_OK)
        out->failed = status;
    tr_buf_done(&text);
}

static void put_markdown(struct tr_buf *out,
                         const struct tr_call_outcome *outcome)
{
    const struct tr_json *content = outcome->content;
    const struct tr_json *value = value_of(outcome);
    for (size_t i = 0; content && i < content->len; i++) {
        const struct tr_json *block = &content->as.items[i];
        const struct tr_json *text = tr_json_find(block, TR_STR("text"));
        if (i)
            tr_buf_putc(out, '\n');
        if (tr_json_is(text, TR_JSON_STRING)) {
            tr_buf_put(out, tr_json_text(text));
            tr_buf_putc(out, '\n');
        } else {
            put_code(out, block);
        }
    }
    if (content || !value)
        return;
    if (value->kind == TR_JSON_STRING) {
        tr_buf_put(out, tr_json_text(value));
        tr_buf_putc(out, '\n');
    } else {
        put_code(out, value);
    }
}

tr_str tr_rest_form_said(const struct tr_call_outcome *outcome)
{
    const struct tr_json *block = tr_json_at(outcome->content, 0);
    const struct tr_json *text = tr_json_find(block, TR_STR("text"));
    if (tr_json_is(outcome->value, TR_JSON_STRING))
        return tr_json_text(outcome->value);
    return tr_json_is(text, TR_JSON_STRING) ? tr_json_text(text) : TR_STR("");
}

void tr_rest_form_write(struct tr_rest_request *request,
                        const struct tr_call_outcome *outcome)
{
    static const tr_str ld = TR_REST_TYPE_LD;
    static const tr_str markdown = TR_REST_TYPE_MARKDOWN;
    struct tr_buf *out = &request->rest->out;
    struct tr_json_writer w;
    tr_buf_clear(out);
    if (tr_rest_request_wants(request, markdown)) {
        put_markdown(out, outcome);
        return;
    }
    tr_jw_init(&w, out);
    if (tr_rest_request_wants(request, ld))
        put_ld(&w, request, outcome);
    else
        put_json(&w, outcome);
    tr_status status = tr_jw_finish(&w, NULL);
    if (status != TR_OK && out->failed == TR_OK)
        out->failed = status;
}
