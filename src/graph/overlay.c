#include "base/hash.h"
#include "base/limits.h"
#include "graph/overlay_inside.h"

/* Marks ids of new terms: the store's sequence numbers never come near it. */
#define NEW_BIT (UINT64_C(1) << 62)

#define BUCKETS_MIN 64

/* The state of a cursor: in the graph below, and among the changes. */
struct inner {
    struct tr_rdf_cursor below;
    struct tr_graph_overlay_entry *next;
    bool is_below_done;
    tr_status status; /* of closing the cursor below */
    struct tr_err err;
    struct inner *next_spare;
};

bool tr_graph_id_is_new(tr_rdf_id id)
{
    return id != TR_RDF_ID_ANY && (id & NEW_BIT);
}

size_t tr_graph_id_new_index(tr_rdf_id id)
{
    return (size_t)((id & ~NEW_BIT) >> TR_ROWS_TAG_BITS);
}

size_t tr_graph_overlay_new_count(const struct tr_graph_overlay *overlay)
{
    return overlay->made.count;
}

static struct tr_graph_overlay *inside(const struct tr_rdf_graph *graph)
{
    return (struct tr_graph_overlay *)(uintptr_t)graph;
}

static uint64_t hash_quad(tr_rdf_ids quad, uint64_t seed)
{
    uint64_t hash = tr_hash_u64(quad.s, seed);
    hash = tr_hash_u64(quad.p, hash);
    hash = tr_hash_u64(quad.o, hash);
    return tr_hash_u64(quad.g, hash);
}

static uint64_t hash_in(tr_rdf_ids quad, int order, uint64_t seed)
{
    return order == TR_GRAPH_BY_S   ? tr_hash_u64(quad.s, seed)
           : order == TR_GRAPH_BY_O ? tr_hash_u64(quad.o, seed)
                                    : hash_quad(quad, seed);
}

static struct tr_graph_overlay_entry **
next_of(struct tr_graph_overlay_entry *entry, int order)
{
    return order == TR_GRAPH_BY_S   ? &entry->next_by_s
           : order == TR_GRAPH_BY_O ? &entry->next_by_o
                                    : &entry->next_by_quad;
}

static struct tr_graph_overlay_entry **
bucket(const struct tr_graph_overlay *overlay, tr_rdf_ids quad, int order)
{
    uint64_t hash = hash_in(quad, order, overlay->seed);
    return &overlay->tables[order][hash & (overlay->buckets - 1)];
}

static void link_entry(struct tr_graph_overlay *overlay,
                       struct tr_graph_overlay_entry *entry)
{
    for (int order = 0; order < TR_GRAPH_ORDERS; order++) {
        struct tr_graph_overlay_entry **head =
            bucket(overlay, entry->quad, order);
        *next_of(entry, order) = *head;
        *head = entry;
    }
}

static bool grow(struct tr_graph_overlay *overlay)
{
    size_t count = overlay->buckets ? overlay->buckets * 2 : BUCKETS_MIN;
    struct tr_graph_overlay_entry **tables[TR_GRAPH_ORDERS];
    for (int order = 0; order < TR_GRAPH_ORDERS; order++) {
        tables[order] = TR_NEW_ARRAY(overlay->arena,
                                     struct tr_graph_overlay_entry *, count);
        if (!tables[order])
            return false;
    }
    memcpy(overlay->tables, tables, sizeof(tables));
    overlay->buckets = count;
    for (struct tr_graph_overlay_entry *e = overlay->first; e; e = e->next)
        link_entry(overlay, e);
    return true;
}

static bool same_quad(tr_rdf_ids a, tr_rdf_ids b)
{
    return a.s == b.s && a.p == b.p && a.o == b.o && a.g == b.g;
}

static struct tr_graph_overlay_entry *
find_entry(const struct tr_graph_overlay *overlay, tr_rdf_ids quad)
{
    struct tr_graph_overlay_entry *entry =
        overlay->buckets ? *bucket(overlay, quad, TR_GRAPH_BY_QUAD) : NULL;
    while (entry && !same_quad(entry->quad, quad))
        entry = entry->next_by_quad;
    return entry;
}

