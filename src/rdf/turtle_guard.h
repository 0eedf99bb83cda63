/*
 * rdf/turtle_guard.h - Turtle and TriG text on its way to serd.
 *
 * serd 0.30 recurses without bound, stops at a NUL, mixes labels of the form
 * b1 with its own, reads `5.` as a string, takes `[] .` for a statement and
 * graphs for Turtle, and wants "x"@en without a space. So it gets one byte at a
 * time from here: the guard follows tokens far enough to bound brackets and
 * lengths, to refuse what serd would take wrongly, and to make the rest
 * unambiguous. It also means that the place of any fault is where the guard
 * stands.
 */
#ifndef TR_RDF_TURTLE_GUARD_H
#define TR_RDF_TURTLE_GUARD_H

#include "base/limits.h"
#include "rdf/source.h"

/* Put before each label of the document; serd's own begin with 'b'. */
#define TR_RDF_GUARD_LABEL 'l'

/* What the next byte belongs to. */
enum tr_rdf_guard_state {
    TR_RDF_GUARD_BETWEEN,     /* the start of a token, or none */
    TR_RDF_GUARD_WORD,        /* a name or a keyword */
    TR_RDF_GUARD_WORD_ESCAPE, /* the character after a backslash in a name */
    TR_RDF_GUARD_NUMBER,
    TR_RDF_GUARD_NUMBER_DOT, /* what tells a decimal point from a full stop */
    TR_RDF_GUARD_KEYWORD,    /* @prefix or @base */
    TR_RDF_GUARD_LANGUAGE,   /* a language tag */
    TR_RDF_GUARD_CARETS,     /* the second caret, or a datatype */
    TR_RDF_GUARD_UNDERSCORE, /* the colon of a blank node, or of a prefix */
    TR_RDF_GUARD_LABEL_START,
    TR_RDF_GUARD_IRI,
    TR_RDF_GUARD_COMMENT,
    TR_RDF_GUARD_QUOTE,  /* the second character of a string */
    TR_RDF_GUARD_QUOTES, /* the third: a long string, or none */
    TR_RDF_GUARD_SHORT,
    TR_RDF_GUARD_SHORT_ESCAPE,
    TR_RDF_GUARD_LONG,
    TR_RDF_GUARD_LONG_ESCAPE,
    TR_RDF_GUARD_STRING_END /* what tells whether a tag or datatype follows */
};

/* Whether the last token is a name, and how much of it has been read. */
enum tr_rdf_guard_name {
    TR_RDF_GUARD_NO_NAME,
    TR_RDF_GUARD_PREFIX,
    TR_RDF_GUARD_PREFIXED
};

/* How much of a statement there has been. */
enum tr_rdf_guard_statement {
    TR_RDF_GUARD_EMPTY,
    TR_RDF_GUARD_OPEN_ANON, /* only a bracket */
    TR_RDF_GUARD_ANON,      /* only `[]` */
    TR_RDF_GUARD_MORE
};

struct tr_rdf_turtle_guard {
    const struct tr_rdf_source *source;
    struct tr_err *err;
    tr_status status; /* what the guard or the source has failed with */
    bool graphs;      /* TriG: braces are allowed */
    enum tr_rdf_guard_state state;
    enum tr_rdf_guard_statement statement;
    enum tr_rdf_guard_name name;
    char prefix[128]; /* of that name; what is longer is serd's concern */
    unsigned prefix_len;

    /* Whether a prefix is declared; NULL: none is checked. serd reports no
     * graph without triples, so the guard checks the prefix of its name. */
    bool (*knows_prefix)(void *context, tr_str prefix);
    void *context;
    char quote;      /* of the string at hand */
    unsigned dots;   /* at the end of the word at hand */
    unsigned quotes; /* in a row, in a long string; or carets after it */
    bool is_held;    /* serd does not get the byte that was taken last */
    bool has_gap;    /* there was space after a string */
    unsigned depth;  /* of brackets */
    size_t token_len;
    size_t offset;     /* bytes that were given */
    size_t line_start; /* the offset of the line of the byte given last */
    size_t line_extra; /* bytes of that line that start no character */
    uint32_t line;
    bool after_newline; /* the next byte starts a line */
    bool is_past;       /* nothing more can be given */
    char queue[16];     /* given before anything else is read */
    unsigned queued;
    unsigned queue_at;
    size_t at;    /* the next byte of `text` to give */
    size_t valid; /* below this `text` is UTF-8 */
    size_t held;  /* how many bytes `text` has */
    bool at_end;
    char text[TR_KIB(16)];
};

void tr_rdf_turtle_guard_init(struct tr_rdf_turtle_guard *guard, bool graphs,
                              const struct tr_rdf_source *source,
                              struct tr_err *err);

/* A SerdSource that gives one byte, or none at the end and after a failure;
 * its context is the guard. */
size_t tr_rdf_turtle_guard_read(void *to, size_t size, size_t count,
                                void *context);

/* A SerdStreamErrorFunc. */
int tr_rdf_turtle_guard_failed(void *guard);

/* Fails at the place where serd stands. The first failure counts. */
void tr_rdf_turtle_guard_fail(struct tr_rdf_turtle_guard *guard,
                              tr_status status, const char *why);

#endif
