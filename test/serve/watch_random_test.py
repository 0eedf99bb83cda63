#!/usr/bin/env python3
"""The files of an app change, 1,000 times and in every way, while 32 clients work: no call
fails, each list is of one edition and of none before the last that was announced, what is
broken in between is noticed by nobody, each change is told once, and nothing leaks. What
is served is the sanitized program; nothing is timed."""
import http.client
import json
import os
import random
import re
import threading
import unittest

from server import META, Server, wait_for
from watch_test import WATCH, Stream

SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = int(os.environ.get("TRAILS_TEST_SEED", random.randrange(2**32)))
RELOADS = max(20, round(1000 * SCALE))
CLIENTS = 32

TOML = """
[project]
name = "watched"
[server]
threads = 2
"""
APP = """
local N = require "lib.edition"
for i = 1, 3 do
  capability("tool" .. i .. "_" .. N) { description = string.rep("long ", 100), run = print }
  prompt("prompt" .. i .. "_" .. N) { run = print }
  resource("own://" .. i .. "/" .. N) { name = "r", run = print }
end
capability "say" { description = "d", run = function(ctx) ctx:sleep(0.001) return "edition " .. N end }
"""
MODULE = "return %d\n"
LISTS = ("tools", "prompts", "resources")


class Client:
    """Of the stateless revision, or in a session; on a connection of its own."""

    def __init__(self, port, has_session):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self.meta = {} if has_session else META
        if has_session:
            self.ask("initialize", protocolVersion="2025-06-18", capabilities={},
                     clientInfo={"name": "test", "version": "1"})

    def ask(self, method, **params):
        headers = dict(self.headers)
        if self.meta:
            params["_meta"] = self.meta
            headers.update({"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method})
            if "name" in params:
                headers["Mcp-Name"] = params["name"]
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.connection.request("POST", "/mcp", json.dumps(body), headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        if method == "initialize":
            self.headers["Mcp-Session-Id"] = response.getheader("Mcp-Session-Id")
            self.headers["MCP-Protocol-Version"] = "2025-06-18"
        assert response.status == 200, (response.status, text)
        answer = json.loads(text[text.index("{"):text.rindex("}") + 1])
        assert "result" in answer, answer
        return json.dumps(answer["result"])

    def editions(self, name):
        """Those that one list is of; of a call, the one that it ran in."""
        if name == "say":
            return set(re.findall(r"edition (\d+)", self.ask("tools/call", name="say", arguments={})))
        found = re.findall(r'"(?:tool\d_|prompt\d_|own://\d/)(\d+)"', self.ask(f"{name}/list"))
        assert len(found) == 3, found
        return set(found)


class Reload(unittest.TestCase):
    def setUp(self):
        print(f"TRAILS_TEST_SEED={SEED}", flush=True)
        self.random = random.Random(SEED)
        self.acknowledged = 0
        self.is_over = False
        self.wrong = []
        self.asked = 0
        self.server = Server.__new__(Server)
        begin = Server.start
        Server.start = lambda *_: None
        self.server.__init__(TOML, APP)
        Server.start = begin
        os.mkdir(self.path("lib"))
        self.server.write("lib/edition.lua", MODULE % 0)
        self.server.start(WATCH, environment={"TRAILS_ACCESS_LOG": "false", "TRAILS_STORE": ":memory:"})

    def tearDown(self):
        self.is_over = True
        self.assertEqual(self.server.close(), 0)

    def path(self, name):
        return os.path.join(self.server.folder, name)

    def said(self, text):
        with open(self.server.log_path) as file:
            return file.read().count(text)

    def work(self, number):
        try:
            client = Client(self.server.port, number % 2)
            while not self.is_over:
                for name in (*LISTS, "say"):
                    least = self.acknowledged
                    editions = client.editions(name)
                    self.asked += 1
                    if len(editions) != 1 or int(min(editions)) < least:
                        self.wrong.append((name, least, editions))
            client.connection.close()
        except Exception as error:  # the main thread fails with it
            self.wrong.append(repr(error))

    # How a file is written. What is there meanwhile does not load. -------------

    def in_place(self, name, text):
        self.server.write(name, text)

    def in_pieces(self, name, text):
        with open(self.path(name), "w") as file:
            for part in (text[:3], text[3:6], text[6:]):  # each but the last is none
                file.write(part)
                file.flush()

    def by_rename(self, name, text):
        self.server.write("next~", text)
        os.replace(self.path("next~"), self.path(name))

    def as_vim_does(self, name, text):
        self.server.write("lib/.edition.lua.swp", "x")
        os.rename(self.path(name), self.path(name + "~"))
        self.server.write(name, text)
        os.remove(self.path(name + "~"))
        os.remove(self.path("lib/.edition.lua.swp"))

    def by_folder(self, name, text):
        os.makedirs(self.path("new"))
        with open(os.path.join(self.path("new"), os.path.basename(name)), "w") as file:
            file.write(text)
        os.rename(self.path("lib"), self.path("old"))
        os.rename(self.path("new"), self.path("lib"))
        os.remove(os.path.join(self.path("old"), os.path.basename(name)))
        os.rmdir(self.path("old"))

    def write(self, text):
        how = self.random.choice((self.in_place, self.in_pieces, self.by_rename, self.as_vim_does, self.by_folder))
        how("lib/edition.lua", text)

    def break_it(self):
        """Until that has been said. A load that saw a part of it may have failed too."""
        before = self.said("the app cannot be loaded again")
        self.write(self.random.choice(("return return\n", "error('no')\n", "return {}\n", "return nothing.at.all\n")))
        wait_for(lambda: self.said("the app cannot be loaded again") > before, 300)

    def test_nobody_notices_but_by_what_is_new(self):
        threads = [threading.Thread(target=self.work, args=(n,)) for n in range(CLIENTS)]
        here = Client(self.server.port, False)
        told = Stream(self.server)
        for thread in threads:
            thread.start()
        for edition in range(1, RELOADS + 1):
            if edition % 5 == 0:
                self.break_it()
                self.assertEqual(here.editions("say"), {str(edition - 1)})
            self.write(MODULE % edition)
            wait_for(lambda: here.editions("tools") == {str(edition)}, 300)
            self.acknowledged = edition
            for name in LISTS:
                self.assertEqual(here.editions(name), {str(edition)})
            self.assertEqual(sorted(told.hear() for _ in LISTS), sorted(LISTS))
            self.assertEqual(self.wrong, [])
        self.is_over = True
        for thread in threads:
            thread.join()
        here.connection.close()
        told.close()
        self.assertEqual(self.wrong, [])
        self.assertGreater(self.asked, CLIENTS)
        self.assertEqual(self.said("the app was loaded again"), RELOADS)


if __name__ == "__main__":
    unittest.main()
