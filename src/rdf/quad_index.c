#include "rdf/quad_index.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* What a sort works on; the result is in `rows` after each step. */
struct sort {
    struct tr_buf rows;
    struct tr_buf spare;
    size_t count;
    uint32_t bound;
};

void tr_rdf_quad_index_init(struct tr_rdf_quad_index *index, size_t max_bytes)
{
    struct tr_rdf_quad_order *orders[] = {&index->spo, &index->pso,
                                          &index->ops};
    for (size_t i = 0; i < TR_LEN(orders); i++) {
        tr_buf_init(&orders[i]->rows, max_bytes);
        tr_buf_init(&orders[i]->starts, max_bytes);
    }
    index->bound = 0;
    index->is_built = false;
}

void tr_rdf_quad_index_done(struct tr_rdf_quad_index *index)
{
    struct tr_rdf_quad_order *orders[] = {&index->spo, &index->pso,
                                          &index->ops};
    for (size_t i = 0; i < TR_LEN(orders); i++) {
        tr_buf_done(&orders[i]->rows);
        tr_buf_done(&orders[i]->starts);
    }
}

static tr_rdf_row *rows_of(const struct tr_buf *rows)
{
    return (tr_rdf_row *)(void *)rows->ptr;
}

size_t tr_rdf_quad_index_count(const struct tr_rdf_quad_index *index)
{
    return index->spo.rows.len / sizeof(tr_rdf_row);
}

tr_status tr_rdf_quad_index_add(struct tr_rdf_quad_index *index,
                                const tr_rdf_row *row, struct tr_err *err)
{
    if (tr_rdf_quad_index_count(index) >= UINT32_MAX)
        return tr_fail(err, TR_E_LIMIT, "the graph has too many quads");
    char *room = tr_buf_room(&index->spo.rows, sizeof(*row));
    if (!room)
        return tr_buf_check(&index->spo.rows, err);
    memcpy(room, row, sizeof(*row));
    index->spo.rows.len += sizeof(*row);
    index->is_built = false;
    return TR_OK;
}

static tr_status make_room(struct tr_buf *buf, size_t bytes, struct tr_err *err)
{
    tr_buf_clear(buf);
    if (!tr_buf_grow(buf, bytes ? bytes : 1))
        return tr_buf_check(buf, err);
    buf->len = bytes;
    return TR_OK;
}

static void swap(struct tr_buf *a, struct tr_buf *b)
{
    struct tr_buf other = *a;
    *a = *b;
    *b = other;
}

/* One step of a radix sort: sorts by one digit of one part, and keeps the order
 * of rows with the same digit. Does nothing when all rows have the same. */
static void sort_by_digit(struct sort *sort, enum tr_rdf_part part,
                          unsigned shift)
{
    uint32_t next[DIGITS] = {0}; /* a count; then where its next row goes */
    const tr_rdf_row *from = rows_of(&sort->rows);
    tr_rdf_row *to = rows_of(&sort->spare);
    for (size_t i = 0; i < sort->count; i++)
        next[from[i].at[part] >> shift & (DIGITS - 1)]++;
    if (sort->count == 0 ||
        next[from[0].at[part] >> shift & (DIGITS - 1)] == sort->count)
        return;
    uint32_t start = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        uint32_t count = next[digit];
        next[digit] = start;
        start += count;
    }
    for (size_t i = 0; i < sort->count; i++)
        to[next[from[i].at[part] >> shift & (DIGITS - 1)]++] = from[i];
    swap(&sort->rows, &sort->spare);
}

static void sort_by(struct sort *sort, enum tr_rdf_part part)
{
    for (unsigned shift = 0; shift < 32 && sort->bound >> shift;
         shift += DIGIT_BITS)
        sort_by_digit(sort, part, shift);
}

static size_t drop_duplicates(tr_rdf_row *rows, size_t count)
{
    size_t kept = count ? 1 : 0;
    for (size_t i = 1; i < count; i++) {
        if (memcmp(&rows[i], &rows[kept - 1], sizeof(rows[i])) != 0)
            rows[kept++] = rows[i];
    }
    return kept;
}

static tr_status fill_starts(struct tr_rdf_quad_order *order,
                             enum tr_rdf_part part, uint32_t bound,
                             struct tr_err *err)
{
    size_t size = ((size_t)bound + 1) * sizeof(uint32_t);
    TR_TRY(make_room(&order->starts, size, err));
    uint32_t *starts = (uint32_t *)(void *)order->starts.ptr;
    const tr_rdf_row *rows = rows_of(&order->rows);
    uint32_t count = (uint32_t)(order->rows.len / sizeof(tr_rdf_row));
    uint32_t row = 0;
    for (uint32_t id = 0; id <= bound; id++) {
        while (row < count && rows[row].at[part] < id)
            row++;
        starts[id] = row;
    }
    return TR_OK;
}

/*
 * `order` gets the rows of `sorted` by `part` first. The sort is stable, so
 * the rest stays in the order it has there: spo -> pso -> ops.
 */
static tr_status derive(struct sort *sort,
                        const struct tr_rdf_quad_order *sorted,
                        struct tr_rdf_quad_order *order, enum tr_rdf_part part,
                        struct tr_err *err)
{
    TR_TRY(make_room(&order->rows, sorted->rows.len, err));
    if (sorted->rows.len)
        memcpy(order->rows.ptr, sorted->rows.ptr, sorted->rows.len);
    swap(&sort->rows, &order->rows);
    sort_by(sort, part);
    swap(&sort->rows, &order->rows);
    order->rows.len = sorted->rows.len;
    return fill_starts(order, part, sort->bound, err);
}

