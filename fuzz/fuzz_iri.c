/*
 * A base and a reference, on two lines: resolution gives an IRI that resolves
 * to itself, and the parts of any text put it together again.
 */
#include "base/limits.h"
#include "rdf/iri.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void put_part(struct tr_buf *out, bool is_there, const char *before,
                     tr_str part)
{
    if (is_there) {
        tr_buf_put(out, tr_str_from(before));
        tr_buf_put(out, part);
    }
}

static void check_parts(tr_str iri)
{
    struct tr_rdf_iri_parts parts;
    struct tr_buf out;
    tr_rdf_iri_split(iri, &parts);
    tr_buf_init(&out, TR_MIB(1));
    tr_buf_put(&out, parts.scheme);
    put_part(&out, parts.scheme.len > 0, ":", TR_STR(""));
    put_part(&out, parts.has_authority, "//", parts.authority);
    tr_buf_put(&out, parts.path);
    put_part(&out, parts.has_query, "?", parts.query);
    put_part(&out, parts.has_fragment, "#", parts.fragment);
    must(out.ptr ? tr_str_eq(tr_buf_str(&out), iri) : iri.len == 0);
    tr_buf_done(&out);
    if (tr_rdf_iri_check(iri, NULL) == TR_OK)
        must(tr_rdf_iri_legal_len(iri) == iri.len &&
             tr_rdf_iri_scheme_len(iri));
}

static void check_resolution(tr_str base, tr_str reference)
{
    struct tr_buf once;
    struct tr_buf twice;
    tr_buf_init(&once, TR_MIB(1));
    tr_buf_init(&twice, TR_MIB(1));
    tr_rdf_iri_resolve(&once, base, reference);
    must(once.failed == TR_OK);
    tr_rdf_iri_resolve(&twice, base, tr_buf_str(&once));
    if (tr_rdf_iri_scheme_len(base)) {
        must(tr_rdf_iri_scheme_len(tr_buf_str(&once)) > 0);
        must(tr_str_eq(tr_buf_str(&once), tr_buf_str(&twice)));
    }
    check_parts(tr_buf_str(&once));
    tr_buf_done(&once);
    tr_buf_done(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tr_str text = {(const char *)data, size};
    tr_str base = TR_STR("http://a/b/c/d;p?q");
    tr_str reference = text;
    (void)tr_str_cut(text, '\n', &base, &reference);
    check_parts(base);
    check_parts(reference);
    check_resolution(base, reference);
    return 0;
}
