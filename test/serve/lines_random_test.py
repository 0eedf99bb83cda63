#!/usr/bin/env python3
"""A message is a line on stdio, and one data line of an event elsewhere. Of every app
in the tree, and of random ones that have every control character wherever an app can
say something, everything that lists show is listed, read and called, in all five
revisions; each line must be a message by itself."""
import glob
import json
import os
import random
import re
import secrets
import shutil
import subprocess
import tempfile
import unittest

from hostile_random_test import Wire, is_message, post, strict
from server import ROOT, TRAILS

SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = os.environ.get("TRAILS_TEST_SEED") or str(secrets.randbits(32))
RANDOM_APPS = max(1, round(5 * SCALE))
OLD = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
NEW = "2026-07-28"
APPS = sorted(os.path.dirname(path) for pattern in ("apps", "test/apps")
              for path in glob.glob(os.path.join(ROOT, pattern, "*", "app.lua")))
LISTS = {"tools/list": "tools", "resources/list": "resources",
         "resources/templates/list": "resourceTemplates",
         "prompts/list": "prompts"}
CAPABILITIES = {"elicitation": {}, "sampling": {}, "roots": {}}
AT_ONCE = 16

# Random apps -----------------------------------------------------------------

CONTROLS = [chr(c) for c in [*range(32), 127, 0x85, 0x2028, 0x2029, 0xfeff]]
SPACE = [" ", "\t", "\n", "\r", "\r\n", "\n\n", ""]


def make_text(rng, controls):
    """Has some of the control characters that no text before it has had."""
    some = [controls.pop() if controls else rng.choice(CONTROLS)
            for _ in range(rng.randrange(1, 4))]
    some += rng.choices(["a", "é", "\"", "\\", "\\n", "\n\ndata: {}\n\n", "😀"], k=2)
    rng.shuffle(some)
    return "x" + "".join(some)


def lua(text):
    return '"' + "".join(f"\\{byte:03}" for byte in text.encode()) + '"'


def escaped(text):
    """As TOML and Turtle write it."""
    return '"' + "".join(f"\\U{ord(c):08X}" for c in text) + '"'


def write_json(rng, value):
    """JSON with whatever space it may have, and with any way to write a text."""
    gap = lambda: "".join(rng.choices(SPACE, k=rng.randrange(3)))
    if isinstance(value, dict):
        inside = ",".join(f"{gap()}{write_json(rng, key)}{gap()}:"
                          f"{write_json(rng, one)}" for key, one in value.items())
        return f"{gap()}{{{inside}{gap()}}}{gap()}"
    if isinstance(value, list):
        inside = ",".join(write_json(rng, one) for one in value)
        return f"{gap()}[{inside}{gap()}]{gap()}"
    return gap() + json.dumps(value, ensure_ascii=rng.random() < 0.5) + gap()


def make_schema(rng, text, depth=2):
    """Of a value; at its root, of the arguments of a tool."""
    kind = "object" if depth else rng.choice(["string", "integer", "boolean"])
    schema = {"type": kind, "title": text(), "description": text(),
              "examples": [{text(): text()}, text()], "$comment": text()}
    if kind == "string":
        schema["enum"] = [text(), text()]
        schema["default"] = schema["enum"][0]
    if kind == "object":
        schema["properties"] = {text(): make_schema(rng, text, depth - 1)
                                for _ in range(rng.randrange(1, 4))}
    return schema


