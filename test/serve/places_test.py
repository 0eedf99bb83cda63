#!/usr/bin/env python3
"""What goes wrong in an app while it runs names the line of app.lua: in the log
always, to the caller in development and never in production. The functions are those
that the tables of src/lua register, each called with everything it does not take."""
import json
import os
import re
import unittest

from server import ROOT, Server, message, request

TOML = """
[project]
name = "places"
%s
[lua]
instructions = 3000000
call_bytes = 1000000
"""
MODEL = '''
node_type "Note" { fields = { { "title", text }, { "tags", text { many = true, optional = true } } } }
policy "bad" { run = function(_, call) return call.nothing.there end }
'''
WRONG = ["", "print", "{}", "{ nope = 1 }", "'no iri'", "-1", "0 / 0", "'Note', print",
         "'Note', { nope = 1 }", "'no iri', 'no iri', print", "'\\xff'"]


def functions(name):
    """The names in the table of functions of one file."""
    with open(os.path.join(ROOT, "src", "lua", name)) as file:
        table = re.search(r"luaL_Reg methods\[\] = \{(.*?)\n\};", file.read(), re.S)
    return re.findall(r'\{"(\w+)", \w+\}', table[1])


def expressions():
    """What handlers do, and whether it must fail."""
    for file, holder in (("ctx.c", "ctx"), ("kg.c", "ctx.kg")):
        names = functions(file)
        assert len(names) > 10, names
        for name in names:
            yield f"return {holder}.{name}({{}})", True
            for wrong in WRONG:
                yield f"return {holder}:{name}({wrong})", False
        yield f"return {holder}:nope()", True
        yield f"{holder}.x = 1", True


OTHERS = [
    'return ctx.kg:where("Note", { titel = "x" })',
    'return ctx.kg:count("Note", { titel = "x" })',
    'return ctx.kg:create("Note", { title = "x", titel = "y" })',
    'return ctx.kg:upsert("Note", { titel = "y" }, { by = { "titel" } })',
    'local n = ctx.kg:create("Note", { title = "x" }) ctx.kg:update(n.id, { titel = "x" })',
    'local n = ctx.kg:create("Note", { title = "x" }) '
    'ctx.kg:traverse(n.id, { { path = "tags", max = 17 } })',
    'local n = ctx.kg:create("Note", { title = "x" }) ctx.kg:traverse(n.id, "tgas")',
    'return ctx:invoke("nobody")',
    'return ctx:invoke("fine", { x = 1 })',
    'return ctx:invoke("crash")',
    "return { f = print }",
    "return ctx:result { value = print }",
    "return { 1, x = 2 }",
    "while true do end",
    'local t = {} for i = 1, 1e9 do t[i] = ("x"):rep(9999) .. i end',
    "error(7)",
    "error(print)",
    'error("said", 0)',
    "ctx.kg:transaction(function() ctx.kg:get('no iri') end)",
    "coroutine.wrap(function() local x = nil + 1 end)()",
    "table.sort({ 2, 1 }, function() return ctx.kg:get('a:b') end)",
    "local function f() return f() + 1 end return f()",
]


def capability(name, body, options=""):
    return (f'capability "{name}" {{ description = "d", side_effects = {{ graph_writes = '
            f'{{ "default" }} }}, {options} run = function(ctx) {body} end }}\n')


# What the caller sent, and a handler passes on as an id: the caller has to mend it.
SENT = ["ctx.kg:where('Note', {}, { after = args.x })", "ctx.kg:list('Note', { after = args.x })",
        "ctx.kg:list('Note', { after = args.deep[1].x })", "ctx.kg:get(args.x)",
        "ctx.kg:get('Note', args.x)", "ctx.kg:exists(args.x)", "ctx.kg:label(args.x)",
        "ctx.kg:delete(args.x)", "ctx.kg:traverse(args.x, 'tags')",
        "ctx.kg:quads { subject = args.x }", "ctx.kg:where('Note', { [args.x] = 'y' })"]
TEXTS = ["bogus", "no iri", "", "http://nowhere/at all", "<>", "\u00e4\u0000"]


def make_app():
    """The app, and of each call its params, its line and whether it must fail."""
    cases = []
    app = MODEL + capability("fine", 'return "fine"') + capability("crash", "local x = nil + 1")

    def add(text, must, method="tools/call", **params):
        nonlocal app
        app += text
        cases.append((method, params, app.count("\n"), must, text))
    for body, must in [*expressions(), *((body, True) for body in OTHERS)]:
        name = f"case{len(cases)}"
        add(capability(name, body), must, name=name, arguments={})
    add(capability("misfit", 'return { n = "x" }', "output = { n = integer },"), True,
        name="misfit", arguments={})
    add('resource "own://x" { name = "x", run = function() return { f = print } end }\n', True,
        "resources/read", uri="own://x")
    add('prompt "p" { run = function() return 7 end }\n', True, "prompts/get", name="p")
    add('completion { prompt = "q", argument = "who", run = function() return nil + 1 end }\n',
        True, "completion/complete", ref={"type": "ref/prompt", "name": "q"},
        argument={"name": "who", "value": ""})
    app += 'prompt "q" { arguments = { who = text }, run = function() return "x" end }\n'
    return app, cases


