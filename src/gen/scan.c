#include "gen/scan.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/vec.h"

#include <stdlib.h>

#define NOWHERE ((size_t)-1)

/* LUAI_MAXCCALLS: brackets and blocks in each other that Lua takes. */
#define DEPTH_MAX 200

enum token_kind { END, NAME, STRING, NUMBER, SYMBOL };

struct token {
    enum token_kind kind;
    size_t from;
    size_t to;
    size_t lead;  /* where its line begins, or the comments right above it */
    tr_str value; /* of a string without escapes: what it is */
    bool is_long; /* a string of several lines */
};

struct lexer {
    tr_str text;
    size_t at;
    bool has_long_text;
    struct token token; /* the last one that was read */
    struct tr_err *err;
};

static char peek(const struct lexer *l, size_t ahead)
{
    return l->at + ahead < l->text.len ? l->text.ptr[l->at + ahead] : '\0';
}

static tr_status fail_at(const struct lexer *l, size_t at, const char *what)
{
    return tr_fail_in(l->err, TR_E_INVALID, l->text, at, "%s", what);
}

/* Either, and both together in either order, end one line. */
static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static void skip_line_end(struct lexer *l)
{
    char other = peek(l, 0) == '\n' ? '\r' : '\n';
    l->at++;
    if (peek(l, 0) == other)
        l->at++;
}

/* How many = a long bracket has that begins here; -1: none does. */
static int long_level(const struct lexer *l)
{
    int level = 0;
    if (peek(l, 0) != '[')
        return -1;
    while (peek(l, 1 + (size_t)level) == '=')
        level++;
    return peek(l, 1 + (size_t)level) == '[' ? level : -1;
}

/* Goes behind the end of a long bracket; `inner` is what stands in it. */
static tr_status skip_long(struct lexer *l, int level, tr_str *inner)
{
    size_t begin = l->at;
    size_t marks = (size_t)level + 2;
    size_t from = begin + marks;
    for (l->at = from; l->at < l->text.len; l->at++) {
        size_t i = 1;
        l->has_long_text |= is_line_end(l->text.ptr[l->at]);
        if (l->text.ptr[l->at] != ']')
            continue;
        while (i + 1 < marks && peek(l, i) == '=')
            i++;
        if (i + 1 != marks || peek(l, i) != ']')
            continue;
        *inner = (tr_str){l->text.ptr + from, l->at - from};
        l->at += marks;
        return TR_OK;
    }
    return fail_at(l, begin, "a long string or comment does not end");
}

static tr_status skip_comment(struct lexer *l)
{
    tr_str inner;
    l->at += 2;
    int level = long_level(l);
    if (level >= 0)
        return skip_long(l, level, &inner);
    while (l->at < l->text.len && !is_line_end(l->text.ptr[l->at]))
        l->at++;
    return TR_OK;
}

/* Skips white space and comments, and notes where what follows begins: with the
 * comments that stand right above it, without a line between. */
static tr_status skip_space(struct lexer *l, size_t *lead)
{
    size_t above = NOWHERE;
    size_t line = l->at == 0 ? 0 : NOWHERE;
    bool is_blank = true; /* the line so far */
    for (;;) {
        char c = peek(l, 0);
        if (is_line_end(c)) {
            above = is_blank && line != NOWHERE ? NOWHERE : above;
            skip_line_end(l);
            line = l->at;
            is_blank = true;
        } else if (c && strchr(" \t\f\v", c)) {
            l->at++;
        } else if (c == '-' && peek(l, 1) == '-') {
            if (line != NOWHERE && is_blank && above == NOWHERE)
                above = line;
            is_blank = false;
            TR_TRY(skip_comment(l));
        } else {
            break;
        }
    }
    *lead = above != NOWHERE              ? above
            : line != NOWHERE && is_blank ? line
                                          : l->at;
    return TR_OK;
}

/* An escape of a quoted string: what could hide its end. */
static void skip_escape(struct lexer *l)
{
    char c = peek(l, 1);
    l->at++;
    l->has_long_text |= is_line_end(c) || c == 'z';
    if (is_line_end(c))
        skip_line_end(l);
    else if (l->at < l->text.len)
        l->at++;
    while (c == 'z' && peek(l, 0) && strchr(" \t\r\n\f\v", peek(l, 0)))
        l->at++;
}

