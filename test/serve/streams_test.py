#!/usr/bin/env python3
"""What travels on which stream, and what every revision is told."""
import json
import unittest

from server import Peer, Server, message, read_response, read_until, request

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
APP = '''
node_type "Note" { fields = { title = text }, tools = { "create" } }
capability "announce" {
  description = "Says that lists have changed, in the middle of a call.",
  side_effects = {},
  run = function(ctx)
    ctx:progress(1, 2, "before")
    ctx:list_changed("tools")
    ctx:list_changed("prompts")
    ctx:progress(2, 2, "after")
    return "announced"
  end,
}
'''


def hello(revision):
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": revision, "capabilities": {},
        "clientInfo": {"name": "streams", "version": "1"}}}


class Streams(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("", APP)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def post(self, peer, body, **headers):
        peer.sendall(request(
            json.dumps(body), Content_Type="application/json",
            Accept="application/json, text/event-stream", **headers))

    def session(self, revision):
        with Peer(self.server.port) as peer:
            self.post(peer, hello(revision))
            _, fields, _ = read_response(peer)
            known = {"Mcp_Session_Id": fields["mcp-session-id"],
                     "MCP_Protocol_Version": revision}
            self.post(peer, {"jsonrpc": "2.0",
                             "method": "notifications/initialized"}, **known)
            self.assertEqual(read_response(peer)[0], 202)
        return known

    def events_until(self, peer, end):
        return read_until(peer, end).decode()

    def test_lists_change_on_the_stream_of_the_session_alone(self):
        for revision in REVISIONS[1:]:
            with self.subTest(revision=revision):
                known = self.session(revision)
                with Peer(self.server.port) as stream, \
                        Peer(self.server.port) as caller:
                    stream.sendall(request("", verb="GET",
                                           Accept="text/event-stream", **known))
                    read_until(stream, b"\r\n\r\n")
                    self.post(caller, {
                        "jsonrpc": "2.0", "id": 2, "method": "tools/call",
                        "params": {"name": "announce",
                                   "_meta": {"progressToken": "p"}}}, **known)
                    said = self.events_until(caller, b"\r\n0\r\n\r\n")
                    heard = self.events_until(
                        stream, b"notifications/prompts/list_changed")
                self.assertIn("before", said)
                self.assertIn("after", said)
                self.assertIn("announced", said)
                self.assertNotIn("list_changed", said)
                self.assertIn("notifications/tools/list_changed", heard)

    def test_a_call_without_a_session_does_not_hear_of_lists(self):
        with Peer(self.server.port) as caller:
            caller.sendall(request(message("tools/call", {"progressToken": "p"},
                                           name="announce"),
                                   Accept="application/json, text/event-stream"))
            said = self.events_until(caller, b"\r\n0\r\n\r\n")
        self.assertIn("announced", said)
        self.assertNotIn("list_changed", said)

    def test_every_revision_is_told_how_many_there_are(self):
        create = {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                  "params": {"name": "create_note", "arguments": {"title": "a"}}}
        read = {"jsonrpc": "2.0", "id": 3, "method": "resources/read",
                "params": {"uri": "trails://kg/Note?limit=1"}}
        for revision in REVISIONS:
            with self.subTest(revision=revision):
                lines = Server("", APP, options=("--stdio",))
                process = lines.process
                for one in (hello(revision), create, create, read):
                    process.stdin.write(json.dumps(one) + "\n")
                    process.stdin.flush()
                    result = json.loads(process.stdout.readline())["result"]
                self.assertEqual(lines.close(), 0)
                old = revision < "2025-06-18"
                meta = result["_meta"] if old else result["contents"][0]["_meta"]
                self.assertIn("dev.trails/provenance", result["_meta"])
                self.assertEqual((meta["total"], meta["limit"], meta["offset"]),
                                 (2, 1, 0))
                self.assertTrue(meta["next"].startswith("trails://kg/Note?"))


if __name__ == "__main__":
    unittest.main()
