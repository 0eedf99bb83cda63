#include "rdf/turtle_guard.h"

#include "base/ascii.h"
#include "base/text.h"
#include "rdf/term.h"

void tr_rdf_turtle_guard_init(struct tr_rdf_turtle_guard *guard, bool graphs,
                              const struct tr_rdf_source *source,
                              struct tr_err *err)
{
    memset(guard, 0, offsetof(struct tr_rdf_turtle_guard, text));
    guard->source = source;
    guard->err = err;
    guard->graphs = graphs;
    guard->line = 1;
}

/* The place of the byte given last; at the end, of what would follow. */
static tr_place place_of(const struct tr_rdf_turtle_guard *guard)
{
    size_t at = guard->offset - (guard->offset && !guard->is_past);
    size_t column = at - guard->line_start - guard->line_extra + 1;
    return (tr_place){at, guard->line, (uint32_t)column};
}

static void start_line(struct tr_rdf_turtle_guard *guard)
{
    guard->after_newline = false;
    guard->line++;
    guard->line_start = guard->offset;
    guard->line_extra = 0;
}

void tr_rdf_turtle_guard_fail(struct tr_rdf_turtle_guard *guard,
                              tr_status status, const char *why)
{
    if (guard->status != TR_OK)
        return;
    guard->status = tr_fail(guard->err, status, "%s", why);
    if (guard->err)
        guard->err->place = place_of(guard);
}

int tr_rdf_turtle_guard_failed(void *guard)
{
    return ((struct tr_rdf_turtle_guard *)guard)->status != TR_OK;
}

/* Reads more, and checks how much of it is UTF-8. A character may be cut at
 * the end of what was read: its start waits for the rest. */
static void fill(struct tr_rdf_turtle_guard *guard)
{
    size_t got = 0;
    guard->held -= guard->at;
    memmove(guard->text, guard->text + guard->at, guard->held);
    guard->at = 0;
    guard->valid = 0;
    if (!guard->at_end && guard->status == TR_OK) {
        guard->status = guard->source->read(
            guard->source->context, guard->text + guard->held,
            sizeof(guard->text) - guard->held, &got, guard->err);
        guard->at_end = got == 0;
        guard->held += got;
    }
    if (guard->status == TR_OK)
        guard->valid = tr_utf8_valid_len((tr_str){guard->text, guard->held});
}

/* Reads on until there is something to give; false at the end. */
TR_NOINLINE static bool refill(struct tr_rdf_turtle_guard *guard)
{
    while (guard->at == guard->valid) {
        tr_str rest = {guard->text + guard->at, guard->held - guard->at};
        bool is_whole = rest.len >= 4 || (guard->at_end && rest.len);
        if (guard->at_end || is_whole) {
            if (guard->after_newline)
                start_line(guard);
            guard->is_past = true;
        }
        if (is_whole && tr_utf8_sequence(rest) == 0)
            tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX,
                                     "the text is not UTF-8");
        if (guard->status != TR_OK || guard->at_end)
            return false;
        guard->is_past = false;
        fill(guard);
    }
    return true;
}

static inline bool next_byte(struct tr_rdf_turtle_guard *guard, char *out)
{
    if (guard->at == guard->valid && !refill(guard))
        return false;
    *out = guard->text[guard->at++];
    if (guard->after_newline)
        start_line(guard);
    guard->offset++;
    guard->after_newline = *out == '\n';
    guard->line_extra += (*out & 0xC0) == 0x80;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What may be part of a name, generously: serd refuses what must not. */
static bool is_name(char c)
{
    return tr_ascii_is_alnum(c) || (c & 0x80) || c == '_' || c == ':' ||
           c == '.' || c == '-' || c == '%';
}

static void open_bracket(struct tr_rdf_turtle_guard *guard)
{
    if (++guard->depth > TR_LIMIT_NESTING)
        tr_rdf_turtle_guard_fail(guard, TR_E_LIMIT,
                                 "brackets nest deeper than 512 levels");
}

/* Turtle, production triples: neither nothing nor `[]` is a statement. */
static void follow_statement(struct tr_rdf_turtle_guard *guard, char c)
{
    enum tr_rdf_guard_statement before = guard->statement;
    if (c == '.' || c == '{' || c == '}')
        guard->statement = TR_RDF_GUARD_EMPTY;
    else if (before == TR_RDF_GUARD_EMPTY && c == '[')
        guard->statement = TR_RDF_GUARD_OPEN_ANON;
    else if (before == TR_RDF_GUARD_OPEN_ANON && c == ']')
        guard->statement = TR_RDF_GUARD_ANON;
    else
        guard->statement = TR_RDF_GUARD_MORE;
    if (before == TR_RDF_GUARD_EMPTY && c == '.')
        tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX,
                                 "there is no statement before '.'");
    if (before == TR_RDF_GUARD_ANON && (c == '.' || c == '}'))
        tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX,
                                 "expected a predicate after '[]'");
}

