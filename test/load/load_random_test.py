#!/usr/bin/env python3
"""Thousands of connections, and every accident that can happen to them.

build/release/load, a client in C that shares nothing with the server's network
code, drives three builds of `trails serve test/apps/load` with three loops: the
released one, in which memory is measured, and those under ASan and TSan, which
must have nothing to say. Counts scale with TRAILS_TEST_SCALE."""
import os
import re
import resource
import secrets
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.path.join(ROOT, "build")
LOAD = os.path.join(BUILD, "release", "load")
APP = os.path.join(ROOT, "test", "apps", "load")
SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = os.environ.get("TRAILS_TEST_SEED") or str(secrets.randbits(32))


def setUpModule():
    """Servers and client inherit it: each stream is a descriptor of both."""
    print(f"seed: TRAILS_TEST_SEED={SEED}", flush=True)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def scaled(full, least):
    return str(max(int(full * SCALE), least))


def reports(said):
    """What a sanitizer has said: everything that is no line of the log."""
    return "".join(line for line in said.splitlines(True)
                   if not line.startswith("{"))


class Server:
    def __init__(self, mode):
        self.said = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [os.path.join(BUILD, mode, "trails"), "serve", APP,
             "--http", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=self.said, text=True)
        line = self.process.stdout.readline()
        found = re.match(r"listening on http://127\.0\.0\.1:(\d+)/mcp$", line)
        if not found:
            raise AssertionError(self.wait())
        self.port = found[1]

    def wait(self):
        """The exit code, and what it said on standard error."""
        self.process.wait(timeout=120)
        self.process.stdout.close()
        self.said.seek(0)
        with self.said:
            return self.process.returncode, self.said.read()


class Load:
    """The scenarios; each build is a subclass."""
    mode = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server(cls.mode)

    @classmethod
    def tearDownClass(cls):
        """A sanitizer that has found something says so in both."""
        cls.server.process.terminate()
        code, said = cls.server.wait()
        if code or reports(said):
            raise AssertionError(f"exit code {code}\n{reports(said)}")

    def drive(self, scenario, count, server=None):
        server = server or self.server
        memory = ["memory"] if self.mode == "release" else []
        done = subprocess.run(
            [LOAD, scenario, server.port, str(server.process.pid), count, SEED,
             *memory], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=1200)
        self.assertEqual(done.returncode, 0, f"{scenario}: {done.stdout}")

    def test_a_change_reaches_every_listen_stream_once(self):
        self.drive("listen", scaled(5000, 500))

    def test_aborted_requests_leave_nothing_behind(self):
        self.drive("abort", scaled(10000, 100))

    def test_ended_sessions_leave_nothing_behind(self):
        self.drive("sessions", scaled(1000, 50))

    def test_who_does_not_read_delays_nobody(self):
        self.drive("slow", scaled(400, 80))

    def test_nobody_sees_what_is_anothers(self):
        self.drive("mixed", scaled(200, 10))

    def test_resumed_streams_lose_and_repeat_nothing(self):
        self.drive("resume", scaled(10000, 500))

    def test_sigterm_under_load_ends_cleanly(self):
        server = Server(self.mode)
        self.addCleanup(server.process.kill)
        self.drive("stop", scaled(1000, 100), server)
        code, said = server.wait()
        self.assertEqual((code, reports(said)), (0, ""))


class Release(Load, unittest.TestCase):
    mode = "release"


class Asan(Load, unittest.TestCase):
    mode = "debug"


class Tsan(Load, unittest.TestCase):
    mode = "tsan"


if __name__ == "__main__":
    unittest.main()
