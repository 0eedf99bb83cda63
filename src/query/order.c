#include "query/order.h"

#include "base/limits.h"
#include "base/vec.h"
#include "crypto/encoding.h"
#include "keys/key.h"
#include "query/candidates.h"
#include "query/refuse.h"

/* So many matches are sorted rather than an index walked that has others, too,
 * and so many candidates are looked at to find out. */
#define FEW      ((size_t)500)
#define FEW_WORK ((size_t)1000)

/* No value is so descending that it comes after none (keys/key.h). */
#define NO_VALUE 0xFF

struct ordering {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_query *query;
    struct tr_query_filter filter;
    struct tr_query_order order;
    struct tr_query_stretch along;
    struct tr_query_candidates candidates;
    bool has_after;
    struct tr_values_spot after; /* its key is that of an ascending order */
    size_t limit;
    struct tr_query_page *out;
    TR_VEC(struct tr_values_spot) found; /* key: of its value */
    size_t most;                         /* of these that are kept */
    struct tr_err *err;
};

static tr_status fail_memory(struct tr_err *err)
{
    return tr_fail(err, TR_E_NOMEM, "no memory for a page");
}

/* Keys -------------------------------------------------------------------- */

/* Makes the key of an ascending order that of a descending one, and back. */
static tr_status turn_key(const struct ordering *o, tr_str key, tr_str *out)
{
    char *room = tr_arena_alloc(o->ctx->arena, key.len + 1);
    bool is_none = key.len && (unsigned char)key.ptr[0] == NO_VALUE;
    if (!room)
        return fail_memory(o->err);
    for (size_t i = 0; i < key.len; i++)
        room[i] = (char)(is_none ? key.ptr[i] : ~key.ptr[i]);
    *out = (tr_str){room, key.len};
    return TR_OK;
}

static tr_status read_key(const struct ordering *o, tr_rdf_id node, tr_str *out)
{
    struct tr_query_key key;
    TR_TRY(tr_query_key_read(o->ctx, node, o->order.slot, &key, o->err));
    if (o->order.descending)
        return turn_key(o, tr_key_str(&key.key), out);
    return tr_arena_copy(o->ctx->arena, tr_key_str(&key.key), out)
               ? TR_OK
               : fail_memory(o->err);
}

/* What a page ended with: "<IRI> <key in hexadecimal>". */
static tr_status write_next(const struct ordering *o,
                            struct tr_values_spot last)
{
    tr_str iri;
    tr_str key = last.key;
    TR_TRY(tr_query_name(o->ctx, last.node, &iri, o->err));
    if (o->order.descending)
        TR_TRY(turn_key(o, key, &key));
    size_t len = iri.len + 1 + 2 * key.len;
    char *text = tr_arena_alloc(o->ctx->arena, len);
    if (!text)
        return fail_memory(o->err);
    memcpy(text, iri.ptr, iri.len);
    text[iri.len] = ' ';
    tr_crypto_hex_write(key, text + iri.len + 1);
    o->out->next = (tr_str){text, len};
    return TR_OK;
}

static tr_status read_after(struct ordering *o)
{
    tr_str iri;
    tr_str hex;
    tr_str text = o->query->after;
    if (!text.len)
        return TR_OK;
    o->has_after = true;
    if (!tr_str_cut(text, ' ', &iri, &hex) || hex.len % 2 ||
        hex.len > 2 * (size_t)TR_KEY_PART_MAX)
        return tr_fail(o->err, TR_E_INVALID,
                       "after is not of a page in this order");
    unsigned char *bytes = tr_arena_alloc(o->ctx->arena, hex.len / 2 + 1);
    if (!bytes)
        return fail_memory(o->err);
    o->after.key = (tr_str){(const char *)bytes, hex.len / 2};
    if (!tr_crypto_hex_read(hex, bytes) || !hex.len ||
        tr_key_part_len(o->after.key) != o->after.key.len)
        return tr_fail(o->err, TR_E_INVALID,
                       "after is not of a page in this order");
    return tr_query_after(o->ctx, iri, &o->after.node, o->err);
}

