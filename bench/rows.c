/*
 * bench/rows.c - whole rows through the whole server: any of 200,000 records,
 * so that most pages are in no cache of ours, and a hundred of them again and
 * again; beside MCP Toolbox over a plain SQLite table of the same records. Both
 * get the same bytes over 16 connections. Provenance is on.
 */
#include "rows.h"

#include "base/limits.h"
#include "drive.h"

#define APP         "bench/rows_app"
#define CONNECTIONS 16
#define ROUNDS      5
#define PAGE        100
#define PAGES       (TR_BENCH_RECORDS / PAGE)
#define NEXT_BYTES  512
#define NAME_BYTES  64
#define LOOKED_AT   20 /* answers */

#define LOADED  20000 /* requests until memory is looked at */
#define LONGER  10    /* times as many until it is looked at again */
#define MIXED   4     /* questions that come in turn then */
#define MOST_MB 40
#define MEMORY  "rows: memory"

/* Every whole row and every label has it. */
#define TITLE "of the gateway in hall"

enum { OURS, TOOLBOX, SIDES };

struct side {
    struct tr_bench_server server;
    const struct question *questions; /* asked in turn */
    size_t count;
    bool is_rival;
    bool is_hot;
    bool is_alone; /* one connection: `number` is what was asked last */
    size_t number;
    uint64_t turn;
    char (*pages)[NEXT_BYTES]; /* the URIs of the pages of labels */
    size_t page;
};

/* Writes the arguments of a tool, or the URI of a resource. */
typedef void put_fn(struct tr_buf *out, const struct side *side, size_t number);

static void put_id(struct tr_buf *out, const struct side *side, size_t number)
{
    char id[TR_BENCH_ID];
    (void)side;
    tr_bench_record_id(number, id);
    tr_buf_putf(out, "\"id\":\"%s\"", id);
}

static void put_node(struct tr_buf *out, const struct side *side, size_t number)
{
    char id[TR_BENCH_ID];
    (void)side;
    tr_bench_record_id(number, id);
    tr_buf_putf(out, "trails://kg/Record/%s", id);
}

static void put_two(struct tr_buf *out, const char *field, const char *value,
                    size_t number)
{
    char connection[TR_BENCH_ID];
    tr_bench_connection(number, connection);
    tr_buf_putf(out, "\"%s\":\"%s\",\"connection\":\"%s\"", field, value,
                connection);
}

static void put_pair(struct tr_buf *out, const struct side *side, size_t number)
{
    char stream[TR_BENCH_ID];
    (void)side;
    tr_bench_stream(number, stream);
    put_two(out, "stream", stream, number);
}

static void put_batch(struct tr_buf *out, const struct side *side,
                      size_t number)
{
    char batch[TR_BENCH_ID];
    (void)side;
    tr_bench_batch(number, batch);
    put_two(out, "batch", batch, number);
}

/* The page that begins with a record: after the one before it. */
static void put_after(struct tr_buf *out, const struct side *side, size_t page)
{
    char id[TR_BENCH_ID] = "";
    (void)side;
    if (page)
        tr_bench_record_id(page * PAGE - 1, id);
    tr_buf_putf(out, "\"after\":\"%s\"", id);
}

static void put_page(struct tr_buf *out, const struct side *side, size_t page)
{
    tr_buf_putf(out, "%s", side->pages[page]);
}

/*
 * A row for any of `range`, and one for `hot` of them. By two fields, both of
 * which must hold: the rarer one has 50 records, or a thousand. To come:
 * - an ordered range, 25 rows from a random rank, once a filter has an order:
 *   a tool in the app and in rows_rival.yaml, and an index on `rank` there;
 * - 25 by two fields with a composite index, at least 7 x, once a type has
 *   `indexes`: a second app, with a store of its own.
 */
