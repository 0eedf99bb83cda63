#!/usr/bin/env python3
"""Who is let in: every credential over each transport, in each environment, with
each value of [auth] required, before a token was stored and after all of them
were revoked, against the table in docs/security.md. And what standard input
brings by itself: TRAILS_TOKEN and --token-file."""
import itertools
import json
import os
import re
import subprocess
import unittest

from access_test import SECRET, bearer, create, jwt, trails
from server import ROOT, TRAILS, Server, message, request, wait_for

APP = '''
capability "who" { description = "w", run = function(ctx) return ctx.principal end }
capability "build" { description = "b", scope = "builder", run = function() return "built" end }
'''

DIMENSIONS = {
    "over": ["HTTP", "stdio"],
    "env": ["development", "production"],
    "required": ["auto", "true", "false"],
    "tokens": ["never", "stored", "revoked"],
}


def table():
    """Each case of the table in the page, and whether nobody is let in."""
    with open(os.path.join(ROOT, "docs", "security.md")) as file:
        text = file.read()
    found = re.search(r"\| over \| `env` \| `required` \| tokens \|.*\n\|[-|]+\n"
                      r"((?:\|.*\n)+)", text)
    cases = {}
    for line in found[1].splitlines():
        cells = [cell.strip().replace("`", "") for cell in line.split("|")[1:-1]]
        values = [all_of if cell == "any" else cell.split(", ")
                  for cell, all_of in zip(cells, DIMENSIONS.values())]
        for case in itertools.product(*values):
            assert case not in cases, f"{case} is there twice"
            cases[case] = {"let in": True, "refused": False}[cells[4]]
    return cases


CASES = table()


def settings(env, required):
    value = {"auto": '"auto"'}.get(required, required)
    return (f'[project]\nname = "creds"\nenv = "{env}"\n'
            f'[auth]\nrequired = {value}\n')


