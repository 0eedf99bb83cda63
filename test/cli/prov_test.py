#!/usr/bin/env python3
"""Who did what, on the command line: 'trails prov', and what commands leave."""
import json
import os
import pwd
import re
import unittest

from store_test import BROOM, PREFIXES, Store

APP = """
node_type "Thing" {
  fields = { title = text { min_length = 2 }, code = text { optional = true } },
}
capability "make" {
  version = "1.2.0",
  input = { title = text },
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) return ctx.kg:create("Thing", args).id end,
}
capability "look" { run = function() return "seen" end }
"""
USER = pwd.getpwuid(os.getuid()).pw_name
LINE = re.compile(r"([0-9a-f-]{36})  (\S+)Z +(\w+) +(\w+) +(\S+)(?:  (\S+))?$")


class Prov(Store):
    def setUp(self):
        super().setUp()
        self.write("shop/app.lua", APP)

    def call(self, name, **arguments):
        code, _, err = self.trails("call", name, "--json",
                                   json.dumps(arguments))
        return code, err

    def list(self, *words):
        code, out, err = self.trails("prov", "list", "--json", *words)
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)

    def names(self, *words):
        return [row["name"] for row in self.list(*words)]


class List(Prov):
    def test_lines_are_the_newest_first(self):
        self.assertEqual(self.call("make", title="Broom"), (0, ""))
        self.assertEqual(self.call("make", title="x")[0], 1)
        self.assertEqual(self.call("look"), (0, ""))
        code, out, err = self.trails("prov", "list")
        self.assertEqual((code, err), (0, ""))
        rows = [LINE.match(line).groups() for line in out.splitlines()]
        self.assertEqual([row[2:5] for row in rows],
                         [("ok", "tool", "look"), ("refused", "tool", "make"),
                          ("ok", "tool", "make")])
        self.assertEqual(sorted((row[0] for row in rows), reverse=True),
                         [row[0] for row in rows])

    def test_filters(self):
        for name, arguments in [("look", {}), ("make", {"title": "Broom"}),
                                ("look", {})]:
            self.assertEqual(self.call(name, **arguments), (0, ""))
        self.assertEqual(self.names(), ["look", "make", "look"])
        self.assertEqual(self.names("--capability", "look"), ["look"] * 2)
        self.assertEqual(self.names("--capability", "loo"), [])
        self.assertEqual(self.names("--limit", "2"), ["look", "make"])
        middle = self.list()[1]
        self.assertEqual(self.names("--since", middle["started"]),
                         ["look", "make"])
        self.assertEqual(self.names("--principal", "token:nobody"), [])
        self.assertEqual(self.names("--since", "2999-01-01T00:00:00Z"), [])

    def test_more_than_one_page_of_the_store(self):
        self.write("shop/app.lua", APP + """
capability "many" { run = function(ctx)
  for i = 1, 120 do ctx:invoke("look", {}) end
end }""")
        self.assertEqual(self.call("many"), (0, ""))
        self.assertEqual(len(self.list("--limit", "1000")), 121)
        self.assertEqual(len(self.list("--limit", "73")), 73)
        self.assertEqual(len(self.list()), 100)
        code, out, _ = self.trails("prov", "list", "--limit", "1000")
        self.assertEqual((code, len(out.splitlines())), (0, 121))

    def test_mistakes(self):
        self.call("look")
        for words, wanted in [
                (["--since", "noon"], "--since is a time such as"),
                (["--limit", "0"], "--limit is a number from 1 to 100000"),
                (["--limit", "x"], "--limit is a number from 1 to 100000"),
                (["--capability", ""], "--capability needs a name")]:
            code, out, err = self.trails("prov", "list", *words)
            self.assertEqual((code, out), (2, ""), words)
            self.assertIn(wanted, err)


class Show(Prov):
    def test_one_with_all_that_is_known(self):
        self.assertEqual(self.call("make", title="Broom"), (0, ""))
        row = self.list()[0]
        uuid = row["id"].rsplit("/", 1)[1]
        for text in (row["id"], uuid):
            code, out, err = self.trails("prov", "show", "--json", text)
            self.assertEqual((code, err), (0, ""))
            one = json.loads(out)
            self.assertIn("@context", one)
            del one["@context"]
            self.assertEqual(one, row)
        code, out, err = self.trails("prov", "show", uuid)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("\nname         make\nversion      1.2.0\n", out)
        self.assertIn(f'\ngenerated    ["{row["generated"][0]}"]\n', out)
        self.assertNotIn("Broom", out)
        self.assertNotIn("context", out)

    def test_one_that_is_not_there(self):
        self.call("look")
        code, out, err = self.trails(
            "prov", "show", "019fa8cd-1200-7000-8000-000000000001")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, "trails: there is no such activity\n")
        code, out, err = self.trails("prov", "show", "latest")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("'latest' is no id of an activity", err)


