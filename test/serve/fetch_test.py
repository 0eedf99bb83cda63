#!/usr/bin/env python3
"""ctx:fetch against a host that does its worst: what is refused, what is bounded,
and that others are served meanwhile. It runs where it is alone in the network: there
a public address is ours, and the names of hosts are what /etc/hosts says."""
import contextlib
import hashlib
import json
import os
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

from hostile_host import Host, make_certificates
from server import Server, message, read_response, request, wait_for

ALONE = "TRAILS_TEST_ALONE"
HOSTS = "8.8.4.4 public.test other.test\n127.0.0.1 localhost inside.test\n" \
        "::1 inside6.test\n10.1.2.3 both.test\n127.0.0.1 both.test\n"

SECRET = "a key/that+nobody=sees"

APP = '''
local function run(ctx, args)
  local reply, err = ctx:fetch(json.decode(args.how))
  if not reply then
    return { code = err.code, reason = err.data and err.data.reason, message = tostring(err) }
  end
  local value, why = reply:json()
  return { status = reply.status, ok = reply.ok, bytes = #reply.body,
           body = #reply.body < 100 and reply.body or nil,
           two = reply.headers["x-two"], it = value and value.it,
           no_json = why and why.code }
end
local input = { how = text }
local out = { external_calls = { CALLS } }
capability "get" { description = "Fetches.", input = input, side_effects = out, run = run }
capability "nowhere" { description = "Declares nothing.", input = input, run = run }
capability "swallow" {
  description = "Looks away.", input = input, side_effects = out,
  run = function(ctx, args)
    return { ok = pcall(ctx.fetch, ctx, json.decode(args.how)) }
  end,
}
capability "through" {
  description = "Has another one fetch.", input = input,
  side_effects = { external_calls = { "https://public.test:PORT/a" } },
  run = function(ctx, args) return ctx:invoke("get", args) end,
}
capability "many" {
  description = "Fetches often.", input = { how = text, times = integer },
  side_effects = out,
  run = function(ctx, args)
    for i = 1, args.times do assert(ctx:fetch(json.decode(args.how))) end
    return args.times
  end,
}
capability "tries" {
  description = "Fetches often, whatever comes of it.", input = { how = text, times = integer },
  side_effects = out,
  run = function(ctx, args)
    local ends = {}
    for i = 1, args.times do
      local _, err = ctx:fetch(json.decode(args.how))
      ends[i] = err and (err.data and err.data.reason or err.code) or "ok"
    end
    return { ends = ends }
  end,
}
capability "asks" {
  description = "Fetches, asks, and tells.", input = { how = text }, side_effects = out,
  run = function(ctx, args)
    local first = assert(ctx:fetch(json.decode(args.how)))
    local answer = ctx:elicit { message = "Sure?", fields = { ok = boolean } }
    local second, err = ctx:fetch { url = "https://127.0.0.1:PORT/ok" }
    return { first = first.headers["x-number"], bytes = #first.body, action = answer.action,
             reason = err.data.reason }
  end,
}
capability "signs" {
  description = "Has a key.", input = { path = text }, side_effects = out,
  run = function(ctx, args)
    local key = ctx:secret "KEY"
    local reply, err = ctx:fetch {
      url = "https://public.test:PORT/" .. args.path, query = { key = key },
      headers = { Authorization = "Bearer " .. key, Accept = key }, form = { ["a b"] = key },
    }
    if not reply then error(err) end
    ctx:elicit { message = "Sure?", fields = { ok = boolean } }
    return reply.status
  end,
}
node_type "Note" { fields = { n = integer } }
capability "note" {
  description = "Makes a note.", side_effects = { graph_writes = { "default" } },
  run = function(ctx) ctx.kg:create("Note", { n = 1 }) end,
}
capability "strays" {
  description = "Asks for what the graph says now.", side_effects = out,
  input = { how = text, there = text },
  run = function(ctx, args)
    local how = json.decode(args.how)
    if ctx.kg:where("Note", {})[1] then how = json.decode(args.there) end
    local reply = assert(ctx:fetch(how))
    ctx:elicit { message = "Sure?", fields = { ok = boolean } }
    return reply.body
  end,
}
node_type "Counter" { fields = { n = integer } }
capability "raced" {
  description = "Fetches, and then comes too late.", input = { path = text },
  side_effects = { external_calls = { CALLS }, graph_writes = { "default" } },
  run = function(ctx, args)
    local counter = ctx.kg:where("Counter", {})[1] or ctx.kg:create("Counter", { n = 0 })
    local n = counter.n
    assert(ctx:fetch { url = "https://public.test:PORT/" .. args.path })
    ctx.kg:update(counter, { n = n + 1 }, { if_version = counter._version })
    return n + 1
  end,
}
capability "still" { description = "Says it is there.", run = function() return "here" end }
resource "test://page" { name = "page", run = function(ctx)
  return ctx:fetch { url = "https://public.test:PORT/ok" }.body
end }
'''


