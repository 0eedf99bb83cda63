#!/usr/bin/env python3
"""`trails import --type`, `export --type` and `seed`: rows of CSV, JSON and
NDJSON as nodes of a type, and back. Drives the sanitized binary."""
import contextlib
import csv
import io
import json
import os
import sqlite3
import unittest

from store_test import Store, TRAILS

APP = """
node_type "Account" {
  fields = {
    { "domain", text { unique = true, min_length = 3 } },
    { "name", text { search = true } },
    { "size", integer { min_value = 0, optional = true } },
    { "rate", number { default = 1.5 } },
    { "active", boolean { default = true } },
    { "since", datetime { optional = true } },
    { "tags", text { many = true, optional = true } },
    { "parent", ref "Account" { optional = true } },
  },
}
node_type "Partner" {
  extends = "Account",
  fields = { { "level", integer { min_value = 1 } } },
}
node_type "Contact" {
  ids = "preserve",
  fields = {
    { "email", text { pattern = [[^[^@]+@[^@]+$]] } },
    { "account", ref "Account" },
  },
}
node_type "Note" {
  fields = { { "text", text {} } },
}
node_type "Fact" {
  ids = "content", ids_from = { "key" },
  fields = { { "key", text {} }, { "value", text { optional = true } } },
}
"""
NOTHING = "Nothing was imported.\n"
GOOD = '''domain,name,size,rate,active,since,tags,parent
acme.example,"Acme, Inc.",10,,,2026-01-01T00:00:00Z,"[""a"",""b""]",
beta.example,"Beta
and ""sons""",,2.5,false,,,
'''


class Rows(Store):
    def setUp(self):
        super().setUp()
        self.write("shop/app.lua", APP)

    def rows(self, name, text, *options, type="Account"):
        path = self.write(name, text)
        code, out, err = self.trails("import", "--type", type, *options, path)
        return code, out, err.replace(path, name)

    def good(self, *options, **more):
        code, out, err = self.rows("good.csv", GOOD, *options, **more)
        self.assertEqual((code, err), (0, ""))
        return out

    def nodes(self, type="Account"):
        code, out, err = self.trails("export", "--type", type, "--format",
                                     "ndjson")
        self.assertEqual((code, err), (0, ""))
        return [json.loads(line) for line in out.splitlines()]

    def named(self, **wanted):
        name, value = wanted.popitem()
        return [n for n in self.nodes() if n.get(name) == value]


