#!/usr/bin/env python3
"""Hostile texts in every place of every request, and in all that an app says:
cut characters, overlong ones, surrogates, control characters, what looks like the
end of an event or of a line. Whatever comes back, over HTTP, in events, on lines
and in the log, is read as strictly as can be: UTF-8, then JSON, then no half of a
surrogate. And a request that could be read has its answer."""
import base64
import copy
import functools
import json
import os
import random
import re
import secrets
import socket
import unittest

from server import META, ROOT, Server

SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = os.environ.get("TRAILS_TEST_SEED") or str(secrets.randbits(32))
TEXTS = max(20, round(1000 * SCALE))
HERE = "@@HERE@@"

APP = r'''
local function bytes(hex)
  return (hex:gsub("%x%x", function(two) return string.char(tonumber(two, 16)) end))
end

local ways = {
  text = function(ctx, s) return s end,
  value = function(ctx, s) return { a = s } end,
  key = function(ctx, s) return { [s] = 1 } end,
  deep = function(ctx, s) return { a = { { b = s } } } end,
  raise = function(ctx, s) error(s) end,
  raise_here = function(ctx, s) error(s, 0) end,
  raise_table = function(ctx, s) error { code = "invalid", message = s } end,
  raise_code = function(ctx, s) error { code = s, message = s } end,
  raise_data = function(ctx, s) error { code = "invalid", message = "m", data = { a = s } } end,
  raise_data_key = function(ctx, s) error { code = "conflict", message = s, data = { [s] = s } } end,
  raise_fields = function(ctx, s)
    error { code = "validation", message = s, data = { fields = { { field = s, code = s, message = s } } } }
  end,
  raise_number = function(ctx, s) error(#s) end,
  fail = function(ctx, s) return ctx:error(s, { a = s }) end,
  result = function(ctx, s) return ctx:result { content = s, value = { a = s }, meta = { m = s } } end,
  meta_key = function(ctx, s) return ctx:result { content = "x", meta = { [s] = s } } end,
  block = function(ctx, s) return { ctx:text(s), ctx:image(s, s) } end,
  link = function(ctx, s) return { ctx:link { uri = s, name = s } } end,
  embed = function(ctx, s) return { ctx:resource { uri = s, text = s, mime_type = s } } end,
  log = function(ctx, s) ctx:log("error", s, s) return "x" end,
  log_key = function(ctx, s) ctx:log("error", { [s] = s }) return "x" end,
  progress = function(ctx, s) ctx:progress(1, 2, s) return "x" end,
  print = function(ctx, s) print(s) return "x" end,
  updated = function(ctx, s) ctx:updated(s) return "x" end,
  invoke = function(ctx, s) return ctx:invoke(s, { [s] = s }) end,
  invoke_args = function(ctx, s) return ctx:invoke("echo", { text = s, [s] = s }) end,
  elicit = function(ctx, s) return ctx:elicit { message = s, fields = { a = text { title = s, default = s } } }.action end,
  elicit_key = function(ctx, s) return ctx:elicit { key = s, message = "m", fields = { a = text } }.action end,
  elicit_schema = function(ctx, s) return ctx:elicit { message = s, schema = s }.action end,
  elicit_url = function(ctx, s) return ctx:elicit { message = s, url = s }.action end,
  sample = function(ctx, s) return ctx:sample { prompt = s, system_prompt = s, metadata = { [s] = s } }.model end,
  create = function(ctx, s) return ctx.kg:create("Note", { title = s }) end,
  create_key = function(ctx, s) return ctx.kg:create("Note", { [s] = s }) end,
  create_id = function(ctx, s) return ctx.kg:create("Note", { title = "x" }, { id = s }) end,
  get = function(ctx, s) return ctx.kg:get(s) end,
  search = function(ctx, s) return ctx.kg:search(s) end,
  where = function(ctx, s) return ctx.kg:where("Note", { title = s }) end,
  add = function(ctx, s) ctx.kg:add(s, s, s) return "x" end,
  json = function(ctx, s) return json.decode(s) end,
  encode = function(ctx, s) return json.encode { [s] = s } end,
  match = function(ctx, s) return re.match(s, s) and "yes" or "no" end,
  global = function(ctx, s) return _ENV[s] end,
}

capability "say" {
  description = "Says these bytes in some way.",
  side_effects = { graph_writes = { "*" } },
  input = { how = text, hex = text },
  run = function(ctx, args) return ways[args.how](ctx, bytes(args.hex)) end,
}
capability "ways" {
  description = "The names of the ways.",
  side_effects = {},
  run = function()
    local names = {}
    for name in pairs(ways) do names[#names + 1] = name end
    table.sort(names)
    return { names = names }
  end,
}
capability "echo" {
  description = "Says it again.",
  side_effects = {},
  input = { text = text { max_length = 100000 }, n = integer { optional = true }, k = text { one_of = { "a" }, optional = true } },
  run = function(ctx, args)
    ctx:log("error", args.text, "echo")
    ctx:progress(1, 2, args.text)
    return args.text
  end,
}
capability "long" {
  description = "Says much.",
  side_effects = {},
  run = function(ctx) return ctx:result { content = "x", meta = { a = ("x"):rep(5000000) } } end,
}
capability "ask" {
  description = "Asks.",
  side_effects = {},
  run = function(ctx)
    local a = ctx:elicit { key = "q", message = "m", fields = { name = text, k = text { one_of = { "a" }, optional = true } } }
    return a
  end,
}
node_type "Note" {
  fields = { title = text { search = true }, n = integer { optional = true } },
  tools = { "create", "update", "delete", "find" },
}
resource "hostile://x" { name = "x", run = function() return "x" end }
resource_template "hostile://item/{id}" {
  name = "item",
  run = function(_, args) return { text = args.id, uri = "hostile://item/x" } end,
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
completion {
  template = "hostile://item/{id}",
  argument = "id",
  run = function(_, args) return { args.value } end,
}
'''

