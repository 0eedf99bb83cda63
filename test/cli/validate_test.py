#!/usr/bin/env python3
"""`trails validate` and `trails schema`: reports, exit codes, faults. Drives
the sanitized binary."""
import json
import os
import pty
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
PREFIXES = """@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix ex: <http://e/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
SHAPES = PREFIXES + """
ex:PersonShape a sh:NodeShape ; sh:targetClass ex:Person ;
    sh:property [ sh:path ex:name ; sh:datatype xsd:string ; sh:minCount 1 ;
                  sh:maxCount 1 ; sh:pattern "^[A-Z]" ] ,
                [ sh:path ex:age ; sh:datatype xsd:integer ; sh:maxCount 1 ;
                  sh:minInclusive 0 ; sh:message "nobody is that young" ] .
"""
GOOD = PREFIXES + 'ex:a a ex:Person ; ex:name "Ada" ; ex:age 36 .'
BAD = PREFIXES + 'ex:a a ex:Person ; ex:name "ada" ; ex:age -1 .'


def trails(*arguments, stdin="", **options):
    done = subprocess.run([TRAILS, *arguments], input=stdin.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=60, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.shapes = self.path("shapes.ttl", SHAPES)
        self.good = self.path("good.ttl", GOOD)
        self.bad = self.path("bad.ttl", BAD)

    def path(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def validate(self, data, *more):
        return trails("validate", "--shapes", self.shapes, "--data", data,
                      *more)


class Validate(Files):
    def test_data_that_conforms(self):
        self.assertEqual(self.validate(self.good),
                         (0, "The data conforms.\n", ""))

    def test_a_report_for_people(self):
        self.assertEqual(
            self.validate(self.bad),
            (1, 'ex:a\n'
                '  ex:name "ada": must match ^[A-Z]\n'
                '  ex:age -1: nobody is that young (must be at least 0)\n'
                '\n'
                '2 results: the data does not conform.\n', ""))

    def test_a_message_stays_on_its_line(self):
        shapes = self.path("loud.ttl", PREFIXES + '''
            ex:S sh:targetNode ex:a ; sh:class ex:B ;
                sh:message "one\\ntwo\\u001b[2J" .''')
        self.assertEqual(
            trails("validate", "--shapes", shapes, "--data", self.good),
            (1, 'ex:a\n  the node: one two [2J (must be an instance of ex:B)\n'
                '\n1 result: the data does not conform.\n', ""))

    def test_field_errors_for_programs(self):
        code, out, err = self.validate(self.bad, "--format", "json")
        report = json.loads(out)
        self.assertEqual((code, err), (1, ""))
        self.assertEqual((report["conforms"], report["count"]), (False, 2))
        first, second = report["results"]
        self.assertEqual(
            {key: first[key] for key in ("node", "path", "field", "code",
                                         "message", "value", "constraint",
                                         "severity", "component")},
            {"node": "http://e/a", "path": "http://e/name", "field": "name",
             "code": "pattern", "message": "name must match ^[A-Z]",
             "value": "ada", "constraint": "^[A-Z]", "severity": "Violation",
             "component": "PatternConstraintComponent"})
        self.assertEqual((second["code"], second["value"],
                          second["constraint"], second["message"]),
                         ("min_value", -1, 0, "nobody is that young"))
        code, out, _ = self.validate(self.good, "--format=json")
        self.assertEqual((code, json.loads(out)),
                         (0, {"conforms": True, "count": 0, "results": []}))

    def test_a_report_as_turtle_can_be_read(self):
        code, out, err = self.validate(self.bad, "--format", "ttl")
        self.assertEqual((code, err), (1, ""))
        code, lines, err = trails("convert", "--from", "ttl", "--to", "nt",
                                  "-", "-", stdin=out)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(lines.count("ValidationResult>"), 2)
        self.assertIn('conforms> "false"', lines)

    def test_the_limit_shows_less_and_counts_all(self):
        code, out, _ = self.validate(self.bad, "--limit", "1")
        self.assertEqual(code, 1)
        self.assertNotIn("young", out)
        self.assertIn("2 results, of which 1 are shown: the data does not",
                      out)

    def test_several_files_are_one_graph(self):
        more = self.path("more.nt", "_:x <http://e/name> <http://e/y> .\n")
        rest = self.path("rest.ttl", PREFIXES + "ex:a ex:age 1 .")
        part = self.path("part.ttl", PREFIXES + 'ex:a a ex:Person ; '
                                                'ex:name "A" .')
        two = self.path("two.ttl", PREFIXES + "ex:S a sh:NodeShape ; "
                        "sh:targetSubjectsOf ex:age ; sh:class ex:Robot .")
        for arguments in (["--data", part, rest, more],
                          ["--data", part, "--data", rest, "--data", more]):
            code, out, err = trails("validate", "--shapes", self.shapes, two,
                                    *arguments)
            self.assertEqual((code, err), (1, ""))
            self.assertIn("must be an instance of ex:Robot", out)
            self.assertIn("1 result:", out)

    def test_faults_have_their_place_and_exit_with_2(self):
        broken = self.path("broken.ttl", "@prefix e: <http://e/> .\ne:a x")
        code, out, err = self.validate(broken)
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(err.startswith(f"trails: {broken}:2:"), err)
        self.assertEqual(self.validate(self.folder + "/gone.nt"),
                         (2, "", f"trails: {self.folder}/gone.nt: cannot open "
                                 "it: No such file or directory\n"))

    def test_ill_formed_shapes_are_named(self):
        rows = [
            ("ex:S sh:targetNode ex:a ; sh:datatype 3 .",
             "shape http://e/S: sh:datatype must be an IRI"),
            ("ex:S sh:targetNode ex:a ; sh:node ex:S .",
             "shape http://e/S: it refers to itself: recursive shapes have no "
             "meaning in SHACL"),
        ]
        for text, words in rows:
            with self.subTest(text):
                self.shapes = self.path("ill.ttl", PREFIXES + text)
                self.assertEqual(self.validate(self.good),
                                 (2, "", f"trails: {words}\n"))

    def test_shapes_that_check_nothing_are_told_of(self):
        for text, words in (
                ("", "there are no shapes"),
                ("ex:a ex:b ex:c .", "there are no shapes"),
                ("ex:S a sh:NodeShape ; sh:class ex:A .",
                 "none of the shapes has a target")):
            with self.subTest(text):
                self.shapes = self.path("none.ttl", PREFIXES + text)
                self.assertEqual(
                    self.validate(self.bad),
                    (2, "", f"trails: nothing was checked: {words}\n"))
        self.shapes = self.path("other.ttl", PREFIXES + "ex:S a sh:NodeShape ;"
                                " sh:targetClass ex:Robot ; sh:class ex:A .")
        self.assertEqual(
            self.validate(self.bad),
            (0, "The data conforms.\n", "trails: warning: nothing was checked:"
             " no node of the data is a target\n"))

    def test_terms_that_are_none_of_shacl_are_told_of(self):
        self.shapes = self.path("typos.ttl", PREFIXES + """
            ex:S a sh:Nodeshape, sh:NodeShape ; sh:targetNode ex:a ;
                sh:targetclass ex:B ; sh:defaultValue 1 ;
                sh:property [ sh:path ex:name ; sh:minCout 2 ] ,
                    [ sh:path ex:age ; sh:minCout 1 ; sh:zzzzzzzz 1 ] .""")
        code, out, err = self.validate(self.good)
        self.assertEqual((code, out), (0, "The data conforms.\n"))
        self.assertEqual(sorted(err.splitlines()), [
            f"trails: warning: sh:{term} is no term of SHACL: nothing checks "
            f"it{meant}" for term, meant in (
                ("Nodeshape", "; did you mean sh:NodeShape?"),
                ("minCout", "; did you mean sh:minCount?"),
                ("targetclass", "; did you mean sh:targetClass?"),
                ("zzzzzzzz", ""))])

    def test_the_kind_of_a_value_is_told(self):
        self.shapes = self.path("kinds.ttl", PREFIXES + """
            ex:S sh:targetSubjectsOf ex:p ;
                sh:property [ sh:path ex:p ; sh:in ( 1 ) ] ;
                sh:not [ sh:path ex:p ; sh:minCount 1 ] .""")
        data = self.path("kinds.nt", """
            <http://e/a> <http://e/p> <http://e/x> .
            <http://e/a> <http://e/p> "http://e/x" .
            <http://e/a> <http://e/p> _:b .
            _:c <http://e/p> "_:b" .
            <http://e/a> <http://e/p> "2"^^<http://e/d> .""")
        code, out, _ = self.validate(data, "--format", "json")
        self.assertEqual(code, 1)
        found = [(one["node_kind"], one["value_kind"])
                 for one in json.loads(out)["results"]
                 if one["code"] == "one_of"]
        self.assertEqual(sorted(found), [
            ("blank", "literal"), ("iri", "blank"), ("iri", "iri"),
            ("iri", "literal"), ("iri", "literal")])

    def test_wrong_use_is_named(self):
        rows = [
            (["--data", "x.ttl"], "'validate' with --data needs --shapes"),
            (["--shapes", "x.ttl", "--data", "x.ttl", "--app", "x"],
             "either --data or --app, not both"),
            (["--data"], "option '--data' needs a value: FILE..."),
            (["--shapes", "x.ttl", "--data", "y.nt", "--format", "xml"],
             "unknown format 'xml': text, ttl or json"),
            (["--shapes", "x.ttl", "--data", "y.nt", "--limit", "0"],
             "--limit must be a number from 1 to 1000000"),
            (["x.ttl"], "unexpected argument 'x.ttl'; "
                        "see 'trails help validate'"),
            (["--shapes", "x.ttl", "--", "y"], "unexpected argument 'y'; "
             "see 'trails help validate'"),
        ]
        for arguments, words in rows:
            with self.subTest(arguments):
                self.assertEqual(trails("validate", *arguments),
                                 (2, "", f"trails: {words}\n"))

    def test_progress_is_shown_on_a_terminal_only(self):
        main, other = pty.openpty()
        done = subprocess.run(
            [TRAILS, "validate", "--shapes", self.shapes, "--data", self.good],
            stdout=subprocess.PIPE, stderr=other, timeout=60,
            env={**os.environ, "TERM": "xterm"})
        os.close(other)
        shown = os.read(main, 4096).decode()
        os.close(main)
        self.assertEqual((done.returncode, done.stdout),
                         (0, b"The data conforms.\n"))
        self.assertIn("of 1 nodes", shown)
        self.assertTrue(shown.endswith("\r\033[K"))


