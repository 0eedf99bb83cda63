/*
 * Any bytes as the text of a value: the first says of which kind of field. What
 * a field takes matches the pattern of its kind, has a term that is read as the
 * same value, and one spelling.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "fields/check.h"
#include "fields/literal.h"
#include "fields/pattern.h"
#include "fields/value.h"
#include "model/value_term.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_pattern(enum tr_field_kind kind, tr_str text,
                          struct tr_arena *arena)
{
    struct tr_field_patterns set = {0};
    const struct tr_field_pattern *pattern = NULL;
    const char *source = tr_field_kind_row(kind)->pattern;
    bool found = false;
    must(tr_field_pattern_compile(&set, tr_str_from(source), 0, &pattern,
                                  NULL) == TR_OK);
    tr_status status =
        tr_field_pattern_match(pattern, text, arena, &found, NULL);
    must(status == TR_E_LIMIT || (status == TR_OK && found));
    tr_field_patterns_done(&set);
}

static void check_spelling(const struct tr_field *field,
                           const tr_rdf_term *term)
{
    enum tr_field_kind kind;
    struct tr_buf room;
    tr_buf_init(&room, TR_LIMIT_RDF_TERM);
    must(!tr_model_spells_otherwise(term, &room, &kind) || kind != field->kind);
    tr_buf_done(&room);
}

static void check_round_trip(const struct tr_field *field,
                             const struct tr_json *value,
                             struct tr_arena *arena)
{
    struct tr_json back;
    tr_rdf_term term;
    tr_rdf_term again;
    tr_status status = tr_model_value_to_term(field, value, arena, &term, NULL);
    if (status == TR_E_VALIDATION)
        return;
    must(status == TR_OK);
    check_spelling(field, &term);
    must(tr_model_value_from_term(field, &term, arena, &back, NULL) == TR_OK);
    must(tr_model_value_to_term(field, &back, arena, &again, NULL) == TR_OK);
    must(tr_rdf_term_eq(&term, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || data[0] % TR_FIELD_KINDS == TR_FIELD_OBJECT)
        return 0;
    const struct tr_field field = {
        .name = TR_STR("f"),
        .kind = (enum tr_field_kind)(data[0] % TR_FIELD_KINDS),
        .any_type = true,
    };
    tr_str text = {(const char *)data + 1, size - 1};
    struct tr_field_errors errors = {0};
    struct tr_arena arena;
    struct tr_json value;
    tr_arena_init(&arena, TR_MIB(64));
    if (tr_field_value_read(&field, text, &arena, &value) == TR_OK &&
        tr_field_check(&field, &value, &arena, &errors, NULL) == TR_OK) {
        if (tr_field_kind_is_literal(field.kind))
            check_pattern(field.kind, text, &arena);
        check_round_trip(&field, &value, &arena);
    }
    tr_arena_done(&arena);
    return 0;
}