def go_alone():
    """Runs this file again in a network and with hosts of its own."""
    with (tempfile.NamedTemporaryFile("w", suffix=".hosts") as hosts,
          tempfile.NamedTemporaryFile("w", suffix=".conf") as names):
        hosts.write(HOSTS)
        hosts.flush()
        names.write("nameserver 127.0.0.1\n")
        names.flush()
        script = ('ip link set lo up && ip addr add 8.8.4.4/32 dev lo && '
                  'mount --bind "$0" /etc/hosts && mount --bind "$1" '
                  '/etc/resolv.conf && shift && exec "$@"')
        command = ["unshare", "-r", "-n", "-m", "sh", "-c", script, hosts.name,
                   names.name, sys.executable, *sys.argv]
        probe = subprocess.run([*command[:9], "true"],
                               capture_output=True)
        if probe.returncode:
            print("skipped: no network of its own can be had here")
            return 77
        return subprocess.run(command, env={**os.environ, ALONE: hosts.name}).returncode


class Fetch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        make_certificates(cls.folder.name)
        cls.host = Host(cls.folder.name)
        cls.port = cls.host.port
        cls.wrong = {name: Host(cls.folder.name, name)
                     for name in ("elsewhere", "expired", "selfmade", "odd")}
        cls.wrong["old"] = Host(cls.folder.name, version=ssl.TLSVersion.TLSv1_1)
        cls.plain = Host()
        calls = [f"https://{name}:{cls.port}" for name in
                 ("public.test", "8.8.4.4", "inside.test", "inside6.test",
                  "both.test", "localhost", "127.0.0.1", "[::1]",
                  "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "0.0.0.0")]
        calls += [f"https://public.test:{host.port}" for host in cls.wrong.values()]
        calls += [f"http://{name}:{cls.plain.port}" for name in ("public.test", "localhost")]
        calls += [f"https://other.test:{cls.port}/below/this", "https://nobody.test",
                  "the mail server"]
        app = APP.replace("CALLS", ", ".join(f'"{call}"' for call in calls))
        cls.app = app.replace("PORT", str(cls.port))
        cls.server = cls.more_server()

    @classmethod
    def more_server(cls, app=None, **environment):
        return Server(
            f'[fetch]\nca_file = "{cls.folder.name}/ca.pem"\n'
            f'allow = ["http://localhost:{cls.plain.port}"]\n'
            '[server]\nthreads = 1\n', app=app or cls.app,
            environment={"TRAILS_SECRET_KEY": SECRET, **environment})

    @classmethod
    def tearDownClass(cls):
        for host in (cls.host, cls.plain, *cls.wrong.values()):
            host.close()
        code = cls.server.close()
        cls.folder.cleanup()
        assert code == 0, code

    def ask(self, tool, url, more=None, **how):
        _, answer = self.server.call(tool, how=json.dumps({"url": url, **how}), **(more or {}))
        return answer

    def get(self, url, **how):
        answer = self.ask("get", url, **how)
        self.assertIn("result", answer, answer)
        return json.loads(answer["result"]["content"][0]["text"])

    def at(self, path, **how):
        return self.get(f"https://public.test:{self.port}/{path}", **how)

    def refused(self, reason, url, **how):
        self.assertEqual(self.get(url, **how).get("reason"), reason, url)

    def test_an_answer_is_read(self):
        self.assertEqual(self.at("ok?a=b"), {
            "status": 200, "ok": True, "bytes": 15, "body": '{"it": "works"}',
            "two": "a, b", "it": "works"})
        self.assertEqual(self.at("echo", json={"a": [1]})["body"], '{"a":[1]}')
        self.assertEqual(self.at("echo", form={"a b": "c&d ü"})["body"],
                         "a+b=c%26d+%C3%BC")
        self.at("ok", query={"q": "a b&c"}, headers={"X-Key": "k"})
        head, _ = self.host.heads[-1]
        self.assertIn("GET /ok?q=a%20b%26c HTTP/1.1\r\n", head)
        self.assertIn("X-Key: k\r\n", head)
        self.at("echo", json={}, method="PUT")
        head, _ = self.host.heads[-1]
        self.assertIn("PUT /echo HTTP/1.1\r\n", head)
        self.assertIn("Content-Type: application/json\r\n", head)

    def test_a_connection_is_used_again(self):
        self.at("ok")
        before = self.host.connections
        for _ in range(5):
            self.at("ok")
        self.assertEqual(self.host.connections, before)

    def test_what_is_endless_is_bounded(self):
        for path, code, reason in [
                ("endless", "limit", "size"),
                ("header_line", "unavailable", "protocol"),
                ("header_endless", "unavailable", "protocol"),
                ("continue_endless", "unavailable", "protocol"),
                ("again", "unavailable", "redirect")]:
            with self.subTest(path):
                got = self.at(path)
                self.assertEqual((got.get("code"), got.get("reason")), (code, reason), got)
        self.assertEqual(self.at("ok", max_bytes=14)["reason"], "size")
        self.assertEqual(self.at("ok", max_bytes=15)["bytes"], 15)

    def test_what_is_broken_is_told(self):
        for path in ("gzip", "gzip_cut", "gzip_sent", "gzip_chunked", "gzip_bomb", "cut", "split"):
            with self.subTest(path):
                self.assertEqual(self.at(path).get("reason"), "protocol")

    def test_who_is_slow_is_left(self):
        for path in ("silent", "dripping"):
            with self.subTest(path):
                got = self.at(path, timeout_s=0.3)
                self.assertEqual((got["code"], got["reason"]), ("timeout", "time"))

    def test_others_are_served_meanwhile(self):
        """One loop: 40 calls wait for a host that says nothing."""
        heard = []
        peers = [self.server.connect() for _ in range(40)]
        body = message("tools/call", name="get", arguments={"how": json.dumps(
            {"url": f"https://public.test:{self.port}/silent", "timeout_s": 30})})
        while self.host.arrived.acquire(blocking=False):
            pass
        for peer in peers:
            peer.sendall(request(body))
        for _ in peers:
            self.host.arrived.acquire()
        for _ in range(20):
            heard.append(self.server.call("still")[1]["result"]["content"][0]["text"])
        self.assertEqual(heard, ["here"] * 20)
        self.assertEqual(self.server.metric("trails_calls_running"), 40)
        for peer in peers:  # who goes away ends its call, and its fetch
            peer.close()
        while self.server.metric("trails_calls_running"):
            pass

    def test_a_certificate_must_be_right(self):
        for name, host in self.wrong.items():
            with self.subTest(name):
                self.refused("tls", f"https://public.test:{host.port}/ok")
                self.assertEqual(host.heads, [])

    def test_whom_the_system_does_not_know_is_not_trusted(self):
        """Without ca_file, which is for those that it does not know."""
        server = Server(app=self.app, environment={"TRAILS_SECRET_KEY": SECRET})
        _, answer = server.call("get", how=json.dumps({"url": f"https://public.test:{self.port}/ok"}))
        self.assertEqual(json.loads(answer["result"]["content"][0]["text"])["reason"], "tls")
        self.assertEqual(server.close(), 0)

    def test_a_fault_of_a_certificate_is_told_in_our_words(self):
        words = {"elsewhere": "its certificate is of somebody else", "odd": "its certificate is of somebody else",
                 "expired": "certificate has expired", "selfmade": "self-signed certificate"}
        for name, wanted in words.items():
            with self.subTest(name):
                host = f"public.test:{self.wrong[name].port}"
                said = self.get(f"https://{host}/ok")["message"]
                self.assertIn(wanted, said)
                self.assertIn(host, said)
                self.assertTrue(said.isascii() and said.isprintable(), said)
                self.assertNotIn("forget", said)

    def test_a_version_of_tls_that_is_too_old_is_none(self):
        """Also where whoever runs the machine has allowed it."""
        lax = os.path.join(self.folder.name, "lax.cnf")
        with open(lax, "w") as file:
            file.write("openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = lax\n"
                       "[lax]\nMinProtocol = TLSv1\nCipherString = ALL:@SECLEVEL=0\n")
        old = self.wrong["old"]
        done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{old.port}"], input="", text=True,
                              capture_output=True, env={**os.environ, "OPENSSL_CONF": lax})
        self.assertIn("TLSv1.1", done.stdout)  # who wants it can have it
        server = self.more_server(OPENSSL_CONF=lax)
        _, answer = server.call("get", how=json.dumps({"url": f"https://public.test:{old.port}/ok"}))
        self.assertEqual(json.loads(answer["result"]["content"][0]["text"])["reason"], "tls")
        self.assertEqual(server.close(), 0)

    def test_names_that_nobody_finds_hold_so_many_threads(self):
        """Who looks a name up goes on with it, also when the call has given it up."""
        names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        names.bind(("127.0.0.1", 53))  # and says nothing
        server = self.more_server(self.app.replace("https://nobody.test", "https://silent.test"))
        how = json.dumps({"url": "https://silent.test/", "timeout_s": 0.01})
        ends, began = [], time.monotonic()
        for _ in range(5):
            _, answer = server.call("tries", how=how, times=64)
            ends += json.loads(answer["result"]["content"][0]["text"])["ends"]
        self.assertEqual(ends[:256], ["time"] * 256)
        if time.monotonic() - began < 30:  # else the first ones have ended
            self.assertEqual(ends[256:], ["unavailable"] * 64)
        self.assertLess(len(os.listdir(f"/proc/{server.process.pid}/task")), 256 + 32)
        self.assertIn("here", json.dumps(server.call("still")[1]))
        self.assertEqual(server.close(), 0)
        names.close()

    def test_no_address_inside_is_reached(self):
        before = self.host.connections
        for name in ("inside.test", "inside6.test", "both.test", "localhost",
                     "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]",
                     "[64:ff9b::7f00:1]", "0.0.0.0"):
            with self.subTest(name):
                self.refused("address", f"https://{name}:{self.port}/ok")
        self.assertEqual(self.host.connections, before)

    def test_a_name_that_moves_inside_is_refused(self):
        """The second look-up says another address than the first."""
        server = self.server
        self.assertEqual(self.at("ok")["status"], 200)
        hosts = os.environ[ALONE]
        server.end("terminate")  # no connection, nor what it remembers of names
        server.start(environment={"TRAILS_SECRET_KEY": SECRET})
        self.assertEqual(self.at("cut")["reason"], "protocol")
        with open(hosts, "r+") as file:
            file.write(HOSTS.replace("8.8.4.4 ", "127.0.0.1 "))
            file.truncate()
        try:
            server.end("terminate")
            server.start(environment={"TRAILS_SECRET_KEY": SECRET})
            before = self.host.connections
            self.refused("address", f"https://public.test:{self.port}/ok")
            self.assertEqual(self.host.connections, before)
        finally:
            with open(hosts, "r+") as file:
                file.write(HOSTS)
                file.truncate()
            server.end("terminate")
            server.start(environment={"TRAILS_SECRET_KEY": SECRET})

    @contextlib.contextmanager
    def hosts(self, text):
        """What names mean until the block ends."""
        def write(what):
            with open(os.environ[ALONE], "r+") as file:
                file.write(what)
                file.truncate()
        write(text)
        try:
            yield
        finally:
            write(HOSTS)

    def test_a_name_that_moves_inside_while_the_server_runs(self):
        """What is asked is the address that was looked at, until the name is looked
        up again: then that one is looked at."""
        host, other = Host(self.folder.name), Host(self.folder.name)
        origins = [f"https://moving.test:{one.port}" for one in (host, other)]
        server = self.more_server(APP.replace("PORT", "1").replace(
            "CALLS", ", ".join(f'"{origin}"' for origin in origins)))
        def get(origin, path):
            _, answer = server.call("get", how=json.dumps({"url": f"{origin}/{path}"}))
            return json.loads(answer["result"]["content"][0]["text"])
        with self.hosts(HOSTS + "8.8.4.4 moving.test\n"):
            self.assertEqual(get(origins[0], "ok")["status"], 200)
        with self.hosts(HOSTS + "127.0.0.1 moving.test\n"):
            self.assertEqual(get(origins[0], "where")["body"], "8.8.4.4")
            self.assertEqual(host.connections, 1)  # the one that there was
            self.assertEqual(get(origins[0], "cut")["reason"], "protocol")
            self.assertEqual(get(origins[0], "where")["body"], "8.8.4.4")
            self.assertEqual(host.connections, 2)  # by what it remembers of the name
            self.assertEqual(get(origins[1], "ok")["reason"], "address")
            self.assertEqual(other.connections, 0)
        self.assertEqual(server.close(), 0)
        host.close()
        other.close()

    def masks(self):
        """The signals that each thread of the server does not get."""
        folder = f"/proc/{self.server.process.pid}/task"
        found = {}
        for thread in os.listdir(folder):
            with contextlib.suppress(OSError), open(f"{folder}/{thread}/status") as file:
                found[thread] = int(re.search(r"SigBlk:\s+(\w+)", file.read())[1], 16)
        return found

    def test_who_looks_names_up_gets_no_signals(self):
        """A thread of libcurl's waits for a name server that says nothing."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as names:
            names.bind(("127.0.0.1", 53))
            names.settimeout(60)
            before = set(self.masks())
            peer = self.server.connect()
            peer.sendall(request(message("tools/call", name="get", arguments={
                "how": json.dumps({"url": "https://nobody.test/"})})))
            names.recv(512)
            new = {thread: mask for thread, mask in self.masks().items() if thread not in before}
            self.assertGreater(len(new), 0)
            for mask in new.values():
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    self.assertTrue(mask >> (number - 1) & 1, (number, new))
            peer.close()

    def test_a_redirect_is_looked_at_again(self):
        inside = Host(self.folder.name)
        for place, reason in [
                (f"https://127.0.0.1:{self.port}/ok", "address"),
                (f"https://inside.test:{self.port}/ok", "address"),
                (f"https://other.test:{self.port}/ok", "redirect"),
                (f"https://other.test:{self.port}/below/this/../../ok", "redirect"),
                (f"http://public.test:{self.port}/ok", "redirect"),
                (f"https://127.0.0.1:{inside.port}/ok", "redirect"),
                ("http://169.254.169.254/latest/meta-data", "redirect"),
                ("file:///etc/passwd", "redirect"), ("gopher://x/", "redirect"),
                ("//evil@public.test/", "redirect")]:
            with self.subTest(place):
                self.host.redirect = place
                self.assertEqual(self.at("away").get("reason"), reason)
        self.assertEqual(inside.heads, [])
        inside.close()
        self.host.redirect = "/ok"
        self.assertEqual(self.at("away")["status"], 200)
        self.assertEqual(self.at("away", follow=False)["status"], 302)
        self.host.redirect = f"https://other.test:{self.port}/below/this/ok"
        self.at("away", headers={"Authorization": "Bearer k", "Accept": "a/b"})
        head, _ = self.host.heads[-1]
        self.assertIn("Host: other.test", head)
        self.assertIn("Accept: a/b\r\n", head)
        self.assertNotIn("Bearer", head)

    def test_http_is_for_those_that_are_named(self):
        named = self.get(f"http://localhost:{self.plain.port}/ok")
        self.assertEqual(named["status"], 200)
        answer = self.ask("get", f"http://public.test:{self.plain.port}/ok")
        self.assertIn("is asked over https", json.dumps(answer))

    def test_a_proxy_is_for_those_that_are_named(self):
        proxy = Host()
        address = "http://127.0.0.1:%d" % proxy.port
        plain = f"http://localhost:{self.plain.port}"
        secure = f"https://public.test:{self.port}"
        named = f"https://8.8.4.4:{self.port}"
        rows = [(plain, "status", 200), (secure, "status", 200), (named, "reason", "protocol")]
        server = Server(
            f'[fetch]\nca_file = "{self.folder.name}/ca.pem"\nallow = ["{plain}", "{named}"]\n',
            app=APP.replace("CALLS", f'"{plain}", "{secure}", "{named}"').replace("PORT", str(self.port)),
            environment={"http_proxy": address, "https_proxy": address, "all_proxy": address, "no_proxy": ""})
        for url, key, value in rows:
            _, answer = server.call("get", how=json.dumps({"url": url + "/ok"}))
            self.assertEqual(json.loads(answer["result"]["content"][0]["text"]).get(key), value, answer)
        self.assertEqual([head.split("\r\n")[0] for head, _ in proxy.heads],
                         [f"GET {plain}/ok HTTP/1.1", f"CONNECT 8.8.4.4:{self.port} HTTP/1.1"])
        self.assertEqual(server.close(), 0)
        proxy.close()

    def test_what_is_not_declared_is_refused_and_recorded(self):
        port = self.port
        for tool, url in [
                ("get", f"https://other.test:{port}/ok"),
                ("get", f"https://other.test:{port}/below/thisandmore"),
                ("get", f"https://public.test.evil:{port}/ok"),
                ("get", "https://public.test/ok"),
                ("swallow", f"https://other.test:{port}/ok?s=query-of-a-secret"),
                ("nowhere", f"https://public.test:{port}/ok"),
                ("through", f"https://public.test:{port}/ok")]:
            with self.subTest(f"{tool} {url}"):
                before = len(self.host.heads)
                answer = self.ask(tool, url)
                self.assertIn("cannot fetch this from", answer["error"]["message"])
                self.assertEqual(len(self.host.heads), before)
        for url in (f"https://public.test:{port}@evil.test/", "https://public.test/%2e%2e/",
                    "https://PUBLIC.test\\@evil/", f"https://public.test:{port}/a b",
                    f"https://other.test:{port}/below/this/..;/..;/ok",
                    f"https://other.test:{port}/below/this/%252e%252e/ok",
                    f"https://other.test:{port}/below/this/..%00/ok"):
            with self.subTest(url):
                self.assertIn("a URL", self.ask("get", url)["error"]["message"])
        self.assertEqual(
            json.loads(self.ask("through", f"https://public.test:{port}/a/ok")
                       ["result"]["content"][0]["text"])["status"], 200)
        _, _, page = self.server.ask(request(message("resources/read", uri="test://page")))
        self.assertIn("only capabilities do", page)
        def read():
            return json.loads(self.server.ask(request(message(
                "resources/read", uri="trails://prov")))[2])["result"]["contents"][0]["text"]
        wait_for(lambda: '"host":"public.test.evil' in read())
        text = read()
        self.assertIn('"reason":"undeclared"', text)
        self.assertNotIn("query-of-a-secret", text)

    def round(self, name, before=None, server=None, **arguments):
        """A call in the revision that is run again: its result, or the next
        question's."""
        meta = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
        more = {}
        if before:
            key = next(iter(before["inputRequests"]))
            more = {"requestState": before["requestState"], "inputResponses": {
                key: {"action": "accept", "content": {"ok": True}}}}
        body = message("tools/call", meta, name=name, arguments=arguments, **more)
        return json.loads((server or self.server).ask(request(body))[2])

    def test_a_later_round_has_the_reply_of_the_first(self):
        for path in ("number", "number_large", "number_bytes"):
            with self.subTest(path):
                how = json.dumps({"url": f"https://public.test:{self.port}/{path}"})
                before = len(self.host.heads)
                first = self.round("asks", how=how)["result"]
                self.assertLessEqual(len(first["requestState"]), 65536)
                number = len(self.host.heads)
                self.assertEqual(number, before + 1)
                # Whoever sends it once more: but what the store had ends with the call.
                for _ in range(1 if path == "number_large" else 2):
                    second = self.round("asks", first, how=how)["result"]
                    said = json.loads(second["content"][0]["text"])
                    self.assertEqual(said["first"], str(number))
                    self.assertEqual(said["bytes"], {"number": 4, "number_large": 300000,
                                                     "number_bytes": 256}[path])
                    self.assertEqual(said["reason"], "address")
                    self.assertEqual(len(self.host.heads), number)

    def test_a_later_round_asks_what_the_first_has_asked(self):
        at = f"https://public.test:{self.port}/"
        pairs = {"b": 1, "a": "x y", "c": True, "dd": "&"}
        rows = [  # the first round's, a later one's, whether they are the same
            ({"url": at + "ok"}, {"url": at + "number"}, False),
            ({"url": at + "ok"}, {"url": at + "ok?a=b"}, False),
            ({"url": at + "ok?a=b"}, {"url": at + "ok?a=c"}, False),
            ({"url": at + "ok"}, {"url": at + "ok", "method": "HEAD"}, False),
            ({"url": at + "ok"}, {"url": f"https://8.8.4.4:{self.port}/ok"}, False),
            ({"url": at + "ok", "query": pairs}, {"url": at + "ok", "query": {**pairs, "b": 2}}, False),
            ({"url": at + "ok", "query": pairs},
             {"url": at + "ok", "query": dict(reversed(pairs.items()))}, True)]
        for how, there, is_same in rows:
            with self.subTest(there):
                server = self.more_server()
                arguments = {"how": json.dumps(how), "there": json.dumps(there)}
                first = self.round("strays", server=server, **arguments)["result"]
                self.assertIn("requestState", first)
                self.assertIn("result", server.call("note")[1])
                before = len(self.host.heads)
                second = self.round("strays", first, server=server, **arguments)
                if is_same:
                    self.assertIn("content", second.get("result", {}), second)
                else:
                    self.assertIn("another way", second.get("error", second)["message"])
                self.assertEqual(len(self.host.heads), before)
                self.assertEqual(server.close(), 0)

    def test_strangers_have_so_many_journals_in_the_store(self):
        server = self.more_server()
        whose = b"journal\0" + hashlib.sha256(b"").digest()[:8]
        how = json.dumps({"url": f"https://public.test:{self.port}/number_large"})
        self.assertIn("requestState", self.round("asks", server=server, how=how)["result"])
        path = os.path.join(server.folder, "data", "graph.db")
        def put(until):
            with contextlib.closing(sqlite3.connect(path)) as db, db:
                db.execute("DELETE FROM kept")
                for i in range(64):
                    db.execute("INSERT INTO kept VALUES (?, x'', x'5b5d', ?)",
                               (whose + i.to_bytes(16, "big"), until))
        put(time.time() + 100)
        full = self.round("asks", server=server, how=how)
        self.assertIn("too many calls of this caller wait for answers", full["error"]["message"])
        self.assertIn("here", json.dumps(server.call("still")[1]))
        put(time.time() - 1)  # their time is over: the next write takes them away
        self.assertIn("requestState", self.round("asks", server=server, how=how)["result"])
        self.assertEqual(self.kept(server), 1)
        self.assertEqual(server.close(), 0)

    def kept(self, server=None):
        """Rows of the store that a call has for its next round."""
        path = os.path.join((server or self.server).folder, "data", "graph.db")
        with contextlib.closing(sqlite3.connect(path)) as db:
            return db.execute("SELECT count(*) FROM kept").fetchone()[0]

    def test_what_the_store_keeps_ends_with_the_call(self):
        how = json.dumps({"url": f"https://public.test:{self.port}/number_large"})
        wait_for(lambda: self.kept() == 0)
        first = self.round("asks", how=how)["result"]
        self.assertEqual(self.kept(), 1)
        self.assertIn("content", self.round("asks", first, how=how)["result"])
        wait_for(lambda: self.kept() == 0)
        again = self.round("asks", first, how=how)
        self.assertIn("requestState is not valid", again["error"]["message"])

    def test_secrets_go_to_the_host_alone(self):
        first = self.round("signs", path="ok")
        head, body = self.host.heads[-1]
        self.assertIn("POST /ok?key=a%20key%2Fthat%2Bnobody%3Dsees HTTP/1.1\r\n", head)
        self.assertIn(f"Authorization: Bearer {SECRET}\r\n", head)
        self.assertEqual(body, b"a+b=a+key%2Fthat%2Bnobody%3Dsees")
        second = self.round("signs", first["result"], path="ok")
        told = [first, second, *(self.round("signs", path=path) for path in (
            "cut", "split", "away", "../x", "a b"))]
        self.host.redirect = f"https://other.test:{self.port}/below/this/ok"
        told.append(self.round("signs", path="away"))
        head, body = self.host.heads[-1]
        self.assertIn(f"Host: other.test:{self.port}\r\n", head)
        self.assertNotIn("nobody", head)
        self.assertNotIn("Authorization", head)
        self.assertEqual(body, b"")
        _, _, metrics = self.server.ask(request("", "/metrics", "GET"))
        _, _, prov = self.server.ask(request(message("resources/read", uri="trails://prov")))
        with open(self.server.log_path) as file:
            told += [file.read(), metrics, prov]
        for form in (SECRET, "a%20key", "a+key", "nobody%3Dsees", "nobody=sees"):
            self.assertNotIn(form, json.dumps(told))
        for name in os.listdir(os.path.join(self.server.folder, "data")):
            with open(os.path.join(self.server.folder, "data", name), "rb") as file:
                self.assertNotIn(b"nobody", file.read())

    def test_who_has_fetched_is_not_run_again(self):
        self.assertIn("result", self.server.call("raced", path="ok")[1])
        while self.host.arrived.acquire(blocking=False):
            pass
        self.host.let_go.clear()
        before = len(self.host.heads)
        peer = self.server.connect()
        peer.sendall(request(message("tools/call", name="raced", arguments={"path": "held"})))
        self.host.arrived.acquire()
        self.assertIn("result", self.server.call("raced", path="ok")[1])
        self.host.let_go.set()
        late = json.loads(read_response(peer)[2])
        peer.close()
        self.assertIn("error", late)
        self.assertEqual(len(self.host.heads), before + 2)

    def test_a_call_has_a_bound(self):
        self.assertIn("result", self.ask("many", f"https://public.test:{self.port}/ok",
                                         more={"times": 64}))
        self.assertIn("at most 64 times", json.dumps(self.ask(
            "many", f"https://public.test:{self.port}/ok", more={"times": 65})))
        for how, part in [({"timeout_s": 61}, "[fetch] timeout_s"),
                          ({"max_bytes": 8388609}, "[fetch] max_bytes"),
                          ({"timeout_s": 0}, "must be more than 0"),
                          ({"headers": {"Host": "x"}}, "is not yours"),
                          ({"headers": {"X": "a\r\nY: b"}}, "control character"),
                          ({"headers": {"X\r\nY": "a"}}, "name of a header"),
                          ({"method": "GET /x HTTP/1.1\r\nX:"}, "the method is"),
                          ({"metod": "GET"}, "did you mean 'method'"),
                          ({"body": "a", "json": 1}, "one of body, json and form"),
                          ({"body": "a", "method": "GET"}, "GET has no body")]:
            with self.subTest(how):
                self.assertIn(part, json.dumps(self.ask(
                    "get", f"https://public.test:{self.port}/ok", **how)))

    def test_logs_and_counts_say_hosts_alone(self):
        self.at("ok?key=secret-in-a-query")
        self.at("secret-in-a-path/ok")
        series = f'trails_fetches_total{{host="public.test:{self.port}",outcome="answered"}}'
        self.assertGreaterEqual(self.server.metric(series), 2)
        _, _, metrics = self.server.ask(request("", "/metrics", "GET"))
        _, _, prov = self.server.ask(request(message("resources/read", uri="trails://prov")))
        with open(self.server.log_path) as file:
            log = file.read()
        self.assertIn(f'"host":"public.test:{self.port}"', log)
        for text in (metrics, prov, log):
            self.assertNotIn("secret-in-a", text)

    def test_libcurl_is_loaded_when_it_is_needed(self):
        idle = Server(app=APP.replace("CALLS", "").replace("PORT", str(self.port)))
        self.assertEqual(idle.call("still")[0], 200)
        with open(f"/proc/{idle.process.pid}/maps") as maps:
            self.assertFalse(re.search("libcurl", maps.read()))
        self.assertEqual(idle.close(), 0)
        self.at("ok")
        with open(f"/proc/{self.server.process.pid}/maps") as maps:
            self.assertTrue(re.search("libcurl", maps.read()))

    def test_it_stops_though_a_host_says_nothing(self):
        server = Server(
            f'[fetch]\nca_file = "{self.folder.name}/ca.pem"\n',
            app=APP.replace("CALLS", f'"https://public.test:{self.port}"')
            .replace("PORT", str(self.port)))
        while self.host.arrived.acquire(blocking=False):
            pass
        peer = server.connect()
        peer.sendall(request(message("tools/call", name="get", arguments={
            "how": json.dumps({"url": f"https://public.test:{self.port}/silent"})})))
        self.host.arrived.acquire()
        self.assertEqual(server.close(), 0)
        peer.close()


class Start(unittest.TestCase):
    def test_settings_are_checked(self):
        for toml, part in [
                ('[fetch]\nallow = ["wiki.example"]\n', "fetch.allow must be an origin"),
                ('[fetch]\nallow = ["https://a.example/x"]\n', "fetch.allow must be an origin"),
                ('[fetch]\nca_file = "absent.pem"\n', "absent.pem cannot be read"),
                ('[fetch]\ntimeout_s = 0\n', "fetch.timeout_s")]:
            with self.subTest(toml):
                server = Server(toml)
                self.assertEqual(server.process.wait(60), 1)
                with open(server.log_path) as file:
                    self.assertIn(part, file.read())
                server.close()

    def test_a_declaration_is_checked(self):
        server = Server(app='capability "x" { description = "X.", side_effects = { '
                            'external_calls = { "https://a@b.example" } }, '
                            'run = function() end }')
        self.assertEqual(server.process.wait(60), 1)
        with open(server.log_path) as file:
            self.assertIn("external_calls", file.read())
        server.close()


if __name__ == "__main__":
    if ALONE in os.environ:
        unittest.main()
    sys.exit(go_alone())