static tr_status read_quoted(struct lexer *l, struct token *token)
{
    char quote = peek(l, 0);
    bool is_plain = true;
    l->at++;
    while (l->at < l->text.len && l->text.ptr[l->at] != quote) {
        char c = l->text.ptr[l->at];
        if (is_line_end(c))
            break;
        if (c == '\\') {
            is_plain = false;
            skip_escape(l);
        } else {
            l->at++;
        }
    }
    if (l->at >= l->text.len || l->text.ptr[l->at] != quote)
        return fail_at(l, token->from, "a string does not end");
    if (is_plain)
        token->value =
            (tr_str){l->text.ptr + token->from + 1, l->at - token->from - 1};
    l->at++;
    return TR_OK;
}

static bool is_name_char(char c)
{
    return tr_ascii_is_alnum(c) || c == '_';
}

/* As Lua reads them: whatever may be in one, and signs of exponents. */
static void skip_number(struct lexer *l)
{
    bool is_hex = peek(l, 0) == '0' && (peek(l, 1) | 0x20) == 'x';
    char mark = is_hex ? 'p' : 'e';
    while (is_name_char(peek(l, 0)) || peek(l, 0) == '.') {
        bool is_mark = (peek(l, 0) | 0x20) == mark;
        l->at++;
        if (is_mark && (peek(l, 0) == '+' || peek(l, 0) == '-'))
            l->at++;
    }
}

/* Of those with several characters, the ones that have a point or a colon: a
 * name behind a single one is a member of something. */
static void skip_symbol(struct lexer *l)
{
    char c = peek(l, 0);
    l->at++;
    while ((c == '.' || c == ':') && peek(l, 0) == c)
        l->at++;
}

static tr_status next(struct lexer *l)
{
    struct token token = {.kind = SYMBOL};
    TR_TRY(skip_space(l, &token.lead));
    token.from = l->at;
    char c = peek(l, 0);
    int level = long_level(l);
    tr_status status = TR_OK;
    if (l->at == l->text.len) {
        token.kind = END;
    } else if (c == '"' || c == '\'') {
        token.kind = STRING;
        status = read_quoted(l, &token);
    } else if (level >= 0) {
        token.kind = STRING;
        status = skip_long(l, level, &token.value);
    } else if (tr_ascii_is_digit(c) ||
               (c == '.' && tr_ascii_is_digit(peek(l, 1)))) {
        token.kind = NUMBER;
        skip_number(l);
    } else if (is_name_char(c)) {
        token.kind = NAME;
        while (is_name_char(peek(l, 0)))
            l->at++;
    } else {
        skip_symbol(l);
    }
    token.to = l->at;
    l->token = token;
    return status;
}

static tr_str text_of(const struct lexer *l, const struct token *token)
{
    return (tr_str){l->text.ptr + token->from, token->to - token->from};
}

static bool is_word(const struct lexer *l, const char *word)
{
    return l->token.kind == NAME &&
           tr_str_eq(text_of(l, &l->token), tr_str_from(word));
}

static bool is_symbol(const struct lexer *l, char c)
{
    return l->token.kind == SYMBOL && l->token.to - l->token.from == 1 &&
           l->text.ptr[l->token.from] == c;
}

bool tr_gen_is_reserved(tr_str name)
{
    static const char *const words[] = {
        "and",    "break",    "do",   "else", "elseif", "end",   "false", "for",
        "goto",   "function", "if",   "in",   "local",  "nil",   "not",   "or",
        "repeat", "return",   "then", "true", "until",  "while",
    };
    for (size_t i = 0; i < TR_LEN(words); i++) {
        if (tr_str_eq(name, tr_str_from(words[i])))
            return true;
    }
    return false;
}

/* What declares something that has a name. */
static bool is_declarer(tr_str name)
{
    static const char *const words[] = {
        "capability", "node_type",         "policy", "prompt", "resource",
        "shape",      "resource_template",
    };
    for (size_t i = 0; i < TR_LEN(words); i++) {
        if (tr_str_eq(name, tr_str_from(words[i])))
            return true;
    }
    return false;
}

/* How far a declaration has been read: word "name" {...}, where the name may
 * stand in brackets, and so may the table. */
enum step { NO_DECLARATION, AFTER_WORD, IN_BRACKET, AFTER_NAME, IN_TABLE };

