#!/usr/bin/env python3
"""What an operator sees: a line per request that never says what was in it,
trace ids, and metrics that a strict reader of the format accepts."""
import json
import os
import re
import signal
import socket
import unittest

from server import (APP, Server, message, read_response, read_until, request,
                    wait_for)

SECRET = "correct-horse-battery"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
OTHER = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


class Access(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("[server]\nthreads = 2\n")

    @classmethod
    def tearDownClass(cls):
        """Nothing says what was sent; of an app's bug, one line does."""
        log = cls.server.log()
        assert SECRET not in json.dumps(log)
        faults = [line for line in log if "secret-in-an-error" in str(line)]
        assert [line["msg"] for line in faults] == ["fault"], faults
        assert cls.server.close() == 0

    def line(self, data, **expected):
        """The first new line for which all of this holds."""
        before = len(self.server.log())
        self.server.ask(data)
        found = []

        def has_come():
            found[:] = [line for line in self.server.log()[before:]
                        if expected.items() <= line.items()]
            return found
        wait_for(has_come)
        return found[0]

    def test_a_call(self):
        body = message("tools/call", name="echo", arguments={"text": SECRET})
        line = self.line(request(body), msg="request", method="tools/call",
                         name="echo")
        self.assertEqual(
            list(line), ["time", "level", "msg", "method", "name", "status",
                         "micros", "bytes", "trace_id"])
        self.assertRegex(line["time"],
                         r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual((line["level"], line["status"]), ("info", 200))
        self.assertGreater(line["micros"], 0)
        self.assertGreater(line["bytes"], len(SECRET))
        self.assertRegex(line["trace_id"], "^[0-9a-f]{32}$")

    def test_every_kind_of_message(self):
        rows = [
            (message("tools/list"), {"method": "tools/list"}),
            (message("resources/read", uri="test://x?token=" + SECRET),
             {"method": "resources/read", "name": "test://x"}),
            (message("prompts/get", name="hail", arguments={"who": SECRET}),
             {"method": "prompts/get", "name": "hail", "status": 200}),
            (message("tools/call", name="nobody", arguments={"a": SECRET}),
             {"name": "nobody", "code": -32602, "status": 200}),
            (message("tools/call", name="fail", arguments={}),
             {"name": "fail"}),
            (message("no/such", about=SECRET),
             {"method": "other", "status": 404, "code": -32601}),
        ]
        for body, expected in rows:
            with self.subTest(expected):
                self.line(request(body), msg="request", **expected)

    def test_what_is_not_a_message(self):
        fields = {"Content_Type": "application/json"}
        self.line(request("{" + SECRET, **fields), msg="request",
                  method="other", status=400, code=-32700)

    def test_http_that_is_not_mcp(self):
        rows = [
            (request("", "/health?key=" + SECRET, "GET"),
             {"method": "GET", "path": "/health", "status": 200, "bytes": 16}),
            (request("", "/nowhere", "GET"), {"path": "/nowhere",
                                              "status": 404}),
            (request("", "/mcp", "PUT"), {"method": "PUT", "status": 405}),
            (request("x", Content_Type="text/plain"), {"method": "POST",
                                                       "status": 415}),
            (request("", "/mcp", "GET"), {"method": "GET", "status": 400}),
            (request("", "/health", "GET", Origin="http://evil.example"),
             {"status": 403}),
            (b"nonsense\r\n\r\n", {"method": "", "path": "", "status": 400}),
        ]
        for data, expected in rows:
            with self.subTest(expected):
                self.line(data, msg="http", **expected)

    def test_one_line_for_each(self):
        name = "only-once"
        body = message("tools/call", name=name, arguments={})
        self.line(request(body), name=name)
        self.line(request("", "/end", "GET"), path="/end")
        self.assertEqual(len([line for line in self.server.log()
                              if line.get("name") == name]), 1)

    def test_a_stream_has_its_line_when_it_opens(self):
        listen = message("subscriptions/listen",
                         notifications={"toolsListChanged": True})
        with self.server.connect() as peer:
            peer.sendall(request(listen))
            read_until(peer, b"acknowledged")
            wait_for(lambda: any(
                line.get("method") == "subscriptions/listen" and
                line["status"] == 200 for line in self.server.log()))

    def test_a_client_that_does_not_wait(self):
        body = message("tools/call", name="wait", arguments={"seconds": 3600})
        peer = self.server.connect()
        peer.sendall(request(body))
        wait_for(lambda: self.server.metric("trails_calls_running") == 1)
        peer.close()
        wait_for(lambda: any(line.get("name") == "wait" and
                             line["status"] == 499
                             for line in self.server.log()))

    def test_trace_ids(self):
        rows = [
            ({}, {}, None),
            ({"traceparent": PARENT}, {}, TRACE),
            ({}, {"traceparent": PARENT}, TRACE),
            ({"traceparent": PARENT},
             {"traceparent": PARENT.replace(TRACE, OTHER)}, TRACE),
            ({"traceparent": "nonsense"}, {"traceparent": PARENT}, TRACE),
            ({"traceparent": 7}, {}, None),
            ({}, {"traceparent": PARENT.upper()}, None),
            ({}, {"traceparent": PARENT + "-x"}, None),
        ]
        for meta, headers, expected in rows:
            with self.subTest(meta=meta, headers=headers):
                _, answer = self.server.call("trace", meta, headers)
                seen = answer["result"]["content"][0]["text"]
                self.assertRegex(seen, "^[0-9a-f]{32}$")
                if expected:
                    self.assertEqual(seen, expected)
                else:
                    self.assertNotIn(seen, (TRACE, OTHER))
                wait_for(lambda: any(line.get("trace_id") == seen
                                     for line in self.server.log()))
                _, answer = self.server.call("spin", meta, headers)
                if expected:
                    self.assertEqual(answer["error"]["data"]["trace_id"],
                                     expected)


class Quiet(unittest.TestCase):
    def test_the_log_can_be_left_out(self):
        for toml, environment in (
                ("[log]\naccess = false\n", {"TRAILS_ACCESS_LOG": "false"}),
                ("[log]\nlevel = 'warn'\n", {})):
            with self.subTest(toml):
                server = Server(toml, environment=environment)
                self.addCleanup(server.close)
                self.assertEqual(server.call("echo", text="x")[0], 200)
                self.assertEqual(server.log(), [])

    def test_stdio_has_no_lines(self):
        server = Server("", options=("--stdio",))
        out, _ = server.process.communicate(
            json.dumps(message("tools/list")) + "\n", timeout=60)
        self.assertEqual(json.loads(out)["id"], 1)
        self.assertEqual(server.log(), [])
        server.close()

    def test_a_reader_that_does_not_keep_up_holds_nobody_up(self):
        read, write = os.pipe()
        server = Server("[server]\nthreads = 2\n", stderr=write)
        self.addCleanup(server.close)
        os.close(write)
        self.addCleanup(os.close, read)
        with server.connect() as peer:
            for _ in range(2000):
                peer.sendall(request("", "/health", "GET"))
                self.assertEqual(read_response(peer)[0], 200)
        self.assertGreater(server.metric("trails_log_lines_dropped_total"), 0)


NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"'


def parse(text):
    """Prometheus text format 0.0.4, with nothing forgiven: the families with
    their types, and each series with its value."""
    types, helps, series, family = {}, {}, {}, None
    assert text.endswith("\n")
    for line in text.split("\n")[:-1]:
        if found := re.fullmatch(rf"# HELP ({NAME}) (\S.*)", line):
            assert found[1] not in helps, line
            helps[found[1]] = found[2]
            family = found[1]
        elif found := re.fullmatch(
                rf"# TYPE ({NAME}) (counter|gauge|histogram)", line):
            assert found[1] == family and found[1] not in types, line
            types[found[1]] = found[2]
        else:
            found = re.fullmatch(
                rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)", line)
            assert found, line
            name = found[1]
            base = re.sub("_(bucket|sum|count)$", "", name)
            of = base if types.get(base) == "histogram" else name
            assert of == family, f"{line} stands below {family}"
            labels = tuple(sorted((m[1], m[2]) for m in re.finditer(
                LABEL, found[2] or "")))
            assert (name, labels) not in series, line
            series[name, labels] = float(found[found.lastindex])
    assert types.keys() == helps.keys()
    return types, series


def check_histograms(types, series):
    """Buckets only grow; the last is the count."""
    for family in (name for name, kind in types.items() if kind == "histogram"):
        groups = {}
        for (name, labels), value in series.items():
            if name == family + "_bucket":
                rest = tuple(l for l in labels if l[0] != "le")
                groups.setdefault(rest, []).append(
                    (float(dict(labels)["le"]), value))
        for rest, buckets in groups.items():
            assert buckets == sorted(buckets), rest
            values = [value for _, value in buckets]
            assert values == sorted(values), rest
            assert buckets[-1][0] == float("inf")
            assert values[-1] == series[family + "_count", rest]
            assert (family + "_sum", rest) in series


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("[server]\nthreads = 2\n[lua]\n"
                            "instructions = 100000\n")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def get(self):
        status, fields, text = self.server.ask(request("", "/metrics", "GET"))
        self.assertEqual(status, 200)
        self.assertEqual(fields["content-type"],
                         "text/plain; version=0.0.4; charset=utf-8")
        types, series = parse(text)
        check_histograms(types, series)
        for (name, _), value in series.items():
            self.assertGreaterEqual(value, 0, name)
            if types.get(name) == "counter":
                self.assertTrue(name.endswith("_total"), name)
        return series

    def value(self, name, **labels):
        return self.get().get((name, tuple(sorted(labels.items()))), 0)

    def test_counters_move_with_what_happens(self):
        rows = [
            ("trails_requests_total", {"method": "tools/call"}, 20,
             lambda: self.server.call("echo", text="x")),
            ("trails_request_duration_seconds_count",
             {"method": "tools/list"}, 5,
             lambda: self.server.ask(request(message("tools/list")))),
            ("trails_errors_total", {"code": "-32602"}, 3,
             lambda: self.server.call("nobody")),
            ("trails_lua_stops_total", {"reason": "instructions"}, 2,
             lambda: self.server.call("spin")),
            ("trails_http_responses_total", {"class": "4xx"}, 3,
             lambda: self.server.ask(request("", "/nowhere", "GET"))),
            ("trails_http_refused_total", {}, 2,
             lambda: self.server.ask(b"nonsense\r\n\r\n")),
        ]
        for name, labels, times, act in rows:
            with self.subTest(name):
                before = self.value(name, **labels)
                for _ in range(times):
                    act()
                self.assertEqual(self.value(name, **labels), before + times)

    def test_requests_add_up_over_loops_and_askers(self):
        before = self.get()
        for _ in range(10):
            self.server.call("echo", text="x")
            self.get()
        after = self.get()
        name = ("trails_http_requests_total", ())
        self.assertEqual(after[name] - before[name], 21)
        name = ("trails_connections_accepted_total", ())
        self.assertEqual(after[name] - before[name], 21)

    def test_gauges_follow_what_is_open(self):
        listen = message("subscriptions/listen", notifications={
            "resourceSubscriptions": ["test://x", "trails://stats"]})
        peers = []
        for _ in range(6):
            peers.append(self.server.connect())
            peers[-1].sendall(request(listen))
            read_until(peers[-1], b"acknowledged")
        self.assertEqual(self.value("trails_streams"), 6)
        self.assertEqual(self.value("trails_subscriptions"), 12)
        # The connection that asked before may still be closing.
        wait_for(lambda: self.value("trails_connections") == 7)
        for peer in peers:
            peer.close()
        wait_for(lambda: self.value("trails_streams") == 0 and
                 self.value("trails_subscriptions") == 0 and
                 self.value("trails_connections") == 1)

    def test_reloads_and_lua(self):
        self.assertGreater(self.value("trails_lua_memory_bytes"), 10000)
        self.assertGreaterEqual(self.value("trails_lua_states"), 1)
        self.assertEqual(self.value("trails_loops"), 2)
        before = self.value("trails_reloads_total", result="ok")
        self.server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: self.value("trails_reloads_total", result="ok")
                 == before + 1)
        self.server.write("app.lua", "not Lua")
        self.server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: self.value("trails_reloads_total", result="failed")
                 == 1)
        self.server.write("app.lua", APP)

    def test_a_queue_shows(self):
        listen = message("subscriptions/listen", notifications={
            "resourceSubscriptions": ["test://x"]})
        with self.server.connect() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.sendall(request(listen))
            read_until(deaf, b"acknowledged")

            def grows():
                self.server.call("change", times=500)
                return self.value("trails_queue_bytes") > 0
            wait_for(grows)
        wait_for(lambda: self.value("trails_queue_bytes") == 0)

    def test_only_this_machine_is_told(self):
        for headers in ({"X_Forwarded_For": "192.0.2.1"},
                        {"X_Forwarded_Host": "example.org"},
                        {"X_Forwarded_Proto": "https"},
                        {"X_Real_IP": "192.0.2.1"},
                        {"Via": "1.1 proxy"},
                        {"Forwarded": "for=192.0.2.1"}):
            with self.subTest(headers):
                data = request("", "/metrics", "GET", **headers)
                self.assertEqual(self.server.ask(data)[0], 403)

    def test_a_peer_from_elsewhere_is_told_only_with_a_token(self):
        address = other_address()
        if not address:
            self.skipTest("this machine has no other address")
        server = Server("[server]\nbehind_tls_proxy = true\n",
                        options=("--http", f"{address}:0"),
                        environment={"TRAILS_MCP_TOKEN": "a-token"})
        self.addCleanup(server.close)
        for token, wanted in (({}, 401), ({"Authorization": "Bearer b"}, 401),
                              ({"Authorization": "Bearer a-token"}, 200)):
            with socket.create_connection((address, server.port)) as peer:
                peer.sendall(request("", "/metrics", "GET", **token))
                self.assertEqual(read_response(peer)[0], wanted)


def other_address():
    """An address of this machine that is not its loopback's."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
            address = probe.getsockname()[0]
        except OSError:
            return None
    return None if address.startswith(("127.", "0.")) else address


if __name__ == "__main__":
    unittest.main()
