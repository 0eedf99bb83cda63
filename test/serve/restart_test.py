#!/usr/bin/env python3
"""Sessions that outlive their server: it is killed and started again, and its
clients go on with the ids that they have (docs/decisions/0028)."""
import json
import os
import re
import subprocess
import threading
import unittest

from server import TRAILS, Peer, Server, read_response, read_until, request

REVISIONS = ("2025-03-26", "2025-06-18", "2025-11-25")
LISTS = ("tools", "resources", "prompts")
PING = '{"jsonrpc": "2.0", "id": 2, "method": "ping"}'


def threads(count):
    return f"[server]\nthreads = {count}\n"


def hello(revision="2025-11-25"):
    return json.dumps({
        "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {},
            "clientInfo": {"name": "restart", "version": "1"}}})


def ask(port, body, verb="POST", **headers):
    """One request on its own connection: status and headers."""
    with Peer(port) as peer:
        peer.sendall(request(body, verb=verb, Content_Type="application/json",
                             **headers))
        return read_response(peer)[:2]


def begin(port, revision="2025-11-25", **headers):
    status, fields = ask(port, hello(revision), **headers)
    assert status == 200
    return {"Mcp_Session_Id": fields["mcp-session-id"], **headers}


def ping(port, session):
    return ask(port, PING, **session)[0]


