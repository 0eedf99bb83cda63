#!/usr/bin/env python3
"""`trails import`, `export`, `validate`, `backup`, `restore`, `stats`, `compact`
and `store rename` on the store of an app. Drives the sanitized binary."""
import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import tempfile
import time
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
OLD_STORE = os.path.join(ROOT, "build", "debug", "tools", "old_store")
APP = """
prefixes { e = "http://e/" }
node_type "Thing" {
  description = "A thing.",
  label = "title",
  fields = {
    title = text { min_length = 2, search = true },
    code = text { optional = true, unique = true },
  },
}
"""
PREFIXES = """@prefix t: <trails://shop/> . @prefix e: <http://e/> .
@prefix thing: <trails://shop/Thing#> .
"""
BROOM = PREFIXES + 'e:a a t:Thing ; thing:title "Broom" ; thing:code "1" .\n'
PAN = PREFIXES + 'e:b a t:Thing ; thing:title "Pan" ; thing:code "2" .\n'
DONE = "3 statements read, 3 new, 1 nodes changed\n"


class Store(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.app = os.path.join(self.folder, "shop")
        os.mkdir(self.app)
        self.write("shop/app.lua", APP)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_trails(self, *words, stdin="", **options):
        done = subprocess.run([TRAILS, *words], input=stdin.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=60, **options)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def trails(self, *words, **options):
        return self.run_trails(*words, "--app", self.app, **options)

    def stats(self):
        code, out, err = self.trails("stats", "--json")
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def load(self, text, name="in.ttl"):
        return self.trails("import", self.write(name, text))

    def take_back(self, version):
        """The store as programs of that version of the schema left it."""
        path = os.path.join(self.app, "data", "graph.db")
        os.rename(path, self.path("newer.db"))
        subprocess.run([OLD_STORE, self.path("newer.db"), path, str(version)],
                       check=True)

    @staticmethod
    def version_before(table):
        """The last version of the schema that had no such table."""
        return int(subprocess.check_output([OLD_STORE, table])) - 1


class Import(Store):
    def test_files_land_together(self):
        code, out, err = self.trails("import", self.write("a.ttl", BROOM),
                                     self.write("b.ttl", PAN))
        self.assertEqual((code, out, err), (
            0, "6 statements read, 6 new, 2 nodes changed\n", ""))
        self.assertEqual(self.load(BROOM)[1],
                         "3 statements read, 0 new, 0 nodes changed\n")
        self.assertEqual(self.stats()["nodes"], 2)

    def test_standard_input_needs_a_format(self):
        self.assertEqual(
            self.trails("import", "-", "--format", "ttl", stdin=BROOM),
            (0, DONE, ""))
        code, _, err = self.trails("import", "-", stdin=BROOM)
        self.assertEqual(code, 1)
        self.assertIn("-: its name does not tell the format", err)

    def test_a_graph_for_what_has_none(self):
        path = self.write("a.nq", "<http://e/a> <http://e/p> <http://e/b> .\n"
                          "<http://e/a> <http://e/p> <http://e/c> <http://e/h>"
                          " .\n")
        self.assertEqual(self.trails("import", path, "--graph",
                                     "http://e/g")[0], 0)
        self.assertEqual({g["iri"] for g in self.stats()["graphs"]},
                         {"http://e/g", "http://e/h"})

    def test_a_fault_is_named_with_its_place_and_nothing_lands(self):
        good = self.write("good.ttl", BROOM)
        bad = self.write("bad.nt", '<http://e/a> <http://e/p> "x" .\n'
                         "<http://e/a> <http://e/p> nothing .\n")
        code, out, err = self.trails("import", good, bad)
        self.assertEqual((code, out), (1, ""))
        self.assertTrue(err.startswith(f"trails: {bad}:2:27: "), err)
        self.assertEqual(self.stats()["quads"], 0)

    def test_what_does_not_conform_is_shown_and_does_not_land(self):
        self.assertEqual(self.load(BROOM), (0, DONE, ""))
        code, out, err = self.load(
            PREFIXES + 'e:c a t:Thing ; thing:title "x" .')
        self.assertEqual((code, out), (1, ""))
        self.assertIn("e:c", err)
        self.assertIn("at least 2", err)
        self.assertIn("trails: the data does not conform: 1 result\n"
                      "Nothing was imported.\n", err)
        self.assertEqual(self.stats()["quads"], 3)

    def test_what_is_imported_is_listed_as_it_was_met(self):
        self.write("shop/app.lua", APP.replace("fields =", 'tools = { "find" }, fields ='))
        for names in ("zma", "bAy"):
            text = "".join(f'e:{name} a t:Thing ; thing:title "T {name}" .\n'
                           for name in names)
            path = self.write("in.ttl", PREFIXES + text)
            self.assertEqual(self.trails("import", path)[0], 0)
        code, out, err = self.trails("call", "find_thing", "--json", "{}")
        self.assertEqual(code, 0, err)
        ids = [item["id"] for item in json.loads(out)["items"]]
        self.assertEqual(ids, [f"http://e/{name}" for name in "zmabAy"])

    def test_a_value_that_is_not_unique(self):
        self.assertEqual(self.load(BROOM), (0, DONE, ""))
        self.assertEqual(
            self.load(PAN.replace('"2"', '"1"')),
            (1, "", "trails: <http://e/a> and <http://e/b> have the same "
             "'code'\nNothing was imported.\n"))

    def test_wrong_use_is_named(self):
        rows = [
            (["x.nt", "--format", "xml"],
             "unknown format 'xml': nt, nq, ttl, trig or jsonld"),
            (["x.nt", "--graph", "no iri"], "--graph: "),
        ]
        for words, message in rows:
            with self.subTest(words):
                code, out, err = self.trails("import", *words)
                self.assertEqual((code, out), (2, ""))
                self.assertTrue(err.startswith("trails: " + message), err)
        self.assertEqual(
            self.trails("import", "/nowhere.nt"),
            (1, "", "trails: /nowhere.nt: cannot open it: "
             "No such file or directory\n"))

    def test_a_folder_without_an_app_gets_no_store(self):
        os.mkdir(self.path("empty"))
        code, _, err = self.run_trails("import", "x.nt", "--app",
                                       self.path("empty"))
        self.assertEqual(code, 1)
        self.assertIn("app.lua; 'trails new FOLDER' makes an app", err)
        self.assertEqual(os.listdir(self.path("empty")), [])

    def test_a_store_in_memory_has_nothing_to_offer(self):
        self.write("shop/trails.toml", '[store]\npath = ":memory:"\n')
        for words in [["import", "x.nt"], ["export"], ["compact"]]:
            code, _, err = self.trails(*words)
            self.assertEqual(code, 1)
            self.assertIn("[store] path is :memory:", err)

    def test_progress_is_shown_on_a_terminal_only(self):
        path = self.write("a.ttl", BROOM)
        main, other = pty.openpty()
        done = subprocess.run(
            [TRAILS, "import", path, "--app", self.app],
            stdout=subprocess.PIPE, stderr=other, timeout=60,
            env={**os.environ, "TERM": "xterm"})
        os.close(other)
        shown = os.read(main, 65536).decode()
        os.close(main)
        self.assertEqual(done.stdout.decode(), DONE)
        self.assertIn(f"of {len(BROOM)} bytes", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), shown)


