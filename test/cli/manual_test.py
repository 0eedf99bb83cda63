#!/usr/bin/env python3
"""Every block of the pages for authors is run, as it stands there: what it defines
is called, what it shows is typed into a shell. A block that no run here is about
fails, and so does a run whose block has gone. Drives the sanitized binary."""
import os
import re
import subprocess
import tempfile
import time
import unittest

import call_test

ROOT = os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
PATIENCE = 60


def by_day(day, night):
    """What to expect of a policy that lets nothing through at night (UTC)."""
    return day if 8 <= time.gmtime().tm_hour < 18 else night


# Of each block, in order: a part of it, and its runs: what is called, with which
# arguments, and what is in the answer (after "!": of the error). "lua ..." is the
# body of a handler; for arguments there may be what a person answers at a terminal.
AUTHORING = [
    ('capability "greet"', [
        ("greet", '{"name": "Ada"}', "Hello, Ada!"),
        ("greet", '{"name": ""}', "!name must have at least 1 character")]),
    ("-- lib/money.lua", []),
    ('require "lib.money"', [("lua return money.cents(1.5)", "{}", "150")]),
    ('capability "note"', [
        ("note", '{"text": "x"}', "trails://local/Entry/"),
        ("lua return #ctx.kg:quads { graph = "
         "'http://example.org/log/today' }", "{}", "1")]),
    ('object "Address"', [
        ("lua local c = ctx.kg:create('Customer', { name = 'Ada',"
         " home = { street = 'A', city = 'Ulm' }, depots = { { street = 'B',"
         " city = 'Bonn' } }, route = { 'b', 'a', 'b' } })"
         " return c.home.city .. #c.depots .. c.route[3]", "{}", "Ulm1b"),
        ("lua ctx.kg:create('Customer', { name = 'Ada', depots = {"
         " { street = 'B', city = 'B' } } })", "{}",
         "!depots[0].city must have at least 2 characters")]),
    ('node_type "Requirement"', [
        ("lua return ctx.kg:create('Requirement', { project = 'P',"
         " number = 1, title = 'It flies' }).status", "{}", "proposed"),
        ("lua ctx.kg:create('Risk', { project = 'P', number = 2,"
         " title = 'It falls', likelihood = 0.5 })", "{}",
         "!owner must have at least 1 value"),
        ("lua local ada = ctx.kg:create('Person', { name = 'Ada' })"
         " return ctx.kg:create('Risk', { project = 'P', number = 2,"
         " title = 'It falls', likelihood = 0.5, owner = ada })._type", "{}",
         "Risk")]),
    ('node_type "TestCase"', [
        ("create_test_case", '{"title": "It is looked at"}', '"_version": 1'),
        ("create_test_case", '{"title": "It is looked at", "result": "none"}',
         "!result must be one of"),
        ("lua local made = ctx:invoke('add_test', { title = 'It is looked at',"
         " result = 'passed' }) return made.title .. tostring(made.result)",
         "{}", "It is looked atnil")]),
    ('capability "tag"', [
        ("tag", '{"name": "a name that is longer than it may be"}',
         "!name must have at most 20 characters"),
        ("tag", '{"name": "short"}', "trails://local/Tag/")]),
    ('capability "open_ticket"', [
        ("open_ticket", '{"title": "It rattles"}', "T-1001")]),
    ('capability "weather"', [
        ("weather", '{"city": "Ulm"}', "!no answer: ")]),
    ("trails new greeter", ["Hello, Ada!"] * 4),
    ("trails new kiosk", [
        "kiosk/app.lua:47: 'capabilty' is not defined, did you mean 'capability'?"]),
]
GENERATORS = [
    ("trails new notes", ['+node_type "Note" {', '+node_type "Note" {',
                          '+capability "add_note" {', '  "title": "Milk"']),
]
GUARDS = [
    ('capability "pay"', [
        ("lua return ctx.kg:create('Order', { status = 'open' }).id", "{}",
         "trails://local/Order/"),
        ("lua local order = ctx.kg:where('Order', {})[1]"
         " ctx:invoke('pay', { order = order.id })"
         " return ctx.kg:get(order.id).status", "{}",
         by_day("paid", "!come back in the morning"))]),
    ('node_type "Case"', [
        ("create_case", '{"id": "7", "title": "T"}', "trails://local/Case/7"),
        ("update_case", '{"id": "7", "title": "U"}', "!ask the clerk"),
        ("find_case", '{}', '"title": "T"')]),
    ('node_type "Report"', [
        ("create_report", '{"title": "T", "grade": 1}', "!grade is not a"),
        ("create_report", '{"title": "T"}', '"title": "T"'),
        ("lua ctx.kg:create('Complaint', { title = 'C', about = 'a' })"
         " local all = ctx.kg:where('Report', {}) return #all .. all[1].grade",
         "{}", "20"),
        ("find_report", '{}', '"title": "T"')]),
]
CALLS = [
    ('capability "confirm"', [
        ("confirm", {"ok": ["y"], "Send": [""]}, "yes"),
        ("confirm", {"ok": ["n"], "Send": [""]}, "no")]),
]
FIELDS = [
    ('node_type "Invoice"', [
        ("create_invoice", '{"number": "A-1", "issued": "2026-07-28", '
         '"amount": "12.50", "send_to": "ada@example.org", '
         '"meta": {"channel": "web"}}', '"amount": "12.5"'),
        ("find_invoice", '{"number": "A-1"}', '"cut_off": "18:00:00"'),
        ("find_invoice", '{"payable_in": "P30D"}', '"number": "A-1"'),
        ("create_invoice", '{"number": "A-2", "issued": "2019-12-31", '
         '"amount": "1.005", "send_to": "ada", "meta": {"channel": 5}}',
         "!validation failed on 4 field(s)"),
        ("create_invoice", '{"number": "A-1", "issued": "2026-07-28", '
         '"amount": "1", "send_to": "ada@example.org"}',
         "!number must be unique")]),
]


