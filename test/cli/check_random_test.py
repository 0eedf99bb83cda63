#!/usr/bin/env python3
"""What `trails check` says of a store: nothing when it is sound, and each of many random
single faults (test/fixtures/store_faults.sql). It changes nothing. Drives the sanitized
binary; counts scale with TRAILS_TEST_SCALE."""
import json
import os
import random
import secrets
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
OLD_STORE = os.path.join(ROOT, "build", "debug", "tools", "old_store")
SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = os.environ.get("TRAILS_TEST_SEED") or str(secrets.randbits(32))
FAULTS = max(int(100 * SCALE), 5)

APP = """
node_type "Note" { label = "title", ids = "preserve", indexes = { { "team", "-due" } },
  fields = { { "title", text { search = true } }, { "team", text { index = true } },
    { "due", datetime { optional = true } }, { "size", integer { index = false } },
    { "next", ref "Note" { optional = true } } } }
node_type "Memo" { extends = "Note", fields = { { "mail", text { index = false } } } }
"""
SOUND = [{"id": "store.integrity", "status": "ok", "message": "the whole store can be read"},
         {"id": "store.indexes", "status": "ok",
          "message": "indexes and counts say what the nodes say"}]


def turtle(number):
    note = "trails://check/Note"
    return (f'<{note}/{number}> a <{note}>' +
            (', <trails://check/Memo>; <trails://check/Memo#mail> "m"' if number % 3 else "") +
            f'; <{note}#title> "N {number}" ; <{note}#team> "t{number % 4}"'
            f'; <{note}#size> {number % 5}; <{note}#next> <{note}/{number // 2}>' +
            (f'; <{note}#due> "2026-01-{1 + number % 9:02}T00:00:00Z"^^'
             '<http://www.w3.org/2001/XMLSchema#dateTime>' if number % 2 else "") + " .")


def faults():
    with open(os.path.join(ROOT, "test/fixtures/store_faults.sql"), encoding="utf-8") as file:
        return [line for line in file if not line.startswith("--")]


class Check(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.store = self.at("data/graph.db")
        self.write("trails.toml", '[project]\nname = "check"\n')
        self.write("app.lua", APP)
        self.write("data.ttl", "\n".join(map(turtle, range(40))))

    def at(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.at(name), "w", encoding="utf-8") as file:
            file.write(text)

    def run_trails(self, *words):
        done = subprocess.run([TRAILS, *words], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def fill(self):
        self.assertEqual(self.run_trails("import", "data.ttl")[0], 0)

    def check(self):
        """The exit code, and what is said of the store."""
        code, out, err = self.run_trails("check", "--json")
        self.assertEqual(err, "")
        return code, json.loads(out)["store"]

    def bytes(self):
        with open(self.store, "rb") as file:
            return file.read()

    def change(self, *statements):
        """How many rows the last one changed."""
        db = sqlite3.connect(self.store)
        try:
            count = [db.execute(statement).rowcount for statement in statements][-1]
            db.commit()
            return count
        finally:
            db.close()

    def test_an_app_without_a_store_gets_none(self):
        self.assertEqual(self.check(), (0, []))
        self.assertFalse(os.path.exists(self.at("data")))

    def test_a_sound_store_is_left_as_it_is(self):
        self.fill()
        before = self.bytes()
        self.assertEqual(self.check(), (0, SOUND))
        code, out, err = self.run_trails("check")
        self.assertEqual((code, err), (0, ""))
        self.assertNotIn("store", out)
        self.assertEqual(out.count("\nok: ") + out.startswith("ok: "), 1)
        code, out, err = self.run_trails("check", "--store")
        self.assertEqual((code, err), (0, ""))
        for finding in SOUND:
            self.assertIn(finding["message"] + "\n", out)
        self.assertEqual(self.bytes(), before)

    def test_each_single_fault_is_found(self):
        print(f"seed: TRAILS_TEST_SEED={SEED}", flush=True)
        chance = random.Random(SEED)
        self.fill()
        shutil.copy(self.store, self.at("sound.db"))
        made = 0
        while made < FAULTS:
            fault = chance.choice(faults())
            shutil.copy(self.at("sound.db"), self.store)
            if self.change(fault) < 1:
                continue
            made += 1
            with self.subTest(fault):
                code, found = self.check()
                self.assertEqual(code, 1)
                failed = [each for each in found if each["status"] == "fail"]
                self.assertGreater(len(failed), 0)
                code, out, err = self.run_trails("check")
                self.assertEqual((code, err), (1, ""))
                for each in failed:
                    self.assertIn(f"error: {each['message']}: restore a backup: "
                                  "trails restore\n", out)
                self.assertNotIn("\nok: ", out)

    def test_a_file_that_is_damaged(self):
        self.fill()
        good = self.bytes()
        for name, bad in [("a page", good[:8192] + b"\1\2\3" * 1000 + good[11192:]),
                          ("the end", good[:len(good) // 2]), ("no store", b"text " * 1000)]:
            with self.subTest(name):
                with open(self.store, "wb") as file:
                    file.write(bad)
                code, found = self.check()
                self.assertEqual((code, found[0]["id"], found[0]["status"]),
                                 (1, "store.integrity", "fail"))

    def test_stores_of_other_versions_are_not_touched(self):
        self.fill()
        shutil.copy(self.store, self.at("today.db"))
        newest = int(subprocess.check_output([OLD_STORE]))
        compared = int(subprocess.check_output([OLD_STORE, "bare"]))
        for version in range(1, newest + 1):
            with self.subTest(version):
                os.remove(self.store)
                subprocess.run([OLD_STORE, self.at("today.db"), self.store, str(version)],
                               check=True)
                before = self.bytes()
                code, found = self.check()
                self.assertEqual(code, 0)
                self.assertEqual(found[0], SOUND[0])
                self.assertEqual(found[1]["id"], "store.indexes" if version >= compared
                                 else "store.version")
                self.assertEqual(self.bytes(), before)
        self.change("PRAGMA user_version = 999")
        code, found = self.check()
        self.assertEqual((code, found[0]["id"], found[0]["status"]),
                         (1, "store.version", "fail"))
        self.assertIn("made by a newer trails", found[0]["message"])

    def test_what_the_next_start_puts_right_is_no_fault(self):
        self.fill()
        self.write("app.lua", APP.replace("index = true", "optional = true"))
        self.assertEqual(self.check(), (0, SOUND))


if __name__ == "__main__":
    unittest.main(verbosity=2)
