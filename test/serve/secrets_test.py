#!/usr/bin/env python3
"""Secrets of an app, looked for in every byte: each function of ctx and of ctx.kg
gets one wherever it takes something, and handlers return, raise and store it in
every way there is. Then the log, the store, all answers, all that commands print,
/proc and what a core file would have are searched."""
import http.server
import json
import os
import re
import tempfile
import threading
import unittest

from access_test import trails
from places_test import MODEL, capability, functions
from server import RELEASED, ROOT, Server, message, request

FILE = "0f2b-of-the-file-\\-with-a-backslash"
VARIABLE = "77aa-of-the-environment-of-the-server"
OVER = "5c5c-that-goes-before-the-file"
TOML = f"""
[project]
name = "kept"
[lua]
instructions = 3000000
[secrets]
FROM_FILE = '{FILE}'
OVER = 'never-used-since-the-environment-has-one'
"""
SECRETS = [FILE, VARIABLE, OVER, "never-used-since-the-environment-has-one"]
ENVIRONMENT = {"TRAILS_SECRET_FROM_VARIABLE": VARIABLE, "TRAILS_SECRET_OVER": OVER}

# `s` is a secret, `t` a text that is put together with two of them.
GIVEN = "local s, t = ctx:secret 'FROM_FILE', 'Bearer ' .. ctx:secret 'FROM_VARIABLE' .. ctx:secret 'OVER' "
ARGUMENTS = ["s", "t", "{ s }", "{ t }", "{ message = s }", "{ title = s }", "s, s", "'Note', s",
             "'Note', { title = s }", "'Note', { title = t }", "'Note', { [s] = s }", "1, 2, t",
             "'info', s", "'info', { a = { s } }", "'fine', { x = t }", "'x', s",
             "{ message = t, fields = { a = text } }", "{ value = s }", "{ content = { t } }",
             "{ meta = { a = s } }", "{ uri = t, text = s }", "{ prompt = t }", "{ url = t, message = 'x' }",
             "{ a = elicit { message = t, fields = { a = text } } }"]
WAYS = ["return s", "return t", "return { a = s }", "return { s }", "return { { t } }", "return { [s] = 1 }",
        "error(s)", "error(t)", "error { code = 'invalid', message = s }",
        "error { code = 'validation', message = 'x', data = { fields = { { field = 'a', message = t } } } }",
        "return json.encode { s }", "return tostring(s) .. tostring(t)", "print(s, t) return 'x'",
        "return ('%s'):format(t)", "return #s", "return s:upper()", "return s == t", "return s < t",
        "return table.concat { s }", "for k in pairs(s) do return k end", "return setmetatable({}, { __index = s }).x",
        "return ctx:hmac(s, 'x') .. ctx:hmac(t, 'x', 'base64')", "return ctx:hmac('k', s)",
        "ctx:hmac(s, ('x'):rep(100000)) return 'x'", "local u = s for i = 1, 50 do u = u .. s end return ctx:hmac(u, 'x')",
        "coroutine.wrap(function() error(s) end)()", "local ok, e = pcall(error, s) error(e)",
        "table.sort({ s, t }) return 'x'", "ctx.kg:transaction(function() error(t) end)",
        "return form.encode { a = s }", "return form.encode { [t] = 1 }", "return re.match(s, t)",
        "return (('x'):gsub('x', s))", "return (('x'):gsub('x', function() return t end))", "return (t):gsub('.', '%0')",
        "return string.format('%q', s)", "return ('x'):rep(2, s)", "return utf8.len(t)", "return load(t)",
        "return rawget(s, 1)", "return rawlen(t)", "return next(s)", "return tonumber(t)", "return select('#', s) .. t",
        "return json.decode(s)", "return json.decode('[\"' .. t .. '\"]')", "return require(t)", "return { t .. 1 }",
        "local e <close> = setmetatable({}, { __close = function() error(s) end }) return 'x'"]


