#include "support/asked.h"

#include "base/limits.h"
#include "base/test.h"
#include "support/kinds.h"

#define BIT(form) (1u << (form))
#define THERE     (BIT(TR_FIELD_FORM_PRESENT) | BIT(TR_FIELD_FORM_ABSENT))

#define RANGE                                                                  \
    (BIT(TR_FIELD_FORM_MIN) | BIT(TR_FIELD_FORM_MAX) |                         \
     BIT(TR_FIELD_FORM_ABOVE) | BIT(TR_FIELD_FORM_BELOW))

enum { MOST_DEEP = 2 };

/* What is being made. */
struct asking {
    const struct tr_model_type *type;
    struct tr_arena *arena;
    struct tr_buf *json;
};

static uint64_t below(uint64_t bound)
{
    return tr_test_random_below(bound);
}

static tr_str copy(struct asking *a, const char *text)
{
    tr_str out;
    CHECK(tr_arena_copy(a->arena, tr_str_from(text), &out));
    return out;
}

/* Values ------------------------------------------------------------------ */

/* A node by its IRI, by the end of it where the type is known, or itself; now
 * and then one that is not there. */
static struct kind_value random_ref(struct asking *a,
                                    const struct tr_field *field)
{
    tr_str iri = below(12) ? kinds_node(below(KINDS_NODES))
                           : TR_STR("trails://team/Task/nobody");
    tr_str end = tr_str_skip(iri, sizeof("trails://team/Task/") - 1);
    char text[96];
    switch (below(field->target.len ? 3 : 2)) {
    case 0:
        (void)snprintf(text, sizeof(text), "\"%.*s\"", TR_FMT(iri));
        break;
    case 1:
        (void)snprintf(text, sizeof(text), "{\"id\":\"%.*s\"}", TR_FMT(iri));
        break;
    default:
        (void)snprintf(text, sizeof(text), "\"%.*s\"", TR_FMT(end));
    }
    return (struct kind_value){.text = iri, .json = copy(a, text)};
}

static struct kind_value random_value(struct asking *a,
                                      const struct tr_field *field)
{
    return field->kind == TR_FIELD_REF
               ? random_ref(a, field)
               : kind_value_to_ask(field->kind, a->arena);
}

/* The beginning of some value: whole characters. */
static tr_str random_prefix(struct asking *a, enum tr_field_kind kind)
{
    tr_str text = kind_value_to_ask(kind, a->arena).text;
    size_t len = below(text.len + 1);
    while (len < text.len && ((unsigned char)text.ptr[len] & 0xC0) == 0x80)
        len++;
    return (tr_str){text.ptr, len};
}

/* Forms ------------------------------------------------------------------- */

static void put_choices(struct asking *a, struct asked_cond *c, size_t count)
{
    c->choice_count = count;
    c->forms |= BIT(TR_FIELD_FORM_ONE_OF);
    for (size_t i = 0; i < count; i++) {
        c->choices[i] = random_value(a, c->field);
        tr_buf_putf(a->json, "%s%.*s", i ? "," : "",
                    TR_FMT(c->choices[i].json));
    }
}

static void put_form(struct asking *a, struct asked_cond *c,
                     enum tr_field_form form);

/* Some of the forms that are allowed, at least one. */
static void put_forms(struct asking *a, struct asked_cond *c, unsigned allowed)
{
    size_t count = 0;
    tr_buf_putc(a->json, '{');
    while (count == 0) {
        for (int form = 0; form < TR_FIELD_FORMS; form++) {
            /* Whether there is a value is asked of every field: less often
             * where more can be asked. */
            bool is_dull = BIT(form) & THERE && allowed & ~THERE;
            if (!(allowed & BIT(form)) || below(is_dull ? 12 : 3) || count == 3)
                continue;
            tr_buf_putf(a->json, "%s\"%s\":", count++ ? "," : "",
                        tr_field_form_name((enum tr_field_form)form).ptr);
            put_form(a, c, (enum tr_field_form)form);
        }
    }
    tr_buf_putc(a->json, '}');
}

static void put_has(struct asking *a, struct asked_cond *c)
{
    if (below(2))
        put_choices(a, c, 1);
    else
        put_forms(a, c, tr_field_value_forms(c->field));
}

static void put_presence(struct asking *a, struct asked_cond *c,
                         enum tr_field_form form)
{
    bool on = below(3) > 0;
    bool is_there = on == (form == TR_FIELD_FORM_PRESENT);
    c->forms |= BIT(is_there ? TR_FIELD_FORM_PRESENT : TR_FIELD_FORM_ABSENT);
    tr_buf_putf(a->json, on ? "true" : "false");
}

static void put_bound(struct asking *a, struct asked_cond *c,
                      enum tr_field_form form)
{
    if (form <= TR_FIELD_FORM_BELOW) {
        c->forms |= BIT(form);
        c->bounds[form] = random_value(a, c->field);
        tr_buf_put(a->json, c->bounds[form].json);
    } else { /* a new one has to be said here */
        tr_test_fail("a form", tr_field_form_name(form).ptr, __FILE__,
                     __LINE__);
    }
}