BUILDING = [
    ("trails new shelf", [
        '  "ok": false,', '      "file": "app.lua",', '      "line": 1,',
        '  "created": 1,', '      "name": "Person",', '      "name": "Book",',
        '      "instances": 2,', '  "conforms": true,']),
]


def blocks_of(page):
    """(language, text, line) of each block with a language; what a page shows
    as output has none."""
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        text = file.read()
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.M | re.S):
        yield found[1], found[2], text[:found.start()].count("\n") + 1


class Manual(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.folder = os.path.join(self.scratch, "app")
        self.environ = {**os.environ, "PATH": os.path.dirname(TRAILS) + ":"
                        + os.environ["PATH"]}

    def matched(self, page, steps):
        """The blocks of a page, each with the runs that are about it."""
        blocks = list(blocks_of(page))
        places = [f"{page}:{line}" for _, _, line in blocks]
        for (_, text, _), place, (part, _) in zip(blocks, places, steps):
            self.assertIn(part, text, f"{place} is not what is run here")
        self.assertEqual(len(blocks), len(steps),
                         f"blocks of {page} that nothing here runs: "
                         f"{places[len(steps):]}")
        return [(language, text, place, runs) for (language, text, _), place,
                (_, runs) in zip(blocks, places, steps)]

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def trails(self, *words):
        done = subprocess.run([TRAILS, *words], cwd=self.scratch, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=PATIENCE, env=self.environ)
        return done.returncode, done.stdout, done.stderr

    def app_of(self, blocks):
        """All of a page is one app; handlers of ours stand behind."""
        source, number = "", 0
        for language, text, _, runs in blocks:
            module = re.match(r"-- (lib/\S+)\n", text)
            if module:
                self.write(module[1], text)
            elif language == "lua":
                source += text + "\n"
            for i, run in enumerate(runs):
                if run[0].startswith("lua "):
                    number += 1
                    source += (f'capability "run_{number}" {{ description = '
                               f'"d", side_effects = {{ graph_writes = {{ "*" '
                               f'}} }}, run = function(ctx) {run[0][4:]} end '
                               f'}}\n')
                    runs[i] = (f"run_{number}", *run[1:])
        self.write("app.lua", source)
        self.write("trails.toml", '[project]\nname = "local"\n')
        self.assertEqual(self.trails("check", "app")[0], 0,
                         self.trails("check", "app")[2])

    def check_call(self, name, arguments, wanted, place):
        if isinstance(arguments, dict):
            code, out, err = call_test.Terminal.converse(self, name, arguments)
        else:
            code, out, err = self.trails("call", name, "--app", "app",
                                         "--json", arguments)
        failed = wanted.startswith("!")
        about = f"{place}: {name} {arguments}: {out}{err}"
        self.assertEqual(code, int(failed), about)
        self.assertIn(wanted.lstrip("!"), err + out if failed else out, about)

    def check_shell(self, text, wanted, place):
        script = text.replace("/tmp/", self.scratch + "/")
        os.makedirs(os.path.join(self.scratch, "try"), exist_ok=True)
        done = subprocess.run(["sh", "-eu", "-c", script], cwd=self.scratch,
                              text=True, capture_output=True, env=self.environ,
                              stdin=subprocess.DEVNULL, timeout=4 * PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), place)
        said = [line for line in done.stdout.splitlines() if line in wanted]
        self.assertEqual(said, wanted, f"{place}: {done.stdout}")

    def run_page(self, page, steps):
        blocks = self.matched(page, steps)
        self.app_of([block for block in blocks if block[0] == "lua"])
        for language, text, place, runs in blocks:
            if language == "sh":
                self.check_shell(text, runs, place)
            else:
                self.assertTrue(runs or text.startswith("-- lib/"), place)
                for run in runs:
                    self.check_call(*run, place)

    def test_writing_an_app(self):
        self.run_page("docs/authoring.md", AUTHORING)

    def test_who_may_and_when(self):
        self.run_page("docs/guards.md", GUARDS)

    def test_what_becomes_of_a_call(self):
        self.run_page("docs/calls.md", CALLS)

    def test_generators(self):
        self.run_page("docs/generators.md", GENERATORS)

    def test_building_over_mcp(self):
        self.run_page("docs/building-agents.md", BUILDING)

    def test_fields(self):
        self.run_page("docs/fields.md", FIELDS)


class Length(unittest.TestCase):
    # What people read in twenty minutes, at 250 words in each; an example is
    # looked at, and is not counted.
    WORDS = 5000

    def test_writing_an_app_is_read_in_twenty_minutes(self):
        with open(os.path.join(ROOT, "docs/authoring.md"),
                  encoding="utf-8") as file:
            text = re.sub(r"^```.*?^```$", "", file.read(),
                          flags=re.M | re.S)
        words = [word for word in text.split() if re.search(r"\w", word)]
        self.assertLessEqual(len(words), self.WORDS)


if __name__ == "__main__":
    unittest.main()
