#!/usr/bin/env python3
"""Plain HTTP: capabilities are called, the graph is read, and views are had,
without MCP; and all of it says what is wrong as RFC 9457 has it."""
import itertools
import json
import os
import re
import socket
import sqlite3
import subprocess
import tempfile
import threading
import unittest

from server import (ROOT, Server, message, read_response, read_until, request,
                    wait_for)

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
TOKEN = "a-token-of-the-tests"
KEY = "Idempotency_Key"

APP = '''
node_type "Task" {
  label = "title",
  fields = {
    title = text { min_length = 2 },
    size = integer { optional = true },
    due = datetime { optional = true },
    after = ref "Task" { optional = true, many = true },
  },
  tools = { "create", "find" },
}
node_type "Secret" { scope = "builder", fields = { title = text {} } }

local taken = 0
capability "echo" {
  description = "Says it again.",
  input = { text = text },
  side_effects = {},
  run = function(_, args) return args.text end,
}
capability "point" {
  description = "Two numbers.",
  output = { x = integer, y = number },
  side_effects = {},
  run = function() return { x = 1, y = 2.5 } end,
}
capability "told" {
  description = "Says something in Markdown.",
  side_effects = {},
  run = function() return "# Title\\n\\nwords" end,
}
capability "count" {
  description = "Counts how often it ran.",
  idempotent = true,
  side_effects = { graph_writes = { "default" } },
  run = function(ctx)
    ctx.kg:create("Task", { title = "counted" })
    return ctx.kg:count("Task")
  end,
}
capability "twice" {
  description = "Is not to be called twice.",
  side_effects = { graph_writes = { "default" } },
  run = function(ctx) return ctx.kg:create("Task", { title = "twice" }).id end,
}
capability "asks" {
  description = "Asks its caller.",
  run = function(ctx) return ctx:elicit { message = "Who?", fields = { name = text {} } } end,
}
capability "recovers" {
  description = "Asks its caller, and goes on without.",
  run = function(ctx)
    local ok, why = pcall(ctx.elicit, ctx, { message = "Who?", fields = { name = text {} } })
    return ok and "asked" or why.code
  end,
}
capability "bug" {
  description = "Has a bug.",
  run = function() error("secret-in-an-error") end,
}
capability "refuses" {
  description = "Refuses.",
  run = function(ctx) return ctx:result { value = "not today", is_error = true } end,
}
capability "old" {
  description = "Was better once.",
  version_status = "deprecated",
  run = function() return "old" end,
}
capability "new" {
  description = "Is better.",
  deprecates = "old",
  run = function() return "new" end,
}
capability "gone" {
  description = "Is not there any more.",
  version_status = "retired",
  run = function() return "gone" end,
}
capability "built" {
  description = "Is for builders.",
  preconditions = { "scope:builder" },
  side_effects = {},
  run = function() return "built" end,
}
policy "never" {
  description = "Allows nothing.",
  run = function() return false, "never" end,
}
capability "guarded" {
  description = "Nobody may.",
  policy_required = { "never" },
  run = function() return "in" end,
}
capability "dear" {
  description = "Has a budget.",
  side_effects = {},
  run = function() return "dear" end,
}
capability "waits" {
  description = "Waits.",
  run = function(ctx) ctx:sleep(3600) return "waited" end,
}
'''
BUDGET = '[budget]\ncapability = ["dear 2 calls/hour"]\n'


def routes():
    """The routing table, as src/rest/routes.c has it."""
    def source(name):
        with open(os.path.join(ROOT, "src", name)) as file:
            return file.read()
    macros = dict(re.findall(r'#define (TR_PROJECT_\w+)\s+"([^"]*)"',
                             source("project/view.h")))
    table = re.search(r"#define ROUTES\(ROW\)(.*?)\n\n",
                      source("rest/routes.c"), re.S)[1].replace("\\\n", " ")
    for method, path, _ in re.findall(
            r'ROW\("(\w+)",\s*(.*?),\s*(tr_rest_\w+)', table):
        path = re.sub(r"TR_PROJECT_\w+", lambda m: f'"{macros[m[0]]}"', path)
        yield method, "".join(re.findall(r'"([^"]*)"', path))


def all_paths():
    """Those of the door, and those of src/server/routes.c."""
    def source(name):
        with open(os.path.join(ROOT, "src", name)) as file:
            return file.read()
    for _, path in routes():
        yield path
    text = source("server/routes.c")
    macros = dict(re.findall(r'#define (\w+)\s+"([^"]*)"',
                             text + source("mcp/transport.h")))
    table = text[text.index("tr_http_route table[]"):].partition("};")[0]
    for path in re.findall(r"TR_STR_INIT\(([^)]*)\), \w+,", table):
        yield "".join(given or macros[name] for given, name in
                      re.findall(r'"([^"]*)"|(\w+)', path))


class Door(unittest.TestCase):
    toml = ""
    environment = None

    @classmethod
    def setUpClass(cls):
        cls.server = Server('[project]\nname = "demo"\n' + BUDGET + cls.toml,
                            APP, environment=cls.environment)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def ask(self, path, body="", verb="GET", **headers):
        return self.server.ask(request(body, path, verb, **headers))

    def invoke(self, name, args=None, **headers):
        fields = {"Content_Type": "application/json", **headers}
        return self.ask(f"/invoke/{name}", json.dumps(args or {}), "POST",
                        **fields)

    def value(self, name, args=None, **headers):
        status, fields, text = self.invoke(name, args, **headers)
        self.assertEqual(status, 200, text)
        self.assertEqual(fields["content-type"], "application/json")
        return json.loads(text)

    def problem(self, answer, status, code=None):
        """What is wrong, held against RFC 9457 and our own words."""
        got, fields, text = answer
        self.assertEqual(got, status, text)
        self.assertEqual(fields["content-type"], "application/problem+json")
        self.assertEqual(fields["cache-control"], "no-store")
        problem = json.loads(text)
        self.assertEqual(problem["status"], status)
        self.assertEqual(problem.get("code"), code, problem)
        self.assertEqual(problem["type"], f"trails://meta/problem/{code}"
                         if code else "about:blank")
        self.assertTrue(problem["title"])
        return problem


