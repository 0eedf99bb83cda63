#!/usr/bin/env python3
"""`trails explain`: how a query would be answered, what scans, and which index to
declare. Drives the sanitized binary."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
APP = os.path.join(ROOT, "test", "apps", "tickets")

LATE = {"below": "2026-01-01T00:00:00Z"}
BEHIND = "index = true for the field name of Agent"
SINCE = {"owner.since": {"min": "2026-01-01"}}

# The filter and the order, and what is said: of leads, index, checks, and the rest.
ROWS = [
    ({}, "", [], None, [], {}),
    ({"state": "open"}, "", ["state one_of"], None, [], {}),
    ({"owner.account": "acme"}, "", ["owner.account one_of"], None, [], {}),
    ({"any": [{"state": "open"}, {"size": 3}]}, "", ["any"], None, [], {}),
    ({"size": {"min": 3}}, "", [], None, ["size min"],
     {"scans": True, "declare": "index = true for the field size"}),
    ({"state": "open"}, "-size", ["state one_of"], None, [],
     {"sorts": True, "declare": "index = true for the field size"}),
    ({}, "opened", [], "Ticket by opened", [], {}),
    ({"due": {"below": "2026-01-01T00:00:00Z"}}, "due", ["due below"], "Ticket by due", [], {}),
    ({"due": {"below": "2026-01-01T00:00:00Z"}}, "", ["due below"], "Ticket by due", [], {}),
    ({"state": "open", "title": {"prefix": "a"}}, "-due", ["state one_of"],
     "Ticket by state, -due", ["title prefix"], {}),
    ({"any": [{"due": LATE}, {"opened": LATE}]}, "", ["any"],
     "Ticket by due; Ticket by opened", [], {}),
    ({"any": [{"due": LATE}, {"owner": "ann"}]}, "", ["any"], "Ticket by due", [], {}),
    ({"any": [{"due": LATE}, {"size": {"min": 3}}]}, "", [], None, ["any"],
     {"scans": True, "declare": "index = true for the field size"}),
    (SINCE, "", ["owner.since min"], "Agent by since, back along owner", [], {}),
    ({"size": {"min": 3}, **SINCE}, "-due", ["owner.since min"],
     "Agent by since, back along owner", ["size min"], {}),
    ({"any": [{"due": LATE}, SINCE]}, "", ["any"],
     "Ticket by due; Agent by since, back along owner", [], {}),
    ({"owner.name": {"min": "b"}}, "", [], None, ["owner.name min"],
     {"scans": True, "declare": BEHIND}),
    ({"any": [{"due": LATE}, {"owner.name": {"prefix": "b"}}]}, "", [], None, ["any"],
     {"scans": True, "declare": BEHIND}),
]

WRONG = [
    (["Tickt"], "there is no type 'Tickt'"),
    (["Ticket", "--filter", "{"], "--filter"),
    (["Ticket", "--filter", "[]"], "a filter is an object of fields"),
    (["Ticket", "--filter", '{"sizes": 3}'], "sizes is not a field; did you mean size"),
    (["Ticket", "--order", "tags"], "tags has no order"),
]


class Explain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="trails-explain-")
        self.env = {**os.environ, "TRAILS_STORE": os.path.join(self.folder, "data")}
        self.assertEqual(self.trails("call", "create_account", "--json",
                                     '{"id": "acme", "domain": "acme.example"}')[0], 0)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def trails(self, *arguments):
        done = subprocess.run([TRAILS, *arguments, "--app", APP], env=self.env, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_what_leads_and_what_is_looked_at_is_said(self):
        for query, order, leads, index, checks, rest in ROWS:
            arguments = ["explain", "Ticket", "--json", "--filter", json.dumps(query)]
            code, out, err = self.trails(*arguments, *(["--order=" + order] if order else []))
            self.assertEqual((code, err), (0, ""), query)
            said = json.loads(out)
            self.assertEqual((said["leads"], said.get("index"), said["checks"]),
                             (leads, index, checks), (query, order))
            self.assertEqual({k: v for k, v in said.items()
                              if k in ("scans", "sorts", "declare") and v}, rest, (query, order))

    def test_people_read_lines(self):
        code, out, err = self.trails("explain", "Ticket", "--filter", '{"size": {"min": 3}}',
                                     "--order", "size")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, "leads:   nothing\nchecks:  size min\n"
                         "scan:    every Ticket is looked at, 50000 at most\n"
                         "sort:    all matches, 10000 at most\n"
                         "declare: index = true for the field size\n")

    def test_what_is_wrong_is_named(self):
        for arguments, part in WRONG:
            code, out, err = self.trails("explain", *arguments)
            self.assertEqual((code, out), (1, ""), arguments)
            self.assertIn(part, err)


if __name__ == "__main__":
    unittest.main()