# What a client can send: one request of each method that is as it should be.
BASES = {
    "tools/call": [
        {"name": "echo", "arguments": {"text": "x", "n": 1, "k": "a"}},
        {"name": "ask", "inputResponses": {
            "q": {"action": "accept", "content": {"name": "x", "k": "a"}}}},
        {"name": "ask", "requestState": "x"},
        {"name": "create_note", "arguments": {"title": "x", "n": 1}},
        {"name": "update_note", "arguments": {"id": "x:y", "version": 1}},
        {"name": "find_note", "arguments": {"title": "x", "cursor": "c"}},
    ],
    "resources/read": [{"uri": "hostile://x"}, {"uri": f"hostile://item/{HERE}"},
                       {"uri": f"trails://kg/Note?title={HERE}"},
                       {"uri": f"trails://kg/Note/{HERE}"},
                       {"uri": f"trails://prov?capability={HERE}"}],
    "prompts/get": [{"name": "hail", "arguments": {"who": "x"}}],
    "completion/complete": [
        {"ref": {"type": "ref/prompt", "name": "hail"},
         "argument": {"name": "who", "value": "x"},
         "context": {"arguments": {"a": "b"}}},
        {"ref": {"type": "ref/resource", "uri": "hostile://item/{id}"},
         "argument": {"name": "id", "value": "x"}},
        {"ref": {"type": "ref/resource", "uri": "trails://kg/{type}"},
         "argument": {"name": "type", "value": "x"}}],
    "tools/list": [{"cursor": "x"}],
    "resources/list": [{"cursor": "x"}],
    "resources/templates/list": [{"cursor": "x"}],
    "prompts/list": [{"cursor": "x"}],
    "server/discover": [{}],
    "initialize": [{"protocolVersion": "2025-11-25", "capabilities": {"x": {}},
                    "clientInfo": {"name": "x", "version": "1"}}],
    "ping": [{}],
    "logging/setLevel": [{"level": "debug"}],
    "resources/subscribe": [{"uri": "hostile://x"}],
    "resources/unsubscribe": [{"uri": "hostile://x"}],
    "subscriptions/listen": [{"notifications": {
        "resourceSubscriptions": ["hostile://x"]}}],
    "no/such": [{}],
}
MODERN_ONLY = {"server/discover", "subscriptions/listen"}
LEGACY_ONLY = {"initialize", "ping", "logging/setLevel", "resources/subscribe",
               "resources/unsubscribe"}