def is_meant(said, text):
    """An error that an app returns, and what a client cannot do, are no mistakes."""
    return ("ctx:error(" in text and "expected" not in said and "sent" not in said
            or said.startswith("the client must support"))


class Places(unittest.TestCase):
    def answer(self, server, method, params):
        _, _, text = server.ask(request(message(method, **params)))
        found = json.loads(text)
        result = found.get("result", {})
        if result.get("isError"):
            return result["content"][0]["text"]
        return found.get("error", {}).get("message")

    def check(self, environment, toml=""):
        app, cases = make_app()
        server = Server(TOML % toml, app, environment={
            "TRAILS_ENV": environment, "TRAILS_ACCESS_LOG": "false", "TRAILS_STORE": ":memory:"})
        self.addCleanup(server.close)
        path = os.path.join(server.folder, "app.lua")
        failed = {}
        for method, params, line, must, text in cases:
            said = self.answer(server, method, params)
            with self.subTest(text):
                if must:
                    self.assertIsNotNone(said)
                if said is None or (not must and is_meant(said, text)):
                    continue
                # What another capability has done is to be mended there.
                place = f"{path}:5: " if '"crash"' in text else f"{path}:{line}: "
                if environment == "production":
                    self.assertNotIn("app.lua", said)
                else:
                    self.assertEqual(said[:len(place)], place, said)
                failed[params.get("name", params.get("uri", "q"))] = place, text
        self.assertGreater(len(failed), 250)
        server.process.terminate()  # so that all lines of the log are written
        server.process.wait(60)
        logged = {line["name"]: f"{line['where']}: {line['error']}" if "where" in line
                  else line["error"] for line in server.log() if line["msg"] == "fault"}
        for name, (place, text) in failed.items():
            with self.subTest(text):
                self.assertIn(name, logged)
                self.assertEqual(logged[name][:len(place)], place, logged[name])

    def test_what_the_caller_sent_is_the_callers_to_mend(self):
        app = MODEL + "".join(
            f'capability "sent{i}" {{ description = "d", side_effects = {{ graph_writes = {{ "default" }} }}, '
            f'input_schema = [[{{"type": "object"}}]],'
            f" run = function(ctx, args) return {body} end }}\n" for i, body in enumerate(SENT))
        server = Server(TOML % "", app, environment={"TRAILS_ACCESS_LOG": "false", "TRAILS_STORE": ":memory:"})
        self.addCleanup(server.close)
        refused = set()
        for i, body in enumerate(SENT):
            for text in TEXTS:
                arguments = {"deep": [{"x": text}]} if "deep" in body else {"x": text}
                said = self.answer(server, "tools/call", {"name": f"sent{i}", "arguments": arguments})
                with self.subTest(body, text=text):
                    self.assertNotIn("app.lua", said or "")
                if said:
                    refused.add(body)
        self.assertEqual(refused, set(SENT))
        server.process.terminate()
        server.process.wait(60)
        self.assertEqual([line for line in server.log() if line["msg"] == "fault"], [])

    def test_in_development_the_caller_and_the_log_are_told_the_line(self):
        self.check("development")

    def test_in_a_result_as_well(self):
        self.check("development", '[mcp]\nerrors = "tool"')

    def test_in_production_only_the_log_is(self):
        self.check("production", "[auth]\nrequired = false")

    def test_what_the_caller_has_named_is_the_callers_mistake(self):
        server = Server(TOML % "", MODEL + '''
        capability "make" { description = "d", input_schema = [[{"type": "object"}]],
          side_effects = { graph_writes = { "default" } },
          run = function(ctx, args) return ctx.kg:create("Note", args.note or args) end }
        ''', environment={"TRAILS_STORE": ":memory:"})
        self.addCleanup(server.close)
        for arguments in ({"titel": "x"}, {"note": {"titel": "x"}}):
            error = server.call("make", **arguments)[1]["error"]
            self.assertEqual(error["code"], -32602)
            self.assertIn("titel is not a field", error["message"])
            self.assertNotIn("app.lua", error["message"])
        server.process.terminate()
        server.process.wait(60)
        self.assertEqual([line for line in server.log() if line["msg"] == "fault"], [])

    def test_a_policy_that_fails_says_where(self):
        app = MODEL + capability("kept", 'return "x"', 'policy_required = { "bad" },')
        for environment in ("development", "production"):
            server = Server(TOML % "[auth]\nrequired = false", app, environment={
                "TRAILS_ENV": environment, "TRAILS_STORE": ":memory:"})
            self.addCleanup(server.close)
            said = server.call("kept")[1]["error"]["message"]
            place = os.path.join(server.folder, "app.lua") + ":3: "
            self.assertEqual(place in said, environment == "development", said)
            self.assertTrue(said.startswith("policy 'bad' denies it: it failed"), said)
            line = next(line for line in server.log() if line["msg"] == "a policy failed")
            self.assertEqual((line["level"], line["error"][:len(place)]), ("error", place))


if __name__ == "__main__":
    unittest.main()