# Each says a text wherever it can: `%s` is a Lua string that nobody had before.
# What an app may not say is refused, and `try` goes on with the rest.
DECLARATIONS = """
try(function() capability(%s) { description = %s, side_effects = {}, run = say } end)
try(function() capability "told" { title = %s, description = %s, side_effects = {},
  input = { a = text { title = %s, description = %s, one_of = { %s, %s } },
    b = text { default = %s } }, cost = { tokens = 1 },
  meta = { ["com.example/a"] = { [%s] = %s } },
  icons = { { src = "https://a.example/i.png" } }, run = say } end)
try(function() capability "named" { description = %s, side_effects = {},
  input = { [%s] = text { description = %s } }, run = say } end)
try(function() capability "table" { description = %s, side_effects = {},
  input_schema = { type = "object", description = %s,
    properties = { [%s] = { type = "string", description = %s } } }, run = say } end)
try(function() resource("lines:" .. %s) { name = %s, run = function() return %s end } end)
try(function() resource "lines://a" { name = %s, title = %s, description = %s,
  mime_type = "text/plain", meta = { ["com.example/a"] = { [%s] = %s } },
  run = function() return { text = %s, mime_type = %s } end } end)
try(function() resource_template "lines://t/{id}" { name = %s, title = %s,
  description = %s, run = function(_, args) return args.id .. %s end } end)
try(function() resource_template("lines:{a}" .. %s) { name = %s, run = say } end)
try(function() prompt(%s) { description = %s, run = function() return %s end } end)
try(function() prompt "ask" { title = %s, description = %s,
  arguments = { who = text { title = %s, description = %s } },
  run = function(_, args) return { description = %s, messages = {
    { role = "user", content = args.who .. %s } } } end } end)
try(function() prompt "keyed" { arguments = { [%s] = text { description = %s } },
  run = function() return %s end } end)
try(function() completion { prompt = "ask", argument = "who",
  run = function() return { %s, %s } end } end)
try(function() completion { template = "lines://t/{id}", argument = "id",
  run = function() return { %s } end } end)
try(function() extension "com.example/lines" { [%s] = %s } end)
try(function() policy(%s) { description = %s, run = function() return true end } end)
try(function() policy "no" { description = %s,
  run = function() return false, %s end } end)
try(function() capability "denied" { description = %s, side_effects = {},
  policy_required = { "no" }, run = say } end)
try(function() node_type(%s) { description = %s, fields = { a = text } } end)
try(function() node_type "Note" { description = %s, label = "title",
  fields = { title = text { title = %s, description = %s, default = %s },
    kind = text { one_of = { %s, %s }, optional = true } },
  tools = { "create", "update", "delete", "find" } } end)
try(function() node_type "Shaped" { fields = { n = integer, f = number, t = text },
  tools = { "create", "find" } } end)
try(function() shape_file "shapes.ttl" end)
try(function() node_type "Odd" { fields = { [%s] = text } } end)
try(function() capability "keep" { description = %s, output = "Note",
  side_effects = { graph_writes = { "default" } },
  run = function(ctx) return ctx.kg:create("Note", { title = %s }) end } end)
try(function() capability "raise" { description = %s, side_effects = {},
  run = function() error { code = "invalid", message = %s,
    data = { [%s] = %s } } end } end)
try(function() capability "throw" { description = %s, side_effects = {},
  run = function() error(%s) end } end)
try(function() capability "blocks" { description = %s, side_effects = {},
  run = function(ctx) return ctx:result { content = { ctx:text(%s),
    ctx:link { uri = %s, name = %s }, ctx:resource { uri = "a:b", text = %s } },
    value = { [%s] = %s }, meta = { [%s] = %s } } end } end)
try(function() capability "elicits" { description = %s, side_effects = {},
  run = function(ctx) return ctx:elicit { message = %s,
    fields = { a = text { title = %s, one_of = { %s } } } }.action end } end)
try(function() capability "samples" { description = %s, side_effects = {},
  run = function(ctx) return ctx:sample { prompt = %s, system_prompt = %s }.model
  end } end)
"""
SAY = """
local function try(declare) pcall(declare) end
local function say(ctx, args)
  ctx:log("error", { [%s] = %s }, %s)
  ctx:progress(1, 2, %s)
  ctx:updated("lines://a")
  return { [%s] = { %s, args } }
end
"""