def make_app():
    names = []
    app = MODEL + capability("fine", 'return "fine"')

    def add(body):
        nonlocal app
        names.append(f"case{len(names)}")
        app += capability(names[-1], GIVEN + body)
    for file, holder in (("ctx.c", "ctx"), ("kg.c", "ctx.kg")):
        for name in functions(file):
            for arguments in ARGUMENTS:
                add(f"return {holder}:{name}({arguments})")
    for way in WAYS:
        add(way)
    app += ('resource "own://x" { name = "x", run = function(ctx) ' + GIVEN + 'return { text = t } end }\n'
            'prompt "p" { run = function(ctx) ' + GIVEN + 'return t end }\n'
            'completion { prompt = "q", argument = "who", run = function(ctx) ' + GIVEN + 'return { s } end }\n'
            'prompt "q" { arguments = { who = text }, run = function() return "x" end }\n'
            'policy "told" { run = function(ctx) ' + GIVEN + 'return false, t end }\n'
            'capability "kept" { description = "d", side_effects = {}, policy_required = { "told" }, '
            'run = function() end }\n')
    return app, names


def memory(pid):
    """What a core file has: all that is mapped, but what is left out of them."""
    with open(f"/proc/{pid}/smaps") as file:
        parts = re.findall(r"^([0-9a-f]+)-([0-9a-f]+) (\S+).*\n((?:^[A-Z]\w*:.*\n)+)", file.read(), re.M)
    with open(f"/proc/{pid}/mem", "rb", 0) as file:
        for begin, end, mode, about in parts:
            if " dd" in re.search(r"VmFlags:(.*)", about)[1] or not mode.startswith("rw"):
                continue
            if re.search(r"^Rss: +0 kB", about, re.M):
                continue
            at, end = int(begin, 16), int(end, 16)
            while at < end:
                file.seek(at)
                data = file.read(min(end - at, 1 << 24))
                if not data:
                    break
                yield data
                at += len(data)


class Api(http.server.BaseHTTPRequestHandler):
    """Hears secrets and says none."""
    asked = []

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.asked.append((self.path, self.headers["Authorization"], body))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


class Released(Server):
    """Sanitizers keep a copy of the environment."""
    program = RELEASED


