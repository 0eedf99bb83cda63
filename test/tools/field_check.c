/*
 * test/tools/field_check.c - field tables and objects, for tests that compare.
 *
 * A line {"fields": [...]} of standard input is a table; the keys of a field
 * are the members of struct tr_field. It is answered with lines: its JSON
 * Schema, the JSON Schema of its SHACL, its SHACL as N-Triples, and "end".
 * Every other line is a value, which is answered with "fits" or "refused" by
 * the table before. A fault is answered with "error: ...".
 */
#include "base/limits.h"
#include "fields/check.h"
#include "fields/json_schema.h"
#include "fields/pattern.h"
#include "json/reader.h"
#include "model/shacl.h"
#include "rdf/writer.h"
#include "shacl/shapes.h"

enum { FIELDS_MAX = 8 };

struct table {
    struct tr_arena arena;
    struct tr_field_patterns patterns;
    const struct tr_shape *shape;
};

static tr_str text_of(const struct tr_json *object, const char *key)
{
    const struct tr_json *value = tr_json_find(object, tr_str_from(key));
    return value ? tr_json_text(value) : TR_STR("");
}

static int64_t count_of(const struct tr_json *object, const char *key)
{
    int64_t count = 0;
    (void)tr_json_i64(tr_json_find(object, tr_str_from(key)), &count);
    return count;
}

static bool is_set(const struct tr_json *object, const char *key)
{
    bool value = false;
    (void)tr_json_bool(tr_json_find(object, tr_str_from(key)), &value);
    return value;
}

static bool find_kind(tr_str name, enum tr_field_kind *out)
{
    for (int kind = TR_FIELD_TEXT; kind <= TR_FIELD_REF; kind++) {
        *out = (enum tr_field_kind)kind;
        if (tr_str_eq(name, tr_str_from(tr_field_kind_name(*out))))
            return true;
    }
    return false;
}

/* A key that is none of these would be a mistake of the test. */
static tr_status check_keys(const struct tr_json *object, struct tr_err *err)
{
    static const char known[] =
        " name kind many optional title description target pattern min_length"
        " max_length min_count max_count min_value max_value min_exclusive"
        " max_exclusive one_of default_to ";
    for (size_t i = 0; i < object->len; i++) {
        char word[64];
        tr_str key = tr_json_text(&object->as.members[i].key);
        (void)snprintf(word, sizeof(word), " %.*s ", TR_FMT(key));
        if (!strstr(known, word))
            return tr_fail(err, TR_E_INVALID, "no such key:%s", word);
    }
    return TR_OK;
}

static tr_status read_field(const struct tr_json *object, struct tr_field *out,
                            struct tr_err *err)
{
    tr_str kind = text_of(object, "kind");
    TR_TRY(check_keys(object, err));
    *out = (struct tr_field){
        .name = text_of(object, "name"),
        .many = is_set(object, "many"),
        .optional = is_set(object, "optional"),
        .title = text_of(object, "title"),
        .description = text_of(object, "description"),
        .target = text_of(object, "target"),
        .pattern = text_of(object, "pattern"),
        .min_length = count_of(object, "min_length"),
        .max_length = count_of(object, "max_length"),
        .min_count = count_of(object, "min_count"),
        .max_count = count_of(object, "max_count"),
        .min_value = text_of(object, "min_value"),
        .max_value = text_of(object, "max_value"),
        .min_exclusive = text_of(object, "min_exclusive"),
        .max_exclusive = text_of(object, "max_exclusive"),
        .one_of = tr_json_find(object, TR_STR("one_of")),
        .default_to = tr_json_find(object, TR_STR("default_to")),
    };
    if (!find_kind(kind.len ? kind : TR_STR("text"), &out->kind))
        return tr_fail(err, TR_E_INVALID, "no such kind");
    return TR_OK;
}

static tr_status read_table(const struct tr_json *object, struct table *out,
                            struct tr_err *err)
{
    static const struct tr_model_type_context place = {.project =
                                                           TR_STR_INIT("test")};
    const struct tr_json *list = tr_json_find(object, TR_STR("fields"));
    struct tr_field fields[FIELDS_MAX];
    struct tr_shape draft = {.name = TR_STR("T"), .fields = fields};
    (void)tr_json_bool(tr_json_find(object, TR_STR("open")), &draft.open);
    for (; draft.count < list->len && draft.count < FIELDS_MAX; draft.count++)
        TR_TRY(read_field(tr_json_at(list, draft.count), &fields[draft.count],
                          err));
    TR_TRY(tr_model_name_shape(&out->arena, &place, &draft, err));
    return tr_shape_register(&out->arena, &out->patterns, &draft, &out->shape,
                             err);
}

