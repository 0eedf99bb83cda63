/*
 * docs/fields.md has a row for each kind of field in both of its tables, as the
 * tables of the program say it.
 */
#include "base/buf.h"
#include "base/test.h"
#include "fields/forms.h"
#include "fields/literal.h"

static const struct said {
    enum tr_field_trait trait;
    const char *option;
} said[] = {
    {TR_FIELD_HAS_PATTERN, "pattern"},  {TR_FIELD_HAS_LENGTH, "min_length"},
    {TR_FIELD_HAS_BOUNDS, "min_value"}, {TR_FIELD_HAS_CHOICES, "one_of"},
    {TR_FIELD_IS_SEARCHED, "search"},   {TR_FIELD_IS_UNIQUE, "unique"},
    {TR_FIELD_IS_LABEL, "label"},
};

/* Options that one kind alone has. */
static const char *const own[TR_FIELD_KINDS] = {
    [TR_FIELD_DECIMAL] = "digits`, `scale",
    [TR_FIELD_JSON] = "schema",
    [TR_FIELD_REF] = "by",
};

static void put_item(struct tr_buf *out, size_t *count, const char *text)
{
    tr_buf_putf(out, "%s`%s`", (*count)++ ? ", " : "", text);
}

static const char *lua_of(const struct tr_field_kind_row *row)
{
    return row->json_type ? row->json_type : "anything";
}

static void put_schema(struct tr_buf *out, const struct tr_field_kind_row *row)
{
    if (!row->json_type)
        tr_buf_putf(out, "that of the field");
    else if (row->format)
        tr_buf_putf(out, "`format: %s`", row->format);
    else
        tr_buf_putf(out, "`%s`", row->pattern ? "pattern" : "type");
}

static void put_shape(struct tr_buf *out, const struct tr_field_kind_row *row)
{
    if (row->datatype[0])
        tr_buf_putf(out, "`sh:datatype`%s",
                    row->pattern ? ", `sh:pattern`" : "");
    else
        tr_buf_putf(out, "%s",
                    row->json_type && strcmp(row->json_type, "object") == 0
                        ? "`sh:node`"
                        : "`sh:nodeKind`, `sh:class`");
}

/* What a value is. */
static void put_value_row(struct tr_buf *out, enum tr_field_kind kind)
{
    const struct tr_field_kind_row *row = tr_field_kind_row(kind);
    tr_buf_putf(out, "| `%s` | %s | ", row->name, lua_of(row));
    put_schema(out, row);
    tr_buf_putf(out, " | %s | ",
                row->datatype[0]                   ? row->short_name
                : strcmp(row->name, "object") == 0 ? "a node"
                                                   : "an IRI");
    put_shape(out, row);
    tr_buf_putf(out, " | %s |", row->expected);
}

static void put_filters(struct tr_buf *out, const struct tr_field *field)
{
    unsigned forms = tr_field_value_forms(field);
    size_t count = 0;
    for (int form = 0; form < TR_FIELD_FORMS; form++) {
        if (forms >> form & 1 && form != TR_FIELD_FORM_PRESENT &&
            form != TR_FIELD_FORM_ABSENT)
            put_item(out, &count,
                     tr_field_form_name((enum tr_field_form)form).ptr);
    }
    tr_buf_putf(out, "%s", count ? "" : "none");
}

/* What a cell of a CSV file has, as fields/value.h reads it. */
static const char *csv_of(enum tr_field_kind kind)
{
    const struct tr_field field = {.kind = kind};
    const char *type = tr_field_kind_row(kind)->json_type;
    if (!type || strcmp(type, "object") == 0)
        return "JSON";
    if (kind == TR_FIELD_REF)
        return "id, IRI or key";
    if (kind == TR_FIELD_BOOLEAN)
        return "`true` or `false`";
    return tr_field_has(&field, TR_FIELD_IS_NUMBER) ? "number" : "text";
}

/* What can be said of it. */
static void put_option_row(struct tr_buf *out, enum tr_field_kind kind)
{
    const struct tr_field field = {.kind = kind};
    size_t count = 0;
    tr_buf_putf(out, "| `%s` | ", tr_field_kind_name(kind));
    for (size_t i = 0; i < TR_LEN(said); i++) {
        if (tr_field_has(&field, said[i].trait))
            put_item(out, &count, said[i].option);
    }
    if (own[kind])
        put_item(out, &count, own[kind]);
    tr_buf_putf(out, "%s | ", count ? "" : "none");
    put_filters(out, &field);
    tr_buf_putf(out, " | %s | %s |", tr_field_is_ordered(&field) ? "yes" : "no",
                csv_of(kind));
}

static bool has_line(tr_str page, tr_str line)
{
    tr_str before = {NULL, 0};
    while (page.len) {
        tr_str rest = {NULL, 0};
        if (!tr_str_cut(page, '\n', &before, &rest))
            before = page;
        if (tr_str_eq(before, line))
            return true;
        page = rest;
    }
    return false;
}

TEST(fields_page_has_what_the_tables_say)
{
    const tr_str page = tr_test_read_file("docs/fields.md");
    struct tr_err err = {0};
    size_t missing = 0;
    for (int i = 0; i < 2 * TR_FIELD_KINDS; i++) {
        enum tr_field_kind kind = (enum tr_field_kind)(i % TR_FIELD_KINDS);
        struct tr_buf row;
        tr_buf_init(&row, TR_KIB(4));
        if (i < TR_FIELD_KINDS)
            put_value_row(&row, kind);
        else
            put_option_row(&row, kind);
        CHECK_OK(tr_buf_check(&row, &err), &err);
        if (!has_line(page, tr_buf_str(&row))) {
            print_error("ROW %.*s\n", TR_FMT(tr_buf_str(&row)));
            missing++;
        }
        tr_buf_done(&row);
    }
    free((void *)(uintptr_t)page.ptr);
    CHECK_INT(missing, 0);
}

static void check_file(const char *folder, const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "test/fixtures/%s/%s", folder, name);
    tr_str file = tr_test_read_file(path);
    CHECK_ROW(file.len > 0, path);
    free((void *)(uintptr_t)file.ptr);
}

/* What each kind is in a schema, and in each view in each form, to the byte:
 * test/interop/golden_test.mjs and fields_test.mjs. */
TEST(fields_all_have_golden_files)
{
    static const char *const forms[] = {"one", "many", "list"};
    for (int kind = 0; kind < TR_FIELD_KINDS; kind++) {
        const char *name = tr_field_kind_name((enum tr_field_kind)kind);
        char file[64];
        (void)snprintf(file, sizeof(file), "map.%s.json", name);
        check_file("mcp_schemas", file);
        for (size_t form = 0; form < TR_LEN(forms); form++) {
            (void)snprintf(file, sizeof(file), "%s.%s.txt", name, forms[form]);
            if (kind != TR_FIELD_OBJECT || form < 2)
                check_file("fields", file);
        }
    }
}
