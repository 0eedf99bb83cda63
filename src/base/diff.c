#include "base/diff.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/limits.h"

#define CONTEXT 3
#define NOWHERE (-1)

/* Where a line begins; most lines that differ do so in their hash. */
struct line {
    uint32_t start;
    uint32_t hash;
};

struct side {
    tr_str text;
    struct line *lines; /* one more than there are: where the last one ends */
    int32_t count;
    bool *changed; /* by line */
};

/* Lines of the one text that are compared with lines of the other. */
struct box {
    int32_t a;
    int32_t a_end;
    int32_t b;
    int32_t b_end;
};

/*
 * How far one gets from a corner of a box with a number of changes: by
 * diagonal, which is x - y, the x that is reached, or NOWHERE. What x and y
 * count is seen from that corner.
 */
struct front {
    int32_t *reach; /* at 0 is diagonal 0 */
    int32_t changes;
    bool is_backward;
};

struct work {
    struct tr_arena arena;
    struct side a;
    struct side b;
    int32_t *reach[2]; /* room for the two fronts, with their diagonal 0 first
                          behind all that can be negative */
    size_t steps;
};

static tr_str line_text(const struct side *side, int32_t i)
{
    uint32_t start = side->lines[i].start;
    return (tr_str){side->text.ptr + start, side->lines[i + 1].start - start};
}

static bool is_same(const struct work *w, int32_t i, int32_t j)
{
    return w->a.lines[i].hash == w->b.lines[j].hash &&
           tr_str_eq(line_text(&w->a, i), line_text(&w->b, j));
}

/* Whether the lines at x and y, from the corner of a front, are the same. */
static bool is_same_from(const struct work *w, const struct box *box,
                         const struct front *front, int32_t x, int32_t y)
{
    return front->is_backward
               ? is_same(w, box->a_end - 1 - x, box->b_end - 1 - y)
               : is_same(w, box->a + x, box->b + y);
}

/* Where diagonal k begins: one change away from a neighbour, as far as one can
 * get, and inside the box of n by m. */
static int32_t enter(const struct front *front, int32_t k, int32_t n, int32_t m)
{
    int32_t d = front->changes;
    if (d == 0)
        return 0;
    int32_t left = k > -d && k > -m ? front->reach[k - 1] : NOWHERE;
    int32_t above = k < d && k < n ? front->reach[k + 1] : NOWHERE;
    int32_t x = left != NOWHERE && left < n ? left + 1 : NOWHERE;
    if (above != NOWHERE && above - k <= m && above > x)
        x = above;
    return x;
}

/* Whether the other front has come at least as far on the diagonal that is
 * number k from this corner, so that the two ways are one. */
static bool has_met(const struct front *other, int32_t k, int32_t x, int32_t n,
                    int32_t m)
{
    int32_t across = n - m - k;
    int32_t d = other->changes;
    if (across < -d || across > d || ((across - d) & 1))
        return false;
    int32_t reach = other->reach[across];
    return reach != NOWHERE && x + reach >= n;
}

/* One more change for a front. True when it meets the other, at *x on *k. */
static bool advance(struct work *w, const struct box *box, struct front *front,
                    const struct front *other, int32_t *x_out, int32_t *k_out)
{
    int32_t n = box->a_end - box->a;
    int32_t m = box->b_end - box->b;
    int32_t d = ++front->changes;
    int32_t first = d <= m ? -d : -m + ((d - m) & 1);
    int32_t last = d <= n ? d : n - ((d - n) & 1);
    for (int32_t k = first; k <= last; k += 2) {
        int32_t x = enter(front, k, n, m);
        w->steps++;
        while (x != NOWHERE && x < n && x - k < m &&
               is_same_from(w, box, front, x, x - k)) {
            x++;
            w->steps++;
        }
        front->reach[k] = x;
        if (x != NOWHERE && has_met(other, k, x, n, m)) {
            *x_out = x;
            *k_out = k;
            return true;
        }
    }
    return false;
}

/*
 * A point in the middle of a shortest way through the box: two fronts go from
 * its corners towards each other (E. W. Myers, "An O(ND) Difference Algorithm
 * and Its Variations", 1986, section 4b). False when it takes too long.
 */