/* What a walk through the tokens knows. */
struct walk {
    struct lexer lexer;
    struct tr_arena *arena;
    struct tr_gen_outline *out;
    char open[DEPTH_MAX]; /* brackets, and 'e' or 'u' for what `end` or `until`
                             closes */
    size_t opened[DEPTH_MAX];
    size_t depth;
    bool ends_statement; /* the last token may be the last of one */
    bool is_member;      /* it was a . or : */
    enum step step;
    size_t step_depth;
    struct tr_gen_declaration found;
    bool is_statement;
    int local; /* 1: a name of a local follows, 2: a comma may */
};

static tr_status fail_memory(const struct walk *w)
{
    return tr_fail(w->lexer.err, TR_E_NOMEM, "no memory to read a Lua file");
}

static tr_status open_one(struct walk *w, char closes)
{
    if (w->depth == DEPTH_MAX)
        return tr_fail_in(
            w->lexer.err, TR_E_LIMIT, w->lexer.text, w->lexer.token.from,
            "more than %d brackets and blocks in each other", DEPTH_MAX);
    w->opened[w->depth] = w->lexer.token.from;
    w->open[w->depth++] = closes;
    return TR_OK;
}

static tr_status close_one(struct walk *w, char closes)
{
    if (w->depth && w->open[w->depth - 1] == closes) {
        w->depth--;
        return TR_OK;
    }
    return fail_at(&w->lexer, w->lexer.token.from,
                   "a bracket or block ends that has not begun");
}

static tr_status nest(struct walk *w)
{
    static const struct {
        const char *word;
        char opens;
        char closes;
    } rows[] = {
        {"function", 'e', 0}, {"do", 'e', 0},  {"if", 'e', 0},
        {"repeat", 'u', 0},   {"end", 0, 'e'}, {"until", 0, 'u'},
        {"(", ')', 0},        {"[", ']', 0},   {"{", '}', 0},
        {")", 0, ')'},        {"]", 0, ']'},   {"}", 0, '}'},
    };
    tr_str token = text_of(&w->lexer, &w->lexer.token);
    if (w->lexer.token.kind != NAME && w->lexer.token.kind != SYMBOL)
        return TR_OK;
    for (size_t i = 0; i < TR_LEN(rows); i++) {
        if (tr_str_eq(token, tr_str_from(rows[i].word)))
            return rows[i].opens ? open_one(w, rows[i].opens)
                                 : close_one(w, rows[i].closes);
    }
    return TR_OK;
}

static tr_status keep(struct walk *w, size_t end)
{
    w->step = NO_DECLARATION;
    w->found.end = w->is_statement ? end : 0;
    if (w->out->count == TR_LIMIT_GEN_DECLARATIONS)
        return tr_fail(w->lexer.err, TR_E_LIMIT,
                       "a file has at most %zu declarations",
                       TR_LIMIT_GEN_DECLARATIONS);
    if (!tr_vec_room(w->arena, &w->out->declarations, w->out->count,
                     &w->out->cap, sizeof(w->found)))
        return fail_memory(w);
    w->out->declarations[w->out->count++] = w->found;
    return TR_OK;
}

/* One token more of a declaration; it has changed the depth already. */
static tr_status step_on(struct walk *w)
{
    const struct token *token = &w->lexer.token;
    bool is_name = token->kind == STRING;
    switch (w->step) {
    case AFTER_WORD:
        w->found.name = token->value;
        w->step = is_name                     ? AFTER_NAME
                  : is_symbol(&w->lexer, '(') ? IN_BRACKET
                                              : NO_DECLARATION;
        return TR_OK;
    case IN_BRACKET: /* of something else than a text nothing is known */
        if (is_name)
            w->found.name = token->value;
        else
            w->step = w->depth == w->step_depth ? AFTER_NAME : NO_DECLARATION;
        return TR_OK;
    case AFTER_NAME:
        if (is_symbol(&w->lexer, '{') || is_symbol(&w->lexer, '('))
            w->step = IN_TABLE;
        else
            return keep(w, 0);
        return TR_OK;
    case IN_TABLE:
        return w->depth == w->step_depth ? keep(w, token->to) : TR_OK;
    case NO_DECLARATION:
    default:
        return TR_OK;
    }
}

static void begin_declaration(struct walk *w)
{
    tr_str word = text_of(&w->lexer, &w->lexer.token);
    if (w->step != NO_DECLARATION || w->lexer.token.kind != NAME ||
        w->is_member || !is_declarer(word))
        return;
    w->step = AFTER_WORD;
    w->step_depth = w->depth;
    w->found = (struct tr_gen_declaration){.word = word};
    w->is_statement = w->depth == 0 && w->ends_statement;
}