static const struct question {
    const char *name;
    const char *tool; /* asked of the rival, and of us unless there is a URI */
    put_fn *arguments;
    put_fn *uri;
    size_t range;
    size_t hot;       /* 0: no row */
    const char *mark; /* of every row of an answer */
    size_t rows;
    size_t count;  /* requests of a round */
    double target; /* how many times faster ours has to be */
} questions[] = {
    {"rows: get in Lua", "get_record", put_id, NULL, TR_BENCH_RECORDS, 100,
     TITLE, 1, 20000, 9},
    {"rows: get a resource", "get_record", put_id, put_node, TR_BENCH_RECORDS,
     100, TITLE, 1, 20000, 9},
    {"rows: 25 by two fields", "find_records", put_pair, NULL, TR_BENCH_PAIRS,
     4, TITLE, 25, 4000, 3.5},
    {"rows: 100 labels", "list_records", put_after, put_page, PAGES, 1, TITLE,
     PAGE, 8000, 9},
    {"rows: 25 of a thousand", "find_batch", put_batch, NULL, TR_BENCH_PAIRS, 4,
     TITLE, 25, 800, 1},
    {.name = "rows: tools/list",
     .range = 1,
     .mark = "\"inputSchema\"",
     .rows = 4,
     .count = 20000,
     .target = 5},
};

/* Far from the last one, and both sides ask for the same. */
static size_t next_number(const struct side *side,
                          const struct question *question)
{
    size_t count = side->is_hot ? question->hot : question->range;
    return (size_t)(tr_bench_chance(side->turn) % count) *
           (question->range / count);
}

static void ask(struct load_conn *conn, void *data)
{
    struct side *side = data;
    const struct question *question =
        &side->questions[side->turn++ % side->count];
    bool is_read = question->uri && !side->is_rival;
    struct tr_buf text;
    tr_buf_init(&text, TR_KIB(4));
    side->number = next_number(side, question);
    if (question->tool) {
        put_fn *put = is_read ? question->uri : question->arguments;
        put(&text, side, side->number);
        tr_buf_putc(&text, '\0');
    }
    if (!question->tool)
        tr_bench_drive_list(conn);
    else if (is_read)
        tr_bench_drive_read(conn, text.ptr);
    else
        tr_bench_drive_call(conn, question->tool, text.ptr);
    tr_buf_done(&text);
}

static size_t count_marks(tr_str text, const char *mark)
{
    size_t seen = 0;
    size_t len = strlen(mark);
    for (const char *at = text.ptr, *end = at + text.len;
         (at = memmem(at, (size_t)(end - at), mark, len)); at += len)
        seen++;
    return seen;
}

/* Whether it is what was asked for, by the title of one of its rows. */
static bool is_right(const struct side *side, tr_str body)
{
    bool is_page = side->questions->uri == put_page;
    struct tr_bench_record one;
    if (!side->questions->tool)
        return true;
    tr_bench_record(is_page ? side->number * PAGE : side->number, &one);
    return count_marks(body, one.title) > 0;
}

/* All the rows are in it; ours may say them twice, as text and as JSON. */
static bool take(struct load *load, tr_str body, void *data)
{
    const struct side *side = data;
    size_t rows = side->count == 1 ? side->questions->rows : 1;
    size_t seen = count_marks(body, side->questions->mark);
    (void)load;
    return seen && seen % rows == 0 &&
           (!side->is_alone || is_right(side, body));
}

static void ask_page(struct load_conn *conn, void *data)
{
    struct side *side = data;
    tr_bench_drive_read(conn, side->pages[side->page]);
}

/* Each page says where the next one is. */
static bool take_page(struct load *load, tr_str body, void *data)
{
    struct side *side = data;
    const struct tr_json *root = load_parse(load, body);
    tr_str next = load_text(root, "/result/contents/0/_meta/next");
    if (++side->page == PAGES)
        return true;
    (void)snprintf(side->pages[side->page], NEXT_BYTES, "%.*s", TR_FMT(next));
    return next.len && next.len < NEXT_BYTES;
}

static bool find_pages(struct side *side)
{
    struct tr_bench_drive drive = {&side->server, 1, ask_page, take_page, side};
    side->page = 0;
    (void)snprintf(side->pages[0], NEXT_BYTES, "trails://kg/Record");
    return tr_bench_drive(&drive, PAGES) >= 0;
}

static double drive_side(struct side *side, size_t count)
{
    struct tr_bench_drive drive = {&side->server, CONNECTIONS, ask, take, side};
    return tr_bench_drive(&drive, count);
}

/* What both answer is looked at before it is measured. */
static bool prepare(struct side *side, const struct question *question,
                    bool is_hot)
{
    struct tr_bench_drive drive = {&side->server, 1, ask, take, side};
    side->questions = question;
    side->count = 1;
    side->is_hot = is_hot;
    side->turn = 0;
    side->is_alone = true;
    bool good = !side->server.pid || tr_bench_drive(&drive, LOOKED_AT) >= 0;
    side->is_alone = false;
    return good;
}

