#!/usr/bin/env python3
"""The judge of all other tests must be able to find somebody guilty: a wrong
message of each kind, each beside a right one, then a server that sends one."""
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
JUDGE = os.path.join(ROOT, "build", "debug", "tools", "wire_check")
TAP = os.path.join(ROOT, "test", "tools", "tap.py")
SUITES = os.environ.get("TRAILS_SUITES", os.path.join(ROOT, "..", "shared", "suites"))
PREFIX = "io.modelcontextprotocol/"
CLAIM = {PREFIX + "protocolVersion": "2026-07-28",
         PREFIX + "clientCapabilities": {}}
INFO = {"name": "n", "version": "1"}
LISTED = {"resultType": "complete", "tools": [], "ttlMs": 0,
          "cacheScope": "private"}


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def modern(method, number=1, **params):
    return request(method, number, **params, _meta=CLAIM)


def result(number=1, **members):
    return {"jsonrpc": "2.0", "id": number, "result": members}


def error(code, number=1, **data):
    return {"jsonrpc": "2.0", "id": number,
            "error": {"code": code, "message": "m", "data": data}}


def notification(method, **params):
    return {"jsonrpc": "2.0", "method": "notifications/" + method,
            "params": params}


def session(revision):
    """The lines that open one."""
    return [(">", request("initialize", 0, protocolVersion=revision,
                          capabilities={}, clientInfo=INFO)),
            ("<", result(0, protocolVersion=revision, capabilities={},
                         serverInfo=INFO))]


def as_text(message):
    return message if isinstance(message, str) else json.dumps(message)


def tool(**members):
    return {"name": "t", "inputSchema": {"type": "object"}, **members}


@unittest.skipUnless(os.path.isdir(os.path.join(SUITES, "mcp-schema")),
                     "TRAILS_SUITES has no mcp-schema: no message is checked")