class Spelling(Store):
    """Decision 0025: a value of a declared field has one spelling."""
    APP = """
node_type "U" { iri = "http://e/U", tools = { "create", "update", "find" }, fields = {
  k = integer { iri = "http://e/k", unique = true },
  n = number { iri = "http://e/n", optional = true },
  b = boolean { iri = "http://e/b", optional = true },
  d = datetime { iri = "http://e/d", optional = true } } }
local put = function(how) return function(ctx, args)
  ctx.kg[how](ctx.kg, "http://e/a", "http://e/k",
    { value = args.text, type = "http://www.w3.org/2001/XMLSchema#integer" })
  return #ctx.kg:quads({ subject = "http://e/a", predicate = "http://e/k" })
end end
for _, how in ipairs { "add", "remove" } do
  capability(how) { description = "Changes k.", input = { text = text },
    side_effects = { graph_writes = { "default" } }, run = put(how) }
end
capability "match" { description = "Looks for k.", input = { text = text },
  side_effects = {}, run = function(ctx, args)
    return #ctx.kg:quads({ predicate = "http://e/k", object = { value = args.text,
      type = "http://www.w3.org/2001/XMLSchema#integer" } })
  end }
"""
    ODD = PREFIXES + """@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
e:a a e:U ; e:k 01 ; e:n 1e0 ;
    e:b "1"^^xsd:boolean ;
    e:d "2026-01-01T00:00:00.000Z"^^xsd:dateTime .
"""
    CANONICAL = """<http://e/a> <http://e/b> "true"^^<{0}boolean> .
<http://e/a> <http://e/d> "2026-01-01T00:00:00Z"^^<{0}dateTime> .
<http://e/a> <http://e/k> "1"^^<{0}integer> .
<http://e/a> <http://e/n> "1.0E0"^^<{0}double> .
""".format("http://www.w3.org/2001/XMLSchema#")

    def setUp(self):
        super().setUp()
        self.write("shop/app.lua", self.APP)

    def values(self):
        lines = self.trails("export")[1].splitlines(True)
        return "".join(sorted(line for line in lines if "rdf-syntax" not in line))

    def call(self, name, **args):
        return self.trails("call", name, "--json", json.dumps(args))

    def make_old(self, text):
        """A store in which nothing was declared when `text` came."""
        self.write("shop/app.lua", "")
        self.assertEqual(self.load(text)[0], 0)
        self.write("shop/app.lua", self.APP)

    def test_an_import_writes_the_canonical_form_and_says_how_many(self):
        self.assertEqual(self.load(self.ODD), (
            0, "5 statements read, 5 new, 1 nodes changed\n"
            "4 values written in their canonical form\n", ""))
        self.assertEqual(self.values(), self.CANONICAL)
        self.assertEqual(self.load(self.ODD)[1].splitlines()[0],
                         "5 statements read, 0 new, 0 nodes changed")
        self.assertEqual(self.load(self.trails("export")[1], "out.nq"), (
            0, "5 statements read, 0 new, 0 nodes changed\n", ""))

    def test_as_written_refuses_them_and_names_the_first(self):
        path = self.write("in.ttl", self.ODD)
        code, out, err = self.trails("import", "--as-written", path)
        self.assertEqual((code, out), (1, ""))
        xsd = "http://www.w3.org/2001/XMLSchema#"
        self.assertEqual(err.splitlines(), [
            f'{path}:4: "01"^^<{xsd}integer> of <http://e/k> would be written '
            'as "1"',
            f'{path}:4: "1e0"^^<{xsd}double> of <http://e/n> would be written '
            'as "1.0E0"',
            f'{path}:5: "1"^^<{xsd}boolean> of <http://e/b> would be written '
            'as "true"',
            f'{path}:6: "2026-01-01T00:00:00.000Z"^^<{xsd}dateTime> of '
            '<http://e/d> would be written as "2026-01-01T00:00:00Z"',
            "trails: 4 value(s) are not spelt as they would be written",
            "Nothing was imported; without --as-written the canonical form "
            "is."])
        self.assertEqual(self.stats()["quads"], 0)
        code, out, err = self.trails("import", "--as-written", self.write(
            "out.nt", self.CANONICAL))
        self.assertEqual((code, err), (0, ""))

    def test_only_the_first_ten_are_named(self):
        lines = "".join(f'<http://e/{i}> <http://e/n> "{i}"^^'
                        '<http://www.w3.org/2001/XMLSchema#double> .\n'
                        for i in range(30))
        code, _, err = self.trails("import", "--as-written",
                                   self.write("in.nt", lines))
        self.assertEqual((code, len(err.splitlines())), (1, 12))
        self.assertIn("in.nt:10: ", err)
        self.assertIn("trails: 30 value(s)", err)

    def test_a_store_of_before_is_put_right_when_it_is_opened(self):
        self.make_old(self.ODD)
        code, out, err = self.call("find_u", k=1)
        self.assertEqual((code, len(json.loads(out)["items"])), (0, 1))
        said = json.loads(err)
        self.assertEqual(said["values"], 4)
        self.assertEqual(said["msg"], "values of the store were put into "
                         "their canonical form")
        self.assertEqual(self.values(), self.CANONICAL)
        self.assertEqual(self.call("find_u", k=1), (0, out, ""))

    def test_values_that_turn_out_to_be_equal_do_not_stop_it(self):
        self.make_old(self.ODD + "e:b a e:U ; e:k 1 .\n")
        code, out, err = self.call("find_u", k=1)
        self.assertEqual((code, len(json.loads(out)["items"])), (0, 2))
        self.assertIn("<http://e/a> and <http://e/b> have the same 'k'", err)
        self.assertEqual(self.trails("validate")[0], 1)
        code, _, err = self.call("create_u", k=1)
        self.assertEqual((code, "k must be unique" in err), (1, True))
        # Nobody who changes something else is to blame (0023).
        self.assertEqual(self.call("update_u", id="http://e/b", n=5)[0], 0)
        self.assertEqual(self.call("update_u", id="http://e/b", k=1)[0], 0)
        self.assertEqual(self.call("update_u", id="http://e/b", k=2)[0], 0)
        code, _, err = self.call("update_u", id="http://e/b", k=1)
        self.assertEqual((code, "k must be unique" in err), (1, True))

    def test_a_backup_of_before_is_put_right_when_it_is_restored(self):
        self.make_old(self.ODD)
        backup = self.path("old.db")
        self.assertEqual(self.trails("backup", backup)[0], 0)
        self.call("find_u", k=1)
        code, _, err = self.trails("restore", backup)
        self.assertEqual((code, json.loads(err)["values"]), (0, 4))
        self.assertEqual(self.values(), self.CANONICAL)

    def test_a_store_without_the_table_gets_it(self):
        self.make_old(self.ODD)
        self.take_back(self.version_before("spelt"))
        self.assertEqual(self.call("find_u", k=1)[0], 0)
        self.assertEqual(self.values(), self.CANONICAL)

    def test_handlers_add_remove_and_match_values(self):
        self.load(self.ODD)
        for text, found in [("1", 1), ("+1", 1), ("001", 1), ("2", 0)]:
            self.assertEqual(self.call("match", text=text),
                             (0, f"{found}\n", ""))
        self.assertEqual(self.call("add", text="0001"), (0, "1\n", ""))
        self.assertEqual(self.call("remove", text="+01")[0], 1)  # k is needed
        self.assertEqual(self.values(), self.CANONICAL)