static void follow_prefix(struct tr_rdf_turtle_guard *guard, char c)
{
    if (guard->name != TR_RDF_GUARD_PREFIX)
        return;
    if (c == ':')
        guard->name = TR_RDF_GUARD_PREFIXED;
    else if (guard->prefix_len == sizeof(guard->prefix))
        guard->name = TR_RDF_GUARD_NO_NAME;
    else
        guard->prefix[guard->prefix_len++] = c;
}

/* A token begins. When it is a brace, the name before it is that of a graph. */
static void follow_name(struct tr_rdf_turtle_guard *guard, char c)
{
    tr_str prefix = {guard->prefix, guard->prefix_len};
    if (c == '{' && guard->name == TR_RDF_GUARD_PREFIXED &&
        guard->knows_prefix && !guard->knows_prefix(guard->context, prefix))
        tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX,
                                 "the graph's name has an unknown prefix");
    guard->name = is_name(c) ? TR_RDF_GUARD_PREFIX : TR_RDF_GUARD_NO_NAME;
    guard->prefix_len = 0;
    follow_prefix(guard, c);
}

static enum tr_rdf_guard_state first_of_token(struct tr_rdf_turtle_guard *guard,
                                              char c)
{
    guard->token_len = 0;
    if (is_space(c))
        return TR_RDF_GUARD_BETWEEN;
    if (c == '#')
        return TR_RDF_GUARD_COMMENT;
    follow_statement(guard, c);
    follow_name(guard, c);
    if (c == '[' || c == '(' || c == '{')
        open_bracket(guard);
    else if ((c == ']' || c == ')' || c == '}') && guard->depth)
        guard->depth--;
    guard->quote = c;
    guard->dots = 0;
    if (!guard->graphs && (c == '{' || c == '}'))
        tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX,
                                 "Turtle has no graphs; this looks like TriG");
    switch (c) {
    case '=': /* serd reads some of Notation3, which Turtle does not have */
        tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX, "unexpected '='");
        return TR_RDF_GUARD_BETWEEN;
    case '<':
        return TR_RDF_GUARD_IRI;
    case '"':
    case '\'':
        return TR_RDF_GUARD_QUOTE;
    case '@':
        return TR_RDF_GUARD_KEYWORD;
    case '_':
        return TR_RDF_GUARD_UNDERSCORE;
    case '+':
    case '-':
        return TR_RDF_GUARD_NUMBER;
    case '.':
        return TR_RDF_GUARD_BETWEEN;
    default:
        if (tr_ascii_is_digit(c))
            return TR_RDF_GUARD_NUMBER;
        return is_name(c) ? TR_RDF_GUARD_WORD : TR_RDF_GUARD_BETWEEN;
    }
}

/* Dots at the end of a word are none of it: each is a full stop. */
static enum tr_rdf_guard_state after_word(struct tr_rdf_turtle_guard *guard,
                                          char c)
{
    if (c == '\\' || is_name(c)) {
        follow_prefix(guard, c);
        guard->dots = c == '.' ? guard->dots + 1 : 0;
        return c == '\\' ? TR_RDF_GUARD_WORD_ESCAPE : TR_RDF_GUARD_WORD;
    }
    for (; guard->dots; guard->dots--)
        follow_statement(guard, '.');
    return first_of_token(guard, c);
}

/* A number ends before a full stop that no digit or exponent follows. */
static enum tr_rdf_guard_state after_number(struct tr_rdf_turtle_guard *guard,
                                            char c)
{
    if (c == '.') {
        guard->is_held = true;
        return TR_RDF_GUARD_NUMBER_DOT;
    }
    if (tr_ascii_is_digit(c) || c == 'e' || c == 'E' || c == '+' || c == '-')
        return TR_RDF_GUARD_NUMBER;
    return first_of_token(guard, c);
}

static void enqueue(struct tr_rdf_turtle_guard *guard, char c)
{
    guard->queue[guard->queue_at + guard->queued++] = c;
}