/* Sorting ----------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const struct tr_values_spot *x = a;
    const struct tr_values_spot *y = b;
    int order = tr_str_cmp(x->key, y->key);
    return order ? order : tr_rdf_id_compare(&x->node, &y->node);
}

static tr_status keep_entry(void *context, tr_rdf_id node, bool *stop,
                            struct tr_err *err)
{
    struct ordering *o = context;
    struct tr_values_spot entry = {.node = node};
    *stop = o->found.count == o->most;
    if (*stop)
        return TR_OK;
    TR_TRY(read_key(o, node, &entry.key));
    return tr_vec_push(o->ctx->arena, &o->found, entry) ? TR_OK
                                                        : fail_memory(err);
}

/* *done is false when there are more than `most`, or too many candidates. */
static tr_status collect(struct ordering *o, size_t most, size_t work,
                         bool *done)
{
    struct tr_query_candidates *candidates = &o->candidates;
    o->found.count = 0;
    o->most = most + 1;
    TR_TRY(tr_query_candidates_each(candidates, work, keep_entry, o, o->err));
    o->out->looked += candidates->looked;
    *done = !candidates->is_cut && o->found.count <= most;
    return TR_OK;
}

static tr_status give_sorted(struct ordering *o)
{
    struct tr_query_page *out = o->out;
    struct tr_values_spot after = o->after;
    size_t at = 0;
    if (o->found.count)
        qsort(o->found.items, o->found.count, sizeof(*o->found.items), by_key);
    if (o->has_after && o->order.descending)
        TR_TRY(turn_key(o, after.key, &after.key));
    while (o->has_after && at < o->found.count &&
           by_key(&o->found.items[at], &after) <= 0)
        at++;
    for (; at < o->found.count && out->count < o->limit; at++)
        out->ids[out->count++] = o->found.items[at].node;
    return at < o->found.count ? write_next(o, o->found.items[at - 1]) : TR_OK;
}

static tr_status refuse_to_sort(const struct ordering *o)
{
    struct tr_field_errors own = {0};
    struct tr_query_refusing to = {o->ctx->arena,
                                   o->query->errors ? o->query->errors : &own};
    char says[128];
    struct tr_json declare = {.kind = TR_JSON_STRING};
    tr_str text;
    TR_TRY(tr_query_index_to_declare(
        o->ctx->arena, o->query,
        tr_query_missing_index(o->query, &o->filter, &o->order), &text,
        o->err));
    declare.as.text = text.ptr;
    declare.len = (uint32_t)text.len;
    const struct tr_field_error error = {.field = o->order.slot.field->name,
                                         .code = TR_STR("needs_index"),
                                         .constraint = declare};
    (void)snprintf(says, sizeof(says),
                   "has no index, and more than %zu matches are not sorted: "
                   "narrow the filter, or declare ",
                   TR_LIMIT_QUERY_SORTED);
    TR_TRY(tr_query_refuse(&to, &error, says, &declare, o->err));
    return tr_field_errors_verdict(to.errors, o->err);
}

static tr_status sort_all(struct ordering *o)
{
    bool done = false;
    TR_TRY(collect(o, TR_LIMIT_QUERY_SORTED, tr_query_work(o->query->max_work),
                   &done));
    tr_query_note_slow(o->ctx,
                       tr_query_missing_index(o->query, &o->filter, &o->order),
                       o->out->looked);
    return done ? give_sorted(o) : refuse_to_sort(o);
}

/* Along an index ---------------------------------------------------------- */

/* The whole key of a spot: the fields that are equal, then that of the order.
 */
static tr_status make_spot(struct ordering *o, struct tr_values_spot *out)
{
    const struct tr_values_range *range = &o->along.range;
    const struct tr_model_index *index = o->along.index->declared;
    struct tr_key *key = TR_NEW(o->ctx->arena, struct tr_key);
    tr_str part = o->after.key;
    if (!key)
        return fail_memory(o->err);
    key->len = 0;
    for (size_t i = 0; i < range->equal_count; i++) {
        tr_rdf_id id = TR_RDF_ID_NONE;
        TR_TRY(tr_rdf_graph_find(o->ctx->graph, range->equal[i], &id, o->err));
        tr_key_put(key, range->equal[i], id, index->parts[i].descending);
    }
    if (index->parts[range->equal_count].descending)
        TR_TRY(turn_key(o, part, &part));
    memcpy(key->bytes + key->len, part.ptr, part.len);
    key->len += part.len;
    *out = (struct tr_values_spot){tr_key_str(key), o->after.node};
    return TR_OK;
}

/* The part of a step's key that is the order's, as it is sorted by. */
static tr_status order_part(const struct ordering *o, tr_str key, tr_str *out)
{
    const struct tr_values_range *range = &o->along.range;
    for (size_t i = 0; i < range->equal_count; i++)
        key = tr_str_skip(key, tr_key_part_len(key));
    if (range->backward)
        return turn_key(o, key, out);
    return tr_arena_copy(o->ctx->arena, key, out) ? TR_OK : fail_memory(o->err);
}

