#!/usr/bin/env python3
"""`trails serve --watch`: a change of the app's files is served without being told of, once,
and told to those whose lists it changes; what breaks changes nothing; of trails.toml what is
live is taken, and the rest is named. Nothing is timed: a test waits for what is said, and
what must not happen is looked for once something later has."""
import json
import os
import re
import signal
import subprocess
import unittest

from access_test import bearer, create
from server import TRAILS, Peer, Server, message, read_response, read_until, request, wait_for

WATCH = ("--http", "127.0.0.1:0", "--watch")
TOML = """
[project]
name = "watched"
[server]
threads = 2
"""
IN_MEMORY = {"TRAILS_STORE": ":memory:"}
CLOSED = {"TRAILS_MCP_SCOPES": "runtime,builder"}  # once it has a token
MODULE = 'return { word = "%s" }\n'
APP = """
local words = require "lib.words"
local edition = "%(edition)s"
node_type "Go" { fields = { name = text }, tools = { "create" } }
capability "say" { description = "%(tool)s", side_effects = {},
  run = function() return edition .. " " .. words.word end }
capability "await" { description = "Until it may go.", side_effects = {}, run = function(ctx)
  ctx:progress(1)
  while not ctx.kg:exists("Go", {}) do ctx:sleep(0.01) end
  return edition end }
capability "build" { description = "%(hidden)s", scope = "builder", side_effects = {}, run = print }
resource "own://page" { name = "%(resource)s", run = function() return "x" end }
prompt "hail" { description = "%(prompt)s", run = function() return "hail" end }
"""
FIRST = {"edition": "first", "tool": "t", "hidden": "h", "resource": "r", "prompt": "p"}
LISTS = ("tools", "resources", "prompts")
REVISIONS = ("2025-03-26", "2025-06-18", "2025-11-25")


def app(**changes):
    return APP % {**FIRST, **changes}


class Stream:
    """What one client is told of lists: in the stateless revision, or in a session."""

    def __init__(self, server, revision=None, token=None):
        self.server = server
        self.heard = []
        self.headers = bearer(token)
        self.peer = Peer(server.port)
        self.listen() if revision is None else self.begin(revision)

    def listen(self):
        wanted = {f"{name}ListChanged": True for name in LISTS}
        self.peer.sendall(request(message("subscriptions/listen", notifications=wanted),
                                  Accept="text/event-stream", **self.headers))
        read_until(self.peer, b"acknowledged")

    def post(self, body):
        with Peer(self.server.port) as peer:
            peer.sendall(request(json.dumps(body), Content_Type="application/json",
                                 Accept="application/json, text/event-stream", **self.headers))
            return read_response(peer)

    def begin(self, revision):
        _, fields, _ = self.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {},
            "clientInfo": {"name": "watch", "version": "1"}}})
        self.headers.update(Mcp_Session_Id=fields["mcp-session-id"], MCP_Protocol_Version=revision)
        assert self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})[0] == 202
        self.peer.sendall(request("", verb="GET", Accept="text/event-stream", **self.headers))
        read_until(self.peer, b"\r\n\r\n")

    def close(self):
        self.peer.close()

    def hear(self):
        """The list that the next notification is about."""
        text = b""
        while not re.search(rb"notifications/\w+/list_changed", text):
            more = self.peer.recv(1)
            assert more, "the stream has ended"
            text += more
        return re.search(rb"notifications/(\w+)/list_changed", text)[1].decode()


