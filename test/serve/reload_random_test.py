#!/usr/bin/env python3
"""While the app is loaded again and again, a batch of lists and a run of the doctor see
one snapshot each, on every loop; and once a reload is acknowledged, by its line in the
log, everything that is asked after it sees the new one. Nothing is timed."""
import http.client
import json
import os
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
LISTS = [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
         {"jsonrpc": "2.0", "id": 2, "method": "resources/list"}] * 4


class Client:
    """A session of 2025-03-26 on a connection of its own."""

    def __init__(self, port):
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
            client = Client(self.server.port)
            while not self.is_over:
                self.check(client.lists)
                self.check(client.doctor)
            client.connection.close()
        except Exception as error:  # the main thread fails with it
            self.wrong.append(repr(error))

    def reloaded(self):
        with open(self.server.log_path) as file:
            return file.read().count("the app was loaded again")

    def test_every_answer_is_of_one_snapshot(self):
        threads = [threading.Thread(target=self.ask_on) for _ in range(CLIENTS)]
        here = Client(self.server.port)
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
            self.assertEqual(here.doctor(), {str(edition)})
            self.assertEqual(self.wrong, [])
        self.is_over = True
        for thread in threads:
            thread.join()
        here.connection.close()
        self.assertEqual(self.wrong, [])
        self.assertGreater(self.asked, RELOADS)


if __name__ == "__main__":
    unittest.main()
