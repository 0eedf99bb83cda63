#!/usr/bin/env python3
"""Sixteen clients that want the next number of the demo at the same time, in
one process and in two: every call lands, numbers have no gap, each call is one
activity and one call of its budget, and in one process no handler runs more
than twice. Nothing is timed."""
import json
import os
import sqlite3
import subprocess
import tempfile
import threading
import unittest

from server import ROOT, TRAILS, Server, message, read_response, request

SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
CALLS = max(50, round(1000 * SCALE))
CLIENTS = 16
DEMO = os.path.join(ROOT, "apps", "requirements")
LAST = 55  # of DOCK, in the seed

TOML = '''
[project]
name = "requirements"
[server]
threads = 2
[mcp]
tool_names = "portable"
[budget]
principal = ["* 1000000 calls/day"]
'''

# A handler says how often it has run for its title: the tries of a call are in
# one loop, and have one title.
COUNTED = '''local RUNS = {}
'''
BEGIN = 'local number, key = take_number(ctx, project, "last_requirement", "")'
END = "return { key = key, id = made.id, version = made._version }"


def instrumented():
    with open(os.path.join(DEMO, "app.lua")) as file:
        text = file.read()
    assert text.count(BEGIN) == 1 and text.count(END) == 1
    return (COUNTED + text)\
        .replace(BEGIN, "RUNS[args.title] = (RUNS[args.title] or 0) + 1 " + BEGIN)\
        .replace(END, END.replace("made._version", "RUNS[args.title]"))


class Race(unittest.TestCase):
    def setUp(self):
        self.parent = tempfile.TemporaryDirectory()
        self.store = os.path.join(self.parent.name, "store")
        self.environment = {"TRAILS_STORE": self.store}
        self.servers = []

    def tearDown(self):
        for server in self.servers:
            self.assertEqual(server.close(), 0)
        self.parent.cleanup()

    def serve(self):
        server = Server(TOML, instrumented(), environment=self.environment)
        self.servers.append(server)
        if len(self.servers) == 1:
            self.trails("import", os.path.join(DEMO, "seed.ttl"))
        return server

    def trails(self, *arguments):
        done = subprocess.run(
            [TRAILS, *arguments, "--app", self.servers[0].folder],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            timeout=300, env={**os.environ, **self.environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def propose(self, peer, number):
        peer.sendall(request(message(
            "tools/call", id=number, name="propose_requirement", arguments={
                "project": "DOCK", "kind": "functional",
                "title": f"Requirement {number} of a race",
                "statement": "The lock shall not care who was first."})))
        _, _, text = read_response(peer)
        return json.loads(text)

    def race(self):
        """The results of all calls."""
        results, lock, numbers = [], threading.Lock(), iter(range(CALLS))

        def work(server):
            with server.connect() as peer:
                while True:
                    with lock:
                        number = next(numbers, None)
                    if number is None:
                        return
                    answer = self.propose(peer, number)
                    with lock:
                        results.append(answer)
        threads = [threading.Thread(
            target=work, args=(self.servers[i % len(self.servers)],))
            for i in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    def check(self, results, most_runs):
        failed = [r for r in results if "structuredContent" not in r.get("result", {})]
        self.assertEqual((len(results), failed[:3]), (CALLS, []))
        made = [r["result"]["structuredContent"] for r in results]
        self.assertEqual(sorted(int(m["key"][5:]) for m in made),
                         list(range(LAST + 1, LAST + 1 + CALLS)))
        runs = [m["version"] for m in made]
        self.assertLessEqual(max(runs), most_runs)
        self.check_provenance(results, runs)
        with sqlite3.connect(os.path.join(self.store, "graph.db")) as db:
            self.assertEqual(db.execute(
                "SELECT sum(calls) FROM budget"
            ).fetchall(), [(CALLS,)])
        db.close()

    def check_provenance(self, results, runs):
        """One activity each, which says how many tries there were."""
        tries, seen = {}, 0
        for activity in json.loads(self.trails(
                "prov", "list", "--json", "--capability",
                "propose_requirement", "--limit", "10000")):
            seen += 1
            tries[activity["id"]] = activity.get("tries", 1)
        self.assertEqual((seen, len(tries)), (CALLS, CALLS))
        self.assertEqual(
            [tries[r["result"]["_meta"]["dev.trails/provenance"]]
             for r in results], runs)

    def test_in_one_process_the_second_try_lands(self):
        self.serve()
        self.check(self.race(), most_runs=2)
        self.check_restore()

    def test_in_two_processes_all_land(self):
        self.serve()
        self.serve()
        self.check(self.race(), most_runs=6)

    def next_key(self, number):
        with self.servers[0].connect() as peer:
            return self.propose(peer, number)["result"]["structuredContent"]["key"]

    def check_restore(self):
        """A backup has the counter; an export has not."""
        backup = os.path.join(self.parent.name, "backup.db")
        self.trails("backup", backup)
        self.assertEqual(self.next_key(CALLS), f"DOCK-{LAST + CALLS + 1}")
        self.assertEqual(self.next_key(CALLS + 1), f"DOCK-{LAST + CALLS + 2}")
        self.trails("restore", backup)
        self.assertEqual(self.next_key(CALLS + 2), f"DOCK-{LAST + CALLS + 1}")
        self.assertNotIn("DOCK last_requirement",
                         self.trails("export", "--format", "nq"))


if __name__ == "__main__":
    unittest.main()
