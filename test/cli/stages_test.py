#!/usr/bin/env python3
"""A stage of the pipeline that a call does not need costs at most ten
instructions: bench/stages.c counts them in the optimised code."""
import os
import re
import subprocess
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BENCH = os.path.join(ROOT, "build", "release", "bench")
AT_MOST = 10
ROW = re.compile(r"^(stages: [^|]*?) *\| ([0-9.]+) instr", re.MULTILINE)


class Stages(unittest.TestCase):
    def test_those_not_needed_cost_at_most_ten_instructions(self):
        done = subprocess.run([BENCH, "stages: not needed"], text=True,
                              capture_output=True)
        if "cannot be counted here" in done.stdout:
            self.skipTest("this machine does not let us count instructions")
        counts = {name: float(count) for name, count in ROW.findall(done.stdout)}
        self.assertEqual(len(counts), 3, done.stdout + done.stderr)
        for name, count in counts.items():
            with self.subTest(name):
                self.assertGreater(count, 0)
                self.assertLessEqual(count, AT_MOST)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
