#!/usr/bin/env python3
"""What views say of the server itself: where the manifest is, in every revision of MCP,
over HTTP and stdio, behind a proxy and with the manifest off (contract C4, C5); and
whether a credential is needed, by the settings as they are."""
import http.client
import json
import os
import re
import subprocess
import tempfile
import unittest

from server import APP, META, TRAILS, Server, message, request, wait_for

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


def own(tools):
    """Without those about the app itself, which are no part of its manifest."""
    about = [tool for tool in tools if tool["name"].startswith("trails_meta_")]
    assert about and "manifest_uri" not in json.dumps(about)
    return [tool for tool in tools if tool not in about]


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
    return own(json.loads(text)["result"]["tools"])


def tools_over_stdio(folder, revision):
    lines = "".join(json.dumps(body) + "\n" for body in asked(revision))
    done = subprocess.run([TRAILS, "serve", folder, "--stdio"], input=lines, text=True,
                          env={**os.environ, **KNOWN, "TRAILS_STORE": ":memory:"}, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return own(next(one for one in answers if one.get("id") == 2)["result"]["tools"])


class ManifestUri(unittest.TestCase):
    def serve(self, toml):
        server = Server(toml, environment=KNOWN)
        self.addCleanup(server.close)
        server.host = "a.example" if "a.example" in toml else "127.0.0.1"
        return server

    def check(self, tools, revision, start, plain=False):
        for tool in tools:
            wanted = start + tool["name"] if start else None
            found = tool.get("_meta", {}).get("dev.trails/manifest_uri")
            if revision in WITH_META:
                self.assertEqual(found, wanted)
                self.assertNotIn("_trails:manifest_uri", tool)
            else:
                self.assertNotIn("_meta", tool)
                self.assertEqual(tool.get("_trails:manifest_uri"), None if plain else wanted)
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
            self.assertEqual(own(json.loads(printed)["tools"]),
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

    def test_a_token_in_the_store_closes_the_server(self):
        server = Server()
        self.addCleanup(server.close)
        def security(**headers):
            status, fields, text = server.ask(request("", "/.well-known/wot", "GET", **headers))
            return status, text and json.loads(text).get("security"), fields.get("etag")
        before = security()
        self.assertEqual(before[:2], (200, ["either_sc"]))
        token = json.loads(subprocess.check_output(
            [TRAILS, "token", "create", "--app", server.folder, "--json", "--scope", "runtime"],
            text=True))["token"]
        after = security(Authorization=f"Bearer {token}")
        self.assertEqual(after[:2], (200, ["bearer_sc"]))
        self.assertNotEqual(after[2], before[2])
        self.assertEqual(security()[0], 401)
        status, _, _ = server.ask(request("", "/.well-known/wot", "GET", If_None_Match=before[2],
                                          Authorization=f"Bearer {token}"))
        self.assertEqual(status, 200, "it has changed")

    def test_where_it_listens_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("app.lua", APP),
                               ("trails.toml", '[server]\nhttp = "0.0.0.0:8000"\n')):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            card, _, _ = self.views(folder, {})
        self.assertEqual(card["security"], ["bearer_sc"])


# Of each scope a capability, whose words are in no view of who has it not; and one that
# nobody is shown.
SCOPED = "".join(f"""
capability "for_{scope}" {{ description = "words-of-{scope}", scope = "{scope}",
  input = {{ input_of_{scope} = text {{}} }}, side_effects = {{}}, run = print }}
""" for scope in ("runtime", "builder", "dev")) + """
capability "for_nobody" { description = "words-of-nobody", version_status = "retired", run = print }
"""
WORD = r"(?:words|input)[-_]of[-_](\w+)"
SETS = ("runtime", "builder", "builder,dev", "runtime,builder", "runtime,builder,dev")
VIEWS = [("/.well-known/capabilities", "application/ld+json"), ("/capabilities", "application/json"),
         ("/capabilities", "text/markdown"), ("/openapi.json", "application/json"),
         ("/scoped/card", "application/td+json"), ("/scoped/card", "application/ld+json")]
ONES = [("/.well-known/capabilities/", "application/ld+json"),
        ("/.well-known/capabilities/", "text/markdown")]
SCOPED_TOML = '[project]\nname = "scoped"\n'


class Authority(unittest.TestCase):
    """Views have what tools/list has for the same caller, and its ETag is that of all
    who see the same."""

    def serve(self, **environment):
        server = Server(SCOPED_TOML, SCOPED, environment={
            "TRAILS_MCP_SCOPES": "runtime,builder,dev", **environment})
        self.addCleanup(server.close)
        return server

    def token(self, server, scopes):
        return json.loads(subprocess.check_output(
            [TRAILS, "token", "create", "--app", server.folder, "--json", "--scope", scopes],
            text=True))["token"]

    def listed(self, server, headers):
        _, _, text = server.ask(request(message("tools/list"), **headers))
        return {tool["name"] for tool in own(json.loads(text)["result"]["tools"])}

    def check(self, server, headers, wanted):
        """The ETag of all views."""
        tools = self.listed(server, headers)
        self.assertEqual(tools, {f"for_{scope}" for scope in wanted})
        tags = set()
        for path, kind in VIEWS:
            status, fields, text = server.ask(request("", path, "GET", Accept=kind, **headers))
            self.assertEqual(status, 200)
            self.assertEqual(set(re.findall(WORD, text)), set(wanted), (path, kind))
            self.assertEqual((fields["vary"], fields["cache-control"]),
                             ("Authorization, Accept", "private, no-cache"))
            tags.add(fields["etag"])
        for path, kind in ONES:
            for scope in ("runtime", "builder", "dev", "nobody"):
                status, _, text = server.ask(request("", f"{path}for_{scope}", "GET", Accept=kind,
                                                     **headers))
                self.assertEqual(status, 200 if scope in wanted else 404)
                self.assertEqual("words-of" in text, scope in wanted)
        _, fields, _ = server.ask(request("", "/.well-known/wot", "GET", **headers))
        self.assertEqual(tags, {fields["etag"]})
        return fields["etag"]

    def test_each_view_and_set_of_scopes(self):
        server = self.serve()
        tags = {"": self.check(server, {}, ["runtime"])}  # which needs no token yet
        for scopes in SETS:
            with self.subTest(scopes):
                headers = {"Authorization": f"Bearer {self.token(server, scopes)}"}
                tags[scopes] = self.check(server, headers, scopes.split(","))
                again = {"Authorization": f"Bearer {self.token(server, scopes)}"}
                self.assertEqual(self.check(server, again, scopes.split(",")), tags[scopes],
                                 "who sees the same has the same tag")
        self.assertEqual(len(set(tags.values())), 1 + len(SETS))

    def test_production_hides_dev_from_everybody(self):
        server = self.serve(TRAILS_ENV="production", TRAILS_MCP_TOKEN=TOKEN)
        self.check(server, {"Authorization": f"Bearer {TOKEN}"}, ["runtime", "builder"])

    def test_the_tag_is_the_same_in_every_process(self):
        first, second = self.serve(), self.serve()
        before = self.check(first, {}, ["runtime"])
        self.assertEqual(self.check(second, {}, ["runtime"]), before)
        first.end("terminate")
        first.start()
        self.assertEqual(self.check(first, {}, ["runtime"]), before)
        first.end("terminate")
        first.write("app.lua", SCOPED.replace("words-of-runtime", "words-of-runtime again"))
        first.start()
        _, fields, _ = first.ask(request("", "/capabilities", "GET"))
        self.assertNotEqual(fields["etag"], before)


class Links(unittest.TestCase):
    """What Thing Descriptions lead to is there, as it says; with a base, too."""

    def test_each_link_and_form(self):
        for toml, base in (("", ""), ('[server]\npublic_url = "https://a.example"\n',
                                      "https://a.example")):
            with self.subTest(base):
                server = Server('[project]\nname = "linked"\n' + toml)
                self.addCleanup(server.close)
                thing = self.get(server, "/.well-known/wot", "application/td+json")
                kinds = [link["type"] for link in thing["links"]]
                self.assertEqual([link["rel"] for link in thing["links"]],
                                 ["item", "service-desc", "describedby"])
                for link in thing["links"]:
                    self.assertTrue(link["href"].startswith(base + "/"))
                    self.get(server, link["href"][len(base):], link["type"])
                self.assertEqual(kinds, ["application/td+json", "application/json",
                                         "application/ld+json"])
                card = self.get(server, thing["links"][0]["href"][len(base):], kinds[0])
                self.invoke(server, card["actions"]["echo"]["forms"], base)

    def get(self, server, path, kind):
        status, fields, text = server.ask(request("", path, "GET"))
        self.assertEqual((status, fields["content-type"]), (200, kind), path)
        return json.loads(text)

    def invoke(self, server, forms, base):
        plain, over_mcp = forms
        for form in forms:
            self.assertTrue(form["href"].startswith(base + "/"))
            self.assertEqual((form["op"], form["contentType"]), ("invokeaction", "application/json"))
        status, _, text = server.ask(request('{"text": "hi"}', plain["href"][len(base):],
                                             plain["htv:methodName"],
                                             Content_Type=plain["contentType"]))
        self.assertEqual((status, text), (200, '"hi"'))
        self.assertEqual((over_mcp["href"][len(base):], over_mcp["subprotocol"]), ("/mcp", "mcp"))
        status, answer = server.call(over_mcp["trails:tool"], text="hi")
        self.assertEqual(answer["result"]["content"][0]["text"], "hi")


SPENDS = """
local n = 0
capability "spends" { description = "Spends.", version = "1.2.0", idempotent = false,
  side_effects = {}, cost = { tokens = 5, usd = 0.25 },
  run = function(ctx) n = n + 1; ctx:spend { tokens = n == 1 and 4000 or 40, usd = 0.5 }
    return "spent" end }
capability "waits" { description = "Costs time alone.", side_effects = {},
  run = function(ctx) ctx:sleep(0.05) return "waited" end }
capability "idle" { description = "Nobody calls it.", side_effects = {},
  run = function() return "idle" end }
"""


class Measured(unittest.TestCase):
    """What calls came to stands beside the estimate, and is kept."""

    def get(self, server, path, accept="application/json"):
        _, fields, text = server.ask(request("", path, "GET", Accept=accept))
        return fields["etag"], text

    def measured(self, server, name):
        _, text = self.get(server, f"/.well-known/capabilities/{name}")
        return json.loads(text).get("measured")

    def has_called(self, server, name, times):
        return (self.measured(server, name) or {}).get("calls") == times

    def near(self, found, wanted):
        self.assertLessEqual(abs(found - wanted), wanted / 16, (found, wanted))

    def check(self, server):
        spends = self.measured(server, "spends")
        self.assertEqual(list(spends), ["calls", "latency_p50_ms", "latency_p95_ms", "tokens_p50",
                                        "tokens_p95", "usd_p50", "usd_p95"])
        self.assertEqual(spends["calls"], 5)
        self.near(spends["tokens_p50"], 40)
        self.near(spends["tokens_p95"], 4000)
        self.near(spends["usd_p50"], 0.5)
        self.near(spends["usd_p95"], 0.5)
        waits = self.measured(server, "waits")
        self.assertEqual(list(waits), ["calls", "latency_p50_ms", "latency_p95_ms"])
        self.assertGreater(waits["latency_p50_ms"], 50 * 15 / 16)
        self.assertGreaterEqual(waits["latency_p95_ms"], waits["latency_p50_ms"])
        self.assertIsNone(self.measured(server, "idle"))
        return spends, waits

    def test_it_stands_beside_the_estimate_and_survives_a_restart(self):
        server = Server("", SPENDS)
        self.addCleanup(server.close)
        tag, _ = self.get(server, "/capabilities")
        for name, times in (("spends", 5), ("waits", 2)):
            for _ in range(times):
                self.assertNotIn("error", server.call(name)[1])
            wait_for(lambda: self.has_called(server, name, times))
        before = self.check(server)
        self.assertEqual(self.get(server, "/capabilities")[0], tag, "it is no part of the ETag")
        self.assertEqual(server.end("terminate"), 0)
        server.start()
        self.assertEqual(self.check(server), before)
        server.end("kill")
        server.start()
        self.assertEqual(self.check(server), before)

        _, text = self.get(server, "/.well-known/capabilities", "application/ld+json")
        nodes = {node["id"]: node for node in json.loads(text)["@graph"]}
        self.assertEqual(nodes["spends"]["cost"], {"tokens": 5, "usd": 0.25, "latency_p50_ms": 0,
                                                   "latency_p95_ms": 0})
        self.assertEqual((nodes["spends"]["measured"], nodes["waits"]["measured"]), before)
        self.assertEqual(list(nodes["spends"])[-2:], ["version_status", "measured"])
        _, _, context = server.ask(request("", "/.well-known/trails/v1.jsonld", "GET"))
        self.assertEqual(set(before[0]) - set(json.loads(context)["@context"]), set())
        _, text = self.get(server, "/capabilities", "text/markdown")
        self.assertRegex(text, r"\n\| measured \| 4\d tokens, 0\.5\d* USD, .* ms")


if __name__ == "__main__":
    unittest.main()