def methods_of_the_server():
    path = os.path.join(ROOT, "src", "mcp", "dispatch.c")
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^ *\{TR_STR_INIT\("([^"]+)"\), [A-Z]+,', file.read(),
                          re.M)


# Texts ---------------------------------------------------------------------

CHARACTERS = [b"\xc3\xa9", b"\xe2\x82\xac", b"\xf0\x9f\x98\x80", b"\xef\xbf\xbf",
              b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\xf4\x8f\xbf\xbf"]
BROKEN = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80", b"\xc0\xaf",
          b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xed\xa0\x80", b"\xed\xbf\xbf",
          b"\xed\xa0\xbd\xed\xb8\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80",
          b"\xfe", b"\xc1\xbf"]
CONTROLS = [bytes([c]) for c in range(32)] + [b"\x7f", b"\xc2\x85", b"\xc2\x9b",
                                              b"\r\n", b"\n\ndata: {}\n\n",
                                              b"\r\rid: 1\r", b"\"}\n{\"a\":\""]
ESCAPES = [b"\\ud800", b"\\udc00", b"\\ud83d\\ude00", b"\\u0000", b"\\ud800x",
           b"\\udc00\\ud800", b"\\uFFFF", b"\\u2028", b"\\n", b"\\", b"\\u12"]
PLAIN = [b"a", b"\"", b"'", b"/", b"%", b"{", b"%ff", b"%C3", b"%s", b"<", b"?", b"&"]
LENGTHS = [63, 64, 95, 99, 100, 127, 128, 129, 159, 160, 191, 255, 256, 257, 511, 512,
           1023, 1024, 4095, 8191]


def make_text(rng):
    """Bytes, and whether they stand in JSON as they are."""
    pieces = rng.choice([CHARACTERS, BROKEN, CONTROLS, ESCAPES,
                         CHARACTERS + BROKEN + CONTROLS + ESCAPES + PLAIN])
    if rng.random() < 0.4:  # so long that it is cut, at any byte of a character
        many = rng.choice(CHARACTERS)
        start = b"a" * rng.randrange(5)
        fill = rng.choice(LENGTHS) + rng.randrange(-3, 4)
        text = start + many * (fill // len(many) + 1)
        if rng.random() < 0.3:
            text = text[:fill]
    else:
        text = b"".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12)))
        if rng.random() < 0.3:
            text = b"a" * rng.choice(LENGTHS) + text
    return text, rng.random() < 0.4


def in_json(text, as_it_is):
    """Between the quotes of a string; escaped, where it can be, or not."""
    if as_it_is:
        return text
    text = text.replace(b"\\", b"\\\\").replace(b"\"", b"\\\"")
    return re.sub(rb"[\x00-\x1f]", lambda c: b"\\u%04x" % c[0][0], text)


# Places --------------------------------------------------------------------

def places(value, path=()):
    """Every leaf and every key, each as (path, the whole with HERE there)."""
    if isinstance(value, dict):
        for key in value:
            renamed = {HERE if k == key else k: copy.deepcopy(v)
                       for k, v in value.items()}
            yield (*path, f"key {key}"), renamed
            for where, inside in places(value[key], (*path, key)):
                yield where, {**copy.deepcopy(value), key: inside}
    elif isinstance(value, list):
        for i, item in enumerate(value):
            for where, inside in places(item, (*path, str(i))):
                yield where, [*value[:i], inside, *value[i + 1:]]
    elif isinstance(value, str) and HERE in value:
        yield path, value
    else:
        yield path, HERE