/* local a <const>, b = ...; local function f */
static tr_status note_local(struct walk *w)
{
    const struct token *token = &w->lexer.token;
    struct tr_gen_local local = {text_of(&w->lexer, token), token->from};
    if (w->depth == 0 && is_word(&w->lexer, "local")) {
        w->local = 1;
    } else if (w->local == 1 && token->kind == NAME) {
        bool is_function = is_word(&w->lexer, "function");
        w->local = is_function ? 1 : 2;
        if (!is_function &&
            !tr_vec_room(w->arena, &w->out->locals, w->out->local_count,
                         &w->out->local_cap, sizeof(local)))
            return fail_memory(w);
        if (!is_function)
            w->out->locals[w->out->local_count++] = local;
    } else if (w->local == 2 && is_symbol(&w->lexer, ',')) {
        w->local = 1;
    } else if (w->local == 2 && !is_symbol(&w->lexer, '<') &&
               !is_symbol(&w->lexer, '>') && !is_word(&w->lexer, "const") &&
               !is_word(&w->lexer, "close")) {
        w->local = 0;
    }
    return TR_OK;
}

/* Whether a statement may end with the token. */
static bool may_end(const struct lexer *l)
{
    static const char *const ends[] = {")",     "]",    "}",    ";",
                                       "::",    "...",  "end",  "nil",
                                       "break", "true", "false"};
    tr_str text = text_of(l, &l->token);
    for (size_t i = 0; i < TR_LEN(ends); i++) {
        if (tr_str_eq(text, tr_str_from(ends[i])))
            return true;
    }
    return l->token.kind == STRING || l->token.kind == NUMBER ||
           (l->token.kind == NAME && !tr_gen_is_reserved(text));
}

/* What a token tells of the next one. */
static void note_token(struct walk *w)
{
    w->ends_statement = may_end(&w->lexer);
    w->is_member = is_symbol(&w->lexer, '.') || is_symbol(&w->lexer, ':');
}

static tr_status take_token(struct walk *w)
{
    if (w->depth == 0 && is_word(&w->lexer, "return") && !w->is_member &&
        !w->out->is_returned) {
        w->out->is_returned = true;
        w->out->end = w->lexer.token.lead;
    }
    TR_TRY(note_local(w));
    begin_declaration(w);
    bool begins = w->step == AFTER_WORD &&
                  w->found.word.ptr == w->lexer.text.ptr + w->lexer.token.from;
    TR_TRY(nest(w));
    if (!begins)
        TR_TRY(step_on(w));
    note_token(w);
    return TR_OK;
}

static tr_status walk_all(struct walk *w)
{
    TR_TRY(next(&w->lexer));
    while (w->lexer.token.kind != END) {
        TR_TRY(take_token(w));
        TR_TRY(next(&w->lexer));
    }
    if (w->depth)
        return fail_at(&w->lexer, w->opened[w->depth - 1],
                       "a bracket or block does not end");
    return w->step >= AFTER_NAME ? keep(w, 0) : TR_OK;
}

tr_status tr_gen_scan(tr_str text, struct tr_arena *arena,
                      struct tr_gen_outline *out, struct tr_err *err)
{
    struct walk w = {
        .lexer = {.text = text, .err = err},
        .arena = arena,
        .out = out,
        .ends_statement = true,
    };
    *out = (struct tr_gen_outline){.end = text.len};
    return walk_all(&w);
}

bool tr_gen_scan_uses(tr_str text, tr_str name)
{
    struct lexer l = {.text = text};
    bool is_member = false;
    bool was_it = false;
    while (next(&l) == TR_OK) {
        if (was_it && !is_symbol(&l, '='))
            return true;
        was_it = l.token.kind == NAME && !is_member &&
                 tr_str_eq(text_of(&l, &l.token), name);
        is_member = is_symbol(&l, '.') || is_symbol(&l, ':');
        if (l.token.kind == END)
            break;
    }
    return false;
}

bool tr_gen_scan_has_long_text(tr_str text)
{
    struct lexer l = {.text = text};
    while (next(&l) == TR_OK && l.token.kind != END)
        continue;
    return l.has_long_text;
}