class Invoke(Door):
    toml = "[mcp]\nmax_nesting = 64\n"

    def test_a_value_is_the_answer(self):
        rows = [("echo", {"text": "hi"}, "hi"), ("point", {}, {"x": 1, "y": 2.5}),
                ("told", {}, "# Title\n\nwords"), ("new", {}, "new")]
        for name, args, value in rows:
            with self.subTest(name):
                self.assertEqual(self.value(name, args), value)

    def test_each_media_type(self):
        rows = [
            ("application/json", "application/json", '{"x":1,"y":2.5}'),
            ("text/markdown", "text/markdown; charset=utf-8",
             '```json\n{\n  "x": 1,\n  "y": 2.5\n}\n```\n'),
            ("*/*", "application/json", '{"x":1,"y":2.5}'),
            ("application/json;q=0.2, text/*", "text/markdown; charset=utf-8",
             None),
        ]
        for accept, kind, text in rows:
            with self.subTest(accept):
                status, fields, got = self.invoke("point", Accept=accept)
                self.assertEqual((status, fields["content-type"]), (200, kind))
                self.assertEqual(fields["vary"], "Authorization, Accept")
                if text:
                    self.assertEqual(got, text)
        _, fields, got = self.invoke("point", Accept="application/ld+json")
        self.assertEqual(fields["content-type"], "application/ld+json")
        node = json.loads(got)
        self.assertEqual((node["x"], node["y"]), (1, 2.5))
        self.assertEqual(node["@context"]["@vocab"],
                         "trails://demo/shape/point.output#")
        _, _, got = self.invoke("told", Accept="text/markdown")
        self.assertEqual(got, "# Title\n\nwords\n")
        self.problem(self.invoke("point", Accept="image/png"), 406)

    def test_who_wants_no_type_of_ours_has_called_nothing(self):
        before = self.value("find_task", {"limit": 100})
        self.problem(self.invoke("twice", Accept="image/png"), 406)
        self.assertEqual(self.value("find_task", {"limit": 100}), before)

    def test_input_that_does_not_fit(self):
        problem = self.problem(self.invoke("create_task", {"title": "x", "no": 1}),
                               422, "validation")
        self.assertEqual({(one["field"], one["code"])
                          for one in problem["fields"]},
                         {("title", "min_length"), ("no", "unknown_field")})

    def test_bodies_that_are_no_object(self):
        rows = [("", 400), ("[]", 400), ("1", 400), ("{", 400), ("{} {}", 400),
                ("\ufeff{}", 400), ('{"a":' + "[" * 70 + "]" * 70 + "}", 400)]
        for body, status in rows:
            with self.subTest(body[:9]):
                got = self.ask("/invoke/echo", body, "POST",
                               Content_Type="application/json")
                self.problem(got, status, "invalid" if "[[" in body else "syntax")
        self.assertEqual(self.ask("/invoke/echo", "{}", "POST",
                                  Content_Type="application/json",
                                  Content_Length="99999999")[0], 413)

    def test_bodies_that_are_not_announced_as_json(self):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "",
                     "multipart/form-data; boundary=x", "application/json-x"):
            with self.subTest(kind):
                self.problem(self.ask("/invoke/twice", "{}", "POST",
                                      Content_Type=kind), 415)
        self.problem(self.ask("/invoke/twice", "{}", "POST"), 415)
        self.problem(self.ask("/invoke/twice", "", "POST"), 415)
        self.problem(self.invoke("twice", Content_Encoding="gzip"), 415)
        self.assertEqual(self.invoke(
            "echo", {"text": "a"},
            Content_Type="Application/JSON; charset=utf-8")[0], 200)

    def test_pages_of_other_origins(self):
        """C59: neither a page elsewhere nor a form of one runs anything."""
        for path in ("/invoke/twice", "/kg/Task", "/capabilities"):
            verb = "POST" if "invoke" in path else "GET"
            body = "{}" if verb == "POST" else ""
            self.problem(self.ask(path, body, verb,
                                  Content_Type="application/json",
                                  Origin="https://evil.example"), 403)
        self.problem(self.invoke("twice", Host="evil.example"), 403)
        status, fields, _ = self.invoke("echo", {"text": "a"},
                                        Origin="http://localhost:3000")
        self.assertEqual(status, 200)
        self.assertEqual(fields["access-control-allow-origin"],
                         "http://localhost:3000")
        self.assertIn("X-Trace-Id", fields["access-control-expose-headers"])

    def test_what_a_page_wants_to_send_is_bounded(self):
        for size, wanted in ((1024, "x" * 1024), (1025, "content-type")):
            status, fields, _ = self.ask(
                "/invoke/echo", verb="OPTIONS", Origin="http://localhost:1",
                Access_Control_Request_Headers="x" * size)
            self.assertEqual((status, fields["access-control-allow-headers"]),
                             (204, wanted))

    def test_headers_that_come_twice(self):
        twice = request("{}", "/invoke/twice", "POST",
                        Content_Type="application/json").replace(
            b"Content-Type", b"Content-Type: text/plain\r\nContent-Type")
        self.problem(self.server.ask(twice), 400)
        keys = request("{}", "/invoke/count", "POST",
                       Content_Type="application/json").replace(
            b"Content-Type", b"Idempotency-Key: a\r\nIdempotency-Key: b\r\nContent-Type")
        self.problem(self.server.ask(keys), 400)
        parents = request('{"text": "a"}', "/invoke/echo", "POST",
                          Content_Type="application/json", traceparent=PARENT).replace(
            b"traceparent", b"traceparent: " + PARENT.encode() + b"\r\ntraceparent")
        status, fields, _ = self.server.ask(parents)
        self.assertEqual(status, 200)
        self.assertNotEqual(fields["x-trace-id"], TRACE)

    def test_ids_that_are_none(self):
        rows = [("nobody", 404, "not_found"), ("a%2Fb", 404, "not_found"),
                ("..", 404, "not_found"), ("%2e%2e", 404, "not_found"),
                ("x" * 4096, 404, "not_found"), ("%C3%A4", 404, "not_found"),
                ("a%00b", 400, None), ("a%0Ab", 400, None), ("%FF", 400, None),
                ("%ED%A0%80", 400, None), ("a%7f", 400, None)]
        for name, status, code in rows:
            with self.subTest(name[:9]):
                self.problem(self.invoke(name), status, code)
        self.assertEqual(self.ask("/invoke/%zz", "{}", "POST")[0], 400)
        self.assertEqual(self.ask("/invoke/", "{}", "POST")[0], 404)
        self.assertEqual(self.value("ech%6F", {"text": "a"}), "a")

    def test_an_idempotency_key(self):
        first, fields, _ = self.invoke("count", Idempotency_Key="one")
        self.assertEqual(first, 200)
        self.assertNotIn("idempotent-replayed", fields)
        value = self.value("count", Idempotency_Key="one")
        _, fields, _ = self.invoke("count", Idempotency_Key='"one"')
        self.assertEqual(fields["idempotent-replayed"], "true")
        self.assertEqual(self.value("count", Idempotency_Key="two"), value + 1)
        self.problem(self.invoke("count", {"other": 1}, Idempotency_Key="one"),
                     422, "validation")
        problem = self.problem(self.invoke("twice", Idempotency_Key="a"), 400,
                               "invalid")
        self.assertEqual(problem["reason"], "not_idempotent")
        for key in ("", "x" * 5000, '"a\\"'):
            with self.subTest(key[:5]):
                self.assertEqual(self.invoke("count", Idempotency_Key=key)[0], 400)

    def test_a_budget(self):
        answers = [self.invoke("dear") for _ in range(3)]
        self.assertEqual([answer[0] for answer in answers], [200, 200, 429])
        problem = self.problem(answers[2], 429, "budget")
        self.assertEqual(problem["spent"], 2)
        self.assertEqual(problem["capability"], "dear")
        wait = int(answers[2][1]["retry-after"])
        self.assertEqual(wait, problem["retry_after_s"])
        self.assertTrue(0 < wait <= 3600)

    def test_a_policy(self):
        problem = self.problem(self.invoke("guarded"), 403, "policy")
        self.assertEqual(problem["policy"], "never")

    def test_a_handler_that_asks(self):
        problem = self.problem(self.invoke("asks"), 409, "asks_client")
        self.assertIn("input", problem["title"])
        self.assertEqual(self.value("recovers"), "unsupported")

    def test_errors_of_handlers(self):
        problem = self.problem(self.invoke("bug"), 500, "internal")
        self.assertIn("app.lua:", problem["detail"])
        problem = self.problem(self.invoke("refuses"), 422, "refused")
        self.assertEqual(problem["detail"], "not today")

    def test_deprecated_and_retired(self):
        _, fields, _ = self.invoke("old")
        self.assertRegex(fields["deprecation"], r"^@\d{10}$")
        self.assertEqual(fields["link"], '</invoke/new>; rel="successor-version"')
        _, fields, _ = self.invoke("new")
        self.assertNotIn("deprecation", fields)
        problem = self.problem(self.invoke("gone"), 410, "retired")
        self.assertEqual(problem["reason"], "retired")

    def test_traces(self):
        _, fields, _ = self.invoke("echo", {"text": "a"}, traceparent=PARENT)
        self.assertEqual(fields["x-trace-id"], TRACE)
        self.assertRegex(fields["traceparent"], f"^00-{TRACE}-[0-9a-f]{{16}}-01$")
        self.assertNotEqual(fields["traceparent"], PARENT)
        self.assertRegex(fields["x-provenance"], "^trails://prov/[0-9a-f-]{36}$")
        for parent in ("nonsense", PARENT.upper(), "00-" + "0" * 32 + PARENT[35:]):
            _, fields, _ = self.invoke("echo", {"text": "a"}, traceparent=parent)
            self.assertRegex(fields["x-trace-id"], "^[0-9a-f]{32}$")
            self.assertNotEqual(fields["x-trace-id"], TRACE)
        problem = self.problem(self.invoke("bug", traceparent=PARENT), 500,
                               "internal")
        self.assertEqual(problem["trace_id"], TRACE)
        self.assertTrue(problem["instance"].startswith("trails://prov/"))

    def test_a_line_and_a_count_for_each(self):
        name = "only-this-once"
        self.invoke(name, {"text": "correct-horse"})
        wait_for(lambda: any(line.get("name") == name
                             for line in self.server.log()))
        lines = [line for line in self.server.log() if line.get("name") == name]
        self.assertEqual(len(lines), 1)
        line = lines[0]
        self.assertEqual((line["msg"], line["method"], line["status"]),
                         ("request", "POST /invoke/*", 404))
        self.assertNotIn("correct-horse", json.dumps(self.server.log()))
        series = 'trails_http_calls_total{method="POST /invoke/*"}'
        before = self.server.metric(series)
        self.invoke("told")
        self.assertEqual(self.server.metric(series), before + 1)
        self.assertGreater(self.server.metric(
            'trails_http_calls_refused_total{status="404"}'), 0)

    def test_a_peer_that_goes_away_cancels_its_call(self):
        peer = self.server.connect()
        peer.sendall(request("{}", "/invoke/waits", "POST",
                             Content_Type="application/json"))
        wait_for(lambda: self.server.metric("trails_calls_running") == 1)
        peer.close()
        wait_for(lambda: self.server.metric("trails_calls_running") == 0)
        wait_for(lambda: any(line.get("name") == "waits" and
                             line["status"] == 499
                             for line in self.server.log()))


