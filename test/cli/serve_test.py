#!/usr/bin/env python3
"""An app from `trails new` to a running server: what a person sees, and what
happens when something goes wrong. Drives the sanitized binary, and checks every
message that it sends: a server whose message is wrong ends with an error."""
import http.client
import json
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
WIRE_CHECK = os.path.join(ROOT, "build", "debug", "tools", "wire_check")
TAP = [sys.executable, "-B", os.path.join(ROOT, "test", "tools", "tap.py")]

SLOW = '''
capability "wait" {
  description = "Waits.",
  input = { seconds = number },
  run = function(ctx, args) ctx:sleep(args.seconds) return "waited" end,
}
'''


def run(*arguments, stdin=None):
    tap = TAP if arguments[0] == "serve" else []
    done = subprocess.run([*tap, TRAILS, *arguments], input=stdin, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    return done.returncode, done.stdout, done.stderr


def message(method, **params):
    return {"jsonrpc": "2.0", "id": 1, "method": method,
            "params": {**params, "_meta": META}}


class Server:
    """A server on a port of its own, or on a Unix socket."""

    def __init__(self, folder, *options):
        self.process = subprocess.Popen(
            [*TAP, TRAILS, "serve", folder, *(options or ("--http", "127.0.0.1:0"))],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TRAILS_ACCESS_LOG": "false"})
        self.line = self.process.stdout.readline()
        found = re.match(r"listening on http://127\.0\.0\.1:(\d+)/mcp$",
                         self.line)
        self.port = int(found[1]) if found else None
        self.ended = None

    def post(self, body, timeout=30):
        connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                timeout=timeout)
        headers = {"Content-Type": "application/json",
                   "MCP-Protocol-Version": "2026-07-28",
                   "Mcp-Method": body["method"]}
        if "name" in body["params"]:
            headers["Mcp-Name"] = body["params"]["name"]
        connection.request("POST", "/mcp", json.dumps(body), headers)
        response = connection.getresponse()
        text = response.read().decode()
        connection.close()
        return response.status, json.loads(text)

    def tools(self):
        """Those of the app."""
        return [tool["name"] for tool in
                self.post(message("tools/list"))[1]["result"]["tools"]
                if not tool["name"].startswith("trails_meta_")]

    def stop(self):
        """The exit code, and what is left on standard error."""
        if self.ended is None:
            self.process.terminate()
            code = self.process.wait(30)
            self.ended = code, self.process.stderr.read()
            self.process.stdout.close()
            self.process.stderr.close()
        return self.ended


class App(unittest.TestCase):
    def setUp(self):
        self.parent = tempfile.TemporaryDirectory()
        self.addCleanup(self.parent.cleanup)
        self.folder = os.path.join(self.parent.name, "greeter")
        self.assertEqual(run("new", self.folder)[0], 0)

    def write(self, text):
        with open(os.path.join(self.folder, "app.lua"), "w") as file:
            file.write(text)

    def serve(self, *options):
        server = Server(self.folder, *options)
        self.addCleanup(lambda: self.assertEqual(server.stop()[0], 0))
        return server


class New(App):
    def test_a_new_app_loads_and_can_be_called(self):
        code, out, err = run("check", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("greet", out)
        code, out, err = run("call", "greet", "--app", self.folder, "--json",
                             '{"name": "Ada"}')
        self.assertEqual((code, err), (0, ""))
        self.assertIn("Ada", out)

    def test_each_kind_is_an_app_of_its_own(self):
        for kind, tool in (("", "find_person"), ("types", "find_book"), ("api", "find_city")):
            with self.subTest(kind):
                folder = os.path.join(self.parent.name, "my " + kind)
                self.assertEqual(run("new", folder, *(("--with", kind) if kind else ()))[0], 0)
                code, out, err = run("check", folder)
                self.assertEqual((code, err), (0, ""))
                self.assertNotIn("warning", out)
                with open(os.path.join(folder, "README.md")) as file:
                    self.assertEqual(len(file.read().splitlines()), 10)
                self.assertEqual(os.stat(os.path.join(folder, "trails.toml")).st_mode & 0o777, 0o600)
                self.assertEqual(run("seed", "--app", folder)[0], 0)
                code, out, err = run("call", tool, "--app", folder)
                self.assertEqual((code, err), (0, ""))
                self.assertGreaterEqual(len(json.loads(out)["items"]), 2, "the seed")
                code, out, err = run("mcp", "test", folder)
                self.assertEqual((code, err), (0, ""))
                self.assertNotIn("FAIL", out)
                self.check_files("apps/hello" + ("-" + kind if kind else ""), folder)

    def check_files(self, source, folder):
        """What it has written is the folder of the source; but for the name."""
        source = os.path.join(ROOT, source)
        count = 0
        for where, _, names in os.walk(source):
            if os.path.basename(where) == "data":
                continue
            for name in names:
                path = os.path.join(where, name)
                with open(path) as one, open(os.path.join(folder, os.path.relpath(path, source))) as two:
                    self.assertEqual(two.read().split("\n[project]\n")[0], one.read(), path)
                count += 1
        self.assertGreaterEqual(count, 5)

    def test_another_kind_is_refused(self):
        folder = os.path.join(self.parent.name, "other")
        for kind, more in (("records", ", which is not there yet"), ("", ""), ("tyeps", "")):
            code, out, err = run("new", folder, "--with", kind)
            self.assertEqual((code, out), (2, ""))
            self.assertEqual(err, f"trails: --with is types or api, not '{kind}'{more}\n")
            self.assertFalse(os.path.exists(folder))
        self.assertNotIn("records", run("help", "new")[1])

    def test_a_folder_that_is_not_empty_is_left_alone(self):
        code, out, err = run("new", self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, f"trails: cannot make {self.folder}: "
                              "it is not empty\n")

    def test_client_report_of_a_broken_app(self):
        self.write("this is not Lua")
        code, out, err = run("mcp", "test", self.folder)
        self.assertEqual(code, 1)
        self.assertRegex(out, r"^FAIL server/discover +the server ")
        self.assertRegex(err, r"app\.lua:1: ")

    def test_client_report(self):
        code, out, err = run("mcp", "test", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"ok +tools/list +\d+ tools")
        self.assertNotIn("FAIL", out)
        self.assertNotIn("jsonrpc", out)

    def test_client_report_shows_messages_and_they_are_valid(self):
        code, out, err = run("mcp", "test", "--messages", self.folder)
        self.assertEqual((code, err), (0, ""))
        asked = re.findall(r"^> (.*)$", out, re.MULTILINE)
        answered = re.findall(r"^< (.*)$", out, re.MULTILINE)
        self.assertEqual(len(asked), out.count("ok  "))
        self.assertEqual(len(answered), len(asked))
        lines = [line for pair in zip(asked, answered)
                 for line in (f"test >> {pair[0]}", f"test < {pair[1]}")]
        judged = subprocess.run([WIRE_CHECK], cwd=ROOT, text=True,
                                input="".join(line + "\n" for line in lines),
                                stdout=subprocess.PIPE)
        if judged.returncode == 77:
            self.skipTest("TRAILS_SUITES has no mcp-schema: nothing is checked")
        self.assertEqual((judged.returncode, judged.stdout),
                         (0, f"{len(lines)} checked, 0 wrong\n"))


class Check(App):
    def test_what_hosts_refuse_is_found(self):
        self.write("""
        capability "a.b" {
          side_effects = {},
          description = "Has a dot, and a schema that some hosts refuse.",
          input_schema = [[{"type": "object", "anyOf": [{"required": ["x"]}]}]],
          run = function() end,
        }
        """)
        with open(os.path.join(self.folder, "trails.toml"), "w") as file:
            file.write("")
        code, out, err = run("check", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.count("warning: ") + out.count("error: "), 2, out)
        findings = json.loads(run("check", "--json", self.folder)[1])["findings"]
        self.assertEqual([f["capability"] for f in findings], ["a.b", "a.b"])

    def test_types_are_counted_and_files_of_shapes_are_read(self):
        self.write("""
        node_type "B" { fields = { a = ref "A" } }
        node_type "A" { fields = {} }
        shape_file "shapes/more.ttl"
        """)
        code, out, err = run("check", self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("app.lua:4: shape_file 'shapes/more.ttl': cannot open",
                      err)
        os.mkdir(os.path.join(self.folder, "shapes"))
        with open(os.path.join(self.folder, "shapes", "more.ttl"), "w") as file:
            file.write("<#S> <http://www.w3.org/ns/shacl#targetClass> <C> .")
        code, out, err = run("check", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, "ok: 0 capabilities, 0 resources, 0 templates, "
                              "0 prompts, 2 types\n")
        found = json.loads(run("check", "--json", self.folder)[1])
        self.assertEqual(found["types"], ["B", "A"])

    def test_terms_of_shapes_that_nothing_checks_are_warned_of(self):
        self.write('shape_file "more.ttl"')
        with open(os.path.join(self.folder, "more.ttl"), "w") as file:
            file.write("<#S> <http://www.w3.org/ns/shacl#targetClas> <C> .")
        words = ("sh:targetClas is no term of SHACL: nothing checks it; did "
                 "you mean sh:targetClass?")
        code, out, err = run("check", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(f"warning: {words}\n", out)
        warnings = json.loads(run("check", "--json", self.folder)[1])["warnings"]
        self.assertIn({"id": "shapes.unknown_term", "message": words}, warnings)

    def test_a_project_has_no_name_that_is_taken(self):
        with open(os.path.join(self.folder, "trails.toml"), "w") as file:
            file.write('[project]\nname = "kg"\n')
        code, out, err = run("check", self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("trails.toml:2:9: project.name must not be a name that "
                      "every server has", err)

    def test_a_budget_is_about_something(self):
        for line, why in (
            ("capability = ['nobody 1 calls/hour']",
             "trails.toml: budget.capability is about 'nobody', but there is "
             "no such capability"),
            ("principal_capability = ['nobody 1 calls/hour']",
             "trails.toml: budget.principal_capability is about 'nobody', "
             "but there is no such capability"),
            ("principal = ['* many calls/hour']",
             "trails.toml:2:15: budget.principal must have an amount"),
        ):
            with open(os.path.join(self.folder, "trails.toml"), "w") as file:
                file.write(f"[budget]\n{line}\n")
            code, out, err = run("check", self.folder)
            self.assertEqual((code, out), (1, ""))
            self.assertIn(why, err)
        with open(os.path.join(self.folder, "trails.toml"), "w") as file:
            file.write("[budget]\ncapability = ['greet 1 calls/hour', "
                       "'* 2 usd/day']\nprincipal = ['x 1 tokens/day']\n")
        self.assertEqual(run("check", self.folder)[0], 0)


class Call(App):
    def test_what_is_wrong_is_said(self):
        rows = [
            (["greet"], 1, "trails: validation failed on 1 field(s)\n"
                           "    name is required\n"),
            (["greet", "--json", '{"nam": 1}'], 1,
             "    nam is not a field; did you mean name\n"),
            (["greet", '{"name": "x"}'], 2, "; see 'trails help call'"),
            (["gret"], 2, "no capability 'gret', did you mean 'greet'?"),
            (["greet", "--json", "[]"], 2, "--json must be an object"),
            (["greet", "--json", "{"], 1, "--json:1:2: "),
        ]
        for arguments, expected, text in rows:
            with self.subTest(arguments):
                code, out, err = run("call", "--app", self.folder, *arguments)
                self.assertEqual((code, out), (expected, ""))
                self.assertIn(text, err)

    def test_a_call_is_from_a_local_user_who_may_do_anything(self):
        self.write("""
        policy "who" { run = function(_, call) return false, call.principal end }
        capability "ask" { description = "d", policy_required = { "who" },
          run = function() return "no" end }
        capability "dig" { description = "d", scope = "dev",
          run = function() return "dug" end }
        """)
        user = pwd.getpwuid(os.geteuid()).pw_name
        code, out, err = run("call", "ask", "--app", self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertIn(f"policy 'who' denies it: local:{user}", err)
        production = {**os.environ, "TRAILS_ENV": "production"}
        done = subprocess.run([TRAILS, "call", "dig", "--app", self.folder],
                              env=production, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "dug\n"))

    def test_a_result_that_cannot_be_printed_is_an_error(self):
        self.write("""
        capability "large" { description = "d", run = function()
          local t = {}
          for i = 1, 300 do t[i] = ("x"):rep(60000) .. i end
          return t
        end }
        capability "small" { description = "d", run = function()
          return "a\\0b" end }
        """)
        code, out, err = run("call", "large", "--app", self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, "trails: output: more than 16777216 bytes\n")
        self.assertEqual(run("call", "small", "--app", self.folder),
                         (0, "a\0b\n", ""))
        with open("/dev/full", "w") as full:
            done = subprocess.run([TRAILS, "call", "small", "--app",
                                   self.folder], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to standard output", done.stderr)

    def test_what_an_app_prints_is_logged_and_if_long_its_start(self):
        self.write("""
        capability "loud" { description = "d", run = function()
          print("a", 1, null) print(("é"):rep(9000)) end }
        """)
        code, out, err = run("call", "loud", "--app", self.folder)
        first, second = [json.loads(line) for line in err.splitlines()]
        self.assertEqual((code, first["text"]), (0, "a\t1\tnull"))
        self.assertEqual(second["text"], "é" * 2048)

    def test_a_broken_app_is_named_with_its_line(self):
        for command in (["check"], ["serve", "--stdio"], ["call", "x", "--app"]):
            with self.subTest(command):
                self.write("\n\ncapability 'x' {\n")
                code, out, err = run(*command, self.folder)
                self.assertEqual((code, out), (1, ""))
                self.assertRegex(err, r"^trails: \S*app\.lua:\d+: ")

    def test_an_app_that_is_not_there(self):
        parent = self.parent.name
        self.assertEqual(
            run("check", parent),
            (1, "", f"trails: there is no {parent}/app.lua; "
                    "'trails new FOLDER' makes an app\n"))
        self.assertEqual(
            run("check", f"{parent}/gone"),
            (1, "", f"trails: there is no folder '{parent}/gone'\n"))


class Serve(App):
    def test_it_listens_answers_and_ends(self):
        server = self.serve()
        self.assertRegex(server.line, r"^listening on http://127\.0\.0\.1:\d+/mcp$")
        status, answer = server.post(
            message("tools/call", name="greet", arguments={"name": "Ada"}))
        self.assertEqual(status, 200)
        self.assertIn("Ada", answer["result"]["content"][0]["text"])
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for path in ("/health", "/ready"):
            connection.request("GET", path)
            response = connection.getresponse()
            self.assertEqual(response.status, 200)
            self.assertEqual(json.loads(response.read())["status"], "ok")
        connection.close()
        self.assertEqual(server.stop(), (0, ""))

    def test_hup_loads_the_app_again(self):
        server = self.serve()
        self.assertIn("greet", server.tools())
        self.write(SLOW)
        server.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: server.tools() == ["wait"])

    def test_a_broken_reload_leaves_the_old_app_serving(self):
        server = self.serve()
        before = server.tools()
        self.write("this is not Lua")
        server.process.send_signal(signal.SIGHUP)
        line = json.loads(server.process.stderr.readline())
        self.assertEqual(set(line), {"time", "level", "msg", "error"})
        self.assertEqual(line["level"], "error")
        self.assertRegex(line["error"], r"app\.lua:1: ")
        self.assertEqual(server.tools(), before)
        os.remove(os.path.join(self.folder, "app.lua"))
        server.process.send_signal(signal.SIGHUP)
        line = json.loads(server.process.stderr.readline())
        self.assertRegex(line["error"], r"there is no .*app\.lua")
        self.assertEqual(server.tools(), before)
        self.assertEqual(server.stop()[0], 0)

    def test_term_ends_calls_that_still_run(self):
        self.write(SLOW)
        server = self.serve()
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            body = json.dumps(message("tools/call", name="wait",
                                      arguments={"seconds": 60}))
            peer.sendall((f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                          "Content-Type: application/json\r\n"
                          "MCP-Protocol-Version: 2026-07-28\r\n"
                          "Mcp-Method: tools/call\r\nMcp-Name: wait\r\n"
                          f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
            self.wait_for(lambda: server.tools() == ["wait"])
            self.assertEqual(server.stop(), (0, ""))

    def test_a_handler_that_spins_holds_nobody_up(self):
        self.write("""
        capability "spin" {
          description = "Spins.",
          run = function() while true do end end,
        }
        capability "backtrack" {
          description = "Matches a pattern that takes for ever.",
          run = function()
            return tostring(("a"):rep(30):find((".-"):rep(30) .. "b"))
          end,
        }
        capability "quick" {
          description = "Is quick.",
          run = function() return "quick" end,
        }
        """)
        server = self.serve()
        for name, reason in (("spin", "instructions"), ("backtrack", None)):
            with self.subTest(name), ThreadPoolExecutor(1) as pool:
                slow = pool.submit(server.post, message("tools/call", name=name))
                quick = 0
                while not slow.done() or quick == 0:
                    _, answer = server.post(message("tools/call", name="quick"))
                    self.assertEqual(
                        answer["result"]["content"][0]["text"], "quick")
                    quick += 1
                # A new app has errors = "tool".
                result = slow.result()[1]["result"]
                self.assertIs(result["isError"], True)
                data = json.loads(result["content"][1]["text"])
                self.assertRegex(data["trace_id"], "^[0-9a-f]{32}$")
                if reason:
                    self.assertEqual(data["reason"], reason)

    def test_pages_from_elsewhere_are_refused_everywhere(self):
        server = self.serve()
        for path in ("/mcp", "/health", "/nowhere"):
            for headers in ({"Origin": "http://evil.example"},
                            {"Host": "evil.example"}):
                with self.subTest(path=path, headers=headers):
                    connection = http.client.HTTPConnection("127.0.0.1",
                                                            server.port)
                    connection.request("GET", path, headers=headers)
                    self.assertEqual(connection.getresponse().status, 403)
                    connection.close()

    def test_long_lists_come_in_pages(self):
        self.write("""
        for i = 1, 250 do
          capability(("tool_%03d"):format(i)) {
            description = "One of many.", run = function() end }
        end
        """)
        server = self.serve()
        names, cursor = [], {}
        while cursor is not None:
            result = server.post(message("tools/list", **cursor))[1]["result"]
            names += [tool["name"] for tool in result["tools"]]
            cursor = ({"cursor": result["nextCursor"]}
                      if "nextCursor" in result else None)
        self.assertEqual(names, [f"tool_{i:03}" for i in range(1, 251)]
                         + ["trails_meta_ping"])
        first = server.post(message("tools/list"))[1]["result"]["nextCursor"]
        for wrong in (first[:-1], first[::-1], ""):
            error = server.post(message("tools/list", cursor=wrong))[1]["error"]
            self.assertEqual(error["code"], -32602)

    def test_listen_streams_end_with_their_answer(self):
        server = self.serve()
        body = json.dumps(message("subscriptions/listen",
                                  notifications={"toolsListChanged": True}))
        with socket.create_connection(("127.0.0.1", server.port)) as peer:
            peer.sendall((f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                          "Content-Type: application/json\r\n"
                          "MCP-Protocol-Version: 2026-07-28\r\n"
                          "Mcp-Method: subscriptions/listen\r\n"
                          f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
            text = b""
            while b"acknowledged" not in text:
                text += peer.recv(4096)
            self.write('capability "one_more" '
                       '{ description = "More.", run = function() end }')
            server.process.send_signal(signal.SIGHUP)
            while b"tools/list_changed" not in text:
                text += peer.recv(4096)
            server.process.terminate()
            while more := peer.recv(4096):
                text += more
        events = [json.loads(line[6:]) for line in text.decode().splitlines()
                  if line.startswith("data: ")]
        self.assertEqual(events[-1]["id"], 1)
        self.assertEqual(events[-1]["result"]["resultType"], "complete")
        self.assertEqual(server.process.wait(30), 0)

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            code, out, err = run("serve", self.folder, "--port", str(port))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("Address already in use", err)

    def test_addresses_are_told_as_one_can_open_them(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        for address, host in ((str(port), "127.0.0.1"),
                              (f":{port}", "127.0.0.1"),
                              ("localhost:0", "127.0.0.1"),
                              ("127.1.2.3:0", "127.1.2.3"),
                              ("[::1]:0", "[::1]")):
            with self.subTest(address):
                server = subprocess.Popen(
                    [TRAILS, "serve", self.folder, "--http", address],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL, text=True)
                self.addCleanup(server.kill)
                url = server.stdout.readline().removeprefix("listening on ")
                self.assertRegex(url, f"^http://{re.escape(host)}:[0-9]+/mcp\n$")
                if not address.endswith(":0"):
                    self.assertEqual(url, f"http://127.0.0.1:{port}/mcp\n")
                health = url.strip().replace("/mcp", "/health")
                with urllib.request.urlopen(health, timeout=60) as response:
                    self.assertEqual(response.status, 200)
                server.terminate()
                self.assertEqual(server.wait(60), 0)
                server.stdout.close()

    def test_addresses_that_are_none_are_told_why(self):
        rows = [("127.0.0.1:80900", "'80900' is not a port: 0 to 65535"),
                ("80900", "'80900' is not a port: 0 to 65535"),
                ("127.0.0.1:http", "'http' is not a port: 0 to 65535"),
                ("[::1]", "'[::1]' has no port: write it as 127.0.0.1:8000"),
                ("", "'' has no port: write it as 127.0.0.1:8000"),
                ("::1:80", "'::1' is not an IP address; IPv6 stands in brackets")]
        for address, why in rows:
            with self.subTest(address):
                self.assertEqual(run("serve", self.folder, "--http", address),
                                 (2, "", f"trails: --http: {why}\n"))
        with open(os.path.join(self.folder, "trails.toml"), "w") as file:
            file.write('[server]\nhttp = "example.com:80"\n')
        self.assertEqual(
            run("serve", self.folder, "--transport", "sse"),
            (2, "", "trails: server.http: 'example.com' is not an IP address; "
                    "IPv6 stands in brackets\n"))

    def test_hup_before_the_app_is_up_does_nothing(self):
        """The app says that it is being loaded, and then takes its time."""
        self.write("""
        print("loading")
        for i = 1, 3000000 do local _ = tostring(i) end
        """ + SLOW)
        for options in (("--http", "127.0.0.1:0"), ("--stdio",)):
            with self.subTest(options):
                server = subprocess.Popen(
                    [TRAILS, "serve", self.folder, *options], text=True,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
                self.addCleanup(server.kill)
                said = json.loads(server.stderr.readline())
                self.assertEqual(said["text"], "loading")
                server.send_signal(signal.SIGHUP)
                if "--stdio" not in options:
                    self.assertRegex(server.stdout.readline(), "^listening on ")
                    server.terminate()
                out, err = server.communicate(timeout=60)
                self.assertEqual((server.returncode, out, err), (0, "", ""))

    def test_options_that_contradict_each_other(self):
        rows = [(["--stdio", "--port", "1"],
                 "choose one of --stdio, --http and --unix"),
                (["--port", "70000"], "'70000' is not a port: 0 to 65535"),
                (["--transport", "carrier"],
                 "unknown transport 'carrier': stdio or sse")]
        for options, text in rows:
            with self.subTest(options):
                self.assertEqual(run("serve", self.folder, *options),
                                 (2, "", f"trails: {text}\n"))

    def test_initialize_begins_a_session_on_whatever_loop(self):
        with open(os.path.join(self.folder, "trails.toml"), "a") as file:
            file.write("\n[server]\nthreads = 4\n")
        server = self.serve()
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                           "params": {"protocolVersion": "2025-11-25",
                                      "capabilities": {}, "clientInfo":
                                      {"name": "c", "version": "1"}}})
        headers = {"Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"}
        sessions = set()
        for _ in range(32):  # each connection is on a loop of its own choice
            peer = http.client.HTTPConnection("127.0.0.1", server.port)
            peer.request("POST", "/mcp", body, headers)
            response = peer.getresponse()
            answer = json.loads(response.read())
            peer.close()
            self.assertEqual(answer["result"]["protocolVersion"], "2025-11-25")
            headers["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"]
            sessions.add(response.headers["Mcp-Session-Id"])
        self.assertEqual(len(sessions), 32)

    def test_unix_socket(self):
        path = os.path.join(self.parent.name, "socket")
        server = self.serve("--unix", path)
        self.assertEqual(server.line, f"listening on unix:{path}\n")
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(path)
            peer.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertIn(b"200 OK", peer.recv(4096))
        self.assertEqual(server.stop(), (0, ""))

    def test_keys_are_for_their_owner_only(self):
        self.serve().stop()
        data = os.path.join(self.folder, "data")
        self.assertEqual(os.stat(data).st_mode & 0o777, 0o700)
        self.assertEqual(os.stat(os.path.join(data, "keys")).st_mode & 0o777,
                         0o600)

    def wait_for(self, holds):
        """Polls: a signal arrives when it does."""
        deadline = time.monotonic() + 30
        while not holds():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)


class Stdio(App):
    def talk(self, *messages):
        text = "".join(json.dumps(m) + "\n" for m in messages)
        code, out, err = run("serve", self.folder, "--stdio", stdin=text)
        self.assertEqual(code, 0, err)
        return code, [json.loads(line) for line in out.splitlines()], err

    def test_a_pipe_is_enough_to_choose_it(self):
        code, out, err = run("serve", self.folder,
                             stdin=json.dumps(message("tools/list")) + "\n")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out)["id"], 1)

    def test_calls_that_run_at_the_end_of_input_are_answered(self):
        self.write(SLOW)
        code, answers, err = self.talk(
            message("tools/call", name="wait", arguments={"seconds": 0.2}))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(answers[0]["result"]["content"][0]["text"], "waited")

    def test_what_an_app_prints_does_not_reach_the_protocol(self):
        self.write('print("loading")\n' + SLOW)
        code, answers, err = self.talk(message("tools/list"))
        self.assertEqual(code, 0)
        self.assertEqual(len(answers), 1)

    def test_extensions_are_shown_to_clients(self):
        self.write('extension "com.example/x" { a = 1 }\n' + SLOW)
        _, answers, _ = self.talk(message("server/discover"))
        self.assertEqual(answers[0]["result"]["capabilities"]["extensions"],
                         {"com.example/x": {"a": 1}})

    def test_ids_beyond_a_double_come_back_as_they_were(self):
        text = json.dumps(message("tools/list")).replace(
            '"id": 1', '"id": 9007199254740993')
        code, out, _ = run("serve", self.folder, "--stdio", stdin=text + "\n")
        self.assertEqual(code, 0)
        self.assertIn('"id":9007199254740993,', out)


if __name__ == "__main__":
    unittest.main()