def without_here(value):
    return json.loads(json.dumps(value).replace(HERE, "x"))


@functools.cache
def requests(modern):
    """(path, text): every place of every request of an era."""
    return [(where, json.dumps(message).encode())
            for where, message in request_trees(modern)]


def request_trees(modern):
    for method, all_params in BASES.items():
        if method in (LEGACY_ONLY if modern else MODERN_ONLY):
            continue
        for params in all_params:
            meta = {"progressToken": "p", "traceparent": "x", "own": {"a": "b"}}
            if modern:
                meta.update(META)
                meta["io.modelcontextprotocol/clientInfo"] = {"name": "c",
                                                              "version": "1"}
                meta["io.modelcontextprotocol/clientCapabilities"] = {
                    "elicitation": {}, "sampling": {}}
                meta["io.modelcontextprotocol/logLevel"] = "debug"
            message = {"jsonrpc": "2.0", "id": "ID", "method": method,
                       "params": {**params, "_meta": meta}}
            if HERE in json.dumps(params):
                yield ("params", "uri"), message
            for where, inside in places(without_here(message)):
                yield where, inside


# What comes back -------------------------------------------------------------

def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def strict(data):
    """The JSON of these bytes; raises when they are not exactly that."""
    text = data.decode("utf-8", "strict")
    value = json.loads(text, parse_constant=refuse_constant)
    json.dumps(value, ensure_ascii=False).encode("utf-8")  # no half surrogate
    return value


def is_message(value):
    """An error has no id when nobody knows what it is about."""
    return (isinstance(value, dict) and value.get("jsonrpc") == "2.0" and
            ("method" in value or "error" in value or
             ("id" in value and "result" in value)))


def events(data):
    """The messages of a stream that is split as a client splits it."""
    for event in re.split(rb"\r\n\r\n|\n\n|\r\r", data):
        lines = [line for line in re.split(rb"\r\n|\n|\r", event) if line]
        said = []
        for line in lines:
            name, _, value = line.partition(b":")
            if name not in (b"", b"event", b"id", b"retry", b"data"):
                raise ValueError(f"not a line of an event: {line!r}")
            if name == b"data":
                said.append(value.removeprefix(b" "))
        if said and said != [b""]:
            yield b"\n".join(said)