class Watch(unittest.TestCase):
    def serve(self, toml=TOML, options=WATCH, environment=IN_MEMORY):
        server = Server.__new__(Server)
        first = Server.start
        try:
            Server.start = lambda self, *arguments: None  # its modules are written first
            server.__init__(toml, app())
        finally:
            Server.start = first
        os.mkdir(os.path.join(server.folder, "lib"))
        server.write("lib/words.lua", MODULE % "one")
        server.start(options, environment=environment)
        self.addCleanup(lambda: self.assertEqual(server.close(), 0))
        return server

    def loads(self, server):
        """How often it has been loaded again, and could not be."""
        said = [line["msg"] for line in server.log()]
        return said.count("the app was loaded again"), said.count("the app cannot be loaded again")

    def await_loads(self, server, *count):
        wait_for(lambda: self.loads(server) >= count)
        self.assertEqual(self.loads(server), count)

    def says(self, server, token=None):
        status, answer = server.call("say", headers=bearer(token))
        self.assertEqual(status, 200, answer)
        return answer["result"]["content"][0]["text"]

    def replace(self, server, name, text):
        server.write("next~", text)
        os.replace(os.path.join(server.folder, "next~"), os.path.join(server.folder, name))

    def has_inotify(self, server):
        folder = f"/proc/{server.process.pid}/fd"
        return any("inotify" in os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder))

    # What is noticed. ---------------------------------------------------------

    def test_each_file_that_was_read_is_noticed(self):
        server = self.serve()
        self.assertEqual(self.says(server), "first one")
        server.write("app.lua", app(edition="second"))
        self.await_loads(server, 1, 0)
        self.assertEqual(self.says(server), "second one")
        server.write("lib/words.lua", MODULE % "two")
        self.await_loads(server, 2, 0)
        self.assertEqual(self.says(server), "second two")
        os.mkdir(os.path.join(server.folder, "shapes"))
        server.write("shapes/a.ttl", "")
        server.write("app.lua", 'shape_file "shapes/a.ttl"\n' + app(edition="third"))
        self.await_loads(server, 3, 0)
        server.write("shapes/a.ttl", "# nothing\n")
        self.await_loads(server, 4, 0)
        server.write("trails.toml", TOML + "# nothing\n")
        self.await_loads(server, 5, 0)
        self.assertEqual(self.says(server), "third two")

    def test_what_is_saved_in_pieces_or_by_a_rename_is_loaded_once(self):
        server = self.serve()
        text = app(edition="pieces")
        os.kill(server.process.pid, signal.SIGSTOP)  # it sees them together, however slow we are
        with open(os.path.join(server.folder, "app.lua"), "w") as file:
            for part in (text[:100], text[100:300], text[300:]):
                file.write(part)
                file.flush()
        os.kill(server.process.pid, signal.SIGCONT)
        self.await_loads(server, 1, 0)
        self.assertEqual(self.says(server), "pieces one")
        self.replace(server, "app.lua", app(edition="renamed"))
        self.await_loads(server, 2, 0)
        self.assertEqual(self.says(server), "renamed one")
        path = os.path.join(server.folder, "app.lua")
        os.utime(path)
        with open(path + ".swp", "w") as file:
            file.write("x")
        self.replace(server, "app.lua", app(edition="renamed"))
        server.write("lib/words.lua", MODULE % "two")
        self.await_loads(server, 3, 0)

    def test_an_app_that_is_swapped_by_a_link_is_noticed(self):
        server = self.serve()
        self.assertEqual(server.end("terminate"), 0)
        first, second = (os.path.join(server.folder, name) for name in ("one", "two"))
        link = os.path.join(server.folder, "current")
        for folder, word in ((first, "one"), (second, "two")):
            os.makedirs(os.path.join(folder, "lib"))
            for name, text in (("app.lua", app()), ("trails.toml", TOML), ("lib/words.lua", MODULE % word)):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
        os.symlink("one", link)
        folder, server.folder = server.folder, link
        server.start(WATCH, environment=IN_MEMORY)
        os.symlink("two", link + "-new")
        os.replace(link + "-new", link)
        self.await_loads(server, 1, 0)
        self.assertEqual(self.says(server), "first two")
        server.folder = folder

    def test_what_breaks_is_said_once_and_the_next_save_mends_it(self):
        server = self.serve(environment=CLOSED)
        token = create(server.folder, "--scope", "runtime,builder")["token"]
        server.write("app.lua", app(edition="half")[:200])
        self.await_loads(server, 0, 1)
        self.assertEqual(self.says(server, token), "first one")
        error = next(line["error"] for line in server.log() if "cannot be loaded" in line["msg"])
        self.assertRegex(error, r"app\.lua:\d+: ")
        found = self.doctor(server, token)["app.load"]
        self.assertEqual((found["status"], found["message"]), ("warn", error))
        os.utime(os.path.join(server.folder, "app.lua"))
        server.write("app.lua", app(edition="whole"))
        self.await_loads(server, 1, 1)
        self.assertEqual(self.says(server, token), "whole one")
        self.assertEqual(self.doctor(server, token)["app.load"]["status"], "ok")
        os.remove(os.path.join(server.folder, "lib/words.lua"))
        self.await_loads(server, 1, 2)
        self.assertEqual(self.says(server, token), "whole one")
        server.write("lib/words.lua", MODULE % "back")
        self.await_loads(server, 2, 2)
        self.assertEqual(self.says(server, token), "whole back")

    def doctor(self, server, token):
        status, _, text = server.ask(request(message("resources/read", uri="trails://doctor"),
                                             **bearer(token)))
        self.assertEqual(status, 200, text)
        said = json.loads(json.loads(text)["result"]["contents"][0]["text"])
        return {check["id"]: check for check in said["checks"]}

    def test_a_call_that_runs_finishes_on_what_it_began_with(self):
        server = self.serve()
        with server.connect() as peer:
            peer.sendall(request(message("tools/call", {"progressToken": "p"}, name="await"),
                                 Accept="application/json, text/event-stream"))
            read_until(peer, b"notifications/progress")
            server.write("app.lua", app(edition="second"))
            self.await_loads(server, 1, 0)
            self.assertEqual(self.says(server), "second one")
            self.assertEqual(server.metric("trails_calls_running"), 1)
            self.assertNotIn("error", server.call("create_go", name="go")[1])
            said = read_until(peer, b"\r\n0\r\n\r\n").decode()
        self.assertIn('"text":"first"', said)

    def test_a_client_on_stdio_is_served_so_too(self):
        server = self.serve(options=("--stdio", "--watch"))
        wanted = {f"{name}ListChanged": True for name in LISTS}
        self.tell(server, message("subscriptions/listen", notifications=wanted))
        self.assertIn("acknowledged", server.process.stdout.readline())
        server.write("app.lua", app(tool="for one"))
        self.assertIn("notifications/tools/list_changed", server.process.stdout.readline())
        self.tell(server, message("tools/list", id=2))
        self.assertIn("for one", server.process.stdout.readline())

    def tell(self, server, what):
        server.process.stdin.write(json.dumps(what) + "\n")
        server.process.stdin.flush()

    # Who is told. -------------------------------------------------------------

    def listing(self, server, name):
        status, _, text = server.ask(request(message(f"{name}/list")))
        self.assertEqual(status, 200)
        return text

    def test_only_lists_that_have_changed_are_told_of_once(self):
        server = self.serve()
        streams = [Stream(server, revision) for revision in (None, *REVISIONS)]
        changes = [("prompts", {"prompt": "other"}), ("tools", {"tool": "other"}),
                   ("prompts", {"prompt": "again"}), ("resources", {"resource": "other"})]
        now = {}
        for number, (name, change) in enumerate(changes):
            now.update(change)
            # A change that no list shows comes before each.
            server.write("app.lua", app(**now) + f"-- {number}\n")
            self.await_loads(server, number + 1, 0)
            for stream in streams:
                self.assertEqual(stream.hear(), name)
            self.assertIn(next(iter(change.values())), self.listing(server, name))
        # Nothing was told of what no list shows; and all of what changes all.
        server.write("lib/words.lua", MODULE % "silent")
        self.await_loads(server, 5, 0)
        server.write("app.lua", app(tool="x", resource="y", prompt="z"))
        for stream in streams:
            self.assertEqual(sorted(stream.hear() for _ in LISTS), sorted(LISTS))
            stream.close()

    def test_what_is_told_of_is_there_already(self):
        server = self.serve()
        stream = Stream(server)
        for number in range(20):
            self.replace(server, "app.lua", app(tool=f"edition {number}"))
            self.assertEqual(stream.hear(), "tools")
            self.assertIn(f"edition {number}", self.listing(server, "tools"))
        stream.close()

    def test_a_tool_that_somebody_does_not_see_is_not_told_to_them(self):
        server = self.serve(environment=CLOSED)
        tokens = [create(server.folder, "--scope", scopes)["token"] for scopes in ("runtime", "runtime,builder")]
        for revision in (None, *REVISIONS):
            with self.subTest(revision=revision):
                streams = [Stream(server, revision, token) for token in tokens]
                before = self.loads(server)[0]
                server.write("app.lua", app(hidden=f"{revision} other"))
                self.await_loads(server, before + 1, 0)
                self.assertEqual(streams[1].hear(), "tools")
                server.write("app.lua", app(hidden=f"{revision} other", prompt=f"{revision} other"))
                for stream in streams:
                    self.assertEqual(stream.hear(), "prompts")
                    stream.close()

    # Where nothing is watched. ------------------------------------------------

    def test_nothing_is_watched_in_production_or_without_being_asked_to(self):
        asked = TOML.replace("[server]", 'env = "production"\n[server]')
        for toml, options in ((TOML, WATCH[:2]), (asked, WATCH[:2])):
            with self.subTest(toml):
                server = self.serve(toml, options)
                self.assertFalse(self.has_inotify(server))
                server.write("lib/words.lua", MODULE % "two")
                server.process.send_signal(signal.SIGHUP)
                self.await_loads(server, 1, 0)
                self.assertFalse(self.has_inotify(server))
        self.assertTrue(self.has_inotify(self.serve()))
        done = subprocess.run([TRAILS, "serve", server.folder, *WATCH], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--watch is not for production", done.stderr)


if __name__ == "__main__":
    unittest.main()