class Judged(unittest.TestCase):
    def judge(self, lines):
        """The exit code, and what is said about the last line."""
        text = "".join(f"talk {mark} {as_text(said)}\n" for mark, said in lines)
        done = subprocess.run([JUDGE], cwd=ROOT, input=text, text=True,
                              stdout=subprocess.PIPE)
        said = done.stdout.splitlines()
        return done.returncode, said[-3] if len(said) > 2 else ""

    def check(self, before, right, wrong, reason):
        self.assertEqual(self.judge([*before, ("<", right)])[0], 0,
                         self.judge([*before, ("<", right)]))
        code, said = self.judge([*before, ("<", wrong)])
        self.assertEqual(code, 1, wrong)
        self.assertRegex(said, reason)

    def test_results_by_their_method(self):
        for method, params, right, wrong, reason in (
                ("server/discover", {},
                 {"supportedVersions": [], "capabilities": {}, "ttlMs": 0,
                  "cacheScope": "public"}, {"capabilities": {}}, "Discover"),
                ("tools/list", {}, LISTED, {"tools": {}}, "ListTools"),
                ("tools/list", {}, LISTED, {**LISTED, "ttlMs": -1}, "ListTools"),
                ("tools/call", {"name": "t"}, {"content": []}, {}, "CallTool"),
                ("tools/call", {"name": "t"},
                 {"content": [{"type": "text", "text": ""}]},
                 {"content": [{"type": "text"}]}, "CallTool"),
                ("prompts/get", {"name": "p"}, {"messages": []},
                 {"messages": [{}]}, "GetPrompt"),
                ("resources/read", {"uri": "a:b"},
                 {"contents": [], "ttlMs": 0, "cacheScope": "public"},
                 {"contents": []}, "ReadResource"),
                ("tools/call", {"name": "t"},
                 {"resultType": "input_required", "inputRequests": {}},
                 {"resultType": "input_required", "inputRequests": {"a": {}}},
                 "CallTool|InputRequired"),
                ("subscriptions/listen", {"notifications": {}},
                 {"_meta": {PREFIX + "subscriptionId": 1}}, {}, "Listen")):
            with self.subTest(method, wrong=wrong):
                kind = {"resultType": "complete"}
                self.check([(">", modern(method, **params))],
                           result(**{**kind, **right}),
                           result(**{**kind, **wrong}), reason)

    def test_a_result_that_only_another_method_may_have(self):
        asked = modern("tools/list")
        wrong = result(resultType="input_required", requestState="x")
        self.check([(">", asked)], result(**LISTED), wrong, "ListTools")

    def test_answers_to_nothing(self):
        asked = [(">", modern("tools/list"))]
        self.check(asked, result(**LISTED), result(2, **LISTED), "nothing")
        self.check(asked, result(**LISTED), result("1", **LISTED), "nothing")
        answered = [*asked, ("<", result(**LISTED))]
        self.check([*answered, (">", modern("tools/list"))], result(**LISTED),
                   result(2, **LISTED), "nothing")
        self.assertEqual(self.judge([*answered, ("<", result(**LISTED))])[0], 1)

    def test_errors_by_their_code(self):
        asked = [(">", modern("tools/list"))]
        self.check(asked, error(-32022, supported=[], requested="v"),
                   error(-32022, supported=[]), "UnsupportedProtocolVersion")
        self.check(asked, error(-32021, requiredCapabilities={}),
                   error(-32021), "MissingRequiredClientCapability")
        wrong = error(-32602)
        del wrong["error"]["message"]
        self.check(asked, error(-32602), wrong, "message is required")

    def test_errors_without_an_id(self):
        right = {"jsonrpc": "2.0", "error": {"code": -32700, "message": "m"}}
        self.check([(">", "{")], right, {**right, "id": None}, "nothing")
        self.check([(">", "{")], right, {"error": right["error"]}, "jsonrpc")

    def test_envelopes(self):
        for before, right in (
                ([(">", modern("tools/list"))], result(**LISTED)),
                ([*session("2025-03-26"), (">", request("ping"))], result()),
                (session("2025-11-25"), request("ping", "a")),
                (session("2025-11-25"), notification("tools/list_changed"))):
            for wrong in ("1.0", 2):
                with self.subTest(right=right, wrong=wrong):
                    self.check(before, right, {**right, "jsonrpc": wrong},
                               "jsonrpc must be")

    def test_notifications(self):
        asked = {**modern("tools/call", name="t")}
        asked["params"]["_meta"] = {**CLAIM, "progressToken": "p"}
        before = [(">", asked)]
        right = notification("progress", progressToken="p", progress=1)
        for wrong, reason in (
                (notification("progress", progressToken="q", progress=1),
                 "no request that is open"),
                (notification("progress", progressToken="p"), "Progress"),
                (notification("progress", progressToken="p", progress=1,
                              more=1), "more is not a field"),
                (notification("message", level="loud", data=1), "Logging"),
                (notification("roots/list_changed"), "ServerNotification")):
            with self.subTest(wrong["method"]):
                self.check(before, right, wrong, reason)
        self.check([(">", modern("subscriptions/listen", 7, notifications={}))],
                   notification("tools/list_changed",
                                _meta={PREFIX + "subscriptionId": 7}),
                   notification("tools/list_changed",
                                _meta={PREFIX + "subscriptionId": 8}),
                   "no request that is open")

    def test_requests_of_the_server(self):
        ask = request("elicitation/create", "a", message="m", requestedSchema={
            "type": "object", "properties": {}})
        self.check(session("2025-06-18"), ask,
                   request("elicitation/create", "a", message="m"), "Elicit")
        for revision in ("2025-03-26", "2024-11-05"):
            self.check(session(revision), request("ping", "a"), ask,
                       f"no ServerRequest of {revision}")
        code, said = self.judge([("<", request("ping", "a"))])
        self.assertEqual(code, 1)
        self.assertIn("no ServerRequest of 2026-07-28", said)

    def test_fields_that_a_revision_does_not_know(self):
        for revision, right, wrong in (
                ("2024-11-05", {}, {"annotations": {}}),
                ("2025-03-26", {"annotations": {}}, {"title": ""}),
                ("2025-06-18", {"title": ""}, {"icons": []}),
                ("2025-11-25", {"icons": []}, {"colour": ""}),
                ("2025-11-25", {"trails": {}}, {"trials": {}})):
            with self.subTest(revision):
                self.check([*session(revision), (">", request("tools/list"))],
                           result(tools=[tool(**right)]),
                           result(tools=[tool(**wrong)]),
                           f"ListToolsResult of {revision}: .* is not a field")

    def test_methods_that_a_revision_does_not_have(self):
        self.check([*session("2025-11-25"), (">", request("server/discover"))],
                   error(-32601), result(), "does not have")

    def test_the_revision_that_initialize_answers(self):
        (_, asked), (_, right) = session("2025-11-25")
        wrong = result(0, protocolVersion="2026-07-28", capabilities={},
                       serverInfo=INFO)
        self.check([(">", asked)], right, wrong, "no revision with sessions")

    def test_batches(self):
        batch = [request("ping", 1), request("ping", 2)]
        answers = [result(1), result(2)]
        self.check([*session("2025-03-26"), (">", batch)], answers,
                   [result(1), result(3)], "nothing")
        code, said = self.judge([*session("2025-06-18"), (">", batch),
                                 ("<", answers)])
        self.assertEqual((code, said), (1, "a batch"))

    def test_events_that_are_replayed(self):
        before = [(">", modern("tools/list")), ("<1-1", result(**LISTED))]
        other = result(**{**LISTED, "ttlMs": 1})
        for mark, said, wanted in (("<1-1", result(**LISTED), (0, "")),
                                   ("<1-1", other, (1, "a second event 1-1"))):
            with self.subTest(said):
                self.assertEqual(self.judge([*before, (mark, said)]), wanted)
        self.assertEqual(
            self.judge([*before, ("<1-2", result(**LISTED))])[0], 1)

    def test_requests_of_a_client_of_ours(self):
        self.assertEqual(self.judge([(">>", modern("tools/list"))])[0], 0)
        for wrong in (modern("tools/lists"), modern("tools/call"),
                      request("server/discover")):
            self.assertEqual(self.judge([(">>", wrong)])[0], 1)

    def test_what_is_not_json(self):
        self.check([(">", modern("tools/list"))], result(**LISTED), "{",
                   "expected a key")