class Import(Rows):
    def test_rows_become_nodes_with_their_defaults(self):
        self.assertEqual(self.good(), "2 rows read, 2 created\n")
        acme = self.named(domain="acme.example")[0]
        self.assertEqual(
            {k: v for k, v in acme.items() if k not in ("id", "_type")},
            {"domain": "acme.example", "name": "Acme, Inc.", "size": 10,
             "rate": 1.5, "active": True, "since": "2026-01-01T00:00:00Z",
             "tags": ["a", "b"]})
        beta = self.named(domain="beta.example")[0]
        self.assertEqual((beta["name"], beta["rate"], beta["active"]),
                         ('Beta\nand "sons"', 2.5, False))
        self.assertNotIn("size", beta)
        stats = self.stats()
        self.assertEqual(stats["nodes"], 2)
        code, out, _ = self.trails("validate")
        self.assertEqual((code, out), (0, "The data conforms.\n"))

    def test_all_that_is_wrong_is_told_with_its_place(self):
        self.good()
        code, out, err = self.rows("bad.csv", """\
domain,name,size,rate,active,since,tags,parent
x,Acme,ten,,,,,
ok1.example,"Two
lines",-1,,,,,nobody
ok2.example,B,,,,,red,
acme.example,C,,,,,,
ok3.example,C,,,,,,
ok3.example,C,,,,,,
ok4.example,C,,,maybe,,,
ok5.example,C,,,,
"ok6.example"x,C,,,,
ok7.example,,,,,,,
""")
        acme = self.named(domain="acme.example")[0]["id"]
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err.splitlines(), [
            "bad.csv:2:1: domain must have at least 3 characters",
            "bad.csv:2:8: size must be an integer",
            "bad.csv:4:8: size must be at least 0",
            "bad.csv:4:15: parent: there is no Account nobody",
            'bad.csv:5:19: tags must be JSON, such as ["a","b"]: expected a '
            "value",
            f"bad.csv:6:1: domain must be unique: {acme} has the same",
            "bad.csv:8:1: domain must be unique: line 7 has the same",
            "bad.csv:9:17: active must be true or false",
            "bad.csv:10:1: a row of 6 cells, where the header has 8",
            "bad.csv:11:14: text stands behind the quotes of a cell",
            "bad.csv:12:13: name is required",
            "trails: 9 of 10 rows are bad",
            "Nothing was imported."])
        self.assertEqual(len(self.nodes()), 2)

    def test_good_rows_land_without_the_bad_ones(self):
        text = "domain,name,parent\nx,A,\nabc,B,\nabd,C,x\nabe,D,abd\n"
        self.write("shop/app.lua", APP.replace(
            'ref "Account" { optional', 'ref "Account" { by = "domain", '
            'optional') if self.has_by() else APP)
        code, out, err = self.rows("some.csv", text, "--skip-bad")
        self.assertEqual(code, 0)
        self.assertEqual(err.splitlines()[0],
                         "some.csv:2:1: domain must have at least 3 characters")
        self.assertIn("some.csv:4:7: parent: there is no Account x", err)
        # What refers to a row that is left out is left out too.
        self.assertIn("some.csv:5:7: parent: there is no Account abd", err)
        self.assertEqual(out, "4 rows read, 1 created, 3 bad ones left out\n")

    def has_by(self):
        self.write("shop/app.lua", APP.replace(
            'ref "Account" { optional', 'ref "Account" { by = "domain", '
            'optional'))
        return self.trails("check")[0] == 0

    def test_rows_refer_to_rows_in_any_order(self):
        text = ("id,domain,name,parent\nb,bee,B,a\na,aaa,A,\n"
                "c,cee,C,trails://shop/Account/b\n")
        code, out, err = self.rows("refs.csv", text)
        self.assertEqual((code, out, err), (0, "3 rows read, 3 created\n", ""))
        self.assertEqual(self.named(domain="bee")[0]["parent"],
                         "trails://shop/Account/a")
        code, out, err = self.rows(
            "c.csv", "id,email,account\nc1,a@b,a\nc2,a@b,none\n",
            type="Contact")
        self.assertEqual((code, err), (
            1, "c.csv:3:8: account: there is no Account none\n"
            "trails: 1 of 2 rows are bad\n" + NOTHING))

    def test_headers_are_checked_and_can_be_mapped(self):
        code, out, err = self.rows("h.csv", "domian,naem,size,size,\n")
        self.assertEqual(code, 1)
        self.assertEqual(err.splitlines(), [
            "h.csv:1:1: Account has no field 'domian': did you mean "
            "'domain'? --map 'domian=domain' says so, --map 'domian=' leaves "
            "the column out",
            "h.csv:1:8: Account has no field 'naem': did you mean 'name'? "
            "--map 'naem=name' says so, --map 'naem=' leaves the column out",
            "h.csv:1:18: 'size' stands in two columns",
            "h.csv:1:23: column 5 has no name",
            "trails: the files have 4 mistakes",
            "Nothing was imported."])
        text = "Web site,Firma,x=y\nabc,B,1\n"
        code, out, err = self.rows(
            "h.csv", text, "--map", "Web site=domain", "--map", "Firma=name",
            "--map", "x=y=")
        self.assertEqual((code, out, err), (0, "1 rows read, 1 created\n", ""))
        code, out, err = self.rows("h.csv", "name\nB\n")
        self.assertEqual(err.splitlines()[0],
                         "h.csv:1:1: there is no column 'domain', which each "
                         "Account must have")
        code, out, err = self.rows("h.csv", "domain,name\nabd,B\n", "--map",
                                   "nmae=name")
        self.assertEqual(err.splitlines()[0],
                         "h.csv:1:1: --map names a column 'nmae', which is not "
                         "there")
        code, out, err = self.rows("h.csv", "")
        self.assertEqual(err.splitlines()[0], "h.csv: it is empty: the first "
                         "row has the names of columns")

    def test_options_must_fit_together(self):
        path = self.write("a.csv", GOOD)
        for words, wanted in [
                (["--map", "a=b"], "--map is for rows: it needs --type"),
                (["--replace"], "--replace is for rows: it needs --type"),
                (["--type", "Account", "--graph", "http://e/g"],
                 "--graph is for statements: not with --type"),
                (["--type", "Acount"],
                 "there is no type 'Acount': did you mean 'Account'?"),
                (["--type", "Account", "--map", "a"],
                 "--map: 'a' is not COLUMN=FIELD, nor COLUMN="),
                (["--type", "Account", "--map", "a=nmae"],
                 "--map: Account has no field 'nmae': did you mean 'name'?"),
                (["--type", "Account", "--separator", "x"],
                 "--separator is , ; or tab, not 'x'"),
                (["--type", "Account", "--delete-missing"],
                 "--delete-missing needs --replace"),
                (["--type", "Account", "--replace", "--delete-missing",
                  "--skip-bad"],
                 "--delete-missing and --skip-bad do not go together: what a "
                 "bad row names would be deleted"),
                (["--type", "Account", "--format", "ttl"],
                 "unknown format 'ttl' of rows: csv, json or ndjson")]:
            code, out, err = self.trails("import", *words, path)
            self.assertEqual((code, out, err.split("\n")[0]),
                             (2, "", "trails: " + wanted))

    def test_separators_and_marks(self):
        for text, options in [
                ("domain;name\nabc;A,1\n", []),
                ("domain\tname\nabc\tA,1\n", []),
                ("\ufeffdomain;name\r\nabc;A,1\r\n", []),
                ('domain,name\nabc,"A,1"\n', ["--separator", ","]),
                ('domain\tname\nabc\t"A,1"\n', ["--separator", "tab"])]:
            code, out, err = self.rows("s.csv", text, "--replace", *options)
            self.assertEqual((code, err), (0, ""), text)
            self.assertEqual([n["name"] for n in self.nodes()], ["A,1"])
        code, out, err = self.rows("s.csv", "domain,na;me\n")
        self.assertEqual(err.splitlines()[0],
                         "s.csv:1:1: the header has several of , ; and tab: "
                         "say which separates its cells")

    def test_an_empty_cell_is_absent_and_quotes_are_an_empty_text(self):
        code, out, err = self.rows("e.csv", 'domain,name,size\nabc,"",""\n')
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(self.nodes()[0]["name"], "")
        self.assertNotIn("size", self.nodes()[0])

    def test_formulas_are_texts(self):
        self.rows("f.csv", 'domain,name\nabc,"=1+1"\n')
        self.assertEqual(self.nodes()[0]["name"], "=1+1")

    def test_nothing_happens_in_a_dry_run(self):
        code, out, err = self.rows("good.csv", GOOD, "--dry-run")
        self.assertEqual((code, out, err), (
            0, "2 rows read, 2 would be created\n"
            "Nothing was written: this was a dry run.\n", ""))
        self.assertEqual(self.nodes(), [])
        self.assertEqual(self.trails("prov", "list")[1], "")

    def test_standard_input_and_pipes_are_read(self):
        code, out, err = self.trails("import", "--type", "Account", "--format",
                                     "csv", "-", stdin=GOOD)
        self.assertEqual((code, out, err), (0, "2 rows read, 2 created\n", ""))
        code, out, err = self.trails("import", "--type", "Account", "-")
        self.assertEqual(code, 2)

    def test_what_was_done_is_on_record(self):
        self.good()
        out = self.trails("prov", "list")[1]
        self.assertRegex(out, "ok +command +import +local:")

    def test_subtypes_are_told_by_their_column(self):
        code, out, err = self.rows("p.csv", "_type,domain,name,level\n"
                                   "Partner,abc,A,2\n,abd,B,\nNote,abe,C,\n"
                                   "Account,abf,D,3\n")
        self.assertEqual(err.splitlines()[:2], [
            "p.csv:4:1: _type must be Account, or a type below it",
            "p.csv:5:15: Account has no field 'level'"])
        code, out, err = self.rows("p.csv", "_type,domain,name,level\n"
                                   "Partner,abc,A,2\n,abd,B,\n")
        self.assertEqual((code, err), (0, ""))
        text = self.trails("export", "--type", "Account")[1]
        self.assertEqual(text.splitlines()[0].split(",")[:3],
                         ["id", "_type", "domain"])
        self.assertEqual(self.rows("p.csv", text, "--replace")[1],
                         "2 rows read, 0 created, 2 unchanged\n")


