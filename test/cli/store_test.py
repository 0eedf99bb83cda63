#!/usr/bin/env python3
"""`trails import`, `export`, `validate`, `backup`, `restore`, `stats` and
`compact` on the store of an app. Drives the sanitized binary."""
import json
import os
import pty
import shutil
import sqlite3
import stat
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
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
             "unknown format 'xml': nt, nq, ttl or trig"),
            (["x.nt", "--format", "jsonld"], "jsonld can only be written"),
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
        path = os.path.join(self.app, "data", "graph.db")
        with sqlite3.connect(path) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            since = ("spelt", "ended")  # a step each
            for table in since:
                db.execute(f"DROP TABLE {table}")
            db.execute(f"PRAGMA user_version = {version - len(since)}")
        db.close()
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
