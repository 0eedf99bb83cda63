#!/usr/bin/env python3
"""The Inspector's command line against apps/hello, as a person would use it.

Every message of a server is checked: one that is wrong makes it end with an
error, or, where the Inspector starts it, shows in a report."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
TAP = [sys.executable, "-B", os.path.join(ROOT, "test", "tools", "tap.py")]
INSPECTOR = [os.path.join(ROOT, "scripts", "node"),
             os.path.join(ROOT, "test", "js", "node_modules", ".bin",
                          "mcp-inspector"), "--cli"]


class Inspector(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.TemporaryDirectory()
        cls.env = {**os.environ, "HOME": cls.home.name,
                   "TRAILS_STORE": ":memory:"}
        cls.server = subprocess.Popen(
            [*TAP, TRAILS, "serve", "apps/hello", "--http", "127.0.0.1:0"], cwd=ROOT,
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

    def http(self, era, *arguments):
        return self.run_inspector(self.url, "--transport", "http",
                                  "--protocol-era", era, *arguments)

    def test_http_in_both_eras(self):
        for era in ("legacy", "modern", "auto"):
            with self.subTest(era):
                listed = self.http(era, "--method", "tools/list", "--strict")
                self.assertIn("greet", listed)
                called = self.http(era, "--method", "tools/call", "--tool-name",
                                   "greet", "--tool-arg", "name=Ada")
                self.assertIn("Ada", called)

    def test_stdio(self):
        report = os.path.join(self.home.name, "report")
        called = self.run_inspector(
            "--transport", "stdio", "--protocol-era", "auto", "--method",
            "tools/call", "--tool-name", "greet", "--tool-args-json",
            json.dumps({"name": "Ada"}), "--", *TAP, "--report", report,
            TRAILS, "serve", "apps/hello", "--stdio")
        self.assertIn("Ada", called)
        with open(report) as file:
            verdict = file.read()
        self.assertRegex(verdict, "^begun\nexit 0, ")
        if "has no mcp-schema" in verdict:
            self.skipTest("TRAILS_SUITES has no mcp-schema: nothing is checked")
        self.assertRegex(verdict, r"[1-9]\d* checked, 0 wrong\n$")


if __name__ == "__main__":
    unittest.main()
