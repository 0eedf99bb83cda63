#include "cli/question.h"

#include "base/limits.h"
#include "base/text.h"
#include "cli/report.h"
#include "json/reader.h"
#include "json/writer.h"

#include <unistd.h>

/* One question, while it is asked. */
struct asking {
    const struct tr_call *call;
    struct tr_call_ask *ask;
    struct tr_json_writer w; /* the answer */
    char line[TR_LIMIT_CLI_LINE];
    bool has_ended; /* there is no more input */
};

bool tr_cli_question_can_ask(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

static void show(tr_str text)
{
    tr_cli_report_show(stderr, text);
}

/* A line of input without its end; empty at the end of the input. What is too
 * long, or no UTF-8, is asked for again. */
static tr_str read_line(struct asking *asking)
{
    for (;;) {
        (void)fflush(stderr);
        if (!fgets(asking->line, sizeof(asking->line), stdin)) {
            asking->has_ended = true;
            return TR_STR("");
        }
        tr_str line = tr_str_from(asking->line);
        bool is_whole = line.len && line.ptr[line.len - 1] == '\n';
        for (int c = 0; !is_whole && c != '\n' && c != EOF;)
            c = fgetc(stdin);
        line = tr_str_trim(line);
        if (is_whole && tr_utf8_is_valid(line))
            return line;
        (void)fprintf(stderr, "That is too long, or no text. Again: ");
    }
}

static tr_str text_of(const struct tr_json *object, const char *key)
{
    return tr_json_text(tr_json_find(object, tr_str_from(key)));
}

/* The values that a field may have, of one or of several to choose. */
static const struct tr_json *choices_of(const struct tr_json *field)
{
    const struct tr_json *choices = tr_json_find(field, TR_STR("enum"));
    const struct tr_json *items = tr_json_find(field, TR_STR("items"));
    return choices ? choices : tr_json_find(items, TR_STR("enum"));
}

/* "Size (integer, one of 1, 2, default 2): " */
static void show_field(tr_str name, const struct tr_json *field)
{
    tr_str title = text_of(field, "title");
    tr_str description = text_of(field, "description");
    const struct tr_json *choices = choices_of(field);
    const struct tr_json *fallback = tr_json_find(field, TR_STR("default"));
    if (description.len) {
        show(description);
        (void)fputc('\n', stderr);
    }
    show(title.len ? title : name);
    (void)fputs(" (", stderr);
    show(text_of(field, "type"));
    for (size_t i = 0; choices && i < choices->len; i++) {
        (void)fputs(i ? ", " : ", one of ", stderr);
        show(tr_json_text(&choices->as.items[i]));
    }
    bool on;
    if (tr_json_bool(fallback, &on))
        (void)fprintf(stderr, ", default %s", on ? "true" : "false");
    else if (fallback && fallback->kind != TR_JSON_ARRAY) {
        (void)fputs(", default ", stderr);
        show(tr_json_text(fallback));
    }
    (void)fputs("): ", stderr);
}

static void put_list(struct tr_json_writer *w, tr_str line)
{
    tr_jw_open(w, '[');
    while (line.len) {
        tr_str item = line;
        if (!tr_str_cut(line, ',', &item, &line))
            line = TR_STR("");
        tr_jw_string(w, tr_str_trim(item));
    }
    tr_jw_close(w, ']');
}

static bool is_word(tr_str line, const char *const *words)
{
    for (; *words; words++) {
        if (tr_str_eq(line, tr_str_from(*words)))
            return true;
    }
    return false;
}

static bool is_yes(tr_str line)
{
    return is_word(line, (const char *const[]){"true", "yes", "y", NULL});
}

static bool is_no(tr_str line)
{
    return is_word(line, (const char *const[]){"false", "no", "n", NULL});
}

/* What is no number or boolean is sent as text, which the check refuses. */
static void put_field(struct asking *asking, const struct tr_json *field,
                      tr_str line)
{
    tr_str type = text_of(field, "type");
    const struct tr_json *value = NULL;
    bool is_number =
        tr_str_eq(type, TR_STR("integer")) || tr_str_eq(type, TR_STR("number"));
    if (is_number &&
        tr_json_read(asking->call->arena, line, NULL, &value, NULL) == TR_OK &&
        tr_json_is(value, TR_JSON_NUMBER))
        tr_jw_value(&asking->w, value);
    else if (tr_str_eq(type, TR_STR("array")))
        put_list(&asking->w, line);
    else if (tr_str_eq(type, TR_STR("boolean")) &&
             (is_yes(line) || is_no(line)))
        tr_jw_bool(&asking->w, is_yes(line));
    else
        tr_jw_string(&asking->w, line);
}

/* The fields of a form, an empty line leaving one out. */
static void put_form(struct asking *asking)
{
    const struct tr_json *schema =
        tr_json_find(asking->ask->params, TR_STR("requestedSchema"));
    const struct tr_json *fields = tr_json_find(schema, TR_STR("properties"));
    tr_jw_key(&asking->w, "content");
    tr_jw_open(&asking->w, '{');
    for (size_t i = 0; fields && i < fields->len && !asking->has_ended; i++) {
        const struct tr_json_member *member = &fields->as.members[i];
        show_field(tr_json_text(&member->key), &member->value);
        tr_str line = read_line(asking);
        if (!line.len)
            continue;
        tr_jw_key_str(&asking->w, tr_json_text(&member->key));
        put_field(asking, &member->value, line);
    }
    tr_jw_close(&asking->w, '}');
}

static const char *action_of(struct asking *asking)
{
    if (!asking->has_ended)
        (void)fputs("Send this? [Y/n] ", stderr);
    tr_str line = asking->has_ended ? TR_STR("") : read_line(asking);
    if (asking->has_ended)
        return "cancel";
    return is_no(line) ? "decline" : "accept";
}

static void put_elicited(struct asking *asking)
{
    const struct tr_json *params = asking->ask->params;
    tr_str url = text_of(params, "url");
    show(text_of(params, "message"));
    (void)fputc('\n', stderr);
    if (url.len) {
        (void)fputs("Open this page: ", stderr);
        show(url);
        (void)fputc('\n', stderr);
    } else {
        put_form(asking);
    }
    tr_jw_put_string(&asking->w, "action", tr_str_from(action_of(asking)));
}

/* Of a model's question: who has said what so far. */
static void show_messages(const struct tr_json *messages)
{
    for (size_t i = 0; messages && i < messages->len; i++) {
        const struct tr_json *message = &messages->as.items[i];
        show(text_of(message, "role"));
        (void)fputs(": ", stderr);
        show(text_of(tr_json_find(message, TR_STR("content")), "text"));
        (void)fputc('\n', stderr);
    }
}

/* The person stands for the model. */
static void put_sampled(struct asking *asking)
{
    const struct tr_json *params = asking->ask->params;
    (void)fputs("The handler asks a model.\n", stderr);
    show_messages(tr_json_find(params, TR_STR("messages")));
    (void)fputs("Your answer: ", stderr);
    tr_str line = read_line(asking);
    tr_jw_put_string(&asking->w, "role", TR_STR("assistant"));
    tr_jw_put_string(&asking->w, "model", TR_STR("a person"));
    tr_jw_key(&asking->w, "content");
    tr_jw_open(&asking->w, '{');
    tr_jw_put_string(&asking->w, "type", TR_STR("text"));
    tr_jw_put_string(&asking->w, "text", line);
    tr_jw_close(&asking->w, '}');
}

static void put_roots(struct asking *asking)
{
    (void)fputs("The handler asks which folders it is about, as file: URIs "
                "with spaces between: ",
                stderr);
    tr_str line = read_line(asking);
    tr_jw_key(&asking->w, "roots");
    tr_jw_open(&asking->w, '[');
    while (line.len) {
        tr_str uri = line;
        if (!tr_str_cut(line, ' ', &uri, &line))
            line = TR_STR("");
        tr_jw_open(&asking->w, '{');
        tr_jw_put_string(&asking->w, "uri", uri);
        tr_jw_close(&asking->w, '}');
    }
    tr_jw_close(&asking->w, ']');
}

static void put_answer(struct asking *asking)
{
    tr_jw_open(&asking->w, '{');
    if (asking->ask->kind == TR_CALL_ASK_ELICIT)
        put_elicited(asking);
    else if (asking->ask->kind == TR_CALL_ASK_SAMPLE)
        put_sampled(asking);
    else
        put_roots(asking);
    tr_jw_close(&asking->w, '}');
}

/* What is wrong with an answer, a line for each field. */
static void show_wrong(const struct tr_json *wrong)
{
    const struct tr_json *fields = tr_json_find(wrong, TR_STR("fields"));
    for (size_t i = 0; fields && i < fields->len; i++) {
        (void)fputs("    ", stderr);
        show(text_of(&fields->as.items[i], "message"));
        (void)fputc('\n', stderr);
    }
}

/* One answer, as far as it was typed. */
static tr_status take(struct asking *asking, struct tr_buf *text,
                      struct tr_err *err)
{
    const struct tr_json *answer = NULL;
    tr_str kept;
    tr_jw_init(&asking->w, text);
    put_answer(asking);
    TR_TRY(tr_jw_finish(&asking->w, err));
    if (asking->has_ended && asking->ask->kind != TR_CALL_ASK_ELICIT) {
        asking->ask->refusal = TR_STR("nobody has answered");
        return TR_OK;
    }
    if (!tr_arena_copy(asking->call->arena, tr_buf_str(text), &kept))
        return tr_fail(err, TR_E_NOMEM, "no memory for an answer");
    TR_TRY(tr_json_read(asking->call->arena, kept, NULL, &answer, err));
    return tr_call_ask_take(asking->call, asking->ask, answer, err);
}

tr_status tr_cli_question_ask(const struct tr_call *call,
                              struct tr_call_ask *ask, struct tr_err *err)
{
    struct asking asking = {.call = call, .ask = ask};
    struct tr_buf text;
    tr_status status;
    tr_buf_init(&text, TR_LIMIT_CLI_OUTPUT);
    do {
        tr_buf_clear(&text);
        status = take(&asking, &text, err);
        if (status == TR_E_VALIDATION)
            show_wrong(ask->wrong);
    } while (status == TR_E_VALIDATION && !asking.has_ended);
    tr_buf_done(&text);
    return status;
}