static tr_status sort_all(struct tr_rdf_quad_index *index, struct sort *sort,
                          struct tr_err *err)
{
    static const enum tr_rdf_part last_to_first[] = {
        TR_RDF_PART_G, TR_RDF_PART_O, TR_RDF_PART_P, TR_RDF_PART_S};
    size_t bytes = sort->count * sizeof(tr_rdf_row);
    TR_TRY(make_room(&sort->spare, bytes, err));
    swap(&sort->rows, &index->spo.rows);
    for (size_t i = 0; i < TR_LEN(last_to_first); i++)
        sort_by(sort, last_to_first[i]);
    swap(&sort->rows, &index->spo.rows);
    sort->count = drop_duplicates(rows_of(&index->spo.rows), sort->count);
    index->spo.rows.len = sort->count * sizeof(tr_rdf_row);
    TR_TRY(fill_starts(&index->spo, TR_RDF_PART_S, sort->bound, err));
    TR_TRY(derive(sort, &index->spo, &index->pso, TR_RDF_PART_P, err));
    return derive(sort, &index->pso, &index->ops, TR_RDF_PART_O, err);
}

tr_status tr_rdf_quad_index_build(struct tr_rdf_quad_index *index,
                                  uint32_t bound, struct tr_err *err)
{
    struct sort sort = {.count = tr_rdf_quad_index_count(index),
                        .bound = bound};
    if (index->is_built && index->bound == bound)
        return TR_OK;
    tr_buf_init(&sort.rows, index->spo.rows.max);
    tr_buf_init(&sort.spare, index->spo.rows.max);
    tr_status status = sort_all(index, &sort, err);
    tr_buf_done(&sort.rows);
    tr_buf_done(&sort.spare);
    index->bound = bound;
    index->is_built = status == TR_OK;
    return status;
}

static struct tr_rdf_row_range range_of(const struct tr_rdf_quad_order *order,
                                        uint32_t id)
{
    const uint32_t *starts = (const uint32_t *)(const void *)order->starts.ptr;
    const tr_rdf_row *rows = rows_of(&order->rows);
    return (struct tr_rdf_row_range){rows + starts[id], rows + starts[id + 1]};
}

/* The first row whose part is not below `value`; sorted by that part. */
static const tr_rdf_row *lower_bound(struct tr_rdf_row_range range,
                                     enum tr_rdf_part part, uint64_t value)
{
    while (range.at < range.end) {
        const tr_rdf_row *middle = range.at + (range.end - range.at) / 2;
        if (middle->at[part] < value)
            range.at = middle + 1;
        else
            range.end = middle;
    }
    return range.at;
}

static struct tr_rdf_row_range narrow(struct tr_rdf_row_range range,
                                      enum tr_rdf_part part, uint32_t value)
{
    range.at = lower_bound(range, part, value);
    range.end = lower_bound(range, part, (uint64_t)value + 1);
    return range;
}

/* The rows of a subject, and of a predicate and object where they are set. */
static struct tr_rdf_row_range by_subject(const struct tr_rdf_quad_index *index,
                                          const tr_rdf_row *pattern)
{
    struct tr_rdf_row_range range =
        range_of(&index->spo, pattern->at[TR_RDF_PART_S]);
    if (pattern->at[TR_RDF_PART_P] == 0)
        return range;
    range = narrow(range, TR_RDF_PART_P, pattern->at[TR_RDF_PART_P]);
    if (pattern->at[TR_RDF_PART_O])
        range = narrow(range, TR_RDF_PART_O, pattern->at[TR_RDF_PART_O]);
    return range;
}

static struct tr_rdf_row_range by_object(const struct tr_rdf_quad_index *index,
                                         const tr_rdf_row *pattern)
{
    struct tr_rdf_row_range range =
        range_of(&index->ops, pattern->at[TR_RDF_PART_O]);
    if (pattern->at[TR_RDF_PART_P])
        range = narrow(range, TR_RDF_PART_P, pattern->at[TR_RDF_PART_P]);
    return range;
}

struct tr_rdf_row_range
tr_rdf_quad_index_range(const struct tr_rdf_quad_index *index,
                        const tr_rdf_row *pattern)
{
    const tr_rdf_row *rows = rows_of(&index->spo.rows);
    struct tr_rdf_row_range none = {rows, rows};
    if (tr_rdf_quad_index_count(index) == 0)
        return none;
    for (int part = 0; part < TR_RDF_PARTS; part++) {
        if (pattern->at[part] >= index->bound)
            return none;
    }
    if (pattern->at[TR_RDF_PART_S] && pattern->at[TR_RDF_PART_O]) {
        struct tr_rdf_row_range a = by_subject(index, pattern);
        struct tr_rdf_row_range b = by_object(index, pattern);
        return a.end - a.at <= b.end - b.at ? a : b;
    }
    if (pattern->at[TR_RDF_PART_S])
        return by_subject(index, pattern);
    if (pattern->at[TR_RDF_PART_O])
        return by_object(index, pattern);
    if (pattern->at[TR_RDF_PART_P])
        return range_of(&index->pso, pattern->at[TR_RDF_PART_P]);
    return (struct tr_rdf_row_range){rows,
                                     rows + tr_rdf_quad_index_count(index)};
}