class Export(Store):
    def setUp(self):
        super().setUp()
        self.load(BROOM)

    def test_each_format(self):
        for name, words in [("nq", '"Broom" .'), ("nt", '"Broom" .'),
                            ("ttl", '"Broom"'), ("trig", '"Broom"'),
                            ("jsonld", '"@value":"Broom"')]:
            with self.subTest(name):
                code, out, err = self.trails("export", "--format", name)
                self.assertEqual((code, err), (0, ""))
                self.assertIn(words, out)

    def test_a_file_is_whole_or_not_there(self):
        path = self.path("out.nq")
        self.assertEqual(self.trails("export", "-o", path), (0, "", ""))
        with open(path) as file:
            self.assertEqual(file.read(), self.trails("export")[1])
        code, _, err = self.trails("export", "-o", self.path("no/out.nq"))
        self.assertEqual(code, 1)
        self.assertIn("no/out.nq: cannot write it: No such file", err)
        self.load(PREFIXES + "e:g { e:x e:y e:z }", "g.trig")
        code, _, err = self.trails("export", "--format", "ttl", "-o",
                                   self.path("out.ttl"))
        self.assertEqual(code, 1)
        self.assertIn("named graphs", err)
        self.assertFalse(os.path.exists(self.path("out.ttl")))
        self.assertEqual([name for name in os.listdir(self.folder)
                          if name.endswith(".tmp")], [])

    def test_wrong_use_is_named(self):
        self.assertEqual(
            self.trails("export", "--format", "xml"),
            (2, "", "trails: unknown format 'xml': nq, trig, ttl, nt or "
             "jsonld\n"))
        self.assertEqual(
            self.trails("export", "--format", "ttl", "--prov"),
            (2, "", "trails: --prov needs a format with named graphs: nq, "
             "trig or jsonld\n"))
        self.assertEqual(
            self.trails("export", "--graph", "http://e/none"),
            (1, "", "trails: the store has no graph <http://e/none>\n"))

    def test_no_store_is_made_to_be_read(self):
        os.mkdir(self.path("other"))
        self.write("other/app.lua", APP)
        for command in ["export", "stats", "compact"]:
            code, out, err = self.run_trails(command, "--app",
                                             self.path("other"))
            self.assertEqual((code, out), (1, ""))
            self.assertIn("there is no store in", err)
        self.assertEqual(os.listdir(self.path("other")), ["app.lua"])


class Validate(Store):
    def test_the_store_against_what_the_app_declares(self):
        self.load(BROOM)
        self.assertEqual(self.trails("validate"),
                         (0, "The data conforms.\n", ""))
        self.write("shop/app.lua", APP.replace("min_length = 2",
                                               "min_length = 20"))
        code, out, err = self.trails("validate")
        self.assertEqual((code, err), (1, ""))
        self.assertIn("e:a", out)
        self.assertIn("at least 20", out)

    def test_values_that_are_not_unique_any_more(self):
        self.write("shop/app.lua", APP.replace(", unique = true", ""))
        self.load(BROOM)
        self.load(PAN.replace('"2"', '"1"'))
        self.assertEqual(self.trails("validate")[0], 0)
        self.write("shop/app.lua", APP)
        self.assertEqual(
            self.trails("validate"),
            (1, "The data conforms.\n", "trails: <http://e/a> and <http://e/b>"
             " have the same 'code'\n"))

    def test_the_store_against_other_shapes(self):
        self.load(BROOM)
        shapes = self.write("shapes.ttl", PREFIXES + """
            @prefix sh: <http://www.w3.org/ns/shacl#> .
            e:S a sh:NodeShape ; sh:targetClass t:Thing ;
                sh:property [ sh:path e:price ; sh:minCount 1 ] .""")
        code, out, _ = self.trails("validate", "--shapes", shapes,
                                   "--format", "json")
        self.assertEqual(code, 1)
        self.assertEqual(json.loads(out)["count"], 1)

    def test_that_it_cannot_be_said(self):
        code, out, err = self.trails("validate")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("there is no store in", err)
        self.load(BROOM)
        self.write("shop/app.lua", "node_type {")
        self.assertEqual(self.trails("validate")[0], 2)


class Search(Store):
    """A store in which one word is more common than a search goes."""

    def setUp(self):
        super().setUp()
        self.write("shop/app.lua", APP + """
            capability "look" {
              description = "Searches.", input = { text = text },
              side_effects = {},
              run = function(ctx, args)
                local found, more, undone = ctx.kg:search(args.text)
                return { found = #found, more = more, undone = undone }
              end,
            }""")
        rows = (f'e:n{i} a t:Thing ; thing:title "Common {i % 1000} word" .\n'
                for i in range(10001))
        self.assertEqual(self.load(PREFIXES + "".join(rows))[0], 0)

    def look(self, text):
        code, out, err = self.trails("call", "look", "--json",
                                     json.dumps({"text": text}))
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def test_what_was_not_looked_at_is_told(self):
        self.assertEqual(self.look("word common 7"), {
            "found": 100, "more": True})  # 7, 70, 71...: 111 numbers
        self.assertEqual(self.look("7 word common"), {
            "found": 10, "more": False})
        self.assertEqual(self.look("common word"), {
            "found": 100, "more": True,
            "undone": "not all nodes with its rarest word were looked at, "
                      "10000 at most: add a rarer word"})