/* The row that a page ends with: the key is that of the index. */
struct last_row {
    struct tr_key key;
    tr_rdf_id node;
};

static tr_status end_page(struct ordering *o, const struct last_row *last)
{
    struct tr_values_spot spot = {.node = last->node};
    TR_TRY(order_part(o, tr_key_str(&last->key), &spot.key));
    return write_next(o, spot);
}

static tr_status take_steps(struct ordering *o, struct tr_values_walk *walk)
{
    struct tr_query_page *out = o->out;
    struct last_row last;
    struct tr_values_step step;
    last.node = TR_RDF_ID_NONE;
    TR_TRY(tr_values_walk_next(walk, &step, o->err));
    for (; step.node != TR_RDF_ID_NONE; out->looked++) {
        bool fits;
        TR_TRY(tr_query_stretch_fits(o->ctx, &o->filter, &o->along, step.node,
                                     &fits, o->err));
        if (fits && out->count == o->limit)
            return end_page(o, &last);
        last.node = step.node;
        last.key.len = step.key.len;
        memcpy(last.key.bytes, step.key.ptr, step.key.len);
        if (fits)
            out->ids[out->count++] = step.node;
        TR_TRY(tr_values_walk_next(walk, &step, o->err));
    }
    if (!tr_values_walk_is_cut(walk))
        return TR_OK;
    return last.node != TR_RDF_ID_NONE
               ? end_page(o, &last)
               : tr_fail(o->err, TR_E_LIMIT,
                         "none of the first candidates is there for the "
                         "caller: narrow the filter");
}

static tr_status walk_along(struct ordering *o)
{
    struct tr_values_walk *walk = NULL;
    struct tr_values_spot spot;
    struct tr_values_range range = o->along.range;
    bool is_inexact = false;
    range.work = tr_query_work(o->query->max_work);
    if (o->has_after) {
        TR_TRY(make_spot(o, &spot));
        range.after = &spot;
    }
    tr_status status = tr_values_walk_open(o->ctx, o->along.index, &range,
                                           &walk, &is_inexact, o->err);
    o->along.has_all &= !is_inexact;
    if (status == TR_OK)
        status = take_steps(o, walk);
    tr_values_walk_close(walk);
    return status;
}

/* Other conditions may lead to a few nodes, where the index has to be walked
 * past all others. */
static bool may_be_few(const struct ordering *o)
{
    return !o->along.range.equal_count && !o->along.cond &&
           o->filter.root.count > 0;
}

static tr_status run(struct ordering *o)
{
    bool done = false;
    o->candidates = (struct tr_query_candidates){
        .ctx = o->ctx, .query = o->query, .filter = &o->filter};
    if (o->along.index && !may_be_few(o))
        return walk_along(o);
    TR_TRY(tr_query_candidates_choose(&o->candidates, o->err));
    if (!o->along.index)
        return sort_all(o);
    if (o->candidates.leads)
        TR_TRY(collect(o, FEW, FEW_WORK, &done));
    return done ? give_sorted(o) : walk_along(o);
}

tr_status tr_query_where_ordered(const struct tr_graph_read_ctx *ctx,
                                 const struct tr_query *query, size_t limit,
                                 struct tr_query_page *out, struct tr_err *err)
{
    struct ordering o = {
        .ctx = ctx, .query = query, .limit = limit, .out = out, .err = err};
    TR_TRY(tr_query_filter_compile(ctx, query, &o.filter, err));
    TR_TRY(tr_query_order_read(ctx, query, &o.order, err));
    TR_TRY(read_after(&o));
    TR_TRY(
        tr_query_stretch_along(ctx, query, &o.filter, &o.order, &o.along, err));
    return run(&o);
}

tr_status tr_query_next_after(const struct tr_graph_read_ctx *ctx,
                              const struct tr_query *query, tr_rdf_id node,
                              tr_str *out, struct tr_err *err)
{
    struct tr_query_page page = {0};
    struct ordering o = {.ctx = ctx, .query = query, .out = &page, .err = err};
    struct tr_values_spot last = {.node = node};
    if (!query->order.len)
        return tr_query_name(ctx, node, out, err);
    TR_TRY(tr_query_order_read(ctx, query, &o.order, err));
    TR_TRY(read_key(&o, node, &last.key));
    TR_TRY(write_next(&o, last));
    *out = page.next;
    return TR_OK;
}
