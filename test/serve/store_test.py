#!/usr/bin/env python3
"""A store that several processes use: commands and a second server beside one
that runs. Each does what its help says, and the servers hear of it."""
import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import unittest

from server import (TRAILS, Server, message, read_response, read_until, request,
                    wait_for)

APP = '''
prefixes { ex = "http://ex.org/" }
node_type "Person" {
  iri = "ex:Person",
  fields = { name = text { iri = "ex:name", search = true },
             email = text { iri = "ex:email", unique = true } },
}
capability "add" {
  description = "Adds somebody.",
  input = { name = text, email = text },
  run = function(ctx, args) return ctx.kg:create("Person", args).id end,
}
capability "count" {
  description = "How many there are.",
  run = function(ctx) return (ctx.kg:count("Person")) end,
}
capability "find" {
  description = "Whom a word finds.",
  input = { word = text },
  run = function(ctx, args) return #ctx.kg:search(args.word) end,
}
capability "get" {
  description = "The name of a node.",
  input = { id = text },
  run = function(ctx, args)
    local node = ctx.kg:get(args.id)
    return node and node.name or "nobody"
  end,
}
capability "drop" {
  description = "Removes a node.",
  input = { id = text },
  run = function(ctx, args) return ctx.kg:delete(args.id) end,
}
capability "slow" {
  description = "Changes something, and takes its time.",
  input = { id = text, name = text },
  run = function(ctx, args)
    ctx.kg:update(args.id, { name = args.name })
    ctx:sleep(0.5)
    return ctx.kg:get(args.id).name
  end,
}
'''

ASKING = '''
capability "order" {
  description = "Asks, after a while.",
  input = { seconds = number },
  cost = { tokens = 10 },
  run = function(ctx, args)
    ctx:progress(1)
    ctx:sleep(args.seconds)
    ctx:elicit { message = "One?", fields = { ok = boolean } }
    return "ordered"
  end,
}
'''


def person(number, name):
    return (f'<http://ex.org/{number}> a <http://ex.org/Person> ; '
            f'<http://ex.org/name> "{name}" ; '
            f'<http://ex.org/email> "{number}@x" .\n')


