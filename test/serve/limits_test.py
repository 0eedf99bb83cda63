#!/usr/bin/env python3
"""Every limit of a server, set low in trails.toml, and what a peer hears that
goes over it. What one peer does wrong is no other peer's trouble."""
import json
import os
import signal
import socket
import struct
import subprocess
import time
import unittest

from server import TRAILS, Server, message, read_response, read_until, request, wait_for

TOKEN = "a-token-of-the-operator-0123456789"
SIZES = """
[server]
threads = 1
max_connections = 6
max_line_bytes = 200
max_header_bytes = 700
max_body_bytes = 2000
max_queue_bytes = 4096
[mcp]
max_nesting = 20
[lua]
instructions = 100000
call_bytes = 500000
"""
TIMES = """
[server]
threads = 1
header_timeout_s = 1
body_timeout_s = 1
idle_timeout_s = 2
write_timeout_s = 1
[mcp]
max_result_bytes = 8000000
[lua]
instructions = 1000000000000
call_seconds = 1
"""
BIG = """
capability "big" {
  description = "A large result.",
  run = function() return ("x"):rep(7000000) end,
}
capability "quick" { description = "Quick.", run = function() return "q" end }
capability "spin" {
  description = "Never ends.",
  run = function() while true do end end,
}
"""


def reset(peer):
    """Closes so that the other side hears of a reset, not of an end."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))
    peer.close()


class Sizes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(SIZES)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def status(self, data):
        return self.server.ask(data)[0]

    def test_lines_headers_and_bodies(self):
        rows = [
            (request("", "/" + "x" * 150, "GET"), 404),
            (request("", "/" + "x" * 200, "GET"), 414),
            (request("", "/health", "GET", X="y" * 600), 200),
            (request("", "/health", "GET", X="y" * 700), 431),
            # Who may not send it at all is told that, however long it is.
            (request(json.dumps({"a": "b" * 1900}), Content_Type="text/plain"),
             415),
            (request(json.dumps({"a": "b" * 2000}), Content_Type="text/plain"),
             415),
            (request(json.dumps({"a": "b" * 1900}),
                     Content_Type="application/json"), 400),
            (request(json.dumps({"a": "b" * 2000}),
                     Content_Type="application/json"), 413),
        ]
        for data, expected in rows:
            with self.subTest(expected=expected, data=data[:40]):
                self.assertEqual(self.status(data), expected)

    def test_a_chunked_body_counts_as_it_comes(self):
        head = request("", Transfer_Encoding="chunked",
                       Content_Type="application/json").replace(
            b"Content-Length: 0\r\n", b"")
        chunk = b"3e8\r\n" + b"x" * 1000 + b"\r\n"
        with self.server.connect() as peer:
            peer.sendall(head + chunk * 2)
            peer.sendall(chunk)
            self.assertEqual(read_response(peer)[0], 413)
            self.assertEqual(peer.recv(1), b"")

    def test_nesting(self):
        for depth, good in ((10, True), (19, False)):
            value = "[" * depth + "]" * depth
            body = message("tools/call", name="echo",
                           arguments={"text": "VALUE"})
            text = json.dumps(body).replace('"VALUE"', value)
            fields = {"Content_Type": "application/json", "Mcp_Name": "echo",
                      "MCP_Protocol_Version": "2026-07-28",
                      "Mcp_Method": "tools/call"}
            status, _, answer = self.server.ask(request(text, **fields))
            error = json.loads(answer)["error"]
            with self.subTest(depth):
                self.assertEqual(status, 200 if good else 400)
                self.assertEqual("levels of nesting" in error["message"],
                                 not good, error)

    def test_connections(self):
        peers = []
        wait_for(lambda: self.status(request("", "/health", "GET")) == 200)
        for _ in range(6):
            peers.append(self.server.connect())
            peers[-1].sendall(request("", "/health", "GET"))
            self.assertEqual(read_response(peers[-1])[0], 200)
        with self.server.connect() as extra:
            status, fields, _ = read_response(extra)
            self.assertEqual((status, fields["retry-after"]), (503, "1"))
        for peer in peers:
            peer.close()
        wait_for(lambda: self.status(request("", "/health", "GET")) == 200)

    def test_lua_budgets(self):
        for name, reason in (("spin", "instructions"), ("grow", "memory")):
            with self.subTest(name):
                error = self.server.call(name)[1]["error"]
                self.assertEqual(error["data"]["reason"], reason)
        self.assertEqual(self.server.call("echo", text="a")[0], 200)

    def test_a_listener_that_does_not_read_is_cut_off(self):
        """One that reads gets every event meanwhile."""
        listen = message("subscriptions/listen", notifications={
            "resourceSubscriptions": ["test://x"]})
        deaf, hearing = self.server.connect(receive_buffer=4096), self.server.connect()
        for peer in (deaf, hearing):
            peer.sendall(request(listen))
            read_until(peer, b"acknowledged")
        before = self.server.metric("trails_connections")
        heard = 0
        deadline = time.monotonic() + 60
        while self.server.metric("trails_connections") > before - 1:
            self.assertLess(time.monotonic(), deadline)
            self.assertEqual(self.server.call("change", times=1000)[0], 200)
            hearing.setblocking(False)
            try:
                while more := hearing.recv(1 << 20):
                    heard += more.count(b"resources/updated")
            except BlockingIOError:
                pass
        self.assertGreater(heard, 0)
        hearing.setblocking(True)
        self.server.call("change", times=1)
        read_until(hearing, b"resources/updated")
        hearing.close()
        deaf.close()


def head(path="/mcp", verb="POST", size=4194304, **fields):
    """The head of a request alone; a field that is None is left out."""
    fields = {"Host": "127.0.0.1", "Content_Type": "application/json",
              "Authorization": "Bearer " + TOKEN,
              **({"Transfer_Encoding": "chunked"} if size is None
                 else {"Content_Length": size}), **fields}
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n"
                    for name, value in fields.items() if value is not None)
    return f"{verb} {path} HTTP/1.1\r\n{lines}\r\n".encode()


class Heads(unittest.TestCase):
    """What is refused is refused when its head is there, on every route."""
    REFUSED = {
        "no token": (401, {"Authorization": None}),
        "a token of nobody": (401, {"Authorization": "Bearer trl_x_y"}),
        "two tokens": (400, {"Authorization": "Bearer a, Bearer b"}),
        "a foreign host": (403, {"Host": "evil.example"}),
        "a foreign page": (403, {"Origin": "https://evil.example"}),
        "an unknown path": (404, {"path": "/nope"}),
        "an unknown method": (405, {"verb": "PUT"}),
        "no JSON": (415, {"Content_Type": "text/plain"}),
        "no type": (415, {"Content_Type": None}),
    }

    @classmethod
    def setUpClass(cls):
        cls.server = Server("[server]\nthreads = 1\n"
                            "max_buffered_bytes = 8388608\n",
                            environment={"TRAILS_MCP_TOKEN": TOKEN})

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def refusals(self):
        """Each of them, however the body is announced."""
        for path in ("/mcp", "/messages"):
            for name, (status, change) in self.REFUSED.items():
                for size in (4194304, None):
                    for expect in (None, "100-continue"):
                        fields = {"path": path, "size": size,
                                  "Expect": expect, **change}
                        yield f"{name} {path} {size} {expect}", status, fields

    def metric(self, name):
        _, _, text = self.server.ask(
            head("/metrics", "GET", 0, Content_Type=None))
        return next(float(line.split()[1]) for line in text.splitlines()
                    if line.startswith(name + " "))

    def test_no_byte_of_a_body_is_needed_for_a_refusal(self):
        for name, status, fields in self.refusals():
            with self.subTest(name), self.server.connect() as peer:
                peer.sendall(head(**fields))
                got, answer, _ = read_response(peer)
                self.assertEqual((got, answer["connection"]), (status, "close"))
                self.assertEqual(peer.recv(1), b"")

    def test_routes_that_take_no_body(self):
        for path, verb in (("/health", "GET"), ("/ready", "GET"),
                           ("/metrics", "GET"), ("/mcp", "GET"),
                           ("/mcp", "DELETE"), ("/mcp", "OPTIONS"),
                           ("/sse", "GET"), ("/sse", "OPTIONS"),
                           ("/messages", "OPTIONS"),
                           ("/.well-known/oauth-protected-resource", "GET")):
            for size in (4194304, None):
                with self.subTest(path=path, verb=verb, size=size), \
                        self.server.connect() as peer:
                    peer.sendall(head(path, verb, size))
                    got, answer, _ = read_response(peer)
                    self.assertEqual((got, answer["connection"]),
                                     (413, "close"))

    def test_who_is_let_in_is_told_to_go_on(self):
        body = json.dumps(message("ping")).encode()
        with self.server.connect() as peer:
            peer.sendall(head(size=len(body), Expect="100-continue",
                              MCP_Protocol_Version="2026-07-28",
                              Mcp_Method="ping"))
            self.assertEqual(read_response(peer)[0], 100)
            peer.sendall(body)
            self.assertEqual(read_response(peer)[0], 404)  # no such method
            peer.sendall(head("/health", "GET", 0))
            self.assertEqual(read_response(peer)[0], 200)

    def test_a_token_that_is_revoked_while_the_body_comes(self):
        made = json.loads(self.token("create", "--json", "--scope", "runtime"))
        body = json.dumps(message("tools/list")).encode()
        with self.server.connect() as peer:
            peer.sendall(head(size=len(body), Expect="100-continue",
                              Authorization="Bearer " + made["token"]))
            self.assertEqual(read_response(peer)[0], 100)
            self.token("revoke", made["id"])
            peer.sendall(body)
            self.assertEqual(read_response(peer)[0], 401)

    def token(self, *words):
        return subprocess.run(
            [TRAILS, "token", words[0], "--app", self.server.folder,
             *words[1:]], check=True, stdout=subprocess.PIPE).stdout

    def test_bodies_of_strangers_are_not_kept(self):
        """500 of them took 1.9 GB."""
        peers = []
        refused = [fields for _, _, fields in self.refusals() if fields["size"]]
        for i in range(200):
            peer = self.server.connect()
            peers.append(peer)
            peer.sendall(head(**refused[i % len(refused)]))
            peer.setblocking(False)
            self.push(peer, b"x" * 1000000)
        self.assertEqual(self.metric("trails_http_buffered_bytes"), 0)
        self.assertLessEqual(self.metric("trails_http_requests_running"), 1)
        for peer in peers:
            peer.close()

    def push(self, peer, data):
        """As much of it as is taken."""
        try:
            while data:
                data = data[peer.send(data):]
        except OSError:
            pass

    def test_bodies_of_callers_have_a_bound_together(self):
        peers = []
        for _ in range(30):
            peer = self.server.connect()
            peers.append(peer)
            peer.sendall(head())
            peer.setblocking(False)
            self.push(peer, b" " * 1000000)
            self.assertLessEqual(self.metric("trails_http_buffered_bytes"),
                                 8388608)
        wait_for(lambda: self.metric("trails_http_buffered_bytes") > 1000000)
        told = [p for p in peers if self.answer(p)]
        self.assertTrue(told)
        for peer in told:
            text = bytes(peer.got)
            self.assertIn(b"503 Service Unavailable\r\n", text)
            self.assertIn(b"\r\nRetry-After: 1\r\n", text)
        # Who needs no more than the first bytes is not concerned.
        with self.server.connect() as peer:
            peer.sendall(head("/health", "GET", 0))
            self.assertEqual(read_response(peer)[0], 200)
        for peer in peers:
            peer.close()
        wait_for(lambda: self.metric("trails_http_buffered_bytes") == 0)

    def answer(self, peer):
        try:
            return peer.recv(4096)
        except OSError:
            return b""


class Sessions(unittest.TestCase):
    """Who only begins sessions gets them, at nobody else's cost."""
    @classmethod
    def setUpClass(cls):
        cls.server = Server("[server]\nthreads = 1\n[mcp]\nmax_sessions = 40\n"
                            "max_caller_sessions = 10\n")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def initialize(self, peer, **fields):
        body = json.dumps({
            "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {"experimental": {"x": {"y": "z" * 3000}}},
                "clientInfo": {"name": "n" * 3000, "version": "1"}}})
        peer.sendall(request(body, Content_Type="application/json", **fields))
        status, answer, _ = read_response(peer)
        return status, answer.get("mcp-session-id")

    def ping(self, peer, session):
        peer.sendall(request('{"jsonrpc": "2.0", "id": 2, "method": "ping"}',
                             Content_Type="application/json",
                             Mcp_Session_Id=session))
        return read_response(peer)[0]

    def test_a_crowd_of_streams(self):
        """A session of HTTP+SSE is in use as long as its stream is open."""
        peers = [self.server.connect() for _ in range(25)]
        heard = []
        for peer in peers:
            peer.sendall(request("", "/sse", "GET"))
            heard.append(read_response(peer)[0])
        self.assertEqual(heard, [200] * 20 + [503] * 5)
        self.assertEqual(self.server.metric("trails_sessions"), 20)
        read_until(peers[0], b"sessionId=")
        for peer in peers:
            peer.close()
        wait_for(lambda: self.server.metric("trails_sessions") == 0)

    def test_a_flood_of_sessions(self):
        with self.server.connect() as peer:
            status, used = self.initialize(peer)
            self.assertEqual((status, self.ping(peer, used)), (200, 200))
            ids = []
            for _ in range(100):
                status, session = self.initialize(peer)
                self.assertEqual(status, 200)
                ids.append(session)
            self.assertLessEqual(self.server.metric("trails_sessions"), 20)
            self.assertEqual(self.ping(peer, used), 200)
            # One that made room is taken up again, in the place of another.
            self.assertEqual(self.ping(peer, ids[0]), 200)
            self.assertEqual(self.server.metric("trails_sessions"), 20)
            self.assertEqual([self.ping(peer, i) for i in ids[-18:]],
                             [200] * 18)
            # Now all of nobody's are in use: none of them has to go.
            self.assertEqual(self.initialize(peer)[0], 503)
            self.assertEqual(self.ping(peer, ids[1]), 503)
            self.assertEqual(self.ping(peer, used), 200)


