#!/usr/bin/env python3
"""Provenance of a running server: one activity for each call, whatever became
of it, and nothing of what was said in it."""
import json
import os
import signal
import sqlite3
import unittest

from server import Server, message, request, wait_for

SECRET = "correct-horse-battery"
IRI = "dev.trails/provenance"
KINDS = [None, "tool", "resource", "prompt", "completion", "command",
         "policy"]
ENDS = ["ok", "returned_error", "failed", "refused", "denied", "cancelled",
        "timed_out", "asked"]

APP = '''
node_type "Note" {
  fields = {
    title = text { max_length = 40 },
    body = text { optional = true },
  },
  unique = { { "title" } },
}
local input = { title = text, body = text { optional = true } }
capability "write" {
  version = "1.2.3",
  input = input,
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) return ctx.kg:create("Note", args).id end,
}
capability "drop" {
  input = { id = text },
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) ctx.kg:delete(args.id) return "gone" end,
}
capability "read" {
  input = { id = text },
  run = function(ctx, args) return ctx.kg:get(args.id).title end,
}
capability "through" {
  input = input,
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) return ctx:invoke("write", args) end,
}
capability "wait" {
  run = function(ctx) ctx:sleep(600) return "waited" end,
}
capability "fail" {
  input = { text = text },
  run = function(ctx, args) error(args.text) end,
}
capability "regret" {
  run = function(ctx) return ctx:error("no such order") end,
}
capability "confirm" {
  run = function(ctx)
    local answer = ctx:elicit { message = "Sure?", fields = { ok = boolean } }
    return answer.action
  end,
}
resource "test://x" { name = "x", run = function() return "x" end }
resource_template "test://of/{what}" {
  name = "of",
  run = function(ctx, args) return args.what end,
}
prompt "hail" {
  arguments = { who = text {} },
  run = function(_, args) return args.who end,
}
completion { prompt = "hail", run = function() return { "Ada" } end }
'''


def prov(server):
    """Every activity of the store, in the order of their ids."""
    path = os.path.join(server.folder, "data", "graph.db")
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        rows = db.execute("""
            SELECT a.id, n.key, a.more, a.wrote FROM
                (SELECT id, what, more, 1 AS wrote FROM activity UNION ALL
                 SELECT id, what, more, 0 FROM activity_read) AS a
            JOIN prov_name AS n ON n.id = a.what ORDER BY a.id""").fetchall()
    finally:
        db.close()
    return [{"id": id.hex(), "kind": KINDS[key[0]],
             "name": key[2 + key[1]:].decode(), "ended": ENDS[more[2]],
             "wrote": bool(wrote)} for id, key, more, wrote in rows]