class Beside(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("[server]\nthreads = 2\n", APP)
        cls.folder = cls.server.folder

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def run_command(self, *arguments, code=0):
        done = subprocess.run([TRAILS, *arguments, "--app", self.folder],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr

    def say(self, tool, server=None, /, **arguments):
        answer = (server or self.server).call(tool, **arguments)[1]
        self.assertIn("result", answer)
        return answer["result"]["content"][0]["text"]

    def count(self, server=None):
        return int(self.say("count", server))

    def import_text(self, text, code=0):
        self.server.write("in.ttl", text)
        return self.run_command(
            "import", os.path.join(self.folder, "in.ttl"), code=code)

    def listen(self, server, *uris):
        peer = server.connect()
        peer.sendall(request(message("subscriptions/listen", notifications={
            "resourceSubscriptions": list(uris)})))
        read_until(peer, b"acknowledged")
        return peer

    def test_an_import_is_seen_and_told_of(self):
        uris = ["trails://kg/Person",
                "trails://kg/Person/http%3A%2F%2Fex.org%2F1"]
        before = self.count()
        told = self.server.metric("trails_store_changes_total")
        peer = self.listen(self.server, *uris)
        self.import_text(person(1, "Imported") + person(2, "Imported"))
        self.assertEqual(self.count(), before + 2)
        self.assertEqual(self.say("find", word="imported"), "2")
        heard = {read_until(peer, b"}}}").decode()[-2000:] for _ in uris}
        for uri in uris:
            self.assertTrue(any(f'"{uri}"' in text for text in heard), uri)
        self.assertEqual(self.server.metric("trails_store_changes_total"),
                         told + 2)
        peer.close()

    def test_a_large_import_is_told_of_by_type(self):
        peer = self.listen(self.server, "trails://kg/Person")
        before = self.count()
        self.import_text("".join(person(n, "Many")
                                 for n in range(1000, 3000)))
        self.assertEqual(self.count(), before + 2000)
        self.assertIn(b'"trails://kg/Person"', read_until(peer, b"}}}"))
        peer.close()

    def test_an_import_that_does_not_conform_changes_nothing(self):
        before = self.count()
        said = self.import_text(
            person(50, "Good") + "<http://ex.org/51> a <http://ex.org/Person> .",
            code=1)
        self.assertIn("ex:51", said)
        self.assertEqual(self.count(), before)

    def test_an_import_wants_what_is_unique(self):
        self.say("add", name="Here", email="60@x")
        before = self.count()
        said = self.import_text(person(60, "There"), code=1)
        self.assertIn("email", said)
        self.assertEqual(self.count(), before)

    def test_stats_are_those_of_the_moment(self):
        self.say("add", name="Counted", email="stats@x")
        stats = json.loads(self.run_command("stats", "--json"))
        types = {row["iri"]: row["nodes"] for row in stats["types"]}
        self.assertEqual(types["http://ex.org/Person"], self.count())

    def test_a_backup_while_it_writes(self):
        path = os.path.join(self.folder, "copy.db")
        self.say("add", name="Kept", email="backup@x")
        self.run_command("backup", path)
        with sqlite3.connect(path) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchone(),
                             ("ok",))
            self.assertGreater(
                db.execute("SELECT value FROM meta WHERE key = 3")
                .fetchone()[0], 0)
            self.assertGreater(
                db.execute("SELECT count(*) FROM pos").fetchone()[0], 0)
        db.close()
        before = self.count()
        self.say("add", name="Later", email="backup-later@x")
        self.run_command("restore", path)
        self.assertEqual(self.count(), before)
        self.assertEqual(self.say("find", word="later"), "0")
        # New terms get ids that mean something else than before.
        identity = self.say("add", name="Again", email="backup-later@x")
        self.assertEqual(self.say("get", id=identity), "Again")
        os.remove(path)

    def test_what_is_deleted_is_gone_after_compact(self):
        secret = "zebracrossing"
        identity = self.say("add", name=secret, email="compact@x")
        self.assertEqual(self.say("get", id=identity), secret)
        self.say("drop", id=identity)
        self.run_command("compact")
        for name in os.listdir(os.path.join(self.folder, "data")):
            with open(os.path.join(self.folder, "data", name), "rb") as file:
                self.assertNotIn(secret.encode(), file.read(), name)
        # The server has known that text by an id that is gone now.
        identity = self.say("add", name=secret, email="compact@x")
        self.assertEqual(self.say("get", id=identity), secret)
        self.assertEqual(self.say("find", word=secret), "1")

    def test_a_second_server_on_the_same_store(self):
        second = subprocess.Popen(
            [TRAILS, "serve", self.folder, "--http", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            line = second.stdout.readline()
            port = int(re.match(r"listening on http://[\d.]+:(\d+)", line)[1])
            other = Other(port, self.server)
            peer = self.listen(self.server, "trails://kg/Person")
            identity = self.say("add", other, name="Two", email="second@x")
            self.assertEqual(self.say("get", id=identity), "Two")
            self.assertIn(b'"trails://kg/Person"', read_until(peer, b"}}}"))
            answer = self.server.call("add", name="Three",
                                      email="second@x")[1]
            self.assertEqual(answer["error"]["data"]["fields"][0]["code"],
                             "unique")
            self.say("drop", id=identity)
            self.assertEqual(self.say("get", other, id=identity), "nobody")
            peer.close()
        finally:
            second.terminate()
            self.assertEqual(second.wait(60), 0)
            second.stdout.close()

    def test_a_call_that_waits_sees_its_own_writes_on_a_newer_store(self):
        identity = self.say("add", name="Before", email="slow@x")
        peer = self.server.connect()
        peer.sendall(request(message(
            "tools/call", name="slow",
            arguments={"id": identity, "name": "Mine"})))
        self.import_text(person(70, "Meanwhile"))
        self.assertIn(b'"text":"Mine"', read_until(peer, b"}]"))
        wait_for(lambda: self.say("get", id=identity) == "Mine")
        peer.close()


class Renamed(unittest.TestCase):
    """The store gets another name while a server has it: that one must neither
    read nor write under the old name, and ends."""

    def setUp(self):
        # Named as an app that was there first: by its store.
        self.server = Server("[server]\nthreads = 1\n",
                             APP.replace('iri = "ex:Person",', ""))
        self.addCleanup(self.server.close)
        answer = self.server.call("add", name="Ann", email="a@x")[1]
        self.ann = answer["result"]["content"][0]["text"]

    def run_command(self, *arguments):
        done = subprocess.run([TRAILS, *arguments, "--app",
                               self.server.folder], text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check_end(self, name):
        self.assertEqual(self.server.process.wait(60), 1)
        with open(self.server.log_path) as file:
            *lines, last = file.read().splitlines()
        old = self.ann.split("/")[2]
        self.assertEqual(last, f"trails: the store is of project '{name}', and "
                         f"this app is called '{old}': 'trails store rename "
                         f"{old}' renames the store")
        self.assertIn("the server ends: its store is another project's",
                      [json.loads(line)["msg"] for line in lines])

    def count(self):
        return json.loads(self.run_command("call", "count"))

    def test_a_call_that_runs_is_refused_and_the_server_ends(self):
        peer = self.server.connect()
        peer.sendall(request(message("tools/call", name="slow", arguments={
            "id": self.ann, "name": "Late"})))
        # Its handler has begun when the next call on this loop is answered.
        self.server.call("count")
        self.run_command("store", "rename", "depot")
        self.check_end("depot")
        text = read_response(peer)[2]
        self.assertIn("the store is of project 'depot' now", text)
        peer.close()
        self.assertEqual(self.count(), 1)
        new = "trails://depot/" + self.ann.split("/", 3)[3]
        self.assertEqual(self.run_command("call", "get", "--json",
                                          json.dumps({"id": new})), "Ann\n")

    def test_calls_that_come_meanwhile_are_refused(self):
        peers = [self.server.connect() for _ in range(4)]
        self.server.process.send_signal(signal.SIGSTOP)
        self.run_command("store", "rename", "depot")
        for number, peer in enumerate(peers):
            peer.sendall(request(message("tools/call", name="add", arguments={
                "name": "Bob", "email": f"{number}@x"})))
        self.server.process.send_signal(signal.SIGCONT)
        for peer in peers:
            try:
                text = read_response(peer)[2]
            except ConnectionResetError:
                text = ""
            peer.close()
            if text:
                error = json.loads(text)["error"]
                self.assertEqual(error["code"], -31005)
                self.assertIn("the store is of project 'depot' now",
                              error["message"])
        self.check_end("depot")
        self.assertEqual(self.count(), 1)

    def test_a_backup_of_another_project_ends_it_too(self):
        other = Server(app=APP)
        backup = os.path.join(self.server.folder, "other.db")
        self.addCleanup(other.close)
        subprocess.run([TRAILS, "backup", backup, "--app", other.folder],
                       check=True, timeout=60, stdout=subprocess.DEVNULL)
        self.run_command("restore", backup)
        name = json.loads(subprocess.run(
            [TRAILS, "config", "list", "--json"], cwd=other.folder, check=True,
            timeout=60, stdout=subprocess.PIPE).stdout)[0]["value"]
        self.check_end(name)


class Other(Server):
    """A server that somebody else started."""

    def __init__(self, port, first):
        self.port = port
        self.peers = first.peers


class Locked(unittest.TestCase):
    """Another process writes for longer than anybody waits."""

    def test_who_has_to_wait_is_told_to_try_again(self):
        server = Server(app=APP)
        self.addCleanup(server.close)
        self.assertEqual(server.call("add", name="Ann", email="a")[0], 200)
        other = sqlite3.connect(os.path.join(server.folder, "data", "graph.db"),
                                isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        by_hand = subprocess.Popen(
            [TRAILS, "call", "add", "--json", '{"name":"Bob","email":"b"}'],
            cwd=server.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        error = server.call("add", name="Cid", email="c")[1]["error"]
        self.assertEqual(error["code"], -31005)
        self.assertEqual(error["message"],
                         "another process is writing to the store: try again")
        self.assertEqual(error["data"]["retry_after_s"], 1)
        self.assertEqual(error["data"]["trails_code"], -32005)
        said = by_hand.communicate()[1].decode()
        self.assertEqual(by_hand.returncode, 1)
        self.assertIn("another process is writing to the store: try again", said)
        other.execute("ROLLBACK")
        other.close()
        answer = server.call("add", name="Cid", email="c")[1]
        self.assertIn("result", answer)
        self.assertIn('"2"', json.dumps(server.call("count")[1]))
        self.assertFalse([line for line in server.log()
                          if line["level"] == "error"])

    def question_under_lock(self, server, other, seconds):
        """What is heard while another process has the lock, which it takes
        before the handler asks; None: it was too late for that."""
        meta = {"io.modelcontextprotocol/clientCapabilities":
                {"elicitation": {}}, "progressToken": 1}
        with server.connect() as peer:
            peer.sendall(request(message("tools/call", meta, name="order",
                                         arguments={"seconds": seconds})))
            read_until(peer, b"notifications/progress")  # its hold is made
            read_until(peer, b"\n\n\r\n")
            other.execute("BEGIN IMMEDIATE")
            late = select.select([peer], [], [], 0)[0]
            heard = select.select([peer], [], [], seconds + 1)[0]
            other.execute("ROLLBACK")
            if not heard:
                read_until(peer, b"requestState")
            return None if late else heard

    def test_a_question_comes_when_its_round_has_paid(self):
        """Its client sends the call again at once, and would find what the
        round still holds of the budget."""
        server = Server(app=ASKING, toml="[budget]\n"
                        'capability = ["order 1000 tokens/day"]\n')
        self.addCleanup(server.close)
        other = sqlite3.connect(os.path.join(server.folder, "data", "graph.db"),
                                isolation_level=None, timeout=60)
        self.addCleanup(other.close)
        for seconds in (0.5, 1, 2, 4):  # a busy machine may need the longer
            heard = self.question_under_lock(server, other, seconds)
            if heard is not None:
                break
        self.assertEqual(heard, [], "it was asked before it had paid")


if __name__ == "__main__":
    unittest.main()