class Replace(Rows):
    def test_by_unique_value_and_by_id(self):
        self.good()
        self.assertEqual(self.good("--replace"),
                         "2 rows read, 0 created, 2 unchanged\n")
        code, out, err = self.rows(
            "r.csv", "domain,name\nacme.example,New\nnew.example,Other\n",
            "--replace")
        self.assertEqual((out, err),
                         ("2 rows read, 1 created, 1 changed\n", ""))
        # What the file has no column for stays.
        acme = self.named(domain="acme.example")[0]
        self.assertEqual((acme["name"], acme["size"], acme["tags"]),
                         ("New", 10, ["a", "b"]))
        code, out, err = self.rows(
            "r.csv", f"id,domain,name,size\n{acme['id']},acme.test,A,\n",
            "--replace")
        self.assertEqual((out, err), ("1 rows read, 0 created, 1 changed\n", ""))
        after = self.named(domain="acme.test")[0]
        self.assertEqual(after["id"], acme["id"])
        self.assertNotIn("size", after)

    def test_without_it_what_is_there_is_a_mistake(self):
        text = "id,email,account\nc1,a@b,a\n"
        self.rows("a.csv", "id,domain,name\na,aaa,A\n")
        self.assertEqual(self.rows("c.csv", text, type="Contact")[0], 0)
        code, out, err = self.rows("c.csv", text, type="Contact")
        self.assertEqual(err.splitlines()[0],
                         "c.csv:2:1: there is a <trails://shop/Contact/c1> "
                         "already; --replace changes it")

    def test_objects_of_json_say_all(self):
        self.good()
        code, out, err = self.rows(
            "r.json", '[{"domain": "acme.example", "name": "N"}]', "--replace")
        self.assertEqual((code, out, err),
                         (0, "1 rows read, 0 created, 1 changed\n", ""))
        acme = self.named(domain="acme.example")[0]
        self.assertNotIn("size", acme)
        self.assertEqual(acme["rate"], 1.5)

    def test_unique_values_may_change_places(self):
        self.rows("a.csv", "id,domain,name\na,aaa,A\nb,bbb,B\n")
        code, out, err = self.rows(
            "a.csv", "id,domain,name\na,bbb,A\nb,aaa,B\n", "--replace")
        self.assertEqual((code, out, err),
                         (0, "2 rows read, 0 created, 2 changed\n", ""))
        code, out, err = self.rows("a.csv", "id,domain,name\na,aaa,A\n",
                                   "--replace")
        self.assertEqual(err.splitlines()[0],
                         "a.csv:2:3: domain must be unique: "
                         "trails://shop/Account/b has the same")

    def test_rows_of_one_node_are_a_mistake(self):
        code, out, err = self.rows(
            "a.csv", "id,domain,name\na,aaa,A\na,bbb,B\n", "--replace")
        self.assertEqual(err.splitlines()[0], "a.csv:3:1: line 2 is "
                         "<trails://shop/Account/a> too")

    def test_nodes_named_by_content(self):
        self.rows("f.csv", "key,value\nk,1\n", type="Fact")
        code, out, err = self.rows("f.csv", "key,value\nk,2\n", "--replace",
                                   type="Fact")
        self.assertEqual((out, err), ("1 rows read, 0 created, 1 changed\n", ""))
        self.assertEqual([n["value"] for n in self.nodes("Fact")], ["2"])

    def test_what_no_row_names_is_deleted(self):
        self.good()
        one = "domain,name\nacme.example,A\n"
        both = ("--replace", "--delete-missing")
        code, out, err = self.rows("d.csv", one, *both, "--dry-run")
        self.assertEqual(out, "1 rows read, 0 would be created, 1 changed, 1 "
                         "deleted\nNothing was written: this was a dry run.\n")
        self.assertEqual(len(self.nodes()), 2)
        code, out, err = self.rows("d.csv", one, *both)
        self.assertEqual((code, out, err), (
            0, "1 rows read, 0 created, 1 changed, 1 deleted\n", ""))
        self.assertEqual([n["name"] for n in self.nodes()], ["A"])
        stats = self.stats()
        self.assertEqual(stats["nodes"], 1)
        found = self.trails("call", "find_account", "--json", "{}")
        code, out, err = self.rows("d.csv", "domain,name\n", *both)
        self.assertEqual(err.splitlines()[0],
                         "d.csv:1:1: it has no rows: --delete-missing would "
                         "delete all that is there")
        del found

    def test_what_is_referred_to_is_not_deleted(self):
        self.rows("a.csv", "id,domain,name\na,aaa,A\nb,bbb,B\n")
        self.rows("c.csv", "id,email,account\nc1,a@b,b\n", type="Contact")
        code, out, err = self.rows("a.csv", "id,domain,name\na,aaa,A\n",
                                   "--replace", "--delete-missing")
        self.assertEqual(code, 1)
        self.assertIn("trails://shop/Contact/c1: account must", err)
        self.assertTrue(err.endswith(NOTHING))
        self.assertEqual(len(self.nodes()), 2)