static tr_status put_schema(const struct tr_shape *shape, struct tr_buf *out,
                            struct tr_err *err)
{
    struct tr_json_writer w;
    tr_jw_init(&w, out);
    tr_shape_write_json_schema(&w, shape, TR_SHAPE_WITH_DIALECT);
    TR_TRY(tr_jw_finish(&w, err));
    tr_buf_putc(out, '\n');
    return tr_buf_check(out, err);
}

/* Table, SHACL, compiled shapes, table. */
static tr_status put_schema_again(const struct tr_rdf_graph *graph,
                                  struct table *table, struct tr_buf *out,
                                  struct tr_err *err)
{
    struct tr_shacl_shapes *shapes = NULL;
    const struct tr_shape *again = NULL;
    size_t at = 0;
    TR_TRY(tr_shacl_shapes_read(graph, &shapes, err));
    tr_status status = tr_model_find_shacl_type(shapes, TR_STR("T"), &at, err);
    if (status == TR_OK)
        status = tr_model_shape_of_shacl(shapes, at, &table->arena,
                                         &table->patterns, &again, err);
    if (status == TR_OK)
        status = put_schema(again, out, err);
    tr_shacl_shapes_free(shapes);
    return status;
}

static tr_status put_views(struct table *table,
                           struct tr_rdf_memory_graph *graph,
                           struct tr_buf *out, struct tr_err *err)
{
    static const struct tr_model_type_context place = {.project =
                                                           TR_STR_INIT("test")};
    struct tr_rdf_output output = tr_rdf_output_buf(out);
    TR_TRY(put_schema(table->shape, out, err));
    TR_TRY(tr_model_shape_to_graph(table->shape, &place, graph, err));
    TR_TRY(tr_rdf_memory_graph_index(graph, err));
    TR_TRY(put_schema_again(tr_rdf_memory_graph_view(graph), table, out, err));
    TR_TRY(tr_rdf_write(TR_RDF_NTRIPLES, tr_rdf_memory_graph_view(graph), NULL,
                        &output, err));
    tr_buf_put(out, TR_STR("end\n"));
    return tr_buf_check(out, err);
}

static void drop(struct table *table)
{
    tr_field_patterns_done(&table->patterns);
    tr_arena_done(&table->arena);
    *table = (struct table){0};
    tr_arena_init(&table->arena, TR_MIB(16));
}

static tr_status take_table(const struct tr_json *value, struct table *table,
                            struct tr_buf *out, struct tr_err *err)
{
    struct tr_rdf_memory_graph *graph = NULL;
    drop(table);
    TR_TRY(read_table(value, table, err));
    TR_TRY(tr_rdf_memory_graph_create(0, &graph, err));
    tr_status status = put_views(table, graph, out, err);
    tr_rdf_memory_graph_free(graph);
    return status;
}

static tr_status answer(struct tr_arena *arena, tr_str text,
                        struct table *table, struct tr_buf *out,
                        struct tr_err *err)
{
    const struct tr_json *value = NULL;
    struct tr_shape_checked checked;
    TR_TRY(tr_json_read(arena, text, NULL, &value, err));
    if (tr_json_find(value, TR_STR("fields")))
        return take_table(value, table, out, err);
    tr_status status =
        tr_shape_check(table->shape, value, arena, &checked, err);
    if (status != TR_OK && status != TR_E_VALIDATION)
        return status;
    tr_buf_put(out, status == TR_OK ? TR_STR("fits\n") : TR_STR("refused\n"));
    return TR_OK;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    struct table table = {0};
    struct tr_arena arena;
    struct tr_buf out;
    tr_arena_init(&arena, TR_MIB(64));
    tr_arena_init(&table.arena, TR_MIB(16));
    tr_buf_init(&out, TR_MIB(16));
    for (;;) {
        struct tr_err err = {0};
        ssize_t len = getline(&line, &room, stdin);
        if (len < 0)
            break;
        tr_str text = {line, (size_t)len - (line[len - 1] == '\n')};
        if (answer(&arena, text, &table, &out, &err) != TR_OK) {
            tr_buf_clear(&out);
            tr_buf_putf(&out, "error: %s %s\n", err.at, err.msg);
        }
        (void)fwrite(out.ptr, 1, out.len, stdout);
        (void)fflush(stdout);
        tr_buf_clear(&out);
        tr_arena_reset(&arena);
    }
    drop(&table);
    tr_arena_done(&table.arena);
    tr_buf_done(&out);
    tr_arena_done(&arena);
    free(line);
    return EXIT_SUCCESS;
}
