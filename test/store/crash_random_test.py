#!/usr/bin/env python3
"""A server that writes is killed again and again, at any point. What it has
said to be done is there afterwards, nothing is there in part, and the store is
sound: SQLite finds nothing wrong with it, and neither do its shapes."""
import json
import os
import random
import secrets
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "release", "trails")
SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = os.environ.get("TRAILS_TEST_SEED") or str(secrets.randbits(32))
KILLS = max(20, int(200 * SCALE))
IN_FLIGHT = 16
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}

APP = '''
node_type "Item" { fields = { name = text { search = true } } }
node_type "Batch" {
  fields = {
    number = integer { unique = true },
    note = text { search = true },
    items = ref "Item" { many = true, min_count = 3, max_count = 3 },
  },
}
capability "add" {
  description = "A batch and its three items: all of them, or none.",
  input = { number = integer },
  run = function(ctx, args)
    local items = {}
    for i = 1, 3 do
      items[i] = ctx.kg:create("Item", { name = args.number .. "-" .. i }).id
    end
    ctx.kg:create("Batch", { number = args.number, items = items,
                             note = ("note "):rep(args.number % 50 + 1) })
    if args.number % 3 == 0 then
      ctx.kg:update(items[1], { name = "changed " .. args.number })
    end
    return args.number
  end,
}
capability "all" {
  description = "The numbers of a page of batches.",
  input = { after = text { optional = true } },
  run = function(ctx, args)
    local found, next_page = ctx.kg:where("Batch", {}, { limit = 1000,
                                                         after = args.after })
    local numbers = array {}
    for i, batch in ipairs(found) do numbers[i] = batch.number end
    return { numbers = numbers, next_page = next_page }
  end,
}
'''


def message(number, name, arguments):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call",
                       "params": {"name": name, "arguments": arguments,
                                  "_meta": META}}) + "\n"


class Server:
    """One life of a server on its standard input and output."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [TRAILS, "serve", folder, "--stdio"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, name, **arguments):
        self.process.stdin.write(message(0, name, arguments))
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return json.loads(answer["result"]["content"][0]["text"])

    def write_until_killed(self, first, seconds):
        """Numbers from `first` on, until it dies: those that were sent, and
        those that it has said to be done."""
        done = set()
        sent = first
        threading.Timer(seconds, self.process.kill).start()
        try:
            for sent in range(first, first + IN_FLIGHT):
                self.process.stdin.write(message(sent, "add", {"number": sent}))
            self.process.stdin.flush()
            while line := self.process.stdout.readline():
                if not line.endswith("\n"):
                    break
                answer = json.loads(line)
                if "result" not in answer or answer["result"].get("isError"):
                    raise AssertionError(line)
                done.add(answer["id"])
                sent += 1
                self.process.stdin.write(message(sent, "add", {"number": sent}))
                self.process.stdin.flush()
        except BrokenPipeError:
            pass
        return sent, done

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.close()
        return self.process.wait(60)


class Crash(unittest.TestCase):
    def setUp(self):
        print(f"seed: TRAILS_TEST_SEED={SEED}", flush=True)
        self.random = random.Random(int(SEED))
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(os.path.join(self.folder.name, "app.lua"), "w") as app:
            app.write(APP)
        self.data = os.path.join(self.folder.name, "data", "graph.db")

    def numbers(self, server):
        found = []
        page = server.ask("all")
        found += page["numbers"]
        while page.get("next_page"):
            page = server.ask("all", after=page["next_page"])
            found += page["numbers"]
        self.assertEqual(len(found), len(set(found)))
        return set(found)

    def check_file(self, batches):
        """What is beside the quads agrees with them."""
        with sqlite3.connect(self.data, timeout=60) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(),
                             [("ok",)])
            self.assertEqual(
                db.execute("SELECT count(*) FROM node WHERE version > 0")
                .fetchone()[0], 4 * batches)
            # Each statement is in one of the two indexes.
            self.assertEqual(
                db.execute("SELECT (SELECT count(*) FROM pos)"
                           " + (SELECT count(*) FROM ops)").fetchone(),
                db.execute("SELECT ifnull((SELECT value FROM meta"
                           " WHERE key = 3), 0)").fetchone())
            self.assertEqual(
                db.execute("SELECT count(*) FROM search").fetchone()[0],
                4 * batches)
            self.assertEqual(
                sorted(db.execute("SELECT count FROM type_count")),
                [(batches,), (3 * batches,)] if batches else [])
            self.assertEqual(
                db.execute("SELECT count(*) FROM activity").fetchone()[0],
                batches)
        db.close()

    def check_shapes(self):
        checked = subprocess.run(
            [TRAILS, "validate", "--app", self.folder.name], timeout=120,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout)

    def test_kills(self):
        sent = 0
        acknowledged = set()
        for kill in range(KILLS):
            server = Server(self.folder.name)
            present = self.numbers(server)
            self.assertEqual(acknowledged - present, set(), "a write is lost")
            self.assertLessEqual(max(present, default=0), sent)
            sent, done = server.write_until_killed(
                sent + 1, self.random.uniform(0, 0.2))
            acknowledged |= done
            self.assertEqual(server.end(), -signal.SIGKILL)
            if kill % 10 == 9 or kill == KILLS - 1:
                server = Server(self.folder.name)
                present = self.numbers(server)
                self.assertEqual(server.end(), 0)
                self.check_file(len(present))
                self.check_shapes()
        self.assertGreater(len(acknowledged), KILLS)


if __name__ == "__main__":
    unittest.main()
