#!/usr/bin/env python3
"""How a server on standard input and output ends: with its input, once what it was
asked is answered; at once when nobody reads its answers, whether it was asked
anything or not. Hosts use pipes or sockets, and close them in any order."""
import json
import os
import socket
import subprocess
import tempfile
import unittest

from server import TRAILS, message

APP = '''
capability "wait" {
  description = "Waits, and says so in the log.",
  side_effects = {},
  run = function(ctx) ctx:sleep(2) print("waited") return "waited" end,
}
capability "ask" {
  description = "Asks.",
  side_effects = {},
  run = function(ctx)
    return ctx:elicit { message = "m", fields = { a = text } }.action
  end,
}
'''
HELLO = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
          "params": {"protocolVersion": "2025-11-25",
                     "capabilities": {"elicitation": {}},
                     "clientInfo": {"name": "c", "version": "1"}}},
         {"jsonrpc": "2.0", "method": "notifications/initialized"}]
LISTS = [message("tools/list")]

# What is sent, and how many lines come before the ends are closed.
BUSY = {
    "nothing": (LISTS, 1),
    "a call": (LISTS + [message("tools/call", id=2, name="wait")], 1),
    "a question": (HELLO + [{"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                             "params": {"name": "ask"}}], 2),
    "a stream": ([message("subscriptions/listen",
                          notifications={"toolsListChanged": True})], 1),
}


def pipes():
    """Descriptors: theirs to read and to write, ours to write and to read."""
    (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()
    return their_in, their_out, our_out, our_in


def sockets():
    (our_out, their_in), (our_in, their_out) = (
        [end.detach() for end in socket.socketpair()] for _ in range(2))
    return their_in, their_out, our_out, our_in


class Host:
    """Starts a server, speaks to it, and hears the first lines."""

    def __init__(self, folder, kind, asked, lines):
        their_in, their_out, out, into = kind()
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [TRAILS, "serve", folder, "--stdio"], stdin=their_in,
            stdout=their_out, stderr=self.log)
        os.close(their_in)
        os.close(their_out)
        self.ends = {"in": os.fdopen(out, "wb"), "out": os.fdopen(into, "rb")}
        self.ends["in"].write(b"".join(json.dumps(one).encode() + b"\n"
                                       for one in asked))
        self.ends["in"].flush()
        for _ in range(lines):
            json.loads(self.ends["out"].readline())

    def wait(self):
        """The exit code and the log."""
        code = self.process.wait(60)
        for end in self.ends.values():
            end.close()
        self.log.seek(0)
        with self.log:
            return code, self.log.read()


class Ends(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parent = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.parent.cleanup)
        with open(os.path.join(cls.parent.name, "app.lua"), "w") as file:
            file.write(APP)

    def host(self, kind, busy):
        host = Host(self.parent.name, kind, *BUSY[busy])
        self.addCleanup(host.process.kill)
        return host

    def test_who_reads_no_answers_has_gone(self):
        for kind in (pipes, sockets):
            for closed in (["out"], ["in", "out"], ["out", "in"]):
                for busy in BUSY:
                    with self.subTest(kind=kind.__name__, closed=closed,
                                      busy=busy):
                        host = self.host(kind, busy)
                        for end in closed:
                            host.ends[end].close()
                        self.assertEqual(host.wait(), (0, ""))

    def test_what_was_asked_is_answered_when_input_ends(self):
        for kind in (pipes, sockets):
            with self.subTest(kind=kind.__name__):
                host = self.host(kind, "a call")
                host.ends["in"].close()
                answer = json.loads(host.ends["out"].readline())
                self.assertEqual(answer["result"]["content"][0]["text"],
                                 "waited")
                self.assertEqual(host.ends["out"].read(), b"")
                code, log = host.wait()
                self.assertEqual((code, json.loads(log)["text"]), (0, "waited"))

    def test_idle_it_ends_with_its_input(self):
        for busy in ("nothing", "a stream"):
            with self.subTest(busy=busy):
                host = self.host(pipes, busy)
                host.ends["in"].close()
                self.assertEqual(host.process.wait(60), 0)
                host.wait()


if __name__ == "__main__":
    unittest.main()
