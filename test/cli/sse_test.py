#!/usr/bin/env python3
"""The transport of 2024-11-05: a stream that tells where to post, what is
refused there, and what ends with the stream."""
import http.client
import json
import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
TAP = [sys.executable, "-B", os.path.join(ROOT, "test", "tools", "tap.py")]
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}


def message(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


INITIALIZE = message("initialize", protocolVersion="2024-11-05",
                     capabilities={}, clientInfo={"name": "c", "version": "1"})


class Stream:
    """An open GET /sse."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port,
                                                     timeout=30)
        self.connection.request("GET", "/sse")
        self.response = self.connection.getresponse()
        kind, self.target = self.event()
        assert kind == "endpoint", kind

    def event(self):
        lines = {}
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if not line and "data" in lines:
                return lines.get("event", "message"), lines["data"]
            name, _, value = line.partition(": ")
            if name:
                lines[name] = value

    def post(self, body, target=None, kind="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=30)
        text = body if isinstance(body, str) else json.dumps(body)
        connection.request("POST", target or self.target, text,
                           {"Content-Type": kind})
        response = connection.getresponse()
        response.read()
        connection.close()
        return response.status

    def ask(self, body):
        assert self.post(body) == 202
        return json.loads(self.event()[1])

    def close(self):
        self.connection.close()


class Sse(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen(
            [*TAP, TRAILS, "serve", os.path.join(ROOT, "test", "apps", "matrix"),
             "--http", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TRAILS_STORE": ":memory:",
                 "TRAILS_ACCESS_LOG": "false"})
        line = cls.server.stdout.readline()
        cls.port = int(re.search(r":(\d+)/mcp$", line)[1])

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.stdout.close()
        if cls.server.wait(30):
            raise AssertionError("the server did not end well")

    def test_answers_come_on_the_stream(self):
        stream = Stream(self.port)
        self.assertRegex(stream.target, r"^/messages\?sessionId=[0-9a-f]{4}[\w-]{68}$")
        hello = stream.ask(INITIALIZE)
        self.assertEqual(hello["result"]["protocolVersion"], "2024-11-05")
        self.assertEqual(stream.ask(message("ping", 2))["result"], {})
        stream.close()

    def test_nothing_but_initialize_comes_first(self):
        stream = Stream(self.port)
        self.assertEqual(stream.ask(message("tools/list"))["error"]["code"],
                         -32600)
        stream.close()

    def test_what_is_refused(self):
        stream = Stream(self.port)
        for body in ("{", "[]x", '"text"',
                     message("tools/list", _meta=MODERN)):
            self.assertEqual(stream.post(body), 400, body)
        self.assertEqual(stream.post("{}", kind="text/plain"), 415)
        good = stream.target.rpartition("=")[2]
        other = good[:-1] + ("g" if good[-1] != "g" else "h")
        for session in ("", "x", good[:-1], other, "0" * 72, "f" * 72):
            self.assertEqual(stream.post(INITIALIZE,
                                         "/messages?sessionId=" + session), 404)
        self.assertEqual(stream.post(INITIALIZE, "/messages"), 404)
        self.assertEqual(stream.post(INITIALIZE,
                                     "/messages?a=b&sessionId=" + good), 202)
        stream.close()

    def test_its_session_is_not_one_of_the_other_transport(self):
        stream = Stream(self.port)
        stream.ask(INITIALIZE)
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("POST", "/mcp", json.dumps(message("ping")),
                           {"Content-Type": "application/json",
                            "Mcp-Session-Id":
                                stream.target.rpartition("=")[2]})
        self.assertEqual(connection.getresponse().status, 404)
        connection.close()
        stream.close()

    def test_the_session_ends_with_the_stream(self):
        stream = Stream(self.port)
        stream.ask(INITIALIZE)
        stream.close()
        while stream.post(message("ping")) != 404:
            pass  # until the server has seen it


if __name__ == "__main__":
    unittest.main()
