#!/usr/bin/env python3
"""`trails key rotate`: a server that runs goes on with the new key, and accepts
for a day what the old one has sealed. Drives the sanitized binary."""
import os
import signal
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(ROOT, "test", "serve"))
from server import Server, TRAILS, wait_for  # noqa: E402

APP = """
node_type "Thing" {
  description = "A thing.",
  tools = { "create", "find" },
  fields = { title = text },
}
"""
MADE = ("{} has a new key. A server that runs reads it on SIGHUP.\n"
        "What the old key has sealed is accepted for 24 hours.\n")


def rotate(folder):
    done = subprocess.run([TRAILS, "key", "rotate", "--app", folder],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class Rotation(unittest.TestCase):
    def setUp(self):
        self.server = Server(app=APP)
        self.addCleanup(self.server.close)
        self.keys = os.path.join(self.server.folder, "data", "keys")
        self.rotations = 0
        for title in ("one", "two", "three"):
            self.call("create_thing", title=title)

    def call(self, name, **arguments):
        """The result of a tool, or the error."""
        _, answer = self.server.call(name, **arguments)
        return answer.get("result", answer.get("error"))

    def first_page(self):
        page = self.call("find_thing", limit=1)["structuredContent"]
        self.assertEqual(len(page["items"]), 1)
        return page["next"]

    def is_accepted(self, cursor):
        page = self.call("find_thing", limit=1, cursor=cursor)
        return len(page.get("structuredContent", {}).get("items", ())) == 1

    def rotate(self):
        """A new key that the server has read."""
        self.assertEqual(rotate(self.server.folder),
                         (0, MADE.format(self.keys), ""))
        self.rotations += 1
        self.server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: self.has_read(self.rotations))

    def has_read(self, times):
        with open(self.server.log_path) as log:
            return log.read().count("the keys were read again") == times

    def test_the_old_key_is_accepted_and_the_new_one_is_used(self):
        of_first = self.first_page()
        self.assertTrue(self.is_accepted(of_first))
        self.rotate()
        of_second = self.first_page()
        self.assertTrue(self.is_accepted(of_first))
        self.assertTrue(self.is_accepted(of_second))
        self.rotate()
        self.assertTrue(self.is_accepted(of_second))
        self.assertFalse(self.is_accepted(of_first))

    def test_a_server_that_was_not_told_goes_on_with_the_old_key(self):
        cursor = self.first_page()
        self.assertEqual(rotate(self.server.folder)[0], 0)
        self.assertTrue(self.is_accepted(cursor))
        self.assertTrue(self.is_accepted(self.first_page()))

    def test_the_file_has_both_keys_and_is_for_its_owner_alone(self):
        def keys():
            with open(self.keys) as file:
                return dict(line.split()[::2] for line in file
                            if not line.startswith("trails-keys"))
        before = keys()
        self.assertEqual(list(before), ["current"])
        self.rotate()
        after = keys()
        self.assertEqual(after["previous"], before["current"])
        self.assertNotEqual(after["current"], before["current"])
        self.assertEqual(stat.S_IMODE(os.stat(self.keys).st_mode), 0o600)


class Refusal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(self.folder, "app.lua"), "w") as file:
            file.write(APP)

    def test_an_app_that_was_never_served_has_no_key(self):
        path = os.path.join(self.folder, "data", "keys")
        self.assertEqual(rotate(self.folder), (
            1, "", f"trails: there is no {path}: the first start of a server "
            "makes it\n"))
        self.assertFalse(os.path.exists(os.path.dirname(path)))

    def test_a_store_in_memory_has_no_file(self):
        with open(os.path.join(self.folder, "trails.toml"), "w") as file:
            file.write('[store]\npath = ":memory:"\n')
        code, out, err = rotate(self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("[store] path is :memory:", err)

    def test_a_file_that_others_can_read_is_left_alone(self):
        os.mkdir(os.path.join(self.folder, "data"), 0o700)
        path = os.path.join(self.folder, "data", "keys")
        with open(path, "w") as file:
            file.write("trails-keys 1\n")
        os.chmod(path, 0o644)
        code, out, err = rotate(self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"run chmod 600 {path}", err)


if __name__ == "__main__":
    unittest.main()