/* serd takes `@prefixx:` for `@prefix x:`. */
static enum tr_rdf_guard_state after_keyword(struct tr_rdf_turtle_guard *guard,
                                             char c)
{
    if (tr_ascii_is_alnum(c) || c == '-')
        return TR_RDF_GUARD_KEYWORD;
    if (guard->token_len != strlen("@prefix") &&
        guard->token_len != strlen("@base"))
        tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX,
                                 "expected '@prefix' or '@base'");
    return first_of_token(guard, c);
}

/* Space before a language tag or a datatype is dropped. */
static enum tr_rdf_guard_state after_string(struct tr_rdf_turtle_guard *guard,
                                            char c)
{
    if (is_space(c)) {
        guard->is_held = true;
        guard->has_gap = true;
        return TR_RDF_GUARD_STRING_END;
    }
    guard->token_len = 0;
    guard->quotes = 1;
    if (c == '@')
        return TR_RDF_GUARD_LANGUAGE;
    if (c == '^')
        return TR_RDF_GUARD_CARETS;
    if (guard->has_gap)
        enqueue(guard, ' ');
    return first_of_token(guard, c);
}

/* Space between the carets and the datatype is dropped, too. */
static enum tr_rdf_guard_state after_carets(struct tr_rdf_turtle_guard *guard,
                                            char c)
{
    if (c == '^' && guard->quotes == 1) {
        guard->quotes++;
        return TR_RDF_GUARD_CARETS;
    }
    guard->is_held = is_space(c) && guard->quotes == 2;
    return guard->is_held ? TR_RDF_GUARD_CARETS : first_of_token(guard, c);
}

static enum tr_rdf_guard_state end_string(struct tr_rdf_turtle_guard *guard)
{
    guard->has_gap = false;
    return TR_RDF_GUARD_STRING_END;
}

static enum tr_rdf_guard_state in_string(struct tr_rdf_turtle_guard *guard,
                                         char c)
{
    bool is_long = guard->state == TR_RDF_GUARD_LONG;
    if (c == '\\') {
        guard->quotes = 0;
        return is_long ? TR_RDF_GUARD_LONG_ESCAPE : TR_RDF_GUARD_SHORT_ESCAPE;
    }
    if (!is_long)
        return c == guard->quote ? end_string(guard) : TR_RDF_GUARD_SHORT;
    guard->quotes = c == guard->quote ? guard->quotes + 1 : 0;
    return guard->quotes == 3 ? end_string(guard) : TR_RDF_GUARD_LONG;
}

static enum tr_rdf_guard_state after_quote(struct tr_rdf_turtle_guard *guard,
                                           char c)
{
    if (c == guard->quote)
        return TR_RDF_GUARD_QUOTES;
    guard->state = TR_RDF_GUARD_SHORT;
    return in_string(guard, c);
}

static enum tr_rdf_guard_state after_quotes(struct tr_rdf_turtle_guard *guard,
                                            char c)
{
    guard->quotes = 0;
    if (c == guard->quote)
        return TR_RDF_GUARD_LONG;
    (void)end_string(guard);
    return after_string(guard, c);
}

static enum tr_rdf_guard_state after_colon(struct tr_rdf_turtle_guard *guard,
                                           char c)
{
    if (!tr_ascii_is_alnum(c) && c != '_' && !(c & 0x80))
        tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX,
                                 "a blank node without a proper label");
    return TR_RDF_GUARD_WORD;
}