class Json(Rows):
    def test_arrays_and_lines(self):
        rows = [{"domain": "abc", "name": "A\n{[\"", "tags": ["x"],
                 "_version": 3}, {"domain": "abd", "name": "B", "size": None}]
        for name, text in [("a.json", json.dumps(rows, indent=2)),
                           ("a.json", json.dumps(rows)),
                           ("a.ndjson", "\n\n".join(map(json.dumps, rows)))]:
            code, out, err = self.rows(name, text, "--replace")
            self.assertEqual((code, err), (0, ""), text)
            self.assertEqual(len(self.nodes()), 2)
        self.assertEqual(self.rows("e.json", " [ ] ")[1],
                         "0 rows read, 0 created\n")

    def test_places(self):
        code, out, err = self.rows("p.json", """[
  {"domain": "abc",
   "nmae": 1, "size": "x"},
  {"domain": 5, "name": "B"},
  {"domain": "abd", "name": "B", }
]""")
        self.assertEqual(err.splitlines()[:6], [
            "p.json:3:4: Account has no field 'nmae': did you mean 'name'?",
            "p.json:4:4: domain must be text",
            "p.json:5:34: expected a key in double quotes",
            "trails: 3 of 3 rows are bad", "Nothing was imported."])

    def test_what_is_no_rows(self):
        for name, text, wanted in [
                ("a.json", "{}", "a.json:1:1: expected an array of objects"),
                ("a.json", "[{}", "a.json:1:2: domain is required"),
                ("a.json", "[1]", "a.json:1:2: expected an object"),
                ("a.json", "[{]", "a.json:1:3: expected a key in double quotes"),
                ("a.json", "[{\"", "a.json:1:2: the object is never closed"),
                ("a.json", "[] x", "a.json:1:4: something stands behind the "
                 "array"),
                ("a.json", '[{"domain": "abc", "name": "A"},]',
                 "a.json:1:33: expected an object"),
                ("a.json", '[{"domain": "abc", "name": "A"}{}]',
                 "a.json:1:32: expected ',' or ']'"),
                ("a.json", '[{"domain": "abc", "name": "A"}',
                 "a.json:1:32: the array is never closed"),
                ("a.ndjson", "x\n", "a.ndjson:1:1: expected an object"),
                ("a.ndjson", '{"domain":\n"abc"}\n', "a.ndjson:1:1: the object "
                 "does not end on its line")]:
            code, out, err = self.rows(name, text)
            self.assertEqual((code, err.splitlines()[0]), (1, wanted))

    def test_a_key_is_told_where_it_stands(self):
        """Whatever stands before it, and however it is written."""
        code, out, err = self.rows(
            "a.ndjson", '{"domain": "x\\"size\\"", "name": {"size": 1}, '
            '"tags": [",", {"size": "2"}], "s\\u0069ze": -1}\n')
        self.assertEqual(err.splitlines()[:3], [
            "a.ndjson:1:25: name must be text",
            "a.ndjson:1:46: tags must be text",
            "a.ndjson:1:76: size must be at least 0"])

    def test_a_mark_is_passed_by(self):
        for name, text in (("a.json", '\ufeff[{"domain":"abc","name":"A"}]'),
                           ("b.ndjson", '\ufeff{"domain":"abd","name":"A"}')):
            self.assertEqual(self.rows(name, text),
                             (0, "1 rows read, 1 created\n", ""))

    def test_a_line_ends_also_in_a_text(self):
        """A quote too many spoils its own line alone."""
        code, out, err = self.rows(
            "a.ndjson", '{"domain":"abc,"name":"A}\n'
            '{"domain":"abd","name":"B"}\n{"domain":"abe","name":"C\\\n"}\n',
            "--skip-bad")
        self.assertEqual((code, out), (
            0, "4 rows read, 1 created, 3 bad ones left out\n"))
        self.assertEqual(err.splitlines(), [
            "a.ndjson:1:17: expected ',' or '}' in an object",
            "a.ndjson:3:1: the object does not end on its line",
            "a.ndjson:4:1: expected an object"])

    def test_bad_lines_are_told_and_left_out(self):
        code, out, err = self.rows(
            "a.ndjson", '{"domain":"abc","name":"A"}\n[1]\n{"a"\n'
            '{"domain":"abd","name":"B"}\n', "--skip-bad")
        self.assertEqual((code, out), (
            0, "4 rows read, 2 created, 2 bad ones left out\n"))