class Files(Store):
    def test_a_backup_brings_back_what_there_was(self):
        backup = self.path("backup.db")
        self.load(BROOM)
        before = self.trails("export")[1]
        self.assertEqual(self.trails("backup", backup),
                         (0, f"The store is in {backup} now.\n", ""))
        self.assertEqual(stat.S_IMODE(os.stat(backup).st_mode), 0o600)
        self.load(PAN)
        self.assertEqual(self.trails("restore", backup),
                         (0, f"The store has what {backup} has.\n", ""))
        self.assertEqual(self.trails("export")[1], before)
        self.assertEqual(
            self.trails("backup", backup),
            (1, "", f"trails: {backup} exists already\n"))

    def test_a_backup_can_start_another_app(self):
        backup = self.path("backup.db")
        self.load(BROOM)
        self.trails("backup", backup)
        os.mkdir(self.path("other"))
        self.write("other/app.lua", APP)
        other = ["--app", self.path("other")]
        self.assertEqual(self.run_trails("restore", backup, *other)[0], 0)
        self.assertEqual(self.run_trails("export", *other)[1],
                         self.trails("export")[1])

    def test_what_is_no_backup_is_refused(self):
        self.load(BROOM)
        text = self.write("text.db", "no store at all, however long it is")
        for path, words in [("/nowhere.db", "No such file or directory"),
                            (text, "not a store"),
                            (self.folder, "")]:
            with self.subTest(path):
                code, out, err = self.trails("restore", path)
                self.assertEqual((code, out), (1, ""))
                self.assertIn(words, err)
        self.assertEqual(self.stats()["quads"], 3)

    def test_a_store_of_a_newer_version_is_left_alone(self):
        self.load(BROOM)
        backup = self.path("backup.db")
        self.trails("backup", backup)
        for path in [backup, os.path.join(self.app, "data", "graph.db")]:
            with sqlite3.connect(path) as db:
                db.execute("PRAGMA user_version = 999")
            db.close()
        for words in [["export"], ["import", self.write("b.ttl", PAN)],
                      ["restore", backup], ["compact"], ["stats"]]:
            with self.subTest(words):
                code, out, err = self.trails(*words)
                self.assertEqual((code, out), (1, ""))
                self.assertIn("the store was made by a newer trails", err)

    def test_compact_says_what_it_removed(self):
        self.load(BROOM)
        self.trails("compact")
        self.assertEqual(self.trails("compact")[:2],
                         (0, "0 of 7 terms were not used any more.\n"))
        self.assertEqual(self.stats()["quads"], 3)

    def test_a_store_that_cannot_be_made(self):
        self.write("shop/trails.toml", '[store]\npath = "/dev/null/data"\n')
        code, out, err = self.load(BROOM)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("/dev/null/data: Not a directory", err)

    def test_stats_for_people(self):
        self.load(BROOM)
        code, out, err = self.trails("stats")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("           3 quads\n", out)
        self.assertIn("           1 trails://shop/Thing\n", out)
        self.assertIn("           3 (default graph)\n", out)


class Older(Store):
    """Stores of every earlier version of the schema, by the table of its steps; all
    kinds of values and accidents: src/graph/upgrade_random_test.c."""
    APP = """
node_type "Thing" { tools = { "create", "find" }, indexes = { { "team", "-due" } },
  fields = { { "title", text { search = true, unique = true } },
    { "team", text { optional = true } }, { "due", datetime { optional = true } },
    { "size", integer { index = false, optional = true } },
    { "place", object "Place" { fields = { city = text }, optional = true } },
    { "steps", text { list = true, optional = true } } } }
"""
    READS = [["export"], ["export", "--format", "trig", "--prov"], ["validate"],
             ["prov", "list", "--json"], ["stats"], ["token", "list", "--json"],
             ["call", "find_thing", "--json", '{"team": "a", "order": "due"}']]

    def setUp(self):
        super().setUp()
        self.write("shop/app.lua", self.APP)

    def fill(self):
        for number in range(6):
            self.assertEqual(self.trails("call", "create_thing", "--json", json.dumps({
                "title": f"Thing {number}", "team": "ab"[number % 2], "size": number,
                "due": f"2026-01-0{number + 1}T00:00:00Z", "place": {"city": "Ulm"},
                "steps": ["x", "y", "x"]}))[0], 0)
        self.assertEqual(self.load(
            "@prefix e: <http://e/> . e:loose e:p 01, 'a'@en, [ e:q 1 ] ."
            f"e:g {{ e:loose e:p '{'long ' * 20000}' }}", "in.trig")[0], 0)
        self.assertEqual(self.trails("token", "create", "--scope", "runtime")[0], 0)

    def read(self, words):
        code, out, err = self.trails(*words)
        self.assertEqual((code, err), (0, ""), words)
        # How large the file is, and how many terms it has, depends on its past.
        return [line for line in out.splitlines()
                if not re.search(" (bytes|terms)$", line)]

    def test_each_version_says_what_it_said(self):
        self.fill()
        store = os.path.join(self.app, "data", "graph.db")
        shutil.copy(store, self.path("today.db"))
        said = [self.read(words) for words in self.READS]
        for version in range(1, int(subprocess.check_output([OLD_STORE]))):
            with self.subTest(version):
                shutil.copy(self.path("today.db"), store)
                self.take_back(version)
                shutil.copy(store, self.path("older.db"))
                self.assertEqual(self.read(["export"]), said[0])
                # The app declares indexes, which are built now.
                self.assertEqual(self.trails("validate")[0], 0)
                for words, wanted in zip(self.READS, said):
                    if words[0] == "token" and version <= self.version_before("token"):
                        wanted = ["[]"]
                    self.assertEqual(self.read(words), wanted, words)
                code, out, err = self.run_trails("check", self.app)
                self.assertEqual((code, err), (0, ""), out)
                # So does a backup of that version.
                shutil.copy(self.path("today.db"), store)
                self.assertEqual(self.trails("restore", self.path("older.db"))[0], 0)
                self.assertEqual(self.read(["export"]), said[0])


class Named(Store):
    """Whose a store is, and what happens to those who call themselves
    otherwise (decision 0029)."""
    APP = """
node_type "Thing" { description = "A thing.", tools = { "create", "find" },
  fields = { title = text { unique = true } } }
"""

    def setUp(self):
        super().setUp()
        self.write("shop/app.lua", self.APP)

    def call(self, name, **args):
        return self.trails("call", name, "--json", json.dumps(args))

    def create(self, title):
        code, out, err = self.call("create_thing", title=title)
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)["id"]

    def found(self):
        code, out, err = self.call("find_thing")
        self.assertEqual((code, err), (0, ""))
        return [item["id"] for item in json.loads(out)["items"]]

    def move(self, name):
        os.rename(self.app, self.path(name))
        self.app = self.path(name)

    def set_name(self, name):
        self.write(os.path.join(self.app, "trails.toml"),
                   f'[project]\nname = "{name}"\n')

    def change(self, *statements):
        path = os.path.join(self.app, "data", "graph.db")
        with sqlite3.connect(path) as db:
            for statement in statements:
                db.execute(statement)
        db.close()

    def forget(self):
        """The store as it was before it knew whose it is."""
        self.take_back(self.version_before("project"))