static bool fits(tr_rdf_id wanted, tr_rdf_id found)
{
    return wanted == TR_RDF_ID_ANY || wanted == found;
}

static bool matches(tr_rdf_ids pattern, tr_rdf_ids quad)
{
    return fits(pattern.s, quad.s) && fits(pattern.p, quad.p) &&
           fits(pattern.o, quad.o) && fits(pattern.g, quad.g);
}

/* The order in whose chains all changes stand that match. */
static int order_of(tr_rdf_ids pattern)
{
    return pattern.s != TR_RDF_ID_ANY   ? TR_GRAPH_BY_S
           : pattern.o != TR_RDF_ID_ANY ? TR_GRAPH_BY_O
                                        : -1;
}

static struct tr_graph_overlay_entry *
first_of(const struct tr_graph_overlay *overlay, tr_rdf_ids pattern)
{
    int order = order_of(pattern);
    if (order < 0)
        return overlay->first;
    return overlay->buckets ? *bucket(overlay, pattern, order) : NULL;
}

static bool has_new(tr_rdf_ids pattern)
{
    return tr_graph_id_is_new(pattern.s) || tr_graph_id_is_new(pattern.p) ||
           tr_graph_id_is_new(pattern.o) || tr_graph_id_is_new(pattern.g);
}

static struct inner *take_inner(struct tr_graph_overlay *overlay)
{
    struct inner *inner = overlay->spare;
    if (!inner)
        return TR_NEW(overlay->arena, struct inner);
    overlay->spare = inner->next_spare;
    *inner = (struct inner){0};
    return inner;
}

static void match(const struct tr_rdf_graph *graph,
                  struct tr_rdf_cursor *cursor)
{
    struct tr_graph_overlay *overlay = inside(graph);
    struct inner *inner = take_inner(overlay);
    cursor->own[0] = (uintptr_t)inner;
    if (!inner)
        return;
    inner->next = first_of(overlay, cursor->pattern);
    inner->is_below_done = has_new(cursor->pattern);
    if (!inner->is_below_done)
        tr_rdf_graph_match(overlay->below, cursor->pattern, &inner->below);
}

static bool next_below(struct tr_graph_overlay *overlay, struct inner *inner,
                       tr_rdf_ids *out)
{
    while (!inner->is_below_done) {
        if (!tr_rdf_cursor_next(&inner->below, out)) {
            inner->is_below_done = true;
            inner->status = tr_rdf_cursor_close(&inner->below, &inner->err);
            return false;
        }
        const struct tr_graph_overlay_entry *entry = find_entry(overlay, *out);
        if (!entry || entry->is_off)
            return true; /* an entry that is on would have removed it */
    }
    return false;
}

static bool next_added(struct inner *inner, tr_rdf_ids pattern, tr_rdf_ids *out)
{
    int order = order_of(pattern);
    while (inner->next) {
        const struct tr_graph_overlay_entry *entry = inner->next;
        inner->next = order < 0 ? entry->next : *next_of(inner->next, order);
        if (entry->is_added && !entry->is_off &&
            matches(pattern, entry->quad)) {
            *out = entry->quad;
            return true;
        }
    }
    return false;
}

static bool next(struct tr_rdf_cursor *cursor, tr_rdf_ids *out)
{
    struct inner *inner = (struct inner *)cursor->own[0];
    if (!inner)
        return false;
    return next_below(inside(cursor->graph), inner, out) ||
           (inner->status == TR_OK && next_added(inner, cursor->pattern, out));
}

static tr_status close_cursor(struct tr_rdf_cursor *cursor, struct tr_err *err)
{
    struct tr_graph_overlay *overlay = inside(cursor->graph);
    struct inner *inner = (struct inner *)cursor->own[0];
    if (!inner)
        return tr_fail(err, TR_E_NOMEM, "no memory to read changes");
    if (!inner->is_below_done)
        inner->status = tr_rdf_cursor_close(&inner->below, &inner->err);
    tr_status status = inner->status;
    if (status != TR_OK && err)
        *err = inner->err;
    inner->next_spare = overlay->spare;
    overlay->spare = inner;
    return status;
}

