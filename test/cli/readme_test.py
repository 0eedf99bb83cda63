#!/usr/bin/env python3
"""The tour of README.md, as it stands there: its commands are taken from the
text and run, one after the other, in one shell, in a copy of the tree in which
nothing but `make run` has been run. What the text shows as output must have been
put out; what it only tells of is in STEPS.

Only ports differ: the server takes a free one. Between two blocks the test waits
where a person would: until what runs in the background has said so.
"""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.request

ROOT = os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TIME_LIMIT = 180
MARK = "===== block "

# What `make run` leaves behind, apart from the demo's data.
BUILT = ("build/release", "build/gen", "build/deps/build")

# Of each block: a part of its commands, what its output must have in it, and
# what has to be there before the next block may begin.
STEPS = [
    ("trails check", ["ok: ", "7 types", '"key": "DOCK-5"',
                      "DOCK-5 [accepted", '"untested_keys"'], None),
    ("trails call propose_requirement", [], None),
    ("trails://kg/types",
     [r'{\"type\":\"Requirement\",\"iri\":\"trails://requirements/Requirement'
      r'\",\"count\":94}',
      r'{\"iri\":\"trails://requirements/Requirement/DOCK-13\",\"label\":\"Child '
      r'seats do not disturb detection\"}', '"total":8',
      '"mimeType":"application/ld+json"',
      r'\"trails://requirements/Requirement#state\":\"proposed\"'], None),
    ("subscriptions/listen", ["notifications/subscriptions/acknowledged"],
     "notifications/subscriptions/acknowledged"),
    ('"title": "Heat"', ["validation failed on 2 field(s)",
                         "title must have at least 8 characters",
                         "statement must have at least 20 characters",
                         '"isError":true'], None),
    ("The bolt is heated", [r'\"key\":\"DOCK-56\"'],
     "notifications/resources/updated"),
    ("change_state", ["nobody owns it"], None),
    ("/invoke/assign_owner", ['"@type":"trails:Capability"', '"graph_writes":["default"]',
                              '{"key":"DOCK-56","owner":"Ines Duarte"'], None),
    ("trails prov list", ["propose_requirement", "assign_owner"], None),
    ("trails new greeter", ["listening on http://127.0.0.1:"],
     "listening on http://127.0.0.1:"),
    ("sed -i", ["Hello, Ada!"], "the app was loaded again"),
    ("tools/call", ["Good evening, Ada!"], None),
    ("trails mcp install", ["Claude Code: trails-greeter is now in ",
                            "ok   tools/list "], None),
]


def blocks_of(text):
    """(commands, what is shown after them) of the tour."""
    tour = text.split("## A tour of five minutes")[1].split("\n## ")[0]
    found = []
    for kind, body in re.findall(r"^```(\w*)\n(.*?)^```$", tour,
                                 re.MULTILINE | re.DOTALL):
        if kind == "sh":
            found.append((body, []))
        elif kind == "":
            found[-1][1].append(body)
    return found


def script_of(blocks, port, output):
    """One shell script: before each block a mark, after it a wait."""
    lines = []
    for i, (commands, _) in enumerate(blocks):
        commands = commands.replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        commands = commands.replace("--http 127.0.0.1:8001",
                                    "--http 127.0.0.1:0")
        commands = commands.replace(  # where that one has said it listens
            "127.0.0.1:8001",
            f"$(grep -o '127.0.0.1:[0-9]*' '{output}' | tail -n 1)")
        lines += [f"echo '{MARK}{i}'", commands.rstrip("\n")]
        awaited = STEPS[i][2] if i < len(STEPS) else None
        if awaited:
            lines.append(f"until grep -qF '{awaited}' '{output}'; "
                         "do sleep 0.1; done")
    return "\n".join(lines) + "\n"


class Tour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        root = os.path.join(cls.folder.name, "trails")
        cls.copy_tree(root)
        cls.env = {**os.environ, "HOME": cls.folder.name, "TRAILS_DEPS": "skip",
                   "ADDRESS": "127.0.0.1:0", "TRAILS_ACCESS_LOG": "false"}
        for name in ("TRAILS_STORE", "CLAUDE_CONFIG_DIR"):
            cls.env.pop(name, None)
        cls.server = subprocess.Popen(
            ["make", "run"], cwd=root, env=cls.env, stdout=subprocess.PIPE,
            text=True, start_new_session=True)
        cls.root, cls.port = root, None
        lines = []
        for line in cls.server.stdout:
            lines.append(line)
            found = re.match(r"listening on http://127.0.0.1:(\d+)/mcp", line)
            if found:
                cls.port = found[1]
                break
        assert cls.port, "".join(lines)
        assert not any("  CC " in line for line in lines), "it was built anew"

    @classmethod
    def copy_tree(cls, root):
        """What git knows, as it stands, and what `make run` makes; all with
        their times, so that `make` finds nothing to do."""
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True,
                               stdout=subprocess.PIPE).stdout.decode()
        for name in names.split("\0"):
            source = os.path.join(ROOT, name)
            if name and os.path.isfile(source):
                target = os.path.join(root, name)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(source, target)
        for name in BUILT:
            copy = shutil.copytree if os.path.isdir(
                os.path.join(ROOT, name)) else shutil.copy2
            os.makedirs(os.path.dirname(os.path.join(root, name)),
                        exist_ok=True)
            copy(os.path.join(ROOT, name), os.path.join(root, name))
        for folder, _, _ in os.walk(root):
            shutil.copystat(os.path.join(ROOT, os.path.relpath(folder, root)),
                            folder)

    @classmethod
    def tearDownClass(cls):
        os.killpg(cls.server.pid, signal.SIGTERM)
        cls.server.wait(60)
        cls.server.stdout.close()
        cls.folder.cleanup()

    def test_tour(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            blocks = blocks_of(file.read())
        self.assertEqual(len(blocks), len(STEPS), "each block has its step")
        output = os.path.join(self.folder.name, "output")
        script = script_of(blocks, self.port, output)
        with open(output, "w", encoding="utf-8") as file:
            try:
                done = subprocess.run(
                    ["bash", "-c", script], cwd=self.root, env=self.env,
                    stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                    timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                done = None
        with open(output, encoding="utf-8") as file:
            text = file.read()
        self.assertIsNotNone(done, text)
        parts = re.split(rf"^{MARK}\d+\n", text, flags=re.MULTILINE)[1:]
        self.assertEqual(len(parts), len(blocks), text)
        for (commands, shown), (about, wanted, _), part in zip(blocks, STEPS,
                                                               parts):
            with self.subTest(about):
                self.assertIn(about, commands)
                for each in [*wanted, *shown]:
                    self.assertIn(each, part)
        told = [i for i, part in enumerate(parts)
                if "notifications/resources/updated" in part]
        self.assertEqual(told[0], 5, "what is refused is not told")

    def test_the_demo_is_watched(self):
        url = f"http://127.0.0.1:{self.port}/metrics"
        loaded = b'trails_reloads_total{result="ok"} 1\n'
        with urllib.request.urlopen(url) as answer:
            self.assertNotIn(loaded, answer.read())
        with open(os.path.join(self.root, "apps/requirements/app.lua"), "a",
                  encoding="utf-8") as file:
            file.write("-- another line\n")
        deadline = time.monotonic() + TIME_LIMIT
        while time.monotonic() < deadline:
            with urllib.request.urlopen(url) as answer:
                if loaded in answer.read():
                    return
            time.sleep(0.1)
        self.fail("nobody has noticed")


if __name__ == "__main__":
    unittest.main()
