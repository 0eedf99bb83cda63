#include "values/inside.h"

struct bounding {
    const struct tr_graph_read_ctx *ctx;
    const struct tr_graph_value_def *def;
    struct tr_values_bounds *out;
    struct tr_key before; /* of the fields that are equal */
    bool descending;      /* the field behind them */
};

void tr_values_follow(struct tr_key *key)
{
    tr_key_follow(key);
    if (key->len)
        return;
    memset(key->bytes, 0xFF, TR_LIMIT_INDEX_FIELDS + 1);
    key->len = TR_LIMIT_INDEX_FIELDS + 1;
}

/* An IRI that nobody has heard of is the value of no node. */
static tr_status put_term(const struct bounding *b, const tr_rdf_term *term,
                          bool descending, struct tr_key *out,
                          struct tr_err *err)
{
    tr_rdf_id id = TR_RDF_ID_NONE;
    if (term && term->kind != TR_RDF_TERM_LITERAL)
        TR_TRY(tr_rdf_graph_find(b->ctx->graph, term, &id, err));
    tr_key_put(out, term, id, descending);
    return TR_OK;
}

/* The key of a bound. Of a text that is cut only what is kept of it counts. */
static tr_status put_bound(const struct bounding *b, const tr_rdf_term *term,
                           struct tr_key *out, bool *is_cut, struct tr_err *err)
{
    struct tr_key_value value;
    tr_key_copy(out, &b->before);
    TR_TRY(put_term(b, term, b->descending, out, err));
    tr_str part = tr_str_skip(tr_key_str(out), b->before.len);
    *is_cut = tr_key_read(part, &value) && value.kind == TR_KEY_TEXT_OF &&
              !value.is_whole;
    if (!*is_cut)
        return TR_OK;
    bool is_uri = (part.ptr[0] & 0x0F) == (b->descending ? 0x07 : 0x08);
    tr_key_copy(out, &b->before);
    b->out->is_inexact = true;
    (void)tr_key_put_prefix(out, value.text, is_uri, b->descending);
    return TR_OK;
}

/* All values of the kind of a bound. */
static tr_status want_kind(const struct bounding *b, const tr_rdf_term *term,
                           struct tr_err *err)
{
    struct tr_values_bounds *out = b->out;
    tr_key_copy(&out->low, &b->before);
    TR_TRY(put_term(b, term, b->descending, &out->low, err));
    out->low.len = b->before.len + 1;
    tr_key_copy(&out->high, &out->low);
    tr_values_follow(&out->high);
    return TR_OK;
}

/* Moves one end of the range. In a descending part the greater value has the
 * lesser bytes. */
static tr_status move_end(const struct bounding *b, const tr_rdf_term *term,
                          bool is_low, bool is_out, struct tr_err *err)
{
    bool is_start = is_low != b->descending;
    struct tr_key key;
    bool is_cut;
    TR_TRY(put_bound(b, term, &key, &is_cut, err));
    /* Behind it at a start that is left out, or an end that is not. */
    if (is_cut ? !is_start : is_out == is_start)
        tr_values_follow(&key);
    tr_key_copy(is_start ? &b->out->low : &b->out->high, &key);
    return TR_OK;
}

static tr_status want_between(const struct bounding *b,
                              const struct tr_values_range *range,
                              struct tr_err *err)
{
    if (!range->low && !range->high)
        return TR_OK;
    TR_TRY(want_kind(b, range->high ? range->high : range->low, err));
    char kind = b->out->low.bytes[b->before.len];
    TR_TRY(want_kind(b, range->low ? range->low : range->high, err));
    if (b->out->low.bytes[b->before.len] != kind) {
        tr_key_copy(&b->out->high, &b->out->low); /* nothing lies between */
        return TR_OK;
    }
    if (range->low)
        TR_TRY(move_end(b, range->low, true, range->is_above, err));
    return range->high ? move_end(b, range->high, false, range->is_below, err)
                       : TR_OK;
}

static void want_prefix(const struct bounding *b,
                        const struct tr_values_range *range)
{
    struct tr_values_bounds *out = b->out;
    tr_key_copy(&out->low, &b->before);
    out->is_inexact |= !tr_key_put_prefix(&out->low, range->prefix,
                                          range->is_uri, b->descending);
    tr_key_copy(&out->high, &out->low);
    tr_values_follow(&out->high);
}

static tr_status put_equal(struct bounding *b,
                           const struct tr_values_range *range,
                           struct tr_err *err)
{
    for (size_t i = 0; i < range->equal_count && i < b->def->count; i++)
        TR_TRY(put_term(b, range->equal[i], b->def->descending[i], &b->before,
                        err));
    return TR_OK;
}

static void want_all(const struct bounding *b,
                     const struct tr_values_range *range)
{
    struct tr_values_bounds *out = b->out;
    bool has_absent = range->equal_count < b->def->count;
    tr_key_copy(&out->low, &b->before);
    tr_key_copy(&out->high, &b->before);
    tr_values_follow(&out->high);
    tr_key_copy(&out->absent, has_absent ? &b->before : &out->high);
    if (has_absent)
        tr_key_put(&out->absent, NULL, 0, false);
    if (range->want == TR_VALUES_ABSENT)
        tr_key_copy(&out->low, &out->absent);
    else if (range->want == TR_VALUES_PRESENT)
        tr_key_copy(&out->high, &out->absent);
}

tr_status tr_values_bounds_make(const struct tr_graph_read_ctx *ctx,
                                const struct tr_graph_value_def *def,
                                const struct tr_values_range *range,
                                struct tr_values_bounds *out,
                                struct tr_err *err)
{
    struct bounding b;
    b.ctx = ctx;
    b.def = def;
    b.out = out;
    b.before.len = 0;
    b.descending = false;
    out->is_inexact = false;
    if (range->equal_count < def->count)
        b.descending = def->descending[range->equal_count];
    TR_TRY(put_equal(&b, range, err));
    want_all(&b, range);
    if (range->want == TR_VALUES_BETWEEN)
        TR_TRY(want_between(&b, range, err));
    else if (range->want == TR_VALUES_PREFIX)
        want_prefix(&b, range);
    if (!range->backward ||
        tr_str_cmp(tr_key_str(&out->high), tr_key_str(&out->absent)) < 0)
        tr_key_copy(&out->absent, &out->high);
    return TR_OK;
}
