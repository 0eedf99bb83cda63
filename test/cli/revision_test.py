#!/usr/bin/env python3
"""Each revision is sent exactly the fields it knows, by its own JSON Schema.

The app below says all that an app can say; what is sent of it may have no
member that the schema does not name, but for our alias `trails` of a tool."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
SCHEMAS = os.path.join(os.environ.get("TRAILS_SUITES",
                                      os.path.join(ROOT, "..", "shared", "suites")),
                       "mcp-schema")
TAP = [sys.executable, "-B", os.path.join(ROOT, "test", "tools", "tap.py")]
LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]

APP = '''
local icons = {{ src = "data:image/png;base64,AA==", mimeType = "image/png" }}
local meta = { ["com.example/note"] = "x" }
local when = { audience = { "user" }, priority = 0.5,
               last_modified = "2026-01-01T00:00:00Z" }

capability "everything" {
  title = "Everything", description = "Returns every kind of content.",
  icons = icons, meta = meta,
  output = { answer = text },
  run = function(ctx)
    ctx:progress(1, 2, "half")
    return ctx:result {
      value = { answer = "yes" },
      content = {
        ctx:text("a", { annotations = when, meta = meta }),
        ctx:image("AA==", "image/png", { annotations = when }),
        ctx:audio("AA==", "audio/wav"),
        ctx:link { uri = "test://a", name = "a", title = "A", icons = icons },
        ctx:resource { uri = "test://a", text = "t", meta = meta },
      },
      meta = meta,
    }
  end,
}
capability "asks" {
  description = "Asks for a name.",
  run = function(ctx)
    return ctx:elicit { message = "Who?", fields = { name = text } }
  end,
}
capability "asks_much" {
  description = "Asks with all that a form can have.",
  input = { several = boolean },
  run = function(ctx, args)
    local schema = { type = "object", required = array {}, properties = {
      name = { type = "string", default = "x", minLength = 1, format = "email" },
      age = { type = "integer", default = 3, minimum = 1 },
      sure = { type = "boolean", default = true, title = "Sure" },
      kind = { type = "string", default = "a",
               oneOf = { { const = "a", title = "A" }, { const = "b", title = "B" } } },
    } }
    if args.several then
      schema.properties.many = { type = "array", items = { type = "string", enum = { "a" } } }
    end
    return ctx:elicit { message = "All?", schema = schema }
  end,
}
resource "test://a" {
  name = "a", title = "A", description = "A.", mime_type = "text/plain",
  size = 1, icons = icons, meta = meta, annotations = when,
  run = function() return { text = "t", meta = meta } end,
}
resource_template "test://b/{id}" {
  name = "b", title = "B", description = "B.", mime_type = "text/plain",
  icons = icons, meta = meta, annotations = when,
  run = function() return "t" end,
}
prompt "greet" {
  title = "Greet", description = "Greets.", icons = icons, meta = meta,
  arguments = { name = text { title = "Name", description = "Who." } },
  run = function(ctx, args) return "Hello " .. args.name end,
}
completion { prompt = "greet", argument = "name", run = function() return { "a" } end }
'''

ABOUT = {"title": "All of it", "description": "Says all that it can.",
         "websiteUrl": "https://example.com/all",
         "icons": [{"src": "data:image/png;base64,AA==", "theme": "dark",
                    "mimeType": "image/png", "sizes": ["48x48", "any"]},
                   {"src": "https://example.com/all.svg"}]}
SETTINGS = '''
[project]
name = "all"
title = "All of it"
description = "Says all that it can."
website = "https://example.com/all"
[[project.icons]]
src = "data:image/png;base64,AA=="
theme = "dark"
mimeType = "image/png"
sizes = ["48x48", "any"]
[[project.icons]]
src = "https://example.com/all.svg"
'''


def message(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class Talk:
    """What a server answers to a client of one revision."""

    def __init__(self, folder, revision):
        self.process = subprocess.Popen(
            [*TAP, TRAILS, "serve", folder, "--stdio"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.notes = []
        self.hello = self.ask("initialize", protocolVersion=revision,
                              capabilities={"elicitation": {}},
                              clientInfo={"name": "c", "version": "1"})

    def ask(self, method, **params):
        self.number += 1
        self.send(message(self.number, method, **params))
        while True:
            got = json.loads(self.process.stdout.readline())
            if got.get("id") == self.number and "method" not in got:
                return got["result"]
            self.notes.append(got)
            if "id" in got:
                self.send({"jsonrpc": "2.0", "id": got["id"],
                           "result": {"action": "accept",
                                      "content": {"name": "x"}}})

    def send(self, what):
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(30)


@unittest.skipUnless(os.path.isdir(SCHEMAS), "TRAILS_SUITES has no mcp-schema")
class Fields(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, text in (("app.lua", APP), ("trails.toml", SETTINGS)):
            with open(os.path.join(cls.folder.name, name), "w") as file:
                file.write(text)
        cls.talks = {revision: Talk(cls.folder.name, revision)
                     for revision in LEGACY}

    @classmethod
    def tearDownClass(cls):
        codes = [talk.end() for talk in cls.talks.values()]
        cls.folder.cleanup()
        if any(codes):
            raise AssertionError(f"servers ended with {codes}")

    def names(self, revision, definition):
        """The members that a definition names, its parts included."""
        with open(os.path.join(SCHEMAS, revision + ".json")) as file:
            schema = json.load(file)
        found = (schema.get("definitions") or schema["$defs"]).get(definition)
        self.assertIsNotNone(found, f"{revision} has no {definition}")
        return set(found["properties"])

    def check(self, revision, definition, *objects, also=()):
        known = self.names(revision, definition) | set(also)
        for thing in objects:
            self.assertLessEqual(set(thing), known, f"{revision} {definition}")

    def each(self):
        for revision, talk in self.talks.items():
            with self.subTest(revision=revision):
                yield revision, talk

    def test_initialize(self):
        for revision, talk in self.each():
            self.assertEqual(talk.hello["protocolVersion"], revision)
            self.check(revision, "InitializeResult", talk.hello)
            info = talk.hello["serverInfo"]
            known = self.names(revision, "Implementation")
            self.assertEqual({key: info[key] for key in info if key != "version"},
                             {"name": "all", **{key: ABOUT[key] for key in ABOUT
                                                if key in known}})
            self.check(revision, "ServerCapabilities",
                       talk.hello["capabilities"])

    def test_lists(self):
        for revision, talk in self.each():
            tools = talk.ask("tools/list")["tools"]
            self.check(revision, "Tool", *tools, also=["trails"])
            if revision != "2024-11-05":
                self.check(revision, "ToolAnnotations",
                           *[tool["annotations"] for tool in tools])
            resources = talk.ask("resources/list")["resources"]
            templates = talk.ask("resources/templates/list")["resourceTemplates"]
            self.check(revision, "Resource", *resources)
            self.check(revision, "ResourceTemplate", *templates)
            notes = {"audience", "priority"}
            if revision >= "2025-06-18":
                notes.add("lastModified")
            own = [thing for thing in resources + templates
                   if not thing.get("uri", thing.get("uriTemplate", ""))
                   .startswith("trails://")]
            for thing in own:
                self.assertEqual(set(thing["annotations"]), notes)
            prompts = talk.ask("prompts/list")["prompts"]
            self.check(revision, "Prompt", *prompts)
            self.check(revision, "PromptArgument", *prompts[0]["arguments"])

    def test_content(self):
        kinds = {"text": "TextContent", "image": "ImageContent",
                 "audio": "AudioContent", "resource": "EmbeddedResource",
                 "resource_link": "ResourceLink"}
        for revision, talk in self.each():
            result = talk.ask("tools/call", name="everything",
                              _meta={"progressToken": 1})
            self.check(revision, "CallToolResult", result)
            self.assertEqual(len(result["content"]), 6)
            self.assertEqual(result["content"][5],
                             {"type": "text", "text": '{"answer":"yes"}'})
            for block in result["content"]:
                self.check(revision, kinds[block["type"]], block)
                if block["type"] == "resource":
                    self.check(revision, "TextResourceContents",
                               block["resource"])
            self.assertEqual("structuredContent" in result,
                             revision >= "2025-06-18")
            progress = [note["params"] for note in talk.notes
                        if note["method"] == "notifications/progress"]
            self.assertEqual("message" in progress[0], revision >= "2025-03-26")

    def test_contents_and_messages(self):
        for revision, talk in self.each():
            read = talk.ask("resources/read", uri="test://a")
            self.check(revision, "ReadResourceResult", read)
            self.check(revision, "TextResourceContents", *read["contents"])
            got = talk.ask("prompts/get", name="greet", arguments={"name": "x"})
            self.check(revision, "GetPromptResult", got)
            self.check(revision, "PromptMessage", *got["messages"])

    def test_questions(self):
        for revision, talk in self.each():
            talk.notes.clear()
            result = talk.ask("tools/call", name="asks")
            asked = [note for note in talk.notes if "id" in note]
            if revision < "2025-06-18":  # elicitation came with it
                self.assertTrue(result["isError"])
                self.assertEqual(asked, [])
                continue
            self.assertFalse(result.get("isError", False))
            self.assertEqual("mode" in asked[0]["params"],
                             revision == "2025-11-25")

    def test_forms(self):
        for revision, talk in self.each():
            if revision < "2025-06-18":
                continue
            talk.notes.clear()
            talk.ask("tools/call", name="asks_much",
                     arguments={"several": False})
            asked = [note for note in talk.notes if "id" in note]
            fields = asked[0]["params"]["requestedSchema"]["properties"]
            old = revision == "2025-06-18"
            self.assertEqual([name for name in fields
                              if "default" in fields[name]],
                             ["sure"] if old else
                             ["age", "kind", "name", "sure"])
            self.assertEqual(fields["kind"].get("enumNames"),
                             ["A", "B"] if old else None)
            self.assertEqual("oneOf" in fields["kind"], not old)
            result = talk.ask("tools/call", name="asks_much",
                              arguments={"several": True})
            self.assertEqual(result.get("isError", False), old)


if __name__ == "__main__":
    unittest.main()
