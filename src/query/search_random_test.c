#include "base/buf.h"
#include "base/test.h"
#include "graph/node.h"
#include "query/query.h"
#include "support/world.h"

#define NODES     40
#define TEXT_MAX  12 /* words */
#define QUERY_MAX 3

/* What texts are made of, what the index makes of it, and what stands between:
 * few words, so that most occur often. */
static const struct {
    const char *written;
    const char *word;
} vocabulary[] = {
    {"a", "a"},
    {"A", "a"},
    {"ab", "ab"},
    {"Ab", "ab"},
    {"abc", "abc"},
    {"\xC3\x84"
     "b",
     "ab"},
    {"b", "b"},
    {"ba", "ba"},
    {"c\xCC\xA7", "c"},
    {"x1", "x1"},
    {"1", "1"},
    {"\xD0\x96", "\xD0\xB6"},
    {"\xC3\x9F", "\xC3\x9F"},
    {"\xE6\x97\xA5", "\xE6\x97\xA5"},
};
static const char *const between[] = {" ",  " ",  "  ",  "\t", "-",
                                      ", ", " (", "\" ", "* ", "\xE2\x80\x94"};

struct text {
    size_t words[TEXT_MAX];
    bool follows[TEXT_MAX]; /* no white space before it */
    size_t count;
    char written[TEXT_MAX * 8 + 1];
};

static void make_text(struct text *text, size_t max)
{
    struct tr_buf written;
    tr_buf_init_fixed(&written, text->written, sizeof(text->written));
    text->count = (size_t)tr_test_random_below(max + 1);
    for (size_t i = 0; i < text->count; i++) {
        const char *gap = between[tr_test_random_below(TR_LEN(between))];
        text->words[i] = (size_t)tr_test_random_below(TR_LEN(vocabulary));
        text->follows[i] = i > 0 && !strpbrk(gap, " \t");
        if (i > 0)
            tr_buf_put(&written, tr_str_from(gap));
        tr_buf_put(&written, tr_str_from(vocabulary[text->words[i]].written));
    }
    tr_buf_putc(&written, '\0');
    CHECK_OK(tr_buf_check(&written, NULL), NULL);
}

static const char *word_at(const struct text *text, size_t at)
{
    return vocabulary[text->words[at]].word;
}

/* Whether the words of the query from `first` to before `end`, which stand
 * together, are in the text at `at`. */
static bool stands_at(const struct text *text, size_t at,
                      const struct text *query, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++, at++) {
        const char *wanted = word_at(query, i);
        bool is_last = i + 1 == query->count;
        if (at == text->count ||
            (is_last ? strncmp(word_at(text, at), wanted, strlen(wanted))
                     : strcmp(word_at(text, at), wanted)) != 0)
            return false;
    }
    return true;
}

static double score(const struct text *text, const struct text *query)
{
    double sum = 0;
    double norm = 1.2 * (0.25 + 0.75 * (double)text->count / 20);
    for (size_t first = 0; first < query->count;) {
        size_t end = first + 1;
        size_t times = 0;
        while (end < query->count && query->follows[end])
            end++;
        for (size_t at = 0; at < text->count; at++)
            times += stands_at(text, at, query, first, end);
        if (times == 0)
            return 0;
        sum += (double)times * 2.2 / ((double)times + norm);
        first = end;
    }
    return sum;
}

static void add_node(struct world *world, size_t at, bool is_person,
                     const struct text *text)
{
    char turtle[512];
    char quoted[sizeof(text->written) * 2];
    size_t len = 0;
    for (const char *c = text->written; *c; c++) {
        if (*c == '"')
            quoted[len++] = '\\';
        quoted[len++] = *c;
    }
    quoted[len] = '\0';
    (void)snprintf(turtle, sizeof(turtle), "w:n%zu a %s ; %s \"%s\" .", at,
                   is_person ? "w:Person" : "w:Thing",
                   is_person ? "person:name" : "w:title", quoted);
    world_add(world, turtle);
}

struct state {
    struct world world;
    struct text texts[NODES];
    bool is_person[NODES];
    tr_rdf_id ids[NODES];
};

static void make_state(struct state *state)
{
    struct tr_err err = {0};
    world_open(&state->world);
    for (size_t i = 0; i < NODES; i++) {
        make_text(&state->texts[i], TEXT_MAX);
        state->is_person[i] = tr_test_random_below(2) != 0;
        add_node(&state->world, i, state->is_person[i], &state->texts[i]);
    }
    world_land(&state->world);
    struct tr_graph_read_ctx ctx = world_read_ctx(&state->world);
    for (size_t i = 0; i < NODES; i++) {
        char iri[32];
        (void)snprintf(iri, sizeof(iri), "http://w/n%zu", i);
        CHECK_OK(
            tr_graph_node_find(&ctx, tr_str_from(iri), &state->ids[i], &err),
            &err);
    }
}

/* The best of those that are left; ids are in the order of the nodes. */
static size_t best_of(const double scores[NODES])
{
    size_t best = NODES;
    for (size_t i = 0; i < NODES; i++) {
        if (scores[i] > 0 && (best == NODES || scores[i] > scores[best]))
            best = i;
    }
    return best;
}

static void check_search(struct state *state)
{
    struct tr_graph_read_ctx ctx = world_read_ctx(&state->world);
    struct tr_err err = {0};
    struct tr_query_page page = {0};
    struct text query;
    double scores[NODES] = {0};
    bool more = false;
    size_t count = 0;
    bool of_type = tr_test_random_below(2) != 0;
    make_text(&query, QUERY_MAX);
    struct tr_query_search search = {
        .text = tr_str_from(query.written),
        .type = of_type ? world_type(&state->world, "Person") : NULL,
        .limit = 1 + (size_t)tr_test_random_below(NODES),
    };
    for (size_t i = 0; i < NODES; i++) {
        if (!of_type || state->is_person[i])
            scores[i] = score(&state->texts[i], &query);
        count += scores[i] > 0;
    }
    CHECK_OK(tr_query_search(&ctx, &search, &page, &more, &err), &err);
    CHECK(!page.is_partial);
    CHECK_ROW(more == (count > search.limit), query.written);
    CHECK_ROW(page.count == (more ? search.limit : count), query.written);
    for (size_t i = 0; i < page.count; i++) {
        size_t best = best_of(scores);
        bool is_best = best < NODES && page.ids[i] == state->ids[best];
        CHECK_ROW(is_best, query.written);
        if (is_best)
            scores[best] = 0;
    }
}

TEST(search_finds_what_a_naive_search_finds)
{
    static struct state all;
    for (size_t n = tr_test_scaled(400); n > 0; n--) {
        make_state(&all);
        for (size_t i = 0; i < 50; i++)
            check_search(&all);
        world_close(&all.world);
    }
}