class Graph(Door):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for i in range(5):
            cls.server.call("create_task", title=f"Task {i} \u00e4\"",
                            size=i, due="2026-07-28T12:00:00Z")
        _, _, text = cls.server.ask(request("", "/kg/Task", "GET"))
        cls.iris = [item["iri"] for item in json.loads(text)]
        cls.server.call("create_task", title="Last", after=cls.iris[:2])

    def read(self, uri):
        """What MCP has of it: its text, or the error."""
        _, _, text = self.server.ask(request(message("resources/read", uri=uri)))
        answer = json.loads(text)
        if "error" in answer:
            return answer["error"]
        return answer["result"]["contents"][0]

    def queries(self):
        """All that a query of a list may have, and how it may be written."""
        where = (None, "where=size=3", "where=size%3D3", "where=title%3DTask%203%20%C3%A4",
                 "where=size=99", "%77here=size=3", "where=due=2026-07-28T12:00:00Z")
        limit = (None, "limit=0", "limit=2", "limit=1000", "limit=5000", "limit=%32")
        offset = (None, "offset=0", "offset=2", "offset=999")
        for parts in itertools.product(where, limit, offset):
            yield "&".join(part for part in parts if part)
        yield from ("offset=1&limit=2&where=size=3", "limit=+1", "limit=1&limit=2",
                    "where=size=3&where=size=4", "nope=1", "where=", "where", "&", "=",
                    "where=size<3", "where=size=%22", "where=size=%0A", "limit=x",
                    "offset=-1", "offset=99999999", "cursor=", "cursor=x")

    def paths(self):
        last = self.iris[0].rsplit("/", 1)[1]
        escaped = self.iris[1].replace(":", "%3A").replace("/", "%2F")
        yield from ("kg/types", "kg/types?limit=1", "kg/Task/" + last, "kg/Task/" + escaped,
                    f"kg/Task/{last}?limit=1", "kg/%54ask", "kg/Task/%00", "kg/Nothing",
                    "kg/Task%2F" + last, "kg/Task/nobody", "kg/Task/..", "shape/Task",
                    "shape/echo.input", "shape/point.output", "shape/Nothing",
                    "shape/trails%3A%2F%2Fdemo%2Fshape%2Fecho.input", "kg/Secret")
        for query in self.queries():
            yield "kg/Task" + ("?" + query if query else "")

    def test_bytes_are_those_of_mcp(self):
        good = []
        self.addCleanup(lambda: self.assertGreater(len(good), 100))
        for path in self.paths():
            with self.subTest(path):
                wanted = self.read("trails://" + path)
                status, fields, text = self.ask("/" + re.sub("^shape/", "shapes/", path))
                if "code" in wanted:
                    self.assertIn(status, (400, 401, 404), text)
                    problem = json.loads(text) if text.startswith("{") else {}
                    if status == 400 and "code" in problem:
                        self.assertEqual(problem["detail"], wanted["message"])
                    continue
                self.assertEqual(status, 200, text)
                good.append(path)
                self.assertEqual(text, wanted["text"])
                self.assertEqual(fields["content-type"], wanted["mimeType"])
                meta = wanted.get("_meta", {})
                total = meta.get("total")
                self.assertEqual(fields.get("x-total-count"),
                                 None if total is None else str(total))
                self.assertEqual("link" in fields, "next" in meta)

    def test_a_node_is_the_same_as_json(self):
        path = "/kg/Task/" + self.iris[0].rsplit("/", 1)[1]
        _, _, own = self.ask(path)
        _, fields, text = self.ask(path, Accept="application/json")
        self.assertEqual((fields["content-type"], text), ("application/json", own))

    def turtle(self, text):
        """The triples of a Turtle document."""
        path = os.path.join(self.server.folder, "read.ttl")
        with open(path, "w") as file:
            file.write(text)
        return sorted(subprocess.check_output(
            [self.server.program, "convert", path, "-", "--to", "ntriples"],
            text=True).splitlines())

    @staticmethod
    def expanded(text):
        """The triples of JSON-LD as we write it, read by somebody else."""
        xsd = "http://www.w3.org/2001/XMLSchema#"

        def term(value):
            kind = None
            if isinstance(value, dict) and "@id" in value:
                return f"<{value['@id']}>"
            if isinstance(value, dict):
                value, kind = value["@value"], value["@type"]
            elif isinstance(value, int):
                value, kind = str(value), xsd + "integer"
            return json.dumps(value, ensure_ascii=False) + (f"^^<{kind}>" if kind else "")

        nodes = json.loads(text)
        for node in nodes if isinstance(nodes, list) else [nodes]:
            for key, values in node.items():
                if key == "@id":
                    continue
                if key == "@type":
                    key = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
                    values = {"@id": values}
                for value in values if isinstance(values, list) else [values]:
                    yield f"<{node['@id']}> <{key}> {term(value)} ."

    def test_turtle_and_json_ld_say_the_same(self):
        last = self.iris[0].rsplit("/", 1)[1]
        for path in (f"/kg/Task/{last}", "/kg/Task", "/kg/Task?where=size=99"):
            with self.subTest(path):
                _, fields, ld = self.ask(path, Accept="application/ld+json")
                self.assertEqual(fields["content-type"], "application/ld+json")
                _, fields, turtle = self.ask(path, Accept="text/turtle")
                self.assertEqual(fields["content-type"], "text/turtle")
                self.assertEqual(self.turtle(turtle), sorted(self.expanded(ld)))

    def test_pages_lead_to_the_next(self):
        seen = []
        path = "/kg/Task?limit=2"
        while path:
            _, fields, text = self.ask(path)
            seen += [item["iri"] for item in json.loads(text)]
            found = re.match(r'<(/kg/Task\?[^>]*)>; rel="next"$',
                             fields.get("link", ""))
            path = found[1] if found else None
        total = int(self.ask("/kg/Task")[1]["x-total-count"])
        self.assertGreaterEqual(total, 6)
        self.assertEqual([len(seen), len(set(seen))], [total, total])

    def test_a_next_page_that_nobody_could_ask_for(self):
        """An address that is longer than a request may be, or a head."""
        title = "!" * 3000
        for _ in range(2):
            self.server.call("create_task", title=title)
        path = f"/kg/Task?limit=1&where=title={title}"
        problem = self.problem(self.ask(path), 400, "invalid")
        self.assertIn("8192 bytes", problem["detail"])
        status, fields, _ = self.ask(path.replace("limit=1", "limit=2"))
        self.assertEqual((status, fields["x-total-count"]), (200, "2"))
        self.assertEqual(self.ask(path.replace("!", ""))[0], 200)

    def test_what_is_wrong_is_what_mcp_says(self):
        rows = [("kg/Task?where=size=x", 400, "invalid"),
                ("kg/Task?where=nope=1", 400, "invalid"),
                ("kg/Task?limit=-1", 400, "invalid"),
                ("kg/Task?cursor=nonsense", 400, "invalid"),
                ("kg/Task/nobody", 404, "not_found"),
                ("kg/Nothing", 404, "not_found"),
                ("shape/Nothing", 404, "not_found"),
                ("kg/Secret", 401, "unauthenticated"),
                ("shape/Secret", 401, "unauthenticated")]
        for path, status, code in rows:
            with self.subTest(path):
                wanted = self.read("trails://" + path)
                problem = self.problem(
                    self.ask("/" + path.replace("shape/", "shapes/")), status, code)
                if status == 400:
                    self.assertEqual(problem["detail"], wanted["message"])
                for name, value in wanted.get("data", {}).items():
                    if name not in ("uri", "trails_code"):
                        self.assertEqual(problem[name], value)

    def test_paths_that_are_hostile(self):
        for path in ("/kg/%00", "/kg/Task/a%00", "/shapes/%FF", "/kg/Task/%0d%0a"):
            self.problem(self.ask(path), 400)
        self.problem(self.ask("/kg/Task/" + "x" * 4096), 404, "not_found")
        self.assertEqual(self.ask("/kg/Task/../x")[0], 404)
        self.assertEqual(self.ask("/kg/Task/")[0], 404)
        self.assertEqual(self.ask("/kg/")[0], 404)
        self.problem(self.ask("/kg/Task", "{}", "POST"), 405)
        self.problem(self.ask("/kg/Task", "{}"), 413)


