#!/usr/bin/env python3
"""What views say of the server itself: where the manifest is, in every revision of MCP,
over HTTP and stdio, behind a proxy and with the manifest off (contract C4, C5); and
whether a credential is needed, by the settings as they are."""
import http.client
import json
import os
import subprocess
import tempfile
import unittest

from server import APP, META, TRAILS, Server, request

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
WITH_META = REVISIONS[2:]
PROXIED = '[server]\npublic_url = "https://a.example"\nbehind_tls_proxy = true\n'
TOKEN = "a-token-of-the-tests-that-is-long-enough"
KNOWN = {"TRAILS_MCP_TOKEN": TOKEN, "TRAILS_TOKEN": TOKEN}
# What is set; what the URI of a tool begins with over HTTP and over stdio.
ROWS = {
    "": ("/.well-known/capabilities#", None),
    PROXIED: ("https://a.example/.well-known/capabilities#",) * 2,
    PROXIED + "[capability.manifest]\nenabled = false\n": (None, None),
    PROXIED + "[http]\nenabled = false\n": (None, None),
    "[capability.manifest]\nenabled = false\n": (None, None),
    "[http]\nenabled = false\n": (None, None),
}


def asked(revision):
    """The messages with which a client of this revision asks for the tools."""
    listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
    if revision == REVISIONS[-1]:
        return [{**listed, "params": {"_meta": META}}]
    return [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": revision, "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}},
            {"jsonrpc": "2.0", "method": "notifications/initialized"}, listed]


def tools_over_http(server, revision):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {"Content-Type": "application/json", "Mcp-Method": "tools/list",
               "Host": server.host, "Authorization": f"Bearer {TOKEN}",
               "Accept": "application/json, text/event-stream"}
    for body in asked(revision):
        if revision == REVISIONS[-1]:
            headers["MCP-Protocol-Version"] = revision
        connection.request("POST", "/mcp", json.dumps(body), headers)
        response = connection.getresponse()
        text = response.read()
        headers.setdefault("Mcp-Session-Id", response.getheader("Mcp-Session-Id") or "")
    connection.close()
    return json.loads(text)["result"]["tools"]


def tools_over_stdio(folder, revision):
    lines = "".join(json.dumps(body) + "\n" for body in asked(revision))
    done = subprocess.run([TRAILS, "serve", folder, "--stdio"], input=lines, text=True,
                          env={**os.environ, **KNOWN, "TRAILS_STORE": ":memory:"}, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return next(one for one in answers if one.get("id") == 2)["result"]["tools"]


class ManifestUri(unittest.TestCase):
    def serve(self, toml):
        server = Server(toml, environment=KNOWN)
        self.addCleanup(server.close)
        server.host = "a.example" if "a.example" in toml else "127.0.0.1"
        return server

    def check(self, tools, revision, start, plain=False):
        own = "_trails:manifest_uri"
        for tool in tools:
            wanted = start + tool["name"] if start else None
            found = tool.get("_meta", {}).get("dev.trails/manifest_uri")
            if revision in WITH_META:
                self.assertEqual(found, wanted)
                self.assertNotIn(own, tool)
            else:
                self.assertNotIn("_meta", tool)
                self.assertEqual(tool.get(own), None if plain else wanted)
        self.assertGreater(len(tools), 3)

    def test_in_every_revision_and_on_every_transport(self):
        for toml, (over_http, over_stdio) in ROWS.items():
            server = self.serve(toml)
            for revision in REVISIONS:
                with self.subTest(toml=toml, revision=revision):
                    self.check(tools_over_http(server, revision), revision, over_http)
                    self.check(tools_over_stdio(server.folder, revision), revision, over_stdio)

    def test_without_annotations_there_is_the_one_that_mcp_has_a_place_for(self):
        server = self.serve("[mcp]\nannotations = false\n")
        for revision in REVISIONS:
            with self.subTest(revision):
                self.check(tools_over_http(server, revision), revision,
                           "/.well-known/capabilities#", plain=True)

    def test_it_leads_to_the_capability(self):
        """Relative to the server, and as the name that the manifest has for it."""
        for toml in ("", PROXIED):
            server = self.serve(toml)
            _, _, text = server.ask(request("", "/.well-known/capabilities", "GET",
                                            Authorization=f"Bearer {TOKEN}"))
            nodes = {node["@id"]: node["id"] for node in json.loads(text)["@graph"]}
            tools = tools_over_http(server, REVISIONS[-1])
            self.assertEqual({tool["_meta"]["dev.trails/manifest_uri"]: tool["name"]
                              for tool in tools}, nodes)

    def test_capabilities_as_mcp_says_the_same(self):
        for toml in ROWS:
            server = self.serve(toml)
            printed = subprocess.check_output(
                [TRAILS, "capabilities", "--as", "mcp", "--app", server.folder], text=True)
            self.assertEqual(json.loads(printed)["tools"],
                             tools_over_http(server, REVISIONS[-1]))


# What is set, in the file and in the environment; whether nobody comes in without a
# credential (docs/security.md has the table).
SECURITY = [
    ("", {}, False),
    ('[auth]\nrequired = "true"\n', {}, True),
    ('[project]\nenv = "production"\n', {}, True),
    ('[project]\nenv = "production"\n[auth]\nrequired = "false"\n', {}, False),
    ("[server]\nbehind_tls_proxy = true\n", {}, True),
    ('[server]\nbehind_tls_proxy = true\n[auth]\nrequired = "false"\n', {}, True),
    ("", KNOWN, True),
    ('[auth]\nrequired = "false"\n', KNOWN, True),
]


class Security(unittest.TestCase):
    def views(self, folder, environment):
        def view(name):
            return json.loads(subprocess.check_output(
                [TRAILS, "capabilities", "--as", name, "--app", folder], text=True,
                env={**os.environ, "TRAILS_STORE": ":memory:", **environment}))
        return view("card"), view("wot"), view("openapi")

    def test_views_say_what_is_so(self):
        for toml, environment, needs in SECURITY:
            with self.subTest(toml=toml, environment=environment):
                server = Server(toml, environment=environment)
                self.addCleanup(server.close)
                status, _, _ = server.ask(request('{"text": "a"}', "/invoke/echo",
                                                  Content_Type="application/json"))
                self.assertEqual(status, 401 if needs else 200)
                card, host, api = self.views(server.folder, environment)
                for thing in (card, host):
                    self.assertEqual(thing["security"], ["bearer_sc" if needs else "either_sc"])
                    self.assertIn(thing["security"][0], thing["securityDefinitions"])
                self.assertEqual(api["security"], [{"bearer": []}] if needs
                                 else [{}, {"bearer": []}])
                if needs and not environment:
                    continue  # nobody comes in at all
                for path, wanted in (("/.well-known/wot", host), ("/openapi.json", api)):
                    _, _, text = server.ask(request("", path, "GET",
                                                    Authorization=f"Bearer {TOKEN}")
                                            if needs else request("", path, "GET"))
                    self.assertEqual(json.loads(text), wanted)

    def test_where_it_listens_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("app.lua", APP),
                               ("trails.toml", '[server]\nhttp = "0.0.0.0:8000"\n')):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            card, _, _ = self.views(folder, {})
        self.assertEqual(card["security"], ["bearer_sc"])


if __name__ == "__main__":
    unittest.main()
