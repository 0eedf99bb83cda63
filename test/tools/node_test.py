#!/usr/bin/env python3
"""scripts/node: a file of tests that hangs says where, and ends."""
import os
import subprocess
import tempfile
import textwrap
import unittest

from scratch import ROOT

OPEN = "setInterval(() => {}, 1000);"  # node stays for it


def run(script, name="x_test.mjs", patience="1"):
    """The exit code and what was said; an exit handler says that it ran."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write('import { after, before, test } from "node:test";\n'
                       'process.on("exit", () => console.error("exits"));\n'
                       + textwrap.dedent(script))
        done = subprocess.run(
            [os.path.join(ROOT, "scripts", "node"), path], text=True,
            env={**os.environ, "TRAILS_TEST_PATIENCE_S": patience},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout


class Hanging(unittest.TestCase):
    def check_ends(self, script, *said):
        code, output = run(script)
        self.assertEqual(code, 1, output)
        for text in (*said, "\nexits\n"):
            self.assertIn(text, output)

    def test_a_test_that_hangs_is_named(self):
        self.check_ends(f"""
            test("is good", () => {{}});
            test("waits", () => new Promise(() => {{ {OPEN} }}));
            test("comes later", () => {{}});
            """, "ok 1 - is good", '"waits" has not ended within 1 s')

    def test_so_is_one_inside_another(self):
        self.check_ends(f"""
            test("outer", async (t) => {{
                await t.test("first", () => {{}});
                await t.test("second", () => new Promise(() => {{ {OPEN} }}));
            }});
            """, '"outer > second" has not ended within 1 s')

    def test_so_is_the_one_that_a_hook_holds_up(self):
        self.check_ends(f"""
            before(() => new Promise(() => {{ {OPEN} }}));
            test("never begins", () => {{}});
            """, '"never begins" has not ended within 1 s')

    def test_what_a_failure_leaves_open_holds_nobody_up(self):
        self.check_ends(f"""
            after(() => console.error("cleaned"));
            test("is bad", () => {{ {OPEN} throw new Error("because"); }});
            test("is good", () => {{}});
            """, "not ok 1 - is bad", "because", "ok 2 - is good", "cleaned",
            "all tests have ended, but the process (", "Timeout",
            "has not ended within 1 s")

    def test_what_success_leaves_open_is_a_failure(self):
        self.check_ends(f'test("is good", () => {{ {OPEN} }});',
                        "ok 1 - is good", "all tests have ended, but")

    def test_with_nothing_to_wait_for_node_names_it_at_once(self):
        code, output = run('test("waits", () => new Promise(() => {}));',
                           patience="600")
        self.assertEqual(code, 1)
        self.assertIn("not ok 1 - waits", output)
        self.assertIn("\n# cancelled 1\n", output)

    def test_a_good_file_ends_as_ever(self):
        code, output = run('test("is good", () => {});', patience="600")
        self.assertEqual(code, 0)
        self.assertTrue(output.startswith("TAP version 13\n"), output)
        self.assertIn("\n# pass 1\n", output)
        self.assertNotIn("has not ended", output)

    def test_what_is_no_test_is_left_alone(self):
        code, output = run("console.log(process.execArgv.length);", "x.mjs")
        self.assertEqual((code, output), (0, "0\nexits\n"))


if __name__ == "__main__":
    unittest.main()