class Statuses(Door):
    """What is seen on the wire, against what /openapi.json says of an operation."""
    toml = "[mcp]\ncall_timeout_s = 1\n[server]\nmax_body_bytes = 65536\n"
    # The one that cannot be had from outside: src/rest/exchange_test.c has it.
    UNSEEN = {"507"}

    def provoke(self):
        """One answer or more of each status."""
        yield from (self.invoke(name) for name in ("told", "new", "old"))
        yield self.invoke("told", Idempotency_Key="x")  # 400
        yield self.ask("/invoke/told", "[", "POST", Content_Type=JSON)  # 400
        yield self.invoke("built")  # 401
        yield self.invoke("guarded")  # 403
        yield self.invoke("nobody")  # 404
        yield self.invoke("told", Accept="image/png")  # 406
        yield self.invoke("asks")  # 409
        yield self.invoke("gone")  # 410
        yield self.invoke("echo", {"text": "x" * 70000})  # 413
        yield self.ask("/invoke/told", "{}", "POST", Content_Type="text/plain")  # 415
        yield self.invoke("echo", {})  # 422
        yield self.invoke("refuses")  # 422
        yield from (self.invoke("dear") for _ in range(3))  # 429
        yield self.invoke("bug")  # 500
        yield self.invoke("waits")  # 503

    def fits(self, problem, schema):
        kinds = {"string": str, "integer": int, "array": list}
        for name in schema["required"]:
            self.assertIn(name, problem)
        for name, value in problem.items():
            kind = schema["properties"].get(name, {}).get("type")
            self.assertIsInstance(value, kinds.get(kind, object), name)

    def test_they_are_those_that_are_documented(self):
        document = json.loads(self.ask("/openapi.json")[2])
        shared = document["components"]
        schema = shared["schemas"]["Problem"]
        self.assertLessEqual({"code", "trace_id", "fields", "instance"},
                             set(schema["properties"]))
        for path, item in document["paths"].items():
            self.assertEqual(set(item["post"]["responses"]),
                             set(document["paths"]["/invoke/told"]["post"]["responses"]), path)
        told = document["paths"]["/invoke/told"]["post"]["responses"]
        seen = {}
        for status, fields, text in self.provoke():
            if fields["content-type"].startswith("text/plain"):
                self.assertNotIn(str(status), told)  # no operation says it
                continue
            seen[str(status)] = True
            response = told.get(str(status))
            self.assertIsNotNone(response, status)
            if "$ref" in response:
                response = shared["responses"][response["$ref"].rsplit("/", 1)[1]]
            kind = fields["content-type"].split(";")[0]
            self.assertIn(kind, response["content"], status)
            if kind == "application/problem+json":
                self.fits(json.loads(text), schema)
            for name in ("retry-after", "www-authenticate"):
                if name in fields:
                    self.assertIn(name, {one.lower() for one in response["headers"]}, status)
        self.assertEqual(set(told) - set(seen), self.UNSEEN)


