#!/usr/bin/env python3
"""scripts/check-layers refuses each thing that it is there to refuse."""
import os
import unittest

from scratch import ScratchTest

LAYERS = """\
base:
    words   *
    public  str.h
json:
    words   json jw
    public  json.h
http:     json
    public  http.h
server:   *
"""


def header(folder, name, text):
    guard = f"TR_{folder}_{name}_H".upper()
    return f"#ifndef {guard}\n#define {guard}\n{text}\n#endif\n"


class Layers(ScratchTest):
    LINT = "check-layers"
    FILES = {
        "LAYERS": LAYERS,
        "src/base/README.md": "`str.h`: bytes.\n",
        "src/base/str.h": header("base", "str", "typedef int tr_str;\n"
                                 "#define TR_LIMIT_JSON_BYTES 1"),
        "src/base/test.h": header("base", "test", "#define TEST(id)"),
        "src/json/README.md": "Start with `json.h`.\n",
        "src/json/json.h": header("json", "json", """\
#include "base/str.h"
struct tr_json;
enum tr_json_kind { TR_JSON_NULL, TR_JSON_TEXT = 7 };
extern const int tr_json_table[2], tr_json_other;
int tr_json_read(struct tr_json *json, void (*each)(int foreign));
static inline tr_str tr_jw_put(void) { return 0; }"""),
        "src/json/json.c": '#include "json/json.h"\nstruct tr_json { int a; };\n'
                           "struct local { int a; };\n",
        "src/json/reader.h": header("json", "reader",
                                    "typedef void tr_json_fn(int a);"),
        "src/json/index.h": header("json", "index", ""),
        "src/json/json_test.c": '#include "base/test.h"\n'
                                '#include "http/parse.h"\n',
        "src/http/README.md": "`http.h`\n",
        "src/http/http.h": header("http", "http", "void tr_http(void);"),
        "src/http/parse.h": header("http", "parse", "struct tr_http_x {int a;};"),
        "src/http/http.c": '#include "http/parse.h"\n#include "json/json.h"\n'
                           "struct local { int a; };\n",
        "src/server/README.md": "The top.\n",
        "src/server/server.h": header("server", "server", ""),
        "src/server/server.c": '#include "http/http.h"\n',
    }

    def test_the_tree_is_fine(self):
        self.is_fine()

    def test_a_private_header_included_from_elsewhere_is_refused(self):
        self.write("src/http/http.c", '#include "json/json.h"\n'
                                      '#include "json/reader.h"\n')
        self.is_refused("src/http/http.c:2: json/reader.h is private to json/")

    def test_a_folder_that_may_not_be_used_is_refused(self):
        self.write("src/json/index.h", header("json", "index",
                                              '#include "http/http.h"'))
        self.is_refused("src/json/index.h:3: json/ may not include http/")

    def test_an_include_without_its_folder_is_refused(self):
        self.write("src/server/other.c", '#include "server.h"\n')
        self.is_refused("src/server/other.c:1: include without its folder")

    def test_a_permission_that_nobody_uses_is_refused(self):
        self.write("src/http/http.c", "")
        self.write("src/server/server.c", '#include "http/http.h"\n'
                                          '#include "json/json.h"\n')
        self.is_refused("LAYERS:7: nothing in http/ includes json/")

    def test_a_permission_that_only_a_test_uses_is_refused(self):
        self.write("src/http/http_test.c", '#include "json/json.h"\n')
        self.write("src/http/http.c", "")
        self.write("src/server/server.c", '#include "http/http.h"\n'
                                          '#include "json/json.h"\n')
        self.is_refused("LAYERS:7: nothing in http/ includes json/")

    def test_a_public_header_that_nobody_includes_is_refused(self):
        self.replace("LAYERS", "json.h", "json.h reader.h")
        self.write("src/json/README.md", "json.h, reader.h")
        self.write("src/http/http_test.c", '#include "json/reader.h"\n')
        for name in "cdef":  # so that the share of public headers stays low
            self.write(f"src/json/{name}.h", header("json", name, ""))
        self.is_refused("LAYERS:4: json/reader.h is public and no other "
                        "folder includes it")

    def test_a_public_header_that_does_not_exist_is_refused(self):
        self.replace("LAYERS", "json.h", "json.h gone.h")
        self.write("src/json/README.md", "json.h, gone.h")
        for name in "cdef":
            self.write(f"src/json/{name}.h", header("json", name, ""))
        self.is_refused("LAYERS:4: there is no json/gone.h")

    def test_a_tag_that_is_defined_twice_is_refused(self):
        self.write("src/server/server.c", '#include "http/http.h"\n'
                   "struct tr_server_x { int a; };\n")
        self.is_fine()
        self.write("src/server/server.h", header(
            "server", "server", "union tr_server_x { int a; };"))
        self.is_refused("tr_server_x is defined in src/server/server.c "
                        "and in src/server/server.h")

    def test_a_typedef_that_is_defined_twice_is_refused(self):
        self.write("src/json/index.h", header("json", "index",
                                              "typedef void tr_json_fn(int);"))
        self.is_refused("tr_json_fn is defined in src/json/index.h "
                        "and in src/json/reader.h")

    def test_the_word_of_another_folder_is_refused(self):
        for text, name in (
                ("int tr_json_of_http(void);", "tr_json_of_http"),
                ("struct tr_jw { int a; };", "tr_jw"),
                ("typedef struct { int a; } tr_json_x;", "tr_json_x"),
                ("enum { TR_JSON_A };", "TR_JSON_A"),
                ("#define TR_JSON_MAX 1", "TR_JSON_MAX"),
                ("extern int tr_http_a, tr_json_b[2];", "tr_json_b")):
            with self.subTest(text):
                self.write("src/http/parse.h", header("http", "parse", text))
                self.is_refused(f"src/http/parse.h: {name} has a word of "
                                "json/, not of http/ (http)")

    def test_a_name_without_a_word_is_refused(self):
        for name in ("tr_jsonx_a", "tr_read", "json_read"):
            with self.subTest(name):
                self.write("src/json/index.h", header(
                    "json", "index", f"int {name}(int tr_inside);"))
                self.is_refused(f"src/json/index.h: {name} has no word "
                                "of json/ (json jw)")

    def test_a_hidden_type_needs_its_word(self):
        self.write("src/server/server.c", '#include "http/http.h"\n'
                   "struct tr_top { int a; };\n")
        self.is_refused("src/server/server.c: tr_top has no word "
                        "of server/ (server)")

    def test_any_word_is_none_of_another_folder(self):
        self.write("src/base/test.h", header("base", "test",
                                             "int tr_http_of_base(void);"))
        self.is_refused("src/base/test.h: tr_http_of_base has a word of "
                        "http/, not of base/ (*)")

    def test_a_word_of_two_folders_is_refused(self):
        self.replace("LAYERS", "http:     json\n",
                     "http:     json\n    words   http jw\n")
        self.is_refused("LAYERS:7: the word jw belongs to json/")

    def test_a_cycle_cannot_be_written(self):
        self.replace("LAYERS", "json:\n", "json:     http\n")
        self.write("src/json/index.h", header("json", "index",
                                              '#include "http/http.h"'))
        self.is_refused("LAYERS:4: json names http, "
                        "which does not stand above it")

    def test_a_folder_stands_in_layers_once_and_exists(self):
        self.write("src/extra/README.md", "")
        self.write("LAYERS", LAYERS + "gone:\nserver:   *\n")
        self.is_refused("src/extra: does not stand in LAYERS",
                        "LAYERS: gone has no folder src/gone",
                        "LAYERS:11: server stands twice")

    def test_a_page_of_a_folder_is_there_short_and_complete(self):
        self.write("src/json/README.md", "Nothing.\n" * 16)
        os.unlink(self.path("src/http/README.md"))
        self.is_refused(
            "src/json/README.md: longer than 15 lines",
            "src/json/README.md: does not name the public header json.h",
            "src/http/README.md: missing")

    def test_a_name_that_says_nothing_is_refused(self):
        self.write("src/json/utils.c", "")
        self.write("src/json/deep/tree.c", "")
        self.is_refused("src/json/utils.c: a name that says nothing",
                        "src/json/deep/tree.c: not directly in a folder of src/")

    def test_more_public_headers_than_two_in_five_are_refused(self):
        os.unlink(self.path("src/json/index.h"))
        self.is_refused("LAYERS: 3 of 7 headers are public, at most 40 %")

    def test_a_folder_that_is_too_large_is_refused(self):
        self.write("src/json/long_test.c", "\n" * 20000)
        self.is_fine()
        self.write("src/json/long.c", "\n" * 10500)
        done = self.run_lint()
        self.assertRegex(done.stdout,
                         r"^src/json: 105\d\d lines, at most 10500\n$")

    def test_the_public_headers_can_be_filled_in(self):
        self.write("LAYERS", "".join(line for line in LAYERS.splitlines(True)
                                     if "public" not in line))
        self.assertEqual(self.run_lint("--public").stdout, LAYERS)

    def test_the_table_counts_what_each_folder_shows(self):
        lines = self.run_lint("--table").stdout.splitlines()
        self.assertEqual(lines[0].split(), ["folder", "lines", "headers",
                                            "public", "names", "words"])
        self.assertEqual(lines[2].split()[0], "json")
        self.assertEqual(lines[2].split()[2:], ["3", "1", "9", "2"])


if __name__ == "__main__":
    unittest.main()
