#!/usr/bin/env python3
"""The doctor beside and in a running server: what calls came to is kept over restarts and
kills and shared by processes; a reload that failed is told to who may know."""
import json
import os
import signal
import subprocess
import unittest

from server import TRAILS, Server, message, request, wait_for

TOKEN = "t" * 40
TOML = """
[project]
name = "measured"
[mcp]
annotations = false
"""
APP = """
node_type "Task" { fields = { title = text }, tools = { "create" } }
capability "nap" { description = "Sleeps.", version = "1.0.0",
  side_effects = { graph_writes = {} }, cost = { latency_p95_ms = 0.001, tokens = 10 },
  run = function(ctx) ctx:spend { tokens = 40 } return "slept" end }
capability "plain" { description = "d", side_effects = { graph_writes = {} },
  cost = { latency_p95_ms = 600000, tokens = 10 },
  run = function(ctx) ctx:spend { tokens = 30 } return "done" end }
"""


class Doctor(unittest.TestCase):
    def setUp(self):
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            self.assertIn(server.close(), (0, -signal.SIGKILL))

    def serve(self, **more):
        self.servers.append(Server(TOML, APP, **more))
        return self.servers[-1]

    def findings(self, server, name):
        """What `trails doctor` says beside the server, or without it."""
        done = subprocess.run([TRAILS, "doctor", "--json", server.folder], timeout=120,
                              stdout=subprocess.PIPE, check=True)
        return [check["message"] for check in json.loads(done.stdout)["checks"]
                if check["id"] == name]

    def counted(self, server):
        """How many calls of nap the store knows of."""
        found = [int(text.split(" of ")[1].split()[0])
                 for text in self.findings(server, "calls.estimates") if "latency_p95_ms" in text]
        return found[0] if found else 0

    def call(self, server, times, tool="nap", **arguments):
        for _ in range(times):
            status, answer = server.call(tool, **arguments)
            self.assertEqual((status, "error" in answer), (200, False), answer)

    def test_what_calls_came_to_is_told_and_warned_of_once(self):
        server = self.serve()
        self.call(server, 3)
        self.call(server, 3, "plain")
        self.call(server, 1, "create_task", title="t")
        wait_for(lambda: self.counted(server) == 3)
        found = self.findings(server, "calls.estimates")
        self.assertEqual(len(found), 2, found)
        self.assertTrue(found[1].startswith(
            "nap 1.0.0: cost.tokens is 10, and one in twenty of 3 calls came to about 42"), found)
        self.call(server, 2)
        wait_for(lambda: self.counted(server) == 5)
        warned = [line for line in server.log() if "estimate" in line["msg"]]
        self.assertEqual([(line["level"], line["name"], line["version"]) for line in warned],
                         [("warn", "nap", "1.0.0")])

    def test_it_is_kept_over_restarts_and_kills(self):
        server = self.serve()
        self.call(server, 3)
        self.assertEqual(server.end("terminate"), 0)
        self.assertEqual(self.counted(server), 3)
        server.start()
        self.call(server, 2)
        wait_for(lambda: self.counted(server) == 5)
        before = self.findings(server, "calls.estimates")
        self.call(server, 1)
        self.assertEqual(server.end("kill"), -signal.SIGKILL)
        self.assertIn(self.counted(server), (5, 6))
        server.start()
        if self.counted(server) == 5:
            self.assertEqual(self.findings(server, "calls.estimates"), before)

    def test_processes_share_it(self):
        first = self.serve()
        store = os.path.join(first.folder, "data")
        second = self.serve(environment={"TRAILS_STORE": store})
        for _ in range(5):
            self.call(first, 1)
            self.call(second, 1)
        done = subprocess.run([TRAILS, "call", "nap", "--app", first.folder], timeout=120,
                              stdout=subprocess.PIPE, check=True)
        self.assertIn(b"slept", done.stdout)
        wait_for(lambda: self.counted(first) == 11)

    # In the server. -----------------------------------------------------------

    def read(self, server, token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        status, _, text = server.ask(request(
            message("resources/read", uri="trails://doctor"), **headers))
        self.assertEqual(status, 200, text)
        said = json.loads(json.loads(text)["result"]["contents"][0]["text"])
        return {check["id"]: check for check in said["checks"]}

    def reload(self, server, name, text, says):
        server.write(name, text)
        before = len([line for line in server.log() if line["msg"].startswith("the app ")])
        os.kill(server.process.pid, signal.SIGHUP)
        wait_for(lambda: len([line for line in server.log()
                              if line["msg"].startswith("the app ")]) > before)
        self.assertIn(says, [line["msg"] for line in server.log()][-1])

    def test_a_reload_that_failed_is_told_until_one_succeeds(self):
        server = self.serve(environment={"TRAILS_MCP_TOKEN": TOKEN,
                                         "TRAILS_MCP_SCOPES": "runtime,builder"})
        self.assertEqual(self.read(server, TOKEN)["app.load"]["status"], "ok")
        self.reload(server, "app.lua", APP + "capability(\n", "cannot be loaded again")
        found = self.read(server, TOKEN)["app.load"]
        self.assertEqual(found["status"], "warn")
        self.assertIn("app.lua:", found["message"])
        self.assertIn("the app of before is served", found["fix"])
        self.reload(server, "app.lua", APP, "was loaded again")
        self.assertEqual(self.read(server, TOKEN)["app.load"]["status"], "ok")
        server.write("trails.toml", "bad")
        found = self.read(server, TOKEN)["config.parse"]
        self.assertEqual((found["status"], "trails.toml:1:" in found["message"]), ("fail", True))

    def test_what_is_for_the_author_is_told_to_nobody_else(self):
        server = self.serve(environment={"TRAILS_MCP_SCOPES": "runtime"})
        server.write("trails.toml", "secret-in-a-file")
        said = self.read(server)
        self.assertEqual(said["config.parse"]["status"], "ok")
        for name in ("app.load", "store.project", "mcp.hosts", "mcp.snapshots",
                     "settings.unsafe", "server.limits"):
            self.assertNotIn(name, said)
        self.assertNotIn("secret-in-a-file", json.dumps(said))
        self.assertIn("runtime: tools/list has 4 tools", said["mcp.footprint"]["message"])


if __name__ == "__main__":
    unittest.main()
