#!/usr/bin/env python3
"""While the app is loaded again and again, a batch of lists, a run of the doctor, and
every view with its ETag see one snapshot each, on every loop; two views with one ETag
are of the same; and once a reload is acknowledged, by its line in the log, everything
that is asked after it sees the new one. Nothing is timed."""
import http.client
import json
import os
import random
import re
import signal
import threading
import unittest

from server import Server, wait_for

SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
RELOADS = max(50, round(1000 * SCALE))
CLIENTS = 4

TOML = """
[project]
name = "reloaded"
[server]
threads = 2
"""
# Each edition shows in every list, and in four checks of the doctor.
APP = """
local N = %d
for i = 0, N %% 3 do node_type("Type" .. i) { fields = { n = integer } } end
capability("big" .. N) { description = string.rep("long ", 400), run = print }
capability("dotted." .. N) { description = "d", run = print }
capability("union" .. N) { description = "d", run = print,
  input_schema = '{"type":"object","oneOf":[{"type":"object"}]}' }
resource("own://edition/" .. N) { name = "edition", run = function() return "x" end }
"""
# Views, of which each has what all capabilities are called; and that of the server.
VIEWS = [("/.well-known/capabilities", "application/ld+json"),
         ("/capabilities", "application/json"), ("/capabilities", "text/markdown"),
         ("/openapi.json", "application/json"),
         ("/reloaded/card", "application/td+json"), ("/reloaded/card", "application/ld+json")]
HOST = ("/.well-known/wot", "application/td+json")
LISTS = [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
         {"jsonrpc": "2.0", "id": 2, "method": "resources/list"}] * 4


def editions_in(text):
    """What capabilities are called in any view."""
    return set(re.findall(r"\b(?:big|dotted\.|union)(\d+)\b", text))


class Tags:
    """Of which edition each ETag is, as far as any client has seen."""

    def __init__(self):
        self.lock = threading.Lock()
        self.editions = {}

    def learn(self, tag, editions):
        """Both as one: what was known of the tag, and what is seen now."""
        with self.lock:
            known = self.editions.setdefault(tag, set())
            known |= editions
            return set(known)


class Client:
    """A session of 2025-03-26 on a connection of its own."""

    def __init__(self, port, tags):
        self.tags = tags
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.session = None
        self.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-03-26", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}})

    def ask(self, body):
        headers = {"Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        self.connection.request("POST", "/mcp", json.dumps(body), headers)
        response = self.connection.getresponse()
        self.session = response.getheader("Mcp-Session-Id") or self.session
        assert response.status == 200, response.status
        return json.loads(response.read())

    def lists(self):
        """The editions that the answers to one batch are of."""
        editions = set()
        for answer in self.ask(LISTS):
            text = json.dumps(answer["result"])
            editions |= set(re.findall(r'"(?:big|dotted\.|union|own://edition/)(\d+)"', text))
        return editions

    def get(self, view, tag=None):
        path, kind = view
        self.connection.request("GET", path, headers={
            "Accept": kind, **({"If-None-Match": tag} if tag else {})})
        response = self.connection.getresponse()
        text = response.read().decode()
        assert response.status == (304 if not text else 200), (path, response.status)
        return text, response.getheader("ETag")

    def views(self):
        """The editions of two views, which are those of their ETags; a third is asked
        for by the tag of the second: it is not modified, or a later one."""
        seen = []
        for view in random.sample(VIEWS, 2):
            text, tag = self.get(view)
            editions = self.tags.learn(tag, editions_in(text))
            seen.append((tag, editions))
        (first, before), (second, after) = seen
        assert first != second or before == after, seen
        text, tag = self.get(random.choice(VIEWS), second)
        assert bool(text) == (tag != second), (tag, second)
        later = self.tags.learn(tag, editions_in(text))
        _, tag = self.get(HOST)
        last = self.tags.learn(tag, set())
        for one, other in ((before, after), (after, later), (later, last or later)):
            assert len(one) == len(other) == 1, seen
            assert int(min(one)) <= int(min(other)), (seen, later, last)
        return before

    def doctor(self):
        """The editions that the findings of one run are of."""
        result = self.ask({"jsonrpc": "2.0", "id": 1, "method": "resources/read",
                           "params": {"uri": "trails://doctor"}})["result"]
        checks = json.loads(result["contents"][0]["text"])["checks"]
        said = "\n".join(check["message"] for check in checks)
        editions = set(re.findall(r"(?:^dotted\.|^union|biggest, big)(\d+)", said, re.M))
        types = int(re.search(r"^(\d+) node types", said, re.M)[1])
        assert len(editions) != 1 or types == 1 + int(min(editions)) % 3, said
        return editions


class Reload(unittest.TestCase):
    def setUp(self):
        self.server = Server(TOML, APP % 0)
        self.tags = Tags()
        self.acknowledged = 0
        self.is_over = False
        self.wrong = []
        self.asked = 0

    def tearDown(self):
        self.is_over = True
        self.assertEqual(self.server.close(), 0)

    def check(self, ask):
        """One snapshot, and none of before the last that was acknowledged."""
        least = self.acknowledged
        editions = ask()
        self.asked += 1
        if len(editions) != 1 or int(min(editions)) < least:
            self.wrong.append((ask.__name__, least, editions))

    def ask_on(self):
        try:
            client = Client(self.server.port, self.tags)
            while not self.is_over:
                self.check(client.lists)
                self.check(client.views)
                self.check(client.doctor)
            client.connection.close()
        except Exception as error:  # the main thread fails with it
            self.wrong.append(repr(error))

    def reloaded(self):
        with open(self.server.log_path) as file:
            return file.read().count("the app was loaded again")

    def test_every_answer_is_of_one_snapshot(self):
        threads = [threading.Thread(target=self.ask_on) for _ in range(CLIENTS)]
        here = Client(self.server.port, self.tags)
        for thread in threads:
            thread.start()
        for edition in range(1, RELOADS + 1):
            self.server.write("next.lua", APP % edition)
            os.replace(os.path.join(self.server.folder, "next.lua"),
                       os.path.join(self.server.folder, "app.lua"))
            os.kill(self.server.process.pid, signal.SIGHUP)
            wait_for(lambda: self.reloaded() == edition)
            self.acknowledged = edition
            self.assertEqual(here.lists(), {str(edition)})
            self.assertEqual(here.views(), {str(edition)})
            self.assertEqual(here.doctor(), {str(edition)})
            self.assertEqual(self.wrong, [])
        self.is_over = True
        for thread in threads:
            thread.join()
        here.connection.close()
        self.assertEqual(self.wrong, [])
        self.assertGreater(self.asked, RELOADS)
        self.assertGreater(len(self.tags.editions), RELOADS)
        self.assertEqual({len(editions) for editions in self.tags.editions.values()} - {0}, {1})


if __name__ == "__main__":
    unittest.main()
