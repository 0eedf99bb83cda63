#!/usr/bin/env python3
"""trails.toml, changed while an app is served: each setting that the table calls live has
its effect with the next call, and loses it with the line; all others are named, once, and
by the doctor. `src/config/renew_test.c` has a row for each setting of either kind."""
import http.server
import json
import os
import signal
import threading
import unittest

from access_test import bearer, create, trails
from server import Server, message, read_until, request, wait_for

WATCH = ("--http", "127.0.0.1:0", "--watch")
TOML = '[project]\nname = "watched"\n'
APP = """
node_type "Go" { fields = { name = text }, tools = { "create" } }
capability "dotted.name" { description = "d", side_effects = {}, run = function() return "named" end }
capability "fail" { description = "d", side_effects = {}, run = function(ctx) ctx:fail("not_found", "no") end }
capability "long" { description = "d", side_effects = {}, run = function() return string.rep("x", 5000) end }
capability "grow" { description = "d", side_effects = {}, run = function() return #string.rep("x", 400000) .. "" end }
capability "spin" { description = "d", side_effects = {}, run = function()
  for i = 1, 100000 do local _ = i end return "spun" end }
capability "busy" { description = "d", side_effects = {}, run = function() while true do end end }
capability "sleep" { description = "d", side_effects = {}, run = function(ctx) ctx:sleep(600) end }
capability "count" { description = "d", input = { name = text { optional = true } }, run = function(ctx, args)
  local n = ctx.kg:next "c"
  ctx:progress(1)
  while args.name and not ctx.kg:exists("Go", { name = args.name }) do ctx:sleep(0.01) end
  return "counted" end }
capability "get" { description = "d", side_effects = { external_calls = { "http://127.0.0.1:%(port)d/" } },
  input = { timeout_s = integer { optional = true }, max_bytes = integer { optional = true } },
  run = function(ctx, args)
    local reply = ctx:fetch { url = "http://127.0.0.1:%(port)d/", timeout_s = args.timeout_s, max_bytes = args.max_bytes }
    return reply.body end }
"""


class Host(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"here")

    def log_message(self, *_):
        pass