KINDS = """
node_type "Owner" { fields = { { "code", text { unique = true } } } }
node_type "All" {
  fields = {
    { "key", text { unique = true } },
    { "t", text { optional = true } }, { "i", integer { optional = true } },
    { "n", number { optional = true } }, { "b", boolean { optional = true } },
    { "dt", datetime { optional = true } }, { "d", date { optional = true } },
    { "ti", time { optional = true } }, { "du", duration { optional = true } },
    { "de", decimal { digits = 10, scale = 2, optional = true } },
    { "u", uri { optional = true } }, { "e", email { optional = true } },
    { "j", json { optional = true } },
    { "r", ref "Owner" { by = "code", optional = true } },
    { "m", decimal { digits = 9, scale = 2, many = true, optional = true } },
    { "l", text { list = true, optional = true } },
    { "o", object "Address" { fields = { { "street", text },
      { "nr", integer { optional = true } } }, optional = true } },
    { "os", object "Address" { fields = { { "street", text } },
      many = true, optional = true } },
  },
}
"""
EVERY = [
    {"key": "k1", "t": "", "i": 5, "n": 1.5, "b": False,
     "dt": "2026-01-01T00:00:00+02:00", "d": "2026-01-02", "ti": "10:00:00",
     "du": "P1DT2H", "de": "12.5", "u": "https://e.org/a", "e": "a@b.org",
     "j": {"a": [1, None, "x"]}, "r": "one", "m": ["1.5", "2.25"],
     "l": ["b", "a", "b"], "o": {"street": 'A, "B"', "nr": 3},
     "os": [{"street": "X"}, {"street": "Y"}]},
    {"key": "k2", "j": "text"}, {"key": "k3", "j": []},
    {"key": "k4", "t": "line\r\nline; \"=1+1\"", "j": 5},
]


class Kinds(Rows):
    """Each kind of field, out and in again."""

    def fresh(self, name):
        self.app = os.path.join(self.folder, name, "shop")
        os.makedirs(self.app)
        self.write(name + "/shop/app.lua", KINDS)

    def test_nothing_is_lost(self):
        self.fresh("first")
        owners = "id,code\no1,one\n"
        self.rows("o.csv", owners, type="Owner")
        code, out, err = self.rows(
            "all.ndjson", "\n".join(map(json.dumps, EVERY)), type="All")
        self.assertEqual((code, err), (0, ""))
        before = self.nodes("All")
        first = [n for n in before if n["key"] == "k1"][0]
        self.assertEqual({k: v for k, v in first.items() if k != "id"},
                         EVERY[0] | {"r": "trails://shop/Owner/o1"})
        for format in ("csv", "ndjson", "jsonld"):
            text = self.trails("export", "--type", "All", "--format",
                               format)[1]
            if format != "jsonld":
                self.assertEqual(
                    self.rows("e." + format, text, "--replace", type="All")[1],
                    "4 rows read, 0 created, 4 unchanged\n")
            whole = self.trails("export", "--format", "jsonld")[1]
            app = self.app
            self.fresh(format)
            if format == "jsonld":
                self.assertEqual(self.trails(
                    "import", self.write("e.jsonld", whole))[0], 0)
            else:
                self.rows("o.csv", owners, type="Owner")
                self.assertEqual(self.rows("e." + format, text, type="All")[1],
                                 "4 rows read, 4 created\n")
            self.assertEqual(self.nodes("All"), before)
            self.app = app


class JsonLd(Rows):
    def test_what_was_exported_can_be_imported(self):
        self.good()
        before = self.nodes()
        text = self.trails("export", "--type", "Account", "--format",
                           "jsonld")[1]
        whole = self.trails("export", "--format", "jsonld")[1]
        statements = self.trails("export")[1]
        for n, one in enumerate((text, whole)):
            self.app = os.path.join(self.folder, f"copy-{n}", "shop")
            os.makedirs(self.app)
            self.write(f"copy-{n}/shop/app.lua", APP)
            code, out, err = self.trails("import", self.write("a.jsonld", one))
            self.assertEqual((code, err), (0, ""))
            self.assertEqual(self.nodes(), before)
            self.assertEqual(sorted(self.trails("export")[1].splitlines()),
                             sorted(statements.splitlines()))

    def test_no_context_is_fetched(self):
        path = self.write("a.jsonld",
                          '{"@context": "https://schema.org", "name": "x"}')
        code, out, err = self.trails("import", path)
        self.assertEqual((code, err.replace(path, "a.jsonld")), (
            1, "trails: a.jsonld: a @context is not read, and none is fetched: expand "
            "the document first\n"))