class Provenance(unittest.TestCase):
    calls = 0  # so far, those that handlers made included

    @classmethod
    def setUpClass(cls):
        cls.server = Server(
            "[server]\nthreads = 2\n[mcp]\ncall_timeout_s = 2\n", app=APP)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def settled(self):
        """All activities, when there is one for each call so far."""
        wait_for(lambda: len(prov(self.server)) >= self.calls)
        rows = prov(self.server)
        self.assertEqual(len(rows), self.calls)
        return rows

    def new(self, act):
        """What is done, and the activities of that."""
        before = [row["id"] for row in self.settled()]
        value = act()
        return value, [row for row in self.settled()
                       if row["id"] not in before]

    def one(self, act, kind, name, ended, wrote=False):
        value, rows = self.new(act)
        self.assertEqual(len(rows), 1)
        del rows[0]["id"]
        self.assertEqual(rows[0], {"kind": kind, "name": name, "ended": ended,
                                   "wrote": wrote})
        return value

    def ask(self, method, meta=None, **params):
        """One call: the server's answer."""
        type(self).calls += 1
        _, _, text = self.server.ask(request(message(method, meta, **params)))
        return json.loads(text)

    def call(self, name, meta=None, **arguments):
        return self.ask("tools/call", meta, name=name, arguments=arguments)

    def read(self, uri):
        return self.ask("resources/read", uri=uri)

    def latest(self, iri):
        """What trails://prov/latest says of an activity."""
        text = self.read("trails://prov/latest")["result"]["contents"][0]
        shown = json.loads(text["text"])["activities"]
        self.assertLessEqual(len(shown), 20)
        return next(item for item in shown if item["id"] == iri)

    def test_a_write_and_a_read_name_their_nodes(self):
        written = self.one(
            lambda: self.call("write", title="first", body=SECRET),
            "tool", "write", "ok", wrote=True)
        node = written["result"]["content"][0]["text"]
        shown = self.latest(written["result"]["_meta"][IRI])
        self.assertEqual((shown["generated"], shown["version"],
                          shown["wrote"]), ([node], "1.2.3", True))
        read = self.one(lambda: self.call("read", id=node),
                        "tool", "read", "ok")
        shown = self.latest(read["result"]["_meta"][IRI])
        self.assertEqual((shown["used"], shown["generated"]), ([node], []))
        self.assertRegex(shown["digests"]["arguments"], "^[0-9a-f]{32}$")
        gone = self.one(lambda: self.call("drop", id=node),
                        "tool", "drop", "ok", wrote=True)
        shown = self.latest(gone["result"]["_meta"][IRI])
        self.assertEqual(shown["invalidated"], [node])

    def test_the_trace_of_the_client_is_kept(self):
        trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        meta = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
        told = self.call("regret", meta)["result"]["_meta"]
        self.assertEqual(told["dev.trails/trace_id"], trace)
        self.settled()
        self.assertEqual(self.latest(told[IRI])["trace_id"], trace)

    def test_what_a_handler_invokes_has_it_as_its_parent(self):
        def invoke():
            type(self).calls += 1
            return self.call("through", title="nested")
        answer, rows = self.new(invoke)
        self.assertEqual(len(rows), 2)
        outer = answer["result"]["_meta"][IRI]
        inner = next(row for row in rows if row["name"] == "write")
        self.assertEqual((inner["ended"], inner["wrote"]), ("ok", False))
        hex_id = inner["id"]
        iri = "trails://prov/" + "-".join(
            (hex_id[:8], hex_id[8:12], hex_id[12:16], hex_id[16:20],
             hex_id[20:]))
        self.assertEqual(self.latest(iri)["parent"], outer)
        self.assertEqual(self.latest(outer)["wrote"], True)

    def test_what_was_refused(self):
        self.one(lambda: self.call("write"), "tool", "write", "refused")
        self.one(lambda: self.call("write", title="x" * 41),
                 "tool", "write", "refused")
        self.call("write", title="taken")
        self.one(lambda: self.call("write", title="taken"),
                 "tool", "write", "refused")

    def test_what_failed(self):
        self.one(lambda: self.call("fail", text=SECRET),
                 "tool", "fail", "failed")
        self.one(lambda: self.call("regret"),
                 "tool", "regret", "returned_error")
        self.one(lambda: self.call("wait"), "tool", "wait", "timed_out")

    def test_what_was_cancelled(self):
        def leave():
            type(self).calls += 1
            with self.server.connect() as peer:
                peer.sendall(request(message("tools/call", name="wait",
                                             arguments={})))
                wait_for(lambda: self.server.metric(
                    "trails_calls_running") > 0)
        self.one(leave, "tool", "wait", "cancelled")

    def test_each_round_of_a_question(self):
        meta = {"io.modelcontextprotocol/clientCapabilities":
                {"elicitation": {"form": {}}}}
        asked = self.one(lambda: self.call("confirm", meta),
                         "tool", "confirm", "asked")["result"]
        key = next(iter(asked["inputRequests"]))
        self.one(lambda: self.ask(
            "tools/call", meta, name="confirm", arguments={},
            requestState=asked["requestState"],
            inputResponses={key: {"action": "decline"}}),
            "tool", "confirm", "ok")

    def test_what_is_no_tool(self):
        self.one(lambda: self.read("test://x"), "resource", "test://x", "ok")
        self.one(lambda: self.read("test://of/" + SECRET), "resource",
                 "test://of/{what}", "ok")
        self.one(lambda: self.ask(
            "prompts/get", name="hail", arguments={"who": SECRET}),
            "prompt", "hail", "ok")
        self.one(lambda: self.ask(
            "completion/complete", ref={"type": "ref/prompt", "name": "hail"},
            argument={"name": "who", "value": SECRET}),
            "completion", "hail", "ok")

    def test_nothing_that_was_said_is_in_it(self):
        self.call("fail", text=SECRET)
        self.call("write", title="second", body=SECRET)
        self.settled()
        path = os.path.join(self.server.folder, "data", "graph.db")
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        rows = [row for table in ("activity", "activity_read", "prov_name",
                                  "prov_state")
                for row in db.execute(f"SELECT * FROM {table}")]
        db.close()
        text = b"".join(column if isinstance(column, bytes)
                        else str(column).encode()
                        for row in rows for column in row)
        self.assertGreater(len(rows), 2)
        self.assertNotIn(SECRET.encode(), text)
        self.assertNotIn(SECRET, json.dumps(self.read(
            "trails://prov/latest")))