static bool split(struct work *w, const struct box *box, int32_t *i, int32_t *j)
{
    struct front fronts[] = {{w->reach[0], -1, false}, {w->reach[1], -1, true}};
    int32_t x = 0;
    int32_t k = 0;
    for (unsigned turn = 0; w->steps < TR_LIMIT_DIFF_WORK; turn ^= 1u) {
        if (!advance(w, box, &fronts[turn], &fronts[turn ^ 1u], &x, &k))
            continue;
        *i = turn ? box->a_end - x : box->a + x;
        *j = turn ? box->b_end - (x - k) : box->b + (x - k);
        return true;
    }
    return false;
}

static void mark(struct work *w, const struct box *box)
{
    for (int32_t i = box->a; i < box->a_end; i++)
        w->a.changed[i] = true;
    for (int32_t j = box->b; j < box->b_end; j++)
        w->b.changed[j] = true;
}

/* Each half has half of the changes, so this is not deeper than 32. */
static void compare(struct work *w, struct box box)
{
    while (box.a < box.a_end && box.b < box.b_end && is_same(w, box.a, box.b)) {
        box.a++;
        box.b++;
    }
    while (box.a < box.a_end && box.b < box.b_end &&
           is_same(w, box.a_end - 1, box.b_end - 1)) {
        box.a_end--;
        box.b_end--;
    }
    int32_t i = 0;
    int32_t j = 0;
    if (box.a == box.a_end || box.b == box.b_end || !split(w, &box, &i, &j)) {
        mark(w, &box);
        return;
    }
    compare(w, (struct box){box.a, i, box.b, j});
    compare(w, (struct box){i, box.a_end, j, box.b_end});
}

static size_t count_lines(tr_str text)
{
    size_t count = text.len && text.ptr[text.len - 1] != '\n';
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '\n';
    return count;
}

static tr_status read_lines(struct work *w, struct side *side, tr_str text,
                            struct tr_err *err)
{
    if (text.len > TR_LIMIT_DIFF_BYTES)
        return tr_fail(err, TR_E_LIMIT,
                       "a text of more than %zu bytes is not compared",
                       TR_LIMIT_DIFF_BYTES);
    size_t count = count_lines(text);
    if (count > TR_LIMIT_DIFF_LINES)
        return tr_fail(err, TR_E_LIMIT,
                       "a text of more than %zu lines is not compared",
                       TR_LIMIT_DIFF_LINES);
    side->text = text;
    side->count = (int32_t)count;
    side->lines = TR_NEW_ARRAY(&w->arena, struct line, count + 1);
    side->changed = TR_NEW_ARRAY(&w->arena, bool, count + 1);
    if (!side->lines || !side->changed)
        return tr_fail(err, TR_E_NOMEM, "no memory to compare texts");
    size_t start = 0;
    for (size_t i = 0; i < count; i++) {
        const char *end = memchr(text.ptr + start, '\n', text.len - start);
        size_t len =
            end ? (size_t)(end - text.ptr) + 1 - start : text.len - start;
        tr_str line = {text.ptr + start, len};
        side->lines[i] =
            (struct line){(uint32_t)start, (uint32_t)tr_hash_bytes(line, 1)};
        start += len;
    }
    side->lines[count].start = (uint32_t)start;
    return TR_OK;
}

static tr_status make_room(struct work *w, struct tr_err *err)
{
    size_t count = (size_t)w->a.count + (size_t)w->b.count + 1;
    for (size_t i = 0; i < TR_LEN(w->reach); i++) {
        int32_t *room = TR_NEW_ARRAY(&w->arena, int32_t, count);
        if (!room)
            return tr_fail(err, TR_E_NOMEM, "no memory to compare texts");
        /* From one corner as from the other, y counts lines of b. */
        w->reach[i] = room + w->b.count;
    }
    return TR_OK;
}

/* Whether `git` would quote a name. */
static bool is_odd(tr_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c < ' ' || c == '"' || c == '\\' || c == 0x7F)
            return true;
    }
    return false;
}

static void put_quoted(struct tr_buf *out, tr_str name)
{
    tr_buf_putc(out, '"');
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        if (c == '"' || c == '\\')
            tr_buf_putf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7F)
            tr_buf_putf(out, "\\%03o", (unsigned)c);
        else
            tr_buf_putc(out, (char)c);
    }
    tr_buf_putc(out, '"');
}