class Production(Door):
    toml = '[auth]\nrequired = "false"\n'
    environment = {"TRAILS_ENV": "production"}

    def test_a_fault_is_not_told(self):
        status, _, text = self.invoke("bug")
        self.assertEqual(status, 500)
        self.assertNotIn("secret", text)
        self.assertEqual(json.loads(text)["detail"], "internal error")
        wait_for(lambda: any(line["msg"] == "fault" and
                             "app.lua" in line.get("error", "") + line.get("where", "")
                             for line in self.server.log()))


class Credentials(Door):
    environment = {"TRAILS_MCP_TOKEN": TOKEN, "TRAILS_MCP_SCOPES": "runtime"}

    def test_who_is_let_in(self):
        for value in (None, "Bearer wrong", "Basic abc"):
            headers = {"Authorization": value} if value else {}
            answer = self.invoke("told", **headers)
            self.assertIn(answer[0], (400, 401))
            self.assertIn("Bearer", answer[1]["www-authenticate"])
            self.problem(answer, answer[0], json.loads(answer[2])["code"])
        self.assertEqual(self.invoke("told", Authorization=f"Bearer {TOKEN}")[0], 200)

    def test_what_was_done_is_on_record_alike(self):
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        def read(iri):
            """C37: it is there soon after a call that only reads."""
            _, _, text = self.server.ask(request(
                message("resources/read", uri=iri), **bearer))
            return json.loads(text).get("result")

        def recorded(iri):
            wait_for(lambda: read(iri))
            said = json.loads(read(iri)["contents"][0]["text"])
            return {key: value for key, value in said.items()
                    if key not in ("id", "started", "ended", "trace_id", "cost")}
        _, answer = self.server.call("told", headers=bearer)
        _, fields, _ = self.invoke("told", **bearer)
        over_http = recorded(fields["x-provenance"])
        self.assertIn("told", json.dumps(over_http))
        self.assertEqual(over_http,
                         recorded(answer["result"]["_meta"]["dev.trails/provenance"]))

    def test_a_scope_that_is_missing(self):
        answer = self.invoke("built", Authorization=f"Bearer {TOKEN}")
        problem = self.problem(answer, 403, "scope")
        self.assertEqual(problem["required_scope"], "builder")
        self.assertIn('error="insufficient_scope"', answer[1]["www-authenticate"])
        self.assertIn('scope="builder"', answer[1]["www-authenticate"])


# Of each route: a path that is there, its types in the order in which we prefer
# them, and whether it goes with the manifest.
LD, JSON, TURTLE = "application/ld+json", "application/json", "text/turtle"
MARKDOWN, TD = "text/markdown; charset=utf-8", "application/td+json"
ROWS = {
    "POST /invoke/*": ("/invoke/told", [JSON, LD, MARKDOWN], False),
    "GET /kg/*": ("/kg/Task", [JSON, LD, TURTLE], False),
    "GET /kg/*/*": ("/kg/Task/{id}", [LD, JSON, TURTLE], False),
    "GET /shapes/*": ("/shapes/Task", [TURTLE], False),
    "GET /doctor": ("/doctor", [JSON], False),
    "GET /.well-known/capabilities":
        ("/.well-known/capabilities", [LD, JSON, MARKDOWN], True),
    "GET /.well-known/capabilities/*":
        ("/.well-known/capabilities/echo", [LD, JSON, MARKDOWN], True),
    "GET /capabilities": ("/capabilities", [JSON, LD, MARKDOWN], True),
    "GET /openapi.json": ("/openapi.json", [JSON], False),
    "GET /.well-known/wot": ("/.well-known/wot", [TD, JSON, LD], True),
    "GET /.well-known/trails/v1.jsonld":
        ("/.well-known/trails/v1.jsonld", [LD], True),
    "GET /*/card": ("/demo/card", [TD, JSON, LD], True),
}
OPEN = "GET /.well-known/trails/v1.jsonld"  # to everybody, in every type
NEEDS = {"GET /doctor": "builder"}  # more than to be let in


