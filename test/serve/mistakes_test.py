#!/usr/bin/env python3
"""What a caller sends too long, too large or too often is the caller's mistake: in
every place of every request of both eras, it is no fault of the server (-32603), and
no line of level error."""
import http.client
import json
import unittest
from urllib.parse import quote

import hostile_random_test as hostile
from server import META, Server

HERE = hostile.HERE
APP = '''
node_type "Note" {
  label = "title",
  fields = {
    title = text { search = true, max_length = 1000000 },
    code = text { unique = true, optional = true, max_length = 1000000 },
    n = integer { optional = true },
    share = number { optional = true },
    at = datetime { optional = true },
    flag = boolean { optional = true },
    tags = text { many = true, optional = true },
    next = ref "Note" { optional = true },
  },
  tools = { "create", "update", "delete", "find" },
}
capability "echo" {
  description = "Says it again.",
  side_effects = {},
  idempotent = true,
  input = { text = text { max_length = 1000000 } },
  run = function(ctx, args) return args.text end,
}
capability "checked" {
  description = "Has a schema.",
  side_effects = {},
  input_schema = [[{"type": "object", "properties": {"a": {"type": "array",
    "uniqueItems": true}, "b": {"type": "string", "pattern": "^(a|b)*c$"}}}]],
  run = function(ctx, args) return "x" end,
}
capability "kg" {
  description = "Asks the graph as it is told.",
  side_effects = {},
  input = { how = text, what = text { max_length = 1000000 } },
  run = function(ctx, args)
    local kg = ctx.kg
    if args.how == "get" then return kg:get(args.what) end
    if args.how == "search" then return kg:search(args.what) end
    if args.how == "where" then return kg:where("Note", { title = args.what }) end
    if args.how == "label" then return kg:label(args.what) end
  end,
}
capability "ask" {
  description = "Asks.",
  side_effects = {},
  run = function(ctx)
    return ctx:elicit { key = "q", message = "m", fields = { name = text } }
  end,
}
resource "own://x" { name = "x", run = function() return "x" end }
resource_template "own://item/{id}" {
  name = "item",
  run = function(_, args) return { text = args.id, uri = "own://item/x" } end,
}
prompt "hail" {
  description = "Hails.",
  arguments = { who = text {} },
  run = function(_, args) return args.who end,
}
completion {
  prompt = "hail",
  argument = "who",
  run = function(_, args) return { args.value, "x" } end,
}
'''
NOTE = {"title": "x", "code": "c", "n": 1, "share": 0.5, "tags": ["a"], "flag": True,
        "at": "2026-01-01T00:00:00Z", "next": "x:y"}
BASES = {**hostile.BASES, "tools/call": [
    {"name": "echo", "arguments": {"text": "x"}},
    {"name": "checked", "arguments": {"a": [1], "b": "c"}},
    {"name": "ask", "inputResponses": {
        "q": {"action": "accept", "content": {"name": "x"}}}},
    {"name": "ask", "requestState": "x"},
    {"name": "create_note", "arguments": NOTE},
    {"name": "update_note", "arguments": {**NOTE, "id": "x:y", "version": 1}},
    {"name": "delete_note", "arguments": {"id": "x:y", "version": 1}},
    {"name": "find_note", "arguments": {"title": "x", "n": 1, "cursor": "c",
                                        "search": "x", "limit": 2}},
    *({"name": "kg", "arguments": {"how": how, "what": "x"}}
      for how in ("get", "search", "where", "label")),
], "resources/read": [
    {"uri": "own://x"},
    *({"uri": uri} for uri in (
        f"own://item/{HERE}", f"trails://kg/{HERE}", f"trails://kg/Note/{HERE}",
        f"trails://kg/Note?title={HERE}", f"trails://kg/Note?n={HERE}",
        f"trails://kg/Note?where={HERE}", f"trails://kg/Note?search={HERE}",
        f"trails://kg/Note?limit={HERE}", f"trails://kg/Note?offset={HERE}",
        f"trails://kg/Note?cursor={HERE}", f"trails://kg/Note?tags={HERE}",
        f"trails://kg/search?text={HERE}", f"trails://kg/search/{HERE}",
        f"trails://schema/{HERE}", f"trails://shape/{HERE}",
        f"trails://prov/{HERE}", f"trails://prov?capability={HERE}",
        f"trails://prov?principal={HERE}", f"trails://prov?since={HERE}"))],
}
TEXTS = ["x" * 1025, "x " * 600, "x" * 5000, "x" * 100000, "\u00e9" * 70000]
VALUES = [["x"] * 20000, [f"x{i}" for i in range(20000)], {f"k{i}": 1 for i in range(5000)}, 10 ** 30, 1e300,
          -2 ** 63, json.loads("[" * 60 + "]" * 60)]


