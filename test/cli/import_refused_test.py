#!/usr/bin/env python3
"""`trails import --type --skip-bad`: rows that the app's own shapes refuse are
left out, and so are those that refer to them. Drives the sanitized binary, and
the released one where there are many rows."""
import os
import shutil
import subprocess
import unittest

from import_test import NOTHING, Rows
from store_test import TRAILS

TASK = """
node_type "Task" {
  ids = "preserve",
  fields = {
    { "title", text },
    { "size", integer { optional = true } },
    { "low", integer { optional = true } },
    { "tags", text { many = true, optional = true } },
    { "steps", text { list = true, optional = true } },
    { "code", text { optional = true, unique = true } },
    { "after", ref "Task" { optional = true } },
    { "by", ref "Person" { by = "email", optional = true } },
    { "at", object "Place" { optional = true, fields = {
        { "room", text }, { "door", object "Door" { optional = true,
            fields = { { "color", text } } } } } } },
  },
}
node_type "Job" { ids = "preserve", extends = "Task", fields = {} }
node_type "Person" {
  ids = "preserve",
  fields = { { "email", text { unique = true } } },
}
"""
TURTLE = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix shop: <trails://shop/> .
@prefix t: <trails://shop/Task#> .
"""
CLASS = "[] a sh:NodeShape ; sh:targetClass shop:Task ; "
FIELDS = ("id", "_type", "title", "size", "low", "tags", "steps", "code",
          "after", "by", "at")
GOOD = {"id": "y", "_type": "Task", "title": "Good", "size": "2", "low": "1"}
ITSELF = "trails://shop/Job/x"

# What a shape says, what a Job has that it refuses, the field at whose cell that
# is told ("" for the row), and what is said. Beside it there is a good Task.
KINDS = {
    "maxLength": (CLASS + "sh:property [ sh:path t:title ; sh:maxLength 5 ] .",
                  {"title": "Too long"}, "title", "title must have at most 5"),
    "pattern": (CLASS + "sh:property [ sh:path t:title ; sh:pattern '^G' ] .",
                {}, "title", "title must match"),
    "minCount": (CLASS + "sh:property [ sh:path t:low ; sh:minCount 1 ] .",
                 {}, "low", "low must have at least 1 value"),
    "maxCount": (CLASS + "sh:property [ sh:path t:tags ; sh:maxCount 1 ] .",
                 {"tags": '["a","b"]'}, "tags", "tags must have at most 1"),
    "in": (CLASS + "sh:property [ sh:path t:title ; sh:in ( 'Good' ) ] .",
           {}, "title", "title must be"),
    "hasValue": (CLASS + "sh:property [ sh:path t:title ; "
                 "sh:hasValue 'Good' ] .", {}, "title", "title must"),
    "lessThan": (CLASS + "sh:property [ sh:path t:low ; "
                 "sh:lessThan t:size ] .",
                 {"size": "1", "low": "2"}, "low", "low must be less"),
    "disjoint": (CLASS + "sh:property [ sh:path t:code ; "
                 "sh:disjoint t:title ] .", {"code": "Bad"}, "code",
                 "code must"),
    "not": (CLASS + "sh:not [ sh:property [ sh:path t:title ; "
            "sh:hasValue 'Bad' ] ] .", {}, "", "must not"),
    "or": (CLASS + "sh:or ( [ sh:property [ sh:path t:title ; "
           "sh:hasValue 'Good' ] ] [ sh:property [ sh:path t:size ; "
           "sh:minCount 1 ] ] ) .", {}, "", "must"),
    "node": (CLASS + "sh:property [ sh:path t:at ; sh:node [ sh:property "
             "[ sh:path <trails://shop/Place#room> ; sh:maxLength 1 ] ] ] .",
             {"at": '{"room":"xy"}'}, "at", "at.room must have at most 1"),
    "qualified": (CLASS + "sh:property [ sh:path t:tags ; "
                  "sh:qualifiedMaxCount 0 ; sh:qualifiedValueShape "
                  "[ sh:in ( 'bad' ) ] ] .", {"tags": '["bad"]'}, "tags",
                  "tags must have"),
    "closed": ("[] a sh:NodeShape ; sh:targetClass shop:Job ; sh:closed true ; "
               "sh:ignoredProperties ( rdf:type ) ; sh:property "
               "[ sh:path t:title ], [ sh:path t:steps ] .",
               {"size": "1"}, "size", "size is not a property"),
    "list": (CLASS + "sh:property [ sh:path ( t:steps [ sh:zeroOrMorePath "
             "rdf:rest ] rdf:first ) ; sh:maxLength 1 ] .",
             {"steps": '["a","bc"]'}, "", "must have at most 1"),
    "subjects of": ("[] a sh:NodeShape ; sh:targetSubjectsOf t:low ; "
                    "sh:property [ sh:path t:size ; sh:minCount 1 ] .",
                    {"low": "1"}, "size", "size must have at least 1"),
    "objects of": ("[] a sh:NodeShape ; sh:targetObjectsOf t:after ; "
                   "sh:property [ sh:path t:size ; sh:minCount 1 ] .",
                   {"after": ITSELF}, "size", "size must have at least 1"),
    "node target": (f"[] a sh:NodeShape ; sh:targetNode <{ITSELF}> ; "
                    "sh:property [ sh:path t:size ; sh:maxExclusive 1 ] .",
                    {"size": "1"}, "size", "size must be less than 1"),
    "part": ("[] a sh:NodeShape ; sh:targetObjectsOf t:at ; sh:property "
             "[ sh:path <trails://shop/Place#room> ; sh:maxLength 1 ] .",
             {"at": '{"room":"xy"}'}, "at", "at.room must have at most 1"),
    "part of a part": (
        "[] a sh:NodeShape ; sh:targetObjectsOf <trails://shop/Place#door> ; "
        "sh:property [ sh:path <trails://shop/Door#color> ; sh:maxLength 1 ] .",
        {"at": '{"room":"x","door":{"color":"red"}}'}, "at",
        "at.door.color must have at most 1"),
    "cell of a list": (
        "[] a sh:NodeShape ; sh:targetSubjectsOf rdf:first ; "
        "sh:property [ sh:path rdf:first ; sh:maxLength 1 ] .",
        {"steps": '["a","bc"]'}, "", "must have at most 1"),
    "inverse": ("[] a sh:NodeShape ; sh:targetClass shop:Task ; sh:property "
                "[ sh:path [ sh:inversePath t:after ] ; sh:maxCount 0 ] .",
                {"after": ITSELF}, "", "must have at most 0"),
}


def line_of(row, field=""):
    """A line of CSV, and the column of a field in it."""
    line, column = "", 1
    for name in FIELDS:
        if name == field:
            column = len(line) + 1
        line += '"' + row.get(name, "").replace('"', '""') + '"' * (
            name in row) + "," if name in row else ","
    return line[:-1] + "\n", column


class Refused(Rows):
    def shaped(self, turtle="", lua=""):
        os.makedirs(self.path("shop/shapes"), exist_ok=True)
        self.write("shop/shapes/more.ttl", TURTLE + turtle)
        self.write("shop/app.lua",
                   TASK + lua + 'shape_file "shapes/more.ttl"\n')

    def tasks(self, text, *options, **more):
        return self.rows("t.csv", text, *options, **{"type": "Task", **more})

    def ids(self, type="Task"):
        return "".join(sorted(n["id"].rsplit("/")[-1]
                              for n in self.nodes(type)))

    def test_rows_that_any_kind_of_shape_refuses(self):
        for name, (turtle, more, field, why) in KINDS.items():
            with self.subTest(name):
                self.shaped(turtle)
                shutil.rmtree(self.path("shop/data"), ignore_errors=True)
                line, column = line_of({"id": "x", "_type": "Job",
                                        "title": "Bad", **more}, field)
                text = ",".join(FIELDS) + "\n" + line + line_of(GOOD)[0]
                place = f"t.csv:2:{column}: "
                code, out, err = self.tasks(text)
                self.assertEqual((code, out), (1, ""))
                told = err.splitlines()
                self.assertTrue(told[0].startswith(place), err)
                self.assertIn(why, told[0])
                self.assertEqual(told[1:], [
                    "trails: the data does not conform: 1 result",
                    NOTHING.strip()])
                self.assertEqual(self.ids(), "")
                code, out, err = self.tasks(text, "--skip-bad")
                self.assertEqual((code, err), (0, told[0] + "\n"))
                self.assertEqual(out, "2 rows read, 1 created, "
                                 "1 bad ones left out\n")
                self.assertEqual(self.ids(), "y")

    SHORT = ('shape "Short" { target = "Task", fields = { '
             '{ "title", text { max_length = 9, optional = true } } } }\n')

    def test_rows_that_refer_to_such_a_row(self):
        self.shaped(lua=self.SHORT)
        text = """id,title,after