class Owner(Named):
    def check_moves(self, prepare=lambda: None):
        first = self.create("one")
        prepare()
        for place in ("My App!", "token"):
            self.move(place)
            with self.subTest(place):
                self.assertEqual(self.found()[0], first)
                code, _, err = self.call("create_thing", title="one")
                self.assertEqual((code, "title must be unique" in err),
                                 (1, True))
                made = self.create("in " + place)
                self.assertEqual(made.rsplit("/", 2)[0],
                                 first.rsplit("/", 2)[0])
                self.assertEqual(len(self.stats()["types"]), 1)
                self.assertEqual(self.trails("validate")[0], 0)
                self.assertEqual(self.run_trails("check", self.app)[0], 0)
        self.assertEqual(len(self.found()), 3)

    def test_a_new_app_can_be_moved(self):
        shutil.rmtree(self.app)
        self.assertEqual(self.run_trails("new", self.app)[0], 0)
        with open(os.path.join(self.app, "trails.toml")) as file:
            self.assertIn('[project]\nname = "shop" ', file.read())
        self.write("shop/app.lua", self.APP)
        self.check_moves()
        self.assertTrue(self.found()[0].startswith("trails://shop/Thing/"))

    def test_an_app_that_does_not_say_its_name_can_be_moved(self):
        self.check_moves()

    def test_a_store_of_an_older_version_can_be_moved(self):
        self.check_moves(self.forget)

    def test_a_new_app_is_called_after_its_folder(self):
        for folder, name in [("My App!", "my-app"), ("a_b", "a-b"),
                             ("x/", "x"), ("Ünï", "n"), ("__", "local"),
                             ("7", "7"), ("l" * 80, "l" * 63)]:
            with self.subTest(folder):
                path = self.path(folder)
                self.assertEqual(self.run_trails("new", path)[0], 0)
                code, out, _ = self.run_trails(
                    "config", "check", os.path.join(path, "trails.toml"))
                self.assertEqual(code, 0)
                self.assertRegex(out, f'name = "{name}" +# file')
        os.mkdir(self.path("here"))
        self.assertEqual(self.run_trails("new", ".", cwd=self.path("here"))[0],
                         0)
        with open(self.path("here/trails.toml")) as file:
            self.assertIn('name = "here"', file.read())

    def test_another_name_is_refused_by_all_who_use_it(self):
        self.create("one")
        self.set_name("depot")
        words = ("the store is of project 'shop', and this app is called "
                 "'depot': 'trails store rename depot' renames the store")
        for command, code in [(["call", "find_thing"], 1), (["validate"], 2),
                              (["import", self.write("a.ttl", BROOM)], 1)]:
            with self.subTest(command):
                self.assertEqual(self.trails(*command),
                                 (code, "", f"trails: {words}\n"))
        for options in (["--stdio"], ["--http", "127.0.0.1:0"]):
            code, out, err = self.run_trails("serve", self.app, *options)
            self.assertEqual((code, out), (1, ""))
            self.assertIn(words, err)
        code, out, err = self.run_trails("check", self.app)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(f"warning: {words}\n", out)
        out = json.loads(self.run_trails("check", "--json", self.app)[1])
        self.assertIn({"id": "store.name", "message": words}, out["warnings"])
        for command in (["stats"], ["backup", self.path("b.db")], ["compact"],
                        ["prov", "list"], ["token", "list"]):
            self.assertEqual(self.trails(*command)[0], 0, command)
        self.assertEqual(self.stats()["nodes"], 1)
        self.set_name("shop")
        self.assertEqual(len(self.found()), 1)
        self.assertNotIn("is of project", self.run_trails("check", self.app)[1])

    def test_an_export_has_the_names_of_the_store(self):
        self.load("@prefix e: <http://e/> . e:a e:p [ e:q 1 ] .")
        before = self.trails("export")
        self.assertIn("_:", before[1])
        self.set_name("depot")
        self.assertEqual(self.trails("export"), before)

    def test_a_store_that_nobody_has_named(self):
        """C68: an empty one takes the name, another has what its IRIs say."""
        self.load("<http://e/a> <http://e/p> <trails://other/x> .")
        self.forget()
        self.set_name("depot")
        self.assertEqual(self.found(), [])
        self.assertRegex(self.create("one"), "^trails://depot/")
        self.forget()
        self.set_name("shop")
        code, _, err = self.call("find_thing")
        self.assertEqual(code, 1)
        self.assertIn("of project 'depot', and this app is called 'shop'", err)
        self.set_name("depot")
        self.assertEqual(len(self.found()), 1)

    def test_a_store_with_two_names_is_refused_until_one_is_chosen(self):
        """What a moved folder has left behind in older versions."""
        first = self.create("one")
        self.change("DELETE FROM project")
        self.change("INSERT INTO project VALUES (1, 'depot')")
        self.set_name("depot")
        second = self.create("two")
        self.forget()
        for name in ("shop", "depot", "third"):
            self.set_name(name)
            code, _, err = self.call("find_thing")
            self.assertEqual(code, 1)
            self.assertIn("the store has nodes of 'depot' and of 'shop': "
                          f"'trails store rename {name} --from NAME'", err)
        self.set_name("depot")
        code, _, err = self.trails("store", "rename", "depot")
        self.assertEqual(code, 1)
        self.assertIn("the store has IRIs of 'depot' and of 'shop'", err)
        self.assertEqual(
            self.trails("store", "rename", "depot", "--from", "shop"),
            (0, "3 IRIs of 'shop' are of 'depot' now.\n"
             "2 of them were there already under that name: 'trails validate' "
             "says whether the data conforms.\n", ""))
        self.assertEqual(self.found(),
                         [first.replace("shop", "depot"), second])
        self.assertEqual(self.trails("validate")[0], 0)
        code, _, err = self.call("create_thing", title="one")
        self.assertEqual((code, "title must be unique" in err), (1, True))

    def test_the_other_name_may_stay(self):
        self.create("one")
        self.load("<trails://depot/x> a <trails://depot/T> .")
        self.forget()
        self.assertEqual(self.call("find_thing")[0], 1)
        self.assertEqual(
            self.trails("store", "rename", "shop", "--from", "shop"),
            (0, "The store is of project 'shop'; nothing had to be renamed.\n",
             ""))
        self.assertEqual(len(self.found()), 1)
        self.assertIn("trails://depot/x", self.trails("export")[1])

    def test_what_is_in_effect_is_shown(self):
        def shown(*words):
            code, out, err = self.run_trails("config", *words, cwd=self.app)
            self.assertEqual((code, err), (0, ""))
            return out

        for prepare, name, origin in [
                (lambda: None, "shop", "folder"),
                (lambda: self.create("one"), "shop", "store"),
                (lambda: self.move("moved"), "shop", "store"),
                (lambda: self.set_name("depot"), "depot", "file")]:
            prepare()
            with self.subTest(name=name, origin=origin):
                self.assertIn(f'project.name = "{name}"  # {origin}\n',
                              shown("list"))
                listed = json.loads(shown("list", "--json"))[0]
                self.assertEqual((listed["value"], listed["origin"]),
                                 (name, origin))
                toml = os.path.join(self.app, "trails.toml")
                if not os.path.exists(toml):
                    self.write(toml, "")
                for file in ("trails.toml", toml):
                    self.assertRegex(shown("check", file),
                                     f'name = "{name}" +# {origin}\n')

    def test_a_backup_of_another_project(self):
        self.create("one")
        self.trails("backup", self.path("b.db"))
        os.mkdir(self.path("other"))
        self.write("other/app.lua", self.APP)
        self.app = self.path("other")
        self.assertEqual(self.trails("restore", self.path("b.db"))[0::2],
                         (0, ""))
        self.assertEqual(len(self.found()), 1)
        self.set_name("other")
        code, _, err = self.trails("restore", self.path("b.db"))
        self.assertEqual(code, 0)
        self.assertIn("warning: the store is of project 'shop', and this app "
                      "is called 'other'", err)
        self.assertEqual(self.call("find_thing")[0], 1)
        self.assertEqual(self.trails("store", "rename", "other")[0], 0)
        self.assertRegex(self.found()[0], "^trails://other/")

    def test_the_memory_of_a_compacted_store(self):
        self.create("one")
        self.trails("compact")
        self.move("moved")
        self.assertRegex(self.create("two"), "^trails://shop/")