static void put_form(struct asking *a, struct asked_cond *c,
                     enum tr_field_form form)
{
    switch (form) {
    case TR_FIELD_FORM_ONE_OF:
        tr_buf_putc(a->json, '[');
        put_choices(a, c, below(8) ? 1 + below(TR_LEN(c->choices)) : 0);
        tr_buf_putc(a->json, ']');
        break;
    case TR_FIELD_FORM_PREFIX:
        c->forms |= BIT(form);
        c->prefix = random_prefix(a, c->field->kind);
        tr_buf_put_json(a->json, c->prefix);
        break;
    case TR_FIELD_FORM_HAS:
        put_has(a, c);
        break;
    case TR_FIELD_FORM_PRESENT:
    case TR_FIELD_FORM_ABSENT:
        put_presence(a, c, form);
        break;
    default:
        put_bound(a, c, form);
    }
}

/* Filters ----------------------------------------------------------------- */

/* Whether another condition is of the same member already. */
static bool is_said(const struct asked *asked, const struct asked_cond *c)
{
    for (size_t i = 0; i < asked->count; i++) {
        if (asked->conds[i].field == c->field &&
            asked->conds[i].across == c->across)
            return true;
    }
    return false;
}

static void put_cond(struct asking *a, struct asked_cond *c, const char *before)
{
    tr_buf_putf(a->json, "%s\"%.*s%s%.*s\":", before,
                TR_FMT(c->across ? c->across->name : TR_STR("")),
                c->across ? "." : "", TR_FMT(c->field->name));
    if (tr_field_takes_values(c->field) && below(3) == 0)
        put_choices(a, c, 1);
    else
        put_forms(a, c, tr_field_forms(c->field));
}

/* A field of the type, or behind a ref one of Task, which all of them are. */
static struct asked_cond random_field(const struct asking *a)
{
    const struct tr_shape *shape = a->type->shape;
    struct asked_cond c = {
        .across = tr_shape_find(shape, below(2) ? TR_STR("owner")
                                                : TR_STR("friends"))};
    if (below(3))
        c.across = NULL;
    do {
        c.field = &shape->fields[below(shape->count)];
    } while (!tr_field_takes_values(c.field) && below(3));
    return c;
}

static const struct asked *make_all(struct asking *a, int depth);

static void put_any(struct asking *a, struct asked_cond *c, int depth,
                    const char *before)
{
    c->any_count = 1 + below(3);
    c->any = TR_NEW_ARRAY(a->arena, struct asked, c->any_count);
    CHECK(c->any);
    tr_buf_putf(a->json, "%s\"any\":[", before);
    for (size_t i = 0; i < c->any_count; i++) {
        tr_buf_putf(a->json, i ? "," : "");
        c->any[i] = *make_all(a, depth + 1);
    }
    tr_buf_putc(a->json, ']');
}

static const struct asked *make_all(struct asking *a, int depth)
{
    struct asked *asked = TR_NEW(a->arena, struct asked);
    CHECK(asked);
    tr_buf_putc(a->json, '{');
    for (size_t i = below(3) ? 1 : below(4); i > 0; i--) {
        struct asked_cond *c = &asked->conds[asked->count];
        *c = random_field(a);
        if (is_said(asked, c))
            continue;
        put_cond(a, c, asked->count ? "," : "");
        asked->count++;
    }
    if (depth < MOST_DEEP && below(3) == 0) {
        struct asked_cond *c = &asked->conds[asked->count];
        *c = (struct asked_cond){0};
        put_any(a, c, depth, asked->count ? "," : "");
        asked->count++;
    }
    tr_buf_putc(a->json, '}');
    return asked;
}

const struct asked *asked_make(const struct tr_model_type *type,
                               struct tr_arena *arena, struct tr_buf *json)
{
    struct asking a = {type, arena, json};
    return make_all(&a, 0);
}

/* What a look at a node says ---------------------------------------------- */

static tr_rdf_id id_of(const struct tr_graph_read_ctx *ctx, tr_str iri)
{
    tr_rdf_id id = TR_RDF_ID_NONE;
    CHECK_OK(tr_rdf_graph_find_iri(ctx->graph, iri, &id, NULL), NULL);
    return id;
}

struct asked_values asked_values_of(const struct tr_graph_read_ctx *ctx,
                                    tr_rdf_id node,
                                    const struct tr_field *field)
{
    struct asked_values out = {.count = 0};
    struct tr_rdf_cursor cursor;
    tr_rdf_ids row = {.s = node,
                      .p = id_of(ctx, field->iri),
                      .o = TR_RDF_ID_ANY,
                      .g = TR_RDF_ID_ANY};
    tr_rdf_graph_match(ctx->graph, row, &cursor);
    while (tr_rdf_cursor_next(&cursor, &row)) {
        CHECK(out.count < ASKED_VALUES);
        out.ids[out.count++] = row.o;
    }
    CHECK_OK(tr_rdf_cursor_close(&cursor, NULL), NULL);
    for (size_t i = 0; i < out.count; i++) {
        CHECK_OK(tr_rdf_graph_get(ctx->graph, out.ids[i], &out.terms[i], NULL),
                 NULL);
        CHECK(tr_rdf_term_copy(ctx->arena, &out.terms[i], &out.terms[i]));
    }
    return out;
}

