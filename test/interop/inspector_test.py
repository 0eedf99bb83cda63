#!/usr/bin/env python3
"""The Inspector's command line, as a person would use it: over HTTP and stdio
in both eras, and over the transport of 2024-11-05.

Every message of a server is checked: one that is wrong makes it end with an
error, or, where the Inspector starts it, shows in a report. The command line
ends after one method, so it neither cancels nor subscribes nor is asked:
matrix_test.mjs does that with other clients."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
APP = "test/apps/matrix"
TAP = [sys.executable, "-B", os.path.join(ROOT, "test", "tools", "tap.py")]
INSPECTOR = [os.path.join(ROOT, "scripts", "node"),
             os.path.join(ROOT, "test", "js", "node_modules", ".bin",
                          "mcp-inspector"), "--cli"]

# A method with its options, and what its output must have in it.
BASIC = [
    (["tools/list", "--strict"], '"count"'),
    (["tools/call", "--tool-name", "count", "--tool-arg", "to=2"],
     "counted to 2"),
    (["resources/read", "--uri", "matrix://note"], "a note"),
]
MORE = [
    (["tools/call", "--tool-name", "show"], "a resource"),
    (["tools/call", "--tool-name", "measure"], "2.5"),
    (["resources/list"], "matrix://note"),
    (["resources/templates/list"], "matrix://item/{id}"),
    (["prompts/list"], "summarise"),
    (["prompts/get", "--prompt-name", "summarise", "--prompt-args",
      "what=this"], "Summarise this."),
]


class Inspector(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.report = os.path.join(cls.home.name, "report")
        cls.env = {**os.environ, "HOME": cls.home.name,
                   "TRAILS_STORE": ":memory:", "TRAILS_ACCESS_LOG": "false"}
        cls.server = subprocess.Popen(
            [*TAP, TRAILS, "serve", APP, "--http", "127.0.0.1:0"], cwd=ROOT,
            stdout=subprocess.PIPE, text=True, env=cls.env)
        line = cls.server.stdout.readline()
        cls.url = re.match(r"listening on (\S+)$", line)[1]

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        code = cls.server.wait(20)
        cls.server.stdout.close()
        cls.home.cleanup()
        assert code == 0, f"the server ended with {code}"

    def run_inspector(self, *arguments):
        done = subprocess.run([*INSPECTOR, *arguments], cwd=ROOT, env=self.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def check(self, methods, *where, command=()):
        for method, wanted in methods:
            with self.subTest(where=where, method=method):
                out = self.run_inspector(*where, "--method", *method, *command)
                self.assertIn(wanted, out)

    def test_http(self):
        for era in ("legacy", "modern", "auto"):
            self.check(BASIC + MORE if era == "modern" else BASIC, self.url,
                       "--transport", "http", "--protocol-era", era)

    def test_sse(self):
        self.check(BASIC, self.url.replace("/mcp", "/sse"), "--transport",
                   "sse")

    def test_stdio(self):
        for era in ("legacy", "modern", "auto"):
            self.check(BASIC, "--transport", "stdio", "--protocol-era", era,
                       command=["--", *TAP, "--report", self.report, TRAILS,
                                "serve", APP, "--stdio"])
        with open(self.report) as file:
            lines = file.read().splitlines()
        verdicts = [line for line in lines if line != "begun"]
        self.assertEqual(len(verdicts) * 2, len(lines), "each server has ended")
        if "has no mcp-schema" in verdicts[0]:
            self.skipTest("TRAILS_SUITES has no mcp-schema: nothing is checked")
        for verdict in verdicts:
            self.assertRegex(verdict, r"^exit 0, [1-9]\d* checked, 0 wrong$")


if __name__ == "__main__":
    unittest.main()
