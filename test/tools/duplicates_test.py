#!/usr/bin/env python3
"""scripts/check-duplicates finds what stands twice, and only that."""
import unittest

from scratch import ScratchTest

SIX = "".join(f"    do_{n}(a, \"text\");\n" for n in "abcdef")
FIVE = SIX.partition("\n")[2]


def function(body):
    return f"static void run(int a)\n{{\n{body}}}\n"


class Duplicates(ScratchTest):
    LINT = "check-duplicates"
    FILES = {"src/a/a.c": "int a;\n" + SIX}

    def test_five_lines_are_fine(self):
        self.write("src/b/b.c", "int b;\n" + FIVE + "int c;\n")
        self.is_fine()

    def test_six_lines_are_refused_in_two_files_and_in_one(self):
        self.write("src/b/b.c", "int b;\n" + SIX)
        self.write("bench/c.c", "int c;\n" + SIX + "int d;\n" + SIX)
        self.is_refused("src/a/a.c:2-7 stands again in src/b/b.c:2-7",
                        "src/a/a.c:2-7 stands again in bench/c.c:2-7",
                        "src/a/a.c:2-7 stands again in bench/c.c:9-14",
                        "src/b/b.c:2-7 stands again in bench/c.c:2-7",
                        "src/b/b.c:2-7 stands again in bench/c.c:9-14",
                        "bench/c.c:2-7 stands again in bench/c.c:9-14")

    def test_the_whole_run_is_named_once(self):
        self.write("src/a/a.c", function(SIX + SIX.replace("do", "ask")))
        self.write("src/b/b.c", function(SIX + SIX.replace("do", "ask")))
        self.is_refused("src/a/a.c:1-14 stands again in src/b/b.c:1-14")

    def test_layout_and_comments_hide_nothing(self):
        self.write("src/b/b.c", "int b;\n#include \"a/b.h\"\n" + SIX.replace(
            "\n", " /* not\n the same */\n\n    }\n").replace("    ", "  "))
        self.is_refused("src/a/a.c:2-7 stands again in src/b/b.c:3-23")

    def test_another_text_is_another_line(self):
        self.write("src/b/b.c", SIX.replace("c(a, \"text\")", "c(a, \"txt\")"))
        self.is_fine()

    def test_tests_are_left_out(self):
        self.write("src/a/a_test.c", SIX)
        self.write("test/support/a.c", SIX)
        self.is_fine()

    def test_a_repeated_line_is_no_pair_with_itself(self):
        self.write("src/a/a.c", "    tick();\n" * 11)
        self.is_fine()
        self.write("src/a/a.c", "    tick();\n" * 12)
        self.is_refused("src/a/a.c:1-6 stands again in src/a/a.c:7-12")


if __name__ == "__main__":
    unittest.main()