static bool is_within(const struct asked_cond *c,
                      const struct kind_value *value)
{
    const struct kind_value *bounds = c->bounds;
    int64_t rank = value->rank;
    return !(c->forms & RANGE && value->is_out) &&
           !(c->forms & BIT(TR_FIELD_FORM_MIN) &&
             rank < bounds[TR_FIELD_FORM_MIN].rank) &&
           !(c->forms & BIT(TR_FIELD_FORM_MAX) &&
             rank > bounds[TR_FIELD_FORM_MAX].rank) &&
           !(c->forms & BIT(TR_FIELD_FORM_ABOVE) &&
             rank <= bounds[TR_FIELD_FORM_ABOVE].rank) &&
           !(c->forms & BIT(TR_FIELD_FORM_BELOW) &&
             rank >= bounds[TR_FIELD_FORM_BELOW].rank);
}

static bool value_fits(const struct asked_cond *c, const tr_rdf_term *term)
{
    bool is_ref = c->field->kind == TR_FIELD_REF;
    struct kind_value value = {.text = term->text};
    bool is_choice = !(c->forms & BIT(TR_FIELD_FORM_ONE_OF));
    if (!(c->forms & ~THERE))
        return true;
    if (is_ref ? term->kind != TR_RDF_TERM_IRI
               : !kind_value_find(c->field->kind, term, &value))
        return false;
    for (size_t i = 0; i < c->choice_count; i++)
        is_choice |= is_ref ? tr_str_eq(value.text, c->choices[i].text)
                            : value.rank == c->choices[i].rank;
    return is_choice && is_within(c, &value) &&
           (!(c->forms & BIT(TR_FIELD_FORM_PREFIX)) ||
            tr_str_starts(value.text, c->prefix));
}

static void look_at(const struct tr_graph_read_ctx *ctx,
                    const struct asked_cond *c, tr_rdf_id node, bool *has_any,
                    bool *fits)
{
    struct asked_values values = asked_values_of(ctx, node, c->field);
    *has_any |= values.count > 0;
    for (size_t i = 0; i < values.count; i++)
        *fits |= value_fits(c, &values.terms[i]);
}

static bool all_hold(const struct tr_graph_read_ctx *ctx,
                     const struct asked *asked, tr_rdf_id node);

static bool is_of(const struct tr_graph_read_ctx *ctx, tr_rdf_id node,
                  tr_str class)
{
    tr_rdf_ids row = {.s = node,
                      .p = id_of(ctx, TR_STR(TR_RDF_IRI_RDF_TYPE)),
                      .o = id_of(ctx, class),
                      .g = TR_RDF_ID_ANY};
    bool is_one = false;
    CHECK_OK(tr_rdf_graph_has(ctx->graph, row, &is_one, NULL), NULL);
    return is_one;
}

static bool cond_holds(const struct tr_graph_read_ctx *ctx,
                       const struct asked_cond *c, tr_rdf_id node)
{
    struct asked_values over = {.count = 0};
    bool has_any = false;
    bool fits = false;
    for (size_t i = 0; i < c->any_count; i++)
        fits |= all_hold(ctx, &c->any[i], node);
    if (c->any)
        return fits;
    if (c->across)
        over = asked_values_of(ctx, node, c->across);
    else
        look_at(ctx, c, node, &has_any, &fits);
    for (size_t i = 0; i < over.count; i++) {
        /* What a ref leads to counts when it is of the ref's type. */
        if (over.terms[i].kind != TR_RDF_TERM_LITERAL &&
            is_of(ctx, over.ids[i], TR_STR("trails://team/Task")))
            look_at(ctx, c, over.ids[i], &has_any, &fits);
    }
    /* A form that asks for a value, or `present`, wants one. */
    return (!(c->forms & BIT(TR_FIELD_FORM_ABSENT)) || !has_any) &&
           (!(c->forms & ~BIT(TR_FIELD_FORM_ABSENT)) || fits);
}

static bool all_hold(const struct tr_graph_read_ctx *ctx,
                     const struct asked *asked, tr_rdf_id node)
{
    bool all = true;
    for (size_t i = 0; i < asked->count && all; i++)
        all = cond_holds(ctx, &asked->conds[i], node);
    return all;
}

bool asked_fits(const struct tr_graph_read_ctx *ctx,
                const struct tr_model_type *type, const struct asked *asked,
                tr_rdf_id node)
{
    return is_of(ctx, node, type->shape->iri) && all_hold(ctx, asked, node);
}