class Taken(Named):
    """C60: names that every server needs for itself."""
    NAMES = ("kg schema stats doctor prov meta shape shapes mcp sse messages "
             "health ready metrics invoke capabilities v1 console assets "
             "authorize token register revoke introspect device login "
             "logout").split()
    WHY = ("must not be a name that every server has for a path or a resource "
           "of its own")

    def test_they_are_refused_where_they_stand(self):
        for name in self.NAMES:
            with self.subTest(name):
                self.set_name(name)
                code, out, err = self.run_trails(
                    "config", "check", self.path("shop/trails.toml"))
                self.assertEqual((code, out), (1, ""))
                self.assertTrue(err.endswith(
                    f"trails.toml:2:9: project.name {self.WHY}\n"), err)
                path = self.path(name.upper())
                self.assertEqual(
                    self.run_trails("new", path),
                    (2, "", f"trails: the name '{name}' of a project "
                     f"{self.WHY}\n"))
                self.assertFalse(os.path.exists(path))

    def test_a_folder_that_is_called_so(self):
        self.move("token")
        code, _, err = self.run_trails("check", self.app)
        self.assertEqual((code, err), (1, "trails: the name 'token' of the "
                                       f"folder {self.WHY}: set name in "
                                       "[project]\n"))
        self.set_name("tokens")
        self.assertEqual(self.run_trails("check", self.app)[0], 0)

    def test_a_store_that_is_called_so_can_be_renamed(self):
        self.create("one")
        self.trails("store", "rename", "consol")
        self.change("UPDATE term SET key = CAST(replace(CAST(key AS TEXT), "
                    "'consol/', 'console/') AS BLOB)",
                    "UPDATE project SET name = 'console'")
        code, _, err = self.call("find_thing")
        self.assertEqual(code, 1)
        self.assertIn("the name 'console' of the store must not be", err)
        self.assertIn("'trails store rename' changes it", err)
        self.assertEqual(self.trails("store", "rename", "shop")[0], 0)
        self.assertEqual(len(self.found()), 1)

    def test_bad_names_of_a_rename(self):
        self.create("one")
        for name, words in [("Shop", "may only have lower-case"),
                            ("", "must have 1 to 63"), ("a" * 64, "1 to 63"),
                            ("a/b", "may only have"), ("token", self.WHY)]:
            code, out, err = self.trails("store", "rename", name)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(words, err)
        for name in ("", "a/b", "x" * 64):
            self.assertEqual(
                self.trails("store", "rename", "b", "--from", name)[0], 2)
        self.assertEqual(len(self.found()), 1)


class Renaming(Named):
    @staticmethod
    def renamed(text, to):
        """The oracle: the same statements with the prefix replaced, in IRIs
        alone."""
        parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
        parts[0::2] = [part.replace("<trails://shop/", f"<trails://{to}/")
                       for part in parts[0::2]]
        return "".join(parts)

    def quads(self):
        code, out, err = self.trails("export")
        self.assertEqual((code, err), (0, ""))
        return sorted(out.splitlines())

    def check_store(self):
        path = os.path.join(self.app, "data", "graph.db")
        with sqlite3.connect(path) as db:
            self.assertEqual(db.execute("PRAGMA integrity_check").fetchall(),
                             [("ok",)])
            db.execute("INSERT INTO search (search) VALUES "
                       "('integrity-check')")
        db.close()
        self.assertEqual(self.trails("validate"),
                         (0, "The data conforms.\n", ""))