class Times(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(TIMES, BIG)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def test_a_head_that_does_not_come(self):
        with self.server.connect() as peer:
            peer.sendall(b"GET /health HTT")
            self.assertEqual(read_response(peer)[0], 408)
            self.assertEqual(peer.recv(1), b"")

    def test_a_head_that_trickles(self):
        with self.server.connect() as peer:
            peer.setblocking(False)
            text = b""
            for byte in b"GET /" + b"a" * 10000:
                try:
                    peer.send(bytes([byte]))
                    text += peer.recv(4096)
                except BlockingIOError:
                    pass
                except OSError:
                    break
                if text:
                    break
                time.sleep(0.01)
            self.assertIn(b"408 Request Timeout", text)

    def test_a_body_that_does_not_come(self):
        with self.server.connect() as peer:
            peer.sendall(request("x" * 50,
                                 Content_Type="application/json")[:-10])
            self.assertEqual(read_response(peer)[0], 408)

    def test_a_connection_that_is_not_used(self):
        with self.server.connect() as peer:
            peer.sendall(request("", "/health", "GET"))
            self.assertEqual(read_response(peer)[0], 200)
            self.assertEqual(peer.recv(1), b"")

    def test_a_reader_that_stops(self):
        # Asked first: on a busy machine the timeout may come before the answer.
        before = self.server.metric("trails_http_timeouts_total")
        with self.server.connect(receive_buffer=4096) as peer:
            # More than any kernel keeps for a reader that has stopped.
            peer.sendall(5 * request(message("tools/call", name="big",
                                             arguments={})))
            read_until(peer, b"\r\n\r\n")
            wait_for(lambda: self.server.metric("trails_http_timeouts_total")
                     > before)

    def test_a_call_that_runs_too_long(self):
        error = self.server.call("spin")[1]["error"]
        self.assertEqual(error["data"]["reason"], "time")


class Accidents(unittest.TestCase):
    """Peers that go away in the middle of things, in thousands."""
    @classmethod
    def setUpClass(cls):
        cls.server = Server("[server]\nthreads = 2\n")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def test_aborts_leave_nothing_behind(self):
        scale = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
        self.abort(20)  # each loop keeps a descriptor from its first peer on
        self.settle()
        before = self.descriptors()
        self.abort(max(20, int(400 * scale)))
        self.settle()
        wait_for(lambda: self.descriptors() <= before)

    def abort(self, times):
        call = request(message("tools/call", name="echo",
                               arguments={"text": "x" * 500}))
        slow = request(message("tools/call", name="wait",
                               arguments={"seconds": 3600}))
        listen = request(message("subscriptions/listen", notifications={
            "toolsListChanged": True}))
        for i in range(times):
            for data in (b"", call[:30], call[:-100], call, call + call[:50],
                         slow, listen):
                peer = self.server.connect()
                peer.sendall(data)
                if i % 3 == 0:
                    peer.shutdown(socket.SHUT_WR)
                reset(peer) if i % 2 else peer.close()

    def test_half_closed_peers_get_their_answer(self):
        with self.server.connect() as peer:
            peer.sendall(request(message("tools/call", name="echo",
                                         arguments={"text": "still here"}),
                                 MCP_Protocol_Version="2026-07-28"))
            status, _, _ = read_response(peer)
            self.assertEqual(status, 200)
            peer.sendall(request("", "/health", "GET"))
            peer.shutdown(socket.SHUT_WR)
            self.assertEqual(read_response(peer)[0], 200)
            self.assertEqual(peer.recv(1), b"")

    def settle(self):
        """Until all that is left is the connection that asks."""
        wait_for(lambda: self.server.metric("trails_connections") == 1 and
                 self.server.metric("trails_calls_running") == 0)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.server.process.pid}/fd"))


