#!/usr/bin/env python3
"""Slow queries that a server sees are kept in its store as they come: `trails check`
names their fields until they have an index, also after other servers have ended, and
after one was killed."""
import json
import os
import sqlite3
import subprocess
import unittest
from contextlib import closing

from server import TRAILS, Server, wait_for

TASK = """
node_type "Task" {
  fields = { title = text, size = integer { %s }, },
  label = "title",
  tools = { "find" },
}
capability "fill" {
  description = "Makes as many tasks as are slow.",
  side_effects = { graph_writes = { "default" } },
  run = function(ctx)
    for i = 1, 1000 do ctx.kg:create("Task", { title = "t" .. i, size = i }) end
  end,
}
"""
SLOW = "%d queries by Task.size have looked at %d nodes: declare index = true for the field"


class Slow(unittest.TestCase):
    def setUp(self):
        self.server = Server(app=TASK % "")

    def tearDown(self):
        self.assertEqual(self.server.close(), 0)

    def slow(self):
        done = subprocess.run([TRAILS, "check", "--json", self.server.folder], timeout=60,
                              stdout=subprocess.PIPE, check=True)
        return [warning["message"] for warning in json.loads(done.stdout)["warnings"]
                if warning["id"] == "queries.slow"]

    def find(self, times):
        for _ in range(times):
            status, _ = self.server.call("find_task", filter={"size": {"min": 5000}})
            self.assertEqual(status, 200)

    def stop(self):
        self.assertEqual(self.server.end("terminate"), 0)

    def path(self):
        return os.path.join(self.server.folder, "data", "graph.db")

    def kept(self):
        """How many queries by Task.size are kept."""
        with closing(sqlite3.connect(self.path())) as db:
            rows = db.execute("SELECT times FROM slow_query WHERE field = 'size'").fetchall()
        return rows[0][0] if rows else 0

    def test_check_names_slow_fields_until_they_have_an_index(self):
        self.assertEqual(self.server.call("fill")[0], 200)
        self.find(2)
        self.stop()
        self.assertEqual(self.slow(), [SLOW % (2, 2000)])
        self.server.start()
        self.find(1)
        self.stop()
        self.assertEqual(self.slow(), [SLOW % (3, 3000)])
        self.server.start()
        self.stop()
        self.assertEqual(self.slow(), [SLOW % (3, 3000)])
        self.server.write("app.lua", TASK % "index = true")
        self.assertEqual(self.slow(), [])
        self.server.start()

    def test_they_are_kept_as_they_come(self):
        self.assertEqual(self.server.call("fill")[0], 200)
        self.find(2)
        wait_for(lambda: self.kept() == 2)
        self.assertEqual(self.slow(), [SLOW % (2, 2000)])
        self.find(1)
        wait_for(lambda: self.kept() == 3)
        self.server.end("kill")
        self.assertEqual(self.slow(), [SLOW % (3, 3000)])
        self.server.start()

    def test_nobody_waits_for_them_and_none_counts_twice(self):
        """Another process holds the store: queries are answered, and kept behind it."""
        self.assertEqual(self.server.call("fill")[0], 200)
        with closing(sqlite3.connect(self.path(), isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for _ in range(3):
                self.find(1)
                wait_for(lambda: self.server.call("find_task", size=7)[0] == 200)
            self.assertEqual(self.kept(), 0)
            other.execute("ROLLBACK")
        wait_for(lambda: self.kept() > 0)
        self.find(1)
        self.stop()
        self.assertEqual(self.slow(), [SLOW % (4, 4000)])
        self.server.start()

    def test_there_are_few_of_them_and_none_is_old(self):
        self.assertEqual(self.server.call("fill")[0], 200)
        self.find(1)
        wait_for(lambda: self.kept() == 1)
        path = self.path()
        with sqlite3.connect(path) as db:
            db.execute("INSERT INTO slow_query VALUES ('Task', 'title', 9, 9000, 1)")
            db.executemany("INSERT INTO slow_query VALUES ('Gone', ?, 1, 10, 1e11)",
                           [(f"f{i}",) for i in range(40)])
        db.close()
        self.find(1)
        self.stop()
        self.assertEqual(self.slow(), [SLOW % (2, 2000)])
        with sqlite3.connect(path) as db:
            count = db.execute("SELECT count(*) FROM slow_query").fetchone()[0]
        db.close()
        self.assertLessEqual(count, 32)
        self.server.start()


if __name__ == "__main__":
    unittest.main()
