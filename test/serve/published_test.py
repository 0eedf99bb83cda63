#!/usr/bin/env python3
"""A version of a capability has one content, by what the store published last: in
every environment but development (docs/decisions/0045)."""
import json
import os
import subprocess
import unittest

from server import ROOT, TRAILS, Server, message, request, wait_for

FIELDS = {
    "version": "'1.0.0'", "description": "'Sells.'", "idempotent": "false",
    "cost": "{ tokens = 5 }", "side_effects": "{ graph_writes = { 'default' } }",
    "policy_required": "{}", "preconditions": "{}", "version_status": "'active'",
    "input": "{ text = text }", "deprecates": "nil",
}
# What one field is changed to, and what that field is called.
CHANGES = [
    ("description", "'Sells it.'", "description"),
    ("idempotent", "true", "idempotent"),
    ("cost", "{ tokens = 6 }", "cost"),
    ("side_effects", "{ graph_writes = {} }", "side_effects"),
    ("policy_required", "{ 'open' }", "policy_required"),
    ("preconditions", "{ 'scope:runtime' }", "preconditions"),
    ("version_status", "'deprecated'", "version_status"),
    ("input", "nil", "input_shape"),
    ("deprecates", "'old'", "deprecates"),
]


def app(handler="return 'sold'", title="'Sell'", type_text="A thing.", **fields):
    options = "".join(f"  {name} = {value},\n" for name, value in {**FIELDS, **fields}.items())
    return f"""
policy "open" {{ run = function() return true end }}
capability "old" {{ description = "Old.", run = function() end }}
node_type "Thing" {{ description = "{type_text}", fields = {{ name = text }}, tools = {{ "create" }} }}
capability "sell" {{
{options}  title = {title},
  run = function(ctx, args) {handler} end,
}}
"""


def settings(env):
    return f'[project]\nname = "shop"\nenv = "{env}"\n[auth]\nrequired = "false"\n'


class Published(unittest.TestCase):
    def open(self, env="production"):
        server = Server(settings(env), app())
        self.addCleanup(server.close)
        return server

    def reload(self, server, source):
        """Whether the app was taken, and what was said if not."""
        before = sum("loaded again" in line["msg"] for line in server.log())
        server.write("app.lua", source)
        server.process.send_signal(1)
        lines = []
        def ended():
            lines[:] = [line for line in server.log() if "loaded again" in line["msg"]]
            return len(lines) > before
        wait_for(ended)
        return lines[-1]["msg"] == "the app was loaded again", lines[-1].get("error", "")

    def test_another_content_of_a_version_is_refused_and_nothing_changes(self):
        server = self.open()
        for field, value, said in CHANGES:
            taken, error = self.reload(server, app(**{field: value}))
            self.assertFalse(taken, field)
            self.assertRegex(error, r"app\.lua:5: .*capability 'sell': version 1\.0\.0 was published "
                                    f"with another {said}: give it a new version")
        _, _, text = server.ask(request(message("tools/list")))
        tools = {tool["name"]: tool for tool in json.loads(text)["result"]["tools"]}
        self.assertEqual(tools["sell"]["description"], "Sells.")

    def test_a_new_version_is_another(self):
        server = self.open("test")
        self.assertTrue(self.reload(server, app(version="'1.0.1'", description="'Sells it.'"))[0])
        self.assertFalse(self.reload(server, app(version="'1.0.1'"))[0])
        self.assertTrue(self.reload(server, app())[0], "by what was published last")

    def test_what_is_not_of_the_fourteen_fields_may_change(self):
        server = self.open()
        self.assertTrue(self.reload(server, app(handler="return 'gone'"))[0])
        self.assertTrue(self.reload(server, app(title="'Sell it'"))[0])
        self.assertTrue(self.reload(server, app(type_text="Another thing."))[0],
                        "ready-made tools have the version of the program")

    def test_development_neither_compares_nor_remembers(self):
        server = self.open("development")
        self.assertTrue(self.reload(server, app(description="'Sells it.'"))[0])
        self.assertTrue(self.reload(server, app(cost="{ tokens = 9 }"))[0])
        server.end("terminate")
        server.write("trails.toml", settings("production"))
        server.start()
        self.assertIsNotNone(server.port)
        self.assertFalse(self.reload(server, app())[0])

    def test_a_server_does_not_start_with_it_and_check_says_so(self):
        server = self.open()
        server.end("terminate")
        server.write("app.lua", app(description="'Sells it.'"))
        done = subprocess.run([TRAILS, "serve", server.folder, "--http", "127.0.0.1:0"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        said = b"version 1.0.0 was published with another description"
        self.assertEqual(done.returncode, 1)
        self.assertIn(said, done.stderr)
        done = subprocess.run([TRAILS, "check", server.folder], stdout=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn(said, done.stdout)
        server.write("app.lua", app(description="'Sells it.'", version="'2.0.0'"))
        done = subprocess.run([TRAILS, "check", server.folder], stdout=subprocess.PIPE, timeout=60)
        self.assertNotIn(b"published", done.stdout)


if __name__ == "__main__":
    unittest.main()