static uint64_t hash_term(const struct tr_graph_overlay *overlay,
                          const tr_rdf_term *term)
{
    uint64_t hash =
        tr_hash_bytes(term->text, overlay->seed + (uint64_t)term->kind);
    if (term->kind != TR_RDF_TERM_LITERAL)
        return hash;
    return tr_hash_bytes(term->language.len ? term->language : term->datatype,
                         hash);
}

static struct tr_graph_overlay_term *
find_made(const struct tr_graph_overlay *overlay, const tr_rdf_term *term,
          uint64_t hash)
{
    struct tr_graph_overlay_term *made =
        overlay->term_buckets
            ? overlay->by_term[hash & (overlay->term_buckets - 1)]
            : NULL;
    while (made && !(made->hash == hash && tr_rdf_term_eq(&made->term, term)))
        made = made->next_by_term;
    return made;
}

static tr_status find(const struct tr_rdf_graph *graph, const tr_rdf_term *term,
                      tr_rdf_id *out, struct tr_err *err)
{
    struct tr_graph_overlay *overlay = inside(graph);
    const struct tr_graph_overlay_term *made = NULL;
    /* New terms first: they are asked for often, and a miss below costs a query
     * of the store. */
    if (overlay->made.count > 0 && term->kind != TR_RDF_TERM_NONE)
        made = find_made(overlay, term, hash_term(overlay, term));
    if (!made)
        return tr_rdf_graph_find(overlay->below, term, out, err);
    *out = made->id;
    return TR_OK;
}

static tr_status get(const struct tr_rdf_graph *graph, tr_rdf_id id,
                     tr_rdf_term *out, struct tr_err *err)
{
    struct tr_graph_overlay *overlay = inside(graph);
    if (!tr_graph_id_is_new(id))
        return tr_rdf_graph_get(overlay->below, id, out, err);
    size_t at = tr_graph_id_new_index(id);
    if (at >= overlay->made.count)
        return tr_fail(err, TR_E_NOT_FOUND, "no such term was added");
    *out = overlay->made.items[at]->term;
    return TR_OK;
}

static tr_rdf_id bound(const struct tr_rdf_graph *graph)
{
    (void)graph;
    return 0;
}

static uint64_t estimate(const struct tr_rdf_graph *graph, tr_rdf_ids pattern)
{
    struct tr_graph_overlay *overlay = inside(graph);
    uint64_t rows =
        has_new(pattern) ? 0 : tr_rdf_graph_estimate(overlay->below, pattern);
    return rows + overlay->change_count;
}

static const struct tr_rdf_graph_ops ops = {
    .match = match,
    .next = next,
    .close = close_cursor,
    .find = find,
    .get = get,
    .bound = bound,
    .estimate = estimate,
};

tr_status tr_graph_overlay_create(struct tr_arena *arena,
                                  const struct tr_rdf_graph *below,
                                  struct tr_graph_overlay **out,
                                  struct tr_err *err)
{
    struct tr_graph_overlay *overlay = TR_NEW(arena, struct tr_graph_overlay);
    if (!overlay)
        return tr_fail(err, TR_E_NOMEM, "no memory for changes");
    overlay->base.ops = &ops;
    overlay->below = below;
    overlay->arena = arena;
    overlay->last = &overlay->first;
    overlay->seed = tr_hash_seed(overlay);
    *out = overlay;
    return TR_OK;
}

const struct tr_rdf_graph *
tr_graph_overlay_view(const struct tr_graph_overlay *overlay)
{
    return &overlay->base;
}

static enum tr_rows_term_tag tag_of(const tr_rdf_term *term)
{
    return term->kind == TR_RDF_TERM_LITERAL ? TR_ROWS_TAG_LITERAL
                                             : TR_ROWS_TAG_IRI;
}

