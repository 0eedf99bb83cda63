#include "support/kinds.h"

#include "base/test.h"
#include "model/builder.h"
#include "support/kind_values.h"

#define PICK(array) ((array)[tr_test_random_below(TR_LEN(array))])

static uint64_t below(uint64_t bound)
{
    return tr_test_random_below(bound);
}

/* Fields ------------------------------------------------------------------ */

enum form { ONE, MANY, LIST, FORMS };

static const struct tr_field inner[] = {
    {.name = TR_STR_INIT("part"), .optional = true}};
static const struct tr_shape object = {
    .name = TR_STR_INIT("Part"), .fields = inner, .count = TR_LEN(inner)};

static struct tr_field field_of(size_t number, char name[32])
{
    static const char *const ends[FORMS] = {"", "_many", "_list"};
    enum tr_field_kind kind = (enum tr_field_kind)(number / FORMS);
    enum form form = (enum form)(number % FORMS);
    (void)snprintf(name, 32, "%s%s", tr_field_kind_name(kind), ends[form]);
    return (struct tr_field){
        .name = tr_str_from(name),
        .kind = kind,
        .many = form == MANY,
        .list = form == LIST,
        .optional = true,
        .any_type = kind == TR_FIELD_REF,
        .object = kind == TR_FIELD_OBJECT ? &object : NULL,
    };
}

/* Each kind may be had alone; the rules say which may be arrays. */
static bool is_allowed(size_t number)
{
    char name[32];
    const struct tr_field field = field_of(number, name);
    struct tr_arena arena;
    tr_arena_init(&arena, TR_KIB(64));
    bool is_right = tr_field_check_rules(&field, &arena, NULL) == TR_OK;
    tr_arena_done(&arena);
    CHECK_ROW(is_right || number % FORMS != ONE, name);
    return is_right;
}

size_t kinds_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < (size_t)TR_FIELD_KINDS * FORMS; i++)
        count += is_allowed(i);
    return count;
}

static size_t allowed_at(size_t place)
{
    size_t number = 0;
    while (!is_allowed(number) || place-- > 0)
        number++;
    return number;
}

/* They are taken with a stride, so that kinds meet. */
void kinds_choose(struct kinds *kinds, size_t first)
{
    size_t count = kinds_count();
    size_t stride = count / KINDS_CHOSEN;
    *kinds = (struct kinds){.of_thing = KINDS_CHOSEN / 2};
    for (size_t i = 0; i < KINDS_CHOSEN; i++)
        kinds->fields[i] =
            field_of(allowed_at((first + i * stride) % count), kinds->names[i]);
    for (size_t i = 0; i < 2; i++)
        kinds->fields[KINDS_CHOSEN + i] =
            (struct tr_field){.name = i ? TR_STR("friends") : TR_STR("owner"),
                              .kind = TR_FIELD_REF,
                              .target = TR_STR("Task"),
                              .many = i > 0,
                              .optional = true};
}

/* Models ------------------------------------------------------------------ */

static void choose_index(struct tr_field *field)
{
    bool is_value = field->kind != TR_FIELD_REF &&
                    field->kind != TR_FIELD_OBJECT && !field->list;
    uint64_t choice = below(3);
    field->index = TR_FIELD_INDEX_DEFAULT;
    if (choice == 1 && is_value)
        field->index = TR_FIELD_INDEX_NONE;
    if (choice == 2 && !tr_field_is_array(field) &&
        tr_field_has(field, TR_FIELD_IS_INDEXED))
        field->index = TR_FIELD_INDEX_VALUE;
}

/* An index of several fields, as the type has them. */
struct together {
    char room[TR_LIMIT_INDEX_FIELDS][40];
    tr_str names[TR_LIMIT_INDEX_FIELDS];
    size_t count;
};

static void choose_together(const struct tr_field *fields, size_t count,
                            struct together *out)
{
    for (size_t i = 0; i < count && out->count < 3; i++) {
        const struct tr_field *field = &fields[i];
        if (tr_field_is_array(field) ||
            !tr_field_has(field, TR_FIELD_IS_INDEXED) || below(2))
            continue;
        char *room = out->room[out->count];
        (void)snprintf(room, sizeof(out->room[0]), "%s%.*s",
                       below(2) ? "-" : "", TR_FMT(field->name));
        out->names[out->count++] = tr_str_from(room);
    }
}