class Secrets(unittest.TestCase):
    def look(self, data, where):
        for secret in SECRETS:
            for spelt in (secret, json.dumps(secret)[1:-1]):
                at = data.find(spelt.encode())
                self.assertEqual(at, -1, f"{where}: {data[max(0, at - 200):at + 200]}")

    def test_no_secret_is_anywhere(self):
        app, names = make_app()
        self.assertGreater(len(names), 500)
        server = Server(TOML, app, environment=ENVIRONMENT)
        self.addCleanup(server.close)
        calls = [("tools/call", {"name": name, "arguments": {}}) for name in [*names, "kept"]]
        calls += [("resources/read", {"uri": "own://x"}), ("prompts/get", {"name": "p"}), ("tools/list", {}),
                  ("resources/read", {"uri": "trails://doctor"}), ("resources/read", {"uri": "trails://stats"}),
                  ("completion/complete", {"ref": {"type": "ref/prompt", "name": "q"},
                                           "argument": {"name": "who", "value": ""}})]
        said = self.ask_all(server, calls)
        self.assertIn(b"it is a secret: [secret FROM_FILE]", said)
        self.assertIn(b"Bearer [secret FROM_VARIABLE][secret OVER]", said)
        self.check_commands(server.folder)
        server.process.terminate()
        self.assertEqual(server.process.wait(60), 0)
        self.check_files(server.folder)

    def ask_all(self, server, calls):
        said = b""
        for method, params in calls:
            _, _, text = server.ask(request(message(method, {
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "sampling": {}, "roots": {}}},
                **params)))
            self.look(text.encode(), f"{method} {params}")
            said += text.encode()
        return said

    def test_a_fetch_sends_them_and_nobody_else_hears(self):
        api = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
        self.addCleanup(api.server_close)
        self.addCleanup(api.shutdown)
        threading.Thread(target=api.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{api.server_port}"
        places = ['url = U .. "/a/" .. f', 'url = U .. "/b", query = { q = v }', 'url = U .. "/c", headers = { Authorization = t }',
                  'url = U .. "/d", form = { f = v, g = 1 }', 'url = U .. "/e", body = "x" .. v',
                  'url = U .. "/f", method = "PUT", body = v', 'url = "http://127.0.0.1:1/" .. f', 'url = t',
                  'url = U .. "/g", json = { f }', 'url = U .. "/h", headers = { [f] = "x" }',
                  'url = U .. "/i", headers = { A = v .. "\\r\\nB: c" }', 'url = U .. "/j", method = v',
                  'url = "http://" .. v .. ".example/"', 'url = U .. "/k", timeout_s = v']
        app = f'local U = "{url}"\n'
        for i, place in enumerate(places):
            app += (f'capability "fetch{i}" {{ description = "d", side_effects = {{ external_calls = {{ U }} }}, '
                    f"run = function(ctx) local f, v = ctx:secret 'FROM_VARIABLE', ctx:secret 'OVER'\n"
                    f' local t = "Bearer " .. v local reply, why = ctx:fetch {{ {place} }}\n'
                    f' return reply and reply.body or ctx:error(why.message, why.data) end }}\n')
        server = Server(TOML + f'[fetch]\nallow = ["{url}"]\n', app, environment=ENVIRONMENT)
        self.addCleanup(server.close)
        self.ask_all(server, [("tools/call", {"name": f"fetch{i}", "arguments": {}}) for i in range(len(places))])
        self.assertEqual(Api.asked, [
            (f"/a/{VARIABLE}", None, ""), (f"/b?q={OVER}", None, ""), ("/c", f"Bearer {OVER}", ""),
            ("/d", None, Api.asked[3][2]), ("/e", None, f"x{OVER}"), ("/f", None, OVER)])
        for i in (7, 12):
            self.assertIn("in 'url' a secret stands behind the host and a /", server.call(f"fetch{i}")[1]["error"]["message"])
        self.assertEqual(sorted(Api.asked[3][2].split("&")), [f"f={OVER}", "g=1"])
        for path in ("/metrics", "/health"):
            self.look(server.ask(request("", path, "GET"))[2].encode(), path)
        self.check_commands(server.folder)
        server.process.terminate()
        self.assertEqual(server.process.wait(60), 0)
        self.check_files(server.folder)

    def test_no_secret_is_in_proc_or_in_what_a_core_file_has(self):
        app, names = make_app()
        server = Released(TOML, app, environment=ENVIRONMENT)
        self.addCleanup(server.close)
        self.ask_all(server, [("tools/call", {"name": name, "arguments": {}}) for name in names])
        pid = server.process.pid
        # The kernel writes none, and shows the process to root alone.
        self.assertEqual(os.stat(f"/proc/{pid}/environ").st_uid, 0)
        if os.geteuid() != 0:
            self.skipTest("only root looks into it")
        for name in ("environ", "cmdline", "status"):
            with open(f"/proc/{pid}/{name}", "rb") as file:
                self.look(file.read(), name)
        has_app = False
        for data in memory(pid):
            self.look(data, "memory")
            has_app |= b"Bearer [secret FROM_VARIABLE]" in data or b"ctx:secret 'FROM_FILE'" in data
        self.assertTrue(has_app)  # it was the memory of this app

    def test_no_credential_of_the_environment_stays_there(self):
        """All that are in the table: the next one is, too."""
        with open(os.path.join(ROOT, "src", "server", "secrets.c")) as file:
            table = re.search(r"credentials\[\] = \{(.*?)\};", file.read(), re.S)[1]
        names = re.findall(r'"(TRAILS_\w+)"', table)
        self.assertGreaterEqual(len(names), 3)
        values = {name: f"{name.lower()}-that-nobody-is-to-see-here" for name in names}
        server = Released(TOML, make_app()[0], environment=values)
        self.addCleanup(server.close)
        code, _, _ = server.ask(request(message("tools/list")))
        self.assertEqual(code, 401)  # they are in force
        if os.geteuid() != 0:
            self.skipTest("only root looks into it")
        with open(f"/proc/{server.process.pid}/environ", "rb") as file:
            found = file.read()
        self.assertNotIn(b"that-nobody-is-to-see", found)
        for data in memory(server.process.pid):
            self.assertNotIn(b"that-nobody-is-to-see", data)

    def check_commands(self, folder):
        path = os.path.join(folder, "trails.toml")
        for arguments in (("check", folder), ("check", "--json", folder), ("config", "list", folder),
                          ("config", "list", "--json", folder), ("config", "check", path),
                          ("config", "check", "--json", path), ("stats", "--json", "--app", folder),
                          ("export", "--prov", "--app", folder), ("prov", "list", "--app", folder),
                          ("call", "case0", "--app", folder)):
            _, out, err = trails(*arguments, **ENVIRONMENT)
            self.look((out + err).encode(), arguments)
            if arguments[:2] == ("config", "list"):
                self.assertEqual(out.count("[secret]"), 3, out)

    def check_files(self, folder):
        seen = set()
        for where, _, names in os.walk(folder):
            for name in names:
                if name == "trails.toml":
                    continue
                seen.add(name)
                with open(os.path.join(where, name), "rb") as file:
                    self.look(file.read(), name)
        self.assertLessEqual({"log", "graph.db"}, seen)


class Refused(unittest.TestCase):
    """What is said of secrets that are set wrongly; never with their text."""

    def check(self, toml, mode=0o600, **environment):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("app.lua", ""), ("trails.toml", toml)):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            os.chmod(os.path.join(folder, "trails.toml"), mode)
            code, out, err = trails("check", folder, **environment)
            return code, out, err.replace(folder + "/", "")

    def test_a_file_that_others_read(self):
        for mode in (0o640, 0o604, 0o620, 0o666):
            code, _, err = self.check("[secrets]\nA = 'hunter2'\n", mode)
            self.assertEqual((code, err), (1, "trails: trails.toml: it has [secrets] and others can read it, "
                                              "who have them then: chmod 600 it, and change them\n"))
        self.assertEqual(self.check("[secrets]\n", 0o644)[0], 0)
        self.assertEqual(self.check("[secrets]\nA = 'x'\n", 0o600)[0], 0)
        self.assertEqual(self.check("[secrets]\nA = 'x'\n", 0o400)[0], 0)

    def test_a_file_of_somebody_else(self):
        if os.geteuid() != 0:
            self.skipTest("only root gives files away")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("app.lua", ""), ("trails.toml", "[secrets]\nA = 'hunter2'\n")):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            os.chmod(file.name, 0o600)
            os.chown(file.name, 65534, -1)
            code, _, err = trails("check", folder)
            self.assertEqual(code, 1)
            self.assertIn("it has [secrets] and belongs to somebody else", err)

    def test_values_and_names(self):
        rows = [("[secrets]\nA = 5", "trails.toml:2:1: [secrets]: a secret is a text in quotes"),
                ("[secrets]\nA = ['hunter2']", "trails.toml:2:1: [secrets]: a secret is a text in quotes"),
                ("[secrets.A]\nB = 'hunter2'", "trails.toml:1:10: [secrets]: a secret is a text in quotes"),
                ("[secrets]\n\nA = \"hunter2\\\"\"", "trails.toml:3:1: [secrets]: a secret is written without escapes"),
                ("[secrets]\na = 'hunter2'", "trails.toml:2:1: [secrets]: the name of a secret has capital letters"),
                ("[secrets]\nA = ''", "trails.toml:2:1: [secrets]: the secret A is empty"),
                ("[secrets]\nA = 'hunter2", "trails.toml:2:"),
                ("[secret]\nA = 'hunter2'", "unknown section 'secret', did you mean 'secrets'?"),
                ("secrets = 'hunter2'", "secrets must be a table")]
        for toml, wanted in rows:
            code, _, err = self.check(toml)
            with self.subTest(toml):
                self.assertEqual(code, 1)
                self.assertIn(wanted, err)
                self.assertNotIn("hunter2", err)
        code, _, err = self.check("", TRAILS_SECRET_lower="hunter2")
        self.assertEqual(code, 1)
        self.assertIn("trails: TRAILS_SECRET_lower: the name of a secret has capital letters", err)
        self.assertNotIn("hunter2", err)
        self.assertEqual(self.check("", TRAILS_SECRET_A="")[0], 0)

    def test_one_that_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "app.lua"), "w") as file:
                file.write('capability "c" { description = "d", side_effects = {}, run = function(ctx)\n'
                           '  return tostring(ctx:secret "API_KEY") end }')
            code, _, err = trails("call", "c", "--app", folder)
            self.assertEqual(code, 1)
            self.assertIn("app.lua:2: there is no secret 'API_KEY': set it in [secrets] of trails.toml, "
                          "or as TRAILS_SECRET_API_KEY", err)
            code, out, _ = trails("call", "c", "--app", folder, TRAILS_SECRET_API_KEY="x")
            self.assertEqual((code, out), (0, "[secret API_KEY]\n"))


if __name__ == "__main__":
    unittest.main()