static void put_name(struct tr_buf *out, const char *sign, tr_str name)
{
    tr_buf_putf(out, "%s ", sign);
    if (!name.len)
        tr_buf_put(out, TR_STR("/dev/null"));
    else if (is_odd(name))
        put_quoted(out, name);
    else
        tr_buf_put(out, name);
    /* Without the tab, `patch` takes what stands behind a space for a time. */
    if (name.len && !is_odd(name) && memchr(name.ptr, ' ', name.len))
        tr_buf_putc(out, '\t');
    tr_buf_putc(out, '\n');
}

static void put_line(struct tr_buf *out, char sign, tr_str line)
{
    tr_buf_putc(out, sign);
    tr_buf_put(out, line);
    if (line.ptr[line.len - 1] != '\n')
        tr_buf_put(out, TR_STR("\n\\ No newline at end of file\n"));
}

/* A range that is empty begins at the line before it. */
static void put_range(struct tr_buf *out, int32_t from, int32_t to)
{
    int32_t count = to - from;
    tr_buf_put_i64(out, count ? from + 1 : from);
    if (count != 1)
        tr_buf_putf(out, ",%d", (int)count);
}

static int32_t end_of_changes(const struct side *side, int32_t i)
{
    while (i < side->count && side->changed[i])
        i++;
    return i;
}

/* How many lines from here on are in both texts. */
static int32_t count_common(const struct work *w, int32_t i, int32_t j)
{
    int32_t count = 0;
    while (i + count < w->a.count && j + count < w->b.count &&
           !w->a.changed[i + count] && !w->b.changed[j + count])
        count++;
    return count;
}

/* Where the hunk that begins with a change at a_end and b_end ends: changes
 * that would share a line of context are in one. */
static void extend(const struct work *w, struct box *hunk)
{
    for (;;) {
        hunk->a_end = end_of_changes(&w->a, hunk->a_end);
        hunk->b_end = end_of_changes(&w->b, hunk->b_end);
        int32_t common = count_common(w, hunk->a_end, hunk->b_end);
        bool is_last = hunk->a_end + common == w->a.count &&
                       hunk->b_end + common == w->b.count;
        bool ends = is_last || common > 2 * CONTEXT;
        int32_t more = ends && common > CONTEXT ? CONTEXT : common;
        hunk->a_end += more;
        hunk->b_end += more;
        if (ends)
            return;
    }
}

static void put_hunk(const struct work *w, struct tr_buf *out, struct box hunk)
{
    tr_buf_put(out, TR_STR("@@ -"));
    put_range(out, hunk.a, hunk.a_end);
    tr_buf_put(out, TR_STR(" +"));
    put_range(out, hunk.b, hunk.b_end);
    tr_buf_put(out, TR_STR(" @@\n"));
    int32_t i = hunk.a;
    int32_t j = hunk.b;
    while (i < hunk.a_end || j < hunk.b_end) {
        if (i < hunk.a_end && w->a.changed[i]) {
            put_line(out, '-', line_text(&w->a, i++));
        } else if (j < hunk.b_end && w->b.changed[j]) {
            put_line(out, '+', line_text(&w->b, j++));
        } else {
            put_line(out, ' ', line_text(&w->a, i++));
            j++;
        }
    }
}

static void put_hunks(const struct work *w, struct tr_buf *out)
{
    int32_t i = 0;
    int32_t j = 0;
    for (;;) {
        int32_t common = count_common(w, i, j);
        int32_t before = common < CONTEXT ? common : CONTEXT;
        i += common;
        j += common;
        if (i == w->a.count && j == w->b.count)
            return;
        struct box hunk = {i - before, i, j - before, j};
        extend(w, &hunk);
        put_hunk(w, out, hunk);
        i = hunk.a_end;
        j = hunk.b_end;
    }
}

tr_status tr_diff_unified(struct tr_buf *out, const struct tr_diff_side *from,
                          const struct tr_diff_side *to, struct tr_err *err)
{
    struct work w = {.steps = 0};
    tr_arena_init(&w.arena, TR_LIMIT_DIFF_MEMORY);
    tr_status status = read_lines(&w, &w.a, from->text, err);
    if (status == TR_OK)
        status = read_lines(&w, &w.b, to->text, err);
    if (status == TR_OK)
        status = make_room(&w, err);
    if (status == TR_OK && !tr_str_eq(from->text, to->text)) {
        compare(&w, (struct box){0, w.a.count, 0, w.b.count});
        put_name(out, "---", from->name);
        put_name(out, "+++", to->name);
        put_hunks(&w, out);
        status = tr_buf_check(out, err);
    }
    tr_arena_done(&w.arena);
    return status;
}