static void link_made(struct tr_graph_overlay *overlay,
                      struct tr_graph_overlay_term *made)
{
    struct tr_graph_overlay_term **head =
        &overlay->by_term[made->hash & (overlay->term_buckets - 1)];
    made->next_by_term = *head;
    *head = made;
}

static bool grow_terms(struct tr_graph_overlay *overlay)
{
    size_t count =
        overlay->term_buckets ? overlay->term_buckets * 2 : BUCKETS_MIN;
    struct tr_graph_overlay_term **table =
        TR_NEW_ARRAY(overlay->arena, struct tr_graph_overlay_term *, count);
    if (!table)
        return false;
    overlay->by_term = table;
    overlay->term_buckets = count;
    for (size_t i = 0; i < overlay->made.count; i++)
        link_made(overlay, overlay->made.items[i]);
    return true;
}

static tr_status make_term(struct tr_graph_overlay *overlay,
                           const tr_rdf_term *term, tr_rdf_id *out,
                           struct tr_err *err)
{
    struct tr_graph_overlay_term *made =
        TR_NEW(overlay->arena, struct tr_graph_overlay_term);
    if (!made || !tr_rdf_term_copy(overlay->arena, term, &made->term) ||
        (overlay->made.count >= overlay->term_buckets &&
         !grow_terms(overlay)) ||
        !tr_vec_push(overlay->arena, &overlay->made, made))
        return tr_fail(err, TR_E_NOMEM, "no memory for changes");
    made->hash = hash_term(overlay, term);
    made->id = NEW_BIT | tr_rows_id_make(overlay->made.count - 1, tag_of(term));
    link_made(overlay, made);
    *out = made->id;
    return TR_OK;
}

tr_status tr_graph_overlay_intern(struct tr_graph_overlay *overlay,
                                  const tr_rdf_term *term, tr_rdf_id *out,
                                  struct tr_err *err)
{
    TR_TRY(find(&overlay->base, term, out, err));
    return *out != TR_RDF_ID_NONE ? TR_OK : make_term(overlay, term, out, err);
}

static tr_status is_below(const struct tr_graph_overlay *overlay,
                          tr_rdf_ids quad, bool *out, struct tr_err *err)
{
    *out = false;
    return has_new(quad) ? TR_OK
                         : tr_rdf_graph_has(overlay->below, quad, out, err);
}

static bool is_there(const struct tr_graph_overlay_entry *entry)
{
    return entry->is_added == !entry->is_off;
}

static void turn(struct tr_graph_overlay *overlay,
                 struct tr_graph_overlay_entry *entry)
{
    entry->is_off = !entry->is_off;
    overlay->change_count += entry->is_off ? SIZE_MAX : 1;
}

void tr_graph_overlay_begin(struct tr_graph_overlay *overlay, void *by)
{
    overlay->by = by;
}

/* At the mark a quad was as it is before its first change since. */
static void note_in_part(struct tr_graph_overlay *overlay,
                         struct tr_graph_overlay_entry *entry, bool was_there)
{
    entry->by = overlay->by;
    if (entry->is_in_part)
        return;
    entry->is_in_part = true;
    entry->was_there = was_there;
    entry->next_in_part = overlay->part;
    overlay->part = entry;
}

static struct tr_graph_overlay_entry *
add_entry(struct tr_graph_overlay *overlay, tr_rdf_ids quad, bool is_added)
{
    struct tr_graph_overlay_entry *entry =
        TR_NEW(overlay->arena, struct tr_graph_overlay_entry);
    if (!entry || (overlay->entry_count >= overlay->buckets && !grow(overlay)))
        return NULL;
    entry->quad = quad;
    entry->is_added = is_added;
    link_entry(overlay, entry);
    *overlay->last = entry;
    overlay->last = &entry->next;
    overlay->entry_count++;
    overlay->change_count++;
    return entry;
}

