#!/usr/bin/env python3
"""scripts/check-names finds each word that is wanting, and each that is used
in a second meaning."""
import unittest

from scratch import ScratchTest

WORDS = ("arena authority channel door era host journal model place relay "
         "setting snapshot view").split()
GLOSSARY = "| word | meaning |\n|---|---|\n" + "".join(
    f"| {word} | m |\n" for word in WORDS)

# One for each row of the table: a file, its text, what is found in it.
WANTING = [
    ("src/mcp/access.c", "", "mcp/access.c"),
    ("src/graph/a.h", "struct tr_flight *step;", "tr_flight"),
    ("src/a/a.c", "landing->write.write.status", "write.write"),
    ("src/a/a.h", "struct tr_own_ground *of;", "tr_own_ground"),
    ("src/a/sight.h", "", "sight.h"),
    ("src/a/a.h", "struct tr_field_way;", "tr_field_way"),
    ("src/a/a.h", "struct tr_answer;", "tr_answer"),
    ("docs/a.md", "src/graph/loose.h", "loose.h"),
    ("src/a/a.h", "tr_known_table", "tr_known_table"),
    ("src/runtime/turn.c", "", "runtime/turn.c"),
    ("src/a/a.h", "struct tr_prov_kept_name;", "tr_prov_kept_name"),
    ("src/lua/spend_test.c", "", "lua/spend_test.c"),
    ("src/a/a.c", "tr_call_metered", "tr_call_metered"),
    ("src/a/a.c", "tr_kg_write_page()", "tr_kg_write_page"),
    ("src/server/a.c", "worker->is_ended", "is_ended"),
    ("src/mcp/a.c", "bool lost_count;", "lost_count"),
    ("src/project/a.h", "bool titles;", "bool titles"),
    ("src/mcp/a.c", ".number = 3,", ".number = 3"),
    ("src/a/id_set.h", "struct tr_a_id_hash;", "id_set.h struct tr_a_id_hash"),
    ("src/a/a.h", "void tr_push_path(void);", "tr_push_path"),
    ("src/a/a.h", "void tr_check_items(void);", "tr_check_items"),
    ("src/mcp/a.h", "void tr_http_sink_open(void);", "tr_http_sink_open"),
    ("src/a/a.c", "finish_doomed()", "doomed"),
    ("src/a/a.h", "enum tr_graph_fate;", "tr_graph_fate"),
    ("src/a/a.h", "tr_builtin_answer_blame", "tr_builtin_answer_blame"),
    ("src/a/a.c", "x.is_spelled", "is_spelled"),
    ("src/a/a.c", "/* Of a stream that begins, or of what\n"
     " * is only taken note of, nobody said. */",
     "Of a stream that begins, or of what * is only taken note of"),
    ("src/a/a.h", "`*changed` is false when the quad is there already, or is "
     "not.", "is false when the quad is there already, or is not"),
    ("src/a/a.c", "When it was changed is told to those who know the word.",
     "When it was changed is told to those who know the word"),
    ("src/a/a.h", "A page: unless something else is asked for, and at most.",
     "unless something else is asked for, and at most"),
    ("src/a/a.c", "since the last time: a step is half of one",
     "since the last time: a step is half of one"),
    ("src/a/README.md", "the one door to all syntaxes", "one door to"),
]
# What is near to one of them and right.
GOOD = [
    ("src/mcp/access_log.c", ""),
    ("src/a/a.c", "tr_loop_turn(); tr_rdf_turtle_known_prefixes(); background();"),
    ("src/a/a.c", "tr_json_schema_write_page(); channel->is_ended;"),
    ("src/a/id_set.h", "struct tr_a_id_set;"),
    ("src/prov/a.c", "struct view { int a; };"),
    ("src/a/a_test.c", "struct place { int a; };"),
    ("src/a/a.c", "/* As short as the way to the door: tr_places_of, host. */"),
]


class Names(ScratchTest):
    LINT = "check-names"
    FILES = {"docs/architecture.md": GLOSSARY, "src/a/b.c": "int a;\n"}

    def test_what_is_good_is_fine(self):
        self.is_fine()
        for path, text in GOOD:
            with self.subTest(path + " " + text):
                self.write(path, text)
                self.is_fine()

    def test_what_is_wanting_is_refused(self):
        for path, text, said in WANTING:
            with self.subTest(path + " " + text):
                self.setUp()
                self.write(path, text + "\n")
                done = self.run_lint()
                self.assertEqual(done.returncode, 1)
                self.assertTrue(
                    done.stdout.startswith(f"{path}:1: `{said}`: better "),
                    done.stdout)
                self.assertEqual(done.stdout.count("\n"), 1)

    def test_every_row_of_the_tables_has_its_example(self):
        self.assertEqual(self.run_lint().stdout,
                         f"none of {len(WANTING)} names that are wanting, "
                         f"{len(WORDS)} words with one meaning\n")

    def test_a_word_in_a_second_meaning_is_refused(self):
        self.write("src/a/a.c", "struct place { int a; };\n")
        self.write("src/rdf/a.h", "typedef struct { int a; } tr_rdf_door;\n")
        self.is_refused("src/a/a.c: place: place has another meaning here",
                        "src/rdf/a.h: tr_rdf_door: door has another meaning "
                        "here")

    def test_a_reserved_word_stands_in_the_glossary(self):
        self.write("docs/architecture.md", GLOSSARY.replace("| relay |", "| a |"))
        self.is_refused("docs/architecture.md: the glossary has no row for relay")


if __name__ == "__main__":
    unittest.main()