class Rename(Renaming):
    ODD = """
<trails://shop/Thing/\u00e9\u6f22\U0001F6B2> a <trails://shop/Thing> ;
  <trails://shop/Thing#title> "an \u00e9" .
<http://e/x> <http://e/p> "see <trails://shop/x>" ,
  "1"^^<trails://shop/unit> , "trails://shop/x"@en , <trails://shop/%C3%A9?a=/#/> .
<trails://shop/g> { <trails://shop/> <trails://shop/p> <trails://shop/g> ,
  <trails://shop> , <trails://shop-2/x> , <http://e/trails://shop/> , [] . }
"""

    def test_it_is_what_an_import_of_the_renamed_export_makes(self):
        self.create("one")
        self.assertEqual(self.load(self.ODD, "odd.trig")[0], 0)
        old = self.trails("export")[1]
        for name in ("d", "a-much-longer-name-than-before", "shop-2"):
            with self.subTest(name):
                self.assertEqual(self.trails("store", "rename", name)[0], 0)
                self.check_store()
                ours = self.quads()
                here, self.app = self.app, self.path("oracle-" + name)
                os.mkdir(self.app)
                self.write(os.path.join(self.app, "app.lua"), self.APP)
                self.set_name(name)
                self.assertEqual(
                    self.load(self.renamed(old, name), "new.nq")[0], 0)
                blank = re.compile(r"_:\S+")
                self.assertEqual([blank.sub("_:b", line) for line in ours],
                                 [blank.sub("_:b", line)
                                  for line in self.quads()])
                theirs = self.stats()["types"]
                self.app = here
                self.assertEqual(self.stats()["types"], theirs)
                self.assertEqual(len(self.found()), 2)
                if name != "shop-2":
                    self.trails("store", "rename", "shop")

    def test_it_is_an_activity_with_both_names_and_changes_no_other(self):
        self.create("one")
        def activities():
            return json.loads(self.trails("prov", "list", "--json")[1])
        before = activities()
        self.trails("store", "rename", "depot")
        first, *rest = activities()
        self.assertEqual((first["kind"], first["name"], first["asked"],
                          first["outcome"], first["wrote"]),
                         ("command", "store rename", "shop -> depot", "ok",
                          True))
        self.assertTrue(first["principal"].startswith("local:"))
        # Nodes are in it by their ids, and have the names they have now.
        self.assertEqual(json.loads(json.dumps(before).replace(
            "trails://shop/", "trails://depot/")), rest)

    def test_what_would_be_done(self):
        self.create("one")
        before = self.trails("export")
        self.assertEqual(
            self.trails("store", "rename", "depot", "--dry-run"),
            (0, "3 IRIs of 'shop' would be of 'depot'.\n", ""))
        self.assertEqual(self.trails("export"), before)
        self.assertEqual(len(self.found()), 1)

    def test_trails_toml_is_named_when_it_says_otherwise(self):
        self.set_name("shop")
        self.create("one")
        self.assertEqual(
            self.trails("store", "rename", "depot"),
            (0, "3 IRIs of 'shop' are of 'depot' now.\ntrails.toml says "
             "'shop': set name = \"depot\" there.\n", ""))
        self.set_name("depot")
        self.assertEqual(
            self.trails("store", "rename", "depot"),
            (0, "The store is of project 'depot'; nothing had to be renamed.\n",
             ""))

    def test_there_must_be_a_store(self):
        code, out, err = self.trails("store", "rename", "depot")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("there is no store in", err)

    def test_killed_half_way_it_has_the_old_names_or_the_new(self):
        rows = "".join(f'<trails://shop/Thing/{i}> a <trails://shop/Thing> ; '
                       f'<trails://shop/Thing#title> "Title {i}" .\n'
                       for i in range(3000))
        self.assertEqual(self.load(rows)[0], 0)
        old = self.trails("export")[1]
        new = self.renamed(old, "depot")
        begun = time.monotonic()
        self.assertEqual(self.trails("store", "rename", "depot")[0], 0)
        took = time.monotonic() - begun
        self.assertEqual(sorted(self.trails("export")[1].splitlines()),
                         sorted(new.splitlines()))
        texts = {"shop": sorted(old.splitlines()),
                 "depot": sorted(new.splitlines())}
        name = "depot"
        rounds = 12
        for i in range(rounds):
            other = "shop" if name == "depot" else "depot"
            process = subprocess.Popen(
                [TRAILS, "store", "rename", other, "--app", self.app],
                stdout=subprocess.DEVNULL)
            try:
                code = process.wait(took * i / (rounds - 1))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                code = process.wait()
            self.assertIn(code, (0, -signal.SIGKILL))
            found = sorted(self.trails("export")[1].splitlines())
            self.assertIn(found, list(texts.values()))
            if found == texts[other]:
                name = other
            self.assertEqual(found, texts[name])
            self.set_name(name)
            self.assertEqual(self.call("find_thing", title="Title 7")[0], 0)
        self.check_store()


