#!/usr/bin/env python3
"""The test runner itself: a part ends when its process does."""
import importlib.machinery
import importlib.util
import os
import select
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


def load(path):
    loader = importlib.machinery.SourceFileLoader("runner", path)
    spec = importlib.util.spec_from_loader("runner", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


runner = load(os.path.join(HERE, "..", "..", "scripts", "test"))


def run(script, limit=60):
    part = runner.Part("a part", [sys.executable, "-c", script], False)
    return runner.run(part, limit, dict(os.environ))


def has_ended(process):
    """Waits for it: who is killed needs a moment to go."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    ended = select.select([handle], [], [], 60)[0]
    os.close(handle)
    return bool(ended)


class Parts(unittest.TestCase):
    def test_what_a_part_leaves_behind_holds_nobody_up(self):
        result = run("""
import subprocess
child = subprocess.Popen(["sleep", "600"])
print("child", child.pid)
print("1 passed, 1 failed")
""")
        self.assertEqual((result.passed, result.failed), (1, 1))
        child = int(result.output.split()[1])
        self.assertTrue(has_ended(child))

    def test_a_part_that_does_not_end_is_ended(self):
        result = run("import time; print('begun', flush=True); time.sleep(600)",
                     limit=1)
        self.assertEqual((result.passed, result.failed), (0, 1))
        self.assertEqual(result.output, "begun\ndid not end within 1 s\n")

    def test_a_signal_is_told_by_its_name(self):
        result = run("import os; os.kill(os.getpid(), 9)")
        self.assertEqual(result.output, "ended by SIGKILL\n")

    def test_a_part_that_is_not_there_has_failed(self):
        part = runner.Part("a part", ["/nowhere/at/all"], False)
        self.assertEqual(runner.run(part, 1, {}).failed, 1)


if __name__ == "__main__":
    unittest.main()