class Stdio:
    """A client that has started its server."""

    def __init__(self, folder, *options, **environment):
        self.process = subprocess.Popen(
            [TRAILS, "serve", folder, "--stdio", *options], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, **environment})

    def ask(self, body):
        self.process.stdin.write(json.dumps(body) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def who(self, token=None):
        """Who a request of the newest revision is from; None: refused."""
        meta = {"dev.trails/authorization": token} if token else {}
        return who_of(self.ask(message("tools/call", meta, name="who",
                                       arguments={})))

    def close(self):
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err


def who_of(answer):
    if "error" in answer:
        assert answer["error"]["message"] == "Authentication failed", answer
        return None
    return answer["result"]["content"][0]["text"]


class Http:
    def __init__(self, server):
        self.server = server

    def who(self, token=None):
        status, answer = self.server.call("who", headers=bearer(token))
        assert (status == 401) == ("error" in answer), answer
        return who_of(answer)


class Matrix(unittest.TestCase):
    def test_the_table_has_every_case_once(self):
        self.assertEqual(sorted(CASES), sorted(
            itertools.product(*DIMENSIONS.values())))

    def walk(self, env, required, secret=None):
        """One server, before there is a token, with one, and after it."""
        own = {"TRAILS_MCP_JWT_SECRET": secret} if secret else {}
        server = Server(settings(env, required), app=APP, environment=own)
        doors = {"HTTP": Http(server), "stdio": Stdio(server.folder, **own)}
        made = None
        for state in DIMENSIONS["tokens"]:
            if state == "stored":
                made = create(server.folder, "--scope", "runtime", "--name", "t")
            if state == "revoked":
                code, _, err = trails("token", "revoke", "--app", server.folder,
                                      made["id"])
                self.assertEqual(code, 0, err)
            for over, door in doors.items():
                case = (over, env, required, state)
                with self.subTest(case=case, jwt=bool(secret)):
                    self.check(door, CASES[case], state, made, secret)
        self.assertEqual(doors["stdio"].close()[0], 0)
        self.assertEqual(server.close(), 0)

    def check(self, door, is_open, state, made, secret):
        is_open = is_open and not secret
        self.assertEqual(door.who(), "" if is_open else None)
        self.assertIsNone(door.who("trails_wrong"))
        self.assertIsNone(door.who(jwt({"sub": "x"}, secret="y" * 40)))
        if made:
            self.assertEqual(door.who(made["token"]),
                             "token:t" if state == "stored" else None)
        if secret:
            self.assertEqual(door.who(jwt({"sub": "ann"})), "ann")

    def test_every_case_is_as_the_page_says(self):
        for env in DIMENSIONS["env"]:
            for required in DIMENSIONS["required"]:
                self.walk(env, required)

    def test_with_keys_of_jwts_nobody_is_let_in_anywhere(self):
        for env, required in (("development", "auto"), ("production", "false")):
            self.walk(env, required, SECRET)


    def test_a_backup_brings_the_closed_door_along(self):
        server = Server(settings("development", "auto"), app=APP)
        made = create(server.folder, "--scope", "runtime")
        self.assertEqual(trails("token", "revoke", "--app", server.folder,
                                made["id"])[0], 0)
        copy = os.path.join(server.folder, "copy.db")
        self.assertEqual(trails("backup", "--app", server.folder, copy)[0], 0)
        other = Server(settings("development", "auto"), app=APP)
        self.assertEqual(Http(other).who(), "")
        code, _, err = trails("restore", "--app", other.folder, copy)
        self.assertEqual(code, 0, err)
        self.assertIsNone(Http(other).who())
        for each in (server, other):
            self.assertEqual(each.close(), 0)


class Brought(unittest.TestCase):
    """The parent is the caller: what it brings counts for the connection."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(settings("production", "auto"), app=APP)
        cls.folder = cls.server.folder
        cls.made = create(cls.folder, "--scope", "runtime,builder", "--name", "ann")
        cls.other = create(cls.folder, "--scope", "runtime", "--name", "bob")

    @classmethod
    def tearDownClass(cls):
        if cls.server.close() != 0:
            raise AssertionError("the server did not end well")

    def file(self, text, mode=0o600):
        path = os.path.join(self.folder, "token")
        self.server.write("token", text)
        os.chmod(path, mode)
        return path

    def initialize(self, door, token=None):
        info = {"name": "t", "version": "1"}
        if token:
            info["authorization"] = {"bearer": token}
        return door.ask({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                         "params": {"protocolVersion": "2025-11-25",
                                    "capabilities": {}, "clientInfo": info}})

    def test_it_is_the_credential_in_both_eras(self):
        token = self.made["token"]
        ways = [((), {"TRAILS_TOKEN": token}),
                (("--token-file", self.file(token + "\n")), {}),
                (("--token-file", self.file(token)), {"TRAILS_TOKEN": token})]
        for options, environment in ways:
            with self.subTest(options=options):
                door = Stdio(self.folder, *options,
                             TRAILS_MCP_SCOPES="runtime,builder", **environment)
                self.assertEqual(door.who(), "token:ann")
                self.assertEqual(door.who(token), "token:ann")
                self.assertIn("result", self.initialize(door))
                answer = door.ask({"jsonrpc": "2.0", "id": 2,
                                   "method": "tools/call",
                                   "params": {"name": "build"}})
                self.assertEqual(who_of(answer), "built")
                self.assertEqual(door.close()[0], 0)

    def test_a_jwt_and_the_token_of_the_server_may_be_brought_too(self):
        rows = [({"TRAILS_MCP_JWT_SECRET": SECRET,
                  "TRAILS_TOKEN": jwt({"sub": "eve"})}, "eve"),
                ({"TRAILS_MCP_TOKEN": "x" * 40, "TRAILS_TOKEN": "x" * 40},
                 "token:environment"),
                ({"TRAILS_TOKEN": ""}, ""), ({"TRAILS_TOKEN": " "}, "")]
        for environment, wanted in rows:
            door = Stdio(self.folder, **environment)
            self.assertEqual(door.who(), wanted)
            self.assertEqual(door.close()[0], 0)

    def test_another_one_beside_it_is_refused(self):
        other = self.other["token"]
        door = Stdio(self.folder, TRAILS_TOKEN=self.made["token"])
        self.assertIsNone(door.who(other))
        answer = self.initialize(door, other)
        self.assertEqual(answer["error"]["data"]["reason"],
                         "there is more than one credential")
        self.assertIn("result", self.initialize(door, self.made["token"]))
        self.assertEqual(door.close()[0], 0)
        body = message("tools/list", {"dev.trails/authorization": other})
        status, _, text = self.server.ask(
            request(body, **bearer(self.made["token"])))
        self.assertIn("there is more than one credential", text)
        self.assertEqual(json.loads(text)["error"]["message"],
                         "Authentication failed")

    def test_it_is_looked_at_again_with_every_request(self):
        made = create(self.folder, "--scope", "runtime", "--name", "gone")
        door = Stdio(self.folder, TRAILS_TOKEN=made["token"])
        self.assertEqual(door.who(), "token:gone")
        self.assertEqual(trails("token", "revoke", "--app", self.folder,
                                made["id"])[0], 0)
        self.assertIsNone(door.who())
        self.assertEqual(door.close()[0], 0)

    def test_what_is_wrong_is_said_at_the_start(self):
        token = self.made["token"]
        spent = create(self.folder, "--scope", "runtime", "--expires", "1s")
        wait_for(lambda: self.server.call(
            "who", headers=bearer(spent["token"]))[0] == 401)
        rows = [
            ((), {"TRAILS_TOKEN": "trails_wrong"}, "the token of TRAILS_TOKEN"),
            ((), {"TRAILS_TOKEN": spent["token"]}, "the token has expired"),
            ((), {"TRAILS_TOKEN": "x" * 20000}, "TRAILS_TOKEN has at most"),
            (("--token-file", self.file("trails_wrong")), {}, "the token of /"),
            (("--token-file", "/nowhere"), {}, "/nowhere: No such file"),
        ]
        for options, environment, wanted in rows:
            with self.subTest(wanted=wanted):
                self.file("trails_wrong")
                self.refused(wanted, options, environment)
        for mode in (0o640, 0o604, 0o660, 0o644):
            path = self.file(token, mode)
            self.refused("can be read by others", ("--token-file", path), {})
        self.refused("has no token", ("--token-file", self.file("\n")), {})
        self.refused("different credentials",
                     ("--token-file", self.file(token)),
                     {"TRAILS_TOKEN": self.other["token"]})

    def refused(self, wanted, options, environment):
        code, err = Stdio(self.folder, *options, **environment).close()
        self.assertEqual(code, 1)
        self.assertIn(wanted, err)
        for secret in [self.made["token"], *environment.values()]:
            self.assertNotIn(secret, err)

    def test_a_file_is_for_standard_input(self):
        code, _, err = trails("serve", self.folder, "--http", "127.0.0.1:0",
                              "--token-file", self.file(self.made["token"]))
        self.assertEqual(code, 2)
        self.assertIn("--token-file is for --stdio", err)

    def test_the_variable_is_gone_from_the_process(self):
        door = Stdio(self.folder, TRAILS_TOKEN=self.made["token"])
        self.assertEqual(door.who(), "token:ann")
        try:
            with open(f"/proc/{door.process.pid}/environ", "rb") as file:
                self.assertNotIn(self.made["token"].encode(), file.read())
        except PermissionError:
            pass  # it writes no core file, and then nobody looks into it
        code, err = door.close()
        self.assertEqual(code, 0)
        self.assertNotIn(self.made["token"], err)


class Challenge(unittest.TestCase):
    def test_it_says_whose_and_what_is_wrong(self):
        server = Server(settings("production", "auto"), app=APP)
        body = message("tools/list")
        for headers, wanted in (
                ({}, 'Bearer realm="creds"'),
                (bearer("trails_wrong"), 'Bearer realm="creds", '
                 'error="invalid_token", error_description="'),
                ({"Authorization": "Basic eA=="}, 'Bearer realm="creds", '
                 'error="invalid_request", error_description="')):
            _, fields, _ = server.ask(request(body, **headers))
            said = fields["www-authenticate"]
            self.assertTrue(said == wanted or said.startswith(wanted) and
                            wanted.endswith('"'), said)
            self.assertNotIn("resource_metadata", said)
            self.assertEqual(" error=" in said, bool(headers))
        self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    unittest.main()
