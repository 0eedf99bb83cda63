#!/usr/bin/env python3
"""Fields with `index = false` in a whole program: all that reads a store says of one
with such fields what it says of the same one without. Drives the sanitized binary."""
import json
import os
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
NOTES = 30

APP = """
node_type "Note" { label = "title", ids = "preserve",
  fields = { { "title", text }, { "mail", text { %s } }, { "size", integer { %s } },
    { "next", ref "Note" { optional = true } } } }
shape "Sized" { target_subjects_of = "trails://bare/Note#size",
  fields = { mail = text { iri = "trails://bare/Note#mail" } } }
capability "find" { description = "d", input = { filter = json },
  run = function(ctx, args)
    local ids = {}
    for _, note in ipairs((ctx.kg:where("Note", args.filter, { limit = 100 }))) do
      ids[#ids + 1] = note.id
    end
    return { ids = ids, count = (ctx.kg:count("Note", args.filter)) }
  end }
capability "said" { description = "d", input = { p = text, o = text { optional = true } },
  run = function(ctx, args)
    local quads = ctx.kg:quads { predicate = args.p, object = args.o }
    local ids = {}
    for i, quad in ipairs(quads) do ids[i] = quad.subject end
    table.sort(ids)
    return { ids = ids }
  end }
capability "add" { description = "d", side_effects = { graph_writes = { "default" } },
  input = { id = text, mail = text, size = integer },
  run = function(ctx, args)
    ctx.kg:create("Note", { title = "new", mail = args.mail, size = args.size },
      { id = args.id })
    return {}
  end }
capability "change" { description = "d", side_effects = { graph_writes = { "default" } },
  input = { id = text, mail = text },
  run = function(ctx, args)
    ctx.kg:update(args.id, { mail = args.mail })
    return {}
  end }
capability "drop" { description = "d", side_effects = { graph_writes = { "default" } },
  input = { id = text }, run = function(ctx, args) ctx.kg:delete(args.id) return {} end }
capability "put" { description = "d", side_effects = { graph_writes = { "default" } },
  input = { by = text },
  run = function(ctx, args)
    ctx.kg:upsert("Note", { title = "new", mail = "m1", size = 1 }, { by = { args.by } })
    return {}
  end }
"""

FILTERS = [
    {"mail": "m1"}, {"mail": "nobody"}, {"mail": {"one_of": ["m1", "m2"]}},
    {"mail": "m1", "size": 1}, {"mail": "m1", "title": "N 6"}, {"size": {"min": 3}},
    {"mail": {"prefix": "m"}}, {"mail": {"present": False}}, {"next.mail": "m1"},
    {"any": [{"mail": "m1"}, {"size": 2}]}, {"any": [{"mail": "m2"}, {"title": "N 7"}]},
    {"next.size": {"one_of": [1, 2]}, "mail": "m0"},
]


def turtle(number):
    after = f'; <trails://bare/Note#next> <trails://bare/Note/{number - 1}>'
    return (f'<trails://bare/Note/{number}> a <trails://bare/Note> ;'
            f'<trails://bare/Note#title> "N {number}" ;'
            f'<trails://bare/Note#mail> "m{number % 5}" ;'
            f'<trails://bare/Note#size> {number % 4} {after if number > 1 else ""} .')