class Graph(Prov):
    """Nothing but the recorder writes to the provenance graph."""
    GRAPH = "trails://shop/prov"
    QUADS = (f'<http://e/a> <http://e/p> "1" <{GRAPH}> .\n'
             f'<http://e/a> <http://e/p> "2" <{GRAPH}> .\n'
             '<http://e/b> <http://e/p> "3" <trails://shop/prov2> .\n'
             '<http://e/b> <http://e/p> "4" .\n')

    def test_imports_are_refused_with_their_count(self):
        code, out, err = self.trails("import", self.write("a.nq", self.QUADS))
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, (
            "trails: 2 statement(s) are in the provenance graph, which nothing"
            " but the recorder writes to\n"
            "Nothing was imported; --skip-prov leaves them out.\n"))
        self.assertEqual(self.stats()["quads"], 0)
        code, out, err = self.trails(
            "import", "--graph", self.GRAPH,
            self.write("a.nt", '<http://e/a> <http://e/p> "1" .\n'))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("1 statement(s) are in the provenance graph", err)

    def test_imports_may_leave_them_out(self):
        self.assertEqual(
            self.trails("import", "--skip-prov",
                        self.write("a.nq", self.QUADS)),
            (0, "2 statements read, 2 new, 1 nodes changed\n"
             "2 statements of provenance left out\n", ""))
        self.assertNotIn(f"<{self.GRAPH}>", self.trails("export")[1])

    def test_what_was_exported_comes_back_without_its_provenance(self):
        self.call("make", title="Broom")
        path = self.write("all.nq", self.trails("export", "--prov")[1])
        self.assertEqual(self.trails("import", path)[0], 1)
        self.assertEqual(self.trails("import", "--skip-prov", path)[0], 0)

    def test_handlers_are_refused(self):
        self.write("shop/app.lua", APP + """
capability "forge" {
  input = { graph = text, removes = boolean },
  side_effects = { graph_writes = { "*" } },
  run = function(ctx, args)
    ctx.kg:create("Thing", { title = "Broom" })
    local change = args.removes and ctx.kg.remove or ctx.kg.add
    change(ctx.kg, "http://e/a", "http://e/p", "1", args.graph)
  end,
}""")
        for removes in (False, True):
            code, err = self.call("forge", graph=self.GRAPH, removes=removes)
            self.assertEqual(code, 1)
            self.assertIn("1 statement is in the provenance graph", err)
        self.assertEqual(self.stats()["quads"], 0)
        self.assertEqual(self.call("forge", graph="http://e/g",
                                   removes=False), (0, ""))


class Commands(Prov):
    def commands(self):
        """What commands have left, the oldest first."""
        return [row for row in reversed(self.list())
                if row["kind"] == "command"]

    def test_each_that_writes_leaves_who_ran_it(self):
        backup = self.path("backup.db")
        made = None
        for words in [["import", self.write("a.ttl", BROOM)],
                      ["token", "create", "--scope", "runtime", "--json"],
                      ["token", "revoke"], ["backup", backup],
                      ["restore", backup], ["compact"], ["stats"],
                      ["token", "list"], ["export"], ["validate"],
                      ["prov", "list"]]:
            if words == ["token", "revoke"]:
                words.append(made)
            code, out, err = self.trails(*words)
            self.assertEqual((code, err), (0, ""), words)
            if "create" in words:
                made = json.loads(out)["id"]
        rows = self.commands()
        self.assertEqual([row["name"] for row in rows],
                         ["import", "token create", "token revoke", "restore",
                          "compact"])
        for row in rows:
            self.assertEqual(row["principal"], f"local:{USER}")
            self.assertEqual((row["outcome"], row["wrote"]), ("ok", True))
        self.assertEqual(rows[0]["left_out"], {"generated": 1})
        self.assertEqual(len(self.list("--principal", f"local:{USER}")), 5)

    def test_one_that_fails_leaves_nothing(self):
        self.assertEqual(self.trails("import", self.write(
            "a.ttl", PREFIXES + "e:a a t:Thing .\n"))[0], 1)
        self.assertEqual(self.trails("token", "revoke", "none")[0], 1)
        self.assertEqual(self.trails("restore", self.path("none"))[0], 1)
        self.assertEqual(self.commands(), [])

    def test_a_call_names_its_user(self):
        self.assertEqual(self.call("look"), (0, ""))
        self.assertEqual(self.call("make", title="Broom"), (0, ""))
        self.assertEqual([row["principal"] for row in self.list()],
                         [f"local:{USER}"] * 2)


if __name__ == "__main__":
    unittest.main()
