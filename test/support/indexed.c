#include "support/indexed.h"

#include "base/test.h"
#include "db/db.h"
#include "model/builder.h"
#include "values/build.h"

#define PICK(array)  ((array)[tr_test_random_below(TR_LEN(array))])
#define NAMES(list)  .names = (list), .count = TR_LEN(list)
#define FIELDS(list) .fields = (list), .count = TR_LEN(list)

static const struct tr_field thing_fields[] = {
    {.name = TR_STR_INIT("name"), .optional = true},
    {.name = TR_STR_INIT("size"), .kind = TR_FIELD_INTEGER, .optional = true},
};
static const struct tr_field task_fields[] = {
    {.name = TR_STR_INIT("due"), .kind = TR_FIELD_DATETIME, .optional = true},
    {.name = TR_STR_INIT("rank"), .kind = TR_FIELD_DECIMAL, .optional = true},
    {.name = TR_STR_INIT("owner"),
     .kind = TR_FIELD_REF,
     .any_type = true,
     .optional = true},
};

static const tr_str by_size[] = {TR_STR_INIT("size")};
static const tr_str by_name[] = {TR_STR_INIT("-name")};
static const tr_str by_owner[] = {TR_STR_INIT("owner"), TR_STR_INIT("-due")};
static const tr_str by_due[] = {TR_STR_INIT("due")};
static const tr_str by_rank[] = {TR_STR_INIT("-rank"), TR_STR_INIT("size"),
                                 TR_STR_INIT("name")};

/* The first two are of Thing. */
static const struct tr_shape_unique indexes[] = {
    {NAMES(by_size)}, {NAMES(by_name)}, {NAMES(by_owner)},
    {NAMES(by_due)},  {NAMES(by_rank)},
};

static size_t choose(unsigned set, size_t from, size_t to,
                     struct tr_shape_unique *out)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++) {
        if (set & 1u << i)
            out[count++] = indexes[i];
    }
    return count;
}

/* Those of name, size, due and rank have no index. */
static void choose_bare(unsigned set, struct tr_field thing[],
                        struct tr_field task[])
{
    memcpy(thing, thing_fields, sizeof(thing_fields));
    memcpy(task, task_fields, sizeof(task_fields));
    for (size_t i = 0; i < 2; i++) {
        if (set & 1u << (TR_LEN(indexes) + i))
            thing[i].index = TR_FIELD_INDEX_NONE;
        if (set & 1u << (TR_LEN(indexes) + 2 + i))
            task[i].index = TR_FIELD_INDEX_NONE;
    }
}

const struct tr_model *indexed_model(unsigned set)
{
    struct tr_field things[TR_LEN(thing_fields)];
    struct tr_field tasks[TR_LEN(task_fields)];
    struct tr_shape_unique own[TR_LEN(indexes)];
    struct tr_model_type_draft thing = {
        .shape = {.name = TR_STR("Thing"), FIELDS(things)},
        .indexes = own,
        .index_count = choose(set, 0, 2, own)};
    struct tr_model_type_draft task = {
        .shape = {.name = TR_STR("Task"), FIELDS(tasks)},
        .extends = TR_STR("Thing"),
        .indexes = own};
    struct tr_model_builder *builder = NULL;
    const struct tr_model *model = NULL;
    struct tr_err err = {0};
    choose_bare(set, things, tasks);
    CHECK_OK(tr_model_builder_create(TR_STR("team"), &builder, &err), &err);
    CHECK_OK(tr_model_builder_add_type(builder, &thing, &err), &err);
    task.index_count = choose(set, 2, TR_LEN(indexes), own);
    CHECK_OK(tr_model_builder_add_type(builder, &task, &err), &err);
    CHECK_OK(tr_model_build(builder, &model, &err), &err);
    tr_model_builder_free(builder);
    return model;
}

