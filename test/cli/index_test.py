#!/usr/bin/env python3
"""Indexes by value of a whole program: built when a command opens the store with
an app that declares them, dropped when it does not any more, kept by calls and
imports, carried by backups. Drives the sanitized binary."""
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
TASKS = 40

APP = """
node_type "Task" { label = "title", ids = "preserve", %s
  fields = { { "title", text }, { "team", text },
    { "due", datetime { optional = true %s } } } }
capability "newest" { description = "By due.", input = { order = text },
  run = function(ctx, args)
    local titles, after = {}, nil
    repeat
      local page
      page, after = ctx.kg:where("Task", {},
        { order = args.order, limit = 7, after = after })
      for _, task in ipairs(page) do titles[#titles + 1] = task.title end
    until not after
    return { titles = titles }
  end }
capability "count" { description = "By team.", run = function(ctx)
    local count = {}
    for _, group in ipairs((ctx.kg:aggregate("Task", {}, { group = "team" }))) do
      count[group.group] = group.count
    end
    return count
  end }
capability "finish" { description = "d", side_effects = { graph_writes = { "default" } },
  input = { id = text },
  run = function(ctx, args) ctx.kg:delete(args.id) return {} end }
"""


def turtle(number):
    """One task in four has no due; others are at all offsets."""
    lines = [f'<trails://tasks/Task/{number}> a <trails://tasks/Task> ;',
             f'<trails://tasks/Task#title> "T{number}" ;']
    if number % 4:
        hour = (number * 7) % 20
        offset = number % 3
        lines.append(
            f'<trails://tasks/Task#due> "2026-01-01T{hour + offset:02}:00:00+'
            f'{offset:02}:00"^^<http://www.w3.org/2001/XMLSchema#dateTime> ;')
    lines.append(f'<trails://tasks/Task#team> "team {number % 3}" .')
    return "\n".join(lines)


def due_of(number):
    return (number * 7) % 20 if number % 4 else None


class Index(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        with open(self.at("trails.toml"), "w", encoding="utf-8") as file:
            file.write('[project]\nname = "tasks"\n')

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def write_app(self, indexes="", index=""):
        with open(self.at("app.lua"), "w", encoding="utf-8") as file:
            file.write(APP % (indexes, index))

    def trails(self, *arguments, fails=False):
        done = subprocess.run([TRAILS, *arguments], cwd=self.folder.name,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120, check=False)
        self.assertEqual(done.returncode != 0, fails, done.stderr.decode())
        return done.stderr.decode() if fails else done.stdout.decode()

    def call(self, name, **given):
        return json.loads(self.trails("call", name, "--json",
                                      json.dumps(given)))

    def rows(self):
        """How many rows each index has, by how many fields it has."""
        for folder, _, files in os.walk(self.folder.name):
            if "graph.db" in files:
                db = sqlite3.connect(os.path.join(folder, "graph.db"))
                try:
                    return sorted(db.execute(
                        "SELECT (SELECT count(*) FROM value_part p"
                        " WHERE p.x = i.x), (SELECT count(*) FROM value_row r"
                        " WHERE r.x = i.x) FROM value_index i").fetchall())
                finally:
                    db.close()
        return None

    def fill(self):
        numbers = list(range(1, TASKS + 1))
        random.Random(7).shuffle(numbers)
        with open(self.at("data.ttl"), "w", encoding="utf-8") as file:
            file.write("\n".join(map(turtle, numbers)))
        self.trails("import", self.at("data.ttl"))
        self.met = numbers

    def check_orders(self, left):
        """By due, then in the order in which the store met them."""
        there = [n for n in self.met if n in left]
        dated = [n for n in there if due_of(n) is not None]
        none = [n for n in there if due_of(n) is None]
        for order, sign in (("due", 1), ("-due", -1)):
            wanted = sorted(dated, key=lambda n: sign * due_of(n)) + none
            titles = self.call("newest", order=order)["titles"]
            dues = [due_of(int(title[1:])) for title in titles]
            self.assertEqual(dues, [due_of(n) for n in wanted])
            self.assertEqual(sorted(titles), sorted(f"T{n}" for n in there))
        counts = self.call("count")
        self.assertEqual(sum(counts.values()), len(there))

    def test_life_of_an_index(self):
        left = set(range(1, TASKS + 1))
        self.write_app(index=", index = true")
        self.fill()
        self.assertEqual(self.rows(), [(1, TASKS)])
        self.check_orders(left)
        self.call("finish", id="trails://tasks/Task/5")
        left.remove(5)
        self.assertEqual(self.rows(), [(1, TASKS - 1)])
        self.check_orders(left)
        self.write_app(indexes='indexes = { { "team", "-due" }, "team" },')
        self.check_orders(left)
        self.assertEqual(self.rows(), [(1, TASKS - 1), (2, TASKS - 1)])
        self.write_app()
        self.check_orders(left)
        self.assertEqual(self.rows(), [])

    def test_backup_has_the_indexes(self):
        self.write_app(index=", index = true")
        self.fill()
        self.trails("backup", self.at("copy.db"))
        self.call("finish", id="trails://tasks/Task/5")
        self.trails("restore", self.at("copy.db"))
        self.assertEqual(self.rows(), [(1, TASKS)])
        self.check_orders(set(range(1, TASKS + 1)))

    def test_what_is_wrong_has_its_line(self):
        self.write_app(indexes='indexes = { { "team", "-deu" } },')
        said = self.trails("check", fails=True)
        self.assertIn("app.lua:2", said)
        self.assertIn("indexes names 'deu', which is not a field, did you mean "
                      "'due'?", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
