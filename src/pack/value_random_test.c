/*
 * Random terms of all kinds become bytes and terms again, and two terms have
 * the same bytes exactly when they are the same.
 */
#include "base/limits.h"
#include "base/test.h"
#include "pack/value.h"
#include "support/literals.h"

static void pack(const tr_rdf_term *term, struct tr_buf *out)
{
    struct tr_pack_value value;
    CHECK(tr_pack_value_of(term, &value));
    if (value.kind == TR_PACK_REFERENCE)
        value.number = literal_number(term->text);
    if (value.kind == TR_PACK_TYPED)
        value.number = literal_number(term->datatype);
    tr_buf_clear(out);
    tr_pack_value_put(out, &value);
    CHECK_OK(tr_buf_check(out, NULL), NULL);
}

static void check_back(const tr_rdf_term *term, tr_str bytes)
{
    char text[TR_PACK_CANONICAL_TEXT];
    struct tr_pack_value value;
    struct tr_err err = {0};
    CHECK_OK(tr_pack_value_get(bytes, &value, &err), &err);
    tr_rdf_term back =
        tr_pack_value_term(&value, literal_iri(value.number), text);
    CHECK(tr_rdf_term_eq(term, &back));
}

TEST(value_gives_every_random_term_back)
{
    struct literal one;
    struct literal other;
    struct tr_buf a;
    struct tr_buf b;
    size_t equal = 0;
    literal_init(&one);
    literal_init(&other);
    tr_buf_init(&a, TR_MIB(1));
    tr_buf_init(&b, TR_MIB(1));
    for (size_t i = tr_test_scaled(1000000); i > 0; i--) {
        literal_make_term(&one);
        literal_make_term(&other);
        pack(&one.term, &a);
        pack(&other.term, &b);
        check_back(&one.term, tr_buf_str(&a));
        bool same = tr_rdf_term_eq(&one.term, &other.term);
        CHECK(same == (tr_pack_value_cmp(tr_buf_str(&a), tr_buf_str(&b)) == 0));
        equal += same;
    }
    CHECK(equal > 0);
    literal_done(&one);
    literal_done(&other);
    tr_buf_done(&a);
    tr_buf_done(&b);
}

/* What is damaged is refused, or is another value that gives its own bytes. */
TEST(value_has_one_form_of_bytes_only)
{
    struct literal one;
    struct tr_buf bytes;
    struct tr_buf again;
    size_t refused = 0;
    literal_init(&one);
    tr_buf_init(&bytes, TR_MIB(1));
    tr_buf_init(&again, TR_MIB(1));
    for (size_t i = tr_test_scaled(1000000); i > 0; i--) {
        struct tr_pack_value value;
        literal_make_term(&one);
        pack(&one.term, &bytes);
        size_t near = bytes.len < 12 ? bytes.len : 12;
        bytes.ptr[tr_test_random_below(near)] = (char)tr_test_random();
        tr_status status = tr_pack_value_get(tr_buf_str(&bytes), &value, NULL);
        refused += status != TR_OK;
        if (status != TR_OK)
            continue;
        tr_buf_clear(&again);
        tr_pack_value_put(&again, &value);
        CHECK(tr_str_eq(tr_buf_str(&bytes), tr_buf_str(&again)));
    }
    CHECK(refused > 0);
    literal_done(&one);
    tr_buf_done(&bytes);
    tr_buf_done(&again);
}