class Schema(Files):
    def test_a_shape_by_iri_class_and_end(self):
        outputs = set()
        for name in ("http://e/PersonShape", "PersonShape", "http://e/Person",
                     "Person"):
            code, out, err = trails("schema", "--shapes", self.shapes,
                                    "--type", name)
            self.assertEqual((code, err), (0, ""))
            outputs.add(out)
        self.assertEqual(len(outputs), 1)
        self.assertEqual(json.loads(outputs.pop()), {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {
                "age": {"minimum": 0, "type": "integer"},
                "name": {"pattern": "^[A-Z]", "type": "string"}},
            "required": ["name"], "type": "object"})

    def properties(self, *lines):
        """Of the schema of a shape with one property, ex:p."""
        shapes = self.path(
            "property.ttl", PREFIXES + "ex:S a sh:NodeShape ; sh:property [ "
            "sh:path ex:p ; sh:maxCount 1 ; " + " ; ".join(lines) + " ] .")
        code, out, err = trails("schema", "--shapes", shapes, "--type", "S")
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)["properties"]

    def test_a_datatype_is_a_kind_of_field(self):
        for datatype, expected in [
                ("date", {"format": "date", "type": "string"}),
                ("anyURI", {"format": "uri", "type": "string"}),
                ("dateTime", {"format": "date-time", "type": "string"})]:
            with self.subTest(datatype):
                found = self.properties(f"sh:datatype xsd:{datatype}")
                self.assertEqual(found["p"], expected)
        for datatype in "time", "dayTimeDuration":
            found = self.properties(f"sh:datatype xsd:{datatype}")
            self.assertIn("pattern", found["p"])

    def test_numbers_are_written_as_json_has_them(self):
        for lines, expected in [
                (["sh:datatype xsd:integer", "sh:minInclusive -007"],
                 {"minimum": -7, "type": "integer"}),
                (["sh:datatype xsd:integer", "sh:in ( +5 007 5 'x' )"],
                 {"enum": [5, 7], "type": "integer"}),
                (["sh:datatype xsd:double", "sh:in ( 1.5e0 2.0 )"],
                 {"enum": [1.5], "type": "number"}),
                (["sh:datatype xsd:decimal", "sh:minExclusive .5",
                  "sh:maxExclusive 2e1"],
                 {"exclusiveMaximum": 20, "exclusiveMinimum": 0.5,
                  "type": "number"}),
                (["sh:datatype xsd:integer", "sh:minInclusive 1.5",
                  "sh:maxInclusive 1.25e1"],
                 {"exclusiveMinimum": 1, "maximum": 12, "type": "integer"}),
                (["sh:datatype xsd:integer", "sh:minInclusive -1.5",
                  "sh:maxExclusive -0.5"],
                 {"exclusiveMaximum": 0, "minimum": -1, "type": "integer"}),
                (["sh:datatype xsd:byte", "sh:maxInclusive 9"],
                 {"maximum": 9, "minimum": -128, "type": "integer"})]:
            self.assertEqual(self.properties(*lines), {"p": expected})

    def test_a_default_is_told_unless_the_field_refuses_it(self):
        for lines, expected in [
                (["sh:datatype xsd:integer", "sh:defaultValue 007"],
                 {"default": 7, "type": "integer"}),
                (["sh:datatype xsd:string", "sh:pattern '^a'",
                  "sh:defaultValue 'ab'"],
                 {"default": "ab", "pattern": "^a", "type": "string"}),
                (["sh:datatype xsd:string", "sh:pattern '^a'",
                  "sh:defaultValue 'b'"], {"pattern": "^a", "type": "string"}),
                (["sh:nodeKind sh:IRI", "sh:defaultValue ex:a"],
                 {"default": "http://e/a", "format": "iri", "type": "string"}),
                (["sh:datatype xsd:integer", "sh:defaultValue 1, 2"],
                 {"type": "integer"}),
                (["sh:datatype xsd:integer", "sh:defaultValue 'x'"],
                 {"type": "integer"})]:
            with self.subTest(lines):
                self.assertEqual(self.properties(*lines), {"p": expected})

    def test_what_a_table_cannot_say_is_left_out(self):
        self.assertEqual(self.properties("sh:nodeKind sh:IRI"),
                         {"p": {"format": "iri", "type": "string"}})
        self.assertEqual(self.properties("sh:in ( 1 )"), {})
        self.assertEqual(
            self.properties("sh:datatype xsd:integer", "sh:in ( 'x' )",
                            "sh:minInclusive 'x'"),
            {"p": {"type": "integer"}})

    def test_a_type_that_is_not_there(self):
        self.assertEqual(
            trails("schema", "--shapes", self.shapes, "--type", "Robot"),
            (1, "", "trails: no shape is called 'Robot'\n"))
        self.assertEqual(trails("schema", "--type", "Robot"),
                         (2, "", "trails: 'schema' needs --shapes and "
                                 "--type\n"))


if __name__ == "__main__":
    unittest.main()
