#!/usr/bin/env python3
"""`make check` and compile_commands.json, in a tree in which nothing has been
built: the files that git knows or would add, and nothing else."""
import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from scratch import ROOT


def run(command, folder):
    """Without what the make that runs this test says to its children."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("MAKE", "MFLAGS", "GIT_"))}
    return subprocess.run(command, cwd=folder, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class CleanTree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.tree = folder.name
        listed = run(["git", "ls-files", "-coz", "--exclude-standard"], ROOT)
        for path in filter(None, listed.stdout.split("\0")):
            target = os.path.join(cls.tree, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if os.path.lexists(os.path.join(ROOT, path)):
                shutil.copy2(os.path.join(ROOT, path), target,
                             follow_symlinks=False)
        run(["git", "init", "--quiet"], cls.tree)

    def test_the_quick_lints_pass_without_a_build(self):
        done = run(["make", "check"], self.tree)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"\n9 passed, 0 failed\n$")
        self.assertEqual(glob.glob(self.tree + "/build/*/obj"), [])

    def test_editors_find_every_source(self):
        done = run(["make", "compile_commands.json"], self.tree)
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(self.tree + "/compile_commands.json") as file:
            entries = json.load(file)
        files = {os.path.join(entry["directory"], entry["file"])
                 for entry in entries}
        self.assertLessEqual(
            {os.path.realpath(path) for path in
             glob.glob(os.path.realpath(self.tree) + "/src/*/*.c")},
            {os.path.realpath(path) for path in files})
        for path in files:
            self.assertTrue(os.path.exists(path), path)

    def test_make_alone_and_make_check_tell_editors(self):
        os.utime(self.tree + "/Makefile")
        for goal in ([], ["check"]):
            done = run(["make", "-n", *goal], self.tree)
            self.assertIn("scripts/compile-commands", done.stdout)


if __name__ == "__main__":
    unittest.main()
