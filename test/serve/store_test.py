#!/usr/bin/env python3
"""The commands of the store beside a server that has it open: what one does,
the other sees with its next call, and neither stops."""
import json
import os
import subprocess
import unittest

from server import TRAILS, Server

APP = '''
node_type "Thing" {
  description = "A thing.",
  fields = {
    title = text { min_length = 2, search = true },
    code = text { unique = true },
  },
}
capability "add" {
  description = "Adds one.",
  input = { title = text, code = text },
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) return ctx.kg:create("Thing", args).id end,
}
capability "remove" {
  description = "Removes one.",
  input = { id = text },
  side_effects = { graph_writes = { "default" } },
  run = function(ctx, args) ctx.kg:delete(args.id) return "gone" end,
}
capability "titles" {
  description = "Of all that begin so.",
  input = { start = text },
  run = function(ctx, args)
    local titles = {}
    for _, node in ipairs(ctx.kg:list("Thing")) do
      if node.label:sub(1, #args.start) == args.start then
        titles[#titles + 1] = node.label:sub(#args.start + 1)
      end
    end
    table.sort(titles)
    return table.concat(titles, ",")
  end,
}
'''
TOML = '[project]\nname = "shop"\n'
THING = ('<http://e/{0}> a <trails://shop/Thing> ; '
         '<trails://shop/Thing#title> "{0}" ; '
         '<trails://shop/Thing#code> "{0}" .\n')


class Beside(unittest.TestCase):
    """One server for all; the names of a test begin with its own letter."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(TOML, APP)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def trails(self, *words):
        done = subprocess.run([TRAILS, *words, "--app", self.server.folder],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def load(self, *names):
        self.server.write("in.ttl", "".join(map(THING.format, names)))
        self.trails("import", os.path.join(self.server.folder, "in.ttl"))

    def ask(self, name, **arguments):
        _, answer = self.server.call(name, **arguments)
        self.assertNotIn("error", answer)
        self.assertFalse(answer["result"].get("isError"), answer)
        return answer["result"]["content"][0]["text"]

    def add(self, name):
        return self.ask("add", title=name, code=name)

    def titles(self, start):
        return self.ask("titles", start=start)

    def count(self):
        return json.loads(self.trails("stats", "--json"))["nodes"]

    def test_an_import_is_seen_by_the_next_call(self):
        before = self.count()
        self.add("i-broom")
        self.assertEqual(self.titles("i-"), "broom")
        self.load("i-pan", "i-spoon")
        self.assertEqual(self.titles("i-"), "broom,pan,spoon")
        self.add("i-whisk")
        self.load("i-yeast")
        self.assertEqual(self.titles("i-"), "broom,pan,spoon,whisk,yeast")
        self.assertEqual(self.count(), before + 5)
        self.assertEqual(self.trails("validate"), "The data conforms.\n")

    def test_what_must_be_unique_is_so_for_both(self):
        self.load("u-pan")
        _, answer = self.server.call("add", title="u-pan", code="u-pan")
        self.assertIn("error", answer)
        self.add("u-pot")
        self.server.write("in.ttl", THING.format("u-pot"))
        done = subprocess.run(
            [TRAILS, "import", os.path.join(self.server.folder, "in.ttl"),
             "--app", self.server.folder], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("have the same 'code'", done.stderr)
        self.assertEqual(self.titles("u-"), "pan,pot")

    def test_a_backup_is_restored(self):
        backup = os.path.join(self.server.folder, "backup.db")
        self.add("b-broom")
        self.trails("backup", backup)
        self.add("b-pan")
        self.load("b-spoon")
        self.trails("restore", backup)
        self.assertEqual(self.titles("b-"), "broom")
        self.add("b-whisk")
        self.load("b-yeast")
        self.assertEqual(self.titles("b-"), "broom,whisk,yeast")
        self.assertEqual(self.trails("validate"), "The data conforms.\n")

    def files(self):
        data = os.path.join(self.server.folder, "data")
        for name in ["graph.db", "graph.db-wal"]:
            path = os.path.join(data, name)
            if os.path.exists(path):
                with open(path, "rb") as file:
                    yield file.read()

    def test_what_was_deleted_is_in_no_file_after_compact(self):
        self.add("d-broom")
        gone = self.add("d-xyzzyplugh")
        self.assertTrue(any(b"xyzzyplugh" in data for data in self.files()))
        self.ask("remove", id=gone)
        self.trails("compact")
        self.assertFalse(any(b"xyzzyplugh" in data for data in self.files()))
        self.assertEqual(self.titles("d-"), "broom")
        self.add("d-pan")
        self.load("d-spoon")
        self.assertEqual(self.titles("d-"), "broom,pan,spoon")


if __name__ == "__main__":
    unittest.main()