/* Adds the quad when `wanted`, else removes it. */
static tr_status change(struct tr_graph_overlay *overlay, tr_rdf_ids quad,
                        bool wanted, bool *changed, struct tr_err *err)
{
    struct tr_graph_overlay_entry *entry = find_entry(overlay, quad);
    bool below;
    if (entry) {
        *changed = is_there(entry) != wanted;
        if (!*changed)
            return TR_OK;
        note_in_part(overlay, entry, !wanted);
        turn(overlay, entry);
        return TR_OK;
    }
    TR_TRY(is_below(overlay, quad, &below, err));
    *changed = below != wanted;
    if (!*changed)
        return TR_OK;
    entry = add_entry(overlay, quad, wanted);
    if (!entry)
        return tr_fail(err, TR_E_NOMEM, "no memory for changes");
    note_in_part(overlay, entry, below);
    return TR_OK;
}

void tr_graph_overlay_mark(struct tr_graph_overlay *overlay)
{
    for (struct tr_graph_overlay_entry *e = overlay->part; e;
         e = e->next_in_part)
        e->is_in_part = false;
    overlay->part = NULL;
}

void tr_graph_overlay_undo(struct tr_graph_overlay *overlay)
{
    for (struct tr_graph_overlay_entry *e = overlay->part; e;
         e = e->next_in_part)
        if (is_there(e) != e->was_there)
            turn(overlay, e);
}

size_t tr_graph_overlay_count_since(const struct tr_graph_overlay *overlay)
{
    size_t count = 0;
    for (const struct tr_graph_overlay_entry *e = overlay->part; e;
         e = e->next_in_part)
        count++;
    return count;
}

tr_status tr_graph_overlay_each_since(const struct tr_graph_overlay *overlay,
                                      tr_graph_change_fn *visit, void *context,
                                      struct tr_err *err)
{
    for (const struct tr_graph_overlay_entry *e = overlay->part; e;
         e = e->next_in_part) {
        tr_graph_change change = {e->quad, is_there(e), e->by};
        if (is_there(e) != e->was_there)
            TR_TRY(visit(context, &change, err));
    }
    return TR_OK;
}

tr_status tr_graph_overlay_add(struct tr_graph_overlay *overlay,
                               tr_rdf_ids quad, bool *changed,
                               struct tr_err *err)
{
    return change(overlay, quad, true, changed, err);
}

tr_status tr_graph_overlay_remove(struct tr_graph_overlay *overlay,
                                  tr_rdf_ids quad, bool *changed,
                                  struct tr_err *err)
{
    return change(overlay, quad, false, changed, err);
}

size_t tr_graph_overlay_count(const struct tr_graph_overlay *overlay)
{
    return overlay->change_count;
}

tr_status tr_graph_overlay_each(const struct tr_graph_overlay *overlay,
                                tr_graph_change_fn *visit, void *context,
                                struct tr_err *err)
{
    for (const struct tr_graph_overlay_entry *e = overlay->first; e;
         e = e->next) {
        tr_graph_change change = {e->quad, e->is_added, e->by};
        if (!e->is_off)
            TR_TRY(visit(context, &change, err));
    }
    return TR_OK;
}

tr_status tr_graph_overlay_each_like(const struct tr_graph_overlay *overlay,
                                     tr_rdf_ids pattern,
                                     tr_graph_change_fn *visit, void *context,
                                     struct tr_err *err)
{
    int order = order_of(pattern);
    struct tr_graph_overlay_entry *e = first_of(overlay, pattern);
    while (e) {
        tr_graph_change change = {e->quad, e->is_added, e->by};
        if (!e->is_off && matches(pattern, e->quad))
            TR_TRY(visit(context, &change, err));
        e = order < 0 ? e->next : *next_of(e, order);
    }
    return TR_OK;
}

bool tr_graph_overlay_touches(const struct tr_graph_overlay *overlay,
                              tr_rdf_id subject)
{
    tr_rdf_ids pattern = {subject, TR_RDF_ID_ANY, TR_RDF_ID_ANY, TR_RDF_ID_ANY};
    const struct tr_graph_overlay_entry *e = first_of(overlay, pattern);
    while (e && (e->is_off || e->quad.s != subject))
        e = e->next_by_s;
    return e != NULL;
}