class RenameParts(Renaming):
    """A store with objects, lists, indexes by value and fields without an index."""
    APP = """
local address = { { "street", text }, { "at", object "Point" { optional = true,
    fields = { lat = number } } }, { "keeper", ref "Thing" { optional = true } },
  { "notes", text { list = true, optional = true } } }
node_type "Thing" { ids = "preserve", label = "title",
  tools = { "create", "update", "delete", "find" }, indexes = { { "team", "-size" } },
  fields = { { "title", text { unique = true, search = true } },
    { "team", text { optional = true, index = true } },
    { "size", integer { optional = true, index = false } },
    { "mail", text { optional = true, index = false } },
    { "friend", ref "Thing" { optional = true, index = true } },
    { "home", object "Address" { optional = true, fields = address } },
    { "depots", object "Address" { many = true, optional = true, fields = address } },
    { "route", text { list = true, optional = true } },
    { "friends", ref "Thing" { list = true, optional = true } } } }
"""
    TOTAL = 5

    def fill(self):
        self.assertEqual(self.load("")[0], 0)  # builds the indexes, and says so
        for number in range(self.TOTAL):
            near = f"trails://shop/Thing/{max(number - 1, 0)}"
            place = {"street": f"S {number}", "at": {"lat": number}, "notes": ["b", "a", "b"]}
            if number:
                place["keeper"] = near
            code, _, err = self.call(
                "create_thing", id=f"trails://shop/Thing/{number}", title=f"T {number}",
                team="ab"[number % 2], size=number, mail=f"{number}@x", home=place,
                depots=[place, {"street": "x"}], route=["q", "p", "q"],
                **({"friend": near, "friends": [near, near]} if number else {}))
            self.assertEqual((code, err), (0, ""))

    def answers(self):
        said = []
        for args in ({}, {"order": "-team"}, {"filter": {"size": {"min": 2}}},
                     {"team": "a", "order": "size"}, {"mail": "3@x"},
                     {"filter": {"friend.mail": "1@x"}}, {"order": "friend"}):
            code, out, err = self.call("find_thing", **args)
            self.assertEqual(code, 0, err)
            said.append(out)
        return said

    def table(self, sql):
        db = sqlite3.connect(os.path.join(self.app, "data", "graph.db"))
        try:
            return db.execute(sql).fetchall()
        finally:
            db.close()

    def check_sound(self):
        code, out, err = self.run_trails("check", "--store", self.app)
        self.assertEqual((code, err), (0, ""), out)
        self.assertIn("indexes and counts say what the nodes say\n", out)

    def test_parts_indexes_and_fields_without_one_stay_what_they_are(self):
        self.fill()
        before, answers = self.quads(), self.answers()
        rows = ("SELECT * FROM value_row", "SELECT * FROM value_part", "SELECT * FROM bare",
                "SELECT * FROM node", "SELECT * FROM spo")
        tables = [self.table(sql) for sql in rows]
        self.assertEqual(len(tables[2]), 2)
        for name in ("depot", "d"):
            with self.subTest(name):
                self.assertEqual(self.trails("store", "rename", name)[0], 0)
                self.set_name(name)
                # Nothing has to be built anew.
                self.assertEqual([self.table(sql) for sql in rows], tables)
                self.check_sound()
                self.check_store()
                self.assertEqual(self.quads(), sorted(
                    self.renamed("\n".join(before), name).splitlines()))
                self.assertEqual(self.answers(), [
                    text.replace("trails://shop/", f"trails://{name}/") for text in answers])

    def test_a_list_that_is_given_again_gets_its_cells_once(self):
        """They are named after a hash of their owner's IRI, which is another now."""
        self.fill()
        self.trails("store", "rename", "depot")
        self.set_name("depot")
        given = {"id": "trails://depot/Thing/1", "route": ["q", "p", "q"]}
        versions, counts = [], []
        for _ in range(3):
            code, out, err = self.call("update_thing", **given)
            self.assertEqual((code, err), (0, ""))
            versions.append(json.loads(out)["_version"])
            counts.append(len(self.quads()))
        self.assertEqual(versions, [2, 2, 2])
        self.assertEqual(len(set(counts)), 1)

    def test_parts_go_with_their_owners_afterwards(self):
        self.fill()
        self.trails("store", "rename", "depot")
        self.set_name("depot")
        count = len(self.quads())
        thing = {"id": "trails://depot/Thing/1", "route": ["q", "p", "q"],
                 "home": {"street": "new", "notes": ["b", "a", "b"]}}
        code, out, err = self.call("update_thing", **thing)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out)["route"], thing["route"])
        # Without `at` (a link and a number) and `keeper`.
        self.assertEqual(len(self.quads()), count - 3)
        self.check_sound()
        for number in reversed(range(self.TOTAL)):
            code, _, err = self.call("delete_thing", id=f"trails://depot/Thing/{number}")
            self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.quads(), [])
        self.check_sound()

    def test_what_is_joined_has_its_indexes(self):
        """The store has statements with the new name: of the class and of predicates
        with an index, without one, and of parts."""
        self.fill()
        self.assertEqual(self.load("""
            @prefix t: <trails://depot/Thing#> .
            <http://e/x> a <trails://depot/Thing> ; t:title "X" ; t:size 3 ; t:mail "3@x" ;
              t:team "b" ; t:friend <trails://shop/Thing/1> ; t:route ( "z" ) .
            <http://e/y> <trails://shop/Thing#mail> "loose" ; t:mail "loose" .""")[0], 0)
        code, out, err = self.trails("store", "rename", "depot")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("of them were there already under that name", out)
        self.set_name("depot")
        found = {item["title"]: item for item in json.loads(self.answers()[0])["items"]}
        self.assertEqual(found["X"]["route"], ["z"])
        self.assertEqual(len(found), self.TOTAL + 1)
        code, out, _ = self.call("find_thing", mail="3@x")
        self.assertEqual(sorted(item["title"] for item in json.loads(out)["items"]),
                         ["T 3", "X"])
        code, out, _ = self.call("find_thing", order="team")
        self.assertEqual([item["team"] for item in json.loads(out)["items"]],
                         ["a"] * 3 + ["b"] * 3)
        self.assertEqual(len(self.table("SELECT * FROM bare")), 2)
        self.check_sound()
        self.check_store()


class ReadOnly(Store):
    """On a mount of its own, which is made read-only."""

    def setUp(self):
        super().setUp()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "none", self.app],
                                 stderr=subprocess.PIPE)
        if mounted.returncode:
            self.skipTest("mounts are not permitted here: "
                          + mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", self.app], check=True)
        self.write("shop/app.lua", APP)
        self.assertEqual(self.load(BROOM), (0, DONE, ""))

    def close(self):
        subprocess.run(["mount", "-o", "remount,ro", self.app], check=True)

    def read_all(self):
        """What each command that only reads says."""
        for words in (["export"], ["stats", "--json"], ["validate"],
                      ["prov", "list", "--json"]):
            code, out, err = self.trails(*words)
            self.assertEqual((code, err), (0, ""), words)
            yield out

    def check(self):
        open_said = list(self.read_all())
        self.close()
        self.assertEqual(list(self.read_all()), open_said)
        self.back_up()

    def back_up(self):
        copy = self.path("copy.db")
        self.assertEqual(self.trails("backup", copy)[0::2], (0, ""))
        with sqlite3.connect(copy) as db:
            self.assertEqual(db.execute("SELECT count(*) FROM node").fetchone(),
                             (1,))

    def test_a_store_that_nobody_has_open(self):
        self.assertFalse(os.path.exists(self.path("shop/data/graph.db-wal")))
        self.check()

    def test_a_store_whose_log_was_left_behind(self):
        """Its last write is in the log alone."""
        held = sqlite3.connect(self.path("shop/data/graph.db"))
        held.execute("SELECT count(*) FROM node").fetchall()
        self.assertEqual(self.trails("import", "-", "--format", "ttl",
                                     stdin=PREFIXES + "e:x e:p e:y .")[0], 0)
        self.assertGreater(os.path.getsize(self.path("shop/data/graph.db-wal")),
                           0)
        shutil.copytree(self.path("shop/data"), self.path("left"))
        held.close()
        shutil.rmtree(self.path("shop/data"))
        shutil.copytree(self.path("left"), self.path("shop/data"))
        self.close()
        self.assertIn("http://e/y", next(self.read_all()))
        self.back_up()

    def test_a_log_that_cannot_be_read_is_named(self):
        with open(self.path("shop/data/graph.db-wal"), "wb") as log:
            log.write(b"x" * 32)
        self.close()
        code, _, err = self.trails("export")
        self.assertEqual(code, 1)
        self.assertIn("graph.db-shm, which cannot be made here: copy all files",
                      err)

    def test_what_writes_says_why_it_cannot(self):
        self.close()
        for words in (["import", self.write("b.ttl", PAN)], ["compact"],
                      ["token", "create", "--scope", "runtime"]):
            code, _, err = self.trails(*words)
            self.assertEqual(code, 1, words)
            self.assertIn("Read-only file system", err)

    def test_the_folder_may_have_any_name(self):
        self.write("shop/trails.toml", '[project]\nname = "shop"\n'
                   '[store]\npath = "da?ta #1%20"\n')
        self.assertEqual(self.load(BROOM), (0, DONE, ""))
        self.check()


if __name__ == "__main__":
    unittest.main()