class Descriptors(unittest.TestCase):
    def test_the_soft_limit_is_raised_to_the_hard_one(self):
        server = Server("", files=(64, 256))
        self.addCleanup(server.close)
        with open(f"/proc/{server.process.pid}/limits") as file:
            line = next(l for l in file if l.startswith("Max open files"))
        self.assertEqual(line.split()[3:5], ["256", "256"])

    def test_without_descriptors_it_waits_and_goes_on(self):
        server = Server("[server]\nthreads = 1\n", files=(64, 64))
        self.addCleanup(server.close)
        health = request("", "/health", "GET")
        peers = [server.connect() for _ in range(100)]  # some in the backlog
        served = []
        for peer in peers:
            peer.sendall(health)
        for peer in peers[:20]:
            served.append(read_response(peer)[0])
        busy = self.cpu_ticks(server)
        wait_for(lambda: self.waits(server))
        # One look at the door every 100 ms is nothing that can be measured.
        time.sleep(0.5)
        self.assertLess(self.cpu_ticks(server) - busy, 25)
        for peer in peers[:60]:
            peer.close()
        for peer in peers[60:]:
            served.append(read_response(peer)[0])
            peer.close()
        self.assertEqual(served, [200] * 60)
        self.assertEqual(server.ask(health)[0], 200)

    def cpu_ticks(self, server):
        with open(f"/proc/{server.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def waits(self, server):
        return len(os.listdir(f"/proc/{server.process.pid}/fd")) >= 64


class Signals(unittest.TestCase):
    def test_a_second_term_does_not_wait(self):
        """A peer in the middle of a request would keep us for seconds."""
        server = Server("[server]\nthreads = 2\n")
        peers = [server.connect() for _ in range(8)]
        for peer in peers:
            peer.sendall(b"POST /mcp HTTP/1.1\r\nHost: a\r\n")
        self.assertEqual(server.ask(request("", "/health", "GET"))[0], 200)
        server.process.terminate()
        wait_for(lambda: self.refuses(server))
        server.process.terminate()
        self.assertEqual(server.process.wait(60), 0)
        self.assertIn("ending at once", [l["msg"] for l in server.log()])
        server.close()
        for peer in peers:
            peer.close()

    def test_a_request_that_comes_too_late(self):
        server = Server("[server]\nthreads = 1\n")
        data = request(message("tools/call", name="wait",
                               arguments={"seconds": 3600}))
        with server.connect() as peer:
            peer.sendall(data[:-10])
            self.assertEqual(server.ask(request("", "/health", "GET"))[0], 200)
            server.process.terminate()
            wait_for(lambda: self.refuses(server))
            peer.sendall(data[-10:])
            status, fields, _ = read_response(peer)
            self.assertEqual((status, fields["connection"]), (503, "close"))
        self.assertEqual(server.process.wait(60), 0)
        server.close()

    def refuses(self, server):
        try:
            server.connect().close()
            return False
        except ConnectionResetError:  # in the queue when the listener closed
            return False
        except ConnectionRefusedError:
            return True

    def test_a_host_that_does_not_read_cannot_keep_us(self):
        server = Server("", options=("--stdio",))
        server.process.stdin.write(json.dumps(message("tools/list")) + "\n")
        server.process.stdin.flush()
        self.assertIn('"echo"', server.process.stdout.readline())
        line = json.dumps(message("tools/call", name="echo",
                                  arguments={"text": "x" * 60000})) + "\n"
        for _ in range(20):
            server.process.stdin.write(line)
        server.process.stdin.flush()
        wait_for(lambda: server.process.poll() is not None
                 or server.process.terminate())
        self.assertEqual(server.process.returncode, 0)
        server.close()

    def test_hup_reads_the_keys_again(self):
        tools = "".join(
            f'capability "t{i:03}" {{ description = "One.", '
            'run = function() end }\n' for i in range(250))
        server = Server("", tools)
        self.addCleanup(server.close)
        cursor = self.cursor(server)
        self.assertNotIn("error", self.page(server, cursor))
        path = os.path.join(server.folder, "data", "keys")
        with open(path) as file:
            old = file.read()
        key = next(l.split()[2] for l in old.splitlines()
                   if l.startswith("current"))
        new = old.replace(key, "ab" * 32)
        with open(path, "w") as file:
            file.write(new)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: "error" in self.page(server, cursor))
        self.assertNotIn("error", self.page(server, self.cursor(server)))
        self.assertIn("the keys were read again",
                      [line["msg"] for line in server.log()])
        cursor = self.cursor(server)
        os.chmod(path, 0o644)  # now others could read them
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: any(
            line["msg"] == "the keys cannot be read again" and
            "chmod 600" in line["error"] for line in server.log()))
        self.assertNotIn("error", self.page(server, cursor))

    def cursor(self, server):
        _, _, text = server.ask(request(message("tools/list")))
        return json.loads(text)["result"]["nextCursor"]

    def page(self, server, cursor):
        _, _, text = server.ask(request(message("tools/list", cursor=cursor)))
        return json.loads(text)


if __name__ == "__main__":
    unittest.main()