static void add_type(struct tr_model_builder *builder,
                     struct tr_model_type_draft draft,
                     const struct tr_field *all, size_t all_count)
{
    struct together room[2] = {{.count = 0}};
    struct tr_shape_unique indexes[2];
    struct tr_err err = {0};
    size_t count = below(3);
    draft.indexes = indexes;
    for (size_t i = 0; i < count; i++) {
        choose_together(all, all_count, &room[i]);
        /* One of one field would be there twice. */
        if (room[i].count < 2 ||
            (i && room[0].count == room[1].count &&
             !memcmp(room[0].room, room[1].room, sizeof(room[0].room))))
            continue;
        indexes[draft.index_count++] =
            (struct tr_shape_unique){room[i].names, room[i].count};
    }
    CHECK_OK(tr_model_builder_add_type(builder, &draft, &err), &err);
}

const struct tr_model *kinds_model(const struct kinds *kinds)
{
    struct tr_field fields[KINDS_FIELDS];
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    memcpy(fields, kinds->fields, sizeof(fields));
    for (size_t i = 0; i < KINDS_FIELDS; i++)
        choose_index(&fields[i]);
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    add_type(builder,
             (struct tr_model_type_draft){.shape = {.name = TR_STR("Thing"),
                                                    .fields = fields,
                                                    .count = kinds->of_thing}},
             fields, kinds->of_thing);
    add_type(builder,
             (struct tr_model_type_draft){
                 .shape = {.name = TR_STR("Task"),
                           .fields = fields + kinds->of_thing,
                           .count = KINDS_FIELDS - kinds->of_thing},
                 .extends = TR_STR("Thing")},
             fields, KINDS_FIELDS);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

/* Quads ------------------------------------------------------------------- */

tr_str kinds_node(size_t number)
{
    static const char *const nodes[KINDS_NODES] = {
        "trails://team/Task/a", "trails://team/Task/b", "trails://team/Task/c",
        "trails://team/Task/d", "trails://team/Task/e", "trails://team/Task/f",
        "trails://team/Task/g", "trails://team/Task/h", "trails://team/Task/i",
        "trails://team/Task/j", "trails://team/Task/k", "trails://team/Task/l"};
    return tr_str_from(nodes[number % KINDS_NODES]);
}

static tr_rdf_term random_node(void)
{
    return tr_rdf_term_iri(kinds_node(below(KINDS_NODES)));
}

/* What is no value of any field, or of this one. */
static tr_rdf_term odd_value(enum tr_field_kind kind)
{
    tr_rdf_term term = tr_rdf_term_string(TR_STR("a"));
    const char *own = tr_field_kind_row(kind)->datatype;
    switch (below(5)) {
    case 0:
        if (strcmp(own, TR_RDF_IRI_XSD_STRING) != 0)
            return term;
        break;
    case 1:
        if (kind != TR_FIELD_REF)
            return random_node();
        break;
    case 2:
        return tr_rdf_term_lang(TR_STR("a"), TR_STR("en"));
    case 3:
        if (kind_value_odd(kind, &term))
            return term;
        break;
    default:
        break;
    }
    return tr_rdf_term_typed(TR_STR("a"), TR_STR("http://e/datatype"));
}

tr_rdf_term kinds_value(const struct tr_field *field, struct tr_arena *arena)
{
    if (field->list)
        return tr_rdf_term_iri(TR_STR("http://e/cell"));
    if (field->kind == TR_FIELD_OBJECT)
        return tr_rdf_term_iri(TR_STR("http://e/part"));
    if (below(16) == 0)
        return odd_value(field->kind);
    if (field->kind == TR_FIELD_REF)
        return random_node();
    return kind_value_term(field->kind,
                           kind_value_random(field->kind, arena).text);
}

tr_rdf_quad kinds_quad(const struct tr_model *model, struct tr_arena *arena,
                       const struct tr_field **field)
{
    static const char *const types[] = {"trails://team/Thing",
                                        "trails://team/Task", "http://e/Other"};
    const struct tr_shape *shape = tr_model_find(model, TR_STR("Task"))->shape;
    size_t at = below(shape->count + 3);
    tr_rdf_quad quad = {.subject = random_node(),
                        .predicate =
                            tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_TYPE)),
                        .object = tr_rdf_term_iri(tr_str_from(PICK(types)))};
    *field = at < shape->count ? &shape->fields[at] : NULL;
    if (*field) {
        quad.predicate.text = (*field)->iri;
        quad.object = kinds_value(*field, arena);
    }
    if (below(4) == 0)
        quad.graph = tr_rdf_term_iri(TR_STR("http://e/graph"));
    return quad;
}