class Export(Rows):
    def test_columns_stand_in_the_order_of_declaration(self):
        self.good()
        code, out, err = self.trails("export", "--type", "Contact")
        self.assertEqual((code, out), (0, "id,email,account\r\n"))
        out = self.trails("export", "--type", "Account")[1]
        table = list(csv.DictReader(io.StringIO(out, newline="")))
        self.assertEqual(list(table[0]), [
            "id", "_type", "domain", "name", "size", "rate", "active", "since",
            "tags", "parent", "level"])
        acme = [row for row in table if row["domain"] == "acme.example"][0]
        self.assertEqual((acme["tags"], acme["rate"], acme["parent"]),
                         ('["a","b"]', "1.5", ""))

    def test_what_was_exported_can_be_imported(self):
        self.good()
        for format in ("csv", "ndjson"):
            text = self.trails("export", "--type", "Account", "--format",
                               format)[1]
            before = self.nodes()
            self.assertEqual(self.rows("e." + format, text, "--replace")[1],
                             "2 rows read, 0 created, 2 unchanged\n")
            empty = self.write("empty.json", "[]")
            del empty
            self.app = os.path.join(self.folder, "copy-" + format, "shop")
            os.makedirs(self.app)
            with open(os.path.join(self.app, "app.lua"), "w") as file:
                file.write(APP)
            with open(os.path.join(self.app, "trails.toml"), "w") as file:
                file.write('[project]\nname = "shop"\n')
            self.assertEqual(self.rows("e." + format, text)[1],
                             "2 rows read, 2 created\n")
            self.assertEqual(self.nodes(), before)

    def test_options(self):
        for words, wanted in [
                (["--type", "Acount"],
                 "there is no type 'Acount': did you mean 'Account'?"),
                (["--type", "Account", "--format", "ttl"],
                 "with --type the format is csv, ndjson or jsonld, not 'ttl'"),
                (["--type", "Account", "--prov"],
                 "--graph and --prov are for statements: not with --type"),
                (["--format", "csv"], "csv is for rows: it needs --type")]:
            self.good("--replace")
            code, out, err = self.trails("export", *words)
            self.assertEqual((code, out, err.split("\n")[0]),
                             (2, "", "trails: " + wanted))


class Seed(Rows):
    def seed(self, *options):
        return self.trails("seed", *options)

    def setUp(self):
        super().setUp()
        os.mkdir(os.path.join(self.app, "seeds"))

    def test_files_are_loaded_in_order_and_again(self):
        self.write("shop/seeds/20-Contact.csv",
                   "id,email,account\nc1,a@b,a\n")
        self.write("shop/seeds/10-Account.csv", "id,domain,name\na,aaa,A\n")
        self.write("shop/seeds/30-more.ttl", """
            @prefix t: <trails://shop/> . @prefix a: <trails://shop/Account#> .
            <trails://shop/Account/z> a t:Account ; a:domain "zzz" ;
              a:name "Z" ; a:rate 2e0 ; a:active true .""")
        code, out, err = self.seed("--dry-run")
        self.assertEqual((code, out.splitlines()[0], err),
                         (0, "2 rows read, 2 would be created", ""))
        self.assertEqual(self.nodes(), [])
        self.assertEqual(self.seed()[:2], (
            0, "2 rows read, 2 created\n13 statements new, 0 gone, in all\n"))
        feed = self.stats()["changes"]
        self.assertEqual(self.seed()[:2], (
            0, "2 rows read, 0 created, 2 unchanged\n"
            "0 statements new, 0 gone, in all\n"))
        self.assertEqual(self.stats()["changes"], feed)
        # Seeds may be edited.
        self.write("shop/seeds/10-Account.csv", "id,domain,name\na,aaa,New\n")
        path = self.path("shop/seeds/30-more.ttl")
        with open(path) as file:
            text = file.read()
        self.write("shop/seeds/30-more.ttl", text.replace('"Z"', '"Y"'))
        self.assertEqual(self.seed()[:2], (
            0, "2 rows read, 0 created, 1 changed, 1 unchanged\n"
            "2 statements new, 2 gone, in all\n"))
        self.assertEqual(sorted(n["name"] for n in self.nodes()), ["New", "Y"])

    def test_mistakes_are_told_with_their_file(self):
        self.write("shop/seeds/Account.csv", "id,domain,name\na,x,A\n")
        code, out, err = self.seed()
        self.assertEqual(code, 1)
        self.assertIn("seeds/Account.csv:2:3: domain must have at least 3 "
                      "characters", err)
        self.assertTrue(err.endswith(NOTHING))
        self.write("shop/seeds/Acount.csv", "id,domain,name\na,x,A\n")
        code, out, err = self.seed()
        self.assertIn("there is no type 'Acount': did you mean 'Account'?", err)
        self.assertIn("its name must be that of a type", err)

    def test_rows_need_a_name(self):
        self.write("shop/seeds/Note.csv", "text\nhello\n")
        code, out, err = self.seed()
        self.assertEqual(code, 1)
        self.assertIn("seeds/Note.csv:2:1: it has no id and no unique value: "
                      "it would be another node each time", err)

    def test_without_a_folder(self):
        os.rmdir(os.path.join(self.app, "seeds"))
        code, out, err = self.seed()
        self.assertEqual(code, 1)
        self.assertIn("there is no folder", err)

    def test_other_files_are_passed_by(self):
        self.write("shop/seeds/README.md", "hello\n")
        code, out, err = self.seed()
        self.assertEqual((code, out), (0, "0 rows read, 0 created\n"))
        self.assertIn("README.md is passed by", err)


SHAPES = """
node_type "Task" {
  fields = {
    { "key", text { unique = true } },
    { "title", text { search = true } },
    { "due", date { optional = true } },
    { "size", integer { optional = true } },
    { "at", object "Place" { optional = true, fields = {
        { "room", text }, { "floor", integer { default = 0 } },
        { "meta", json { optional = true, schema = { type = "object",
            properties = { n = { type = "integer" } } } } } } } },
    { "steps", text { list = true, default = { "b", "a" } } },
  },
  indexes = { { "size", "-due" } },
  tools = { "find" },
}
node_type "Job" { ids = "preserve", extends = "Task", fields = {} }
shape "Short" { target = "Task",
  fields = { { "title", text { max_length = 9, optional = true } } } }
capability "words" { description = "d", input = { text = text },
  run = function(ctx, args)
    local out = {}
    for _, hit in ipairs(ctx.kg:search(args.text, { type = "Task" })) do
      out[#out + 1] = hit.key or ctx.kg:get(hit.id or hit).key
    end
    table.sort(out)
    return table.concat(out, " ")
  end }
"""