class Restart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(threads(4))

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def restart(self, ending="kill", count=4, server=None):
        server = server or self.server
        server.end(ending)
        server.write("trails.toml", threads(count))
        server.start()

    def hear(self, session, **headers):
        """What the stream of a session tells until its lists were told."""
        with Peer(self.server.port) as stream:
            stream.sendall(request("", verb="GET", Accept="text/event-stream",
                                   **session, **headers))
            return read_until(stream, b'prompts/list_changed","params":{}}\n\n'
                              ).decode()

    def test_ids_are_short_and_can_be_seen(self):
        for revision in REVISIONS:
            session = begin(self.server.port, revision)["Mcp_Session_Id"]
            self.assertRegex(session, r"^[0-9a-f]{4}[A-Za-z0-9_-]{68}$")

    def test_a_session_goes_on_after_a_restart(self):
        for ending in ("kill", "terminate"):
            sessions = [begin(self.server.port, each) for each in REVISIONS]
            self.restart(ending)
            self.assertEqual(self.server.metric("trails_sessions"), 0)
            self.assertEqual([ping(self.server.port, s) for s in sessions],
                             [200] * 3)
            self.assertEqual(self.server.metric("trails_sessions"), 3)

    def test_its_stream_tells_of_the_lists_once(self):
        for headers in ({}, {"Last_Event_ID": "2-0"}):
            session = begin(self.server.port)
            self.restart()
            text = self.hear(session, **headers)
            self.assertTrue(text.startswith("HTTP/1.1 200 "))
            for each in LISTS:
                self.assertEqual(
                    text.count(f"notifications/{each}/list_changed"), 1)
            last = re.findall(r"\nid: (\S+)\n", text)[-1]
            with Peer(self.server.port) as stream:
                stream.sendall(request("", verb="GET", Last_Event_ID=last,
                                       Accept="text/event-stream", **session))
                self.assertIn(b" 200 ", read_until(stream, b"\r\n\r\n"))
                # What comes next on it is the end of the session.
                self.assertEqual(
                    ask(self.server.port, "", "DELETE", **session)[0], 200)
                self.assertNotIn(b"list_changed", read_until(stream, b"0\r\n\r\n"))

    def test_what_was_ended_stays_so(self):
        ended = begin(self.server.port)
        other = begin(self.server.port)
        self.assertEqual(ask(self.server.port, "", "DELETE", **ended)[0], 200)
        self.assertEqual(ping(self.server.port, ended), 404)
        for _ in range(2):
            self.restart()
            self.assertEqual(ping(self.server.port, ended), 404)
            self.assertEqual(ask(self.server.port, "", "GET", **ended)[0], 404)
            self.assertEqual(ask(self.server.port, "", "DELETE", **ended)[0],
                             404)
            self.assertEqual(ping(self.server.port, other), 200)
        # One that was not taken up since can be ended as well.
        self.restart()
        self.assertEqual(ask(self.server.port, "", "DELETE", **other)[0], 200)
        self.restart()
        self.assertEqual(ping(self.server.port, other), 404)

    def test_many_first_requests_make_one_session(self):
        for _ in range(3):
            session = begin(self.server.port)
            self.restart()
            peers = [Peer(self.server.port) for _ in range(16)]
            ready = threading.Barrier(len(peers))
            statuses = []

            def first(peer):
                ready.wait(60)
                peer.sendall(request(PING, Content_Type="application/json",
                                     **session))
                statuses.append(read_response(peer)[0])
            runs = [threading.Thread(target=first, args=(peer,))
                    for peer in peers]
            for run in runs:
                run.start()
            for run in runs:
                run.join(60)
            self.assertEqual(statuses, [200] * 16)
            self.assertEqual(self.server.metric("trails_sessions"), 1)
            for peer in peers:
                peer.close()

    def test_fewer_loops_serve_the_sessions_of_more(self):
        self.restart(count=4)
        sessions = []
        loops = set()
        while len(loops) < 4:  # the kernel decides which loop it is
            sessions.append(begin(self.server.port))
            loops.add(sessions[-1]["Mcp_Session_Id"][:4])
        for count in (1, 3):
            self.restart(count=count)
            for _ in range(2):
                self.assertEqual(
                    {ping(self.server.port, each) for each in sessions}, {200})
            self.assertEqual(self.server.metric("trails_sessions"),
                             len(sessions))

    def test_a_key_that_was_rotated_is_taken_for_a_day(self):
        session = begin(self.server.port)
        subprocess.run([TRAILS, "key", "rotate", "--app", self.server.folder],
                       check=True, stdout=subprocess.DEVNULL)
        self.restart()
        self.assertEqual(ping(self.server.port, session), 200)

    def test_two_servers_of_one_store(self):
        """Each has its own memory; what was ended is in the store."""
        session = begin(self.server.port)
        ended = begin(self.server.port)
        second = Server.__new__(Server)
        second.folder = self.server.folder
        second.log_path = os.path.join(second.folder, "log2")
        second.start()
        try:
            self.assertEqual(ping(second.port, session), 200)
            self.assertEqual(ping(self.server.port, session), 200)
            self.assertEqual(ask(self.server.port, "", "DELETE", **ended)[0],
                             200)
            self.assertEqual(ping(second.port, ended), 404)
        finally:
            self.assertEqual(second.end("terminate"), 0)

    def test_the_session_of_another_store(self):
        session = begin(self.server.port)
        other = Server()
        try:
            self.assertEqual(ping(other.port, session), 404)
        finally:
            self.assertEqual(other.close(), 0)

    def test_who_has_a_token(self):
        server = Server()

        def token(name):
            made = subprocess.run(
                [TRAILS, "token", "create", "--app", server.folder,
                 "--scope", "runtime", "--name", name, "--json"],
                check=True, stdout=subprocess.PIPE, text=True)
            text = json.loads(made.stdout)["token"]
            return {"Authorization": f"Bearer {text}"}
        try:
            first, same, other = token("one"), token("one"), token("two")
            session = begin(server.port, **first)
            self.restart(server=server)
            rows = ((other, 404), (same, 200), (first, 200), (other, 404))
            for who, wanted in rows:
                self.assertEqual(ping(server.port, {**session, **who}), wanted)
        finally:
            self.assertEqual(server.close(), 0)

    def test_a_server_without_sessions(self):
        session = begin(self.server.port)
        self.server.end("kill")
        self.server.write("trails.toml", "[mcp]\nsessions = false\n")
        self.server.start()
        self.assertEqual(ask(self.server.port, "", "DELETE", **session)[0], 405)
        self.assertEqual(ping(self.server.port, session), 200)
        self.assertEqual(self.server.metric("trails_sessions"), 0)
        self.restart()


if __name__ == "__main__":
    unittest.main()
