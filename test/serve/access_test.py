#!/usr/bin/env python3
"""Who gets in, seen from outside: tokens beside a running server, sessions that
belong to somebody, settings that are refused, and that no secret is anywhere.
Revoking at length is revoke_random_test.py, the matrix of all credentials
test/interop/access_test.mjs."""
import base64
import hashlib
import hmac
import json
import os
import subprocess
import tempfile
import time
import unittest

from server import TRAILS, Peer, Server, message, read_response, request

SECRET = "a-secret-of-hs256-that-has-more-than-32-bytes"
TOKEN = "the-token-of-the-environment"

OPEN = "[auth]\nrequired = false\n"

APP = '''
node_type "Note" { fields = { title = text } }
capability "run" {
  description = "For everybody.",
  run = function(ctx) return ctx.principal end,
}
capability "write" {
  description = "Writes a note.",
  input = { title = text },
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) return ctx.kg:create("Note", args).id end,
}
capability "fail" {
  description = "Has a bug.",
  run = function(ctx) error("it failed") end,
}
capability "build" {
  description = "For builders.",
  scope = "builder",
  run = function() return "built" end,
}
resource "test://build" {
  scope = "builder",
  run = function() return "built" end,
}
capability "through" {
  description = "Calls what is for builders.",
  run = function(ctx) return ctx:invoke("build", {}) end,
}
capability "debug" {
  description = "For developers.",
  scope = "dev",
  run = function() return "debugged" end,
}
'''


def jwt(claims, secret=SECRET, **header):
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    text = ".".join(part(json.dumps(value).encode()) for value in (
        {"alg": "HS256", **header}, {"exp": int(time.time()) + 600, **claims}))
    mac = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    return f"{text}.{part(mac)}"