a,A,b
b,B,c
c,It is too long,
d,D,c
e,E,d
f,F,f
g,G,h
h,H,g
"""
        code, out, err = self.tasks(text, "--skip-bad", "--dry-run")
        self.assertEqual((code, out), (0, """\
8 rows read, 3 would be created, 5 bad ones left out
Nothing was written: this was a dry run.
"""))
        self.assertEqual(self.ids(), "")
        code, out, err = self.tasks(text, "--skip-bad")
        self.assertEqual((code, out), (
            0, "8 rows read, 3 created, 5 bad ones left out\n"))
        # What a row has brought with it is told behind it.
        self.assertEqual(err.splitlines(), [
            "t.csv:2:5: after: there is no Task b",
            "t.csv:3:5: after: there is no Task c",
            "t.csv:4:3: title must have at most 9 characters",
            "t.csv:5:5: after: there is no Task c",
            "t.csv:6:5: after: there is no Task d"])
        self.assertEqual(self.ids(), "fgh")
        code, out, err = self.tasks(text.replace("f,F,f\ng,G,h\nh,H,g\n", ""))
        self.assertEqual((code, err.splitlines()), (1, [
            "t.csv:4:3: title must have at most 9 characters",
            "trails: the data does not conform: 1 result",
            NOTHING.strip()]))

    def test_a_row_that_is_bad_by_itself_takes_others_with_it(self):
        """It names itself, and yet nobody may refer to it."""
        self.shaped()
        code, out, err = self.tasks(
            "id,title,code,after\na,A,1,\nb,B,1,\nc,C,,b\nd,D,,c\ne,E,,a\n",
            "--skip-bad")
        self.assertEqual(code, 0)
        self.assertEqual(err.splitlines(), [
            "t.csv:3:5: code must be unique: line 2 has the same",
            "t.csv:4:6: after: there is no Task b",
            "t.csv:5:6: after: there is no Task c"])
        self.assertEqual(self.ids(), "ae")

    def test_long_chains(self):
        """Each step costs what it does, and not what all rows do."""
        self.shaped(lua=self.SHORT)
        count = 3000
        ids = list(range(count))
        forward = "".join(f"a{i},A,a{i + 1}\n" for i in ids)
        back = "".join(f"b{i},A,b{i - 1}\n" for i in ids[1:])
        code, out, err = self.tasks(
            f"id,title,after\n{forward}a{count},It is too long,\n"
            f"b0,It is too long,\n{back}z,A,\n", "--skip-bad")
        self.assertEqual((code, out), (
            0, f"{2 * count + 2} rows read, 1 created, "
            f"{2 * count + 1} bad ones left out\n"))
        self.assertEqual(len(err.splitlines()), 2 * count + 1)
        self.assertEqual(self.ids(), "z")

    def test_shapes_that_only_then_refuse(self):
        """Without b nobody refers to a, and then its shape refuses that."""
        self.shaped("[] a sh:NodeShape ; sh:targetClass shop:Job ; sh:property "
                    "[ sh:path [ sh:inversePath t:after ] ; sh:minCount 1 ] .",
                    lua=self.SHORT)
        code, out, err = self.tasks(
            "id,_type,title,after\na,Job,A,trails://shop/Job/c\n"
            "b,Task,It is too long,trails://shop/Job/a\nc,Job,C,\n"
            "d,Task,D,\n", "--skip-bad")
        self.assertEqual((code, out), (
            0, "4 rows read, 1 created, 3 bad ones left out\n"))
        self.assertEqual(err.splitlines(), [
            "t.csv:3:8: title must have at most 9 characters",
            "t.csv:2:1: ^<trails://shop/Task#after> must have at least 1 value",
            "t.csv:4:1: ^<trails://shop/Task#after> must have at least 1 value"])
        self.assertEqual(self.ids(), "d")

    def test_a_node_that_must_be_there(self):
        """One that a shape names is looked at though no row brings it."""
        self.shaped(f"[] a sh:NodeShape ; sh:targetNode <{ITSELF}> ; "
                    "sh:property [ sh:path t:size ; sh:minCount 1 ] .")
        code, out, err = self.tasks("id,_type,title,size\nx,Job,A,\n"
                                    "y,Task,B,\n", "--skip-bad")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err.splitlines(), [
            "t.csv:2:9: size must have at least 1 value",
            f"{ITSELF}: size must have at least 1 value",
            "trails: the data does not conform: 1 result",
            NOTHING.strip()])
        self.assertEqual(self.ids(), "")
        self.assertEqual(self.tasks("id,_type,title,size\nx,Job,A,1\n"
                                    "y,Task,B,\n", "--skip-bad")[0], 0)

    BUSY = ("[] a sh:NodeShape ; sh:targetClass shop:Person ; sh:property "
            "[ sh:path [ sh:inversePath t:by ] ; sh:maxCount 1 ] .")

    def test_a_bad_node_that_came_from_no_row(self):
        self.shaped(self.BUSY, lua=self.SHORT)
        self.assertEqual(self.rows("p.csv", "id,email\np,p@q\nq,q@q\n",
                                   type="Person")[0], 0)
        text = "id,title,by\na,A,p@q\nb,{},p@q\nc,It is too long,q@q\n"
        code, out, err = self.tasks(text.format("B"), "--skip-bad")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err.splitlines(), [
            "t.csv:4:3: title must have at most 9 characters",
            "trails://shop/Person/p: ^<trails://shop/Task#by> must have at most 1 value",
            "trails: the data does not conform: 1 result",
            NOTHING.strip()])
        self.assertEqual(self.ids(), "")
        # It is good again once the row is left out that is bad by itself.
        code, out, err = self.tasks(text.format("B is too long"), "--skip-bad")
        self.assertEqual((code, out), (
            0, "3 rows read, 1 created, 2 bad ones left out\n"))
        self.assertEqual(self.ids(), "a")

    def test_nodes_stay_as_they_are_that_a_bad_row_would_replace(self):
        self.shaped(lua=self.SHORT)
        self.assertEqual(self.tasks("id,title,size\na,A,1\nb,B,2\n")[0], 0)
        text = "id,title,size,after\na,It is too long,9,\nb,B,3,a\nc,C,,a\n"
        code, out, err = self.tasks(text, "--skip-bad", "--replace")
        self.assertEqual((code, out), (
            0, "3 rows read, 1 created, 1 changed, 1 bad ones left out\n"))
        self.assertEqual(err, "t.csv:2:3: title must have at most 9 "
                         "characters\n")
        nodes = {n["id"][-1]: n for n in self.nodes("Task")}
        self.assertEqual({k: (n["title"], n.get("size"))
                          for k, n in nodes.items()},
                         {"a": ("A", 1), "b": ("B", 3), "c": ("C", None)})
        code, out, err = self.trails("validate")
        self.assertEqual((code, out), (0, "The data conforms.\n"))

    def test_a_unique_value_that_only_a_bad_row_would_give_up(self):
        self.shaped(lua=self.SHORT)
        self.assertEqual(self.tasks("id,title,code\na,A,1\n")[0], 0)
        code, out, err = self.tasks(
            "id,title,code\na,It is too long,2\nb,B,1\nc,C,3\n", "--skip-bad",
            "--replace")
        self.assertEqual((code, out), (
            0, "3 rows read, 1 created, 2 bad ones left out\n"))
        self.assertEqual(err.splitlines(), [
            "t.csv:2:3: title must have at most 9 characters",
            "t.csv:3:5: code must be unique: trails://shop/Task/a has the "
            "same"])
        self.assertEqual(self.ids(), "ac")

    def test_rows_of_several_files_and_of_json(self):
        self.shaped(lua=self.SHORT)
        a = self.write("a.ndjson", '{"id": "a", "title": "A", "after": "b"}\n'
                       '{"id": "c", "title": "C"}\n')
        b = self.write("b.json", '[{"id": "b",\n  "title": "It is too long"}]')
        code, out, err = self.trails("import", "--type", "Task", "--skip-bad",
                                     a, b)
        self.assertEqual((code, out), (
            0, "3 rows read, 1 created, 2 bad ones left out\n"))
        self.assertEqual(err.splitlines(), [
            f"{a}:1:27: after: there is no Task b",
            f"{b}:2:3: title must have at most 9 characters"])
        self.assertEqual(self.ids(), "c")

    def test_more_than_are_known_at_a_time(self):
        """Results are kept up to a bound: then it takes several times."""
        self.shaped(lua=self.SHORT)
        rows = "".join(f"n{i},It is too long\n" for i in range(10100))
        path = self.write("t.csv", f"id,title\n{rows}z,Good\n")
        release = os.path.join(os.path.dirname(TRAILS), "..", "release",
                               "trails")
        done = subprocess.run(
            [release, "import", "--app", self.app, "--type", "Task",
             "--skip-bad", path], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stdout), (
            0, "10101 rows read, 1 created, 10100 bad ones left out\n"))
        self.assertEqual(len(done.stderr.splitlines()), 10000)
        self.assertEqual(self.ids(), "z")


if __name__ == "__main__":
    unittest.main()
