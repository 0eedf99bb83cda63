#!/usr/bin/env python3
"""scripts/check-exports finds symbols that nobody needs, in objects that are
compiled here."""
import os
import subprocess
import unittest

from scratch import ScratchTest


class Exports(ScratchTest):
    LINT = "check-exports"
    FILES = {
        "src/a/a.c": "int tr_a_one(void) { return 1; }\n"
                     "const int tr_a_table[2] = {1, 2};\n"
                     "static int own(void) { return 3; }\n"
                     "int tr_a_two(void) { return own(); }\n",
        "src/cli/main.c": "int tr_a_one(void);\nint tr_a_two(void);\n"
                          "extern const int tr_a_table[2];\n"
                          "int main(void)\n{\n"
                          "    return tr_a_one() + tr_a_two() + *tr_a_table;\n"
                          "}\n",
        "src/a/a_test.c": "int tr_a_three(void);\n"
                          "int tr_a_four(void) { return tr_a_three(); }\n",
    }

    def compile(self):
        for folder, _, names in os.walk(self.path("src")):
            for name in names:
                source = os.path.join(folder, name)
                target = self.path("build/release/obj/" + os.path.relpath(
                    source, self.root)[:-1] + "o")
                os.makedirs(os.path.dirname(target), exist_ok=True)
                subprocess.run(["gcc", "-O1", "-c", source, "-o", target],
                               check=True)

    def add(self, text):
        with open(self.path("src/a/a.c"), "a") as file:
            file.write(text)
        self.compile()

    def test_what_is_used_elsewhere_is_fine(self):
        self.compile()
        self.is_fine()

    def test_what_nobody_uses_is_dead(self):
        self.add("int tr_a_dead(void) { return 1; }\nconst int tr_a_x = 1;\n"
                 "/* tr_a_dead, \" */ const char *tr_a_y = \"tr_a_y\";\n")
        self.is_refused(*(f"src/a/a.c: {name} is dead: the program does not "
                          "use it" for name in ("tr_a_dead", "tr_a_x",
                                                "tr_a_y")))

    def test_what_only_a_test_uses_is_dead(self):
        self.add("int tr_a_three(void) { return 1; }\n")
        self.is_refused("src/a/a.c: tr_a_three is dead: the program does not "
                        "use it")

    def test_what_is_used_in_its_own_file_becomes_static(self):
        self.add("int tr_a_five(void) { return 1; }\n"
                 "static int (*const six)(void) = tr_a_five;\n")
        self.is_refused("src/a/a.c: tr_a_five is used here only: "
                        "make it static")

    def test_an_exception_that_is_none_is_refused(self):
        self.add("int tr_loop_step(void);\n"
                 "static int (*const step)(void) "
                 "__attribute__((used)) = tr_loop_step;\n")
        self.is_refused("src/a/a.c: tr_loop_step is used, though tests step "
                        "the clock with it")

    def test_an_object_that_is_not_built_is_named(self):
        self.assertIn("src/a/a.c is not built: run make",
                      self.run_lint().stdout)


if __name__ == "__main__":
    unittest.main()