class Unknown(unittest.TestCase):
    """Calls of what nothing has the name of share one name."""

    def test_each_leaves_what_was_asked_for(self):
        server = Server("", app=APP)
        long = "x" * 70
        rows = [("tools/call", {"name": long}, "tool", long[:64]),
                ("prompts/get", {"name": "nix"}, "prompt", "nix"),
                ("resources/read", {"uri": "test://none"}, "resource",
                 "test://none")]
        for method, params, _, _ in rows:
            _, _, text = server.ask(request(message(method, **params)))
            self.assertIn("error", json.loads(text))
        wait_for(lambda: len(prov(server)) == 3)
        _, _, text = server.ask(request(message(
            "resources/read", uri="trails://prov?capability=unknown")))
        page = json.loads(json.loads(text)["result"]["contents"][0]["text"])
        self.assertEqual(
            [(row["kind"], row["name"], row["asked"], row["status"],
              row["wrote"]) for row in reversed(page["activities"])],
            [(kind, "unknown", asked, "not_found", False)
             for _, _, kind, asked in rows])
        self.assertEqual(server.close(), 0)


class Strangers(unittest.TestCase):
    def read(self, server, uri):
        _, _, text = server.ask(request(message("resources/read", uri=uri)))
        return json.loads(text)

    def test_in_production_nobody_sees_what_strangers_did(self):
        server = Server('[project]\nenv = "production"\n'
                        '[auth]\nrequired = false\n', app=APP)
        answer = server.call("write", title="mine")[1]
        iri = answer["result"]["_meta"][IRI]
        none = "trails://prov/019fa8cd-1200-7000-8000-000000000001"
        self.assertTrue(prov(server)[0]["wrote"])
        found = json.dumps(self.read(server, iri)["error"])
        missing = json.dumps(self.read(server, none)["error"])
        self.assertEqual(found.replace(iri, none), missing)
        for uri in ("trails://prov", "trails://prov/latest",
                    "trails://prov?principal=&since=2020-01-01T00:00:00Z"):
            page = self.read(server, uri)["result"]["contents"][0]["text"]
            self.assertEqual(json.loads(page)["activities"], [], uri)
            self.assertNotIn("next", json.loads(page))
        self.assertEqual(server.close(), 0)


class Ending(unittest.TestCase):
    def test_a_clean_stop_loses_nothing(self):
        server = Server("[server]\nthreads = 2\n", app=APP)
        for _ in range(20):
            server.call("regret")
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(60)
        self.assertEqual([row["ended"] for row in prov(server)],
                         ["returned_error"] * 20)
        self.assertEqual(server.close(), 0)

    def test_a_write_that_was_answered_has_its_activity(self):
        server = Server("", app=APP)
        for i in range(5):
            self.assertIn("result", server.call("write", title=str(i))[1])
        server.process.kill()
        server.process.wait(60)
        self.assertEqual([row["wrote"] for row in prov(server)
                          if row["wrote"]], [True] * 5)
        server.close()

    def test_a_denial_that_was_answered_has_its_activities(self):
        server = Server("", app=APP + """
policy "never" { run = function() return false, "no" end }
capability "closed" { scope = "builder", run = function() end }
capability "watched" { policy_required = { "never" }, run = function() end }
""")
        for name in ("closed", "watched"):
            self.assertIn("error", server.call(name)[1])
        server.process.kill()
        server.process.wait(60)
        self.assertEqual(
            sorted((row["kind"], row["name"], row["ended"], row["wrote"])
                   for row in prov(server)),
            [("policy", "never", "denied", False),
             ("tool", "closed", "denied", False),
             ("tool", "watched", "denied", False)])
        server.close()


if __name__ == "__main__":
    unittest.main()