class Table(unittest.TestCase):
    """Each route x type x authority x what is enabled."""

    def serve(self, toml, **environment):
        server = Server('[project]\nname = "demo"\n' + toml, APP,
                        environment=environment)
        self.addCleanup(server.close)
        return server

    def ask(self, server, row, **headers):
        credential = {key: value for key, value in headers.items()
                      if key == "Authorization"}
        verb, _ = row.split(" ")
        path = ROWS[row][0]
        if "{id}" in path:
            _, answer = server.call("create_task", headers=credential,
                                    title="One")
            made = {"id": "trails:/nobody"}
            if "result" in answer:
                made = json.loads(answer["result"]["content"][0]["text"])
            path = path.replace("{id}", made["id"].rsplit("/", 1)[1])
        if verb == "POST":
            headers = {"Content_Type": "application/json", **headers}
        return server.ask(request("{}" if verb == "POST" else "", path, verb,
                                  **headers))

    def test_each_route_has_a_row(self):
        self.assertEqual({" ".join(route) for route in routes()}, set(ROWS))

    def check(self, server, row, is_there, scopes, headers):
        """`scopes`: those of the caller; None: nobody who is let in."""
        _, types, _ = ROWS[row]
        needed = NEEDS.get(row)
        refused = 401 if scopes == "" else 403
        accepts = [None, "*/*", "image/png", "application/*"] + types
        for accept in accepts:
            extra = {"Accept": accept} if accept else {}
            status, fields, text = self.ask(server, row, **headers, **extra)
            with self.subTest(row=row, accept=accept):
                if not is_there:
                    self.assertEqual(status, 404, text)
                    continue
                if scopes is None and row != OPEN:
                    self.assertEqual(status, 401)
                    continue
                fits = [one for one in types if not accept or accept == "*/*" or
                        accept == one or (accept == "application/*" and
                                          one.startswith("application/"))]
                if row == OPEN:
                    fits = types
                if fits and needed and needed not in scopes.split(","):
                    self.assertEqual(status, refused, text)
                    self.assertEqual(json.loads(text)["required_scope"], needed)
                    continue
                self.assertEqual(status, 200 if fits else 406, text)
                if fits:
                    self.assertEqual(fields["content-type"], fits[0])

    def test_everybody_without_a_credential(self):
        server = self.serve("")
        for row in ROWS:
            self.check(server, row, True, "", {})

    def test_with_a_credential(self):
        for scopes in ("runtime", "runtime,builder"):
            server = self.serve("", TRAILS_MCP_TOKEN=TOKEN,
                                TRAILS_MCP_SCOPES=scopes)
            for row in ROWS:
                self.check(server, row, True, None, {})
                self.check(server, row, True, None, {"Authorization": "Bearer no"})
                self.check(server, row, True, scopes,
                           {"Authorization": f"Bearer {TOKEN}"})

    def test_without_the_manifest(self):
        server = self.serve("[capability.manifest]\nenabled = false\n")
        for row, (_, _, goes) in ROWS.items():
            self.check(server, row, not goes, "", {})
        document = self.ask(server, "GET /openapi.json")[2]
        self.assertNotIn("x-trails-", document)
        _, _, text = server.ask(request(message("tools/list")))
        self.assertNotIn("manifest_uri", text)

    def test_without_http(self):
        """C58: what it takes away, and nothing else."""
        server = self.serve(
            '[http]\nenabled = false\n[server]\npublic_url = "https://a.example"\n'
            '[auth]\nauthorization_servers = ["https://b.example"]\n')
        for row in ROWS:
            self.check(server, row, False, "", {})
        for path, status in (("/health", 200), ("/ready", 200), ("/metrics", 200),
                             ("/mcp", 400), ("/sse", 200),
                             ("/.well-known/oauth-protected-resource", 200),
                             ("/.well-known/oauth-protected-resource/mcp", 200)):
            with server.connect() as peer:
                peer.sendall(request("", path, "GET"))
                head = read_until(peer, b"\r\n\r\n").decode()
                self.assertIn(f"HTTP/1.1 {status} ", head, path)
        self.assertEqual(server.call("told")[0], 200)
        _, _, text = server.ask(request(message("tools/list")))
        self.assertIn("dev.trails/tool", text)
        self.assertNotIn("manifest_uri", text)

    def test_pages_of_other_origins(self):
        """C59: on every path that runs something, whatever it is sent with."""
        server = self.serve("")
        for row in ROWS:
            verb, _ = row.split(" ")
            where = ROWS[row][0].replace("{id}", "x")
            for method, origin in itertools.product(
                    (verb, "OPTIONS", "HEAD", "PUT"), ("https://evil.example", "null")):
                with self.subTest(row, method=method, origin=origin):
                    with server.connect() as peer:
                        peer.sendall(request("", where, method, Origin=origin,
                                             Content_Type=JSON, Connection="close"))
                        head = read_until(peer, b"\r\n\r\n").decode()
                    if row == OPEN and method in ("GET", "HEAD"):
                        self.assertEqual(head.split()[1], "200")
                        continue
                    self.assertEqual(head.split()[1], "403")
                    self.assertNotIn("access-control-", head.lower())

    def test_methods(self):
        server = self.serve("")
        for row in ROWS:
            verb, path = row.split(" ")
            where = ROWS[row][0].replace("{id}", "x")
            allowed = "POST, OPTIONS" if verb == "POST" else "GET, HEAD, OPTIONS"
            with self.subTest(row):
                status, fields, _ = server.ask(request("", where, "PUT"))
                self.assertEqual((status, fields["allow"]), (405, allowed))
                status, fields, _ = server.ask(
                    request("", where, "OPTIONS", Origin="http://localhost:1"))
                self.assertEqual((status, fields["allow"]), (204, allowed))
                self.assertEqual(fields["access-control-allow-methods"], allowed)

    def test_head_has_no_body(self):
        server = self.serve("")
        for row in ROWS:
            if row.startswith("POST") or "{id}" in ROWS[row][0]:
                continue
            with self.subTest(row), server.connect() as peer:
                peer.sendall(request("", ROWS[row][0], "HEAD", Connection="close"))
                text = b"".join(iter(lambda: peer.recv(65536), b""))
                status = b"401" if row in NEEDS else b"200"
                self.assertTrue(text.startswith(b"HTTP/1.1 %b " % status), text[:99])
                self.assertTrue(text.endswith(b"\r\n\r\n"))

    def test_no_project_has_the_name_of_a_path(self):
        """C60: what begins a path of any server is nobody's name."""
        names = {path.split("/")[1] for path in all_paths()} - {"*"}
        self.assertTrue({"kg", "doctor", "mcp", "messages", "health"} <= names, names)
        with tempfile.TemporaryDirectory() as folder:
            def run(*command):
                done = subprocess.run([Server.program, *command], text=True,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                return done.returncode, done.stdout
            app, toml = (os.path.join(folder, name)
                         for name in ("app.lua", "trails.toml"))
            open(app, "w").close()
            for name in sorted(names):
                with self.subTest(name), open(toml, "w") as file:
                    file.write(f'[project]\nname = "{name}"\n')
                    file.flush()
                    code, said = run("check", folder)
                    self.assertEqual(code, 1, said)
                    self.assertIn("trails.toml:2:", said)
                    if "." in name:  # made a name of by `new`
                        continue
                    code, said = run("new", os.path.join(folder, name))
                    self.assertEqual(code, 2, said)
                    self.assertIn(f"the name '{name}' of a project must", said)

    def test_cards_are_those_of_the_project(self):
        server = self.serve("")
        for path in ("/other/card", "/demo%2F/card", "/%64emo/card", "/card"):
            self.assertEqual(server.ask(request("", path, "GET"))[0], 404, path)


class Views(Door):
    PATHS = [path for row, (path, _, _) in ROWS.items()
             if row.startswith("GET /.well-known/c") or
             row in ("GET /capabilities", "GET /openapi.json", "GET /*/card",
                     "GET /.well-known/wot")]

    def test_one_tag_for_all_of_them(self):
        tags = set()
        for path in self.PATHS:
            status, fields, _ = self.ask(path)
            self.assertEqual(status, 200, path)
            self.assertRegex(fields["etag"], r'^W/"[0-9a-f]{32}"$')
            self.assertEqual(fields["cache-control"], "private, no-cache")
            self.assertIn("Authorization", fields["vary"])
            tags.add(fields["etag"])
        self.assertEqual(len(tags), 1, tags)

    def test_who_has_it_is_told_so(self):
        for path in self.PATHS:
            _, fields, _ = self.ask(path)
            tag = fields["etag"]
            rows = [(tag, 304), (tag[2:], 304), (f'"a", {tag} ,"b"', 304), ("*", 304),
                    ('W/"0"', 200), ("", 200), ('"', 200), (tag.strip('W/"'), 200)]
            for given, wanted in rows:
                with self.subTest(path=path, given=given):
                    status, fields, text = self.ask(path, If_None_Match=given)
                    self.assertEqual(status, wanted)
                    self.assertEqual(fields["etag"], tag)
                    if status == 304:
                        self.assertEqual(text, "")
                        self.assertIn("vary", fields)

    def test_the_context_is_for_ever_and_for_everybody(self):
        status, fields, text = self.ask("/.well-known/trails/v1.jsonld",
                                        Origin="https://elsewhere.example")
        self.assertEqual(status, 200)
        self.assertIn("immutable", fields["cache-control"])
        self.assertEqual(fields["access-control-allow-origin"], "*")
        self.assertIn("@context", json.loads(text))

    def test_what_calls_have_cost_is_measured(self):
        def measured():
            _, _, text = self.ask("/.well-known/capabilities/point", Accept=JSON)
            return json.loads(text).get("measured")
        self.value("point")
        wait_for(lambda: (measured() or {}).get("latency_p95_ms", 0) > 0)

    def test_whole_views_show_what_was_measured_last(self):
        """One after the other, so that none has what another was filled with."""
        def calls(path, accept):
            _, _, text = self.ask(path, Accept=accept)
            if accept == "text/markdown":
                return text.count("measured")
            views = json.loads(text)
            return sum(view.get("measured", {}).get("calls", 0)
                       for view in views.get("@graph") or views["capabilities"])
        forms = [("/.well-known/capabilities", "application/ld+json"),
                 ("/capabilities", JSON), ("/capabilities", "text/markdown")]
        self.value("point")
        before = 0
        for _ in range(3):
            wait_for(lambda: calls(*forms[0]) > before)
            before = calls(*forms[0])
            wait_for(lambda: calls(*forms[1]) == calls(*forms[0]))
            self.assertGreater(calls(*forms[2]), 0)
            self.value("point")

    def test_one_that_is_not_seen(self):
        for name in ("nobody", "gone", "built", "a%2Fb"):
            self.problem(self.ask(f"/.well-known/capabilities/{name}"), 404,
                         "not_found")


class Author(Door):
    """Who has builder."""
    environment = {"TRAILS_MCP_TOKEN": TOKEN, "TRAILS_MCP_SCOPES": "runtime,builder"}

    def test_every_operation_that_is_documented_is_there(self):
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        paths = json.loads(self.ask("/openapi.json", **bearer)[2])["paths"]
        self.assertIn("/invoke/built", paths)
        for path in paths:
            status, _, text = self.ask(path, "[]", "POST", Content_Type=JSON, **bearer)
            self.assertEqual((status, json.loads(text)["detail"]),
                             (400, "the body must be an object, such as {}"), path)

    def test_it_is_what_mcp_and_the_command_say(self):
        def steady(text):
            """Without what two examinations need not agree on."""
            return re.sub(r"\d+ (bytes|triples|activities|tokens)", "n", text)
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        status, fields, text = self.ask("/doctor", **bearer)
        self.assertEqual((status, fields["content-type"]), (200, JSON), text)
        self.assertRegex(fields["x-provenance"], "^trails://prov/")
        _, _, said = self.server.ask(request(
            message("resources/read", uri="trails://doctor"), **bearer))
        said = json.loads(said)["result"]["contents"][0]["text"]
        self.assertEqual(steady(text), steady(said))
        done = subprocess.run([self.server.program, "doctor", "--json",
                               self.server.folder], stdout=subprocess.PIPE, text=True)
        told = json.loads(done.stdout)
        self.assertEqual({check["id"] for check in json.loads(text)["checks"]},
                         {check["id"] for check in told["checks"]})


class Both(Door):
    """The same over both doors: what is refused, and what is said of it."""
    toml = """[auth]
required = "false"
"""
    environment = {"TRAILS_ENV": "production"}
    # What HTTP says of each code of 2026-07-28.
    CODES = {-31001: {401}, -31002: {403}, -31003: {429}, -31004: {403}, -31005: {503},
             -32602: {400, 404, 409, 410, 422}, -32603: {500, 503, 507}}
    MORE = '''
capability "sneaks" {
  description = "Writes what it does not declare.", side_effects = {},
  run = function(ctx) return ctx.kg:create("Task", { title = "sneaked" }).id end,
}
capability "phones" {
  description = "Calls whom it does not declare.", side_effects = {},
  run = function(ctx) return ctx:fetch { url = "https://a.example/" }.status end,
}
capability "close" {
  description = "Wants a task.", side_effects = {}, input = { task = ref "Task" },
  preconditions = { { kind = "exists", params = { type = "Task", arg = "task" } } },
  run = function() return "closed" end,
}
capability "plans" {
  description = "Fails as it means to.", side_effects = {},
  run = function() error { code = "conflict", message = "as it meant to" } end,
}
'''

    @classmethod
    def setUpClass(cls):
        cls.server = Server('[project]\nname = "demo"\n' + BUDGET + cls.toml,
                            APP + cls.MORE, environment=cls.environment)

    def test_what_is_refused_is_refused_alike(self):
        self.invoke("dear"), self.invoke("dear")
        rows = [("sneaks", {}, 500), ("phones", {}, 500), ("dear", {}, 429),
                ("gone", {}, 410), ("guarded", {}, 403), ("built", {}, 401),
                ("bug", {}, 500), ("echo", {"text": 5}, 422), ("echo", {}, 422),
                ("echo", {"text": "a", "more": 1}, 422),
                ("close", {"task": "trails://demo/Task/none"}, 409),
                ("create_task", {"title": "x"}, 422), ("plans", {}, 409)]
        for name, args, status in rows:
            with self.subTest(name, args=args):
                _, answer = self.server.call(name, **args)
                error = answer["error"]
                got, fields, text = self.invoke(name, args)
                problem = json.loads(text)
                self.assertEqual(got, status, text)
                self.assertIn(got, self.CODES[error["code"]])
                self.assertEqual(problem.get("detail"), error["message"])
                for key, value in error.get("data", {}).items():
                    if key in ("trails_code", "trace_id", "decision_id"):
                        continue
                    if key == "retry_after_s":
                        self.assertAlmostEqual(problem[key], value, delta=5)
                    else:
                        self.assertEqual(problem[key], value, key)
        _, _, text = self.ask("/kg/Task?where=title=sneaked")
        self.assertEqual(json.loads(text), [])

    def test_what_was_done_over_one_is_not_done_again_over_the_other(self):
        key = {"dev.trails/idempotency_key": "both"}
        _, answer = self.server.call("count", meta=key)
        done = answer["result"]["content"][0]["text"]
        _, fields, text = self.invoke("count", Idempotency_Key='"both"')
        self.assertEqual((text, fields["idempotent-replayed"]), (done, "true"))
        self.problem(self.invoke("count", {"other": 1}, Idempotency_Key="both"),
                     422, "validation")
        _, fields, text = self.invoke("count", Idempotency_Key="first here")
        _, answer = self.server.call("count", meta={
            "dev.trails/idempotency_key": "first here"})
        self.assertEqual(answer["result"]["content"][0]["text"], text)
        self.assertTrue(answer["result"]["_meta"]["dev.trails/replayed"])


class Less(unittest.TestCase):
    """What an authority may not see is in nothing that it gets."""

    def ids(self, view):
        if "@graph" in view:
            return {one["id"] for one in view["@graph"]}
        if "capabilities" in view:
            return {one["id"] for one in view["capabilities"]}
        if "paths" in view:
            return {path.rsplit("/", 1)[1] for path in view["paths"]}
        return set(view["actions"])

    def test_every_view_is_what_tools_list_is(self):
        server = Server('[project]\nname = "demo"\n', APP, environment={
            "TRAILS_MCP_SCOPES": "runtime,builder"})
        self.addCleanup(server.close)
        tags, lists = [], []
        for scopes in ("runtime", "runtime,builder"):
            token = subprocess.run(
                [server.program, "token", "create", "--scope", scopes, "--json",
                 "--app", server.folder], stdout=subprocess.PIPE, check=True).stdout
            bearer = {"Authorization": "Bearer " + json.loads(token)["token"]}
            _, _, text = server.ask(request(message("tools/list"), **bearer))
            wanted = {tool["name"] for tool in json.loads(text)["result"]["tools"]
                      if not tool["name"].startswith("trails_")}
            for path in ("/.well-known/capabilities", "/capabilities", "/openapi.json",
                         "/demo/card"):
                _, fields, text = server.ask(request("", path, "GET", **bearer))
                shown = {name for name in self.ids(json.loads(text))
                         if not name.startswith("trails.")}
                self.assertEqual(shown, wanted, path)
                self.assertEqual("built" in text, "builder" in scopes, path)
            for path in ("/.well-known/capabilities/built", "/shapes/Secret", "/kg/Secret",
                         "/doctor"):
                status, _, text = server.ask(request("", path, "GET", **bearer))
                self.assertEqual(status == 200, "builder" in scopes, (path, text))
            _, _, text = server.ask(request("", "/kg/types", "GET", **bearer))
            self.assertEqual("Secret" in text, "builder" in scopes)
            tags.append(fields["etag"])
            lists.append(wanted)
            # Nor is the tag of one good for the other.
            status, _, _ = server.ask(request("", "/capabilities", "GET",
                                              If_None_Match=tags[0], **bearer))
            self.assertEqual(status, 304 if len(tags) == 1 else 200)
        self.assertLess(lists[0], lists[1])
        self.assertNotEqual(*tags)
        self.assertEqual(server.ask(request("", "/capabilities", "GET"))[0], 401)


class Kept(unittest.TestCase):
    def serve(self, app=APP, **more):
        server = Server('[project]\nname = "demo"\n[auth]\nrequired = "false"\n',
                        app, **more)
        self.addCleanup(server.close)
        return server

    @staticmethod
    def since(server):
        _, fields, _ = server.ask(request("{}", "/invoke/old", "POST",
                                          Content_Type="application/json"))
        return fields.get("deprecation")

    @staticmethod
    def date(server, seconds=1700000000):
        """Has the store say that it was so earlier."""
        with sqlite3.connect(os.path.join(server.folder, "data", "graph.db")) as db:
            changed = db.execute("UPDATE published SET deprecated = ?"
                                 " WHERE id = 'old' AND deprecated", (seconds,)).rowcount
        db.close()
        assert changed == 1

    def test_since_when_something_is_deprecated(self):
        """C61: since the store first heard of it: over a restart, not after it was
        taken back meanwhile."""
        better = APP.replace('version_status = "deprecated",', 'version = "2.0.0",')
        again = APP.replace('version_status = "deprecated",',
                            'version_status = "deprecated", version = "3.0.0",')
        for env in ("development", "production"):
            with self.subTest(env):
                server = self.serve(environment={"TRAILS_ENV": env})
                first = self.since(server)
                self.assertRegex(first, r"^@\d{10}$")
                server.end("terminate")
                self.date(server)
                for app, wanted in ((APP, "@1700000000"), (better, None)):
                    server.write("app.lua", app)
                    server.start(environment={"TRAILS_ENV": env})
                    self.assertEqual(self.since(server), wanted)
                    server.end("terminate")
                server.write("app.lua", again)
                server.start(environment={"TRAILS_ENV": env})
                self.assertGreaterEqual(self.since(server), first)

    def test_a_reload_is_when_it_is_published(self):
        server = self.serve(APP.replace('version_status = "deprecated",', ""))
        self.assertIsNone(self.since(server))
        server.write("app.lua", APP)
        server.process.send_signal(1)
        wait_for(lambda: server.metric('trails_reloads_total{result="ok"}') == 1)
        self.assertRegex(self.since(server), r"^@\d{10}$")
        self.date(server)
        server.process.send_signal(1)
        wait_for(lambda: server.metric('trails_reloads_total{result="ok"}') == 2)
        self.assertEqual(self.since(server), "@1700000000")

    def test_it_is_the_same_in_every_process_and_in_a_backup(self):
        first = self.serve()
        self.date(first)
        copy = os.path.join(first.folder, "copy.db")
        def run(*command):
            subprocess.run([first.program, *command, "--app", first.folder], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run("backup", copy)
        second = self.serve(environment={
            "TRAILS_STORE": os.path.join(first.folder, "data")})
        self.assertEqual(self.since(second), "@1700000000")
        self.date(first, 1800000000)
        self.assertEqual(self.since(first), "@1800000000")
        run("restore", copy)
        self.assertEqual([self.since(first), self.since(second)],
                         ["@1700000000", "@1700000000"])

    def test_what_calls_have_cost_survives_a_restart(self):
        server = self.serve()
        def measured():
            _, _, text = server.ask(request("", "/.well-known/capabilities/point", "GET",
                                            Accept=JSON))
            return json.loads(text).get("measured")
        for _ in range(20):
            server.ask(request("{}", "/invoke/point", "POST", Content_Type=JSON))
        # Each loop knows it within a second of the store: one has to be enough.
        seen = [None]
        def is_known():
            seen[0] = measured()
            return (seen[0] or {}).get("calls") == 20
        wait_for(is_known)
        before = seen[0]
        self.assertGreater(before["latency_p95_ms"], 0)
        self.assertEqual(server.end("terminate"), 0)
        server.start()
        self.assertEqual(measured(), before)

    def test_the_tag_is_the_same_in_every_process(self):
        tags = {server.ask(request("", "/capabilities", "GET"))[1]["etag"]
                for server in (self.serve(), self.serve())}
        self.assertEqual(len(tags), 1)

    def test_a_reload_is_seen_by_the_next_request(self):
        server = self.serve()

        def tag():
            return server.ask(request("", "/capabilities", "GET"))[1]["etag"]
        before = tag()
        server.write("app.lua", APP.replace("Says it again.", "Repeats it."))
        server.process.send_signal(1)
        wait_for(lambda: server.metric('trails_reloads_total{result="ok"}') == 1)
        self.assertNotEqual(tag(), before)
        self.assertIn("Repeats it.", server.ask(
            request("", "/openapi.json", "GET"))[2])


class Out(unittest.TestCase):
    def test_whoever_is_asked_is_told_the_trace(self):
        listener = socket.create_server(("127.0.0.1", 0))
        listener.settimeout(60)
        self.addCleanup(listener.close)
        heard = []

        def answer():
            for _ in range(2):
                peer, _ = listener.accept()
                heard.append(read_until(peer, b"\r\n\r\n").decode())
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                             b"Connection: close\r\n\r\n")
                peer.close()
        threading.Thread(target=answer, daemon=True).start()
        place = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = Server(f'[fetch]\nallow = ["{place}"]\n', f'''
            capability "go" {{
              description = "Goes there.",
              input = {{ own = text {{ optional = true }} }},
              side_effects = {{ external_calls = {{ "{place}/" }} }},
              run = function(ctx, args)
                return ctx:fetch {{ url = "{place}/", headers = {{ Traceparent = args.own }} }}.status
              end,
            }}''')
        self.addCleanup(server.close)
        for args in ({}, {"own": PARENT}):
            status, fields, text = server.ask(request(
                json.dumps(args), "/invoke/go", "POST",
                Content_Type="application/json", traceparent=PARENT))
            self.assertEqual((status, text), (200, "200"), text)
            self.assertEqual(fields["x-trace-id"], TRACE)
        told = [re.findall(r"(?im)^traceparent: (\S+)\r?$", one) for one in heard]
        self.assertRegex(told[0][0], f"^00-{TRACE}-[0-9a-f]{{16}}-01$")
        self.assertNotEqual(told[0][0], PARENT)
        self.assertEqual(told[1], [PARENT])


class Stop(unittest.TestCase):
    def test_a_call_that_runs_is_cancelled_and_answered(self):
        server = Server("", APP)
        with server.connect() as peer:
            peer.sendall(request("{}", "/invoke/waits", "POST",
                                 Content_Type="application/json"))
            wait_for(lambda: server.metric("trails_calls_running") == 1)
            server.process.terminate()
            status, _, text = read_response(peer)
        self.assertEqual((status, json.loads(text)["code"]), (503, "cancelled"))
        self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    unittest.main()