# XSD has space around numbers, too; ids are those of the type Shaped.
SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<urn:S> a sh:NodeShape ; sh:targetClass <trails://lines/Shaped> ; sh:name %s ;
  sh:property [ sh:path <trails://lines/Shaped#n> ; sh:name %s ; sh:description %s ;
    sh:minInclusive "\\n5 "^^xsd:integer ; sh:maxExclusive "\\r\\n 100"^^xsd:integer ] ;
  sh:property [ sh:path <trails://lines/Shaped#f> ; sh:message %s ;
    sh:minExclusive "\\n1.5E0"^^xsd:double ; sh:maxInclusive "\\t10.5 "^^xsd:decimal ] ;
  sh:property [ sh:path <trails://lines/Shaped#t> ; sh:in ( %s %s "x" ) ] .
"""


def make_app(rng):
    controls = CONTROLS * 3
    rng.shuffle(controls)
    text = lambda: make_text(rng, controls)
    filled = re.sub("%s", lambda _: lua(text()), SAY + DECLARATIONS)
    schemas = [f'capability "verbatim.n{i}" {{ description = {lua(text())}, '
               "side_effects = {}, run = say, input_schema = "
               f"{lua(write_json(rng, make_schema(rng, text)))} }}\n"
               for i in range(10)]
    return {
        "app.lua": filled + "".join(schemas),
        "shapes.ttl": re.sub("%s", lambda _: escaped(text()), SHAPES),
        "trails.toml": '[project]\nname = "lines"\n'
                       f"[mcp]\ninstructions = {escaped(text())}\n"}


# What is asked -----------------------------------------------------------------

def sample(schema):
    """A value that a schema takes, as far as that is easy to see."""
    for word in ("default", "const"):
        if word in schema:
            return schema[word]
    if schema.get("enum"):
        return schema["enum"][0]
    for word in ("anyOf", "oneOf", "allOf"):
        if schema.get(word):
            return sample({**schema, **schema[word][0], word: None})
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {key: sample(one)
                for key, one in schema.get("properties", {}).items()}
    if kind == "array":
        return [sample(schema.get("items", {}))] * schema.get("minItems", 1)
    if kind == "string":
        return ("trails://x/T/1" if schema.get("format") == "iri" else
                "2026-01-01T00:00:00Z" if schema.get("format") == "date-time" else
                "x" * max(1, schema.get("minLength", 1)))
    return {"boolean": True, "null": None}.get(kind, schema.get("minimum", 0))


def requests_of(shown):
    """One for everything that the lists have shown, and more."""
    for tool in shown["tools"]:
        for arguments in ({}, sample(tool["inputSchema"]), {"\n": "\r"}):
            yield "tools/call", {"name": tool["name"], "arguments": arguments}
    for one in shown["resources"]:
        yield "resources/read", {"uri": one["uri"]}
    for one in shown["resourceTemplates"]:
        for value in ("x", "%0A%0D", "Note"):
            yield "resources/read", {"uri": re.sub(r"\{[^}]*\}", value,
                                                   one["uriTemplate"])}
        for name in re.findall(r"\{\W?(\w+)", one["uriTemplate"]):
            yield "completion/complete", {
                "ref": {"type": "ref/resource", "uri": one["uriTemplate"]},
                "argument": {"name": name, "value": ""}}
    for one in shown["prompts"]:
        names = [argument["name"] for argument in one.get("arguments", [])]
        yield "prompts/get", {"name": one["name"],
                              "arguments": {name: "x\n" for name in names}}
        for name in names:
            yield "completion/complete", {
                "ref": {"type": "ref/prompt", "name": one["name"]},
                "argument": {"name": name, "value": ""}}
    for name in ("no\nsuch", "\r\n"):
        yield "tools/call", {"name": name}
        yield "resources/read", {"uri": f"a:{name}"}
        yield "prompts/get", {"name": name}
        yield name, {}


class Talk:
    """A conversation in some revision; subclasses have a transport. What the
    server asks is answered, so that nobody waits for ever."""

    def __init__(self, folder, revision, *options):
        self.revision = revision
        self.count = self.messages = 0
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [TRAILS, "serve", folder, *options], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log,
            env={**os.environ, "TRAILS_ACCESS_LOG": "false",
                 "TRAILS_STORE": ":memory:"})

    def check(self, data):
        """The message that these bytes are, as a line or as data of an event."""
        try:
            assert not re.search(rb"[\x00-\x1f]", data), "control characters"
            value = strict(data)
            assert is_message(value), "no message"
        except (AssertionError, ValueError) as wrong:
            raise AssertionError(f"{wrong}: {data!r}") from wrong
        self.messages += 1
        return value

    def request(self, method, params):
        self.count += 1
        meta = {"progressToken": f"p\n{self.count}"}
        if self.revision == NEW:
            meta |= {"io.modelcontextprotocol/protocolVersion": NEW,
                     "io.modelcontextprotocol/logLevel": "debug",
                     "io.modelcontextprotocol/clientCapabilities": CAPABILITIES}
        return {"jsonrpc": "2.0", "id": f"{self.count}\n\r\0\x1f",
                "method": method, "params": {**params, "_meta": meta}}

    def ask_all(self, asked):
        """Sends (method, params), some at a time; all results, in their order."""
        results = []
        for at in range(0, len(asked), AT_ONCE):
            some = [self.request(*one) for one in asked[at:at + AT_ONCE]]
            answers = self.exchange(some)
            results += [answers[one["id"]].get("result", {}) for one in some]
        return results

    def collect(self, waiting, next_message):
        """Takes messages until everybody has an answer."""
        answers = {}
        while set(answers) < waiting:
            message = next_message()
            if "method" not in message:
                answers[message["id"]] = message
            elif "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"],
                           "result": self.reply_to(message["method"])})
        return answers

    def reply_to(self, method):
        return {"elicitation/create": {"action": "decline"},
                "roots/list": {"roots": []}}.get(
                    method, {"role": "assistant", "model": "m",
                             "content": {"type": "text", "text": "x\ny"}})

    def walk(self):
        """Everything there is; how many messages came."""
        if self.revision == NEW:
            self.ask_all([("server/discover", {})])
        else:
            self.ask_all([("initialize", {
                "protocolVersion": self.revision, "capabilities": CAPABILITIES,
                "clientInfo": {"name": "c\n", "version": "1"}})])
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            self.ask_all([("logging/setLevel", {"level": "debug"}),
                          ("resources/subscribe", {"uri": "lines://a"})])
        shown = {}
        for method, member in LISTS.items():
            shown[member], cursor = [], {}
            while cursor is not None:
                page = self.ask_all([(method, cursor)])[0]
                shown[member] += page.get(member, [])
                cursor = ({"cursor": page["nextCursor"]}
                          if "nextCursor" in page else None)
        self.ask_all(list(requests_of(shown)))
        return shown

    def close(self):
        """The exit code, once it has ended by itself."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.log.close()
        return self.process.wait(60)


class Lines(Talk):
    def __init__(self, folder, revision):
        super().__init__(folder, revision, "--stdio")

    def send(self, *messages):
        self.process.stdin.write(b"".join(json.dumps(one).encode() + b"\n"
                                          for one in messages))
        self.process.stdin.flush()

    def next_message(self):
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            self.log.seek(0)
            raise AssertionError(f"{line!r}, then the end: {self.log.read()}")
        return self.check(line[:-1])

    def exchange(self, some):
        self.send(*some)
        return self.collect({one["id"] for one in some}, self.next_message)


class Http(Talk):
    def __init__(self, folder, revision):
        super().__init__(folder, revision, "--http", "127.0.0.1:0")
        line = self.process.stdout.readline()
        self.port = int(re.search(rb":(\d+)/mcp$", line)[1])
        self.wire = Wire(self.port)

    def data_of(self, event):
        """Each line of an event is a field, and only one of them is data."""
        fields = [line.partition(b": ") for line in event.split(b"\n")
                  if not line.startswith(b":")]
        data = [value for name, _, value in fields if name == b"data"]
        if (b"\r" in event or len(data) > 1 or
                {name for name, _, _ in fields} - {b"event", b"id", b"data"}):
            raise AssertionError(f"not one data line: {event!r}")
        return data[0] if data else b""

    def close(self):
        self.wire.close()
        self.process.terminate()
        return super().close()


class Posts(Http):
    """The stateless revision: an answer, or a stream of events that ends."""

    def exchange(self, some):
        answers = {}
        for one in some:
            fields = {"MCP_Protocol_Version": NEW, "Mcp_Method": one["method"]}
            name = one["params"].get("name", one["params"].get("uri"))
            if name is not None:
                fields["Mcp_Name"] = name
            if re.search(r"[^ -~]", "".join(fields.values())):
                answers[one["id"]] = {}  # a header cannot say that
                continue
            self.wire.send(post(json.dumps(one).encode(), **fields))
            _, head, body = self.wire.response()
            said = [body]
            if "event-stream" in head["content-type"]:
                said = [self.data_of(event)
                        for event in body.removesuffix(b"\n\n").split(b"\n\n")]
            for message in [self.check(data) for data in said if data]:
                if "method" not in message:
                    answers[one["id"]] = message
        return answers


class Events(Http):
    """The revision 2024-11-05: all messages come as events of one stream."""

    def __init__(self, folder, revision):
        super().__init__(folder, revision)
        self.stream = Wire(self.port)
        self.stream.send(b"GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.stream.head()
        self.buffer = b""
        self.target = self.next_data().decode()

    def next_data(self):
        data = b""
        while not data:
            while b"\n\n" not in self.buffer:
                self.buffer += self.stream.chunk()
            event, _, self.buffer = self.buffer.partition(b"\n\n")
            data = self.data_of(event)
        return data

    def send(self, *messages):
        for message in messages:
            self.wire.send(post(json.dumps(message).encode(), path=self.target))
            status = self.wire.response()[0]
            if status != 202:
                raise AssertionError(f"{status} for {message}")

    def exchange(self, some):
        self.send(*some)
        return self.collect({one["id"] for one in some},
                            lambda: self.check(self.next_data()))

    def close(self):
        self.stream.close()
        return super().close()


class Whole(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"seed: TRAILS_TEST_SEED={SEED}", flush=True)

    def copy(self, app):
        """An app in a folder of its own, whose handlers end soon."""
        parent = tempfile.TemporaryDirectory()
        self.addCleanup(parent.cleanup)
        folder = os.path.join(parent.name, os.path.basename(app))
        shutil.copytree(app, folder, ignore=shutil.ignore_patterns("data"))
        path = os.path.join(folder, "trails.toml")
        toml = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                toml = file.read()
        quick = "[mcp]\ncall_timeout_s = 1\n"
        toml = re.sub(r"call_timeout_s = .*\n", "", toml)
        with open(path, "w", encoding="utf-8") as file:
            file.write(toml.replace("[mcp]\n", quick) if "[mcp]\n" in toml
                       else toml + quick)
        return folder

    def random_apps(self):
        for number in range(RANDOM_APPS):
            app = make_app(random.Random(f"{SEED} {number}"))
            with tempfile.TemporaryDirectory() as folder:
                for name, text in app.items():
                    with open(os.path.join(folder, name), "w",
                              encoding="utf-8") as file:
                        file.write(text)
                yield number, folder

    def hold_a_talk(self, kind, folder, revision):
        talk = kind(folder, revision)
        self.addCleanup(talk.process.kill)
        shown = talk.walk()
        self.assertEqual(talk.close(), 0)
        return talk, shown

    def in_all_ways(self, folder):
        for revision in [*OLD, NEW]:
            with self.subTest(folder=folder, lines=revision):
                talk, shown = self.hold_a_talk(Lines, folder, revision)
                self.assertGreater(talk.messages, len(shown["tools"]))
        for kind, revision in ((Posts, NEW), (Events, OLD[0])):
            with self.subTest(folder=folder, events=revision):
                self.hold_a_talk(kind, folder, revision)

    def test_every_app_of_the_tree(self):
        self.assertGreater(len(APPS), 5)
        for app in APPS:
            self.in_all_ways(self.copy(app))

    def test_random_apps(self):
        for number, folder in self.random_apps():
            with self.subTest(number=number):
                self.in_all_ways(folder)
                names = {tool["name"] for tool in self.hold_a_talk(
                    Lines, folder, NEW)[1]["tools"]}
                self.assertLess({"told", "table", "blocks", "create_note",
                                 "create_shaped", "verbatim.n9"}, names)


if __name__ == "__main__":
    unittest.main()