def too_much(tree):
    """The request with each of these at the place; a part of a URI is encoded."""
    text = json.dumps(tree)
    is_part = f'"{HERE}"' not in text
    for value in TEXTS:
        inside = quote(value) if is_part else value
        yield text.replace(HERE, json.dumps(inside)[1:-1])
    if not is_part and f'"{HERE}":' not in text:
        for value in VALUES:
            yield text.replace(f'"{HERE}"', json.dumps(value))


def answers(kind, body):
    """The messages of a response that are answers."""
    if "text/event-stream" in kind:
        said = [line[6:] for line in body.split("\n") if line.startswith("data: ")]
    else:
        said = [body] if body else []
    for text in said:
        if text.strip():
            yield json.loads(text)


class Mistakes(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        hostile.BASES = BASES
        cls.server = Server("[mcp]\nmax_subscriptions = 5\n"
                            "[lua]\ncall_bytes = 2000000\n", APP)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def post(self, body, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port,
                                                timeout=120)
        tree = json.loads(body)
        fields = {"Content-Type": "application/json",
                  "Accept": "application/json, text/event-stream", **headers}
        if "MCP-Protocol-Version" not in fields:
            fields["MCP-Protocol-Version"] = "2026-07-28"
            fields["Mcp-Method"] = str(tree.get("method"))[:100]
            name = tree.get("params", {})
            name = name.get("name", name.get("uri")) if isinstance(
                name, dict) else None
            if isinstance(name, str) and len(name) < 2000 and name.isascii():
                fields["Mcp-Name"] = name
        connection.request("POST", "/mcp", body.encode(), fields)
        response = connection.getresponse()
        kind = response.headers.get("Content-Type", "")
        found = []
        if "event-stream" not in kind or tree.get("method") != "subscriptions/listen":
            found = list(answers(kind, response.read().decode()))
        session = response.headers.get("Mcp-Session-Id")
        connection.close()
        return found, session

    def check(self, where, body, **headers):
        for answer in self.post(body, **headers)[0]:
            code = answer.get("error", {}).get("code")
            if code == -32603:
                self.wrong.setdefault(
                    f"{where}: {answer['error']['message'][:100]}", body[:300])

    def faults(self):
        return [line for line in self.server.log() if line["level"] == "error"]

    def try_all(self, modern, **headers):
        self.wrong = {}
        for where, tree in hostile.request_trees(modern):
            for body in too_much(tree):
                self.check(f"{tree.get('method')} {'/'.join(where)}", body, **headers)
        self.assertEqual(list(self.wrong), [])
        self.assertEqual(self.faults(), [])

    def begin(self):
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"}}}
        session = self.post(json.dumps(hello),
                            **{"MCP-Protocol-Version": "2025-11-25"})[1]
        return {"MCP-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session}

    def test_every_place_without_a_session(self):
        self.try_all(True)

    def test_every_place_in_a_session(self):
        self.try_all(False, **self.begin())

    def test_arguments_that_are_many(self):
        """As many as fit into a body."""
        rows = [("checked", [1] * 1100000), ("checked", list(range(500000))),
                ("checked", [[i] for i in range(90000)]), ("echo", [1] * 500000)]
        said = set()
        for tool, value in rows:
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
                "name": tool, "arguments": {"a": value, "text": "x"},
                "_meta": META}}
            answer = self.post(json.dumps(body, separators=(",", ":")))[0][0]
            self.assertIn(answer["error"]["code"], (-32700, -32602), tool)
            said.add(answer["error"]["message"])
        self.assertIn("the arguments need more memory than a call may have", said)
        self.assertEqual(self.faults(), [])

    def test_more_subscriptions_than_one_may_have(self):
        self.wrong = {}
        headers = self.begin()
        codes = []
        for i in range(7):
            body = {"jsonrpc": "2.0", "id": i, "method": "resources/subscribe",
                    "params": {"uri": f"own://item/{i}"}}
            answer = self.post(json.dumps(body), **headers)[0][0]
            codes.append(answer.get("error", {}).get("code"))
        self.assertEqual(codes, [None] * 5 + [-32602] * 2)
        self.assertEqual(self.faults(), [])


if __name__ == "__main__":
    unittest.main()