tr_status indexed_fit(const char *path, const struct tr_db_opts *opts,
                      const struct tr_model *model, struct tr_err *err)
{
    const struct tr_values_wanted wanted = {.model = model};
    struct tr_values_built built;
    struct tr_db *db = NULL;
    TR_TRY(tr_db_open(path, opts, &db, err));
    tr_status status = tr_values_sync(db, &wanted, &built, err);
    tr_db_close(db);
    return status;
}

tr_str indexed_node(size_t number)
{
    static const char *const nodes[INDEXED_NODES] = {
        "trails://team/Task/a", "trails://team/Task/b", "trails://team/Task/c",
        "trails://team/Task/d", "trails://team/Task/e", "trails://team/Task/f",
        "trails://team/Task/g", "trails://team/Task/h", "trails://team/Task/i",
        "trails://team/Task/j", "trails://team/Task/k", "trails://team/Task/l"};
    return tr_str_from(nodes[number % INDEXED_NODES]);
}

static tr_rdf_term typed(const char *text, const char *datatype)
{
    return tr_rdf_term_typed(tr_str_from(text), tr_str_from(datatype));
}

tr_rdf_term indexed_value(tr_str field)
{
    static const char *const names[] = {
        "",
        "a",
        "ab",
        "abc",
        "b",
        "\xC3\xA9",
        "a text that is so long that a key cannot hold it all, so that what is "
        "behind its first hundred bytes matters in a digest alone",
        "a text that is so long that a key cannot hold it all, so that what is "
        "behind its first hundred bytes matters in a digest, too"};
    static const char *const sizes[] = {"1",
                                        "01",
                                        "+2",
                                        "2",
                                        "-7",
                                        "70",
                                        "9007199254740993",
                                        "9007199254740992"};
    static const char *const dues[] = {
        "2026-01-01T00:00:00Z",    "2026-01-01T02:00:00+02:00",
        "2025-12-31T23:00:00Z",    "2026-01-01T00:00:00.5Z",
        "2026-01-01T00:00:00.50Z", "no time"};
    static const char *const ranks[] = {
        "1.5", "1.50", "-1.5", "0.1", "10", "0.1000000000000000000001"};
    if (tr_str_eq(field, TR_STR("size")))
        return typed(PICK(sizes), TR_RDF_IRI_XSD_INTEGER);
    if (tr_str_eq(field, TR_STR("due")))
        return typed(PICK(dues), TR_RDF_IRI_XSD_DATE_TIME);
    if (tr_str_eq(field, TR_STR("rank")))
        return typed(PICK(ranks), TR_RDF_IRI_XSD_DECIMAL);
    if (tr_str_eq(field, TR_STR("owner")))
        return tr_rdf_term_iri(
            indexed_node(tr_test_random_below(INDEXED_NODES)));
    return tr_rdf_term_string(tr_str_from(PICK(names)));
}

tr_rdf_quad indexed_quad(void)
{
    static const struct {
        const char *field;
        const char *iri;
    } fields[] = {{"name", "trails://team/Thing#name"},
                  {"size", "trails://team/Thing#size"},
                  {"due", "trails://team/Task#due"},
                  {"rank", "trails://team/Task#rank"},
                  {"owner", "trails://team/Task#owner"}};
    static const char *const types[] = {"trails://team/Thing",
                                        "trails://team/Task", "http://e/Other"};
    size_t at = tr_test_random_below(TR_LEN(fields) + 3);
    tr_rdf_quad quad = {
        .subject =
            tr_rdf_term_iri(indexed_node(tr_test_random_below(INDEXED_NODES))),
        .predicate = tr_rdf_term_iri(TR_STR(TR_RDF_IRI_RDF_TYPE)),
        .object = tr_rdf_term_iri(tr_str_from(PICK(types)))};
    if (at < TR_LEN(fields)) {
        quad.predicate.text = tr_str_from(fields[at].iri);
        quad.object = indexed_value(
            tr_str_from(fields[tr_test_random_below(16) ? at : 0].field));
    }
    if (tr_test_random_below(4) == 0)
        quad.graph = tr_rdf_term_iri(TR_STR("http://e/graph"));
    return quad;
}
