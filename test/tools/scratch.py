"""A small tree of its own, in which a test breaks one rule of a lint."""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


class ScratchTest(unittest.TestCase):
    """LINT is the script, FILES a tree with which it is content."""
    LINT, FILES = "", {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for path, text in self.FILES.items():
            self.write(path, text)

    def path(self, path):
        return os.path.join(self.root, path)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w") as file:
            file.write(text)

    def replace(self, path, old, new):
        with open(self.path(path)) as file:
            text = file.read()
        self.assertIn(old, text)
        self.write(path, text.replace(old, new))

    def run_lint(self, *arguments):
        return subprocess.run(
            [os.path.join(ROOT, "scripts", self.LINT), "--root", self.root,
             *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True)

    def is_fine(self):
        done = self.run_lint()
        self.assertEqual(done.returncode, 0, done.stdout)

    def is_refused(self, *problems):
        """With just these lines, in any order."""
        done = self.run_lint()
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(problems))
        self.assertEqual(done.returncode, 1)
