/*
 * What is left in the file of texts that were removed, the log aside.
 */
#include "base/test.h"
#include "support/quads.h"
#include "support/tables.h"

enum { TEXTS = 400, PAGE = 4096, MARK_BYTES = 12 };

/* No other text has it, nor a part of it. */
static tr_str make_mark(struct tables *tables, size_t i)
{
    static const size_t lengths[] = {20, 60, 90, 400, 990, 1100, 9000};
    size_t len = lengths[tr_test_random_below(TR_LEN(lengths))];
    char *text = tr_arena_alloc(&tables->arena, len);
    CHECK(text);
    for (size_t at = 0; at < len; at++)
        text[at] = (char)('a' + tr_test_random_below(26));
    char mark[16];
    (void)snprintf(mark, sizeof(mark), "<mark %05zu>", i);
    memcpy(text, mark, strlen(mark));
    return (tr_str){text, len};
}

static void change_text(struct tables *tables, size_t subject, tr_str text,
                        bool is_added)
{
    struct tr_err err = {0};
    bool changed = false;
    tr_rdf_quad quad = {.subject = tables_iri(tables, "s", subject),
                        .predicate = tables_iri(tables, "p", 0),
                        .object = tr_rdf_term_string(text)};
    CHECK_OK(quads_change(tables->db, tables->terms,
                          tables_intern_quad(tables, &quad), is_added, &changed,
                          &err),
             &err);
    CHECK(changed);
}

/* Two bytes of the header of a page. */
static size_t header_number(const char *page, size_t at)
{
    return (size_t)(unsigned char)page[at] << 8 | (unsigned char)page[at + 1];
}

/* Whether bytes stand where a page has neither a row nor what was one: between
 * the list of its rows and the first of them. */
static bool is_in_gap(tr_str file, const char *bytes)
{
    size_t at = (size_t)(bytes - file.ptr) % PAGE;
    const char *page = bytes - at;
    size_t header = page[0] == 2 || page[0] == 5 ? 12 : 8; /* inner pages */
    bool is_page = page[0] == 10 || page[0] == 13 || header == 12;
    return is_page && at >= header + 2 * header_number(page, 3) &&
           at < header_number(page, 5);
}

static bool is_found(tr_str file, tr_str text, bool is_gap_allowed)
{
    const char *end = file.ptr + file.len;
    const char *at = file.ptr;
    while ((at = memmem(at, (size_t)(end - at), text.ptr, MARK_BYTES))) {
        if (!is_gap_allowed || !is_in_gap(file, at))
            return true;
        at += MARK_BYTES;
    }
    return false;
}

/*
 * Looks for the marks of all texts in the file, once the log is in it. When
 * rows move between pages SQLite leaves what it finds in the gap of a page, in
 * one removal of some hundreds: only tr_db_shrink is sure to clear that.
 */
static void check_file(struct tables *tables, const tr_str *texts,
                       const bool *is_there, bool is_gap_allowed)
{
    tr_str file = tables_file(tables);
    for (size_t i = 0; i < TEXTS; i++) {
        bool found = is_found(file, texts[i], is_gap_allowed);
        CHECK(found == is_there[i]);
    }
    free((void *)(uintptr_t)file.ptr);
}

static void toggle_some(struct tables *tables, const tr_str *texts,
                        bool *is_there)
{
    tables_begin(tables);
    for (size_t i = 0; i < TEXTS; i++) {
        if (tr_test_random_below(3))
            continue;
        is_there[i] = !is_there[i];
        change_text(tables, i % 40 * (i % 3 > 0), texts[i], is_there[i]);
    }
    tables_commit(tables);
}

/* Pages fill, split and join meanwhile. */
TEST(storing_leaves_no_byte_of_texts_that_come_and_go)
{
    for (size_t n = tr_test_scaled(40); n > 0; n--) {
        tr_str texts[TEXTS];
        bool is_there[TEXTS] = {0};
        struct tables tables;
        struct tr_err err = {0};
        tables_open(&tables);
        for (size_t i = 0; i < TEXTS; i++)
            texts[i] = make_mark(&tables, i);
        for (size_t round = 0; round < 6; round++) {
            toggle_some(&tables, texts, is_there);
            check_file(&tables, texts, is_there, true);
        }
        CHECK_OK(tr_db_shrink(tables.db, &err), &err);
        check_file(&tables, texts, is_there, false);
        tables_close(&tables);
    }
}
