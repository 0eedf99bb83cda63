#include "rdf/iri.h"

#include "base/limits.h"
#include "base/test.h"

struct resolution {
    const char *reference;
    const char *result;
};

static void check_resolutions(const char *base, const struct resolution *rows,
                              size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct tr_buf out;
        tr_buf_init(&out, TR_KIB(4));
        tr_rdf_iri_resolve(&out, tr_str_from(base),
                           tr_str_from(rows[i].reference));
        CHECK_OK(tr_buf_check(&out, NULL), NULL);
        CHECK_STR(tr_buf_str(&out), rows[i].result);
        tr_buf_done(&out);
    }
}

/* RFC 3986, 5.4.1. */
TEST(iri_resolve_does_the_normal_examples)
{
    static const struct resolution rows[] = {
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
    };
    check_resolutions("http://a/b/c/d;p?q", rows, TR_LEN(rows));
}

/* RFC 3986, 5.4.2; "http:g" in its strict reading. */
TEST(iri_resolve_does_the_abnormal_examples)
{
    static const struct resolution rows[] = {
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g#s/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
        {"http:g", "http:g"},
    };
    check_resolutions("http://a/b/c/d;p?q", rows, TR_LEN(rows));
}

TEST(iri_resolve_does_bases_of_other_kinds)
{
    static const struct resolution bare[] = {
        {"g", "http://a/g"}, {"../g", "http://a/g"}, {"?q", "http://a?q"},
        {"#", "http://a#"},  {"", "http://a"},
    };
    static const struct resolution file[] = {
        {"x", "file:///dir/x"},
        {"/x", "file:///x"},
        {"//h/x", "file://h/x"},
    };
    static const struct resolution urn[] = {
        {"x", "urn:x"},
        {"#x", "urn:a:b#x"},
        {"/x", "urn:/x"},
    };
    static const struct resolution unicode[] = {
        {"\xC3\xA4?\xC3\xB6#\xC3\xBC",
         "http://\xE4\xBE\x8B/\xC3\xA4?\xC3\xB6#\xC3\xBC"},
    };
    check_resolutions("http://a", bare, TR_LEN(bare));
    check_resolutions("file:///dir/file", file, TR_LEN(file));
    check_resolutions("urn:a:b", urn, TR_LEN(urn));
    check_resolutions("http://\xE4\xBE\x8B/x", unicode, TR_LEN(unicode));
    check_resolutions("", urn, 0);
}

TEST(iri_resolve_leaves_a_reference_without_a_base)
{
    static const struct resolution rows[] = {{"a/../b", "a/../b"}};
    check_resolutions("", rows, TR_LEN(rows));
}

TEST(iri_resolve_reports_a_full_buffer)
{
    for (size_t size = 0; size < 13; size++) {
        struct tr_buf out;
        tr_buf_init(&out, size);
        tr_rdf_iri_resolve(&out, TR_STR("http://a/b/c"), TR_STR("../dd?e"));
        CHECK_INT(tr_buf_check(&out, NULL), TR_E_LIMIT);
        tr_buf_done(&out);
    }
}

TEST(iri_split_tells_absent_parts_from_empty_ones)
{
    struct tr_rdf_iri_parts parts;
    tr_rdf_iri_split(TR_STR("s://?#"), &parts);
    CHECK(parts.has_authority && parts.has_query && parts.has_fragment);
    CHECK_INT(parts.authority.len + parts.path.len + parts.query.len, 0);
    tr_rdf_iri_split(TR_STR("s:p"), &parts);
    CHECK(!parts.has_authority && !parts.has_query && !parts.has_fragment);
    CHECK_STR(parts.path, "p");
    tr_rdf_iri_split(TR_STR("1s:p"), &parts);
    CHECK_INT(parts.scheme.len, 0);
    CHECK_STR(parts.path, "1s:p");
    tr_rdf_iri_split(TR_STR(""), &parts);
    CHECK_INT(parts.path.len, 0);
}

TEST(iri_check_accepts_absolute_iris)
{
    static const char *const good[] = {
        "http://example.org/",
        "urn:isbn:123",
        "a:",
        "mailto:a@b.c",
        "http://[::1]:80/%20?a=/?#/?",
        "http://\xE4\xBE\x8B.example/\xC3\xA4",
        "trails://blog/Note#title",
        "http://a/?\xEE\x80\x80",
        "http://u:p%20@h:/",
        "http://[2001:db8::1.2.3.4]",
        "http://[v1F.a:b]:8/",
        "http://a:80",
        "http://",
        "file:///a/b:c@d",
        "http://a/b?c#d",
    };
    for (size_t i = 0; i < TR_LEN(good); i++)
        CHECK_ROW(tr_rdf_iri_check(tr_str_from(good[i]), NULL) == TR_OK,
                  good[i]);
}

TEST(iri_check_refuses_everything_else)
{
    static const char *const bad[] = {
        "",
        "a",
        "//a/b",
        "1a:b",
        "http://a b",
        "http://a/<",
        "http://a/{",
        "http://a/%2",
        "http://a/%",
        "http://a/^",
        "http://a/[",
        "http://a/?[",
        "http://a/#[",
        "http://a/#\xEE\x80\x80",
        "http://a/\xEF\xBF\xBF",
        "http://a/\x7F",
        "http://a\\b",
        "http://a/%zz",
        "http://a/\xFF",
        "http://[::1/a",
        "http://[::1",
        "http://::1]/",
        "http://[]/",
        "http://[::g]/",
        "http://[::1]x/",
        "http://[v.a]/",
        "http://[v1.]/",
        "http://[v1.%20]/",
        "http://[::1%20]/",
        "http://a:b/",
        "http://a:1:2/",
        "http://a@b@c/",
        "http://a/b#c#d",
        "http://a/b[",
        "a://%",
        "a:////?\x7F",
    };
    for (size_t i = 0; i < TR_LEN(bad); i++) {
        struct tr_err err = {0};
        CHECK_ROW(tr_rdf_iri_check(tr_str_from(bad[i]), &err) == TR_E_INVALID,
                  bad[i]);
        CHECK_ROW(strstr(err.msg, "is not an absolute IRI") != NULL, bad[i]);
    }
}

TEST(iri_legal_len_stops_at_what_no_syntax_allows)
{
    CHECK_INT(tr_rdf_iri_legal_len(TR_STR("http://a/b")), 10);
    CHECK_INT(tr_rdf_iri_legal_len(TR_STR("a b")), 1);
    CHECK_INT(tr_rdf_iri_legal_len(TR_STR("ab\x1F")), 2);
    CHECK_INT(tr_rdf_iri_legal_len(TR_STR("a\0")), 1);
    CHECK_INT(tr_rdf_iri_legal_len(TR_STR("[\x7F\xC3\xA4")), 4);
}