class Keys(Rows):
    def test_a_row_is_referred_to_by_key_or_by_the_end_of_its_id(self):
        self.write("shop/app.lua", """
node_type "Part" { ids = "preserve", fields = {
  { "code", text { unique = true } },
  { "of", ref "Part" { by = "code", optional = true } } } }
""")
        code, out, err = self.rows("p.csv", """\
id,code,of
a,one,c
b,two,one
c,three,d
d,c,two
e,five,trails://shop/Part/a
""", type="Part")
        self.assertEqual((code, out, err), (0, "5 rows read, 5 created\n", ""))
        # The id c wins over the code of d.
        part = "trails://shop/Part/"
        self.assertEqual({n["id"]: n["of"] for n in self.nodes("Part")},
                         {part + a: part + b for a, b in
                          ("ac", "ba", "cd", "db", "ea")})
        code, out, err = self.rows("p.csv", "id,code,of\nf,six,seven\n"
                                   "g,x,f\n", type="Part")
        self.assertEqual(err.splitlines()[0],
                         "p.csv:2:7: of: there is no Part seven")


class Shaped(Rows):
    def setUp(self):
        super().setUp()
        self.write("shop/app.lua", SHAPES)

    def rows(self, *words, **more):
        """Without the line that tells of new indexes."""
        code, out, err = super().rows(*words, **more)
        return code, out, "".join(line for line in err.splitlines(True)
                                  if not line.startswith('{"time"'))


class Shapes(Shaped):
    """What shapes say in the end is told as the rest is."""

    def test_rows_are_told_with_their_place(self):
        code, out, err = self.rows("t.csv", """\
key,title,size
a,Fits,1
b,"Too long
a title",2
c,Fits,3
d,It is too long,4
""", type="Task")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err.splitlines(), [
            "t.csv:3:3: title must have at most 9 characters",
            "t.csv:6:3: title must have at most 9 characters",
            "trails: the data does not conform: 2 results",
            "Nothing was imported."])
        code, out, err = self.rows(
            "t.ndjson", '{"key": "a", "title": "Fits"}\n'
            '{"id": "j", "_type": "Job", "title": "It is too long", "key": "b"}\n',
            type="Task")
        self.assertEqual(err.splitlines()[0],
                         "t.ndjson:2:29: title must have at most 9 characters")
        self.assertEqual(self.stats()["nodes"], 0)

    def test_so_are_rows_that_replace_and_objects(self):
        text = "key,title,at\na,A,\nb,B,\n"
        self.assertEqual(self.rows("t.csv", text, type="Task")[0], 0)
        code, out, err = self.rows(
            "t.csv", 'key,title,at\na,A,"{""hall"":1}"\nb,It is too long,\n',
            "--replace", type="Task")
        self.assertEqual(err.splitlines()[:2], [
            "t.csv:2:5: at.hall is not a field",
            "t.csv:2:5: at.room is required"])
        code, out, err = self.rows(
            "t.csv", 'key,title,at\na,A,"{""room"":""x""}"\n'
            "b,It is too long,\n", "--replace", type="Task")
        self.assertEqual(err.splitlines()[0],
                         "t.csv:3:3: title must have at most 9 characters")
        self.assertEqual(sorted(n["title"] for n in self.nodes("Task")),
                         ["A", "B"])

    def test_objects_and_lists_have_their_defaults_and_documents_their_schema(self):
        rows = [{"key": "a", "title": "A", "at": {"room": "x"}},
                {"key": "b", "title": "B", "at": {"room": "x", "meta": {"n": 1}},
                 "steps": ["c"]}]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        self.assertEqual(self.rows("t.ndjson", text, type="Task")[0], 0)
        self.assertEqual([(n["at"], n["steps"]) for n in self.nodes("Task")], [
            ({"room": "x", "floor": 0}, ["b", "a"]),
            ({"room": "x", "floor": 0, "meta": {"n": 1}}, ["c"])])
        rows = [{"key": "c", "title": "C", "at": {"room": "x", "meta": {"n": "y"}}}]
        code, out, err = self.rows("t.ndjson", json.dumps(rows[0]) + "\n",
                                   type="Task")
        self.assertEqual(code, 1)
        self.assertTrue(err.startswith("t.ndjson:1:28: at.meta/n "), err)

    def test_what_came_from_no_row_is_told_by_its_iri(self):
        self.write("shop/app.lua", APP)
        self.rows("a.csv", "id,domain,name\na,aaa,A\nb,bbb,B\n")
        self.rows("c.csv", "id,email,account\nc1,a@b,b\n", type="Contact")
        code, out, err = self.rows("a.csv", "id,domain,name\na,aaa,A\n",
                                   "--replace", "--delete-missing")
        self.assertTrue(err.startswith("trails://shop/Contact/c1: account must "
                                       "be an instance of"), err)