class Wire:
    """A connection to a server over HTTP, whose requests may be sent in one
    go."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 120)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def head(self):
        status = self.file.readline()
        if not status:
            raise AssertionError("the server has closed the connection")
        fields = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode("latin-1").partition(":")
            fields[name.lower()] = value.strip()
        return int(status.split()[1]), fields

    def chunk(self):
        size = int(self.file.readline(), 16)
        data = self.file.read(size)
        self.file.readline()
        return data

    def response(self):
        status, fields = self.head()
        if fields.get("transfer-encoding") == "chunked":
            body = b""
            while (more := self.chunk()):
                body += more
        else:
            body = self.file.read(int(fields.get("content-length", "0")))
        return status, fields, body


def post(body, **fields):
    head = {"Host": "127.0.0.1", "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream", **fields,
            "Content-Length": str(len(body))}
    path = head.pop("path", "/mcp")
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n"
                    for name, value in head.items())
    return f"POST {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body


class Case:
    """A text in a place."""

    def __init__(self, where, message, text):
        raw, as_it_is = text
        self.where = where
        self.body = message.replace(HERE.encode(), in_json(raw, as_it_is))
        try:
            self.sent = strict(self.body)
        except ValueError:
            self.sent = None

    def numbered(self, number):
        return self.body.replace(b'"ID"', b"%d" % number)

    def on_line(self, number):
        """As one line: a raw line end would make two of it."""
        return self.numbered(number).replace(b"\n", b"").replace(b"\r", b"")

    def wants_answer(self):
        return (self.sent is not None and self.where[0] == "params" or
                (self.sent is not None and self.where == ("method",)))

    def is_stream(self):
        return b"subscriptions/listen" in self.body


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"seed: TRAILS_TEST_SEED={SEED}")

    def setUp(self):
        self.random = random.Random(f"{SEED}{self.id()}")
        self.server = None

    def serve(self, *options):
        self.server = Server(app=APP, options=options or ("--http", "127.0.0.1:0"))
        return self.server

    def tearDown(self):
        if not self.server:
            return
        with open(self.server.log_path, "rb") as file:
            for line in file:
                with self.subTest(log=line):
                    self.assertIn("msg", self.read(line))
        self.assertEqual(self.server.close(), 0)

    def read(self, data, about=None):
        try:
            return strict(data)
        except ValueError as error:
            self.fail(f"{error}: {data[:2000]!r} to {about and about.body[:2000]!r}")

    def check_message(self, value, about=None):
        said = value if isinstance(value, list) else [value]
        for one in said:
            self.assertTrue(is_message(one),
                            f"{one!r} to {about and about.body[:2000]!r}")
        return said

    def check_http(self, response, about=None):
        """All messages of a response."""
        status, fields, body = response
        kind = fields.get("content-type", "")
        if kind.startswith("text/event-stream"):
            parts = list(events(body))
        else:
            parts = [body] if body else []
        self.assertLess(status, 500, about and about.body[:2000])
        found = []
        for part in parts:
            found += self.check_message(self.read(part, about), about)
        return found

    def texts(self, count=TEXTS):
        return [make_text(self.random) for _ in range(count)]

    def say(self, how, text, modern):
        raw, _ = text
        params = {"name": "say", "arguments": {"how": how, "hex": raw.hex()},
                  "_meta": {"progressToken": "p"}}
        if modern:
            params["_meta"].update(META)
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {
                "elicitation": {"form": {}, "url": {}}, "sampling": {}}
            params["_meta"]["io.modelcontextprotocol/logLevel"] = "debug"
        message = {"jsonrpc": "2.0", "id": "ID", "method": "tools/call",
                   "params": params}
        return Case(("params", how), json.dumps(message).encode(), (b"", False))

    def ways(self):
        return sorted(re.findall(r"^  (\w+) = function\(ctx, s\)", APP, re.M))

    def cases(self, text, modern):
        for where, message in requests(modern):
            yield Case(where, message, text)
        for how in self.ways():
            yield self.say(how, text, modern)

    # Lines -----------------------------------------------------------------

    def lines_until(self, process, number, answered):
        """Reads answers until the one with this number. What is asked is
        declined: nobody waits for ever."""
        while number not in answered:
            line = process.stdout.buffer.readline()
            self.assertTrue(line, "the server has closed its output")
            for one in self.check_message(self.read(line)):
                if "method" not in one and isinstance(one.get("id"), int):
                    self.assertNotIn(one["id"], answered, "answered twice")
                    answered.add(one["id"])
                elif one.get("method") == "elicitation/create":
                    self.put(process, {"jsonrpc": "2.0", "id": one["id"],
                                       "result": {"action": "decline"}})

    def put(self, process, *lines):
        """Sends messages, or bytes, as lines."""
        for line in lines:
            data = line if isinstance(line, bytes) else json.dumps(line).encode()
            process.stdin.buffer.write(data + b"\n")
        process.stdin.buffer.flush()

    def send_lines(self, process, modern, ping):
        number = 10
        for text in self.texts():
            cases = [case for case in self.cases(text, modern)
                     if not case.is_stream()]
            for at in range(0, len(cases), 16):
                wanted, answered = [], set()
                for case in cases[at:at + 16]:
                    number += 1
                    self.put(process, case.on_line(number))
                    if case.wants_answer():
                        wanted.append(number)
                number += 1
                self.put(process, {**ping, "id": number})
                for one in [number, *wanted]:
                    self.lines_until(process, one, answered)

    def open_lines(self):
        process = self.serve("--stdio").process
        self.put(process, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "c", "version": "1"}}})
        self.lines_until(process, 1, set())
        return process

    def test_lines_of_a_session(self):
        self.send_lines(self.open_lines(), False,
                        {"jsonrpc": "2.0", "method": "ping"})

    def test_lines_without_a_session(self):
        self.send_lines(self.serve("--stdio").process, True, {
            "jsonrpc": "2.0", "method": "server/discover",
            "params": {"_meta": META}})

    # HTTP ------------------------------------------------------------------

    def headers_of(self, case):
        """What the body says again, as far as it can be said."""
        fields = {"MCP_Protocol_Version": "2026-07-28"}
        message = case.sent if isinstance(case.sent, dict) else {}
        method = message.get("method")
        if isinstance(method, str) and re.fullmatch(r"[!-~]+", method):
            fields["Mcp_Method"] = method
        params = message.get("params")
        name = params.get("name", params.get("uri")) if isinstance(
            params, dict) else None
        if isinstance(name, str):
            code = base64.b64encode(name.encode()).decode()
            fields["Mcp_Name"] = f"=?base64?{code}?="
        return fields

    def send_http(self, port, cases, fields_of, around=lambda body: body):
        """Sends all of them, some at a time, and gives each with what it is
        answered."""
        wire = Wire(port)
        for at in range(0, len(cases), 32):
            some = cases[at:at + 32]
            wire.send(b"".join(post(around(case.numbered(10 + i)),
                                    **fields_of(case))
                               for i, case in enumerate(some)))
            for i, case in enumerate(some):
                said = self.check_http(wire.response(), case)
                yield case, 10 + i, [one.get("id") for one in said
                                     if "method" not in one]
        wire.close()

    def check_answered(self, sent):
        for case, number, ids in sent:
            if case.wants_answer():
                self.assertEqual(ids, [number], case.body[:2000])

    def test_http_without_a_session(self):
        port = self.serve().port
        for text in self.texts():
            cases = [case for case in self.cases(text, True)
                     if not case.is_stream()]
            self.check_answered(self.send_http(port, cases, self.headers_of))

    def test_streams_that_listen(self):
        port = self.serve().port
        listens = [one for one in requests(True)
                   if b"subscriptions/listen" in one[1]]
        for text in self.texts(max(5, TEXTS // 10)):
            for where, message in listens:
                case = Case(where, message, text)
                wire = Wire(port)
                wire.send(post(case.numbered(7), **self.headers_of(case)))
                status, fields = wire.head()
                if fields.get("transfer-encoding") == "chunked":
                    for part in events(wire.chunk()):
                        self.check_message(self.read(part, case), case)
                else:
                    body = wire.file.read(int(fields.get("content-length", "0")))
                    self.check_http((status, fields, body), case)
                wire.close()

    def open_session(self, port, revision):
        wire = Wire(port)
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"}}}
        wire.send(post(json.dumps(hello).encode()))
        _, fields, body = wire.response()
        self.assertEqual(self.read(body)["result"]["protocolVersion"], revision)
        wire.close()
        return {"Mcp_Session_Id": fields["mcp-session-id"],
                "MCP_Protocol_Version": revision}

    def test_http_with_a_session(self):
        port = self.serve().port
        fields = self.open_session(port, "2025-11-25")
        for text in self.texts():
            cases = [case for case in self.cases(text, False)
                     if b'"initialize"' not in case.body]
            self.check_answered(
                self.send_http(port, cases, lambda case: fields))

    def test_batches(self):
        """A text in one message of a batch is no harm to the others."""
        port = self.serve().port
        fields = self.open_session(port, "2025-03-26")
        ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'
        for text in self.texts():
            cases = [case for case in self.cases(text, False)
                     if b'"initialize"' not in case.body]
            sent = self.send_http(
                port, cases, lambda case: fields,
                lambda body: b"[" + ping % 1 + b"," + body + b"," + ping % 3 + b"]")
            for case, number, ids in sent:
                if case.wants_answer():
                    self.assertEqual(sorted(ids), [1, 3, number], case.body[:2000])

    def test_a_batch_whose_answers_do_not_fit(self):
        """Each of its requests has an answer, if only that there is no room."""
        port = self.serve().port
        fields = self.open_session(port, "2025-03-26")
        wire = Wire(port)
        wire.send(post(json.dumps([
            {"jsonrpc": "2.0", "id": number, "method": "tools/call",
             "params": {"name": "long"}} for number in range(5)]).encode(), **fields))
        said = self.check_http(wire.response())
        self.assertEqual(sorted(one["id"] for one in said), [0, 1, 2, 3, 4])
        told = [one["error"]["message"] for one in said if "error" in one]
        self.assertEqual(set(told), {"the answers to the batch are too long"})
        self.assertEqual(len(told), 3)
        wire.close()

    # Events ----------------------------------------------------------------

    def test_events_of_the_oldest_revision(self):
        port = self.serve().port
        stream = Wire(port)
        stream.send(b"GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                    b"Accept: text/event-stream\r\n\r\n")
        stream.head()
        target = next(events(stream.chunk())).decode()
        kept = b""
        number = 10
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2024-11-05", "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"}}}
        wire = Wire(port)
        wire.send(post(json.dumps(hello).encode(), path=target))
        wire.response()
        for text in self.texts():
            wanted, answered = set(), set()
            cases = [case for case in self.cases(text, False)
                     if b'"initialize"' not in case.body]
            for at in range(0, len(cases), 32):
                some = cases[at:at + 32]
                wire.send(b"".join(post(case.numbered(number + i), path=target)
                                   for i, case in enumerate(some)))
                for i, case in enumerate(some):
                    status, _, _ = wire.response()
                    if case.wants_answer() and status == 202:
                        wanted.add(number + i)
                number += len(some)
            wire.send(post(b'{"jsonrpc":"2.0","id":%d,"method":"ping"}' % number,
                           path=target))
            wire.response()
            wanted.add(number)
            number += 1
            while not wanted <= answered:
                kept += stream.chunk()
                whole, _, kept = kept.rpartition(b"\n\n")
                for part in events(whole + b"\n\n") if whole else ():
                    for one in self.check_message(self.read(part)):
                        if "method" not in one:
                            answered.add(one.get("id"))
        wire.close()
        stream.close()

    # What was asked --------------------------------------------------------

    def test_answers_to_questions(self):
        """What a client answers, or why it does not, in every place."""
        process = self.open_lines()
        number = 10
        answers = [{"result": {"action": "accept", "content": {"name": "x", "k": "a"},
                               "_meta": {"a": "b"}}},
                   {"error": {"code": -1, "message": "x", "data": {"a": "b"}}}]
        for text in self.texts(max(10, TEXTS // 5)):
            for where, inside in (place for answer in answers
                                  for place in places(answer)):
                number += 1
                self.put(process, {"jsonrpc": "2.0", "id": number,
                                   "method": "tools/call",
                                   "params": {"name": "ask"}})
                asked = self.read(process.stdout.buffer.readline())
                while asked.get("method") != "elicitation/create":
                    asked = self.read(process.stdout.buffer.readline())
                answer = {"jsonrpc": "2.0", "id": asked["id"], **inside}
                case = Case(where, json.dumps(answer).encode(), text)
                self.put(process, case.on_line(0), {
                    "jsonrpc": "2.0", "id": asked["id"],  # if that was no answer
                    "result": {"action": "decline"}})
                self.lines_until(process, number, set())

    def test_every_method_is_tried(self):
        found = methods_of_the_server()
        self.assertGreater(len(found), 10, "the table of methods cannot be read")
        self.assertEqual(set(found), set(BASES) - {"no/such"})


if __name__ == "__main__":
    unittest.main()