class Settings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.host = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Host)
        threading.Thread(target=cls.host.serve_forever, daemon=True).start()
        cls.port = cls.host.server_address[1]

    @classmethod
    def tearDownClass(cls):
        cls.host.shutdown()
        cls.host.server_close()

    def serve(self, toml=TOML, **environment):
        server = Server(toml, APP % {"port": self.port}, WATCH, environment=environment)
        self.addCleanup(lambda: self.assertEqual(server.close(), 0))
        return server

    def reloads(self, server, result="ok", token=None):
        _, _, text = server.ask(request("", "/metrics", "GET", **bearer(token)))
        return next(int(line.split()[-1]) for line in text.splitlines()
                    if line.startswith(f'trails_reloads_total{{result="{result}"}}'))

    def set(self, server, toml, token=None):
        """Writes the settings, and waits until they are there."""
        before = self.reloads(server, token=token)
        server.write("trails.toml", toml)
        wait_for(lambda: self.reloads(server, token=token) == before + 1)

    # What shows that a setting has its effect: a text of what is said. ---------

    def call(self, server, tool, **arguments):
        return json.dumps(server.call(tool, **arguments)[1])

    def ask(self, server, method):
        return server.ask(request(message(method)))[2]

    def race(self, server):
        """A call that others are faster than, once."""
        name = f"race-{len(server.peers)}"
        with server.connect() as peer:
            peer.sendall(request(message("tools/call", {"progressToken": "p"}, name="count", arguments={"name": name}),
                                 Accept="application/json, text/event-stream"))
            read_until(peer, b"notifications/progress")
            self.assertIn("counted", self.call(server, "count"))
            self.assertIn(name, self.call(server, "create_go", name=name))
            return read_until(peer, b"\r\n0\r\n\r\n").decode()

    def log_form(self, server):
        with open(server.log_path) as file:
            return "json" if file.read().splitlines()[-1].startswith("{") else "text"

    def loads_said(self, server):
        with open(server.log_path) as file:
            return str(file.read().count("the app was loaded again"))

    # Of each live setting: another value, what shows it, and a part of what that
    # says with it, and without; None: it would take too long to say.
    EFFECTS = {
        "mcp.tool_names": ("'portable'", lambda t, s: t.ask(s, "tools/list"), '"dotted_name"', '"dotted.name"'),
        "mcp.errors": ("'tool'", lambda t, s: t.call(s, "fail"), '"isError": true', '"error": {'),
        "mcp.max_result_bytes": ("1000", lambda t, s: t.call(s, "long"), "[cut: ", "x" * 5000 + '"'),
        "mcp.result_meta": ("false", lambda t, s: t.call(s, "long") + "end", "x\"}]", "dev.trails/provenance"),
        "mcp.instructions": ("'Be kind.'", lambda t, s: t.ask(s, "server/discover"), "Be kind.", None),
        "mcp.call_timeout_s": ("1", lambda t, s: t.call(s, "sleep"), '"timeout"', None),
        "lua.instructions": ("10000", lambda t, s: t.call(s, "spin"), "instruction", "spun"),
        "lua.call_seconds": ("1", lambda t, s: t.call(s, "busy"), '"error"', None),
        "lua.call_bytes": ("65536", lambda t, s: t.call(s, "grow"), "memory", "400000"),
        "budget.capability": ("['long 0 calls/day']", lambda t, s: t.call(s, "long"), '"budget"', "xxx"),
        "budget.principal_capability": ("['long 0 calls/day']", lambda t, s: t.call(s, "long"), '"budget"', "xxx"),
        "budget.principal": ("['* 0 calls/day']", lambda t, s: t.call(s, "long"), '"budget"', "xxx"),
        "runtime.retries": ("0", lambda t, s: t.race(s), '"error"', '"text":"counted"'),
        "log.level": ("'error'", None, None, None),
        "log.format": ("'text'", lambda t, s: t.log_form(s), "text", "json"),
        "fetch.allow": (None, lambda t, s: t.call(s, "get"), "here", "[fetch] allow"),
        "fetch.timeout_s": ("1", lambda t, s: t.call(s, "get", timeout_s=5), "at most 1 s", "here"),
        "fetch.max_bytes": ("1024", lambda t, s: t.call(s, "get", max_bytes=5000), "at most 1024", "here"),
    }

    def live(self, server):
        code, out, _ = trails("config", "list", "--json", server.folder)
        self.assertEqual(code, 0)
        return {row["name"] for row in json.loads(out) if row.get("live")}

    def test_each_setting_that_is_live_has_its_effect_and_loses_it(self):
        server = self.serve()
        self.assertEqual(set(self.EFFECTS), self.live(server))
        allow = f"['http://127.0.0.1:{self.port}']"
        for name, (value, show, with_it, without) in self.EFFECTS.items():
            section, key = name.split(".")
            base = TOML
            if section == "fetch" and key != "allow":
                base += f"[fetch]\nallow = {allow}\n"
            changed = (base if f"[{section}]" in base else base + f"[{section}]\n") + f"{key} = {value or allow}\n"
            if show is None:
                continue
            with self.subTest(name):
                self.set(server, base + f"# before {name}\n")
                if without:
                    self.assertIn(without, show(self, server))
                self.set(server, changed)
                said = show(self, server)
                self.assertIn(with_it, said)
                self.assertNotIn(without or "\0", said)
                self.set(server, base + f"# after {name}\n")
                if without:
                    self.assertIn(without, show(self, server))

    def test_the_level_of_the_log(self):
        server = self.serve()
        self.set(server, TOML + "[log]\nlevel = 'error'\n")
        self.assertEqual(self.loads_said(server), "0")
        self.set(server, TOML)
        self.assertEqual(self.loads_said(server), "1")

    def test_an_address_in_a_setting_of_the_app_may_be_asked_at_once(self):
        server = self.serve()
        path = os.path.join(server.folder, "app.lua")
        with open(path) as file:
            source = file.read()
        self.assertIn("[fetch] allow", self.call(server, "get"))
        server.write("trails.toml", TOML + f"[app]\nhost = 'http://127.0.0.1:{self.port}/v1'\n")
        wait_for(lambda: any("cannot be loaded" in line["msg"] for line in server.log()))
        server.write("app.lua", 'setting "host" (text)\n' + source)
        wait_for(lambda: self.reloads(server) == 1)
        self.assertIn("here", self.call(server, "get"))

    # What waits for the next start. -------------------------------------------

    OTHERS = """
[project]
name = "watched"
title = "Other"
env = "test"
[server]
http = "127.0.0.1:1"
threads = 1
[store]
path = "elsewhere"
[auth]
audience = "me"
[secrets]
KEY = "hidden-in-a-file"
"""
    NAMES = ("secrets, project.env, project.title, server.http, server.threads, store.path, auth.audience")

    def waiting(self, server):
        return [line["settings"] for line in server.log() if "hold from the next start" in line["msg"]]

    def doctor(self, server, token):
        status, _, text = server.ask(request(message("resources/read", uri="trails://doctor"), **bearer(token)))
        self.assertEqual(status, 200, text)
        checks = json.loads(json.loads(text)["result"]["contents"][0]["text"])["checks"]
        return next(check for check in checks if check["id"] == "config.parse")

    def test_what_cannot_change_is_named_once_and_by_the_doctor(self):
        server = self.serve(TRAILS_MCP_SCOPES="runtime,builder")
        token = create(server.folder, "--scope", "runtime,builder")["token"]
        self.assertEqual(self.doctor(server, token)["status"], "ok")
        self.set(server, self.OTHERS, token)
        wait_for(lambda: self.waiting(server) == [self.NAMES])
        found = self.doctor(server, token)
        self.assertEqual((found["status"], found["message"]), ("warn", self.NAMES + ": changed, but not in effect"))
        self.set(server, self.OTHERS + "# another line\n", token)
        self.assertEqual(self.waiting(server), [self.NAMES])
        self.set(server, TOML, token)
        self.assertEqual(self.doctor(server, token)["status"], "ok")
        self.set(server, TOML + "[server]\nthreads = 3\n", token)
        wait_for(lambda: self.waiting(server) == [self.NAMES, "server.threads"])
        with open(server.log_path) as log:
            self.assertNotIn("hidden-in-a-file", log.read())

    def test_what_breaks_leaves_the_settings_of_before(self):
        server = self.serve(TOML + "[mcp]\ninstructions = 'First.'\n")
        for wrong in ("[mcp", "[mcp]\ninstructions = 5\n", "[mcp]\ninstructions = 'New.'\n[budget]\ncapability = ['no 1 calls/day']\n"):
            before = self.reloads(server, "failed")
            server.write("trails.toml", wrong)
            wait_for(lambda: self.reloads(server, "failed") == before + 1)
            self.assertIn("First.", self.ask(server, "server/discover"))
        self.set(server, "[mcp]\ninstructions = 'Second.'\n")
        self.assertIn("Second.", self.ask(server, "server/discover"))

    def test_a_signal_reads_them_too(self):
        server = self.serve()
        with open(os.path.join(server.folder, "trails.toml"), "a") as file:
            file.write("[mcp]\ninstructions = 'Asked for.'\n")
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "Asked for." in self.ask(server, "server/discover"))


if __name__ == "__main__":
    unittest.main()