WRONG = json.dumps(result(resultType="complete", tools=7))
STDIO = f"input(); print('{WRONG}')"
HTTP = f'''
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = {{"/mcp": b'{WRONG}', "/sse": b'data: {WRONG}\\n\\n'}}[self.path]
        kind = {{"/mcp": "application/json", "/sse": "text/event-stream"}}
        self.send_response(200)
        self.send_header("Content-Type", kind[self.path])
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print("listening on http://127.0.0.1:%d/mcp" % server.server_port, flush=True)
server.handle_request()
'''


@unittest.skipUnless(os.path.isdir(os.path.join(SUITES, "mcp-schema")),
                     "TRAILS_SUITES has no mcp-schema: no message is checked")
class Tapped(unittest.TestCase):
    def start(self, program):
        report = tempfile.NamedTemporaryFile("r")
        self.addCleanup(report.close)
        process = subprocess.Popen(
            [sys.executable, "-B", TAP, "--report", report.name,
             sys.executable, "-c", program], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return process, report

    def check_refused(self, process, report):
        _, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertIn("ListToolsResult", said)
        self.assertRegex(report.read(), r"^begun\nexit 0, .*1 checked, 1 wrong\n$")

    def test_a_wrong_message_over_stdio(self):
        process, report = self.start(STDIO)
        process.stdin.write(json.dumps(modern("tools/list")) + "\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), WRONG + "\n")
        self.check_refused(process, report)

    def test_a_wrong_message_over_http(self):
        for path, wanted in (("/mcp", WRONG), ("/sse", f"data: {WRONG}\n\n")):
            with self.subTest(path):
                process, report = self.start(HTTP)
                port = int(re.search(r":(\d+)/", process.stdout.readline())[1])
                peer = http.client.HTTPConnection("127.0.0.1", port)
                peer.request("POST", path, json.dumps(modern("tools/list")))
                self.assertEqual(peer.getresponse().read().decode(), wanted)
                peer.close()
                self.check_refused(process, report)

    def test_the_server_ends_with_its_own_code(self):
        process, report = self.start("import sys; sys.exit(3)")
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)
        self.assertEqual(report.read(), "begun\nexit 3, 0 checked, 0 wrong\n")


if __name__ == "__main__":
    unittest.main()