/* The best of each, in turns; where there is no rival, ours alone. */
static bool measure(struct side sides[SIDES], double best_ns[SIDES])
{
    best_ns[OURS] = best_ns[TOOLBOX] = 1e18;
    for (int i = 0; i < SIDES * (ROUNDS + 1); i++) {
        struct side *side = &sides[i % SIDES];
        size_t count = side->questions->count / (side->is_rival ? 4 : 1);
        if (!side->server.pid)
            continue;
        double ns = drive_side(side, count);
        if (ns < 0)
            return false;
        if (i >= SIDES && ns < best_ns[i % SIDES]) /* the first one warms up */
            best_ns[i % SIDES] = ns;
    }
    return true;
}

static void name_row(const struct question *question, bool is_hot,
                     char name[NAME_BYTES])
{
    const char *any = question->hot ? ", any" : "";
    (void)snprintf(name, NAME_BYTES, "%s%s", question->name,
                   is_hot ? ", hot" : any);
}

static bool is_asked(const struct question *question, bool is_hot,
                     const char *only)
{
    char name[NAME_BYTES];
    name_row(question, is_hot, name);
    return (!is_hot || question->hot) && strstr(name, only);
}

static bool report(struct side sides[SIDES], const struct question *question,
                   bool is_hot, const char *why)
{
    char name[NAME_BYTES];
    double ns[SIDES];
    name_row(question, is_hot, name);
    if (!prepare(&sides[OURS], question, is_hot) ||
        !prepare(&sides[TOOLBOX], question, is_hot) || !measure(sides, ns))
        return false;
    struct tr_bench_ratio row = {name, "Toolbox", ns[OURS], ns[TOOLBOX],
                                 question->target};
    if (sides[TOOLBOX].server.pid)
        return tr_bench_report_ratio(&row);
    tr_bench_report_skipped(&row, why);
    return true;
}

/* After a long while it must be no more than after a while. */
static bool report_memory(struct side *side)
{
    bool met = true;
    side->questions = questions;
    side->count = MIXED;
    side->is_hot = false;
    side->turn = 0;
    for (size_t asked = 0, i = 0; i < 2; i++) {
        char name[NAME_BYTES];
        size_t wanted = i ? LOADED * LONGER : LOADED;
        if (drive_side(side, wanted - asked) < 0)
            return false;
        asked = wanted;
        (void)snprintf(name, sizeof(name), MEMORY ", %zuk asked", asked / 1000);
        double bytes = tr_bench_rss(side->server.pid);
        met = tr_bench_report_most(name, "MB", bytes / 1e6, MOST_MB) && met;
        (void)fflush(stdout);
    }
    return met;
}

/* A server that nobody has asked anything yet. */
static bool bench_memory(struct side *side)
{
    bool met = tr_bench_records_start(APP, &side->server) && find_pages(side) &&
               report_memory(side);
    tr_bench_records_stop(&side->server);
    return met;
}

static bool bench_questions(struct side sides[SIDES], const char *only)
{
    char why[128];
    bool met = true;
    sides[TOOLBOX].is_rival = true;
    if (!tr_bench_toolbox_start(&sides[TOOLBOX].server, why, sizeof(why)))
        tr_bench_server_stop(&sides[TOOLBOX].server);
    bool started = tr_bench_records_start(APP, &sides[OURS].server) &&
                   find_pages(&sides[OURS]);
    for (size_t i = 0; started && i < 2 * TR_LEN(questions); i++) {
        const struct question *question = &questions[i / 2];
        if (is_asked(question, i % 2, only))
            met = report(sides, question, i % 2, why) && met;
        (void)fflush(stdout);
    }
    tr_bench_records_stop(&sides[OURS].server);
    tr_bench_server_stop(&sides[TOOLBOX].server);
    return started && met;
}

bool tr_bench_rows(const char *only)
{
    static char pages[PAGES][NEXT_BYTES];
    struct side sides[SIDES] = {{.pages = pages}, {.pages = pages}};
    bool met = true;
    size_t asked = 0;
    for (size_t i = 0; i < 2 * TR_LEN(questions); i++)
        asked += is_asked(&questions[i / 2], i % 2, only);
    if (asked)
        met = bench_questions(sides, only);
    if (strstr(MEMORY, only))
        met = bench_memory(&sides[OURS]) && met;
    return met;
}