class Bare(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("with", "without"):
            os.mkdir(os.path.join(self.folder.name, name))
            with open(self.at(name, "trails.toml"), "w", encoding="utf-8") as file:
                file.write('[project]\nname = "bare"\n')
            with open(self.at(name, "data.ttl"), "w", encoding="utf-8") as file:
                file.write("\n".join(map(turtle, range(1, NOTES + 1))))
        self.write_app("with", "")
        self.write_app("without", "index = false")

    def at(self, app, name):
        return os.path.join(self.folder.name, app, name)

    def write_app(self, app, said):
        with open(self.at(app, "app.lua"), "w", encoding="utf-8") as file:
            file.write(APP % (said, said))

    def trails(self, app, *arguments, fails=False):
        done = subprocess.run([TRAILS, *arguments], cwd=os.path.join(self.folder.name, app),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120, check=False)
        self.assertEqual(done.returncode != 0, fails, done.stderr.decode())
        return done.stderr.decode() if fails else done.stdout.decode()

    def both(self, *arguments):
        for app in ("with", "without"):
            self.trails(app, *arguments)

    def call(self, app, name, **given):
        return json.loads(self.trails(app, "call", name, "--json", json.dumps(given)))

    def rows(self, app):
        """Rows by value of literals, and bare predicates."""
        db = sqlite3.connect(self.at(app, "data/graph.db"))
        try:
            return db.execute("SELECT (SELECT count(*) FROM pos),"
                              " (SELECT count(*) FROM bare)").fetchone()
        finally:
            db.close()

    def answers(self, app):
        found = [self.call(app, "find", filter=one) for one in FILTERS]
        for name in ("title", "mail", "size", "next"):
            found.append(self.call(app, "said", p=f"trails://bare/Note#{name}"))
        found.append(self.call(app, "said", p="trails://bare/Note#mail", o="m1"))
        found.append(self.call(app, "said", p="trails://bare/Note#mail", o="m9"))
        found.append(sorted(self.trails(app, "export").splitlines()))
        self.trails(app, "validate")
        return found

    def check_same(self):
        self.assertEqual(self.answers("with"), self.answers("without"))

    def test_life_of_a_field_without_an_index(self):
        self.both("import", "data.ttl")
        self.assertEqual(self.rows("with"), (3 * NOTES, 0))
        self.assertEqual(self.rows("without"), (NOTES, 2))
        self.check_same()
        for app in ("with", "without"):
            self.call(app, "add", id="trails://bare/Note/new", mail="m1", size=2)
            self.call(app, "change", id="trails://bare/Note/1", mail="m9")
            self.call(app, "drop", id=f"trails://bare/Note/{NOTES}")
        self.assertEqual(self.rows("without"), (NOTES, 2))
        self.check_same()
        self.both("compact")
        self.check_same()
        self.write_app("without", "")  # and now they have one
        self.check_same()
        self.assertEqual(self.rows("without"), self.rows("with"))
        self.write_app("without", "index = false")
        self.check_same()
        self.assertEqual(self.rows("without"), (NOTES, 2))

    def test_backup_carries_it(self):
        self.both("import", "data.ttl")
        self.both("backup", "copy.db")
        for app in ("with", "without"):
            self.call(app, "drop", id=f"trails://bare/Note/{NOTES}")
        self.both("restore", "copy.db")
        self.assertEqual(self.rows("without"), (NOTES, 2))
        self.check_same()
        # One of a store in which all have an index, into one in which not.
        self.trails("without", "restore", "../with/copy.db")
        self.check_same()
        self.assertEqual(self.rows("without"), (NOTES, 2))

    def told(self, *arguments):
        """What a command that fails says, of both; it must be the same."""
        said = []
        for app in ("with", "without"):
            done = subprocess.run([TRAILS, *arguments], stdout=subprocess.PIPE, timeout=120,
                                  cwd=os.path.join(self.folder.name, app), check=False,
                                  stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1, done.stderr.decode())
            said.append(done.stdout.decode() + done.stderr.decode())
        self.assertEqual(said[0], said[1])
        return said[0]

    def test_shapes_find_what_they_ask_by_value(self):
        """Targets by a predicate and inverse paths, in an import and in the store."""
        self.both("import", "data.ttl")
        for app in ("with", "without"):
            with open(self.at(app, "loose.ttl"), "w", encoding="utf-8") as file:
                file.write('<http://e/x> <trails://bare/Note#size> 5 .')
            with open(self.at(app, "shapes.ttl"), "w", encoding="utf-8") as file:
                file.write("""@prefix sh: <http://www.w3.org/ns/shacl#> .
                    @prefix n: <trails://bare/Note#> . @prefix e: <http://e/> .
                    e:S sh:targetNode "m1" ;
                      sh:property [ sh:path [ sh:inversePath n:mail ] ; sh:maxCount 2 ] .
                    e:T sh:targetObjectsOf n:size ; sh:in ( 0 1 2 ) .""")
        self.assertIn("Nothing was imported", self.told("import", "loose.ttl"))
        said = self.told("validate", "--shapes", "shapes.ttl")
        self.assertIn('"m1"\n  ^n:mail: must have at most 2 values\n', said)
        self.assertIn("3\n  the node: must be one of 0, 1, 2\n", said)
        self.assertIn("2 results: the data does not conform.", said)
        self.assertEqual(self.rows("without"), (NOTES, 2))

    def test_explain_says_that_it_scans(self):
        self.both("import", "data.ttl")
        said = json.loads(self.trails("without", "explain", "Note", "--json",
                                      "--filter", '{"mail": "m1"}'))
        self.assertEqual((said["leads"], said["checks"], said["scans"]),
                         ([], ["mail one_of"], True))
        said = json.loads(self.trails("without", "explain", "Note", "--json",
                                      "--filter", '{"mail": "m1", "title": "N 1"}'))
        self.assertEqual((said["leads"], said["checks"], said["scans"]),
                         (["title one_of"], ["mail one_of"], False))

    def test_upsert_by_it_is_refused(self):
        self.assertIn("kg:upsert is by 'mail', and it has index = false",
                      self.trails("without", "call", "put", "--json",
                                  '{"by": "mail"}', fails=True))

    def test_another_field_with_the_predicate_keeps_its_rows(self):
        with open(self.at("without", "app.lua"), "a", encoding="utf-8") as file:
            file.write('node_type "Other" { fields = { mail = text {'
                       ' iri = "trails://bare/Note#mail" } } }\n')
        self.trails("without", "import", "data.ttl")
        self.assertEqual(self.rows("without"), (2 * NOTES, 1))


if __name__ == "__main__":
    unittest.main(verbosity=2)