static enum tr_rdf_guard_state next_state(struct tr_rdf_turtle_guard *guard,
                                          char c)
{
    switch (guard->state) {
    case TR_RDF_GUARD_BETWEEN:
        return first_of_token(guard, c);
    case TR_RDF_GUARD_WORD:
        return after_word(guard, c);
    case TR_RDF_GUARD_WORD_ESCAPE:
        return TR_RDF_GUARD_WORD;
    case TR_RDF_GUARD_NUMBER:
    case TR_RDF_GUARD_NUMBER_DOT:
        return after_number(guard, c);
    case TR_RDF_GUARD_KEYWORD:
        return after_keyword(guard, c);
    case TR_RDF_GUARD_LANGUAGE:
        return tr_ascii_is_alnum(c) || c == '-' ? TR_RDF_GUARD_LANGUAGE
                                                : first_of_token(guard, c);
    case TR_RDF_GUARD_CARETS:
        return after_carets(guard, c);
    case TR_RDF_GUARD_UNDERSCORE:
        return c == ':' ? TR_RDF_GUARD_LABEL_START : after_word(guard, c);
    case TR_RDF_GUARD_LABEL_START:
        return after_colon(guard, c);
    case TR_RDF_GUARD_IRI:
        if (c == '<' && guard->token_len == 1)
            tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX, TR_RDF_NO_STAR);
        return c == '>' ? TR_RDF_GUARD_BETWEEN : TR_RDF_GUARD_IRI;
    case TR_RDF_GUARD_COMMENT:
        return c == '\n' || c == '\r' ? TR_RDF_GUARD_BETWEEN
                                      : TR_RDF_GUARD_COMMENT;
    case TR_RDF_GUARD_QUOTE:
        return after_quote(guard, c);
    case TR_RDF_GUARD_QUOTES:
        return after_quotes(guard, c);
    case TR_RDF_GUARD_SHORT:
    case TR_RDF_GUARD_LONG:
        return in_string(guard, c);
    case TR_RDF_GUARD_SHORT_ESCAPE:
        return TR_RDF_GUARD_SHORT;
    case TR_RDF_GUARD_LONG_ESCAPE:
        return TR_RDF_GUARD_LONG;
    case TR_RDF_GUARD_STRING_END:
        return after_string(guard, c);
    }
    return TR_RDF_GUARD_BETWEEN;
}

/* The dot was held back: a full stop is set apart from the number. */
static void release_dot(struct tr_rdf_turtle_guard *guard, char c)
{
    if (!tr_ascii_is_digit(c) && c != 'e' && c != 'E') {
        enqueue(guard, ' ');
        guard->state = TR_RDF_GUARD_BETWEEN;
        follow_statement(guard, '.');
    }
    enqueue(guard, '.');
}

/* serd takes a NUL for the end of the text; only strings may have one. */
static void enqueue_nul(struct tr_rdf_turtle_guard *guard)
{
    static const char escaped[] = "\\u0000";
    if (guard->state != TR_RDF_GUARD_SHORT && guard->state != TR_RDF_GUARD_LONG)
        tr_rdf_turtle_guard_fail(guard, TR_E_SYNTAX,
                                 "the text has a NUL character");
    for (const char *c = escaped; *c; c++)
        enqueue(guard, *c);
}

static char dequeue(struct tr_rdf_turtle_guard *guard)
{
    char c = guard->queue[guard->queue_at++];
    if (--guard->queued == 0)
        guard->queue_at = 0;
    return c;
}

/* Queues what serd is to see instead of, or besides, `c`. */
TR_NOINLINE static void enqueue_changed(struct tr_rdf_turtle_guard *guard,
                                        char c)
{
    if (c == '\0')
        enqueue_nul(guard);
    else if (!guard->is_held)
        enqueue(guard, c);
    if (guard->state == TR_RDF_GUARD_LABEL_START)
        enqueue(guard, TR_RDF_GUARD_LABEL);
}

/* Takes bytes in until there is one for serd. */
static bool step(struct tr_rdf_turtle_guard *guard, char *out)
{
    char c = '\0';
    while (guard->queued == 0) {
        if (!next_byte(guard, &c)) {
            if (guard->state != TR_RDF_GUARD_NUMBER_DOT ||
                guard->status != TR_OK)
                return false;
            release_dot(guard, ' ');
            break;
        }
        if (guard->state == TR_RDF_GUARD_NUMBER_DOT)
            release_dot(guard, c);
        guard->is_held = false;
        guard->state = next_state(guard, c);
        if (guard->state != TR_RDF_GUARD_COMMENT && !guard->is_held &&
            ++guard->token_len > TR_LIMIT_RDF_TERM)
            tr_rdf_turtle_guard_fail(guard, TR_E_LIMIT,
                                     "a term longer than 16 MiB");
        if (guard->status != TR_OK)
            return false;
        if (c && guard->queued == 0 && !guard->is_held &&
            guard->state != TR_RDF_GUARD_LABEL_START) {
            *out = c;
            return true;
        }
        enqueue_changed(guard, c);
    }
    *out = dequeue(guard);
    return guard->status == TR_OK;
}

size_t tr_rdf_turtle_guard_read(void *to, size_t size, size_t count,
                                void *context)
{
    struct tr_rdf_turtle_guard *guard = context;
    char *out = to;
    (void)size;
    (void)count;
    if (guard->queued) {
        *out = dequeue(guard);
        return 1;
    }
    return step(guard, out);
}