class Kept(Shaped):
    """Indexes, search and the feed after rows have replaced what was there."""

    def ask(self, **args):
        code, out, err = self.trails("call", "find_task", "--json",
                                     json.dumps(args))
        self.assertEqual((code, err), (0, ""))
        return [n["key"] for n in json.loads(out)["items"]]

    def words(self, text):
        code, out, err = self.trails("call", "words", "--json",
                                     json.dumps({"text": text}))
        self.assertEqual((code, err), (0, ""))
        return out.strip()

    def query(self, sql):
        path = next(os.path.join(folder, name)
                    for folder, _, names in os.walk(self.folder)
                    for name in names if name == "graph.db")
        with contextlib.closing(sqlite3.connect(path)) as db:
            return db.execute(sql).fetchall()

    def feed(self, after):
        """The kinds of changes of nodes: 1 created, 2 updated, 3 deleted."""
        return sorted(kind for kind, in self.query(
            f"SELECT kind FROM change WHERE seq > {after}"))

    def test_all_follow_what_rows_say(self):
        both = ("--replace", "--delete-missing")
        import_ = lambda text, *options: self.rows("t.csv", text, *options,
                                                   type="Task")[1:]
        self.assertEqual(import_("""\
key,title,due,size,at
a,red,2026-01-01,1,"{""room"":""x""}"
b,blue,2026-02-01,2,"{""room"":""y""}"
c,red,2026-03-01,2,
d,green,,9,
"""), ("4 rows read, 4 created\n", ""))
        self.assertEqual(self.ask(order="-due"), ["c", "b", "a", "d"])
        self.assertEqual(self.words("red"), "a c")
        seen = self.query("SELECT max(seq) FROM change")[0][0]
        self.assertEqual(import_("""\
key,title,due,size,at
a,red,2026-04-01,2,"{""room"":""x""}"
b,red,,2,"{""room"":""z""}"
c,red,2026-03-01,2,
e,blue,2026-05-01,2,
""", *both), ("4 rows read, 1 created, 2 changed, 1 unchanged, 1 deleted\n",
              ""))
        self.assertEqual(self.ask(order="-due"), ["e", "a", "c", "b"])
        self.assertEqual(self.ask(filter={"size": {"min": 3}}), [])
        self.assertEqual(self.ask(filter={"due": {"max": "2026-02-01"}}), [])
        self.assertEqual(self.ask(filter={"size": {"min": 2}}, order="-due"),
                         ["e", "a", "c", "b"])
        self.assertEqual(self.ask(size=2, order="-due"), ["e", "a", "c", "b"])
        self.assertEqual([self.words(w) for w in ("red", "blue", "green")],
                         ["a b c", "e", ""])
        # A part that changes is a change of its owner; d has gone.
        self.assertEqual(self.feed(seen), [1, 2, 2, 3])
        rows = dict(self.query(
            "SELECT x, count(*) FROM value_row GROUP BY x"))
        self.assertTrue(rows and set(rows.values()) <= {4, 3}, rows)
        self.assertEqual(self.query("SELECT count(*) FROM search"), [(4,)])
        self.assertEqual(self.query("SELECT count(*) FROM node"), [(4,)])
        seen = self.query("SELECT max(seq) FROM change")[0][0]
        self.assertEqual(import_("key,title\na,red\n", *both)[0],
                         "1 rows read, 0 created, 1 unchanged, 3 deleted\n")
        self.assertEqual(self.feed(seen), [3, 3, 3])
        self.assertEqual(self.ask(filter={"at": {"present": True}}), ["a"])
        self.assertEqual(set(self.query(
            "SELECT count(*) FROM value_row GROUP BY x")), {(1,)})
        self.assertEqual(self.trails("validate")[1], "The data conforms.\n")


class Many(Rows):
    ROWS = 100000
    BAD = 50

    def text(self):
        lines = ["domain,name,size,since"]
        for i in range(self.ROWS):
            size = "x" if i % (self.ROWS // self.BAD) == 7 else str(i)
            lines.append(f'd{i}.example,"Name, {i}",{size},'
                         "2026-01-01T00:00:00Z")
        return "\n".join(lines) + "\n"

    def peak(self, *words):
        """The exit code, the last line, and the most memory in bytes."""
        release = os.path.join(os.path.dirname(TRAILS), "..", "release",
                               "trails")
        read, write = os.pipe()
        child = os.posix_spawn(release, [release, *words], os.environ,
                               file_actions=[
                                   (os.POSIX_SPAWN_DUP2, write, 1),
                                   (os.POSIX_SPAWN_DUP2, write, 2)])
        os.close(write)
        with os.fdopen(read) as pipe:
            lines = pipe.read().splitlines()
        _, status, usage = os.wait4(child, 0)
        return os.waitstatus_to_exitcode(status), lines, usage.ru_maxrss * 1024

    def test_all_bad_rows_are_told_and_the_others_land(self):
        path = self.write("big.csv", self.text())
        words = ["import", "--app", self.app, "--type", "Account", path]
        code, lines, peak = self.peak(*words)
        bad = [line for line in lines if "size must be an integer" in line]
        self.assertEqual((code, len(bad)), (1, self.BAD))
        self.assertEqual(bad[0], f"{path}:9:22: size must be an integer")
        self.assertEqual(lines[-2:], [
            f"trails: {self.BAD} of {self.ROWS} rows are bad",
            "Nothing was imported."])
        self.assertEqual(self.stats()["nodes"], 0)
        # What a file without an end is read in, too.
        self.assertLess(peak, 64 << 20)
        code, lines, peak = self.peak(*words, "--skip-bad")
        self.assertEqual((code, lines[-1]), (
            0, f"{self.ROWS} rows read, {self.ROWS - self.BAD} created, "
            f"{self.BAD} bad ones left out"))
        self.assertEqual(self.stats()["nodes"], self.ROWS - self.BAD)
        self.assertLess(peak, 400 << 20)


if __name__ == "__main__":
    unittest.main()
