#!/usr/bin/env python3
"""What a start does: how often the store is opened, and whether it is looked
through for what the app declares, counted by lines of the log."""
import itertools
import json
import os
import signal
import unittest

from server import Server, wait_for

OPENED = "a connection to a store is opened"
LOOKED = "the store is looked through for the app"
DEBUG = """[log]
level = "debug"
"""
STDIO = ("--stdio",)
HTTP = ("--http", "127.0.0.1:0")

TASK = """
node_type "Task" {
  fields = { title = text, size = integer { index = %s }, },
  label = "title",
  tools = { "create", "find" },
}
"""
INDEXED = TASK % "true"
PLAIN = 'capability "one" { description = "d", side_effects = {}, run = function() return "one" end }\n'
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
         "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}}}


class Start(unittest.TestCase):
    def serve(self, app, toml="", options=HTTP):
        server = Server(app=app, toml=DEBUG + toml, options=options)
        self.addCleanup(lambda: self.assertEqual(server.close(), 0))
        self.wait(server, options)
        return server

    def wait(self, server, options):
        """Until it answers."""
        if options == STDIO:
            server.process.stdin.write(json.dumps(HELLO) + "\n")
            server.process.stdin.flush()
            self.assertIn("result", json.loads(server.process.stdout.readline()))

    def again(self, server, options=HTTP, app=None):
        self.assertEqual(server.end("terminate"), 0)
        if app is not None:
            server.write("app.lua", app)
        server.start(options=options)
        self.wait(server, options)

    def count(self, server, msg):
        return sum(line["msg"] == msg for line in server.log())

    def test_who_writes_and_each_loop_open_the_store_and_nobody_looks_through_it(self):
        ways = ((STDIO, 1), (HTTP, 1), (HTTP, 3))
        for app, (options, threads) in itertools.product((PLAIN, TASK % "false", INDEXED), ways):
            with self.subTest(app=app, options=options, threads=threads):
                server = self.serve(app, f"[server]\nthreads = {threads}\n", options)
                self.assertEqual((self.count(server, OPENED), self.count(server, LOOKED)), (2 + threads, 1))
                self.again(server, options)
                self.assertEqual((self.count(server, OPENED), self.count(server, LOOKED)), (1 + threads, 0))

    def test_nobody_who_is_idle_has_threads_for_what_may_come(self):
        """The one that serves, and the one that writes."""
        for app in (PLAIN, INDEXED):
            with self.subTest(app=app):
                server = self.serve(app, options=STDIO)
                self.assertEqual(len(os.listdir(f"/proc/{server.process.pid}/task")), 2)

    def test_a_store_is_looked_through_for_what_was_declared_otherwise(self):
        server = self.serve(INDEXED)
        for app, looked in ((INDEXED, 0),
                            (INDEXED.replace("title = text", "title = text { max_length = 50 }"), 0),
                            (TASK % "false", 1),
                            (INDEXED, 1),
                            (INDEXED.replace("integer", "decimal"), 1),
                            (INDEXED.replace('"Task"', '"Job"'), 1)):
            with self.subTest(app=app):
                self.again(server, app=app)
                self.assertEqual(self.count(server, LOOKED), looked)

    def test_an_app_that_is_loaded_again_has_the_store_looked_through_likewise(self):
        server = self.serve(INDEXED)
        self.again(server)
        for at, (app, looked) in enumerate(((INDEXED, 0), (INDEXED.replace("integer", "decimal"), 1)), 1):
            server.write("app.lua", app)
            server.process.send_signal(signal.SIGHUP)
            wait_for(lambda: self.count(server, "the app was loaded again") == at)
            self.assertEqual(self.count(server, LOOKED), looked)


if __name__ == "__main__":
    unittest.main()