def trails(*arguments, **environment):
    """Exit code, standard output and standard error."""
    done = subprocess.run([TRAILS, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, timeout=120,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def create(folder, *options):
    code, out, err = trails("token", "create", "--app", folder, "--json",
                            *options)
    assert code == 0, err
    return json.loads(out)


def bearer(token):
    return {"Authorization": f"Bearer {token}"} if token else {}


def call(server, tool, token=None, **arguments):
    return server.call(tool, headers=bearer(token), **arguments)


def text_of(answer):
    return answer["result"]["content"][0]["text"]


class Open(unittest.TestCase):
    """None is required: everybody has runtime, tokens may have more."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(OPEN, app=APP, environment={
            "TRAILS_MCP_SCOPES": "runtime, builder"})
        cls.folder = cls.server.folder

    @classmethod
    def tearDownClass(cls):
        if cls.server.close() != 0:
            raise AssertionError("the server did not end well")

    def test_nobody_has_runtime_and_is_told_what_else_needs(self):
        self.assertEqual(text_of(call(self.server, "run")[1]), "")
        status, answer = call(self.server, "build")
        self.assertEqual(status, 200)
        self.assertEqual(answer["error"], {
            "code": -31001,
            "message": "authentication required: build requires builder",
            "data": {"tool": "build", "required_scope": "builder",
                     "trails_code": -32001}})

    def test_trails_mcp_test_brings_the_token_and_does_not_show_it(self):
        code, out, err = trails("mcp", "test", "--messages", self.folder,
                                TRAILS_MCP_TOKEN=TOKEN)
        self.assertEqual((code, out.count("ok   ")), (0, 7), out + err)
        self.assertNotIn(TOKEN, out + err)
        self.assertIn('"authorization":{"bearer":"..."}', out)

    def test_scopes_are_those_of_token_and_process(self):
        made = create(self.folder, "--scope", "builder,dev")
        status, answer = call(self.server, "build", made["token"])
        self.assertEqual(text_of(answer), "built")
        for tool, scope in (("run", "runtime"), ("debug", "dev")):
            status, answer = call(self.server, tool, made["token"])
            self.assertEqual(status, 200)
            self.assertEqual(answer["error"], {
                "code": -31004,
                "message": f"scope denied: {tool} requires {scope}",
                "data": {"tool": tool, "required_scope": scope,
                         "caller_scopes": ["builder"], "trails_code": -32004}})

    def test_a_handler_has_no_more_than_its_caller(self):
        made = create(self.folder, "--scope", "runtime")
        answer = call(self.server, "through", made["token"])[1]
        self.assertEqual(answer["error"]["code"], -31004)
        made = create(self.folder, "--scope", "runtime,builder")
        answer = call(self.server, "through", made["token"])[1]
        self.assertEqual(text_of(answer), "built")

    def test_a_token_ends_when_it_expires(self):
        made = create(self.folder, "--scope", "runtime", "--expires", "1s")
        deadline = time.monotonic() + 60
        while call(self.server, "run", made["token"])[0] == 200:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        answer = call(self.server, "run", made["token"])[1]
        self.assertEqual(answer["error"]["data"]["reason"],
                         "the token has expired")

    def test_a_credential_that_is_wrong_is_not_left_out(self):
        rows = [("Bearer wrong", 401, "invalid_token"),
                ("Bearer trails_wrong", 401, "invalid_token"),
                ("Bearer", 400, "invalid_request"),
                ("Bearer a b", 400, "invalid_request"),
                ("Basic eA==", 400, "invalid_request"),
                ("Digest username=x", 400, "invalid_request")]
        body = message("tools/list")
        for value, wanted, error in rows:
            status, headers, text = self.server.ask(
                request(body, Authorization=value))
            self.assertEqual((value, status), (value, wanted))
            self.assertIn(f'error="{error}"', headers["www-authenticate"])
            self.assertEqual(json.loads(text)["error"]["message"],
                             "Authentication failed")
        two = request(body, Authorization="Bearer x").replace(
            b"Authorization", b"authorization: Bearer y\r\nAuthorization")
        self.assertEqual(self.server.ask(two)[0], 400)

    def test_there_is_no_metadata_without_a_server_for_tokens(self):
        for path in ("", "/mcp"):
            path = "/.well-known/oauth-protected-resource" + path
            self.assertEqual(self.server.ask(request("", path, "GET"))[0], 404)

    def test_a_session_belongs_to_who_has_opened_it(self):
        one = create(self.folder, "--scope", "runtime", "--name", "one")
        two = create(self.folder, "--scope", "runtime", "--name", "two")
        other = create(self.folder, "--scope", "builder", "--name", "one")

        def post(body, token, **headers):
            text = json.dumps({"jsonrpc": "2.0", **body})
            return self.server.ask(request(
                text, Content_Type="application/json",
                Accept="application/json, text/event-stream",
                **bearer(token), **headers))
        start = {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}
        status, headers, _ = post(start, one["token"])
        self.assertEqual(status, 200)
        session = {"Mcp-Session-Id": headers["mcp-session-id"]}
        ping = {"id": 2, "method": "ping"}
        for token, wanted in ((one["token"], 200), (two["token"], 404),
                              (None, 404), (other["token"], 200),
                              ("wrong", 401)):
            with self.subTest(wanted=wanted):
                self.assertEqual(post(ping, token, **session)[0], wanted)
        for verb in ("GET", "DELETE"):
            status, _, _ = self.server.ask(request(
                "", verb=verb, Accept="text/event-stream",
                **bearer(two["token"]), **session))
            self.assertEqual((verb, status), (verb, 404))
        status, _, _ = self.server.ask(request(
            "", verb="DELETE", **bearer(one["token"]), **session))
        self.assertEqual(status, 200)

    def test_commands_say_what_is_wrong(self):
        rows = [
            (["create"], 2, "say what it may do, such as --scope runtime"),
            (["create", "--scope", "admin"], 2,
             "unknown scope 'admin': runtime, builder or dev"),
            (["create", "--scope", "dev", "--name", "a b"], 2,
             "the name of a token has up to 64 letters, digits and . _ - @ /"),
            (["create", "--scope", "dev", "--expires", "yesterday"], 2,
             "--expires is a time to come, such as 30d, 12h or "
             "2027-01-31T00:00:00Z, not 'yesterday'"),
            (["create", "--scope", "dev", "--expires", "2020-01-01T00:00:00Z"],
             2, "--expires is a time to come, such as 30d, 12h or "
             "2027-01-31T00:00:00Z, not '2020-01-01T00:00:00Z'"),
            (["create", "--scope", "dev", "--calls-per-hour", "0"], 2,
             "--calls-per-hour is a number from 1, not '0'"),
            (["create", "--scope", "dev", "--usd-per-day", "-1"], 2,
             "--usd-per-day is an amount above 0, not '-1'"),
            (["revoke", "nobody"], 1, "there is no token with this id; "
             "'trails token list' has them"),
        ]
        for arguments, wanted, text in rows:
            with self.subTest(arguments=arguments):
                self.assertEqual(
                    trails("token", *arguments, "--app", self.folder),
                    (wanted, "", f"trails: {text}\n"))

    def test_tokens_are_listed_without_their_secrets(self):
        made = create(self.folder, "--scope", "dev,runtime", "--name", "listed",
                      "--expires", "2199-01-01T00:00:00Z",
                      "--calls-per-hour", "7", "--usd-per-day", "0.5")
        self.assertEqual(made["limits"], {"calls_hour": 7, "usd_day": 0.5})
        code, out, _ = trails("token", "list", "--app", self.folder, "--json")
        listed = {token["id"]: token for token in json.loads(out)}
        self.assertEqual({**listed[made["id"]], "token": made["token"]}, made)
        code, text, _ = trails("token", "list", "--app", self.folder)
        line = next(l for l in text.splitlines() if l.startswith(made["id"]))
        self.assertEqual(line.split()[1:], ["valid", "dev,runtime",
                                            "2199-01-01T00:00:00Z", "listed"])
        self.assertNotIn(made["token"], out + text)


class Closed(unittest.TestCase):
    """Nobody comes in without a credential."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(app=APP, toml='''
[project]
name = "closed"
[server]
public_url = "https://trails.example"
[auth]
issuer = "https://issuer.example"
authorization_servers = ["https://issuer.example"]
challenge = "http"
''', environment={"TRAILS_MCP_TOKEN": TOKEN, "TRAILS_MCP_JWT_SECRET": SECRET,
                  "TRAILS_MCP_SCOPES": "runtime,builder"})

    @classmethod
    def tearDownClass(cls):
        if cls.server.close() != 0:
            raise AssertionError("the server did not end well")

    CLAIMS = {"iss": "https://issuer.example",
              "aud": "https://trails.example/mcp", "sub": "ann"}
    METADATA = "https://trails.example/.well-known/oauth-protected-resource/mcp"

    def test_every_door_wants_a_credential(self):
        doors = [("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"),
                 ("GET", "/sse"), ("POST", "/messages"), ("GET", "/metrics")]
        for verb, path in doors:
            with self.subTest(verb=verb, path=path):
                status, headers, text = self.server.ask(
                    request("", path, verb))
                self.assertEqual(status, 401)
                self.assertEqual(
                    headers["www-authenticate"],
                    'Bearer realm="closed", scope="runtime", '
                    f'resource_metadata="{self.METADATA}"')
                self.assertEqual(json.loads(text), {
                    "jsonrpc": "2.0", "error": {
                        "code": -32001, "message": "Authentication failed",
                        "data": {"reason": "a token is needed"}}})

    def test_doors_that_are_for_everybody(self):
        for path in ("/health", "/ready"):
            self.assertEqual(self.server.ask(request("", path, "GET"))[0], 200)
        self.assertEqual(self.server.ask(request("", "/mcp", "OPTIONS"))[0],
                         204)
        status, _, text = self.server.ask(request(
            "", "/metrics", "GET", **bearer(TOKEN)))
        self.assertEqual(status, 200)
        self.assertIn("trails_", text)

    def test_the_metadata_of_the_resource(self):
        for path in ("", "/mcp"):
            path = "/.well-known/oauth-protected-resource" + path
            status, headers, text = self.server.ask(request(
                "", path, "GET", Host="trails.example"))
            self.assertEqual((status, headers["content-type"]),
                             (200, "application/json"))
            self.assertEqual(json.loads(text), {
                "resource": "https://trails.example/mcp",
                "authorization_servers": ["https://issuer.example"],
                "scopes_supported": ["builder", "runtime"],
                "bearer_methods_supported": ["header"]})

    def test_the_token_of_the_environment_has_all_scopes(self):
        self.assertEqual(text_of(call(self.server, "run", TOKEN)[1]),
                         "token:environment")
        self.assertEqual(text_of(call(self.server, "build", TOKEN)[1]), "built")

    def test_a_jwt_has_the_scopes_that_it_names(self):
        token = jwt({**self.CLAIMS, "scopes": ["runtime"]})
        self.assertEqual(text_of(call(self.server, "run", token)[1]), "ann")

    def test_scopes_may_be_told_by_status(self):
        token = jwt({**self.CLAIMS, "scopes": ["runtime"]})
        bodies = (message("tools/call", name="build"),
                  message("resources/read", uri="test://build"))
        for body in bodies:
            status, headers, text = self.server.ask(
                request(body, **bearer(token)))
            self.assertEqual(status, 403)
            self.assertEqual(
                headers["www-authenticate"],
                'Bearer realm="closed", error="insufficient_scope", error_description="the '
                'token does not have the scope", scope="builder", '
                f'resource_metadata="{self.METADATA}"')
            self.assertEqual(json.loads(text)["error"]["code"], -31004)

    def test_origin_of_a_foreign_host_is_refused(self):
        for host, wanted in (("trails.example", 200), ("evil.example", 403)):
            status, _, _ = self.server.ask(request(
                message("tools/list"), Host=host, **bearer(TOKEN)))
            self.assertEqual((host, status), (host, wanted))


class Pages(unittest.TestCase):
    """Lists in pages, of which each has as much as all, whoever asks."""

    APP = '''
for i = 100, 349 do
  capability("tool" .. i) {
    description = "One of many.",
    scope = i % 3 == 0 and "builder" or i % 3 == 1 and "runtime" or "dev",
    run = function() return "" end,
  }
end
'''

    def pages(self, server, token):
        cursor = {}
        while True:
            body = message("tools/list", **cursor)
            _, _, text = server.ask(request(body, **bearer(token)))
            result = json.loads(text)["result"]
            yield [tool["name"] for tool in result["tools"]]
            if "nextCursor" not in result:
                return
            cursor = {"cursor": result["nextCursor"]}

    def test_pages_are_of_what_is_visible(self):
        server = Server(app=self.APP, environment={
            "TRAILS_MCP_SCOPES": "runtime,builder,dev"})
        for scopes in ("", "runtime", "builder,dev", "runtime,builder,dev"):
            token = scopes and create(server.folder, "--scope",
                                      scopes)["token"]
            wanted = [f"tool{i}" for i in range(100, 350)
                      if ("builder", "runtime", "dev")[i % 3]
                      in (scopes or "runtime")]
            _, printed, _ = trails("capabilities", "--as", "mcp", "--app",
                                   server.folder, "--scopes",
                                   scopes or "runtime")
            wanted += [tool["name"] for tool in json.loads(printed)["tools"]
                       if tool["trails"]["kind"] == "meta"]
            pages = list(self.pages(server, token))
            self.assertEqual(sum(pages, []), wanted)
            self.assertTrue(all(len(page) == 100 for page in pages[:-1]))
            self.assertEqual(len(pages), -(-len(wanted) // 100))
        self.assertEqual(server.close(), 0)


class NoSecrets(unittest.TestCase):
    """Every token that was used, good or bad, is looked for in all that the
    server and the commands have written."""

    def setUp(self):
        self.server = Server(app=APP, environment={
            "TRAILS_MCP_TOKEN": TOKEN, "TRAILS_MCP_JWT_SECRET": SECRET,
            "TRAILS_MCP_SCOPES": "runtime,builder"})
        self.folder = self.server.folder
        self.said = []

    def run_command(self, *arguments):
        self.said += trails(*arguments, TRAILS_MCP_TOKEN=TOKEN,
                            TRAILS_MCP_JWT_SECRET=SECRET)[1:]

    def test_no_secret_is_anywhere(self):
        made = create(self.folder, "--scope", "runtime,builder")
        revoked = create(self.folder, "--scope", "runtime")
        trails("token", "revoke", "--app", self.folder, revoked["id"])
        tokens = [made["token"], revoked["token"], TOKEN,
                  jwt({"sub": "ann"}), jwt({"sub": "bob", "exp": 1}),
                  jwt({"sub": "eve"}, secret="another-secret-" * 4),
                  jwt({"sub": "eve"}, alg="none"), "trails_made-up-by-somebody",
                  "something-else-entirely"]
        for token in tokens:
            for tool, arguments in (("run", {}), ("write", {"title": "a"}),
                                    ("fail", {}), ("build", {}), ("debug", {}),
                                    ("write", {"title": 7}), ("nobody", {})):
                answer = call(self.server, tool, token, **arguments)
                self.said.append(json.dumps(answer))
            for path in ("/mcp", "/sse?token=x", "/messages", "/metrics"):
                with self.server.connect() as peer:
                    peer.sendall(request("", path, "GET", **bearer(token)))
                    self.said.append(json.dumps(read_response(peer)))
        self.run_command("token", "list", "--json", "--app", self.folder)
        self.run_command("token", "list", "--app", self.folder)
        self.run_command("export", "--prov", "--app", self.folder)
        self.run_command("stats", "--json", "--app", self.folder)
        self.run_command("check", "--json", self.folder)
        self.run_command("config", "check", "--json",
                         os.path.join(self.folder, "trails.toml"))
        self.look(tokens + [SECRET])

    def look(self, secrets):
        signatures = [s.rsplit(".", 1)[1] for s in secrets if s.count(".") == 2]
        self.server.process.terminate()
        self.assertEqual(self.server.process.wait(60), 0)
        places = {"said": "".join(self.said).encode()}
        for folder, _, names in os.walk(self.folder):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    places[name] = file.read()
        self.assertIn("graph.db", places)
        self.assertIn(b"token:", places["graph.db"])  # the principals are
        self.assertGreater(len(places["log"]), 1000)
        for secret in secrets + [s for s in signatures if s]:
            for name, data in places.items():
                self.assertNotIn(secret.encode(), data, name)

    def tearDown(self):
        self.server.close()


class Settings(unittest.TestCase):
    """What is refused before anybody can connect."""

    def serve(self, toml="", options=("--http", "127.0.0.1:0"), **environment):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("app.lua", APP), ("trails.toml", toml)):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            code, out, err = trails("serve", folder, *options, **environment)
        self.assertEqual(out, "")
        return code, err

    def test_an_unknown_scope(self):
        for options in (("--stdio",), ("--http", "127.0.0.1:0")):
            self.assertEqual(
                self.serve("", options, TRAILS_MCP_SCOPES="runtime,admin"),
                (2, "trails: TRAILS_MCP_SCOPES: unknown scope 'admin': "
                    "runtime, builder or dev\n"))

    def test_listening_beyond_this_machine(self):
        proxy = "[server]\nbehind_tls_proxy = true\n"
        for address in ("0.0.0.0:0", "[::]:0"):
            with self.subTest(address=address):
                code, err = self.serve("", ("--http", address),
                                       TRAILS_MCP_TOKEN=TOKEN)
                self.assertEqual(code, 1)
                self.assertIn("behind_tls_proxy = true", err)
                code, err = self.serve(proxy, ("--http", address))
                self.assertEqual(code, 1)
                self.assertIn("there is no credential", err)

    def test_settings_that_lack_another(self):
        rows = [
            ('[auth]\njwks_file = "keys.json"\n', {},
             "auth.jwks_file needs auth.issuer and auth.audience"),
            ('[auth]\njwks_file = "keys.json"\nissuer = "i"\naudience = "a"\n',
             {}, "keys.json"),
            ('[auth]\njwks_url = "https://a.example/keys"\n', {},
             "auth.jwks_url needs auth.issuer and auth.audience"),
            ('[auth]\njwks_url = "http://a.example/keys"\n', {},
             "auth.jwks_url must be https"),
            ('[auth]\njwks_url = "https://a.example/keys"\njwks_file = "a"\n',
             {}, "set auth.jwks_file or auth.jwks_url, not both"),
            ('[auth]\nalgorithms = ["HS256"]\n', {},
             "auth.algorithms has HS256, for which there is no key: "
             "set TRAILS_MCP_JWT_SECRET"),
            ('[auth]\nalgorithms = ["RS256"]\n',
             {"TRAILS_MCP_JWT_SECRET": SECRET},
             "auth.algorithms has RS256, for which there is no key: "
             "set auth.jwks_file"),
            ('[auth]\nalgorithms = ["none"]\n', {},
             "auth.algorithms must be HS256, EdDSA, ES256 or RS256"),
            ('[auth]\nauthorization_servers = ["https://a.example"]\n', {},
             "auth.authorization_servers needs server.public_url"),
            ("", {"TRAILS_MCP_JWT_SECRET": "short"},
             "the secret of HS256 must have at least 32 bytes"),
            ('[server]\npublic_url = "https://a.example/x"\n', {},
             "server.public_url must be https://HOST"),
        ]
        for toml, environment, wanted in rows:
            with self.subTest(wanted=wanted):
                code, err = self.serve(toml, **environment)
                self.assertEqual(code, 1)
                self.assertIn(wanted, err)
                self.assertNotIn(SECRET, err)

    def test_unsafe_settings_are_told(self):
        """Each row: settings, and the ids of what is said of them."""
        rows = [
            ("", {"TRAILS_MCP_SCOPES": "runtime,builder,dev"}, []),
            ("", {}, ["scopes.unreachable"]),
            ('[server]\nhttp = "0.0.0.0:0"\n',
             {"TRAILS_MCP_SCOPES": "runtime,builder,dev"},
             ["server.plain", "server.open", "project.env"]),
            ('[project]\nenv = "production"\n[server]\nbehind_tls_proxy = true\n'
             'public_url = "http://a.example"\n',
             {"TRAILS_MCP_SCOPES": "runtime,builder,dev",
              "TRAILS_MCP_TOKEN": "short"},
             ["server.public_url", "token.short", "scopes.dev"]),
            ("", {"TRAILS_MCP_SCOPES": "runtime,builder,dev",
                  "TRAILS_MCP_JWT_SECRET": SECRET},
             ["auth.audience", "auth.issuer"]),
            ('[project]\nenv = "production"\n' + OPEN,
             {"TRAILS_MCP_SCOPES": "runtime,builder"},
             ["scopes.unreachable", "auth.open"]),
            (OPEN, {"TRAILS_MCP_SCOPES": "runtime,builder,dev"}, []),
            (OPEN, {"TRAILS_MCP_SCOPES": "runtime,builder,dev",
                    "TRAILS_MCP_TOKEN": "x" * 40}, ["auth.required"]),
        ]
        for toml, environment, wanted in rows:
            with tempfile.TemporaryDirectory() as folder:
                for name, text in (("app.lua", APP), ("trails.toml", toml)):
                    with open(os.path.join(folder, name), "w") as file:
                        file.write(text)
                code, out, _ = trails("check", "--json", folder, **environment)
                plain = trails("check", folder, **environment)[1]
            self.assertEqual(code, 0)
            warnings = json.loads(out)["warnings"]
            self.assertEqual([w["id"] for w in warnings], wanted)
            for warning in warnings:
                self.assertIn(f"warning: {warning['message']}\n", plain)
                if warning["id"] == "scopes.unreachable":
                    self.assertRegex(warning["message"], r"gets at it: [\w.]+$")

    def test_a_stored_token_is_a_credential(self):
        server = Server(app=APP)
        create(server.folder, "--scope", "runtime")
        server.write("trails.toml", "[server]\nbehind_tls_proxy = true\n")
        second = subprocess.Popen(
            [TRAILS, "serve", server.folder, "--http", "0.0.0.0:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TRAILS_ACCESS_LOG": "false"})
        line = second.stdout.readline()
        self.assertTrue(line.startswith("listening on http://127.0.0.1:"))
        self.assertEqual(json.loads(second.stderr.readline())["msg"],
                         "listening on all addresses of this machine")
        with Peer(int(line.rsplit(":", 1)[1].split("/")[0])) as peer:
            peer.sendall(request(message("tools/list")))
            self.assertEqual(read_response(peer)[0], 401)
        second.terminate()
        self.assertEqual(second.wait(60), 0)
        second.stdout.close()
        second.stderr.close()
        self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    unittest.main()
